//! Memory for machine code: written first, then executable, never both; and its names for `perf`.

use std::io::{Error, Write};
use std::ptr::NonNull;

/// Pages with finished code in them.
#[derive(Debug)]
pub struct CodeMemory {
    start: NonNull<u8>,
    mapped: usize,
}

// SAFETY: the pages are read-only and executable from the moment the value exists, and belong to it alone.
unsafe impl Send for CodeMemory {}
// SAFETY: as above.
unsafe impl Sync for CodeMemory {}

impl CodeMemory {
    /// Maps pages for `bytes` bytes of code, lets `write` fill them (it learns where they will run), and makes them executable.
    pub fn new(bytes: usize, write: impl FnOnce(&mut [u8], u64)) -> Result<CodeMemory, String> {
        let page = page_size();
        let mapped = bytes.max(1).div_ceil(page) * page;
        let refused = |what: &str| {
            format!(
                "no memory for machine code: {what} of {mapped} bytes failed: {}",
                Error::last_os_error()
            )
        };
        // SAFETY: a fresh anonymous mapping touches nothing that exists.
        let start = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                mapped,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        if start == libc::MAP_FAILED {
            return Err(refused("mmap"));
        }
        let start = NonNull::new(start.cast::<u8>()).expect("mmap does not give null");
        let memory = CodeMemory { start, mapped };
        // SAFETY: the pages are mapped, writable, zeroed, and nobody else knows of them.
        let pages = unsafe { std::slice::from_raw_parts_mut(start.as_ptr(), bytes) };
        write(pages, start.as_ptr() as u64);
        // SAFETY: the pages are ours; the slice above is no longer used.
        if unsafe { libc::mprotect(start.as_ptr().cast(), mapped, libc::PROT_READ | libc::PROT_EXEC) } != 0 {
            return Err(refused("mprotect"));
        }
        synchronize(start.as_ptr(), bytes);
        Ok(memory)
    }

    /// The first byte.
    pub fn start(&self) -> *const u8 {
        self.start.as_ptr()
    }
}

impl Drop for CodeMemory {
    fn drop(&mut self) {
        // SAFETY: the pages are ours, and who calls their code keeps this value alive.
        unsafe { libc::munmap(self.start.as_ptr().cast(), self.mapped) };
    }
}

fn page_size() -> usize {
    // SAFETY: sysconf may always be called.
    usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096)
}

/// Makes new code visible to instruction fetch. x86 does so by itself.
#[cfg(target_arch = "x86_64")]
fn synchronize(_start: *const u8, _bytes: usize) {}

/// Makes new code visible to instruction fetch.
#[cfg(not(target_arch = "x86_64"))]
fn synchronize(start: *const u8, bytes: usize) {
    unsafe extern "C" {
        fn __clear_cache(start: *const u8, end: *const u8);
    }
    // SAFETY: the range is mapped.
    unsafe { __clear_cache(start, start.add(bytes)) }
}

/// Tells `perf` what code is where: a line a function in `/tmp/perf-PID.map`.
pub fn write_perf_map(functions: impl Iterator<Item = (u64, usize, String)>) {
    let path = format!("/tmp/perf-{}.map", std::process::id());
    let lines: String = functions
        .map(|(start, bytes, name)| format!("{start:x} {bytes:x} {name}\n"))
        .collect();
    // A profile without names is no reason to fail a launch.
    let _ = std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(path)
        .and_then(|mut file| file.write_all(lines.as_bytes()));
}
