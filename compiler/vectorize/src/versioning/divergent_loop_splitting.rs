//! Loops that nearly all iterations of which all lanes go through are written twice: for as long as no lane has left, and for the
//! iterations after that.
//!
//! `for (i = get_global_id(0); i < n; i += get_global_size(0))` is left by all lanes in the same iteration, or by some in one iteration and
//! by the others in the next. But as lanes leave it one by one, every access in it would have to be masked. So the first of the two loops
//! goes on while all lanes do, without a mask, and hands what it has to the second.

use super::{Budget, Test, is_possible, masked, may_copy_inside};
use analysis::GangFacts;
use analysis::uniformity::{Extent, Shape, Uniformity};
use analysis::{Analyses, Analysis};
use ir::copy::copy_blocks;
use ir::*;
use target::costs::versioning::REGIONS;

/// Copies. True if something changed. The function must be in the form that group formation takes, and stays in it.
pub fn run(func: &mut Function, facts: &GangFacts, known: &mut Analyses, mut budget: Budget) -> bool {
    if !is_possible(facts) {
        return false;
    }
    // Headers of the loops for lanes that are left.
    let mut done: Vec<Block> = Vec::new();
    while done.len() < REGIONS
        && let Some(found) = find(func, facts, known, &done, &mut budget)
    {
        done.push(found.header);
        split(func, &found);
        known.forget();
    }
    !done.is_empty()
}

/// A loop, and the branch at the begin or the end of its iterations by which lanes leave it.
struct Found {
    header: Block,
    blocks: Vec<Block>,
    /// Blocks outside that jump to the header.
    entries: Vec<Block>,
    /// Ends in the branch.
    last: Block,
    /// The iteration that follows has begun before the branch.
    begun: bool,
    /// Which target of the branch goes on: 0 or 1.
    stay: usize,
}

fn find(func: &Function, facts: &GangFacts, known: &mut Analyses, done: &[Block], budget: &mut Budget) -> Option<Found> {
    let known = known.of(func, facts)?;
    let Analysis {
        cfg, loops, uniformity, ..
    } = known;
    if !(0..loops.loops.len()).any(|index| uniformity.leaves(index) == Extent::Lane) {
        return None;
    }
    let masked = masked(func, known);
    (0..loops.loops.len()).find_map(|index| {
        let natural = &loops.loops[index];
        let header = natural.header;
        if masked[header] || done.contains(&header) || uniformity.leaves(index) != Extent::Lane {
            return None;
        }
        if natural.parent.is_some_and(|parent| uniformity.leaves(parent) == Extent::Lane) {
            return None;
        }
        let insts = || func.insts_of(&natural.blocks);
        if !insts().all(|inst| may_copy_inside(&func.inst(inst).data)) {
            return None;
        }
        // Masks are dear where memory is written or read in order.
        if !insts().any(|inst| func.access(inst).is_some()) {
            return None;
        }
        let inside = |block: Block| natural.blocks.contains(&block);
        let mut found = None;
        for &block in &natural.blocks {
            let InstData::Branch { condition, targets } = func.terminator(block) else {
                continue;
            };
            let leaves = |side: usize| !inside(targets[side].block);
            if uniformity.shape(*condition).is_uniform() || !(leaves(0) || leaves(1)) {
                continue;
            }
            // Lanes go on in the second loop where they begin an iteration, so there must be nothing to undo.
            let stay = usize::from(leaves(0));
            let again = targets[stay].block;
            let only_jumps =
                func.block(again).insts.len() == 1 && matches!(func.terminator(again), InstData::Jump { target } if target.block == header);
            let at_end = again == header || only_jumps && cfg.preds[again].len() == 1;
            let begun = block == header && !at_end;
            let (_, before) = func.block(block).insts.split_last()?;
            if found.is_some() || !at_end && !begun || begun && before.iter().any(|&inst| func.inst(inst).data.has_side_effects()) {
                return None;
            }
            if !counts(func, uniformity, *condition) {
                return None;
            }
            found = Some(Found {
                header,
                blocks: natural.blocks.clone(),
                entries: loops.entries(cfg, index).collect(),
                last: block,
                begun,
                stay,
            });
        }
        found.filter(|_| budget.pay(header, insts().count()))
    })
}

/// A number that grows from lane to lane is compared with one for all: lanes leave in order, and soon after each other.
fn counts(func: &Function, uniformity: &Uniformity, condition: Value) -> bool {
    match func.def_data(condition) {
        Some(&InstData::IntCompare { args: [a, b], .. }) => {
            let is_linear = |value| matches!(uniformity.shape(value), Shape::Linear { .. });
            let is_uniform = |value| uniformity.shape(value).is_uniform();
            is_linear(a) && is_uniform(b) || is_uniform(a) && is_linear(b)
        }
        _ => false,
    }
}

/// In a copy of the loop, `branch c, next iteration, out` becomes `branch all c, next iteration, x`; `x: branch c, the loop, out`. Where
/// the branch begins a iteration, `x` begins it anew in the loop.
fn split(func: &mut Function, found: &Found) {
    let copies = copy_blocks(func, &found.blocks);
    let copy = |block: Block| found.blocks.iter().position(|&other| other == block).map(|at| copies[at]);
    let (Some(first), Some(last)) = (copy(found.header), copy(found.last)) else {
        return;
    };
    let InstData::Branch { condition, targets } = func.terminator(last).clone() else {
        return;
    };
    let again = &targets[found.stay];
    for &entry in &found.entries {
        func.retarget(entry, found.header, first);
    }
    let ways = |stay: BlockCall, leave: BlockCall| if found.stay == 0 { [stay, leave] } else { [leave, stay] };
    let jump = |func: &mut Function, block: Block, args: &[Value]| {
        let from = func.add_detached_block();
        func.append(from, InstData::Jump { target: to(block, args) }, Flags::empty());
        from
    };
    let mut new = copies.clone();
    let parted = if found.begun {
        let params = func.block(first).params.clone();
        jump(func, found.header, &params)
    } else {
        // What the next iteration would begin with.
        let iteration = match func.terminator(again.block) {
            InstData::Jump { target } if again.block != first => target.args.clone(),
            _ => again.args.clone(),
        };
        // No edge may lead from a block of two successors to one of two predecessors.
        let on = jump(func, found.header, &iteration);
        let left = &targets[1 - found.stay];
        let out = jump(func, left.block, &left.args);
        let parted = func.add_detached_block();
        let targets = ways(to(on, &[]), to(out, &[]));
        func.append(parted, InstData::Branch { condition, targets }, Flags::empty());
        new.extend([on, out]);
        parted
    };
    new.push(parted);
    func.block_mut(last).insts.pop();
    let all = Test::all_lanes(&mut Builder::new(func, last), condition, found.stay == 0);
    all.branch(func, last, again.clone(), to(parted, &[]));
    let position = func
        .layout
        .iter()
        .position(|&block| block == found.header)
        .unwrap_or(func.layout.len());
    func.layout.splice(position..position, new);
}
