// Functions of numbers that give exact results.
//
// run: 8 by 8
// arg: i32 0 x 16
// becomes: i32 356 -1077739389 846 -1066991537 1548 -1060371676 570 -1071316482 160 -1090453446 1121 -1063714657 5815 -1047656917 488 -1073479211
// arg: i32 3 7 12 5 1 9 30 4 11 2 6 8

kernel void k(global int *o, global const int *in) {
    int i = get_global_id(0), x = in[i], e;
    float f = x * 0.5f, whole;
    float g = fract(f, &whole) + whole * 2 + frexp(f, &e) + e + fmax(f, 3.0f) + clamp(f, 1.0f, 2.0f) + trunc(f) + rint(f);
    g += mix(f, 2.0f, 0.5f) + step(3.0f, f) + select(1.0f, f, i & 1) + copysign(f, -1.0f) + ldexp(f, 2) + fma(f, f, 1.0f);
    o[2 * i] = (int)(g * 16);
    int r = mul24(x, 7) + mul_hi(x << 20, 5000) + clz(x) + popcount(x) + hadd(x, 3) + abs_diff(x, 9) + add_sat(x, 0x7ffffff0) + rotate(x, 5);
    r ^= convert_int_rte(f) + convert_uchar_sat(x * 100) + convert_int_rtn(-f) + as_int(f) + (int)upsample((short)x, (ushort)i);
    o[2 * i + 1] = r + isnan(f) + isless(f, 3.0f) * 2 + signbit(-f) * 4 + isequal(f, f) * 8 + min(x, 5) + max((uint)x, 7u);
}
