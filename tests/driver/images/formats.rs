//! Which formats there are.

use super::KINDS;
use brolga_tests::cl_sys::*;
use brolga_tests::{Context, ImageFormat, Range, Shape, check, cl};
use std::ptr::null_mut;

fn formats(context: &Context, flags: cl_mem_flags, kind: cl_mem_object_type) -> Vec<ImageFormat> {
    let mut count = 0;
    check(
        cl!(clGetSupportedImageFormats(context.id, flags, kind, 0, null_mut(), &mut count)),
        "clGetSupportedImageFormats",
    );
    let none = || cl_image_format {
        image_channel_order: 0,
        image_channel_data_type: 0,
    };
    let mut list: Vec<cl_image_format> = (0..count).map(|_| none()).collect();
    check(
        cl!(clGetSupportedImageFormats(
            context.id,
            flags,
            kind,
            count,
            list.as_mut_ptr(),
            null_mut()
        )),
        "clGetSupportedImageFormats",
    );
    list.iter()
        .map(|format| (format.image_channel_order, format.image_channel_data_type))
        .collect()
}

#[test]
fn what_the_specification_demands_is_there() {
    let context = Context::new();
    if !context.has_images() {
        return;
    }
    let rgba = [
        CL_UNORM_INT8,
        CL_UNORM_INT16,
        CL_SIGNED_INT8,
        CL_SIGNED_INT16,
        CL_SIGNED_INT32,
        CL_UNSIGNED_INT8,
        CL_UNSIGNED_INT16,
        CL_UNSIGNED_INT32,
        CL_HALF_FLOAT,
        CL_FLOAT,
    ];
    let mut required: Vec<ImageFormat> = rgba.map(|data_type| (CL_RGBA, data_type)).to_vec();
    required.push((CL_BGRA, CL_UNORM_INT8));
    for kind in KINDS {
        for flags in [0, CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE] {
            let formats = formats(&context, flags, kind);
            for format in &required {
                assert!(formats.contains(format), "{kind:#x} {flags:#x} {format:x?}");
            }
        }
    }
}

/// What is listed for some flags can be made with them, and nothing else can.
#[test]
fn the_list_is_exact() {
    let context = Context::new();
    if !context.has_images() {
        return;
    }
    let buffer = context.zeros::<u8>(256);
    for kind in KINDS {
        let shape = match kind {
            CL_MEM_OBJECT_IMAGE1D_BUFFER => Shape::new(kind, [4, 1, 1]).of(buffer.id),
            CL_MEM_OBJECT_IMAGE1D => Shape::new(kind, [4, 1, 1]),
            CL_MEM_OBJECT_IMAGE2D | CL_MEM_OBJECT_IMAGE1D_ARRAY => Shape::new(kind, [4, 3, 1]),
            _ => Shape::new(kind, [4, 3, 2]),
        };
        for flags in [CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE] {
            // What an image is made of must allow what is asked for.
            let flags = if kind == CL_MEM_OBJECT_IMAGE1D_BUFFER {
                CL_MEM_READ_WRITE
            } else {
                flags
            };
            let listed = formats(&context, flags, kind);
            for order in CL_R..=CL_ABGR {
                for data_type in CL_SNORM_INT8..=0x10e0 {
                    let format = (order, data_type);
                    match context.try_image(flags, format, shape, null_mut()) {
                        Ok(image) => {
                            assert!(listed.contains(&format), "{kind:#x} {flags:#x} {format:x?} is not listed");
                            assert_eq!(
                                image.info(CL_IMAGE_FORMAT).unwrap().0,
                                [order.to_ne_bytes(), data_type.to_ne_bytes()].concat()
                            );
                        }
                        Err(status) => {
                            assert!(!listed.contains(&format), "{kind:#x} {flags:#x} {format:x?}: {status}");
                            let expected = [CL_IMAGE_FORMAT_NOT_SUPPORTED, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR];
                            assert!(expected.contains(&status), "{format:x?}: {status}");
                        }
                    }
                }
            }
        }
    }
}

/// An ignored fourth channel is in images that kernels only write.
#[test]
fn ignored_channels_are_written() {
    let context = Context::new();
    if !context.has_images() {
        return;
    }
    for kind in KINDS {
        let writes = formats(&context, CL_MEM_WRITE_ONLY, kind);
        for data_type in [CL_UNORM_INT8, CL_HALF_FLOAT, CL_UNORM_INT_101010, CL_SIGNED_INT16] {
            assert!(writes.contains(&(CL_RGBx, data_type)), "{kind:#x} {data_type:#x}");
        }
        assert!(writes.contains(&(CL_sRGBx, CL_UNORM_INT8)));
    }
    let program = context.program(
        "kernel void put(write_only image2d_t to) { write_imagef(to, (int2)(1, 0), (float4)(1.0f, 0.5f, 0.25f, 0.0f)); }",
        "",
    );
    for (format, pixel) in [
        ((CL_RGBx, CL_UNORM_INT8), [255, 128, 64]),
        ((CL_RGBx, CL_SNORM_INT8), [127, 64, 32]),
        ((CL_sRGBx, CL_UNORM_INT8), [255, 188, 137]),
    ] {
        let image = context.try_image(CL_MEM_WRITE_ONLY, format, Shape::d2(2, 1), null_mut());
        let image = image.expect("an image to write");
        program.kernel("put").run(&context, &Range::new([1]), &[&image]);
        assert_eq!(image.read()[4..7], pixel, "{format:x?}");
    }
}

#[test]
fn wrong_questions() {
    let context = Context::new();
    let ask = |flags, kind, entries, list| cl!(clGetSupportedImageFormats(context.id, flags, kind, entries, list, null_mut()));
    assert_eq!(ask(0, CL_MEM_OBJECT_BUFFER, 0, null_mut()), CL_INVALID_VALUE);
    assert_eq!(
        ask(CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, CL_MEM_OBJECT_IMAGE2D, 0, null_mut()),
        CL_INVALID_VALUE
    );
    assert_eq!(ask(1 << 40, CL_MEM_OBJECT_IMAGE2D, 0, null_mut()), CL_INVALID_VALUE);
    let mut one = cl_image_format {
        image_channel_order: 0,
        image_channel_data_type: 0,
    };
    assert_eq!(ask(0, CL_MEM_OBJECT_IMAGE2D, 0, &mut one), CL_INVALID_VALUE);
    assert_eq!(ask(0, CL_MEM_OBJECT_IMAGE2D, 1, &mut one), CL_SUCCESS);
}
