kernel void k(global const float *a, global float *r, global const float *w, int width, int height)
{
    INDEX x = get_global_id(0), y = get_global_id(1);
    float sum = 0;
    for (int j = -2; j <= 2; j++)
        for (int i = -2; i <= 2; i++) {
            int column = clamp((int)x + i, 0, width - 1), row = clamp((int)y + j, 0, height - 1);
            sum += w[(j + 2) * 5 + i + 2] * a[row * width + column];
        }
    r[y * width + x] = sum;
}
