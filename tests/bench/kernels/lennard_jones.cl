// Forces of neighbours that a list names, so many for each.
kernel void k(global const float4 *p, global const int *neighbours, global float4 *f, int count)
{
    INDEX i = get_global_id(0), n = get_global_size(0);
    float4 me = p[i], sum = 0;
    for (INDEX j = 0; j < count; j++) {
        float4 d = p[neighbours[j * n + i]] - me;
        float inverse = 1 / (d.x * d.x + d.y * d.y + d.z * d.z + 0.01f);
        float sixth = inverse * inverse * inverse;
        sum += d * (inverse * sixth * (0.5f - sixth));
    }
    f[i] = sum;
}
