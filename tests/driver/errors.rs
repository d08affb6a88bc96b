//! Wrong use: the specified error, and a process that lives on.

use brolga_tests::cl_sys::*;
use brolga_tests::{Context, Device, Range, cl};
use std::ptr::{null, null_mut};

/// Something that is no object: memory of the right size with a wrong beginning.
fn garbage() -> *mut c_void {
    static MEMORY: [usize; 64] = [0x1234_5678; 64];
    std::ptr::from_ref(&MEMORY).cast_mut().cast()
}

#[test]
fn null_handles() {
    let mut status = 0;
    let none = null_mut();
    assert_eq!(cl!(clGetDeviceInfo(none, CL_DEVICE_NAME, 0, none, null_mut())), CL_INVALID_DEVICE);
    assert_eq!(cl!(clRetainContext(none)), CL_INVALID_CONTEXT);
    assert_eq!(cl!(clReleaseContext(none)), CL_INVALID_CONTEXT);
    assert_eq!(cl!(clReleaseCommandQueue(none)), CL_INVALID_COMMAND_QUEUE);
    assert_eq!(cl!(clFinish(none)), CL_INVALID_COMMAND_QUEUE);
    assert_eq!(cl!(clFlush(none)), CL_INVALID_COMMAND_QUEUE);
    assert_eq!(cl!(clReleaseMemObject(none)), CL_INVALID_MEM_OBJECT);
    assert_eq!(cl!(clReleaseSampler(none)), CL_INVALID_SAMPLER);
    assert_eq!(cl!(clReleaseProgram(none)), CL_INVALID_PROGRAM);
    assert_eq!(cl!(clBuildProgram(none, 0, null(), null(), None, none)), CL_INVALID_PROGRAM);
    assert_eq!(cl!(clReleaseKernel(none)), CL_INVALID_KERNEL);
    assert_eq!(cl!(clSetKernelArg(none, 0, 0, null())), CL_INVALID_KERNEL);
    assert_eq!(cl!(clReleaseEvent(none)), CL_INVALID_EVENT);
    assert_eq!(
        cl!(clGetEventInfo(none, CL_EVENT_REFERENCE_COUNT, 0, none, null_mut())),
        CL_INVALID_EVENT
    );
    assert_eq!(cl!(clWaitForEvents(0, null())), CL_INVALID_VALUE);
    assert!(cl!(clCreateBuffer(none, 0, 4, none, &mut status)).is_null());
    assert_eq!(status, CL_INVALID_CONTEXT);
    assert!(cl!(clCreateContext(null(), 0, null(), None, none, &mut status)).is_null());
    assert_eq!(status, CL_INVALID_VALUE);
    assert!(cl!(clCreateProgramWithSource(none, 1, null(), null(), &mut status)).is_null());
    assert_eq!(status, CL_INVALID_CONTEXT);
    assert!(cl!(clCreateKernel(none, c"k".as_ptr(), &mut status)).is_null());
    assert_eq!(status, CL_INVALID_PROGRAM);
}

/// The loader jumps through an object's first word, so objects of no driver cannot be given to functions that it dispatches on; but
/// handles that are not the dispatched one reach the driver as they are.
#[test]
fn handles_that_are_something_else() {
    let context = Context::new();
    let program = context.program("kernel void k(global int *r) { r[0] = 1; }", "");
    let kernel = program.kernel("k");
    let buffer = context.zeros::<i32>(4);
    let one = 1usize;
    let other = brolga_tests::Program::from_source(&context, "kernel void k() {}");
    for wrong in [garbage(), context.id, context.queue, program.id, null_mut()] {
        assert_eq!(
            cl!(clEnqueueNDRangeKernel(
                context.queue,
                wrong,
                1,
                null(),
                &one,
                null(),
                0,
                null(),
                null_mut()
            )),
            CL_INVALID_KERNEL
        );
        assert_eq!(
            cl!(clEnqueueFillBuffer(
                context.queue,
                wrong,
                [0u8].as_ptr().cast(),
                1,
                0,
                1,
                0,
                null(),
                null_mut()
            )),
            CL_INVALID_MEM_OBJECT
        );
        assert_eq!(
            cl!(clEnqueueFillBuffer(
                context.queue,
                buffer.id,
                [0u8].as_ptr().cast(),
                1,
                0,
                1,
                1,
                &wrong,
                null_mut()
            )),
            CL_INVALID_EVENT_WAIT_LIST
        );
        assert_eq!(
            cl!(clBuildProgram(other.id, 1, &wrong, null(), None, null_mut())),
            CL_INVALID_DEVICE
        );
        if !wrong.is_null() {
            assert_eq!(
                cl!(clSetKernelArg(kernel.id, 0, 8, (&raw const wrong).cast())),
                CL_INVALID_MEM_OBJECT
            );
        }
        let mut status = 0;
        assert!(cl!(clCreateCommandQueue(context.id, wrong, 0, &mut status)).is_null());
        assert_eq!(status, CL_INVALID_DEVICE);
    }
}

#[test]
fn objects_of_another_kind() {
    let context = Context::new();
    let program = context.program("kernel void k(global int *r) { r[0] = 1; }", "");
    assert_eq!(cl!(clReleaseKernel(context.id)), CL_INVALID_KERNEL);
    assert_eq!(cl!(clReleaseContext(program.id)), CL_INVALID_CONTEXT);
    assert_eq!(cl!(clFinish(program.id)), CL_INVALID_COMMAND_QUEUE);
    assert_eq!(cl!(clRetainMemObject(context.queue)), CL_INVALID_MEM_OBJECT);
    assert_eq!(cl!(clRetainEvent(context.queue)), CL_INVALID_EVENT);
}

#[test]
fn unknown_queries_and_sizes_that_are_too_small() {
    let context = Context::new();
    let device = Device::under_test();
    let mut small = [0u8; 1];
    let value: *mut c_void = small.as_mut_ptr().cast();
    for name in [0, 1, 0x9999_9999, CL_CONTEXT_DEVICES] {
        assert_eq!(
            cl!(clGetDeviceInfo(device.id, name, 1, value, null_mut())),
            CL_INVALID_VALUE,
            "{name:#x}"
        );
    }
    assert_eq!(
        cl!(clGetDeviceInfo(device.id, CL_DEVICE_NAME, 1, value, null_mut())),
        CL_INVALID_VALUE
    );
    assert_eq!(
        cl!(clGetPlatformInfo(device.platform, 0x7777, 1, value, null_mut())),
        CL_INVALID_VALUE
    );
    assert_eq!(
        cl!(clGetContextInfo(context.id, CL_CONTEXT_REFERENCE_COUNT, 1, value, null_mut())),
        CL_INVALID_VALUE
    );
    assert_eq!(
        cl!(clGetCommandQueueInfo(context.queue, 0x5555, 0, null_mut(), null_mut())),
        CL_INVALID_VALUE
    );
    let program = context.program("kernel void k(int a) {}", "");
    assert_eq!(
        cl!(clGetProgramInfo(program.id, 0x5555, 0, null_mut(), null_mut())),
        CL_INVALID_VALUE
    );
    assert_eq!(
        cl!(clGetProgramBuildInfo(program.id, device.id, 0x5555, 0, null_mut(), null_mut())),
        CL_INVALID_VALUE
    );
    assert_eq!(program.kernel("k").info(0x5555).err(), Some(CL_INVALID_VALUE));
    assert_eq!(program.kernel("k").work_group_info(0x5555).err(), Some(CL_INVALID_VALUE));
}

#[test]
fn sizes_of_buffers_and_transfers() {
    let context = Context::new();
    let mut status = 0;
    assert!(cl!(clCreateBuffer(context.id, 0, 0, null_mut(), &mut status)).is_null());
    assert_eq!(status, CL_INVALID_BUFFER_SIZE);
    assert!(cl!(clCreateBuffer(context.id, 0, usize::MAX, null_mut(), &mut status)).is_null());
    assert_eq!(status, CL_INVALID_BUFFER_SIZE);
    assert!(
        cl!(clCreateBuffer(
            context.id,
            CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY,
            4,
            null_mut(),
            &mut status
        ))
        .is_null()
    );
    assert_eq!(status, CL_INVALID_VALUE);
    assert!(cl!(clCreateBuffer(context.id, 1 << 60, 4, null_mut(), &mut status)).is_null());
    assert_eq!(status, CL_INVALID_VALUE);
    assert!(cl!(clCreateBuffer(context.id, CL_MEM_USE_HOST_PTR, 4, null_mut(), &mut status)).is_null());
    assert_eq!(status, CL_INVALID_HOST_PTR);
    assert!(cl!(clCreateBuffer(context.id, 0, 4, (&raw mut status).cast(), &mut status)).is_null());
    assert_eq!(status, CL_INVALID_HOST_PTR);
    let buffer = context.zeros::<u8>(100);
    let mut host = [0u8; 200];
    let to: *mut c_void = host.as_mut_ptr().cast();
    for (offset, size) in [(0, 101), (100, 1), (usize::MAX, 2), (50, usize::MAX)] {
        let status = cl!(clEnqueueReadBuffer(
            context.queue,
            buffer.id,
            CL_TRUE,
            offset,
            size,
            to,
            0,
            null(),
            null_mut()
        ));
        assert_eq!(status, CL_INVALID_VALUE, "{size} bytes from {offset}");
    }
    assert_eq!(
        cl!(clEnqueueReadBuffer(
            context.queue,
            buffer.id,
            CL_TRUE,
            0,
            10,
            null_mut(),
            0,
            null(),
            null_mut()
        )),
        CL_INVALID_VALUE
    );
    assert_eq!(
        cl!(clEnqueueReadBuffer(
            context.queue,
            buffer.id,
            CL_TRUE,
            0,
            10,
            to,
            1,
            null(),
            null_mut()
        )),
        CL_INVALID_EVENT_WAIT_LIST
    );
    for (size, offset, length) in [(3, 0, 3), (4, 2, 4), (4, 0, 6), (0, 0, 4)] {
        let status = cl!(clEnqueueFillBuffer(
            context.queue,
            buffer.id,
            to,
            size,
            offset,
            length,
            0,
            null(),
            null_mut()
        ));
        assert_eq!(status, CL_INVALID_VALUE, "a pattern of {size}, {length} bytes from {offset}");
    }
}

#[test]
fn launches_that_cannot_be() {
    let context = Context::new();
    let program = context.program(
        "kernel void k(global int *r, int v, local int *l) { r[get_global_id(0)] = v; }",
        "-cl-std=CL1.2",
    );
    let kernel = program.kernel("k");
    assert_eq!(kernel.enqueue(&context, &Range::new([4])).err(), Some(CL_INVALID_KERNEL_ARGS));
    let value = 5i32;
    let address: *const c_void = (&raw const value).cast();
    assert_eq!(cl!(clSetKernelArg(kernel.id, 3, 4, address)), CL_INVALID_ARG_INDEX);
    assert_eq!(cl!(clSetKernelArg(kernel.id, 1, 8, address)), CL_INVALID_ARG_SIZE);
    assert_eq!(cl!(clSetKernelArg(kernel.id, 1, 4, null())), CL_INVALID_ARG_VALUE);
    assert_eq!(cl!(clSetKernelArg(kernel.id, 2, 4, address)), CL_INVALID_ARG_VALUE);
    // Since OpenCL 3.1: none is needed.
    assert_eq!(cl!(clSetKernelArg(kernel.id, 2, 0, null())), CL_SUCCESS);
    let buffer = context.zeros::<i32>(64);
    kernel.set(&[&buffer, &5, &brolga_tests::Local(16)]);
    let one = 1usize;
    for dimensions in [0, 4, u32::MAX] {
        let status = cl!(clEnqueueNDRangeKernel(
            context.queue,
            kernel.id,
            dimensions,
            null(),
            &one,
            null(),
            0,
            null(),
            null_mut()
        ));
        assert_eq!(status, CL_INVALID_WORK_DIMENSION);
    }
    let too_many = context.device.info(CL_DEVICE_MAX_WORK_ITEM_SIZES).unwrap().sizes()[0] as usize * 2;
    let local = kernel.enqueue(&context, &Range::new([too_many]).local([too_many])).err();
    assert!(
        local == Some(CL_INVALID_WORK_ITEM_SIZE) || local == Some(CL_INVALID_WORK_GROUP_SIZE),
        "{local:?}"
    );
    assert_eq!(
        kernel.enqueue(&context, &Range::new([10]).local([4])).err(),
        Some(CL_INVALID_WORK_GROUP_SIZE),
        "OpenCL C 1.2 has uniform groups"
    );
    kernel.enqueue(&context, &Range::new([64]).local([8])).unwrap().wait().unwrap();
    assert_eq!(buffer.read(), [5; 64]);
}

#[test]
fn too_much_local_memory() {
    let context = Context::new();
    let size = context.device.number(CL_DEVICE_LOCAL_MEM_SIZE) as usize;
    let program = context.program(
        "kernel void k(global int *r, local char *l) { l[get_local_id(0)] = 1; r[0] = l[0]; }",
        "",
    );
    let kernel = program.kernel("k");
    let r = context.zeros::<i32>(1);
    kernel.set(&[&r, &brolga_tests::Local(size)]);
    kernel.enqueue(&context, &Range::new([1]).local([1])).unwrap().wait().unwrap();
    // The size may be refused when it is set or when it is used.
    if cl!(clSetKernelArg(kernel.id, 1, size + 1, null())) == CL_SUCCESS {
        assert_eq!(
            kernel.enqueue(&context, &Range::new([1]).local([1])).err(),
            Some(CL_OUT_OF_RESOURCES)
        );
    }
}

#[test]
fn reference_counts() {
    let context = Context::new();
    let count = |context: cl_context| {
        let info = brolga_tests::info(|size, value, ret| cl!(clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, size, value, ret)));
        info.unwrap().number()
    };
    let before = count(context.id);
    assert_eq!(cl!(clRetainContext(context.id)), CL_SUCCESS);
    assert_eq!(count(context.id), before + 1);
    assert_eq!(cl!(clReleaseContext(context.id)), CL_SUCCESS);
    assert_eq!(count(context.id), before);
}

#[test]
fn objects_live_as_long_as_they_are_used() {
    let context = Context::new();
    let program = context.program("kernel void k(global int *r, int v) { r[get_global_id(0)] = v; }", "");
    let kernel = program.kernel("k");
    drop(program);
    let r = context.zeros::<i32>(1000);
    for v in 0..20 {
        let other = context.zeros::<i32>(1000);
        kernel.set(&[&other, &v]);
        kernel.enqueue(&context, &Range::new([1000])).unwrap();
        // `other` is released here, while its kernel may still run.
    }
    kernel.set(&[&r, &3]);
    kernel.enqueue(&context, &Range::new([1000])).unwrap();
    drop(kernel);
    assert_eq!(r.read(), [3; 1000]);
}
