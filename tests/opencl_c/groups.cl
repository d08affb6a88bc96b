// Collective functions of work-groups, and what a work-item learns of where it is.
//
// run: 8 by 8
// arg: i32 0 x 16
// becomes: i32 87 43 102 38 124 40 136 42 141 44 142 46 205 48 235 50
// arg: i32 3 7 12 5 1 9 30 4 11 2 6 8

kernel void k(global int *o, global const int *in) {
    int i = get_global_id(0), x = in[i];
    o[2 * i] = work_group_reduce_add(x) + work_group_scan_inclusive_max(x) * 3 + work_group_scan_exclusive_add(x) + work_group_broadcast(x, 3) +
               work_group_all(x > 2) + work_group_any(x > 10) * 2;
    o[2 * i + 1] = get_global_size(0) + get_local_size(0) * 3 + get_num_groups(0) + get_group_id(0) + get_work_dim() + get_global_offset(0) +
                   get_local_size(i) + get_global_id(x) + get_global_linear_id() + get_local_linear_id() + get_enqueued_local_size(5);
}
