kernel void k(global const float *a, global const float *b, global float *r, float s)
{
    INDEX i = get_global_id(0);
    r[i] = a[i] + s * b[i];
}
