//! The atomics of the parts that a model checker (`device/interleavings`) and a simulator of larger machines (`device/scale`) run, too: there the same
//! names are their own.

pub(crate) use std::hint::spin_loop;
pub(crate) use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering, fence};

/// A word that constants and statics hold.
pub(crate) type ConstU32 = AtomicU32;
