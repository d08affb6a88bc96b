// Sums of all before, in each work-group, by Hillis and Steele.
kernel void k(global const uint *a, global uint *r, local uint *sums)
{
    INDEX me = get_local_id(0), i = get_global_id(0), items = get_local_size(0);
    sums[me] = a[i];
    for (INDEX step = 1; step < items; step *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        uint before = me >= step ? sums[me - step] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        sums[me] += before;
    }
    r[i] = sums[me];
}
