#define TILE 16
kernel __attribute__((reqd_work_group_size(TILE, TILE, 1))) void k(global const T *a, global const T *b, global T *c, int n)
{
    local T ta[TILE][TILE], tb[TILE][TILE];
    INDEX x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1);
    T sum = 0;
    for (INDEX t = 0; t < n; t += TILE) {
        ta[ly][lx] = a[y * n + t + lx];
        tb[ly][lx] = b[(t + ly) * n + x];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (INDEX j = 0; j < TILE; j++)
            sum += ta[ly][j] * tb[j][lx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[y * n + x] = sum;
}
