// Ways to go through memory.

// stride 2, for float double short uchar
// items 65536; x: T[524288] from 0 to 20; y: T[524288] of zeros, changed
kernel void k(global const T *x, global T *y)
{
    I i = get_global_id(0);
    y[i * 2] += x[i * 2] * 3;
}

// stride 3, for float double short uchar
// items 65536; x: T[524288] from 0 to 20; y: T[524288] of zeros, changed
kernel void k(global const T *x, global T *y)
{
    I i = get_global_id(0);
    y[i * 3] += x[i * 3] * 3;
}

// stride 5, for float double short uchar
// items 65536; x: T[524288] from 0 to 20; y: T[524288] of zeros, changed
kernel void k(global const T *x, global T *y)
{
    I i = get_global_id(0);
    y[i * 5] += x[i * 5] * 3;
}

// reversed, for float double short uchar
// items 262144; x: T[262144] from 0 to 20; y: T[262144] of zeros, changed; n = 262144
kernel void k(global const T *x, global T *y, int n)
{
    I i = get_global_id(0);
    y[n - 1 - i] = x[i] + 1;
}

// deinterleave 3, for float double short uchar
// items 65536; x: T[262144] from 0 to 100; r: T[65536] of zeros, changed; g: T[65536] of zeros, changed; b: T[65536] of zeros, changed
kernel void k(global const T *x, global T *r, global T *g, global T *b)
{
    I i = get_global_id(0);
    r[i] = x[3 * i];
    g[i] = x[3 * i + 1];
    b[i] = x[3 * i + 2];
}

// interleave 4, for float double short uchar
// items 65536; a: T[65536] from 0 to 100; b: T[65536] from 0 to 100; r: T[262144] of zeros, changed
kernel void k(global const T *a, global const T *b, global T *r)
{
    I i = get_global_id(0);
    r[4 * i] = a[i];
    r[4 * i + 1] = b[i];
    r[4 * i + 2] = a[i] + b[i];
    r[4 * i + 3] = 1;
}

// select by mask, for float double short uchar
// items 262144; x: T[262144] from 0 to 50; m: int[262144] from 0 to 100; y: T[262144] of zeros, changed
kernel void k(global const T *x, global const int *m, global T *y)
{
    I i = get_global_id(0);
    if (m[i] > 50)
        y[i] = x[i] * 2;
    else
        y[i] = x[i] - 1;
}

// early return, for float double short uchar
// items 262144; x: T[262144] from 0 to 10; m: int[262144] from 0 to 100; y: T[262144] of zeros, changed
kernel void k(global const T *x, global const int *m, global T *y)
{
    I i = get_global_id(0);
    if (m[i] < 90)
        return;
    y[i] = x[i] * x[i];
}

// gather, for float double short uchar
// items 262144; x: T[262144] from 0 to 10; m: int[262144] from 0 to 262144; y: T[262144] of zeros, changed
kernel void k(global const T *x, global const int *m, global T *y)
{
    I i = get_global_id(0);
    y[i] = x[m[i]];
}

// scatter, for float double short uchar
// items 262144; x: T[262144] from 0 to 1; m: int[262144] from 0 to 262144; y: T[262144] of zeros, changed
kernel void k(global const T *x, global const int *m, global T *y)
{
    I i = get_global_id(0);
    y[m[i]] = x[i];
}

// transpose, for float double short uchar
// items 512 x 512; x: T[262144] from 0 to 100; y: T[262144] of zeros, changed; w = 512; h = 512
kernel void k(global const T *x, global T *y, int w, int h)
{
    I i = get_global_id(0), j = get_global_id(1);
    y[i * h + j] = x[j * w + i];
}

// aos update of fields
// items 32768; p: float[262144] from 0 to 1, changed; dt = 0.01
typedef struct {
    float x, y, z, vx, vy, vz, m;
    int id;
} P;
kernel void k(global P *p, float dt)
{
    I i = get_global_id(0);
    p[i].x += p[i].vx * dt;
    p[i].y += p[i].vy * dt;
    p[i].z += p[i].vz * dt;
}

// aos update
// items 32768; p: float[262144] from 0 to 1, changed; dt = 0.01
typedef struct {
    float x, y, z, vx, vy, vz, m;
    int id;
} P;
kernel void k(global P *p, float dt)
{
    I i = get_global_id(0);
    P q = p[i];
    q.x += q.vx * dt;
    q.y += q.vy * dt;
    q.z += q.vz * dt;
    if (q.x > 1) {
        q.vx = -q.vx;
    }
    p[i] = q;
}

// stream compaction
// items 262144; x: int[262144] from 0 to 100; y: int[262153] of zeros, changed; n: int[4] of zeros, changed
kernel void k(global const int *x, global int *y, global int *n)
{
    I i = get_global_id(0);
    if (x[i] > 50)
        y[atomic_inc(n) & 262143] = x[i];
}

// local table 256
// items 262144 in groups of 256; x: uchar[262144] from 0 to 256; t: float[256] from 0 to 1; y: float[262144] of zeros, changed
kernel void k(global const uchar *x, global const float *t, global float *y)
{
    local float s[256];
    s[get_local_id(0)] = t[get_local_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    I i = get_global_id(0);
    y[i] = s[x[i]];
}

// embedding
// items 128 x 1024; t: float[262144] from 0 to 1; id: int[1024] from 0 to 2048; y: float[131072] of zeros, changed; d = 128
kernel void k(global const float *t, global const int *id, global float *y, int d)
{
    I i = get_global_id(0), j = get_global_id(1);
    y[j * d + i] = t[id[j] * d + i];
}

// tiled transpose
// items 512 x 512 in groups of 16 x 16; a: float[262144] from 0 to 1; c: float[262144] of zeros, changed; n = 512
kernel void k(global const float *a, global float *c, int n)
{
    local float p[16][17];
    int x = get_local_id(0), y = get_local_id(1);
    p[y][x] = a[get_global_id(1) * n + get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    c[(get_group_id(0) * 16 + y) * n + get_group_id(1) * 16 + x] = p[x][y];
}

// strided grid sum
// items 4096; x: float[262144] from 0 to 1; y: float[4096] of zeros, changed; n = 262144
kernel void k(global const float *x, global float *y, int n)
{
    float s = 0;
    for (I i = get_global_id(0); i < n; i += get_global_size(0))
        s += x[i];
    y[get_global_id(0)] = s;
}

// chunk a item
// items 2048; x: float[262144] from 0 to 1; y: float[262144] of zeros, changed; c = 128
kernel void k(global const float *x, global float *y, int c)
{
    I b = get_global_id(0) * c;
    for (int i = 0; i < c; i++)
        y[b + i] = x[b + i] * 2 + 1;
}

// linked cells
// items 8192; head: int[8192] by steps of 4; next: int[32768] of chains of 4; v: float[32768] from 0 to 1; y: float[8192] of zeros, changed
kernel void k(global const int *head, global const int *next, global const float *v, global float *y)
{
    I i = get_global_id(0);
    float s = 0;
    for (int p = head[i]; p >= 0; p = next[p])
        s += v[p];
    y[i] = s;
}

// butterfly, for uchar short float double
// items 262144; x: T[262144] from 0 to 50; y: T[262144] of zeros, changed
kernel void k(global const T *x, global T *y)
{
    I i = get_global_id(0);
    y[i] = x[i ^ 4] + x[i];
}

// table of 4, for uchar short float double
// items 262144; x: T[262144] from 0 to 50; t: T[4] from 0 to 2; y: T[262144] of zeros, changed
kernel void k(global const T *x, global const T *t, global T *y)
{
    I i = get_global_id(0);
    y[i] = x[i] * t[i & 3];
}
