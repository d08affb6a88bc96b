//! Kernels of the kinds that programs have, each in two spellings: with `size_t` indices and with `int` indices.

mod arithmetic;
mod arrays;
mod graphs;
mod hashing;
mod inference;
mod keys;
mod matrices;
mod physics;
mod pixels;
mod stencils;
mod strings;
mod table;
mod transforms;

use crate::Row;
use crate::latency::best;
use crate::limits::Resource;
use brolga_tests::{Argument, Context, Device, Program, Range};

/// Units of work of a run, and the seconds that they took.
pub type Measured = Result<(f64, f64), String>;

/// A benchmark: what it is called and measured in, its source, and how it is run, which includes a check of the results.
struct Benchmark {
    /// Of which kind of programs it is.
    family: &'static str,
    name: &'static str,
    unit: &'static str,
    source: &'static str,
    options: &'static str,
    /// What a unit of work needs at least, of each of these.
    needs: &'static [(Resource, f64)],
    run: fn(&Context, &Program) -> Measured,
}

pub fn run(device: Device, filter: &str, print: &mut impl FnMut(Row)) {
    let context = Context::of(device);
    for benchmark in table::ALL {
        for index in ["size_t", "int"] {
            let name = format!("{} ({index})", benchmark.name);
            if !name.contains(filter) && !benchmark.family.contains(filter) {
                continue;
            }
            let options = format!("-DINDEX={index} {}", benchmark.options);
            let measured = context
                .build(benchmark.source, &options)
                .and_then(|program| (benchmark.run)(&context, &program));
            print(Row {
                name,
                family: benchmark.family,
                needs: benchmark.needs,
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
