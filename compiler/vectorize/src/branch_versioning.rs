//! What is under a condition is written twice: for gangs of which all lanes fulfil it, and for the others.
//!
//! `if (i < n) …` parts the lanes of one gang at most; but under its mask every access would have to be masked. Where scalars tell
//! whether all lanes go the same way ([`super::gang_guards`]), a branch that all lanes take together comes first, and leads to a copy
//! without a mask; a gang of which no lane goes there jumps over it. Where there is something on both sides, so are both copied; but what reports
//! a failed check is not: gangs that fail it are rare.

use super::gang_guards::together;
use analysis::GangFacts;
use analysis::uniformity::{Extent, Uniformity};
use analysis::{Analyses, Analysis};
use cranelift_entity::SecondaryMap;
use ir::cfg::{Cfg, Loops};
use ir::copy::copy_blocks;
use ir::*;
use rustc_hash::FxHashSet;

/// No more instructions than this are written twice under one condition.
const LARGEST: usize = 300;
/// Nor does a function grow by more than this in all.
const GROWTH: usize = 1200;
/// Conditions within copied code are looked at in another round.
const ROUNDS: usize = 3;

/// Copies. True if something changed. The function must be in the form that group formation takes, and stays in it.
pub fn run(func: &mut Function, facts: &GangFacts, known: &mut Analyses) -> bool {
    if facts.width == 1 || !facts.full_gangs() || facts.parameters_vary {
        return false;
    }
    let mut left = GROWTH;
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
            if size <= LARGEST && size <= left {
                left -= size;
                done.insert(split(func, &candidate));
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
    targets: [BlockCall; 2],
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
                targets: targets.clone(),
                side: inside,
                inside: inside_blocks,
                around: rare.is_none().then_some(around),
            });
        }
    }
    found
}

/// Blocks in which lanes may be missing: behind branches on which lanes part, up to where their ways meet again. (Lanes that leave a loop
/// one by one wait behind it.)
pub(super) fn masked(func: &Function, known: Analysis) -> SecondaryMap<Block, bool> {
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
pub(super) fn parts_in_loop(loops: &Loops, uniformity: &Uniformity, block: Block) -> bool {
    let mut at = loops.innermost[block].map(|index| index as usize);
    while let Some(index) = at {
        if uniformity.leaves(index) == Extent::Lane {
            return true;
        }
        at = loops.loops[index].parent;
    }
    false
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
        if side.size > LARGEST || tree.children(block).len() > LARGEST {
            return None;
        }
        for &inst in &func.block(block).insts {
            match &func.inst(inst).data {
                InstData::CallRuntime {
                    routine: Runtime::Found | Runtime::Raced,
                    ..
                } => side.reports = true,
                InstData::Barrier { .. }
                | InstData::WorkGroup { .. }
                | InstData::Call { .. }
                | InstData::CallRuntime { .. }
                | InstData::Return { .. }
                | InstData::Trap { .. }
                | InstData::Unreachable => return None,
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

/// `branch c, A, B` becomes `branch all c, A', x`; `x: branch any c, y, B'`; `y: branch c, A, B`, or without `x` where B is not copied. Gives `y`.
fn split(func: &mut Function, candidate: &Candidate) -> Block {
    let &Candidate {
        block, condition, side, ..
    } = candidate;
    let targets = candidate.targets.clone();
    func.block_mut(block).insts.pop();
    let outer = candidate.around.is_some().then(|| func.add_detached_block());
    let parted = func.add_detached_block();
    let mut new = copy_blocks(func, &candidate.inside);
    let around = candidate.around.as_ref().map(|blocks| copy_blocks(func, blocks));
    let full = BlockCall {
        block: new[0],
        args: targets[side].args.clone(),
    };
    let sub_group = |func: &mut Function, block: Block, op: SubGroupOp| Builder::new(func, block).sub_group(op, &[condition]);
    // All lanes go inside where all fulfil the condition, or where none does.
    let (inside_op, around_op) = if side == 0 {
        (SubGroupOp::All, SubGroupOp::Any)
    } else {
        (SubGroupOp::Any, SubGroupOp::All)
    };
    let branch = |func: &mut Function, from: Block, condition: Value, holds: BlockCall, otherwise: BlockCall| {
        let targets = if side == 0 { [holds, otherwise] } else { [otherwise, holds] };
        func.append(from, InstData::Branch { condition, targets }, Flags::empty());
    };
    let inside = sub_group(func, block, inside_op);
    branch(func, block, inside, full, to(outer.unwrap_or(parted), &[]));
    if let (Some(outer), Some(around)) = (outer, around) {
        let some = sub_group(func, outer, around_op);
        let skipped = BlockCall {
            block: around[0],
            args: targets[1 - side].args.clone(),
        };
        branch(func, outer, some, to(parted, &[]), skipped);
        new.push(outer);
        new.extend(around);
    }
    func.append(parted, InstData::Branch { condition, targets }, Flags::empty());
    let position = func
        .layout
        .iter()
        .position(|&other| other == block)
        .map_or(func.layout.len(), |at| at + 1);
    new.push(parted);
    func.layout.splice(position..position, new);
    parted
}
