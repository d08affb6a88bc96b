// options: -cl-std=CL1.2
// Address spaces (6.7).
constant int c = 1;
int g; // error: program scope variable must reside in constant address space
global int gg = 1; // error: program scope variable must reside in constant address space
local int gl; // error: program scope variable must reside in constant address space
private int gp; // error: program scope variable must reside in constant address space
constant int missing; // error: variable in constant address space must be initialized
constant int *constant pc = &c;
constant float from_function = sin(1.0f); // error: initializer element is not a compile-time constant
struct S { local int a; }; // error: field may not be qualified with an address space
struct T { local int *a; };
global int two(void); // error: return type cannot be qualified with address space
void parameter(local int x); // error: parameter may not be qualified with an address space
void twice(global local int *p); // error: multiple address spaces specified for type
void f(global int *g, local int *l, constant int *c, private int *p, int n) {
    global int x; // error: function scope variable cannot be declared in global address space
    local int y; // error: non-kernel function variable cannot be declared in local address space
    constant int z = 1; // error: non-kernel function variable cannot be declared in constant address space
    static int s; // error: variables in function scope cannot be declared static
    generic int *q; // error: OpenCL C version 1.2 does not support the 'generic' type qualifier
    p = g; // error: assigning
    p = l; // error: assigning
    p = c; // error: assigning
    g = p; // error: assigning
    g = (global int *)l; // error: changes address space of pointer
    l = (local int *)c; // error: changes address space of pointer
    n = g == l; // error: non-overlapping address spaces
    n = g - l; // error: are not pointers to compatible types
    n = *(n ? g : l); // error: incompatible operand types
    c[0] = 1; // error: read-only variable is not assignable
    g = 0;
    g = (global int *)(ulong)l;
    p = &n;
    g = &n; // error: assigning
}
void inner(int *p);
kernel void k(global int *g, local int *l) {
    local int a;
    local int b = 1; // error: '__local' variable cannot have an initializer
    {
        local int d; // error: variables in the local address space can only be declared in the outermost scope of a kernel function
        constant int e = 1; // error: variables in the constant address space can only be declared in the outermost scope
    }
    constant int f = 2;
    inner(g); // error: passing
    inner(&a); // error: passing
    inner((int *)g); // error: changes address space of pointer
    extern int elsewhere; // error: extern variable must reside in constant address space
}
