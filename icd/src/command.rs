//! The command `brolga` inside the library, for packages that are to carry the compiler once (feature `command`).

use std::ffi::{CStr, OsStr, OsString, c_char, c_int};
use std::os::unix::ffi::OsStrExt;

/// Runs the command with a C program's arguments and gives its exit code; 70 (`EX_SOFTWARE`) where it fails in itself.
///
/// # Safety
/// `arguments` points to `count` pointers to strings.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_main(count: c_int, arguments: *const *const c_char) -> c_int {
    let arguments = (0..usize::try_from(count).unwrap_or(0)).map(|index| {
        // SAFETY: the caller's promise.
        let argument = unsafe { CStr::from_ptr(*arguments.add(index)) };
        OsStr::from_bytes(argument.to_bytes()).to_owned()
    });
    let arguments: Vec<OsString> = arguments.collect();
    std::panic::catch_unwind(|| tool::run(arguments)).map_or(70, c_int::from)
}
