//! What the sources under test import, as loom sees it.

pub mod atomic {
    pub use core::hint::spin_loop;
    pub use loom::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence};
    use std::ops::Deref;
    use std::sync::OnceLock;

    /// A word that a constant can hold, which loom's own can't: such a one begins when it is first used, which must be before other threads see it.
    #[derive(Debug)]
    pub struct ConstU32 {
        first: u32,
        word: OnceLock<AtomicU32>,
    }

    impl ConstU32 {
        pub const fn new(first: u32) -> ConstU32 {
            ConstU32 {
                first,
                word: OnceLock::new(),
            }
        }
    }

    impl Default for ConstU32 {
        fn default() -> ConstU32 {
            ConstU32 {
                first: 0,
                word: OnceLock::from(AtomicU32::new(0)),
            }
        }
    }

    impl Deref for ConstU32 {
        type Target = AtomicU32;

        fn deref(&self) -> &AtomicU32 {
            self.word.get_or_init(|| AtomicU32::new(self.first))
        }
    }

    /// A word that threads sleep on.
    pub trait Word {
        fn value(&self) -> u32;
    }

    impl Word for AtomicU32 {
        fn value(&self) -> u32 {
            self.load(Ordering::Relaxed)
        }
    }

    impl Word for ConstU32 {
        fn value(&self) -> u32 {
            self.load(Ordering::Relaxed)
        }
    }
}

pub mod os {
    pub mod futex {
        use crate::atomic::Word;
        use loom::sync::{Condvar, Mutex};

        loom::lazy_static! {
            /// All who sleep wake at every call, and look again: waking for no reason is allowed. A call that is missing is a deadlock, which loom sees.
            static ref SLEEPERS: (Mutex<()>, Condvar) = (Mutex::new(()), Condvar::new());
        }

        pub fn sleep_while(word: &impl Word, value: u32) {
            let (lock, called) = &*SLEEPERS;
            let guard = lock.lock().expect("no panic");
            if word.value() == value {
                drop(called.wait(guard).expect("no panic"));
            }
        }

        /// Time is no order of steps: whoever sleeps for a time wakes at a call.
        pub fn sleep_while_for(word: &impl Word, value: u32, _: core::time::Duration) {
            sleep_while(word, value);
        }

        pub fn wake_one<W: Word>(word: *const W) {
            wake(word, 1);
        }

        pub fn wake<W: Word>(_: *const W, _: i32) {
            let (lock, called) = &*SLEEPERS;
            let _guard = lock.lock().expect("no panic");
            called.notify_all();
        }
    }
}

pub mod clock {
    use std::sync::atomic::{AtomicU64, Ordering};

    /// A minute passes with every look, so that nobody's patience lasts.
    pub fn now() -> u64 {
        static MINUTES: AtomicU64 = AtomicU64::new(0);
        MINUTES.fetch_add(1, Ordering::Relaxed) * 60_000_000_000
    }
}

pub mod pool {
    /// Loops that wait a moment are short, since each iteration of theirs has many orders.
    pub const SPINS: u32 = 4;
    pub const LOCK_SPINS: u32 = 1;
}
