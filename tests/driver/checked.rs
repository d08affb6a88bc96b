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
pub(crate) fn set(context: &Context, kernel: &Kernel, index: u32, description: &str) {
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
pub(crate) fn told(stderr: &str) -> BTreeMap<String, String> {
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
