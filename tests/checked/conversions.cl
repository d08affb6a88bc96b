// Floating-point numbers that become integers have room there, once they are rounded.

// 8/8: f32 8; i32 8
kernel void too_large(global const float *in, global int *out) {
    int i = get_global_id(0);
    out[i] = in[i] * 5e8f;
}

// 8/8: f32 8; i32 8
kernel void near_too_large(global const float *in, global int *out) {
    int i = get_global_id(0);
    out[i] = in[i] * 3e8f;
}

// 8/8: f32 8; i32 8
kernel void too_small(global const float *in, global int *out) {
    int i = get_global_id(0);
    out[i] = in[i] * -0x1.fp29f - 0x1p29f;
}

// The smallest integer is one, and so is what is truncated to the largest.
// 8/8: f32 8; i32 8
kernel void near_too_small(global const float *in, global int *out) {
    int i = get_global_id(0);
    out[i] = in[i] * -0x1p28f - 0x1p28f;
}

// 8/8: f32 8; i32 8
kernel void negative_to_unsigned(global const float *in, global uint *out) {
    int i = get_global_id(0);
    out[i] = in[i] - 5;
}

// 8/8: f32 8; i32 8
kernel void near_negative_to_unsigned(global const float *in, global uint *out) {
    int i = get_global_id(0);
    out[i] = in[i] * 0.1f - 0.9f;
}

// 8/8: f32 8; i32 8
kernel void not_a_number(global const float *in, global int *out) {
    int i = get_global_id(0);
    out[i] = 1 / in[i] - 1 / in[i];
}

// 8/8: f32 8; i32 8
kernel void near_not_a_number(global const float *in, global int *out) {
    int i = get_global_id(0);
    out[i] = convert_int_sat(1 / in[i] - 1 / in[i]);
}

// 8/8: f32 8; u8 8
kernel void pixel_too_bright(global const float *in, global uchar *out) {
    int i = get_global_id(0);
    out[i] = in[i] * 40;
}

// 8/8: f32 8; u8 8
kernel void near_pixel_too_bright(global const float *in, global uchar *out) {
    int i = get_global_id(0);
    out[i] = convert_uchar_sat(in[i] * 40);
}

// 8/8: f32 8; u8 8
kernel void near_pixel_just_bright_enough(global const float *in, global uchar *out) {
    int i = get_global_id(0);
    out[i] = in[i] * 36 + 3.99f;
}

// 8/8: f32 8; u8 8
kernel void rounded_too_far(global const float *in, global uchar *out) {
    int i = get_global_id(0);
    out[i] = convert_uchar_rte(in[i] + 248.5f);
}

// 8/8: f32 8; u8 8
kernel void near_rounded_too_far(global const float *in, global uchar *out) {
    int i = get_global_id(0);
    out[i] = convert_uchar_rtn(in[i] + 248.5f) + convert_uchar_rtz(in[i] - 0.5f);
}

// 8/8: f32 8; u8 8
kernel void rounded_down_too_far(global const float *in, global uchar *out) {
    int i = get_global_id(0);
    out[i] = convert_uchar_rtn(in[i] - 0.5f);
}

// 2/2: f32 8; i32 8
kernel void a_component(global const float4 *in, global int4 *out) {
    int i = get_global_id(0);
    out[i] = convert_int4(in[i] * 4e8f);
}

// 2/2: f32 8; i32 8
kernel void near_a_component(global const float4 *in, global int4 *out) {
    int i = get_global_id(0);
    out[i] = convert_int4(in[i] * 3e8f);
}

// 8/8: f64 8; i64 8
kernel void doubles(global const double *in, global long *out) {
    int i = get_global_id(0);
    out[i] = in[i] * 0x1p61;
}

// 8/8: f64 8; i64 8
kernel void near_doubles(global const double *in, global long *out) {
    int i = get_global_id(0);
    out[i] = convert_ulong(in[i] * 0x1p61) + convert_long(in[i] * 0x1p60 - 0x1p63);
}

// Who does not come there converts nothing.
// 8/8: f32 8; i32 8
kernel void near_branch(global const float *in, global int *out) {
    int i = get_global_id(0);
    if (in[i] < 4) out[i] = in[i] * 5e8f;
}

// 8/8: f32 8; i32 8
kernel void branch(global const float *in, global int *out) {
    int i = get_global_id(0);
    if (in[i] > 3) out[i] = in[i] * 5e8f;
}

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

// 8/8: f32 8; u8 8
kernel void halves(global const float *in, global char *out) {
    int i = get_global_id(0);
    half h = in[i] * 20;
    out[i] = convert_char(h);
}

// 8/8: f32 8; u8 8
kernel void near_halves(global const float *in, global char *out) {
    int i = get_global_id(0);
    half h = in[i] * 18;
    out[i] = convert_char(h);
}
