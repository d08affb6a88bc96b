//! The threads that run the commands of queues, where no thread of the application does.
//!
//! What is scheduled is a queue that has a command ready: a thread takes the queue and runs its commands until none is ready
//! ([`Queue::serve`]). There are as many threads as were ever needed at once, up to a limit; idle ones sleep.

use crate::queue::Queue;
use crate::{machine, threads};
use parking_lot::{Condvar, Mutex};
use std::collections::VecDeque;
use std::sync::Arc;

struct Runners {
    queues: VecDeque<Arc<Queue>>,
    /// Threads that sleep and have not been promised work.
    idle: usize,
    threads: usize,
}

static RUNNERS: Mutex<Runners> = Mutex::new(Runners {
    queues: VecDeque::new(),
    idle: 0,
    threads: 0,
});
static SCHEDULED: Condvar = Condvar::new();

/// Has a thread serve a queue soon.
pub fn schedule(queue: Arc<Queue>) {
    let mut runners = RUNNERS.lock();
    if runners.idle > 0 {
        runners.idle -= 1;
        runners.queues.push_back(queue);
        SCHEDULED.notify_one();
        return;
    }
    let limit = machine::compute_units().max(4) as usize;
    if runners.threads < limit && threads::spawn("brolga-queue", serve) {
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

fn serve() {
    loop {
        let queue = {
            let mut runners = RUNNERS.lock();
            loop {
                if let Some(queue) = runners.queues.pop_front() {
                    break queue;
                }
                runners.idle += 1;
                SCHEDULED.wait(&mut runners);
            }
        };
        queue.serve();
    }
}
