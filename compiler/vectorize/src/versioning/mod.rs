//! Versions of the code for gangs of which more is known ([`transform::versioning`]), before they are vectorized.

pub mod bounds_versioning;
pub mod branch_versioning;
pub mod divergent_loop_splitting;
pub mod hoist_checks;
pub mod quotient_versioning;
pub mod window_versioning;

pub use transform::versioning::*;

use analysis::uniformity::{Extent, Uniformity};
use analysis::{Analysis, GangFacts};
use cranelift_entity::SecondaryMap;
use ir::cfg::Loops;
use ir::*;

/// Gangs are such that a test of scalars can tell of all lanes: there are several, all of work-items, and each knows its own.
pub fn is_possible(facts: &GangFacts) -> bool {
    facts.width > 1 && facts.full_gangs() && !facts.parameters_vary
}

/// Blocks in which lanes may be missing: behind branches on which lanes part, up to where their ways meet again. (Lanes that leave a loop
/// one by one wait behind it.)
fn masked(func: &Function, known: Analysis) -> SecondaryMap<Block, bool> {
    let Analysis {
        cfg,
        post,
        loops,
        uniformity,
        ..
    } = known;
    let mut masked = func.per_block(false);
    for &block in &cfg.order {
        let Some(value) = func.terminator(block).decider() else { continue };
        if masked[block] || uniformity.shape(value).is_uniform() || parts_in_loop(loops, uniformity, block) {
            continue;
        }
        let meet = post.immediate(block);
        let mut work = cfg.succs[block].to_vec();
        while let Some(next) = work.pop() {
            if Some(next) != meet && !masked[next] {
                masked[next] = true;
                work.extend(cfg.succs[next].iter().copied());
            }
        }
    }
    masked
}

/// Some loop around the block is left by its lanes one by one.
fn parts_in_loop(loops: &Loops, uniformity: &Uniformity, block: Block) -> bool {
    loops.around(block).any(|index| uniformity.leaves(index) == Extent::Lane)
}
