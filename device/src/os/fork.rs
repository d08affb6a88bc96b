//! Telling of `fork()`.

/// Has the C library call a function in children, first thing. It must do nothing but what a signal handler may.
pub(crate) fn call_in_children(function: extern "C" fn()) {
    // SAFETY: the function is safe to call at any time, and this library is never unloaded.
    unsafe { libc::pthread_atfork(None, None, Some(function)) };
}

/// Has the C library call a function before each `fork()`, on the thread that forks, and another one after it, in parent and child.
pub(crate) fn call_around(before: extern "C" fn(), after: extern "C" fn()) {
    // SAFETY: as above.
    unsafe { libc::pthread_atfork(Some(before), Some(after), Some(after)) };
}
