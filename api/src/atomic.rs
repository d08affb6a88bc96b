//! The atomics of the parts that a model checker looks at: there (`device/interleavings`) the same names are its own.

pub(crate) use std::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicU32, AtomicUsize, Ordering};
