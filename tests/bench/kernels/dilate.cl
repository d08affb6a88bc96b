kernel void k(global const uchar *a, global uchar *r, int width, int height)
{
    INDEX x = get_global_id(0), y = get_global_id(1);
    uchar most = 0;
    for (INDEX j = max(y, (INDEX)2) - 2; j < min(y + 3, (INDEX)height); j++)
        for (INDEX i = max(x, (INDEX)2) - 2; i < min(x + 3, (INDEX)width); i++)
            most = max(most, a[j * width + i]);
    r[y * width + x] = most;
}
