// Records of five to eight numbers.

// sum of 5, for float double
// items 32768; x: T[262144] from 0 to 1; y: T[32768] of zeros, changed
kernel void k(global const T *x, global T *y)
{
    I i = get_global_id(0);
    T s = 0;
    for (int j = 0; j < 5; j++)
        s += x[5 * i + j];
    y[i] = s;
}

// turn 5, for float double
// items 32768; x: T[262144] from 0 to 1; y: T[262144] of zeros, changed
kernel void k(global const T *x, global T *y)
{
    I i = get_global_id(0);
    T a[5];
    for (int j = 0; j < 5; j++)
        a[j] = x[5 * i + j];
    for (int j = 0; j < 5; j++)
        y[5 * i + j] = a[(j + 1) % 5] * 2;
}

// sum of 6, for float double
// items 32768; x: T[262144] from 0 to 1; y: T[32768] of zeros, changed
kernel void k(global const T *x, global T *y)
{
    I i = get_global_id(0);
    T s = 0;
    for (int j = 0; j < 6; j++)
        s += x[6 * i + j];
    y[i] = s;
}

// turn 6, for float double
// items 32768; x: T[262144] from 0 to 1; y: T[262144] of zeros, changed
kernel void k(global const T *x, global T *y)
{
    I i = get_global_id(0);
    T a[6];
    for (int j = 0; j < 6; j++)
        a[j] = x[6 * i + j];
    for (int j = 0; j < 6; j++)
        y[6 * i + j] = a[(j + 1) % 6] * 2;
}

// sum of 7, for float double
// items 32768; x: T[262144] from 0 to 1; y: T[32768] of zeros, changed
kernel void k(global const T *x, global T *y)
{
    I i = get_global_id(0);
    T s = 0;
    for (int j = 0; j < 7; j++)
        s += x[7 * i + j];
    y[i] = s;
}

// turn 7, for float double
// items 32768; x: T[262144] from 0 to 1; y: T[262144] of zeros, changed
kernel void k(global const T *x, global T *y)
{
    I i = get_global_id(0);
    T a[7];
    for (int j = 0; j < 7; j++)
        a[j] = x[7 * i + j];
    for (int j = 0; j < 7; j++)
        y[7 * i + j] = a[(j + 1) % 7] * 2;
}

// sum of 8, for float double
// items 32768; x: T[262144] from 0 to 1; y: T[32768] of zeros, changed
kernel void k(global const T *x, global T *y)
{
    I i = get_global_id(0);
    T s = 0;
    for (int j = 0; j < 8; j++)
        s += x[8 * i + j];
    y[i] = s;
}

// turn 8, for float double
// items 32768; x: T[262144] from 0 to 1; y: T[262144] of zeros, changed
kernel void k(global const T *x, global T *y)
{
    I i = get_global_id(0);
    T a[8];
    for (int j = 0; j < 8; j++)
        a[j] = x[8 * i + j];
    for (int j = 0; j < 8; j++)
        y[8 * i + j] = a[(j + 1) % 8] * 2;
}

// two float4
// items 32768; x: float[262144] from 0 to 1; y: float[262144] of zeros, changed
kernel void k(global const float4 *x, global float4 *y)
{
    I i = get_global_id(0);
    float4 a = x[2 * i], b = x[2 * i + 1];
    y[2 * i] = a + b * 0.5f;
    y[2 * i + 1] = b * 0.9f;
}

// two of eight
// items 32768; x: float[262144] from 0 to 1; y: float[32768] of zeros, changed
kernel void k(global const float *x, global float *y)
{
    I i = get_global_id(0);
    y[i] = x[8 * i] * x[8 * i + 1];
}
