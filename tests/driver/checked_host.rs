//! Checked mode: what the host does wrong around launches (the checks `host`, `lanes` and `leaks`).

use crate::checked::{FILE, again, set, told};
use brolga_tests::cl_sys::*;
use brolga_tests::{Context, Range, check, cl};
use std::ptr::{null, null_mut};

/// A kernel that is told that its arguments are apart.
const APART: &str = "kernel void apart(global int *restrict out, global const int *in) { out[get_global_id(0)] = in[get_global_id(0)]; }";

/// Enqueues [`APART`] with one buffer twice, with two of which one is mapped for writing, and with two, and leaves a buffer behind.
#[test]
fn faults_of_the_host() {
    let Ok(_) = std::env::var(FILE) else { return };
    let context = Context::new();
    let program = context.program(APART, "");
    let kernel = program.kernel("apart");
    let (one, other) = (context.zeros::<i32>(8), context.zeros::<i32>(8));
    println!("twice");
    kernel.run(&context, &Range::new([8]), &[&one, &one]);
    eprintln!("mapped");
    let mut status = 0;
    let (queue, flags) = (context.queue, CL_MAP_WRITE);
    let pointer = cl!(clEnqueueMapBuffer(
        queue,
        other.id,
        CL_TRUE,
        flags,
        0,
        4,
        0,
        null(),
        std::ptr::null_mut(),
        &mut status
    ));
    check(status, "clEnqueueMapBuffer");
    kernel.run(&context, &Range::new([8]), &[&one, &other]);
    check(
        cl!(clEnqueueUnmapMemObject(queue, other.id, pointer, 0, null(), std::ptr::null_mut())),
        "clEnqueueUnmapMemObject",
    );
    eprintln!("neither");
    kernel.run(&context, &Range::new([8]), &[&one, &other]);
    let fresh = program.kernel("apart");
    set(&context, &fresh, 0, "null");
    eprintln!("one is not set");
    assert_eq!(fresh.enqueue(&context, &Range::new([8])).err(), Some(CL_INVALID_KERNEL_ARGS));
    std::mem::forget(one);
}

/// A command on one queue, then one on another or on the same, with what orders them or not.
#[test]
fn commands_without_an_order() {
    let Ok(_) = std::env::var(FILE) else { return };
    let context = Context::new();
    let source = "kernel void fill(global int *out) { out[get_global_id(0)] = 1; }
        kernel void sum(global int *out, global const int *in) { out[get_global_id(0)] += in[get_global_id(0)]; }";
    let program = context.program(source, "");
    let mut status = 0;
    let mut queue = |properties: cl_command_queue_properties| {
        let queue = cl!(clCreateCommandQueue(context.id, context.device.id, properties, &mut status));
        check(status, "clCreateCommandQueue");
        queue
    };
    let (one, two, any) = (queue(0), queue(0), queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE));
    let (whole, other) = (context.zeros::<i32>(4096), context.zeros::<i32>(4096));
    let part = |origin: usize, size: usize| {
        let region = cl_buffer_region { origin, size };
        let mut status = 0;
        let region = (&raw const region).cast();
        let part = cl!(clCreateSubBuffer(whole.id, 0, CL_BUFFER_CREATE_TYPE_REGION, region, &mut status));
        check(status, "clCreateSubBuffer");
        part
    };
    let (left, right, middle) = (part(0, 8192), part(8192, 8192), part(4096, 8192));
    let launch = |queue: cl_command_queue, name: &str, arguments: &[cl_mem], wait_list: &[cl_event]| {
        let kernel = program.kernel(name);
        for (index, argument) in arguments.iter().enumerate() {
            let value = (&raw const *argument).cast();
            check(
                cl!(clSetKernelArg(kernel.id, index as u32, size_of::<cl_mem>(), value)),
                "clSetKernelArg",
            );
        }
        let (count, list) = (
            wait_list.len() as u32,
            if wait_list.is_empty() { null() } else { wait_list.as_ptr() },
        );
        let (size, mut event) = (64_usize, null_mut());
        let status = cl!(clEnqueueNDRangeKernel(
            queue,
            kernel.id,
            1,
            null(),
            &size,
            null(),
            count,
            list,
            &mut event
        ));
        check(status, "clEnqueueNDRangeKernel");
        event
    };
    let finish = || {
        [one, two, any]
            .into_iter()
            .for_each(|queue| check(cl!(clFinish(queue)), "clFinish"))
    };
    let begin = |name: &str| {
        finish();
        eprintln!("== {name}");
    };

    begin("overlapping sub-buffers on two queues");
    launch(one, "fill", &[left], &[]);
    launch(two, "fill", &[middle], &[]);
    begin("near: sub-buffers that do not overlap");
    launch(one, "fill", &[left], &[]);
    launch(two, "fill", &[right], &[]);
    begin("near: the second waits for the first");
    let event = launch(one, "fill", &[left], &[]);
    launch(two, "fill", &[middle], &[event]);
    begin("near: one queue in order");
    launch(one, "fill", &[left], &[]);
    launch(one, "fill", &[middle], &[]);
    begin("a queue out of order");
    launch(any, "fill", &[whole.id], &[]);
    launch(any, "sum", &[other.id, whole.id], &[]);
    begin("near: both read");
    launch(any, "sum", &[left, other.id], &[]);
    launch(any, "sum", &[right, other.id], &[]);
    begin("near: a barrier between");
    launch(any, "fill", &[whole.id], &[]);
    check(
        cl!(clEnqueueBarrierWithWaitList(any, 0, null(), null_mut())),
        "clEnqueueBarrierWithWaitList",
    );
    launch(any, "sum", &[other.id, whole.id], &[]);
    begin("near: the host waited");
    let event = launch(one, "fill", &[whole.id], &[]);
    check(cl!(clWaitForEvents(1, &event)), "clWaitForEvents");
    launch(two, "fill", &[whole.id], &[]);
    begin("near: something between waited for the first");
    let event = launch(one, "fill", &[whole.id], &[]);
    let event = launch(two, "fill", &[other.id], &[event]);
    launch(any, "fill", &[whole.id], &[event]);
    begin("a copy of what a kernel writes");
    launch(one, "fill", &[left], &[]);
    let status = cl!(clEnqueueCopyBuffer(two, whole.id, other.id, 4096, 0, 64, 0, null(), null_mut()));
    check(status, "clEnqueueCopyBuffer");
    begin("near: a copy of what lies beside it");
    launch(one, "fill", &[left], &[]);
    let status = cl!(clEnqueueCopyBuffer(two, whole.id, other.id, 8192, 0, 64, 0, null(), null_mut()));
    check(status, "clEnqueueCopyBuffer");
    begin("near: columns side by side");
    let data = [7_u8; 64];
    for column in [0, 8] {
        let (pitch, region) = (64, [8, 8, 1]);
        let (origin, host) = ([column, 0, 0], [0, 0, 0]);
        let status = cl!(clEnqueueWriteBufferRect(
            any,
            whole.id,
            CL_FALSE,
            origin.as_ptr(),
            host.as_ptr(),
            region.as_ptr(),
            pitch,
            0,
            8,
            0,
            data.as_ptr().cast(),
            0,
            null(),
            null_mut()
        ));
        check(status, "clEnqueueWriteBufferRect");
    }
    begin("near: an event of the host's");
    let user = cl!(clCreateUserEvent(context.id, &mut 0));
    launch(one, "fill", &[whole.id], &[]);
    launch(two, "fill", &[whole.id], &[user]);
    check(cl!(clSetUserEventStatus(user, CL_COMPLETE)), "clSetUserEventStatus");
    finish();
}

/// A kernel whose work-groups can't be made otherwise, in groups of 12, of 16 and of 1.
#[test]
fn groups_that_leave_lanes_idle() {
    let Ok(_) = std::env::var(FILE) else { return };
    let context = Context::new();
    let source = "__attribute__((intel_reqd_sub_group_size(8))) kernel void sums(global int *out) {
        local int sum;
        if (get_local_id(0) == 0) sum = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        atomic_add(&sum, 1);
        barrier(CLK_LOCAL_MEM_FENCE);
        out[get_global_id(0)] = sum;
    }
    kernel void alone(global int *out) { out[get_global_id(0)] = 1; }";
    let program = context.program(source, "");
    let out = context.zeros::<i32>(48);
    for local in [12, 16] {
        println!("groups of {local}");
        program.kernel("sums").run(&context, &Range::new([48]).local([local]), &[&out]);
    }
    program.kernel("alone").run(&context, &Range::new([48]).local([1]), &[&out]);
}

#[test]
fn commands_that_share_memory_have_an_order() {
    let variables = [(FILE, ""), ("BROLGA_CHECK", "host"), ("BROLGA_THREADS", "2")];
    let output = again("checked_host::commands_without_an_order", &variables);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
    let mut faulty = Vec::new();
    for (name, said) in told(&stderr) {
        if !said.is_empty() {
            faulty.push((name, said));
        }
    }
    let no_order = "no event, barrier or wait orders the two commands";
    let sentence = |name: &str, text: &str| (name.to_owned(), format!("brolga check: {text}, and {no_order}\n"));
    let expected = [
        sentence(
            "a copy of what a kernel writes",
            "kernel 'fill' writes argument 0 'out' and copy buffer reads its source: they share 64 bytes",
        ),
        sentence(
            "a queue out of order",
            "kernel 'fill' writes argument 0 'out' and kernel 'sum' reads argument 1 'in': they share 16384 bytes",
        ),
        sentence(
            "overlapping sub-buffers on two queues",
            "kernel 'fill' writes argument 0 'out' and kernel 'fill' writes argument 0 'out': they share 4096 bytes",
        ),
    ];
    assert_eq!(faulty, expected, "{stderr}");
}

#[test]
fn idle_lanes_are_told() {
    let run = |checks| {
        let output = again(
            "checked_host::groups_that_leave_lanes_idle",
            &[(FILE, ""), ("BROLGA_CHECK", checks)],
        );
        assert!(output.status.success());
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let told = "brolga check: kernel 'sums': work-groups of 12 work-items leave 4 of 16 lanes idle: gangs have 8 lanes, which multiples of 8 fill\n";
    assert_eq!(run("lanes"), told);
    assert_eq!(run("1"), "");
}

#[test]
fn what_the_host_does_wrong_is_told() {
    let run = |checks| {
        let output = again("checked_host::faults_of_the_host", &[(FILE, ""), ("BROLGA_CHECK", checks)]);
        assert!(output.status.success());
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let told = run("host,leaks");
    let expected = "brolga check: kernel 'apart': argument 0 'out' and argument 1 'in' share memory, though 'out' is restrict and one of the two is written
mapped
brolga check: kernel 'apart': argument 1 'in' is mapped for writing when the kernel is enqueued
neither
one is not set
brolga check: kernel 'apart': argument 1 'in' was never set
brolga check: never released at exit: memory objects: 1
";
    assert_eq!(told, expected);
    assert_eq!(run("1"), "mapped\nneither\none is not set\n");
}
