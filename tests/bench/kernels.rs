//! Kernels of the kinds that programs have, each in two spellings: with `size_t` indices and with `int` indices.

mod arithmetic;
mod arrays;
mod keys;
mod matrices;

use crate::Row;
use crate::latency::best;
use brolga_tests::{Argument, Context, Device, Program, Range};

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

const BENCHMARKS: [Benchmark; 22] = [
    Benchmark {
        name: "copy",
        unit: "GB/s",
        source: include_str!("kernels/copy.cl"),
        options: "",
        run: arrays::copy,
    },
    Benchmark {
        name: "triad",
        unit: "GB/s",
        source: include_str!("kernels/triad.cl"),
        options: "",
        run: arrays::triad,
    },
    Benchmark {
        name: "triad over a grid",
        unit: "GB/s",
        source: include_str!("kernels/triad_grid.cl"),
        options: "",
        run: arrays::triad_over_grid,
    },
    Benchmark {
        name: "fma peak",
        unit: "GFLOP/s",
        source: include_str!("kernels/fma.cl"),
        options: "",
        run: arithmetic::fma,
    },
    Benchmark {
        name: "mandelbrot",
        unit: "Miter/s",
        source: include_str!("kernels/mandelbrot.cl"),
        options: "",
        run: arithmetic::mandelbrot,
    },
    Benchmark {
        name: "n-body",
        unit: "Mpair/s",
        source: include_str!("kernels/nbody.cl"),
        options: "",
        run: arithmetic::nbody,
    },
    Benchmark {
        name: "Black-Scholes",
        unit: "Mopt/s",
        source: include_str!("kernels/black_scholes.cl"),
        options: "",
        run: arithmetic::black_scholes,
    },
    Benchmark {
        name: "sgemm naive",
        unit: "GFLOP/s",
        source: include_str!("kernels/gemm.cl"),
        options: "-DT=float",
        run: matrices::gemm::<f32>,
    },
    Benchmark {
        name: "sgemm naive, guarded",
        unit: "GFLOP/s",
        source: include_str!("kernels/gemm.cl"),
        options: "-DT=float -DGUARD",
        run: matrices::guarded_gemm,
    },
    Benchmark {
        name: "sgemm tiled",
        unit: "GFLOP/s",
        source: include_str!("kernels/gemm_tiled.cl"),
        options: "-DT=float",
        run: matrices::gemm::<f32>,
    },
    Benchmark {
        name: "dgemm tiled",
        unit: "GFLOP/s",
        source: include_str!("kernels/gemm_tiled.cl"),
        options: "-DT=double",
        run: matrices::gemm::<f64>,
    },
    Benchmark {
        name: "stencil",
        unit: "Mpoint/s",
        source: include_str!("kernels/stencil.cl"),
        options: "",
        run: arrays::stencil,
    },
    Benchmark {
        name: "reduction",
        unit: "GB/s",
        source: include_str!("kernels/reduction.cl"),
        options: "",
        run: arrays::reduction,
    },
    Benchmark {
        name: "histogram, local atomics",
        unit: "MB/s",
        source: include_str!("kernels/histogram.cl"),
        options: "",
        run: keys::histogram,
    },
    Benchmark {
        name: "bitonic sort",
        unit: "Mkey/s",
        source: include_str!("kernels/bitonic.cl"),
        options: "",
        run: keys::bitonic,
    },
    Benchmark {
        name: "SpMV",
        unit: "MFLOP/s",
        source: include_str!("kernels/spmv.cl"),
        options: "",
        run: matrices::spmv,
    },
    Benchmark {
        name: "transpose",
        unit: "GB/s",
        source: include_str!("kernels/transpose.cl"),
        options: "",
        run: arrays::transpose,
    },
    Benchmark {
        name: "SHA-256",
        unit: "Mhash/s",
        source: include_str!("kernels/sha256.cl"),
        options: "",
        run: arithmetic::sha256,
    },
    Benchmark {
        name: "transcendental mix",
        unit: "Mitem/s",
        source: include_str!("kernels/transcendental.cl"),
        options: "",
        run: arithmetic::transcendental,
    },
    Benchmark {
        name: "convolution, local memory",
        unit: "Mitem/s",
        source: include_str!("kernels/convolution.cl"),
        options: "",
        run: arrays::convolution,
    },
    Benchmark {
        name: "convolution, clamped",
        unit: "Mitem/s",
        source: include_str!("kernels/clamped.cl"),
        options: "",
        run: arrays::clamped,
    },
    Benchmark {
        name: "float4 matrix-vector",
        unit: "GB/s",
        source: include_str!("kernels/matvec4.cl"),
        options: "",
        run: matrices::matvec,
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
