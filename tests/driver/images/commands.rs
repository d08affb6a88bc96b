//! Images are read, written, copied, filled and mapped.

use super::{RGBA8, noise, shapes};
use brolga_tests::cl_sys::*;
use brolga_tests::{Context, Image, ImageFormat, Shape, check, cl, info};
use std::ptr::{null, null_mut};

/// The pixels of a region, row by row.
fn cut(pixels: &[u8], bytes: usize, size: [usize; 3], origin: [usize; 3], region: [usize; 3]) -> Vec<u8> {
    let mut part = Vec::new();
    for z in 0..region[2] {
        for y in 0..region[1] {
            let pixel = ((origin[2] + z) * size[1] + origin[1] + y) * size[0] + origin[0];
            part.extend_from_slice(&pixels[pixel * bytes..][..region[0] * bytes]);
        }
    }
    part
}

/// Puts a region's pixels back.
fn paste(pixels: &mut [u8], part: &[u8], bytes: usize, size: [usize; 3], origin: [usize; 3], region: [usize; 3]) {
    for z in 0..region[2] {
        for y in 0..region[1] {
            let pixel = ((origin[2] + z) * size[1] + origin[1] + y) * size[0] + origin[0];
            let row = &part[(z * region[1] + y) * region[0] * bytes..][..region[0] * bytes];
            pixels[pixel * bytes..][..region[0] * bytes].copy_from_slice(row);
        }
    }
}

/// A region inside a shape, not at its edges where there is room.
fn inner(shape: &Shape) -> ([usize; 3], [usize; 3]) {
    let origin = shape.size.map(|size| usize::from(size > 1));
    let region = shape.size.map(|size| if size > 2 { size - 2 } else { 1 });
    (origin, region)
}

#[test]
fn parts_are_read_and_written_with_pitches() {
    let context = Context::new();
    if !context.has_images() {
        return;
    }
    for shape in shapes() {
        let image = context.image((CL_RG, CL_UNSIGNED_INT8), shape);
        let mut pixels = noise(shape.pixels() * 2);
        image.write(&pixels);
        let (origin, region) = inner(&shape);
        // The host has more space between rows, and between slices.
        let row = region[0] * 2 + 5;
        let has_slices = !matches!(shape.kind, CL_MEM_OBJECT_IMAGE1D | CL_MEM_OBJECT_IMAGE2D);
        let layered = shape.kind == CL_MEM_OBJECT_IMAGE1D_ARRAY;
        let slice = if layered { row + 3 } else { row * region[1] + 7 };
        let place = |index: usize| {
            let (y, z) = (index % region[1], index / region[1]);
            if layered { y * slice } else { z * slice + y * row }
        };
        let mut host = vec![0xabu8; slice * region[1] * region[2]];
        let given_slice = if has_slices { slice } else { 0 };
        let status = cl!(clEnqueueReadImage(
            context.queue,
            image.id,
            CL_TRUE,
            origin.as_ptr(),
            region.as_ptr(),
            row,
            given_slice,
            host.as_mut_ptr().cast(),
            0,
            null(),
            null_mut()
        ));
        check(status, "clEnqueueReadImage");
        let want = cut(&pixels, 2, shape.size, origin, region);
        let width = region[0] * 2;
        for index in 0..region[1] * region[2] {
            assert_eq!(host[place(index)..][..width], want[index * width..][..width], "{:#x}", shape.kind);
            assert_eq!(host[place(index) + width], 0xab, "between the rows nothing is written");
        }
        host.iter_mut().for_each(|byte| *byte = byte.wrapping_add(100));
        let status = cl!(clEnqueueWriteImage(
            context.queue,
            image.id,
            CL_FALSE,
            origin.as_ptr(),
            region.as_ptr(),
            row,
            given_slice,
            host.as_ptr().cast(),
            0,
            null(),
            null_mut()
        ));
        check(status, "clEnqueueWriteImage");
        let changed: Vec<u8> = want.iter().map(|byte| byte.wrapping_add(100)).collect();
        paste(&mut pixels, &changed, 2, shape.size, origin, region);
        assert_eq!(image.read(), pixels, "{:#x}", shape.kind);
    }
}

fn copy(context: &Context, from: &Image<'_>, to: &Image<'_>, places: [[usize; 3]; 2], region: [usize; 3]) -> cl_int {
    cl!(clEnqueueCopyImage(
        context.queue,
        from.id,
        to.id,
        places[0].as_ptr(),
        places[1].as_ptr(),
        region.as_ptr(),
        0,
        null(),
        null_mut()
    ))
}

/// Between images of every two kinds, as far as their dimensions go.
#[test]
fn parts_are_copied() {
    let context = Context::new();
    if !context.has_images() {
        return;
    }
    for from in shapes() {
        for to in shapes() {
            let source = context.image(RGBA8, from);
            let destination = context.image(RGBA8, to);
            let (pixels, mut want) = (noise(from.pixels() * 4), vec![0; to.pixels() * 4]);
            source.write(&pixels);
            destination.write(&want);
            let (source_origin, source_region) = inner(&from);
            let (origin, region) = inner(&to);
            let region: [usize; 3] = std::array::from_fn(|i| region[i].min(source_region[i]));
            check(
                copy(&context, &source, &destination, [source_origin, origin], region),
                "clEnqueueCopyImage",
            );
            let part = cut(&pixels, 4, from.size, source_origin, region);
            paste(&mut want, &part, 4, to.size, origin, region);
            assert_eq!(destination.read(), want, "{:#x} to {:#x}", from.kind, to.kind);
        }
    }
}

#[test]
fn copies_onto_themselves() {
    let context = Context::new();
    if !context.has_images() {
        return;
    }
    let shape = Shape::new(CL_MEM_OBJECT_IMAGE3D, [8, 6, 4]);
    let image = context.image(RGBA8, shape);
    let mut pixels = noise(shape.pixels() * 4);
    image.write(&pixels);
    // Beside each other within the rows, the slices, and one slice after the other.
    for (from, to, region) in [
        ([0, 0, 0], [4, 0, 0], [4, 6, 4]),
        ([0, 0, 0], [0, 3, 0], [8, 3, 4]),
        ([0, 0, 0], [0, 0, 2], [8, 6, 2]),
        ([1, 1, 1], [3, 3, 1], [2, 2, 3]),
    ] {
        check(copy(&context, &image, &image, [from, to], region), "clEnqueueCopyImage");
        let part = cut(&pixels, 4, shape.size, from, region);
        paste(&mut pixels, &part, 4, shape.size, to, region);
        assert_eq!(image.read(), pixels);
    }
    for (from, to, region) in [
        ([0, 0, 0], [3, 0, 0], [4, 6, 4]),
        ([0, 0, 0], [1, 2, 1], [4, 3, 2]),
        ([5, 5, 3], [5, 5, 3], [1, 1, 1]),
    ] {
        assert_eq!(copy(&context, &image, &image, [from, to], region), CL_MEM_COPY_OVERLAP);
    }
}

#[test]
fn copies_between_images_and_buffers() {
    let context = Context::new();
    if !context.has_images() {
        return;
    }
    for shape in shapes() {
        let image = context.image(RGBA8, shape);
        let mut pixels = noise(shape.pixels() * 4);
        image.write(&pixels);
        let buffer = context.zeros::<u8>(shape.pixels() * 4 + 10);
        let (origin, region) = inner(&shape);
        let (from, size) = (origin.as_ptr(), region.as_ptr());
        let status = cl!(clEnqueueCopyImageToBuffer(
            context.queue,
            image.id,
            buffer.id,
            from,
            size,
            6,
            0,
            null(),
            null_mut()
        ));
        check(status, "clEnqueueCopyImageToBuffer");
        let part = cut(&pixels, 4, shape.size, origin, region);
        let mut bytes = buffer.read();
        assert_eq!(bytes[6..6 + part.len()], part);
        assert!(bytes[..6].iter().chain(&bytes[6 + part.len()..]).all(|&byte| byte == 0));
        bytes.iter_mut().enumerate().for_each(|(index, byte)| *byte = (index * 11) as u8);
        buffer.write(&bytes);
        let status = cl!(clEnqueueCopyBufferToImage(
            context.queue,
            buffer.id,
            image.id,
            3,
            from,
            size,
            0,
            null(),
            null_mut()
        ));
        check(status, "clEnqueueCopyBufferToImage");
        paste(&mut pixels, &bytes[3..3 + part.len()], 4, shape.size, origin, region);
        assert_eq!(image.read(), pixels, "{:#x}", shape.kind);
    }
}

/// Large enough for several threads.
#[test]
fn large_images() {
    let context = Context::new();
    if !context.has_images() {
        return;
    }
    let shape = Shape::d2(1300, 900);
    let (image, other) = (context.image(RGBA8, shape), context.image(RGBA8, shape));
    let pixels = noise(shape.pixels() * 4);
    image.write(&pixels);
    let region = [1200, 850, 1];
    check(copy(&context, &image, &other, [[1, 2, 0], [3, 4, 0]], region), "clEnqueueCopyImage");
    let mut want = vec![0; pixels.len()];
    paste(
        &mut want,
        &cut(&pixels, 4, shape.size, [1, 2, 0], region),
        4,
        shape.size,
        [3, 4, 0],
        region,
    );
    assert!(other.read() == want);
    let colour = [1f32, 0.0, 0.5, 0.25];
    fill(&context, &image, &colour.map(f32::to_bits), [5, 6, 0], region);
    let mut want = pixels;
    let part = [255, 0, 128, 64].repeat(region[0] * region[1]);
    paste(&mut want, &part, 4, shape.size, [5, 6, 0], region);
    assert!(image.read() == want);
}

fn fill(context: &Context, image: &Image<'_>, colour: &[u32], origin: [usize; 3], region: [usize; 3]) {
    let status = cl!(clEnqueueFillImage(
        context.queue,
        image.id,
        colour.as_ptr().cast(),
        origin.as_ptr(),
        region.as_ptr(),
        0,
        null(),
        null_mut()
    ));
    check(status, "clEnqueueFillImage");
}

#[test]
fn parts_are_filled() {
    let context = Context::new();
    if !context.has_images() {
        return;
    }
    for shape in shapes() {
        let image = context.image((CL_R, CL_UNSIGNED_INT16), shape);
        let mut pixels = noise(shape.pixels() * 2);
        image.write(&pixels);
        let (origin, region) = inner(&shape);
        fill(&context, &image, &[0x1234, 9, 9, 9], origin, region);
        let part = 0x1234u16.to_ne_bytes().repeat(region.iter().product());
        paste(&mut pixels, &part, 2, shape.size, origin, region);
        assert_eq!(image.read(), pixels, "{:#x}", shape.kind);
    }
}

#[test]
fn colours_become_the_formats() {
    let context = Context::new();
    if !context.has_images() {
        return;
    }
    let floats = |colour: [f32; 4]| colour.map(f32::to_bits);
    let integers = |colour: [i32; 4]| colour.map(|component| component as u32);
    let cases: [(ImageFormat, [u32; 4], &[u8]); 17] = [
        ((CL_RGBA, CL_UNORM_INT8), floats([0.0, 1.0, 0.5, -3.0]), &[0, 255, 128, 0]),
        ((CL_BGRA, CL_UNORM_INT8), floats([0.0, 1.0, 0.2, 7.0]), &[51, 255, 0, 255]),
        ((CL_ARGB, CL_UNORM_INT8), floats([0.0, 1.0, 0.2, 0.4]), &[102, 0, 255, 51]),
        ((CL_ABGR, CL_UNSIGNED_INT8), integers([1, 2, 3, 999]), &[255, 3, 2, 1]),
        ((CL_RG, CL_SNORM_INT8), floats([-1.0, 0.5, 0.0, 0.0]), &[129, 64]),
        ((CL_RA, CL_SIGNED_INT8), integers([-1, 5, 5, -200]), &[255, 128]),
        ((CL_A, CL_UNORM_INT16), floats([0.0, 0.0, 0.0, 1.0]), &[255, 255]),
        ((CL_R, CL_SIGNED_INT32), integers([-2, 0, 0, 0]), &[254, 255, 255, 255]),
        ((CL_R, CL_HALF_FLOAT), floats([1.0, 0.0, 0.0, 0.0]), &[0, 0x3c]),
        ((CL_R, CL_FLOAT), floats([1.0, 0.0, 0.0, 0.0]), &[0, 0, 0x80, 0x3f]),
        ((CL_INTENSITY, CL_UNORM_INT8), floats([0.2, 0.0, 0.0, 1.0]), &[51]),
        ((CL_LUMINANCE, CL_UNORM_INT8), floats([0.4, 0.0, 0.0, 1.0]), &[102]),
        ((CL_RGB, CL_UNORM_SHORT_565), floats([1.0, 0.0, 1.0, 0.0]), &[0x1f, 0xf8]),
        ((CL_RGB, CL_UNORM_SHORT_555), floats([1.0, 0.0, 0.0, 0.0]), &[0x00, 0x7c]),
        ((CL_RGB, CL_UNORM_INT_101010), floats([0.0, 0.0, 1.0, 0.0]), &[0xff, 0x03, 0, 0]),
        ((CL_sRGBA, CL_UNORM_INT8), floats([0.0, 1.0, 0.2122, 0.5]), &[0, 255, 127, 128]),
        ((CL_DEPTH, CL_FLOAT), floats([1.0, 0.0, 0.0, 0.0]), &[0, 0, 0x80, 0x3f]),
    ];
    for (format, colour, want) in cases {
        match context.try_image(CL_MEM_READ_WRITE, format, Shape::d2(3, 2), null_mut()) {
            Ok(image) => {
                fill(&context, &image, &colour, [0, 0, 0], [3, 2, 1]);
                assert_eq!(image.read(), want.repeat(6), "{format:x?}");
            }
            Err(status) => assert_eq!(status, CL_IMAGE_FORMAT_NOT_SUPPORTED, "{format:x?}"),
        }
    }
}

#[test]
fn maps_show_and_change() {
    let context = Context::new();
    if !context.has_images() {
        return;
    }
    for shape in shapes() {
        let image = context.image(RGBA8, shape);
        let mut pixels = noise(shape.pixels() * 4);
        image.write(&pixels);
        let (origin, region) = inner(&shape);
        let map = |flags, origin: [usize; 3], region: [usize; 3]| {
            let (mut row, mut slice, mut status) = (0, 77, 0);
            let pointer = cl!(clEnqueueMapImage(
                context.queue,
                image.id,
                CL_TRUE,
                flags,
                origin.as_ptr(),
                region.as_ptr(),
                &mut row,
                &mut slice,
                0,
                null(),
                null_mut(),
                &mut status
            ));
            (pointer.cast::<u8>(), row, slice, status)
        };
        let unmap = |pointer: *mut u8| {
            cl!(clEnqueueUnmapMemObject(
                context.queue,
                image.id,
                pointer.cast(),
                0,
                null(),
                null_mut()
            ))
        };
        let count = || info(|size, value, ret| cl!(clGetMemObjectInfo(image.id, CL_MEM_MAP_COUNT, size, value, ret)));
        let (pointer, row, slice, status) = map(CL_MAP_READ | CL_MAP_WRITE, origin, region);
        check(status, "clEnqueueMapImage");
        assert_eq!(row as u64, image.number(CL_IMAGE_ROW_PITCH));
        assert_eq!(slice as u64, image.number(CL_IMAGE_SLICE_PITCH));
        let want = cut(&pixels, 4, shape.size, origin, region);
        let width = region[0] * 4;
        for index in 0..region[1] * region[2] {
            let (y, z) = (index % region[1], index / region[1]);
            let layered = shape.kind == CL_MEM_OBJECT_IMAGE1D_ARRAY;
            let place = if layered { y * slice } else { z * slice + y * row };
            // SAFETY: the rows of the region are mapped until they are unmapped.
            let mapped = unsafe { std::slice::from_raw_parts_mut(pointer.add(place), width) };
            assert_eq!(mapped, &want[index * width..][..width], "{:#x}", shape.kind);
            mapped.fill(0x55);
        }
        assert_eq!(count().unwrap().number(), 1);
        // What is mapped for writing is not mapped again, but for what lies beside it.
        assert_eq!(map(CL_MAP_READ, origin, region).3, CL_INVALID_OPERATION);
        let (beside, .., status) = map(CL_MAP_WRITE_INVALIDATE_REGION, [0; 3], [1, 1, 1]);
        check(status, "clEnqueueMapImage beside");
        assert_eq!(count().unwrap().number(), 2);
        check(unmap(beside), "clEnqueueUnmapMemObject");
        check(unmap(pointer), "clEnqueueUnmapMemObject");
        paste(&mut pixels, &vec![0x55; want.len()], 4, shape.size, origin, region);
        assert_eq!(image.read(), pixels, "{:#x}", shape.kind);
        assert_eq!(count().unwrap().number(), 0);
        assert_eq!(unmap(pointer), CL_INVALID_VALUE);
    }
}

#[test]
fn images_migrate() {
    let context = Context::new();
    if !context.has_images() {
        return;
    }
    let image = context.image(RGBA8, Shape::d2(4, 4));
    let status = cl!(clEnqueueMigrateMemObjects(
        context.queue,
        1,
        &image.id,
        CL_MIGRATE_MEM_OBJECT_HOST,
        0,
        null(),
        null_mut()
    ));
    check(status, "clEnqueueMigrateMemObjects");
    context.finish();
}
