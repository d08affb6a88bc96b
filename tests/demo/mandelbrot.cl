// Counts the iterations after which each point of the picture leaves the circle of radius 2.
kernel void mandelbrot(global uint *counts, float left, float top, float step, uint limit)
{
    const size_t x = get_global_id(0), y = get_global_id(1);
    const float cr = left + step * x, ci = top + step * y;
    float zr = 0, zi = 0;
    uint count = 0;
    while (count < limit && zr * zr + zi * zi < 4) {
        const float next = zr * zr - zi * zi + cr;
        zi = 2 * zr * zi + ci;
        zr = next;
        count++;
    }
    counts[y * get_global_size(0) + x] = count;
}
