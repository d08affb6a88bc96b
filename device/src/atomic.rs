//! The atomics of the parts that a model checker looks at: there (`device/interleavings`) the same names are its own.

pub(crate) use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

/// A word that constants and statics hold.
pub(crate) type ConstU32 = AtomicU32;
