//! Commands on buffers: §5.2.2 and §5.2.3 (read, write, copy, fill).

use super::{Direction, Pattern, Place};
use crate::cl::*;
use crate::destination::Destination;
use crate::error::{Result, fail_if};
use crate::memory::buffer_of;
use crate::raw::{HostPointer, In, Out};
use crate::rect::Rect;
use std::sync::Arc;

/// clEnqueueReadBuffer, clEnqueueWriteBuffer
pub fn enqueue_read_or_write<D: Direction>(
    command_queue: cl_command_queue,
    buffer: cl_mem,
    blocking: cl_bool,
    offset: usize,
    size: usize,
    ptr: HostPointer,
    num_events_in_wait_list: cl_uint,
    event_wait_list: In<cl_event>,
    event: Out<cl_event>,
) -> Result<()> {
    let destination = Destination::queue(command_queue, num_events_in_wait_list, event_wait_list, event)?;
    // CL_INVALID_MEM_OBJECT if buffer is not a valid buffer object. CL_INVALID_CONTEXT if its context is another.
    let buffer = buffer_of(buffer, destination.context())?;
    // CL_INVALID_VALUE if the region being read or written specified by (offset, size) is out of bounds or if ptr is a NULL value.
    fail_if(!buffer.contains(offset, size) || ptr.0.is_null(), CL_INVALID_VALUE)?;
    buffer.check_alignment()?;
    // CL_INVALID_OPERATION if the buffer's host access flags forbid it.
    buffer.check_host_access(D::forbidding())?;
    let command = D::choose(CL_COMMAND_READ_BUFFER, CL_COMMAND_WRITE_BUFFER);
    let (from, to) = D::order(
        Place::in_object(&buffer, Rect::linear(offset, size)?),
        Place::in_host(ptr, Rect::linear(0, size)?),
    );
    super::copy(destination, command, from, to, blocking)
}

/// clEnqueueReadBufferRect, clEnqueueWriteBufferRect
pub fn enqueue_read_or_write_rect<D: Direction>(
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
    ptr: HostPointer,
    num_events_in_wait_list: cl_uint,
    event_wait_list: In<cl_event>,
    event: Out<cl_event>,
) -> Result<()> {
    let destination = Destination::queue(command_queue, num_events_in_wait_list, event_wait_list, event)?;
    // CL_INVALID_MEM_OBJECT if buffer is not a valid buffer object. CL_INVALID_CONTEXT if its context is another.
    let buffer = buffer_of(buffer, destination.context())?;
    // CL_INVALID_VALUE if buffer_origin, host_origin, or region is NULL.
    let buffer_origin = buffer_origin.triple(3, 0).ok_or(CL_INVALID_VALUE)?;
    let host_origin = host_origin.triple(3, 0).ok_or(CL_INVALID_VALUE)?;
    let region = region.triple(3, 0).ok_or(CL_INVALID_VALUE)?;
    // CL_INVALID_VALUE if ptr is NULL.
    fail_if(ptr.0.is_null(), CL_INVALID_VALUE)?;
    // CL_INVALID_VALUE if a region array element is 0, or a pitch does not fit the region.
    let in_buffer = Rect::new(buffer_origin, region, buffer_row_pitch, buffer_slice_pitch)?;
    let in_host = Rect::new(host_origin, region, host_row_pitch, host_slice_pitch)?;
    // CL_INVALID_VALUE if the region being read or written is out of bounds.
    fail_if(in_buffer.end > buffer.size, CL_INVALID_VALUE)?;
    buffer.check_alignment()?;
    // CL_INVALID_OPERATION if the buffer's host access flags forbid it.
    buffer.check_host_access(D::forbidding())?;
    let command = D::choose(CL_COMMAND_READ_BUFFER_RECT, CL_COMMAND_WRITE_BUFFER_RECT);
    let (from, to) = D::order(Place::in_object(&buffer, in_buffer), Place::in_host(ptr, in_host));
    super::copy(destination, command, from, to, blocking)
}

/// clEnqueueCopyBuffer
pub fn enqueue_copy(
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
    let destination = Destination::queue(command_queue, num_events_in_wait_list, event_wait_list, event)?;
    copy(destination, src_buffer, dst_buffer, src_offset, dst_offset, size)
}

/// What clEnqueueCopyBuffer and clCommandCopyBufferKHR do.
pub fn copy(
    destination: Destination,
    src_buffer: cl_mem,
    dst_buffer: cl_mem,
    src_offset: usize,
    dst_offset: usize,
    size: usize,
) -> Result<()> {
    // CL_INVALID_MEM_OBJECT if src_buffer and dst_buffer are not valid buffer objects. CL_INVALID_CONTEXT if a context is another.
    let source = buffer_of(src_buffer, destination.context())?;
    let target = buffer_of(dst_buffer, destination.context())?;
    // CL_INVALID_VALUE if src_offset, dst_offset, size, src_offset + size or dst_offset + size require accessing elements outside the
    // src_buffer and dst_buffer buffer objects respectively.
    fail_if(
        !source.contains(src_offset, size) || !target.contains(dst_offset, size),
        CL_INVALID_VALUE,
    )?;
    source.check_alignment()?;
    target.check_alignment()?;
    let from = Place::in_object(&source, Rect::linear(src_offset, size)?);
    let to = Place::in_object(&target, Rect::linear(dst_offset, size)?);
    // CL_MEM_COPY_OVERLAP if src_buffer and dst_buffer are the same buffer or sub-buffer object (or sub-buffers of one buffer) and the
    // source and destination regions overlap.
    fail_if(from.overlaps(&to), CL_MEM_COPY_OVERLAP)?;
    super::copy(destination, CL_COMMAND_COPY_BUFFER, from, to, CL_FALSE)
}

/// clEnqueueCopyBufferRect
pub fn enqueue_copy_rect(
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
    let destination = Destination::queue(command_queue, num_events_in_wait_list, event_wait_list, event)?;
    copy_rect(
        destination,
        src_buffer,
        dst_buffer,
        src_origin,
        dst_origin,
        region,
        src_row_pitch,
        src_slice_pitch,
        dst_row_pitch,
        dst_slice_pitch,
    )
}

/// What clEnqueueCopyBufferRect and clCommandCopyBufferRectKHR do.
pub fn copy_rect(
    destination: Destination,
    src_buffer: cl_mem,
    dst_buffer: cl_mem,
    src_origin: In<usize>,
    dst_origin: In<usize>,
    region: In<usize>,
    src_row_pitch: usize,
    src_slice_pitch: usize,
    dst_row_pitch: usize,
    dst_slice_pitch: usize,
) -> Result<()> {
    // CL_INVALID_MEM_OBJECT if src_buffer and dst_buffer are not valid buffer objects. CL_INVALID_CONTEXT if a context is another.
    let source = buffer_of(src_buffer, destination.context())?;
    let target = buffer_of(dst_buffer, destination.context())?;
    // CL_INVALID_VALUE if src_origin, dst_origin, or region is NULL.
    let src_origin = src_origin.triple(3, 0).ok_or(CL_INVALID_VALUE)?;
    let dst_origin = dst_origin.triple(3, 0).ok_or(CL_INVALID_VALUE)?;
    let region = region.triple(3, 0).ok_or(CL_INVALID_VALUE)?;
    // CL_INVALID_VALUE if a region array element is 0, or a pitch does not fit the region.
    let from = Rect::new(src_origin, region, src_row_pitch, src_slice_pitch)?;
    let to = Rect::new(dst_origin, region, dst_row_pitch, dst_slice_pitch)?;
    // CL_INVALID_VALUE if src_buffer and dst_buffer are the same buffer object and the pitches differ.
    fail_if(Arc::ptr_eq(&source, &target) && !from.has_pitches_of(&to), CL_INVALID_VALUE)?;
    // CL_INVALID_VALUE if (src_origin, region, pitches) or (dst_origin, region, pitches) require accessing elements outside the buffers.
    fail_if(from.end > source.size || to.end > target.size, CL_INVALID_VALUE)?;
    source.check_alignment()?;
    target.check_alignment()?;
    let (from, to) = (Place::in_object(&source, from), Place::in_object(&target, to));
    // CL_MEM_COPY_OVERLAP if src_buffer and dst_buffer are the same buffer or sub-buffer object and the regions overlap.
    fail_if(from.overlaps(&to), CL_MEM_COPY_OVERLAP)?;
    super::copy(destination, CL_COMMAND_COPY_BUFFER_RECT, from, to, CL_FALSE)
}

/// clEnqueueFillBuffer
pub fn enqueue_fill(
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
    let destination = Destination::queue(command_queue, num_events_in_wait_list, event_wait_list, event)?;
    fill(destination, buffer, pattern, pattern_size, offset, size)
}

/// What clEnqueueFillBuffer and clCommandFillBufferKHR do.
pub fn fill(destination: Destination, buffer: cl_mem, pattern: In<u8>, pattern_size: usize, offset: usize, size: usize) -> Result<()> {
    // CL_INVALID_MEM_OBJECT if buffer is not a valid buffer object. CL_INVALID_CONTEXT if its context is another.
    let buffer = buffer_of(buffer, destination.context())?;
    // CL_INVALID_VALUE if offset or offset + size require accessing elements outside the buffer object.
    fail_if(!buffer.contains(offset, size), CL_INVALID_VALUE)?;
    let pattern = Pattern::new(pattern, pattern_size)?;
    // CL_INVALID_VALUE if offset and size are not a multiple of pattern_size.
    fail_if(
        !offset.is_multiple_of(pattern_size) || !size.is_multiple_of(pattern_size),
        CL_INVALID_VALUE,
    )?;
    buffer.check_alignment()?;
    let place = Place::in_object(&buffer, Rect::linear(offset, size)?);
    super::fill(destination, CL_COMMAND_FILL_BUFFER, place, pattern)
}
