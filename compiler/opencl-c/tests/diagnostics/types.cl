// options: -cl-std=CL1.2
// Arrays, bit-fields, halves, functions (6.11, c to k).
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
struct bits { int a : 3; }; // error: bit-fields are not supported in OpenCL
struct vector_bits { int4 a : 3; }; // error: bit-fields are not supported in OpenCL // error: bit-field has non-integral type
struct flexible { int n; int tail[]; };
struct empty_array { int n[0]; };
int recursive(int n) { return n ? recursive(n - 1) : 0; } // error: recursion is not supported in OpenCL C
half returned(half *h) { return *h; } // error: declaring function return value of type 'half' is not allowed // error: loading directly from pointer to type 'half'
int (*pointer)(int); // error: pointers to functions are not allowed // error: program scope variable must reside in constant address space
typedef int function(int);
void call(function f); // error: pointers to functions are not allowed
void f(int n, float x, int4 v, half *h, global half4 *h4, long long l) {
    int variable[n]; // error: variable length arrays are not supported in OpenCL
    int negative[-1]; // error: array with a negative size
    float real[1.5f]; // error: size of array has non-integer type 'float'
    void nothing; // error: variable has incomplete type 'void'
    int unsized[]; // error: needs an explicit size or an initializer
    half stored; // error: declaring variable of type 'half' is not allowed
    x = *h; // error: loading directly from pointer to type 'half'
    *h = x; // error: assigning directly to pointer to type 'half'
    x = (half)x; // error: casting to type 'half' is not allowed
    x = vload_half(0, h);
    x = 1.0h; // error: half precision constant requires cl_khr_fp16
    n = f; // error: taking address of function is not allowed
    int restrict r; // error: restrict requires a pointer or reference
    complex float c; // error: unknown type name 'complex'
    unsigned float u; // error: invalid combination of type specifiers
    asm("nop"); // error: inline assembly is not supported in OpenCL C
    &&label; // error: the address of a label is not supported in OpenCL C
    enum E { A, B = A + 1, A }; // error: redefinition of 'A'
    sizeof(void); // error: invalid application of 'sizeof' to a void type
    sizeof(struct unknown); // error: invalid application of 'sizeof' to an incomplete type 'struct unknown'
    struct open { struct open { int x; } inside; }; // error: nested redefinition of 'open'
    struct closed { int x; };
    struct closed { int y; }; // error: redefinition of 'closed'
}

typedef struct itself { struct itself { int x; } inside; } itself; // error: nested redefinition of 'itself'
kernel void takes_itself(itself s) {}
