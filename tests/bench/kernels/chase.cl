// A few work-items, each of which follows a list of its own.
kernel void k(global const uint *next, global uint *r, uint count)
{
    INDEX i = get_global_id(0);
    uint at = i;
    for (uint n = 0; n < count; n++)
        at = next[at];
    r[i] = at;
}
