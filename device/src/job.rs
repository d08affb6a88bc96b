//! A job: units of work, numbered from 0, that threads claim in contiguous chunks and in increasing order.

use crate::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering, spin_loop};
use crate::clock;
use crate::lock::Lock;
use crate::os::futex::{sleep_while, wake_one};
use core::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What a job does.
pub(crate) trait Work: Send + Sync {
    /// Does a chunk of units. `slot` is the number of the taking-part thread, unique at a time among those of the job.
    /// Units that nobody has claimed are given up when it returns `false`.
    fn run(&self, job: &Job, units: Range<u64>, slot: u32) -> bool;
}

/// How a job is shared out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sharing {
    /// A chunk has at least this many units, if there are so many.
    pub(crate) grain: u64,
    /// A chunk has at most this many units (or `grain`, if that is more).
    pub(crate) limit: u64,
    /// Threads that it pays to call.
    pub(crate) hands: u32,
    /// Threads that it pays to have if they are awake: no fewer.
    pub(crate) awake: u32,
}

/// How a job stands.
const RUNNING: u32 = 0;
/// As `RUNNING`, and a thread sleeps until it is done.
const AWAITED: u32 = 1;
const DONE: u32 = 2;

/// Who waits for the last chunks of others stays awake so long, in nanoseconds: chunks are short in the end, and waking up takes longer.
const PATIENCE: u64 = 40_000;

/// What has a line of cache for itself (two on x86, where lines come in pairs), so that who writes it takes nothing else from others.
#[derive(Default)]
#[repr(align(128))]
pub(crate) struct Apart<T>(pub(crate) T);

/// Work that is shared out.
pub(crate) struct Job {
    /// Valid until the last unit is finished: nobody touches it later.
    work: *const dyn Work,
    total: u64,
    /// Threads that may take part.
    workers: u32,
    /// Threads that it pays to call.
    hands: AtomicU32,
    /// Threads that it pays to have if they are awake.
    awake: AtomicU32,
    /// A chunk has at least this many units, if there are so many.
    grain: AtomicU64,
    /// A chunk has at most this many units.
    limit: AtomicU64,
    /// `hands` has grown, and nobody has been called for it yet.
    calling: AtomicBool,
    state: AtomicU32,
    /// The first unit that nobody has claimed; above `total` when more was claimed than there was.
    next: Apart<AtomicU64>,
    /// Units that are over (or given up).
    finished: Apart<AtomicU64>,
    /// Counts this job among those of which something is left to claim, once it is in a list.
    open: Option<&'static AtomicU32>,
    /// What to do when all is done.
    on_done: Lock<Option<Box<dyn FnOnce() + Send>>>,
}

// SAFETY: `Work` is Send and Sync, and the pointer to it is used only while it is valid.
unsafe impl Send for Job {}
// SAFETY: as above.
unsafe impl Sync for Job {}

impl Job {
    /// A job of `total` units.
    ///
    /// # Safety
    /// `work` must stay valid until the job is done: until [`Job::wait`] returns, or `on_done` is called.
    pub(crate) unsafe fn new(work: *const dyn Work, total: u64, workers: u32) -> Job {
        // Threads may claim beyond the end, each once; a single one never does.
        let workers = if total > u64::MAX / 2 { 1 } else { workers.max(1) };
        Job {
            work,
            total,
            workers,
            hands: AtomicU32::new(workers),
            awake: AtomicU32::new(workers),
            grain: AtomicU64::new(1),
            limit: AtomicU64::new(u64::MAX),
            calling: AtomicBool::new(false),
            state: AtomicU32::new(RUNNING),
            next: Apart(AtomicU64::new(0)),
            finished: Apart(AtomicU64::new(0)),
            open: None,
            on_done: Lock::new(None),
        }
    }

    /// Has `open` count the job as long as there is something left to claim.
    pub(crate) fn count_in(mut self, open: &'static AtomicU32) -> Job {
        open.fetch_add(1, Ordering::Relaxed);
        self.open = Some(open);
        self
    }

    /// Whoever claims the last unit says so.
    fn close(&self) {
        if let Some(open) = self.open {
            open.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// Sets what happens when all is done. It runs on the thread that finishes the job.
    pub(crate) fn on_done(mut self, on_done: Box<dyn FnOnce() + Send>) -> Job {
        self.on_done = Lock::new(Some(on_done));
        self
    }

    /// Sets how the work is shared out, at the start or when more is known about it.
    pub(crate) fn set_sharing(&self, sharing: Sharing) {
        // Every thread says it with every chunk, and mostly the same: what nobody writes all can read at once.
        let differ = |a: u64, b: u64| a.abs_diff(b) > b / 8;
        let set = |word: &AtomicU64, value: u64| {
            if differ(word.load(Ordering::Relaxed), value) {
                word.store(value, Ordering::Relaxed);
            }
        };
        set(&self.grain, sharing.grain.max(1));
        set(&self.limit, sharing.limit.max(sharing.grain).max(1));
        let awake = sharing.awake.clamp(1, self.workers);
        if differ(self.awake.load(Ordering::Relaxed).into(), awake.into()) {
            self.awake.store(awake, Ordering::Relaxed);
        }
        let hands = sharing.hands.clamp(1, self.workers);
        let before = self.hands.load(Ordering::Relaxed);
        if differ(before.into(), hands.into()) {
            self.hands.store(hands, Ordering::Relaxed);
            if before < hands {
                self.calling.store(true, Ordering::Relaxed);
            }
        }
    }

    /// Does it want more hands than when this was asked last?
    pub(crate) fn calls(&self) -> bool {
        self.calling.load(Ordering::Relaxed) && self.calling.swap(false, Ordering::Relaxed)
    }

    /// Units in all.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// How many threads it pays to have at what nobody has claimed, if another one is awake or must be called.
    pub(crate) fn wanted(&self, awake: bool) -> u32 {
        let left = self.total.saturating_sub(self.next.0.load(Ordering::Relaxed));
        let hands = if awake { &self.awake } else { &self.hands };
        left.div_ceil(self.grain.load(Ordering::Relaxed))
            .min(u64::from(hands.load(Ordering::Relaxed))) as u32
    }

    /// Threads that may take part.
    pub(crate) fn workers(&self) -> u32 {
        self.workers
    }

    /// Is there nothing left to claim?
    pub(crate) fn exhausted(&self) -> bool {
        self.next.0.load(Ordering::Relaxed) >= self.total
    }

    /// Claims and does one chunk. `false` when there was none left.
    pub(crate) fn run_chunk(&self, slot: u32) -> bool {
        let Some(units) = self.claim() else { return false };
        let mut finished = units.end - units.start;
        // SAFETY: the units claimed are not finished, so the work is still valid.
        let work = unsafe { &*self.work };
        let carry_on = catch_unwind(AssertUnwindSafe(|| work.run(self, units, slot))).unwrap_or(false);
        if !carry_on {
            let claimed = self.next.0.swap(self.total, Ordering::Relaxed);
            if claimed < self.total {
                finished += self.total - claimed;
                self.close();
            }
        }
        // From here on the work may be gone.
        if self.finished.0.fetch_add(finished, Ordering::AcqRel) + finished == self.total {
            self.complete();
        }
        true
    }

    /// The next chunk: an even share of a part of what is left, so that chunks grow small towards the end.
    fn claim(&self) -> Option<Range<u64>> {
        let left = |next: u64| self.total.checked_sub(next).filter(|&left| left > 0);
        let seen = left(self.next.0.load(Ordering::Relaxed))?;
        let share = seen / (2 * u64::from(self.workers));
        let grain = self.grain.load(Ordering::Relaxed);
        let units = share.clamp(grain, self.limit.load(Ordering::Relaxed).max(grain)).min(seen);
        // Others may have claimed meanwhile. That this is a little more than a share of what is left now does less harm than to try until nobody has:
        // of many threads that try at once, one succeeds, and all take the word from each other.
        let start = self.next.0.fetch_add(units, Ordering::Relaxed);
        let left = left(start)?;
        if units >= left {
            self.close();
        }
        Some(start..start + units.min(left))
    }

    fn complete(&self) {
        let on_done = self.on_done.lock().take();
        if let Some(on_done) = on_done {
            // A panic has been reported by the hook; it must not take the thread along.
            let _ = catch_unwind(AssertUnwindSafe(on_done));
        }
        if self.state.swap(DONE, Ordering::AcqRel) == AWAITED {
            wake_one(&self.state);
        }
    }

    /// Waits until every unit is over. One thread may.
    pub(crate) fn wait(&self) {
        let began = clock::now();
        let is_done = || {
            (0..crate::pool::SPINS / 4).any(|_| {
                let done = self.state.load(Ordering::Acquire) == DONE;
                if !done {
                    spin_loop();
                }
                done
            })
        };
        while !is_done() && clock::now() - began < PATIENCE {}
        if self
            .state
            .compare_exchange(RUNNING, AWAITED, Ordering::AcqRel, Ordering::Acquire)
            .is_ok()
        {
            while self.state.load(Ordering::Acquire) != DONE {
                sleep_while(&self.state, AWAITED);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    struct Ranges(Mutex<Vec<Range<u64>>>, u64);

    impl Work for Ranges {
        fn run(&self, _: &Job, units: Range<u64>, _: u32) -> bool {
            let mut ranges = self.0.lock().expect("no panic");
            ranges.push(units.clone());
            units.end < self.1
        }
    }

    #[test]
    fn chunks_come_in_order_and_grow_small() {
        let work = Ranges(Mutex::default(), u64::MAX);
        // SAFETY: `work` outlives the job.
        let job = unsafe { Job::new(&work, 1000, 2) };
        job.set_sharing(Sharing {
            grain: 10,
            limit: 200,
            hands: 1,
            awake: 2,
        });
        assert_eq!((job.wanted(false), job.wanted(true)), (1, 2));
        while job.run_chunk(0) {}
        job.wait();
        let ranges = work.0.into_inner().expect("no panic");
        assert_eq!((ranges[0].clone(), ranges[ranges.len() - 1].end), (0..200, 1000));
        assert!(ranges.windows(2).all(|pair| pair[0].end == pair[1].start));
        let sizes: Vec<u64> = ranges.iter().map(|range| range.end - range.start).collect();
        assert!(sizes.is_sorted_by(|a, b| a >= b) && sizes[..sizes.len() - 1].iter().all(|&size| (10..=200).contains(&size)));
        assert!(job.exhausted() && job.wanted(true) == 0);
    }

    #[test]
    fn work_that_gives_up_is_over() {
        let work = Ranges(Mutex::default(), 20);
        // SAFETY: `work` outlives the job.
        let job = unsafe { Job::new(&work, 1000, 1) };
        job.set_sharing(Sharing {
            grain: 10,
            limit: 10,
            hands: 1,
            awake: 1,
        });
        while job.run_chunk(0) {}
        job.wait();
        assert_eq!(work.0.into_inner().expect("no panic"), [0..10, 10..20]);
    }

    #[test]
    fn a_panic_ends_the_job_only() {
        struct Panics;
        impl Work for Panics {
            fn run(&self, _: &Job, _: Range<u64>, _: u32) -> bool {
                std::panic::resume_unwind(Box::new(()))
            }
        }
        // SAFETY: `Panics` is a constant.
        let job = unsafe { Job::new(&Panics, 5, 1) };
        while job.run_chunk(0) {}
        job.wait();
    }
}
