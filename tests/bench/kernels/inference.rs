//! What a language model does for each token that it adds.

use super::{Measured, check, close, numbers, time};
use brolga_tests::{Context, Local, Program, Range};

/// Numbers from -1 to 1.
fn signed(n: usize) -> Vec<f32> {
    numbers(n).iter().map(|v| 2.0 * v - 1.0).collect()
}

fn doubles(values: &[f32]) -> impl Iterator<Item = f64> {
    values.iter().map(|v| f64::from(*v))
}

pub(super) fn rms_norm(context: &Context, program: &Program) -> Measured {
    let (n, rows, local) = (2048, 1024, 128);
    let (values, weights) = (signed(n * rows), numbers(n));
    let (x, w, r) = (context.buffer(&values), context.buffer(&weights), context.zeros::<f32>(n * rows));
    let range = Range::new([rows * local]).local([local]);
    let seconds = time(context, program, &range, &[&x, &w, &r, &Local(4 * local), &(n as i32)]);
    let got = r.read();
    for row in (0..rows).step_by(97) {
        let of_row = &values[row * n..][..n];
        let scale = 1.0 / (doubles(of_row).map(|v| v * v).sum::<f64>() / n as f64 + 1e-5).sqrt();
        for i in (0..n).step_by(31) {
            let want = f64::from(of_row[i]) * scale * f64::from(weights[i]);
            check(close(f64::from(got[row * n + i]), want), "RMS norm")?;
        }
    }
    Ok(((n * rows) as f64 / 1e6, seconds))
}

pub(super) fn rotary(context: &Context, program: &Program) -> Measured {
    let (size, heads, positions) = (128, 32, 512);
    let values = signed(size * heads * positions);
    let (x, r) = (context.buffer(&values), context.zeros::<f32>(values.len()));
    let range = Range::new([heads * size / 2, positions]);
    let seconds = time(context, program, &range, &[&x, &r, &(heads as i32), &(size as i32)]);
    let got = r.read();
    for position in (0..positions).step_by(37) {
        for i in 0..size / 2 {
            let at = (position * heads + position % heads) * size + i;
            let angle = position as f64 * 10000f64.powf(-(i as f64) / (size / 2) as f64);
            let (a, b) = (f64::from(values[at]), f64::from(values[at + size / 2]));
            let want = [a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos()];
            check(
                close(f64::from(got[at]), want[0]) && close(f64::from(got[at + size / 2]), want[1]),
                "rotary embedding",
            )?;
        }
    }
    Ok((values.len() as f64 / 1e6, seconds))
}

pub(super) fn attention(context: &Context, program: &Program) -> Measured {
    let (size, heads, length, local) = (64, 32, 1024, 64);
    let (q, keys, values) = (signed(heads * size), signed(heads * size * length), numbers(heads * length * size));
    let (b_q, b_keys, b_values) = (context.buffer(&q), context.buffer(&keys), context.buffer(&values));
    let r = context.zeros::<f32>(heads * size);
    let (scores, shared) = (Local(4 * length), Local(4 * local));
    let range = Range::new([heads * local]).local([local]);
    let seconds = time(
        context,
        program,
        &range,
        &[&b_q, &b_keys, &b_values, &r, &scores, &shared, &(size as i32), &(length as i32)],
    );
    let got = r.read();
    for head in (0..heads).step_by(5) {
        let score = |t: usize| {
            let terms = (0..size).map(|i| f64::from(q[head * size + i]) * f64::from(keys[(head * size + i) * length + t]));
            (terms.sum::<f64>() / (size as f64).sqrt()).exp()
        };
        let weights: Vec<f64> = (0..length).map(score).collect();
        let sum: f64 = weights.iter().sum();
        for i in 0..size {
            let terms = (0..length).map(|t| weights[t] * f64::from(values[(head * length + t) * size + i]));
            check(close(f64::from(got[head * size + i]), terms.sum::<f64>() / sum), "attention")?;
        }
    }
    Ok(((2 * heads * size * length) as f64 / 1e6, seconds))
}

pub(super) fn matvec_int8(context: &Context, program: &Program) -> Measured {
    let (rows, blocks) = (4096, 32);
    let bytes = |n: usize| -> Vec<i8> { (0..n as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as i8).collect() };
    let (w, x) = (bytes(rows * blocks * 32), bytes(blocks * 32));
    let (w_scales, x_scales) = (numbers(rows * blocks), numbers(blocks));
    let (b_w, b_ws) = (context.buffer(&w), context.buffer(&w_scales));
    let (b_x, b_xs) = (context.buffer(&x), context.buffer(&x_scales));
    let y = context.zeros::<f32>(rows);
    let range = Range::new([rows]);
    let seconds = time(context, program, &range, &[&b_w, &b_ws, &b_x, &b_xs, &y, &(blocks as i32)]);
    let got = y.read();
    for row in (0..rows).step_by(61) {
        let mut want = 0.0;
        let mut size = 0.0;
        for b in 0..blocks {
            let dot: i32 = (0..32)
                .map(|i| i32::from(w[(row * blocks + b) * 32 + i]) * i32::from(x[b * 32 + i]))
                .sum();
            let term = f64::from(dot) * f64::from(w_scales[row * blocks + b]) * f64::from(x_scales[b]);
            want += term;
            size += term.abs();
        }
        check((f64::from(got[row]) - want).abs() < 1e-5 * size + 1e-3, "matrix of int8")?;
    }
    Ok(((2 * rows * blocks * 32) as f64 / 1e9, seconds))
}

pub(super) fn matvec_int4(context: &Context, program: &Program) -> Measured {
    let (rows, blocks) = (4096, 32);
    let w: Vec<u8> = (0..(rows * blocks * 16) as u32)
        .map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8)
        .collect();
    let (scales, x) = (numbers(rows * blocks), signed(blocks * 32));
    let (b_w, b_s, b_x) = (context.buffer(&w), context.buffer(&scales), context.buffer(&x));
    let y = context.zeros::<f32>(rows);
    let seconds = time(context, program, &Range::new([rows]), &[&b_w, &b_s, &b_x, &y, &(blocks as i32)]);
    let got = y.read();
    for row in (0..rows).step_by(61) {
        let (mut want, mut size) = (0.0, 0.0);
        for b in 0..blocks {
            let weight = |i: usize| {
                let two = w[(row * blocks + b) * 16 + i % 16];
                f64::from(if i < 16 { two & 15 } else { two >> 4 }) - 8.0
            };
            let term = (0..32).map(|i| weight(i) * f64::from(x[b * 32 + i])).sum::<f64>() * f64::from(scales[row * blocks + b]);
            want += term;
            size += term.abs();
        }
        check((f64::from(got[row]) - want).abs() < 1e-5 * size + 1e-3, "matrix of int4")?;
    }
    Ok(((2 * rows * blocks * 32) as f64 / 1e9, seconds))
}

pub(super) fn softmax(context: &Context, program: &Program) -> Measured {
    let (rows, n) = (2048, 1000);
    let values: Vec<f32> = signed(rows * n).iter().map(|v| 8.0 * v).collect();
    let (x, r) = (context.buffer(&values), context.zeros::<f32>(rows * n));
    let seconds = time(context, program, &Range::new([rows]), &[&x, &r, &(n as i32)]);
    let got = r.read();
    for row in (0..rows).step_by(97) {
        let of_row = &values[row * n..][..n];
        let sum: f64 = doubles(of_row).map(f64::exp).sum();
        for i in (0..n).step_by(7) {
            let want = f64::from(of_row[i]).exp() / sum;
            check((f64::from(got[row * n + i]) - want).abs() < 1e-4 * want, "softmax")?;
        }
    }
    Ok(((rows * n) as f64 / 1e6, seconds))
}

pub(super) fn top_k(context: &Context, program: &Program) -> Measured {
    let (rows, n) = (2048, 1000);
    let values = numbers(rows * n);
    let (x, r) = (context.buffer(&values), context.zeros::<f32>(rows * 8));
    let seconds = time(context, program, &Range::new([rows]), &[&x, &r, &(n as i32)]);
    let got = r.read();
    for row in 0..rows {
        let mut sorted = values[row * n..][..n].to_vec();
        sorted.sort_by(|a, b| b.total_cmp(a));
        check(got[row * 8..][..8] == sorted[..8], "top 8")?;
    }
    Ok(((rows * n) as f64 / 1e6, seconds))
}

pub(super) fn gelu(context: &Context, program: &Program) -> Measured {
    let n = 4 << 20;
    let values: Vec<f32> = signed(n).iter().map(|v| 6.0 * v).collect();
    let (x, r) = (context.buffer(&values), context.zeros::<f32>(n));
    let seconds = time(context, program, &Range::new([n]), &[&x, &r]);
    let got = r.read();
    for i in (0..n).step_by(997) {
        let v = f64::from(values[i]);
        let want = 0.5 * v * (1.0 + (0.7978845608 * (v + 0.044715 * v * v * v)).tanh());
        check((f64::from(got[i]) - want).abs() < 1e-5, "GELU")?;
    }
    Ok((n as f64 / 1e6, seconds))
}
