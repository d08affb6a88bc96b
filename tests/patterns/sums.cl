// Sums, scans, searches and sorts.

// column sums, for float double short uchar
// items 1024; x: T[262144] from 0 to 3; y: T[1024] of zeros, changed; h = 256; w = 1024
kernel void k(global const T *x, global T *y, int h, int w)
{
    I c = get_global_id(0);
    T s = 0;
    for (I i = 0; i < h; i++)
        s += x[i * w + c];
    y[c] = s;
}

// row sums, for float double short uchar
// items 1024; x: T[262144] from 0 to 3; y: T[1024] of zeros, changed; h = 1024; w = 256
kernel void k(global const T *x, global T *y, int h, int w)
{
    I c = get_global_id(0);
    T s = 0;
    for (I i = 0; i < w; i++)
        s += x[c * w + i];
    y[c] = s;
}

// max index, for float double short uchar
// items 1024; x: T[262144] from 0 to 100; y: int[1024] of zeros, changed; h = 256; w = 1024
kernel void k(global const T *x, global int *y, int h, int w)
{
    I c = get_global_id(0);
    T m = x[c];
    int at = 0;
    for (I i = 1; i < h; i++) {
        T v = x[i * w + c];
        if (v > m) {
            m = v;
            at = i;
        }
    }
    y[c] = at;
}

// running sum of a row, for float double short uchar
// items 1024; x: T[262144] from 0 to 1; y: T[262144] of zeros, changed; w = 256
kernel void k(global const T *x, global T *y, int w)
{
    I r = get_global_id(0);
    T s = 0;
    for (I i = 0; i < w; i++) {
        s += x[r * w + i];
        y[r * w + i] = s;
    }
}

// running sum of a column, for float double short uchar
// items 1024; x: T[262144] from 0 to 1; y: T[262144] of zeros, changed; w = 1024; h = 256
kernel void k(global const T *x, global T *y, int w, int h)
{
    I c = get_global_id(0);
    T s = 0;
    for (I i = 0; i < h; i++) {
        s += x[i * w + c];
        y[i * w + c] = s;
    }
}

// reduce local, for float double short uchar
// items 262144 in groups of 128; x: T[262144] from 0 to 1; y: T[2048] of zeros, changed
kernel void k(global const T *x, global T *y)
{
    local T s[128];
    int l = get_local_id(0);
    s[l] = x[get_global_id(0)];
    for (int o = 64; o; o >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < o)
            s[l] += s[l + o];
    }
    if (l == 0)
        y[get_group_id(0)] = s[0];
}

// sorted insert 8, for float double short uchar
// items 32768; x: T[262144] from 0 to 100; y: T[262144] of zeros, changed
kernel void k(global const T *x, global T *y)
{
    I i = get_global_id(0);
    T v[8];
    for (int j = 0; j < 8; j++)
        v[j] = x[i * 8 + j];
    for (int j = 1; j < 8; j++) {
        T e = v[j];
        int p = j;
        while (p > 0 && v[p - 1] > e) {
            v[p] = v[p - 1];
            p--;
        }
        v[p] = e;
    }
    for (int j = 0; j < 8; j++)
        y[i * 8 + j] = v[j];
}

// histogram global
// items 262144; x: uchar[262144] from 0 to 256; n: int[256] of zeros, changed
kernel void k(global const uchar *x, global int *n)
{
    I i = get_global_id(0);
    atomic_inc(n + x[i]);
}

// private histogram
// items 4096; x: uchar[262144] from 0 to 256; y: int[65536] of zeros, changed
kernel void k(global const uchar *x, global int *y)
{
    I i = get_global_id(0);
    int h[16];
    for (int j = 0; j < 16; j++)
        h[j] = 0;
    for (int j = 0; j < 64; j++)
        h[x[i * 64 + j] & 15]++;
    for (int j = 0; j < 16; j++)
        y[i * 16 + j] = h[j];
}

// box by running sum
// items 1024; x: float[262144] from 0 to 1; y: float[262144] of zeros, changed; w = 256; r = 9
kernel void k(global const float *x, global float *y, int w, int r)
{
    I j = get_global_id(0);
    float s = 0;
    for (int i = 0; i < r; i++)
        s += x[j * w + i];
    for (I i = r; i < w; i++) {
        s += x[j * w + i] - x[j * w + i - r];
        y[j * w + i] = s / r;
    }
}

// k-means assign
// items 32768; x: float[262144] from 0 to 1; c: float[128] from 0 to 1; y: int[32768] of zeros, changed; K = 16; D = 8; n = 32768
kernel void k(global const float *x, global const float *c, global int *y, int K, int D, int n)
{
    I i = get_global_id(0);
    float best = 1e30f;
    int at = 0;
    for (int q = 0; q < K; q++) {
        float d = 0;
        for (int j = 0; j < D; j++) {
            float e = x[j * n + i] - c[q * D + j];
            d += e * e;
        }
        if (d < best) {
            best = d;
            at = q;
        }
    }
    y[i] = at;
}

// k-means assign rows
// items 32768; x: float[262144] from 0 to 1; c: float[128] from 0 to 1; y: int[32768] of zeros, changed; K = 16; D = 8
kernel void k(global const float *x, global const float *c, global int *y, int K, int D)
{
    I i = get_global_id(0);
    float best = 1e30f;
    int at = 0;
    for (int q = 0; q < K; q++) {
        float d = 0;
        for (int j = 0; j < D; j++) {
            float e = x[i * D + j] - c[q * D + j];
            d += e * e;
        }
        if (d < best) {
            best = d;
            at = q;
        }
    }
    y[i] = at;
}

// distances
// items 256 x 128; x: float[8192] from 0 to 1; c: float[4096] from 0 to 1; y: float[32768] of zeros, changed; D = 32; n = 256
kernel void k(global const float *x, global const float *c, global float *y, int D, int n)
{
    I i = get_global_id(0), j = get_global_id(1);
    float d = 0;
    for (int q = 0; q < D; q++) {
        float e = x[i * D + q] - c[j * D + q];
        d = fma(e, e, d);
    }
    y[j * n + i] = sqrt(d);
}

// layer norm
// items 256; x: float[262144] from 0 to 1; g: float[1024] from 0 to 1; y: float[262144] of zeros, changed; n = 1024
kernel void k(global const float *x, global const float *g, global float *y, int n)
{
    I r = get_global_id(0);
    float m = 0, v = 0;
    for (I i = 0; i < n; i++)
        m += x[r * n + i];
    m /= n;
    for (I i = 0; i < n; i++) {
        float d = x[r * n + i] - m;
        v += d * d;
    }
    v = rsqrt(v / n + 1e-5f);
    for (I i = 0; i < n; i++)
        y[r * n + i] = (x[r * n + i] - m) * v * g[i];
}

// layer norm group
// items 16384 in groups of 64; x: float[262144] from 0 to 1; g: float[1024] from 0 to 1; y: float[262144] of zeros, changed; n = 1024
kernel void k(global const float *x, global const float *g, global float *y, int n)
{
    I r = get_group_id(0);
    int l = get_local_id(0);
    float m = 0, v = 0;
    for (I i = l; i < n; i += 64)
        m += x[r * n + i];
    m = work_group_reduce_add(m) / n;
    for (I i = l; i < n; i += 64) {
        float d = x[r * n + i] - m;
        v += d * d;
    }
    v = rsqrt(work_group_reduce_add(v) / n + 1e-5f);
    for (I i = l; i < n; i += 64)
        y[r * n + i] = (x[r * n + i] - m) * v * g[i];
}

// viterbi step
// items 512; p: float[512] from 0 to 1; t: float[262144] from 0 to 1; y: float[512] of zeros, changed; n = 512
kernel void k(global const float *p, global const float *t, global float *y, int n)
{
    I i = get_global_id(0);
    float m = -1e30f;
    for (int j = 0; j < n; j++)
        m = fmax(m, p[j] + t[j * n + i]);
    y[i] = m;
}

// csr vector
// items 32768 in groups of 32; p: int[1025] by steps of 100; c: int[102400] from 0 to 1024; v: float[102400] from 0 to 1; x: float[1024] from 0 to 1; y: float[1024] of zeros, changed
kernel void k(global const int *p, global const int *c, global const float *v, global const float *x, global float *y)
{
    int l = get_local_id(0);
    I r = get_group_id(0);
    float s = 0;
    for (int i = p[r] + l; i < p[r + 1]; i += 32)
        s += v[i] * x[c[i]];
    s = work_group_reduce_add(s);
    if (l == 0)
        y[r] = s;
}

// ell
// items 8192; c: int[131072] from 0 to 8192; v: float[131072] from 0 to 1; x: float[8192] from 0 to 1; y: float[8192] of zeros, changed; n = 8192; w = 16
kernel void k(global const int *c, global const float *v, global const float *x, global float *y, int n, int w)
{
    I r = get_global_id(0);
    float s = 0;
    for (int i = 0; i < w; i++)
        s += v[i * n + r] * x[c[i * n + r]];
    y[r] = s;
}

// sub group sum
// items 262144 in groups of 64; x: float[262144] from 0 to 1; y: float[262144] of zeros, changed
kernel void k(global const float *x, global float *y)
{
    I i = get_global_id(0);
    float s = sub_group_reduce_add(x[i]);
    if (get_sub_group_local_id() == 0)
        y[i] = s;
}

// work group scan
// items 262144 in groups of 256; x: int[262144] from 0 to 10; y: int[262144] of zeros, changed
kernel void k(global const int *x, global int *y)
{
    I i = get_global_id(0);
    y[i] = work_group_scan_inclusive_add(x[i]);
}

// blelloch
// items 131072 in groups of 128; x: int[262144] from 0 to 10; y: int[262144] of zeros, changed
kernel void k(global const int *x, global int *y)
{
    local int s[256];
    int l = get_local_id(0);
    I b = get_group_id(0) * 256;
    s[2 * l] = x[b + 2 * l];
    s[2 * l + 1] = x[b + 2 * l + 1];
    int o = 1;
    for (int d = 128; d; d >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < d) {
            int p = o * (2 * l + 1) - 1, q = o * (2 * l + 2) - 1;
            s[q] += s[p];
        }
        o *= 2;
    }
    if (l == 0)
        s[255] = 0;
    for (int d = 1; d < 256; d *= 2) {
        o >>= 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < d) {
            int p = o * (2 * l + 1) - 1, q = o * (2 * l + 2) - 1;
            int t = s[p];
            s[p] = s[q];
            s[q] += t;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    y[b + 2 * l] = s[2 * l];
    y[b + 2 * l + 1] = s[2 * l + 1];
}

// bitonic local
// items 65536 in groups of 128; x: float[65536] from 0 to 1; y: float[65536] of zeros, changed
kernel void k(global const float *x, global float *y)
{
    local float s[128];
    int l = get_local_id(0);
    s[l] = x[get_global_id(0)];
    for (int a = 2; a <= 128; a *= 2)
        for (int b = a / 2; b; b /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            int p = l ^ b;
            if (p > l) {
                float u = s[l], v = s[p];
                if ((u > v) == ((l & a) == 0)) {
                    s[l] = v;
                    s[p] = u;
                }
            }
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    y[get_global_id(0)] = s[l];
}

// sum of bytes
// items 1024; x: uchar[262144] from 0 to 256; y: uint[1024] of zeros, changed; n = 256
kernel void k(global const uchar *x, global uint *y, int n)
{
    I i = get_global_id(0);
    uint s = 0;
    for (I j = 0; j < n; j++)
        s += x[i * n + j];
    y[i] = s;
}

// sum of shorts to long
// items 1024; x: short[262144] from -99 to 256; y: long[1024] of zeros, changed; n = 256; w = 1024
kernel void k(global const short *x, global long *y, int n, int w)
{
    I i = get_global_id(0);
    long s = 0;
    for (I j = 0; j < n; j++)
        s += x[j * w + i];
    y[i] = s;
}

// mean and variance
// items 1024; x: float[262144] from 0 to 1; y: float[2048] of zeros, changed; n = 256; w = 1024
kernel void k(global const float *x, global float2 *y, int n, int w)
{
    I i = get_global_id(0);
    float m = 0, v = 0;
    for (I j = 0; j < n; j++) {
        float d = x[j * w + i] - m;
        m += d / (j + 1);
        v += d * (x[j * w + i] - m);
    }
    y[i] = (float2)(m, v / n);
}
