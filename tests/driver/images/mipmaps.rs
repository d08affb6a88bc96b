//! Mip levels: cl_khr_mipmap_image and cl_khr_mipmap_image_writes.

use super::{RGBA8, noise, shapes};
use brolga_tests::cl_sys::*;
use brolga_tests::{Context, Range, Sampler, Shape, check, cl, info};
use std::ptr::{null, null_mut};

const CL_INVALID_MIP_LEVEL: cl_int = -62;
const CL_SAMPLER_MIP_FILTER_MODE: u64 = 0x1155;
const CL_SAMPLER_LOD_MIN: u64 = 0x1156;
const CL_SAMPLER_LOD_MAX: u64 = 0x1157;

fn has_levels(context: &Context) -> bool {
    context.has_images() && context.device.has_extension("cl_khr_mipmap_image")
}

fn sampler(context: &Context, filter: cl_filter_mode, between: cl_filter_mode, lods: [f32; 2]) -> Sampler {
    let [least, most] = lods.map(|lod| u64::from(lod.to_bits()));
    let list = [
        u64::from(CL_SAMPLER_NORMALIZED_COORDS),
        1,
        CL_SAMPLER_ADDRESSING_MODE.into(),
        CL_ADDRESS_CLAMP_TO_EDGE.into(),
        CL_SAMPLER_FILTER_MODE.into(),
        filter.into(),
        CL_SAMPLER_MIP_FILTER_MODE,
        between.into(),
        CL_SAMPLER_LOD_MIN,
        least,
        CL_SAMPLER_LOD_MAX,
        most,
        0,
    ];
    let mut status = 0;
    let sampler = cl!(clCreateSamplerWithProperties(context.id, list.as_ptr(), &mut status));
    check(status, "clCreateSamplerWithProperties");
    Sampler(sampler)
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes
        .chunks_exact(4)
        .map(|bytes| f32::from_ne_bytes(bytes.try_into().unwrap()))
        .collect()
}

/// Every command finds every level of every kind, and leaves the others alone.
#[test]
fn commands_find_levels() {
    let context = Context::new();
    if !has_levels(&context) {
        return;
    }
    for shape in shapes().map(|shape| shape.levels(3)) {
        let image = context.image(RGBA8, shape);
        let other = context.image(RGBA8, shape);
        assert_eq!(image.number(CL_IMAGE_NUM_MIP_LEVELS), 3);
        assert_eq!(image.number(CL_IMAGE_WIDTH), 7);
        let bytes = |level: usize| 4 * shape.level_size(level).iter().product::<usize>();
        let pixels: [Vec<u8>; 3] = std::array::from_fn(|level| noise(bytes(level) + level).split_off(level));
        for (level, pixels) in pixels.iter().enumerate() {
            image.write_level(level, pixels);
        }
        for (level, pixels) in pixels.iter().enumerate() {
            assert_eq!(image.read_level(level), *pixels, "{shape:?} level {level}");
        }
        // From a level to the same level of another image, and to a buffer and back to a third.
        let (origin, region) = (shape.level_origin(1), shape.level_size(1));
        let (from, to) = (origin.as_ptr(), origin.as_ptr());
        let copy = cl!(clEnqueueCopyImage(
            context.queue,
            image.id,
            other.id,
            from,
            to,
            region.as_ptr(),
            0,
            null(),
            null_mut()
        ));
        check(copy, "clEnqueueCopyImage");
        assert_eq!(other.read_level(1), pixels[1]);
        let buffer = context.zeros::<u8>(bytes(1));
        let copy = cl!(clEnqueueCopyImageToBuffer(
            context.queue,
            image.id,
            buffer.id,
            from,
            region.as_ptr(),
            0,
            0,
            null(),
            null_mut()
        ));
        check(copy, "clEnqueueCopyImageToBuffer");
        assert_eq!(buffer.read(), pixels[1]);
        let third = context.image(RGBA8, shape);
        let copy = cl!(clEnqueueCopyBufferToImage(
            context.queue,
            buffer.id,
            third.id,
            0,
            to,
            region.as_ptr(),
            0,
            null(),
            null_mut()
        ));
        check(copy, "clEnqueueCopyBufferToImage");
        assert_eq!(third.read_level(1), pixels[1]);
        // A map has the level's pitches.
        let (mut row, mut slice, mut status) = (0, 0, 0);
        let map = cl!(clEnqueueMapImage(
            context.queue,
            image.id,
            CL_TRUE,
            CL_MAP_READ,
            from,
            region.as_ptr(),
            &mut row,
            &mut slice,
            0,
            null(),
            null_mut(),
            &mut status
        ));
        check(status, "clEnqueueMapImage");
        assert_eq!(row, 4 * region[0]);
        // SAFETY: a row of the level is mapped.
        assert_eq!(unsafe { std::slice::from_raw_parts(map.cast::<u8>(), row) }, &pixels[1][..row]);
        check(
            cl!(clEnqueueUnmapMemObject(context.queue, image.id, map, 0, null(), null_mut())),
            "clEnqueueUnmapMemObject",
        );
        let color = [1f32, 0.0, 1.0, 0.0];
        let fill = cl!(clEnqueueFillImage(
            context.queue,
            image.id,
            color.as_ptr().cast(),
            from,
            region.as_ptr(),
            0,
            null(),
            null_mut()
        ));
        check(fill, "clEnqueueFillImage");
        assert_eq!(image.read_level(1), [255, 0, 255, 0].repeat(bytes(1) / 4));
        for level in [0, 2] {
            assert_eq!(image.read_level(level), pixels[level], "{shape:?} level {level}");
        }
        // There is no fourth level, and the second is smaller than the first.
        for (level, size, error) in [(3, [1; 3], CL_INVALID_MIP_LEVEL), (1, shape.size, CL_INVALID_VALUE)] {
            let origin = shape.level_origin(level);
            let fill = cl!(clEnqueueFillImage(
                context.queue,
                image.id,
                color.as_ptr().cast(),
                origin.as_ptr(),
                size.as_ptr(),
                0,
                null(),
                null_mut()
            ));
            assert_eq!(fill, error, "{shape:?}");
            let copy = cl!(clEnqueueCopyImage(
                context.queue,
                image.id,
                other.id,
                to,
                origin.as_ptr(),
                size.as_ptr(),
                0,
                null(),
                null_mut()
            ));
            assert_eq!(copy, error, "{shape:?}");
        }
    }
}

const SOURCE: &str = "
    kernel void levels(read_only image2d_t image, sampler_t sampler, global const float *lods, global float *out, global int *count) {
        size_t i = get_global_id(0);
        out[i] = read_imagef(image, sampler, (float2)(0.5f, 0.5f), lods[i]).x;
        *count = get_image_num_mip_levels(image);
    }
    kernel void gradients(read_only image2d_t image, sampler_t sampler, global const float *lods, global float *out) {
        size_t i = get_global_id(0);
        float2 here = (float2)(lods[i], 0.0f), there = (float2)(lods[i] / 2, 0.001f);
        out[i] = read_imagef(image, sampler, (float2)(0.5f, 0.5f), here, there).x;
    }
    kernel void first(read_only image2d_t image, sampler_t sampler, global float *out) {
        out[0] = read_imagef(image, sampler, (float2)(0.5f, 0.5f)).x;
        out[1] = read_imagef(image, sampler, (int2)(0, 0)).x;
        out[2] = read_imagef(image, (int2)(0, 0)).x;
    }
    kernel void fill(write_only image2d_t image) {
        int level = get_global_id(2);
        int2 at = (int2)(get_global_id(0), get_global_id(1)), size = max(get_image_dim(image) >> level, 1);
        if (all(at < size)) write_imagef(image, at, level, (float4)(10.0f * level + at.x));
    }
    kernel void depths(read_only image2d_depth_t image, sampler_t sampler, global float *out) {
        size_t i = get_global_id(0);
        out[i] = read_imagef(image, sampler, (float2)(0.5f, 0.5f), (float)i);
    }
    kernel void layers(read_only image2d_array_t image, sampler_t sampler, global float *out) {
        size_t i = get_global_id(0);
        out[i] = read_imagef(image, sampler, (float4)(0.5f, 0.5f, i % 2, 0.0f), (float)(i / 2)).x;
    }";

/// Each texel of a level is ten times the level's number.
#[test]
fn kernels_read_levels() {
    let context = Context::new();
    if !has_levels(&context) {
        return;
    }
    let program = context.program(SOURCE, "");
    let image = context.image((CL_R, CL_FLOAT), Shape::d2(16, 8).levels(4));
    for level in 0..4 {
        let [width, height, _] = image.shape.level_size(level);
        image.write_level(level, &(10.0 * level as f32).to_ne_bytes().repeat(width * height));
    }
    let lods = [-1.0, 0.0, 0.25, 0.75, 1.0, 1.25, 2.5, 2.75, 3.0, 9.0, f32::INFINITY, 0.0];
    let from = context.buffer(&lods);
    let (out, count) = (context.zeros::<f32>(12), context.zeros::<i32>(1));
    let nearest = sampler(&context, CL_FILTER_NEAREST, CL_FILTER_NEAREST, [0.0, f32::MAX]);
    let range = Range::new([12]);
    program
        .kernel("levels")
        .run(&context, &range, &[&image, &nearest, &from, &out, &count]);
    assert_eq!(out.read(), [0.0, 0.0, 0.0, 10.0, 10.0, 10.0, 20.0, 30.0, 30.0, 30.0, 30.0, 0.0]);
    assert_eq!(count.read(), [4]);
    let linear = sampler(&context, CL_FILTER_LINEAR, CL_FILTER_LINEAR, [0.0, f32::MAX]);
    program
        .kernel("levels")
        .run(&context, &range, &[&image, &linear, &from, &out, &count]);
    assert_eq!(out.read(), [0.0, 0.0, 2.5, 7.5, 10.0, 12.5, 25.0, 27.5, 30.0, 30.0, 30.0, 0.0]);
    let limited = sampler(&context, CL_FILTER_NEAREST, CL_FILTER_LINEAR, [0.5, 2.25]);
    program
        .kernel("levels")
        .run(&context, &range, &[&image, &limited, &from, &out, &count]);
    assert_eq!(out.read(), [5.0, 5.0, 5.0, 7.5, 10.0, 12.5, 22.5, 22.5, 22.5, 22.5, 22.5, 5.0]);
    // The longer gradient is 1, 2, 4 and more texels long.
    let steps: Vec<f32> = [0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 90.0, 1.0, 1.0, 1.0, 1.0, 1.0]
        .map(|texels: f32| texels / 16.0)
        .to_vec();
    from.write(&steps);
    program.kernel("gradients").run(&context, &range, &[&image, &nearest, &from, &out]);
    assert_eq!(out.read()[..8], [0.0, 0.0, 0.0, 10.0, 20.0, 30.0, 30.0, 0.0]);
    // Without a level it is the first.
    program.kernel("first").run(&context, &Range::new([1]), &[&image, &limited, &out]);
    assert_eq!(out.read()[..3], [0.0; 3]);
}

#[test]
fn kernels_read_levels_of_layers() {
    let context = Context::new();
    if !has_levels(&context) {
        return;
    }
    let program = context.program(SOURCE, "");
    let image = context.image((CL_R, CL_FLOAT), Shape::new(CL_MEM_OBJECT_IMAGE2D_ARRAY, [4, 4, 2]).levels(3));
    for level in 0..3 {
        let texels = 16 >> (2 * level);
        let layers: Vec<u8> = [1.0, 2.0]
            .iter()
            .flat_map(|layer: &f32| (layer + 10.0 * level as f32).to_ne_bytes().repeat(texels))
            .collect();
        image.write_level(level, &layers);
    }
    let (out, any) = (
        context.zeros::<f32>(6),
        sampler(&context, CL_FILTER_LINEAR, CL_FILTER_NEAREST, [0.0, f32::MAX]),
    );
    program.kernel("layers").run(&context, &Range::new([6]), &[&image, &any, &out]);
    assert_eq!(out.read(), [1.0, 2.0, 11.0, 12.0, 21.0, 22.0]);
}

#[test]
fn kernels_read_levels_of_depths() {
    let context = Context::new();
    if !has_levels(&context) || !context.device.has_extension("cl_khr_depth_images") {
        return;
    }
    let program = context.program(SOURCE, "");
    let image = context.image((CL_DEPTH, CL_FLOAT), Shape::d2(4, 4).levels(3));
    for level in 0..3 {
        image.write_level(level, &(level as f32 / 4.0).to_ne_bytes().repeat(16 >> (2 * level)));
    }
    let (out, any) = (
        context.zeros::<f32>(3),
        sampler(&context, CL_FILTER_NEAREST, CL_FILTER_NEAREST, [0.0, f32::MAX]),
    );
    program.kernel("depths").run(&context, &Range::new([3]), &[&image, &any, &out]);
    assert_eq!(out.read(), [0.0, 0.25, 0.5]);
}

#[test]
fn kernels_write_levels() {
    let context = Context::new();
    if !has_levels(&context) {
        return;
    }
    let program = context.program(SOURCE, "");
    let image = context.image((CL_R, CL_FLOAT), Shape::d2(16, 8).levels(5));
    program
        .kernel("fill")
        .run(&context, &Range::new([16, 8, 5]).local([16, 1, 1]), &[&image]);
    for level in 0..5 {
        let [width, height, _] = image.shape.level_size(level);
        let row: Vec<f32> = (0..width).map(|x| (10 * level + x) as f32).collect();
        assert_eq!(floats(&image.read_level(level)), row.repeat(height), "level {level}");
    }
}

#[test]
fn samplers_of_levels_keep_what_they_were_made_of() {
    let context = Context::new();
    if !has_levels(&context) {
        return;
    }
    let ask = |sampler: &Sampler, name: u64| {
        let info = info(|size, value, ret| cl!(clGetSamplerInfo(sampler.0, name as u32, size, value, ret)));
        info.unwrap().number() as u32
    };
    let some = sampler(&context, CL_FILTER_NEAREST, CL_FILTER_LINEAR, [0.5, 3.25]);
    assert_eq!(ask(&some, CL_SAMPLER_MIP_FILTER_MODE), CL_FILTER_LINEAR);
    assert_eq!(ask(&some, CL_SAMPLER_LOD_MIN), 0.5f32.to_bits());
    assert_eq!(ask(&some, CL_SAMPLER_LOD_MAX), 3.25f32.to_bits());
    let plain = context.sampler(true, CL_ADDRESS_CLAMP, CL_FILTER_LINEAR);
    assert_eq!(ask(&plain, CL_SAMPLER_MIP_FILTER_MODE), CL_FILTER_NEAREST);
    assert_eq!(ask(&plain, CL_SAMPLER_LOD_MIN), 0);
    assert_eq!(ask(&plain, CL_SAMPLER_LOD_MAX), f32::MAX.to_bits());
    let bits = |lod: f32| u64::from(lod.to_bits());
    for wrong in [
        [CL_SAMPLER_MIP_FILTER_MODE, 0x1142, 0, 0, 0],
        [CL_SAMPLER_LOD_MIN, bits(f32::NAN), 0, 0, 0],
        [CL_SAMPLER_LOD_MIN, bits(2.0), CL_SAMPLER_LOD_MAX, bits(1.0), 0],
    ] {
        let mut status = 0;
        assert!(cl!(clCreateSamplerWithProperties(context.id, wrong.as_ptr(), &mut status)).is_null());
        assert_eq!(status, CL_INVALID_VALUE, "{wrong:x?}");
    }
}

#[test]
fn images_that_cannot_have_levels() {
    let context = Context::new();
    if !has_levels(&context) {
        return;
    }
    let fails = |flags, format, shape, host| context.try_image(flags, format, shape, host).err();
    assert_eq!(fails(0, RGBA8, Shape::d2(16, 8).levels(5), null_mut()), None);
    assert_eq!(
        fails(0, RGBA8, Shape::d2(16, 8).levels(6), null_mut()),
        Some(CL_INVALID_IMAGE_DESCRIPTOR)
    );
    assert_eq!(fails(0, RGBA8, Shape::d2(16, 8).levels(1), null_mut()), None);
    assert_eq!(fails(0, (CL_DEPTH, CL_FLOAT), Shape::d2(16, 8).levels(2), null_mut()), None);
    let mut pixels = noise(4 * 16 * 8 * 2);
    let host = pixels.as_mut_ptr();
    assert_eq!(
        fails(CL_MEM_COPY_HOST_PTR, RGBA8, Shape::d2(16, 8).levels(2), host),
        Some(CL_INVALID_HOST_PTR)
    );
    assert_eq!(fails(CL_MEM_USE_HOST_PTR, RGBA8, Shape::d2(16, 8).levels(1), host), None);
    let buffer = context.buffer(&pixels);
    let row = Shape::new(CL_MEM_OBJECT_IMAGE1D_BUFFER, [16, 1, 1]).of(buffer.id);
    assert_eq!(fails(0, RGBA8, row.levels(2), null_mut()), Some(CL_INVALID_IMAGE_DESCRIPTOR));
    let plane = Shape::d2(16, 8).of(buffer.id).pitches(64, 0);
    assert_eq!(fails(0, RGBA8, plane.levels(2), null_mut()), Some(CL_INVALID_IMAGE_DESCRIPTOR));
    // An image of an image has its levels.
    let image = context.image(RGBA8, Shape::d2(16, 8).levels(2));
    image.write_level(1, &pixels[..4 * 8 * 4]);
    let same = context.image((CL_sRGBA, CL_UNORM_INT8), Shape::d2(16, 8).levels(2).of(image.id));
    assert_eq!(same.read_level(1), pixels[..4 * 8 * 4]);
    assert_eq!(
        fails(0, RGBA8, Shape::d2(16, 8).of(image.id), null_mut()),
        Some(CL_INVALID_IMAGE_DESCRIPTOR)
    );
}
