//! What the driver's sources import, as the simulation sees it.

use crate::simulation::{self, Access};

/// Atomics of the driver's sizes, so that they share lines of cache as there. One thread at a time is running: plain memory will do.
pub mod atomic {
    use super::{Access, simulation};
    use std::cell::Cell;
    pub use std::sync::atomic::Ordering;

    /// An iteration of a loop that waits.
    pub fn spin_loop() {
        simulation::pass_by(|machine| machine.pause);
    }

    /// All are seen in order here; that takes as long as it does to empty the store buffer.
    pub fn fence(_: Ordering) {
        simulation::pass_by(|machine| machine.locked);
    }

    macro_rules! atomics {
        ($($name:ident $value:ty;)*) => {
            $(
                #[derive(Debug, Default)]
                #[repr(transparent)]
                pub struct $name(Cell<$value>);

                // SAFETY: a simulation is one thread of the system's, and nothing in it is handed to another.
                unsafe impl Sync for $name {}

                #[allow(dead_code, reason = "each has what some of them need")]
                impl $name {
                    pub const fn new(value: $value) -> $name {
                        $name(Cell::new(value))
                    }

                    fn touch(&self, access: Access) -> &Cell<$value> {
                        simulation::access(self.address(), access);
                        &self.0
                    }

                    pub fn address(&self) -> usize {
                        std::ptr::from_ref(self).addr()
                    }

                    /// The value as it is, at no cost.
                    pub fn value(&self) -> $value {
                        self.0.get()
                    }

                    pub fn load(&self, _: Ordering) -> $value {
                        self.touch(Access::Load).get()
                    }

                    pub fn store(&self, value: $value, _: Ordering) {
                        self.touch(Access::Store).set(value);
                    }

                    pub fn swap(&self, value: $value, _: Ordering) -> $value {
                        self.touch(Access::Update).replace(value)
                    }

                    pub fn compare_exchange(&self, old: $value, new: $value, _: Ordering, _: Ordering) -> Result<$value, $value> {
                        let value = self.touch(Access::Update);
                        match value.get() {
                            now if now == old => Ok(value.replace(new)),
                            now => Err(now),
                        }
                    }

                    pub fn compare_exchange_weak(&self, old: $value, new: $value, success: Ordering, failure: Ordering) -> Result<$value, $value> {
                        self.compare_exchange(old, new, success, failure)
                    }
                }
            )*
        };
    }
    atomics! { AtomicBool bool; AtomicU32 u32; AtomicU64 u64; }

    macro_rules! additions {
        ($($name:ident $value:ty;)*) => {
            $(
                #[allow(dead_code, reason = "each has what some of them need")]
                impl $name {
                    pub fn fetch_add(&self, value: $value, _: Ordering) -> $value {
                        let word = self.touch(Access::Update);
                        word.replace(word.get().wrapping_add(value))
                    }

                    pub fn fetch_sub(&self, value: $value, order: Ordering) -> $value {
                        self.fetch_add(value.wrapping_neg(), order)
                    }
                }
            )*
        };
    }
    additions! { AtomicU32 u32; AtomicU64 u64; }

    /// A word that constants and statics hold.
    pub type ConstU32 = AtomicU32;
}

pub mod os {
    pub mod futex {
        use crate::atomic::AtomicU32;
        use crate::simulation;

        pub fn sleep_while(word: &AtomicU32, value: u32) {
            simulation::sleep_if(word.address(), || word.value() == value);
        }

        /// Nobody here waits for a time.
        pub fn sleep_while_for(word: &AtomicU32, value: u32, _: core::time::Duration) {
            sleep_while(word, value);
        }

        pub fn wake_one(word: *const AtomicU32) {
            wake(word, 1);
        }

        pub fn wake(word: *const AtomicU32, threads: i32) {
            simulation::wake(word.addr(), threads as usize);
        }
    }

    pub mod threads {
        use crate::simulation;

        pub struct Thread(usize);

        impl Thread {
            pub fn start(_: &str, _: usize, body: impl FnOnce() + 'static) -> Option<Thread> {
                Some(Thread(simulation::spawn(Box::new(body))))
            }

            pub fn is_over(&self) -> bool {
                simulation::is_over(self.0)
            }

            pub fn is_this(&self) -> bool {
                simulation::this() == self.0
            }

            pub fn join(self) {
                simulation::join(self.0);
            }
        }
    }
}

pub mod clock {
    use crate::{model::NS, simulation};

    /// Nanoseconds, as the driver has it; looking takes some, too.
    pub fn now() -> u64 {
        simulation::pass(20 * NS);
        simulation::clock() / NS
    }
}

pub mod fork {
    use std::cell::Cell;
    use std::ptr;

    /// A value that each simulation makes for itself: each runs on a thread of its own, and ends with it.
    pub struct PerProcess<T: 'static> {
        make: fn() -> T,
    }

    thread_local! {
        static MADE: Cell<*const ()> = const { Cell::new(ptr::null()) };
    }

    impl<T> PerProcess<T> {
        pub const fn new(make: fn() -> T) -> PerProcess<T> {
            PerProcess { make }
        }

        pub fn get(&self) -> &'static T {
            let made = MADE.get().cast::<T>();
            if !made.is_null() {
                // SAFETY: made below, by the only value of this kind that there is, and never dropped.
                return unsafe { &*made };
            }
            let fresh: &'static T = Box::leak(Box::new((self.make)()));
            MADE.set(ptr::from_ref(fresh).cast());
            fresh
        }
    }
}

/// The machine, as the pool asks for it.
pub mod machine {
    use crate::simulation;

    pub struct Here {
        pub compute_units: usize,
    }

    pub struct Cpus;

    impl Here {
        pub fn cpus(&self) -> Cpus {
            Cpus
        }

        pub fn is_oversubscribed(&self) -> bool {
            false
        }
    }

    impl Cpus {
        pub fn apply_to_this_thread(&self) {}
    }

    pub fn machine() -> Here {
        Here {
            compute_units: simulation::cores(),
        }
    }
}
