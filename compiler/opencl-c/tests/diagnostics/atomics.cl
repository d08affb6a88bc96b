// options: -cl-std=CL3.0 without __opencl_c_atomic_scope_all_devices
// Atomic objects and functions (6.15.12).
global atomic_int counter = 0;
global atomic_float sum = 0.0f;
constant atomic_int fixed = 1; // error: atomic variable can be initialized to a variable only in global address space
kernel void k(global atomic_int *a, global int *p, local atomic_uint *l, global atomic_flag *f, global atomic_long *w, int n) {
    atomic_int own = 1; // error: atomic variable can be initialized to a variable only in global address space
    atomic_init(a, 1);
    atomic_store(a, n);
    n = atomic_fetch_add(a, 1);
    n = atomic_fetch_max_explicit(l, 1u, memory_order_relaxed, memory_scope_work_group);
    n = atomic_compare_exchange_strong(a, &n, 3);
    n = atomic_flag_test_and_set(f);
    *a = n; // error: cannot be assigned to
    a[1] += 2; // error: cannot be assigned to
    (*a)--; // error: invalid argument type '_Atomic(int)' to unary expression
    n = *a; // warning: reading an atomic object without a built-in function is not OpenCL C
    atomic_store(p, n); // warning: incompatible pointer types passing '__global int *' to parameter of type
    atomic_load_explicit(a, memory_order_acquire, memory_scope_all_devices); // error: use of undeclared identifier 'memory_scope_all_devices'
    atomic_add(p, 1);
    atomic_add(a, 1); // warning: incompatible pointer types passing '__global _Atomic(int) *'
    atomic_xchg(w, 1); // warning: incompatible pointer types passing '__global _Atomic(long) *'
}
