// Memory of buffers is written, by the host or by a kernel, before it is read. Of "new" arguments nobody has written anything, of "half" ones the host
// has written the first half.

#define FOUR(x) x x x x
#define LARGE int size = 0; FOUR(FOUR(FOUR(FOUR(FOUR(size = size * 3 + 1;) FOUR(size = size * 5 + 2;) FOUR(size ^= 7;)))))

// 8/8: new f32 8; i32 8
kernel void nobody_wrote(global const float *in, global int *out) {
    int i = get_global_id(0);
    out[i] = in[i] > 0;
}

// 8/8: half f32 16; i32 8
kernel void near_nobody_wrote(global const float *in, global int *out) {
    int i = get_global_id(0);
    out[i] = in[i] > 0;
}

// 8/8: half f32 8; i32 8
kernel void half_of_it(global const float *in, global int *out) {
    int i = get_global_id(0);
    out[i] = in[i] > 0;
}

// 8/8: half f32 8; i32 8
kernel void near_half_of_it(global const float *in, global int *out) {
    int i = get_global_id(0);
    if (i < 4) out[i] = in[i] > 0;
}

// 8/8: half i32 8; i32 8
kernel void handed_on(global const int *restrict in, global int *restrict out) {
    int i = get_global_id(0);
    out[i] = in[i];
}

// 8/8: new i32 8; i32 8
kernel void near_written_before(global int *data, global int *out) {
    int i = get_global_id(0);
    data[i] = i;
    out[i] = data[i] + 1;
}

// 8/8: new i32 8; i32 8
kernel void neighbours(global int *data, global int *out) {
    int i = get_global_id(0);
    if (i != 3) data[i] = i;
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[i] = data[7 - i] + 1;
}

// 8/8: new i32 8; i32 8
kernel void near_neighbours(global int *data, global int *out) {
    int i = get_global_id(0);
    data[i] = i;
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[i] = data[7 - i] + 1;
}

// 4/4: half i32 8; i32 4
kernel void sum_in_a_loop(global const int *in, global int *out) {
    int sum = 0;
    for (int i = 0; i < 8; i++) sum += in[i];
    out[get_global_id(0)] = sum;
}

// 4/4: half i32 8; i32 4
kernel void near_sum_in_a_loop(global const int *in, global int *out) {
    int sum = 0;
    for (int i = 0; i < 4; i++) sum += in[i];
    out[get_global_id(0)] = sum;
}

// 8/8: new i32 8
kernel void counter(global int *count) {
    atomic_inc(count + get_global_id(0));
}

// 8/8: new i32 8
kernel void near_counter(global int *count) {
    int i = get_global_id(0);
    count[i] = 0;
    barrier(CLK_GLOBAL_MEM_FENCE);
    atomic_inc(count + i / 4);
}

// 2/2: half f32 8; f32 8
kernel void vectors(global const float *in, global float *out) {
    int i = get_global_id(0);
    vstore4(vload4(i, in) * 2, i, out);
}

// 2/2: half f32 16; f32 8
kernel void near_vectors(global const float *in, global float *out) {
    int i = get_global_id(0);
    vstore4(vload4(i, in) * 2, i, out);
}

// 2/2: new f32 8; f32 8
kernel void component(global float4 *data, global float4 *out) {
    int i = get_global_id(0);
    data[i].xyz = (float3)(i);
    out[i] = data[i] * 2;
}

// 2/2: new f32 8; f32 8
kernel void near_component(global float4 *data, global float4 *out) {
    int i = get_global_id(0);
    data[i].xyz = (float3)(i);
    out[i].xyz = data[i].xyz * 2;
}

// 8/8: new u8 32; i32 8
kernel void three_bytes_of_four(global uchar *data, global int *out) {
    int i = get_global_id(0);
    for (int n = 0; n < 3; n++) data[4 * i + n] = n;
    out[i] = ((global int *)data)[i] + 1;
}

// 8/8: new u8 32; i32 8
kernel void near_three_bytes_of_four(global uchar *data, global int *out) {
    int i = get_global_id(0);
    for (int n = 0; n < 4; n++) data[4 * i + n] = n;
    out[i] = ((global int *)data)[i] + 1;
}

struct filled {
    int number;
    char letter;
};

// 8/8: new i32 16; i32 16
kernel void near_what_fills_up(global struct filled *data, global struct filled *out) {
    int i = get_global_id(0);
    data[i].number = i;
    data[i].letter = 'a';
    out[i] = data[i];
}

// 8/8: new i32 16; i32 16
kernel void member(global struct filled *data, global struct filled *out) {
    int i = get_global_id(0);
    data[i].number = i;
    out[i].letter = data[i].letter + 1;
}

// 8/8: new f64 8; i32 8
kernel void doubles(global const double *in, global int *out) {
    int i = get_global_id(0);
    out[i] = in[i] > 0;
}

// 8/8: new u16 8; i32 8
kernel void shorts(global const short *in, global int *out) {
    int i = get_global_id(0);
    out[i] = in[i] + 1;
}

// 8/8: half i32 8; i32 8
kernel void constants(constant int *in, global int *out) {
    int i = get_global_id(0);
    out[i] = in[i] + 1;
}

// 8/8: half i32 16; i32 8
kernel void near_constants(constant int *in, global int *out) {
    int i = get_global_id(0);
    out[i] = in[i] + 1;
}

// 8/8: new i32 8; i32 8; i32 8
kernel void one_of_two(global const int *one, global const int *other, global int *out) {
    int i = get_global_id(0);
    global const int *p = i & 1 ? one : other;
    out[i] = p[i] + 1;
}

// 8/8: new i32 8; new i32 8; i32 8
kernel void near_one_of_two(global int *one, global int *other, global int *out) {
    int i = get_global_id(0);
    global int *p = i & 1 ? one : other;
    p[i] = i;
    out[i] = (i & 1 ? one[i] : other[i]) + 1;
}

void write_at(global int *p, int i, int value) {
    LARGE
    p[i] = value;
}

int read_at(global const int *p, int i) {
    LARGE
    return p[i] + 1;
}

// 8/4: i32 8; half i32 8; i32 8
kernel void in_a_call(global const int *one, global const int *other, global int *out) {
    int i = get_global_id(0);
    out[i] = read_at(one, i) + read_at(other, i);
}

// 8/4: new i32 8; new i32 8; i32 8
kernel void near_in_a_call(global int *one, global int *other, global int *out) {
    int i = get_global_id(0);
    write_at(one, i, 1);
    write_at(other, i, 2);
    out[i] = one[i] + other[i];
}

// 8/8: svm i32 8; i32 8
kernel void shared(global const int *in, global int *out) {
    int i = get_global_id(0);
    out[i] = in[i] + 1;
}

// 8/8: middle i32 16; i32 8
kernel void behind_the_middle(global int *data, global int *out) {
    int i = get_global_id(0);
    if (i < 7) data[i] = i;
    out[i] = data[i] + 1;
}

// 8/8: middle i32 16; i32 8
kernel void near_behind_the_middle(global int *data, global int *out) {
    int i = get_global_id(0);
    data[i] = i;
    out[i] = data[i] + 1;
}

// 8/8: new i32 8; i32 8; local 32
kernel void near_asynchronous_copy(global int *data, global int *out, local int *tile) {
    int i = get_global_id(0);
    tile[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t copied = async_work_group_copy(data, tile, 8, 0);
    wait_group_events(1, &copied);
    out[i] = data[7 - i] + 1;
}

// 8/8: new i32 8; i32 8; local 32
kernel void asynchronous_copy(global int *data, global int *out, local int *tile) {
    int i = get_global_id(0);
    tile[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t copied = async_work_group_copy(data, tile, 7, 0);
    wait_group_events(1, &copied);
    out[i] = data[7 - i] + 1;
}
