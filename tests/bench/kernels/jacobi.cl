kernel void k(global const float *a, global const float *b, global const float *x, global float *r, int n)
{
    INDEX i = get_global_id(0);
    float sum = b[i];
    for (INDEX j = 0; j < n; j++)
        if (j != i)
            sum -= a[j * n + i] * x[j];
    r[i] = sum / a[i * n + i];
}
