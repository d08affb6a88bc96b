//! Kernels of the kinds that programs have, each in two spellings: with `size_t` indices and with `int` indices.

use crate::Row;
use crate::latency::best;
use brolga_tests::{Argument, Context, Device, Local, Program, Range};

/// Units of work of a run, and the seconds that they took.
pub type Measured = Result<(f64, f64), String>;

/// A benchmark: what it is called and measured in, its source, and how it is run, which includes a check of the results.
struct Benchmark {
    name: &'static str,
    unit: &'static str,
    source: &'static str,
    options: &'static str,
    run: fn(&Context, &Program) -> Measured,
}

const BENCHMARKS: [Benchmark; 19] = [
    Benchmark {
        name: "copy",
        unit: "GB/s",
        source: include_str!("kernels/copy.cl"),
        options: "",
        run: copy,
    },
    Benchmark {
        name: "triad",
        unit: "GB/s",
        source: include_str!("kernels/triad.cl"),
        options: "",
        run: triad,
    },
    Benchmark {
        name: "fma peak",
        unit: "GFLOP/s",
        source: include_str!("kernels/fma.cl"),
        options: "",
        run: fma,
    },
    Benchmark {
        name: "mandelbrot",
        unit: "Miter/s",
        source: include_str!("kernels/mandelbrot.cl"),
        options: "",
        run: mandelbrot,
    },
    Benchmark {
        name: "n-body",
        unit: "Mpair/s",
        source: include_str!("kernels/nbody.cl"),
        options: "",
        run: nbody,
    },
    Benchmark {
        name: "Black-Scholes",
        unit: "Mopt/s",
        source: include_str!("kernels/black_scholes.cl"),
        options: "",
        run: black_scholes,
    },
    Benchmark {
        name: "sgemm naive",
        unit: "GFLOP/s",
        source: include_str!("kernels/gemm.cl"),
        options: "-DT=float",
        run: gemm::<f32>,
    },
    Benchmark {
        name: "sgemm tiled",
        unit: "GFLOP/s",
        source: include_str!("kernels/gemm_tiled.cl"),
        options: "-DT=float",
        run: gemm::<f32>,
    },
    Benchmark {
        name: "dgemm tiled",
        unit: "GFLOP/s",
        source: include_str!("kernels/gemm_tiled.cl"),
        options: "-DT=double",
        run: gemm::<f64>,
    },
    Benchmark {
        name: "stencil",
        unit: "Mpoint/s",
        source: include_str!("kernels/stencil.cl"),
        options: "",
        run: stencil,
    },
    Benchmark {
        name: "reduction",
        unit: "GB/s",
        source: include_str!("kernels/reduction.cl"),
        options: "",
        run: reduction,
    },
    Benchmark {
        name: "histogram, local atomics",
        unit: "MB/s",
        source: include_str!("kernels/histogram.cl"),
        options: "",
        run: histogram,
    },
    Benchmark {
        name: "bitonic sort",
        unit: "Mkey/s",
        source: include_str!("kernels/bitonic.cl"),
        options: "",
        run: bitonic,
    },
    Benchmark {
        name: "SpMV",
        unit: "MFLOP/s",
        source: include_str!("kernels/spmv.cl"),
        options: "",
        run: spmv,
    },
    Benchmark {
        name: "transpose",
        unit: "GB/s",
        source: include_str!("kernels/transpose.cl"),
        options: "",
        run: transpose,
    },
    Benchmark {
        name: "SHA-256",
        unit: "Mhash/s",
        source: include_str!("kernels/sha256.cl"),
        options: "",
        run: sha256,
    },
    Benchmark {
        name: "transcendental mix",
        unit: "Mitem/s",
        source: include_str!("kernels/transcendental.cl"),
        options: "",
        run: transcendental,
    },
    Benchmark {
        name: "convolution, local memory",
        unit: "Mitem/s",
        source: include_str!("kernels/convolution.cl"),
        options: "",
        run: convolution,
    },
    Benchmark {
        name: "float4 matrix-vector",
        unit: "GB/s",
        source: include_str!("kernels/matvec4.cl"),
        options: "",
        run: matvec,
    },
];

pub fn run(device: Device, filter: &str, print: &mut impl FnMut(Row)) {
    let context = Context::of(device);
    for benchmark in BENCHMARKS {
        for index in ["size_t", "int"] {
            let name = format!("{} ({index})", benchmark.name);
            if !name.contains(filter) {
                continue;
            }
            let options = format!("-DINDEX={index} {}", benchmark.options);
            let measured = context
                .build(benchmark.source, &options)
                .and_then(|program| (benchmark.run)(&context, &program));
            print(Row {
                name,
                unit: benchmark.unit,
                more_is_better: true,
                value: measured.map(|(work, seconds)| work / seconds),
            });
        }
    }
}

/// The best time of a kernel's launch, in seconds.
pub fn time(context: &Context, program: &Program, range: &Range, arguments: &[&dyn Argument]) -> f64 {
    let kernel = program.kernel("k");
    kernel.set(arguments);
    let launch = || {
        kernel.enqueue_silently(context, range);
        context.finish();
    };
    best(launch).as_secs_f64()
}

pub fn check(right: bool, what: &str) -> Result<(), String> {
    right.then_some(()).ok_or_else(|| format!("wrong result: {what}"))
}

pub fn close(got: f64, want: f64) -> bool {
    (got - want).abs() <= 1e-3 * want.abs().max(1.0)
}

/// `n` numbers between 0 and 1.
fn numbers(n: usize) -> Vec<f32> {
    (0..n as u32)
        .map(|i| (i.wrapping_mul(2_654_435_761) >> 8) as f32 / (1 << 24) as f32)
        .collect()
}

const STREAM: usize = 8 << 20;

fn copy(context: &Context, program: &Program) -> Measured {
    let values = numbers(STREAM);
    let (a, r) = (context.buffer(&values), context.zeros::<f32>(STREAM));
    let seconds = time(context, program, &Range::new([STREAM]), &[&a, &r]);
    check(r.read() == values, "copy")?;
    Ok((8.0 * STREAM as f64 / 1e9, seconds))
}

fn triad(context: &Context, program: &Program) -> Measured {
    let values = numbers(STREAM);
    let (a, b, r) = (context.buffer(&values), context.buffer(&values), context.zeros::<f32>(STREAM));
    let seconds = time(context, program, &Range::new([STREAM]), &[&a, &b, &r, &3f32]);
    check(
        r.read().iter().zip(&values).all(|(r, v)| close(f64::from(*r), 4.0 * f64::from(*v))),
        "triad",
    )?;
    Ok((12.0 * STREAM as f64 / 1e9, seconds))
}

fn fma(context: &Context, program: &Program) -> Measured {
    let n = 1 << 16;
    let r = context.zeros::<f32>(n);
    let seconds = time(context, program, &Range::new([n]), &[&r, &0.5f32, &1f32]);
    // Every chain ends at the fixed point of v / 2 + 1.
    check(r.read().iter().all(|v| close(f64::from(*v), 32.0)), "fma")?;
    Ok((n as f64 * 256.0 * 16.0 * 2.0 / 1e9, seconds))
}

fn mandelbrot(context: &Context, program: &Program) -> Measured {
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

fn nbody(context: &Context, program: &Program) -> Measured {
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

fn black_scholes(context: &Context, program: &Program) -> Measured {
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

/// Floats of both sizes.
trait Float: brolga_tests::Plain + Argument {
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

fn gemm<T: Float>(context: &Context, program: &Program) -> Measured {
    let n = 512;
    let values: Vec<T> = numbers(n * n).into_iter().map(T::of).collect();
    let (a, b, c) = (context.buffer(&values), context.buffer(&values), context.zeros::<T>(n * n));
    let seconds = time(context, program, &Range::new([n, n]).local([16, 16]), &[&a, &b, &c, &(n as i32)]);
    let got = c.read();
    for i in (0..n * n).step_by(4999) {
        let want: f64 = (0..n).map(|j| values[i / n * n + j].get() * values[j * n + i % n].get()).sum();
        check(close(got[i].get(), want), "product of matrices")?;
    }
    Ok((2.0 * (n * n * n) as f64 / 1e9, seconds))
}

fn stencil(context: &Context, program: &Program) -> Measured {
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

fn reduction(context: &Context, program: &Program) -> Measured {
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

fn histogram(context: &Context, program: &Program) -> Measured {
    let (n, each, local) = (4 << 20, 32, 128);
    let values: Vec<u8> = (0..n as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 11) as u8).collect();
    let (a, bins) = (context.buffer(&values), context.zeros::<u32>(256));
    let range = Range::new([n / each]).local([local]);
    let seconds = time(context, program, &range, &[&a, &bins, &Local(1024), &(each as i32)]);
    bins.write(&[0; 256]);
    program.kernel("k").run(context, &range, &[&a, &bins, &Local(1024), &(each as i32)]);
    let mut want = vec![0u32; 256];
    values.iter().for_each(|v| want[*v as usize] += 1);
    check(bins.read() == want, "histogram")?;
    Ok((n as f64 / 1e6, seconds))
}

fn bitonic(context: &Context, program: &Program) -> Measured {
    let n = 1usize << 18;
    let values: Vec<u32> = (0..n as u32).map(|i| i.wrapping_mul(2_654_435_761)).collect();
    let a = context.buffer(&values);
    let kernel = program.kernel("k");
    let range = Range::new([n / 2]);
    let sort = || {
        let mut block = 2u32;
        while block as usize <= n {
            let mut distance = block / 2;
            while distance > 0 {
                kernel.set(&[&a, &block, &distance]);
                kernel.enqueue_silently(context, &range);
                distance /= 2;
            }
            block *= 2;
        }
        context.finish();
    };
    let seconds = best(sort).as_secs_f64();
    a.write(&values);
    sort();
    let mut want = values;
    want.sort_unstable();
    check(a.read() == want, "bitonic sort")?;
    Ok((n as f64 / 1e6, seconds))
}

fn spmv(context: &Context, program: &Program) -> Measured {
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

fn transpose(context: &Context, program: &Program) -> Measured {
    let n = 2048;
    let values = numbers(n * n);
    let (a, r) = (context.buffer(&values), context.zeros::<f32>(n * n));
    let seconds = time(context, program, &Range::new([n, n]).local([16, 16]), &[&a, &r, &(n as i32)]);
    let got = r.read();
    check((0..n * n).all(|i| got[i] == values[i % n * n + i / n]), "transpose")?;
    Ok((8.0 * (n * n) as f64 / 1e9, seconds))
}

fn sha256(context: &Context, program: &Program) -> Measured {
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

fn transcendental(context: &Context, program: &Program) -> Measured {
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

fn convolution(context: &Context, program: &Program) -> Measured {
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

fn matvec(context: &Context, program: &Program) -> Measured {
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
