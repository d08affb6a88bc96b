//! Threads of the driver's own.

use ::device::lock::Lock;
use ::device::threads::with_signals_blocked;
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
    with_signals_blocked(|| std::thread::Builder::new().name(name.into()).spawn(body).is_ok())
}
