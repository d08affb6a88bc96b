// Accesses to local and private memory.

// 64/16: i32 64
kernel void local_array(global int *out) {
    local int tile[16];
    int l = get_local_id(0);
    tile[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[l + 1];
}

// 64/16: i32 64
kernel void near_local_array(global int *out) {
    local int tile[17];
    int l = get_local_id(0);
    tile[l] = l;
    tile[16] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[l + 1];
}

// 64/16: i32 64
kernel void into_the_neighbour(global int *out) {
    local int first[16];
    local int second[16];
    int l = get_local_id(0);
    first[l] = l;
    second[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = first[l + 16] + second[l];
}

// 64/16: i32 64
kernel void near_into_the_neighbour(global int *out) {
    local int first[32];
    local int second[16];
    int l = get_local_id(0);
    first[l] = l;
    first[l + 16] = l;
    second[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = first[l + 16] + second[l];
}

// 64/16: i32 64
kernel void constant_index(global int *out) {
    local int tile[16];
    if (get_local_id(0) == 0) tile[20] = 1;
    out[get_global_id(0)] = 0;
}

// 64/16: i32 64
kernel void near_constant_index(global int *out) {
    local int tile[16];
    if (get_local_id(0) == 0) tile[15] = 1;
    out[get_global_id(0)] = 0;
}

// 64/16: i32 64; local 64
kernel void local_argument(global int *out, local int *tile) {
    int l = get_local_id(0);
    tile[l + 1] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[l];
}

// 64/16: i32 64; local 68
kernel void near_local_argument(global int *out, local int *tile) {
    int l = get_local_id(0);
    tile[l + 1] = l;
    if (l == 0) tile[0] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[l];
}

// 64/16: i32 64; local 64; local 64
kernel void second_local_argument(global int *out, local int *first, local int *second) {
    int l = get_local_id(0);
    first[l] = l;
    second[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = second[l - 1] + first[l];
}

// 64/16: i32 64; local 64; local 64
kernel void near_second_local_argument(global int *out, local int *first, local int *second) {
    int l = get_local_id(0);
    first[l] = l;
    second[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = second[max(l - 1, 0)] + first[l];
}

// 16/16: i32 16
kernel void local_rows(global int *out) {
    local int tile[4][4];
    int l = get_local_id(0);
    tile[l / 4][l % 4 + 1] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = tile[l / 4][l % 4];
}

// 16/16: i32 16
kernel void near_local_rows(global int *out) {
    local int tile[4][5];
    int l = get_local_id(0);
    tile[l / 4][l % 4 + 1] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = tile[l / 4][l % 4 + 1];
}

// 64/16: i32 64
kernel void local_atomics(global int *out) {
    local int sums[8];
    int l = get_local_id(0);
    if (l < 8) sums[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&sums[l]);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = sums[l & 7];
}

// 64/16: i32 64
kernel void near_local_atomics(global int *out) {
    local int sums[8];
    int l = get_local_id(0);
    if (l < 8) sums[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&sums[l & 7]);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = sums[l & 7];
}

// 64/16: i32 64; i32 60
kernel void async_copy(global int *out, global int *in) {
    local int tile[16];
    event_t event = async_work_group_copy(tile, in + get_group_id(0) * 16, 16, 0);
    wait_group_events(1, &event);
    out[get_global_id(0)] = tile[get_local_id(0)];
}

// 64/16: i32 64; i32 64
kernel void near_async_copy(global int *out, global int *in) {
    local int tile[16];
    event_t event = async_work_group_copy(tile, in + get_group_id(0) * 16, 16, 0);
    wait_group_events(1, &event);
    out[get_global_id(0)] = tile[get_local_id(0)];
}

// 64/16: i32 64; i32 80
kernel void async_copy_into_less(global int *out, global int *in) {
    local int tile[16];
    event_t event = async_work_group_copy(tile, in, 17, 0);
    wait_group_events(1, &event);
    out[get_global_id(0)] = tile[get_local_id(0)];
}

int pick(local int *tile, int l) {
    return tile[l + 2];
}

// 64/16: i32 64
kernel void local_in_a_function(global int *out) {
    local int tile[16];
    int l = get_local_id(0);
    tile[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = pick(tile, l);
}

// 64/16: i32 64
kernel void near_local_in_a_function(global int *out) {
    local int tile[18];
    int l = get_local_id(0);
    tile[l] = l;
    tile[l + 2] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = pick(tile, l);
}

// 64/16: i32 64
kernel void private_array(global int *out) {
    int a[8] = {0};
    int i = get_global_id(0);
    out[i] = a[i & 15];
}

// 64/16: i32 64
kernel void near_private_array(global int *out) {
    int a[8] = {0};
    int i = get_global_id(0);
    out[i] = a[i & 7];
}

// 64/16: i32 64
kernel void private_array_written(global int *out) {
    int a[8] = {0};
    int i = get_global_id(0);
    a[i % 9] = i;
    out[i] = a[i & 7];
}

// 64/16: i32 64
kernel void near_private_array_written(global int *out) {
    int a[9] = {0};
    int i = get_global_id(0);
    a[i % 9] = i;
    out[i] = a[i & 7];
}

// 64/16: i32 64
kernel void unrolled(global int *out) {
    int a[4];
    int sum = 0;
    for (int k = 0; k < 4; k++) a[k] = k;
    for (int k = 0; k < 5; k++) sum += a[k];
    out[get_global_id(0)] = sum;
}

// 64/16: i32 64
kernel void near_unrolled(global int *out) {
    int a[4];
    int sum = 0;
    for (int k = 0; k < 4; k++) a[k] = k;
    for (int k = 0; k < 4; k++) sum += a[k];
    out[get_global_id(0)] = sum;
}

void fill(int *a, int n) {
    for (int k = 0; k < n; k++) a[k] = k;
}

// 64/16: i32 64
kernel void private_by_pointer(global int *out) {
    int a[4];
    fill(a, 5);
    out[get_global_id(0)] = a[get_global_id(0) & 3];
}

// 64/16: i32 64
kernel void near_private_by_pointer(global int *out) {
    int a[5];
    fill(a, 5);
    out[get_global_id(0)] = a[get_global_id(0) & 3];
}

typedef struct {
    int values[8];
} eight;

// 64/16: i32 64; bytes 32
kernel void by_value(global int *out, eight in) {
    int i = get_global_id(0);
    out[i] = in.values[i / 4];
}

// 64/16: i32 64; bytes 32
kernel void near_by_value(global int *out, eight in) {
    int i = get_global_id(0);
    out[i] = in.values[i / 8];
}
