//! Images in buffers of bytes.

use super::{Measured, check, close, time};
use brolga_tests::{Buffer, Context, Program, Range};

const WIDTH: usize = 2048;
const HEIGHT: usize = 2048;

fn bytes(n: usize) -> Vec<u8> {
    (0..n as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 17) as u8).collect()
}

/// Runs a kernel from bytes to bytes, and compares some pixels, and the corners, with what `want` makes of them.
fn filter(context: &Context, program: &Program, what: &str, want: impl Fn(&[u8], usize, usize) -> u8) -> Measured {
    let values = bytes(WIDTH * HEIGHT);
    let (a, r): (_, Buffer<u8>) = (context.buffer(&values), context.zeros(WIDTH * HEIGHT));
    let range = Range::new([WIDTH, HEIGHT]);
    let seconds = time(context, program, &range, &[&a, &r, &(WIDTH as i32), &(HEIGHT as i32)]);
    let got = r.read();
    for i in (0..WIDTH * HEIGHT).step_by(997).chain([0, WIDTH - 1, WIDTH * HEIGHT - 1]) {
        check(got[i] == want(&values, i % WIDTH, i / WIDTH), what)?;
    }
    Ok(((WIDTH * HEIGHT) as f64 / 1e6, seconds))
}

fn is_border(x: usize, y: usize) -> bool {
    x == 0 || y == 0 || x == WIDTH - 1 || y == HEIGHT - 1
}

pub(super) fn sobel(context: &Context, program: &Program) -> Measured {
    filter(context, program, "Sobel", |a, x, y| {
        if is_border(x, y) {
            return 0;
        }
        let at = |i: usize, j: usize| i32::from(a[(y + j - 1) * WIDTH + x + i - 1]);
        let across: i32 = [(0, 1), (1, 2), (2, 1)]
            .iter()
            .map(|&(j, weight)| weight * (at(2, j) - at(0, j)))
            .sum();
        let down: i32 = [(0, 1), (1, 2), (2, 1)]
            .iter()
            .map(|&(i, weight)| weight * (at(i, 2) - at(i, 0)))
            .sum();
        (across.abs() + down.abs()).min(255) as u8
    })
}

pub(super) fn median(context: &Context, program: &Program) -> Measured {
    filter(context, program, "median", |a, x, y| {
        if is_border(x, y) {
            return 0;
        }
        let mut near: Vec<u8> = (0..9).map(|i| a[(y + i / 3 - 1) * WIDTH + x + i % 3 - 1]).collect();
        near.sort_unstable();
        near[4]
    })
}

pub(super) fn dilate(context: &Context, program: &Program) -> Measured {
    filter(context, program, "dilation", |a, x, y| {
        let rows = y.saturating_sub(2)..(y + 3).min(HEIGHT);
        let most = rows
            .flat_map(|j| &a[j * WIDTH + x.saturating_sub(2)..j * WIDTH + (x + 3).min(WIDTH)])
            .max();
        most.copied().unwrap_or_default()
    })
}

pub(super) fn planes(context: &Context, program: &Program) -> Measured {
    let n = 4 << 20;
    let values = bytes(n * 3);
    let pixels = context.buffer(&values);
    let planes: [Buffer<f32>; 3] = std::array::from_fn(|_| context.zeros(n));
    let [r, g, b] = &planes;
    let seconds = time(context, program, &Range::new([n]), &[&pixels, r, g, b]);
    for (c, plane) in planes.iter().enumerate() {
        let got = plane.read();
        for i in (0..n).step_by(997) {
            check(close(255.0 * f64::from(got[i]), f64::from(values[i * 3 + c])), "planes")?;
        }
    }
    Ok((n as f64 / 1e6, seconds))
}

pub(super) fn julia(context: &Context, program: &Program) -> Measured {
    let (width, height, limit) = (768, 512, 200u32);
    let r = context.zeros::<u32>(width * height);
    let step = 3.0 / width as f64;
    let seconds = time(
        context,
        program,
        &Range::new([width, height]),
        &[&r, &(width as i32), &step, &limit],
    );
    let counts = r.read();
    // What is fused decides near the border of the set.
    let (mut same, mut seen) = (0, 0);
    for i in (0..width * height).step_by(101) {
        let (mut x, mut y, mut n) = ((i % width) as f64 * step - 1.5, (i / width) as f64 * step - 1.0, 0);
        while n < limit && x * x + y * y < 4.0 {
            (x, y, n) = (x * x - y * y - 0.8, 2.0 * x * y + 0.156, n + 1);
        }
        seen += 1;
        same += i32::from(counts[i] == n);
    }
    check(same * 100 >= seen * 97, "Julia set")?;
    Ok((counts.iter().map(|&count| f64::from(count)).sum::<f64>() / 1e6, seconds))
}
