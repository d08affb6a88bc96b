// Initializers: designators before values without braces of their own, ranges, parts of parts, and what is left zero.
//
// run: 1 by 1
// arg: i32 0 x 7
// becomes: i32 2650 10873 252 375 79 10753 587
// arg: i32 10

typedef struct {
    int a;
    struct {
        short b[2];
        int c;
    } in[2];
    union {
        float f;
        int i;
    };
} S;

constant int table[3][2] = {[1] = 1, 2, [0][1] = 5, 6};
constant S whole = {.in[1].b[1] = 7, 8, 9, .a = 3};

kernel void k(global int *o, global const int *in) {
    int n = *in;
    int rows[3][2] = {[1] = n, n + 1, n + 2, [0] = {[1] = n + 3}};
    int range[2][4] = {[0 ... 1] = {[1 ... 2] = n}, [1][3] = 5};
    S some[2] = {[1] = {n, {{1, 2, 3}, {4}}}, [0].in[0] = {{n}}};
    S more = {1, 2, 3, 4, 5, 6, 7, .i = n};
    char text[2][4] = {[1] = "ab", [0] = {'c'}};
    o[0] = table[0][0] + 10 * table[0][1] + 100 * table[1][0] + 1000 * table[1][1] + 10000 * table[2][0] + 100000 * table[2][1];
    o[1] = whole.a + 10 * whole.in[1].b[1] + 100 * whole.in[1].c + (whole.i == as_int(9.0f)) * 10000;
    o[2] = rows[0][0] + rows[0][1] + 3 * rows[1][0] + 7 * rows[1][1] + 11 * rows[2][0] + 13 * rows[2][1];
    o[3] = range[0][0] + 2 * range[0][1] + 3 * range[0][2] + 5 * range[0][3] + 7 * range[1][0] + 11 * range[1][1] + 13 * range[1][2] + 17 * range[1][3];
    o[4] = some[0].in[0].b[0] + 2 * some[1].a + 3 * some[1].in[0].b[1] + 5 * some[1].in[0].c + 7 * some[1].in[1].b[0] + some[0].in[1].c;
    o[5] = more.in[0].b[1] + 10 * more.in[1].b[0] + 100 * more.in[1].c + 1000 * more.i;
    o[6] = text[0][0] + text[1][0] * 2 + text[1][1] * 3 + text[1][2] + text[0][3];
}
