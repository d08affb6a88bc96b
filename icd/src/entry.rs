//! The entry points as C sees them: for each function its C signature, and the function of `api` that it means.
//!
//! What a line says: how the function answers (`status`: with an error code; `object`: with a pointer, and an error code through
//! `errcode_ret`, a last parameter that is not written down; `value`: with what `api` answers), its parameters, and what it calls: with all
//! its parameters, unless some are named in braces. Around each call there is the panic fence. Entry points of the core are exported;
//! those of extensions are found by name alone.

#![allow(non_snake_case, reason = "the names are the headers'")]

use crate::address;
use crate::fence::{Nothing, fence, object, status};
use api::cl::*;
use api::command_buffer::{self, mutable, record};
use api::raw::FromC;
use api::transfer::{Read, Write, buffer, map};
use api::{
    context, device, device_info, event, image, kernel, kernel_info, launch, matrices, memory, pipe, platform, program, queue, sampler,
    semaphore, sharing, svm, unified, unified_svm,
};

/// Calls a function of `api` with C values: all of them, or those that are named last.
macro_rules! call {
    ($target:path, $($all:ident)*,) => {
        // SAFETY: the caller of an entry point vouches for its pointers, as its specification demands.
        $target($(unsafe { FromC::from_c($all) }),*)
    };
    ($target:path, $($all:ident)*, $($used:ident)+) => {{
        $(let _ = $all;)*
        call!($target, $($used)*,)
    }};
}

/// The body of an entry point, by how it answers.
macro_rules! body {
    (status $name:ident, $($call:tt)*) => {
        status(fence(stringify!($name), || call!($($call)*)))
    };
    (value $name:ident, $($call:tt)*) => {
        fence(stringify!($name), || Ok(call!($($call)*))).unwrap_or(Nothing::NOTHING)
    };
}

/// Defines one entry point.
macro_rules! entry {
    ([$($export:meta)?] object $name:ident($($parameter:ident: $type:ty),*) -> $result:ty => $target:path; $($used:ident)*) => {
        /// # Safety
        /// As the function's specification says.
        $(#[$export])?
        pub unsafe extern "C" fn $name($($parameter: $type,)* errcode_ret: *mut cl_int) -> $result {
            object(fence(stringify!($name), || call!($target, $($parameter)*, $($used)*)), errcode_ret)
        }
    };
    ([$($export:meta)?] $answer:ident $name:ident($($parameter:ident: $type:ty),*) -> $result:ty => $target:path; $($used:ident)*) => {
        /// # Safety
        /// As the function's specification says.
        $(#[$export])?
        pub unsafe extern "C" fn $name($($parameter: $type),*) -> $result {
            body!($answer $name, $target, $($parameter)*, $($used)*)
        }
    };
}

/// Defines entry points, and a function that knows them by name.
macro_rules! entries {
    ($find:ident $export:tt $($answer:ident $name:ident($($parameter:ident: $type:ty),* $(,)?) $(-> $result:ty)? => $target:path $({ $($used:ident)* })?;)*) => {
        $(entry! { $export $answer $name($($parameter: $type),*) -> or_status!($($result)?) => $target; $($($used)*)? })*

        /// The address of one of these entry points.
        pub fn $find(name: &str) -> Option<*const c_void> {
            Some(match name {
                $(stringify!($name) => $name as *const c_void,)*
                _ => return None,
            })
        }
    };
}

/// The type of an answer; an error code where none is written.
macro_rules! or_status {
    () => {
        cl_int
    };
    ($result:ty) => {
        $result
    };
}

entries! { find_core [unsafe(no_mangle)]
    status clGetPlatformIDs(num_entries: cl_uint, platforms: *mut cl_platform_id, num_platforms: *mut cl_uint) => platform::get_platform_ids;
    status clGetPlatformInfo(platform: cl_platform_id, param_name: cl_platform_info, param_value_size: usize, param_value: *mut c_void, param_value_size_ret: *mut usize) => platform::get_platform_info;
    status clGetDeviceIDs(platform: cl_platform_id, device_type: cl_device_type, num_entries: cl_uint, devices: *mut cl_device_id, num_devices: *mut cl_uint) => platform::get_device_ids;
    status clGetDeviceInfo(device: cl_device_id, param_name: cl_device_info, param_value_size: usize, param_value: *mut c_void, param_value_size_ret: *mut usize) => device_info::get_device_info;
    status clCreateSubDevices(in_device: cl_device_id, properties: *const cl_device_partition_property, num_devices: cl_uint, out_devices: *mut cl_device_id, num_devices_ret: *mut cl_uint) => device::create_sub_devices;
    status clRetainDevice(device: cl_device_id) => device::retain_device;
    status clReleaseDevice(device: cl_device_id) => device::release_device;
    status clSetDefaultDeviceCommandQueue(context: cl_context, device: cl_device_id, command_queue: cl_command_queue) => queue::set_default_device_command_queue;
    status clGetDeviceAndHostTimer(device: cl_device_id, device_timestamp: *mut cl_ulong, host_timestamp: *mut cl_ulong) => device::get_device_and_host_timer;
    status clGetHostTimer(device: cl_device_id, host_timestamp: *mut cl_ulong) => device::get_host_timer;
    object clCreateContext(properties: *const cl_context_properties, num_devices: cl_uint, devices: *const cl_device_id, pfn_notify: ContextNotify, user_data: *mut c_void) -> cl_context => context::create_context;
    object clCreateContextFromType(properties: *const cl_context_properties, device_type: cl_device_type, pfn_notify: ContextNotify, user_data: *mut c_void) -> cl_context => context::create_context_from_type;
    status clRetainContext(context: cl_context) => context::retain_context;
    status clReleaseContext(context: cl_context) => context::release_context;
    status clGetContextInfo(context: cl_context, param_name: cl_context_info, param_value_size: usize, param_value: *mut c_void, param_value_size_ret: *mut usize) => context::get_context_info;
    status clSetContextDestructorCallback(context: cl_context, pfn_notify: ObjectNotify, user_data: *mut c_void) => context::set_context_destructor_callback;
    object clCreateCommandQueueWithProperties(context: cl_context, device: cl_device_id, properties: *const cl_queue_properties) -> cl_command_queue => queue::create_command_queue_with_properties;
    status clRetainCommandQueue(command_queue: cl_command_queue) => queue::retain_command_queue;
    status clReleaseCommandQueue(command_queue: cl_command_queue) => queue::release_command_queue;
    status clGetCommandQueueInfo(command_queue: cl_command_queue, param_name: cl_command_queue_info, param_value_size: usize, param_value: *mut c_void, param_value_size_ret: *mut usize) => queue::get_command_queue_info;
    object clCreateBuffer(context: cl_context, flags: cl_mem_flags, size: usize, host_ptr: *mut c_void) -> cl_mem => memory::create_buffer;
    object clCreateSubBuffer(buffer: cl_mem, flags: cl_mem_flags, buffer_create_type: cl_buffer_create_type, buffer_create_info: *const c_void) -> cl_mem => memory::create_sub_buffer;
    object clCreateImage(context: cl_context, flags: cl_mem_flags, image_format: *const cl_image_format, image_desc: *const cl_image_desc, host_ptr: *mut c_void) -> cl_mem => image::create_image;
    object clCreatePipe(context: cl_context, flags: cl_mem_flags, pipe_packet_size: cl_uint, pipe_max_packets: cl_uint, properties: *const cl_pipe_properties) -> cl_mem => pipe::create_pipe;
    object clCreateBufferWithProperties(context: cl_context, properties: *const cl_properties, flags: cl_mem_flags, size: usize, host_ptr: *mut c_void) -> cl_mem => memory::create_buffer_with_properties;
    object clCreateImageWithProperties(context: cl_context, properties: *const cl_properties, flags: cl_mem_flags, image_format: *const cl_image_format, image_desc: *const cl_image_desc, host_ptr: *mut c_void) -> cl_mem => image::create_image_with_properties;
    status clRetainMemObject(memobj: cl_mem) => memory::retain_mem_object;
    status clReleaseMemObject(memobj: cl_mem) => memory::release_mem_object;
    status clGetSupportedImageFormats(context: cl_context, flags: cl_mem_flags, image_type: cl_mem_object_type, num_entries: cl_uint, image_formats: *mut cl_image_format, num_image_formats: *mut cl_uint) => image::get_supported_image_formats;
    status clGetMemObjectInfo(memobj: cl_mem, param_name: cl_mem_info, param_value_size: usize, param_value: *mut c_void, param_value_size_ret: *mut usize) => memory::get_mem_object_info;
    status clGetImageInfo(image: cl_mem, param_name: cl_image_info, param_value_size: usize, param_value: *mut c_void, param_value_size_ret: *mut usize) => image::get_image_info;
    status clGetPipeInfo(pipe: cl_mem, param_name: cl_pipe_info, param_value_size: usize, param_value: *mut c_void, param_value_size_ret: *mut usize) => pipe::get_pipe_info;
    status clSetMemObjectDestructorCallback(memobj: cl_mem, pfn_notify: ObjectNotify, user_data: *mut c_void) => memory::set_mem_object_destructor_callback;
    value clSVMAlloc(context: cl_context, flags: cl_svm_mem_flags, size: usize, alignment: cl_uint) -> *mut c_void => svm::svm_alloc_or_null;
    value clSVMFree(context: cl_context, svm_pointer: *mut c_void) -> () => svm::svm_free;
    object clCreateSamplerWithProperties(context: cl_context, sampler_properties: *const cl_sampler_properties) -> cl_sampler => sampler::create_sampler_with_properties;
    status clRetainSampler(sampler: cl_sampler) => sampler::retain_sampler;
    status clReleaseSampler(sampler: cl_sampler) => sampler::release_sampler;
    status clGetSamplerInfo(sampler: cl_sampler, param_name: cl_sampler_info, param_value_size: usize, param_value: *mut c_void, param_value_size_ret: *mut usize) => sampler::get_sampler_info;
    object clCreateProgramWithSource(context: cl_context, count: cl_uint, strings: *const *const c_char, lengths: *const usize) -> cl_program => program::create_program_with_source;
    object clCreateProgramWithBinary(context: cl_context, num_devices: cl_uint, device_list: *const cl_device_id, lengths: *const usize, binaries: *const *const u8, binary_status: *mut cl_int) -> cl_program => program::create_program_with_binary;
    object clCreateProgramWithBuiltInKernels(context: cl_context, num_devices: cl_uint, device_list: *const cl_device_id, kernel_names: *const c_char) -> cl_program => program::create_program_with_built_in_kernels;
    object clCreateProgramWithIL(context: cl_context, il: *const c_void, length: usize) -> cl_program => program::create_program_with_il;
    status clRetainProgram(program: cl_program) => program::retain_program;
    status clReleaseProgram(program: cl_program) => program::release_program;
    status clBuildProgram(program: cl_program, num_devices: cl_uint, device_list: *const cl_device_id, options: *const c_char, pfn_notify: ObjectNotify, user_data: *mut c_void) => program::build_program;
    status clCompileProgram(program: cl_program, num_devices: cl_uint, device_list: *const cl_device_id, options: *const c_char, num_input_headers: cl_uint, input_headers: *const cl_program, header_include_names: *const *const c_char, pfn_notify: ObjectNotify, user_data: *mut c_void) => program::compile_program;
    value clLinkProgram(context: cl_context, num_devices: cl_uint, device_list: *const cl_device_id, options: *const c_char, num_input_programs: cl_uint, input_programs: *const cl_program, pfn_notify: ObjectNotify, user_data: *mut c_void, errcode_ret: *mut cl_int) -> cl_program => program::link_program;
    status clSetProgramReleaseCallback(program: cl_program, pfn_notify: ObjectNotify, user_data: *mut c_void) => program::set_program_release_callback;
    status clSetProgramSpecializationConstant(program: cl_program, spec_id: cl_uint, spec_size: usize, spec_value: *const c_void) => program::set_program_specialization_constant;
    status clUnloadPlatformCompiler(platform: cl_platform_id) => platform::unload_platform_compiler;
    status clGetProgramInfo(program: cl_program, param_name: cl_program_info, param_value_size: usize, param_value: *mut c_void, param_value_size_ret: *mut usize) => program::get_program_info;
    status clGetProgramBuildInfo(program: cl_program, device: cl_device_id, param_name: cl_program_build_info, param_value_size: usize, param_value: *mut c_void, param_value_size_ret: *mut usize) => program::get_program_build_info;
    object clCreateKernel(program: cl_program, kernel_name: *const c_char) -> cl_kernel => kernel::create_kernel;
    status clCreateKernelsInProgram(program: cl_program, num_kernels: cl_uint, kernels: *mut cl_kernel, num_kernels_ret: *mut cl_uint) => kernel::create_kernels_in_program;
    object clCloneKernel(source_kernel: cl_kernel) -> cl_kernel => kernel::clone_kernel;
    status clRetainKernel(kernel: cl_kernel) => kernel::retain_kernel;
    status clReleaseKernel(kernel: cl_kernel) => kernel::release_kernel;
    status clSetKernelArg(kernel: cl_kernel, arg_index: cl_uint, arg_size: usize, arg_value: *const c_void) => kernel::set_kernel_arg;
    status clSetKernelArgSVMPointer(kernel: cl_kernel, arg_index: cl_uint, arg_value: *const c_void) => kernel::set_kernel_arg_svm_pointer;
    status clSetKernelExecInfo(kernel: cl_kernel, param_name: cl_kernel_exec_info, param_value_size: usize, param_value: *const c_void) => kernel::set_kernel_exec_info;
    status clGetKernelInfo(kernel: cl_kernel, param_name: cl_kernel_info, param_value_size: usize, param_value: *mut c_void, param_value_size_ret: *mut usize) => kernel_info::get_kernel_info;
    status clGetKernelArgInfo(kernel: cl_kernel, arg_indx: cl_uint, param_name: cl_kernel_arg_info, param_value_size: usize, param_value: *mut c_void, param_value_size_ret: *mut usize) => kernel_info::get_kernel_arg_info;
    status clGetKernelWorkGroupInfo(kernel: cl_kernel, device: cl_device_id, param_name: cl_kernel_work_group_info, param_value_size: usize, param_value: *mut c_void, param_value_size_ret: *mut usize) => kernel_info::get_kernel_work_group_info;
    status clGetKernelSubGroupInfo(kernel: cl_kernel, device: cl_device_id, param_name: cl_kernel_sub_group_info, input_value_size: usize, input_value: *const c_void, param_value_size: usize, param_value: *mut c_void, param_value_size_ret: *mut usize) => kernel_info::get_kernel_sub_group_info;
    status clWaitForEvents(num_events: cl_uint, event_list: *const cl_event) => event::wait_for_events;
    status clGetEventInfo(event: cl_event, param_name: cl_event_info, param_value_size: usize, param_value: *mut c_void, param_value_size_ret: *mut usize) => event::get_event_info;
    object clCreateUserEvent(context: cl_context) -> cl_event => event::create_user_event;
    status clRetainEvent(event: cl_event) => event::retain_event;
    status clReleaseEvent(event: cl_event) => event::release_event;
    status clSetUserEventStatus(event: cl_event, execution_status: cl_int) => event::set_user_event_status;
    status clSetEventCallback(event: cl_event, command_exec_callback_type: cl_int, pfn_notify: EventNotify, user_data: *mut c_void) => event::set_event_callback;
    status clGetEventProfilingInfo(event: cl_event, param_name: cl_profiling_info, param_value_size: usize, param_value: *mut c_void, param_value_size_ret: *mut usize) => event::get_event_profiling_info;
    status clFlush(command_queue: cl_command_queue) => queue::flush;
    status clFinish(command_queue: cl_command_queue) => queue::finish;
    status clEnqueueReadBuffer(command_queue: cl_command_queue, buffer: cl_mem, blocking_read: cl_bool, offset: usize, size: usize, ptr: *mut c_void, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) => buffer::enqueue_read_or_write::<Read>;
    status clEnqueueReadBufferRect(command_queue: cl_command_queue, buffer: cl_mem, blocking_read: cl_bool, buffer_origin: *const usize, host_origin: *const usize, region: *const usize, buffer_row_pitch: usize, buffer_slice_pitch: usize, host_row_pitch: usize, host_slice_pitch: usize, ptr: *mut c_void, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) => buffer::enqueue_read_or_write_rect::<Read>;
    status clEnqueueWriteBuffer(command_queue: cl_command_queue, buffer: cl_mem, blocking_write: cl_bool, offset: usize, size: usize, ptr: *const c_void, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) => buffer::enqueue_read_or_write::<Write>;
    status clEnqueueWriteBufferRect(command_queue: cl_command_queue, buffer: cl_mem, blocking_write: cl_bool, buffer_origin: *const usize, host_origin: *const usize, region: *const usize, buffer_row_pitch: usize, buffer_slice_pitch: usize, host_row_pitch: usize, host_slice_pitch: usize, ptr: *const c_void, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) => buffer::enqueue_read_or_write_rect::<Write>;
    status clEnqueueFillBuffer(command_queue: cl_command_queue, buffer: cl_mem, pattern: *const c_void, pattern_size: usize, offset: usize, size: usize, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) => buffer::enqueue_fill;
    status clEnqueueCopyBuffer(command_queue: cl_command_queue, src_buffer: cl_mem, dst_buffer: cl_mem, src_offset: usize, dst_offset: usize, size: usize, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) => buffer::enqueue_copy;
    status clEnqueueCopyBufferRect(command_queue: cl_command_queue, src_buffer: cl_mem, dst_buffer: cl_mem, src_origin: *const usize, dst_origin: *const usize, region: *const usize, src_row_pitch: usize, src_slice_pitch: usize, dst_row_pitch: usize, dst_slice_pitch: usize, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) => buffer::enqueue_copy_rect;
    status clEnqueueReadImage(command_queue: cl_command_queue, image: cl_mem, blocking_read: cl_bool, origin: *const usize, region: *const usize, row_pitch: usize, slice_pitch: usize, ptr: *mut c_void, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) => image::enqueue_read_or_write::<Read>;
    status clEnqueueWriteImage(command_queue: cl_command_queue, image: cl_mem, blocking_write: cl_bool, origin: *const usize, region: *const usize, input_row_pitch: usize, input_slice_pitch: usize, ptr: *const c_void, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) => image::enqueue_read_or_write::<Write>;
    status clEnqueueFillImage(command_queue: cl_command_queue, image: cl_mem, fill_color: *const c_void, origin: *const usize, region: *const usize, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) => image::enqueue_fill;
    status clEnqueueCopyImage(command_queue: cl_command_queue, src_image: cl_mem, dst_image: cl_mem, src_origin: *const usize, dst_origin: *const usize, region: *const usize, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) => image::enqueue_copy;
    status clEnqueueCopyImageToBuffer(command_queue: cl_command_queue, src_image: cl_mem, dst_buffer: cl_mem, src_origin: *const usize, region: *const usize, dst_offset: usize, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) => image::enqueue_copy_image_to_buffer;
    status clEnqueueCopyBufferToImage(command_queue: cl_command_queue, src_buffer: cl_mem, dst_image: cl_mem, src_offset: usize, dst_origin: *const usize, region: *const usize, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) => image::enqueue_copy_buffer_to_image;
    object clEnqueueMapBuffer(command_queue: cl_command_queue, buffer: cl_mem, blocking_map: cl_bool, map_flags: cl_map_flags, offset: usize, size: usize, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) -> *mut c_void => map::enqueue_map_buffer;
    object clEnqueueMapImage(command_queue: cl_command_queue, image: cl_mem, blocking_map: cl_bool, map_flags: cl_map_flags, origin: *const usize, region: *const usize, image_row_pitch: *mut usize, image_slice_pitch: *mut usize, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) -> *mut c_void => image::enqueue_map;
    status clEnqueueUnmapMemObject(command_queue: cl_command_queue, memobj: cl_mem, mapped_ptr: *mut c_void, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) => map::enqueue_unmap_mem_object;
    status clEnqueueMigrateMemObjects(command_queue: cl_command_queue, num_mem_objects: cl_uint, mem_objects: *const cl_mem, flags: cl_mem_migration_flags, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) => map::enqueue_migrate_mem_objects;
    status clEnqueueNDRangeKernel(command_queue: cl_command_queue, kernel: cl_kernel, work_dim: cl_uint, global_work_offset: *const usize, global_work_size: *const usize, local_work_size: *const usize, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) => launch::enqueue_nd_range_kernel;
    status clEnqueueNativeKernel(command_queue: cl_command_queue, user_func: NativeKernel, args: *mut c_void, cb_args: usize, num_mem_objects: cl_uint, mem_list: *const cl_mem, args_mem_loc: *const *const c_void, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) => launch::enqueue_native_kernel;
    status clEnqueueMarkerWithWaitList(command_queue: cl_command_queue, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) => queue::enqueue_marker_with_wait_list;
    status clEnqueueBarrierWithWaitList(command_queue: cl_command_queue, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) => queue::enqueue_barrier_with_wait_list;
    status clEnqueueSVMFree(command_queue: cl_command_queue, num_svm_pointers: cl_uint, svm_pointers: *const *mut c_void, pfn_free_func: SvmFreeNotify, user_data: *mut c_void, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) => svm::enqueue_svm_free;
    status clEnqueueSVMMemcpy(command_queue: cl_command_queue, blocking_copy: cl_bool, dst_ptr: *mut c_void, src_ptr: *const c_void, size: usize, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) => svm::enqueue_svm_memcpy;
    status clEnqueueSVMMemFill(command_queue: cl_command_queue, svm_ptr: *mut c_void, pattern: *const c_void, pattern_size: usize, size: usize, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) => svm::enqueue_svm_mem_fill;
    status clEnqueueSVMMap(command_queue: cl_command_queue, blocking_map: cl_bool, flags: cl_map_flags, svm_ptr: *mut c_void, size: usize, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) => svm::enqueue_svm_map;
    status clEnqueueSVMUnmap(command_queue: cl_command_queue, svm_ptr: *mut c_void, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) => svm::enqueue_svm_unmap;
    status clEnqueueSVMMigrateMem(command_queue: cl_command_queue, num_svm_pointers: cl_uint, svm_pointers: *const *const c_void, sizes: *const usize, flags: cl_mem_migration_flags, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) => svm::enqueue_svm_migrate_mem;
    status clGetKernelSuggestedLocalWorkSize(command_queue: cl_command_queue, kernel: cl_kernel, work_dim: cl_uint, global_work_offset: *const usize, global_work_size: *const usize, suggested_local_work_size: *mut usize) => launch::get_kernel_suggested_local_work_size;
    value clGetExtensionFunctionAddressForPlatform(platform: cl_platform_id, func_name: *const c_char) -> *mut c_void => address::for_platform;
    status clSetCommandQueueProperty(command_queue: cl_command_queue, properties: cl_command_queue_properties, enable: cl_bool, old_properties: *mut cl_command_queue_properties) => queue::set_command_queue_property;
    object clCreateImage2D(context: cl_context, flags: cl_mem_flags, image_format: *const cl_image_format, image_width: usize, image_height: usize, image_row_pitch: usize, host_ptr: *mut c_void) -> cl_mem => image::create_image_2d;
    object clCreateImage3D(context: cl_context, flags: cl_mem_flags, image_format: *const cl_image_format, image_width: usize, image_height: usize, image_depth: usize, image_row_pitch: usize, image_slice_pitch: usize, host_ptr: *mut c_void) -> cl_mem => image::create_image_3d;
    status clEnqueueMarker(command_queue: cl_command_queue, event: *mut cl_event) => queue::enqueue_marker;
    status clEnqueueWaitForEvents(command_queue: cl_command_queue, num_events: cl_uint, event_list: *const cl_event) => queue::enqueue_wait_for_events;
    status clEnqueueBarrier(command_queue: cl_command_queue) => queue::enqueue_barrier;
    status clUnloadCompiler() => platform::unload_compiler;
    value clGetExtensionFunctionAddress(func_name: *const c_char) -> *mut c_void => address::of;
    object clCreateCommandQueue(context: cl_context, device: cl_device_id, properties: cl_command_queue_properties) -> cl_command_queue => queue::create_command_queue;
    object clCreateSampler(context: cl_context, normalized_coords: cl_bool, addressing_mode: cl_addressing_mode, filter_mode: cl_filter_mode) -> cl_sampler => sampler::create_sampler;
    status clEnqueueTask(command_queue: cl_command_queue, kernel: cl_kernel, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) => launch::enqueue_task;
}

// Entry points of cl_khr_icd: a loader looks them up as symbols, or by name.
entries! { find_loader [unsafe(no_mangle)]
    status clIcdGetPlatformIDsKHR(num_entries: cl_uint, platforms: *mut cl_platform_id, num_platforms: *mut cl_uint) => platform::get_platform_ids;
    value clIcdGetFunctionAddressForPlatformKHR(platform: cl_platform_id, func_name: *const c_char) -> *mut c_void => address::for_loader;
    status clIcdSetPlatformDispatchDataKHR(platform: cl_platform_id, dispatch_data: *mut c_void) => platform::icd_set_platform_dispatch_data;
}

// Entry points of extensions.
entries! { find_extension []
    object clCreateCommandQueueWithPropertiesKHR(context: cl_context, device: cl_device_id, properties: *const cl_queue_properties) -> cl_command_queue => queue::create_command_queue_with_properties;
    object clCreateProgramWithILKHR(context: cl_context, il: *const c_void, length: usize) -> cl_program => program::create_program_with_il;
    status clGetKernelSuggestedLocalWorkSizeKHR(command_queue: cl_command_queue, kernel: cl_kernel, work_dim: cl_uint, global_work_offset: *const usize, global_work_size: *const usize, suggested_local_work_size: *mut usize) => launch::get_kernel_suggested_local_work_size;
    status clGetKernelSubGroupInfoKHR(kernel: cl_kernel, device: cl_device_id, param_name: cl_kernel_sub_group_info, input_value_size: usize, input_value: *const c_void, param_value_size: usize, param_value: *mut c_void, param_value_size_ret: *mut usize) => kernel_info::get_kernel_sub_group_info;

    status clGetDeviceCooperativeMatrixInfoKHR(device: cl_device_id, param_name: cl_uint, input_value_size: usize, input_value: *const c_void, param_value_size: usize, param_value: *mut c_void, param_value_size_ret: *mut usize) => matrices::get_device_cooperative_matrix_info;

    status clTerminateContextKHR(context: cl_context) => context::terminate_context;

    object clCreateBufferWithPropertiesINTEL(context: cl_context, properties: *const cl_properties, flags: cl_mem_flags, size: usize, host_ptr: *mut c_void) -> cl_mem => memory::create_buffer_with_properties;
    status clSetKernelArgDevicePointerEXT(kernel: cl_kernel, arg_index: cl_uint, arg_value: cl_ulong) => kernel::set_kernel_arg_address;

    object clSVMAllocWithPropertiesKHR(context: cl_context, properties: *const cl_properties, svm_type_index: cl_uint, size: usize) -> *mut c_void => unified_svm::svm_alloc_with_properties;
    status clSVMFreeWithPropertiesKHR(context: cl_context, properties: *const cl_properties, flags: cl_bitfield, ptr: *mut c_void) => unified_svm::svm_free_with_properties;
    status clGetSVMPointerInfoKHR(context: cl_context, device: cl_device_id, ptr: *const c_void, param_name: cl_uint, param_value_size: usize, param_value: *mut c_void, param_value_size_ret: *mut usize) => unified_svm::get_svm_pointer_info;
    status clGetSVMSuggestedTypeIndexKHR(context: cl_context, required_capabilities: cl_bitfield, desired_capabilities: cl_bitfield, properties: *const cl_properties, size: usize, suggested_svm_type_index: *mut cl_uint) => unified_svm::get_svm_suggested_type_index;

    object clHostMemAllocINTEL(context: cl_context, properties: *const cl_properties, size: usize, alignment: cl_uint) -> *mut c_void => unified::host_mem_alloc;
    object clDeviceMemAllocINTEL(context: cl_context, device: cl_device_id, properties: *const cl_properties, size: usize, alignment: cl_uint) -> *mut c_void => unified::device_mem_alloc;
    object clSharedMemAllocINTEL(context: cl_context, device: cl_device_id, properties: *const cl_properties, size: usize, alignment: cl_uint) -> *mut c_void => unified::shared_mem_alloc;
    status clMemFreeINTEL(context: cl_context, ptr: *mut c_void) => unified::mem_free;
    status clMemBlockingFreeINTEL(context: cl_context, ptr: *mut c_void) => unified::mem_blocking_free;
    status clGetMemAllocInfoINTEL(context: cl_context, ptr: *const c_void, param_name: cl_uint, param_value_size: usize, param_value: *mut c_void, param_value_size_ret: *mut usize) => unified::get_mem_alloc_info;
    status clSetKernelArgMemPointerINTEL(kernel: cl_kernel, arg_index: cl_uint, arg_value: *const c_void) => kernel::set_kernel_arg_svm_pointer;
    status clEnqueueMemFillINTEL(command_queue: cl_command_queue, dst_ptr: *mut c_void, pattern: *const c_void, pattern_size: usize, size: usize, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) => unified::enqueue_mem_fill;
    status clEnqueueMemsetINTEL(command_queue: cl_command_queue, dst_ptr: *mut c_void, value: cl_int, size: usize, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) => unified::enqueue_memset;
    status clEnqueueMemcpyINTEL(command_queue: cl_command_queue, blocking: cl_bool, dst_ptr: *mut c_void, src_ptr: *const c_void, size: usize, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) => unified::enqueue_memcpy;
    status clEnqueueMigrateMemINTEL(command_queue: cl_command_queue, ptr: *const c_void, size: usize, flags: cl_mem_migration_flags, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) => unified::enqueue_migrate_mem;
    status clEnqueueMemAdviseINTEL(command_queue: cl_command_queue, ptr: *const c_void, size: usize, advice: cl_uint, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) => unified::enqueue_mem_advise;

    object clCreateSemaphoreWithPropertiesKHR(context: cl_context, sema_props: *const cl_properties) -> cl_semaphore_khr => semaphore::create_semaphore_with_properties;
    status clEnqueueWaitSemaphoresKHR(command_queue: cl_command_queue, num_sema_objects: cl_uint, sema_objects: *const cl_semaphore_khr, sema_payload_list: *const cl_ulong, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) => semaphore::enqueue_wait_semaphores;
    status clEnqueueSignalSemaphoresKHR(command_queue: cl_command_queue, num_sema_objects: cl_uint, sema_objects: *const cl_semaphore_khr, sema_payload_list: *const cl_ulong, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) => semaphore::enqueue_signal_semaphores;
    status clGetSemaphoreInfoKHR(sema_object: cl_semaphore_khr, param_name: cl_uint, param_value_size: usize, param_value: *mut c_void, param_value_size_ret: *mut usize) => semaphore::get_semaphore_info;
    status clGetSemaphoreHandleForTypeKHR(sema_object: cl_semaphore_khr, device: cl_device_id, handle_type: cl_uint, handle_size: usize, handle_ptr: *mut c_void, handle_size_ret: *mut usize) => semaphore::get_semaphore_handle_for_type { sema_object };
    status clRetainSemaphoreKHR(sema_object: cl_semaphore_khr) => semaphore::retain_semaphore;
    status clReleaseSemaphoreKHR(sema_object: cl_semaphore_khr) => semaphore::release_semaphore;

    object clCreateCommandBufferKHR(num_queues: cl_uint, queues: *const cl_command_queue, properties: *const cl_properties) -> cl_command_buffer_khr => command_buffer::create_command_buffer;
    status clRetainCommandBufferKHR(command_buffer: cl_command_buffer_khr) => command_buffer::retain_command_buffer;
    status clReleaseCommandBufferKHR(command_buffer: cl_command_buffer_khr) => command_buffer::release_command_buffer;
    status clFinalizeCommandBufferKHR(command_buffer: cl_command_buffer_khr) => command_buffer::finalize_command_buffer;
    status clEnqueueCommandBufferKHR(num_queues: cl_uint, queues: *const cl_command_queue, command_buffer: cl_command_buffer_khr, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) => command_buffer::enqueue_command_buffer;
    status clCommandBarrierWithWaitListKHR(command_buffer: cl_command_buffer_khr, command_queue: cl_command_queue, properties: *const cl_properties, num_sync_points_in_wait_list: cl_uint, sync_point_wait_list: *const cl_sync_point_khr, sync_point: *mut cl_sync_point_khr, mutable_handle: *mut cl_mutable_command_khr) => record::command_barrier_with_wait_list;
    status clCommandCopyBufferKHR(command_buffer: cl_command_buffer_khr, command_queue: cl_command_queue, properties: *const cl_properties, src_buffer: cl_mem, dst_buffer: cl_mem, src_offset: usize, dst_offset: usize, size: usize, num_sync_points_in_wait_list: cl_uint, sync_point_wait_list: *const cl_sync_point_khr, sync_point: *mut cl_sync_point_khr, mutable_handle: *mut cl_mutable_command_khr) => record::command_copy_buffer;
    status clCommandCopyBufferRectKHR(command_buffer: cl_command_buffer_khr, command_queue: cl_command_queue, properties: *const cl_properties, src_buffer: cl_mem, dst_buffer: cl_mem, src_origin: *const usize, dst_origin: *const usize, region: *const usize, src_row_pitch: usize, src_slice_pitch: usize, dst_row_pitch: usize, dst_slice_pitch: usize, num_sync_points_in_wait_list: cl_uint, sync_point_wait_list: *const cl_sync_point_khr, sync_point: *mut cl_sync_point_khr, mutable_handle: *mut cl_mutable_command_khr) => record::command_copy_buffer_rect;
    status clCommandFillBufferKHR(command_buffer: cl_command_buffer_khr, command_queue: cl_command_queue, properties: *const cl_properties, buffer: cl_mem, pattern: *const c_void, pattern_size: usize, offset: usize, size: usize, num_sync_points_in_wait_list: cl_uint, sync_point_wait_list: *const cl_sync_point_khr, sync_point: *mut cl_sync_point_khr, mutable_handle: *mut cl_mutable_command_khr) => record::command_fill_buffer;
    status clCommandSVMMemcpyKHR(command_buffer: cl_command_buffer_khr, command_queue: cl_command_queue, properties: *const cl_properties, dst_ptr: *mut c_void, src_ptr: *const c_void, size: usize, num_sync_points_in_wait_list: cl_uint, sync_point_wait_list: *const cl_sync_point_khr, sync_point: *mut cl_sync_point_khr, mutable_handle: *mut cl_mutable_command_khr) => record::command_svm_memcpy;
    status clCommandSVMMemFillKHR(command_buffer: cl_command_buffer_khr, command_queue: cl_command_queue, properties: *const cl_properties, svm_ptr: *mut c_void, pattern: *const c_void, pattern_size: usize, size: usize, num_sync_points_in_wait_list: cl_uint, sync_point_wait_list: *const cl_sync_point_khr, sync_point: *mut cl_sync_point_khr, mutable_handle: *mut cl_mutable_command_khr) => record::command_svm_mem_fill;
    status clCommandCopyBufferToImageKHR(command_buffer: cl_command_buffer_khr, command_queue: cl_command_queue, properties: *const cl_properties, src_buffer: cl_mem, dst_image: cl_mem, src_offset: usize, dst_origin: *const usize, region: *const usize, num_sync_points_in_wait_list: cl_uint, sync_point_wait_list: *const cl_sync_point_khr, sync_point: *mut cl_sync_point_khr, mutable_handle: *mut cl_mutable_command_khr) => record::command_copy_buffer_to_image;
    status clCommandCopyImageKHR(command_buffer: cl_command_buffer_khr, command_queue: cl_command_queue, properties: *const cl_properties, src_image: cl_mem, dst_image: cl_mem, src_origin: *const usize, dst_origin: *const usize, region: *const usize, num_sync_points_in_wait_list: cl_uint, sync_point_wait_list: *const cl_sync_point_khr, sync_point: *mut cl_sync_point_khr, mutable_handle: *mut cl_mutable_command_khr) => record::command_copy_image;
    status clCommandCopyImageToBufferKHR(command_buffer: cl_command_buffer_khr, command_queue: cl_command_queue, properties: *const cl_properties, src_image: cl_mem, dst_buffer: cl_mem, src_origin: *const usize, region: *const usize, dst_offset: usize, num_sync_points_in_wait_list: cl_uint, sync_point_wait_list: *const cl_sync_point_khr, sync_point: *mut cl_sync_point_khr, mutable_handle: *mut cl_mutable_command_khr) => record::command_copy_image_to_buffer;
    status clCommandFillImageKHR(command_buffer: cl_command_buffer_khr, command_queue: cl_command_queue, properties: *const cl_properties, image: cl_mem, fill_color: *const c_void, origin: *const usize, region: *const usize, num_sync_points_in_wait_list: cl_uint, sync_point_wait_list: *const cl_sync_point_khr, sync_point: *mut cl_sync_point_khr, mutable_handle: *mut cl_mutable_command_khr) => record::command_fill_image;
    status clCommandNDRangeKernelKHR(command_buffer: cl_command_buffer_khr, command_queue: cl_command_queue, properties: *const cl_properties, kernel: cl_kernel, work_dim: cl_uint, global_work_offset: *const usize, global_work_size: *const usize, local_work_size: *const usize, num_sync_points_in_wait_list: cl_uint, sync_point_wait_list: *const cl_sync_point_khr, sync_point: *mut cl_sync_point_khr, mutable_handle: *mut cl_mutable_command_khr) => record::command_nd_range_kernel;
    status clGetCommandBufferInfoKHR(command_buffer: cl_command_buffer_khr, param_name: cl_uint, param_value_size: usize, param_value: *mut c_void, param_value_size_ret: *mut usize) => command_buffer::get_command_buffer_info;
    status clUpdateMutableCommandsKHR(command_buffer: cl_command_buffer_khr, num_configs: cl_uint, config_types: *const cl_uint, configs: *const *const c_void) => mutable::update_mutable_commands;
    status clGetMutableCommandInfoKHR(command: cl_mutable_command_khr, param_name: cl_uint, param_value_size: usize, param_value: *mut c_void, param_value_size_ret: *mut usize) => mutable::get_mutable_command_info;
}

// Entry points of extensions that the driver lacks, and every dispatch table has.
entries! { find_absent []
    object clCreateFromGLBuffer(context: cl_context, flags: cl_mem_flags, bufobj: cl_uint) -> cl_mem => sharing::create { context };
    object clCreateFromGLTexture(context: cl_context, flags: cl_mem_flags, target: cl_uint, miplevel: cl_int, texture: cl_uint) -> cl_mem => sharing::create { context };
    object clCreateFromGLTexture2D(context: cl_context, flags: cl_mem_flags, target: cl_uint, miplevel: cl_int, texture: cl_uint) -> cl_mem => sharing::create { context };
    object clCreateFromGLTexture3D(context: cl_context, flags: cl_mem_flags, target: cl_uint, miplevel: cl_int, texture: cl_uint) -> cl_mem => sharing::create { context };
    object clCreateFromGLRenderbuffer(context: cl_context, flags: cl_mem_flags, renderbuffer: cl_uint) -> cl_mem => sharing::create { context };
    object clCreateEventFromGLsyncKHR(context: cl_context, sync: *mut c_void) -> cl_event => sharing::create { context };
    object clCreateFromEGLImageKHR(context: cl_context, display: *mut c_void, image: *mut c_void, flags: cl_mem_flags, properties: *const isize) -> cl_mem => sharing::create { context };
    object clCreateEventFromEGLSyncKHR(context: cl_context, sync: *mut c_void, display: *mut c_void) -> cl_event => sharing::create { context };
    status clGetGLObjectInfo(memobj: cl_mem, gl_object_type: *mut cl_uint, gl_object_name: *mut cl_uint) => sharing::get_object_info { memobj };
    status clGetGLTextureInfo(memobj: cl_mem, param_name: cl_uint, param_value_size: usize, param_value: *mut c_void, param_value_size_ret: *mut usize) => sharing::get_object_info { memobj };
    status clGetGLContextInfoKHR(properties: *const cl_context_properties, param_name: cl_uint, param_value_size: usize, param_value: *mut c_void, param_value_size_ret: *mut usize) => sharing::get_gl_context_info { properties };
    status clEnqueueAcquireGLObjects(command_queue: cl_command_queue, num_objects: cl_uint, mem_objects: *const cl_mem, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) => sharing::enqueue { command_queue };
    status clEnqueueReleaseGLObjects(command_queue: cl_command_queue, num_objects: cl_uint, mem_objects: *const cl_mem, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) => sharing::enqueue { command_queue };
    status clEnqueueAcquireEGLObjectsKHR(command_queue: cl_command_queue, num_objects: cl_uint, mem_objects: *const cl_mem, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) => sharing::enqueue { command_queue };
    status clEnqueueReleaseEGLObjectsKHR(command_queue: cl_command_queue, num_objects: cl_uint, mem_objects: *const cl_mem, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) => sharing::enqueue { command_queue };
    status clCreateSubDevicesEXT(in_device: cl_device_id, properties: *const cl_ulong, num_entries: cl_uint, out_devices: *mut cl_device_id, num_devices: *mut cl_uint) => sharing::create_sub_devices { in_device };
    status clRetainDeviceEXT(device: cl_device_id) => device::retain_device;
    status clReleaseDeviceEXT(device: cl_device_id) => device::release_device;
}
