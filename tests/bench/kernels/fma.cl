// Sixteen independent chains of multiply-adds, nothing else.
kernel void k(global float *r, float m, float a)
{
    INDEX i = get_global_id(0);
    float16 v = (float16)(i) + (float16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    for (INDEX j = 0; j < 256; j++)
        v = fma(v, (float16)(m), (float16)(a));
    float8 s8 = v.lo + v.hi;
    float4 s4 = s8.lo + s8.hi;
    r[i] = s4.x + s4.y + s4.z + s4.w;
}
