//! Comparisons that the ranges of what is compared decide, and loops that all work-items iterate the same number of times.
//!
//! In a group of 128, `for (j = local_id; j < 256; j += 128)` starts at another number in each lane, but all lanes leave it after two
//! iterations: it is a loop that counts. Seen as lanes that leave one by one, it would have all its accesses under a mask.

use analysis::GangFacts;
use analysis::bits::ranges::{Range, Ranges};
use analysis::{Analyses, Analysis};
use ir::cfg::{Cfg, Loops};
use ir::*;

/// Loops of more iterations than this are not followed.
const MOST_ITERATIONS: u32 = 256;

/// Rewrites. True if something changed. The function must be in the form that group formation takes, and stays in it.
pub fn run(func: &mut Function, facts: &GangFacts, known: &mut Analyses) -> bool {
    let Some(Analysis {
        cfg,
        loops,
        tree,
        uniformity,
        ..
    }) = known.of(func, facts)
    else {
        return false;
    };
    let ranges = uniformity.ranges();
    let counted = (0..loops.loops.len()).filter_map(|index| counted(func, (cfg, loops, tree), ranges, index));
    let counted: Vec<Counted> = counted.collect();
    let mut changed = !counted.is_empty();
    for one in counted {
        count(func, &one);
    }
    for index in 0..func.layout.len() {
        for position in 0..func.block(func.layout[index]).insts.len() {
            let inst = func.block(func.layout[index]).insts[position];
            if let InstData::IntCompare { cc, args: [a, b] } = func.inst(inst).data
                && !func.ty(a).is_vector()
                && func.ty(a).elem.is_int()
                && let Some(holds) = decide(cc, ranges.of(func, a), ranges.of(func, b))
            {
                let ty = func.ty(func.result(inst));
                func.replace(
                    inst,
                    InstData::Const {
                        ty,
                        bits: u64::from(holds),
                    },
                );
                changed = true;
            }
        }
    }
    changed
}

/// What a comparison gives for all numbers of two ranges, where that is the same.
fn decide(cc: IntCc, a: Range, b: Range) -> Option<bool> {
    let same_sign = a.is_natural() && b.is_natural() || a.max < 0 && b.max < 0;
    let less = |a: Range, b: Range| match (a.max < b.min, a.min >= b.max) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    };
    let equal = match a.max < b.min || b.max < a.min {
        true => Some(false),
        false => (a.min == a.max && a == b).then_some(true),
    };
    match cc {
        IntCc::Eq => equal,
        IntCc::Ne => equal.map(|equal| !equal),
        cc if cc.is_unsigned() && !same_sign => None,
        IntCc::Slt | IntCc::Ult => less(a, b),
        IntCc::Sgt | IntCc::Ugt => less(b, a),
        IntCc::Sle | IntCc::Ule => less(b, a).map(|greater| !greater),
        IntCc::Sge | IntCc::Uge => less(a, b).map(|less| !less),
    }
}

/// A loop that all leave after as many iterations.
struct Counted {
    header: Block,
    latch: Block,
    /// Blocks outside from which it is entered.
    entered_from: Vec<Block>,
    /// The block that it is left from, once an iteration.
    exiting: Block,
    /// Which of its targets stays inside: 0 or 1.
    side: usize,
    iterations: u32,
}

fn counted(func: &Function, (cfg, loops, tree): (&Cfg, &Loops, &DominatorTree), ranges: &Ranges, index: usize) -> Option<Counted> {
    let natural = &loops.loops[index];
    let header = natural.header;
    let &[latch] = natural.latches.as_slice() else { return None };
    let (exiting, side) = loops.only_exit(func, cfg, index)?;
    // It is executed in each iteration, and in no loop within.
    if !tree.dominates(exiting, latch) || loops.innermost[exiting] != Some(index as u32) {
        return None;
    }
    let (condition, _) = func.branch(exiting)?;
    let (cc, [a, b]) = func.comparison(condition)?;
    let position = func.block(header).params.iter().position(|&param| {
        let next = next_of(func, latch, header, param);
        [Some(param), next].iter().any(|&value| value == Some(a) || value == Some(b))
    })?;
    let param = func.block(header).params[position];
    let next = next_of(func, latch, header, param)?;
    let [before, step] = func.binary(BinaryOp::Add, next)?;
    let step = ranges.of(func, step);
    if before != param || step.min != step.max {
        return None;
    }
    let entered_from: Vec<Block> = loops.entries(cfg, index).collect();
    let mut start: Option<Range> = None;
    for &pred in &entered_from {
        for call in func.terminator(pred).targets() {
            if call.block == header {
                let own = ranges.of(func, call.args[position]);
                start = Some(start.map_or(own, |start| start.union(own)));
            }
        }
    }
    let start = start?;
    let all = Range::of_type(func.ty(param));
    // Where they start at the same number, they are together in any case.
    if start.min == start.max || start == all {
        return None;
    }
    for iteration in 0..MOST_ITERATIONS {
        let at = |iteration: u32| {
            let by = step.min.checked_mul(i64::from(iteration))?;
            let (min, max) = (start.min.checked_add(by)?, start.max.checked_add(by)?);
            (all.min <= min && max <= all.max).then_some(Range { min, max })
        };
        let (now, then) = (at(iteration)?, at(iteration + 1)?);
        let of = |value: Value| match value {
            _ if value == param => now,
            _ if value == next => then,
            _ => ranges.of(func, value),
        };
        if decide(cc, of(a), of(b))? != (side == 0) {
            return Some(Counted {
                header,
                latch,
                entered_from,
                exiting,
                side,
                iterations: iteration + 1,
            });
        }
    }
    None
}

/// What a parameter of a loop's header is in the next iteration.
fn next_of(func: &Function, latch: Block, header: Block, param: Value) -> Option<Value> {
    let position = func.block(header).params.iter().position(|&other| other == param)?;
    func.handed(latch, header, position)
}

/// Has the loop count its iterations.
fn count(func: &mut Function, one: &Counted) {
    let counter = func.add_param(one.header, Type::I32);
    for &pred in &one.entered_from {
        let iterations = func.before_end(pred, |b| b.i32(one.iterations as i32));
        pass(func, pred, one.header, iterations);
    }
    let cc = if one.side == 0 { IntCc::Ne } else { IntCc::Eq };
    let (left, tested) = func.before_end(one.exiting, |b| {
        let left = b.binary_imm(BinaryOp::Add, counter, -1);
        (left, b.icmp_imm(cc, left, 0))
    });
    if let InstData::Branch { condition, .. } = func.terminator_mut(one.exiting) {
        *condition = tested;
    }
    pass(func, one.latch, one.header, left);
}

fn pass(func: &mut Function, from: Block, to: Block, value: Value) {
    for target in func.terminator_mut(from).targets_mut() {
        if target.block == to {
            target.args.push(value);
        }
    }
}
