//! Where a worker waits while there is nothing to do: awake for a moment, then asleep.

use crate::atomic::{ConstU32, Ordering, spin_loop};
use crate::clock;
use crate::os::futex::{sleep_while, wake_one};
use crate::pool::SPINS;

/// Nobody has called.
const QUIET: u32 = 0;
/// As `QUIET`, and the thread is asleep, or about to be.
const ASLEEP: u32 = 1;
/// It has been called, and has not noticed yet.
const CALLED: u32 = 2;

/// A place where one thread waits. A call that comes before it does is not lost.
#[derive(Default)]
pub(crate) struct Sleeper(ConstU32);

impl Sleeper {
    /// Waits until it is called, or has been since it waited last: awake for a moment, and then for `patience` nanoseconds.
    pub(crate) fn sleep(&self, patience: u64) {
        let is_called = || {
            (0..SPINS).any(|_| {
                let called = self.is_called();
                if !called {
                    spin_loop();
                }
                called
            })
        };
        if !is_called() && patience > 0 {
            let began = clock::now();
            while clock::now() - began < patience && !is_called() {}
        }
        // Fails if there was a call.
        let _ = self.0.compare_exchange(QUIET, ASLEEP, Ordering::Relaxed, Ordering::Relaxed);
        while self.0.load(Ordering::Relaxed) == ASLEEP {
            sleep_while(&self.0, ASLEEP);
        }
        self.0.swap(QUIET, Ordering::Acquire);
    }

    /// Has the thread been called since it last waited?
    pub(crate) fn is_called(&self) -> bool {
        self.0.load(Ordering::Relaxed) == CALLED
    }

    /// Does a thread wait here that is awake? (Or nobody does.)
    pub(crate) fn is_awake(&self) -> bool {
        self.0.load(Ordering::Relaxed) == QUIET
    }

    /// Calls the thread. It sees what this one did before.
    pub(crate) fn wake(&self) {
        if self.0.swap(CALLED, Ordering::Release) == ASLEEP {
            wake_one(&self.0);
        }
    }
}
