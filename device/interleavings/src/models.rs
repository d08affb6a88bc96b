//! What threads do. Each function is one execution; loom's `model` calls it once for each order.

use crate::arrivals::Arrivals;
use crate::atomic::{AtomicU64, Ordering, fence};
use crate::job::{Job, Sharing, Work};
use crate::lock::{Condvar, Lock};
use crate::sleeper::Sleeper;
use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::thread;
use std::ops::Range;

/// Plain memory: loom ends a model in which two threads get at it with nothing between.
pub(crate) struct Plain(UnsafeCell<u32>);

// SAFETY: loom watches over it.
unsafe impl Sync for Plain {}
// SAFETY: a number.
unsafe impl Send for Plain {}

impl Plain {
    pub(crate) fn new() -> Plain {
        Plain(UnsafeCell::new(0))
    }

    pub(crate) fn add(&self, number: u32) {
        // SAFETY: loom watches over it.
        self.0.with_mut(|value| unsafe { *value += number });
    }

    pub(crate) fn get(&self) -> u32 {
        // SAFETY: as above.
        self.0.with(|value| unsafe { *value })
    }
}

/// Two threads and the one that made them add under a lock.
pub fn a_lock_excludes() {
    let shared = Arc::new((Lock::new(()), Plain::new()));
    drop(shared.0.lock());
    let others: Vec<_> = (0..2)
        .map(|_| {
            let shared = shared.clone();
            thread::spawn(move || {
                let _held = shared.0.lock();
                shared.1.add(1);
            })
        })
        .collect();
    for other in others {
        other.join().expect("no panic");
    }
    let _held = shared.0.lock();
    assert_eq!(shared.1.get(), 2);
}

/// One thread waits for what another says under the lock; the notice comes when the lock is free again.
pub fn a_notice_arrives() {
    let shared = Arc::new((Lock::new(false), Condvar::default()));
    drop(shared.0.lock());
    let waiter = {
        let shared = shared.clone();
        thread::spawn(move || {
            let mut said = shared.0.lock();
            while !*said {
                shared.1.wait(&mut said);
            }
        })
    };
    *shared.0.lock() = true;
    shared.1.notify_one();
    waiter.join().expect("no panic");
}

/// Who is woken sees what was done before, whether it slept already or not.
pub fn a_sleeper_is_woken() {
    let shared = Arc::new((Sleeper::default(), Plain::new()));
    let sleeper = {
        let shared = shared.clone();
        thread::spawn(move || {
            shared.0.sleep(1);
            shared.1.add(1);
        })
    };
    shared.1.add(1);
    shared.0.wake();
    sleeper.join().expect("no panic");
    assert_eq!(shared.1.get(), 2);
}

/// Units that write to memory of their own, each once. `UNTIL` is the unit after which the work gives up.
struct Units<const UNTIL: u64>([Plain; 3]);

impl<const UNTIL: u64> Work for Units<UNTIL> {
    fn run(&self, _: &Job, units: Range<u64>, _: u32) -> bool {
        for unit in units.clone() {
            self.0[unit as usize].add(1);
        }
        units.end < UNTIL
    }
}

fn job<const UNTIL: u64>(work: &Arc<Units<UNTIL>>) -> Job {
    let pointer: *const Units<UNTIL> = &**work;
    // SAFETY: the models keep the work until the job is done.
    let job = unsafe { Job::new(pointer, 3, 2) };
    job.set_sharing(Sharing {
        grain: 1,
        limit: 1,
        hands: 2,
        awake: 2,
    });
    job
}

fn units<const UNTIL: u64>() -> Arc<Units<UNTIL>> {
    Arc::new(Units([(); 3].map(|()| Plain::new())))
}

/// Who waits for a job sees what all threads did for it.
pub fn a_job_is_over_when_its_units_are() {
    let work = units::<{ u64::MAX }>();
    let job = Arc::new(job(&work));
    let helper = {
        let job = job.clone();
        thread::spawn(move || while job.run_chunk(1) {})
    };
    while job.run_chunk(0) {}
    job.wait();
    // The helper may still be about to find nothing left; the work is done with.
    assert_eq!(work.0.each_ref().map(Plain::get), [1; 3]);
    helper.join().expect("no panic");
}

/// The thread that finishes a job sees what all threads did for it, and so does who waits for what it does then.
pub fn what_follows_a_job_sees_it() {
    let work = units::<{ u64::MAX }>();
    let (seen, given) = (Arc::new(Plain::new()), work.clone());
    let total = seen.clone();
    let job = job(&work).on_done(Box::new(move || total.add(given.0.each_ref().map(Plain::get).iter().sum())));
    let job = Arc::new(job);
    let helper = {
        let job = job.clone();
        thread::spawn(move || while job.run_chunk(1) {})
    };
    while job.run_chunk(0) {}
    job.wait();
    assert_eq!(seen.get(), 3);
    helper.join().expect("no panic");
}

/// Work that gives up is over, too, whoever gave up.
pub fn a_job_that_gives_up_is_over() {
    let work = units::<1>();
    let job = Arc::new(job(&work));
    let helper = {
        let job = job.clone();
        thread::spawn(move || while job.run_chunk(1) {})
    };
    while job.run_chunk(0) {}
    job.wait();
    let done = work.0.each_ref().map(Plain::get);
    assert!(done[0] == 1 && done.iter().all(|&times| times <= 1), "{done:?}");
    helper.join().expect("no panic");
}

/// A worker that says that it waits, and sees no job, is seen by who shares one: as the pool has it.
pub fn who_waits_is_seen_or_sees() {
    let shared = Arc::new((Arrivals::new(2), AtomicU64::new(0)));
    let waiters: Vec<_> = (0..2)
        .map(|number| {
            let shared = shared.clone();
            thread::spawn(move || {
                let (arrivals, epoch) = &*shared;
                arrivals.add(number);
                fence(Ordering::SeqCst);
                epoch.load(Ordering::Relaxed) != 0
            })
        })
        .collect();
    let (arrivals, epoch) = &*shared;
    epoch.fetch_add(1, Ordering::SeqCst);
    fence(Ordering::SeqCst);
    let mut seen = Vec::new();
    while let Some(number) = arrivals.take(seen.len() as u32) {
        seen.push(number);
    }
    let sees: Vec<bool> = waiters.into_iter().map(|waiter| waiter.join().expect("no panic")).collect();
    // One that came behind another that is not there yet is taken with that: by it, since it sees the job.
    let is_seen = |number: usize| sees[number] || seen.contains(&(number as u32));
    assert!((0..2).all(is_seen) || sees.contains(&true), "{seen:?}, {sees:?}");
    // Nobody is lost: whoever looks now finds the rest.
    while let Some(number) = arrivals.take(seen.len() as u32) {
        seen.push(number);
    }
    seen.sort_unstable();
    assert_eq!(seen, [0, 1]);
}
