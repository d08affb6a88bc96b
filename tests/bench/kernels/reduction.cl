kernel void k(global const float *a, global float *sums, local float *t, int each)
{
    INDEX l = get_local_id(0), size = get_local_size(0), first = get_group_id(0) * size * each + l;
    float sum = 0;
    for (INDEX j = 0; j < each; j++)
        sum += a[first + j * size];
    t[l] = sum;
    for (INDEX s = size / 2; s > 0; s /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < s)
            t[l] += t[l + s];
    }
    if (l == 0)
        sums[get_group_id(0)] = t[0];
}
