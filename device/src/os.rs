//! Where the operating system is met.

pub(crate) mod futex;
