kernel void k(global const int *rows, global const int *columns, global const float *values, global const float *x, global float *y)
{
    INDEX i = get_global_id(0);
    float sum = 0;
    for (INDEX j = rows[i]; j < rows[i + 1]; j++)
        sum += values[j] * x[columns[j]];
    y[i] = sum;
}
