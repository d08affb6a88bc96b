//! A machine whose clang can't be run, as where processes may not be started: OpenCL C is compiled by the driver's own front end.

mod common;

#[test]
fn own_front_end_needs_no_clang() {
    // What is in it is no program.
    common::own_front_end_needs_no_clang("\0\0\0\0");
}
