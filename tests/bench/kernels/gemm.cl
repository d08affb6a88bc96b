kernel void k(global const T *a, global const T *b, global T *c, int n)
{
    INDEX x = get_global_id(0), y = get_global_id(1);
#ifdef GUARD
    if (x >= n || y >= n)
        return;
#endif
    T sum = 0;
    for (INDEX j = 0; j < n; j++)
        sum += a[y * n + j] * b[j * n + x];
    c[y * n + x] = sum;
}
