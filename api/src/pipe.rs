//! Pipes: §5.4. What a pipe's memory looks like, and what kernels do with it, is the device's business (`device::pipe`).

use crate::cl::*;
use crate::context;
use crate::environment::{Features, has_feature};
use crate::error::{Result, fail_if};
use crate::handle::lookup;
use crate::info::Info;
use crate::machine;
use crate::memory::{Form, Memory, Pipe, Storage};
use crate::raw::{HostPointer, In, Out};
use ::device::pipe;
use core::ptr::null_mut;

/// CL_DEVICE_PIPE_MAX_PACKET_SIZE
pub const MAX_PACKET_SIZE: cl_uint = 16 << 10;
/// CL_DEVICE_MAX_PIPE_ARGS
pub const MAX_ARGUMENTS: cl_uint = 16;
/// CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS: a count is all that the device keeps of them.
pub const MAX_ACTIVE_RESERVATIONS: cl_uint = 1 << 16;

/// clCreatePipe
pub fn create_pipe(
    context: cl_context,
    flags: cl_mem_flags,
    pipe_packet_size: cl_uint,
    pipe_max_packets: cl_uint,
    properties: In<cl_pipe_properties>,
) -> Result<cl_mem> {
    // CL_INVALID_CONTEXT if context is not a valid context.
    let context = context::alive(context)?;
    // CL_INVALID_OPERATION if no devices in context support pipes.
    fail_if(!has_feature(Features::PIPES), CL_INVALID_OPERATION)?;
    // CL_INVALID_VALUE if values specified in flags are not as defined above: "Only CL_MEM_READ_WRITE and CL_MEM_HOST_NO_ACCESS can be
    // specified when creating a pipe object. If the value specified for flags is 0, the default is used which is CL_MEM_READ_WRITE |
    // CL_MEM_HOST_NO_ACCESS."
    const ALLOWED: cl_mem_flags = CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS;
    fail_if(flags & !ALLOWED != 0, CL_INVALID_VALUE)?;
    let flags = if flags == 0 { ALLOWED } else { flags };
    // CL_INVALID_VALUE if properties is not NULL.
    fail_if(!properties.is_null(), CL_INVALID_VALUE)?;
    // CL_INVALID_PIPE_SIZE if pipe_packet_size is 0 or the pipe_packet_size exceeds CL_DEVICE_PIPE_MAX_PACKET_SIZE value for all devices in
    // context or if pipe_max_packets is 0.
    fail_if(
        pipe_packet_size == 0 || pipe_packet_size > MAX_PACKET_SIZE || pipe_max_packets == 0,
        CL_INVALID_PIPE_SIZE,
    )?;
    // CL_MEM_OBJECT_ALLOCATION_FAILURE if there is a failure to allocate memory for the pipe object.
    let size = pipe::bytes(pipe_packet_size, pipe_max_packets)
        .filter(|&size| size as u64 <= machine::max_allocation_bytes())
        .ok_or(CL_MEM_OBJECT_ALLOCATION_FAILURE)?;
    let storage = Storage::new(flags, size, HostPointer(null_mut()))?;
    // SAFETY: new memory of that many bytes, which allocations align to more than pipes need.
    unsafe { pipe::initialize(storage.data().0, pipe_packet_size, pipe_max_packets) };
    let form = Form::Pipe(Pipe {
        packet_size: pipe_packet_size,
        max_packets: pipe_max_packets,
    });
    Memory::create(&context, form, flags, size, storage, Vec::new())
}

const _: () = assert!(machine::MEMORY_ALIGNMENT.is_multiple_of(pipe::ALIGN));

/// clGetPipeInfo
pub fn get_pipe_info(
    pipe: cl_mem,
    param_name: cl_pipe_info,
    param_value_size: usize,
    param_value: Out<c_void>,
    param_value_size_ret: Out<usize>,
) -> Result<()> {
    // CL_INVALID_MEM_OBJECT if pipe is a not a valid pipe object.
    let memory = lookup::<Memory>(pipe)?;
    let pipe = memory.pipe()?;
    let info = match param_name {
        CL_PIPE_PACKET_SIZE => Info::of(pipe.packet_size),
        CL_PIPE_MAX_PACKETS => Info::of(pipe.max_packets),
        CL_PIPE_PROPERTIES => Info::nothing(),
        // CL_INVALID_VALUE if param_name is not one of the supported values.
        _ => return Err(CL_INVALID_VALUE),
    };
    info.answer(param_value_size, param_value, param_value_size_ret)
}
