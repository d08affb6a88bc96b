// Blocks: what they capture keeps the value that it had, in blocks of blocks too; variables of them, of the program and of functions.
//
// standard: CL2.0
// run: 8 by 8
// arg: i32 0 x 16
// becomes: i32 215 24 219 51 224 84 228 45 241 24 247 75 254 204 260 51
// arg: i32 3 7 12 5 1 9 30 4 11 2 6 8

typedef int (^operation)(int, int);
typedef struct {
    int a;
    float4 v;
} S;

operation add = ^(int x, int y) { return x + y; };
global int calls = 0;

static int twice(int x) {
    int (^const doubled)(void) = ^{ return x * 2; };
    return doubled();
}

kernel void k(global int *o, global const int *in) {
    int i = get_global_id(0), n = in[i];
    S s = {n, (float4)(i)};
    operation scale = ^int(int x, int y) {
        int own = n;
        own += s.a;
        return x * own + y + (int)s.v.z;
    };
    n = 100;
    s.a = 1000;
    operation same = scale;
    int sum = 0;
    for (int j = 0; j < 3; j++) {
        void (^store)(int) = ^(int x) { o[2 * i + 1] += x + j; };
        store(same(j, 1));
        operation both = ^(int x, int y) { return ^{ return x * y + j; }() + add(x, i); };
        sum += both(2, j);
    }
    o[2 * i] = sum + twice(n) + ^(int x) { return x > 3 ? x : -x; }(i) + (int)^float { return 2.5f * i; }();
}
