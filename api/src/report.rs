//! Errors that no function's result tells enough of: a launch that can't be compiled, or that ended before its end. The context's `pfn_notify` is told
//! of each; most applications have none, hence a line on stderr, once for a kernel and a cause. `BROLGA_QUIET=1` leaves that out.

use crate::kernel::Kernel;
use ::device::fault;
use ::device::fork::PerProcess;
use ::device::lock::Lock;
use std::collections::BTreeSet;
use std::io::Write;

/// More kernels and causes than these are not told apart: a program with so many has been told enough.
const MOST: usize = 1000;

/// Tells of an error of a kernel. `cause` says what it is an instance of, and what can be done about it; `detail` may differ from launch to launch.
pub fn kernel(kernel: &Kernel, cause: &str, detail: &str) {
    let name = &kernel.info().name;
    let separator = if detail.is_empty() { "" } else { ": " };
    kernel.context().report(&format!("kernel {name}: {detail}{separator}{cause}"));
    static SAID: PerProcess<Lock<BTreeSet<(String, String)>>> = PerProcess::new(Lock::default);
    if fault::quiet() {
        return;
    }
    let mut said = SAID.get().lock();
    if said.len() < MOST && said.insert((name.clone(), cause.to_owned())) {
        drop(said);
        // Where there is no stderr, there is nobody to tell.
        let _ = writeln!(std::io::stderr(), "brolga: kernel '{name}': {detail}{separator}{cause}");
    }
}
