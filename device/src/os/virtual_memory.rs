//! Addresses and memory apart: addresses that are reserved, memory that has none, and the second at the first.

use super::memory::page_bytes;
use std::fs::File;
use std::os::fd::{AsRawFd, FromRawFd};
use std::ptr;

/// What may be done with pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Nothing.
    None,
    /// Reading and writing.
    ReadWrite,
    /// Reading.
    ReadOnly,
}

impl Access {
    fn protection(self) -> libc::c_int {
        match self {
            Access::None => libc::PROT_NONE,
            Access::ReadWrite => libc::PROT_READ | libc::PROT_WRITE,
            Access::ReadOnly => libc::PROT_READ,
        }
    }
}

/// Memory without an address. It is zeros at first.
#[derive(Debug)]
pub struct Memory {
    file: File,
    bytes: usize,
}

impl Memory {
    /// Of so many bytes, whole pages; `None` where the system has none.
    pub fn new(bytes: usize) -> Option<Memory> {
        debug_assert!(bytes.is_multiple_of(page_bytes()));
        // SAFETY: the name is a string that a NUL ends.
        let file = unsafe { libc::memfd_create(c"brolga".as_ptr(), libc::MFD_CLOEXEC) };
        if file < 0 {
            return None;
        }
        // SAFETY: the descriptor is new, and nobody else's.
        let file = unsafe { File::from_raw_fd(file) };
        file.set_len(bytes as u64).ok()?;
        Some(Memory { file, bytes })
    }

    /// Its size.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

/// Addresses that nobody else gets, and that lead to no memory as long as none is mapped there.
#[derive(Debug)]
pub struct Reservation {
    start: usize,
    bytes: usize,
}

impl Reservation {
    /// Of so many bytes, whole pages, from an address on if that is free, else from another; `None` where the system has none.
    pub fn new(wanted: usize, bytes: usize) -> Option<Reservation> {
        let start = anonymous(wanted, bytes, 0)?;
        Some(Reservation { start, bytes })
    }

    /// The first address.
    pub fn start(&self) -> usize {
        self.start
    }

    /// How many there are.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Are all of these addresses its own?
    pub fn contains(&self, start: usize, bytes: usize) -> bool {
        start >= self.start && start - self.start <= self.bytes && bytes <= self.bytes - (start - self.start)
    }

    /// Has addresses lead to memory from an offset on. All are whole pages. Tells whether that worked.
    pub fn map(&self, start: usize, bytes: usize, memory: &Memory, offset: usize, access: Access) -> bool {
        if !self.contains(start, bytes) {
            return false;
        }
        let flags = libc::MAP_SHARED | libc::MAP_FIXED;
        // SAFETY: the addresses are ours, and lead to nothing but what was mapped here.
        let mapped = unsafe {
            libc::mmap(
                start as *mut _,
                bytes,
                access.protection(),
                flags,
                memory.file.as_raw_fd(),
                offset as libc::off_t,
            )
        };
        mapped != libc::MAP_FAILED
    }

    /// Has addresses lead nowhere again. Tells whether that worked.
    pub fn unmap(&self, start: usize, bytes: usize) -> bool {
        self.contains(start, bytes) && anonymous(start, bytes, libc::MAP_FIXED).is_some()
    }

    /// Says what may be done with memory that is mapped. Tells whether that worked.
    pub fn protect(&self, start: usize, bytes: usize, access: Access) -> bool {
        // SAFETY: the addresses are ours.
        self.contains(start, bytes) && unsafe { libc::mprotect(start as *mut _, bytes, access.protection()) == 0 }
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        // SAFETY: the addresses are ours, and their owner is gone.
        unsafe { libc::munmap(self.start as *mut _, self.bytes) };
    }
}

/// Inaccessible pages, which lead to no memory.
fn anonymous(start: usize, bytes: usize, flags: libc::c_int) -> Option<usize> {
    let flags = flags | libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: without MAP_FIXED nothing that exists is touched; with it, the caller says that the addresses are a reservation's.
    let pages = unsafe { libc::mmap(ptr::without_provenance_mut(start), bytes, libc::PROT_NONE, flags, -1, 0) };
    (pages != libc::MAP_FAILED).then_some(pages as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_addresses_of_the_same_memory() {
        let page = page_bytes();
        let memory = Memory::new(2 * page).expect("memory");
        let places = Reservation::new(0, 4 * page).expect("addresses");
        let [first, second] = [places.start(), places.start() + 2 * page];
        assert!(places.map(first, 2 * page, &memory, 0, Access::ReadWrite));
        assert!(places.map(second, page, &memory, page, Access::ReadOnly));
        // SAFETY: both are mapped, the first to be written.
        unsafe {
            ((first + page) as *mut u8).write_volatile(7);
            assert_eq!((second as *const u8).read_volatile(), 7);
        }
        assert!(places.protect(second, page, Access::ReadWrite));
        assert!(places.unmap(first, page));
        assert!(!places.map(first, 5 * page, &memory, 0, Access::ReadWrite));
        assert!(!places.unmap(first - page, page));
        assert!(!places.contains(usize::MAX, 1));
    }
}
