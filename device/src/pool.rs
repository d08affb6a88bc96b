//! The worker pool: one thread a compute unit, started when first wanted, that share out the jobs of all launches and big copies.
//!
//! After fork() a child makes a pool of its own when it first wants one; see [`crate::fork`].

use crate::fork::PerProcess;
use crate::job::{Job, Sharing, Work};
use crate::lock::{Guard, Lock};
use crate::machine::machine;
use crate::os::threads::with_signals_blocked;
use crate::sleeper::Sleeper;
use core::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;

/// How often a thread looks for work before it goes to sleep: about 2 to 4 microseconds.
pub(crate) const SPINS: u32 = 64;

/// How often a thread looks whether a lock is free before it goes to sleep.
pub(crate) const LOCK_SPINS: u32 = 100;

static POOL: PerProcess<Pool> = PerProcess::new(Pool::default);

#[derive(Default)]
struct Pool {
    state: Lock<State>,
    /// Counts the jobs that were shared out; a worker that is busy looks at it to see whether others need it more.
    epoch: AtomicU64,
    /// Is there a job in the list? A hint, to look without the lock.
    busy: AtomicBool,
}

#[derive(Default)]
struct State {
    /// Jobs of which something is left to claim (or was a moment ago), oldest first.
    jobs: Vec<Listed>,
    /// Workers that sleep, or are about to.
    idle: Vec<Arc<Sleeper>>,
    threads: Vec<JoinHandle<()>>,
    /// Workers that have not ended.
    alive: usize,
    /// Workers end when there is nothing left to do.
    closing: bool,
}

/// A job in the list, and who takes part.
struct Listed {
    job: Arc<Job>,
    /// A bit a slot that is taken.
    slots: Vec<u64>,
    members: u32,
}

impl Listed {
    fn take_slot(&mut self) -> u32 {
        self.members += 1;
        let word = self.slots.iter().position(|&word| word != u64::MAX).unwrap_or_else(|| {
            self.slots.push(0);
            self.slots.len() - 1
        });
        let bit = self.slots[word].trailing_ones();
        self.slots[word] |= 1 << bit;
        word as u32 * 64 + bit
    }

    fn free_slot(&mut self, slot: u32) {
        self.members -= 1;
        self.slots[slot as usize / 64] &= !(1 << (slot % 64));
    }

    /// Could another thread take part?
    fn open(&self) -> bool {
        self.members < self.job.wanted().min(self.job.workers())
    }
}

impl State {
    /// Joins the open job with the fewest members, the oldest of those.
    fn join(&mut self) -> Option<(Arc<Job>, u32)> {
        self.jobs.retain(|listed| !listed.job.exhausted());
        let listed = self
            .jobs
            .iter_mut()
            .filter(|listed| listed.open())
            .min_by_key(|listed| listed.members)?;
        let slot = listed.take_slot();
        Some((listed.job.clone(), slot))
    }

    fn leave(&mut self, job: &Arc<Job>, slot: u32) {
        if let Some(listed) = self.jobs.iter_mut().find(|listed| Arc::ptr_eq(&listed.job, job)) {
            listed.free_slot(slot);
        }
        self.jobs.retain(|listed| !listed.job.exhausted());
    }

    /// Would the jobs be served more evenly if a member of `job` went to another?
    fn others_need_more(&self, job: &Arc<Job>) -> bool {
        let members = self
            .jobs
            .iter()
            .find(|listed| Arc::ptr_eq(&listed.job, job))
            .map_or(0, |listed| listed.members);
        self.jobs.iter().any(|listed| listed.open() && listed.members + 1 < members)
    }

    fn wants_hands(&self) -> bool {
        self.jobs.iter().any(Listed::open)
    }
}

impl Pool {
    fn lock(&self) -> Guard<'_, State> {
        self.state.lock()
    }

    /// Puts a job into the list; the calling thread takes part if `member`, with slot 0.
    fn share(&'static self, job: Arc<Job>, member: bool) {
        let mut state = self.lock();
        let mut listed = Listed {
            job,
            slots: vec![0],
            members: 0,
        };
        if member {
            listed.take_slot();
        }
        state.jobs.push(listed);
        self.busy.store(true, Ordering::Relaxed);
        self.epoch.fetch_add(1, Ordering::Relaxed);
        drop(self.call_hands(state));
    }

    /// Wakes (or starts) up to two workers if they are wanted; each of them calls more when it has joined, so that waking many takes
    /// the time of waking a few.
    fn call_hands<'a>(&'static self, mut state: Guard<'a, State>) -> Guard<'a, State> {
        let mut sleepers: [Option<Arc<Sleeper>>; 2] = [None, None];
        let wanted: u32 = state
            .jobs
            .iter()
            .map(|listed| listed.job.wanted().saturating_sub(listed.members))
            .fold(0, u32::saturating_add);
        for (sleeper, _) in sleepers.iter_mut().zip(0..wanted) {
            *sleeper = state.idle.pop();
            if sleeper.is_none() && state.alive < machine().compute_units && !self.start_worker(&mut state) {
                break;
            }
        }
        if sleepers[0].is_none() {
            return state;
        }
        drop(state);
        sleepers.iter().flatten().for_each(|sleeper| sleeper.wake());
        self.lock()
    }

    /// Starts a thread. Tells whether the system let us.
    fn start_worker(&'static self, state: &mut State) -> bool {
        let name = format!("brolga-{}", state.alive);
        // The application's signal handlers should not run on our threads: a new thread inherits the mask of its maker.
        let spawn = || {
            std::thread::Builder::new()
                .name(name)
                .stack_size(4 << 20)
                .spawn(move || self.work())
                .ok()
        };
        match with_signals_blocked(spawn) {
            Some(thread) => {
                state.threads.retain(|thread| !thread.is_finished());
                state.threads.push(thread);
                state.alive += 1;
                true
            }
            None => false,
        }
    }

    /// A worker's life.
    fn work(&'static self) {
        machine().cpus().apply_to_this_thread();
        let sleeper = Arc::new(Sleeper::default());
        let mut state = self.lock();
        loop {
            if let Some((job, slot)) = state.join() {
                drop(self.call_hands(state));
                state = self.take_part(&job, slot, false);
                continue;
            }
            self.busy.store(!state.jobs.is_empty(), Ordering::Relaxed);
            if state.closing {
                state.alive -= 1;
                return;
            }
            drop(state);
            let epoch = self.epoch.load(Ordering::Relaxed);
            for _ in 0..SPINS {
                if self.epoch.load(Ordering::Relaxed) != epoch {
                    break;
                }
                std::hint::spin_loop();
            }
            state = self.lock();
            if state.wants_hands() || state.closing {
                continue;
            }
            state.idle.push(sleeper.clone());
            drop(state);
            sleeper.sleep();
            state = self.lock();
        }
    }

    /// Does chunks of a job until nothing is left, or, unless this thread is `devoted` to it, until others need it more.
    fn take_part(&'static self, job: &Arc<Job>, slot: u32, devoted: bool) -> Guard<'static, State> {
        let mut epoch = self.epoch.load(Ordering::Relaxed);
        while job.run_chunk(slot) {
            if job.calls() {
                drop(self.call_hands(self.lock()));
            }
            let now = self.epoch.load(Ordering::Relaxed);
            if now != epoch && !devoted {
                epoch = now;
                let mut state = self.lock();
                if state.others_need_more(job) {
                    state.leave(job, slot);
                    return state;
                }
            }
        }
        let mut state = self.lock();
        state.leave(job, slot);
        state
    }
}

/// How many threads a job may have, of those that its maker allows.
pub(crate) fn hands(max_workers: usize) -> u32 {
    machine().compute_units.min(max_workers).max(1) as u32
}

/// Does `total` units of work with up to `max_workers` threads, the calling one among them.
pub(crate) fn run_shared(work: &dyn Work, total: u64, sharing: Sharing, max_workers: usize) {
    if total == 0 {
        return;
    }
    let work: *const (dyn Work + '_) = work;
    // SAFETY: only the lifetime changes; `wait` below returns when the job is done, and nobody touches the work after that.
    let work: *const (dyn Work + 'static) = unsafe { std::mem::transmute(work) };
    // SAFETY: as above.
    let job = Arc::new(unsafe { Job::new(work, total, hands(max_workers)) });
    job.set_sharing(sharing);
    let pool = POOL.get();
    pool.share(job.clone(), true);
    drop(pool.take_part(&job, 0, true));
    job.wait();
}

/// Starts `total` units of work on the pool; `on_done` runs on the thread that finishes them and gets the work back.
pub(crate) fn start_shared<W: Work + 'static>(
    work: Arc<W>,
    total: u64,
    sharing: Sharing,
    max_workers: usize,
    on_done: impl FnOnce(Arc<W>) + Send + 'static,
) {
    if total == 0 {
        on_done(work);
        return;
    }
    let pointer: *const W = &*work;
    // SAFETY: `on_done` owns the work, and nobody touches the work after `on_done` was called.
    let job = unsafe { Job::new(pointer, total, hands(max_workers)) }.on_done(Box::new(move || on_done(work)));
    job.set_sharing(sharing);
    let job = Arc::new(job);
    let pool = POOL.get();
    pool.share(job.clone(), false);
    if pool.lock().alive == 0 {
        // The system gives us no thread at all: then it is this thread's work.
        while job.run_chunk(0) {}
    }
}

/// Does `total` units with up to `max_workers` threads: `f` gets ranges of at least `grain` units (the last one may be smaller).
pub fn for_each_range(total: u64, grain: u64, max_workers: usize, f: impl Fn(Range<u64>) + Sync + Send) {
    struct Each<F>(F);
    impl<F: Fn(Range<u64>) + Sync + Send> Work for Each<F> {
        fn run(&self, _: &Job, units: Range<u64>, _: u32) -> bool {
            (self.0)(units);
            true
        }
    }
    let grain = grain.max(1);
    if total <= grain || hands(max_workers) == 1 {
        f(0..total);
        return;
    }
    run_shared(
        &Each(f),
        total,
        Sharing {
            grain,
            limit: u64::MAX,
            hands: u32::MAX,
        },
        max_workers,
    );
}

/// Runs a task on the pool, some time soon.
pub fn spawn(task: impl FnOnce() + Send + 'static) {
    struct Once<F>(Lock<Option<F>>);
    impl<F: FnOnce() + Send> Work for Once<F> {
        fn run(&self, _: &Job, _: Range<u64>, _: u32) -> bool {
            let task = self.0.lock().take();
            if let Some(task) = task {
                task();
            }
            true
        }
    }
    let work = Arc::new(Once(Lock::new(Some(task))));
    start_shared(
        work,
        1,
        Sharing {
            grain: 1,
            limit: 1,
            hands: 1,
        },
        1,
        drop,
    );
}

/// Does one chunk of work that waits for hands, if there is any. For a thread that waits: it asks again and again while this says `true`,
/// and looks after each call whether what it waits for has come; on `false` it goes to sleep. Tasks of [`spawn`] and
/// the `on_done` of launches run in here too, so the caller must hold no lock that these take.
pub fn help() -> bool {
    let pool = POOL.get();
    if !pool.busy.load(Ordering::Relaxed) {
        return false;
    }
    let joined = pool.lock().join();
    let Some((job, slot)) = joined else { return false };
    let worked = job.run_chunk(slot);
    let mut state = pool.lock();
    state.leave(&job, slot);
    // What is left of the job wants another thread now.
    drop(pool.call_hands(state));
    worked
}

/// Ends the workers, once they have done what was started, and waits for that. The pool starts again when it is next used.
pub fn shutdown() {
    let pool = POOL.get();
    let mut state = pool.lock();
    state.closing = true;
    let threads = std::mem::take(&mut state.threads);
    let idle = std::mem::take(&mut state.idle);
    drop(state);
    idle.iter().for_each(|sleeper| sleeper.wake());
    let this = std::thread::current().id();
    for thread in threads.into_iter().filter(|thread| thread.thread().id() != this) {
        // A worker that panicked is gone as well.
        let _ = thread.join();
    }
    let mut state = pool.lock();
    state.closing = false;
    drop(pool.call_hands(state));
}
