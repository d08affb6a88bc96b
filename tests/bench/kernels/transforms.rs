//! Steps of transforms, and sums of all before.

use super::{Measured, check, numbers, time};
use crate::latency::best;
use brolga_tests::{Context, Local, Program, Range};
use std::f64::consts::PI;

pub(super) fn fft(context: &Context, program: &Program) -> Measured {
    let n = 1usize << 18;
    let values = numbers(2 * n);
    let signal: Vec<[f32; 2]> = values.chunks(2).map(|c| [c[0] - 0.5, c[1] - 0.5]).collect();
    let pair = [context.buffer(&signal), context.zeros::<[f32; 2]>(n)];
    let kernel = program.kernel("k");
    let steps = n.ilog2();
    let transform = || {
        for step in 0..steps {
            let (from, to) = (step as usize % 2, 1 - step as usize % 2);
            kernel.set(&[&pair[from], &pair[to], &(1i32 << step)]);
            kernel.enqueue_silently(context, &Range::new([n / 2]));
        }
        context.finish();
    };
    let seconds = best(|| {
        pair[0].write(&signal);
        transform();
    });
    let got = pair[steps as usize % 2].read();
    for k in [0, 1, 77, n / 2, n - 3] {
        let mut want = [0.0; 2];
        for (t, value) in signal.iter().enumerate() {
            let (sin, cos) = (-2.0 * PI * ((k * t) % n) as f64 / n as f64).sin_cos();
            want[0] += f64::from(value[0]) * cos - f64::from(value[1]) * sin;
            want[1] += f64::from(value[0]) * sin + f64::from(value[1]) * cos;
        }
        check((0..2).all(|c| (f64::from(got[k][c]) - want[c]).abs() < 0.05), "FFT")?;
    }
    Ok((5.0 * n as f64 * f64::from(steps) / 1e9, seconds.as_secs_f64()))
}

pub(super) fn scan(context: &Context, program: &Program) -> Measured {
    let (n, local) = (4 << 20, 256);
    let values: Vec<u32> = (0..n as u32).map(|i| i.wrapping_mul(2_654_435_761) >> 20).collect();
    let (a, r) = (context.buffer(&values), context.zeros::<u32>(n));
    let seconds = time(context, program, &Range::new([n]).local([local]), &[&a, &r, &Local(4 * local)]);
    let got = r.read();
    let mut sum = 0;
    for i in 0..n {
        sum = if i % local == 0 { 0 } else { sum } + values[i];
        check(got[i] == sum, "scan")?;
    }
    Ok((n as f64 / 1e6, seconds))
}
