kernel void k(global const uchar *a, global uint *bins, local uint *mine, int each)
{
    INDEX l = get_local_id(0), size = get_local_size(0), first = get_group_id(0) * size * each + l;
    for (INDEX j = l; j < 256; j += size)
        mine[j] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (INDEX j = 0; j < each; j++)
        atomic_inc(&mine[a[first + j * size]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (INDEX j = l; j < 256; j += size)
        atomic_add(&bins[j], mine[j]);
}
