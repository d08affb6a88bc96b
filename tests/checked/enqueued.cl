// Kernels that enqueue others, which are at fault.

#define LATER get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL

// 1/1: i32 8
kernel void beyond_what_is_captured(global int *out) {
    enqueue_kernel(LATER, ndrange_1D(8, 4), ^{ out[get_global_id(0) + 2] = 1; });
}

// 1/1: i32 8
kernel void near_beyond_what_is_captured(global int *out) {
    enqueue_kernel(LATER, ndrange_1D(6, 3), ^{ out[get_global_id(0) + 2] = 1; });
}

// 1/1: ro i32 8
kernel void captured_and_only_read(global int *in) {
    enqueue_kernel(LATER, ndrange_1D(8, 4), ^{ in[get_global_id(0)]++; });
}

// 1/1: ro i32 8; i32 8
kernel void near_captured_and_only_read(global int *in, global int *out) {
    enqueue_kernel(LATER, ndrange_1D(8, 4), ^{ out[get_global_id(0)] = in[get_global_id(0)]; });
}

// 1/1: i32 8
kernel void divided_by_what_is_captured(global int *out) {
    int zero = out[0];
    enqueue_kernel(LATER, ndrange_1D(8, 4), ^{ out[get_global_id(0)] = 1000 / (zero + (int)get_global_id(0) - 5); });
}

// 1/1: i32 8
kernel void near_divided_by_what_is_captured(global int *out) {
    int zero = out[0];
    enqueue_kernel(LATER, ndrange_1D(8, 4), ^{ out[get_global_id(0)] = 1000 / (zero + (int)get_global_id(0) - 8); });
}

// 1/1: i32 8
kernel void of_one_that_is_enqueued_itself(global int *out) {
    enqueue_kernel(LATER, ndrange_1D(2, 1), ^{
        int first = 4 * get_global_id(0);
        enqueue_kernel(LATER, ndrange_1D(4), ^{ out[first + get_global_id(0)] %= first; });
    });
}

// 1/1: i32 8
kernel void near_of_one_that_is_enqueued_itself(global int *out) {
    enqueue_kernel(LATER, ndrange_1D(2, 1), ^{
        int first = 4 * get_global_id(0);
        enqueue_kernel(LATER, ndrange_1D(4), ^{ out[first + get_global_id(0)] %= first + 1; });
    });
}

// 1/1: i32 8
kernel void variable_of_a_block(global int *out) {
    enqueue_kernel(LATER, ndrange_1D(8, 4), ^{
        int x;
        if (get_global_id(0) != 3) x = 2;
        out[get_global_id(0)] = x + 1;
    });
}

// 1/1: i32 8
kernel void near_variable_of_a_block(global int *out) {
    enqueue_kernel(LATER, ndrange_1D(8, 4), ^{
        int x;
        if (get_global_id(0) != 8) x = 2;
        out[get_global_id(0)] = x + 1;
    });
}

// 1/1: i32 8
kernel void beyond_local_memory_of_a_block(global int *out) {
    void (^rotate)(local void *) = ^(local void *memory) {
        local int *shared = (local int *)memory;
        int l = get_local_id(0);
        shared[l] = l;
        barrier(CLK_LOCAL_MEM_FENCE);
        out[get_global_id(0)] = shared[l + 1];
    };
    enqueue_kernel(LATER, ndrange_1D(8, 4), rotate, 4 * sizeof(int));
}

// 1/1: i32 8
kernel void near_beyond_local_memory_of_a_block(global int *out) {
    void (^rotate)(local void *) = ^(local void *memory) {
        local int *shared = (local int *)memory;
        int l = get_local_id(0);
        shared[l] = l;
        barrier(CLK_LOCAL_MEM_FENCE);
        out[get_global_id(0)] = shared[(l + 1) % 4];
    };
    enqueue_kernel(LATER, ndrange_1D(8, 4), rotate, 4 * sizeof(int));
}

// 1/1: i32 8
kernel void local_memory_of_a_block_not_written(global int *out) {
    void (^rotate)(local void *, local void *) = ^(local void *one, local void *other) {
        local int *shared = (local int *)other;
        int l = get_local_id(0);
        if (l != 2) shared[l] = l;
        barrier(CLK_LOCAL_MEM_FENCE);
        out[get_global_id(0)] = shared[(l + 1) % 4];
    };
    enqueue_kernel(LATER, ndrange_1D(8, 4), rotate, 12u, 4 * sizeof(int));
}

// 1/1: i32 8
kernel void near_local_memory_of_a_block_not_written(global int *out) {
    void (^rotate)(local void *, local void *) = ^(local void *one, local void *other) {
        local int *shared = (local int *)other;
        int l = get_local_id(0);
        if (l != 4) shared[l] = l;
        barrier(CLK_LOCAL_MEM_FENCE);
        out[get_global_id(0)] = shared[(l + 1) % 4];
    };
    enqueue_kernel(LATER, ndrange_1D(8, 4), rotate, 12u, 4 * sizeof(int));
}

// 1/1: i32 8
kernel void race_in_local_memory_of_a_block(global int *out) {
    void (^rotate)(local void *) = ^(local void *memory) {
        local int *shared = (local int *)memory;
        int l = get_local_id(0);
        shared[l] = l + 1;
        if (l > 0) out[get_global_id(0)] = shared[l - 1];
    };
    enqueue_kernel(LATER, ndrange_1D(4, 4), rotate, 4 * sizeof(int));
}

// 1/1: i32 8
kernel void near_race_in_local_memory_of_a_block(global int *out) {
    void (^rotate)(local void *) = ^(local void *memory) {
        local int *shared = (local int *)memory;
        int l = get_local_id(0);
        shared[l] = l + 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l > 0) out[get_global_id(0)] = shared[l - 1];
    };
    enqueue_kernel(LATER, ndrange_1D(4, 4), rotate, 4 * sizeof(int));
}

// 1/1: i32 8
kernel void barrier_in_a_block(global int *out) {
    enqueue_kernel(LATER, ndrange_1D(8, 4), ^{
        if (get_global_id(0) == 6) return;
        barrier(CLK_GLOBAL_MEM_FENCE);
        out[get_global_id(0)] = 1;
    });
}

// 1/1: i32 8
kernel void near_barrier_in_a_block(global int *out) {
    enqueue_kernel(LATER, ndrange_1D(8, 4), ^{
        if (get_global_id(0) >= 4) return;
        barrier(CLK_GLOBAL_MEM_FENCE);
        out[get_global_id(0)] = 1;
    });
}
