// Local memory is written before it is read.

// 32/16: i32 32
kernel void element_of_a_tile(global int *out) {
    local int tile[17];
    int l = get_local_id(0);
    tile[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[l + 1];
}

// 32/16: i32 32
kernel void near_element_of_a_tile(global int *out) {
    local int tile[17];
    int l = get_local_id(0);
    tile[l] = l;
    if (l == 0) tile[16] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[l + 1];
}

// 16/16: i32 16
kernel void nobody_sets_the_counter(global int *out) {
    local int counter;
    if (get_local_id(0) == 3) out[get_global_id(0)] = atomic_add(&counter, 1);
}

// 16/16: i32 16
kernel void near_somebody_sets_the_counter(global int *out) {
    local int counter;
    if (get_local_id(0) == 0) counter = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&counter, 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = counter;
}

// 16/16: i32 16; local 64
kernel void argument_of_some(global int *out, local int *tile) {
    int l = get_local_id(0);
    if (l < 12) tile[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[15 - l];
}

// 16/16: i32 16; local 64; local 64
kernel void near_two_arguments(global int *out, local int *tile, local int *other) {
    int l = get_local_id(0);
    tile[l] = l;
    other[15 - l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[15 - l] + other[l];
}

// 16/16: f32 16; local 256
kernel void component_of_a_vector(global float *out, local float4 *tile) {
    int l = get_local_id(0);
    tile[l].xyz = (float3)(l);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[15 - l].w;
}

// 16/16: f32 16; local 256
kernel void near_component_of_a_vector(global float *out, local float4 *tile) {
    int l = get_local_id(0);
    tile[l].xyz = (float3)(l);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[15 - l].z;
}

// 16/16: u8 16
kernel void byte_of_a_word(global uchar *out) {
    local uchar tile[64];
    int l = get_local_id(0);
    tile[4 * l] = l;
    tile[4 * l + 1] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = tile[4 * l + 2];
}

// 16/16: u8 16
kernel void near_byte_of_a_word(global uchar *out) {
    local uchar tile[64];
    int l = get_local_id(0);
    tile[4 * l] = l;
    tile[4 * l + 1] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = tile[4 * l + 1];
}

typedef struct {
    int a[40];
} record;

// 16/16: i32 64; i32 64
kernel void near_copy_of_a_record(global int *out, global const record *in) {
    local record one;
    if (get_local_id(0) == 0) one = *in;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = one.a[get_local_id(0) + 24];
}

// 16/16: i32 16; i32 16; local 64
kernel void half_of_it_is_fetched(global int *out, global const int *in, local int *tile) {
    event_t event = async_work_group_copy(tile, in, 8, 0);
    wait_group_events(1, &event);
    out[get_global_id(0)] = tile[get_local_id(0)];
}

// 16/16: i32 16; i32 16; local 64
kernel void near_all_of_it_is_fetched(global int *out, global const int *in, local int *tile) {
    event_t event = async_work_group_copy(tile, in, 16, 0);
    wait_group_events(1, &event);
    out[get_global_id(0)] = tile[get_local_id(0)];
}

// 32/16: i32 32
kernel void near_reduction(global int *out) {
    local int sums[16];
    int l = get_local_id(0);
    sums[l] = l;
    for (int step = 8; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < step) sums[l] += sums[l + step];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = sums[0];
}

// 32/16: i32 32
kernel void the_group_before_has_written(global int *out) {
    local int tile[16];
    int l = get_local_id(0);
    if (get_group_id(0) == 0) tile[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[15 - l];
}

// 16/16: i32 16; local 64; local 64
kernel void near_chosen_among_two(global int *out, local int *one, local int *other) {
    int l = get_local_id(0);
    local int *chosen = out[0] == 0 ? one : other;
    chosen[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = one[15 - l];
}

typedef struct {
    int a, filler;
    float b;
} filled;

// 16/16: i32 48
kernel void nothing_of_a_struct(global filled *out) {
    local filled tile[17];
    int l = get_local_id(0);
    tile[l].a = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = tile[l + 1];
}

// 16/16: i32 48
kernel void near_nothing_of_a_struct(global filled *out) {
    local filled tile[17];
    int l = get_local_id(0);
    if (l == 0) tile[16].b = 1;
    tile[l].a = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = tile[l + 1];
}

// 16/16: i32 48
kernel void near_filler_of_a_struct(global filled *out) {
    local filled tile[16], other[16];
    int l = get_local_id(0);
    filled one;
    one.a = l;
    one.b = 1;
    tile[l] = one;
    barrier(CLK_LOCAL_MEM_FENCE);
    filled got = tile[15 - l];
    other[l] = l & 1 ? got : tile[l];
    got.a += other[l].a;
    out[l] = got;
}

// 16/16: i32 16
kernel void filler_of_a_struct(global int *out) {
    local filled tile[16];
    int l = get_local_id(0);
    tile[l].a = l;
    tile[l].b = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    filled got = tile[15 - l];
    out[l] = got.a + got.filler;
}

// 8/8: f32 8
kernel void updated_by_one_of_two(global float *out) {
    local float sums[8];
    int l = get_local_id(0);
    if (l != 3) sums[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    sums[l] += out[l] * (l & 1 ? 1 - out[0] : out[0]);
    out[l] = sums[l];
}

// 8/8: f32 8
kernel void near_updated_by_one_of_two(global float *out) {
    local float sums[8];
    int l = get_local_id(0);
    if (l != 8) sums[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    sums[l] += out[l] * (l & 1 ? 1 - out[0] : out[0]);
    out[l] = sums[l];
}
