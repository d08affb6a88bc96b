// MurmurHash3 of 32 bits, of keys of four words.
kernel void k(global const uint *keys, global uint *r)
{
    INDEX i = get_global_id(0);
    uint h = 0x9747b28c;
    for (int j = 0; j < 4; j++) {
        uint v = keys[i * 4 + j] * 0xcc9e2d51;
        h ^= rotate(v, 15u) * 0x1b873593;
        h = rotate(h, 13u) * 5 + 0xe6546b64;
    }
    h ^= 16;
    h = (h ^ h >> 16) * 0x85ebca6b;
    h = (h ^ h >> 13) * 0xc2b2ae35;
    r[i] = h ^ h >> 16;
}
