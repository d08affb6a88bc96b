//! `printf` (OpenCL C §6.15.14): what generated code calls, and where its output goes.
//!
//! Generated code calls [`brolga_printf`] with the format and the arguments packed into slots of 8 bytes: an integer sign- or
//! zero-extended (either will do: the conversion's length modifier says how much of it counts), a floating-point number of
//! any width converted to double, a pointer as its address; a vector takes a slot a component. A work-item's text is formatted at once; a launch's
//! output appears on standard output when the launch is over, in the order of its work-groups.

mod float;
mod format;
mod string;

pub use format::{Conversion, conversions};

use crate::abi::{LaunchRecord, WorkerRecord};
use crate::lock::Lock;
use crate::os;
use crate::seat::Seat;
use core::ffi::c_char;
use core::sync::atomic::{AtomicBool, Ordering};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// [`LaunchRecord::printf`] of the launches of this layer: their worker records belong to seats, which gather what is printed.
pub(crate) static GATHERED: u8 = 0;

/// The type of [`brolga_printf`]: launch, worker, format, slots, number of slots.
pub type PrintfFunction = unsafe extern "C" fn(
    launch: *const LaunchRecord,
    worker: *mut WorkerRecord,
    format: *const c_char,
    slots: *const u64,
    count: u32,
) -> i32;

/// Prints for one work-item. Returns 0, or -1 if the format is wrong or asks for more arguments than there are.
///
/// # Safety
/// To be called from kernel code, with the records that it got; there are `count` slots.
pub unsafe extern "C" fn brolga_printf(
    launch: *const LaunchRecord,
    worker: *mut WorkerRecord,
    format: *const c_char,
    slots: *const u64,
    count: u32,
) -> i32 {
    let Some(format) = string::read(format as u64, None) else {
        return -1;
    };
    let slots = if count == 0 {
        &[]
    } else {
        // SAFETY: the caller's promise.
        unsafe { std::slice::from_raw_parts(slots, count as usize) }
    };
    // SAFETY: the launch record is valid.
    let gathered = unsafe { launch.as_ref() }.is_some_and(|launch| launch.printf.cast_const() == (&raw const GATHERED).cast());
    // A panic must not cross the kernel's frames.
    let result = catch_unwind(AssertUnwindSafe(|| {
        if gathered {
            // SAFETY: in these launches the worker record is the first field of a seat, which belongs to the thread that runs the code.
            let printed = unsafe { &mut (*worker.cast::<Seat>()).printed };
            return format::format(printed, &format, slots);
        }
        // Whoever runs kernel code without this layer (an interpreter, a test) sees what it prints at once.
        let mut text = Vec::new();
        let result = format::format(&mut text, &format, slots);
        os::stdout::write(&[(0, text)]);
        result
    }));
    if matches!(result, Ok(Ok(()))) { 0 } else { -1 }
}

/// The output of a launch.
#[derive(Default)]
pub(crate) struct Output {
    pieces: Lock<Pieces>,
    /// Something was added: most launches print nothing, and then the lock is left alone.
    used: AtomicBool,
}

#[derive(Default)]
struct Pieces {
    /// Text, and the first work-group of the range that printed it.
    texts: Vec<(u64, Vec<u8>)>,
    bytes: usize,
}

impl Pieces {
    fn take(&mut self) -> Vec<(u64, Vec<u8>)> {
        self.bytes = 0;
        let mut texts = std::mem::take(&mut self.texts);
        texts.sort_by_key(|&(first, _)| first);
        texts
    }
}

impl Output {
    /// More than this is not held back until the launch is over.
    const HELD: usize = 64 << 20;

    /// Adds what the groups from `first` on have printed.
    pub(crate) fn add(&self, first: u64, text: Vec<u8>) {
        self.used.store(true, Ordering::Relaxed);
        let mut pieces = self.pieces.lock();
        pieces.bytes += text.len();
        pieces.texts.push((first, text));
        if pieces.bytes > Output::HELD {
            os::stdout::write(&pieces.take());
        }
    }

    /// Puts all out, when the launch is over.
    pub(crate) fn flush(&self) {
        if self.used.load(Ordering::Relaxed) {
            os::stdout::write(&self.pieces.lock().take());
        }
    }
}
