//! The benchmarks' kernels become vector code, whether their indices are `size_t` or `int`.
//!
//! What is looked at is the IR that code is generated from: accesses whose lanes stand in order are one access, none of them goes lane by
//! lane, and what gangs have in common is done once.

mod bench_kernels;

use compiler::{BuildOptions, LaunchFacts, source};
use ir::{Address, Function, InstData};

/// The kernel's work-group function for full groups of this size; none where there is no clang.
fn form(file: &str, defines: &str, local_size: [u64; 3]) -> Option<Function> {
    if !source::available() {
        eprintln!("skipped: no clang");
        return None;
    }
    let module = bench_kernels::module(file, defines);
    let program = compiler::link(&[module], &BuildOptions::default()).unwrap_or_else(|error| panic!("{file}: {}", error.log));
    let facts = LaunchFacts::usual(local_size);
    let kernel = program.kernels.iter().find(|kernel| kernel.info.name == "k").expect("the kernel");
    Some(
        kernel
            .work_group_code(&facts)
            .unwrap_or_else(|error| panic!("{file}: {}", error.log)),
    )
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    /// Accesses of whole vectors.
    whole: usize,
    /// The same under a mask.
    masked: usize,
    /// Accesses with an address a lane.
    scattered: usize,
    /// Multiplications and additions in one, of vectors.
    fused: usize,
}

fn count(func: &Function) -> Counts {
    let mut counts = Counts::default();
    for &block in &func.layout {
        for &inst in &func.block(block).insts {
            let vector =
                |address: &Address| func.ty(address.base).is_vector() || address.index.is_some_and(|index| func.ty(index).is_vector());
            let (address, mask, lanes) = match &func.inst(inst).data {
                // Of a way on which lanes are done one by one.
                InstData::Load { address, .. } | InstData::Store { address, .. }
                    if matches!(func.def_data(address.base), Some(InstData::SlotAddress { .. })) =>
                {
                    continue;
                }
                InstData::Load { ty, address, mask, .. } => (address, mask, ty.lanes),
                InstData::Store { value, address, mask, .. } => (address, mask, func.ty(*value).lanes),
                InstData::Fma { args } => {
                    counts.fused += usize::from(func.ty(args[0]).is_vector());
                    continue;
                }
                _ => continue,
            };
            if lanes > 1 {
                match (vector(address), mask.is_some_and(|mask| func.constant(mask) != Some(1))) {
                    (true, _) => counts.scattered += 1,
                    (false, true) => counts.masked += 1,
                    (false, false) => counts.whole += 1,
                }
            }
        }
    }
    counts
}

/// Checks both spellings.
fn check(file: &str, defines: &str, local_size: [u64; 3], good: impl Fn(Counts) -> bool) {
    for index in ["size_t", "int"] {
        let Some(func) = form(file, &format!("-DINDEX={index} {defines}"), local_size) else {
            return;
        };
        let counts = count(&func);
        assert!(good(counts), "{file} with {index}: {counts:?}\n{func}");
    }
}

/// So many, in each of the gangs that are run at once.
fn several(count: usize, in_one: usize) -> bool {
    count > 0 && count.is_multiple_of(in_one)
}

#[test]
fn streams() {
    check("copy", "", [256, 1, 1], |c| several(c.whole, 2) && c.scattered + c.masked == 0);
    check("triad", "", [256, 1, 1], |c| several(c.whole, 3) && c.scattered + c.masked == 0);
    check("black_scholes", "", [256, 1, 1], |c| {
        several(c.whole, 5) && c.scattered + c.masked == 0
    });
    check("transcendental", "", [256, 1, 1], |c| several(c.whole, 2) && c.scattered == 0);
}

#[test]
fn guarded_stencils_have_a_way_without_masks() {
    check("stencil", "", [256, 1, 1], |c| c.whole >= 6 && c.scattered == 0);
}

#[test]
fn loops_over_a_grid_have_a_way_without_masks() {
    check("triad_grid", "", [256, 1, 1], |c| c.whole >= 3 && c.masked >= 3 && c.scattered == 0);
}

#[test]
fn indices_within_bounds_have_a_way_in_order() {
    check("clamped", "", [16, 16, 1], |c| c.whole > c.scattered && c.scattered > 0);
}

#[test]
fn products_of_matrices_share_what_they_load() {
    check("gemm", "-DT=float", [16, 16, 1], |c| several(c.fused, 4) && c.scattered == 0);
    // Four gangs behind the guard; alone, for all lanes and for some.
    check("gemm", "-DT=float -DGUARD", [16, 16, 1], |c| c.fused > 4 && c.scattered == 0);
    check("gemm_tiled", "-DT=float", [16, 16, 1], |c| {
        several(c.fused, 4 * 16) && c.scattered + c.masked == 0
    });
    check("gemm_tiled", "-DT=double", [16, 16, 1], |c| {
        c.fused >= 16 && c.scattered + c.masked == 0
    });
}

#[test]
fn local_memory_is_accessed_in_order() {
    check("convolution", "", [128, 1, 1], |c| c.whole >= 17 && c.scattered == 0);
    check("reduction", "", [256, 1, 1], |c| c.whole >= 2 && c.scattered == 0);
    // A column of the tile is read across its rows.
    check("transpose", "", [16, 16, 1], |c| {
        several(c.scattered, 1) && c.whole == 3 * c.scattered
    });
}

#[test]
fn private_arrays_are_vectors() {
    // The hash is stored in records of eight words.
    check("sha256", "", [64, 1, 1], |c| c.whole >= 20 && c.scattered <= 8);
}
