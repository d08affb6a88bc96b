//! A device without clang, where clang alone is asked for: source is refused, with advice, and everything else works.

use api::cl::*;
use api::raw::{FromC, In, Out};
use api::{context, device_info, platform, program};
use std::ptr::null_mut;

/// The only test here: the variables are read once a process.
#[test]
fn source_is_refused() {
    // SAFETY: no other thread reads the environment yet.
    unsafe {
        std::env::set_var("BROLGA_CLANG", "/nowhere/clang");
        std::env::set_var("BROLGA_FRONTEND", "clang");
    }
    let mut device = null_mut();
    platform::get_device_ids(null_mut(), CL_DEVICE_TYPE_ALL, 1, Out::from_mut(&mut device), Out::null()).unwrap();
    let context = context::create_context(In::null(), 1, In::from_slice(&[device]), None, null_mut()).unwrap();
    let mut answer = [1_u8; 1000];
    let place = answer.as_mut_ptr().cast::<c_void>();
    // SAFETY: a place of so many bytes.
    let place: Out<c_void> = unsafe { Out::from_c(place) };
    device_info::get_device_info(device, CL_DEVICE_COMPILER_AVAILABLE, 1000, place, Out::null()).unwrap();
    assert_eq!(answer[..4], [0; 4]);
    let source = c"kernel void k() { }";
    let made = || program::create_program_with_source(context, 1, In::from_slice(&[source.as_ptr()]), In::null()).unwrap();
    let (built, compiled) = (made(), made());
    assert_eq!(
        program::build_program(built, 0, In::null(), In::null(), None, null_mut()),
        Err(CL_COMPILER_NOT_AVAILABLE)
    );
    assert_eq!(
        program::compile_program(compiled, 0, In::null(), In::null(), 0, In::null(), In::null(), None, null_mut()),
        Err(CL_COMPILER_NOT_AVAILABLE)
    );
    for program in [built, compiled] {
        program::get_program_build_info(program, device, CL_PROGRAM_BUILD_LOG, 1000, place, Out::null()).unwrap();
        let log = String::from_utf8_lossy(&answer).into_owned();
        assert!(log.contains("BROLGA_CLANG=/nowhere/clang"), "{log}");
    }
    let il = compiler::spirv::assemble(
        "
        OpCapability Addresses
        OpCapability Kernel
        OpMemoryModel Physical64 OpenCL
        OpEntryPoint Kernel %k \"k\"
        %void = OpTypeVoid
        %type = OpTypeFunction %void
        %k = OpFunction %void None %type
        %entry = OpLabel
        OpReturn
        OpFunctionEnd",
    )
    .unwrap();
    let module = program::create_program_with_il(context, In::from_slice(&il), il.len()).unwrap();
    assert_eq!(program::build_program(module, 0, In::null(), In::null(), None, null_mut()), Ok(()));
}
