// Rows of blocks of 32 weights of 8 bits, each with a scale, by a vector in the same form: a work-item a row.
kernel void k(global const char *w, global const float *w_scales, global const char *x, global const float *x_scales, global float *y, int blocks)
{
    INDEX row = get_global_id(0);
    float sum = 0;
    for (INDEX b = 0; b < blocks; b++) {
        int dot = 0;
        for (INDEX i = 0; i < 32; i++)
            dot += w[(row * blocks + b) * 32 + i] * x[b * 32 + i];
        sum += dot * w_scales[row * blocks + b] * x_scales[b];
    }
    y[row] = sum;
}
