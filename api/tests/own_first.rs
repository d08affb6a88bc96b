//! The driver's own front end compiles programs, and clang what that refuses.

use api::cl::*;
use api::raw::{FromC, In, Out};
use api::{context, platform, program};
use compiler::source::{Frontend, clang, refused_by_own};
use std::ffi::CStr;
use std::ptr::null_mut;

/// The only test here: what was refused is counted for the process.
#[test]
fn clang_takes_what_our_own_refuses() {
    let mut device = null_mut();
    platform::get_device_ids(null_mut(), CL_DEVICE_TYPE_ALL, 1, Out::from_mut(&mut device), Out::null()).unwrap();
    let context = context::create_context(In::null(), 1, In::from_slice(&[device]), None, null_mut()).unwrap();
    let build = |source: &CStr| {
        let program = program::create_program_with_source(context, 1, In::from_slice(&[source.as_ptr()]), In::null()).unwrap();
        let built = program::build_program(program, 0, In::null(), In::null(), None, null_mut());
        let mut log = [0_u8; 1000];
        // SAFETY: a place of so many bytes.
        let place: Out<c_void> = unsafe { Out::from_c(log.as_mut_ptr().cast::<c_void>()) };
        program::get_program_build_info(program, device, CL_PROGRAM_BUILD_LOG, 1000, place, Out::null()).unwrap();
        (built, CStr::from_bytes_until_nul(&log).unwrap().to_string_lossy().into_owned())
    };
    let (built, log) = build(c"kernel void k(global int *a) { a[get_global_id(0)] = 1; }");
    assert_eq!((built, log.as_str()), (Ok(()), ""));
    assert_eq!(refused_by_own(), 0);
    // What both refuse is said in our words.
    let (built, log) = build(c"kernel void k(global int *a) { a[0] = nothing; }");
    assert_eq!(built, Err(CL_BUILD_PROGRAM_FAILURE));
    assert!(
        log.contains("source.cl:1:39: error: ") && log.contains("1 error generated."),
        "{log}"
    );
    assert_eq!(refused_by_own(), 0);
    if Frontend::chosen() == Frontend::Own || clang().is_err() {
        println!("skipped: clang is not asked (BROLGA_FRONTEND=own), or there is none");
        return;
    }
    let (built, log) = build(c"kernel void k(global int *a) { a[0] = __builtin_reduce_add((int4)(a[0])); }");
    assert_eq!((built, log.as_str()), (Ok(()), ""));
    assert_eq!(refused_by_own(), 1);
}
