//! Recording commands: clCommand…KHR. What a command checks and does is said where its clEnqueue… function is.

use super::mutable::{self, MutableCommand};
use super::recording::{Place, Recording};
use crate::cl::*;
use crate::destination::Destination;
use crate::error::{Result, fail_if};
use crate::handle::lookup;
use crate::image;
use crate::kernel::Kernel;
use crate::launch;
use crate::queue::Cost;
use crate::raw::{In, Out};
use crate::svm;
use crate::transfer::{Read, Write, buffer};
use std::sync::Arc;

impl Place {
    /// The destination of a command that cannot be changed later.
    fn of_immutable(self, properties: In<cl_properties>, mutable_handle: Out<cl_mutable_command_khr>) -> Result<Destination> {
        let recording = Recording::new(self)?;
        // CL_INVALID_VALUE if values specified in properties are not valid: there are none.
        fail_if(properties.get().is_some_and(|name| name != 0), CL_INVALID_VALUE)?;
        // CL_INVALID_VALUE if mutable_handle is not NULL.
        fail_if(!mutable_handle.is_null(), CL_INVALID_VALUE)?;
        Ok(Destination::CommandBuffer(recording))
    }
}

/// Defines functions that record a command which cannot be changed later: what parameters they have besides their place, and what they do
/// with their destination.
macro_rules! recorders {
    ($($(#[$doc:meta])* $name:ident($($parameter:ident: $type:ty),*) $destination:ident => $command:expr;)*) => {$(
        $(#[$doc])*
        pub fn $name(
            command_buffer: cl_command_buffer_khr,
            command_queue: cl_command_queue,
            properties: In<cl_properties>,
            $($parameter: $type,)*
            num_sync_points_in_wait_list: cl_uint,
            sync_point_wait_list: In<cl_sync_point_khr>,
            sync_point: Out<cl_sync_point_khr>,
            mutable_handle: Out<cl_mutable_command_khr>,
        ) -> Result<()> {
            let place = Place {
                command_buffer,
                command_queue,
                num_sync_points_in_wait_list,
                sync_point_wait_list,
                sync_point,
            };
            let $destination = place.of_immutable(properties, mutable_handle)?;
            $command
        }
    )*};
}

recorders! {
    /// clCommandBarrierWithWaitListKHR: order is all there is.
    command_barrier_with_wait_list() to => to.take(CL_COMMAND_BARRIER, Cost::Small, Vec::new(), || Ok(()));

    /// clCommandCopyBufferKHR
    command_copy_buffer(src_buffer: cl_mem, dst_buffer: cl_mem, src_offset: usize, dst_offset: usize, size: usize)
        to => buffer::copy(to, src_buffer, dst_buffer, src_offset, dst_offset, size);

    /// clCommandCopyBufferRectKHR
    command_copy_buffer_rect(
        src_buffer: cl_mem, dst_buffer: cl_mem, src_origin: In<usize>, dst_origin: In<usize>, region: In<usize>,
        src_row_pitch: usize, src_slice_pitch: usize, dst_row_pitch: usize, dst_slice_pitch: usize
    ) to => buffer::copy_rect(
        to, src_buffer, dst_buffer, src_origin, dst_origin, region, src_row_pitch, src_slice_pitch, dst_row_pitch, dst_slice_pitch,
    );

    /// clCommandFillBufferKHR
    command_fill_buffer(buffer: cl_mem, pattern: In<u8>, pattern_size: usize, offset: usize, size: usize)
        to => buffer::fill(to, buffer, pattern, pattern_size, offset, size);

    /// clCommandSVMMemcpyKHR
    command_svm_memcpy(dst_ptr: *mut c_void, src_ptr: *const c_void, size: usize)
        to => svm::copy(to, CL_COMMAND_SVM_MEMCPY, CL_FALSE, dst_ptr, src_ptr, size);

    /// clCommandSVMMemFillKHR
    command_svm_mem_fill(svm_ptr: *mut c_void, pattern: In<u8>, pattern_size: usize, size: usize)
        to => svm::fill(to, CL_COMMAND_SVM_MEMFILL, svm_ptr, pattern, pattern_size, size);

    /// clCommandCopyImageKHR
    command_copy_image(src_image: cl_mem, dst_image: cl_mem, src_origin: In<usize>, dst_origin: In<usize>, region: In<usize>)
        to => image::copy(to, src_image, dst_image, src_origin, dst_origin, region);

    /// clCommandCopyImageToBufferKHR
    command_copy_image_to_buffer(src_image: cl_mem, dst_buffer: cl_mem, src_origin: In<usize>, region: In<usize>, dst_offset: usize)
        to => image::copy_image_and_buffer::<Read>(to, src_image, dst_buffer, src_origin, region, dst_offset);

    /// clCommandCopyBufferToImageKHR
    command_copy_buffer_to_image(src_buffer: cl_mem, dst_image: cl_mem, src_offset: usize, dst_origin: In<usize>, region: In<usize>)
        to => image::copy_image_and_buffer::<Write>(to, dst_image, src_buffer, dst_origin, region, src_offset);

    /// clCommandFillImageKHR
    command_fill_image(image: cl_mem, fill_color: In<u8>, origin: In<usize>, region: In<usize>)
        to => image::fill(to, image, fill_color, origin, region);
}

/// clCommandNDRangeKernelKHR
pub fn command_nd_range_kernel(
    command_buffer: cl_command_buffer_khr,
    command_queue: cl_command_queue,
    properties: In<cl_properties>,
    kernel: cl_kernel,
    work_dim: cl_uint,
    global_work_offset: In<usize>,
    global_work_size: In<usize>,
    local_work_size: In<usize>,
    num_sync_points_in_wait_list: cl_uint,
    sync_point_wait_list: In<cl_sync_point_khr>,
    sync_point: Out<cl_sync_point_khr>,
    mutable_handle: Out<cl_mutable_command_khr>,
) -> Result<()> {
    let recording = Recording::new(Place {
        command_buffer,
        command_queue,
        num_sync_points_in_wait_list,
        sync_point_wait_list,
        sync_point,
    })?;
    let buffer = recording.buffer().clone();
    // CL_INVALID_VALUE if values specified in properties are not valid. (CL_INVALID_OPERATION is for fields that are valid and not reported by
    // CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR, of which there are none.)
    let properties = properties.bit_fields(&mutable::PROPERTIES, CL_INVALID_VALUE)?;
    // CL_INVALID_KERNEL if kernel is not a valid kernel object.
    let kernel = lookup::<Kernel>(kernel)?;
    // CL_INVALID_CONTEXT if the context associated with command_buffer and kernel is not the same; CL_INVALID_PROGRAM_EXECUTABLE.
    launch::check_kernel(&buffer.queue, &kernel)?;
    // CL_INVALID_OPERATION if the kernel enqueues others, and CL_COMMAND_BUFFER_CAPABILITY_DEVICE_SIDE_ENQUEUE_KHR is not reported: it is not.
    fail_if(kernel.info().enqueues, CL_INVALID_OPERATION)?;
    let range = launch::check_range(
        &kernel,
        buffer.device(),
        work_dim,
        global_work_offset,
        global_work_size,
        local_work_size,
    )?;
    let command = MutableCommand::new(&buffer, &kernel, properties, range, !local_work_size.is_null())?;
    let step = command.step()?;
    if mutable_handle.is_null() {
        recording.push(step, None)
    } else {
        let command = Arc::new(command);
        let handle = command.publish()?;
        recording.push(step, Some(command))?;
        mutable_handle.write(handle);
        Ok(())
    }
}
