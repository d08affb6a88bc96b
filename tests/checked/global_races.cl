// Work-items of other groups, and in kernels without barriers of the same, do not access the same memory of a buffer, one of them writing.

// 32/8: i32 32
kernel void all_write_one(global int *out) {
    int g = get_group_id(0);
    if (get_local_id(0) == 0 && g > 1) out[0] = g + 100;
    barrier(CLK_GLOBAL_MEM_FENCE);
}

// 32/8: i32 32
kernel void near_all_write_one(global int *out) {
    int g = get_group_id(0);
    if (get_local_id(0) == 0) out[g] = g + 100;
    barrier(CLK_GLOBAL_MEM_FENCE);
}

// 16/8: i32 17
kernel void neighbour_of_another_group(global int *data) {
    int i = get_global_id(0);
    int next = data[i + 1];
    barrier(CLK_GLOBAL_MEM_FENCE);
    data[i] = next + 100;
}

// 16/16: i32 17
kernel void near_neighbour_of_another_group(global int *data) {
    int i = get_global_id(0);
    int next = data[i + 1];
    barrier(CLK_GLOBAL_MEM_FENCE);
    data[i] = next + 100;
}

// 8/8: i32 8
kernel void no_barrier_in_a_group(global int *data) {
    int i = get_global_id(0);
    data[i] = 100 + i;
    if (i == 0) data[7] = 99;
}

// 8/8: i32 8
kernel void near_no_barrier_in_a_group(global int *data) {
    int i = get_global_id(0);
    data[i] = 100 + i;
    if (i == 7) data[7] = 99;
}

// 4/1: i32 4; i32 4
kernel void counted_without_atomics(global int *out, global int *count) {
    if (get_global_id(0) < 2) count[1]++;
    out[get_global_id(0)] = 1;
}

// 4/1: i32 4; i32 4
kernel void near_counted_without_atomics(global int *out, global int *count) {
    atomic_inc(&count[1]);
    out[get_global_id(0)] = 1;
}

// 4/1: i32 4
kernel void atomic_and_not(global int *count) {
    int i = get_global_id(0);
    if (i == 0) atomic_inc(&count[2]);
    if (i == 3) count[2] = 50;
}

// 4/1: i32 4; i32 4
kernel void near_one_value(global int *out, global int *found) {
    found[0] = 1;
    out[get_global_id(0)] = 1;
}

// 4/2: u8 16
kernel void bytes_of_another_group(global uchar *data) {
    int i = get_global_id(0);
    data[i] = data[i ^ 2] + 100;
}

// 4/2: u8 16
kernel void near_bytes_of_another_group(global uchar *data) {
    int i = get_global_id(0);
    data[i] = data[i + 4] + 100;
}

// 2/1: f32 16
kernel void vectors_overlap(global float *data) {
    int i = get_global_id(0);
    vstore4((float4)(i + 100), 0, data + 3 * i);
}

// 2/1: f32 16
kernel void near_vectors_overlap(global float *data) {
    int i = get_global_id(0);
    vstore4((float4)(i + 100), 0, data + 4 * i);
}

// 4,2/2,1: i32 16; value i32 4
kernel void rows_of_a_wrong_width(global int *data, int width) {
    int x = get_global_id(0), y = get_global_id(1);
    data[y * (width - 1) + x] = x + 10 * y + 100;
}

// 4,2/2,1: i32 16; value i32 4
kernel void near_rows_of_a_wrong_width(global int *data, int width) {
    int x = get_global_id(0), y = get_global_id(1);
    data[y * width + x] = x + 10 * y + 100;
}

// 4/1: svm i32 4
kernel void shared_memory(global int *data) {
    int i = get_global_id(0);
    if (i > 1) data[1] = i;
}

// 4/1: middle i32 8
kernel void near_shared_memory(global int *data) {
    int i = get_global_id(0);
    data[i] = i + 1;
}

// 4/1: i32 4
kernel void near_fences_order(global volatile int *data) {
    int i = get_global_id(0);
    if (i == 0) data[1] = 5;
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    if (i == 1) data[2] = data[1];
}
