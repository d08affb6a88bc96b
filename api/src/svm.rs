//! Shared virtual memory: §5.6. All memory is shared with the host here, down to what malloc gave; what clSVMAlloc allocates is known to
//! its context so that it can be asked about and freed.

use crate::allocations::{Found, SharedKind, check_svm_support};
use crate::cl::*;
use crate::context::{self, Context};
use crate::destination::Destination;
use crate::error::{Result, fail_if};
use crate::event;
use crate::handle::lookup;
use crate::machine;
use crate::queue::{Cost, Queue, Submission, enqueue_nothing};
use crate::raw::{HostPointer, In, Out};
use crate::rect::Rect;
use crate::transfer::map::{check_map_flags, check_migration_flags};
use crate::transfer::{self, Pattern, Place, cost_of};
use crate::unified_svm;
use ::device::live::written;
use core::ffi::c_void;
use core::ptr::null_mut;

/// clSVMAlloc: NULL where it fails.
pub fn svm_alloc(context: cl_context, flags: cl_svm_mem_flags, size: usize, alignment: cl_uint) -> Result<*mut c_void> {
    const ACCESS: cl_svm_mem_flags = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
    // context is not a valid context
    let context = context::alive(context)?;
    check_svm_support()?;
    // flags does not contain CL_MEM_SVM_FINE_GRAIN_BUFFER but does contain CL_MEM_SVM_ATOMICS
    fail_if(
        flags & CL_MEM_SVM_ATOMICS != 0 && flags & CL_MEM_SVM_FINE_GRAIN_BUFFER == 0,
        CL_INVALID_VALUE,
    )?;
    // Values specified in flags do not follow rules specified for supported values
    fail_if(
        flags & !(ACCESS | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS) != 0,
        CL_INVALID_VALUE,
    )?;
    fail_if((flags & ACCESS).count_ones() > 1, CL_INVALID_VALUE)?;
    // size is 0 or > CL_DEVICE_MAX_MEM_ALLOC_SIZE value for any device in context
    fail_if(size == 0 || size as u64 > machine::max_allocation_bytes(), CL_INVALID_BUFFER_SIZE)?;
    // alignment is not a power of two or the OpenCL implementation cannot support the specified alignment
    fail_if(
        alignment != 0 && (!alignment.is_power_of_two() || alignment as usize > machine::MEMORY_ALIGNMENT),
        CL_INVALID_VALUE,
    )?;
    // There was a failure to allocate resources
    let fine = flags & CL_MEM_SVM_FINE_GRAIN_BUFFER != 0;
    context.svm.allocate(size, alignment as usize, SharedKind::Svm { fine })
}

/// clSVMFree
pub fn svm_free(context: cl_context, svm_pointer: *mut c_void) {
    if let Ok(context) = lookup::<Context>(context) {
        context.svm.free(svm_pointer, SharedKind::is_svm);
    }
}

/// clEnqueueSVMFree
pub fn enqueue_svm_free(
    command_queue: cl_command_queue,
    num_svm_pointers: cl_uint,
    svm_pointers: In<*mut c_void>,
    pfn_free_func: SvmFreeNotify,
    user_data: *mut c_void,
    num_events_in_wait_list: cl_uint,
    event_wait_list: In<cl_event>,
    event: Out<cl_event>,
) -> Result<()> {
    // CL_INVALID_COMMAND_QUEUE if command_queue is not a valid host command-queue.
    let queue = lookup::<Queue>(command_queue)?;
    check_svm_support()?;
    // CL_INVALID_VALUE if num_svm_pointers is 0 and svm_pointers is non-NULL, or if svm_pointers is NULL and num_svm_pointers is not 0.
    fail_if((num_svm_pointers == 0) != svm_pointers.is_null(), CL_INVALID_VALUE)?;
    let wait_list = event::wait_list(num_events_in_wait_list, event_wait_list, &queue.context)?;
    let pointers: Vec<HostPointer> = svm_pointers
        .list(num_svm_pointers as usize)
        .unwrap_or_default()
        .iter()
        .map(|pointer| HostPointer(pointer.cast()))
        .collect();
    let user_data = HostPointer(user_data.cast());
    let owner = queue.clone();
    Submission::new(&queue, CL_COMMAND_SVM_FREE, wait_list, event, Cost::Large).submit(move || {
        match pfn_free_func {
            Some(free) => {
                let mut list: Vec<*mut c_void> = pointers.iter().map(|pointer| pointer.0.cast()).collect();
                // SAFETY: the application gave this function and its argument for this use.
                unsafe { free(owner.id(), list.len() as cl_uint, list.as_mut_ptr(), user_data.ptr().cast()) };
            }
            None => pointers.iter().for_each(|pointer| {
                owner.context.svm.free(pointer.0.cast(), SharedKind::is_svm);
            }),
        }
        Ok(())
    })
}

/// clEnqueueSVMMemcpy
pub fn enqueue_svm_memcpy(
    command_queue: cl_command_queue,
    blocking_copy: cl_bool,
    dst_ptr: *mut c_void,
    src_ptr: *const c_void,
    size: usize,
    num_events_in_wait_list: cl_uint,
    event_wait_list: In<cl_event>,
    event: Out<cl_event>,
) -> Result<()> {
    let destination = Destination::queue(command_queue, num_events_in_wait_list, event_wait_list, event)?;
    check_svm_support()?;
    copy(destination, CL_COMMAND_SVM_MEMCPY, blocking_copy, dst_ptr, src_ptr, size)
}

/// Pointers may be NULL for nothing where cl_khr_unified_svm is there.
fn may_be_nowhere(command: cl_command_type, size: usize) -> bool {
    size == 0 && matches!(command, CL_COMMAND_SVM_MEMCPY | CL_COMMAND_SVM_MEMFILL) && unified_svm::is_there()
}

/// A command that copies between two pointers.
pub fn copy(
    destination: Destination,
    command: cl_command_type,
    blocking_copy: cl_bool,
    dst_ptr: *mut c_void,
    src_ptr: *const c_void,
    size: usize,
) -> Result<()> {
    // CL_INVALID_VALUE if dst_ptr or src_ptr is NULL.
    fail_if(
        (dst_ptr.is_null() || src_ptr.is_null()) && !may_be_nowhere(command, size),
        CL_INVALID_VALUE,
    )?;
    let from = Place::in_host(HostPointer(src_ptr.cast_mut().cast()), Rect::linear(0, size)?);
    let to = Place::in_host(HostPointer(dst_ptr.cast()), Rect::linear(0, size)?);
    // CL_MEM_COPY_OVERLAP if the values specified for dst_ptr, src_ptr and size result in an overlapping copy.
    fail_if(from.overlaps(&to), CL_MEM_COPY_OVERLAP)?;
    transfer::copy(destination, command, from, to, blocking_copy)
}

/// clEnqueueSVMMemFill
pub fn enqueue_svm_mem_fill(
    command_queue: cl_command_queue,
    svm_ptr: *mut c_void,
    pattern: In<u8>,
    pattern_size: usize,
    size: usize,
    num_events_in_wait_list: cl_uint,
    event_wait_list: In<cl_event>,
    event: Out<cl_event>,
) -> Result<()> {
    let destination = Destination::queue(command_queue, num_events_in_wait_list, event_wait_list, event)?;
    check_svm_support()?;
    fill(destination, CL_COMMAND_SVM_MEMFILL, svm_ptr, pattern, pattern_size, size)
}

/// A command that fills memory.
pub fn fill(
    destination: Destination,
    command: cl_command_type,
    svm_ptr: *mut c_void,
    pattern: In<u8>,
    pattern_size: usize,
    size: usize,
) -> Result<()> {
    // CL_INVALID_VALUE if svm_ptr is NULL.
    fail_if(svm_ptr.is_null() && !may_be_nowhere(command, size), CL_INVALID_VALUE)?;
    let pattern = Pattern::new(pattern, pattern_size)?;
    // CL_INVALID_VALUE if svm_ptr is not aligned to pattern_size bytes; if size is not a multiple of pattern_size.
    fail_if(
        !(svm_ptr as usize).is_multiple_of(pattern_size) || !size.is_multiple_of(pattern_size),
        CL_INVALID_VALUE,
    )?;
    let place = Place::in_host(HostPointer(svm_ptr.cast()), Rect::linear(0, size)?);
    transfer::fill(destination, command, place, pattern)
}

/// clEnqueueSVMMap: device and host share the memory; what the command does is to keep its place in the order.
pub fn enqueue_svm_map(
    command_queue: cl_command_queue,
    blocking_map: cl_bool,
    flags: cl_map_flags,
    svm_ptr: *mut c_void,
    size: usize,
    num_events_in_wait_list: cl_uint,
    event_wait_list: In<cl_event>,
    event: Out<cl_event>,
) -> Result<()> {
    // CL_INVALID_COMMAND_QUEUE if command_queue is not a valid host command-queue.
    let queue = lookup::<Queue>(command_queue)?;
    check_svm_support()?;
    // CL_INVALID_VALUE if svm_ptr is NULL; if size is 0 or if values specified in map_flags are not valid.
    fail_if(svm_ptr.is_null() || size == 0, CL_INVALID_VALUE)?;
    check_map_flags(flags)?;
    // if svm_ptr does not support mapping and unmapping for access on the host (cl_khr_unified_svm).
    fail_if(!unified_svm::can_be_mapped(&queue.context, svm_ptr), CL_INVALID_VALUE)?;
    if flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION) != 0 {
        written::set(svm_ptr.cast_const().cast(), size);
    }
    let wait_list = (num_events_in_wait_list, event_wait_list);
    enqueue_nothing(&queue, CL_COMMAND_SVM_MAP, cost_of(0, blocking_map), wait_list, event)
}

/// clEnqueueSVMUnmap
pub fn enqueue_svm_unmap(
    command_queue: cl_command_queue,
    svm_ptr: *mut c_void,
    num_events_in_wait_list: cl_uint,
    event_wait_list: In<cl_event>,
    event: Out<cl_event>,
) -> Result<()> {
    // CL_INVALID_COMMAND_QUEUE if command_queue is not a valid host command-queue.
    let queue = lookup::<Queue>(command_queue)?;
    check_svm_support()?;
    // CL_INVALID_VALUE if svm_ptr is NULL, or does not support mapping.
    fail_if(
        svm_ptr.is_null() || !unified_svm::can_be_mapped(&queue.context, svm_ptr),
        CL_INVALID_VALUE,
    )?;
    let wait_list = (num_events_in_wait_list, event_wait_list);
    enqueue_nothing(&queue, CL_COMMAND_SVM_UNMAP, Cost::Small, wait_list, event)
}

/// clEnqueueSVMMigrateMem: there is nowhere else to go.
pub fn enqueue_svm_migrate_mem(
    command_queue: cl_command_queue,
    num_svm_pointers: cl_uint,
    svm_pointers: In<*const c_void>,
    sizes: In<usize>,
    flags: cl_mem_migration_flags,
    num_events_in_wait_list: cl_uint,
    event_wait_list: In<cl_event>,
    event: Out<cl_event>,
) -> Result<()> {
    // CL_INVALID_COMMAND_QUEUE if command_queue is not a valid host command-queue.
    let queue = lookup::<Queue>(command_queue)?;
    check_svm_support()?;
    // CL_INVALID_VALUE if num_svm_pointers is zero or svm_pointers is NULL.
    fail_if(num_svm_pointers == 0, CL_INVALID_VALUE)?;
    let pointers = svm_pointers.list(num_svm_pointers as usize).ok_or(CL_INVALID_VALUE)?;
    check_migration_flags(flags)?;
    let sizes = sizes.list(num_svm_pointers as usize);
    for (index, pointer) in pointers.iter().enumerate() {
        let size = sizes.as_ref().map_or(0, |sizes| sizes[index]);
        // If a pointer is NULL and either sizes is NULL or the size in sizes is zero, then it is ignored (cl_khr_unified_svm).
        if pointer.is_null() && size == 0 && unified_svm::is_there() {
            continue;
        }
        // CL_INVALID_VALUE if sizes[i] is non-zero range [svm_pointers[i], svm_pointers[i]+sizes[i]) is not contained within an existing
        // clSVMAlloc allocation.
        let Found { start, bytes, .. } = match queue.context.svm.find(pointer.cast()) {
            Some(found) => found,
            // What the system allocated is of a type of SVM, too (cl_khr_unified_svm).
            None if !pointer.is_null() && unified_svm::is_there() => continue,
            None => return Err(CL_INVALID_VALUE),
        };
        fail_if(
            (*pointer as usize - start).checked_add(size).is_none_or(|end| end > bytes),
            CL_INVALID_VALUE,
        )?;
    }
    let wait_list = (num_events_in_wait_list, event_wait_list);
    enqueue_nothing(&queue, CL_COMMAND_SVM_MIGRATE_MEM, Cost::Small, wait_list, event)
}

/// Where clSVMAlloc's error becomes NULL.
pub fn svm_alloc_or_null(context: cl_context, flags: cl_svm_mem_flags, size: usize, alignment: cl_uint) -> *mut c_void {
    svm_alloc(context, flags, size, alignment).unwrap_or(null_mut())
}
