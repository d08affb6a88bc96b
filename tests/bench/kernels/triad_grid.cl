kernel void k(global const float *a, global const float *b, global float *r, float s, int n)
{
    for (INDEX i = get_global_id(0); i < n; i += get_global_size(0))
        r[i] = a[i] + s * b[i];
}
