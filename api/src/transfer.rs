//! Commands on buffers: §5.2.2 to §5.2.4 (read, write, copy, fill, map), §5.5.2 and §5.5.3 (unmap, migrate).

use crate::cl::*;
use crate::device_info::MEMORY_ALIGNMENT;
use crate::error::{Result, fail_if};
use crate::event::wait_list;
use crate::handle::lookup;
use crate::memory::{Mapping, Memory, buffer_of};
use crate::queue::{Cost, Queue, Submission};
use crate::raw::{HostPointer, In, Out};
use crate::rect::Rect;
use ::device::memory::{self, RectPlace};
use core::ffi::c_void;
use std::sync::Arc;

/// Bytes that are copied sooner than a thread wakes.
const SMALL_BYTES: usize = 32 << 10;

/// What a command that touches `bytes` bytes costs.
pub fn cost_of(bytes: usize, blocking: cl_bool) -> Cost {
    match bytes {
        _ if blocking != CL_FALSE => Cost::Blocking,
        0..=SMALL_BYTES => Cost::Small,
        _ => Cost::Large,
    }
}

/// Do two ranges of a size share bytes?
pub fn overlap(a: usize, b: usize, size: usize) -> bool {
    size != 0 && a < b.saturating_add(size) && b < a.saturating_add(size)
}

/// Which way a command moves data between a buffer and host memory.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Read,
    Write,
}

impl Direction {
    /// The host access flag that forbids it.
    fn forbidding(self) -> cl_mem_flags {
        match self {
            Direction::Read => CL_MEM_HOST_WRITE_ONLY,
            Direction::Write => CL_MEM_HOST_READ_ONLY,
        }
    }
}

/// A linear read or write.
struct Linear {
    buffer: cl_mem,
    blocking: cl_bool,
    offset: usize,
    size: usize,
    pointer: HostPointer,
}

fn enqueue_linear(
    command_queue: cl_command_queue,
    direction: Direction,
    linear: Linear,
    num_events_in_wait_list: cl_uint,
    event_wait_list: In<cl_event>,
    event: Out<cl_event>,
) -> Result<()> {
    let Linear {
        buffer,
        blocking,
        offset,
        size,
        pointer,
    } = linear;
    // CL_INVALID_COMMAND_QUEUE if command_queue is not a valid host command-queue.
    let queue = lookup::<Queue>(command_queue)?;
    // CL_INVALID_MEM_OBJECT if buffer is not a valid buffer object. CL_INVALID_CONTEXT if its context is another.
    let buffer = buffer_of(buffer, &queue.context)?;
    // CL_INVALID_VALUE if the region being read or written specified by (offset, size) is out of bounds or if ptr is a NULL value.
    fail_if(!buffer.contains(offset, size) || pointer.0.is_null(), CL_INVALID_VALUE)?;
    let wait_list = wait_list(num_events_in_wait_list, event_wait_list, &queue.context)?;
    buffer.check_alignment()?;
    // CL_INVALID_OPERATION if the buffer's host access flags forbid it.
    buffer.check_host_access(direction.forbidding())?;
    let workers = queue.device.compute_units() as usize;
    let submission = Submission {
        queue: &queue,
        command: if direction == Direction::Read {
            CL_COMMAND_READ_BUFFER
        } else {
            CL_COMMAND_WRITE_BUFFER
        },
        wait_list,
        after_all: false,
        event,
        cost: cost_of(size, blocking),
    };
    submission.submit(move || {
        let (buffer, pointer) = (buffer.data.at(offset).0, pointer.ptr());
        let (destination, source) = if direction == Direction::Read {
            (pointer, buffer)
        } else {
            (buffer, pointer)
        };
        if destination != source {
            // SAFETY: the region lies in the buffer, which lives; the application vouches for its own memory.
            unsafe { memory::copy(destination, source, size, workers) };
        }
        Ok(())
    })
}

/// clEnqueueReadBuffer
pub fn enqueue_read_buffer(
    command_queue: cl_command_queue,
    buffer: cl_mem,
    blocking: cl_bool,
    offset: usize,
    size: usize,
    ptr: *mut c_void,
    num_events_in_wait_list: cl_uint,
    event_wait_list: In<cl_event>,
    event: Out<cl_event>,
) -> Result<()> {
    let pointer = HostPointer(ptr.cast());
    let linear = Linear {
        buffer,
        blocking,
        offset,
        size,
        pointer,
    };
    enqueue_linear(
        command_queue,
        Direction::Read,
        linear,
        num_events_in_wait_list,
        event_wait_list,
        event,
    )
}

/// clEnqueueWriteBuffer
pub fn enqueue_write_buffer(
    command_queue: cl_command_queue,
    buffer: cl_mem,
    blocking: cl_bool,
    offset: usize,
    size: usize,
    ptr: *const c_void,
    num_events_in_wait_list: cl_uint,
    event_wait_list: In<cl_event>,
    event: Out<cl_event>,
) -> Result<()> {
    let pointer = HostPointer(ptr.cast_mut().cast());
    let linear = Linear {
        buffer,
        blocking,
        offset,
        size,
        pointer,
    };
    enqueue_linear(
        command_queue,
        Direction::Write,
        linear,
        num_events_in_wait_list,
        event_wait_list,
        event,
    )
}

/// A rectangular read or write, as the application gives it.
pub struct RectTransfer {
    pub buffer: cl_mem,
    pub blocking: cl_bool,
    pub buffer_origin: In<usize>,
    pub host_origin: In<usize>,
    pub region: In<usize>,
    pub buffer_row_pitch: usize,
    pub buffer_slice_pitch: usize,
    pub host_row_pitch: usize,
    pub host_slice_pitch: usize,
    pub pointer: HostPointer,
}

fn enqueue_rect(
    command_queue: cl_command_queue,
    direction: Direction,
    rect: RectTransfer,
    num_events_in_wait_list: cl_uint,
    event_wait_list: In<cl_event>,
    event: Out<cl_event>,
) -> Result<()> {
    // CL_INVALID_COMMAND_QUEUE if command_queue is not a valid host command-queue.
    let queue = lookup::<Queue>(command_queue)?;
    // CL_INVALID_MEM_OBJECT if buffer is not a valid buffer object. CL_INVALID_CONTEXT if its context is another.
    let buffer = buffer_of(rect.buffer, &queue.context)?;
    // CL_INVALID_VALUE if buffer_origin, host_origin, or region is NULL.
    let buffer_origin = rect.buffer_origin.triple(3, 0).ok_or(CL_INVALID_VALUE)?;
    let host_origin = rect.host_origin.triple(3, 0).ok_or(CL_INVALID_VALUE)?;
    let region = rect.region.triple(3, 0).ok_or(CL_INVALID_VALUE)?;
    // CL_INVALID_VALUE if ptr is NULL.
    fail_if(rect.pointer.0.is_null(), CL_INVALID_VALUE)?;
    // CL_INVALID_VALUE if a region array element is 0, or a pitch does not fit the region.
    let in_buffer = Rect::new(buffer_origin, region, rect.buffer_row_pitch, rect.buffer_slice_pitch)?;
    let in_host = Rect::new(host_origin, region, rect.host_row_pitch, rect.host_slice_pitch)?;
    // CL_INVALID_VALUE if the region being read or written is out of bounds.
    fail_if(in_buffer.end > buffer.size, CL_INVALID_VALUE)?;
    let wait_list = wait_list(num_events_in_wait_list, event_wait_list, &queue.context)?;
    buffer.check_alignment()?;
    // CL_INVALID_OPERATION if the buffer's host access flags forbid it.
    buffer.check_host_access(direction.forbidding())?;
    let workers = queue.device.compute_units() as usize;
    let pointer = rect.pointer;
    let submission = Submission {
        queue: &queue,
        command: if direction == Direction::Read {
            CL_COMMAND_READ_BUFFER_RECT
        } else {
            CL_COMMAND_WRITE_BUFFER_RECT
        },
        wait_list,
        after_all: false,
        event,
        cost: cost_of(region.iter().product(), rect.blocking),
    };
    submission.submit(move || {
        let (buffer, host) = (in_buffer.place(buffer.data), in_host.place(pointer));
        let (destination, source) = if direction == Direction::Read {
            (host, buffer)
        } else {
            (buffer, host)
        };
        // SAFETY: the region lies in the buffer, which lives; the application vouches for its own memory.
        unsafe { memory::copy_rect(destination, readable(source), region, workers) };
        Ok(())
    })
}

fn readable(place: RectPlace<*mut u8>) -> RectPlace<*const u8> {
    RectPlace {
        origin: place.origin.cast_const(),
        row_pitch: place.row_pitch,
        slice_pitch: place.slice_pitch,
    }
}

/// clEnqueueReadBufferRect
pub fn enqueue_read_buffer_rect(
    command_queue: cl_command_queue,
    buffer: cl_mem,
    blocking: cl_bool,
    buffer_origin: In<usize>,
    host_origin: In<usize>,
    region: In<usize>,
    buffer_row_pitch: usize,
    buffer_slice_pitch: usize,
    host_row_pitch: usize,
    host_slice_pitch: usize,
    ptr: *mut c_void,
    num_events_in_wait_list: cl_uint,
    event_wait_list: In<cl_event>,
    event: Out<cl_event>,
) -> Result<()> {
    let pointer = HostPointer(ptr.cast());
    let rect = RectTransfer {
        buffer,
        blocking,
        buffer_origin,
        host_origin,
        region,
        buffer_row_pitch,
        buffer_slice_pitch,
        host_row_pitch,
        host_slice_pitch,
        pointer,
    };
    enqueue_rect(
        command_queue,
        Direction::Read,
        rect,
        num_events_in_wait_list,
        event_wait_list,
        event,
    )
}

/// clEnqueueWriteBufferRect
pub fn enqueue_write_buffer_rect(
    command_queue: cl_command_queue,
    buffer: cl_mem,
    blocking: cl_bool,
    buffer_origin: In<usize>,
    host_origin: In<usize>,
    region: In<usize>,
    buffer_row_pitch: usize,
    buffer_slice_pitch: usize,
    host_row_pitch: usize,
    host_slice_pitch: usize,
    ptr: *const c_void,
    num_events_in_wait_list: cl_uint,
    event_wait_list: In<cl_event>,
    event: Out<cl_event>,
) -> Result<()> {
    let pointer = HostPointer(ptr.cast_mut().cast());
    let rect = RectTransfer {
        buffer,
        blocking,
        buffer_origin,
        host_origin,
        region,
        buffer_row_pitch,
        buffer_slice_pitch,
        host_row_pitch,
        host_slice_pitch,
        pointer,
    };
    enqueue_rect(
        command_queue,
        Direction::Write,
        rect,
        num_events_in_wait_list,
        event_wait_list,
        event,
    )
}

/// clEnqueueCopyBuffer
pub fn enqueue_copy_buffer(
    command_queue: cl_command_queue,
    src_buffer: cl_mem,
    dst_buffer: cl_mem,
    src_offset: usize,
    dst_offset: usize,
    size: usize,
    num_events_in_wait_list: cl_uint,
    event_wait_list: In<cl_event>,
    event: Out<cl_event>,
) -> Result<()> {
    // CL_INVALID_COMMAND_QUEUE if command_queue is not a valid host command-queue.
    let queue = lookup::<Queue>(command_queue)?;
    // CL_INVALID_MEM_OBJECT if src_buffer and dst_buffer are not valid buffer objects. CL_INVALID_CONTEXT if a context is another.
    let source = buffer_of(src_buffer, &queue.context)?;
    let destination = buffer_of(dst_buffer, &queue.context)?;
    // CL_INVALID_VALUE if src_offset, dst_offset, size, src_offset + size or dst_offset + size require accessing elements outside the
    // src_buffer and dst_buffer buffer objects respectively.
    fail_if(
        !source.contains(src_offset, size) || !destination.contains(dst_offset, size),
        CL_INVALID_VALUE,
    )?;
    let wait_list = wait_list(num_events_in_wait_list, event_wait_list, &queue.context)?;
    source.check_alignment()?;
    destination.check_alignment()?;
    // CL_MEM_COPY_OVERLAP if src_buffer and dst_buffer are the same buffer or sub-buffer object (or sub-buffers of one buffer) and the
    // source and destination regions overlap.
    let (from, to) = (source.data.at(src_offset), destination.data.at(dst_offset));
    fail_if(overlap(from.0 as usize, to.0 as usize, size), CL_MEM_COPY_OVERLAP)?;
    let workers = queue.device.compute_units() as usize;
    let submission = Submission {
        queue: &queue,
        command: CL_COMMAND_COPY_BUFFER,
        wait_list,
        after_all: false,
        event,
        cost: cost_of(size, CL_FALSE),
    };
    submission.submit(move || {
        let _alive = (&source, &destination);
        // SAFETY: the regions lie in the buffers, which live, and do not overlap.
        unsafe { memory::copy(to.ptr(), from.ptr(), size, workers) };
        Ok(())
    })
}

/// clEnqueueCopyBufferRect
pub fn enqueue_copy_buffer_rect(
    command_queue: cl_command_queue,
    src_buffer: cl_mem,
    dst_buffer: cl_mem,
    src_origin: In<usize>,
    dst_origin: In<usize>,
    region: In<usize>,
    src_row_pitch: usize,
    src_slice_pitch: usize,
    dst_row_pitch: usize,
    dst_slice_pitch: usize,
    num_events_in_wait_list: cl_uint,
    event_wait_list: In<cl_event>,
    event: Out<cl_event>,
) -> Result<()> {
    // CL_INVALID_COMMAND_QUEUE if command_queue is not a valid host command-queue.
    let queue = lookup::<Queue>(command_queue)?;
    // CL_INVALID_MEM_OBJECT if src_buffer and dst_buffer are not valid buffer objects. CL_INVALID_CONTEXT if a context is another.
    let source = buffer_of(src_buffer, &queue.context)?;
    let destination = buffer_of(dst_buffer, &queue.context)?;
    // CL_INVALID_VALUE if src_origin, dst_origin, or region is NULL.
    let src_origin = src_origin.triple(3, 0).ok_or(CL_INVALID_VALUE)?;
    let dst_origin = dst_origin.triple(3, 0).ok_or(CL_INVALID_VALUE)?;
    let region = region.triple(3, 0).ok_or(CL_INVALID_VALUE)?;
    // CL_INVALID_VALUE if a region array element is 0, or a pitch does not fit the region.
    let from = Rect::new(src_origin, region, src_row_pitch, src_slice_pitch)?;
    let to = Rect::new(dst_origin, region, dst_row_pitch, dst_slice_pitch)?;
    // CL_INVALID_VALUE if src_buffer and dst_buffer are the same buffer object and the pitches differ.
    fail_if(Arc::ptr_eq(&source, &destination) && !from.has_pitches_of(&to), CL_INVALID_VALUE)?;
    // CL_INVALID_VALUE if (src_origin, region, pitches) or (dst_origin, region, pitches) require accessing elements outside the buffers.
    fail_if(from.end > source.size || to.end > destination.size, CL_INVALID_VALUE)?;
    let wait_list = wait_list(num_events_in_wait_list, event_wait_list, &queue.context)?;
    source.check_alignment()?;
    destination.check_alignment()?;
    // CL_MEM_COPY_OVERLAP if src_buffer and dst_buffer are the same buffer or sub-buffer object and the regions overlap.
    let overlaps = from.overlaps(source.data, &to, destination.data);
    fail_if(overlaps, CL_MEM_COPY_OVERLAP)?;
    let workers = queue.device.compute_units() as usize;
    let submission = Submission {
        queue: &queue,
        command: CL_COMMAND_COPY_BUFFER_RECT,
        wait_list,
        after_all: false,
        event,
        cost: cost_of(region.iter().product(), CL_FALSE),
    };
    submission.submit(move || {
        // SAFETY: the regions lie in the buffers, which live, and do not overlap.
        unsafe { memory::copy_rect(to.place(destination.data), readable(from.place(source.data)), region, workers) };
        Ok(())
    })
}

/// clEnqueueFillBuffer
pub fn enqueue_fill_buffer(
    command_queue: cl_command_queue,
    buffer: cl_mem,
    pattern: In<u8>,
    pattern_size: usize,
    offset: usize,
    size: usize,
    num_events_in_wait_list: cl_uint,
    event_wait_list: In<cl_event>,
    event: Out<cl_event>,
) -> Result<()> {
    // CL_INVALID_COMMAND_QUEUE if command_queue is not a valid host command-queue.
    let queue = lookup::<Queue>(command_queue)?;
    // CL_INVALID_MEM_OBJECT if buffer is not a valid buffer object. CL_INVALID_CONTEXT if its context is another.
    let buffer = buffer_of(buffer, &queue.context)?;
    // CL_INVALID_VALUE if offset or offset + size require accessing elements outside the buffer object.
    fail_if(!buffer.contains(offset, size), CL_INVALID_VALUE)?;
    // CL_INVALID_VALUE if pattern is NULL or if pattern_size is 0 or if pattern_size is not one of {1, 2, 4, 8, 16, 32, 64, 128}.
    fail_if(
        pattern.is_null() || !pattern_size.is_power_of_two() || pattern_size > 128,
        CL_INVALID_VALUE,
    )?;
    // CL_INVALID_VALUE if offset and size are not a multiple of pattern_size.
    fail_if(
        !offset.is_multiple_of(pattern_size) || !size.is_multiple_of(pattern_size),
        CL_INVALID_VALUE,
    )?;
    let wait_list = wait_list(num_events_in_wait_list, event_wait_list, &queue.context)?;
    buffer.check_alignment()?;
    let mut bytes = [0; 128];
    bytes[..pattern_size].copy_from_slice(pattern.bytes(pattern_size).unwrap_or_default());
    let workers = queue.device.compute_units() as usize;
    let submission = Submission {
        queue: &queue,
        command: CL_COMMAND_FILL_BUFFER,
        wait_list,
        after_all: false,
        event,
        cost: cost_of(size, CL_FALSE),
    };
    submission.submit(move || {
        // SAFETY: the region lies in the buffer, which lives.
        unsafe { memory::fill(buffer.data.at(offset).0, &bytes[..pattern_size], size, workers) };
        Ok(())
    })
}

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
    check_map_flags(map_flags)?;
    let wait_list = wait_list(num_events_in_wait_list, event_wait_list, &queue.context)?;
    buffer.check_alignment()?;
    // CL_INVALID_OPERATION if buffer has been created with CL_MEM_HOST_WRITE_ONLY or CL_MEM_HOST_NO_ACCESS and CL_MAP_READ is set in
    // map_flags or if buffer has been created with CL_MEM_HOST_READ_ONLY or CL_MEM_HOST_NO_ACCESS and CL_MAP_WRITE or
    // CL_MAP_WRITE_INVALIDATE_REGION is set in map_flags.
    let writes = map_flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION) != 0;
    let reads = map_flags & CL_MAP_READ != 0;
    fail_if(
        reads && buffer.flags & (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS) != 0,
        CL_INVALID_OPERATION,
    )?;
    fail_if(
        writes && buffer.flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS) != 0,
        CL_INVALID_OPERATION,
    )?;
    let mapping = Mapping {
        pointer: buffer.data.at(offset),
        writes,
        offset,
        size,
    };
    {
        let mut mappings = buffer.mappings.lock();
        // CL_INVALID_OPERATION if mapping would lead to overlapping regions being mapped for writing.
        let clashes = |other: &Mapping| (writes || other.writes) && other.offset < offset + size && offset < other.offset + other.size;
        fail_if(mappings.iter().any(clashes), CL_INVALID_OPERATION)?;
        mappings.push(mapping);
    }
    let submission = Submission {
        queue: &queue,
        command: CL_COMMAND_MAP_BUFFER,
        wait_list,
        after_all: false,
        event,
        cost: cost_of(0, blocking_map),
    };
    let alive = buffer.clone();
    if let Err(code) = submission.submit(move || {
        drop(alive);
        Ok(())
    }) {
        take_mapping(&buffer, mapping.pointer);
        return Err(code);
    }
    Ok(mapping.pointer.0.cast())
}

fn take_mapping(buffer: &Memory, pointer: HostPointer) -> Option<Mapping> {
    let mut mappings = buffer.mappings.lock();
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
    // CL_INVALID_MEM_OBJECT if memobj is not a valid memory object. CL_INVALID_CONTEXT if its context is another.
    let buffer = buffer_of(memobj, &queue.context)?;
    let pointer = HostPointer(mapped_ptr.cast());
    let wait_list = wait_list(num_events_in_wait_list, event_wait_list, &queue.context)?;
    // CL_INVALID_VALUE if mapped_ptr is not a valid pointer returned by clEnqueueMapBuffer or clEnqueueMapImage for memobj.
    fail_if(
        !buffer.mappings.lock().iter().any(|mapping| mapping.pointer == pointer),
        CL_INVALID_VALUE,
    )?;
    let submission = Submission {
        queue: &queue,
        command: CL_COMMAND_UNMAP_MEM_OBJECT,
        wait_list,
        after_all: false,
        event,
        cost: Cost::Small,
    };
    submission.submit(move || {
        take_mapping(&buffer, pointer);
        Ok(())
    })
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
    fail_if(
        flags & !(CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED) != 0,
        CL_INVALID_VALUE,
    )?;
    // CL_INVALID_MEM_OBJECT if any of the memory objects is not a valid memory object. CL_INVALID_CONTEXT if a context is another.
    for memory in list {
        buffer_of(memory, &queue.context)?;
    }
    let wait_list = wait_list(num_events_in_wait_list, event_wait_list, &queue.context)?;
    let submission = Submission {
        queue: &queue,
        command: CL_COMMAND_MIGRATE_MEM_OBJECTS,
        wait_list,
        after_all: false,
        event,
        cost: Cost::Small,
    };
    submission.submit(|| Ok(()))
}

const _: () = assert!(MEMORY_ALIGNMENT == memory::BASE_ALIGN);
