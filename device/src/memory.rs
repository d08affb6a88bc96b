//! Memory of buffers, and copying and filling it with as many cores as it pays to use.

use crate::machine::machine;
use crate::pages::Pages;
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::{self, NonNull};
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
        let before = ALLOCATED.fetch_add(wanted, Ordering::Relaxed);
        let allocation = if before.saturating_add(wanted) > machine().memory_bytes {
            None
        } else {
            Allocation::obtain(bytes, align)
        };
        if allocation.is_none() {
            ALLOCATED.fetch_sub(wanted, Ordering::Relaxed);
        }
        allocation.ok_or(OutOfMemory)
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
        ALLOCATED.fetch_sub(self.bytes as u64, Ordering::Relaxed);
        if let Some(layout) = self.layout {
            // SAFETY: `obtain` allocated it with this layout.
            unsafe { dealloc(self.start.as_ptr(), layout) };
        }
        self.pages = None;
    }
}

/// The values of a kernel's arguments, each where the compiler put it. Aligned for every OpenCL type.
#[derive(Debug)]
pub struct ArgumentBlock {
    lines: Vec<Line>,
    bytes: usize,
}

#[repr(C, align(128))]
#[derive(Clone, Copy, Debug)]
struct Line([u8; 128]);

impl ArgumentBlock {
    /// A zeroed block.
    pub fn new(bytes: usize) -> ArgumentBlock {
        ArgumentBlock {
            lines: vec![Line([0; 128]); bytes.div_ceil(128)],
            bytes,
        }
    }

    /// Puts a value where the argument's offset says. Tells whether it fits there.
    #[must_use]
    pub fn put(&mut self, offset: usize, value: &[u8]) -> bool {
        let Some(place) = self.as_mut_slice().get_mut(offset..).and_then(|rest| rest.get_mut(..value.len())) else {
            return false;
        };
        place.copy_from_slice(value);
        true
    }

    /// The bytes.
    pub fn as_slice(&self) -> &[u8] {
        // SAFETY: the lines are `bytes` plain bytes at least.
        unsafe { std::slice::from_raw_parts(self.lines.as_ptr().cast(), self.bytes) }
    }

    /// The bytes, to be changed.
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        // SAFETY: the lines are `bytes` plain bytes at least.
        unsafe { std::slice::from_raw_parts_mut(self.lines.as_mut_ptr().cast(), self.bytes) }
    }

    /// Where it is.
    pub fn as_ptr(&self) -> *const u8 {
        self.lines.as_ptr().cast()
    }
}

impl Clone for ArgumentBlock {
    fn clone(&self) -> ArgumentBlock {
        ArgumentBlock {
            lines: self.lines.clone(),
            bytes: self.bytes,
        }
    }
}

/// A place of a rectangular copy: where its origin is, and how far rows and slices are apart.
#[derive(Clone, Copy, Debug)]
pub struct RectPlace<P> {
    /// The byte at the region's origin.
    pub origin: P,
    /// Bytes from a row to the next.
    pub row_pitch: usize,
    /// Bytes from a slice to the next.
    pub slice_pitch: usize,
}

/// Copies `bytes` bytes. The ranges may overlap; then the result is as if the source had been read first.
///
/// # Safety
/// The source must be readable and the destination writable for `bytes` bytes, and nobody else may write to them meanwhile.
pub unsafe fn copy(destination: *mut u8, source: *const u8, bytes: usize, max_workers: usize) {
    let _ = max_workers;
    // SAFETY: the caller's promise.
    unsafe { ptr::copy(source, destination, bytes) }
}

/// Fills `bytes` bytes with repetitions of a pattern of 1 to 128 bytes (a power of two); `bytes` is a multiple of its size.
///
/// # Safety
/// The destination must be writable for `bytes` bytes, and nobody else may access it meanwhile.
pub unsafe fn fill(destination: *mut u8, pattern: &[u8], bytes: usize, max_workers: usize) {
    let _ = max_workers;
    for offset in (0..bytes).step_by(pattern.len().max(1)) {
        // SAFETY: the caller's promise; the last piece is cut to fit.
        unsafe { ptr::copy_nonoverlapping(pattern.as_ptr(), destination.add(offset), pattern.len().min(bytes - offset)) };
    }
}

/// Copies a region of `region[0]` bytes by `region[1]` rows by `region[2]` slices.
///
/// # Safety
/// Every row of the region must be readable in the source and writable in the destination; they must not overlap, and nobody else may write to
/// them meanwhile.
pub unsafe fn copy_rect(destination: RectPlace<*mut u8>, source: RectPlace<*const u8>, region: [usize; 3], max_workers: usize) {
    let _ = max_workers;
    for slice in 0..region[2] {
        for row in 0..region[1] {
            // SAFETY: the caller's promise for each row.
            unsafe {
                let from = source.origin.add(slice * source.slice_pitch + row * source.row_pitch);
                let to = destination
                    .origin
                    .add(slice * destination.slice_pitch + row * destination.row_pitch);
                ptr::copy_nonoverlapping(from, to, region[0]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allocations_are_aligned_and_zeroed() {
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
        assert_eq!(Allocation::new(usize::MAX, 1).err(), Some(OutOfMemory));
        assert_eq!(Allocation::new(machine().memory_bytes as usize + 1, 1).err(), Some(OutOfMemory));
        let half = machine().max_allocation_bytes as usize;
        let one = Allocation::new(half, 1).expect("half the memory can be had");
        let two = Allocation::new(half, 1);
        assert!(Allocation::new(half, 1).is_err());
        drop((one, two));
    }

    #[test]
    fn arguments_are_put_where_they_belong() {
        let mut block = ArgumentBlock::new(12);
        assert!(block.put(8, &[1, 2, 3, 4]));
        assert!(!block.put(9, &[1, 2, 3, 4]));
        assert!(!block.put(13, &[]));
        assert_eq!(block.clone().as_slice(), [0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4]);
        assert_eq!(block.as_ptr() as usize % 128, 0);
    }
}
