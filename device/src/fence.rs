//! The fence around every entry point of the driver: no panic unwinds into the application, and its floating-point state stays out.

use crate::floats::HostFloats;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs an entry point. A panic is reported on stderr; then there is no answer.
pub fn fenced<T>(name: &str, body: impl FnOnce() -> T) -> Option<T> {
    let _host = HostFloats::set_aside();
    catch_unwind(AssertUnwindSafe(body))
        .inspect_err(|_| {
            // Not eprintln!, which panics where stderr is closed.
            let _ = writeln!(
                std::io::stderr(),
                "brolga: {name} failed inside the driver; this is a mistake of the driver's, please report it"
            );
        })
        .ok()
}
