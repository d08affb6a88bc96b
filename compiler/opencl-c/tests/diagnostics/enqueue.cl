// options: -cl-std=CL2.0
// Kernels that are enqueued from kernels (6.15.18): the device has no queues for that.
kernel void k(global int *o, queue_t q) {
    clk_event_t event = CLK_NULL_EVENT;
    ndrange_t range = ndrange_1D(4); // error: 'ndrange_1D' cannot be called: this device cannot enqueue kernels from kernels
    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, range, ^{ o[0] = 1; }); // error: 'enqueue_kernel' cannot be called
    release_event(event); // error: 'release_event' cannot be called
}
