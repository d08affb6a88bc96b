// Pictures, grids and rays.

// 3x3, for float double short uchar
// items 512 x 512; x: T[262144] from 0 to 10; y: T[262144] of zeros, changed; w = 512; h = 512
kernel void k(global const T *x, global T *y, int w, int h)
{
    I i = get_global_id(0), j = get_global_id(1);
    if (i == 0 || j == 0 || i == w - 1 || j == h - 1)
        return;
    T s = 0;
    for (int b = -1; b <= 1; b++)
        for (int a = -1; a <= 1; a++)
            s += x[(j + b) * w + i + a] * (2 - a * a) * (2 - b * b);
    y[j * w + i] = s / 16;
}

// maxpool, for float double short uchar
// items 256 x 256; x: T[262144] from 0 to 100; y: T[65536] of zeros, changed; w = 256
kernel void k(global const T *x, global T *y, int w)
{
    I i = get_global_id(0), j = get_global_id(1);
    T a = max(x[2 * j * 2 * w + 2 * i], x[2 * j * 2 * w + 2 * i + 1]), b = max(x[(2 * j + 1) * 2 * w + 2 * i], x[(2 * j + 1) * 2 * w + 2 * i + 1]);
    y[j * w + i] = max(a, b);
}

// rgb to grey
// items 262144; x: uchar[786432] from 0 to 256; y: uchar[262144] of zeros, changed
kernel void k(global const uchar *x, global uchar *y)
{
    I i = get_global_id(0);
    uchar3 v = vload3(i, x);
    y[i] = (v.x * 77 + v.y * 150 + v.z * 29) >> 8;
}

// rgba to yuv
// items 262144; x: uchar[1048576] from 0 to 256; y: uchar[1048576] of zeros, changed
kernel void k(global const uchar4 *x, global uchar4 *y)
{
    I i = get_global_id(0);
    float4 v = convert_float4(x[i]);
    float a = 0.299f * v.x + 0.587f * v.y + 0.114f * v.z;
    y[i] = convert_uchar4_sat_rte((float4)(a, 0.492f * (v.z - a) + 128, 0.877f * (v.x - a) + 128, v.w));
}

// alpha blend
// items 262144; x: uchar[1048576] from 0 to 256; z: uchar[1048576] from 0 to 256; y: uchar[1048576] of zeros, changed
kernel void k(global const uchar4 *x, global const uchar4 *z, global uchar4 *y)
{
    I i = get_global_id(0);
    uint4 a = convert_uint4(x[i]), b = convert_uint4(z[i]);
    uint al = a.w;
    y[i] = convert_uchar4((a * al + b * (255 - al) + 127) / 255);
}

// rgb to hsv
// items 87381; x: float[262144] from 0 to 1; y: float[262144] of zeros, changed
kernel void k(global const float *x, global float *y)
{
    I i = get_global_id(0);
    float r = x[3 * i], g = x[3 * i + 1], b = x[3 * i + 2];
    float M = fmax(r, fmax(g, b)), m = fmin(r, fmin(g, b)), d = M - m, h = 0;
    if (d > 0) {
        if (M == r)
            h = (g - b) / d;
        else if (M == g)
            h = 2 + (b - r) / d;
        else
            h = 4 + (r - g) / d;
        h *= 60;
        if (h < 0)
            h += 360;
    }
    y[3 * i] = h;
    y[3 * i + 1] = M > 0 ? d / M : 0;
    y[3 * i + 2] = M;
}

// gamma bytes
// items 262144; x: uchar[262144] from 0 to 256; y: uchar[262144] of zeros, changed; g = 0.45
kernel void k(global const uchar *x, global uchar *y, float g)
{
    I i = get_global_id(0);
    y[i] = convert_uchar_sat_rte(255 * native_powr(x[i] * (1 / 255.f), g));
}

// bilinear resize
// items 400 x 400; x: float[262144] from 0 to 1; y: float[160000] of zeros, changed; w = 512; h = 512; W = 400; H = 400
kernel void k(global const float *x, global float *y, int w, int h, int W, int H)
{
    I i = get_global_id(0), j = get_global_id(1);
    float u = (i + 0.5f) * w / W - 0.5f, v = (j + 0.5f) * h / H - 0.5f;
    int a = floor(u), b = floor(v);
    float fa = u - a, fb = v - b;
    int a1 = min(a + 1, w - 1), b1 = min(b + 1, h - 1);
    a = max(a, 0);
    b = max(b, 0);
    y[j * W + i] = mix(mix(x[b * w + a], x[b * w + a1], fa), mix(x[b1 * w + a], x[b1 * w + a1], fa), fb);
}

// bilinear resize bytes
// items 400 x 400; x: uchar[262144] from 0 to 256; y: uchar[160000] of zeros, changed; w = 512; h = 512; W = 400; H = 400
kernel void k(global const uchar *x, global uchar *y, int w, int h, int W, int H)
{
    I i = get_global_id(0), j = get_global_id(1);
    float u = (i + 0.5f) * w / W - 0.5f, v = (j + 0.5f) * h / H - 0.5f;
    int a = floor(u), b = floor(v);
    float fa = u - a, fb = v - b;
    int a1 = min(a + 1, w - 1), b1 = min(b + 1, h - 1);
    a = max(a, 0);
    b = max(b, 0);
    y[j * W + i] = convert_uchar_sat_rte(mix(mix((float)x[b * w + a], (float)x[b * w + a1], fa), mix((float)x[b1 * w + a], (float)x[b1 * w + a1], fa), fb));
}

// nearest resize rgba
// items 400 x 400; x: uint[262144] from 0 to 4294967296; y: uint[160000] of zeros, changed; w = 512; h = 512; W = 400; H = 400
kernel void k(global const uint *x, global uint *y, int w, int h, int W, int H)
{
    I i = get_global_id(0), j = get_global_id(1);
    y[j * W + i] = x[j * h / H * w + i * w / W];
}

// upsample 2
// items 512 x 512; x: float[65536] from 0 to 1; y: float[262144] of zeros, changed; w = 512
kernel void k(global const float *x, global float *y, int w)
{
    I i = get_global_id(0), j = get_global_id(1);
    y[j * w + i] = x[j / 2 * (w / 2) + i / 2];
}

// sobel short
// items 512 x 512; x: uchar[262144] from 0 to 256; y: short[262144] of zeros, changed; w = 512; h = 512
kernel void k(global const uchar *x, global short *y, int w, int h)
{
    I i = get_global_id(0), j = get_global_id(1);
    if (i < 1 || j < 1 || i >= w - 1 || j >= h - 1)
        return;
    short a = x[(j - 1) * w + i + 1] + 2 * x[j * w + i + 1] + x[(j + 1) * w + i + 1] - x[(j - 1) * w + i - 1] - 2 * x[j * w + i - 1] - x[(j + 1) * w + i - 1];
    y[j * w + i] = a;
}

// gauss vertical bytes
// items 512 x 512; x: uchar[262144] from 0 to 256; y: uchar[262144] of zeros, changed; w = 512; h = 512
kernel void k(global const uchar *x, global uchar *y, int w, int h)
{
    I i = get_global_id(0), j = get_global_id(1);
    int a = max((int)j - 2, 0), b = max((int)j - 1, 0), c = min((int)j + 1, h - 1), d = min((int)j + 2, h - 1);
    y[j * w + i] = (x[a * w + i] + 4 * x[b * w + i] + 6 * x[j * w + i] + 4 * x[c * w + i] + x[d * w + i] + 8) >> 4;
}

// conv2d nchw
// items 64 x 64 x 8; x: float[34848] from 0 to 1; w: float[576] from 0 to 1; y: float[32768] of zeros, changed; C = 8; W = 64; H = 64
kernel void k(global const float *x, global const float *w, global float *y, int C, int W, int H)
{
    I i = get_global_id(0), j = get_global_id(1), o = get_global_id(2);
    float s = 0;
    for (int c = 0; c < C; c++)
        for (int b = 0; b < 3; b++)
            for (int a = 0; a < 3; a++)
                s += x[(c * (H + 2) + j + b) * (W + 2) + i + a] * w[(o * C + c) * 9 + b * 3 + a];
    y[(o * H + j) * W + i] = fmax(s, 0.f);
}

// depthwise nhwc
// items 32 x 64 x 64; x: float[139392] from 0 to 1; w: float[288] from 0 to 1; y: float[131072] of zeros, changed; C = 32; W = 64
kernel void k(global const float *x, global const float *w, global float *y, int C, int W)
{
    I c = get_global_id(0), i = get_global_id(1), j = get_global_id(2);
    float s = 0;
    for (int b = 0; b < 3; b++)
        for (int a = 0; a < 3; a++)
            s += x[((j + b) * (W + 2) + i + a) * C + c] * w[(b * 3 + a) * C + c];
    y[(j * W + i) * C + c] = s;
}

// ray spheres
// items 200 x 200; s: float[256] from 0 to 4; y: float[40000] of zeros, changed; n = 64; w = 200
kernel void k(global const float4 *s, global float *y, int n, int w)
{
    I i = get_global_id(0), j = get_global_id(1);
    float3 d = normalize((float3)(i * 0.01f - 1, j * 0.01f - 1, 1));
    float t = 1e30f;
    for (int q = 0; q < n; q++) {
        float4 p = s[q];
        float b = dot(p.xyz, d), c = dot(p.xyz, p.xyz) - p.w * p.w * 0.01f, D = b * b - c;
        if (D > 0) {
            float e = b - sqrt(D);
            if (e > 0 && e < t)
                t = e;
        }
    }
    y[j * w + i] = t;
}

// ray triangles
// items 160 x 160; T: float[288] from -2 to 4; y: float[25600] of zeros, changed; n = 32; w = 160
kernel void k(global const float *T, global float *y, int n, int w)
{
    I i = get_global_id(0), j = get_global_id(1);
    float3 o = 0, d = (float3)(i * 0.01f - 1, j * 0.01f - 1, 1);
    float t = 1e30f;
    for (int q = 0; q < n; q++) {
        float3 a = vload3(3 * q, T), e = vload3(3 * q + 1, T), f = vload3(3 * q + 2, T);
        float3 p = cross(d, f);
        float det = dot(e, p);
        if (fabs(det) < 1e-6f)
            continue;
        float inv = 1 / det;
        float3 s = o - a;
        float u = dot(s, p) * inv;
        if (u < 0 || u > 1)
            continue;
        float3 r = cross(s, e);
        float v = dot(d, r) * inv;
        if (v < 0 || u + v > 1)
            continue;
        float h = dot(f, r) * inv;
        if (h > 0 && h < t)
            t = h;
    }
    y[j * w + i] = t;
}

// value noise
// items 256 x 256; y: float[65536] of zeros, changed; w = 256
float h(int x, int y)
{
    uint n = x * 374761393u + y * 668265263u;
    n = (n ^ (n >> 13)) * 1274126177u;
    return (n ^ (n >> 16)) * 2.3283064e-10f;
}
kernel void k(global float *y, int w)
{
    I i = get_global_id(0), j = get_global_id(1);
    float v = 0, a = 0.5f, px = i * 0.05f, py = j * 0.05f;
    for (int o = 0; o < 4; o++) {
        int X = floor(px), Y = floor(py);
        float u = px - X, t = py - Y;
        u = u * u * (3 - 2 * u);
        t = t * t * (3 - 2 * t);
        v += a * mix(mix(h(X, Y), h(X + 1, Y), u), mix(h(X, Y + 1), h(X + 1, Y + 1), u), t);
        px *= 2;
        py *= 2;
        a *= 0.5f;
    }
    y[j * w + i] = v;
}

// perlin by table
// items 512 x 512; P: int[1024] from 0 to 256; y: float[262144] of zeros, changed; w = 512
kernel void k(constant int *P, global float *y, int w)
{
    I i = get_global_id(0), j = get_global_id(1);
    float px = i * 0.05f, py = j * 0.05f;
    int X = (int)px & 255, Y = (int)py & 255;
    px -= floor(px);
    py -= floor(py);
    float u = px * px * (3 - 2 * px);
    int A = P[X] + Y, B = P[X + 1] + Y;
    float g0 = (P[A] & 1 ? px : -px), g1 = (P[B] & 1 ? px - 1 : 1 - px);
    y[j * w + i] = mix(g0, g1, u) * py;
}

// fdtd 2d
// items 512 x 512; e: float[262144] from 0 to 1, changed; hx: float[262144] from 0 to 1; hy: float[262144] from 0 to 1; w = 512
kernel void k(global float *e, global const float *hx, global const float *hy, int w)
{
    I i = get_global_id(0), j = get_global_id(1);
    if (i > 0 && j > 0)
        e[j * w + i] += 0.5f * (hy[j * w + i] - hy[j * w + i - 1] - hx[j * w + i] + hx[(j - 1) * w + i]);
}

// red black
// items 510 x 510; x: float[262144] from 0 to 1, changed; w = 512; c = 1
kernel void k(global float *x, int w, int c)
{
    I i = get_global_id(0) + 1, j = get_global_id(1) + 1;
    if (((i + j) & 1) == c)
        x[j * w + i] = 0.25f * (x[j * w + i - 1] + x[j * w + i + 1] + x[(j - 1) * w + i] + x[(j + 1) * w + i]);
}

// upwind
// items 510 x 512; x: float[262144] from 0 to 1; u: float[262144] from -1 to 1; y: float[262144] of zeros, changed; w = 512
kernel void k(global const float *x, global const float *u, global float *y, int w)
{
    I i = get_global_id(0) + 1, j = get_global_id(1);
    float v = u[j * w + i];
    float g = v > 0 ? x[j * w + i] - x[j * w + i - 1] : x[j * w + i + 1] - x[j * w + i];
    y[j * w + i] = x[j * w + i] - 0.1f * v * g;
}

// ising
// items 256 x 512; s: char[262144] from 1 to 2, changed; r: uint[131072] from 0 to 4294967296; w = 512; c = 0; b = 0.4
kernel void k(global char *s, global const uint *r, int w, int c, float b)
{
    I i = get_global_id(0), j = get_global_id(1);
    I x = 2 * i + ((j + c) & 1);
    int e = s[j * w + x] *
            (s[j * w + ((x + 1) & (w - 1))] + s[j * w + ((x + w - 1) & (w - 1))] + s[((j + 1) & (w - 1)) * w + x] + s[((j + w - 1) & (w - 1)) * w + x]);
    if (r[j * w / 2 + i] * 2.3e-10f < native_exp(-2 * b * e))
        s[j * w + x] = -s[j * w + x];
}

// dct 8x8
// items 4096; x: float[262144] from 0 to 1; y: float[262144] of zeros, changed
kernel void k(global const float *x, global float *y)
{
    I b = get_global_id(0);
    float v[8];
    for (int r = 0; r < 8; r++) {
        for (int i = 0; i < 8; i++)
            v[i] = x[b * 64 + r * 8 + i];
        float a = v[0] + v[7], c = v[1] + v[6], d = v[2] + v[5], e = v[3] + v[4], f = v[0] - v[7], g = v[1] - v[6], h = v[2] - v[5], j = v[3] - v[4];
        y[b * 64 + r * 8] = a + c + d + e;
        y[b * 64 + r * 8 + 4] = (a + e - c - d) * 0.7071f;
        y[b * 64 + r * 8 + 2] = (a - e) * 0.9238f + (c - d) * 0.3826f;
        y[b * 64 + r * 8 + 6] = (a - e) * 0.3826f - (c - d) * 0.9238f;
        y[b * 64 + r * 8 + 1] = f * 0.98f + g * 0.83f + h * 0.55f + j * 0.19f;
        y[b * 64 + r * 8 + 3] = f * 0.83f - g * 0.19f - h * 0.98f - j * 0.55f;
        y[b * 64 + r * 8 + 5] = f * 0.55f - g * 0.98f + h * 0.19f + j * 0.83f;
        y[b * 64 + r * 8 + 7] = f * 0.19f - g * 0.55f + h * 0.83f - j * 0.98f;
    }
}

// sad 8x8
// items 256 x 64; a: uchar[262144] from 0 to 256; b: uchar[262144] from 0 to 256; y: uint[16384] of zeros, changed; w = 512
kernel void k(global const uchar *a, global const uchar *b, global uint *y, int w)
{
    I i = get_global_id(0), j = get_global_id(1);
    uint s = 0;
    for (int q = 0; q < 8; q++)
        for (int p = 0; p < 8; p++)
            s += abs_diff(a[(q + 64) * w + p + 64], b[(j + q) * w + i + p]);
    y[j * 256 + i] = s;
}

// lbp bytes
// items 510 x 510; x: uchar[262144] from 0 to 256; y: uchar[262144] of zeros, changed; w = 512
kernel void k(global const uchar *x, global uchar *y, int w)
{
    I i = get_global_id(0) + 1, j = get_global_id(1) + 1;
    uchar c = x[j * w + i];
    uchar v = (x[(j - 1) * w + i - 1] > c) | (x[(j - 1) * w + i] > c) << 1 | (x[(j - 1) * w + i + 1] > c) << 2 | (x[j * w + i + 1] > c) << 3 |
              (x[(j + 1) * w + i + 1] > c) << 4 | (x[(j + 1) * w + i] > c) << 5 | (x[(j + 1) * w + i - 1] > c) << 6 | (x[j * w + i - 1] > c) << 7;
    y[j * w + i] = v;
}

// bayer
// items 254 x 254; x: ushort[262144] from 0 to 4096; y: ushort[262144] of zeros, changed; w = 512
kernel void k(global const ushort *x, global ushort *y, int w)
{
    I i = get_global_id(0) * 2 + 2, j = get_global_id(1) * 2 + 2;
    for (int b = 0; b < 2; b++)
        for (int a = 0; a < 2; a++) {
            I p = (j + b) * w + i + a;
            ushort g = (a ^ b) ? x[p] : (x[p - 1] + x[p + 1] + x[p - w] + x[p + w]) / 4;
            y[p] = g;
        }
}
