//! What the entry points refuse, page by page, in the pages' order of conditions. (Commands' and images' pages have tests of their own.)

/// Calls, and what each must return.
macro_rules! refused {
    ($($code:ident: $call:expr;)*) => {
        $(assert_eq!($call.err(), Some($code), stringify!($call));)*
    };
}

mod buffers;
mod devices;
mod kernels;
mod programs;
mod queues;

use api::cl::*;
use api::raw::{FromC, HostPointer, In, Out};
use api::transfer::{Read, Write, buffer, map};
use api::{context, device, event, kernel, kernel_info, memory, pipe, platform, program, queue, sampler, semaphore, svm, unified};
use std::ptr::null_mut;

struct Fixture {
    platform: cl_platform_id,
    device: cl_device_id,
    context: cl_context,
    other_context: cl_context,
    queue: cl_command_queue,
}

const NONE: *mut c_void = null_mut();

fn text(text: &std::ffi::CStr) -> In<c_char> {
    // SAFETY: a string, which lives as long as the test's call.
    unsafe { In::from_c(text.as_ptr()) }
}

fn out<T>(place: &mut T) -> Out<c_void> {
    // SAFETY: a valid place.
    unsafe { Out::from_c(std::ptr::from_mut(place).cast()) }
}

impl Fixture {
    fn new() -> Fixture {
        let (mut platform, mut device) = (null_mut(), null_mut());
        platform::get_platform_ids(1, Out::from_mut(&mut platform), Out::null()).unwrap();
        device::get_device_ids(platform, CL_DEVICE_TYPE_ALL, 1, Out::from_mut(&mut device), Out::null()).unwrap();
        let create = || context::create_context(In::null(), 1, In::from_slice(&[device]), None, NONE).unwrap();
        let context = create();
        Fixture {
            platform,
            device,
            context,
            other_context: create(),
            queue: queue::create_command_queue(context, device, 0).unwrap(),
        }
    }

    fn kernel(&self, source: &std::ffi::CStr) -> (cl_program, cl_kernel) {
        let program = program::create_program_with_source(self.context, 1, In::from_slice(&[source.as_ptr()]), In::null()).unwrap();
        program::build_program(program, 0, In::null(), In::null(), None, NONE).unwrap();
        (program, kernel::create_kernel(program, text(c"k")).unwrap())
    }
}
