//! Native kernels: functions of the application that run as commands (§5.10).

use crate::cl::*;
use crate::error::{Result, fail_if};
use crate::event::wait_list;
use crate::handle::lookup;
use crate::memory::Memory;
use crate::queue::{Cost, Queue, Submission};
use crate::raw::{HostPointer, In, Out};
use ::device::live::written;
use core::ffi::c_void;
use std::sync::Arc;

/// clEnqueueNativeKernel
pub fn enqueue_native_kernel(
    command_queue: cl_command_queue,
    user_func: NativeKernel,
    args: In<u8>,
    cb_args: usize,
    num_mem_objects: cl_uint,
    mem_list: In<cl_mem>,
    args_mem_loc: In<*const c_void>,
    num_events_in_wait_list: cl_uint,
    event_wait_list: In<cl_event>,
    event: Out<cl_event>,
) -> Result<()> {
    // CL_INVALID_COMMAND_QUEUE if command_queue is not a valid host command-queue.
    let queue = lookup::<Queue>(command_queue)?;
    // CL_INVALID_VALUE if user_func is NULL.
    let function = user_func.ok_or(CL_INVALID_VALUE)?;
    // CL_INVALID_VALUE if args is a NULL value and cb_args is greater than 0, or if args is a NULL value and num_mem_objects is greater
    // than 0.
    fail_if(args.is_null() && (cb_args > 0 || num_mem_objects > 0), CL_INVALID_VALUE)?;
    // CL_INVALID_VALUE if args is not NULL and cb_args is 0.
    fail_if(!args.is_null() && cb_args == 0, CL_INVALID_VALUE)?;
    // CL_INVALID_VALUE if num_mem_objects is greater than 0 and mem_list or args_mem_loc are NULL, or if num_mem_objects is 0 and mem_list
    // or args_mem_loc are not NULL.
    fail_if(
        (num_mem_objects == 0) != mem_list.is_null() || (num_mem_objects == 0) != args_mem_loc.is_null(),
        CL_INVALID_VALUE,
    )?;
    let bytes = args.bytes(cb_args).unwrap_or_default().to_vec();
    let mut memory: Vec<(usize, Option<Arc<Memory>>)> = Vec::new();
    let objects = mem_list.list(num_mem_objects as usize).unwrap_or_default();
    let places = args_mem_loc.list(num_mem_objects as usize).unwrap_or_default();
    for (&object, &place) in objects.iter().zip(&places) {
        // CL_INVALID_MEM_OBJECT if one or more memory objects specified in mem_list are not valid or are not buffer objects.
        let object = if object.is_null() {
            None
        } else {
            let object = lookup::<Memory>(object)?;
            object.check_buffer()?;
            Some(object.clone())
        };
        // "args_mem_loc is a pointer to appropriate locations that args points to where memory object handles are stored": there the
        // function finds pointers.
        let offset = (place as usize).wrapping_sub(args.as_ptr() as usize);
        let end = offset.checked_add(size_of::<usize>());
        fail_if(end.is_none_or(|end| end > bytes.len()), CL_INVALID_VALUE)?;
        memory.push((offset, object));
    }
    let wait_list = wait_list(num_events_in_wait_list, event_wait_list, &queue.context)?;
    Submission::new(&queue, CL_COMMAND_NATIVE_KERNEL, wait_list, event, Cost::Large).submit(move || {
        // 16 bytes at a time, so that the copy is aligned as malloc's memory is.
        let mut copy = vec![0_u128; bytes.len().div_ceil(16)];
        let arguments = HostPointer(copy.as_mut_ptr().cast());
        // SAFETY: the copy has room for the bytes.
        unsafe { core::ptr::copy_nonoverlapping(bytes.as_ptr(), arguments.0, bytes.len()) };
        for (offset, object) in &memory {
            let pointer = object.as_ref().map_or(core::ptr::null_mut(), |object| object.address().ptr());
            written::set(pointer, object.as_ref().map_or(0, |object| object.size));
            // SAFETY: a pointer's bytes from there on are within the arguments' (checked above).
            unsafe { arguments.0.add(*offset).cast::<*mut u8>().write_unaligned(pointer) };
        }
        // SAFETY: the application gave this function for this use; it gets a copy of its arguments, or NULL where it gave none.
        unsafe {
            function(if bytes.is_empty() {
                core::ptr::null_mut()
            } else {
                arguments.0.cast()
            })
        };
        Ok(())
    })
}
