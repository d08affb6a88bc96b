kernel void k(global const int *rows, global const int *columns, global const float *share, global float *r, float base)
{
    INDEX i = get_global_id(0);
    float sum = 0;
    for (INDEX j = rows[i]; j < rows[i + 1]; j++)
        sum += share[columns[j]];
    r[i] = base + 0.85f * sum;
}
