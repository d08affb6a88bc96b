//! A lock that is one word of memory and nothing else (Drepper, "Futexes Are Tricky", the second mutex).
//!
//! The standard library's would do as well, but ThreadSanitizer does not see into it; parking_lot's share a table of queues, and a child of
//! fork() can find that table locked by a thread that it does not have.

use std::cell::UnsafeCell;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicU32, Ordering};

const FREE: u32 = 0;
const HELD: u32 = 1;
/// As `HELD`, and somebody may be asleep.
const CONTENDED: u32 = 2;

/// A value that one thread at a time uses.
#[derive(Default)]
pub(crate) struct Lock<T> {
    word: AtomicU32,
    value: UnsafeCell<T>,
}

// SAFETY: the lock hands the value to one thread at a time.
unsafe impl<T: Send> Sync for Lock<T> {}

/// The right to use the value.
pub(crate) struct Guard<'a, T> {
    lock: &'a Lock<T>,
}

impl<T> Lock<T> {
    pub(crate) const fn new(value: T) -> Lock<T> {
        Lock {
            word: AtomicU32::new(FREE),
            value: UnsafeCell::new(value),
        }
    }

    /// Waits until the value is free.
    pub(crate) fn lock(&self) -> Guard<'_, T> {
        if self
            .word
            .compare_exchange(FREE, HELD, Ordering::Acquire, Ordering::Relaxed)
            .is_err()
        {
            self.wait();
        }
        Guard { lock: self }
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
    // SAFETY: the system uses the address as a name only.
    unsafe { libc::syscall(libc::SYS_futex, word, libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG, 1) };
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
