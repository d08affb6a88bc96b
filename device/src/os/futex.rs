//! Sleeping on a word of memory.

use std::sync::atomic::AtomicU32;

/// Sleeps if the word has that value, until somebody wakes it (or for no reason).
pub(crate) fn sleep_while(word: &AtomicU32, value: u32) {
    // SAFETY: the word lives as long as the call; no timeout.
    unsafe {
        libc::syscall(
            libc::SYS_futex,
            word.as_ptr(),
            libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG,
            value,
            std::ptr::null::<libc::timespec>(),
        )
    };
}

/// Wakes a thread that sleeps on the word. The word may be gone already: then nobody sleeps on it, or one that must expect to wake for no reason.
pub(crate) fn wake_one(word: *const AtomicU32) {
    wake(word, 1);
}

/// Wakes up to so many threads that sleep on the word.
pub(crate) fn wake(word: *const AtomicU32, threads: i32) {
    // SAFETY: the system uses the address as a name only.
    unsafe { libc::syscall(libc::SYS_futex, word, libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG, threads) };
}
