// Local memory, and groups that wait for each other.

// tiled matmul 8
// items 128 x 128 in groups of 8 x 8; a: float[16384] from 0 to 3; b: float[16384] from 0 to 3; c: float[16384] of zeros, changed; n = 128
kernel void k(global const float *a, global const float *b, global float *c, int n)
{
    local float s[8][8], t[8][8];
    int lx = get_local_id(0), ly = get_local_id(1);
    I x = get_group_id(0) * 8 + lx, y = get_group_id(1) * 8 + ly;
    float sum = 0;
    for (int m = 0; m < n; m += 8) {
        s[ly][lx] = a[y * n + m + lx];
        t[ly][lx] = b[(m + ly) * n + x];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 8; k++)
            sum += s[ly][k] * t[k][lx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[y * n + x] = sum;
}

// tiled matmul 32 x 8
// items 128 x 32 in groups of 32 x 8; a: float[16384] from 0 to 3; b: float[16384] from 0 to 3; c: float[16384] of zeros, changed; n = 128
kernel void k(global const float *a, global const float *b, global float *c, int n)
{
    local float s[32][32], t[32][33];
    int lx = get_local_id(0), ly = get_local_id(1);
    I x = get_group_id(0) * 32 + lx, y = get_group_id(1) * 32 + ly;
    float sum[4] = {0};
    for (int m = 0; m < n; m += 32) {
        for (int j = 0; j < 32; j += 8) {
            s[ly + j][lx] = a[(y + j) * n + m + lx];
            t[ly + j][lx] = b[(m + ly + j) * n + x];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 32; k++)
            for (int j = 0; j < 4; j++)
                sum[j] += s[ly + 8 * j][k] * t[k][lx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int j = 0; j < 4; j++)
        c[(y + 8 * j) * n + x] = sum[j];
}

// reduce tree, for float int
// items 262144 in groups of 256; x: T[262144] from 0 to 4; y: T[1024] of zeros, changed
kernel void k(global const T *x, global T *y)
{
    local T s[256];
    uint l = get_local_id(0);
    s[l] = x[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint o = get_local_size(0) / 2; o > 0; o >>= 1) {
        if (l < o)
            s[l] += s[l + o];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0)
        y[get_group_id(0)] = s[0];
}

// reduce tree interleaved
// items 262144 in groups of 256; x: float[262144] from 0 to 4; y: float[1024] of zeros, changed
kernel void k(global const float *x, global float *y)
{
    local float s[256];
    int l = get_local_id(0);
    s[l] = x[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int o = 1; o < get_local_size(0); o *= 2) {
        if (l % (2 * o) == 0)
            s[l] += s[l + o];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0)
        y[get_group_id(0)] = s[0];
}

// reduce grid
// items 16384 in groups of 128; x: float[262144] from 0 to 4; y: float[128] of zeros, changed; n = 262144
kernel void k(global const float *x, global float *y, uint n)
{
    local float s[128];
    uint l = get_local_id(0);
    float a = 0;
    for (uint i = get_global_id(0); i < n; i += get_global_size(0))
        a += x[i];
    s[l] = a;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint o = 64; o > 0; o >>= 1) {
        if (l < o)
            s[l] += s[l + o];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0)
        y[get_group_id(0)] = s[0];
}

// scan hillis steele
// items 65536 in groups of 256; x: int[65536] from 0 to 4; y: int[65536] of zeros, changed
kernel void k(global const int *x, global int *y)
{
    local int s[2][256];
    int l = get_local_id(0), p = 0;
    s[0][l] = x[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int o = 1; o < 256; o <<= 1) {
        s[1 - p][l] = l >= o ? s[p][l] + s[p][l - o] : s[p][l];
        p = 1 - p;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    y[get_global_id(0)] = s[p][l];
}

// stencil with apron
// items 512 x 128 in groups of 16 x 16; x: float[74256] from 0 to 4; y: float[65536] of zeros, changed; w = 512
kernel void k(global const float *x, global float *y, int w)
{
    local float s[18][18];
    int lx = get_local_id(0), ly = get_local_id(1), g = ly * 16 + lx;
    int bx = get_group_id(0) * 16, by = get_group_id(1) * 16;
    for (int i = g; i < 18 * 18; i += 256)
        s[i / 18][i % 18] = x[(by + i / 18) * (w + 2) + bx + i % 18];
    barrier(CLK_LOCAL_MEM_FENCE);
    float a = 0;
    for (int dy = 0; dy < 3; dy++)
        for (int dx = 0; dx < 3; dx++)
            a += s[ly + dy][lx + dx];
    y[(by + ly) * w + bx + lx] = a;
}

// row convolution with apron
// items 65536 in groups of 128; x: float[65552] from 0 to 4; c: float[17] from 0 to 1; y: float[65536] of zeros, changed
kernel void k(global const float *x, constant float *c, global float *y)
{
    local float s[144];
    int l = get_local_id(0);
    I i = get_global_id(0);
    s[l] = x[i];
    if (l < 16)
        s[l + 128] = x[i + 128];
    barrier(CLK_LOCAL_MEM_FENCE);
    float a = 0;
    for (int j = 0; j <= 16; j++)
        a += s[l + j] * c[j];
    y[i] = a;
}

// n-body tiles
// items 2048 in groups of 64; p: float4[2048] from 0 to 4; v: float4[2048] of zeros, changed; n = 2048
kernel void k(global const float4 *p, global float4 *v, int n)
{
    local float4 s[64];
    I i = get_global_id(0);
    int l = get_local_id(0);
    float4 me = p[i], a = 0;
    for (int t = 0; t < n; t += 64) {
        s[l] = p[t + l];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < 64; j++) {
            float4 d = s[j] - me;
            float r = rsqrt(d.x * d.x + d.y * d.y + d.z * d.z + 0.01f);
            a += d * (r * r * r);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    v[i] = a;
}

// histogram local
// items 16384 in groups of 256; x: uchar[262144] from 0 to 255; h: uint[256] of zeros; n = 262144
kernel void k(global const uchar *x, global uint *h, uint n)
{
    local uint s[256];
    uint l = get_local_id(0);
    s[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_global_id(0); i < n; i += get_global_size(0))
        atomic_inc(&s[x[i]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&h[l], s[l]);
}

// softmax rows
// items 16384 in groups of 128; x: float[65536] from 0 to 4; y: float[65536] of zeros, changed; n = 512
kernel void k(global const float *x, global float *y, int n)
{
    local float s[128];
    int l = get_local_id(0), r = get_group_id(0);
    global const float *row = x + r * n;
    float m = -INFINITY;
    for (int j = l; j < n; j += 128)
        m = fmax(m, row[j]);
    s[l] = m;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int o = 64; o > 0; o >>= 1) {
        if (l < o)
            s[l] = fmax(s[l], s[l + o]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    m = s[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    float a = 0;
    for (int j = l; j < n; j += 128)
        a += exp(row[j] - m);
    s[l] = a;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int o = 64; o > 0; o >>= 1) {
        if (l < o)
            s[l] += s[l + o];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    a = 1 / s[0];
    for (int j = l; j < n; j += 128)
        y[r * n + j] = exp(row[j] - m) * a;
}

// matvec a row a group
// items 16384 in groups of 64; a: float[262144] from 0 to 1; x: float[1024] from 0 to 1; y: float[256] of zeros, changed; n = 1024
kernel void k(global const float *a, global const float *x, global float *y, uint n)
{
    local float s[64];
    uint l = get_local_id(0), r = get_group_id(0);
    float t = 0;
    for (uint j = l; j < n; j += get_local_size(0))
        t += a[r * n + j] * x[j];
    s[l] = t;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint o = 32; o > 0; o >>= 1) {
        if (l < o)
            s[l] += s[l + o];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0)
        y[r] = s[0];
}

// fft 64 local
// items 16384 in groups of 64; x: float2[16384] from 0 to 4; y: float2[16384] of zeros, changed
kernel void k(global const float2 *x, global float2 *y)
{
    local float2 s[64];
    int l = get_local_id(0);
    I i = get_global_id(0);
    int r = ((l & 1) << 5) | ((l & 2) << 3) | ((l & 4) << 1) | ((l & 8) >> 1) | ((l & 16) >> 3) | ((l & 32) >> 5);
    s[l] = x[i - l + r];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int h = 1; h < 64; h <<= 1) {
        int k = l & (h - 1);
        float2 u = s[l & ~h], v = s[l | h];
        float c, w = sincos(-M_PI_F * k / h, &c);
        float2 t = (float2)(v.x * c - v.y * w, v.x * w + v.y * c);
        barrier(CLK_LOCAL_MEM_FENCE);
        s[l] = l & h ? u - t : u + t;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    y[i] = s[l];
}

// median 3x3 local
// items 256 x 128 in groups of 16 x 8; x: uchar[33540] from 0 to 255; y: uchar[32768] of zeros, changed; w = 258
kernel void k(global const uchar *x, global uchar *y, int w)
{
    local uchar s[10][18];
    int lx = get_local_id(0), ly = get_local_id(1), X = get_global_id(0), Y = get_global_id(1);
    s[ly][lx] = x[Y * w + X];
    if (lx < 2) s[ly][lx + 16] = x[Y * w + X + 16];
    if (ly < 2) s[ly + 8][lx] = x[(Y + 8) * w + X];
    if (lx < 2 && ly < 2) s[ly + 8][lx + 16] = x[(Y + 8) * w + X + 16];
    barrier(CLK_LOCAL_MEM_FENCE);
    uchar v[9];
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++)
            v[j * 3 + i] = s[ly + j][lx + i];
    for (int j = 0; j < 5; j++)
        for (int i = 8; i > j; i--) {
            uchar a = min(v[i - 1], v[i]), b = max(v[i - 1], v[i]);
            v[i - 1] = a;
            v[i] = b;
        }
    y[Y * 256 + X] = v[4];
}

// compact by ballots
// items 65536 in groups of 256; x: int[65536] from 0 to 100; y: int[65536] of zeros, changed; c: int[256] of zeros, changed
kernel void k(global const int *x, global int *y, global int *c)
{
    local int s[256];
    int l = get_local_id(0);
    I i = get_global_id(0);
    int v = x[i], keep = v > 50;
    s[l] = keep;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int o = 1; o < 256; o <<= 1) {
        int t = l >= o ? s[l - o] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        s[l] += t;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (keep)
        y[i - l + s[l] - 1] = v;
    if (l == 255)
        c[get_group_id(0)] = s[255];
}

// hotspot
// items 256 x 256 in groups of 16 x 16; t: float[65536] from 0 to 100; p: float[65536] from 0 to 1; y: float[65536] of zeros, changed; w = 256
kernel void k(global const float *t, global const float *p, global float *y, int w)
{
    local float s[16][16], q[16][16];
    int bx = get_group_id(0), by = get_group_id(1), tx = get_local_id(0), ty = get_local_id(1);
    int small = 14;
    int row = small * by - 1 + ty, col = small * bx - 1 + tx;
    bool in = row >= 0 && row < w && col >= 0 && col < w;
    s[ty][tx] = in ? t[row * w + col] : 0;
    q[ty][tx] = in ? p[row * w + col] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    int n = max(ty - 1, 0), u = min(ty + 1, 15), l = max(tx - 1, 0), r = min(tx + 1, 15);
    if (in && tx > 0 && tx < 15 && ty > 0 && ty < 15)
        y[row * w + col] = s[ty][tx] + 0.1f * (q[ty][tx] + (s[n][tx] + s[u][tx] - 2 * s[ty][tx]) * 0.5f + (s[ty][l] + s[ty][r] - 2 * s[ty][tx]) * 0.25f);
}
