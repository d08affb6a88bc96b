#define TILE 16
kernel __attribute__((reqd_work_group_size(TILE, TILE, 1))) void k(global const float *a, global float *r, int n)
{
    local float t[TILE][TILE + 1];
    INDEX lx = get_local_id(0), ly = get_local_id(1), bx = get_group_id(0) * TILE, by = get_group_id(1) * TILE;
    t[ly][lx] = a[(by + ly) * n + bx + lx];
    barrier(CLK_LOCAL_MEM_FENCE);
    r[(bx + ly) * n + by + lx] = t[lx][ly];
}
