//! Threads of the driver's own.

use ::device::lock::Lock;
use core::ptr::null_mut;
use std::sync::Arc;

/// Has a thread of its own call `body`, or calls it here and now if the system has no thread left.
pub fn spawn_or_call(name: &str, body: impl FnOnce() + Send + 'static) {
    let body = Arc::new(Lock::new(Some(body)));
    let call = {
        let body = body.clone();
        move || {
            let body = body.lock().take();
            if let Some(body) = body {
                body();
            }
        }
    };
    if !spawn(name, call) {
        let body = body.lock().take();
        if let Some(body) = body {
            body();
        }
    }
}

/// Starts a thread that no signal of the application's is delivered to. False if the system has none left.
pub fn spawn(name: &str, body: impl FnOnce() + Send + 'static) -> bool {
    // A new thread inherits the mask of the one that starts it.
    // SAFETY: plain sets of signals, valid for the calls.
    let before = unsafe {
        let mut all = core::mem::zeroed();
        let mut before = core::mem::zeroed();
        libc::sigfillset(&mut all);
        // What a thread does itself is its own business: blocked, a fault ends the process before any handler is asked.
        for fault in [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGTRAP] {
            libc::sigdelset(&mut all, fault);
        }
        libc::pthread_sigmask(libc::SIG_SETMASK, &all, &mut before);
        before
    };
    let started = std::thread::Builder::new().name(name.into()).spawn(body).is_ok();
    // SAFETY: the mask that was before.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &before, null_mut()) };
    started
}
