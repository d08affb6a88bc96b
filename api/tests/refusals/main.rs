//! What the entry points refuse, page by page, in the pages' order of conditions. (Commands' and images' pages have tests of their own.)

/// Calls, and what each must return.
macro_rules! refused {
    ($($code:ident: $call:expr;)*) => {
        $(assert_eq!($call.err(), Some($code), stringify!($call));)*
    };
}

mod buffers;
mod devices;
mod images;
mod kernels;
mod programs;
mod queues;
mod transfers;

use api::cl::*;
use api::raw::{FromC, HostPointer, In, Out};
use api::transfer::{Read, Write, buffer, map};
use api::{
    command_buffer, context, device, device_info, event, kernel, kernel_info, memory, pipe, platform, program, queue, sampler, semaphore,
    svm, unified,
};
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
        platform::get_device_ids(platform, CL_DEVICE_TYPE_ALL, 1, Out::from_mut(&mut device), Out::null()).unwrap();
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

    /// A context of the device and of a part of it, and the part; `None` if there is nothing to divide.
    fn divided(&self) -> Option<(cl_context, cl_device_id)> {
        let mut part = null_mut();
        let one = [CL_DEVICE_PARTITION_BY_COUNTS as cl_device_partition_property, 1, 0, 0];
        device::create_sub_devices(self.device, In::from_slice(&one), 1, Out::from_mut(&mut part), Out::null()).ok()?;
        let both = [self.device, part];
        let context = context::create_context(In::null(), 2, In::from_slice(&both), None, NONE).unwrap();
        Some((context, part))
    }

    fn kernel(&self, source: &std::ffi::CStr) -> (cl_program, cl_kernel) {
        let program = program::create_program_with_source(self.context, 1, In::from_slice(&[source.as_ptr()]), In::null()).unwrap();
        program::build_program(program, 0, In::null(), In::null(), None, NONE).unwrap();
        (program, kernel::create_kernel(program, text(c"k")).unwrap())
    }
}

/// A kernel `k` of two sub-groups a group: it writes through its first argument, which has 64 bytes at most, and reads through its second.
fn module() -> Vec<u8> {
    let text = "
                   OpCapability Addresses
                   OpCapability Kernel
                   OpCapability SubgroupDispatch
                   OpMemoryModel Physical64 OpenCL
                   OpEntryPoint Kernel %k \"k\"
                   OpExecutionMode %k SubgroupsPerWorkgroup 2
                   OpDecorate %spec SpecId 42
                   OpDecorate %r MaxByteOffset 64
           %void = OpTypeVoid
           %uint = OpTypeInt 32 0
            %ptr = OpTypePointer CrossWorkgroup %uint
           %type = OpTypeFunction %void %ptr %ptr
           %spec = OpSpecConstant %uint 7
              %k = OpFunction %void None %type
              %r = OpFunctionParameter %ptr
              %p = OpFunctionParameter %ptr
          %entry = OpLabel
              %v = OpLoad %uint %p Aligned 4
            %sum = OpIAdd %uint %v %spec
                   OpStore %r %sum Aligned 4
                   OpReturn
                   OpFunctionEnd";
    compiler::spirv::assemble(text).unwrap()
}
