//! Images and samplers as arguments of kernels.

use super::RGBA8;
use brolga_tests::cl_sys::*;
use brolga_tests::{Argument, Context, Kernel, Shape, cl};
use std::ptr::{null, null_mut};

const SOURCE: &str = "
    kernel void planes(read_only image2d_t from, write_only image2d_t to, sampler_t sampler) {
        int2 at = (int2)(get_global_id(0), get_global_id(1));
        write_imagef(to, at, read_imagef(from, sampler, at));
    }
    kernel void others(read_only image1d_t a, read_only image3d_t b, read_only image2d_array_t c, read_only image1d_array_t d,
                       read_only image1d_buffer_t e, global int *r) {
        r[0] = get_image_width(a) + get_image_depth(b) + get_image_array_size(c) + get_image_array_size(d) + get_image_width(e);
    }";

fn set(kernel: &Kernel, index: u32, argument: &dyn Argument) -> cl_int {
    let (size, value) = argument.value();
    cl!(clSetKernelArg(kernel.id, index, size, value))
}

#[test]
fn arguments_must_fit() {
    let context = Context::new();
    if !context.has_images() {
        return;
    }
    let program = context.program(SOURCE, "");
    let planes = program.kernel("planes");
    let make = |flags| context.try_image(flags, RGBA8, Shape::d2(4, 4), null_mut()).unwrap();
    let (read_only, write_only, both) = (make(CL_MEM_READ_ONLY), make(CL_MEM_WRITE_ONLY), make(0));
    assert_eq!(set(&planes, 0, &read_only), CL_SUCCESS);
    assert_eq!(set(&planes, 0, &both), CL_SUCCESS);
    assert_eq!(set(&planes, 0, &write_only), CL_INVALID_ARG_VALUE);
    assert_eq!(set(&planes, 1, &write_only), CL_SUCCESS);
    assert_eq!(set(&planes, 1, &both), CL_SUCCESS);
    assert_eq!(set(&planes, 1, &read_only), CL_INVALID_ARG_VALUE);
    // What is no image, or no image of two dimensions.
    let buffer = context.zeros::<i32>(64);
    let line = context.image(RGBA8, Shape::new(CL_MEM_OBJECT_IMAGE1D, [4, 1, 1]));
    let layers = context.image(RGBA8, Shape::new(CL_MEM_OBJECT_IMAGE2D_ARRAY, [4, 4, 1]));
    assert_eq!(set(&planes, 0, &buffer), CL_INVALID_MEM_OBJECT);
    assert_eq!(set(&planes, 0, &line), CL_INVALID_MEM_OBJECT);
    assert_eq!(set(&planes, 0, &layers), CL_INVALID_MEM_OBJECT);
    assert_eq!(cl!(clSetKernelArg(planes.id, 0, 8, null())), CL_INVALID_MEM_OBJECT);
    assert_eq!(
        cl!(clSetKernelArg(planes.id, 0, 8, (&raw const context.id).cast())),
        CL_INVALID_MEM_OBJECT
    );
    let nothing: cl_mem = null_mut();
    assert_eq!(
        cl!(clSetKernelArg(planes.id, 0, 8, (&raw const nothing).cast())),
        CL_INVALID_MEM_OBJECT
    );
    assert_eq!(
        cl!(clSetKernelArg(planes.id, 0, 4, (&raw const both.id).cast())),
        CL_INVALID_ARG_SIZE
    );
    let other = Context::new();
    let foreign = other.image(RGBA8, Shape::d2(4, 4));
    assert_eq!(set(&planes, 0, &foreign), CL_INVALID_CONTEXT);
    // Samplers.
    let sampler = context.sampler(false, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST);
    assert_eq!(set(&planes, 2, &sampler), CL_SUCCESS);
    assert_eq!(set(&planes, 2, &both), CL_INVALID_SAMPLER);
    assert_eq!(cl!(clSetKernelArg(planes.id, 2, 8, null())), CL_INVALID_SAMPLER);
    assert_eq!(
        cl!(clSetKernelArg(planes.id, 2, 4, (&raw const sampler.0).cast())),
        CL_INVALID_ARG_SIZE
    );
    let foreign = other.sampler(false, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST);
    assert_eq!(set(&planes, 2, &foreign), CL_INVALID_CONTEXT);
    // A buffer's place takes no image.
    let others = program.kernel("others");
    assert_eq!(set(&others, 5, &both), CL_INVALID_MEM_OBJECT);
    assert_eq!(set(&others, 5, &buffer), CL_SUCCESS);
    assert_eq!(set(&others, 0, &both), CL_INVALID_MEM_OBJECT);
    assert_eq!(set(&others, 0, &line), CL_SUCCESS);
    assert_eq!(set(&others, 2, &layers), CL_SUCCESS);
}
