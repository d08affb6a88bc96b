//! Pages for machine code: addresses that are reserved, then written to, then executable; never both.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::fd::AsRawFd;
use std::ptr::null_mut;

/// What may be done with pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Reading and writing.
    Write,
    /// Reading and executing.
    Execute,
}

/// Addresses that nothing can be done with and that cost no memory. `bytes` are whole pages.
///
/// # Errors
/// The system has none.
pub fn reserve(bytes: usize) -> io::Result<Range<usize>> {
    // SAFETY: a new mapping at an address of the system's choice touches nothing that exists.
    unsafe { map_nothing(null_mut(), bytes, 0) }
}

/// Takes back what is in pages: they are as [`reserve`] left them. Tells whether that worked.
///
/// # Safety
/// The pages were reserved, and nobody uses them.
pub unsafe fn clear(pages: Range<usize>) -> bool {
    // SAFETY: as promised by the caller.
    unsafe { map_nothing(pages.start as *mut libc::c_void, pages.len(), libc::MAP_FIXED) }.is_ok()
}

unsafe fn map_nothing(start: *mut libc::c_void, bytes: usize, flags: i32) -> io::Result<Range<usize>> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | flags;
    // SAFETY: at an address of the system's choice, or in place of pages that the caller gives up.
    match unsafe { libc::mmap(start, bytes, libc::PROT_NONE, flags, -1, 0) } {
        libc::MAP_FAILED => Err(io::Error::last_os_error()),
        start => Ok(start as usize..start as usize + bytes),
    }
}

/// Gives reserved addresses back to the system.
///
/// # Safety
/// All of them come from one call of [`reserve`], and nobody uses them.
pub unsafe fn release(pages: Range<usize>) {
    // SAFETY: as promised by the caller.
    unsafe { libc::munmap(pages.start as *mut libc::c_void, pages.len()) };
}

/// Has pages be accessed in one way, and no other.
///
/// # Errors
/// The system refuses: it has no memory, or its rules forbid new code.
///
/// # Safety
/// The pages were reserved, and nobody accesses them in another way.
pub unsafe fn protect(pages: Range<usize>, access: Access) -> io::Result<()> {
    let protection = match access {
        Access::Write => libc::PROT_READ | libc::PROT_WRITE,
        Access::Execute => libc::PROT_READ | libc::PROT_EXEC,
    };
    // SAFETY: as promised by the caller.
    match unsafe { libc::mprotect(pages.start as *mut libc::c_void, pages.len(), protection) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Maps a page of a file as if it were code, for as long as the process lives: perf records the names of such files.
pub fn map_as_code(file: &File) {
    // SAFETY: a new mapping, which nobody reads.
    unsafe {
        libc::mmap(
            null_mut(),
            super::memory::page_bytes(),
            libc::PROT_READ | libc::PROT_EXEC,
            libc::MAP_PRIVATE,
            file.as_raw_fd(),
            0,
        )
    };
}
