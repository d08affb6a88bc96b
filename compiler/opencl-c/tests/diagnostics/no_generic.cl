// options: -cl-std=CL3.0 without __opencl_c_generic_address_space __opencl_c_program_scope_global_variables __opencl_c_pipes __opencl_c_images __opencl_c_read_write_images __opencl_c_subgroups cl_khr_subgroups __opencl_c_fp64 cl_khr_fp64 __opencl_c_work_group_collective_functions __opencl_c_atomic_order_seq_cst __opencl_c_atomic_scope_device
// OpenCL C 3.0 without what it leaves to the device (6.2.1).
int g; // error: program scope variable must reside in constant address space
void f(global int *g, int *p, global atomic_int *a, int n) {
    generic int *q; // error: does not support the 'generic' type qualifier
    p = g; // error: assigning
    double d; // error: requires cl_khr_fp64
    static int s; // error: variables in function scope cannot be declared static
    n = work_group_reduce_add(n); // error: 'work_group_reduce_add': it needs OpenCL C 2.0 or newer, __opencl_c_work_group_collective_functions
    n = sub_group_any(n); // error: 'sub_group_any': it needs
    n = atomic_load(a); // error: 'atomic_load': it needs
    n = atomic_load_explicit(a, memory_order_relaxed, memory_scope_work_group);
    to_global(p); // error: 'to_global': it needs OpenCL C 2.0, or __opencl_c_generic_address_space
    enqueue_kernel(n); // error: 'enqueue_kernel': it needs OpenCL C 2.0 or newer, __opencl_c_device_enqueue
    queue_t t; // error: unknown type name 'queue_t': it needs OpenCL C 2.0 or newer, __opencl_c_device_enqueue
    ^{ return 1; }(); // error: blocks need OpenCL C 2.0, or OpenCL C 3.0 with __opencl_c_device_enqueue
}
