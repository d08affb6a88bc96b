//! The host's floating-point state is the host's: it may round upwards, flush subnormals to zero, or trap on inexact results. The driver
//! folds constants and reckons times, on the same thread, and does so in the state that a program starts with.

/// The state that the host had; put back when dropped.
pub struct HostFloats {
    control: Option<Control>,
}

impl HostFloats {
    /// Sets the state that a program starts with, unless it is set already.
    pub fn set_aside() -> HostFloats {
        let control = read();
        let changed = control & CONTROL_BITS != START;
        if changed {
            write(START);
        }
        HostFloats {
            control: changed.then_some(control),
        }
    }
}

impl Drop for HostFloats {
    fn drop(&mut self) {
        if let Some(control) = self.control {
            write(control);
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod machine {
    use core::arch::asm;

    pub type Control = u32;
    /// MXCSR with all exceptions masked, rounding to nearest, subnormals kept.
    pub const START: Control = 0x1f80;
    /// All but the flags that exceptions leave.
    pub const CONTROL_BITS: Control = 0xffc0;

    pub fn read() -> Control {
        let mut control: Control = 0;
        // SAFETY: writes MXCSR to a local variable.
        unsafe { asm!("stmxcsr [{}]", in(reg) &raw mut control, options(nostack, preserves_flags)) };
        control
    }

    pub fn write(control: Control) {
        // SAFETY: START, or a value that MXCSR had: no reserved bit is set.
        unsafe { asm!("ldmxcsr [{}]", in(reg) &raw const control, options(nostack, readonly)) };
    }
}

#[cfg(target_arch = "aarch64")]
mod machine {
    use core::arch::asm;

    pub type Control = u64;
    /// FPCR with no traps, rounding to nearest, subnormals kept.
    pub const START: Control = 0;
    /// Flags are in another register.
    pub const CONTROL_BITS: Control = !0;

    pub fn read() -> Control {
        let control: Control;
        // SAFETY: reads a register.
        unsafe { asm!("mrs {}, fpcr", out(reg) control, options(nomem, nostack, preserves_flags)) };
        control
    }

    pub fn write(control: Control) {
        // SAFETY: START, or a value that FPCR had.
        unsafe { asm!("msr fpcr, {}", in(reg) control, options(nomem, nostack)) };
    }
}

use machine::{CONTROL_BITS, Control, START, read, write};
