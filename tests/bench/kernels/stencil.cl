kernel void k(global const float *a, global float *r, int width, int height)
{
    INDEX x = get_global_id(0), y = get_global_id(1);
    if (x == 0 || y == 0 || x >= width - 1 || y >= height - 1)
        return;
    INDEX i = y * width + x;
    r[i] = 0.5f * a[i] + 0.125f * (a[i - 1] + a[i + 1] + a[i - width] + a[i + width]);
}
