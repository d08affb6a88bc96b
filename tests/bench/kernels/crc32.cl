// CRC-32 of messages of 64 bytes, by a table of 256 words.
kernel void k(global const uchar *messages, constant uint *table, global uint *r)
{
    INDEX i = get_global_id(0);
    uint crc = ~0u;
    for (INDEX j = 0; j < 64; j++)
        crc = crc >> 8 ^ table[(crc ^ messages[i * 64 + j]) & 255];
    r[i] = ~crc;
}
