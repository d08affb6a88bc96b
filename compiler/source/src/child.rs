//! Running clang: a child process that has the host's environment, less what would disturb it.

pub use device::child::{End, Output};
use std::ffi::OsString;
use std::io;
use std::path::Path;

/// Variables of the host's environment that are about the host's libraries and compilers, not about ours.
const DROPPED: [&str; 10] = [
    "LD_PRELOAD",
    "LD_LIBRARY_PATH",
    "LD_AUDIT",
    "LD_BIND_NOW",
    "CPATH",
    "C_INCLUDE_PATH",
    "CPLUS_INCLUDE_PATH",
    "COMPILER_PATH",
    "CCC_OVERRIDE_OPTIONS",
    "LC_ALL",
];

/// Runs `program`, an absolute path, to its end. The calling thread sleeps; other threads go on.
pub fn run(program: &Path, arguments: &[OsString], input: &[u8], directory: Option<&Path>) -> io::Result<Output> {
    device::child::run(program, arguments, &environment(), input, directory)
}

/// The host's environment without what would disturb the compiler, and with messages in English.
fn environment() -> Vec<(OsString, OsString)> {
    let kept = std::env::vars_os().filter(|(name, _)| !DROPPED.iter().any(|dropped| name == dropped));
    kept.chain([("LC_ALL".into(), "C".into())]).collect()
}
