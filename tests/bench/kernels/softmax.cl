// A work-item a row.
kernel void k(global const float *x, global float *r, int n)
{
    INDEX row = get_global_id(0);
    float most = -INFINITY, sum = 0;
    for (INDEX i = 0; i < n; i++)
        most = fmax(most, x[row * n + i]);
    for (INDEX i = 0; i < n; i++) {
        float e = exp(x[row * n + i] - most);
        r[row * n + i] = e;
        sum += e;
    }
    for (INDEX i = 0; i < n; i++)
        r[row * n + i] /= sum;
}
