//! What is under a condition is written twice: for gangs of which all lanes fulfil it, and for the others.
//!
//! `if (i < n) …` parts the lanes of one gang at most; but under its mask every access would have to be masked. Where scalars tell
//! whether all lanes go the same way ([`crate::gang_guards`]), a branch that all lanes take together comes first, and leads to a copy
//! without a mask; a gang of which no lane goes there jumps over it. Where there is something on both sides, so are both copied; but what reports
//! a failed check is not: gangs that fail it are rare.

use super::{Assumption, Budget, Region, Test, Twice, is_possible, is_report, masked, may_copy, parts_in_loop, version};
use crate::gang_guards::together;
use analysis::GangFacts;
use analysis::{Analyses, Analysis};
use ir::cfg::Cfg;
use ir::*;
use rustc_hash::FxHashSet;
use target::costs::versioning::{REGION, ROUNDS};

/// Copies. True if something changed. The function must be in the form that group formation takes, and stays in it.
pub fn run(func: &mut Function, facts: &GangFacts, known: &mut Analyses, mut budget: Budget) -> bool {
    if !is_possible(facts) {
        return false;
    }
    let mut changed = false;
    // Branches that have been split: they stay behind for gangs whose lanes part.
    let mut done: FxHashSet<Block> = FxHashSet::default();
    for _ in 0..ROUNDS {
        let found = candidates(func, facts, known, &done);
        if found.is_empty() {
            break;
        }
        for candidate in found {
            let blocks = candidate.inside.iter().chain(candidate.around.iter().flatten());
            let size: usize = blocks.map(|&block| func.block(block).insts.len()).sum();
            if budget.pay(candidate.block, size) {
                done.insert(split(func, candidate));
                known.forget();
                changed = true;
            }
        }
    }
    changed
}

/// A branch, both sides of which lead to the same place.
struct Candidate {
    block: Block,
    condition: Value,
    /// Which target leads to the larger side, the inside: 0 or 1.
    side: usize,
    /// The blocks that only the inside reaches, its first first.
    inside: Vec<Block>,
    /// The same of the other side, which may have nothing in it. `None`: lanes go there so rarely that it is not copied.
    around: Option<Vec<Block>>,
}

fn candidates(func: &Function, facts: &GangFacts, known: &mut Analyses, done: &FxHashSet<Block>) -> Vec<Candidate> {
    let has_branches = func
        .layout
        .iter()
        .any(|&block| matches!(func.terminator(block), InstData::Branch { .. }));
    if !has_branches {
        return Vec::new();
    }
    let Some(known) = known.of(func, facts) else {
        return Vec::new();
    };
    let Analysis {
        cfg,
        loops,
        post,
        tree,
        uniformity,
        ..
    } = known;
    let masked = masked(func, known);
    let mut found = Vec::new();
    for &block in &cfg.order {
        if masked[block] || parts_in_loop(loops, uniformity, block) {
            continue;
        }
        if let InstData::Branch { condition, targets } = func.terminator(block)
            && !uniformity.shape(*condition).is_uniform()
            && let Some(meet) = post.immediate(block)
            && !done.contains(&block)
        {
            let Some(sides) = targets
                .each_ref()
                .map(|target| side(func, cfg, tree, target.block, meet))
                .into_iter()
                .collect::<Option<Vec<_>>>()
            else {
                continue;
            };
            if !sides.iter().any(|side| side.accesses) || sides.iter().all(|side| side.reports) {
                continue;
            }
            let rare = sides.iter().position(|side| side.reports);
            let inside = rare.map_or(usize::from(sides[1].size > sides[0].size), |rare| 1 - rare);
            let all = together(func, uniformity, facts.width, *condition, inside == 0);
            let none = together(func, uniformity, facts.width, *condition, inside == 1);
            if all.is_none() && (none.is_none() || rare.is_some()) {
                continue;
            }
            let mut blocks = sides.into_iter().map(|side| side.blocks);
            let (Some(first), Some(second)) = (blocks.next(), blocks.next()) else {
                continue;
            };
            let (inside_blocks, around) = if inside == 0 { (first, second) } else { (second, first) };
            found.push(Candidate {
                block,
                condition: *condition,
                side: inside,
                inside: inside_blocks,
                around: rare.is_none().then_some(around),
            });
        }
    }
    found
}

/// What is between a branch and the place where its ways meet.
struct Side {
    /// The first first.
    blocks: Vec<Block>,
    /// Instructions.
    size: usize,
    /// Memory is accessed: what a mask would make dear.
    accesses: bool,
    /// Its lanes have failed a check.
    reports: bool,
}

/// The blocks from `first` to `meet`, if they may be copied.
fn side(func: &Function, cfg: &Cfg, tree: &DominatorTree, first: Block, meet: Block) -> Option<Side> {
    if first == meet || cfg.preds[first].len() != 1 {
        return None;
    }
    let mut side = Side {
        blocks: vec![first],
        size: 0,
        accesses: false,
        reports: false,
    };
    let mut seen: FxHashSet<Block> = [first].into_iter().collect();
    let mut next = 0;
    while let Some(&block) = side.blocks.get(next) {
        next += 1;
        side.size += func.block(block).insts.len();
        if side.size > REGION || tree.children(block).len() > REGION {
            return None;
        }
        for &inst in &func.block(block).insts {
            match &func.inst(inst).data {
                data if is_report(data) => side.reports = true,
                InstData::CallRuntime { .. } | InstData::Return { .. } | InstData::Trap { .. } => return None,
                data if !may_copy(data) => return None,
                InstData::Load { .. } | InstData::Store { .. } | InstData::AtomicRmw { .. } | InstData::Copy { .. } => side.accesses = true,
                _ => {}
            }
        }
        for succ in func.successors(block) {
            if succ == meet || seen.contains(&succ) {
                continue;
            }
            // Back to the header of a loop around.
            if !tree.dominates(first, succ) {
                return None;
            }
            seen.insert(succ);
            side.blocks.push(succ);
        }
    }
    Some(side)
}

/// All lanes take one side of a branch.
struct SameSide {
    condition: Value,
    side: usize,
}

impl Assumption for SameSide {
    fn test(&mut self, b: &mut Builder) -> Test {
        Test::all_lanes(b, self.condition, self.side == 0)
    }

    /// The copies are behind the branch: there is nothing more to know.
    fn simplify(&self, _: &mut Function, _: &Twice) {}
}

/// `branch c, A, B` becomes `branch all c, A', x`; `x: branch any c, y, B'`; `y: branch c, A, B`, or without `x` where B is not copied. Gives `y`.
fn split(func: &mut Function, candidate: Candidate) -> Block {
    let Candidate { condition, side, .. } = candidate;
    let sides = [(side, Some(candidate.inside)), (1 - side, candidate.around)];
    sides.into_iter().fold(candidate.block, |block, (side, blocks)| match blocks {
        Some(blocks) => {
            let mut assumption = SameSide { condition, side };
            version(func, &Region::Side { block, side, blocks }, &mut assumption).slow.block
        }
        None => block,
    })
}
