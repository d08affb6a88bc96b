//! Images are made, and asked about.

use super::{RGBA8, noise, shapes};
use brolga_tests::cl_sys::*;
use brolga_tests::version3::*;
use brolga_tests::{Context, Shape, check, cl, info};
use std::ptr::null_mut;

#[test]
fn infos_tell_what_was_asked_for() {
    let context = Context::new();
    if !context.has_images() {
        return;
    }
    for shape in shapes() {
        let image = context.image((CL_RG, CL_UNSIGNED_INT16), shape);
        let [width, height, depth] = shape.size.map(|size| size as u64);
        let (rows, layers) = match shape.kind {
            CL_MEM_OBJECT_IMAGE1D => (0, 0),
            CL_MEM_OBJECT_IMAGE1D_ARRAY => (0, height),
            CL_MEM_OBJECT_IMAGE2D_ARRAY => (height, depth),
            _ => (height, 0),
        };
        let slices = if shape.kind == CL_MEM_OBJECT_IMAGE3D { depth } else { 0 };
        assert_eq!(image.number(CL_IMAGE_ELEMENT_SIZE), 4);
        assert_eq!(image.number(CL_IMAGE_WIDTH), width);
        assert_eq!(image.number(CL_IMAGE_HEIGHT), rows);
        assert_eq!(image.number(CL_IMAGE_DEPTH), slices);
        assert_eq!(image.number(CL_IMAGE_ARRAY_SIZE), layers);
        assert_eq!(image.number(CL_IMAGE_ROW_PITCH), width * 4);
        let slice = if slices + layers > 0 { width * 4 * rows.max(1) } else { 0 };
        assert_eq!(image.number(CL_IMAGE_SLICE_PITCH), slice);
        assert_eq!(image.number(CL_IMAGE_BUFFER), 0);
        assert_eq!(image.number(CL_IMAGE_NUM_MIP_LEVELS), 0);
        assert_eq!(image.number(CL_IMAGE_NUM_SAMPLES), 0);
        assert_eq!(image.info(0x1234), Err(CL_INVALID_VALUE));
        let memory = |name| info(|size, value, ret| cl!(clGetMemObjectInfo(image.id, name, size, value, ret)));
        assert_eq!(memory(CL_MEM_TYPE).unwrap().number(), shape.kind.into());
        assert_eq!(memory(CL_MEM_SIZE).unwrap().number(), (shape.pixels() * 4) as u64);
        assert_eq!(memory(CL_MEM_FLAGS).unwrap().number(), CL_MEM_READ_WRITE);
    }
    let buffer = context.zeros::<u8>(4);
    let answer = info(|size, value, ret| cl!(clGetImageInfo(buffer.id, CL_IMAGE_WIDTH, size, value, ret)));
    assert_eq!(answer, Err(CL_INVALID_MEM_OBJECT));
}

#[test]
fn memory_of_the_host_with_pitches() {
    let context = Context::new();
    if !context.has_images() {
        return;
    }
    for shape in shapes() {
        // 3 pixels at the end of each row, a row at the end of each slice.
        let [width, height, depth] = shape.size;
        let row = (width + 3) * 4;
        let (rows, slices) = match shape.kind {
            CL_MEM_OBJECT_IMAGE1D_ARRAY => (1, height),
            _ => (height, depth),
        };
        let has_slices = !matches!(shape.kind, CL_MEM_OBJECT_IMAGE1D | CL_MEM_OBJECT_IMAGE2D);
        let slice = row * (rows + 1);
        let shape = shape.pitches(row, if has_slices { slice } else { 0 });
        let mut host = noise(slice * slices);
        let mut want = Vec::new();
        for z in 0..slices {
            for y in 0..rows {
                want.extend_from_slice(&host[z * slice + y * row..][..width * 4]);
            }
        }
        for flags in [
            CL_MEM_USE_HOST_PTR,
            CL_MEM_COPY_HOST_PTR,
            CL_MEM_COPY_HOST_PTR | CL_MEM_ALLOC_HOST_PTR,
        ] {
            let image = context.try_image(flags, RGBA8, shape, host.as_mut_ptr()).unwrap();
            assert_eq!(image.read(), want, "{:#x}", shape.kind);
            assert_eq!(image.number(CL_IMAGE_ROW_PITCH), row as u64);
            assert_eq!(image.number(CL_IMAGE_SLICE_PITCH), if has_slices { slice as u64 } else { 0 });
            let used = info(|size, value, ret| cl!(clGetMemObjectInfo(image.id, CL_MEM_HOST_PTR, size, value, ret)));
            let uses = flags & CL_MEM_USE_HOST_PTR != 0;
            assert_eq!(used.unwrap().number(), if uses { host.as_ptr() as u64 } else { 0 });
        }
        let image = context.try_image(CL_MEM_USE_HOST_PTR, RGBA8, shape, host.as_mut_ptr()).unwrap();
        image.write(&vec![0xee; want.len()]);
        drop(image);
        let padding = noise(slice * slices);
        for (index, (&got, &before)) in host.iter().zip(&padding).enumerate() {
            let inside = index % row < width * 4 && index % slice / row < rows;
            assert_eq!(got, if inside { 0xee } else { before });
        }
    }
}

#[test]
fn images_made_of_buffers() {
    let context = Context::new();
    if !context.has_images() {
        return;
    }
    let buffer = context.buffer(&noise(1024));
    let line = Shape::new(CL_MEM_OBJECT_IMAGE1D_BUFFER, [20, 1, 1]).of(buffer.id);
    let image = context.try_image(0, RGBA8, line, null_mut()).unwrap();
    assert_eq!(image.read(), noise(1024)[..80]);
    assert_eq!(image.number(CL_IMAGE_BUFFER), buffer.id as u64);
    image.write(&[3; 80]);
    assert_eq!(buffer.read()[..81], [[3; 80].as_slice(), &noise(81)[80..]].concat());
    // The image keeps the buffer.
    let other = context.buffer(&noise(64));
    let image = context
        .try_image(0, RGBA8, Shape { size: [16, 1, 1], ..line }.of(other.id), null_mut())
        .unwrap();
    drop(other);
    assert_eq!(image.read(), noise(64));
    if !context.device.has_extension("cl_khr_image2d_from_buffer") {
        return;
    }
    let buffer = context.buffer(&noise(1024));
    let pitch = 4 * 16_usize.next_multiple_of(context.device.number(CL_DEVICE_IMAGE_PITCH_ALIGNMENT) as usize);
    let plane = Shape::d2(10, 4).pitches(pitch, 0).of(buffer.id);
    let image = context.try_image(CL_MEM_READ_ONLY, RGBA8, plane, null_mut()).unwrap();
    let want: Vec<u8> = (0..4).flat_map(|y| noise(1024)[y * pitch..][..40].to_vec()).collect();
    assert_eq!(image.read(), want);
    assert_eq!(image.number(CL_IMAGE_ROW_PITCH), pitch as u64);
    assert_eq!(image.number(CL_IMAGE_BUFFER), buffer.id as u64);
    // Too wide, too high, an uneven pitch, an uneven place.
    let fails = |shape: Shape| context.try_image(0, RGBA8, shape, null_mut()).err();
    assert_eq!(
        fails(Shape {
            size: [257, 1, 1],
            ..line.of(buffer.id)
        }),
        Some(CL_INVALID_IMAGE_SIZE)
    );
    assert_eq!(
        fails(Shape {
            size: [10, 1024 / pitch + 1, 1],
            ..plane
        }),
        Some(CL_INVALID_IMAGE_SIZE)
    );
    assert_eq!(fails(plane.pitches(pitch + 2, 0)), Some(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR));
    assert_eq!(fails(plane.pitches(36, 0)), Some(CL_INVALID_IMAGE_DESCRIPTOR));
    assert_eq!(fails(plane.pitches(pitch, pitch * 4)), Some(CL_INVALID_IMAGE_DESCRIPTOR));
    let mut host = noise(1025);
    let mut status = 0;
    let uneven = cl!(clCreateBuffer(
        context.id,
        CL_MEM_USE_HOST_PTR,
        1024,
        host.as_mut_ptr().wrapping_add(1).cast(),
        &mut status
    ));
    check(status, "clCreateBuffer");
    assert_eq!(fails(plane.of(uneven)), Some(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR));
    check(cl!(clReleaseMemObject(uneven)), "clReleaseMemObject");
    // Made only of buffers, and only these kinds.
    assert_eq!(
        fails(
            Shape {
                kind: CL_MEM_OBJECT_IMAGE1D_BUFFER,
                ..plane
            }
            .of(null_mut())
        ),
        Some(CL_INVALID_IMAGE_DESCRIPTOR)
    );
    assert_eq!(
        fails(Shape {
            kind: CL_MEM_OBJECT_IMAGE1D,
            ..line
        }),
        Some(CL_INVALID_IMAGE_DESCRIPTOR)
    );
    assert_eq!(fails(line.of(context.queue.cast())), Some(CL_INVALID_IMAGE_DESCRIPTOR));
}

#[test]
fn images_made_of_images() {
    let context = Context::new();
    if !context.has_images() {
        return;
    }
    let linear = context.image((CL_RGBA, CL_UNORM_INT8), Shape::d2(8, 4));
    linear.write(&noise(128));
    let same = Shape::d2(8, 4).of(linear.id);
    let view = context
        .try_image(CL_MEM_READ_ONLY, (CL_sRGBA, CL_UNORM_INT8), same, null_mut())
        .unwrap();
    assert_eq!(view.read(), noise(128));
    assert_eq!(view.number(CL_IMAGE_BUFFER), 0);
    let parent = info(|size, value, ret| cl!(clGetMemObjectInfo(view.id, CL_MEM_ASSOCIATED_MEMOBJECT, size, value, ret)));
    assert_eq!(parent.unwrap().number(), linear.id as u64);
    let fails = |format, shape: Shape| context.try_image(CL_MEM_READ_ONLY, format, shape, null_mut()).err();
    let wrong = Some(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    assert_eq!(fails((CL_sRGBA, CL_UNORM_INT8), Shape { size: [8, 3, 1], ..same }), wrong);
    assert_eq!(fails((CL_sRGBA, CL_UNORM_INT8), same.pitches(64, 0)), wrong);
    assert_eq!(fails((CL_BGRA, CL_UNORM_INT8), same), wrong);
    assert_eq!(fails((CL_RGBA, CL_SIGNED_INT8), same), wrong);
    let lines = Shape::new(CL_MEM_OBJECT_IMAGE1D_ARRAY, [8, 4, 1]).of(linear.id);
    assert_eq!(fails((CL_sRGBA, CL_UNORM_INT8), lines), Some(CL_INVALID_IMAGE_DESCRIPTOR));
    let line = context.image(RGBA8, Shape::new(CL_MEM_OBJECT_IMAGE1D, [8, 1, 1]));
    assert_eq!(
        fails((CL_sRGBA, CL_UNORM_INT8), Shape::d2(8, 1).of(line.id)),
        Some(CL_INVALID_IMAGE_DESCRIPTOR)
    );
}

/// Flags that are not given are those of what the image is made of; flags that contradict them are refused.
#[test]
fn flags_are_inherited() {
    let context = Context::new();
    if !context.has_images() {
        return;
    }
    let mut status = 0;
    let flags = CL_MEM_READ_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_ALLOC_HOST_PTR;
    let buffer = cl!(clCreateBuffer(context.id, flags, 64, null_mut(), &mut status));
    check(status, "clCreateBuffer");
    let line = Shape::new(CL_MEM_OBJECT_IMAGE1D_BUFFER, [16, 1, 1]).of(buffer);
    let image = context.try_image(0, RGBA8, line, null_mut()).unwrap();
    let own = info(|size, value, ret| cl!(clGetMemObjectInfo(image.id, CL_MEM_FLAGS, size, value, ret)));
    assert_eq!(own.unwrap().number(), flags);
    for wrong in [
        CL_MEM_READ_WRITE,
        CL_MEM_WRITE_ONLY,
        CL_MEM_HOST_WRITE_ONLY,
        CL_MEM_ALLOC_HOST_PTR,
        CL_MEM_USE_HOST_PTR,
        CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY,
    ] {
        assert_eq!(
            context.try_image(wrong, RGBA8, line, null_mut()).err(),
            Some(CL_INVALID_VALUE),
            "{wrong:#x}"
        );
    }
    let mut host = [0; 64];
    let pointed = context.try_image(0, RGBA8, line, host.as_mut_ptr());
    assert_eq!(pointed.err(), Some(CL_INVALID_HOST_PTR));
    check(cl!(clReleaseMemObject(buffer)), "clReleaseMemObject");
}

#[test]
fn samplers_keep_what_they_were_made_of() {
    let context = Context::new();
    if !context.has_images() {
        return;
    }
    let ask = |sampler, name| info(|size, value, ret| cl!(clGetSamplerInfo(sampler, name, size, value, ret)));
    for normalized in [CL_FALSE, CL_TRUE] {
        for addressing in CL_ADDRESS_NONE..=CL_ADDRESS_MIRRORED_REPEAT {
            for filter in [CL_FILTER_NEAREST, CL_FILTER_LINEAR] {
                let sampler = context.sampler(normalized != 0, addressing, filter);
                let numbers = [CL_SAMPLER_NORMALIZED_COORDS, CL_SAMPLER_ADDRESSING_MODE, CL_SAMPLER_FILTER_MODE]
                    .map(|name| ask(sampler.0, name).unwrap().number() as u32);
                assert_eq!(numbers, [normalized, addressing, filter]);
                assert_eq!(ask(sampler.0, CL_SAMPLER_CONTEXT).unwrap().number(), context.id as u64);
                assert_eq!(ask(sampler.0, CL_SAMPLER_REFERENCE_COUNT).unwrap().number(), 1);
                assert_eq!(ask(sampler.0, CL_SAMPLER_PROPERTIES).unwrap().0, []);
                assert_eq!(ask(sampler.0, 0x1), Err(CL_INVALID_VALUE));
            }
        }
    }
    let mut status = 0;
    let mut make = |list: &[u64]| {
        let sampler = cl!(clCreateSamplerWithProperties(context.id, list.as_ptr(), &mut status));
        (sampler, status)
    };
    let list = [CL_SAMPLER_FILTER_MODE.into(), CL_FILTER_LINEAR.into(), 0];
    let (sampler, _) = make(&list);
    let defaults = [CL_SAMPLER_NORMALIZED_COORDS, CL_SAMPLER_ADDRESSING_MODE, CL_SAMPLER_FILTER_MODE]
        .map(|name| ask(sampler, name).unwrap().number() as u32);
    assert_eq!(defaults, [CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_LINEAR]);
    assert_eq!(ask(sampler, CL_SAMPLER_PROPERTIES).unwrap().sizes(), list);
    check(cl!(clReleaseSampler(sampler)), "clReleaseSampler");
    assert_eq!(cl!(clRetainSampler(context.queue)), CL_INVALID_SAMPLER);
    let filter = u64::from(CL_SAMPLER_FILTER_MODE);
    for wrong in [
        &[filter, 0, 0][..],
        &[filter, CL_FILTER_LINEAR.into(), filter, CL_FILTER_LINEAR.into(), 0],
        &[0x9999, 1, 0],
        &[CL_SAMPLER_NORMALIZED_COORDS.into(), 2, 0],
        &[CL_SAMPLER_ADDRESSING_MODE.into(), 1 << 32 | 0x1130, 0],
    ] {
        assert_eq!(make(wrong), (null_mut(), CL_INVALID_VALUE));
    }
    let mut status = 0;
    for (normalized, addressing, filter) in [(2, 0x1130, 0x1140), (1, 0x1135, 0x1140), (1, 0x1130, 0x1142), (0, 0, 0)] {
        assert!(cl!(clCreateSampler(context.id, normalized, addressing, filter, &mut status)).is_null());
        assert_eq!(status, CL_INVALID_VALUE);
    }
}
