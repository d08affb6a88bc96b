//! Arrays read and written in order: copied, added up, transposed, filtered.

use super::{Measured, check, close, numbers, time};
use brolga_tests::{Context, Local, Program, Range};

const STREAM: usize = 8 << 20;

pub(super) fn copy(context: &Context, program: &Program) -> Measured {
    let values = numbers(STREAM);
    let (a, r) = (context.buffer(&values), context.zeros::<f32>(STREAM));
    let seconds = time(context, program, &Range::new([STREAM]), &[&a, &r]);
    check(r.read() == values, "copy")?;
    Ok((8.0 * STREAM as f64 / 1e9, seconds))
}

pub(super) fn triad(context: &Context, program: &Program) -> Measured {
    let values = numbers(STREAM);
    let (a, b, r) = (context.buffer(&values), context.buffer(&values), context.zeros::<f32>(STREAM));
    let seconds = time(context, program, &Range::new([STREAM]), &[&a, &b, &r, &3f32]);
    check(
        r.read().iter().zip(&values).all(|(r, v)| close(f64::from(*r), 4.0 * f64::from(*v))),
        "triad",
    )?;
    Ok((12.0 * STREAM as f64 / 1e9, seconds))
}

/// Fewer work-items than elements: each takes one in so many.
pub(super) fn triad_over_grid(context: &Context, program: &Program) -> Measured {
    let n = STREAM - 5;
    let values = numbers(n);
    let (a, b, r) = (context.buffer(&values), context.buffer(&values), context.zeros::<f32>(n));
    let range = Range::new([1 << 16]).local([256]);
    let seconds = time(context, program, &range, &[&a, &b, &r, &3f32, &(n as i32)]);
    check(
        r.read().iter().zip(&values).all(|(r, v)| close(f64::from(*r), 4.0 * f64::from(*v))),
        "triad over a grid",
    )?;
    Ok((12.0 * n as f64 / 1e9, seconds))
}

pub(super) fn clamped(context: &Context, program: &Program) -> Measured {
    let n = 1024;
    let (values, weights) = (numbers(n * n), numbers(25));
    let (a, w, r) = (context.buffer(&values), context.buffer(&weights), context.zeros::<f32>(n * n));
    let range = Range::new([n, n]).local([16, 16]);
    let seconds = time(context, program, &range, &[&a, &r, &w, &(n as i32), &(n as i32)]);
    let got = r.read();
    let near = |at: usize, step: usize| (at + step).clamp(2, n + 1) - 2;
    for i in (0..n * n).step_by(4999).chain([0, n - 1, n * n - 1]) {
        let terms = (0..25).map(|t| f64::from(weights[t]) * f64::from(values[near(i / n, t / 5) * n + near(i % n, t % 5)]));
        check(close(f64::from(got[i]), terms.sum()), "convolution at borders")?;
    }
    Ok(((n * n) as f64 / 1e6, seconds))
}

pub(super) fn reduction(context: &Context, program: &Program) -> Measured {
    let (each, local) = (16, 256);
    let groups = STREAM / each / local;
    let values = numbers(STREAM);
    let (a, sums) = (context.buffer(&values), context.zeros::<f32>(groups));
    let seconds = time(
        context,
        program,
        &Range::new([groups * local]).local([local]),
        &[&a, &sums, &Local(4 * local), &(each as i32)],
    );
    let got: f64 = sums.read().iter().map(|v| f64::from(*v)).sum();
    check(
        close(
            got / STREAM as f64,
            values.iter().map(|v| f64::from(*v)).sum::<f64>() / STREAM as f64,
        ),
        "reduction",
    )?;
    Ok((4.0 * STREAM as f64 / 1e9, seconds))
}

pub(super) fn stencil(context: &Context, program: &Program) -> Measured {
    let n = 2048;
    let values = numbers(n * n);
    let (a, r) = (context.buffer(&values), context.zeros::<f32>(n * n));
    let seconds = time(context, program, &Range::new([n, n]), &[&a, &r, &(n as i32), &(n as i32)]);
    let got = r.read();
    check(got[5] == 0.0 && got[n * n - 1] == 0.0, "stencil's border")?;
    for i in (n + 1..n * (n - 1) - 1).step_by(9973).filter(|i| i % n != 0 && i % n != n - 1) {
        let want = 0.5 * values[i] + 0.125 * (values[i - 1] + values[i + 1] + values[i - n] + values[i + n]);
        check(close(f64::from(got[i]), f64::from(want)), "stencil")?;
    }
    Ok(((n * n) as f64 / 1e6, seconds))
}

pub(super) fn convolution(context: &Context, program: &Program) -> Measured {
    let (n, local) = (1 << 21, 128);
    let values = numbers(n + local);
    let weights = numbers(17);
    let (a, w, r) = (context.buffer(&values), context.buffer(&weights), context.zeros::<f32>(n));
    let seconds = time(
        context,
        program,
        &Range::new([n]).local([local]),
        &[&a, &r, &w, &Local(4 * (local + 16))],
    );
    let got = r.read();
    for i in (0..n).step_by(997) {
        let want: f64 = (0..17).map(|j| f64::from(weights[j]) * f64::from(values[i + j])).sum();
        check(close(f64::from(got[i]), want), "convolution")?;
    }
    Ok((n as f64 / 1e6, seconds))
}

pub(super) fn transpose(context: &Context, program: &Program) -> Measured {
    let n = 2048;
    let values = numbers(n * n);
    let (a, r) = (context.buffer(&values), context.zeros::<f32>(n * n));
    let seconds = time(context, program, &Range::new([n, n]).local([16, 16]), &[&a, &r, &(n as i32)]);
    let got = r.read();
    check((0..n * n).all(|i| got[i] == values[i % n * n + i / n]), "transpose")?;
    Ok((8.0 * (n * n) as f64 / 1e9, seconds))
}
