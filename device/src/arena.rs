//! A worker's memory for work-groups: a scratch page, local memory, and the gangs' private frames, one mapping a thread.

use crate::abi::WorkerRecord;
use crate::live;
use crate::machine::machine;
use crate::os::pages::Pages;

/// Alignment of local and of private memory: that of OpenCL's widest type, long16.
const ALIGN: usize = 128;

/// The page that switched-off lanes read and write ([`WorkerRecord::scratch`]).
const SCRATCH: usize = 4096;

/// Bytes after the end that vector accesses of the last element may touch.
const SLACK: usize = 256;

/// An arena that a thread keeps for its next launch is at most this big.
const KEPT: usize = 64 << 20;

/// A worker's memory. Empty until [`Arena::lay_out`] is called.
#[derive(Debug, Default)]
pub(crate) struct Arena {
    pages: Option<Pages>,
    /// [`live`] knows of it.
    noted: bool,
}

impl Arena {
    /// Makes room for `local_bytes` of local and `private_bytes` of private memory and writes the addresses into `record`.
    /// Tells whether there is memory enough.
    #[must_use]
    pub(crate) fn lay_out(&mut self, local_bytes: u64, private_bytes: u64, record: &mut WorkerRecord) -> bool {
        let round = |bytes: u64| usize::try_from(bytes).ok().and_then(|bytes| bytes.checked_next_multiple_of(ALIGN));
        let Some((local, private)) = round(local_bytes).zip(round(private_bytes)) else {
            return false;
        };
        let Some(wanted) = local.checked_add(private).and_then(|bytes| bytes.checked_add(SCRATCH + SLACK)) else {
            return false;
        };
        if self.pages.as_ref().is_none_or(|pages| pages.bytes() < wanted) {
            if wanted as u64 > machine().memory_bytes / 2 {
                return false;
            }
            self.give_back();
            self.pages = Pages::map(wanted.max(64 << 10).next_power_of_two(), 1);
            self.touch_scratch();
        }
        let Some(pages) = &self.pages else { return false };
        if !self.noted && live::is_watched() {
            live::add_arena(pages.base() as usize, pages.bytes());
            self.noted = true;
        }
        // SAFETY: the mapping has SCRATCH + local + private + SLACK bytes at least.
        unsafe {
            record.scratch = pages.base();
            record.local_memory = record.scratch.add(SCRATCH);
            record.private_memory = record.local_memory.add(local);
            record.arena_end = record.private_memory.add(private);
        }
        true
    }

    /// Has the system give the scratch page memory. Vectors that begin in front of local memory and end in it reach there with lanes that are switched
    /// off, which takes hundreds of cycles each time where a page has no memory yet, and never gives it any.
    fn touch_scratch(&self) {
        if let Some(pages) = &self.pages {
            // SAFETY: the mapping begins with SCRATCH bytes that nobody reads anything of.
            unsafe { pages.base().write_volatile(0) };
        }
    }

    /// Gives an arena of unusual size back to the system.
    pub(crate) fn trim(&mut self) {
        if self.pages.as_ref().is_some_and(|pages| pages.bytes() > KEPT) {
            self.give_back();
        }
    }

    fn give_back(&mut self) {
        if let Some(pages) = self.pages.take().filter(|_| self.noted) {
            live::remove_arena(pages.base() as usize);
        }
        self.noted = false;
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        self.give_back();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seat::Seat;

    #[test]
    fn parts_are_aligned_and_disjoint() {
        let mut record = Seat::default().record;
        let mut arena = Arena::default();
        for (local, private) in [(0, 0), (1, 1), (1000, 3), (200 << 10, 5 << 20), (64, 64)] {
            assert!(arena.lay_out(local, private, &mut record));
            let [scratch, start, middle, end] =
                [record.scratch, record.local_memory, record.private_memory, record.arena_end].map(|p| p as usize);
            assert_eq!((start - scratch, start % 128, middle % 128), (4096, 0, 0));
            assert!(middle - start >= local as usize && end - middle >= private as usize);
            // SAFETY: the whole range was laid out just now.
            unsafe { record.scratch.write_bytes(0xff, end - scratch) };
        }
    }

    #[test]
    fn it_is_kept_but_not_hoarded() {
        let mut record = Seat::default().record;
        let mut arena = Arena::default();
        assert!(arena.lay_out(1000, 1000, &mut record));
        let first = record.scratch;
        arena.trim();
        assert!(arena.lay_out(2000, 1000, &mut record));
        assert_eq!(record.scratch, first);
        assert!(arena.lay_out(65 << 20, 0, &mut record));
        arena.trim();
        assert!(arena.pages.is_none());
    }

    #[test]
    fn too_much_is_an_error() {
        let mut record = Seat::default().record;
        for (local, private) in [(u64::MAX, 0), (0, u64::MAX), (1 << 62, 1 << 62), (1 << 45, 0)] {
            assert!(!Arena::default().lay_out(local, private, &mut record));
        }
    }
}
