//! A machine whose clang can't be run, as where processes may not be started: OpenCL C is compiled by the driver's own front end.

mod common;

#[test]
fn own_front_end_takes_over() {
    // What is in it is no program.
    common::own_front_end_takes_over("\0\0\0\0");
}
