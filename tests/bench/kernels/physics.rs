//! Fluids and molecules.

use super::{Measured, check, close, numbers, time};
use brolga_tests::{Context, Program, Range};

pub(super) fn lattice(context: &Context, program: &Program) -> Measured {
    const SPEEDS: [(usize, usize, f64); 9] = {
        let (centre, side, corner) = (4.0 / 9.0, 1.0 / 9.0, 1.0 / 36.0);
        // One more than the speeds along both axes.
        [
            (1, 1, centre),
            (2, 1, side),
            (1, 2, side),
            (0, 1, side),
            (1, 0, side),
            (2, 2, corner),
            (0, 2, corner),
            (0, 0, corner),
            (2, 0, corner),
        ]
    };
    let n = 512;
    let values: Vec<f32> = numbers(9 * n * n).iter().map(|v| 0.1 + v).collect();
    let (a, r) = (context.buffer(&values), context.zeros::<f32>(values.len()));
    let seconds = time(context, program, &Range::new([n, n]), &[&a, &r, &(n as i32)]);
    let got = r.read();
    for at in (0..n * n).step_by(1009).chain([0, n * n - 1]) {
        let (x, y) = (at % n, at / n);
        let from = |i: usize| {
            let (dx, dy, _) = SPEEDS[i];
            f64::from(values[(i * n + (y + n + 1 - dy) % n) * n + (x + n + 1 - dx) % n])
        };
        let density: f64 = (0..9).map(from).sum();
        let u = (0..9).map(|i| (SPEEDS[i].0 as f64 - 1.0) * from(i)).sum::<f64>() / density;
        let v = (0..9).map(|i| (SPEEDS[i].1 as f64 - 1.0) * from(i)).sum::<f64>() / density;
        for (i, &(dx, dy, weight)) in SPEEDS.iter().enumerate() {
            let along = 3.0 * ((dx as f64 - 1.0) * u + (dy as f64 - 1.0) * v);
            let rest = weight * density * (1.0 + along + 0.5 * along * along - 1.5 * (u * u + v * v));
            let want = from(i) + 0.6 * (rest - from(i));
            check(close(f64::from(got[(i * n + y) * n + x]), want), "lattice Boltzmann")?;
        }
    }
    Ok(((n * n) as f64 / 1e6, seconds))
}

pub(super) fn lennard_jones(context: &Context, program: &Program) -> Measured {
    let (n, count) = (1 << 14, 64);
    let values = numbers(4 * n);
    let bodies: Vec<[f32; 4]> = values.chunks(4).map(|c| [4.0 * c[0], 4.0 * c[1], 4.0 * c[2], 0.0]).collect();
    let lists: Vec<i32> = (0..(n * count) as u32)
        .map(|i| (i.wrapping_mul(2_654_435_761) >> 11) as i32 % n as i32)
        .collect();
    let (p, l, f) = (context.buffer(&bodies), context.buffer(&lists), context.zeros::<[f32; 4]>(n));
    let seconds = time(context, program, &Range::new([n]), &[&p, &l, &f, &(count as i32)]);
    let got = f.read();
    for i in (0..n).step_by(331) {
        let (mut want, mut size) = ([0.0; 3], 0.0);
        for j in 0..count {
            let other = bodies[lists[j * n + i] as usize];
            let d: [f64; 3] = std::array::from_fn(|c| f64::from(other[c]) - f64::from(bodies[i][c]));
            let inverse = 1.0 / (d.iter().map(|d| d * d).sum::<f64>() + 0.01);
            let factor = inverse * inverse.powi(3) * (0.5 - inverse.powi(3));
            (0..3).for_each(|c| want[c] += d[c] * factor);
            size += factor.abs();
        }
        check(
            (0..3).all(|c| (f64::from(got[i][c]) - want[c]).abs() <= 1e-4 * size + 1e-4),
            "Lennard-Jones",
        )?;
    }
    Ok(((n * count) as f64 / 1e6, seconds))
}
