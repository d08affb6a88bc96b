// Work-items of a group do not access the same local memory, one of them writing, without a barrier between.

// 16/16: i32 16
kernel void no_barrier(global int *out) {
    local int tile[16];
    int l = get_local_id(0);
    tile[l] = l;
    out[l] = tile[15 - l];
}

// 16/16: i32 16
kernel void near_no_barrier(global int *out) {
    local int tile[16];
    int l = get_local_id(0);
    tile[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = tile[15 - l];
}

// 64/32: i32 64
kernel void reduction_without_barriers(global int *out) {
    local int sums[32];
    int l = get_local_id(0);
    sums[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = 16; step > 0; step /= 2)
        if (l < step) sums[l] += sums[l + step];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = sums[0];
}

// 64/32: i32 64
kernel void near_reduction_without_barriers(global int *out) {
    local int sums[32];
    int l = get_local_id(0);
    sums[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = 16; step > 0; step /= 2) {
        if (l < step) sums[l] += sums[l + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = sums[0];
}

// 16/16: i32 16
kernel void two_values_for_one_place(global int *out) {
    local int shared;
    int l = get_local_id(0);
    if (l < 2) shared = l + 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = shared;
}

// 16/16: i32 16
kernel void near_one_value_for_one_place(global int *out) {
    local int shared;
    int l = get_local_id(0);
    shared = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = shared;
}

// 2/2: i32 2
kernel void atomic_and_not(global int *out) {
    local int count;
    int l = get_local_id(0);
    if (l == 0) count = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&count, 1);
    out[l] = count;
}

// 16/16: i32 16
kernel void near_atomic_and_not(global int *out) {
    local int count;
    int l = get_local_id(0);
    if (l == 0) count = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&count, 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = count;
}

// 16/16: i32 16; local 64
kernel void written_again_too_early(global int *out, local int *tile) {
    int l = get_local_id(0), sum = 0;
    for (int k = 0; k < 3; k++) {
        tile[l] = l + k;
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += tile[15 - l];
    }
    out[l] = sum;
}

// 16/16: i32 16; local 128
kernel void near_written_again_too_early(global int *out, local int *tiles) {
    int l = get_local_id(0), sum = 0;
    for (int k = 0; k < 3; k++) {
        local int *tile = tiles + (k & 1) * 16;
        tile[l] = l + k;
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += tile[15 - l];
    }
    out[l] = sum;
}

// 16/16: u8 16
kernel void bytes_of_a_word(global uchar *out) {
    local uchar tile[17];
    int l = get_local_id(0);
    tile[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    tile[l] = tile[l ^ 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = tile[l];
}

// 16/16: u8 16
kernel void near_bytes_of_a_word(global uchar *out) {
    local uchar tile[16];
    int l = get_local_id(0);
    tile[l] = l;
    tile[l] += 1;
    out[l] = tile[l];
}

// 8,8/4,4: f32 256; local 256
kernel void vectors(global float4 *out, local float4 *tile) {
    int x = get_local_id(0), y = get_local_id(1);
    tile[y * 4 + x] = (float4)(x, y, x, y);
    out[get_global_id(1) * 8 + get_global_id(0)] = tile[x * 4 + y];
}

// 8,8/4,4: f32 256; local 256
kernel void near_vectors(global float4 *out, local float4 *tile) {
    int x = get_local_id(0), y = get_local_id(1);
    tile[y * 4 + x] = (float4)(x, y, x, y);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(1) * 8 + get_global_id(0)] = tile[x * 4 + y];
}

// 16/16: i32 16; i32 16; local 64
kernel void not_waited_for(global int *out, global const int *in, local int *tile) {
    event_t event = async_work_group_copy(tile, in, 16, 0);
    out[get_global_id(0)] = tile[15 - get_local_id(0)];
    wait_group_events(1, &event);
}

// 16/16: i32 16; i32 16; local 64
kernel void near_not_waited_for(global int *out, global const int *in, local int *tile) {
    event_t event = async_work_group_copy(tile, in, 16, 0);
    wait_group_events(1, &event);
    out[get_global_id(0)] = tile[15 - get_local_id(0)];
}
