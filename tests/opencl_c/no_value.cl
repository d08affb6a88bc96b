// A function that ends without a value, of which its callers do not ask for one where it has none.
//
// run: 4 by 4
// arg: i32 0 x 8
// becomes: i32 10 1 12 13 0 4 2 3

int store(global int *o, int v) {
    *o = v;
    if (v == 1)
        return 3;
}

kernel void k(global int *o) {
    int i = get_global_id(0), r = 0;
    if (i == 1)
        r = store(o + i, 1);
    else
        store(o + i, i + 10);
    o[4 + i] = i + r;
}
