kernel void k(global const double *a, global const double *x, global double *y, int n)
{
    INDEX i = get_global_id(0);
    double sum = 0;
    for (INDEX j = 0; j < n; j++)
        sum += a[i * n + j] * x[j];
    y[i] = sum;
}
