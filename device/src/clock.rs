//! Time: what profiling, device timers and traces are measured with (OpenCL API §4.4 `clGetDeviceAndHostTimer`, §5.14).
//!
//! The device is the host's processor, so both have one clock, in nanoseconds.

use crate::os;

/// Nanoseconds of the device's clock. Never goes back.
pub fn now() -> u64 {
    os::clock::now()
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
    os::clock::resolution()
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
