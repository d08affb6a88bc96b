// Pointers of each address space and generic ones, to structs that point to themselves, to arrays.
//
// run: 8 by 8
// arg: i32 0 x 16
// becomes: i32 41 109 61 125 72 122 50 119 49 114 97 108 137 109 69 125
// arg: i32 3 7 12 5 1 9 30 4 11 2 6 8

typedef struct node {
    int value;
    struct node *next;
} node;

global int numbers[4] = {3, 4, 5, 6};
global int *start = &numbers[1];

static int add(const int *p, int n) {
    int sum = 0;
    for (const int *end = p + n; p != end; p++)
        sum += *p;
    return sum;
}

kernel void k(global int *o, global const int *in) {
    int i = get_global_id(0);
    node a = {i, 0}, b = {i * 2, &a}, c = {5, &b};
    int sum = 0;
    for (node *n = &c; n; n = n->next)
        sum += n->value;
    int own[4] = {1, 2, in[i]};
    int (*whole)[4] = &own;
    constant char *text = "brolga";
    o[2 * i] = sum + add(own, 4) + add(in + i, 2) + add(numbers, 3) + start[1] + (*whole)[2];
    o[2 * i + 1] = text[i % 6] + (int)(&own[3] - own) + (own + 1 > own) + *(in + 1);
}
