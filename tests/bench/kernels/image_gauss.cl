/* 5x5 Gaussian filter of an image with one channel of floats. */
const sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
__constant float weights[5] = {0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f};
__kernel void k(read_only image2d_t from, write_only image2d_t to) {
    int x = get_global_id(0), y = get_global_id(1);
    float sum = 0;
    for (int j = -2; j <= 2; j++)
        for (int i = -2; i <= 2; i++)
            sum += weights[i + 2] * weights[j + 2] * read_imagef(from, s, (int2)(x + i, y + j)).x;
    write_imagef(to, (int2)(x, y), (float4)(sum, 0, 0, 1));
}
