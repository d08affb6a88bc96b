//! Sleeping on a word of memory.

use std::ptr;
use std::sync::atomic::AtomicU32;
use std::time::Duration;

/// Sleeps if the word has that value, until somebody wakes it (or for no reason).
pub(crate) fn sleep_while(word: &AtomicU32, value: u32) {
    sleep(word, value, ptr::null());
}

/// The same, for no longer than a time.
pub(crate) fn sleep_while_for(word: &AtomicU32, value: u32, time: Duration) {
    let mut timeout = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // What a counter of seconds does not hold is for ever.
    timeout.tv_sec = time.as_secs().try_into().unwrap_or(libc::time_t::MAX);
    timeout.tv_nsec = time.subsec_nanos() as _;
    sleep(word, value, &raw const timeout);
}

fn sleep(word: &AtomicU32, value: u32, timeout: *const libc::timespec) {
    // SAFETY: the word lives as long as the call; so does the time, or there is none.
    unsafe {
        libc::syscall(
            libc::SYS_futex,
            word.as_ptr(),
            libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG,
            value,
            timeout,
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
