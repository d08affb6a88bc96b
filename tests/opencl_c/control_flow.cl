// Loops, switches with ranges and falling through, goto, and what leaves them.
//
// run: 8 by 8
// arg: i32 0 x 16
// becomes: i32 43 43 23 23 21 -5 20 -6 22 -4 0 -3 -2 0 -6 -3
// arg: i32 3 7 12 5 1 9 30 4 11 2 6 8

kernel void k(global int *o, global const int *in) {
    int i = get_global_id(0), r = in[i], n = 0;
again:
    r += 3;
    if (r < 20)
        goto again;
    switch (i) {
    case 0:
        r *= 2;
    case 1:
        r++;
        break;
    case 2 ... 4:
        for (int j = 0;; j++) {
            if (j == i)
                continue;
            if (j > 6)
                break;
            n += j;
        }
        break;
    default:
        do {
            switch (r & 3) {
            case 1:
                n += 100;
                break;
            case 2:
                n += 1000;
            }
            r -= 7;
        } while (r > 0 && n < 5000);
    }
    o[2 * i] = r;
    if (i == 6)
        return;
    while (n > 9)
        n = n / 3 - (n & 1 ? 1 : 0);
    o[2 * i + 1] = n || !r ? -n : r;
}
