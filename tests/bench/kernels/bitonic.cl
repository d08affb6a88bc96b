kernel void k(global uint *a, uint block, uint distance)
{
    INDEX i = get_global_id(0);
    INDEX low = i % distance + i / distance * distance * 2, high = low + distance;
    uint x = a[low], y = a[high];
    bool up = (low & block) == 0;
    if ((x > y) == up) {
        a[low] = y;
        a[high] = x;
    }
}
