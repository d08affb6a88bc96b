//! What is said of a memory fault in a kernel's code, and who learns of it besides. Each case is a process of its own: this program again, with the
//! name of an ignored test.

#![cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]

use device::abi::{KernelEntry, KernelNeeds, LaunchRecord, WorkerRecord};
use device::fault::Object;
use device::launch::{Code, Launch, run, start};
use device::memory::ArgumentBlock;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Output};

/// An address that nothing is at.
const WILD: usize = 0x1234;

fn process(name: &str, quiet: bool) -> Output {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args(["--exact", name, "--ignored", "--nocapture"]);
    command.env("BROLGA_QUIET", if quiet { "1" } else { "0" });
    command.output().expect("this program runs")
}

unsafe extern "C" fn write_wildly(_: *const LaunchRecord, _: *mut WorkerRecord, first: u64, end: u64, _: u64, _: u64) -> u32 {
    if (first..end).contains(&5) {
        // SAFETY: none: it is the fault that the tests are about.
        unsafe { (std::hint::black_box(WILD) as *mut u8).write_volatile(1) };
    }
    0
}

#[allow(unconditional_recursion, clippy::only_used_in_recursion, reason = "until the stack ends")]
unsafe extern "C" fn recurse(launch: *const LaunchRecord, worker: *mut WorkerRecord, first: u64, end: u64, y: u64, z: u64) -> u32 {
    let frame = std::hint::black_box([first; 64]);
    // SAFETY: none: the stack ends some time.
    unsafe { recurse(launch, worker, first + 1, end, y, z) + frame[7] as u32 }
}

fn launch(entry: KernelEntry) {
    run(&a_launch(entry));
}

fn a_launch(entry: KernelEntry) -> Launch {
    let needs = KernelNeeds {
        gang_width: 1,
        stack_bytes: 4096,
        ..KernelNeeds::default()
    };
    // SAFETY: the kernels of this file take no argument.
    let mut launch = unsafe { Launch::new(Code { entry, needs }, ArgumentBlock::new(0), 1, [8, 1, 1], [1, 1, 1]) };
    launch.name = Some("wild".into());
    launch.objects.extend([
        Object {
            argument: 0,
            start: 0x1000,
            bytes: 0x200,
        },
        Object {
            argument: 3,
            start: 0x7000,
            bytes: 16,
        },
    ]);
    launch
}

#[test]
#[ignore = "run by a test, in a process of its own"]
fn fault_of_a_worker() {
    start(a_launch(write_wildly), |_| {});
    std::thread::sleep(std::time::Duration::from_secs(60));
}

#[test]
fn a_worker_s_fault_is_told_of() {
    let output = process("fault_of_a_worker", false);
    assert!(words(&output).contains("kernel 'wild'"), "{output:?}");
    assert_eq!(output.status.signal(), Some(libc::SIGSEGV));
}

#[test]
#[ignore = "run by a test, in a process of its own"]
fn fault() {
    launch(write_wildly);
}

#[test]
#[ignore = "run by a test, in a process of its own"]
fn overflow() {
    launch(recurse);
}

unsafe extern "C" fn handler_of_the_application(signal: i32) {
    let text = b"the application's handler\n";
    // SAFETY: as many bytes; leaves at once.
    unsafe {
        libc::write(2, text.as_ptr().cast(), text.len());
        libc::_exit(40 + signal);
    }
}

fn install_handler() {
    // SAFETY: a function of the right type.
    unsafe { libc::signal(libc::SIGSEGV, handler_of_the_application as *const () as libc::sighandler_t) };
}

#[test]
#[ignore = "run by a test, in a process of its own"]
fn fault_with_a_handler() {
    install_handler();
    launch(write_wildly);
}

unsafe extern "C" fn nothing(_: *const LaunchRecord, _: *mut WorkerRecord, _: u64, _: u64, _: u64, _: u64) -> u32 {
    0
}

#[test]
#[ignore = "run by a test, in a process of its own"]
fn fault_of_the_host() {
    install_handler();
    launch(nothing);
    // SAFETY: none: it is the fault that the test is about.
    unsafe { (std::hint::black_box(WILD) as *mut u8).write_volatile(1) };
}

#[test]
#[ignore = "run by a test, in a process of its own"]
fn signal_from_elsewhere() {
    // SAFETY: Rust's own handler, which lets such signals pass, is none of this test's.
    unsafe { libc::signal(libc::SIGSEGV, libc::SIG_DFL) };
    launch(nothing);
    // SAFETY: a signal to this process.
    unsafe { libc::raise(libc::SIGSEGV) };
}

fn words(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    text.lines()
        .filter(|line| line.starts_with("brolga:"))
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn a_fault_is_told_of_before_the_process_ends() {
    let output = process("fault", false);
    let words = words(&output);
    for part in [
        "kernel 'wild'",
        "address 0x1234",
        "SIGSEGV",
        "argument 0 points to, 512 bytes at 0x1000: 52 bytes behind its end",
    ] {
        assert!(words.contains(part), "{part}: {words:?}");
    }
    assert!(
        words.contains("work-group (5, 0, 0)") || words.contains("work-groups ("),
        "which work-group: {words:?}"
    );
    assert_eq!(output.status.signal(), Some(libc::SIGSEGV));
}

#[test]
fn the_end_of_the_stack_is_told_of() {
    let output = process("overflow", false);
    assert!(words(&output).contains("kernel 'wild'"), "{output:?}");
    assert!(output.status.signal().is_some());
}

#[test]
fn the_application_has_its_handler() {
    let output = process("fault_with_a_handler", false);
    assert!(words(&output).contains("kernel 'wild'"), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("the application's handler"));
    assert_eq!(output.status.code(), Some(40 + libc::SIGSEGV));
}

#[test]
fn faults_of_the_host_are_the_host_s() {
    let output = process("fault_of_the_host", false);
    assert_eq!(words(&output), "");
    assert_eq!(output.status.code(), Some(40 + libc::SIGSEGV));
    let output = process("signal_from_elsewhere", false);
    assert_eq!(words(&output), "");
    assert_eq!(output.status.signal(), Some(libc::SIGSEGV));
}

#[test]
fn silence_can_be_asked_for() {
    let output = process("fault", true);
    assert_eq!(words(&output), "");
    assert_eq!(output.status.signal(), Some(libc::SIGSEGV));
}
