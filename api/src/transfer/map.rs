//! Mapping memory objects, and moving them between devices: §5.2.4 (clEnqueueMapBuffer), §5.5.2 and §5.5.3 (unmap, migrate).
//!
//! Device and host share the memory: what a mapping does is to keep its place in the order, and to be counted.

use super::cost_of;
use crate::cl::*;
use crate::error::{Result, fail_if};
use crate::event::{self, Event};
use crate::handle::lookup;
use crate::memory::{Mapping, Memory, buffer_of, memory_of};
use crate::queue::{Cost, Queue, Submission};
use crate::raw::{HostPointer, In, Out};
use crate::rect::Rect;
use ::device::live::written;
use core::ffi::c_void;
use std::sync::Arc;

/// CL_INVALID_VALUE if values specified in map_flags are not valid.
pub fn check_map_flags(map_flags: cl_map_flags) -> Result<()> {
    fail_if(
        map_flags & !(CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION) != 0,
        CL_INVALID_VALUE,
    )?;
    // "CL_MAP_READ or CL_MAP_WRITE and CL_MAP_WRITE_INVALIDATE_REGION are mutually exclusive."
    let invalidates = map_flags & CL_MAP_WRITE_INVALIDATE_REGION != 0;
    fail_if(invalidates && map_flags & (CL_MAP_READ | CL_MAP_WRITE) != 0, CL_INVALID_VALUE)
}

/// What the object and the flags of a map must be for each other.
pub fn check_map(object: &Memory, map_flags: cl_map_flags) -> Result<()> {
    // CL_INVALID_VALUE if values specified in map_flags are not valid.
    check_map_flags(map_flags)?;
    // CL_INVALID_OPERATION if the object has been created with CL_MEM_HOST_WRITE_ONLY or CL_MEM_HOST_NO_ACCESS and CL_MAP_READ is set in
    // map_flags or if it has been created with CL_MEM_HOST_READ_ONLY or CL_MEM_HOST_NO_ACCESS and CL_MAP_WRITE or
    // CL_MAP_WRITE_INVALIDATE_REGION is set in map_flags.
    if map_flags & CL_MAP_READ != 0 {
        object.check_host_access(CL_MEM_HOST_WRITE_ONLY)?;
    }
    if map_flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION) != 0 {
        object.check_host_access(CL_MEM_HOST_READ_ONLY)?;
        // CL_INVALID_OPERATION if the object was created with CL_MEM_IMMUTABLE_EXT and CL_MAP_WRITE or CL_MAP_WRITE_INVALIDATE_REGION is set.
        object.check_mutable()?;
    }
    Ok(())
}

/// CL_INVALID_VALUE if flags of a migration are not known.
pub fn check_migration_flags(flags: cl_mem_migration_flags) -> Result<()> {
    let known = CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
    fail_if(flags & !known != 0, CL_INVALID_VALUE)
}

/// clEnqueueMapBuffer
pub fn enqueue_map_buffer(
    command_queue: cl_command_queue,
    buffer: cl_mem,
    blocking_map: cl_bool,
    map_flags: cl_map_flags,
    offset: usize,
    size: usize,
    num_events_in_wait_list: cl_uint,
    event_wait_list: In<cl_event>,
    event: Out<cl_event>,
) -> Result<*mut c_void> {
    // CL_INVALID_COMMAND_QUEUE if command_queue is not a valid host command-queue.
    let queue = lookup::<Queue>(command_queue)?;
    // CL_INVALID_MEM_OBJECT if buffer is not a valid buffer object. CL_INVALID_CONTEXT if its context is another.
    let buffer = buffer_of(buffer, &queue.context)?;
    // CL_INVALID_VALUE if region being mapped given by (offset, size) is out of bounds or if size is 0 or if values specified in map_flags
    // are not valid.
    fail_if(size == 0 || !buffer.contains(offset, size), CL_INVALID_VALUE)?;
    check_map(&buffer, map_flags)?;
    let wait_list = event::wait_list(num_events_in_wait_list, event_wait_list, &queue.context)?;
    buffer.check_alignment()?;
    let rect = Rect::linear(offset, size)?;
    enqueue_map(
        &queue,
        CL_COMMAND_MAP_BUFFER,
        &buffer,
        rect,
        blocking_map,
        map_flags,
        wait_list,
        event,
    )
}

/// Enqueues a command that maps a region of an object ([`check_map`] found nothing wrong), unless its other mappings forbid it.
pub fn enqueue_map(
    queue: &Arc<Queue>,
    command: cl_command_type,
    object: &Arc<Memory>,
    rect: Rect,
    blocking: cl_bool,
    map_flags: cl_map_flags,
    wait_list: Vec<Arc<Event>>,
    event: Out<cl_event>,
) -> Result<*mut c_void> {
    let writes = map_flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION) != 0;
    let base = object.address().ptr();
    let pointer = HostPointer(rect.start_in(base));
    let mapping = Mapping { pointer, writes, rect };
    {
        let mut mappings = object.mappings.lock();
        // CL_INVALID_OPERATION if mapping would lead to overlapping regions being mapped for writing.
        let clashes = |other: &Mapping| (writes || other.writes) && rect.overlaps(base, &other.rect, base);
        fail_if(mappings.iter().any(clashes), CL_INVALID_OPERATION)?;
        mappings.push(mapping);
    }
    if writes {
        // (Memory of images is not followed, and that of buffers is in one row.)
        written::set(pointer.0, rect.bytes());
    }
    let alive = object.clone();
    let submission = Submission::new(queue, command, wait_list, event, cost_of(0, blocking));
    let submitted = submission.submit(move || {
        drop(alive);
        Ok(())
    });
    if let Err(code) = submitted {
        take_mapping(object, pointer);
        return Err(code);
    }
    Ok(pointer.0.cast())
}

fn take_mapping(object: &Memory, pointer: HostPointer) -> Option<Mapping> {
    let mut mappings = object.mappings.lock();
    let place = mappings.iter().position(|mapping| mapping.pointer == pointer)?;
    Some(mappings.swap_remove(place))
}

/// clEnqueueUnmapMemObject
pub fn enqueue_unmap_mem_object(
    command_queue: cl_command_queue,
    memobj: cl_mem,
    mapped_ptr: *mut c_void,
    num_events_in_wait_list: cl_uint,
    event_wait_list: In<cl_event>,
    event: Out<cl_event>,
) -> Result<()> {
    // CL_INVALID_COMMAND_QUEUE if command_queue is not a valid host command-queue.
    let queue = lookup::<Queue>(command_queue)?;
    // CL_INVALID_MEM_OBJECT if memobj is not a valid memory object or is a pipe object. CL_INVALID_CONTEXT if its context is another.
    let object = memory_of(memobj, &queue.context)?;
    fail_if(object.pipe().is_ok(), CL_INVALID_MEM_OBJECT)?;
    let pointer = HostPointer(mapped_ptr.cast());
    let wait_list = event::wait_list(num_events_in_wait_list, event_wait_list, &queue.context)?;
    // CL_INVALID_VALUE if mapped_ptr is not a valid pointer returned by clEnqueueMapBuffer or clEnqueueMapImage for memobj. The region is
    // free for the next map from now on, although the command has not run yet: maps are counted when they are enqueued, too.
    let mapping = take_mapping(&object, pointer).ok_or(CL_INVALID_VALUE)?;
    let alive = object.clone();
    let submission = Submission::new(&queue, CL_COMMAND_UNMAP_MEM_OBJECT, wait_list, event, Cost::Small);
    let submitted = submission.submit(move || {
        drop(alive);
        Ok(())
    });
    if submitted.is_err() {
        object.mappings.lock().push(mapping);
    }
    submitted
}

/// clEnqueueMigrateMemObjects: there is nowhere else to go.
pub fn enqueue_migrate_mem_objects(
    command_queue: cl_command_queue,
    num_mem_objects: cl_uint,
    mem_objects: In<cl_mem>,
    flags: cl_mem_migration_flags,
    num_events_in_wait_list: cl_uint,
    event_wait_list: In<cl_event>,
    event: Out<cl_event>,
) -> Result<()> {
    // CL_INVALID_COMMAND_QUEUE if command_queue is not a valid host command-queue.
    let queue = lookup::<Queue>(command_queue)?;
    // CL_INVALID_VALUE if num_mem_objects is zero or if mem_objects is NULL.
    fail_if(num_mem_objects == 0, CL_INVALID_VALUE)?;
    let list = mem_objects.list(num_mem_objects as usize).ok_or(CL_INVALID_VALUE)?;
    // CL_INVALID_VALUE if flags is not 0 or is not any of the values described in the table above.
    check_migration_flags(flags)?;
    // CL_INVALID_MEM_OBJECT if any of the memory objects is not a valid memory object. CL_INVALID_CONTEXT if a context is another.
    let objects = list
        .into_iter()
        .map(|memory| memory_of(memory, &queue.context))
        .collect::<Result<Vec<_>>>()?;
    let wait_list = event::wait_list(num_events_in_wait_list, event_wait_list, &queue.context)?;
    Submission::new(&queue, CL_COMMAND_MIGRATE_MEM_OBJECTS, wait_list, event, Cost::Small).submit(move || {
        drop(objects);
        Ok(())
    })
}
