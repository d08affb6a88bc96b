kernel void k(global const float *x, global const float *weight, global float *r, local float *sums, int n)
{
    INDEX row = get_group_id(0), me = get_local_id(0), items = get_local_size(0);
    float sum = 0;
    for (INDEX i = me; i < n; i += items)
        sum += x[row * n + i] * x[row * n + i];
    sums[me] = sum;
    for (INDEX half_size = items / 2; half_size > 0; half_size /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (me < half_size)
            sums[me] += sums[me + half_size];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    float scale = rsqrt(sums[0] / n + 1e-5f);
    for (INDEX i = me; i < n; i += items)
        r[row * n + i] = x[row * n + i] * scale * weight[i];
}
