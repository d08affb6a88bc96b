//! Checked mode: a gallery of faulty kernels with what is told of them, and of kernels that keep the rules by as little as they can.
//!
//! The kernels are in `tests/checked/NAME.cl`, what is told of them in `NAME.txt` (`BROLGA_BLESS=1` writes it anew, to be read before it is
//! committed). Kernels whose names begin with `near_` must run without a word. Each file runs in a process of its own for each target.

use brolga_tests::cl_sys::*;
use brolga_tests::{Context, DeviceQueue, Event, Kernel, Range, Shape, check, cl};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::ptr::{null, null_mut};

/// CL_CHECK_FAILED_BROLGA
pub(crate) const CHECK_FAILED: cl_int = -9701;

/// Where a process that is a test finds the file of kernels that it is to run.
pub(crate) const FILE: &str = "BROLGA_TEST_CHECKED";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("checked")
}

/// This program again, as one of its tests alone.
pub(crate) fn again(test: &str, environment: &[(&str, &str)]) -> Output {
    Command::new(std::env::current_exe().expect("this test's program"))
        .args(["--exact", test, "--nocapture", "--test-threads=1"])
        .envs(environment.iter().copied())
        .output()
        .expect("this test's program again")
}

/// A kernel of the gallery, as its comment says that it is launched.
struct Case {
    name: String,
    range: Range,
    arguments: Vec<String>,
}

fn cases(source: &str) -> Vec<Case> {
    let mut launch = None;
    let mut cases = Vec::new();
    for line in source.lines() {
        if let Some((sizes, arguments)) = line.strip_prefix("// ").and_then(|line| line.split_once(": "))
            && sizes.starts_with(|c: char| c.is_ascii_digit())
        {
            let numbers = |text: &str| text.split(',').map(|number| number.parse().expect("a size")).collect();
            let (global, local) = sizes.split_once('/').expect("global and local size");
            let range = Range {
                global: numbers(global),
                local: Some(numbers(local)),
                offset: None,
            };
            launch = Some((range, arguments.split("; ").map(str::to_owned).collect()));
        } else if let Some(rest) = line.strip_prefix("kernel void ")
            && let Some((range, arguments)) = launch.take()
        {
            let name = rest.split('(').next().unwrap_or_default().to_owned();
            cases.push(Case { name, range, arguments });
        }
    }
    cases
}

/// Bytes of an element: 0, 1, 2, …
fn iota(ty: &str, count: usize) -> Vec<u8> {
    (0..count)
        .flat_map(|n| match ty {
            "u8" => vec![n as u8],
            "u16" => (n as u16).to_ne_bytes().to_vec(),
            "i32" => (n as i32).to_ne_bytes().to_vec(),
            "i64" => (n as i64).to_ne_bytes().to_vec(),
            "f32" => (n as f32).to_ne_bytes().to_vec(),
            "f64" => (n as f64).to_ne_bytes().to_vec(),
            _ => panic!("no type {ty}"),
        })
        .collect()
}

fn buffer(context: &Context, flags: cl_mem_flags, bytes: &[u8]) -> cl_mem {
    let mut status = 0;
    let flags = flags | CL_MEM_COPY_HOST_PTR;
    let host = bytes.as_ptr().cast_mut().cast();
    let id = cl!(clCreateBuffer(context.id, flags, bytes.len(), host, &mut status));
    check(status, "clCreateBuffer");
    id
}

/// Sets an argument as a case describes it.
fn set(context: &Context, kernel: &Kernel, index: u32, description: &str) {
    let words: Vec<&str> = description.split(' ').collect();
    let number = |at: usize| -> usize { words[at].parse().expect("a number") };
    let set = |size: usize, value: *const c_void| check(cl!(clSetKernelArg(kernel.id, index, size, value)), description);
    let set_memory = |id: cl_mem| set(size_of::<cl_mem>(), (&raw const id).cast());
    let set_pointer = |pointer: *mut c_void| check(cl!(clSetKernelArgSVMPointer(kernel.id, index, pointer)), description);
    match words[0] {
        "null" => set(size_of::<cl_mem>(), null()),
        "local" => set(number(1), null()),
        "bytes" => set(number(1), vec![0_u8; number(1)].as_ptr().cast()),
        "value" => {
            let value = iota(words[1], number(2) + 1);
            let size = iota(words[1], 1).len();
            set(size, value[value.len() - size..].as_ptr().cast());
        }
        "ro" => set_memory(buffer(context, CL_MEM_READ_ONLY, &iota(words[1], number(2)))),
        "part" => {
            let whole = buffer(context, CL_MEM_READ_WRITE, &vec![0; 1 << 14]);
            let size = iota(words[1], number(2)).len();
            let region = cl_buffer_region { origin: 1 << 12, size };
            let mut status = 0;
            let part = cl!(clCreateSubBuffer(
                whole,
                0,
                CL_BUFFER_CREATE_TYPE_REGION,
                (&raw const region).cast(),
                &mut status
            ));
            check(status, "clCreateSubBuffer");
            set_memory(part);
        }
        "image" => {
            let flags = if words[1] == "ro" { CL_MEM_READ_ONLY } else { CL_MEM_WRITE_ONLY };
            let pixels = vec![0_u8; 4 * number(2) * number(3)];
            let shape = Shape::d2(number(2), number(3));
            let host = pixels.as_ptr().cast_mut();
            let image = context.try_image(flags | CL_MEM_COPY_HOST_PTR, (CL_R, CL_FLOAT), shape, host);
            let image = std::mem::ManuallyDrop::new(image.expect("an image"));
            set_memory(image.id);
        }
        // What nobody has written to, or to whose first half alone.
        kind @ ("new" | "half") => {
            let bytes = iota(words[1], number(2));
            let mut status = 0;
            let id = cl!(clCreateBuffer(context.id, CL_MEM_READ_WRITE, bytes.len(), null_mut(), &mut status));
            check(status, "clCreateBuffer");
            if kind == "half" {
                let (queue, half, from) = (context.queue, bytes.len() / 2, bytes.as_ptr().cast());
                check(
                    cl!(clEnqueueWriteBuffer(queue, id, CL_TRUE, 0, half, from, 0, null(), null_mut())),
                    "clEnqueueWriteBuffer",
                );
            }
            set_memory(id);
        }
        // The whole of an allocation, or what is behind half of it.
        kind @ ("svm" | "middle") => {
            let size = iota(words[1], number(2)).len();
            let pointer = cl!(clSVMAlloc(context.id, CL_MEM_READ_WRITE, size, 0));
            assert!(!pointer.is_null());
            set_pointer(if kind == "middle" {
                pointer.wrapping_byte_add(size / 2)
            } else {
                pointer
            });
        }
        ty => set_memory(buffer(context, CL_MEM_READ_WRITE, &iota(ty, number(1)))),
    }
}

/// Runs a file's kernels, in a process whose stderr another test reads.
#[test]
fn gallery_of_one_file() {
    let Ok(file) = std::env::var(FILE) else { return };
    let source = std::fs::read_to_string(file).expect("the file of kernels");
    let context = Context::new();
    let _default = DeviceQueue::new(&context, 1 << 16, true).expect("a queue");
    let program = context.program(&source, "-cl-std=CL3.0");
    for case in cases(&source) {
        let kernel = program.kernel(&case.name);
        for (index, argument) in case.arguments.iter().enumerate() {
            set(&context, &kernel, index as u32, argument);
        }
        eprintln!("== {}", case.name);
        let event = kernel.enqueue(&context, &case.range).expect("a launch");
        let _ = event.wait();
        match event.status() {
            CL_COMPLETE => {}
            CHECK_FAILED => eprintln!("its event has failed"),
            other => eprintln!("its event has the status {other}"),
        }
    }
}

/// What was told of each kernel.
fn told(stderr: &str) -> BTreeMap<String, String> {
    let mut told: BTreeMap<String, String> = BTreeMap::new();
    let mut name = None;
    for line in stderr.split_inclusive('\n') {
        match (line.strip_prefix("== "), &name) {
            (Some(next), _) => {
                name = Some(next.trim_end().to_owned());
                told.entry(next.trim_end().to_owned()).or_default();
            }
            (None, Some(name)) => *told.entry(name.clone()).or_default() += line,
            (None, None) => {}
        }
    }
    told
}

fn run_gallery(name: &str, checks: &str) {
    let file = folder().join(format!("{name}.cl"));
    let source = std::fs::read_to_string(&file).expect("the file of kernels");
    let names: Vec<String> = cases(&source).into_iter().map(|case| case.name).collect();
    let expected_file = file.with_extension("txt");
    let mut faults = Vec::new();
    for variables in [
        ("BROLGA_TARGET", "auto"),
        ("BROLGA_TARGET", "avx2"),
        ("BROLGA_TARGET", "cranelift"),
        ("BROLGA_GANG_WIDTH", "1"),
    ] {
        let environment = [
            (FILE, file.to_str().expect("a path of text")),
            ("BROLGA_CHECK", checks),
            ("BROLGA_FRONTEND", "own"),
            // One after the other, for what is counted and told first to be the same each time.
            ("BROLGA_THREADS", "1"),
            variables,
        ];
        let output = again("checked::gallery_of_one_file", &environment);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{name} with {variables:?}: {stderr}");
        let told = told(&stderr);
        let all: String = names
            .iter()
            .map(|name| format!("== {name}\n{}", told.get(name).map_or("not run\n", |text| text)))
            .collect();
        if std::env::var_os("BROLGA_BLESS").is_some() && variables.1 == "auto" {
            std::fs::write(&expected_file, &all).expect("the file of what is told");
        }
        let expected_text = std::fs::read_to_string(&expected_file).expect("the file of what is told");
        let expected = self::told(&expected_text);
        for name in &names {
            let (found, expected) = (told.get(name), expected.get(name));
            if found != expected {
                faults.push(format!("{name} with {variables:?}:\n{found:?}\ninstead of\n{expected:?}"));
            }
            if name.starts_with("near_") != found.is_some_and(String::is_empty) {
                faults.push(format!("{name} with {variables:?}: {found:?}"));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
    let near = names.iter().filter(|name| name.starts_with("near_")).count();
    println!("{name}: {} faulty kernels and {near} that keep the rules", names.len() - near);
}

#[test]
fn accesses_to_global_memory_stay_in_their_objects() {
    run_gallery("global", "bounds");
}

#[test]
fn accesses_to_local_and_private_memory_stay_in_their_objects() {
    run_gallery("local", "bounds");
}

#[test]
fn null_is_accessed_through_no_pointer() {
    run_gallery("pointers", "bounds");
}

#[test]
fn functions_that_stay_calls_are_checked() {
    run_gallery("calls", "1");
}

#[test]
fn divisions_alignments_and_assumptions_hold() {
    run_gallery("arithmetic", "bounds,arith,align,assume");
}

#[test]
fn barriers_are_reached_by_all() {
    run_gallery("barriers", "1");
}

#[test]
fn private_variables_are_written_before_they_are_read() {
    run_gallery("uninitialized", "1");
}

#[test]
fn local_memory_is_written_before_it_is_read() {
    run_gallery("unwritten", "uninit");
}

#[test]
fn accesses_to_images_stay_inside() {
    run_gallery("images", "1");
}

#[test]
fn work_items_of_a_group_do_not_race_for_local_memory() {
    run_gallery("races", "races");
}

#[test]
fn work_items_do_not_race_for_buffers() {
    run_gallery("global_races", "global-races");
}

#[test]
fn sub_groups_come_together_and_events_are_of_copies() {
    run_gallery("groups", "1");
}

#[test]
fn what_kernels_enqueue_is_checked() {
    run_gallery("enqueued", "bounds,arith,barriers,uninit,races");
}

#[test]
fn finite_numbers_stay_finite() {
    run_gallery("nan", "nan");
}

#[test]
fn memory_of_buffers_is_written_before_it_is_read() {
    run_gallery("unwritten_buffers", "global-uninit");
}

#[test]
fn integers_have_room_for_what_is_converted_to_them() {
    run_gallery("conversions", "conversions");
}

/// A kernel that writes one element more than there are.
const ONE_MORE: &str = "kernel void one_more(global int *out) { out[get_global_id(0)] = get_global_id(0) + 1; }";

fn run_one_more(context: &Context, options: &str) -> (Event, Vec<i32>) {
    let program = context.program(ONE_MORE, options);
    let out = context.zeros::<i32>(8);
    let kernel = program.kernel("one_more");
    kernel.set(&[&out]);
    let event = kernel.enqueue(context, &Range::new([9])).expect("a launch");
    let _ = event.wait();
    let values = out.read();
    (event, values)
}

/// The bad access is left out, the others are done, the event has the error, and the next launch is none the worse.
#[test]
fn a_failed_check_fails_its_event_and_nothing_else() {
    let context = Context::new();
    let (event, values) = run_one_more(&context, "-brolga-check=bounds");
    assert_eq!(event.status(), CHECK_FAILED);
    assert_eq!(event.wait(), Err(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST));
    assert_eq!(values, [1, 2, 3, 4, 5, 6, 7, 8]);
    let program = context.program(ONE_MORE, "-brolga-check=1");
    let out = context.zeros::<i32>(8);
    let event = program.kernel("one_more").run(&context, &Range::new([8]), &[&out]);
    assert_eq!(event.status(), CL_COMPLETE);
    assert_eq!(out.read(), [1, 2, 3, 4, 5, 6, 7, 8]);
}

#[test]
fn unknown_checks_are_refused_in_a_sentence() {
    let context = Context::new();
    let log = context
        .build(ONE_MORE, "-brolga-check=bounds,everything")
        .expect_err("there is no such check");
    assert!(
        log.starts_with("-43: ") && log.contains("there is no check 'everything'; the checks are bounds"),
        "{log}"
    );
}

#[test]
fn one_launch_of_the_environment() {
    let Ok(_) = std::env::var(FILE) else { return };
    let context = Context::new();
    match context.build(ONE_MORE, "") {
        Ok(_) => println!("status {}", run_one_more(&context, "").0.status()),
        Err(log) => println!("no build: {log}"),
    }
}

fn with_environment(variables: &[(&str, &str)]) -> (Output, String, String) {
    let variables: Vec<_> = [(FILE, "")].iter().chain(variables).copied().collect();
    let output = again("checked::one_launch_of_the_environment", &variables);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    (output, stdout, stderr)
}

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
    let output = again("checked::commands_without_an_order", &variables);
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
        let output = again("checked::groups_that_leave_lanes_idle", &[(FILE, ""), ("BROLGA_CHECK", checks)]);
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
        let output = again("checked::faults_of_the_host", &[(FILE, ""), ("BROLGA_CHECK", checks)]);
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

#[test]
fn the_environment_says_what_is_checked_and_what_becomes_of_it() {
    let (_, stdout, stderr) = with_environment(&[("BROLGA_CHECK", "1")]);
    assert!(stdout.contains("status -9701"), "{stdout}");
    assert!(stderr.contains("brolga check: kernel 'one_more' source.cl:1:"), "{stderr}");

    let (_, stdout, stderr) = with_environment(&[("BROLGA_CHECK", "bound")]);
    assert!(
        stdout.contains("no build: -43") && stdout.contains("there is no check 'bound'"),
        "{stdout}"
    );
    assert!(stderr.contains("there is no check 'bound'"), "{stderr}");

    let (_, stdout, stderr) = with_environment(&[("BROLGA_CHECK", "help")]);
    assert!(stdout.contains("status 0") && stderr.contains("* bounds"), "{stdout}{stderr}");

    let (_, stdout, stderr) = with_environment(&[("BROLGA_CHECK", "1"), ("BROLGA_CHECK_FAIL", "nothing")]);
    assert!(
        stdout.contains("status 0") && stderr.contains("brolga check: kernel 'one_more'"),
        "{stdout}{stderr}"
    );

    let (output, stdout, _) = with_environment(&[("BROLGA_CHECK", "1"), ("BROLGA_CHECK_FAIL", "exit")]);
    assert_eq!(output.status.code(), Some(97), "{stdout}");

    let (output, stdout, _) = with_environment(&[("BROLGA_CHECK", "1"), ("BROLGA_CHECK_FAIL", "abort")]);
    assert_eq!(
        std::os::unix::process::ExitStatusExt::signal(&output.status),
        Some(libc::SIGABRT),
        "{stdout}"
    );
}

#[test]
fn a_log_has_a_line_of_json_for_each_place() {
    let log = std::env::temp_dir().join(format!("brolga-checked-{}.json", std::process::id()));
    let path = log.to_str().expect("a path of text");
    with_environment(&[("BROLGA_CHECK", "1"), ("BROLGA_CHECK_LOG", path)]);
    let text = std::fs::read_to_string(&log).expect("the log");
    let _ = std::fs::remove_file(&log);
    assert_eq!(text.lines().count(), 1, "{text}");
    let expected = [
        r#""kernel":"one_more","check":"bounds","file":"source.cl","line":1,"#,
        r#""global_id":[8,0,0]"#,
        r#""count":1,"message":"write of 4 bytes, just beyond the end of argument 0 'out' (a buffer of 32 bytes)"}"#,
    ];
    for part in expected {
        assert!(text.contains(part), "{text}");
    }
}
