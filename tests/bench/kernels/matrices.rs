//! Products of matrices and vectors.

use super::{Measured, check, close, numbers, time};
use brolga_tests::{Argument, Context, Program, Range};

/// Floats of both sizes.
pub(super) trait Float: brolga_tests::Plain + Argument {
    fn of(value: f32) -> Self;
    fn get(self) -> f64;
}

impl Float for f32 {
    fn of(value: f32) -> f32 {
        value
    }
    fn get(self) -> f64 {
        f64::from(self)
    }
}

impl Float for f64 {
    fn of(value: f32) -> f64 {
        f64::from(value)
    }
    fn get(self) -> f64 {
        self
    }
}

pub(super) fn gemm<T: Float>(context: &Context, program: &Program) -> Measured {
    product::<T>(context, program, 512)
}

/// Matrices that whole work-groups stand out of.
pub(super) fn guarded_gemm(context: &Context, program: &Program) -> Measured {
    product::<f32>(context, program, 500)
}

fn product<T: Float>(context: &Context, program: &Program, n: usize) -> Measured {
    let size = n.next_multiple_of(16);
    let values: Vec<T> = numbers(n * n).into_iter().map(T::of).collect();
    let (a, b, c) = (context.buffer(&values), context.buffer(&values), context.zeros::<T>(n * n));
    let seconds = time(
        context,
        program,
        &Range::new([size, size]).local([16, 16]),
        &[&a, &b, &c, &(n as i32)],
    );
    let got = c.read();
    for i in (0..n * n).step_by(4999) {
        let want: f64 = (0..n).map(|j| values[i / n * n + j].get() * values[j * n + i % n].get()).sum();
        check(close(got[i].get(), want), "product of matrices")?;
    }
    Ok((2.0 * (n * n * n) as f64 / 1e9, seconds))
}

pub(super) fn spmv(context: &Context, program: &Program) -> Measured {
    let n = 1 << 18;
    let mut rows = vec![0i32];
    let mut columns = Vec::new();
    for i in 0..n {
        for j in 0..8 + i % 9 {
            columns.push(((i as u32).wrapping_mul((j as u32).wrapping_mul(2_654_435_761) | 1) % n as u32) as i32);
        }
        rows.push(columns.len() as i32);
    }
    let (values, x) = (numbers(columns.len()), numbers(n));
    let (b_rows, b_columns, b_values, b_x) = (
        context.buffer(&rows),
        context.buffer(&columns),
        context.buffer(&values),
        context.buffer(&x),
    );
    let y = context.zeros::<f32>(n);
    let seconds = time(context, program, &Range::new([n]), &[&b_rows, &b_columns, &b_values, &b_x, &y]);
    let got = y.read();
    for i in (0..n).step_by(991) {
        let want: f64 = (rows[i] as usize..rows[i + 1] as usize)
            .map(|j| f64::from(values[j]) * f64::from(x[columns[j] as usize]))
            .sum();
        check(close(f64::from(got[i]), want), "SpMV")?;
    }
    Ok((2.0 * columns.len() as f64 / 1e6, seconds))
}

pub(super) fn matvec(context: &Context, program: &Program) -> Measured {
    let n = 1 << 21;
    let values = numbers(n * 4);
    let vectors: Vec<[f32; 4]> = values.chunks(4).map(|c| [c[0], c[1], c[2], c[3]]).collect();
    let matrix: [[f32; 4]; 4] = [
        [1.0, 2.0, 3.0, 4.0],
        [0.0, 1.0, 0.0, 1.0],
        [5.0, 5.0, 5.0, 5.0],
        [-1.0, 0.0, 0.0, 1.0],
    ];
    let (m, v, r) = (context.buffer(&matrix), context.buffer(&vectors), context.zeros::<[f32; 4]>(n));
    let seconds = time(context, program, &Range::new([n]), &[&m, &v, &r]);
    let got = r.read();
    for i in (0..n).step_by(991) {
        let want = |row: usize| (0..4).map(|c| f64::from(matrix[row][c]) * f64::from(vectors[i][c])).sum::<f64>();
        check((0..4).all(|row| close(f64::from(got[i][row]), want(row))), "matrix by vector")?;
    }
    Ok((32.0 * n as f64 / 1e9, seconds))
}

pub(super) fn gemv(context: &Context, program: &Program) -> Measured {
    let n = 1024;
    let values: Vec<f64> = numbers(n * n).into_iter().map(f64::from).collect();
    let vector = &values[..n];
    let (a, x, y) = (context.buffer(&values), context.buffer(vector), context.zeros::<f64>(n));
    let seconds = time(context, program, &Range::new([n]), &[&a, &x, &y, &(n as i32)]);
    let got = y.read();
    for i in 0..n {
        let want: f64 = (0..n).map(|j| values[i * n + j] * vector[j]).sum();
        check((got[i] - want).abs() < 1e-9 * want.abs().max(1.0), "matrix by vector of doubles")?;
    }
    Ok((2.0 * (n * n) as f64 / 1e9, seconds))
}

pub(super) fn jacobi(context: &Context, program: &Program) -> Measured {
    let n = 1024;
    let mut values = numbers(n * n);
    (0..n).for_each(|i| values[i * n + i] += 100.0);
    let (b, x) = (numbers(n), numbers(2 * n).split_off(n));
    let (b_a, b_b, b_x, r) = (
        context.buffer(&values),
        context.buffer(&b),
        context.buffer(&x),
        context.zeros::<f32>(n),
    );
    let seconds = time(context, program, &Range::new([n]), &[&b_a, &b_b, &b_x, &r, &(n as i32)]);
    let got = r.read();
    for i in 0..n {
        let rest: f64 = (0..n)
            .filter(|&j| j != i)
            .map(|j| f64::from(values[j * n + i]) * f64::from(x[j]))
            .sum();
        let want = (f64::from(b[i]) - rest) / f64::from(values[i * n + i]);
        check(close(f64::from(got[i]), want), "Jacobi")?;
    }
    Ok((2.0 * (n * n) as f64 / 1e9, seconds))
}
