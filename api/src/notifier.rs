//! The thread that calls the application's callbacks. It is no thread that runs commands, so that callbacks may call any function, and
//! may take their time.

use ::device::fork::PerProcess;
use ::device::lock::{Condvar, Lock};
use std::collections::VecDeque;

type Notice = Box<dyn FnOnce() + Send>;

#[derive(Default)]
struct Notifier {
    pending: Lock<Pending>,
    posted: Condvar,
}

#[derive(Default)]
struct Pending {
    notices: VecDeque<Notice>,
    has_thread: bool,
}

static NOTIFIER: PerProcess<Notifier> = PerProcess::new(Notifier::default);

/// Has `notice` called soon, after those that were posted before.
pub fn post(notice: impl FnOnce() + Send + 'static) {
    let notifier = NOTIFIER.get();
    let mut pending = notifier.pending.lock();
    pending.notices.push_back(Box::new(notice));
    if !pending.has_thread {
        pending.has_thread = ::device::threads::spawn("brolga-notify", move || serve(notifier));
    }
    notifier.posted.notify_one();
}

fn serve(notifier: &Notifier) {
    loop {
        let notice = {
            let mut pending = notifier.pending.lock();
            loop {
                if let Some(notice) = pending.notices.pop_front() {
                    break notice;
                }
                notifier.posted.wait(&mut pending);
            }
        };
        notice();
    }
}
