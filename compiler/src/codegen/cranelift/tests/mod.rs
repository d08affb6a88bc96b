//! Tests of the back end: what it computes against [`crate::ir::eval`], for each operation, type and number of lanes.

mod atomics;
mod control;
mod harness;
mod lanes;
mod lanewise;
mod memory;
