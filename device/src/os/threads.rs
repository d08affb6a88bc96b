//! Threads, as the system sees them.

use crate::lock::Lock;
use std::sync::Arc;
use std::thread::JoinHandle;

/// The number that the system has for the calling thread.
pub(crate) fn id() -> u64 {
    // SAFETY: takes nothing and cannot fail.
    unsafe { libc::syscall(libc::SYS_gettid) as u64 }
}

/// Calls `f` with all signals blocked in the calling thread but those of faults: blocked, these end the process before any handler is asked.
pub(crate) fn with_signals_blocked<R>(f: impl FnOnce() -> R) -> R {
    let mut all = std::mem::MaybeUninit::<libc::sigset_t>::zeroed();
    let mut before = std::mem::MaybeUninit::<libc::sigset_t>::zeroed();
    // SAFETY: sigfillset initializes `all`; pthread_sigmask reads it and writes `before`.
    unsafe {
        libc::sigfillset(all.as_mut_ptr());
        for fault in [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGTRAP] {
            libc::sigdelset(all.as_mut_ptr(), fault);
        }
        libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), before.as_mut_ptr());
    }
    let result = f();
    // SAFETY: `before` was written above (or is an empty set).
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, before.as_ptr(), std::ptr::null_mut()) };
    result
}

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
    with_signals_blocked(|| std::thread::Builder::new().name(name.into()).spawn(body).is_ok())
}

/// A thread that can be waited for.
pub(crate) struct Thread(JoinHandle<()>);

impl Thread {
    /// As [`spawn`], with a stack of so many bytes. `None` if the system has no thread left.
    pub(crate) fn start(name: &str, stack: usize, body: impl FnOnce() + Send + 'static) -> Option<Thread> {
        let builder = std::thread::Builder::new().name(name.into()).stack_size(stack);
        with_signals_blocked(|| builder.spawn(body).ok()).map(Thread)
    }

    /// Has it ended?
    pub(crate) fn is_over(&self) -> bool {
        self.0.is_finished()
    }

    /// Is it the calling thread?
    pub(crate) fn is_this(&self) -> bool {
        self.0.thread().id() == std::thread::current().id()
    }

    /// Waits for its end.
    pub(crate) fn join(self) {
        // One that panicked is gone as well.
        let _ = self.0.join();
    }
}
