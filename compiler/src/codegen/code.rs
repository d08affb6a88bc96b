//! Memory for machine code: written first, then executable, never both; and its names for `perf`.

use cranelift_jit::{BranchProtection, JITMemoryKind, JITMemoryProvider, SystemMemoryProvider};
use std::io::Write;

/// Pages with finished code in them.
pub struct CodeMemory {
    start: *const u8,
    pages: SystemMemoryProvider,
}

// SAFETY: the pages are read-only and executable from the moment the value exists, and belong to it alone.
unsafe impl Send for CodeMemory {}
// SAFETY: as above.
unsafe impl Sync for CodeMemory {}

impl CodeMemory {
    /// Maps pages for `bytes` bytes of code, lets `write` fill them (it learns where they will run), and makes them executable.
    pub fn new(bytes: usize, write: impl FnOnce(&mut [u8], u64)) -> Result<CodeMemory, String> {
        let refused = |why: String| format!("no memory for {bytes} bytes of machine code: {why}");
        let mut pages = SystemMemoryProvider::new();
        let bytes = bytes.max(1);
        let start = pages
            .allocate(bytes, 64, JITMemoryKind::Executable)
            .map_err(|error| refused(error.to_string()))?;
        // SAFETY: the provider has just given these bytes, writable and zeroed, and nobody else knows of them.
        let code = unsafe { std::slice::from_raw_parts_mut(start, bytes) };
        write(code, start as u64);
        // From here on `Drop` gives the pages back, whatever happens.
        let mut memory = CodeMemory { start, pages };
        memory
            .pages
            .finalize(BranchProtection::None)
            .map_err(|error| refused(error.to_string()))?;
        Ok(memory)
    }

    /// The first byte.
    pub fn start(&self) -> *const u8 {
        self.start
    }
}

impl std::fmt::Debug for CodeMemory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CodeMemory").field("start", &self.start).finish_non_exhaustive()
    }
}

impl Drop for CodeMemory {
    fn drop(&mut self) {
        // SAFETY: who calls the code keeps this value alive, so nobody runs it any more.
        unsafe { self.pages.free_memory() };
    }
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
