// options: -cl-std=CL1.0
// What OpenCL C 1.0 lacks (6.11, f).
static int f(void); // error: OpenCL C version 1.0 does not support the 'static' storage class specifier
extern int g(void); // error: OpenCL C version 1.0 does not support the 'extern' storage class specifier
void h(int n) {
    register int r; // error: does not support the 'register' storage class specifier
    auto int a; // error: does not support the 'auto' storage class specifier
    printf("x"); // error: 'printf': it needs OpenCL C 1.2 or newer
    work_group_barrier(1); // error: 'work_group_barrier': it needs OpenCL C 2.0 or newer
    atomic_int i; // error: unknown type name 'atomic_int': it needs OpenCL C 2.0 or newer
    n = memory_order_relaxed; // error: use of undeclared identifier 'memory_order_relaxed'
}
