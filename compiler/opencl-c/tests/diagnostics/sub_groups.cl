// options: -cl-std=CL3.0 without cl_khr_subgroup_ballot
// Collective functions (6.15.16, 6.15.19).
void f(int n, float4 v, short s, bool b) {
    n = work_group_reduce_add(n) + work_group_all(n);
    v = work_group_reduce_add(v); // error: no matching function for call to 'work_group_reduce_add'
    n = sub_group_reduce_add(n) + sub_group_broadcast(n, 3);
    n = sub_group_broadcast(s, 0);
    v = sub_group_broadcast(v, 0); // error: no matching function for call to 'sub_group_broadcast'
    uint4 mask = sub_group_ballot(n); // error: 'sub_group_ballot': it needs cl_khr_subgroup_ballot
    n = sub_group_shuffle(n, 1); // error: 'sub_group_shuffle': it needs cl_khr_subgroup_shuffle
    n = get_sub_group_size() + get_sub_group_local_id();
    work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    work_group_broadcast(n); // error: no matching function for call to 'work_group_broadcast'
}
