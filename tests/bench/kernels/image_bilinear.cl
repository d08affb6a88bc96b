/* An image of another size, through a linear sampler with normalized coordinates. */
const sampler_t s = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;
__kernel void k(read_only image2d_t from, write_only image2d_t to) {
    int x = get_global_id(0), y = get_global_id(1);
    float2 at = (float2)(x + 0.5f, y + 0.5f) / (float2)(get_global_size(0), get_global_size(1));
    write_imagef(to, (int2)(x, y), read_imagef(from, s, at));
}
