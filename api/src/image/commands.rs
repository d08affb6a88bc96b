//! Commands on images: §5.3.4 to §5.3.7 (read, write, copy, fill, map). Images and devices are all alike, so that what a page says of sizes
//! and formats that one device lacks (CL_INVALID_IMAGE_SIZE, CL_IMAGE_FORMAT_NOT_SUPPORTED) was said when the image was made.

use super::{Image, check_support, has_slices};
use crate::cl::*;
use crate::destination::Destination;
use crate::error::{Result, fail_if};
use crate::event;
use crate::handle::lookup;
use crate::memory::{buffer_of, memory_of};
use crate::queue::Queue;
use crate::raw::{HostPointer, In, Out};
use crate::rect::Rect;
use crate::transfer::map;
use crate::transfer::{self, Direction, Pattern, Place, Read, Write};
use core::ffi::c_void;
use std::sync::Arc;

/// clEnqueueReadImage, clEnqueueWriteImage
pub fn enqueue_read_or_write<D: Direction>(
    command_queue: cl_command_queue,
    image: cl_mem,
    blocking: cl_bool,
    origin: In<usize>,
    region: In<usize>,
    row_pitch: usize,
    slice_pitch: usize,
    ptr: HostPointer,
    num_events_in_wait_list: cl_uint,
    event_wait_list: In<cl_event>,
    event: Out<cl_event>,
) -> Result<()> {
    let destination = Destination::queue(command_queue, num_events_in_wait_list, event_wait_list, event)?;
    check_support()?;
    // CL_INVALID_MEM_OBJECT if image is not a valid image object. CL_INVALID_CONTEXT if its context is another.
    let object = memory_of(image, destination.context())?;
    let image = object.image()?;
    // CL_INVALID_VALUE if origin, region or a pitch does not follow the rules.
    let in_image = image.rect(origin, region)?;
    let in_host = image.host_rect(region, row_pitch, slice_pitch)?;
    // CL_INVALID_VALUE if ptr is NULL.
    fail_if(ptr.0.is_null(), CL_INVALID_VALUE)?;
    // CL_INVALID_OPERATION if the image's host access flags forbid it.
    object.check_host_access(D::forbidding())?;
    let command = D::choose(CL_COMMAND_READ_IMAGE, CL_COMMAND_WRITE_IMAGE);
    let (from, to) = D::order(Place::in_object(&object, in_image), Place::in_host(ptr, in_host));
    transfer::copy(destination, command, from, to, blocking)
}

/// clEnqueueCopyImage
pub fn enqueue_copy(
    command_queue: cl_command_queue,
    src_image: cl_mem,
    dst_image: cl_mem,
    src_origin: In<usize>,
    dst_origin: In<usize>,
    region: In<usize>,
    num_events_in_wait_list: cl_uint,
    event_wait_list: In<cl_event>,
    event: Out<cl_event>,
) -> Result<()> {
    let destination = Destination::queue(command_queue, num_events_in_wait_list, event_wait_list, event)?;
    copy(destination, src_image, dst_image, src_origin, dst_origin, region)
}

/// What clEnqueueCopyImage and clCommandCopyImageKHR do.
pub fn copy(
    destination: Destination,
    src_image: cl_mem,
    dst_image: cl_mem,
    src_origin: In<usize>,
    dst_origin: In<usize>,
    region: In<usize>,
) -> Result<()> {
    check_support()?;
    // CL_INVALID_MEM_OBJECT if src_image and dst_image are not valid image objects. CL_INVALID_CONTEXT if a context is another.
    let source = memory_of(src_image, destination.context())?;
    let target = memory_of(dst_image, destination.context())?;
    let (src_image, dst_image) = (source.image()?, target.image()?);
    // CL_IMAGE_FORMAT_MISMATCH if src_image and dst_image do not use the same image format.
    fail_if(src_image.format != dst_image.format, CL_IMAGE_FORMAT_MISMATCH)?;
    // CL_INVALID_VALUE if an origin or region does not follow the rules.
    let from = Place::in_object(&source, src_image.rect(src_origin, region)?);
    let to = Place::in_object(&target, dst_image.rect(dst_origin, region)?);
    // CL_MEM_COPY_OVERLAP if src_image and dst_image are the same image object (or share their memory) and the source and destination
    // regions overlap.
    fail_if(from.overlaps(&to), CL_MEM_COPY_OVERLAP)?;
    transfer::copy(destination, CL_COMMAND_COPY_IMAGE, from, to, CL_FALSE)
}

/// clEnqueueCopyImageToBuffer
pub fn enqueue_copy_image_to_buffer(
    command_queue: cl_command_queue,
    src_image: cl_mem,
    dst_buffer: cl_mem,
    src_origin: In<usize>,
    region: In<usize>,
    dst_offset: usize,
    num_events_in_wait_list: cl_uint,
    event_wait_list: In<cl_event>,
    event: Out<cl_event>,
) -> Result<()> {
    let destination = Destination::queue(command_queue, num_events_in_wait_list, event_wait_list, event)?;
    copy_image_and_buffer::<Read>(destination, src_image, dst_buffer, src_origin, region, dst_offset)
}

/// clEnqueueCopyBufferToImage
pub fn enqueue_copy_buffer_to_image(
    command_queue: cl_command_queue,
    src_buffer: cl_mem,
    dst_image: cl_mem,
    src_offset: usize,
    dst_origin: In<usize>,
    region: In<usize>,
    num_events_in_wait_list: cl_uint,
    event_wait_list: In<cl_event>,
    event: Out<cl_event>,
) -> Result<()> {
    let destination = Destination::queue(command_queue, num_events_in_wait_list, event_wait_list, event)?;
    copy_image_and_buffer::<Write>(destination, dst_image, src_buffer, dst_origin, region, src_offset)
}

/// What clEnqueueCopyImageToBuffer and clCommandCopyImageToBufferKHR do: a read of the image into the buffer; and what
/// clEnqueueCopyBufferToImage and clCommandCopyBufferToImageKHR do: a write of it.
pub fn copy_image_and_buffer<D: Direction>(
    destination: Destination,
    image: cl_mem,
    buffer: cl_mem,
    origin: In<usize>,
    region: In<usize>,
    offset: usize,
) -> Result<()> {
    check_support()?;
    // CL_INVALID_MEM_OBJECT if they are not a valid image object and a valid buffer object. CL_INVALID_CONTEXT if a context is another.
    let object = memory_of(image, destination.context())?;
    let image = object.image()?;
    let buffer = buffer_of(buffer, destination.context())?;
    // CL_INVALID_MEM_OBJECT if the image is a 1D image buffer object created from the buffer.
    let made_of = object.parent.as_ref().is_some_and(|(parent, _)| Arc::ptr_eq(parent, &buffer));
    fail_if(image.kind() == CL_MEM_OBJECT_IMAGE1D_BUFFER && made_of, CL_INVALID_MEM_OBJECT)?;
    // CL_INVALID_VALUE if origin or region does not follow the rules.
    let in_image = image.rect(origin, region)?;
    // CL_INVALID_VALUE if the region specified by offset and the computed size ("width × height × depth × bytes/image element") is out of
    // bounds of the buffer.
    let [width, height, depth] = in_image.region();
    let in_buffer = Rect::with_pitches([offset, 0, 0], [width, height, depth], width, width * height)?;
    fail_if(in_buffer.end > buffer.size, CL_INVALID_VALUE)?;
    buffer.check_alignment()?;
    let command = D::choose(CL_COMMAND_COPY_IMAGE_TO_BUFFER, CL_COMMAND_COPY_BUFFER_TO_IMAGE);
    let (from, to) = D::order(Place::in_object(&object, in_image), Place::in_object(&buffer, in_buffer));
    transfer::copy(destination, command, from, to, CL_FALSE)
}

/// clEnqueueFillImage
pub fn enqueue_fill(
    command_queue: cl_command_queue,
    image: cl_mem,
    fill_color: In<u8>,
    origin: In<usize>,
    region: In<usize>,
    num_events_in_wait_list: cl_uint,
    event_wait_list: In<cl_event>,
    event: Out<cl_event>,
) -> Result<()> {
    let destination = Destination::queue(command_queue, num_events_in_wait_list, event_wait_list, event)?;
    fill(destination, image, fill_color, origin, region)
}

/// What clEnqueueFillImage and clCommandFillImageKHR do.
pub fn fill(destination: Destination, image: cl_mem, fill_color: In<u8>, origin: In<usize>, region: In<usize>) -> Result<()> {
    check_support()?;
    // CL_INVALID_MEM_OBJECT if image is not a valid image object. CL_INVALID_CONTEXT if its context is another.
    let object = memory_of(image, destination.context())?;
    let image = object.image()?;
    // CL_INVALID_VALUE if fill_color is NULL.
    let pixel = image.pixel_of(fill_color).ok_or(CL_INVALID_VALUE)?;
    // CL_INVALID_VALUE if origin or region does not follow the rules.
    let place = Place::in_object(&object, image.rect(origin, region)?);
    transfer::fill(destination, CL_COMMAND_FILL_IMAGE, place, pixel)
}

impl Image {
    /// A colour as clEnqueueFillImage takes it, in the image's format.
    fn pixel_of(&self, fill_color: In<u8>) -> Option<Pattern> {
        // "The fill color is a single floating-point value if the channel order is CL_DEPTH. Otherwise" it has four components: floats,
        // signed or unsigned integers.
        let components = if self.is_depth() { 1 } else { 4 };
        let bytes = fill_color.bytes(components * size_of::<u32>())?;
        let mut color = [0; 4];
        for (component, bytes) in color.iter_mut().zip(bytes.chunks_exact(size_of::<u32>())) {
            *component = u32::from_ne_bytes(bytes.try_into().ok()?);
        }
        let mut pixel = [0; 16];
        self.format.write(color, &mut pixel);
        Some(Pattern::of(&pixel[..self.pixel_bytes()]))
    }
}

/// clEnqueueMapImage
pub fn enqueue_map(
    command_queue: cl_command_queue,
    image: cl_mem,
    blocking_map: cl_bool,
    map_flags: cl_map_flags,
    origin: In<usize>,
    region: In<usize>,
    image_row_pitch: Out<usize>,
    image_slice_pitch: Out<usize>,
    num_events_in_wait_list: cl_uint,
    event_wait_list: In<cl_event>,
    event: Out<cl_event>,
) -> Result<*mut c_void> {
    // CL_INVALID_COMMAND_QUEUE if command_queue is not a valid host command-queue.
    let queue = lookup::<Queue>(command_queue)?;
    check_support()?;
    // CL_INVALID_MEM_OBJECT if image is not a valid image object. CL_INVALID_CONTEXT if its context is another.
    let object = memory_of(image, &queue.context)?;
    let image = object.image()?;
    // CL_INVALID_VALUE if origin or region does not follow the rules, or if values specified in map_flags are not valid.
    let rect = image.rect(origin, region)?;
    let (level, _) = image.level(origin)?;
    map::check_map(&object, map_flags)?;
    // CL_INVALID_VALUE if image_row_pitch is NULL.
    fail_if(image_row_pitch.is_null(), CL_INVALID_VALUE)?;
    // CL_INVALID_VALUE if image is a 3D image, 1D or 2D image array object and image_slice_pitch is NULL.
    fail_if(has_slices(image.kind()) && image_slice_pitch.is_null(), CL_INVALID_VALUE)?;
    let wait_list = event::wait_list(num_events_in_wait_list, event_wait_list, &queue.context)?;
    let pointer = map::enqueue_map(
        &queue,
        CL_COMMAND_MAP_IMAGE,
        &object,
        rect,
        blocking_map,
        map_flags,
        wait_list,
        event,
    )?;
    image_row_pitch.write(level.row_pitch as usize);
    // "For a 1D and 2D image, zero is returned if this argument is not NULL."
    image_slice_pitch.write(level.slice_pitch as usize);
    Ok(pointer)
}
