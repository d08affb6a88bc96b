//! The device in processes of every kind: forked ones, confined ones, ones that end in the middle of work, ones with a floating-point state of
//! their own.
//!
//! Tests that need a process for themselves run this program again with the name of an ignored test.

use device::abi::{KernelEntry, KernelNeeds, LaunchRecord, WorkerRecord};
use device::launch::{Code, Launch, LaunchOutcome, Started, run, start};
use device::machine::machine;
use device::memory::{ArgumentBlock, copy};
use device::{fork, pool, printf};
use std::os::unix::process::CommandExt;
use std::process::{Command, Output};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

/// Runs an ignored test of this file in a process of its own.
fn process(name: &str, prepare: impl FnOnce(&mut Command)) -> Output {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args(["--exact", name, "--ignored", "--nocapture"]);
    prepare(&mut command);
    let output = command.output().expect("this program runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output
}

/// A launch of `groups` groups of one work-item; its kernel's argument is a pointer to `argument`, which must outlive it.
fn launch<T>(entry: KernelEntry, argument: &T, groups: u64) -> Launch {
    let mut block = ArgumentBlock::new(8);
    assert!(block.put(0, &(std::ptr::from_ref(argument) as u64).to_le_bytes()));
    let needs = KernelNeeds {
        gang_width: 1,
        local_bytes: 0,
        frame_bytes: 0,
        stack_bytes: 4096,
        ..KernelNeeds::default()
    };
    // SAFETY: the kernels of this file take such an argument.
    unsafe { Launch::new(Code { entry, needs }, block, 1, [groups, 1, 1], [1, 1, 1]) }
}

/// # Safety
/// The block's first argument must be a pointer to a `T`.
unsafe fn argument<'a, T>(launch: *const LaunchRecord) -> &'a T {
    // SAFETY: the launch is valid, and its first argument is such a pointer, says the caller.
    unsafe { &**(*launch).arguments.cast::<*const T>() }
}

unsafe extern "C" fn count(launch: *const LaunchRecord, _: *mut WorkerRecord, first: u64, end: u64, _: u64, _: u64) -> u32 {
    for _ in 0..20 * (end - first) {
        std::hint::spin_loop();
    }
    // SAFETY: the argument is a counter.
    unsafe { argument::<AtomicU64>(launch) }.fetch_add(end - first, Ordering::Relaxed);
    0
}

/// Launches of both kinds, a task and a big copy work.
fn everything_works() -> bool {
    let counter = AtomicU64::new(0);
    let launch = launch(count, &counter, 3000);
    let mut good = (0..3).all(|_| run(&launch) == LaunchOutcome::Complete);
    let (done, finished) = channel();
    let from_task = done.clone();
    pool::spawn(move || from_task.send(LaunchOutcome::Complete).expect("somebody listens"));
    good &= finished.recv() == Ok(LaunchOutcome::Complete);
    good &= match start(launch, move |outcome| done.send(outcome).expect("somebody listens")) {
        Started::InFlight => finished.recv() == Ok(LaunchOutcome::Complete),
        Started::Finished(outcome) => outcome == LaunchOutcome::Complete,
    };
    let (from, mut to) = (vec![7u8; 3 << 20], vec![0u8; 3 << 20]);
    // SAFETY: two vectors of that size.
    unsafe { copy(to.as_mut_ptr(), from.as_ptr(), from.len(), usize::MAX) };
    good && counter.load(Ordering::Relaxed) == 12_000 && from == to
}

#[test]
fn forked_children_work() {
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        // Other threads keep the pool and its locks busy while children are made.
        for _ in 0..3 {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    assert!(everything_works());
                }
            });
        }
        // However this ends, the other threads end too.
        struct Stop<'a>(&'a AtomicBool);
        impl Drop for Stop<'_> {
            fn drop(&mut self) {
                self.0.store(true, Ordering::Relaxed);
            }
        }
        let _stop = Stop(&stop);
        for _ in 0..15 {
            let generation = fork::generation();
            // SAFETY: the child uses the device, atomics and malloc, which glibc keeps usable, and leaves without cleaning up.
            let child = unsafe { libc::fork() };
            if child == 0 {
                // SAFETY: a child that hangs is ended by the alarm.
                unsafe { libc::alarm(60) };
                let good = fork::generation() == generation + 1 && everything_works() && everything_works();
                // A grandchild, for good measure.
                // SAFETY: as above.
                let grandchild = unsafe { libc::fork() };
                if grandchild == 0 {
                    let good = everything_works();
                    // SAFETY: leaves at once.
                    unsafe { libc::_exit(i32::from(!good)) };
                }
                let mut status = -1;
                // SAFETY: waits for the grandchild, leaves at once.
                unsafe {
                    libc::waitpid(grandchild, &mut status, 0);
                    libc::_exit(i32::from(!good || status != 0));
                }
            }
            let mut status = -1;
            // SAFETY: waits for the child made above.
            unsafe { libc::waitpid(child, &mut status, 0) };
            assert_eq!(status, 0);
        }
    });
}

#[test]
#[ignore = "run by a test, in a process of its own"]
fn tell_compute_units() {
    assert!(everything_works());
    println!("compute units: {}", machine().compute_units);
}

#[test]
fn affinity_and_wishes_are_honoured() {
    let units = |prepare: &dyn Fn(&mut Command)| {
        let output = process("tell_compute_units", |command| {
            command.env_remove("BROLGA_THREADS");
            prepare(command);
        });
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let count = text
            .split("compute units: ")
            .nth(1)
            .and_then(|rest| rest.lines().next())
            .expect("the count");
        count.parse::<usize>().expect("a number")
    };
    assert_eq!(
        units(&|command| {
            command.env("BROLGA_THREADS", "3");
        }),
        3
    );
    let one = units(&|command| {
        let confine = || {
            let mut mask = [0u64; 128];
            // SAFETY: the calls read and write the mask, whose size is given; nothing is allocated.
            unsafe {
                libc::syscall(libc::SYS_sched_getaffinity, 0, size_of_val(&mask), mask.as_mut_ptr());
                let word = mask.iter().position(|&word| word != 0).unwrap_or(0);
                let first = mask[word] & mask[word].wrapping_neg();
                mask = [0; 128];
                mask[word] = first;
                libc::syscall(libc::SYS_sched_setaffinity, 0, size_of_val(&mask), mask.as_ptr());
            }
            Ok(())
        };
        // SAFETY: `confine` does system calls only.
        unsafe { command.pre_exec(confine) };
    });
    assert_eq!(one, 1);
}

unsafe extern "C" fn endless(_: *const LaunchRecord, _: *mut WorkerRecord, _: u64, _: u64, _: u64, _: u64) -> u32 {
    loop {
        std::hint::spin_loop();
    }
}

#[test]
#[ignore = "run by a test, in a process of its own"]
fn leave_with_work_in_flight() {
    // Enough launches for every worker and some that wait; their argument is never read.
    for _ in 0..3 * machine().compute_units {
        assert_eq!(
            start(launch(endless, &0u64, 2), |_| unreachable!("it never ends")),
            Started::InFlight
        );
    }
}

#[test]
fn a_process_may_end_in_the_middle_of_work() {
    process("leave_with_work_in_flight", |_| {});
}

fn threads_of_the_pool() -> usize {
    let threads = std::fs::read_dir("/proc/self/task").expect("proc").flatten();
    let names = threads.filter_map(|thread| std::fs::read_to_string(thread.path().join("comm")).ok());
    names.filter(|name| name.starts_with("brolga-")).count()
}

#[test]
#[ignore = "run by a test, in a process of its own"]
fn shut_down_again_and_again() {
    let counter = Arc::new(AtomicU64::new(0));
    for round in 1..=50 {
        for _ in 0..20 {
            let counter = counter.clone();
            pool::spawn(move || {
                counter.fetch_add(1, Ordering::Relaxed);
            });
        }
        pool::shutdown();
        assert_eq!(counter.load(Ordering::Relaxed), 20 * round);
        // A thread that has been joined runs no code of the process any more; the kernel takes it off its list a moment later.
        let deadline = Instant::now() + Duration::from_secs(10);
        while threads_of_the_pool() > 0 {
            assert!(Instant::now() < deadline, "{} threads outlived the pool", threads_of_the_pool());
            std::thread::yield_now();
        }
        assert!(everything_works());
    }
}

#[test]
fn the_pool_can_be_shut_down() {
    process("shut_down_again_and_again", |_| {});
}

#[test]
#[ignore = "run by a test, in a process of its own"]
fn shut_down_while_others_launch() {
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..3)
            .map(|_| scope.spawn(|| assert!((0..30).all(|_| everything_works()))))
            .collect();
        while !workers.iter().all(|worker| worker.is_finished()) {
            pool::shutdown();
        }
    });
}

#[test]
fn the_pool_can_be_shut_down_while_it_is_used() {
    process("shut_down_while_others_launch", |_| {});
}

unsafe extern "C" fn print(launch: *const LaunchRecord, worker: *mut WorkerRecord, first: u64, end: u64, _: u64, _: u64) -> u32 {
    for group in first..end {
        let slots = [group, 0.5f64.to_bits(), c"end".as_ptr() as u64];
        // SAFETY: the records are those of this kernel; format and slots agree.
        let result = unsafe { printf::brolga_printf(launch, worker, c"group %lu %.1f %s\n".as_ptr(), slots.as_ptr(), 3) };
        assert_eq!(result, 0);
    }
    0
}

#[test]
#[ignore = "run by a test, in a process of its own"]
fn print_much() {
    println!("begin");
    for groups in [1, 5000, 100_000] {
        assert_eq!(run(&launch(print, &0u64, groups)), LaunchOutcome::Complete);
    }
    println!("the end");
}

#[test]
fn all_that_is_printed_arrives_in_order() {
    let output = process("print_much", |_| {});
    let text = String::from_utf8(output.stdout).expect("ASCII");
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("group") || *line == "the end")
        .collect();
    let groups = [1, 5000, 100_000].into_iter().flat_map(|count| 0..count);
    let mut expected: Vec<String> = groups.map(|group| format!("group {group} 0.5 end")).collect();
    expected.push("the end".into());
    assert!(lines == expected);
}

/// The register that says how floats are rounded, and what its values mean.
#[cfg(target_arch = "x86_64")]
mod control {
    use core::arch::asm;

    /// MXCSR: exceptions masked, round to nearest.
    pub const USUAL: u64 = 0x1f80;
    /// As usual; subnormals flushed, rounding toward zero, all exceptions unmasked.
    pub const OF_HOSTS: [u64; 4] = [USUAL, 0x9fc0, 0x7f80, 0x0000];
    /// What a kernel leaves behind.
    pub const OF_A_KERNEL: u64 = 0xffc0;

    pub fn read() -> u64 {
        let mut value = 0u32;
        // SAFETY: a store of a register.
        unsafe { asm!("stmxcsr [{}]", in(reg) &raw mut value) };
        value.into()
    }

    pub fn write(value: u64) {
        let value = value as u32;
        // SAFETY: what follows until the state is put back does no floating point but the kernel's.
        unsafe { asm!("ldmxcsr [{}]", in(reg) &raw const value) };
    }
}

#[cfg(target_arch = "aarch64")]
mod control {
    use core::arch::asm;

    /// FPCR: no traps, round to nearest.
    pub const USUAL: u64 = 0;
    /// As usual; subnormals flushed, rounding toward zero, NaNs without payload.
    pub const OF_HOSTS: [u64; 4] = [USUAL, 1 << 24, 3 << 22, 1 << 25];
    /// What a kernel leaves behind.
    pub const OF_A_KERNEL: u64 = 1 << 24 | 1 << 22;

    pub fn read() -> u64 {
        let value: u64;
        // SAFETY: a read of a register.
        unsafe { asm!("mrs {}, fpcr", out(reg) value) };
        value
    }

    pub fn write(value: u64) {
        // SAFETY: what follows until the state is put back does no floating point but the kernel's.
        unsafe { asm!("msr fpcr, {}", in(reg) value) };
    }
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[test]
fn kernels_have_their_own_floating_point_state() {
    /// Counts groups that found the right state; leaves another one behind.
    unsafe extern "C" fn check(launch: *const LaunchRecord, _: *mut WorkerRecord, first: u64, end: u64, _: u64, _: u64) -> u32 {
        if control::read() == control::USUAL {
            // SAFETY: the argument is a counter.
            unsafe { argument::<AtomicU64>(launch) }.fetch_add(end - first, Ordering::Relaxed);
        }
        control::write(control::OF_A_KERNEL);
        for _ in 0..1000 {
            std::hint::spin_loop();
        }
        0
    }

    for groups in [1, 1000] {
        let good = AtomicU64::new(0);
        let launch = launch(check, &good, groups);
        for host in control::OF_HOSTS {
            control::write(host);
            let outcome = run(&launch);
            let after = control::read();
            control::write(control::USUAL);
            assert_eq!((outcome, after), (LaunchOutcome::Complete, host));
        }
        assert_eq!(good.load(Ordering::Relaxed), 4 * groups);
    }
}
