//! The threads that run the commands of queues, where no thread of the application does.
//!
//! What is scheduled is a queue that has a command ready: a thread takes the queue and runs its commands until none is ready
//! ([`Served::serve`]). There are as many threads as were ever needed at once, up to a limit; idle ones sleep.

use crate::machine;
use ::device::fork::PerProcess;
use ::device::lock::{Condvar, Lock};
use ::device::threads;
use std::collections::VecDeque;
use std::sync::Arc;

/// A queue, as the scheduler sees it.
pub trait Served: Send + Sync {
    /// Runs commands until none is ready.
    fn serve(self: Arc<Self>);
}

#[derive(Default)]
struct Scheduler {
    runners: Lock<Runners>,
    scheduled: Condvar,
}

#[derive(Default)]
struct Runners {
    queues: VecDeque<Arc<dyn Served>>,
    /// Threads that sleep and have not been promised work.
    idle: usize,
    threads: usize,
}

static SCHEDULER: PerProcess<Scheduler> = PerProcess::new(Scheduler::default);

/// Has a thread serve a queue soon.
pub fn schedule(queue: Arc<dyn Served>) {
    let scheduler = SCHEDULER.get();
    let mut runners = scheduler.runners.lock();
    if runners.idle > 0 {
        runners.idle -= 1;
        runners.queues.push_back(queue);
        scheduler.scheduled.notify_one();
        return;
    }
    let limit = machine::compute_units().max(4) as usize;
    if runners.threads < limit && threads::spawn("brolga-queue", move || serve(scheduler)) {
        runners.threads += 1;
    }
    if runners.threads > 0 {
        runners.queues.push_back(queue);
    } else {
        // The system has no thread for us: the caller's has to do.
        drop(runners);
        queue.serve();
    }
}

fn serve(scheduler: &Scheduler) {
    loop {
        let queue = {
            let mut runners = scheduler.runners.lock();
            loop {
                if let Some(queue) = runners.queues.pop_front() {
                    break queue;
                }
                runners.idle += 1;
                scheduler.scheduled.wait(&mut runners);
            }
        };
        queue.serve();
    }
}
