//! cl_khr_unified_svm, an experimental extension, as programs find it: its functions by their names, in a process that asks for it.

use crate::drafts;
use brolga_tests::{Context, Program, check, cl, cl_sys::*};
use std::ffi::{CStr, c_void};
use std::ptr::{null, null_mut};

const NAME: &str = "cl_khr_unified_svm";
const DEVICE_TYPES: cl_uint = 0x1077;
const ASSOCIATED_DEVICE: u64 = 0x2078;
const INFO_TYPE_INDEX: cl_uint = 0x2088;
const INFO_BASE: cl_uint = 0x419B;
const INDIRECT_ACCESS: cl_uint = 0x11BB;
const HOST_READ: u64 = 1 << 6;
const DEVICE_OWNED: u64 = 1 << 2;

type Allocate = unsafe extern "C" fn(cl_context, *const u64, cl_uint, usize, *mut cl_int) -> *mut c_void;
type Free = unsafe extern "C" fn(cl_context, *const u64, u64, *mut c_void) -> cl_int;
type Ask = unsafe extern "C" fn(cl_context, cl_device_id, *const c_void, cl_uint, usize, *mut c_void, *mut usize) -> cl_int;
type Suggest = unsafe extern "C" fn(cl_context, u64, u64, *const u64, usize, *mut cl_uint) -> cl_int;

/// What the loader finds by a name.
fn found(context: &Context, name: &CStr) -> *mut c_void {
    cl!(clGetExtensionFunctionAddressForPlatform(context.device.platform, name.as_ptr()))
}

fn allocated_and_used(context: &Context) {
    let [allocate, free, ask, suggest] = [
        c"clSVMAllocWithPropertiesKHR",
        c"clSVMFreeWithPropertiesKHR",
        c"clGetSVMPointerInfoKHR",
        c"clGetSVMSuggestedTypeIndexKHR",
    ]
    .map(|name| {
        let address = found(context, name);
        assert!(!address.is_null(), "{name:?}");
        address
    });
    // SAFETY: functions of these names have these types.
    let (allocate, free, ask, suggest) = unsafe {
        (
            std::mem::transmute::<*mut c_void, Allocate>(allocate),
            std::mem::transmute::<*mut c_void, Free>(free),
            std::mem::transmute::<*mut c_void, Ask>(ask),
            std::mem::transmute::<*mut c_void, Suggest>(suggest),
        )
    };
    let types = context.device.info(DEVICE_TYPES).expect("types").0;
    let types: Vec<u64> = types.as_chunks::<8>().0.iter().map(|&bytes| u64::from_ne_bytes(bytes)).collect();
    assert_eq!(types.len(), 6);
    let source =
        "kernel void k(global int *own, global ulong *other) { own[get_global_id(0)] += ((global int *)other[0])[get_global_id(0)]; }";
    let program = Program::from_source(context, source).build("").expect("a program");
    let kernel = program.kernel("k");
    let yes = CL_TRUE;
    check(
        cl!(clSetKernelExecInfo(kernel.id, INDIRECT_ACCESS, 4, (&raw const yes).cast())),
        "indirect access",
    );
    let properties = [ASSOCIATED_DEVICE, context.device.id as u64, 0];
    // What kernels reach only by an address in a buffer.
    let numbers: Vec<i32> = (0..16).collect();
    let mut index = 0;
    check(
        // SAFETY: the list has an end, and there is a place for the answer.
        unsafe { suggest(context.id, DEVICE_OWNED, 0, properties.as_ptr(), 64, &mut index) },
        "a suggestion",
    );
    assert_eq!(types[index as usize] & DEVICE_OWNED, DEVICE_OWNED);
    let copy = |to: *mut c_void, from: *const c_void| {
        check(
            cl!(clEnqueueSVMMemcpy(context.queue, CL_TRUE, to, from, 64, 0, null(), null_mut())),
            "a copy",
        );
    };
    // SAFETY: as above; what is allocated is freed below.
    let indirect = unsafe { allocate(context.id, properties.as_ptr(), index, 64, null_mut()) };
    copy(indirect, numbers.as_ptr().cast());
    let other = context.buffer(&[indirect as u64]);
    for (index, &capabilities) in (0..).zip(&types) {
        let mut status = 1;
        // SAFETY: as above.
        let own = unsafe { allocate(context.id, properties.as_ptr(), index, 64, &mut status) };
        check(status, "an allocation");
        let (mut known, mut base) = (cl_uint::MAX, 0_usize);
        // SAFETY: as many bytes as are told.
        let asked = unsafe {
            let known = ask(context.id, null_mut(), own, INFO_TYPE_INDEX, 4, (&raw mut known).cast(), null_mut());
            let inside = own.wrapping_byte_add(63);
            [
                known,
                ask(
                    context.id,
                    context.device.id,
                    inside,
                    INFO_BASE,
                    8,
                    (&raw mut base).cast(),
                    null_mut(),
                ),
            ]
        };
        assert_eq!((asked, known, base), ([0, 0], index, own as usize));
        copy(own, numbers.as_ptr().cast());
        check(cl!(clSetKernelArgSVMPointer(kernel.id, 0, own)), "the first argument");
        check(
            cl!(clSetKernelArg(kernel.id, 1, size_of::<cl_mem>(), (&raw const other.id).cast())),
            "the second",
        );
        let size = 16;
        check(
            cl!(clEnqueueNDRangeKernel(
                context.queue,
                kernel.id,
                1,
                null(),
                &size,
                null(),
                0,
                null(),
                null_mut()
            )),
            "a launch",
        );
        check(cl!(clFinish(context.queue)), "the end");
        let mut got = vec![0; 16];
        if capabilities & HOST_READ != 0 {
            // SAFETY: 64 bytes, which the host may read.
            got.copy_from_slice(unsafe { std::slice::from_raw_parts(own.cast::<i32>(), 16) });
        } else {
            copy(got.as_mut_ptr().cast(), own);
        }
        assert_eq!(got, numbers.iter().map(|number| 2 * number).collect::<Vec<i32>>());
        // SAFETY: it was allocated above, and nothing uses it.
        check(unsafe { free(context.id, null(), 0, own) }, "freed");
    }
    // SAFETY: an index that there is not; and what was allocated above.
    unsafe {
        let mut status = 0;
        let nothing = allocate(context.id, null(), types.len() as cl_uint, 64, &mut status);
        assert_eq!((nothing, status), (null_mut(), CL_INVALID_VALUE));
        check(free(context.id, null(), 0, indirect), "freed");
    }
}

/// In the process that asks for the draft.
#[test]
fn asked_for() {
    if std::env::var("BROLGA_WITH").as_deref() != Ok(NAME) {
        return; // Another test's work.
    }
    allocated_and_used(&Context::new());
    println!("asked for and run");
}

#[test]
fn there_for_who_asks() {
    drafts::ask(NAME, "unified_svm::asked_for", "asked for and run");
    if std::env::var("BROLGA_WITH").is_err() {
        let context = Context::new();
        assert!(found(&context, c"clSVMAllocWithPropertiesKHR").is_null());
        assert!(context.device.info(DEVICE_TYPES).is_err());
    }
}
