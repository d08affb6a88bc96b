// The eight greatest of each row, in their order: a work-item a row.
kernel void k(global const float *x, global float *r, int n)
{
    INDEX row = get_global_id(0);
    float best[8];
    for (int i = 0; i < 8; i++)
        best[i] = -INFINITY;
    for (INDEX j = 0; j < n; j++) {
        float v = x[row * n + j];
        for (int i = 0; i < 8; i++) {
            float more = fmax(best[i], v);
            v = fmin(best[i], v);
            best[i] = more;
        }
    }
    for (int i = 0; i < 8; i++)
        r[row * 8 + i] = best[i];
}
