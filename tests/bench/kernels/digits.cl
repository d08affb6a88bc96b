// How many keys of each part have which digit: the first step of a radix sort, a work-item a part, counters in private memory.
kernel void k(global const uint *keys, global uint *counts, int each, uint shift)
{
    INDEX part = get_global_id(0), parts = get_global_size(0);
    uint count[16];
    for (int i = 0; i < 16; i++)
        count[i] = 0;
    for (INDEX i = 0; i < each; i++)
        count[keys[part * each + i] >> shift & 15]++;
    for (int i = 0; i < 16; i++)
        counts[i * parts + part] = count[i];
}
