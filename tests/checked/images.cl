// Accesses to images stay inside, where no sampler says what happens outside.

// 17,4/1,1: image wo 16 4
kernel void column_too_many(write_only image2d_t out) {
    int2 place = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(out, place, (float4)(1));
}

// 16,4/16,1: image wo 16 4
kernel void near_column_too_many(write_only image2d_t out) {
    int2 place = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(out, place, (float4)(1));
}

// 16,5/16,1: image wo 16 4
kernel void row_too_many(write_only image2d_t out) {
    write_imagef(out, (int2)(get_global_id(0), get_global_id(1)), (float4)(1));
}

// 16/16: f32 16; image ro 16 4
kernel void read_before_the_row(global float *out, read_only image2d_t in) {
    int x = get_global_id(0);
    out[x] = read_imagef(in, (int2)(x - 1, 2)).x;
}

// 16/16: f32 16; image ro 16 4
kernel void near_read_before_the_row(global float *out, read_only image2d_t in) {
    int x = get_global_id(0);
    out[x] = read_imagef(in, (int2)(max(x - 1, 0), 2)).x;
}

constant sampler_t nothing = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_NONE | CLK_FILTER_NEAREST;
constant sampler_t clamped = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

// 16/16: f32 16; image ro 16 4
kernel void sampled_beyond(global float *out, read_only image2d_t in) {
    int x = get_global_id(0);
    out[x] = read_imagef(in, nothing, (int2)(x + 2, 2)).x;
}

// 16/16: f32 16; image ro 16 4
kernel void near_sampled_beyond(global float *out, read_only image2d_t in) {
    int x = get_global_id(0);
    out[x] = read_imagef(in, clamped, (int2)(x + 2, 2)).x;
}

// 16/16: f32 16; image ro 16 4
kernel void sampled_by_floats(global float *out, read_only image2d_t in) {
    int x = get_global_id(0);
    out[x] = read_imagef(in, nothing, (float2)(x - 0.5f, 2)).x;
}

// 16/16: f32 16; image ro 16 4
kernel void near_sampled_by_floats(global float *out, read_only image2d_t in) {
    int x = get_global_id(0);
    out[x] = read_imagef(in, nothing, (float2)(x + 0.5f, 3.9f)).x;
}

// 16/16: image wo 16 4; i32 16
kernel void near_written_by_some(write_only image2d_t out, global const int *places) {
    int x = places[get_global_id(0)];
    if (x < 8) write_imagef(out, (int2)(2 * x, 1), (float4)(1));
}
