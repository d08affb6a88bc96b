//! What it takes before and around a kernel: launches, builds, the first result of a process.

use crate::{Row, again};
use brolga_tests::{Context, Device, DeviceQueue, Program, Range};
use std::path::Path;
use std::time::{Duration, Instant};

const EMPTY: &str = "kernel void k(global int *r) { }";

/// The kernel of the demo, as SPIR-V.
fn module() -> Result<Vec<u8>, String> {
    std::fs::read(Path::new(env!("PROGRAMS")).join("mandelbrot.spv")).map_err(|error| format!("mandelbrot.spv: {error}"))
}

/// Repeats for a while; the smallest time.
pub fn best(mut run: impl FnMut()) -> Duration {
    run();
    let start = Instant::now();
    let mut best = Duration::MAX;
    let mut runs = 0;
    while runs < 3 || start.elapsed() < Duration::from_millis(250) {
        let before = Instant::now();
        run();
        best = best.min(before.elapsed());
        runs += 1;
    }
    best
}

fn microseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

pub fn run(device: Device, index: usize, filter: &str, print: &mut impl FnMut(Row)) {
    let mut row = |name: &str, unit: &'static str, measure: &dyn Fn() -> Result<f64, String>| {
        if name.contains(filter) {
            print(Row {
                name: name.to_owned(),
                family: "latency",
                needs: &[],
                unit,
                more_is_better: false,
                value: measure(),
            });
        }
    };
    row("process start to first result", "ms", &|| first_result_of_a_process(index));
    let context = Context::of(device);
    row("empty kernel, enqueue and finish", "us", &|| empty(&context, 1));
    row("empty kernel, 1000 in a queue, each", "us", &|| {
        empty(&context, 1000).map(|time| time / 1000.0)
    });
    row("kernel that a kernel enqueues, each of 65536", "us", &|| enqueued(&context));
    row("build from OpenCL C", "ms", &|| {
        let source = include_str!("../demo/mandelbrot.cl");
        context.build(source, "")?;
        Ok(microseconds(best(|| drop(context.build(source, "")))) / 1e3)
    });
    row("build from SPIR-V, and first launch", "ms", &|| {
        let il = module()?;
        let once = || -> Result<(), String> {
            let program = Program::from_il(&context, &il)
                .map_err(|status| format!("clCreateProgramWithIL: {status}"))?
                .build("")?;
            let counts = context.zeros::<u32>(64);
            program
                .kernel("mandelbrot")
                .run(&context, &Range::new([8, 8]), &[&counts, &0f32, &0f32, &0f32, &1u32]);
            Ok(())
        };
        once()?;
        Ok(microseconds(best(|| once().expect("it worked before"))) / 1e3)
    });
}

fn empty(context: &Context, launches: usize) -> Result<f64, String> {
    let program = context.build(EMPTY, "")?;
    let kernel = program.kernel("k");
    let r = context.zeros::<i32>(1);
    kernel.set(&[&r]);
    let range = Range::new([1]).local([1]);
    Ok(microseconds(best(|| {
        for _ in 0..launches {
            kernel.enqueue_silently(context, &range);
        }
        context.finish();
    })))
}

/// A tree of launches of one work-item, each of which enqueues two.
fn enqueued(context: &Context) -> Result<f64, String> {
    let source = "static void tree(global int *r, int depth) {
            atomic_inc(r);
            for (int n = 0; depth > 0 && n < 2; n++)
                enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1, 1), ^{ tree(r, depth - 1); });
        }
        kernel void k(global int *r) { tree(r, 15); }";
    let _queue = DeviceQueue::new(context, 1 << 20, true).map_err(|status| format!("no on-device queue: {status}"))?;
    let program = context.build(source, "-cl-std=CL3.0")?;
    let (kernel, r) = (program.kernel("k"), context.zeros::<i32>(1));
    let range = Range::new([1]).local([1]);
    kernel.run(context, &range, &[&r]);
    if r.read() != [65535] {
        return Err(format!("{:?} launches instead of 65535", r.read()));
    }
    let time = best(|| {
        kernel.enqueue_silently(context, &range);
        context.finish();
    });
    Ok(microseconds(time) / 65536.0)
}

/// A process of its own, which ends as soon as it has its result.
fn first_result_of_a_process(index: usize) -> Result<f64, String> {
    let run = || {
        again(&["--first-result", &index.to_string()])
            .output()
            .map_err(|error| error.to_string())
    };
    let output = run()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    Ok(microseconds(best(|| drop(run()))) / 1e3)
}

/// The smallest program from SPIR-V: context, build, launch, read.
pub fn first_result(index: usize) {
    let context = Context::of(Device::all()[index]);
    let il = module().expect("the demo's module");
    let program = Program::from_il(&context, &il)
        .expect("clCreateProgramWithIL")
        .build("")
        .expect("it builds");
    let counts = context.zeros::<u32>(1);
    program
        .kernel("mandelbrot")
        .run(&context, &Range::new([1, 1]), &[&counts, &0f32, &0f32, &0f32, &7u32]);
    assert_eq!(counts.read(), [7]);
}
