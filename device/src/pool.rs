//! The worker pool: threads, started when first wanted, that share out the jobs of all launches and big copies. There are one fewer than compute units,
//! since the thread that launches takes part.
//!
//! After fork() a child makes a pool of its own when it first wants one; see [`crate::fork`].

use crate::arrivals::Arrivals;
use crate::atomic::{AtomicU32, AtomicU64, Ordering, fence, spin_loop};
use crate::attention::{Attention, LONG, patience};
use crate::clock;
use crate::fork::PerProcess;
use crate::job::{Apart, Job, Sharing, Work};
use crate::lock::{Guard, Lock};
use crate::machine::machine;
use crate::os::threads::Thread;
use crate::sleeper::Sleeper;
use core::ops::Range;
use std::sync::Arc;

/// How often a thread looks whether it is called before it goes to sleep: about 2 to 4 microseconds.
pub(crate) const SPINS: u32 = 64;

/// How often a thread looks whether a lock is free before it goes to sleep.
pub(crate) const LOCK_SPINS: u32 = 100;

static POOL: PerProcess<Pool> = PerProcess::new(Pool::new);

struct Pool {
    state: Lock<State>,
    /// Counts the jobs that were shared out; a worker that is busy looks at it to see whether others need it more.
    epoch: Apart<AtomicU64>,
    /// Jobs of which something is left to claim.
    open: Apart<AtomicU32>,
    /// Where a worker says that it waits to be called, without the lock: many say so at once when a job is at its end.
    arrivals: Arrivals,
    attention: Attention,
}

#[derive(Default)]
struct State {
    /// Jobs of which something is left to claim (or was a moment ago), oldest first.
    jobs: Vec<Listed>,
    /// Workers that wait to be called, who came last at the end: it is still awake.
    idle: Vec<Arc<Worker>>,
    /// The workers that have not ended, by their numbers.
    workers: Vec<Option<Arc<Worker>>>,
    /// Arrivals that were seen.
    arrived: u32,
    threads: Vec<Thread>,
    /// Workers that have not ended.
    alive: usize,
    /// Workers end when there is nothing left to do.
    closing: bool,
}

/// A worker, as those see it who call it. (Its words are apart from others', whom others call.)
#[repr(align(128))]
struct Worker {
    number: u32,
    sleeper: Sleeper,
    /// What it finds when it is called: first what it is to do itself, then what it has others do.
    orders: Lock<Vec<Order>>,
}

/// What a worker is called for. It takes part in the job already.
struct Order {
    worker: Arc<Worker>,
    job: Arc<Job>,
    slot: u32,
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

    /// Could another thread take part, which is awake or not?
    fn open(&self, awake: bool) -> bool {
        self.members < self.job.wanted(awake).min(self.job.workers())
    }
}

impl State {
    /// Joins the open job with the fewest members, the oldest of those, with a thread that is awake or not.
    fn join(&mut self, awake: bool) -> Option<(Arc<Job>, u32)> {
        self.jobs.retain(|listed| !listed.job.exhausted());
        let listed = self
            .jobs
            .iter_mut()
            .filter(|listed| listed.open(awake))
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
        self.jobs.iter().any(|listed| listed.open(true) && listed.members + 1 < members)
    }

    fn wants_hands(&self) -> bool {
        self.jobs.iter().any(|listed| listed.open(false))
    }
}

impl Pool {
    fn new() -> Pool {
        Pool {
            state: Lock::default(),
            epoch: Apart::default(),
            open: Apart::default(),
            arrivals: Arrivals::new(machine().compute_units),
            attention: Attention::default(),
        }
    }

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
        state.jobs.retain(|listed| !listed.job.exhausted());
        state.jobs.push(listed);
        self.epoch.0.fetch_add(1, Ordering::SeqCst);
        self.call_hands(state);
    }

    /// Has workers that wait take part where they are wanted. Where too few wait, it starts up to two: each of them calls more when it has joined, so
    /// that starting many takes the time of starting a few.
    fn call_hands(&'static self, mut state: Guard<'_, State>) {
        self.see_arrivals(&mut state);
        let mut orders = Vec::new();
        while let Some(worker) = state.idle.pop() {
            // Whether one is awake is in a line of its own: most calls need not know.
            let joined = state.join(false);
            let Some((job, slot)) = joined.or_else(|| worker.sleeper.is_awake().then(|| state.join(true)).flatten()) else {
                state.idle.push(worker);
                break;
            };
            orders.push(Order { worker, job, slot });
        }
        for _ in 0..2 {
            let more = state.idle.is_empty() && !state.closing && state.alive + 1 < machine().compute_units && state.wants_hands();
            if !more || !self.start_worker(&mut state) {
                break;
            }
        }
        drop(state);
        pass_on(orders);
    }

    /// As [`Pool::call_hands`], for a worker that came to wait while a job was shared, unless another has the lock and calls it meanwhile: when one launch
    /// follows another, many come so.
    fn call_late(&'static self, this: &Worker) {
        for _ in 0..LOCK_SPINS {
            if this.sleeper.is_called() {
                return;
            }
            if let Some(state) = self.state.try_lock() {
                return self.call_hands(state);
            }
            spin_loop();
        }
        self.call_hands(self.lock());
    }

    /// Has the list know of the workers that wait.
    fn see_arrivals(&self, state: &mut State) {
        // Who comes later has seen the jobs that are shared by now; see `work`.
        fence(Ordering::SeqCst);
        while let Some(number) = self.arrivals.take(state.arrived) {
            state.arrived = state.arrived.wrapping_add(1);
            let worker = state.workers[number as usize].clone();
            state.idle.extend(worker);
        }
        if state.closing {
            state.idle.drain(..).for_each(|worker| worker.sleeper.wake());
        }
    }

    /// Starts a thread. Tells whether the system let us.
    fn start_worker(&'static self, state: &mut State) -> bool {
        let number = state.workers.iter().position(Option::is_none).unwrap_or_else(|| {
            state.workers.push(None);
            state.workers.len() - 1
        });
        let worker = Arc::new(Worker {
            number: number as u32,
            sleeper: Sleeper::default(),
            orders: Lock::default(),
        });
        let this = worker.clone();
        match Thread::start(&format!("brolga-{number}"), 4 << 20, move || self.work(&this)) {
            Some(thread) => {
                state.threads.retain(|thread| !thread.is_over());
                state.threads.push(thread);
                state.workers[number] = Some(worker);
                state.alive += 1;
                true
            }
            None => false,
        }
    }

    /// A worker's life.
    fn work(&'static self, this: &Arc<Worker>) {
        machine().cpus().apply_to_this_thread();
        let mut look = true;
        // How long it waits awake.
        let mut awake = 0;
        loop {
            let epoch = self.epoch.0.load(Ordering::Acquire);
            if look || self.open.0.load(Ordering::Relaxed) != 0 {
                let mut state = self.lock();
                if let Some((job, slot)) = state.join(true) {
                    self.call_hands(state);
                    self.take_part(&job, slot, false);
                    continue;
                }
                if state.closing {
                    state.alive -= 1;
                    state.workers[this.number as usize] = None;
                    return;
                }
            }
            let began = clock::now();
            if awake > 0 {
                self.attention.wait_awake(began, awake);
            }
            self.arrivals.add(this.number);
            // A job that is shared from here on finds this worker among those that wait; one that was before, and did not, is seen here.
            fence(Ordering::SeqCst);
            if self.epoch.0.load(Ordering::Relaxed) != epoch {
                self.call_late(this);
            }
            this.sleeper.sleep(awake);
            let mut orders = std::mem::take(&mut *this.orders.lock());
            // Who is called for nothing is to end, or to be awake for what comes.
            look = orders.is_empty();
            if look {
                awake = LONG;
            } else {
                let called = clock::now();
                let Order { job, slot, .. } = orders.remove(0);
                pass_on(orders);
                self.take_part(&job, slot, false);
                awake = patience(called - began, clock::now() - called);
            }
            if machine().is_oversubscribed() {
                awake = 0;
            }
        }
    }

    /// Does chunks of a job until nothing is left, or, unless this thread is `devoted` to it, until others need it more.
    fn take_part(&'static self, job: &Arc<Job>, slot: u32, devoted: bool) {
        let mut epoch = self.epoch.0.load(Ordering::Relaxed);
        while job.run_chunk(slot) {
            if job.calls() {
                self.call_hands(self.lock());
            }
            let now = self.epoch.0.load(Ordering::Relaxed);
            if now != epoch && !devoted {
                epoch = now;
                let mut state = self.lock();
                if state.others_need_more(job) {
                    state.leave(job, slot);
                    return;
                }
            }
        }
        // Nobody joins it any more: whoever next looks at the list takes it out.
    }
}

/// Calls the workers of some orders. Each gets a part of those that are left to pass on, so that calling many takes the time of calling a few: a
/// quarter, since in the time that a thread takes to wake up, the one that wakes it can call about three more.
fn pass_on(mut orders: Vec<Order>) {
    while !orders.is_empty() {
        let part = match orders.len() - orders.len().div_ceil(4) {
            0 => std::mem::take(&mut orders),
            kept => orders.split_off(kept),
        };
        let worker = part[0].worker.clone();
        *worker.orders.lock() = part;
        worker.sleeper.wake();
    }
}

/// Is a worker awake that has nothing to do?
pub(crate) fn someone_waits_awake() -> bool {
    POOL.get().attention.someone_waits_awake(clock::now())
}

/// A launch ran on this thread alone that `hands` threads would have shared, had they been awake: if there were many such, they are for those that follow.
pub(crate) fn ran_alone(began: u64, ended: u64, hands: u32) {
    let pool = POOL.get();
    if !machine().is_oversubscribed() && pool.attention.ran_alone(began, ended) {
        let mut state = pool.lock();
        pool.see_arrivals(&mut state);
        // A start takes as long as some launches of this kind: one at a time.
        let mut may_start = !state.closing;
        for _ in 1..hands {
            match state.idle.pop() {
                Some(worker) => worker.sleeper.wake(),
                None if may_start && state.alive + 1 < machine().compute_units => may_start = !pool.start_worker(&mut state),
                None => break,
            }
        }
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
    let job = unsafe { Job::new(work, total, hands(max_workers)) };
    job.set_sharing(sharing);
    let pool = POOL.get();
    let job = Arc::new(job.count_in(&pool.open.0));
    pool.share(job.clone(), true);
    pool.take_part(&job, 0, true);
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
    let pool = POOL.get();
    let job = Arc::new(job.count_in(&pool.open.0));
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
            awake: u32::MAX,
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
            awake: 1,
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
    if pool.open.0.load(Ordering::Relaxed) == 0 {
        return false;
    }
    let joined = pool.lock().join(true);
    let Some((job, slot)) = joined else { return false };
    let worked = job.run_chunk(slot);
    let mut state = pool.lock();
    state.leave(&job, slot);
    // What is left of the job wants another thread now.
    pool.call_hands(state);
    worked
}

/// Ends the workers, once they have done what was started, and waits for that. The pool starts again when it is next used.
pub fn shutdown() {
    let pool = POOL.get();
    let mut state = pool.lock();
    state.closing = true;
    let threads = std::mem::take(&mut state.threads);
    // As a job would be counted, so that workers on their way to wait look at the state first.
    pool.open.0.fetch_add(1, Ordering::Relaxed);
    pool.epoch.0.fetch_add(1, Ordering::SeqCst);
    pool.see_arrivals(&mut state);
    drop(state);
    for thread in threads.into_iter().filter(|thread| !thread.is_this()) {
        thread.join();
    }
    let mut state = pool.lock();
    pool.open.0.fetch_sub(1, Ordering::Relaxed);
    state.closing = false;
    pool.call_hands(state);
}
