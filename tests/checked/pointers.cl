// Pointers of which nothing is known but their value: loaded from memory, made of numbers, or one of several.

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

// 8/4: i32 8; i32 8
kernel void beyond_one_of_two(global int *a, global int *b) {
    size_t i = get_global_id(0);
    global int *p = i & 1 ? a : b;
    p[i + 1] = 7;
}

// 8/4: i32 8; i32 8
kernel void near_beyond_one_of_two(global int *a, global int *b) {
    size_t i = get_global_id(0);
    global int *p = i & 1 ? a : b;
    p[i] = 7;
}

// 8/4: i64 8; i32 8
kernel void before_what_was_kept(global ulong *kept, global int *out) {
    size_t i = get_global_id(0);
    kept[i] = (ulong)(out + i);
    global int *p = (global int *)kept[i];
    out[i] = p[-2];
}

// 8/4: i64 8; i32 8
kernel void near_before_what_was_kept(global ulong *kept, global int *out) {
    size_t i = get_global_id(0);
    kept[i] = (ulong)(out + i);
    global int *p = (global int *)kept[i];
    out[i] = p[-(int)(i > 1)];
}

// 8/4: i64 8; i32 9
kernel void vector_over_the_end(global ulong *kept, global int *out) {
    size_t i = get_global_id(0);
    kept[i] = (ulong)(out + i);
    vstore2((int2)(1, 2), 0, (global int *)kept[i] + (i == 5 ? 3 : 0));
}

// 8/4: i64 8; i32 9
kernel void near_vector_over_the_end(global ulong *kept, global int *out) {
    size_t i = get_global_id(0);
    kept[i] = (ulong)(out + i);
    vstore2((int2)(1, 2), 0, (global int *)kept[i] + (i == 5 ? 2 : 0));
}

// 8/4: i64 8; i32 8
kernel void atomic_beyond_what_was_kept(global ulong *kept, global int *out) {
    size_t i = get_global_id(0);
    kept[i] = (ulong)(out + i);
    atomic_add((global int *)kept[i] + 3, 1);
}

// 8/4: i64 8; i32 11
kernel void near_atomic_beyond_what_was_kept(global ulong *kept, global int *out) {
    size_t i = get_global_id(0);
    kept[i] = (ulong)(out + i);
    atomic_add((global int *)kept[i] + 3, 1);
}

// 8/4: i64 8
kernel void number_of_no_object(global ulong *out) {
    size_t i = get_global_id(0);
    out[i] = 0x10000 + 4 * i;
    out[i] = *(global int *)out[i];
}

// 8/4: i64 8
kernel void near_number_of_no_object(global ulong *out) {
    size_t i = get_global_id(0);
    out[i] = (ulong)(out + i);
    out[i] = *(global int *)out[i];
}

// 8/4: i64 32; i64 8
kernel void struct_over_the_end(global Node *nodes, global ulong *kept) {
    size_t i = get_global_id(0);
    kept[i] = (ulong)(nodes + i);
    global Node *p = (global Node *)kept[i];
    p[i == 7] = *p;
}

// 8/4: i64 32; i64 8
kernel void near_struct_over_the_end(global Node *nodes, global ulong *kept) {
    size_t i = get_global_id(0);
    kept[i] = (ulong)(nodes + i);
    global Node *p = (global Node *)kept[i];
    p[i == 3] = *p;
}

int at(int *p, int index) { return p[index]; }

// 8/4: i32 8
kernel void before_local_memory(global int *out) {
    local int shared[4];
    int own[4] = {1, 2, 3, 4};
    size_t i = get_global_id(0);
    shared[get_local_id(0)] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    int *p = i & 1 ? (int *)shared : own;
    out[i] = at(p, i == 3 ? -20 : 2);
}

// 8/4: i32 8
kernel void near_before_local_memory(global int *out) {
    local int shared[4];
    int own[4] = {1, 2, 3, 4};
    size_t i = get_global_id(0);
    shared[get_local_id(0)] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    int *p = i & 1 ? (int *)shared : own;
    out[i] = at(p, 2);
}

constant int few[4] = {1, 2, 3, 4};
constant int more[6] = {1, 2, 3, 4, 5, 6};

// 8/4: i32 8
kernel void beyond_a_chosen_constant(global int *out) {
    size_t i = get_global_id(0);
    constant int *p = i & 1 ? few : more;
    out[i] = p[i * 16];
}

// 8/4: i32 8
kernel void near_beyond_a_chosen_constant(global int *out) {
    size_t i = get_global_id(0);
    constant int *p = i & 1 ? few : more;
    out[i] = p[i & 3];
}

typedef struct Link {
    global struct Link *next;
    int value;
} Link;

// 4/4: i64 8; i32 4
kernel void end_of_a_list(global Link *links, global int *out) {
    size_t i = get_global_id(0);
    links[i].next = links + i + 1;
    links[i].value = i;
    barrier(CLK_GLOBAL_MEM_FENCE);
    global Link *at = links + i;
    for (int n = 0; n < (i == 2 ? 2 : 1); n++) at = at->next;
    out[i] = i < 3 ? at->value : 0;
}

// 4/4: i64 8; i32 4
kernel void near_end_of_a_list(global Link *links, global int *out) {
    size_t i = get_global_id(0);
    links[i].next = links + i + 1;
    links[i].value = i;
    barrier(CLK_GLOBAL_MEM_FENCE);
    global Link *at = links + i;
    for (int n = 0; n < 1; n++) at = at->next;
    out[i] = i < 3 ? at->value : 0;
}

// 8/4: i64 8; svm i32 8
kernel void beyond_shared_memory(global ulong *kept, global int *shared) {
    size_t i = get_global_id(0);
    kept[i] = (ulong)(shared + i);
    *((global int *)kept[i] + 8) = 1;
}

// 8/4: i64 8; svm i32 16
kernel void near_beyond_shared_memory(global ulong *kept, global int *shared) {
    size_t i = get_global_id(0);
    kept[i] = (ulong)(shared + i);
    *((global int *)kept[i] + 8) = 1;
}

// 8/4: ro i32 8; i32 8
kernel void write_to_one_that_is_only_read(global int *in, global int *out) {
    size_t i = get_global_id(0);
    global int *p = i == 3 ? in : out;
    p[i] = 7;
}

// 8/4: ro i32 8; i32 8
kernel void near_write_to_one_that_is_only_read(global int *in, global int *out) {
    size_t i = get_global_id(0);
    global int *p = i == 8 ? in : out;
    p[i] = 7;
}

// 8/4: ro i32 8; i32 8
kernel void atomic_on_what_was_read_before(global int *in, global int *out) {
    size_t i = get_global_id(0);
    global int *p = i & 1 ? in : out;
    if (p[i] == 5) atomic_inc(p + i);
}

// 8/4: ro i32 8; i32 8
kernel void near_atomic_on_what_was_read_before(global int *in, global int *out) {
    size_t i = get_global_id(0);
    global int *p = i & 1 ? in : out;
    if (p[i] == 6) atomic_inc(p + i);
}

// 8/4: i64 8
kernel void write_to_a_kept_constant(global ulong *kept) {
    size_t i = get_global_id(0);
    kept[i] = (ulong)(more + (i & 3));
    if (i == 6) *(global int *)kept[i] = 1;
}

// 8/4: i64 8
kernel void near_write_to_a_kept_constant(global ulong *kept) {
    size_t i = get_global_id(0);
    kept[i] = (ulong)(more + (i & 3));
    if (i == 6) kept[i] = *(global int *)kept[i];
}

// 8/4: i32 8; i32 8; value i32 8
kernel void index_that_is_an_argument(global int *a, global int *b, int n) {
    size_t i = get_global_id(0);
    global int *p = i & 1 ? a : b;
    atomic_inc(p + n);
}

// 8/4: i32 8; i32 8; value i32 7
kernel void near_index_that_is_an_argument(global int *a, global int *b, int n) {
    size_t i = get_global_id(0);
    global int *p = i & 1 ? a : b;
    atomic_inc(p + n);
}

// 8/4: value i64 4096; i32 8
kernel void number_that_is_an_argument(ulong number, global int *out) {
    size_t i = get_global_id(0);
    out[i] = i == 3 ? *(global int *)(number + 4 * i) : 0;
}

// 8/4: value i64 4096; i32 8
kernel void near_number_that_is_an_argument(ulong number, global int *out) {
    size_t i = get_global_id(0);
    out[i] = i == 8 ? *(global int *)(number + 4 * i) : 0;
}

// 8/4: i64 8; i32 10
kernel void vector_that_is_stored_where_a_pointer_was_kept(global ulong *kept, global int *out) {
    size_t i = get_global_id(0);
    kept[i] = (ulong)(out + i);
    vstore2((int2)(1, 2),
            i == 3 ? 3 : 0,
            (global int *)kept[i]);
}

// 8/4: i64 8; i32 10
kernel void near_vector_that_is_stored_where_a_pointer_was_kept(global ulong *kept, global int *out) {
    size_t i = get_global_id(0);
    kept[i] = (ulong)(out + i);
    vstore2((int2)(1, 2),
            i == 8 ? 3 : 0,
            (global int *)kept[i]);
}
