//! Launches: ranges, work-item functions, events, order.

use brolga_tests::cl_sys::*;
use brolga_tests::{Context, Event, Local, Range, check, cl};
use std::ptr::{null, null_mut};

const WHO: &str = "kernel void k(global uint *r) {
    size_t gx = get_global_id(0), gy = get_global_id(1), gz = get_global_id(2);
    size_t ox = get_global_offset(0), oy = get_global_offset(1), oz = get_global_offset(2);
    size_t i = ((gz - oz) * get_global_size(1) + (gy - oy)) * get_global_size(0) + (gx - ox);
    global uint *m = r + i * 20;
    m[0] = gx; m[1] = gy; m[2] = gz;
    for (uint d = 0; d < 3; d++) {
        m[3 + d] = get_local_id(d); m[6 + d] = get_group_id(d); m[9 + d] = get_local_size(d); m[12 + d] = get_num_groups(d);
        m[15 + d] = get_enqueued_local_size(d);
    }
    m[18] = get_work_dim(); m[19] = get_global_id(7) + get_local_size(9) * 10 + get_global_linear_id();
}";

/// Checks what each work-item of a range reads of itself.
#[track_caller]
fn check_range(global: [usize; 3], local: [usize; 3], offset: [usize; 3], dimensions: usize) {
    let context = Context::new();
    let program = context.program(WHO, "-cl-std=CL3.0");
    let items: usize = global.iter().product();
    let r = context.zeros::<u32>(items * 20);
    let range = Range {
        global: global[..dimensions].to_vec(),
        local: Some(local[..dimensions].to_vec()),
        offset: Some(offset[..dimensions].to_vec()),
    };
    program.kernel("k").run(&context, &range, &[&r]);
    let r = r.read();
    for i in 0..items {
        let id = [i % global[0], i / global[0] % global[1], i / global[0] / global[1]];
        let mut want = [0u32; 20];
        for d in 0..3 {
            let group = id[d] / local[d];
            want[d] = (id[d] + offset[d]) as u32;
            want[3 + d] = (id[d] % local[d]) as u32;
            want[6 + d] = group as u32;
            want[9 + d] = local[d].min(global[d] - group * local[d]) as u32;
            want[12 + d] = global[d].div_ceil(local[d]) as u32;
            want[15 + d] = local[d] as u32;
        }
        want[18] = dimensions as u32;
        want[19] = 10 + i as u32;
        assert_eq!(
            r[i * 20..i * 20 + 20],
            want,
            "work-item {id:?} of {global:?} in groups of {local:?} from {offset:?}"
        );
    }
}

/// Groups of one work-item may be run together; the work-items see nothing of it.
#[test]
fn groups_of_one() {
    check_range([1013, 1, 1], [1, 1, 1], [0, 0, 0], 1);
    check_range([4096, 1, 1], [1, 1, 1], [77, 0, 0], 1);
    check_range([37, 53, 1], [1, 1, 1], [5, 6, 0], 2);
    check_range([1, 333, 2], [1, 1, 1], [0, 6, 1], 3);
}

/// What a work-item that is a group by itself has in local memory is its own: tables that all fill alike, what each writes at places of its own, copies
/// that it waits for, structures and vectors, and what only barriers order. Arguments, atomics and pointers that are kept stay what they were.
#[test]
fn groups_of_one_with_local_memory() {
    let context = Context::new();
    let program = context.program(
        "#define I ((int) get_global_id(0))
        kernel void table(global int *r, constant int *from) {
            local int all[64], mine[16];
            for (uint i = get_local_id(0); i < 64; i += get_local_size(0)) all[i] = from[i];
            for (uint i = get_local_id(0); i < 16; i += get_local_size(0)) mine[i] = I * i;
            barrier(CLK_LOCAL_MEM_FENCE);
            if (I % 3 == 1) all[I % 64] += 1000;
            barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
            r[I] = all[I * 7 % 64] + all[I % 64] + mine[from[I % 64] % 16];
        }
        kernel void copied(global int *r, global const int *from) {
            local int part[8];
            event_t done = async_work_group_copy(part, from + I % 32, 8, 0);
            wait_group_events(1, &done);
            r[I] = part[I % 8];
        }
        struct pair { char tag; int4 value; };
        kernel void mixed(global int *r, constant int *from) {
            local struct pair pairs[3];
            for (int i = 0; i < 3; i++) { pairs[i].tag = i + I; pairs[i].value = (int4)(I, i, from[i], 7); }
            work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_device);
            int at = I % 3;
            r[I] = pairs[at].tag + pairs[at].value.x + pairs[2 - at].value.z * pairs[at].value.w;
        }
        kernel void counted(global int *r, local int *given, local int *more) {
            local int count;
            count = I;
            given[0] = 5;
            more[0] = I;
            barrier(CLK_LOCAL_MEM_FENCE);
            r[I] = atomic_add(&count, 3) + atomic_add(&count, given[0]) + more[0];
        }
        kernel void kept(global int *r, global ulong *where) {
            local int x;
            x = 2 * I;
            where[I] = (ulong) &x;
            barrier(CLK_LOCAL_MEM_FENCE);
            r[I] = *(local int *) where[I];
        }
        kernel __attribute__((reqd_work_group_size(4, 1, 1))) void four(global int *r) {
            local int x[4];
            x[get_local_id(0)] = I;
            barrier(CLK_LOCAL_MEM_FENCE);
            r[I] = x[3 - get_local_id(0)];
        }",
        "-cl-std=CL3.0",
    );
    let n = 3001;
    let range = Range::new([n]).local([1]);
    let from: Vec<i32> = (0..64).map(|i| i * i % 51).collect();
    let (given, r) = (context.buffer(&from), context.zeros::<i32>(n));
    let at = |i: i32| from[i as usize % 64];
    program.kernel("table").run(&context, &range, &[&r, &given]);
    for (i, x) in (0..).zip(r.read()) {
        let added = |place: i32| if i % 3 == 1 && place % 64 == i % 64 { 1000 } else { 0 };
        assert_eq!(x, at(i * 7) + added(i * 7) + at(i) + added(i) + i * (at(i) % 16), "table, {i}");
    }
    program.kernel("copied").run(&context, &range, &[&r, &given]);
    assert!((0..).zip(r.read()).all(|(i, x)| x == at(i % 32 + i % 8)), "copied");
    program.kernel("mixed").run(&context, &range, &[&r, &given]);
    let tag = |i: i32| i32::from((i % 3 + i) as i8);
    assert!((0..).zip(r.read()).all(|(i, x)| x == tag(i) + i + at(2 - i % 3) * 7), "mixed");
    program.kernel("counted").run(&context, &range, &[&r, &Local(8), &Local(4)]);
    assert!((0..).zip(r.read()).all(|(i, x)| x == i + i + 3 + i), "counted");
    program.kernel("kept").run(&context, &range, &[&r, &context.zeros::<u64>(n)]);
    assert!((0..).zip(r.read()).all(|(i, x)| x == 2 * i), "kept");
    program.kernel("four").run(&context, &Range::new([3000]).local([4]), &[&r]);
    assert!((0..3000).zip(r.read()).all(|(i, x)| x == i / 4 * 4 + 3 - i % 4), "four");
}

/// Each group has local memory of its own, and a group that holds a lock comes to its end while others wait for it.
#[test]
fn groups_of_one_that_keep_apart() {
    let context = Context::new();
    let program = context.program(
        "kernel void own(global int *r) {
            local int x;
            int i = get_global_id(0);
            x = i * 3;
            barrier(CLK_LOCAL_MEM_FENCE);
            r[i] = x + get_local_id(0);
        }
        kernel __attribute__((reqd_work_group_size(1, 1, 1))) void required(global int *r) {
            r[get_global_id(0)] = 4 * get_group_id(0) + 2 * get_local_id(0) + get_local_size(0) - get_num_groups(0);
        }
        kernel void lock(global int *r, volatile global int *lock) {
            int done = 0;
            while (!done) {
                if (atomic_cmpxchg(lock, 0, 1) == 0) {
                    r[0] = r[0] + 1;
                    mem_fence(CLK_GLOBAL_MEM_FENCE);
                    atomic_xchg(lock, 0);
                    done = 1;
                }
            }
        }",
        "",
    );
    let n = 3000;
    let range = Range::new([n]).local([1]);
    let r = context.zeros::<i32>(n);
    program.kernel("own").run(&context, &range, &[&r]);
    assert!(r.read().iter().enumerate().all(|(i, &x)| x == 3 * i as i32));
    program.kernel("required").run(&context, &Range::new([n]), &[&r]);
    assert!(r.read().iter().enumerate().all(|(i, &x)| x == 4 * i as i32 + 1 - n as i32));
    let (sum, lock) = (context.zeros::<i32>(1), context.zeros::<i32>(1));
    program.kernel("lock").run(&context, &range, &[&sum, &lock]);
    assert_eq!(sum.read(), [n as i32]);
}

/// Groups that no work-item looks at may be run as others; each work-item is still run once, with its ids.
#[test]
fn groups_that_nobody_looks_at() {
    let context = Context::new();
    let program = context.program(
        "void count(global int *r, size_t x, size_t y, size_t z, size_t nx, size_t ny) {
            r[(z * ny + y) * nx + x] += (int) (1 + x + 1000 * y + 1000000 * z);
        }
        #define X (get_global_id(0) - get_global_offset(0))
        #define Y (get_global_id(1) - get_global_offset(1))
        #define Z (get_global_id(2) - get_global_offset(2))
        kernel void any(global int *r) {
            count(r, X, Y, Z, get_global_size(0), get_global_size(1));
        }
        kernel void turns(global int *r, int n) {
            for (int i = 0; i < n; i++)
                r[(Z * get_global_size(1) + Y) * get_global_size(0) + X] += (int) (1 + X + 1000 * Y + 1000000 * Z);
        }
        kernel __attribute__((reqd_work_group_size(5, 3, 1))) void required(global int *r) {
            count(r, X, Y, Z, get_global_size(0), get_global_size(1));
        }",
        "-cl-std=CL3.0",
    );
    let check = |name: &str, global: [usize; 3], local: [usize; 3], offset: [usize; 3]| {
        let r = context.zeros::<i32>(global.iter().product());
        let range = Range::new(global).local(local).offset(offset);
        let kernel = program.kernel(name);
        let number = if name == "turns" { 2 } else { 1 };
        let _ = kernel.run(&context, &range, &[&r as _, &1 as _][..number]);
        for (i, &found) in r.read().iter().enumerate() {
            let (x, y, z) = (i % global[0], i / global[0] % global[1], i / global[0] / global[1]);
            let want = (1 + x + 1000 * y + 1_000_000 * z) as i32;
            assert_eq!(
                found, want,
                "{name}: ({x}, {y}, {z}) of {global:?} in groups of {local:?} from {offset:?}"
            );
        }
    };
    for name in ["any", "turns"] {
        for (global, local) in [
            ([94, 94, 3], [94, 2, 1]),
            ([94, 94, 2], [47, 2, 2]),
            ([512, 64, 1], [16, 16, 1]),
            ([512, 64, 1], [4, 4, 1]),
            ([1000, 1, 1], [10, 1, 1]),
            ([997, 7, 1], [8, 8, 1]),
            ([3, 700, 1], [3, 7, 1]),
            ([1, 900, 2], [1, 9, 2]),
        ] {
            check(name, global, local, [0, 0, 0]);
            check(name, global, local, [77, 5, 1]);
        }
    }
    check("required", [100, 99, 1], [5, 3, 1], [0, 3, 0]);
}

/// Work-groups in which nobody does anything are left out, not visited one by one: these launches would take hours.
#[test]
fn launches_with_few_work_items_that_do_something() {
    const SOURCE: &str = "
        kernel void below(global uint *count, ulong n) { if (get_global_id(D) >= n) return; atomic_inc(count); }
        kernel void from(global uint *count, ulong n) { if (get_global_id(D) < n) return; atomic_inc(count); }
        kernel void both(global uint *count, ulong n) {
            ulong sum = 2 * get_global_id(D) + get_global_id((D + 1) % 3);
            if (sum < n || get_group_id(D) * get_enqueued_local_size(D) > n) return;
            atomic_inc(count);
        }";
    let context = Context::new();
    for dimension in 0..3 {
        let program = context.program(SOURCE, &format!("-cl-std=CL3.0 -DD={dimension}"));
        for size in [1usize << 40, (1 << 40) + 3] {
            let mut global = vec![5, 3, 2];
            global[dimension] = size;
            let others = global.iter().product::<usize>() / size;
            let mut local = vec![1; 3];
            local[dimension] = 64;
            for local in [None, Some(local), Some(vec![2, 2, 2])] {
                let range = Range {
                    global: global.clone(),
                    local: local.clone(),
                    offset: None,
                };
                let run = |name: &str, n: usize| {
                    let count = context.zeros::<u32>(1);
                    program.kernel(name).run(&context, &range, &[&count, &(n as u64)]);
                    count.read()[0] as usize
                };
                assert_eq!(run("below", 1000), 1000 * others, "{global:?} {local:?}");
                assert_eq!(run("from", size - 1000), 1000 * others, "{global:?} {local:?}");
                assert!(run("both", 2000) > 900 * others, "{global:?} {local:?}");
            }
        }
    }
}

#[test]
fn one_dimension() {
    check_range([64, 1, 1], [16, 1, 1], [0, 0, 0], 1);
    check_range([7, 1, 1], [7, 1, 1], [1000, 0, 0], 1);
    check_range([1, 1, 1], [1, 1, 1], [0, 0, 0], 1);
}

#[test]
fn two_dimensions() {
    check_range([32, 12, 1], [8, 4, 1], [0, 0, 0], 2);
    check_range([6, 10, 1], [3, 5, 1], [5, 70, 0], 2);
    check_range([5, 64, 1], [1, 32, 1], [0, 0, 0], 2);
}

#[test]
fn three_dimensions() {
    check_range([8, 6, 4], [4, 3, 2], [1, 2, 3], 3);
    check_range([3, 5, 7], [3, 1, 7], [0, 0, 0], 3);
}

#[test]
fn groups_that_are_cut_off() {
    check_range([50, 1, 1], [16, 1, 1], [0, 0, 0], 1);
    check_range([13, 9, 1], [8, 4, 1], [3, 0, 0], 2);
    check_range([5, 7, 3], [4, 4, 2], [0, 1, 0], 3);
}

#[test]
fn a_local_size_of_the_drivers_choice() {
    let context = Context::new();
    let source = "kernel void k(global uint *r, global uint *local_sizes) { size_t i = get_global_id(0); r[i] = i + 1; local_sizes[i] = get_local_size(0); }";
    let program = context.program(source, "");
    for n in [1usize, 7, 64, 97, 1000, 4096, 100_003] {
        let (r, sizes) = (context.zeros::<u32>(n), context.zeros::<u32>(n));
        program.kernel("k").run(&context, &Range::new([n]), &[&r, &sizes]);
        assert_eq!(r.read(), (1..=n as u32).collect::<Vec<_>>(), "n = {n}");
        assert!(
            sizes.read().iter().all(|&size| size >= 1 && n % size as usize == 0),
            "OpenCL C 1.2 programs have uniform groups: n = {n}"
        );
    }
}

#[test]
fn a_required_local_size() {
    let context = Context::new();
    let source = "kernel __attribute__((reqd_work_group_size(4, 2, 1))) void k(global uint *r) { r[get_global_id(1) * 8 + get_global_id(0)] = get_local_size(0) * 10 + get_local_size(1); }";
    let program = context.program(source, "");
    let kernel = program.kernel("k");
    let r = context.zeros::<u32>(32);
    kernel.run(&context, &Range::new([8, 4]), &[&r]);
    assert_eq!(r.read(), [42; 32]);
    kernel.run(&context, &Range::new([8, 4]).local([4, 2]), &[&r]);
    assert_eq!(
        kernel.enqueue(&context, &Range::new([8, 4]).local([2, 2])).err(),
        Some(CL_INVALID_WORK_GROUP_SIZE)
    );
    assert_eq!(
        kernel.work_group_info(CL_KERNEL_COMPILE_WORK_GROUP_SIZE).unwrap().sizes(),
        [4, 2, 1]
    );
}

#[test]
fn arguments_are_taken_when_a_kernel_is_enqueued() {
    let context = Context::new();
    let program = context.program("kernel void k(global int *r, int at, int v) { r[at] = v; }", "");
    let kernel = program.kernel("k");
    let r = context.zeros::<i32>(200);
    let mut events = Vec::new();
    for i in 0..200 {
        kernel.set(&[&r, &i, &(i * i)]);
        events.push(kernel.enqueue(&context, &Range::new([1])).unwrap());
    }
    assert_eq!(r.read(), (0..200).map(|i| i * i).collect::<Vec<_>>());
    assert!(events.iter().all(|event| event.status() == CL_COMPLETE));
}

#[test]
fn an_in_order_queue_keeps_its_order() {
    let context = Context::new();
    let program = context.program(
        "kernel void k(global int *r, int v) { size_t i = get_global_id(0); r[i] = r[i] * 3 + v; }",
        "",
    );
    let kernel = program.kernel("k");
    let r = context.zeros::<i32>(5000);
    for v in 0..30 {
        kernel.set(&[&r, &v]);
        kernel.enqueue(&context, &Range::new([5000])).unwrap();
    }
    let want = (0..30).fold(0i32, |r, v| r.wrapping_mul(3).wrapping_add(v));
    assert_eq!(r.read(), [want; 5000]);
}

#[test]
fn profiling_times_are_in_order() {
    let context = Context::new();
    let program = context.program(
        "kernel void k(global float *r) { size_t i = get_global_id(0); r[i] = sqrt((float)i); }",
        "",
    );
    let r = context.zeros::<f32>(100_000);
    let event = program.kernel("k").run(&context, &Range::new([100_000]), &[&r]);
    let names = [
        CL_PROFILING_COMMAND_QUEUED,
        CL_PROFILING_COMMAND_SUBMIT,
        CL_PROFILING_COMMAND_START,
        CL_PROFILING_COMMAND_END,
        CL_PROFILING_COMMAND_COMPLETE,
    ];
    let times = names.map(|name| event.time(name));
    assert!(times.is_sorted() && times[0] > 0 && times[3] > times[2], "{times:?}");
}

#[test]
fn a_user_event_holds_commands_back() {
    let context = Context::new();
    let program = context.program("kernel void k(global int *r) { r[0] = 5; }", "");
    let kernel = program.kernel("k");
    let r = context.zeros::<i32>(1);
    kernel.set(&[&r]);
    let mut status = 0;
    let gate = Event(cl!(clCreateUserEvent(context.id, &mut status)));
    check(status, "clCreateUserEvent");
    let mut event = null_mut();
    let size = 1usize;
    check(
        cl!(clEnqueueNDRangeKernel(
            context.queue,
            kernel.id,
            1,
            null(),
            &size,
            null(),
            1,
            &gate.0,
            &mut event
        )),
        "clEnqueueNDRangeKernel",
    );
    let event = Event(event);
    check(cl!(clFlush(context.queue)), "clFlush");
    assert!(event.status() > CL_COMPLETE, "it ran before its event");
    check(cl!(clSetUserEventStatus(gate.0, CL_COMPLETE)), "clSetUserEventStatus");
    event.wait().unwrap();
    assert_eq!(r.read(), [5]);
}

#[test]
fn a_failed_event_fails_what_waits_for_it() {
    let context = Context::new();
    let mut status = 0;
    let gate = Event(cl!(clCreateUserEvent(context.id, &mut status)));
    check(status, "clCreateUserEvent");
    let r = context.buffer(&[1, 2]);
    let mut event = null_mut();
    check(
        cl!(clEnqueueFillBuffer(
            context.queue,
            r.id,
            (&7i32 as *const i32).cast(),
            4,
            0,
            8,
            1,
            &gate.0,
            &mut event
        )),
        "clEnqueueFillBuffer",
    );
    let event = Event(event);
    check(cl!(clSetUserEventStatus(gate.0, -5)), "clSetUserEventStatus");
    assert_eq!(event.wait(), Err(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST));
    assert!(event.status() < 0);
    assert_eq!(r.read(), [1, 2]);
}

#[test]
fn an_event_calls_back() {
    extern "C" fn note(_: cl_event, status: cl_int, data: *mut c_void) {
        // SAFETY: the sender is never freed.
        let sender = unsafe { &*data.cast::<std::sync::mpsc::Sender<cl_int>>() };
        sender.send(status).unwrap();
    }
    let context = Context::new();
    let program = context.program("kernel void k(global int *r) { r[get_global_id(0)] = 5; }", "");
    let r = context.zeros::<i32>(100);
    let event = program.kernel("k").run(&context, &Range::new([100]), &[&r]);
    let (sender, receiver) = std::sync::mpsc::channel::<cl_int>();
    let data = Box::into_raw(Box::new(sender)).cast();
    check(
        cl!(clSetEventCallback(event.0, CL_COMPLETE, Some(note), data)),
        "clSetEventCallback",
    );
    assert_eq!(receiver.recv(), Ok(CL_COMPLETE));
}

#[test]
fn many_threads_at_once() {
    std::thread::scope(|scope| {
        for t in 0..4 {
            scope.spawn(move || {
                let context = Context::new();
                let program = context.program(
                    "kernel void k(global int *r, int v) { size_t i = get_global_id(0); r[i] += v * (int)i; }",
                    "",
                );
                let kernel = program.kernel("k");
                let r = context.zeros::<i32>(3000);
                for v in 0..50 {
                    kernel.set(&[&r, &(v + t)]);
                    kernel.enqueue(&context, &Range::new([3000])).unwrap();
                }
                let factor: i32 = (0..50).map(|v| v + t).sum();
                assert_eq!(r.read(), (0..3000).map(|i| i * factor).collect::<Vec<_>>());
            });
        }
    });
}
