//! Time: what profiling, device timers and traces are measured with (OpenCL API §4.4 `clGetDeviceAndHostTimer`, §5.14).
//!
//! The device is the host's processor, so both have one clock: `CLOCK_MONOTONIC`, in nanoseconds.

/// Nanoseconds of the device's clock. Never goes back.
pub fn now() -> u64 {
    read(libc::CLOCK_MONOTONIC)
}

/// A device timestamp and the host timestamp of the same moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimestampPair {
    /// What `CL_PROFILING_COMMAND_*` values are measured with.
    pub device: u64,
    /// What the host reads.
    pub host: u64,
}

/// The two clocks at one moment.
pub fn pair() -> TimestampPair {
    let now = now();
    TimestampPair { device: now, host: now }
}

/// Nanoseconds between two ticks: `CL_DEVICE_PROFILING_TIMER_RESOLUTION`.
pub fn resolution() -> u64 {
    let mut tick = libc::timespec { tv_sec: 0, tv_nsec: 1 };
    // SAFETY: `tick` is a timespec that the call may write to.
    unsafe { libc::clock_getres(libc::CLOCK_MONOTONIC, &mut tick) };
    (tick.tv_sec as u64 * 1_000_000_000 + tick.tv_nsec as u64).max(1)
}

fn read(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a timespec that the call may write to.
    unsafe { libc::clock_gettime(clock, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_never_goes_back() {
        let mut last = now();
        for _ in 0..10_000 {
            let next = now();
            assert!(next >= last);
            last = next;
        }
        assert!(last > 0);
    }

    #[test]
    fn both_clocks_are_one() {
        let before = now();
        let pair = pair();
        assert!(pair.device >= before && pair.device <= now());
        assert_eq!(pair.device, pair.host);
        assert!(resolution() >= 1);
    }
}
