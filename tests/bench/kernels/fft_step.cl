// A step of Stockham's FFT of radix 2: groups of `stride` numbers, of which those a half of the input apart meet.
kernel void k(global const float2 *a, global float2 *r, int stride)
{
    INDEX i = get_global_id(0), half_size = get_global_size(0);
    INDEX within = i & (stride - 1);
    float angle = -M_PI_F * within / stride;
    float c = cos(angle), s = sin(angle);
    float2 even = a[i], odd = a[i + half_size];
    float2 turned = (float2)(odd.x * c - odd.y * s, odd.x * s + odd.y * c);
    INDEX to = (i - within) * 2 + within;
    r[to] = even + turned;
    r[to + stride] = even - turned;
}
