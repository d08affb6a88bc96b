//! Random kernels, compiled by each code generator, give what the interpreter says, at each gang width.
//!
//! `BROLGA_SEEDS=100000 BROLGA_FIRST_SEED=… cargo test --test random_kernels` searches for longer.

use compiler::LaunchFacts;
use compiler::codegen::{self, BackEnd, CodeRequest};
use compiler::gangs::{self, GangFacts};
use compiler::interpret::Stop;
use compiler::interpret::random::RandomKernel;
use compiler::ir::verify::verify;
use compiler::ir::{FuncRef, Function, Module};
use compiler::passes;
use compiler::passes::expand_work_group_ops::{self, Scratch};
use cranelift_entity::EntityRef;
use device::abi::{LaunchRecord, WorkerRecord};
use std::sync::atomic::AtomicU32;

const WIDTHS: [u32; 5] = [1, 4, 8, 16, 32];

/// 128-byte aligned memory.
#[repr(C, align(128))]
#[derive(Clone, Copy)]
struct Line([u8; 128]);

fn lines(bytes: u64) -> Vec<Line> {
    vec![Line([0; 128]); bytes.div_ceil(128) as usize + 1]
}

/// The kernel as a work-group's function, and the bytes of a gang's frame.
fn form(module: &Module, width: u32, kernel: &RandomKernel) -> Result<(Function, u64), String> {
    let mut func = passes::standard(module, FuncRef::new(0));
    let facts = LaunchFacts {
        local_size: kernel.local_size,
        work_dim: 3,
        full_groups: (0..3).all(|d| kernel.global_size[d].is_multiple_of(kernel.local_size[d])),
        zero_offset: true,
        ids_fit_31_bits: true,
        small_objects: true,
        stop_word: None,
        arguments: Default::default(),
    };
    let mut facts = GangFacts::new(gangs::gang_shape(Some(width), width, kernel.local_size), &facts);
    gangs::narrow::run(&mut func, &facts);
    verify(&func, None).map_err(|error| format!("after narrow: {error}\n{func}"))?;
    facts.lane_strides = gangs::interleave(&mut func, width);
    gangs::decided::run(&mut func, &facts);
    verify(&func, None).map_err(|error| format!("after decided: {error}\n{func}"))?;
    gangs::one_quotient::run(&mut func, &facts);
    verify(&func, None).map_err(|error| format!("after one_quotient: {error}\n{func}"))?;
    gangs::full_path::run(&mut func, &facts);
    verify(&func, None).map_err(|error| format!("after full_path: {error}\n{func}"))?;
    let gang = gangs::vectorize(&func, &facts).map_err(|error| error.0.to_string())?;
    // Half of the widths, each with another number of gangs.
    let gang = match width {
        4 => gangs::jam::at_once(gang, &mut facts, 4),
        8 => gangs::jam::at_once(gang, &mut facts, 2),
        _ => gang,
    };
    let mut group = gangs::form_group(gang, &facts);
    verify(&group.func, None).map_err(|error| format!("{error}\n{}", group.func))?;
    passes::group(&mut group.func);
    if width == 16 {
        static NOBODY_STOPS: AtomicU32 = AtomicU32::new(0);
        passes::stoppable::run(&mut group.func, NOBODY_STOPS.as_ptr() as u64);
    }
    verify(&group.func, None).map_err(|error| format!("after passes: {error}\n{}", group.func))?;
    Ok((group.func, group.frame_bytes))
}

fn run(back_end: BackEnd, func: &Function, frame_bytes: u64, width: u32, kernel: &RandomKernel) -> Result<Vec<u64>, String> {
    let request = CodeRequest {
        name: "kernel",
        entry: func,
        callees: &|_| None,
        global_address: &|_| 0,
        optimize: true,
    };
    let code = codegen::compile_with(back_end, &request)?;
    let gangs = kernel.local_size.iter().product::<u64>().div_ceil(u64::from(width));
    let (mut local, mut scratch) = (lines(kernel.local_bytes + 1024), lines(4096));
    let mut private = lines(gangs * frame_bytes);
    let run = |launch: &LaunchRecord| {
        let mut worker = WorkerRecord {
            local_memory: local.as_mut_ptr().cast(),
            private_memory: private.as_mut_ptr().cast(),
            arena_end: private.as_mut_ptr_range().end.cast(),
            scratch: scratch.as_mut_ptr().cast(),
            index: 0,
            trap: 0,
            trap_item: [0; 3],
        };
        let [x, y, z] = launch.group_count;
        for (y, z) in (0..z).flat_map(|z| (0..y).map(move |y| (y, z))) {
            // SAFETY: the kernel stays within the memory that it gets, if the compiler is right.
            unsafe { (code.entry)(launch, &mut worker, 0, x, y, z) };
        }
        Ok::<(), Stop>(())
    };
    kernel.output(run).map_err(|stop| stop.to_string())
}

#[test]
fn compiled_kernels_do_what_the_interpreter_says() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let first = number("BROLGA_FIRST_SEED").unwrap_or(0);
    let mut failed = Vec::new();
    for seed in first..first + number("BROLGA_SEEDS").unwrap_or(25) {
        let mut kernel = RandomKernel::new(seed);
        let scratch = Scratch {
            offset: kernel.local_bytes,
            max_items: 0,
        };
        expand_work_group_ops::run(&mut kernel.module.functions[FuncRef::new(0)], scratch);
        for width in WIDTHS {
            let expected = kernel.interpret(width).map_err(|stop| stop.to_string());
            let formed = form(&kernel.module, width, &kernel);
            for back_end in BackEnd::available() {
                let found = formed
                    .as_ref()
                    .map_err(String::clone)
                    .and_then(|(func, bytes)| run(back_end, func, *bytes, width, &kernel));
                if expected == found {
                    continue;
                }
                let differing = expected.iter().flatten().zip(found.iter().flatten()).position(|(a, b)| a != b);
                failed.push(format!(
                    "seed {seed}, gangs of {width}, {back_end:?}: word {differing:?}; {:?}",
                    found.as_ref().err()
                ));
                if number("BROLGA_SEEDS") == Some(1) {
                    println!("{}", passes::standard(&kernel.module, FuncRef::new(0)));
                    if let Ok((func, _)) = &formed {
                        println!("{func}");
                    }
                }
            }
        }
    }
    assert!(failed.is_empty(), "{} failures\n{}", failed.len(), failed.join("\n"));
}
