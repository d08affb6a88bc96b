kernel void k(global const uchar *pixels, global float *r, global float *g, global float *b)
{
    INDEX i = get_global_id(0);
    r[i] = pixels[i * 3] * (1.0f / 255);
    g[i] = pixels[i * 3 + 1] * (1.0f / 255);
    b[i] = pixels[i * 3 + 2] * (1.0f / 255);
}
