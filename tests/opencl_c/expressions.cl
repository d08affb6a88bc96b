// GNU's statement expressions, compound literals, comma, && and || with effects, nested ?:.
//
// run: 8 by 8
// arg: i32 0 x 16
// becomes: i32 6 112 1028 816 1078 1422 1021 816 1 410 1045 2018 1465 6239 15 1214
// arg: i32 3 7 12 5 1 9 30 4 11 2 6 8

static int bump(int *p) {
    return ++*p;
}

kernel void k(global int *o, global const int *in) {
    int i = get_global_id(0), n = in[i];
    int a = n > 3 && bump(&n) > 6 || bump(&n) & 1;
    int b = ({
        int sum = 0;
        for (int j = 0; j < n; j++)
            sum += j;
        sum;
    });
    int *literal = (int[]){1, n, 3};
    int c = i < 2 ? literal[i] : i < 4 ? bump(&n) : ({ int z = n; z * 2; });
    __typeof__(c) d = sizeof(literal[0]) + (n++, n);
    o[2 * i] = a * 1000 + b;
    o[2 * i + 1] = c * 100 + d + ((int4){1, 2, 3, 4}).z;
}
