kernel void k(global const float *a, global float *r)
{
    INDEX i = get_global_id(0);
    float x = a[i];
    r[i] = sin(x) * exp(-x * x) + log(1.0f + x * x) * cos(3.0f * x) + pow(fabs(x) + 0.5f, 1.5f) + tan(0.5f * x) + sqrt(fabs(x));
}
