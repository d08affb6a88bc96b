kernel void k(global const float *a, global float *r)
{
    INDEX i = get_global_id(0);
    r[i] = a[i];
}
