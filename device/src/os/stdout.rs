//! The C library's `stdout`.

use core::ffi::c_void;

/// Writes the texts of a list of pairs through the C library's `stdout`, so that it falls into place with what the application prints.
pub(crate) fn write(texts: &[(u64, Vec<u8>)]) {
    unsafe extern "C" {
        static stdout: *mut libc::FILE;
    }
    // SAFETY: `stdout` is a stream as long as the process runs (an application that closes it loses its output); the pointers and lengths are those
    // of vectors.
    unsafe {
        for (_, text) in texts {
            libc::fwrite(text.as_ptr().cast::<c_void>(), 1, text.len(), stdout);
        }
        libc::fflush(stdout);
    }
}
