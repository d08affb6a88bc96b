// Integer division, alignment, and what __builtin_assume promises.

// 64/16: i32 64; i32 64
kernel void by_zero(global int *out, global int *in) {
    int i = get_global_id(0);
    out[i] = 100 / in[i];
}

// 64/16: i32 64; i32 64
kernel void near_by_zero(global int *out, global int *in) {
    int i = get_global_id(0);
    out[i] = 100 / (in[i] + 1);
}

// 64/16: i32 64; value i32 0
kernel void remainder_by_a_uniform_zero(global int *out, int n) {
    out[get_global_id(0)] = get_global_id(0) % n;
}

// 64/16: i32 64; value i32 3
kernel void near_remainder_by_a_uniform_zero(global int *out, int n) {
    out[get_global_id(0)] = get_global_id(0) % n;
}

// 64/16: i32 64
kernel void unsigned_by_zero(global uint *out) {
    uint i = get_global_id(0);
    out[i] = i / (i & 3);
}

// 64/16: i32 64
kernel void near_unsigned_by_zero(global uint *out) {
    uint i = get_global_id(0);
    out[i] = (i & 3) ? i / (i & 3) : 0;
}

// 64/16: i32 64; value i32 0
kernel void overflow(global int *out, int zero) {
    int i = get_global_id(0);
    out[i] = (INT_MIN + i) / (zero - 1);
}

// 64/16: i32 64; value i32 0
kernel void near_overflow(global int *out, int zero) {
    int i = get_global_id(0);
    out[i] = (INT_MIN + i + 1) / (zero - 1);
}

// 64/16: i32 64; value i64 0
kernel void long_overflow(global int *out, long zero) {
    out[get_global_id(0)] = (LONG_MIN + zero) % (zero - 1) == 0;
}

// 16/16: i32 64; i32 64
kernel void vector_by_zero(global int4 *out, global int4 *in) {
    int i = get_global_id(0);
    out[i] = (int4)(1, 2, 3, 4) / in[i];
}

// 16/16: i32 64; i32 64
kernel void near_vector_by_zero(global int4 *out, global int4 *in) {
    int i = get_global_id(0);
    out[i] = (int4)(1, 2, 3, 4) / (in[i] + 1);
}

// 16/16: i32 16
kernel void near_short_overflow(global int *out) {
    // Operands are ints before they are divided.
    short i = get_global_id(0);
    out[i] = (short)(i - 32768) / (short)-1;
}

// 16/16: i32 64
kernel void near_floats_may_be_divided_by_zero(global float *out) {
    out[get_global_id(0)] = 1.0f / get_global_id(0);
}

// 16/16: u8 65
kernel void misaligned(global uchar *bytes) {
    global int *ints = (global int *)(bytes + 1);
    ints[get_global_id(0)] = 1;
}

// 16/16: u8 68
kernel void near_misaligned(global uchar *bytes) {
    global int *ints = (global int *)(bytes + 4);
    ints[get_global_id(0)] = 1;
}

// 16/16: f32 66
kernel void misaligned_vectors(global float *in) {
    global float4 *vectors = (global float4 *)(in + 2);
    vectors[get_global_id(0)] = 1;
}

// 16/16: f32 66
kernel void near_misaligned_vectors(global float *in) {
    vstore4((float4)1, get_global_id(0), in + 2);
}

// 16/16: i32 16
kernel void misaligned_local(global int *out) {
    local uchar bytes[80];
    int l = get_local_id(0);
    local int *ints = (local int *)(bytes + l);
    if (l == 6) *ints = 1;
    out[l] = 0;
}

// 16/16: i32 16
kernel void near_misaligned_local(global int *out) {
    local int bytes[20];
    int l = get_local_id(0);
    local int *ints = (local int *)((local uchar *)bytes + l);
    if (l == 8) *ints = 1;
    out[l] = 0;
}

// 16/16: i32 16
kernel void wrong_assumption(global int *out) {
    int i = get_global_id(0);
    __builtin_assume(i < 12);
    out[i] = i;
}

// 16/16: i32 16
kernel void near_wrong_assumption(global int *out) {
    int i = get_global_id(0);
    __builtin_assume(i < 16);
    out[i] = i;
}
