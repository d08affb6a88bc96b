//! What functions refuse where the device lacks what they are for: this process has taken it away.

use api::cl::*;
use api::raw::{FromC, HostPointer, In, Out};
use api::transfer::{Read, Write};
use api::{context, image, kernel, kernel_info, launch, memory, pipe, platform, program, queue, sampler, svm};
use std::ptr::null_mut;

const NONE: *mut c_void = null_mut();
const WITHOUT: &str =
    "core:svm,core:images,core:pipes,core:sub_groups,core:intermediate_language,core:device_enqueue,cl_ext_buffer_device_address";

/// The only test here: the variable is read once a process.
#[test]
fn what_the_device_lacks() {
    // SAFETY: no other thread reads the environment yet.
    unsafe { std::env::set_var("BROLGA_WITHOUT", WITHOUT) };
    let (mut platform, mut device) = (null_mut(), null_mut());
    platform::get_platform_ids(1, Out::from_mut(&mut platform), Out::null()).unwrap();
    platform::get_device_ids(platform, CL_DEVICE_TYPE_ALL, 1, Out::from_mut(&mut device), Out::null()).unwrap();
    let context = context::create_context(In::null(), 1, In::from_slice(&[device]), None, NONE).unwrap();
    let queue = queue::create_command_queue(context, device, 0).unwrap();
    let buffer = memory::create_buffer(context, 0, 64, NONE).unwrap();
    let source = c"kernel void k(global int *a, local int *l) { l[0] = 1; a[0] = l[0]; }";
    let program = program::create_program_with_source(context, 1, In::from_slice(&[source.as_ptr()]), In::null()).unwrap();
    program::build_program(program, 0, In::null(), In::null(), None, NONE).unwrap();
    // SAFETY: a string.
    let k = kernel::create_kernel(program, unsafe { In::from_c(c"k".as_ptr()) }).unwrap();
    let format = [cl_image_format {
        image_channel_order: CL_RGBA,
        image_channel_data_type: CL_UNSIGNED_INT8,
    }];
    let (format, sizes, words) = (In::from_slice(&format), [1_usize; 3], [0_u64; 8]);
    let (three, pointer) = (In::from_slice(&sizes), words.as_ptr().cast_mut().cast::<c_void>());
    let host = HostPointer(pointer.cast());
    // SAFETY: bytes.
    let value = unsafe { In::from_c(pointer.cast_const()) };
    let pattern = In::from_slice(&[1]);
    let desc = [cl_image_desc {
        image_type: CL_MEM_OBJECT_IMAGE1D,
        image_width: 4,
        image_height: 0,
        image_depth: 0,
        image_array_size: 0,
        image_row_pitch: 0,
        image_slice_pitch: 0,
        num_mip_levels: 0,
        num_samples: 0,
        mem_object: NONE,
    }];
    let (mut row, pointers) = (0, [pointer.cast_const()]);
    let list = In::from_slice(&pointers);
    let exec_info = |name, size| kernel::set_kernel_exec_info(k, name, size, value);
    #[rustfmt::skip]
    let refused = [
        // Images.
        ("clCreateImage", image::create_image(context, 0, format, In::from_slice(&desc), NONE).map(drop)),
        ("clCreateImage2D", image::create_image_2d(context, 0, format, 4, 4, 0, NONE).map(drop)),
        ("clCreateImage3D", image::create_image_3d(context, 0, format, 4, 4, 4, 0, 0, NONE).map(drop)),
        ("clEnqueueReadImage", image::enqueue_read_or_write::<Read>(queue, buffer, CL_TRUE, three, three, 0, 0, host, 0, In::null(), Out::null())),
        ("clEnqueueWriteImage", image::enqueue_read_or_write::<Write>(queue, buffer, CL_TRUE, three, three, 0, 0, host, 0, In::null(), Out::null())),
        ("clEnqueueCopyImage", image::enqueue_copy(queue, buffer, buffer, three, three, three, 0, In::null(), Out::null())),
        ("clEnqueueFillImage", image::enqueue_fill(queue, buffer, pattern, three, three, 0, In::null(), Out::null())),
        ("clEnqueueCopyImageToBuffer", image::enqueue_copy_image_to_buffer(queue, buffer, buffer, three, three, 0, 0, In::null(), Out::null())),
        ("clEnqueueCopyBufferToImage", image::enqueue_copy_buffer_to_image(queue, buffer, buffer, 0, three, three, 0, In::null(), Out::null())),
        ("clEnqueueMapImage", image::enqueue_map(queue, buffer, CL_TRUE, CL_MAP_READ, three, three, Out::from_mut(&mut row), Out::null(), 0, In::null(), Out::null()).map(drop)),
        ("clCreateSampler", sampler::create_sampler(context, CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST).map(drop)),
        ("clCreateSamplerWithProperties", sampler::create_sampler_with_properties(context, In::null()).map(drop)),
        // Pipes, intermediate languages, sub-groups.
        ("clCreatePipe", pipe::create_pipe(context, 0, 4, 4, In::null()).map(drop)),
        ("clCreateProgramWithIL", program::create_program_with_il(context, In::from_slice(&[3]), 20).map(drop)),
        ("clGetKernelSubGroupInfo", kernel_info::get_kernel_sub_group_info(k, device, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, In::null(), 0, Out::null(), Out::null())),
        // Shared memory.
        ("clSVMAlloc", svm::svm_alloc(context, 0, 64, 0).map(drop)),
        ("clEnqueueSVMFree", svm::enqueue_svm_free(queue, 0, In::null(), None, NONE, 0, In::null(), Out::null())),
        ("clEnqueueSVMMemcpy", svm::enqueue_svm_memcpy(queue, CL_TRUE, pointer, pointer, 0, 0, In::null(), Out::null())),
        ("clEnqueueSVMMemFill", svm::enqueue_svm_mem_fill(queue, pointer, pattern, 1, 0, 0, In::null(), Out::null())),
        ("clEnqueueSVMMap", svm::enqueue_svm_map(queue, CL_TRUE, CL_MAP_READ, pointer, 8, 0, In::null(), Out::null())),
        ("clEnqueueSVMUnmap", svm::enqueue_svm_unmap(queue, pointer, 0, In::null(), Out::null())),
        ("clEnqueueSVMMigrateMem", svm::enqueue_svm_migrate_mem(queue, 1, list, In::null(), 0, 0, In::null(), Out::null())),
        ("clSetKernelArgSVMPointer", kernel::set_kernel_arg_svm_pointer(k, 0, pointer)),
        ("clSetKernelArgDevicePointerEXT", kernel::set_kernel_arg_address(k, 0, 0)),
        ("CL_KERNEL_EXEC_INFO_SVM_PTRS", exec_info(CL_KERNEL_EXEC_INFO_SVM_PTRS, 8)),
        ("CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL", exec_info(CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL, 8)),
        ("CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT", exec_info(CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT, 8)),
        ("CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL", exec_info(CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL, 4)),
        // What the host changes of a queue, and who is told of a program's end: no device does.
        ("clSetCommandQueueProperty", queue::set_command_queue_property(queue, CL_QUEUE_PROFILING_ENABLE, CL_TRUE, Out::null())),
        ("clSetDefaultDeviceCommandQueue", queue::set_default_device_command_queue(context, device, queue)),
        ("clSetProgramReleaseCallback", program::set_program_release_callback(program, None, NONE)),
    ];
    let on_device = CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    assert_eq!(
        queue::create_command_queue_with_properties(context, device, In::from_slice(&[CL_QUEUE_PROPERTIES.into(), on_device, 0])),
        Err(CL_INVALID_QUEUE_PROPERTIES)
    );
    for (name, result) in refused {
        assert_eq!(result, Err(CL_INVALID_OPERATION), "{name}");
    }
    // It is OpenCL 3.0, where local arguments have bytes.
    assert_eq!(kernel::set_kernel_arg(k, 1, 0, In::null()), Err(CL_INVALID_ARG_SIZE));
    let newer = program::create_program_with_source(context, 1, In::from_slice(&[source.as_ptr()]), In::null()).unwrap();
    // SAFETY: a string.
    let standard = unsafe { In::from_c(c"-cl-std=CL3.1".as_ptr()) };
    let built = program::build_program(newer, 0, In::null(), standard, None, NONE);
    assert_eq!(built, Err(CL_BUILD_PROGRAM_FAILURE));
    // What is left works.
    kernel::set_kernel_arg(k, 1, 4, In::null()).unwrap();
    kernel::set_kernel_arg(k, 0, 8, In::from_slice(&(buffer as usize).to_ne_bytes())).unwrap();
    launch::enqueue_nd_range_kernel(queue, k, 1, In::null(), three, In::null(), 0, In::null(), Out::null()).unwrap();
    queue::finish(queue).unwrap();
}
