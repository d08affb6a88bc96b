// options: -cl-std=CL1.2
// Copies between global and local memory, barriers, fences (6.15.8, 6.15.11).
constant event_t program_event = 0; // error: the 'event_t' type cannot be used to declare a program scope variable
event_t returned(event_t e) { return e; }
kernel void k(global float *g, local float *l, global int *p, int n) {
    float own[16];
    event_t e = async_work_group_copy(l, g, 16, 0);
    e = async_work_group_copy(g, l, 16, e);
    wait_group_events(1, &e);
    e = async_work_group_copy(l, p, 16, 0); // error: call to 'async_work_group_copy' is ambiguous
    e = async_work_group_copy(l, own, 16, 0); // error: no matching function for call to 'async_work_group_copy'
    e = async_work_group_copy(l, l, 16, 0); // error: no matching function for call to 'async_work_group_copy'
    e = async_work_group_copy(l, g, 16); // error: no matching function for call to 'async_work_group_copy'
    n = e; // error: from incompatible type 'event_t'
    e = n; // error: from incompatible type 'int'
    e + 1; // error: invalid operands to binary expression
    if (e) ; // error: statement requires expression of scalar type
    barrier(); // error: too few arguments to function call
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    work_group_barrier(CLK_LOCAL_MEM_FENCE); // error: 'work_group_barrier': it needs OpenCL C 2.0 or newer
    prefetch(g, 16);
    prefetch(l, 16); // error: no matching function for call to 'prefetch'
}
