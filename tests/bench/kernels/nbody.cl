kernel void k(global const float4 *p, global float4 *f, int n, local float4 *tile)
{
    INDEX i = get_global_id(0), l = get_local_id(0), size = get_local_size(0);
    float4 me = p[i];
    float3 sum = 0;
    for (INDEX t = 0; t < n; t += size) {
        tile[l] = p[t + l];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (INDEX j = 0; j < size; j++) {
            float4 other = tile[j];
            float3 d = other.xyz - me.xyz;
            float inverse = rsqrt(d.x * d.x + d.y * d.y + d.z * d.z + 0.01f);
            sum += d * (other.w * inverse * inverse * inverse);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    f[i] = (float4)(sum, 0);
}
