// Private variables are written before they are read.

// 16/16: i32 16
kernel void never_written(global int *out) {
    int x;
    out[get_global_id(0)] = x + 1;
}

// 16/16: i32 16
kernel void near_never_written(global int *out) {
    int x;
    x = 3;
    out[get_global_id(0)] = x + 1;
}

// 16/16: i32 16
kernel void written_by_some(global int *out) {
    int i = get_global_id(0), x;
    if (i < 12) x = i;
    out[i] = x + 1;
}

// 16/16: i32 16
kernel void near_written_by_some(global int *out) {
    int i = get_global_id(0), x;
    if (i < 12) x = i;
    else x = 0;
    out[i] = x + 1;
}

// 16/16: i32 16
kernel void near_read_by_those_that_wrote(global int *out) {
    int i = get_global_id(0), x;
    if (i < 12) x = i;
    out[i] = i < 12 ? x + 1 : 0;
}

// 16/16: i32 16
kernel void near_and_tests_first(global int *out) {
    int i = get_global_id(0), x;
    if (i < 12) x = i;
    out[i] = i < 12 && x > 3;
}

// 16/16: i32 16
kernel void element_of_an_array(global int *out) {
    int a[4], i = get_global_id(0);
    for (int k = 0; k < 3; k++) a[k] = k;
    out[i] = a[i & 3] + 1;
}

// 16/16: i32 16
kernel void near_element_of_an_array(global int *out) {
    int a[4], i = get_global_id(0);
    for (int k = 0; k < 4; k++) a[k] = k;
    out[i] = a[i & 3] + 1;
}

// 16/16: i32 16
kernel void near_initialized_array(global int *out) {
    int a[4] = {1}, i = get_global_id(0);
    out[i] = a[i & 3] + 1;
}

// 16/16: i32 16; value i32 0
kernel void loop_without_iterations(global int *out, int n) {
    int last;
    for (int k = 0; k < n; k++) last = k;
    out[get_global_id(0)] = last + 1;
}

// 16/16: i32 16; value i32 2
kernel void near_loop_without_iterations(global int *out, int n) {
    int last;
    for (int k = 0; k < n; k++) last = k;
    out[get_global_id(0)] = last + 1;
}

// 16/16: f32 16
kernel void component(global float *out) {
    float4 v;
    v.x = 1;
    v.y = 2;
    out[get_global_id(0)] = v.x + v.z;
}

// 16/16: f32 16
kernel void near_component_of_which_nothing_becomes(global float *out) {
    float3 v, w;
    int i = get_global_id(0);
    v.x = 1;
    w.x = i;
    if (i & 1) v.y = w.y = 2;
    v = select(v * 2, w, (int3)(0, 1, 0)) + w;
    out[i] = v.x;
    if (i & 1) out[i] = v.y;
}

// 16/16: f32 16
kernel void component_of_a_result(global float *out) {
    float3 v, w;
    int i = get_global_id(0);
    v.x = 1;
    w.x = i;
    if (i & 1) v.y = w.y = 2;
    v = select(v * 2, w, (int3)(0, 1, 0)) + w;
    out[i] = v.x + v.y;
}

// 16/16: f32 16
kernel void near_component(global float *out) {
    float4 v;
    v.x = 1;
    v.y = 2;
    v.xy = v.yx;
    out[get_global_id(0)] = v.x + v.y;
}

typedef struct {
    int a, b;
} pair;

// 16/16: i32 16
kernel void member(global int *out) {
    pair p;
    p.a = 1;
    out[get_global_id(0)] = p.a + p.b;
}

// 16/16: i32 16
kernel void near_member(global int *out) {
    pair p;
    p.a = 1;
    pair q = p;
    out[get_global_id(0)] = q.a + 1;
}

// 16/16: i32 16
kernel void through_a_copy(global int *out) {
    pair p;
    p.a = 1;
    pair q = p;
    out[get_global_id(0)] = q.b + 1;
}

int twice(int x) {
    return x + x;
}

// 16/16: i32 16
kernel void argument_of_a_function(global int *out) {
    int x;
    out[get_global_id(0)] = twice(x);
}

void set(int *x) {
    *x = 4;
}

// 16/16: i32 16
kernel void near_set_by_a_function(global int *out) {
    int x;
    set(&x);
    out[get_global_id(0)] = x + 1;
}

// 16/16: i32 16; bytes 8
kernel void near_by_value(global int *out, pair p) {
    out[get_global_id(0)] = p.a + p.b;
}

// 16/16: i32 16
kernel void switch_without_default(global int *out) {
    int i = get_global_id(0), x;
    switch (i & 3) {
    case 0: x = 1; break;
    case 1: x = 2; break;
    case 2: x = 3; break;
    }
    out[i] = x * 2;
}

// 16/16: i32 16
kernel void near_switch_without_default(global int *out) {
    int i = get_global_id(0), x;
    switch (i & 3) {
    case 0: x = 1; break;
    case 1: x = 2; break;
    default: x = 3; break;
    }
    out[i] = x * 2;
}

typedef struct {
    int a, b, rest;
} triple;

triple make(int a, int n) {
    triple made;
    made.a = a;
    if (n > 0) made.b = a + 1;
    else made.b = 0;
    return made;
}

// 8/8: i32 8; value i32 3
kernel void what_a_function_returns_in_part(global int *out, int n) {
    triple got = make(get_global_id(0), n);
    out[get_global_id(0)] = got.a + got.rest;
}

// 8/8: i32 8; value i32 3
kernel void near_what_a_function_returns_in_part(global int *out, int n) {
    triple got = make(get_global_id(0), n);
    triple other = got;
    out[get_global_id(0)] = other.a + other.b;
}

typedef struct {
    int a, filler;
    float b;
} filled;

// 16/16: i32 48
kernel void nothing_of_a_struct(global filled *out) {
    filled one;
    out[get_global_id(0)] = one;
}

// 16/16: i32 48
kernel void near_nothing_of_a_struct(global filled *out) {
    filled one;
    one.a = 1;
    one.b = 2;
    out[get_global_id(0)] = one;
}

filled with(int a) {
    filled made;
    made.a = a;
    made.b = 1;
    return made;
}

// 16/16: i32 16
kernel void one_of_two_structs(global int *out) {
    int i = get_global_id(0);
    filled one = with(i), other = with(-i);
    filled chosen = i & 1 ? one : other;
    out[i] = chosen.a + chosen.filler;
}

// 16/16: i32 48
kernel void near_one_of_two_structs(global filled *out) {
    int i = get_global_id(0);
    filled one = with(i), other = with(-i);
    filled chosen = i & 1 ? one : other;
    chosen.a += 1;
    out[i] = chosen;
}

// 16/16: f32 64
kernel void part_of_a_vector(global float4 *out) {
    float4 v;
    v.xy = (float2)(1, 2);
    out[get_global_id(0)] = v;
}

typedef struct {
    char kind;
    float3 at;
    long values[3];
} padded;

// 16/16: i32 320
kernel void near_padding(global padded *out) {
    padded one, kept[2];
    one.kind = 1;
    one.at = (float3)(1, 2, 3);
    one.values[1] = 5;
    kept[get_global_id(0) & 1] = one;
    out[get_global_id(0)] = kept[get_global_id(0) & 1];
}

// 16/16: i32 16
kernel void member_of_an_element(global int *out) {
    filled kept[2], one = with(3);
    int i = get_global_id(0) & 1;
    kept[i] = one;
    out[get_global_id(0)] = kept[i].a + kept[i].filler;
}

// 16/16: i32 16
kernel void far_outside_of_an_array_written(global int *out) {
    int i = get_global_id(0);
    int a[4] = {0, 1, 2, 3}, b[4] = {4, 5, 6, 7};
    a[i * 100000000] = 3;
    out[i] = a[i & 3] + b[i & 3];
}

// 16/16: i32 16
kernel void far_outside_of_an_array_read(global int *out) {
    int i = get_global_id(0);
    int a[4] = {0, 1, 2, 3};
    a[i & 3] = 3;
    out[i] = a[i * 100000000];
}

// 16/16: i32 16
kernel void far_outside_of_an_array_copied(global int *out) {
    filled kept[2] = {with(1), with(2)};
    int i = get_global_id(0);
    kept[i & 1] = kept[i * 10000000];
    kept[i * 20000000] = with(4);
    out[i] = kept[i & 1].a;
}

// 16/16: i32 16
kernel void near_last_bytes_of_an_array(global int *out) {
    int i = get_global_id(0);
    char a[11];
    for (int k = 0; k < 11; k++)
        a[k] = k;
    a[10 - i % 3] += a[(i + 10) % 11];
    out[i] = a[10 - i % 11];
}
