//! Unified shared memory: cl_intel_unified_shared_memory. Host, device and shared allocations are one kind of memory here; they differ in
//! what they say of themselves.

use crate::allocations::{Found, SharedKind};
use crate::cl::*;
use crate::context::{self, Context};
use crate::destination::Destination;
use crate::device::Device;
use crate::error::{Result, fail_if};
use crate::handle::lookup;
use crate::info::Info;
use crate::machine;
use crate::queue::{Cost, Queue, enqueue_nothing};
use crate::raw::{In, Out};
use crate::svm::{copy, fill};
use crate::transfer::map::check_migration_flags;
use core::ptr::null_mut;
use std::sync::Arc;

/// The largest alignment that can be asked for: a page. (The size of the largest data type, the specification's least, is little for hosts.)
const MAX_ALIGNMENT: cl_uint = 4096;

fn allocate(
    context: &Context,
    memory_type: cl_uint,
    device: Option<Arc<Device>>,
    properties: In<cl_properties>,
    size: usize,
    alignment: cl_uint,
) -> Result<*mut c_void> {
    const PLACEMENT: cl_bitfield = CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL | CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL;
    // CL_INVALID_PROPERTY if a memory property name in properties is not a supported property name, if the value specified for a supported
    // property name is not valid, or if the same property name is specified more than once;
    let known = [(CL_MEM_ALLOC_FLAGS_INTEL as cl_properties, CL_MEM_ALLOC_FLAGS_ALL_INTEL)];
    let flags = properties.bit_fields(&known, CL_INVALID_PROPERTY)?.values[0].unwrap_or_default();
    // if an initial placement is specified for host or device memory, or both for shared memory.
    let placements = if memory_type == CL_MEM_TYPE_SHARED_INTEL { 1 } else { 0 };
    fail_if((flags & PLACEMENT).count_ones() > placements, CL_INVALID_PROPERTY)?;
    // CL_INVALID_VALUE if alignment is not zero or a power of two supported by the device.
    fail_if(
        alignment != 0 && (!alignment.is_power_of_two() || alignment > MAX_ALIGNMENT),
        CL_INVALID_VALUE,
    )?;
    // CL_INVALID_BUFFER_SIZE if size is zero or greater than CL_DEVICE_MAX_MEM_ALLOC_SIZE for any device in context.
    fail_if(size == 0 || size as u64 > machine::max_allocation_bytes(), CL_INVALID_BUFFER_SIZE)?;
    let kind = SharedKind::Unified {
        memory_type,
        device,
        flags,
    };
    // CL_OUT_OF_RESOURCES if there is a failure to allocate resources required by the OpenCL implementation on the device.
    context
        .svm
        .allocate(size, alignment as usize, kind)
        .map_err(|_| CL_OUT_OF_RESOURCES)
}

/// clHostMemAllocINTEL
pub fn host_mem_alloc(context: cl_context, properties: In<cl_properties>, size: usize, alignment: cl_uint) -> Result<*mut c_void> {
    // CL_INVALID_CONTEXT if context is not a valid context.
    allocate(
        &*context::alive(context)?,
        CL_MEM_TYPE_HOST_INTEL,
        None,
        properties,
        size,
        alignment,
    )
}

/// clDeviceMemAllocINTEL
pub fn device_mem_alloc(
    context: cl_context,
    device: cl_device_id,
    properties: In<cl_properties>,
    size: usize,
    alignment: cl_uint,
) -> Result<*mut c_void> {
    // CL_INVALID_CONTEXT if context is not a valid context.
    let context = context::alive(context)?;
    // CL_INVALID_DEVICE if device is not a valid device or is not associated with context.
    let device = lookup::<Device>(device)?;
    fail_if(!context.has(&device), CL_INVALID_DEVICE)?;
    allocate(
        &context,
        CL_MEM_TYPE_DEVICE_INTEL,
        Some(device.clone()),
        properties,
        size,
        alignment,
    )
}

/// clSharedMemAllocINTEL
pub fn shared_mem_alloc(
    context: cl_context,
    device: cl_device_id,
    properties: In<cl_properties>,
    size: usize,
    alignment: cl_uint,
) -> Result<*mut c_void> {
    // CL_INVALID_CONTEXT if context is not a valid context.
    let context = context::alive(context)?;
    // CL_INVALID_DEVICE if device is not NULL and is not a valid device or is not associated with context.
    let device = if device.is_null() {
        None
    } else {
        Some(lookup::<Device>(device)?.clone())
    };
    fail_if(device.as_ref().is_some_and(|device| !context.has(device)), CL_INVALID_DEVICE)?;
    allocate(&context, CL_MEM_TYPE_SHARED_INTEL, device, properties, size, alignment)
}

/// clMemFreeINTEL
pub fn mem_free(context: cl_context, ptr: *mut c_void) -> Result<()> {
    // CL_INVALID_CONTEXT if context is not a valid context.
    let context = lookup::<Context>(context)?;
    // CL_INVALID_VALUE if ptr is not NULL and is not a value returned by clHostMemAllocINTEL, clDeviceMemAllocINTEL or
    // clSharedMemAllocINTEL.
    fail_if(!ptr.is_null() && !context.svm.free(ptr, SharedKind::is_unified), CL_INVALID_VALUE)
}

/// clMemBlockingFreeINTEL: waits for the commands that were enqueued before.
pub fn mem_blocking_free(context: cl_context, ptr: *mut c_void) -> Result<()> {
    // CL_INVALID_CONTEXT if context is not a valid context.
    for queue in lookup::<Context>(context)?.queues() {
        queue.finish_all();
    }
    mem_free(context, ptr)
}

/// clGetMemAllocInfoINTEL
pub fn get_mem_alloc_info(
    context: cl_context,
    ptr: *const c_void,
    param_name: cl_uint,
    param_value_size: usize,
    param_value: Out<c_void>,
    param_value_size_ret: Out<usize>,
) -> Result<()> {
    // CL_INVALID_CONTEXT if context is not a valid context.
    let context = lookup::<Context>(context)?;
    let found = context.svm.find(ptr.cast());
    let unified = found.as_ref().and_then(|found| match &found.kind {
        SharedKind::Unified {
            memory_type,
            device,
            flags,
        } => Some((found, *memory_type, device.as_ref(), *flags)),
        _ => None,
    });
    let info = match param_name {
        CL_MEM_ALLOC_TYPE_INTEL => Info::of(unified.map_or(CL_MEM_TYPE_UNKNOWN_INTEL, |(_, memory_type, ..)| memory_type)),
        CL_MEM_ALLOC_BASE_PTR_INTEL => Info::of(unified.map_or(0, |(Found { start, .. }, ..)| *start)),
        CL_MEM_ALLOC_SIZE_INTEL => Info::of(unified.map_or(0, |(Found { bytes, .. }, ..)| *bytes)),
        CL_MEM_ALLOC_DEVICE_INTEL => Info::of(
            unified
                .and_then(|(_, _, device, _)| device)
                .map_or(null_mut(), |device| device.id()),
        ),
        CL_MEM_ALLOC_FLAGS_INTEL => Info::of(unified.map_or(0, |(.., flags)| flags)),
        // CL_INVALID_VALUE if param_name is not a valid memory allocation query.
        _ => return Err(CL_INVALID_VALUE),
    };
    info.answer(param_value_size, param_value, param_value_size_ret)
}

/// clEnqueueMemFillINTEL
pub fn enqueue_mem_fill(
    command_queue: cl_command_queue,
    dst_ptr: *mut c_void,
    pattern: In<u8>,
    pattern_size: usize,
    size: usize,
    num_events_in_wait_list: cl_uint,
    event_wait_list: In<cl_event>,
    event: Out<cl_event>,
) -> Result<()> {
    let destination = Destination::queue(command_queue, num_events_in_wait_list, event_wait_list, event)?;
    fill(destination, CL_COMMAND_MEMFILL_INTEL, dst_ptr, pattern, pattern_size, size)
}

/// clEnqueueMemsetINTEL
pub fn enqueue_memset(
    command_queue: cl_command_queue,
    dst_ptr: *mut c_void,
    value: cl_int,
    size: usize,
    num_events_in_wait_list: cl_uint,
    event_wait_list: In<cl_event>,
    event: Out<cl_event>,
) -> Result<()> {
    let destination = Destination::queue(command_queue, num_events_in_wait_list, event_wait_list, event)?;
    fill(
        destination,
        CL_COMMAND_MEMFILL_INTEL,
        dst_ptr,
        In::from_slice(&[value as u8]),
        1,
        size,
    )
}

/// clEnqueueMemcpyINTEL
pub fn enqueue_memcpy(
    command_queue: cl_command_queue,
    blocking: cl_bool,
    dst_ptr: *mut c_void,
    src_ptr: *const c_void,
    size: usize,
    num_events_in_wait_list: cl_uint,
    event_wait_list: In<cl_event>,
    event: Out<cl_event>,
) -> Result<()> {
    let destination = Destination::queue(command_queue, num_events_in_wait_list, event_wait_list, event)?;
    copy(destination, CL_COMMAND_MEMCPY_INTEL, blocking, dst_ptr, src_ptr, size)
}

/// clEnqueueMigrateMemINTEL: there is nowhere else to go.
pub fn enqueue_migrate_mem(
    command_queue: cl_command_queue,
    _ptr: *const c_void,
    _size: usize,
    flags: cl_mem_migration_flags,
    num_events_in_wait_list: cl_uint,
    event_wait_list: In<cl_event>,
    event: Out<cl_event>,
) -> Result<()> {
    // CL_INVALID_COMMAND_QUEUE if command_queue is not a valid host command-queue.
    let queue = lookup::<Queue>(command_queue)?;
    // CL_INVALID_VALUE if flags is not a supported combination of memory migration flags.
    check_migration_flags(flags)?;
    let wait_list = (num_events_in_wait_list, event_wait_list);
    enqueue_nothing(&queue, CL_COMMAND_MIGRATEMEM_INTEL, Cost::Small, wait_list, event)
}

/// clEnqueueMemAdviseINTEL: no advice is known.
pub fn enqueue_mem_advise(
    command_queue: cl_command_queue,
    _ptr: *const c_void,
    _size: usize,
    advice: cl_uint,
    num_events_in_wait_list: cl_uint,
    event_wait_list: In<cl_event>,
    event: Out<cl_event>,
) -> Result<()> {
    // CL_INVALID_COMMAND_QUEUE if command_queue is not a valid host command-queue.
    let queue = lookup::<Queue>(command_queue)?;
    // CL_INVALID_VALUE if advice is not supported advice for the device associated with command_queue.
    fail_if(advice != 0, CL_INVALID_VALUE)?;
    let wait_list = (num_events_in_wait_list, event_wait_list);
    enqueue_nothing(&queue, CL_COMMAND_MEMADVISE_INTEL, Cost::Small, wait_list, event)
}
