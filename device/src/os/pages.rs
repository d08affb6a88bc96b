//! Memory straight from the system: what stacks, arenas and big buffers are made of. Committed when touched, given back when dropped.

use super::memory::page_bytes;
use std::ptr::{self, NonNull};

/// A private anonymous mapping.
#[derive(Debug)]
pub struct Pages {
    base: NonNull<u8>,
    bytes: usize,
}

// SAFETY: the mapping belongs to this value alone; nothing about it is tied to a thread.
unsafe impl Send for Pages {}
// SAFETY: a shared reference gives the address and size only.
unsafe impl Sync for Pages {}

impl Pages {
    /// Maps at least `bytes` zeroed bytes at a multiple of `align`; `None` where the system has none.
    pub fn map(bytes: usize, align: usize) -> Option<Pages> {
        let page = page_bytes();
        let bytes = bytes.max(1).checked_next_multiple_of(page)?;
        let spare = if align > page { align } else { 0 };
        let length = bytes.checked_add(spare)?;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: a new anonymous mapping at an address of the system's choice touches nothing that exists.
        let start = unsafe { libc::mmap(ptr::null_mut(), length, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0) };
        if start == libc::MAP_FAILED {
            return None;
        }
        let start = start.cast::<u8>();
        let head = start.align_offset(align.max(1));
        let head = if spare == 0 { 0 } else { head };
        // SAFETY: head < align = spare (or 0), so head + bytes <= length.
        let base = unsafe { start.add(head) };
        // SAFETY: both ends are parts of the mapping made above that nobody has seen yet.
        unsafe {
            if head != 0 {
                libc::munmap(start.cast(), head);
            }
            if spare != head {
                libc::munmap(base.add(bytes).cast(), spare - head);
            }
        }
        Some(Pages {
            base: NonNull::new(base)?,
            bytes,
        })
    }

    /// The first byte.
    pub fn base(&self) -> *mut u8 {
        self.base.as_ptr()
    }

    /// The same.
    pub fn start(&self) -> NonNull<u8> {
        self.base
    }

    /// The size, whole pages.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Makes the first `bytes` inaccessible. Tells whether that worked.
    pub fn guard(&mut self, bytes: usize) -> bool {
        debug_assert!(bytes <= self.bytes);
        // SAFETY: the range belongs to this mapping, and `&mut self` says that nobody uses it.
        unsafe { libc::mprotect(self.base().cast(), bytes, libc::PROT_NONE) == 0 }
    }

    /// Asks for transparent huge pages. Advice: a refusal changes nothing.
    pub fn advise_huge(&self) {
        // SAFETY: advice about a range of ours; it does not change contents.
        unsafe { libc::madvise(self.base().cast(), self.bytes, libc::MADV_HUGEPAGE) };
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours, and its owner is gone.
        unsafe { libc::munmap(self.base().cast(), self.bytes) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alignment_is_kept() {
        for (bytes, align) in [(1, 1), (5000, 4096), (1 << 20, 2 << 20), (3 << 20, 64 << 10)] {
            let pages = Pages::map(bytes, align).expect("memory");
            assert_eq!(pages.base() as usize % align, 0);
            assert!(pages.bytes() >= bytes);
            // SAFETY: first and last byte of the mapping.
            unsafe {
                pages.base().write(1);
                pages.base().add(pages.bytes() - 1).write(2);
            }
            pages.advise_huge();
        }
    }

    #[test]
    fn too_much_is_refused() {
        assert!(Pages::map(usize::MAX - 4095, 4096).is_none());
        assert!(Pages::map(1 << 60, 4096).is_none());
    }
}
