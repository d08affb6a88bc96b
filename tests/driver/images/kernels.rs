//! Kernels that read and write images.

use super::{RGBA8, noise};
use brolga_tests::cl_sys::*;
use brolga_tests::{Context, Range, Shape};

const SOURCE: &str = "
    const sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
    kernel void blur(read_only image2d_t from, write_only image2d_t to) {
        int2 at = (int2)(get_global_id(0), get_global_id(1));
        if (any(at >= get_image_dim(to))) return;
        float4 sum = 0;
        for (int y = -1; y <= 1; y++)
            for (int x = -1; x <= 1; x++) sum += read_imagef(from, edge, at + (int2)(x, y));
        write_imagef(to, at, sum / 9);
    }
    kernel void halves(read_only image2d_t from, write_only image2d_t to, sampler_t sampler) {
        float2 size = convert_float2(get_image_dim(to));
        int2 at = (int2)(get_global_id(0), get_global_id(1));
        write_imagef(to, at, read_imagef(from, sampler, (convert_float2(at) + 0.5f) / size));
    }
    __attribute__((noinline)) uint4 texel(read_only image2d_t from, int2 at) { return read_imageui(from, edge, at); }
    kernel void outline(read_only image2d_t from, global uint4 *out) {
        int2 at = (int2)(get_global_id(0), get_global_id(1));
        out[at.y * get_global_size(0) + at.x] = texel(from, at - 1);
    }
    kernel void numbers(read_only image2d_t from, write_only image2d_t to, read_only image3d_t deep, read_only image2d_array_t layers,
                        global int *out) {
        out[0] = get_image_channel_data_type(from) == CLK_UNORM_INT8;
        out[1] = get_image_channel_order(from) == CLK_RGBA;
        out[2] = get_image_channel_data_type(to) == CLK_FLOAT;
        out[3] = get_image_channel_order(to) == CLK_R;
        out[4] = get_image_width(deep) * 10000 + get_image_height(deep) * 100 + get_image_depth(deep);
        out[5] = get_image_width(layers) * 10000 + get_image_height(layers) * 100 + get_image_array_size(layers);
    }
    kernel void twice(read_write image2d_t image) {
        int2 at = (int2)(get_global_id(0), get_global_id(1));
        write_imageui(image, at, read_imageui(image, at) * 2);
        atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, memory_scope_work_item);
        write_imageui(image, at, read_imageui(image, at) + 1);
    }
    kernel void invert(read_only image2d_t from, write_only image2d_t to) {
        int2 at = (int2)(get_global_id(0), get_global_id(1));
        write_imageui(to, at, 255 - read_imageui(from, at));
    }
    kernel void slices(write_only image3d_t to, write_only image2d_array_t layers) {
        int4 at = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);
        write_imageui(to, at, convert_uint4(at) + 1);
        write_imageui(layers, at, convert_uint4(at) + 2);
    }";

const RGBA8UI: (u32, u32) = (CL_RGBA, CL_UNSIGNED_INT8);

#[test]
fn neighbours_of_texels() {
    let context = Context::new();
    if !context.has_images() {
        return;
    }
    let (width, height) = (53, 21);
    let pixels = noise(4 * width * height);
    let from = context.image(RGBA8, Shape::d2(width, height));
    from.write(&pixels);
    let to = context.image(RGBA8, Shape::d2(width, height));
    let program = context.program(SOURCE, "-cl-std=CL3.0");
    // More work-items than pixels, as host programs do it.
    program
        .kernel("blur")
        .run(&context, &Range::new([64, 24]).local([16, 8]), &[&from, &to]);
    let found = to.read();
    let at = |x: i64, y: i64, channel: usize| {
        let (x, y) = (x.clamp(0, width as i64 - 1) as usize, y.clamp(0, height as i64 - 1) as usize);
        f32::from(pixels[4 * (y * width + x) + channel])
    };
    for (n, &byte) in found.iter().enumerate() {
        let (x, y, channel) = ((n / 4 % width) as i64, (n / 4 / width) as i64, n % 4);
        let sum: f32 = (-1..=1)
            .flat_map(|dy| (-1..=1).map(move |dx| (dx, dy)))
            .map(|(dx, dy)| at(x + dx, y + dy, channel))
            .sum();
        assert!(
            (f32::from(byte) - sum / 9.0).abs() <= 0.51,
            "({x}, {y}) {channel}: {byte}, not {}",
            sum / 9.0
        );
    }
}

#[test]
fn filters_and_formats_of_one_kernel() {
    let context = Context::new();
    if !context.has_images() {
        return;
    }
    let program = context.program(SOURCE, "-cl-std=CL3.0");
    let kernel = program.kernel("halves");
    let (width, height) = (16, 8);
    let linear = context.sampler(true, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_LINEAR);
    let nearest = context.sampler(true, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST);
    let bytes: Vec<u8> = (0..width * height).map(|n| (n * 2) as u8).collect();
    let floats: Vec<u8> = bytes.iter().flat_map(|&byte| (f32::from(byte) / 255.0).to_ne_bytes()).collect();
    let to = context.image((CL_R, CL_FLOAT), Shape::d2(width / 2, height / 2));
    for (format, pixels) in [((CL_R, CL_UNORM_INT8), &bytes), ((CL_R, CL_FLOAT), &floats)] {
        let from = context.image(format, Shape::d2(width, height));
        from.write(pixels);
        for (sampler, is_linear) in [(&linear, true), (&nearest, false)] {
            kernel.run(&context, &Range::new([width / 2, height / 2]).local([4, 2]), &[&from, &to, sampler]);
            for (n, value) in to.read().chunks_exact(4).enumerate() {
                let value = f32::from_ne_bytes(value.try_into().unwrap()) * 255.0;
                let (x, y) = (2 * (n % (width / 2)), 2 * (n / (width / 2)));
                let pixel = |x: usize, y: usize| f32::from(bytes[y * width + x]);
                let expected = match is_linear {
                    true => (pixel(x, y) + pixel(x + 1, y) + pixel(x, y + 1) + pixel(x + 1, y + 1)) / 4.0,
                    false => pixel(x + 1, y + 1),
                };
                assert!((value - expected).abs() < 0.001, "{format:?} at {x}, {y}: {value}, not {expected}");
            }
        }
    }
}

#[test]
fn images_handed_to_functions() {
    let context = Context::new();
    if !context.has_images() {
        return;
    }
    let (width, height) = (24, 5);
    let pixels = noise(4 * width * height);
    let from = context.image(RGBA8UI, Shape::d2(width, height));
    from.write(&pixels);
    let out = context.zeros::<u32>(4 * width * height);
    let program = context.program(SOURCE, "-cl-std=CL3.0");
    program
        .kernel("outline")
        .run(&context, &Range::new([width, height]).local([8, 1]), &[&from, &out]);
    for (n, &value) in out.read().iter().enumerate() {
        let (x, y) = ((n / 4 % width).saturating_sub(1), (n / 4 / width).saturating_sub(1));
        assert_eq!(value, u32::from(pixels[4 * (y * width + x) + n % 4]), "{n}");
    }
}

#[test]
fn what_images_are() {
    let context = Context::new();
    if !context.has_images() {
        return;
    }
    let from = context.image(RGBA8, Shape::d2(4, 4));
    let to = context.image((CL_R, CL_FLOAT), Shape::d2(4, 4));
    let deep = context.image(RGBA8, Shape::new(CL_MEM_OBJECT_IMAGE3D, [7, 5, 3]));
    let layers = context.image(RGBA8, Shape::new(CL_MEM_OBJECT_IMAGE2D_ARRAY, [8, 6, 4]));
    let out = context.zeros::<i32>(6);
    let program = context.program(SOURCE, "-cl-std=CL3.0");
    program
        .kernel("numbers")
        .run(&context, &Range::new([1]), &[&from, &to, &deep, &layers, &out]);
    assert_eq!(out.read(), [1, 1, 1, 1, 70503, 80604]);
}

#[test]
fn what_a_work_item_wrote_it_reads() {
    let context = Context::new();
    if !context.has_images() {
        return;
    }
    let (width, height) = (19, 6);
    let pixels: Vec<u8> = noise(4 * width * height).iter().map(|byte| byte / 4).collect();
    let image = context.image(RGBA8UI, Shape::d2(width, height));
    image.write(&pixels);
    let program = context.program(SOURCE, "-cl-std=CL3.0");
    // Writes outside do nothing.
    program.kernel("twice").run(&context, &Range::new([32, 8]).local([8, 2]), &[&image]);
    let expected: Vec<u8> = pixels.iter().map(|byte| byte * 2 + 1).collect();
    assert_eq!(image.read(), expected);
}

/// Work-items at the ends may run twice where they write one image and read another, and must not where they change one.
#[test]
fn sizes_that_gangs_do_not_divide() {
    let context = Context::new();
    if !context.has_images() {
        return;
    }
    let program = context.program(SOURCE, "-cl-std=CL3.0");
    for (width, height) in [(53, 21), (333, 50), (100, 100), (1000, 7)] {
        let pixels: Vec<u8> = noise(4 * width * height).iter().map(|byte| byte / 4).collect();
        let [from, to] = [(); 2].map(|()| context.image(RGBA8UI, Shape::d2(width, height)));
        from.write(&pixels);
        program.kernel("invert").run(&context, &Range::new([width, height]), &[&from, &to]);
        let expected: Vec<u8> = pixels.iter().map(|byte| 255 - byte).collect();
        assert_eq!(to.read(), expected, "{width} by {height}");
        program.kernel("twice").run(&context, &Range::new([width, height]), &[&from]);
        let expected: Vec<u8> = pixels.iter().map(|byte| byte * 2 + 1).collect();
        assert_eq!(from.read(), expected, "{width} by {height}, in place");
    }
}

#[test]
fn slices_and_layers() {
    let context = Context::new();
    if !context.has_images() {
        return;
    }
    let size = [9, 5, 3];
    let deep = context.image(RGBA8UI, Shape::new(CL_MEM_OBJECT_IMAGE3D, size));
    let layers = context.image(RGBA8UI, Shape::new(CL_MEM_OBJECT_IMAGE2D_ARRAY, size));
    let program = context.program(SOURCE, "-cl-std=CL3.0");
    program
        .kernel("slices")
        .run(&context, &Range::new([9, 5, 3]).local([3, 5, 1]), &[&deep, &layers]);
    for (image, more) in [(&deep, 1), (&layers, 2)] {
        for (n, pixel) in image.read().chunks_exact(4).enumerate() {
            let (x, y, z) = (n % 9, n / 9 % 5, n / 45);
            assert_eq!(pixel, [x + more, y + more, z + more, more].map(|value| value as u8), "{n}");
        }
    }
}
