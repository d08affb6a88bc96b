//! Pages of memory that was freed, for buffers and images that are created next.
//!
//! The system clears each page when it is touched first, which takes about as long as what a kernel writes there. Programs that create and release
//! buffers for each picture, as OpenCV does, would wait for that each time.

use super::machine;
use crate::lock::Lock;
use crate::os::pages::Pages;
use std::collections::VecDeque;

/// So many bytes are kept at most, …
const MOST: usize = 64 << 20;

/// … and no more than this part of the machine's memory.
const PART_OF_MEMORY: u64 = 128;

/// What is kept may be longer than what is asked for by this part of it.
const SLACK: usize = 8;

/// (A child of fork() may find it locked by a thread that it does not have, and then does without.)
static KEPT: Lock<Kept> = Lock::new(Kept(VecDeque::new()));

/// Keeps pages, and gives those back to the system that have been here for longest.
pub(super) fn keep(pages: Pages) {
    let most = usize::try_from(machine().memory_bytes / PART_OF_MEMORY).map_or(MOST, |part| part.min(MOST));
    let too_many = KEPT.try_lock().map(|mut kept| kept.keep(pages, most));
    drop(too_many);
}

/// Pages for at least so many bytes at a multiple of `align`, if there are some that are hardly longer. They hold anything.
pub(super) fn take(bytes: usize, align: usize) -> Option<Pages> {
    KEPT.try_lock()?.take(bytes, align)
}

/// Gives all back to the system.
pub(super) fn give_back() {
    let all = KEPT.try_lock().map(|mut kept| std::mem::take(&mut kept.0));
    drop(all);
}

/// The longest unused first.
struct Kept(VecDeque<Pages>);

impl Kept {
    /// Keeps pages; returns those that are more than so many bytes.
    fn keep(&mut self, pages: Pages, most: usize) -> Vec<Pages> {
        self.0.push_back(pages);
        let mut bytes: usize = self.0.iter().map(Pages::bytes).sum();
        let mut old = Vec::new();
        while bytes > most
            && let Some(oldest) = self.0.pop_front()
        {
            bytes -= oldest.bytes();
            old.push(oldest);
        }
        old
    }

    fn take(&mut self, bytes: usize, align: usize) -> Option<Pages> {
        let fits = |pages: &Pages| {
            let more = pages.bytes().checked_sub(bytes);
            more.is_some_and(|more| more <= bytes / SLACK) && (pages.base() as usize).is_multiple_of(align)
        };
        let last = self.0.iter().rposition(fits)?;
        self.0.remove(last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_had_again_and_the_oldest_go() {
        let mut kept = Kept(VecDeque::new());
        let most = 1 << 20;
        let new = |bytes: usize| Pages::map(bytes, 1).expect("memory");
        let first = new(512 << 10);
        let start = first.base();
        assert!(kept.keep(first, most).is_empty());
        // Neither what is longer nor what is much shorter is made of them, nor what is to be elsewhere.
        assert!(kept.take((512 << 10) + 1, 1).is_none() && kept.take(256 << 10, 1).is_none());
        assert!(kept.take(512 << 10, (start as usize).next_power_of_two() << 1).is_none());
        let again = kept.take((512 << 10) - 100, 1).expect("they are there");
        assert_eq!(again.base(), start);
        assert!(kept.take(512 << 10, 1).is_none());
        assert!(kept.keep(again, most).is_empty() && kept.keep(new(512 << 10), most).is_empty());
        let old = kept.keep(new(128 << 10), most);
        assert_eq!(old.iter().map(Pages::base).collect::<Vec<_>>(), [start]);
        // What is more than all that is kept goes at once.
        assert!(kept.keep(new(2 << 20), most).iter().any(|pages| pages.bytes() == 2 << 20));
    }
}
