// options: -cl-std=CL1.2
// Names and overloads: what is not known, and what fits none.
__attribute__((overloadable)) int twice(int x); // note: candidate function
__attribute__((overloadable)) float twice(float x); // note: candidate function
int declared(int a, float b); // note: previous declaration is here // note: 'declared' declared here // note: 'declared' declared here
int declared(int a, int b); // error: conflicting types for 'declared'
int defined(void) { return 1; } // note: previous definition is here
int defined(void) { return 2; } // error: redefinition of 'defined'
void f(float4 v, int n, double d, float x, global int *p) {
    n = get_globl_id(0); // error: use of undeclared identifier 'get_globl_id'; did you mean 'get_global_id'?
    n = nn; // error: use of undeclared identifier 'nn'
    flaot y; // error: unknown type name 'flaot'; did you mean 'float'?
    n = twice(d); // error: call to 'twice' is ambiguous
    n = twice(1) + twice(1.0f);
    n = declared(1); // error: too few arguments to function call, expected 2, have 1
    n = declared(1, 2, 3); // error: too many arguments to function call, expected 2, have 3
    x = sqrt(n); // error: call to 'sqrt' is ambiguous
    x = max(x, n); // error: call to 'max' is ambiguous
    v = max(v, v, v); // error: no matching function for call to 'max'
    x = dot(v, x);
    x = dot(v, v.xy); // error: no matching function for call to 'dot'
    atomic_add(n, 1); // error: call to 'atomic_add' is ambiguous
    atomic_add(p, 1);
    n = p; // warning: incompatible pointer to integer conversion assigning to 'int' from type '__global int *'
    p = n; // warning: incompatible integer to pointer conversion
    p = (global int *)n;
    global uint *u = p; // warning: converts between pointers to integer types with different sign [-Wpointer-sign]
    global float *r = p; // warning: incompatible pointer types initializing '__global float *' with an expression of type '__global int *'
    const global int *q = p;
    p = q; // warning: discards qualifiers [-Wincompatible-pointer-types-discards-qualifiers]
    n = n(1); // error: called object type 'int' is not a function or function pointer
    get_global_id("text"); // warning: incompatible pointer to integer conversion passing '__constant char *' to parameter of type 'uint'
}
