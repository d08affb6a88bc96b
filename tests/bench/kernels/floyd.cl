// A step of Floyd and Warshall: ways by way of `via`.
kernel void k(global float *d, int n, int via)
{
    INDEX x = get_global_id(0), y = get_global_id(1);
    d[y * n + x] = fmin(d[y * n + x], d[y * n + via] + d[via * n + x]);
}
