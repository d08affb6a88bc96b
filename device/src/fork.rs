//! `fork()`: a child has none of its parent's threads. What depends on threads is made afresh in it.

use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};

static GENERATION: AtomicU64 = AtomicU64::new(0);
static REGISTERED: AtomicBool = AtomicBool::new(false);

/// How many forks lie between the process that loaded the driver and this one. Whoever waits for work that was started under another
/// generation waits in vain: the threads that did it stayed in the parent.
pub fn generation() -> u64 {
    watch();
    GENERATION.load(Ordering::Relaxed)
}

/// Has the C library tell us of forks.
fn watch() {
    // Nothing that could be left locked by a fork at the wrong moment: a flag is enough.
    if !REGISTERED.load(Ordering::Relaxed) && !REGISTERED.swap(true, Ordering::Relaxed) {
        crate::os::fork::call_in_children(in_child);
    }
}

/// Has a function called before each fork, on the thread that forks, and another one after it, in parent and child: who must not be amid something
/// then locks it. Both stay for good, and do nothing but what a signal handler may.
pub fn call_around(before: extern "C" fn(), after: extern "C" fn()) {
    crate::os::fork::call_around(before, after);
}

/// Nothing but an atomic addition, which is allowed after a fork.
extern "C" fn in_child() {
    GENERATION.fetch_add(1, Ordering::Relaxed);
}

/// A value that each process makes for itself when it first needs it. It is never dropped: threads may hold on to it, and what a child
/// inherits can be locked for ever.
pub struct PerProcess<T: 'static> {
    current: AtomicPtr<Made<T>>,
    make: fn() -> T,
}

struct Made<T> {
    generation: u64,
    value: T,
}

impl<T: Send + Sync> PerProcess<T> {
    /// A value that `make` makes.
    pub const fn new(make: fn() -> T) -> PerProcess<T> {
        PerProcess {
            current: AtomicPtr::new(std::ptr::null_mut()),
            make,
        }
    }

    /// The value of this process.
    pub fn get(&self) -> &'static T {
        let generation = generation();
        let current = self.current.load(Ordering::Acquire);
        // SAFETY: what is stored here is leaked, so it lives for ever; null gives `None`.
        match unsafe { current.as_ref() } {
            Some(made) if made.generation == generation => &made.value,
            _ => self.make(current, generation),
        }
    }

    #[cold]
    fn make(&self, stale: *mut Made<T>, generation: u64) -> &'static T {
        let fresh = Box::into_raw(Box::new(Made {
            generation,
            value: (self.make)(),
        }));
        match self.current.compare_exchange(stale, fresh, Ordering::AcqRel, Ordering::Acquire) {
            // SAFETY: leaked just now.
            Ok(_) => unsafe { &(*fresh).value },
            Err(winner) => {
                // SAFETY: nobody else has seen `fresh`; the winner is leaked.
                unsafe {
                    drop(Box::from_raw(fresh));
                    &(*winner).value
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static VALUE: PerProcess<AtomicU64> = PerProcess::new(|| AtomicU64::new(7));

    #[test]
    fn a_child_has_its_own() {
        VALUE.get().store(8, Ordering::Relaxed);
        assert_eq!(VALUE.get().load(Ordering::Relaxed), 8);
        let before = generation();
        // SAFETY: the child does nothing but read atomics, allocate a box (glibc's malloc works after a fork) and leave.
        let child = unsafe { libc::fork() };
        if child == 0 {
            let fresh = generation() == before + 1 && VALUE.get().load(Ordering::Relaxed) == 7;
            // SAFETY: leaves the child at once, without running the test harness's cleaning up.
            unsafe { libc::_exit(if fresh { 0 } else { 1 }) };
        }
        let mut status = -1;
        // SAFETY: waits for the child made above.
        unsafe { libc::waitpid(child, &mut status, 0) };
        assert_eq!(status, 0);
        assert_eq!(VALUE.get().load(Ordering::Relaxed), 8);
    }
}
