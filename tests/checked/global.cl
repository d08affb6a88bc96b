// Accesses to global and constant memory. A comment says how each kernel is launched: global/local: arguments.
// What follows `near_` keeps all rules, by as little as it can.

// 64/16: i32 64; i32 64
kernel void read_beyond(global int *out, global const int *in) {
    size_t i = get_global_id(0);
    out[i] = in[i + 1];
}

// 63/9: i32 64; i32 64
kernel void near_read_beyond(global int *out, global const int *in) {
    size_t i = get_global_id(0);
    out[i] = in[i + 1];
}

// 64/16: i32 64; i32 64
kernel void read_before(global int *out, global const int *in) {
    int i = get_global_id(0);
    out[i] = in[i - 2];
}

// 64/16: i32 64; i32 64
kernel void near_read_before(global int *out, global const int *in) {
    int i = get_global_id(0);
    out[i] = i >= 2 ? in[i - 2] : 0;
}

// 70/10: i32 64
kernel void write_beyond(global int *out) {
    out[get_global_id(0)] = 7;
}

// 70/10: i32 64; value i32 64
kernel void near_write_beyond(global int *out, int n) {
    int i = get_global_id(0);
    if (i < n) out[i] = 7;
}

// 64/16: i32 64; value i32 3
kernel void read_strided(global int *out, int stride) {
    int i = get_global_id(0);
    out[i] = out[i * stride];
}

// 64/16: i32 64; value i32 1
kernel void near_read_strided(global int *out, int stride) {
    int i = get_global_id(0);
    out[i] = out[i * stride];
}

// 64/16: i32 64; i32 16
kernel void gathered(global int *out, global const int *in) {
    int i = get_global_id(0);
    out[i] = in[out[i] >> 1];
}

// 64/16: i32 64; i32 16
kernel void near_gathered(global int *out, global const int *in) {
    int i = get_global_id(0);
    out[i] = in[out[i] & 15];
}

// 64/16: i32 64
kernel void far_away(global int *out) {
    int i = get_global_id(0);
    if (i == 5) out[i + 1000000000] = 1;
}

// 64/16: i32 64
kernel void near_far_away(global int *out) {
    int i = get_global_id(0);
    if (i == 5) out[i + 1000000000 - 1000000000] = 1;
}

// 64/16: i32 64
kernel void negative_64_bits(global int *out) {
    long i = get_global_id(0);
    out[i - 5000000000L * (i == 9)] = 1;
}

// 64/16: i32 64
kernel void near_negative_64_bits(global int *out) {
    long i = get_global_id(0);
    out[(i - 5000000000L) + 5000000000L] = 1;
}

// 16/16: f32 64; f32 60
kernel void vectors(global float4 *out, global const float4 *in) {
    out[get_global_id(0)] = in[get_global_id(0)];
}

// 15/5: f32 64; f32 60
kernel void near_vectors(global float4 *out, global const float4 *in) {
    out[get_global_id(0)] = in[get_global_id(0)];
}

// 16/16: f32 64; f32 63
kernel void half_a_vector(global float4 *out, global const float *in) {
    out[get_global_id(0)] = vload4(get_global_id(0), in);
}

// 16/16: f32 64; f32 64
kernel void near_half_a_vector(global float4 *out, global const float *in) {
    out[get_global_id(0)] = vload4(get_global_id(0), in);
}

// 16/16: f32 47; f32 64
kernel void vstore_beyond(global float *out, global const float *in) {
    vstore3(vload3(get_global_id(0), in), get_global_id(0), out);
}

// 16/16: f32 48; f32 64
kernel void near_vstore_beyond(global float *out, global const float *in) {
    vstore3(vload3(get_global_id(0), in), get_global_id(0), out);
}

// 16/16: u8 15; f32 16
kernel void bytes(global uchar *out, global const float *in) {
    out[get_global_id(0)] = convert_uchar(in[get_global_id(0)]);
}

// 16/16: u8 16; f32 16
kernel void near_bytes(global uchar *out, global const float *in) {
    out[get_global_id(0)] = convert_uchar(in[get_global_id(0)]);
}

// 16/16: u16 16; f32 16
kernel void halves(global half *out, global const float *in) {
    vstore_half(in[get_global_id(0)], get_global_id(0) + 1, out);
}

// 16/16: u16 17; f32 16
kernel void near_halves(global half *out, global const float *in) {
    vstore_half(in[get_global_id(0)], get_global_id(0) + 1, out);
}

// 16/16: i32 16; i32 4
kernel void loop(global int *out, global const int *in) {
    int sum = 0;
    for (int k = 0; k <= 4; k++) sum += in[k];
    out[get_global_id(0)] = sum;
}

// 16/16: i32 16; i32 4
kernel void near_loop(global int *out, global const int *in) {
    int sum = 0;
    for (int k = 0; k < 4; k++) sum += in[k];
    out[get_global_id(0)] = sum;
}

// 16/16: i32 16; i32 20; value i32 6
kernel void loop_of_lanes(global int *out, global const int *in, int n) {
    int i = get_global_id(0), sum = 0;
    for (int k = 0; k < n; k++) sum += in[i + k];
    out[i] = sum;
}

// 16/16: i32 16; i32 20; value i32 5
kernel void near_loop_of_lanes(global int *out, global const int *in, int n) {
    int i = get_global_id(0), sum = 0;
    for (int k = 0; k < n; k++) sum += in[i + k];
    out[i] = sum;
}

// 16/16: i32 16; i32 16
kernel void walking_pointer(global int *out, global const int *in) {
    int sum = 0;
    for (global const int *p = in; p <= in + 16; p++) sum += *p;
    out[get_global_id(0)] = sum;
}

// 16/16: i32 16; i32 16
kernel void near_walking_pointer(global int *out, global const int *in) {
    int sum = 0;
    for (global const int *p = in; p < in + 16; p++) sum += *p;
    out[get_global_id(0)] = sum;
}

// 16/16: i32 16; i32 16
kernel void pointer_with_offset(global int *out, global const int *in) {
    global const int *row = in + get_global_id(0);
    out[get_global_id(0)] = row[1] + row[-1];
}

// 16/16: i32 18; i32 18
kernel void near_pointer_with_offset(global int *out, global const int *in) {
    global const int *row = in + get_global_id(0) + 1;
    out[get_global_id(0)] = row[1] + row[-1];
}

int second_row(global const int *rows, int i) {
    return rows[i + 16];
}

// 17/17: i32 32; i32 32
kernel void in_a_function(global int *out, global const int *in) {
    out[get_global_id(0)] = second_row(in, get_global_id(0));
}

// 16/16: i32 32; i32 32
kernel void near_in_a_function(global int *out, global const int *in) {
    out[get_global_id(0)] = second_row(in, get_global_id(0));
}

int sum_of_rows(global const int *rows, int i) {
    return second_row(rows, i) + second_row(rows, i + 1);
}

// 16/16: i32 32; i32 32
kernel void in_a_function_of_a_function(global int *out, global const int *in) {
    out[get_global_id(0)] = sum_of_rows(in, get_global_id(0));
}

// 15/15: i32 32; i32 32
kernel void near_in_a_function_of_a_function(global int *out, global const int *in) {
    out[get_global_id(0)] = sum_of_rows(in, get_global_id(0));
}

// 64/16: i32 64; i32 16
kernel void atomics(global int *in, global int *sums) {
    atomic_add(sums + in[get_global_id(0)] / 3, 1);
}

// 64/16: i32 64; i32 16
kernel void near_atomics(global int *in, global int *sums) {
    atomic_add(sums + in[get_global_id(0)] / 4, 1);
}

// 64/16: i32 64
kernel void atomic_exchange_before(global int *sums) {
    int i = get_global_id(0);
    atomic_cmpxchg(sums + i - 1, 0, 1);
}

// 64/16: i32 64
kernel void near_atomic_exchange_before(global int *sums) {
    int i = get_global_id(0);
    atomic_cmpxchg(sums + max(i - 1, 0), 0, 1);
}

// 16/16: ro i32 16
kernel void write_to_read_only(global int *out) {
    out[get_global_id(0)] += 1;
}

// 16/16: ro i32 16; i32 16
kernel void near_write_to_read_only(global int *in, global int *out) {
    out[get_global_id(0)] = in[get_global_id(0)] + 1;
}

// 16/16: ro i32 16
kernel void atomic_on_read_only(global int *out) {
    atomic_inc(out + get_global_id(0));
}

// 16/16: part i32 16
kernel void out_of_a_sub_buffer(global int *part) {
    part[get_global_id(0) + 1] = 0;
}

// 16/16: part i32 17
kernel void near_out_of_a_sub_buffer(global int *part) {
    part[get_global_id(0) + 1] = 0;
}

// 16/16: part i32 16
kernel void before_a_sub_buffer(global int *part) {
    part[(int)get_global_id(0) - 1] = 0;
}

// 16/16: null; i32 16
kernel void null_pointer(global int *in, global int *out) {
    out[get_global_id(0)] = in[0];
}

// 16/16: null; i32 16
kernel void near_null_pointer(global int *in, global int *out) {
    out[get_global_id(0)] = in ? in[0] : 0;
}

// 16/16: svm i32 16
kernel void svm_beyond(global int *out) {
    out[get_global_id(0) + 1] = 0;
}

// 15/15: svm i32 16
kernel void near_svm_beyond(global int *out) {
    out[get_global_id(0) + 1] = 0;
}

// 16/16: middle i32 16
kernel void svm_before(global int *middle) {
    middle[(int)get_global_id(0) - 9] = 0;
}

// 16/16: middle i32 16
kernel void near_svm_before(global int *middle) {
    middle[(int)get_global_id(0) - 8] = 0;
}

// 16/16: middle i32 16
kernel void svm_behind_the_middle(global int *middle) {
    middle[get_global_id(0)] = 0;
}

constant int table[5] = {2, 3, 5, 7, 11};

// 16/16: i32 16
kernel void beyond_a_table(global int *out) {
    out[get_global_id(0)] = table[get_global_id(0) & 7];
}

// 16/16: i32 16
kernel void near_beyond_a_table(global int *out) {
    out[get_global_id(0)] = table[get_global_id(0) & 3];
}

// 16/16: i32 16; i32 8
kernel void constant_argument(global int *out, constant int *in) {
    out[get_global_id(0)] = in[get_global_id(0)];
}

// 16/16: i32 16; i32 16
kernel void near_constant_argument(global int *out, constant int *in) {
    out[get_global_id(0)] = in[get_global_id(0)];
}

typedef struct {
    int a, b, c;
} three;

// 16/16: i32 16; i32 47
kernel void member(global int *out, global const three *in) {
    out[get_global_id(0)] = in[get_global_id(0)].c;
}

// 16/16: i32 16; i32 48
kernel void near_member(global int *out, global const three *in) {
    out[get_global_id(0)] = in[get_global_id(0)].c;
}

// 16/16: i32 47; i32 48
kernel void structs(global three *out, global const three *in) {
    out[get_global_id(0)] = in[get_global_id(0)];
}

// 16/16: i32 48; i32 48
kernel void near_structs(global three *out, global const three *in) {
    out[get_global_id(0)] = in[get_global_id(0)];
}

// 16/16: i32 16; i32 8
kernel void one_of_two(global int *out, global int *in) {
    int i = get_global_id(0);
    int j = i < 8 ? i : i + 8;
    out[i < 8 ? i : 16 - i] = in[j];
}

// 16/16: i32 16; i32 16
kernel void switched(global int *out, global int *in) {
    int i = get_global_id(0);
    switch (i & 3) {
    case 0: out[i] = in[i]; break;
    case 1: out[i] = in[i + 1]; break;
    case 2: out[i] = in[i + 3]; break;
    default: out[i] = 0;
    }
}

// 16/16: i32 16; i32 18
kernel void near_switched(global int *out, global int *in) {
    int i = get_global_id(0);
    switch (i & 3) {
    case 0: out[i] = in[i]; break;
    case 1: out[i] = in[i + 1]; break;
    case 2: out[i] = in[i + 3]; break;
    default: out[i] = 0;
    }
}

// 4,4/2,2: i32 16
kernel void two_dimensions(global int *out) {
    out[get_global_id(1) * 5 + get_global_id(0)] = 1;
}

// 4,4/2,2: i32 19
kernel void near_two_dimensions(global int *out) {
    out[get_global_id(1) * 5 + get_global_id(0)] = 1;
}

// 4,2,2/2,1,1: i32 15
kernel void three_dimensions(global int *out) {
    out[(get_global_id(2) * 2 + get_global_id(1)) * 4 + get_global_id(0)] = 1;
}

// 4,2,2/2,1,1: i32 16
kernel void near_three_dimensions(global int *out) {
    out[(get_global_id(2) * 2 + get_global_id(1)) * 4 + get_global_id(0)] = 1;
}

int element(global const int *p, int i) { return p[i]; }

// 8/4: i32 8; i32 8
kernel void call_of_several_lines(global const int *in, global int *out) {
    size_t i = get_global_id(0);
    out[i] = element(in,
                     in[i] + 1);
}

// 8/4: i32 9; i32 8
kernel void near_call_of_several_lines(global const int *in, global int *out) {
    size_t i = get_global_id(0);
    out[i] = element(in,
                     in[i] + 1);
}

// What would be run in other groups than those that were asked for is told as if it had been run in these.

// 40/1: i32 39
kernel void of_groups_of_one(global int *out) {
    int i = get_global_id(0);
    out[i] = get_group_id(0) + get_local_id(0);
}

// 40/1: i32 40
kernel void near_of_groups_of_one(global int *out) {
    int i = get_global_id(0);
    out[i] = get_group_id(0) + get_local_id(0);
}

// 15,6/3,2: i32 85
kernel void of_small_groups(global int *out) {
    out[get_global_id(1) * 15 + get_global_id(0)] = 1;
}

// 15,6/3,2: i32 90
kernel void near_of_small_groups(global int *out) {
    out[get_global_id(1) * 15 + get_global_id(0)] = 1;
}
