//! A machine whose clang is there and can't be loaded, as where a process may have little memory: the system's loader ends it with 127, and OpenCL C is
//! compiled by the driver's own front end.

mod common;

#[test]
fn own_front_end_needs_no_clang() {
    common::own_front_end_needs_no_clang(
        "#!/bin/sh\necho 'clang: error while loading shared libraries: libLLVM.so: failed to map segment' >&2\nexit 127\n",
    );
}
