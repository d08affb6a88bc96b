kernel void k(global uint *r, int width, double step, uint limit)
{
    INDEX i = get_global_id(0), j = get_global_id(1);
    double x = i * step - 1.5, y = j * step - 1.0;
    uint n = 0;
    while (n < limit && x * x + y * y < 4) {
        double next = x * x - y * y - 0.8;
        y = 2 * x * y + 0.156;
        x = next;
        n++;
    }
    r[j * width + i] = n;
}
