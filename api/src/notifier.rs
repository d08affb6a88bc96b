//! The thread that calls the application's callbacks. It is no thread that runs commands, so that callbacks may call any function, and
//! may take their time.

use parking_lot::{Condvar, Mutex};
use std::collections::VecDeque;

type Notice = Box<dyn FnOnce() + Send>;

#[derive(Default)]
struct Pending {
    notices: VecDeque<Notice>,
    has_thread: bool,
}

static PENDING: Mutex<Pending> = Mutex::new(Pending {
    notices: VecDeque::new(),
    has_thread: false,
});
static POSTED: Condvar = Condvar::new();

/// Has `notice` called soon, after those that were posted before.
pub fn post(notice: impl FnOnce() + Send + 'static) {
    let mut pending = PENDING.lock();
    pending.notices.push_back(Box::new(notice));
    if !pending.has_thread {
        pending.has_thread = crate::threads::spawn("brolga-notify", serve);
    }
    POSTED.notify_one();
}

fn serve() {
    loop {
        let notice = {
            let mut pending = PENDING.lock();
            loop {
                if let Some(notice) = pending.notices.pop_front() {
                    break notice;
                }
                POSTED.wait(&mut pending);
            }
        };
        notice();
    }
}
