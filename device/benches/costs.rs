//! What launching and copying cost on this machine, as a table: `cargo bench -p brolga-device`.

use device::abi::{KernelNeeds, LaunchRecord, WorkerRecord};
use device::launch::{Code, Launch, LaunchOutcome, Started, run, start};
use device::memory::{Allocation, ArgumentBlock, copy, fill};
use device::{clock, machine::machine, pool};
use std::sync::mpsc::channel;

unsafe extern "C" fn empty(_: *const LaunchRecord, _: *mut WorkerRecord, _: u64, _: u64, _: u64, _: u64) -> u32 {
    0
}

/// About a microsecond a group.
unsafe extern "C" fn busy(_: *const LaunchRecord, _: *mut WorkerRecord, first: u64, end: u64, _: u64, _: u64) -> u32 {
    for group in first..end {
        let mut value = group;
        for _ in 0..1000 {
            value = std::hint::black_box(value.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        }
    }
    0
}

fn launch(entry: device::abi::KernelEntry, groups: u64) -> Launch {
    let needs = KernelNeeds {
        gang_width: 8,
        local_bytes: 0,
        frame_bytes: 64,
        stack_bytes: 256,
        ..KernelNeeds::default()
    };
    // SAFETY: the kernels of this file take no arguments.
    unsafe { Launch::new(Code { entry, needs }, ArgumentBlock::new(0), 1, [groups * 64, 1, 1], [64, 1, 1]) }
}

/// The median time of a call, in nanoseconds, measured in batches.
fn median(batch: u32, mut f: impl FnMut()) -> f64 {
    let mut times: Vec<f64> = (0..41)
        .map(|_| {
            let before = clock::now();
            (0..batch).for_each(|_| f());
            (clock::now() - before) as f64 / f64::from(batch)
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn main() {
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    println!("{} · {} compute units", machine().name, machine().compute_units);
    println!("\nlaunching");
    for groups in [1, 16, 1000, 1_000_000] {
        let launch = launch(empty, groups);
        let time = median(if groups > 1000 { 10 } else { 1000 }, || {
            assert_eq!(run(&launch), LaunchOutcome::Complete)
        });
        println!("  empty kernel, {groups:>8} groups: {time:>10.0} ns");
    }
    let one = launch(empty, 1);
    let time = median(10, || (0..1000).for_each(|_| assert_eq!(run(&one), LaunchOutcome::Complete)));
    println!("  1,000 empty launches in a row:  {time:>10.0} ns");
    let (done, finished) = channel();
    let time = median(20, || {
        let done = done.clone();
        pool::spawn(move || done.send(LaunchOutcome::Complete).expect("the bench listens"));
        finished.recv().expect("it ends");
    });
    println!("  a worker woken and waited for:  {time:>10.0} ns");
    for groups in [10, 20, 50, 100, 1000, 10_000] {
        let launch = launch(busy, groups);
        let mut alone = launch.clone();
        alone.max_workers = 1;
        let serial = median(5, || assert_eq!(run(&alone), LaunchOutcome::Complete));
        let shared = median(5, || assert_eq!(run(&launch), LaunchOutcome::Complete));
        let started = median(5, || {
            let done = done.clone();
            if let Started::InFlight = start(launch.clone(), move |outcome| done.send(outcome).expect("the bench listens")) {
                finished.recv().expect("it ends");
            }
        });
        println!(
            "  busy kernel, {groups:>6} groups: {serial:>10.0} ns alone, {shared:>10.0} ns shared ({:.2}x), {started:>10.0} ns started",
            serial / shared
        );
    }
    println!("\nmemory");
    for mebibytes in [1, 8, 64, 512] {
        let bytes = mebibytes << 20;
        let (Ok(from), Ok(to)) = (Allocation::new(bytes, 1), Allocation::new(bytes, 1)) else {
            continue;
        };
        let rate = |time: f64| bytes as f64 / time;
        // SAFETY: both allocations have that many bytes.
        let (plain, all, filled) = unsafe {
            fill(from.as_ptr(), &[1], bytes, usize::MAX);
            (
                median(1, || std::ptr::copy_nonoverlapping(from.as_ptr(), to.as_ptr(), bytes)),
                median(1, || copy(to.as_ptr(), from.as_ptr(), bytes, usize::MAX)),
                median(1, || fill(to.as_ptr(), &[1, 2, 3, 4], bytes, usize::MAX)),
            )
        };
        println!(
            "  {mebibytes:>4} MiB: memcpy on one thread {:>5.1} GB/s, copy {:>5.1} GB/s, fill {:>5.1} GB/s",
            rate(plain),
            rate(all),
            rate(filled)
        );
    }
}
