//! The list of workers that wait: they come without a lock, many at once when a job is at its end.
//!
//! Who waits adds itself, has a fence that all see in one order, and looks whether a job has been shared; who shares one says so, has the fence, and takes
//! those that have come. So one of the two sees the other.

use crate::atomic::{AtomicU32, Ordering};
use crate::job::Apart;

/// The numbers of workers in the order in which they came to wait. Any thread adds its own; the one that holds the lock takes them.
pub(crate) struct Arrivals {
    count: Apart<AtomicU32>,
    /// A number plus one each, 0 where none has come; as many as there can be workers, rounded up to a power of two.
    numbers: Box<[AtomicU32]>,
}

impl Arrivals {
    /// For so many workers at most.
    pub(crate) fn new(workers: usize) -> Arrivals {
        Arrivals {
            count: Apart::default(),
            numbers: (0..workers.next_power_of_two()).map(|_| AtomicU32::new(0)).collect(),
        }
    }

    fn place(&self, count: u32) -> &AtomicU32 {
        &self.numbers[count as usize & (self.numbers.len() - 1)]
    }

    /// This worker waits from now on.
    pub(crate) fn add(&self, number: u32) {
        // Who adds here sees that what was here is taken: a worker that has been called since added between.
        let count = self.count.0.fetch_add(1, Ordering::AcqRel);
        self.place(count).store(number + 1, Ordering::Release);
    }

    /// The next one after so many, if it has come.
    pub(crate) fn take(&self, count: u32) -> Option<u32> {
        let place = self.place(count);
        let number = place.load(Ordering::Acquire).checked_sub(1)?;
        place.store(0, Ordering::Relaxed);
        Some(number)
    }
}
