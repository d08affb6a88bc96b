// Rows of blocks of 32 weights of 4 bits, two a byte, each block with a scale, by a vector of floats: a work-item a row.
kernel void k(global const uchar *w, global const float *scales, global const float *x, global float *y, int blocks)
{
    INDEX row = get_global_id(0);
    float sum = 0;
    for (INDEX b = 0; b < blocks; b++) {
        float part = 0;
        for (INDEX i = 0; i < 16; i++) {
            uchar two = w[(row * blocks + b) * 16 + i];
            part += ((two & 15) - 8) * x[b * 32 + i] + ((two >> 4) - 8) * x[b * 32 + 16 + i];
        }
        sum += part * scales[row * blocks + b];
    }
    y[row] = sum;
}
