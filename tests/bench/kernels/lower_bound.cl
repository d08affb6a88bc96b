kernel void k(global const uint *table, global const uint *keys, global uint *r, int n)
{
    INDEX i = get_global_id(0), low = 0, high = n;
    uint key = keys[i];
    while (low < high) {
        INDEX middle = (low + high) / 2;
        if (table[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    r[i] = low;
}
