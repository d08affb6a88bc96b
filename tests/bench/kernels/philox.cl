// Philox 4x32-10, a counter a work-item.
kernel void k(global uint4 *r)
{
    INDEX i = get_global_id(0);
    uint4 c = (uint4)((uint)i, 0, 0, 0);
    uint k0 = 0, k1 = 0;
    for (int n = 0; n < 10; n++) {
        uint h0 = mul_hi(0xd2511f53u, c.x), l0 = 0xd2511f53u * c.x, h1 = mul_hi(0xcd9e8d57u, c.z), l1 = 0xcd9e8d57u * c.z;
        c = (uint4)(h1 ^ c.y ^ k0, l1, h0 ^ c.w ^ k1, l0);
        k0 += 0x9e3779b9, k1 += 0xbb67ae85;
    }
    r[i] = c;
}
