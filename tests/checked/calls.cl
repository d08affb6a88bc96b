// Functions that are so large that they stay calls: what is checked in them, and what is told of it. What makes them large is nothing.

#define FOUR(x) x x x x
#define LARGE int size = 0; FOUR(FOUR(FOUR(FOUR(FOUR(size = size * 3 + 1;) FOUR(size = size * 5 + 2;) FOUR(size ^= 7;)))))

void write_at(global int *p, int i, int value) {
    LARGE
    p[i] = value;
}

// 8/4: i32 8; i32 4
kernel void one_of_two_buffers(global int *one, global int *other) {
    int i = get_global_id(0);
    write_at(one, i, 1);
    write_at(other, i - 3, 2);
}

// 8/4: i32 8; i32 11
kernel void near_one_of_two_buffers(global int *one, global int *other) {
    int i = get_global_id(0);
    write_at(one, i, 1);
    write_at(other + 3, i, 2);
}

// 8/4: i32 8; ro i32 8
kernel void one_is_read_only(global int *one, global int *other) {
    int i = get_global_id(0);
    write_at(one, i, 1);
    if (i == 5) write_at(other, i, 2);
}

// 8/4: i32 8
kernel void the_same_buffer_twice(global int *out) {
    int i = get_global_id(0);
    write_at(out, i, 1);
    write_at(out + 2, i, 2);
}

// 8/4: part i32 10
kernel void near_the_same_buffer_twice(global int *out) {
    int i = get_global_id(0);
    write_at(out, i, 1);
    write_at(out + 2, i, 2);
}

// 8/4: i32 8; i32 8
kernel void one_is_null(global int *one, global int *other) {
    int i = get_global_id(0);
    write_at(one, i, 1);
    write_at(i == 3 ? 0 : other, i, 2);
    if (i == 6) write_at(0, 0, 3);
}

// 8/4: i64 1; i32 8
kernel void one_of_no_known_object(global ulong *kept, global int *out) {
    int i = get_global_id(0);
    kept[0] = (ulong)out;
    write_at((global int *)kept[0], i == 4 ? 9 : i, 1);
    write_at(out, i, 1);
}

// 8/4: i64 1; i32 8
kernel void near_one_of_no_known_object(global ulong *kept, global int *out) {
    int i = get_global_id(0);
    kept[0] = (ulong)out;
    write_at((global int *)kept[0], i, 1);
    write_at(out, i, 1);
}

void step(global int *p, int i) {
    LARGE
    write_at(p + 1, i, 4);
    if (i == 2) write_at(p, i, 5);
}

// 8/4: i32 9; i32 8
kernel void handed_on_twice(global int *one, global int *other) {
    int i = get_global_id(0);
    step(one, i);
    step(other, i);
}

// 8/4: i32 9; i32 9
kernel void near_handed_on_twice(global int *one, global int *other) {
    int i = get_global_id(0);
    step(one, i);
    step(other, i);
}

int sum(int *values, int count) {
    LARGE
    int all = 0;
    for (int n = 0; n < count; n++) all += values[n];
    return all;
}

// 8/4: i32 8
kernel void private_arrays(global int *out) {
    int i = get_global_id(0);
    int few[3] = { i, 2, 3 }, many[5] = { i, 2, 3, 4, 5 };
    out[i] = sum(few, 3) + sum(many, i == 7 ? 6 : 5);
}

// 8/4: i32 8
kernel void near_private_arrays(global int *out) {
    int i = get_global_id(0);
    int few[3] = { i, 2, 3 }, many[5] = { i, 2, 3, 4, 5 };
    out[i] = sum(few, i == 7 ? 2 : 3) + sum(many, 5);
}

void put(local int *p, int i) {
    LARGE
    p[i] = i;
}

// 8/4: local 16; i32 8
kernel void local_memory_one(local int *one, global int *out) {
    int l = get_local_id(0);
    put(one, l);
    put(one + 1, l);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = one[l];
}

// 8/4: local 20; i32 8
kernel void near_local_memory_one(local int *one, global int *out) {
    int l = get_local_id(0);
    put(one, l);
    put(one + 1, l);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = one[l] + one[4];
}

// 8/4: local 20; i32 8
kernel void local_memory_one_not_written(local int *one, global int *out) {
    int l = get_local_id(0);
    put(one, l);
    put(one, l);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = one[l] + one[4];
}

// 8/4: local 16; i32 8
kernel void local_memory_two(local int *one, global int *out) {
    local int other[3];
    int l = get_local_id(0);
    put(one, l);
    put(other, l);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = one[l] + other[l % 3];
}

// 8/4: local 16; i32 8
kernel void near_local_memory_two(local int *one, global int *out) {
    local int other[4];
    int l = get_local_id(0);
    put(one, l);
    put(other, l);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = one[l] + other[l];
}

int quotient(int a, int b) {
    LARGE
    return a / b;
}

// 8/4: i32 8; value i32 2
kernel void division(global int *out, int divisor) {
    int i = get_global_id(0);
    out[i] = quotient(i, divisor) + quotient(i + 1, divisor - (i == 4 ? 2 : 0));
}

// 8/4: i32 8; value i32 2
kernel void near_division(global int *out, int divisor) {
    int i = get_global_id(0);
    out[i] = quotient(i, divisor) + quotient(i + 1, divisor - (i == 4 ? 1 : 0));
}

int chosen(int i) {
    LARGE
    int value;
    if (i != 5) value = i;
    return value + 1;
}

// 8/4: i32 8
kernel void variable_not_written(global int *out) {
    int i = get_global_id(0);
    out[i] = chosen(i) + chosen(i % 4);
}

// 8/4: i32 8
kernel void near_variable_not_written(global int *out) {
    int i = get_global_id(0);
    out[i] = chosen(i + 6) + chosen(i % 4);
}

void write_next(global int *p, int i) {
    write_at(p + 1, i, 3);
}

// 8/4: i32 8
kernel void by_two_ways(global int *out) {
    int i = get_global_id(0);
    write_at(out, i == 6 ? 9 : i, 1);
    write_next(out, i);
}

// 8/4: i32 9
kernel void near_by_two_ways(global int *out) {
    int i = get_global_id(0);
    write_at(out, i == 6 ? 8 : i, 1);
    write_next(out, i);
}

// 8/4: i32 10; i32 8
kernel void by_two_functions(global int *one, global int *other) {
    int i = get_global_id(0);
    step(one, i == 3 ? 9 : i);
    write_at(other, i, 1);
    if (i == 7) step(other, i);
}

struct padded { char c; int value; };

struct padded larger(struct padded a, float4 v) {
    LARGE
    struct padded result;
    result.value = a.value + (int)v.x;
    return result;
}

// 8/4: i32 8
kernel void near_members_that_are_handed_on(global int *out) {
    int i = get_global_id(0);
    struct padded a;
    float4 v;
    v.x = 1;
    a.value = i;
    a = larger(a, v);
    out[i] = larger(a, v).value;
}
