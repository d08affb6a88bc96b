//! What a kernel costs from the IR to machine code, by its size: it is to be at most a millisecond for a thousand operations, and linear.
//! `cargo bench -p brolga-compiler --bench compile_time [-- PART-OF-A-NAME [OPERATIONS]]`.
//!
//! First the kernels of the benchmarks (`tests/bench/kernels`), if there is a clang, with `size_t` and with `int` indices; then kernels of some shapes, by size.

#[path = "../../tests/bench_kernels/mod.rs"]
mod bench_kernels;
mod shapes;

use compiler::spirv::assemble;
use compiler::{BuildOptions, Kernel, LaunchFacts, Module, Program, source};
use shapes::{NEST, SHAPES, Shape};
use std::sync::Arc;
use std::time::Duration;

fn kernel(program: &Program) -> &Kernel {
    &program.kernels[0]
}

/// Of the kernel and of what it calls.
fn operations(program: &Program) -> usize {
    let (module, _) = kernel(program).work_item_code();
    module.functions.values().map(|function| function.inst_count()).sum()
}

fn facts(program: &Program, local_size: [u64; 3]) -> LaunchFacts {
    LaunchFacts {
        work_dim: if local_size[1] > 1 { 2 } else { 1 },
        ..LaunchFacts::usual(kernel(program).info.required_local_size.unwrap_or(local_size))
    }
}

/// What this thread has had of a processor: what else the machine does matters less.
fn processor_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the clock exists, and there is room for its time.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// The smallest time of some, each on a program that has not been compiled yet.
fn best(module: &Arc<Module>, work: impl Fn(&Kernel)) -> Duration {
    let start = processor_time();
    let mut best = Duration::MAX;
    let mut rounds = 0;
    while rounds < 2 || (rounds < 50 && processor_time() - start < Duration::from_millis(300)) {
        let program = link(module);
        let before = processor_time();
        work(kernel(&program));
        best = best.min(processor_time() - before);
        rounds += 1;
    }
    best
}

fn link(module: &Arc<Module>) -> Arc<Program> {
    compiler::link(std::slice::from_ref(module), &BuildOptions::default()).expect("a program")
}

fn measure(name: &str, module: &Arc<Module>, local_size: [u64; 3]) {
    let program = link(module);
    let (count, facts) = (operations(&program), facts(&program, local_size));
    let formed = |kernel: &Kernel| kernel.work_group_code(&facts).expect("it is formed");
    let group = best(module, |kernel| drop(formed(kernel)));
    let all = best(module, |kernel| drop(kernel.variant(&facts).expect("it is compiled")));
    let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
    let thousand = |time: Duration, count: usize| milliseconds(time) * 1e3 / count as f64;
    // Gangs of several registers, unrolled loops and ways without masks make a multiple of the work-item's operations.
    let code = formed(kernel(&program));
    let to_code = match code.callees().is_empty() {
        true => {
            let grown = code.inst_count();
            format!("{grown:>10} {:>12.2}", thousand(all.saturating_sub(group), grown))
        }
        false => "  (it calls others)".to_owned(),
    };
    println!(
        "{name:24} {count:10} {:>12.2} {:>12.2} {:>12.2}   {to_code}",
        milliseconds(group),
        milliseconds(all),
        thousand(all, count),
    );
}

/// The benchmarks' kernels that take no images.
fn everyday(filter: &str) {
    let mut files: Vec<_> = std::fs::read_dir(bench_kernels::folder())
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|file| file.extension().is_some_and(|ending| ending == "cl"))
        .collect();
    files.sort();
    for file in files {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        for index in ["size_t", "int"] {
            let kernel = format!("{name} {index}");
            if name.starts_with("image") || !kernel.contains(filter) {
                continue;
            }
            let module = bench_kernels::module(&name, &format!("-DINDEX={index} -DT=float"));
            let rows = ["gemm", "mandelbrot", "stencil", "transpose"]
                .iter()
                .any(|kind| name.contains(kind));
            measure(&kernel, &module, if rows { [16, 16, 1] } else { [64, 1, 1] });
        }
    }
}

fn sized(shape: &Shape, sizes: &[u32]) {
    let module = |parts| Module::from_il(&assemble(&shape.text(parts)).expect("a module"), &[]).expect("it is valid");
    let a_part = operations(&link(&module(10))) as f64 / 10.0;
    for &size in sizes {
        measure(shape.name, &module((f64::from(size) / a_part).ceil() as usize), [64, 1, 1]);
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1).filter(|argument| !argument.starts_with('-'));
    let filter = arguments.next().unwrap_or_default();
    let asked: Option<u32> = arguments.next().and_then(|size| size.parse().ok());
    let sizes = asked.map_or(vec![1_000, 3_000, 10_000, 30_000, 100_000], |size| vec![size]);
    println!(
        "of a work-item's operations: ms to a work-group's, ms to code, that for a thousand (at most 1); of a work-group's: ms to code for a thousand"
    );
    println!("kernel                   work-item     to group      to code     thousand   work-group     thousand");
    if source::available() {
        everyday(&filter);
    }
    let wanted = SHAPES.iter().filter(|shape| shape.name.contains(&filter));
    wanted.for_each(|shape| sized(shape, &sizes));
    if NEST.name.contains(&filter) {
        sized(&NEST, &[300, 1_000, 3_000]);
    }
}
