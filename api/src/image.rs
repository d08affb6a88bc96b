//! Images: §5.3. The device has none (CL_DEVICE_IMAGE_SUPPORT is CL_FALSE); each function says so as its page demands.

use crate::cl::*;
use crate::context::Context;
use crate::error::{Result, fail_if};
use crate::handle::lookup;
use crate::memory::Memory;
use crate::queue::Queue;
use crate::raw::Out;

/// An image's pixels: none can be made.
#[derive(Debug)]
pub enum Image {}

impl Image {
    /// CL_MEM_TYPE
    pub fn kind(&self) -> cl_mem_object_type {
        match *self {}
    }
}

/// clCreateImage, clCreateImageWithProperties, clCreateImage2D, clCreateImage3D
pub fn create(context: cl_context) -> Result<cl_mem> {
    // CL_INVALID_CONTEXT if context is not a valid context.
    lookup::<Context>(context)?;
    // CL_INVALID_OPERATION if there are no devices in context that support images.
    Err(CL_INVALID_OPERATION)
}

/// clGetSupportedImageFormats
pub fn get_supported_image_formats(
    context: cl_context,
    flags: cl_mem_flags,
    image_type: cl_mem_object_type,
    num_entries: cl_uint,
    image_formats: Out<cl_image_format>,
    num_image_formats: Out<cl_uint>,
) -> Result<()> {
    // CL_INVALID_CONTEXT if context is not a valid context.
    lookup::<Context>(context)?;
    // CL_INVALID_VALUE if flags or image_type are not valid, or if num_entries is 0 and image_formats is not NULL.
    const FLAGS: cl_mem_flags = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY | CL_MEM_KERNEL_READ_AND_WRITE;
    const OTHER_FLAGS: cl_mem_flags = CL_MEM_USE_HOST_PTR
        | CL_MEM_ALLOC_HOST_PTR
        | CL_MEM_COPY_HOST_PTR
        | CL_MEM_HOST_WRITE_ONLY
        | CL_MEM_HOST_READ_ONLY
        | CL_MEM_HOST_NO_ACCESS;
    fail_if(flags & !(FLAGS | OTHER_FLAGS) != 0, CL_INVALID_VALUE)?;
    fail_if(
        !(CL_MEM_OBJECT_IMAGE2D..=CL_MEM_OBJECT_IMAGE1D_BUFFER).contains(&image_type),
        CL_INVALID_VALUE,
    )?;
    fail_if(num_entries == 0 && !image_formats.is_null(), CL_INVALID_VALUE)?;
    num_image_formats.write(0);
    Ok(())
}

/// clGetImageInfo
pub fn get_image_info(image: cl_mem) -> Result<()> {
    // CL_INVALID_MEM_OBJECT if image is a not a valid image object.
    lookup::<Memory>(image)?.image()?;
    Ok(())
}

/// The commands on images.
pub fn enqueue(command_queue: cl_command_queue) -> Result<()> {
    // CL_INVALID_COMMAND_QUEUE if command_queue is not a valid host command-queue.
    lookup::<Queue>(command_queue)?;
    // CL_INVALID_OPERATION if the device associated with command_queue does not support images.
    Err(CL_INVALID_OPERATION)
}

/// clEnqueueMapImage
pub fn map(command_queue: cl_command_queue) -> Result<*mut core::ffi::c_void> {
    enqueue(command_queue).map(|()| core::ptr::null_mut())
}
