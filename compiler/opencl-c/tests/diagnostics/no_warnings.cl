// options: -cl-std=CL1.2 -w
// printf's formats without warnings.
kernel void k(int i, long l, float x, float4 v, int4 w, short4 h, global int *p) {
    printf("%d %u %x %c %hd %hhd %ld %lu\n", i, i, i, i, i, i, l, l);
    printf("%f %e %g %a %v4hlf %v4f %5.2v4hlf\n", x, x, x, x, v, v, v);
    printf("%v4hld %v4hd %p %s %% %*d\n", w, h, p, "text", 3, i);
    printf("%d\n", x);
    printf("%f\n", i);
    printf("%d\n", l);
    printf("%ld\n", i);
    printf("%s\n", i);
    printf("%p\n", i);
    printf("%v2hlf\n", v);
    printf("%v4hld\n", v);
    printf("%f\n", v);
    printf("%d %d\n", i);
    printf("%d\n", i, i);
    printf("%y\n", i);
    printf("100%");
    printf("%*d\n", x, i);
}
