// GNU's atomic functions, and those that clang's header builds OpenCL C's upon.
//
// run: 1 by 1
// arg: i32 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 10
// becomes: i32 10 16 16 10 7 5 5 -3 0 -3 1 4 8 1 3 3 12 12 0 2 2
// arg: u32 4294967295 0
// becomes: u32 4294967295 1
// arg: f32 1.5 0 8
// becomes: f32 3.5 1.5 -1
// arg: u64 5 0
// becomes: u64 1099511627781 5

kernel void k(global int *o, global uint *u, global float *f, global ulong *l) {
    volatile global int *a = o + 20;
    o[0] = __atomic_fetch_add(a, 5, __ATOMIC_RELAXED);
    o[1] = __atomic_add_fetch(a, 1, __ATOMIC_SEQ_CST);
    o[2] = __atomic_fetch_sub(a, 6, __ATOMIC_ACQUIRE);
    o[3] = __atomic_fetch_and(a, 6, __ATOMIC_RELEASE);
    o[4] = __atomic_or_fetch(a, 5, __ATOMIC_ACQ_REL);
    o[5] = __atomic_xor_fetch(a, 2, __ATOMIC_RELAXED);
    o[6] = __atomic_fetch_max(a, 9, __ATOMIC_RELAXED);
    o[7] = __atomic_min_fetch(a, -3, __ATOMIC_RELAXED);
    int e = 0;
    o[8] = __atomic_compare_exchange_n(a, &e, 4, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
    o[9] = e;
    o[10] = __atomic_compare_exchange_n(a, &e, 4, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    o[11] = __atomic_exchange_n(a, 7, __ATOMIC_RELAXED);
    __atomic_store_n(a, __atomic_load_n(a, __ATOMIC_ACQUIRE) + 1, __ATOMIC_RELEASE);
    int v = 2, r;
    __atomic_exchange(a, &v, &r, __ATOMIC_RELAXED);
    o[12] = r;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    o[13] = __sync_bool_compare_and_swap(a, 2, 3);
    o[14] = __sync_val_compare_and_swap(a, 2, 9);
    o[15] = __sync_fetch_and_add(a, 10);
    o[16] = __sync_sub_and_fetch(a, 1);
    o[17] = __sync_lock_test_and_set(a, 1);
    __sync_lock_release(a);
    __sync_synchronize();
    volatile global atomic_int *b = (volatile global atomic_int *)a;
    o[18] = __opencl_atomic_fetch_add(b, 2, __ATOMIC_RELAXED, __OPENCL_MEMORY_SCOPE_DEVICE);
    o[19] = __opencl_atomic_load(b, __ATOMIC_ACQUIRE, __OPENCL_MEMORY_SCOPE_WORK_GROUP);
    __atomic_fetch_max(u, 1, __ATOMIC_RELAXED);
    u[1] = __atomic_max_fetch(u, 1u, __ATOMIC_RELAXED) == 4294967295u;
    f[1] = __atomic_fetch_add(f, 2, __ATOMIC_RELAXED);
    float expected = 8, desired = -1, found;
    if (__atomic_compare_exchange(f + 2, &expected, &desired, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
        __atomic_load(f + 2, &found, __ATOMIC_RELAXED);
        __atomic_store(f + 2, &found, __ATOMIC_RELAXED);
    }
    l[1] = __atomic_fetch_add(l, 1L << 40, __ATOMIC_RELAXED);
}
