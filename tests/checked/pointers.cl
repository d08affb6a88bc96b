// Pointers of which nothing is known but their value: loaded from memory, or one of several.

typedef struct {
    int value;
    int next[7];
} Node;

// 8/4: i32 8
kernel void null_by_a_variable(global int *out) {
    int x = 5;
    int *p = &x;
    if (out[0] == 0) p = 0;
    out[get_global_id(0)] = *p;
}

// 8/4: i32 8
kernel void near_null_by_a_variable(global int *out) {
    int x = 5;
    int *p = &x;
    if (out[0] == 1000) p = 0;
    out[get_global_id(0)] = *p;
}

// 8/4: i32 8
kernel void member_of_null(global int *out) {
    Node nodes[2] = {{1, {2}}, {3, {4}}};
    Node *p[3] = {nodes, nodes + 1, 0};
    out[get_global_id(0)] = p[get_global_id(0) % 3]->next[1];
}

// 8/4: i32 8
kernel void near_member_of_null(global int *out) {
    Node nodes[2] = {{1, {2}}, {3, {4}}};
    Node *p[3] = {nodes, nodes + 1, 0};
    out[get_global_id(0)] = p[get_global_id(0) % 2]->next[1];
}

int get(int *p) { return p ? *p : -1; }

void put(int *p, int value) { *p = value; }

// 8/4: i32 8
kernel void put_to_null(global int *out) {
    int x = 0;
    int *p[2] = {&x, 0};
    put(p[get_global_id(0) >> 2], 7);
    out[get_global_id(0)] = x;
}

// 8/4: i32 8
kernel void near_put_to_null(global int *out) {
    int x = 0;
    int *p[2] = {&x, 0};
    put(p[get_global_id(0) >> 3], 7);
    out[get_global_id(0)] = x + get(p[1]);
}

// 8/4: i32 8
kernel void atomic_on_null(global int *out) {
    global int *p[2] = {out, 0};
    atomic_inc(p[get_global_id(0) == 5]);
}

// 8/4: i32 8
kernel void near_atomic_on_null(global int *out) {
    global int *p[2] = {out, 0};
    atomic_inc(p[get_global_id(0) == 8]);
}
