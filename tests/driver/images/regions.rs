//! Regions, objects and flags that commands on images refuse, all in the same way.

use super::RGBA8;
use brolga_tests::cl_sys::*;
use brolga_tests::{Context, Shape, cl};
use std::ptr::{null, null_mut};

/// A call of a command on an image with an origin, a region and the image's handle.
type Call<'a> = (&'static str, Box<dyn Fn(cl_mem, *const usize, *const usize) -> cl_int + 'a>);

fn calls<'a>(context: &'a Context, buffer: cl_mem, host: *mut c_void) -> [Call<'a>; 6] {
    let queue = context.queue;
    let colour = host;
    [
        (
            "clEnqueueReadImage",
            Box::new(move |image, origin, region| {
                cl!(clEnqueueReadImage(
                    queue,
                    image,
                    CL_TRUE,
                    origin,
                    region,
                    0,
                    0,
                    host,
                    0,
                    null(),
                    null_mut()
                ))
            }),
        ),
        (
            "clEnqueueWriteImage",
            Box::new(move |image, origin, region| {
                cl!(clEnqueueWriteImage(
                    queue,
                    image,
                    CL_TRUE,
                    origin,
                    region,
                    0,
                    0,
                    host,
                    0,
                    null(),
                    null_mut()
                ))
            }),
        ),
        (
            "clEnqueueFillImage",
            Box::new(move |image, origin, region| cl!(clEnqueueFillImage(queue, image, colour, origin, region, 0, null(), null_mut()))),
        ),
        (
            "clEnqueueCopyImageToBuffer",
            Box::new(move |image, origin, region| {
                cl!(clEnqueueCopyImageToBuffer(
                    queue,
                    image,
                    buffer,
                    origin,
                    region,
                    0,
                    0,
                    null(),
                    null_mut()
                ))
            }),
        ),
        (
            "clEnqueueCopyBufferToImage",
            Box::new(move |image, origin, region| {
                cl!(clEnqueueCopyBufferToImage(
                    queue,
                    buffer,
                    image,
                    0,
                    origin,
                    region,
                    0,
                    null(),
                    null_mut()
                ))
            }),
        ),
        (
            "clEnqueueMapImage",
            Box::new(move |image, origin, region| {
                let (mut row, mut slice, mut status) = (0, 0, 0);
                let pointer = cl!(clEnqueueMapImage(
                    queue,
                    image,
                    CL_TRUE,
                    CL_MAP_READ,
                    origin,
                    region,
                    &mut row,
                    &mut slice,
                    0,
                    null(),
                    null_mut(),
                    &mut status
                ));
                assert_eq!(pointer.is_null(), status != CL_SUCCESS);
                if !pointer.is_null() {
                    cl!(clEnqueueUnmapMemObject(queue, image, pointer, 0, null(), null_mut()));
                }
                status
            }),
        ),
    ]
}

#[test]
fn regions_that_do_not_lie_in_the_image() {
    let context = Context::new();
    if !context.has_images() {
        return;
    }
    let buffer = context.zeros::<u8>(4096);
    let mut host = vec![0u8; 4096];
    let calls = calls(&context, buffer.id, host.as_mut_ptr().cast());
    for shape in super::shapes() {
        let image = context.image(RGBA8, shape);
        let whole = shape.size;
        for (name, call) in &calls {
            assert_eq!(call(image.id, [0; 3].as_ptr(), whole.as_ptr()), CL_SUCCESS, "{name} {shape:?}");
            assert_eq!(call(image.id, null(), whole.as_ptr()), CL_INVALID_VALUE, "{name}");
            assert_eq!(call(image.id, [0; 3].as_ptr(), null()), CL_INVALID_VALUE, "{name}");
            for dimension in 0..3 {
                // Empty, too long, not in the image, and numbers that overflow.
                let (origin, mut region) = ([0usize; 3], whole);
                region[dimension] = 0;
                assert_eq!(call(image.id, origin.as_ptr(), region.as_ptr()), CL_INVALID_VALUE, "{name}");
                region[dimension] = whole[dimension] + 1;
                assert_eq!(call(image.id, origin.as_ptr(), region.as_ptr()), CL_INVALID_VALUE, "{name}");
                let mut origin = [0usize; 3];
                origin[dimension] = whole[dimension];
                assert_eq!(call(image.id, origin.as_ptr(), [1; 3].as_ptr()), CL_INVALID_VALUE, "{name}");
                origin[dimension] = usize::MAX;
                assert_eq!(call(image.id, origin.as_ptr(), [1; 3].as_ptr()), CL_INVALID_VALUE, "{name}");
                region[dimension] = usize::MAX;
                assert_eq!(call(image.id, [0; 3].as_ptr(), region.as_ptr()), CL_INVALID_VALUE, "{name}");
            }
        }
    }
}

#[test]
fn objects_that_are_no_images_of_the_context() {
    let context = Context::new();
    if !context.has_images() {
        return;
    }
    let other = Context::new();
    let buffer = context.zeros::<u8>(256);
    let mut host = vec![0u8; 256];
    let image = context.image(RGBA8, Shape::d2(4, 4));
    let foreign = other.image(RGBA8, Shape::d2(4, 4));
    let (zero, one) = ([0usize; 3], [1usize; 3]);
    for (name, call) in calls(&context, buffer.id, host.as_mut_ptr().cast()) {
        assert_eq!(call(buffer.id, zero.as_ptr(), one.as_ptr()), CL_INVALID_MEM_OBJECT, "{name}");
        assert_eq!(
            call(context.id.cast(), zero.as_ptr(), one.as_ptr()),
            CL_INVALID_MEM_OBJECT,
            "{name}"
        );
        assert_eq!(call(null_mut(), zero.as_ptr(), one.as_ptr()), CL_INVALID_MEM_OBJECT, "{name}");
        assert_eq!(call(foreign.id, zero.as_ptr(), one.as_ptr()), CL_INVALID_CONTEXT, "{name}");
    }
    for (name, call) in calls(&context, image.id, host.as_mut_ptr().cast()) {
        if name.contains("Buffer") {
            assert_eq!(call(image.id, zero.as_ptr(), one.as_ptr()), CL_INVALID_MEM_OBJECT, "{name}");
        }
    }
    // Commands on buffers take no images.
    let mut status = 0;
    let size = 4;
    assert_eq!(
        cl!(clEnqueueReadBuffer(
            context.queue,
            image.id,
            CL_TRUE,
            0,
            size,
            host.as_mut_ptr().cast(),
            0,
            null(),
            null_mut()
        )),
        CL_INVALID_MEM_OBJECT
    );
    cl!(clEnqueueMapBuffer(
        context.queue,
        image.id,
        CL_TRUE,
        CL_MAP_READ,
        0,
        size,
        0,
        null(),
        null_mut(),
        &mut status
    ));
    assert_eq!(status, CL_INVALID_MEM_OBJECT);
    let region = cl_buffer_region { origin: 0, size: 4 };
    cl!(clCreateSubBuffer(
        image.id,
        0,
        CL_BUFFER_CREATE_TYPE_REGION,
        (&raw const region).cast(),
        &mut status
    ));
    assert_eq!(status, CL_INVALID_MEM_OBJECT);
    // An image buffer and its buffer.
    let line = Shape::new(CL_MEM_OBJECT_IMAGE1D_BUFFER, [16, 1, 1]).of(buffer.id);
    let line = context.try_image(0, RGBA8, line, null_mut()).unwrap();
    for (name, call) in calls(&context, buffer.id, host.as_mut_ptr().cast()) {
        let expected = if name.contains("Buffer") {
            CL_INVALID_MEM_OBJECT
        } else {
            CL_SUCCESS
        };
        assert_eq!(call(line.id, zero.as_ptr(), one.as_ptr()), expected, "{name}");
    }
}

#[test]
fn what_the_host_may_not_do() {
    let context = Context::new();
    if !context.has_images() {
        return;
    }
    let buffer = context.zeros::<u8>(256);
    let mut host = vec![0u8; 256];
    let (zero, one) = ([0usize; 3], [1usize; 3]);
    for (flags, forbidden) in [
        (CL_MEM_HOST_READ_ONLY, &["clEnqueueWriteImage"][..]),
        (CL_MEM_HOST_WRITE_ONLY, &["clEnqueueReadImage", "clEnqueueMapImage"]),
        (
            CL_MEM_HOST_NO_ACCESS,
            &["clEnqueueReadImage", "clEnqueueWriteImage", "clEnqueueMapImage"],
        ),
    ] {
        let image = context.try_image(flags, RGBA8, Shape::d2(4, 4), null_mut()).unwrap();
        for (name, call) in calls(&context, buffer.id, host.as_mut_ptr().cast()) {
            let expected = if forbidden.contains(&name) {
                CL_INVALID_OPERATION
            } else {
                CL_SUCCESS
            };
            assert_eq!(call(image.id, zero.as_ptr(), one.as_ptr()), expected, "{name} {flags:#x}");
        }
    }
}
