//! Tests of the back end: what it computes against [`crate::ir::eval`], for each operation, type and number of lanes.

mod harness;
mod lanewise;
