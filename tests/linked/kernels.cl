// With functions.cl: kernels whose functions are in another module.

typedef struct {
    int first;
    long rest[3];
} numbers;

int chosen(numbers s, int i);
int all_of(int4 v);

kernel void by_value(global int *out, numbers s) {
    int i = get_global_id(0);
    out[i] = chosen(s, i);
}

kernel void text(int n) {
    if (get_global_id(0) == 3)
        printf("n is %d, %s\n", n, "linked");
}

#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
kernel void any_and_all(global int *out, global long *sum) {
    int i = get_global_id(0);
    out[i] = any((int4)(0, i - 3, 0, 0)) + 2 * all_of((int4)(-1, i - 5, -2, -3));
    atom_add(sum, (long)i << 33);
}

#ifdef SUB_GROUPS
kernel void broadcast(global int *out, uint from) {
    int i = get_global_id(0);
    out[i] = sub_group_non_uniform_broadcast(i * 3, from);
}

kernel void size(global int *out) { out[get_global_id(0)] = get_sub_group_size(); }
#endif
