// Components in every form, as values and as places; literals; operators and ?: lane by lane.
//
// run: 8 by 8
// arg: i32 0 x 16
// becomes: i32 255048 32786 112701 32789 804695 9023 51433 16024 78441 32792 116144 32793 -2146248070 9027 20983 32795
// arg: i32 3 7 12 5 1 9 30 4 11 2 6 8

kernel void k(global int *o, global const int *in) {
    int i = get_global_id(0);
    int4 a = vload4(0, in + i), b = a.wzyx;
    a.xy = b.zw + a.yx;
    a.s3 += 5;
    a.odd *= 2;
    int4 c = a < b ? a : b;
    c = (c << (b & 7)) ^ rotate(a, b);
    c[i & 3] = 9;
    int3 t = (int3)(c.lo, i);
    t.zx = t.xy;
    short8 s = (short8)((short)i);
    s.s0246 = convert_short4_sat(c * 1000);
    o[2 * i] = c.x + c.y * 3 + c.z * 5 + c.w * 7 + t.x + t.y - t.z;
    o[2 * i + 1] = s.s4 + s.s5 + any(a > b) + all(a != b) * 2 + (int)sizeof(t) + ((int2)(1, 2)).y;
}
