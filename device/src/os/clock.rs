//! `CLOCK_MONOTONIC`.

/// Nanoseconds of the clock. Never goes back.
pub(crate) fn now() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a timespec that the call may write to.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    nanoseconds(time)
}

/// Nanoseconds between two ticks; at least 1.
pub(crate) fn resolution() -> u64 {
    let mut tick = libc::timespec { tv_sec: 0, tv_nsec: 1 };
    // SAFETY: `tick` is a timespec that the call may write to.
    unsafe { libc::clock_getres(libc::CLOCK_MONOTONIC, &mut tick) };
    nanoseconds(tick).max(1)
}

fn nanoseconds(time: libc::timespec) -> u64 {
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}
