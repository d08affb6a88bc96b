//! Points that become what their neighbours make of them.

use super::{Measured, check, numbers, time};
use brolga_tests::{Context, Program, Range};

pub(super) fn heat(context: &Context, program: &Program) -> Measured {
    let n = 128;
    let values: Vec<f64> = numbers(n * n * n).into_iter().map(f64::from).collect();
    let (a, r) = (context.buffer(&values), context.zeros::<f64>(n * n * n));
    let seconds = time(context, program, &Range::new([n, n, n]), &[&a, &r, &(n as i32)]);
    let got = r.read();
    for i in (0..n * n * n).step_by(911) {
        let inside = [i % n, i / n % n, i / n / n].iter().all(|at| (1..n - 1).contains(at));
        let around = |v: &[f64]| v[i - 1] + v[i + 1] + v[i - n] + v[i + n] + v[i - n * n] + v[i + n * n];
        let want = if inside { 0.4 * values[i] + 0.1 * around(&values) } else { 0.0 };
        check((got[i] - want).abs() < 1e-12, "7 points")?;
    }
    Ok(((n * n * n) as f64 / 1e6, seconds))
}

pub(super) fn life(context: &Context, program: &Program) -> Measured {
    let n = 1024;
    let values: Vec<u8> = (0..(n * n) as u32)
        .map(|i| (i.wrapping_mul(2_654_435_761) >> 30 == 0).into())
        .collect();
    let (a, r) = (context.buffer(&values), context.zeros::<u8>(n * n));
    let seconds = time(context, program, &Range::new([n, n]), &[&a, &r, &(n as i32)]);
    let got = r.read();
    for i in 0..n * n {
        let at = |dx: usize, dy: usize| values[(i / n + dy) % n * n + (i % n + dx) % n];
        let beside = [
            (1, 0),
            (n - 1, 0),
            (0, 1),
            (1, 1),
            (n - 1, 1),
            (0, n - 1),
            (1, n - 1),
            (n - 1, n - 1),
        ];
        let alive: u8 = beside.iter().map(|&(dx, dy)| at(dx, dy)).sum();
        let want = alive == 3 || (alive == 2 && values[i] == 1);
        check(got[i] == u8::from(want), "Game of Life")?;
    }
    Ok(((n * n) as f64 / 1e6, seconds))
}
