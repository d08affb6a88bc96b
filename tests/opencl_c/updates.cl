// Compound assignments and increments: of what they are the value, and in which type they are done.
//
// run: 8 by 8
// arg: i32 0 x 16
// becomes: i32 241 32 211 54 486 339 609 4036 293 -1840700231 1757 60 8644 352 3622 4040
// arg: i32 3 7 12 5 1 9 30 4 11 2 6 8

global int counter = 40;
constant int table[4] = {1, 20, 300, 4000};

kernel void k(global int *o, global const int *in) {
    int i = get_global_id(0), x = in[i];
    char c = (char)(x * 30);
    c += 100;
    uchar u = c;
    u >>= 1;
    bool b = x;
    b ^= 1;
    int y = x++ * 2 + --x;
    y -= x -= 2;
    int *p = &y;
    *p++ += 3;
    p[-1] <<= 33 + i;
    ulong l = x;
    l = l / 7 + l % 13;
    long s = x - 50;
    s = (s >> 2) + s / 7 - s % 13;
    o[2 * i] = c + u * 3 + b + y;
    o[2 * i + 1] = (int)l + (int)s + table[i & 3] + counter + (x, i);
}
