kernel void k(global uint *counts, float left, float top, float step, uint limit)
{
    INDEX x = get_global_id(0), y = get_global_id(1);
    float cr = left + step * x, ci = top + step * y, zr = 0, zi = 0;
    uint count = 0;
    while (count < limit && zr * zr + zi * zi < 4) {
        float next = zr * zr - zi * zi + cr;
        zi = 2 * zr * zi + ci;
        zr = next;
        count++;
    }
    counts[y * (INDEX)get_global_size(0) + x] = count;
}
