kernel void k(global const float4 *m, global const float4 *v, global float4 *r)
{
    INDEX i = get_global_id(0);
    float4 x = v[i];
    r[i] = (float4)(dot(m[0], x), dot(m[1], x), dot(m[2], x), dot(m[3], x));
}
