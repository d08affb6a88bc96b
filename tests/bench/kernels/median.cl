#define SORT(a, b) { uchar less = min(a, b); b = max(a, b); a = less; }
kernel void k(global const uchar *a, global uchar *r, int width, int height)
{
    INDEX x = get_global_id(0), y = get_global_id(1);
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1)
        return;
    uchar v[9];
    for (int i = 0; i < 9; i++)
        v[i] = a[(y + i / 3 - 1) * width + x + i % 3 - 1];
    SORT(v[1], v[2]) SORT(v[4], v[5]) SORT(v[7], v[8]) SORT(v[0], v[1]) SORT(v[3], v[4]) SORT(v[6], v[7]) SORT(v[1], v[2])
    SORT(v[4], v[5]) SORT(v[7], v[8]) SORT(v[0], v[3]) SORT(v[5], v[8]) SORT(v[4], v[7]) SORT(v[3], v[6]) SORT(v[1], v[4])
    SORT(v[2], v[5]) SORT(v[4], v[7]) SORT(v[4], v[2]) SORT(v[6], v[4]) SORT(v[4], v[2])
    r[y * width + x] = v[4];
}
