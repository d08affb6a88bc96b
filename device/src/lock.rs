//! A lock that is one word of memory and nothing else (Drepper, "Futexes Are Tricky", the second mutex), in parking_lot's clothes.
//!
//! parking_lot's own locks share a table of queues, and a child of fork() can find that table locked by a thread that it does not have. So
//! the lock, the guard and what they can do are parking_lot's, over a word of ours. (ThreadSanitizer does not see into the standard library's.)

use crate::atomic::{ConstU32, Ordering, spin_loop};
use crate::os::futex::{sleep_while, sleep_while_for, wake, wake_one};
use crate::pool::LOCK_SPINS;
use core::time::Duration;
use parking_lot::lock_api::{GuardSend, Mutex, MutexGuard, RawMutex};

const FREE: u32 = 0;
const HELD: u32 = 1;
/// As `HELD`, and somebody may be asleep.
const CONTENDED: u32 = 2;

/// A value that one thread at a time uses.
pub type Lock<T> = Mutex<Word, T>;

/// The right to use the value of a [`Lock`].
pub type Guard<'a, T> = MutexGuard<'a, Word, T>;

/// What a [`Lock`] is made of.
#[derive(Debug)]
pub struct Word(ConstU32);

// SAFETY: whoever changed the word from `FREE` has the lock, until it is `FREE` again.
unsafe impl RawMutex for Word {
    #[allow(clippy::declare_interior_mutable_const)] // what a lock begins with, as the trait wants it
    const INIT: Word = Word(ConstU32::new(FREE));

    type GuardMarker = GuardSend;

    fn lock(&self) {
        if !self.try_lock() {
            self.wait();
        }
    }

    fn try_lock(&self) -> bool {
        self.0.compare_exchange(FREE, HELD, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    unsafe fn unlock(&self) {
        if self.0.swap(FREE, Ordering::Release) == CONTENDED {
            wake_one(&self.0);
        }
    }
}

impl Word {
    #[cold]
    fn wait(&self) {
        for _ in 0..LOCK_SPINS {
            if self.0.load(Ordering::Relaxed) == FREE && self.try_lock() {
                return;
            }
            spin_loop();
        }
        while self.0.swap(CONTENDED, Ordering::Acquire) != FREE {
            sleep_while(&self.0, CONTENDED);
        }
    }
}

/// Lets threads that hold a lock wait for something that another does while it holds the lock.
#[derive(Debug, Default)]
pub struct Condvar {
    /// Changes with every notice.
    notices: ConstU32,
    /// Threads that wait; a change is made under the lock.
    waiting: ConstU32,
}

impl Condvar {
    /// Nobody waits.
    pub const fn new() -> Condvar {
        Condvar {
            notices: ConstU32::new(0),
            waiting: ConstU32::new(0),
        }
    }

    /// Gives the lock up, waits for a notice (or for nothing), and takes the lock again.
    pub fn wait<T>(&self, guard: &mut Guard<'_, T>) {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        let notices = self.notices.load(Ordering::Relaxed);
        Guard::unlocked(guard, || sleep_while(&self.notices, notices));
        self.waiting.fetch_sub(1, Ordering::Relaxed);
    }

    /// The same, for no longer than a time.
    pub fn wait_for<T>(&self, guard: &mut Guard<'_, T>, time: Duration) {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        let notices = self.notices.load(Ordering::Relaxed);
        Guard::unlocked(guard, || sleep_while_for(&self.notices, notices, time));
        self.waiting.fetch_sub(1, Ordering::Relaxed);
    }

    /// Wakes one thread that waits. What it waits for was done under the lock, which may be held or have been given up since.
    pub fn notify_one(&self) {
        // Whoever began to wait before the lock was taken for the change is counted; whoever comes later sees the change.
        if self.waiting.load(Ordering::Relaxed) != 0 {
            self.notices.fetch_add(1, Ordering::Relaxed);
            wake(&self.notices, 1);
        }
    }

    /// Wakes all threads that wait.
    pub fn notify_all(&self) {
        if self.waiting.load(Ordering::Relaxed) != 0 {
            self.notices.fetch_add(1, Ordering::Relaxed);
            wake(&self.notices, i32::MAX);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_at_a_time() {
        let counter = Lock::new(0u64);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..20_000 {
                        let mut counter = counter.lock();
                        let value = *counter;
                        *counter = std::hint::black_box(value) + 1;
                    }
                });
            }
        });
        assert_eq!(*counter.lock(), 80_000);
    }

    #[test]
    fn no_notice_is_lost() {
        let (value, changed) = (Lock::new(0u32), Condvar::new());
        std::thread::scope(|scope| {
            for parity in 0..2 {
                let (value, changed) = (&value, &changed);
                scope.spawn(move || {
                    for _ in 0..5_000 {
                        let mut value = value.lock();
                        while *value % 2 != parity {
                            changed.wait(&mut value);
                        }
                        *value += 1;
                        drop(value);
                        changed.notify_one();
                    }
                });
            }
        });
        assert_eq!(*value.lock(), 10_000);
    }

    #[test]
    fn a_wait_ends_in_time() {
        let (value, changed) = (Lock::new(()), Condvar::new());
        let began = std::time::Instant::now();
        changed.wait_for(&mut value.lock(), Duration::from_millis(20));
        assert!(began.elapsed() >= Duration::from_millis(10));
    }

    #[test]
    fn sleepers_are_woken() {
        let held = Lock::new(());
        for _ in 0..1000 {
            let guard = held.lock();
            std::thread::scope(|scope| {
                let other = scope.spawn(|| drop(held.lock()));
                // SAFETY: the word is only looked at.
                while unsafe { held.raw() }.0.load(Ordering::Relaxed) != CONTENDED {
                    std::thread::yield_now();
                }
                drop(guard);
                other.join().expect("it gets the lock");
            });
        }
    }
}
