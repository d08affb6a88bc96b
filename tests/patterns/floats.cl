// Floats: filters, matrices, functions.

// fir 16, for float double short uchar
// items 262128; x: T[262144] from 0 to 4; c: T[16] from 0 to 4; y: T[262144] of zeros, changed
kernel void k(global const T *x, constant T *c, global T *y)
{
    I i = get_global_id(0);
    T s = 0;
    for (int j = 0; j < 16; j++)
        s += x[i + j] * c[j];
    y[i] = s;
}

// fir n, for float double short uchar
// items 262128; x: T[262144] from 0 to 4; c: T[16] from 0 to 4; y: T[262144] of zeros, changed; n = 16
kernel void k(global const T *x, constant T *c, global T *y, int n)
{
    I i = get_global_id(0);
    T s = 0;
    for (I j = 0; j < n; j++)
        s += x[i + j] * c[j];
    y[i] = s;
}

// matmul, for float double short uchar
// items 128 x 128; a: T[16384] from 0 to 3; b: T[16384] from 0 to 3; c: T[16384] of zeros, changed; n = 128
kernel void k(global const T *a, global const T *b, global T *c, int n)
{
    I x = get_global_id(0), y = get_global_id(1);
    T s = 0;
    for (I i = 0; i < n; i++)
        s += a[y * n + i] * b[i * n + x];
    c[y * n + x] = s;
}

// matmul by rows of b, for float double short uchar
// items 128 x 128; a: T[16384] from 0 to 3; b: T[16384] from 0 to 3; c: T[16384] of zeros, changed; n = 128
kernel void k(global const T *a, global const T *b, global T *c, int n)
{
    I x = get_global_id(0), y = get_global_id(1);
    T s = 0;
    for (I i = 0; i < n; i++)
        s += a[y * n + i] * b[x * n + i];
    c[y * n + x] = s;
}

// vec3 normalise
// items 87381; x: float[262144] from 0.1 to 1; y: float[262144] of zeros, changed
kernel void k(global const float *x, global float *y)
{
    I i = get_global_id(0);
    float3 v = vload3(i, x);
    vstore3(normalize(v), i, y);
}

// float4 cross dot
// items 65536; a: float[262144] from 0 to 1; b: float[262144] from 0 to 1; y: float[65536] of zeros, changed
kernel void k(global const float4 *a, global const float4 *b, global float *y)
{
    I i = get_global_id(0);
    y[i] = dot(cross(a[i], b[i]), b[i].wxyz);
}

// newton root
// items 65536; a: float[65536] from 1 to 1000; y: float[65536] of zeros, changed
kernel void k(global const float *a, global float *y)
{
    I i = get_global_id(0);
    float v = a[i], x = v, p = 0;
    while (fabs(x - p) > 1e-5f * x) {
        p = x;
        x = 0.5f * (x + v / x);
    }
    y[i] = x;
}

// 4x4 products
// items 16384; a: float[262144] from 0 to 1; b: float[262144] from 0 to 1; c: float[262144] of zeros, changed
kernel void k(global const float *a, global const float *b, global float *c)
{
    I m = get_global_id(0) * 16;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            float s = 0;
            for (int l = 0; l < 4; l++)
                s += a[m + i * 4 + l] * b[m + l * 4 + j];
            c[m + i * 4 + j] = s;
        }
}

// 3x3 inverse
// items 29127; a: float[262144] from 0 to 1; c: float[262144] of zeros, changed
kernel void k(global const float *a, global float *c)
{
    I m = get_global_id(0) * 9;
    float x[9];
    for (int i = 0; i < 9; i++)
        x[i] = a[m + i];
    float A = x[4] * x[8] - x[5] * x[7], B = x[5] * x[6] - x[3] * x[8], C = x[3] * x[7] - x[4] * x[6];
    float d = 1 / (x[0] * A + x[1] * B + x[2] * C);
    c[m] = A * d;
    c[m + 1] = (x[2] * x[7] - x[1] * x[8]) * d;
    c[m + 2] = (x[1] * x[5] - x[2] * x[4]) * d;
    c[m + 3] = B * d;
    c[m + 4] = (x[0] * x[8] - x[2] * x[6]) * d;
    c[m + 5] = (x[2] * x[3] - x[0] * x[5]) * d;
    c[m + 6] = C * d;
    c[m + 7] = (x[1] * x[6] - x[0] * x[7]) * d;
    c[m + 8] = (x[0] * x[4] - x[1] * x[3]) * d;
}

// cholesky 4x4
// items 16384; a: float[262144] from 0 to 1; c: float[262144] of zeros, changed
kernel void k(global const float *a, global float *c)
{
    I m = get_global_id(0);
    float l[4][4];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j <= i; j++) {
            float s = a[m * 16 + i * 4 + j] + (i == j) * 4;
            for (int q = 0; q < j; q++)
                s -= l[i][q] * l[j][q];
            l[i][j] = i == j ? sqrt(s) : s / l[j][j];
        }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            c[m * 16 + i * 4 + j] = j <= i ? l[i][j] : 0;
}

// quaternion rotate
// items 65536; q: float[262144] from 0 to 1; v: float[262144] from 0 to 1; y: float[262144] of zeros, changed
kernel void k(global const float4 *q, global const float4 *v, global float4 *y)
{
    I i = get_global_id(0);
    float4 a = q[i];
    float3 u = v[i].xyz, t = 2 * cross(a.xyz, u);
    y[i] = (float4)(u + a.w * t + cross(a.xyz, t), 0);
}

// complex product
// items 131072; a: float[262144] from 0 to 1; b: float[262144] from 0 to 1; y: float[262144] of zeros, changed
kernel void k(global const float2 *a, global const float2 *b, global float2 *y)
{
    I i = get_global_id(0);
    float2 p = a[i], q = b[i];
    y[i] = (float2)(p.x * q.x - p.y * q.y, p.x * q.y + p.y * q.x);
}

// complex product double
// items 65536; a: double[131072] from 0 to 1; b: double[131072] from 0 to 1; y: double[131072] of zeros, changed
kernel void k(global const double2 *a, global const double2 *b, global double2 *y)
{
    I i = get_global_id(0);
    double2 p = a[i], q = b[i];
    y[i] = (double2)(p.x * q.x - p.y * q.y, p.x * q.y + p.y * q.x);
}

// dft 8
// items 16384; a: float[262144] from 0 to 1; y: float[262144] of zeros, changed; n = 16384
kernel void k(global const float2 *a, global float2 *y, int n)
{
    I i = get_global_id(0);
    float2 v[8];
    for (int j = 0; j < 8; j++)
        v[j] = a[i + j * n];
    for (int f = 0; f < 8; f++) {
        float2 s = 0;
        for (int j = 0; j < 8; j++) {
            float c = native_cos(0.785398f * ((f * j) & 7)), d = native_sin(0.785398f * ((f * j) & 7));
            s += (float2)(v[j].x * c - v[j].y * d, v[j].x * d + v[j].y * c);
        }
        y[i * 8 + f] = s;
    }
}

// box muller
// items 32768; s: uint[32768] from 1 to 4294967296; y: float[32768] of zeros, changed
kernel void k(global const uint *s, global float *y)
{
    I i = get_global_id(0);
    uint x = s[i];
    float t = 0;
    for (int j = 0; j < 8; j++) {
        x = x * 1664525 + 1013904223;
        float u = (x >> 8) * 5.96e-8f + 1e-7f;
        x = x * 1664525 + 1013904223;
        float v = (x >> 8) * 5.96e-8f;
        t += sqrt(-2 * log(u)) * cos(6.2831853f * v);
    }
    y[i] = t;
}

// silu mul
// items 262144; a: float[262144] from 0 to 1; b: float[262144] from 0 to 1; y: float[262144] of zeros, changed
kernel void k(global const float *a, global const float *b, global float *y)
{
    I i = get_global_id(0);
    float v = a[i];
    y[i] = v / (1 + exp(-v)) * b[i];
}

// half axpy
// items 262144; x: half[262144] from 0 to 1; y: half[262144] from 0 to 1, changed; a = 0.5
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void k(global const half *x, global half *y, float a)
{
    I i = get_global_id(0);
    y[i] = y[i] + (half)a * x[i];
}

// half matvec
// items 256; w: half[262144] from 0 to 1; x: float[1024] from 0 to 1; y: float[256] of zeros, changed; n = 1024
kernel void k(global const half *w, global const float *x, global float *y, int n)
{
    I r = get_global_id(0);
    float s = 0;
    for (I i = 0; i < n; i++)
        s += vload_half(r * n + i, w) * x[i];
    y[r] = s;
}

// n-body double
// items 512; p: double[2048] from 0 to 1; a: double[2048] of zeros, changed; n = 512
kernel void k(global const double4 *p, global double4 *a, int n)
{
    I i = get_global_id(0);
    double4 q = p[i], s = 0;
    for (int j = 0; j < n; j++) {
        double4 d = p[j] - q;
        double r = d.x * d.x + d.y * d.y + d.z * d.z + 1e-3;
        double c = p[j].w / (r * sqrt(r));
        s += d * c;
    }
    a[i] = s;
}

// binomial option
// items 16384 in groups of 64; s: float[256] from 0.5 to 1.5; y: float[256] of zeros, changed
kernel void k(global const float *s, global float *y)
{
    local float v[64];
    I g = get_group_id(0);
    int l = get_local_id(0);
    float S = s[g] * exp(0.1f * (2 * l - 63));
    v[l] = fmax(S - 1, 0.f);
    for (int j = 63; j > 0; j--) {
        barrier(CLK_LOCAL_MEM_FENCE);
        float a = v[l], b = l < 63 ? v[l + 1] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < j)
            v[l] = 0.99f * (0.5f * a + 0.5f * b);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0)
        y[g] = v[0];
}

// biquad
// items 512; x: float[262144] from 0 to 1; y: float[262144] of zeros, changed; n = 512; c = 512
kernel void k(global const float *x, global float *y, int n, int c)
{
    I i = get_global_id(0);
    float a = 0, b = 0, p = 0, q = 0;
    for (int t = 0; t < n; t++) {
        float v = x[t * c + i];
        float r = 0.2f * v + 0.4f * a + 0.2f * b - 0.3f * p + 0.1f * q;
        b = a;
        a = v;
        q = p;
        p = r;
        y[t * c + i] = r;
    }
}

// horner double
// items 32768; x: double[32768] from 0 to 1; y: double[32768] of zeros, changed
kernel void k(global const double *x, global double *y)
{
    I i = get_global_id(0);
    double v = x[i], s = 1;
    for (int j = 0; j < 20; j++)
        s = s * v + j;
    y[i] = s;
}

// tiled matmul
// items 128 x 128 in groups of 16 x 16; a: float[16384] from 0 to 1; b: float[16384] from 0 to 1; c: float[16384] of zeros, changed; n = 128
kernel void k(global const float *a, global const float *b, global float *c, int n)
{
    local float p[16][16], q[16][16];
    int x = get_local_id(0), y = get_local_id(1);
    I X = get_global_id(0), Y = get_global_id(1);
    float s = 0;
    for (int t = 0; t < n; t += 16) {
        p[y][x] = a[Y * n + t + x];
        q[y][x] = b[(t + y) * n + X];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < 16; i++)
            s += p[y][i] * q[i][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[Y * n + X] = s;
}

// trapezoid integral
// items 8192; y: float[8192] of zeros, changed; n = 64
kernel void k(global float *y, int n)
{
    I i = get_global_id(0);
    float s = 0, a = i * 0.001f, h = 0.01f;
    for (int j = 0; j < n; j++) {
        float x = a + j * h;
        s += 4 / (1 + x * x);
    }
    y[i] = s * h;
}

// sin cos
// items 262144; x: float[262144] from -100 to 100; y: float[262144] of zeros, changed
kernel void k(global const float *x, global float *y)
{
    I i = get_global_id(0);
    float c;
    float s = sincos(x[i], &c);
    y[i] = s * c;
}

// haversine double
// items 16384; a: double[16384] from 0 to 1; b: double[16384] from 0 to 1; y: double[16384] of zeros, changed
kernel void k(global const double *a, global const double *b, global double *y)
{
    I i = get_global_id(0);
    double p = sin(a[i] * 0.5), q = sin(b[i] * 0.5);
    y[i] = 2 * asin(sqrt(p * p + cos(a[i]) * cos(b[i]) * q * q));
}

// atan2 angles
// items 262144; a: float[262144] from -1 to 1; b: float[262144] from -1 to 1; y: float[262144] of zeros, changed
kernel void k(global const float *a, global const float *b, global float *y)
{
    I i = get_global_id(0);
    y[i] = atan2(a[i], b[i]);
}

// triangular solve columns
// items 1024; L: float[1024] from 2 to 3; b: float[32768] from 0 to 0.001, changed; n = 32; m = 1024
kernel void k(global const float *L, global float *b, int n, int m)
{
    I c = get_global_id(0);
    for (int i = 0; i < n; i++) {
        float s = b[i * m + c];
        for (int j = 0; j < i; j++)
            s -= L[i * n + j] * b[j * m + c];
        b[i * m + c] = s / L[i * n + i];
    }
}

// lu small
// items 10485; a: float[262144] from 0 to 1; y: float[262144] of zeros, changed
kernel void k(global const float *a, global float *y)
{
    I m = get_global_id(0);
    float x[5][5];
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++)
            x[i][j] = a[m * 25 + i * 5 + j] + (i == j) * 5;
    for (int p = 0; p < 5; p++)
        for (int i = p + 1; i < 5; i++) {
            x[i][p] /= x[p][p];
            for (int j = p + 1; j < 5; j++)
                x[i][j] -= x[i][p] * x[p][j];
        }
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++)
            y[m * 25 + i * 5 + j] = x[i][j];
}

// spline eval
// items 32768; t: float[257] by steps of 1; c: float[1024] from 0 to 1; x: float[32768] from 0 to 256; y: float[32768] of zeros, changed; n = 257
kernel void k(global const float *t, global const float *c, global const float *x, global float *y, int n)
{
    I i = get_global_id(0);
    float v = x[i];
    int l = 0, h = n - 1;
    while (h - l > 1) {
        int m = (l + h) / 2;
        if (t[m] > v)
            h = m;
        else
            l = m;
    }
    float d = v - t[l];
    y[i] = ((c[4 * l] * d + c[4 * l + 1]) * d + c[4 * l + 2]) * d + c[4 * l + 3];
}
