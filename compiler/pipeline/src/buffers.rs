//! The memory that a launch's arguments point to: how it is allocated, and what code may assume of it.

use crate::ArgumentFacts;
use crate::kernel::Kernel;
use crate::nd_range::NdRange;
use analysis::no_wrap::Sizes;
use device::machine::machine;
use device::memory::{Allocation, OutOfMemory};
use smallvec::SmallVec;

/// From so many bytes on a buffer may be too large for the caches.
const LARGE: usize = 1 << 20;

/// More buffers than this are not compared.
const MOST_APART: usize = 16;

/// No more bytes than this of a buffer are expected to be a work-item's.
const ITEM: u64 = 16;

/// Memory of which nothing says what is in it, `align` as in [`Allocation::new`]; in reproducible mode it is zeros, the same each time.
pub fn allocate(bytes: usize, align: usize) -> Result<Allocation, OutOfMemory> {
    match target::reproducible() {
        true => Allocation::new(bytes, align),
        false => Allocation::with_any_contents(bytes, align),
    }
}

/// The memory that arguments point to.
#[derive(Debug)]
pub struct Buffers {
    /// Large buffers: where in the block, and their size.
    large: SmallVec<[(u64, u64); 4]>,
    /// What kernels may write, from its first address to behind its last; `None` where not all is known.
    places: Option<SmallVec<[(usize, usize); 8]>>,
}

impl Default for Buffers {
    /// None.
    fn default() -> Buffers {
        Buffers {
            large: SmallVec::new(),
            places: Some(SmallVec::new()),
        }
    }
}

impl Buffers {
    /// An argument, at an offset of the block, points into memory of so many bytes.
    pub fn add(&mut self, offset: u64, start: usize, bytes: usize, constant: bool) {
        if bytes >= LARGE {
            self.large.push((offset, bytes as u64));
        }
        if let (false, Some(places)) = (constant, &mut self.places) {
            places.push((start, start + bytes));
        }
    }

    /// An argument points to memory of which nothing is known.
    pub fn add_unknown(&mut self) {
        self.places = None;
    }

    /// No two of what kernels may write share a byte, as far as is known.
    pub fn are_apart(&self) -> bool {
        self.places.as_ref().is_some_and(|places| are_apart(places))
    }

    /// What code may assume of the arguments in a block, and what follows from them in a launch of which `global` work-items run.
    ///
    /// # Safety
    /// The block must hold a value for each argument of the kernel, and the records of its images must be valid.
    pub unsafe fn facts(&self, kernel: &Kernel, block: &[u8], range: &NdRange, global: [u64; 3]) -> ArgumentFacts {
        // SAFETY: the caller's promise.
        let mut facts = unsafe { ArgumentFacts::read(&kernel.info, block) };
        if kernel.wants_separate() && self.are_apart() {
            facts.set_separate();
        }
        for &(offset, bytes) in kernel.strides() {
            if let Some([1, rest @ ..]) = block.get(offset as usize..(offset + bytes) as usize)
                && rest.iter().all(|&byte| byte == 0)
            {
                facts.add_one(offset, bytes);
            }
        }
        let sizes = Sizes {
            offset: range.offset,
            global,
            local: range.local,
        };
        facts.set_no_wrap(kernel.no_wrap(&sizes, block));
        // (What a machine's caches hold is no one's business in reproducible mode.)
        if !self.large.is_empty() && !target::reproducible() {
            let caches = machine().caches.last_level();
            let sum: u64 = self.large.iter().map(|&(_, size)| size).sum();
            let items = range.global.iter().fold(1, |items: u64, &size| items.saturating_mul(size));
            for &(place, size) in &self.large {
                // Below twice the caches, much of what one launch leaves in them serves the next. Work-items that are few leave most of the
                // buffer alone.
                if sum >= 2 * caches && size >= caches / 8 && items.saturating_mul(ITEM) >= size {
                    facts.add_large(place);
                }
            }
        }
        facts
    }
}

/// No two of them share a byte. (There are so few that sorting them would take longer.)
fn are_apart(places: &[(usize, usize)]) -> bool {
    let apart = |&(start, end): &(usize, usize), rest: &[(usize, usize)]| rest.iter().all(|&(from, to)| end <= from || to <= start);
    places.len() <= MOST_APART && places.iter().enumerate().all(|(at, place)| apart(place, &places[at + 1..]))
}
