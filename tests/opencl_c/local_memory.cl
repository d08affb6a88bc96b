// Local memory of a kernel and of an argument, barriers, atomics of both kinds.
//
// run: 8 by 8
// arg: i32 0 x 16
// becomes: i32 157 157 157 157 157 157 157 157 3 7 12 5 1 9 30 77
// arg: i32 3 7 12 5 1 9 30 4 11 2 6 8
// arg: local 64

kernel void k(global int *o, global const int *in, local int *l) {
    int i = get_local_id(0);
    local int total;
    local atomic_int newer;
    if (i == 0) {
        total = 0;
        atomic_init(&newer, 5);
    }
    l[i] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = 4; s > 0; s >>= 1) {
        if (i < s)
            l[i] += l[i + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    atomic_add(&total, i);
    atomic_fetch_max_explicit(&newer, in[i], memory_order_relaxed, memory_scope_work_group);
    barrier(CLK_LOCAL_MEM_FENCE);
    int expected = i;
    bool changed = atomic_compare_exchange_strong((global atomic_int *)o + 15, &expected, 100);
    o[i] = l[0] + total * 2 + atomic_load(&newer);
    if (i < 7)
        o[8 + i] = in[i] + expected * 0 + changed * 0;
    atomic_xchg(o + 15, 77);
}
