// Arrays of arrays of pointers, initialized row by row, without optimization. (LLVM's SPIR-V back end makes variables of one row of them.)
//
// options: -cl-opt-disable
// run: 4 by 4
// arg: i32 0 x 4
// becomes: i32 211 122 122 211

kernel void k(global int *out) {
    int before = 100, a = 1, b = 2, c = 10, d = 20, after = 200;
    int *rows[2][3] = {{&a, &b, &a}, {&b, &a, &b}};
    int *deep[2][2][2] = {{{&c, &d}, {&d, &c}}, {{&d, &d}, {&c, &c}}};
    int *unused[3][2] = {{&a, &b}, {&a, &b}, {&a, &b}};
    int i = get_global_id(0), x = i & 1, y = i >> 1;
    out[i] = *rows[x][y] + *deep[x][y][x] + (x == y ? after : before);
}
