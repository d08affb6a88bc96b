// Barriers are reached by all work-items of a group.

// 16/16: i32 16
kernel void half_of_the_group(global int *out) {
    int l = get_local_id(0);
    if (l < 8) barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = l;
}

// 16/16: i32 16; value i32 16
kernel void near_half_of_the_group(global int *out, int n) {
    int l = get_local_id(0);
    if (n > 8) barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = l;
}

// 64/16: i32 64; value i32 60
kernel void returns_before(global int *out, int n) {
    int i = get_global_id(0);
    if (i >= n) return;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = i;
}

// 64/16: i32 64; value i32 48
kernel void near_returns_before(global int *out, int n) {
    int i = get_global_id(0);
    if (i >= n) return;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = i;
}

// 16/16: i32 16
kernel void two_barriers(global int *out) {
    local int tile[16];
    int l = get_local_id(0);
    tile[l] = l;
    if (l & 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        out[l] = tile[l ^ 1];
    } else {
        barrier(CLK_LOCAL_MEM_FENCE);
        out[l] = tile[l];
    }
}

// 64/16: i32 64
kernel void near_two_barriers(global int *out) {
    local int tile[16];
    int l = get_local_id(0);
    tile[l] = l;
    if (get_group_id(0) & 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        out[get_global_id(0)] = tile[l ^ 1];
    } else {
        barrier(CLK_LOCAL_MEM_FENCE);
        out[get_global_id(0)] = tile[l];
    }
}

// 16/16: i32 16
kernel void loops_of_own_lengths(global int *out) {
    int l = get_local_id(0), sum = 0;
    for (int k = 0; k <= l / 8; k++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += k;
    }
    out[l] = sum;
}

// 64/16: i32 64
kernel void near_loops_of_own_lengths(global int *out) {
    local int tile[16];
    int l = get_local_id(0), sum = 0;
    for (int k = 0; k <= (int)get_group_id(0); k++) {
        tile[l] = l + k;
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += tile[15 - l];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = sum;
}

// 20/8: i32 20
kernel void near_a_group_that_is_cut_off(global int *out) {
    local int tile[8];
    int l = get_local_id(0);
    tile[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[get_local_size(0) - 1 - l];
}

// 8,8/4,4: i32 64
kernel void near_two_dimensions(global int *out) {
    local int tile[4][4];
    int x = get_local_id(0), y = get_local_id(1);
    tile[y][x] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(1) * 8 + get_global_id(0)] = tile[x][y];
}

// 8,8/4,4: i32 64
kernel void two_dimensions(global int *out) {
    local int tile[4][4];
    int x = get_local_id(0), y = get_local_id(1);
    tile[y][x] = x;
    if (x != y) barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(1) * 8 + get_global_id(0)] = x;
}
