kernel void k(global const float *x, global float *r)
{
    INDEX i = get_global_id(0);
    float v = x[i];
    r[i] = 0.5f * v * (1.0f + tanh(0.7978845608f * (v + 0.044715f * v * v * v)));
}
