//! Where a worker sleeps while there is nothing to do.

use crate::atomic::{ConstU32, Ordering};
use crate::os::futex::{sleep_while, wake_one};

/// A place where one thread sleeps. A call that comes before it does is not lost.
#[derive(Default)]
pub(crate) struct Sleeper {
    /// 1 when it has been woken, until it notices.
    woken: ConstU32,
}

impl Sleeper {
    /// Sleeps until it is woken, or has been since it woke last.
    pub(crate) fn sleep(&self) {
        while self.woken.swap(0, Ordering::Acquire) == 0 {
            sleep_while(&self.woken, 0);
        }
    }

    /// Wakes the thread. It sees what this one did before.
    pub(crate) fn wake(&self) {
        self.woken.swap(1, Ordering::Release);
        wake_one(&self.woken);
    }
}
