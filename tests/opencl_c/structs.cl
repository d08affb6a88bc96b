// Structs, unions and arrays: copied, passed, returned, and reached through pointers.
//
// run: 8 by 8
// arg: i32 0 x 16
// becomes: i32 121 1077936192 138 1088421952 160 1094713409 122 1084227648 99 1065353279 136 1091567681 238 1106247745 105 1082130496
// arg: i32 3 7 12 5 1 9 30 4 11 2 6 8

typedef struct {
    char c;
    int n;
    short s[3];
    float4 v;
} S;

typedef union {
    uint u;
    float f;
    uchar b[4];
} U;

static S make(int n) {
    S s = {'a', n, {1, 2, 3}, (float4)(n, 1, 2, 3)};
    return s;
}

static int sum(S s, const S *t) {
    return s.c + s.n + s.s[1] + (int)s.v.x + t->n * 3 + t->s[2];
}

kernel void k(global int *o, global const int *in) {
    int i = get_global_id(0);
    S list[2];
    list[0] = make(in[i]);
    list[1] = list[0];
    list[1].s[2] = 7;
    S *p = list;
    p++;
    p->n -= i;
    U u;
    u.f = in[i];
    o[2 * i] = sum(list[0], p);
    o[2 * i + 1] = u.u ^ u.b[3];
}
