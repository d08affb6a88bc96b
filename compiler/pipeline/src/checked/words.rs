//! The words that tell who accesses a launch's buffers, for the check `global-races` (`transform/src/check/races/`).
//!
//! Buffers that share memory share words: a race is one whatever way the two came there.

use super::tell_once;
use device::memory::Allocation;
use interface::checks::Extent;
use std::sync::atomic::{AtomicBool, Ordering};

/// Memory is divided into granules of no more bytes, which have words of the same size.
const ALIGN: usize = 16;

/// An argument that points somewhere: where in the argument block its extent is, the extent, and where its object begins.
pub type Pointer = (u64, Extent, usize);

/// The words of a launch.
#[derive(Debug)]
pub struct Words {
    /// Three planes.
    memory: Allocation,
    used: AtomicBool,
}

impl Words {
    /// Gives the objects of a launch their words, of which 16 bytes have so many. Objects are left alone that are not known, or without memory
    /// for their words.
    pub(super) fn give(pointers: &mut [Pointer], per_16_bytes: u64) -> Option<Words> {
        if per_16_bytes == 0 {
            return None;
        }
        let is_known = |&(_, extent, start): &Pointer| start != 0 && extent.readable > 0 && extent.readable < Extent::ANYTHING.readable;
        let range = |&(_, extent, start): &Pointer| (start, start + extent.readable as usize);
        let mut ranges: Vec<(usize, usize)> = pointers.iter().filter(|pointer| is_known(pointer)).map(range).collect();
        ranges.sort_unstable();
        let mut whole: Vec<(usize, usize)> = Vec::new();
        for (start, end) in ranges {
            match whole.last_mut() {
                Some(last) if start < last.1 => last.1 = last.1.max(end),
                _ => whole.push((start, end)),
            }
        }
        let plane_of = |bytes: usize| bytes.div_ceil(ALIGN) * (per_16_bytes / 3) as usize;
        let plane: usize = whole.iter().map(|&(start, end)| plane_of(end - start)).sum();
        // It is touched when the launch runs: of many that are enqueued, one or few at a time.
        let memory = Allocation::untouched(3 * plane).ok();
        if memory.is_none() {
            tell_once("words", "brolga check: there is no memory to tell races in buffers of a launch\n");
        }
        for pointer in pointers {
            let (mut before, is_known) = (0, is_known(pointer));
            for &(start, end) in whole.iter().filter(|_| is_known) {
                // An object that shares a part of a granule's words would meet itself.
                if let Some(memory) = &memory
                    && (start..end).contains(&pointer.2)
                    && (pointer.2 - start) % ALIGN == 0
                {
                    pointer.1.words = (memory.as_ptr() as usize + before + plane_of(pointer.2 - start)) as u64;
                    pointer.1.plane = plane as u64;
                }
                before += plane_of(end - start);
            }
        }
        memory.map(|memory| Words {
            memory,
            used: AtomicBool::new(false),
        })
    }

    /// A launch begins: nobody has accessed anything.
    pub fn begin(&self) {
        if self.used.swap(true, Ordering::Relaxed) {
            // SAFETY: its own memory, which kernels alone access besides; of launches of one command at once, findings are no worse for it.
            unsafe { self.memory.as_ptr().write_bytes(0, self.memory.bytes()) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_that_share_memory_share_words() {
        let mut pointers = [
            (0, Extent::of(64), 4096),
            (0, Extent::of(32), 4096 + 32),
            (0, Extent::of(16), 8192),
            (0, Extent::ANYTHING, 16),
        ];
        let words = Words::give(&mut pointers, 4 * 8 * 3).expect("memory");
        let [one, part, other, anything] = pointers.map(|(_, extent, _)| extent);
        assert_eq!(words.memory.bytes(), 3 * (64 + 16) / 4 * 8);
        assert_eq!(part.words, one.words + 32 / 4 * 8);
        assert_eq!(other.words, one.words + 64 / 4 * 8);
        assert_eq!((one.plane, anything.plane), ((64 + 16) / 4 * 8, 0));
    }
}
