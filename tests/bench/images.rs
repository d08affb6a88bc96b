//! Kernels on images of 1024×1024 pixels.

use crate::Row;
use crate::kernels::{Measured, check, close, time};
use crate::limits::Resource::Copy;
use brolga_tests::cl_sys::*;
use brolga_tests::{Context, Device, Image, ImageFormat, Program, Range, Shape};

struct Benchmark {
    name: &'static str,
    source: &'static str,
    run: fn(&Context, &Program) -> Measured,
}

const BENCHMARKS: [Benchmark; 3] = [
    Benchmark {
        name: "image box blur 3x3, RGBA8",
        source: include_str!("kernels/image_box.cl"),
        run: box_blur,
    },
    Benchmark {
        name: "image bilinear, RGBA8",
        source: include_str!("kernels/image_bilinear.cl"),
        run: bilinear,
    },
    Benchmark {
        name: "image Gaussian 5x5, R32F",
        source: include_str!("kernels/image_gauss.cl"),
        run: gauss,
    },
];

const SIZE: usize = 1024;

pub fn run(device: Device, filter: &str, print: &mut impl FnMut(Row)) {
    let context = Context::of(device);
    for benchmark in BENCHMARKS.iter().filter(|benchmark| benchmark.name.contains(filter)) {
        if !context.has_images() {
            continue;
        }
        let measured = context
            .build(benchmark.source, "")
            .and_then(|program| (benchmark.run)(&context, &program));
        print(Row {
            name: benchmark.name.to_owned(),
            family: "image objects",
            // Each pixel is written.
            needs: &[(Copy(4 << 20), 4e6)],
            unit: "Mpixel/s",
            more_is_better: true,
            value: measured.map(|(work, seconds)| work / seconds),
        });
    }
}

/// An image of these pixels, filtered to one of `size` times `size`.
fn filtered(context: &Context, program: &Program, format: ImageFormat, from: &Image, size: usize) -> (Vec<u8>, f64) {
    let to = context.image(format, Shape::d2(size, size));
    let seconds = time(context, program, &Range::new([size, size]).local([16, 16]), &[from, &to]);
    (to.read(), seconds)
}

const RGBA8: ImageFormat = (CL_RGBA, CL_UNORM_INT8);

/// Pixels that differ in both directions.
fn bytes(size: usize) -> Vec<u8> {
    (0..4 * size * size).map(|n| (n / (4 * size) + n % (4 * size) * 3) as u8).collect()
}

/// A pixel's place, or the nearest inside.
fn inside(x: usize, dx: usize, less: usize) -> usize {
    (x + dx).saturating_sub(less).min(SIZE - 1)
}

fn box_blur(context: &Context, program: &Program) -> Measured {
    let pixels = bytes(SIZE);
    let from = context.image(RGBA8, Shape::d2(SIZE, SIZE));
    from.write(&pixels);
    let (found, seconds) = filtered(context, program, RGBA8, &from, SIZE);
    for n in (0..found.len()).step_by(4999) {
        let (x, y, channel) = (n / 4 % SIZE, n / 4 / SIZE, n % 4);
        let places = (0..9).map(|k| 4 * (inside(y, k / 3, 1) * SIZE + inside(x, k % 3, 1)) + channel);
        let want = places.map(|place| f64::from(pixels[place])).sum::<f64>() / 9.0;
        check((f64::from(found[n]) - want).abs() < 1.01, "box blur")?;
    }
    Ok(((SIZE * SIZE) as f64 / 1e6, seconds))
}

fn bilinear(context: &Context, program: &Program) -> Measured {
    // Each new pixel's middle is the corner of four old ones.
    let pixels = bytes(2 * SIZE);
    let from = context.image(RGBA8, Shape::d2(2 * SIZE, 2 * SIZE));
    from.write(&pixels);
    let (found, seconds) = filtered(context, program, RGBA8, &from, SIZE);
    for n in (0..found.len()).step_by(4999) {
        let (x, y, channel) = (n / 4 % SIZE, n / 4 / SIZE, n % 4);
        let places = (0..4).map(|k| 4 * ((2 * y + k / 2) * 2 * SIZE + 2 * x + k % 2) + channel);
        let want = places.map(|place| f64::from(pixels[place])).sum::<f64>() / 4.0;
        check((f64::from(found[n]) - want).abs() < 1.51, "bilinear")?;
    }
    Ok(((SIZE * SIZE) as f64 / 1e6, seconds))
}

fn gauss(context: &Context, program: &Program) -> Measured {
    const R32F: ImageFormat = (CL_R, CL_FLOAT);
    let values: Vec<f32> = bytes(SIZE / 2).iter().map(|&byte| f32::from(byte) / 8.0).collect();
    let pixels: Vec<u8> = values.iter().flat_map(|value| value.to_ne_bytes()).collect();
    let from = context.image(R32F, Shape::d2(SIZE, SIZE));
    from.write(&pixels);
    let (found, seconds) = filtered(context, program, R32F, &from, SIZE);
    let weights = [0.0625, 0.25, 0.375, 0.25, 0.0625];
    for (n, value) in found.chunks_exact(4).enumerate().step_by(997) {
        let (x, y) = (n % SIZE, n / SIZE);
        let want = (0..25).map(|k| {
            let value = values[inside(y, k / 5, 2) * SIZE + inside(x, k % 5, 2)];
            weights[k / 5] * weights[k % 5] * f64::from(value)
        });
        let value = f32::from_ne_bytes([value[0], value[1], value[2], value[3]]);
        check(close(f64::from(value), want.sum()), "Gaussian")?;
    }
    Ok(((SIZE * SIZE) as f64 / 1e6, seconds))
}
