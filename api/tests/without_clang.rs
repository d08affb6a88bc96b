//! A device on a machine without clang: source is compiled by the driver's own front end, and what is wrong with it is said.

use api::cl::*;
use api::raw::{FromC, In, Out};
use api::{context, device_info, platform, program};
use std::ptr::null_mut;

/// The only test here: the variable is read once a process.
#[test]
fn source_is_compiled() {
    // SAFETY: no other thread reads the environment yet.
    unsafe { std::env::set_var("BROLGA_CLANG", "/nowhere/clang") };
    let mut device = null_mut();
    platform::get_device_ids(null_mut(), CL_DEVICE_TYPE_ALL, 1, Out::from_mut(&mut device), Out::null()).unwrap();
    let context = context::create_context(In::null(), 1, In::from_slice(&[device]), None, null_mut()).unwrap();
    let mut answer = [0_u8; 1000];
    let place = answer.as_mut_ptr().cast::<c_void>();
    // SAFETY: a place of so many bytes.
    let place: Out<c_void> = unsafe { Out::from_c(place) };
    for query in [CL_DEVICE_COMPILER_AVAILABLE, CL_DEVICE_LINKER_AVAILABLE] {
        device_info::get_device_info(device, query, 1000, place, Out::null()).unwrap();
        assert_eq!(answer[..4], 1_u32.to_le_bytes());
    }
    let build = |source: &std::ffi::CStr| {
        let program = program::create_program_with_source(context, 1, In::from_slice(&[source.as_ptr()]), In::null()).unwrap();
        let built = program::build_program(program, 0, In::null(), In::null(), None, null_mut());
        (program, built)
    };
    let (_, good) = build(c"kernel void k(global int *a) { a[get_global_id(0)] = 2 * (int)get_global_id(0); }");
    assert_eq!(good, Ok(()));
    let (program, bad) = build(c"kernel void k(global int *a) { a[0] = nothing; }");
    assert_eq!(bad, Err(CL_BUILD_PROGRAM_FAILURE));
    program::get_program_build_info(program, device, CL_PROGRAM_BUILD_LOG, 1000, place, Out::null()).unwrap();
    let log = String::from_utf8_lossy(&answer).into_owned();
    assert!(
        log.contains("source.cl:1:39: error: ") && log.contains("1 error generated."),
        "{log}"
    );
    assert_eq!(compiler::source::refused_by_own(), 0);
}
