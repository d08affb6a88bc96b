//! A lock that is one word of memory and nothing else (Drepper, "Futexes Are Tricky", the second mutex).
//!
//! The standard library's would do as well, but ThreadSanitizer does not see into it; parking_lot's share a table of queues, and a child of
//! fork() can find that table locked by a thread that it does not have.

use std::cell::UnsafeCell;
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicU32, Ordering};

const FREE: u32 = 0;
const HELD: u32 = 1;
/// As `HELD`, and somebody may be asleep.
const CONTENDED: u32 = 2;

/// A value that one thread at a time uses.
#[derive(Default)]
pub struct Lock<T> {
    word: AtomicU32,
    value: UnsafeCell<T>,
}

// SAFETY: the lock hands the value to one thread at a time.
unsafe impl<T: Send> Sync for Lock<T> {}

/// The right to use the value.
pub struct Guard<'a, T> {
    lock: &'a Lock<T>,
}

impl<T> Lock<T> {
    /// A lock that is free.
    pub const fn new(value: T) -> Lock<T> {
        Lock {
            word: AtomicU32::new(FREE),
            value: UnsafeCell::new(value),
        }
    }

    /// Waits until the value is free.
    pub fn lock(&self) -> Guard<'_, T> {
        if self
            .word
            .compare_exchange(FREE, HELD, Ordering::Acquire, Ordering::Relaxed)
            .is_err()
        {
            self.wait();
        }
        Guard { lock: self }
    }

    /// The value, which nobody else can have.
    pub fn get_mut(&mut self) -> &mut T {
        self.value.get_mut()
    }

    /// Frees the lock.
    ///
    /// # Safety
    /// Who held it must have forgotten the guard.
    pub unsafe fn force_unlock(&self) {
        drop(Guard { lock: self });
    }

    #[cold]
    fn wait(&self) {
        for _ in 0..100 {
            if self.word.load(Ordering::Relaxed) == FREE
                && self.word.compare_exchange(FREE, HELD, Ordering::Acquire, Ordering::Relaxed).is_ok()
            {
                return;
            }
            std::hint::spin_loop();
        }
        while self.word.swap(CONTENDED, Ordering::Acquire) != FREE {
            sleep_while(&self.word, CONTENDED);
        }
    }
}

impl<T> fmt::Debug for Lock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Lock")
    }
}

/// Lets threads that hold a lock wait for something that another does while it holds the lock.
#[derive(Debug, Default)]
pub struct Condvar {
    /// Changes with every notice.
    notices: AtomicU32,
    /// Threads that wait; a change is made under the lock.
    waiting: AtomicU32,
}

impl Condvar {
    /// Nobody waits.
    pub const fn new() -> Condvar {
        Condvar {
            notices: AtomicU32::new(0),
            waiting: AtomicU32::new(0),
        }
    }

    /// Gives the lock up, waits for a notice (or for nothing), and takes the lock again.
    pub fn wait<T>(&self, guard: &mut Guard<'_, T>) {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        let notices = self.notices.load(Ordering::Relaxed);
        let lock = guard.lock;
        // SAFETY: the guard's own lock, which is taken again before the guard is used.
        unsafe { lock.force_unlock() };
        sleep_while(&self.notices, notices);
        std::mem::forget(lock.lock());
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

impl<T> Deref for Guard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: whoever has the guard has the value for itself.
        unsafe { &*self.lock.value.get() }
    }
}

impl<T> DerefMut for Guard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: whoever has the guard has the value for itself.
        unsafe { &mut *self.lock.value.get() }
    }
}

impl<T> Drop for Guard<'_, T> {
    fn drop(&mut self) {
        if self.lock.word.swap(FREE, Ordering::Release) == CONTENDED {
            wake_one(&self.lock.word);
        }
    }
}

/// Sleeps if the word has that value, until somebody wakes it (or for no reason).
pub(crate) fn sleep_while(word: &AtomicU32, value: u32) {
    // SAFETY: the word lives as long as the call; no timeout.
    unsafe {
        libc::syscall(
            libc::SYS_futex,
            word.as_ptr(),
            libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG,
            value,
            std::ptr::null::<libc::timespec>(),
        )
    };
}

/// Wakes a thread that sleeps on the word. The word may be gone already: then nobody sleeps on it, or one that must expect to wake for no reason.
pub(crate) fn wake_one(word: *const AtomicU32) {
    wake(word, 1);
}

fn wake(word: *const AtomicU32, threads: i32) {
    // SAFETY: the system uses the address as a name only.
    unsafe { libc::syscall(libc::SYS_futex, word, libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG, threads) };
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
    fn sleepers_are_woken() {
        let held = Lock::new(());
        for _ in 0..1000 {
            let guard = held.lock();
            std::thread::scope(|scope| {
                let other = scope.spawn(|| drop(held.lock()));
                while held.word.load(Ordering::Relaxed) != CONTENDED {
                    std::thread::yield_now();
                }
                drop(guard);
                other.join().expect("it gets the lock");
            });
        }
    }
}
