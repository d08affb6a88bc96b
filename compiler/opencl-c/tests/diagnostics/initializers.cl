// options: -cl-std=CL1.2
// Initializers (C99, 6.7.8; OpenCL C, 6.4.1).
struct S { int a; float b[2]; struct { int c; } d; };
union U { int i; float f; };
constant int scalar = {1};
constant int too_many = {1, 2}; // warning: excess elements in scalar initializer [-Wexcess-initializers]
constant int array[2] = {1, 2, 3}; // warning: excess elements in array initializer [-Wexcess-initializers]
constant int sized[] = {[4] = 1, 2};
constant int negative[] = {[-1] = 1}; // error: array designator value is negative
constant int beyond[2] = {[2] = 1}; // error: array designator index (2) exceeds array bounds (2)
constant struct S s = {1, {2, 3}, {4}};
constant struct S flat = {1, 2, 3, 4};
constant struct S named = {.d.c = 1, .b[1] = 2.0f};
constant struct S unknown = {.z = 1}; // error: field designator 'z' does not refer to any field
constant union U u = {.f = 1.0f};
constant union U two = {1, 2}; // warning: excess elements in union initializer [-Wexcess-initializers]
constant char text[4] = "text";
constant char short_text[3] = "text"; // warning: initializer-string for char array is too long [-Wexcess-initializers]
constant char *constant pointer = "text";
constant int from_pointer = "text"; // warning: incompatible pointer to integer conversion initializing 'int' with an expression of type '__constant char *' [-Wint-conversion] // error: initializer element is not a compile-time constant
constant float4 vector = (float4)(1, 2, 3, 4);
constant float4 braces = {1, 2, 3, 4};
constant float4 few = {1, 2}; // error: too few elements in vector initialization (expected 4 elements, have 2)
constant int *constant address = &array[1];
constant int computed = sizeof(struct S) * 2 + (3 > 2 ? 1 : 0);
constant int other = scalar;
int not_constant(void);
constant int call = not_constant(); // error: initializer element is not a compile-time constant
void f(int n, global int *p) {
    int a[2] = {n, n + 1};
    int b[2] = a; // error: array initializer must be an initializer list
    int c[] = {};
    int d[2] = n; // error: array initializer must be an initializer list
    struct S t = {n}, v = t;
    struct S w = n; // error: initializing 'struct S' with an expression of incompatible type 'int'
    int *q = {0};
    char s[] = "abc";
    char r[2] = "abc"; // warning: initializer-string for char array is too long [-Wexcess-initializers]
    float4 x = {n, 1, 2, 3};
    float4 y = {x.xy, x.zw};
    int z = {};
    int e = {{1}};
    const int k;
    const int kk = 1;
    local int l[2] = {1, 2}; // error: non-kernel function variable cannot be declared in local address space // error: '__local' variable cannot have an initializer
    union U uu = {.i = n};
    int g = (int){n};
    struct S lit = (struct S){.a = n};
    int cast = (struct S)n; // error: used type 'struct S' where arithmetic or pointer type is required
    float2 m = (float2){1, 2};
    float2 o = (float2)(1);
}
