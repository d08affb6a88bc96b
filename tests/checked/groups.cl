// Operations of a sub-group are reached by all its work-items, and events are those of copies.

// 16/16: i32 16; value i32 5
__attribute__((intel_reqd_sub_group_size(8)))
kernel void reduction_in_a_branch(global int *out, int n) {
    int i = get_global_id(0);
    if (i != n) out[i] = sub_group_reduce_add(i);
}

// 16/16: i32 16; value i32 8
__attribute__((intel_reqd_sub_group_size(8)))
kernel void near_reduction_in_a_branch(global int *out, int n) {
    int i = get_global_id(0);
    if (i >= n) out[i] = sub_group_reduce_add(i);
}

// 16/16: i32 16; value i32 3
__attribute__((intel_reqd_sub_group_size(8)))
kernel void barrier_behind_a_return(global int *out, int n) {
    int i = get_global_id(0);
    if (i < n) return;
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = i;
}

// 16/16: i32 16; value i32 8
__attribute__((intel_reqd_sub_group_size(8)))
kernel void near_barrier_behind_a_return(global int *out, int n) {
    int i = get_global_id(0);
    if (i < n) return;
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = i;
}

// 16/16: i32 16
__attribute__((intel_reqd_sub_group_size(8)))
kernel void broadcast_in_a_loop(global int *out) {
    int i = get_global_id(0), sum = 0;
    for (int k = 0; k < i % 8; k++) sum += sub_group_broadcast(i, 7);
    out[i] = sum;
}

// 16/16: i32 16
__attribute__((intel_reqd_sub_group_size(8)))
kernel void near_broadcast_in_a_loop(global int *out) {
    int i = get_global_id(0), sum = 0;
    for (int k = 0; k < 7; k++) sum += sub_group_broadcast(i, 7);
    out[i] = sum;
}

// 16/16: i32 16
__attribute__((intel_reqd_sub_group_size(8)))
kernel void near_ballots_are_for_those_who_come(global int *out) {
    int i = get_global_id(0);
    if (i % 2) out[i] = sub_group_non_uniform_reduce_add(i);
}

// 16/16: i32 16; local 64
kernel void no_event(global int *out, local int *tile) {
    event_t event = 0;
    async_work_group_copy(tile, out, 16, 0);
    wait_group_events(1, &event);
    out[get_global_id(0)] = tile[15 - get_local_id(0)];
}

// 16/16: i32 16; local 64
kernel void near_no_event(global int *out, local int *tile) {
    event_t event = async_work_group_copy(tile, out, 16, 0);
    wait_group_events(1, &event);
    out[get_global_id(0)] = tile[15 - get_local_id(0)];
}

// 16/16: i32 16; local 64
kernel void one_event_of_two(global int *out, local int *tile) {
    event_t events[2];
    events[0] = async_work_group_copy(tile, out, 16, 0);
    events[1] = 0;
    wait_group_events(2, events);
    out[get_global_id(0)] = tile[15 - get_local_id(0)];
}

// 16/16: i32 16; local 64
kernel void near_two_copies_of_one_event(global int *out, local int *tile) {
    event_t event = async_work_group_copy(tile, out, 8, 0);
    event = async_work_group_copy(tile + 8, out + 8, 8, event);
    wait_group_events(1, &event);
    out[get_global_id(0)] = tile[15 - get_local_id(0)];
}
