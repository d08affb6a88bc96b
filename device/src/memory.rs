//! Memory of buffers: allocating it, and copying and filling it with as many cores as it pays to use.

mod arguments;
mod kept;
mod streaming;
mod transfer;

pub use crate::os::memory::address_space;
pub use arguments::ArgumentBlock;
pub use transfer::{RectPlace, copy, copy_rect, fill, fill_rect};

use crate::live;
use crate::machine::machine;
use crate::os::pages::Pages;
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};

/// Every allocation is at least this aligned: the size of long16 and double16 (`CL_DEVICE_MEM_BASE_ADDR_ALIGN` / 8).
pub const BASE_ALIGN: usize = 128;

/// From this size on, allocations are whole pages straight from the system.
const PAGES_FROM: usize = 128 << 10;

/// From this size on, huge pages pay.
const HUGE: usize = 2 << 20;

/// Bytes in allocations that live. The system promises more memory than it has (and kills the process that believes it),
/// so the sum is kept below what the machine has.
static ALLOCATED: AtomicU64 = AtomicU64::new(0);

/// Memory of a buffer. Freed when dropped.
#[derive(Debug)]
pub struct Allocation {
    start: NonNull<u8>,
    bytes: usize,
    /// So many of them are in [`ALLOCATED`].
    counted: u64,
    /// [`live`] knows of it.
    noted: bool,
    /// There until it is dropped.
    block: Option<Block>,
}

// SAFETY: plain memory; who accesses what when is the business of those who use the pointer.
unsafe impl Send for Allocation {}
// SAFETY: as above.
unsafe impl Sync for Allocation {}

/// There is not that much memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfMemory;

impl Allocation {
    /// Allocates `bytes` (0 is fine) at a multiple of [`BASE_ALIGN`], or of `align` (a power of two) where that is more. They are zeros.
    pub fn new(bytes: usize, align: usize) -> Result<Allocation, OutOfMemory> {
        Allocation::counted(bytes, align, false)
    }

    /// The same for what nobody reads before it is written: there may be anything in it, but in checked mode.
    pub fn with_any_contents(bytes: usize, align: usize) -> Result<Allocation, OutOfMemory> {
        Allocation::counted(bytes, align, true)
    }

    fn counted(bytes: usize, align: usize, any: bool) -> Result<Allocation, OutOfMemory> {
        let align = align.max(BASE_ALIGN);
        let wanted = bytes as u64;
        let limit = machine().memory_bytes;
        let more = |before: u64| before.checked_add(wanted).filter(|&sum| sum <= limit);
        // What is refused is never counted: another thread would be refused for it.
        ALLOCATED
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, more)
            .map_err(|_| OutOfMemory)?;
        let Some(mut allocation) = Allocation::obtain(bytes, align, live::is_watched(), any) else {
            ALLOCATED.fetch_sub(wanted, Ordering::Relaxed);
            return Err(OutOfMemory);
        };
        allocation.counted = wanted;
        Ok(allocation)
    }

    /// The same for memory of which little is ever touched at a time: it is not counted.
    pub fn untouched(bytes: usize) -> Result<Allocation, OutOfMemory> {
        Allocation::obtain(bytes, BASE_ALIGN, false, false).ok_or(OutOfMemory)
    }

    fn obtain(bytes: usize, align: usize, noted: bool, any: bool) -> Option<Allocation> {
        let zone = match noted {
            true => align.max(if bytes < PAGES_FROM { live::ZONE } else { machine().page_bytes }),
            false => 0,
        };
        let block = Block::obtain(bytes.checked_add(zone.checked_mul(2)?)?, align, any && !noted)?;
        // SAFETY: the block has room for both zones and the bytes.
        let start = unsafe { block.start().add(zone) };
        if noted {
            live::add(start.as_ptr() as usize, bytes, zone);
        }
        Some(Allocation {
            start,
            bytes,
            counted: 0,
            noted,
            block: Some(block),
        })
    }

    /// The first byte. Not null, aligned, also for a size of 0.
    pub fn as_ptr(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    /// The size asked for.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Kernels only read it: checked mode tells of those that write there.
    pub fn set_only_read(&self) {
        if self.noted {
            live::set_only_read(self.start.as_ptr() as usize);
        }
    }

    /// Nobody has written to it, and what comes from somewhere else than commands, launches and [`live::written`] tells of itself there: checked mode tells
    /// of kernels that read what nobody has written.
    pub fn follow_writes(&self) {
        if self.noted {
            live::written::follow(self.start.as_ptr() as usize);
        }
    }
}

impl Drop for Allocation {
    fn drop(&mut self) {
        ALLOCATED.fetch_sub(self.counted, Ordering::Relaxed);
        match self.block.take() {
            Some(block) if self.noted => live::free(self.start.as_ptr() as usize, block),
            Some(Block::Mapped(pages)) => kept::keep(pages),
            _ => {}
        }
    }
}

/// Memory of the heap.
#[derive(Debug)]
pub(crate) struct Heap(NonNull<u8>, Layout);

/// A piece of memory as the system gives it.
#[derive(Debug)]
pub(crate) enum Block {
    /// Small ones.
    Heap(Heap),
    /// Large ones.
    Mapped(Pages),
}

// SAFETY: plain memory, as with `Allocation`.
unsafe impl Send for Block {}

impl Block {
    /// Zeros, or `any` contents.
    fn obtain(bytes: usize, align: usize, any: bool) -> Option<Block> {
        if bytes >= PAGES_FROM {
            let align = if bytes >= HUGE { align.max(HUGE) } else { align };
            if let Some(pages) = any.then(|| kept::take(bytes, align)).flatten() {
                return Some(Block::Mapped(pages));
            }
            let pages = Pages::map(bytes, align).or_else(|| {
                kept::give_back();
                Pages::map(bytes, align)
            })?;
            if bytes >= HUGE {
                pages.advise_huge();
            }
            return Some(Block::Mapped(pages));
        }
        // Rounded up, so that vector accesses of the last elements stay inside.
        let layout = Layout::from_size_align(bytes.max(1).next_multiple_of(BASE_ALIGN), align).ok()?;
        // SAFETY: the layout's size is not zero.
        let start = NonNull::new(unsafe { alloc_zeroed(layout) })?;
        Some(Block::Heap(Heap(start, layout)))
    }

    fn start(&self) -> NonNull<u8> {
        match self {
            Block::Heap(Heap(start, _)) => *start,
            Block::Mapped(pages) => pages.start(),
        }
    }
}

impl Drop for Heap {
    fn drop(&mut self) {
        // SAFETY: `Block::obtain` allocated it with this layout.
        unsafe { dealloc(self.0.as_ptr(), self.1) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    /// One test takes all the memory that there is.
    static ALONE: Mutex<()> = Mutex::new(());

    #[test]
    fn allocations_are_aligned_and_zeroed() {
        let _alone = ALONE.lock();
        for bytes in [0, 1, 127, 4096, 100_000, 1 << 20, 5 << 20] {
            let allocation = Allocation::new(bytes, 1).expect("memory");
            assert_eq!(allocation.as_ptr() as usize % BASE_ALIGN, 0);
            assert_eq!(allocation.bytes(), bytes);
            // SAFETY: as many bytes as were asked for.
            let contents = unsafe { std::slice::from_raw_parts(allocation.as_ptr(), bytes) };
            assert!(contents.iter().all(|&byte| byte == 0));
        }
        assert_eq!(Allocation::new(10, 1 << 16).expect("memory").as_ptr() as usize % (1 << 16), 0);
    }

    #[test]
    fn zeros_are_not_made_of_freed_pages() {
        let _alone = ALONE.lock();
        let bytes = 3 << 20;
        for _ in 0..3 {
            let dirty = Allocation::with_any_contents(bytes, 1).expect("memory");
            // SAFETY: it has as many bytes.
            unsafe { dirty.as_ptr().write_bytes(7, bytes) };
            drop(dirty);
            let zeros = Allocation::new(bytes, 1).expect("memory");
            // SAFETY: as above.
            let contents = unsafe { std::slice::from_raw_parts(zeros.as_ptr(), bytes) };
            assert!(contents.iter().all(|&byte| byte == 0));
        }
    }

    #[test]
    fn more_than_there_is_is_refused() {
        let _alone = ALONE.lock();
        assert_eq!(Allocation::new(usize::MAX, 1).err(), Some(OutOfMemory));
        assert_eq!(Allocation::new(machine().memory_bytes as usize + 1, 1).err(), Some(OutOfMemory));
        let half = machine().max_allocation_bytes as usize;
        let one = Allocation::new(half, 1).expect("half the memory can be had");
        let two = Allocation::new(half, 1);
        assert!(Allocation::new(half, 1).is_err());
        drop((one, two));
    }
}
