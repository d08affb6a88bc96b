#define RADIUS 8
kernel void k(global const float *a, global float *r, constant float *weights, local float *t)
{
    INDEX i = get_global_id(0), l = get_local_id(0), size = get_local_size(0);
    t[l] = a[i];
    if (l < 2 * RADIUS)
        t[size + l] = a[i + size];
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0;
    for (INDEX j = 0; j <= 2 * RADIUS; j++)
        sum += weights[j] * t[l + j];
    r[i] = sum;
}
