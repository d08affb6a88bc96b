//! Random kernels, compiled by each code generator, give what the interpreter says, at each gang width.
//!
//! `BROLGA_SEEDS=100000 BROLGA_FIRST_SEED=… cargo test --test random_kernels` searches for longer.

#[path = "random_kernels/matrices.rs"]
mod matrices;

use analysis::GangShape;
use analysis::no_wrap::Sizes;
use codegen::CodeRequest;
use compiler::pipeline::{FormRequest, Formed, WorkItem};
use compiler::{LaunchFacts, LocalSize};
use cranelift_entity::EntityRef;
use device::abi::{Found, LaunchRecord, WorkerRecord};
use interpret::random::RandomKernel;
use interpret::{GlobalMemory, Stop};
use ir::FuncRef;
use ir::verify::verify;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU32, AtomicU64};
use target::BackEnd;
use transform::Inlining;
use transform::expand_work_group_ops::Scratch;

/// What went wrong, in words.
type Failures = Vec<String>;

const WIDTHS: [u32; 5] = [1, 4, 8, 16, 32];

/// 128-byte aligned memory.
#[repr(C, align(128))]
#[derive(Clone, Copy)]
struct Line([u8; 128]);

fn lines(bytes: u64) -> Vec<Line> {
    vec![Line([0; 128]); bytes.div_ceil(128) as usize + 1]
}

/// The kernel as a work-group's function.
fn form(work_item: &WorkItem, shape: GangShape, seed: u64, kernel: &RandomKernel) -> Result<Formed, String> {
    static NOBODY_STOPS: AtomicU32 = AtomicU32::new(0);
    let width = u64::from(shape.width);
    let mut launch = LaunchFacts {
        stop_word: (width == 16).then_some(NOBODY_STOPS.as_ptr() as u64),
        ..kernel.facts(seed * 64 + width)
    };
    // Every third serves other local sizes, too.
    if (seed / 2 + width / 4).is_multiple_of(3) {
        launch.local_size = LocalSize::like(kernel.range.local, shape.width, 1024);
    }
    let sizes = Sizes {
        offset: kernel.range.offset,
        global: kernel.range.global,
        local: kernel.range.local,
    };
    let no_wrap = work_item.no_wrap.holds(&sizes, &kernel.block());
    launch.arguments.set_no_wrap(if seed % 4 == 3 { 0 } else { no_wrap });
    let request = FormRequest {
        module: &kernel.module,
        name: "kernel",
        shape,
        launch: &launch,
        own_sets: &kernel.own_sets(),
        // As many as pay, or another number.
        gangs_at_once: [None, Some(2), Some(4)][((seed + width / 4) % 3) as usize],
    };
    let formed = work_item.form(&request).map_err(|error| error.0)?;
    verify(&formed.group.func, None).map_err(|error| format!("{error}\n{}", formed.group.func))?;
    Ok(formed)
}

/// What runs a kernel's code over the groups of a launch.
fn compiled(
    back_end: BackEnd,
    formed: &Formed,
    globals: &GlobalMemory,
    local_size: [u64; 3],
    local_bytes: u64,
) -> Result<impl FnOnce(&LaunchRecord) -> Result<(), Stop>, String> {
    let request = CodeRequest {
        name: "kernel",
        entry: &formed.group.func,
        callees: &|callee| formed.callees.get(&callee),
        global_address: &|global| globals.addresses[global.index()],
        places: &[],
        arguments: &[],
        optimize: true,
    };
    #[cfg(feature = "arm64")]
    if back_end == BackEnd::Cranelift {
        codegen::check_arm64(&request, formed.width.is_multiple_of(8)).map_err(|error| format!("for aarch64: {error}"))?;
    }
    let code = codegen::compile_with(back_end, &request)?;
    let gangs = local_size.iter().product::<u64>().div_ceil(u64::from(formed.width));
    let (mut local, mut scratch) = (lines(local_bytes), lines(4096));
    let mut private = lines(gangs * formed.group.frame_bytes);
    Ok(move |launch: &LaunchRecord| {
        // All of it: its entry alone would be taken along otherwise, without the memory where that is.
        let code = &code;
        let mut worker = WorkerRecord {
            local_memory: local.as_mut_ptr().cast(),
            private_memory: private.as_mut_ptr().cast(),
            arena_end: private.as_mut_ptr_range().end.cast(),
            scratch: scratch.as_mut_ptr().cast(),
            index: 0,
            trap: 0,
            trap_item: [0; 3],
            frame: 0,
            readable: Found::default(),
            writable: Found::default(),
        };
        let [x, y, z] = launch.group_count;
        for (y, z) in (0..z).flat_map(|z| (0..y).map(move |y| (y, z))) {
            // SAFETY: the kernel stays within the memory that it gets, if the compiler is right.
            unsafe { (code.entry)(launch, &mut worker, 0, x, y, z) };
        }
        Ok(())
    })
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

/// What differs from the interpreter, of one kernel.
fn differences(seed: u64) -> Failures {
    let mut failed = Vec::new();
    let kernel = RandomKernel::new(seed);
    let scratch = Scratch {
        offset: kernel.local_bytes,
        max_items: 0,
    };
    // Functions of all sizes stay calls in two of three.
    let inlining = if seed.is_multiple_of(3) {
        Inlining::WhatPays
    } else {
        Inlining::WhatMust
    };
    let globals = GlobalMemory::new(&kernel.module);
    let work_item = WorkItem::new(&kernel.module, FuncRef::new(0), scratch, inlining);
    for width in WIDTHS {
        // Shapes that kernels ask for, and those that are chosen.
        let required = seed.is_multiple_of(2).then_some(width);
        let shape = analysis::gang_shape(required, width, kernel.range.local);
        let expected = kernel.interpret(shape.width).map_err(|stop| stop.to_string());
        let formed = form(&work_item, shape, seed, &kernel);
        for back_end in BackEnd::available() {
            let found = formed.as_ref().map_err(String::clone).and_then(|formed| {
                let local_bytes = kernel.local_bytes.max(work_item.local_bytes);
                let run = compiled(back_end, formed, &globals, kernel.range.local, local_bytes)?;
                kernel.output(run).map_err(|stop| stop.to_string())
            });
            if expected == found {
                continue;
            }
            let words = expected.iter().flatten().zip(found.iter().flatten()).enumerate();
            let differing: Vec<_> = words.filter(|(_, (a, b))| a != b).take(4).collect();
            failed.push(format!(
                "seed {seed}, gangs of {width}, {back_end:?}: words, expected and found: {differing:x?}; {:?}",
                found.as_ref().err()
            ));
            if number("BROLGA_SEEDS") == Some(1) {
                println!("{}", work_item.func);
                if let Ok(formed) = &formed {
                    println!("{}", formed.group.func);
                }
            }
        }
    }
    failed
}

#[test]
fn compiled_kernels_do_what_the_interpreter_says() {
    let next = AtomicU64::new(number("BROLGA_FIRST_SEED").unwrap_or(0));
    let end = next.load(Relaxed) + number("BROLGA_SEEDS").unwrap_or(25);
    let work = || {
        let mut failed = Vec::new();
        loop {
            match next.fetch_add(1, Relaxed) {
                seed if seed < end => failed.extend(differences(seed)),
                _ => return failed,
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, |count| count.get());
    let failed: Failures = std::thread::scope(|scope| {
        let started: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        started.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect()
    });
    assert!(failed.is_empty(), "{} failures\n{}", failed.len(), failed.join("\n"));
}
