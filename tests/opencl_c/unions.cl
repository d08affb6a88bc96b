// Unions of pointers and numbers, initialized by either; what is in the gaps of another member is copied; memory of the function's own.
//
// run: 4 by 4
// arg: i32 0 x 20
// becomes: i32 5 50 305419896 7 0 6 51 305419897 8 1 7 52 305419898 9 3 8 53 305419899 10 6

typedef union {
    uchar n;
    constant int *p;
} Pointer;

typedef union {
    ulong n;
    constant int *p;
} Number;

typedef union {
    struct {
        int n;
    } all;
    struct {
        ushort low;
        ulong more;
    } parts;
} Gaps;

typedef union {
    float3 v;
    float f[4];
} Components;

constant int table[2] = {40, 50};
constant Number second = {.p = &table[1]};
constant Gaps known = {{0x12345678}};

static int sum(Gaps g, int n) {
    Gaps copy = g;
    return copy.all.n + n;
}

static Components with_fourth(float f) {
    Components c;
    c.f[3] = f;
    return c;
}

kernel void k(global int *o) {
    int i = get_global_id(0);
    Pointer five = {5};
    Number at = second;
    Components c = with_fourth(7 + i);
    o[5 * i] = five.n + i;
    o[5 * i + 1] = *at.p + i;
    o[5 * i + 2] = sum(known, i);
    o[5 * i + 3] = c.f[3];
    int *own = __builtin_alloca((i + 1) * sizeof(int));
    for (int j = 0; j <= i; j++) own[j] = j;
    int total = 0;
    for (int j = i; j >= 0; j--) total += own[j];
    o[5 * i + 4] = total;
}
