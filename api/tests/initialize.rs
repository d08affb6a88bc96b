//! cl_khr_initialize_memory: local and private memory begin as zeros, in every work-group, although the group before left something else.

use api::cl::*;
use api::raw::{FromC, HostPointer, In, Out};
use api::transfer::{Read, buffer};
use api::{context, kernel, launch, memory, platform, program, queue};
use std::ptr::null_mut;

const SOURCE: &std::ffi::CStr = c"
kernel void k(global int *r, local int *given, int n) {
    local int own[16];
    int mine[16];
    int sum = 0;
    for (int i = 0; i < 16; i++)
        sum += own[i] + given[i] + mine[(i + n) & 15];
    barrier(CLK_LOCAL_MEM_FENCE);
    own[get_local_id(0)] = 7;
    given[get_local_id(0)] = 9;
    mine[n & 15] = 3;
    r[get_global_id(0)] = sum + mine[n & 15];
}
kernel void alone(global int *r) {
    local int own[16];
    int at = get_global_id(0);
    own[at & 15] += 3;
    r[at] = own[at & 15] + own[~at & 15];
}";

#[test]
fn memory_begins_as_zeros() {
    let (mut platform, mut device) = (null_mut(), null_mut());
    platform::get_platform_ids(1, Out::from_mut(&mut platform), Out::null()).unwrap();
    platform::get_device_ids(platform, CL_DEVICE_TYPE_ALL, 1, Out::from_mut(&mut device), Out::null()).unwrap();
    let both = CL_CONTEXT_MEMORY_INITIALIZE_LOCAL_KHR | CL_CONTEXT_MEMORY_INITIALIZE_PRIVATE_KHR;
    let properties = [CL_CONTEXT_MEMORY_INITIALIZE_KHR, both, 0];
    let context = context::create_context(In::from_slice(&properties), 1, In::from_slice(&[device]), None, null_mut()).unwrap();
    let queue = queue::create_command_queue(context, device, 0).unwrap();
    let program = program::create_program_with_source(context, 1, In::from_slice(&[SOURCE.as_ptr()]), In::null()).unwrap();
    program::build_program(program, 0, In::null(), In::null(), None, null_mut()).unwrap();
    // SAFETY: strings.
    let names = unsafe { [In::from_c(c"k".as_ptr()), In::from_c(c"alone".as_ptr())] };
    let [kernel, alone] = names.map(|name| kernel::create_kernel(program, name).unwrap());
    const ITEMS: usize = 1024;
    let result = memory::create_buffer(context, CL_MEM_READ_WRITE, ITEMS * 4, null_mut()).unwrap();
    for kernel in [kernel, alone] {
        kernel::set_kernel_arg(kernel, 0, 8, In::from_slice(&(result as usize).to_ne_bytes())).unwrap();
    }
    kernel::set_kernel_arg(kernel, 1, 64, In::null()).unwrap();
    kernel::set_kernel_arg(kernel, 2, 4, In::from_slice(&5_i32.to_ne_bytes())).unwrap();
    let global = [ITEMS];
    for (kernel, local) in [(kernel, [16]), (kernel, [16]), (alone, [1]), (alone, [1])] {
        let (global, local) = (In::from_slice(&global), In::from_slice(&local));
        launch::enqueue_nd_range_kernel(queue, kernel, 1, In::null(), global, local, 0, In::null(), Out::null()).unwrap();
        let mut values = [-1_i32; ITEMS];
        let place = HostPointer(values.as_mut_ptr().cast());
        buffer::enqueue_read_or_write::<Read>(queue, result, CL_TRUE, 0, ITEMS * 4, place, 0, In::null(), Out::null()).unwrap();
        assert_eq!(values, [3; ITEMS]);
    }
}
