//! Random kernels give the same before and after passes, as far as the interpreter is concerned.

use super::registry::*;
use super::*;
use cranelift_entity::EntityRef;
use interpret::random::RandomKernel;
use ir::parse::parse_module;
use ir::verify::verify_module;

const KERNEL: usize = 0;

fn seeds() -> std::ops::Range<u64> {
    let count = std::env::var("BROLGA_SEEDS").ok().and_then(|text| text.parse().ok());
    let first = std::env::var("BROLGA_FIRST_SEED")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(0);
    first..first + count.unwrap_or(60)
}

/// A kernel, and what it writes in gangs of some widths.
struct Checked {
    seed: u64,
    kernel: RandomKernel,
    expected: [(u32, Vec<u64>); 2],
}

impl Checked {
    fn new(seed: u64) -> Checked {
        let kernel = RandomKernel::new(seed);
        let expected = [1, 8].map(|width| match kernel.interpret(width) {
            Ok(written) => (width, written),
            Err(stop) => panic!("seed {seed}: {stop}\n{}", kernel.module),
        });
        Checked { seed, kernel, expected }
    }

    /// Another form of the kernel writes the same.
    fn check(&self, name: &str, module: &Module) {
        let Checked { seed, kernel, expected } = self;
        for (width, expected) in expected {
            let found = kernel.interpret_as(module, *width);
            if found.as_ref() != Ok(expected) {
                let differing = expected.iter().zip(found.iter().flatten()).position(|(a, b)| a != b);
                let after = &module.functions[FuncRef::new(KERNEL)];
                panic!(
                    "seed {seed}, gangs of {width}: {name} changes the result (word {differing:?}; {:?})\n{}\n; after\n{after}",
                    found.as_ref().err(),
                    kernel.module
                );
            }
        }
    }
}

#[test]
fn generated_kernels_keep_the_rules_and_read_back() {
    for seed in seeds() {
        let kernel = RandomKernel::new(seed);
        if let Err(error) = verify_module(&kernel.module) {
            panic!("seed {seed}: {error}\n{}", kernel.module);
        }
        let text = kernel.module.to_string();
        assert_eq!(parse_module(&text).expect("it reads back").to_string(), text);
        let same: RandomKernel = RandomKernel::new(seed);
        assert_eq!(same.module.to_string(), text);
    }
}

#[test]
fn some_functions_stay_calls() {
    let stays = |seed: &u64| {
        let kernel = RandomKernel::new(*seed);
        !standard(&kernel.module, FuncRef::new(KERNEL), Inlining::WhatMust)
            .0
            .callees()
            .is_empty()
    };
    assert!((0..60).filter(stays).count() > 10);
}

#[test]
fn some_kernels_have_images() {
    let has_images = |seed: &u64| RandomKernel::new(*seed).module.functions.values().any(expand_images::has_images);
    assert!((0..60).filter(has_images).count() > 10);
}

#[test]
fn single_passes_keep_results() {
    for seed in seeds() {
        let checked = Checked::new(seed);
        let kernel = &checked.kernel;
        let mut module = kernel.module.clone();
        // One after the other, so that the first that breaks something is named.
        for pass in [
            MEM2REG,
            FOLD,
            SIMPLIFY_CFG,
            CSE,
            LICM,
            PROMOTE,
            EXPAND_POWERS,
            HALVES,
            FOLD,
            DCE,
            RECIPROCALS,
            SINK,
            SPLIT_ADDRESSES,
            UNIFY_RETURNS,
            SPLIT_IRREDUCIBLE,
            LCSSA,
        ] {
            let mut func = module.functions[FuncRef::new(KERNEL)].clone();
            passes::run_pass(&pass, &mut func, &mut Context::new(Some(&module)));
            module.functions[FuncRef::new(KERNEL)] = func;
            checked.check(pass.name, &module);
        }
    }
}

#[test]
fn the_pipeline_keeps_results() {
    for seed in seeds() {
        let checked = Checked::new(seed);
        let kernel = &checked.kernel;
        let mut module = kernel.module.clone();
        let function = FuncRef::new(KERNEL);
        let inlining = if seed.is_multiple_of(2) {
            Inlining::WhatMust
        } else {
            Inlining::WhatPays
        };
        module.functions[function] = standard(&kernel.module, function, inlining).0;
        checked.check("the pipeline", &module);
        let scratch = expand_work_group_ops::Scratch {
            offset: kernel.local_bytes,
            max_items: 0,
        };
        expand_work_group_ops::run(&mut module.functions[function], scratch);
        verify_module(&module).expect("expansion keeps the rules");
        checked.check("the expansion", &module);
    }
}
