//! Memory of buffers: allocating it, and copying and filling it with as many cores as it pays to use.

mod arguments;
mod streaming;
mod transfer;

pub use arguments::ArgumentBlock;
pub use transfer::{RectPlace, copy, copy_rect, fill, fill_rect};

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

/// Memory of a buffer. Freed when dropped. Its contents are zeroed at first.
#[derive(Debug)]
pub struct Allocation {
    start: NonNull<u8>,
    bytes: usize,
    /// So many of them are in [`ALLOCATED`].
    counted: u64,
    layout: Option<Layout>,
    pages: Option<Pages>,
}

// SAFETY: plain memory; who accesses what when is the business of those who use the pointer.
unsafe impl Send for Allocation {}
// SAFETY: as above.
unsafe impl Sync for Allocation {}

/// There is not that much memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfMemory;

impl Allocation {
    /// Allocates `bytes` (0 is fine) at a multiple of [`BASE_ALIGN`], or of `align` (a power of two) where that is more.
    pub fn new(bytes: usize, align: usize) -> Result<Allocation, OutOfMemory> {
        let align = align.max(BASE_ALIGN);
        let wanted = bytes as u64;
        let limit = machine().memory_bytes;
        let more = |before: u64| before.checked_add(wanted).filter(|&sum| sum <= limit);
        // What is refused is never counted: another thread would be refused for it.
        ALLOCATED
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, more)
            .map_err(|_| OutOfMemory)?;
        let Some(mut allocation) = Allocation::obtain(bytes, align) else {
            ALLOCATED.fetch_sub(wanted, Ordering::Relaxed);
            return Err(OutOfMemory);
        };
        allocation.counted = wanted;
        Ok(allocation)
    }

    /// The same for memory of which little is ever touched at a time: it is not counted.
    pub fn untouched(bytes: usize) -> Result<Allocation, OutOfMemory> {
        Allocation::obtain(bytes, BASE_ALIGN).ok_or(OutOfMemory)
    }

    fn obtain(bytes: usize, align: usize) -> Option<Allocation> {
        if bytes >= PAGES_FROM {
            let pages = Pages::map(bytes, if bytes >= HUGE { align.max(HUGE) } else { align })?;
            if bytes >= HUGE {
                pages.advise_huge();
            }
            return Some(Allocation {
                start: NonNull::new(pages.base())?,
                bytes,
                counted: 0,
                layout: None,
                pages: Some(pages),
            });
        }
        // Rounded up, so that vector accesses of the last elements stay inside.
        let layout = Layout::from_size_align(bytes.max(1).next_multiple_of(BASE_ALIGN), align).ok()?;
        // SAFETY: the layout's size is not zero.
        let start = NonNull::new(unsafe { alloc_zeroed(layout) })?;
        Some(Allocation {
            start,
            bytes,
            counted: 0,
            layout: Some(layout),
            pages: None,
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
}

impl Drop for Allocation {
    fn drop(&mut self) {
        ALLOCATED.fetch_sub(self.counted, Ordering::Relaxed);
        if let Some(layout) = self.layout {
            // SAFETY: `obtain` allocated it with this layout.
            unsafe { dealloc(self.start.as_ptr(), layout) };
        }
        self.pages = None;
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
