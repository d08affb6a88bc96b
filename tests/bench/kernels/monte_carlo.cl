// Points of the unit square, by xorshift of 32 bits, that lie in the circle.
kernel void k(global uint *r, uint count)
{
    INDEX i = get_global_id(0);
    uint state = (uint)i * 2654435761u + 1, inside = 0;
    for (uint n = 0; n < count; n++) {
        state ^= state << 13, state ^= state >> 17, state ^= state << 5;
        uint x = state >> 17;
        state ^= state << 13, state ^= state >> 17, state ^= state << 5;
        uint y = state >> 17;
        if (x * x + y * y < 1u << 30)
            inside++;
    }
    r[i] = inside;
}
