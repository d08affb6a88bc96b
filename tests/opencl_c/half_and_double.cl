// Halves, doubles and 64-bit integers: arithmetic, conversions with modes, memory.
//
// run: 8 by 8
// arg: i32 0 x 16
// becomes: i32 -2147466586 34699 -2147416711 117039 -2147415685 309744 -2147421579 80699 -2147477218 24142 -2147415937 214899 -2147411954 1855567 -2147424858 77638
// arg: i32 3 7 12 5 1 9 30 4 11 2 6 8

#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void k(global int *o, global const int *in) {
    int i = get_global_id(0), x = in[i];
    half h = (half)x * 1.5h + (half)i;
    half4 v = (half4)(h, 1, 2, 3);
    v += v.wzyx;
    double d = x / 3.0 + h;
    long l = convert_long_rtp(d * 1000) * x;
    half bits[2];
    vstore_half_rtz((float)d, 0, bits);
    vstore_half(d, 1, bits);
    o[2 * i] = convert_int(v.x + v.y * 2) + (int)(d * 100) + convert_int_sat(d * 1e12) + convert_ushort_sat(l);
    o[2 * i + 1] = (int)l + (int)(l >> 33) + as_ushort(bits[0]) + (int)(vload_half(1, bits) * 64) + convert_uchar_sat_rtz(d * 10);
}
