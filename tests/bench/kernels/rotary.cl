// Each pair of a head's numbers is turned by an angle that its position and its place in the head give.
kernel void k(global const float *x, global float *r, int heads, int size)
{
    INDEX pair = get_global_id(0), position = get_global_id(1), half_size = size / 2;
    INDEX head = pair / half_size, i = pair % half_size;
    float angle = position * exp2(-13.287712f * i / half_size);
    float c = cos(angle), s = sin(angle);
    INDEX at = (position * heads + head) * size + i;
    float a = x[at], b = x[at + half_size];
    r[at] = a * c - b * s;
    r[at + half_size] = a * s + b * c;
}
