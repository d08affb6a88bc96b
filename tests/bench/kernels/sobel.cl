kernel void k(global const uchar *a, global uchar *r, int width, int height)
{
    INDEX x = get_global_id(0), y = get_global_id(1);
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1)
        return;
    global const uchar *p = a + y * width + x;
    int across = p[1 - width] + 2 * p[1] + p[1 + width] - p[-1 - width] - 2 * p[-1] - p[width - 1];
    int down = p[width - 1] + 2 * p[width] + p[width + 1] - p[-1 - width] - 2 * p[-width] - p[1 - width];
    r[y * width + x] = min(255u, abs(across) + abs(down));
}
