kernel void k(global const uchar *a, global uchar *r, int n)
{
    INDEX x = get_global_id(0), y = get_global_id(1);
    INDEX left = (x + n - 1) % n, right = (x + 1) % n, above = (y + n - 1) % n * n, below = (y + 1) % n * n, row = y * n;
    int alive = a[above + left] + a[above + x] + a[above + right] + a[row + left] + a[row + right] + a[below + left] + a[below + x] + a[below + right];
    r[row + x] = alive == 3 || (alive == 2 && a[row + x]);
}
