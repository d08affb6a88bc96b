//! Launches of hand-written kernels: every group runs once, with its memory, whatever the shape and whoever runs it.

use device::abi::{KernelEntry, KernelNeeds, LaunchRecord, Trap, WorkerRecord};
use device::launch::{Code, Launch, LaunchOutcome, Started, run, start};
use device::memory::ArgumentBlock;
use device::pool;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Barrier};

fn code(entry: KernelEntry) -> Code {
    Code {
        entry,
        needs: KernelNeeds {
            gang_width: 8,
            local_bytes: 64,
            frame_bytes: 32,
            stack_bytes: 1000,
            ..KernelNeeds::default()
        },
    }
}

fn arguments<T>(value: &T) -> ArgumentBlock {
    let mut block = ArgumentBlock::new(8);
    assert!(block.put(0, &(std::ptr::from_ref(value) as u64).to_le_bytes()));
    block
}

/// # Safety
/// The block's first argument must be a pointer to a `T`.
unsafe fn argument<'a, T>(launch: *const LaunchRecord) -> &'a T {
    // SAFETY: the launch is valid, and its first argument is such a pointer, says the caller.
    unsafe { &**(*launch).arguments.cast::<*const T>() }
}

/// What the counting kernel works on: a counter a work-item.
struct Counts {
    size: [u64; 3],
    items: Vec<AtomicU64>,
}

impl Counts {
    fn new(size: [u64; 3]) -> Counts {
        Counts {
            size,
            items: (0..size.iter().product()).map(|_| AtomicU64::new(0)).collect(),
        }
    }

    fn all_are(&self, value: u64) -> bool {
        self.items.iter().all(|item| item.load(Ordering::Relaxed) == value)
    }
}

/// Adds 1 for each work-item of the groups, using the local memory as scratch; checks the arena on the way.
unsafe extern "C" fn count(launch: *const LaunchRecord, worker: *mut WorkerRecord, first: u64, end: u64, y: u64, z: u64) -> u32 {
    // SAFETY: the runtime hands valid records, and the argument is a `Counts`.
    let (launch, worker, counts) = unsafe { (&*launch, &mut *worker, argument::<Counts>(launch)) };
    assert_eq!(worker.local_memory as usize % 128, 0);
    assert_eq!(worker.private_memory as usize % 128, 0);
    // SAFETY: 64 bytes of local memory and a frame for each gang were asked for.
    unsafe {
        worker.local_memory.write_bytes(1, 64);
        worker
            .private_memory
            .write_bytes(2, worker.arena_end as usize - worker.private_memory as usize);
        worker.scratch.write_bytes(3, 4096);
    }
    for x in first..end {
        let mut sizes = [0; 3];
        for (axis, group) in [x, y, z].into_iter().enumerate() {
            let start = group * launch.local_size[axis];
            sizes[axis] = launch.local_size[axis].min(launch.global_size[axis] - start);
        }
        for k in 0..sizes[2] {
            for j in 0..sizes[1] {
                for i in 0..sizes[0] {
                    let id = [
                        x * launch.local_size[0] + i,
                        y * launch.local_size[1] + j,
                        z * launch.local_size[2] + k,
                    ];
                    let index = id[0] + counts.size[0] * (id[1] + counts.size[1] * id[2]);
                    counts.items[index as usize].fetch_add(1, Ordering::Relaxed);
                }
            }
        }
    }
    0
}

fn counting_launch(counts: &Counts, local: [u64; 3]) -> Launch {
    // SAFETY: `count` wants a pointer to a `Counts`, which the callers keep until the launch is over.
    unsafe { Launch::new(code(count), arguments(counts), 3, counts.size, local) }
}

#[test]
fn every_work_item_runs_once() {
    for (size, local) in [
        ([1, 1, 1], [1, 1, 1]),
        ([1000, 1, 1], [64, 1, 1]),
        ([100_000, 1, 1], [1, 1, 1]),
        ([97, 31, 13], [8, 4, 2]),
        ([64, 64, 16], [8, 8, 8]),
        ([1, 1, 500], [1, 1, 3]),
    ] {
        let counts = Counts::new(size);
        let launch = counting_launch(&counts, local);
        for round in 1..=20 {
            assert_eq!(run(&launch), LaunchOutcome::Complete);
            assert!(counts.all_are(round), "{size:?} by {local:?}, round {round}");
        }
    }
}

#[test]
fn nothing_to_do_is_done() {
    let counts = Counts::new([0, 5, 1]);
    let launch = counting_launch(&counts, [1, 1, 1]);
    assert_eq!(run(&launch), LaunchOutcome::Complete);
    assert_eq!(
        start(launch, |_| panic!("it is over already")),
        Started::Finished(LaunchOutcome::Complete)
    );
}

#[test]
fn many_threads_launch_at_once() {
    let start_together = Barrier::new(6);
    std::thread::scope(|scope| {
        for thread in 0..6u64 {
            let start_together = &start_together;
            scope.spawn(move || {
                let counts = Counts::new([3000 + 100 * thread, 3, 2]);
                let launch = counting_launch(&counts, [7, 1, 1]);
                start_together.wait();
                for round in 1..=50 {
                    assert_eq!(run(&launch), LaunchOutcome::Complete);
                    assert!(counts.all_are(round));
                }
            });
        }
    });
}

#[test]
fn many_launches_are_in_flight() {
    let counts: Vec<Counts> = (0..100).map(|index| Counts::new([1000 + index, 2, 1])).collect();
    let (done, finished) = channel();
    for round in 1..=10 {
        let mut in_flight = 0;
        for counts in &counts {
            let done = done.clone();
            match start(counting_launch(counts, [3, 1, 1]), move |outcome| {
                done.send(outcome).expect("the test listens")
            }) {
                Started::InFlight => in_flight += 1,
                Started::Finished(outcome) => assert_eq!(outcome, LaunchOutcome::Complete),
            }
        }
        for _ in 0..in_flight {
            while pool::help() {}
            assert_eq!(finished.recv().expect("a launch ends"), LaunchOutcome::Complete);
        }
        assert!(counts.iter().all(|counts| counts.all_are(round)));
    }
}

#[test]
fn workers_are_limited_and_numbered() {
    struct Seen {
        indices: [AtomicU64; 64],
        total: AtomicU64,
    }
    unsafe extern "C" fn note(launch: *const LaunchRecord, worker: *mut WorkerRecord, first: u64, end: u64, _: u64, _: u64) -> u32 {
        // SAFETY: the argument is a `Seen`, the records are valid.
        let (seen, index) = unsafe { (argument::<Seen>(launch), (*worker).index) };
        // Nobody else has this number now.
        assert_eq!(seen.indices[index as usize].fetch_add(1, Ordering::AcqRel), 0);
        for _ in 0..2000 {
            std::hint::spin_loop();
        }
        seen.total.fetch_add(end - first, Ordering::Relaxed);
        assert_eq!(seen.indices[index as usize].fetch_sub(1, Ordering::AcqRel), 1);
        0
    }
    for max_workers in [1, 2, usize::MAX] {
        let seen = Seen {
            indices: [const { AtomicU64::new(0) }; 64],
            total: AtomicU64::new(0),
        };
        // SAFETY: `note` wants a pointer to a `Seen`, which outlives the launch.
        let mut launch = unsafe { Launch::new(code(note), arguments(&seen), 1, [2000, 1, 1], [1, 1, 1]) };
        launch.max_workers = max_workers;
        for _ in 0..5 {
            assert_eq!(run(&launch), LaunchOutcome::Complete);
        }
        assert_eq!(seen.total.load(Ordering::Relaxed), 10_000);
    }
}

/// Traps in group 700.
unsafe extern "C" fn trap_at_700(launch: *const LaunchRecord, worker: *mut WorkerRecord, first: u64, end: u64, _: u64, _: u64) -> u32 {
    // SAFETY: the argument is a counter, the records are valid.
    let (ran, worker) = unsafe { (argument::<AtomicU64>(launch), &mut *worker) };
    for group in first..end {
        if group == 700 {
            worker.trap = Trap::Assertion as u32;
            worker.trap_item = [700, 1, 2];
            return worker.trap;
        }
        ran.fetch_add(1, Ordering::Relaxed);
    }
    0
}

#[test]
fn a_trap_ends_the_launch_and_says_where() {
    let ran = AtomicU64::new(0);
    // SAFETY: the kernel wants a pointer to a counter, which outlives the launches.
    let launch = unsafe { Launch::new(code(trap_at_700), arguments(&ran), 1, [1 << 30, 1, 1], [1, 1, 1]) };
    let expected = LaunchOutcome::Trapped {
        trap: Trap::Assertion,
        item: [700, 1, 2],
    };
    for _ in 0..20 {
        assert_eq!(run(&launch), expected);
        let (done, finished) = channel();
        match start(launch.clone(), move |outcome| done.send(outcome).expect("the test listens")) {
            Started::InFlight => assert_eq!(finished.recv().expect("it ends"), expected),
            Started::Finished(outcome) => assert_eq!(outcome, expected),
        }
    }
    assert!(ran.load(Ordering::Relaxed) >= 700);
    // As the kernel sees it.
    for (dimension, item) in [(1, [1, 700, 2]), (2, [2, 1, 700])] {
        let mut launch = launch.clone();
        launch.exchanged = Some(dimension);
        let trap = Trap::Assertion;
        assert_eq!(run(&launch), LaunchOutcome::Trapped { trap, item });
    }
}

#[test]
fn a_need_that_cannot_be_met_is_an_error() {
    let counts = Counts::new([1000, 1, 1]);
    for needs in [
        KernelNeeds {
            gang_width: 8,
            local_bytes: 1 << 50,
            frame_bytes: 0,
            stack_bytes: 0,
            ..KernelNeeds::default()
        },
        KernelNeeds {
            gang_width: 1,
            local_bytes: 0,
            frame_bytes: u64::MAX / 2,
            stack_bytes: 0,
            ..KernelNeeds::default()
        },
        KernelNeeds {
            gang_width: 8,
            local_bytes: 0,
            frame_bytes: 0,
            stack_bytes: 1 << 50,
            ..KernelNeeds::default()
        },
    ] {
        let mut launch = counting_launch(&counts, [10, 1, 1]);
        launch.edge = Some(Code { entry: count, needs });
        assert_eq!(run(&launch), LaunchOutcome::OutOfMemory);
    }
    assert!(counts.all_are(0));
    let mut launch = counting_launch(&counts, [10, 1, 1]);
    launch.global_size = [u64::MAX, 4, 1];
    launch.local_size = [1, 1, 1];
    assert_eq!(run(&launch), LaunchOutcome::OutOfMemory);
}

#[test]
fn big_needs_are_met() {
    unsafe extern "C" fn use_all(launch: *const LaunchRecord, worker: *mut WorkerRecord, first: u64, end: u64, _: u64, _: u64) -> u32 {
        #[inline(never)]
        fn deep(level: u64) -> u64 {
            let frame = std::hint::black_box([level; 1000]);
            if level == 0 {
                0
            } else {
                deep(level - 1) + std::hint::black_box(frame)[999].min(1)
            }
        }
        // SAFETY: the records are valid; the memory between the pointers belongs to this worker.
        unsafe {
            let (start, end) = ((*worker).local_memory, (*worker).arena_end);
            start.write_bytes(5, end as usize - start as usize);
            argument::<AtomicU64>(launch)
        }
        .fetch_add((end - first) * deep(200), Ordering::Relaxed);
        0
    }
    let total = AtomicU64::new(0);
    let needs = KernelNeeds {
        gang_width: 8,
        local_bytes: 1 << 20,
        frame_bytes: 100_000,
        stack_bytes: 5 << 20,
        ..KernelNeeds::default()
    };
    // SAFETY: the kernel wants a pointer to a counter, which outlives the launch.
    let launch = unsafe { Launch::new(Code { entry: use_all, needs }, arguments(&total), 1, [640, 1, 1], [64, 1, 1]) };
    assert_eq!(run(&launch), LaunchOutcome::Complete);
    assert_eq!(total.load(Ordering::Relaxed), 10 * 200);
}

/// A launch whose groups suddenly cost a thousand times what was learned: all workers come, and all groups run.
#[test]
fn an_estimate_that_is_wrong_does_no_harm() {
    unsafe extern "C" fn spin(launch: *const LaunchRecord, _: *mut WorkerRecord, first: u64, end: u64, _: u64, _: u64) -> u32 {
        // SAFETY: the argument is a pair of counters.
        let [rounds, ran] = unsafe { argument::<[AtomicU64; 2]>(launch) };
        for _ in 0..(end - first) * rounds.load(Ordering::Relaxed) {
            std::hint::spin_loop();
        }
        ran.fetch_add(end - first, Ordering::Relaxed);
        0
    }
    let state = [AtomicU64::new(0), AtomicU64::new(0)];
    // SAFETY: the kernel wants a pointer to two counters, which outlive the launches.
    let launch = unsafe { Launch::new(code(spin), arguments(&state), 1, [200, 1, 1], [1, 1, 1]) };
    for rounds in [0, 0, 0, 10_000, 0, 0, 0, 0, 0, 0, 0, 0, 10_000] {
        state[0].store(rounds, Ordering::Relaxed);
        state[1].store(0, Ordering::Relaxed);
        assert_eq!(run(&launch), LaunchOutcome::Complete);
        assert_eq!(state[1].load(Ordering::Relaxed), 200);
    }
}

#[test]
fn what_must_live_lives_until_the_end() {
    let alive = Arc::new(());
    let counts = Counts::new([100_000, 1, 1]);
    let mut launch = counting_launch(&counts, [1, 1, 1]);
    launch.keep = Some(alive.clone());
    let (done, finished) = channel();
    assert_eq!(
        start(launch, move |outcome| done.send(outcome).expect("the test listens")),
        Started::InFlight
    );
    assert_eq!(finished.recv().expect("it ends"), LaunchOutcome::Complete);
    assert_eq!(Arc::strong_count(&alive), 1);
    assert!(counts.all_are(1));
}

/// Groups that ask for it are run in the order of their numbers, whoever runs them.
#[test]
fn groups_in_order() {
    struct Order {
        next: AtomicU64,
        wrong: AtomicU64,
    }
    unsafe extern "C" fn note(launch: *const LaunchRecord, _: *mut WorkerRecord, first: u64, end: u64, y: u64, _: u64) -> u32 {
        // SAFETY: the launch is valid, and its argument is an `Order`.
        let (launch, order) = unsafe { (&*launch, argument::<Order>(launch)) };
        for x in first..end {
            let number = y * launch.group_count[0] + x;
            // Long enough for others to come along.
            std::hint::black_box((0..2000_u64).fold(number, |sum, n| sum ^ n.wrapping_mul(sum | 1)));
            if order.next.swap(number + 1, Ordering::Relaxed) != number {
                order.wrong.fetch_add(1, Ordering::Relaxed);
            }
        }
        0
    }
    let mut code = code(note);
    code.needs.in_order = true;
    let order = Order {
        next: AtomicU64::new(0),
        wrong: AtomicU64::new(0),
    };
    // SAFETY: the code is made for this argument, which lives until the launch is over.
    let launch = unsafe { Launch::new(code, arguments(&order), 2, [8 * 500, 20, 1], [8, 1, 1]) };
    assert_eq!(run(&launch), LaunchOutcome::Complete);
    assert_eq!((order.next.into_inner(), order.wrong.into_inner()), (10_000, 0));
}
