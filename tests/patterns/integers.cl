// Integers, bits and characters.

// interpreter
// items 32768; p: uchar[64] from 0 to 6; x: float[32768] from 0 to 1; y: float[32768] of zeros, changed; n = 64
kernel void k(global const uchar *p, global const float *x, global float *y, int n)
{
    I i = get_global_id(0);
    float a = x[i], b = 1;
    for (int j = 0; j < n; j++)
        switch (p[j]) {
        case 0: a += b; break;
        case 1: a *= b; break;
        case 2: b = a - b; break;
        case 3: b = fabs(b); break;
        case 4: a = sqrt(fabs(a)); break;
        default: b *= 0.5f;
        }
    y[i] = a + b;
}

// interpreter per item
// items 16384; p: uchar[262144] from 0 to 5; x: float[16384] from 0 to 1; y: float[16384] of zeros, changed
kernel void k(global const uchar *p, global const float *x, global float *y)
{
    I i = get_global_id(0);
    float a = x[i], b = 1;
    for (int j = 0; j < 16; j++)
        switch (p[i * 16 + j]) {
        case 0: a += b; break;
        case 1: a *= b; break;
        case 2: b = a - b; break;
        case 3: b = fabs(b); break;
        default: b *= 0.5f;
        }
    y[i] = a + b;
}

// gcd
// items 32768; a: uint[32768] from 1 to 100000; b: uint[32768] from 1 to 100000; y: uint[32768] of zeros, changed
kernel void k(global const uint *a, global const uint *b, global uint *y)
{
    I i = get_global_id(0);
    uint p = a[i], q = b[i];
    while (q) {
        uint r = p % q;
        p = q;
        q = r;
    }
    y[i] = p;
}

// collatz
// items 16384; a: uint[16384] from 1 to 10000; y: uint[16384] of zeros, changed
kernel void k(global const uint *a, global uint *y)
{
    I i = get_global_id(0);
    uint n = a[i], c = 0;
    while (n != 1) {
        n = n & 1 ? 3 * n + 1 : n / 2;
        c++;
    }
    y[i] = c;
}

// collatz long
// items 16384; a: uint[16384] from 1 to 10000; y: uint[16384] of zeros, changed
kernel void k(global const uint *a, global uint *y)
{
    I i = get_global_id(0);
    ulong n = a[i];
    uint c = 0;
    while (n != 1) {
        n = n & 1 ? 3 * n + 1 : n / 2;
        c++;
    }
    y[i] = c;
}

// primes by trial
// items 16384; y: uint[16384] of zeros, changed
kernel void k(global uint *y)
{
    uint n = get_global_id(0) * 2 + 3;
    uint p = 1;
    for (uint d = 3; d * d <= n; d += 2)
        if (n % d == 0) {
            p = 0;
            break;
        }
    y[get_global_id(0)] = p;
}

// popcount sum
// items 4096; a: ulong[64] from 0 to 4611686018427387904; b: ulong[65536] from 0 to 4611686018427387904; y: uint[4096] of zeros, changed; n = 16
kernel void k(global const ulong *a, global const ulong *b, global uint *y, int n)
{
    I i = get_global_id(0);
    uint s = 0;
    for (I j = 0; j < n; j++)
        s += popcount(a[j] ^ b[i * n + j]);
    y[i] = s;
}

// byte swap
// items 262144; a: uint[262144] from 0 to 4294967296; y: uint[262144] of zeros, changed
kernel void k(global const uint *a, global uint *y)
{
    I i = get_global_id(0);
    uint v = a[i];
    y[i] = v >> 24 | v >> 8 & 0xff00 | (v & 0xff00) << 8 | v << 24;
}

// bit reverse
// items 262144; a: uint[262144] from 0 to 4294967296; y: uint[262144] of zeros, changed
kernel void k(global const uint *a, global uint *y)
{
    I i = get_global_id(0);
    uint v = a[i];
    v = (v >> 1) & 0x55555555 | (v & 0x55555555) << 1;
    v = (v >> 2) & 0x33333333 | (v & 0x33333333) << 2;
    v = (v >> 4) & 0x0f0f0f0f | (v & 0x0f0f0f0f) << 4;
    v = (v >> 8) & 0xff00ff | (v & 0xff00ff) << 8;
    y[i] = v >> 16 | v << 16;
}

// morton 2d
// items 262144; a: uint[262144] from 0 to 4294967296; y: uint[262144] of zeros, changed
kernel void k(global const uint *a, global uint *y)
{
    I i = get_global_id(0);
    uint x = a[i] & 0xffff, z = a[i] >> 16;
    x = (x | x << 8) & 0xff00ff;
    x = (x | x << 4) & 0xf0f0f0f;
    x = (x | x << 2) & 0x33333333;
    x = (x | x << 1) & 0x55555555;
    z = (z | z << 8) & 0xff00ff;
    z = (z | z << 4) & 0xf0f0f0f;
    z = (z | z << 2) & 0x33333333;
    z = (z | z << 1) & 0x55555555;
    y[i] = x | z << 1;
}

// modular power
// items 4096; a: ulong[4096] from 1 to 2147483648; y: ulong[4096] of zeros, changed; m = 2147483629
kernel void k(global const ulong *a, global ulong *y, ulong m)
{
    I i = get_global_id(0);
    ulong b = a[i] % m, r = 1;
    for (uint e = 65537; e; e >>= 1) {
        if (e & 1)
            r = r * b % m;
        b = b * b % m;
    }
    y[i] = r;
}

// montgomery
// items 32768; a: uint[32768] from 1 to 2147483648; y: uint[32768] of zeros, changed; m = 2147483629; inv = 12345677
kernel void k(global const uint *a, global uint *y, uint m, uint inv)
{
    I i = get_global_id(0);
    uint b = a[i], r = 1;
    for (int e = 0; e < 32; e++) {
        ulong t = (ulong)r * b;
        uint q = (uint)t * inv;
        r = (t + (ulong)q * m) >> 32;
        if (r >= m)
            r -= m;
    }
    y[i] = r;
}

// mul_hi long
// items 65536; a: ulong[65536] from 1 to 4611686018427387904; b: ulong[65536] from 1 to 4611686018427387904; y: ulong[65536] of zeros, changed
kernel void k(global const ulong *a, global const ulong *b, global ulong *y)
{
    I i = get_global_id(0);
    y[i] = mul_hi(a[i], b[i]);
}

// quotient, for int uint long ushort char
// items 65536; a: T[65536] from 1 to 100; b: T[65536] from 1 to 50; y: T[65536] of zeros, changed
kernel void k(global const T *a, global const T *b, global T *y)
{
    I i = get_global_id(0);
    y[i] = a[i] / b[i];
}

// remainder by uniform, for int uint long ushort char
// items 65536; a: T[65536] from 1 to 100; m = 7; y: T[65536] of zeros, changed
kernel void k(global const T *a, T m, global T *y)
{
    I i = get_global_id(0);
    y[i] = a[i] % m;
}

// quotient by 10, for int uint long ushort char
// items 65536; a: T[65536] from 1 to 100; y: T[65536] of zeros, changed
kernel void k(global const T *a, global T *y)
{
    I i = get_global_id(0);
    y[i] = a[i] / 10;
}

// add_sat, for int uint long ushort char
// items 65536; a: T[65536] from 1 to 100; b: T[65536] from 1 to 50; y: T[65536] of zeros, changed
kernel void k(global const T *a, global const T *b, global T *y)
{
    I i = get_global_id(0);
    y[i] = add_sat(a[i], b[i]);
}

// mwc64x
// items 4096; s: ulong[4096] from 1 to 4611686018427387904; y: float[4096] of zeros, changed
kernel void k(global ulong *s, global float *y)
{
    I i = get_global_id(0);
    ulong x = s[i];
    float a = 0;
    for (int j = 0; j < 64; j++) {
        uint c = x >> 32, l = (uint)x;
        a += (c ^ l) * 2.3283064e-10f;
        x = (ulong)l * 4294883355U + c;
    }
    y[i] = a;
}

// pcg32
// items 4096; s: ulong[4096] from 1 to 4611686018427387904; y: uint[4096] of zeros, changed
kernel void k(global ulong *s, global uint *y)
{
    I i = get_global_id(0);
    ulong x = s[i];
    uint a = 0;
    for (int j = 0; j < 64; j++) {
        uint w = ((x >> 18) ^ x) >> 27, r = x >> 59;
        a ^= (w >> r) | (w << ((-r) & 31));
        x = x * 6364136223846793005UL + 1442695040888963407UL;
    }
    y[i] = a;
}

// xorshift128+
// items 4096; s: ulong[8192] from 1 to 4611686018427387904; y: ulong[4096] of zeros, changed
kernel void k(global ulong *s, global ulong *y)
{
    I i = get_global_id(0);
    ulong a = s[2 * i], b = s[2 * i + 1], t = 0;
    for (int j = 0; j < 64; j++) {
        ulong x = a, z = b;
        a = z;
        x ^= x << 23;
        b = x ^ z ^ (x >> 17) ^ (z >> 26);
        t ^= b + z;
    }
    y[i] = t;
}

// fnv of words
// items 32768; s: uchar[266240] from 0 to 256; at: int[32768] from 0 to 262144; y: uint[32768] of zeros, changed
kernel void k(global const uchar *s, global const int *at, global uint *y)
{
    I i = get_global_id(0);
    uint h = 2166136261u;
    for (int j = at[i]; s[j] > 40; j++)
        h = (h ^ s[j]) * 16777619u;
    y[i] = h;
}

// siphash round
// items 32768; s: ulong[32768] from 1 to 4611686018427387904; y: ulong[32768] of zeros, changed
kernel void k(global const ulong *s, global ulong *y)
{
    I i = get_global_id(0);
    ulong a = 0x736f6d6570736575, b = 0x646f72616e646f6d, c = 0x6c7967656e657261, d = s[i];
    for (int j = 0; j < 8; j++) {
        a += b;
        b = rotate(b, 13UL);
        b ^= a;
        a = rotate(a, 32UL);
        c += d;
        d = rotate(d, 16UL);
        d ^= c;
        a += d;
        d = rotate(d, 21UL);
        d ^= a;
        c += b;
        b = rotate(b, 17UL);
        b ^= c;
        c = rotate(c, 32UL);
    }
    y[i] = a ^ b ^ c ^ d;
}

// md5-like
// items 32768; w: uint[262144] from 1 to 4294967296; y: uint[32768] of zeros, changed
kernel void k(global const uint *w, global uint *y)
{
    I i = get_global_id(0);
    uint a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476;
    uint m[16];
    for (int j = 0; j < 16; j++)
        m[j] = w[i + j];
    for (int j = 0; j < 16; j++) {
        uint f = (b & c) | (~b & d);
        uint t = a + f + m[j] + 0x5a827999u * j;
        a = d;
        d = c;
        c = b;
        b += rotate(t, 7u);
    }
    y[i] = a ^ b ^ c ^ d;
}

// crc bitwise
// items 32768; w: uint[262144] from 1 to 4294967296; y: uint[32768] of zeros, changed
kernel void k(global const uint *w, global uint *y)
{
    I i = get_global_id(0);
    uint c = ~w[i];
    for (int j = 0; j < 32; j++)
        c = c >> 1 ^ (c & 1 ? 0xedb88320u : 0);
    y[i] = ~c;
}

// int8 gemm
// items 128 x 128; a: char[16384] from -100 to 100; b: char[16384] from -100 to 100; c: int[16384] of zeros, changed; n = 128
kernel void k(global const char *a, global const char *b, global int *c, int n)
{
    I x = get_global_id(0), y = get_global_id(1);
    int s = 0;
    for (I i = 0; i < n; i++)
        s += a[y * n + i] * b[x * n + i];
    c[y * n + x] = s;
}

// int8 gemm columns
// items 128 x 128; a: char[16384] from -100 to 100; b: char[16384] from -100 to 100; c: int[16384] of zeros, changed; n = 128
kernel void k(global const char *a, global const char *b, global int *c, int n)
{
    I x = get_global_id(0), y = get_global_id(1);
    int s = 0;
    for (I i = 0; i < n; i++)
        s += a[y * n + i] * b[i * n + x];
    c[y * n + x] = s;
}

// edit distance
// items 4096; a: uchar[262144] from 0 to 4; b: uchar[16] from 0 to 4; y: int[4096] of zeros, changed
kernel void k(global const uchar *a, global const uchar *b, global int *y)
{
    I i = get_global_id(0);
    int row[17];
    for (int j = 0; j <= 16; j++)
        row[j] = j;
    for (int q = 0; q < 16; q++) {
        int d = row[0];
        row[0] = q + 1;
        for (int j = 0; j < 16; j++) {
            int s = d + (a[i * 16 + q] != b[j]);
            d = row[j + 1];
            row[j + 1] = min(s, min(row[j], d) + 1);
        }
    }
    y[i] = row[16];
}

// base64
// items 65536; x: uchar[262144] from 0 to 256; t: uchar[64] from 0 to 256; y: uchar[262144] of zeros, changed
kernel void k(global const uchar *x, constant uchar *t, global uchar *y)
{
    I i = get_global_id(0);
    uint v = x[3 * i] << 16 | x[3 * i + 1] << 8 | x[3 * i + 2];
    y[4 * i] = t[v >> 18];
    y[4 * i + 1] = t[v >> 12 & 63];
    y[4 * i + 2] = t[v >> 6 & 63];
    y[4 * i + 3] = t[v & 63];
}

// hex
// items 131072; x: uchar[131072] from 0 to 256; y: uchar[262144] of zeros, changed
kernel void k(global const uchar *x, global uchar *y)
{
    I i = get_global_id(0);
    uchar a = x[i] >> 4, b = x[i] & 15;
    y[2 * i] = a < 10 ? a + 48 : a + 87;
    y[2 * i + 1] = b < 10 ? b + 48 : b + 87;
}

// to upper
// items 262144; x: uchar[262144] from 0 to 128; y: uchar[262144] of zeros, changed
kernel void k(global const uchar *x, global uchar *y)
{
    I i = get_global_id(0);
    uchar c = x[i];
    y[i] = c >= 97 && c <= 122 ? c - 32 : c;
}

// mix shorts
// items 262144; a: short[262144] from -30000 to 30000; b: short[262144] from -30000 to 30000; y: short[262144] of zeros, changed; g = 100
kernel void k(global const short *a, global const short *b, global short *y, int g)
{
    I i = get_global_id(0);
    y[i] = convert_short_sat(((int)a[i] * g + (int)b[i] * (256 - g)) >> 8);
}

// fixed point mandel
// items 256 x 256; y: int[65536] of zeros, changed; w = 256
kernel void k(global int *y, int w)
{
    I i = get_global_id(0), j = get_global_id(1);
    int cr = i * 768 - 131072, ci = j * 768 - 98304, zr = 0, zi = 0, n = 0;
    for (; n < 64; n++) {
        int a = (long)zr * zr >> 16, b = (long)zi * zi >> 16;
        if (a + b > 262144)
            break;
        zi = ((long)zr * zi >> 15) + ci;
        zr = a - b + cr;
    }
    y[j * w + i] = n;
}

// life in words
// items 126 x 126; x: ulong[16384] from 0 to 4611686018427387904; y: ulong[16384] of zeros, changed; w = 128
kernel void k(global const ulong *x, global ulong *y, int w)
{
    I i = get_global_id(0) + 1, j = get_global_id(1) + 1;
    ulong n1 = 0, n2 = 0, n4 = 0;
    for (int b = -1; b <= 1; b++) {
        ulong m = x[(j + b) * w + i], l = m << 1 | x[(j + b) * w + i - 1] >> 63, r = m >> 1 | x[(j + b) * w + i + 1] << 63;
        ulong c = n1 & l;
        n1 ^= l;
        n4 |= n2 & c;
        n2 ^= c;
        c = n1 & r;
        n1 ^= r;
        n4 |= n2 & c;
        n2 ^= c;
        if (b) {
            c = n1 & m;
            n1 ^= m;
            n4 |= n2 & c;
            n2 ^= c;
        }
    }
    y[j * w + i] = n2 & ~n4 & (n1 | x[j * w + i]);
}

// unpack 12 bits
// items 131072; x: uchar[393216] from 0 to 256; y: ushort[262144] of zeros, changed
kernel void k(global const uchar *x, global ushort *y)
{
    I i = get_global_id(0);
    uchar a = x[3 * i], b = x[3 * i + 1], c = x[3 * i + 2];
    y[2 * i] = a | (b & 15) << 8;
    y[2 * i + 1] = b >> 4 | c << 4;
}

// unpack bits
// items 262144; x: uint[8192] from 0 to 4294967296; y: uchar[262144] of zeros, changed
kernel void k(global const uint *x, global uchar *y)
{
    I i = get_global_id(0);
    y[i] = x[i >> 5] >> (i & 31) & 1;
}

// pack bits
// items 8192; x: uchar[262144] from 0 to 2; y: uint[8192] of zeros, changed
kernel void k(global const uchar *x, global uint *y)
{
    I i = get_global_id(0);
    uint v = 0;
    for (int j = 0; j < 32; j++)
        v |= (uint)(x[i * 32 + j] & 1) << j;
    y[i] = v;
}
