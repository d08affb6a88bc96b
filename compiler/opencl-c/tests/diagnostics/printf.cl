// options: -cl-std=CL1.2
// printf's formats (6.15.14).
kernel void k(int i, long l, float x, float4 v, int4 w, short4 h, global int *p) {
    printf("%d %u %x %c %hd %hhd %ld %lu\n", i, i, i, i, i, i, l, l);
    printf("%f %e %g %a %v4hlf %v4f %5.2v4hlf\n", x, x, x, x, v, v, v);
    printf("%v4hld %v4hd %p %s %% %*d\n", w, h, p, "text", 3, i);
    printf("%d\n", x); // warning: format specifies type 'int' but the argument has type 'float' [-Wformat]
    printf("%f\n", i); // warning: format specifies type 'double' but the argument has type 'int' [-Wformat]
    printf("%d\n", l); // warning: format specifies type 'int' but the argument has type 'long'
    printf("%ld\n", i); // warning: format specifies type 'long' but the argument has type 'int'
    printf("%s\n", i); // warning: format specifies type 'char *' but the argument has type 'int'
    printf("%p\n", i); // warning: format specifies type 'void *' but the argument has type 'int'
    printf("%v2hlf\n", v); // warning: format specifies type 'float2' but the argument has type 'float4'
    printf("%v4hld\n", v); // warning: format specifies type 'int4' but the argument has type 'float4'
    printf("%f\n", v); // warning: format specifies type 'double' but the argument has type 'float4'
    printf("%d %d\n", i); // warning: more '%' conversions than data arguments [-Wformat-insufficient-args]
    printf("%d\n", i, i); // warning: data argument not used by format string [-Wformat-extra-args]
    printf("%y\n", i); // warning: invalid conversion specifier 'y' [-Wformat-invalid-specifier]
    printf("100%"); // warning: incomplete format specifier [-Wformat-invalid-specifier]
    printf("%*d\n", x, i); // warning: field width should have type 'int', but argument has type 'float'
    printf(i); // warning: incompatible integer to pointer conversion
}
