//! Arithmetic more than memory.

use super::{Measured, check, close, numbers, time};
use brolga_tests::{Context, Local, Program, Range};

pub(super) fn fma(context: &Context, program: &Program) -> Measured {
    let n = 1 << 16;
    let r = context.zeros::<f32>(n);
    let seconds = time(context, program, &Range::new([n]), &[&r, &0.5f32, &1f32]);
    // Every chain ends at the fixed point of v / 2 + 1.
    check(r.read().iter().all(|v| close(f64::from(*v), 32.0)), "fma")?;
    Ok((n as f64 * 256.0 * 16.0 * 2.0 / 1e9, seconds))
}

pub(super) fn mandelbrot(context: &Context, program: &Program) -> Measured {
    let (width, height, limit) = (1024, 768, 200u32);
    let r = context.zeros::<u32>(width * height);
    let step = 3.0 / width as f32;
    let seconds = time(
        context,
        program,
        &Range::new([width, height]),
        &[&r, &-2.2f32, &(-step * height as f32 / 2.0), &step, &limit],
    );
    let counts = r.read();
    check(
        counts.iter().all(|&count| count <= limit) && counts.contains(&limit) && counts[0] < 5,
        "mandelbrot",
    )?;
    Ok((counts.iter().map(|&count| f64::from(count)).sum::<f64>() / 1e6, seconds))
}

pub(super) fn nbody(context: &Context, program: &Program) -> Measured {
    let n = 4096;
    let v = numbers(n * 4);
    let bodies: Vec<[f32; 4]> = v.chunks(4).map(|c| [c[0], c[1], c[2], c[3]]).collect();
    let (p, f) = (context.buffer(&bodies), context.zeros::<[f32; 4]>(n));
    let seconds = time(
        context,
        program,
        &Range::new([n]).local([64]),
        &[&p, &f, &(n as i32), &Local(64 * 16)],
    );
    let got = f.read();
    for i in (0..n).step_by(777) {
        let mut want = [0f64; 3];
        for other in &bodies {
            let d: [f64; 3] = std::array::from_fn(|c| f64::from(other[c] - bodies[i][c]));
            let inverse = 1.0 / (d.iter().map(|v| v * v).sum::<f64>() + 0.01).sqrt();
            (0..3).for_each(|c| want[c] += d[c] * f64::from(other[3]) * inverse.powi(3));
        }
        check(
            (0..3).all(|c| (f64::from(got[i][c]) - want[c]).abs() < 1e-3 * want[c].abs() + 0.1),
            "n-body",
        )?;
    }
    Ok(((n * n) as f64 / 1e6, seconds))
}

pub(super) fn black_scholes(context: &Context, program: &Program) -> Measured {
    let n = 1 << 20;
    let v = numbers(n);
    let price: Vec<f32> = v.iter().map(|v| 5.0 + 25.0 * v).collect();
    let strike: Vec<f32> = v.iter().rev().map(|v| 1.0 + 99.0 * v).collect();
    let years: Vec<f32> = v.iter().map(|v| 0.25 + 9.75 * (v * 7.0).fract()).collect();
    let (s, x, t) = (context.buffer(&price), context.buffer(&strike), context.buffer(&years));
    let (call, put) = (context.zeros::<f32>(n), context.zeros::<f32>(n));
    let (rate, volatility) = (0.02f32, 0.3f32);
    let seconds = time(context, program, &Range::new([n]), &[&s, &x, &t, &call, &put, &rate, &volatility]);
    let (call, put) = (call.read(), put.read());
    for i in (0..n).step_by(997) {
        // Call and put of the same terms differ by what is certain.
        let certain = f64::from(price[i]) - f64::from(strike[i]) * (-f64::from(rate) * f64::from(years[i])).exp();
        check(
            close(f64::from(call[i]) - f64::from(put[i]), certain) && call[i] > -1e-3,
            "Black-Scholes",
        )?;
    }
    Ok((n as f64 / 1e6, seconds))
}

pub(super) fn sha256(context: &Context, program: &Program) -> Measured {
    let n = 1 << 18;
    let r = context.zeros::<u32>(n * 8);
    let seconds = time(context, program, &Range::new([n]), &[&r]);
    // SHA-256 of the four bytes 00 00 00 00.
    let want = [
        0xdf3f6198, 0x04a92fdb, 0x4057192d, 0xc43dd748, 0xea778adc, 0x52bc498c, 0xe80524c0, 0x14b81119,
    ];
    check(r.read()[..8] == want, "SHA-256")?;
    Ok((n as f64 / 1e6, seconds))
}

pub(super) fn transcendental(context: &Context, program: &Program) -> Measured {
    let n = 1 << 20;
    let values: Vec<f32> = numbers(n).iter().map(|v| v * 2.0 - 1.0).collect();
    let (a, r) = (context.buffer(&values), context.zeros::<f32>(n));
    let seconds = time(context, program, &Range::new([n]), &[&a, &r]);
    let got = r.read();
    for i in (0..n).step_by(997) {
        let x = f64::from(values[i]);
        let want =
            x.sin() * (-x * x).exp() + (1.0 + x * x).ln() * (3.0 * x).cos() + (x.abs() + 0.5).powf(1.5) + (0.5 * x).tan() + x.abs().sqrt();
        check(close(f64::from(got[i]), want), "transcendental mix")?;
    }
    Ok((n as f64 / 1e6, seconds))
}
