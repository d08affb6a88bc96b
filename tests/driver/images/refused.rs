//! What the specification has refused.

use super::RGBA8;
use brolga_tests::cl_sys::*;
use brolga_tests::{Context, ImageFormat, Shape, cl};
use std::ptr::{null, null_mut};

#[test]
fn images_that_cannot_be() {
    let context = Context::new();
    if !context.has_images() {
        return;
    }
    let mut host = vec![0u8; 4096];
    let pointer = host.as_mut_ptr();
    let none = null_mut();
    let fails = |flags, format: ImageFormat, shape: Shape, host| context.try_image(flags, format, shape, host).err();
    let plane = Shape::d2(4, 4);

    // Flags.
    for flags in [
        1 << 30,
        CL_MEM_KERNEL_READ_AND_WRITE,
        CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY,
        CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS,
        CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR,
    ] {
        assert_eq!(fails(flags, RGBA8, plane, pointer), Some(CL_INVALID_VALUE), "{flags:#x}");
    }
    // Pointers.
    assert_eq!(fails(CL_MEM_USE_HOST_PTR, RGBA8, plane, none), Some(CL_INVALID_HOST_PTR));
    assert_eq!(fails(CL_MEM_COPY_HOST_PTR, RGBA8, plane, none), Some(CL_INVALID_HOST_PTR));
    assert_eq!(fails(0, RGBA8, plane, pointer), Some(CL_INVALID_HOST_PTR));
    // Formats.
    for format in [
        (0, CL_UNORM_INT8),
        (CL_RGBA, 0),
        (CL_RGBA, CL_UNORM_SHORT_565),
        (CL_R, CL_UNORM_INT_101010),
        (CL_RGB, 0x10e0),
        (CL_RGBA, 0x10e1),
    ] {
        assert_eq!(
            fails(0, format, plane, none),
            Some(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR),
            "{format:x?}"
        );
    }
    for format in [
        (CL_RGB, CL_UNORM_INT8),
        (CL_DEPTH, CL_UNSIGNED_INT8),
        (CL_LUMINANCE, CL_SIGNED_INT8),
        (CL_RGBA, 0x10df),
    ] {
        assert_eq!(fails(0, format, plane, none), Some(CL_IMAGE_FORMAT_NOT_SUPPORTED), "{format:x?}");
    }
    // Sizes.
    let limit = |name| context.device.number(name) as usize;
    let (most, most_3d) = (limit(CL_DEVICE_IMAGE2D_MAX_WIDTH), limit(CL_DEVICE_IMAGE3D_MAX_DEPTH));
    let layers = limit(CL_DEVICE_IMAGE_MAX_ARRAY_SIZE);
    for shape in [
        Shape::d2(0, 4),
        Shape::d2(4, 0),
        Shape::d2(most + 1, 1),
        Shape::d2(1, limit(CL_DEVICE_IMAGE2D_MAX_HEIGHT) + 1),
        Shape::new(CL_MEM_OBJECT_IMAGE1D, [most + 1, 1, 1]),
        Shape::new(CL_MEM_OBJECT_IMAGE3D, [4, 4, 0]),
        Shape::new(CL_MEM_OBJECT_IMAGE3D, [limit(CL_DEVICE_IMAGE3D_MAX_WIDTH) + 1, 1, 1]),
        Shape::new(CL_MEM_OBJECT_IMAGE3D, [1, limit(CL_DEVICE_IMAGE3D_MAX_HEIGHT) + 1, 1]),
        Shape::new(CL_MEM_OBJECT_IMAGE3D, [1, 1, most_3d + 1]),
        Shape::new(CL_MEM_OBJECT_IMAGE1D_ARRAY, [1, 0, 1]),
        Shape::new(CL_MEM_OBJECT_IMAGE1D_ARRAY, [1, layers + 1, 1]),
        Shape::new(CL_MEM_OBJECT_IMAGE2D_ARRAY, [1, 1, layers + 1]),
    ] {
        assert_eq!(fails(0, RGBA8, shape, none), Some(CL_INVALID_IMAGE_SIZE), "{shape:?}");
    }
    // Descriptors.
    let deep = Shape::new(CL_MEM_OBJECT_IMAGE3D, [4, 4, 4]);
    let lines = Shape::new(CL_MEM_OBJECT_IMAGE1D_ARRAY, [4, 4, 1]);
    for (shape, host, flags) in [
        (Shape::new(CL_MEM_OBJECT_BUFFER, [4, 1, 1]), none, 0),
        (Shape::new(CL_MEM_OBJECT_IMAGE1D_BUFFER, [4, 1, 1]), none, 0),
        // Pitches without a pointer; too small, or uneven.
        (plane.pitches(16, 0), none, 0),
        (deep.pitches(0, 64), none, 0),
        (plane.pitches(12, 0), pointer, CL_MEM_USE_HOST_PTR),
        (plane.pitches(18, 0), pointer, CL_MEM_COPY_HOST_PTR),
        (deep.pitches(16, 48), pointer, CL_MEM_USE_HOST_PTR),
        (deep.pitches(16, 72), pointer, CL_MEM_USE_HOST_PTR),
        (lines.pitches(32, 16), pointer, CL_MEM_USE_HOST_PTR),
        (lines.pitches(usize::MAX & !3, 0), pointer, CL_MEM_USE_HOST_PTR),
        (deep.pitches(1 << 61, 0), pointer, CL_MEM_USE_HOST_PTR),
    ] {
        assert_eq!(fails(flags, RGBA8, shape, host), Some(CL_INVALID_IMAGE_DESCRIPTOR), "{shape:?}");
    }
    let (format, mut status) = (
        cl_image_format {
            image_channel_order: CL_RGBA,
            image_channel_data_type: CL_UNORM_INT8,
        },
        0,
    );
    let mut wrong = plane.descriptor();
    wrong.num_samples = 1;
    cl!(clCreateImage(context.id, 0, &format, &wrong, none.cast(), &mut status));
    assert_eq!(status, CL_INVALID_IMAGE_DESCRIPTOR);
    cl!(clCreateImage(context.id, 0, &format, null(), none.cast(), &mut status));
    assert_eq!(status, CL_INVALID_IMAGE_DESCRIPTOR);
    cl!(clCreateImage(context.id, 0, null(), &plane.descriptor(), none.cast(), &mut status));
    assert_eq!(status, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    let properties = [1, 2, 0];
    cl!(clCreateImageWithProperties(
        context.id,
        properties.as_ptr(),
        0,
        &format,
        &plane.descriptor(),
        none.cast(),
        &mut status
    ));
    assert_eq!(status, CL_INVALID_PROPERTY);
    // More memory than one object may have.
    let huge = Shape::new(CL_MEM_OBJECT_IMAGE3D, [2048, 2048, 2048]);
    assert_eq!(fails(0, (CL_RGBA, CL_FLOAT), huge, none), Some(CL_MEM_OBJECT_ALLOCATION_FAILURE));
}

/// Those of OpenCL 1.1 name other errors.
#[test]
fn images_that_cannot_be_by_the_older_functions() {
    let context = Context::new();
    if !context.has_images() {
        return;
    }
    let mut format = cl_image_format {
        image_channel_order: CL_RGBA,
        image_channel_data_type: CL_UNORM_INT8,
    };
    let mut host = vec![0u8; 4096];
    let pointer: *mut c_void = host.as_mut_ptr().cast();
    let mut plane = |width, height, pitch, flags, host| {
        let mut status = 0;
        let image = cl!(clCreateImage2D(
            context.id,
            flags,
            &mut format,
            width,
            height,
            pitch,
            host,
            &mut status
        ));
        if status == CL_SUCCESS {
            cl!(clReleaseMemObject(image));
        }
        status
    };
    assert_eq!(plane(4, 4, 0, 0, null_mut()), CL_SUCCESS);
    assert_eq!(plane(4, 4, 32, CL_MEM_COPY_HOST_PTR, pointer), CL_SUCCESS);
    assert_eq!(plane(0, 4, 0, 0, null_mut()), CL_INVALID_IMAGE_SIZE);
    assert_eq!(plane(4, 4, 16, 0, null_mut()), CL_INVALID_IMAGE_SIZE);
    assert_eq!(plane(4, 4, 15, CL_MEM_COPY_HOST_PTR, pointer), CL_INVALID_IMAGE_SIZE);
    let mut deep = |depth, row, slice| {
        let mut status = 0;
        let flags = CL_MEM_COPY_HOST_PTR;
        let image = cl!(clCreateImage3D(
            context.id,
            flags,
            &mut format,
            4,
            4,
            depth,
            row,
            slice,
            pointer,
            &mut status
        ));
        if status == CL_SUCCESS {
            cl!(clReleaseMemObject(image));
        }
        status
    };
    assert_eq!(deep(2, 32, 128), CL_SUCCESS);
    assert_eq!(deep(1, 0, 0), CL_INVALID_IMAGE_SIZE);
    assert_eq!(deep(2, 32, 64), CL_INVALID_IMAGE_SIZE);
}

#[test]
fn other_arguments_of_the_commands() {
    let context = Context::new();
    if !context.has_images() {
        return;
    }
    let queue = context.queue;
    let (zero, whole) = ([0usize; 3], [4usize, 4, 1]);
    let mut host = vec![0u8; 4096];
    let pointer: *mut c_void = host.as_mut_ptr().cast();
    let plane = context.image(RGBA8, Shape::d2(4, 4));
    let deep = context.image(RGBA8, Shape::new(CL_MEM_OBJECT_IMAGE3D, [4, 4, 4]));
    let lines = context.image(RGBA8, Shape::new(CL_MEM_OBJECT_IMAGE1D_ARRAY, [4, 4, 1]));
    let read = |image: cl_mem, row, slice, pointer| {
        let (origin, region) = (zero.as_ptr(), whole.as_ptr());
        cl!(clEnqueueReadImage(
            queue,
            image,
            CL_TRUE,
            origin,
            region,
            row,
            slice,
            pointer,
            0,
            null(),
            null_mut()
        ))
    };
    assert_eq!(read(plane.id, 0, 0, null_mut()), CL_INVALID_VALUE);
    assert_eq!(read(plane.id, 15, 0, pointer), CL_INVALID_VALUE);
    assert_eq!(read(plane.id, 16, 64, pointer), CL_INVALID_VALUE);
    assert_eq!(read(deep.id, 16, 63, pointer), CL_INVALID_VALUE);
    assert_eq!(read(deep.id, usize::MAX, 0, pointer), CL_INVALID_VALUE);
    assert_eq!(read(lines.id, 32, 16, pointer), CL_INVALID_VALUE);
    assert_eq!(read(lines.id, 32, 32, pointer), CL_SUCCESS);
    assert_eq!(read(lines.id, 0, usize::MAX, pointer), CL_INVALID_VALUE);
    // Wait lists.
    let status = cl!(clEnqueueReadImage(
        queue,
        plane.id,
        CL_TRUE,
        zero.as_ptr(),
        whole.as_ptr(),
        0,
        0,
        pointer,
        1,
        null(),
        null_mut()
    ));
    assert_eq!(status, CL_INVALID_EVENT_WAIT_LIST);
    // Fill without a colour.
    let status = cl!(clEnqueueFillImage(
        queue,
        plane.id,
        null(),
        zero.as_ptr(),
        whole.as_ptr(),
        0,
        null(),
        null_mut()
    ));
    assert_eq!(status, CL_INVALID_VALUE);
    // Copies between formats, and out of the buffer.
    let other = context.image((CL_RGBA, CL_SIGNED_INT8), Shape::d2(4, 4));
    let status = cl!(clEnqueueCopyImage(
        queue,
        plane.id,
        other.id,
        zero.as_ptr(),
        zero.as_ptr(),
        whole.as_ptr(),
        0,
        null(),
        null_mut()
    ));
    assert_eq!(status, CL_IMAGE_FORMAT_MISMATCH);
    let buffer = context.zeros::<u8>(70);
    let to_buffer = |offset| {
        let (origin, region) = (zero.as_ptr(), whole.as_ptr());
        cl!(clEnqueueCopyImageToBuffer(
            queue,
            plane.id,
            buffer.id,
            origin,
            region,
            offset,
            0,
            null(),
            null_mut()
        ))
    };
    assert_eq!(to_buffer(6), CL_SUCCESS);
    assert_eq!(to_buffer(7), CL_INVALID_VALUE);
    assert_eq!(to_buffer(usize::MAX), CL_INVALID_VALUE);
    // Maps.
    let map = |image: cl_mem, flags, row: *mut usize, slice: *mut usize| {
        let mut status = 0;
        cl!(clEnqueueMapImage(
            queue,
            image,
            CL_TRUE,
            flags,
            zero.as_ptr(),
            whole.as_ptr(),
            row,
            slice,
            0,
            null(),
            null_mut(),
            &mut status
        ));
        status
    };
    let (mut row, mut slice) = (0, 0);
    assert_eq!(map(plane.id, 1 << 9, &mut row, &mut slice), CL_INVALID_VALUE);
    assert_eq!(
        map(plane.id, CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION, &mut row, &mut slice),
        CL_INVALID_VALUE
    );
    assert_eq!(map(plane.id, CL_MAP_READ, null_mut(), &mut slice), CL_INVALID_VALUE);
    assert_eq!(map(plane.id, CL_MAP_READ, &mut row, null_mut()), CL_SUCCESS);
    assert_eq!(map(deep.id, CL_MAP_READ, &mut row, null_mut()), CL_INVALID_VALUE);
    assert_eq!(map(lines.id, CL_MAP_READ, &mut row, null_mut()), CL_INVALID_VALUE);
    context.finish();
}
