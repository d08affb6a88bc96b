/* 3x3 box blur of an image, through a nearest sampler that clamps to the edge. */
const sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
__kernel void k(read_only image2d_t from, write_only image2d_t to) {
    int x = get_global_id(0), y = get_global_id(1);
    float4 sum = 0;
    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++)
            sum += read_imagef(from, s, (int2)(x + i, y + j));
    write_imagef(to, (int2)(x, y), sum * (1.0f / 9.0f));
}
