// options: -cl-std=CL2.0
// Kernels that are enqueued from kernels (6.15.18): what blocks there are.
kernel void k(global int *o) {
    queue_t q = get_default_queue();
    ndrange_t range = ndrange_1D(4);
    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, range, ^{ o[0] = 1; });
    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, range); // error: a block is missing among the arguments of this call
    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, range, ^(int x) { o[0] = x; }, 4); // error: 'local void *' only, not 'int'
    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, range, o); // error: a block is expected here, not '__global int *'
    o[1] = get_kernel_work_group_size(^(local void *p) { *(local int *)p = o[0]; });
}
