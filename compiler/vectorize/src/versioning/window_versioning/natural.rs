//! Windows whose counters have no sign: these may wrap by right, so it is asked that they do not.

use super::super::bounds_versioning::{Known, bound_of, through};
use analysis::counted::Counted;
use analysis::uniformity::Shape;
use ir::*;

/// Counters without a sign are asked about as far as this beyond the end.
const LONGEST_STEP: i64 = 1 << 16;

/// The comparison by which a loop goes on, and what its counter grows by in an iteration: towards the end that it is compared with, so that
/// it is beyond that by less than a step once the loop is left.
pub fn comparison(func: &Function, known: &Known, counted: &Counted) -> Option<(Inst, i64)> {
    let (condition, _) = func.branch(counted.test.exiting)?;
    let step = counted.constant_step(func)?;
    let towards = match counted.cc {
        IntCc::Ult | IntCc::Ule => 1..=LONGEST_STEP,
        _ => -LONGEST_STEP..=-1,
    };
    let stops = counted.test.is_always_made(known.tree) && counted.conversion.is_none() && towards.contains(&step);
    Some((func.def_inst(condition)?, stops.then_some(step)?))
}

/// From lane to lane, how much a number without a sign would grow without bounds. Finds the operations that hold it within them.
pub fn unbounded(func: &Function, known: &Known, value: Value, clamps: &mut Vec<Inst>) -> Option<i64> {
    let mut found = Vec::new();
    let is_clamp = |inst: Inst| bound_of(func, inst).is_some_and(|bound| bound.signed() == Some(false));
    let mut at = value;
    while let Some(inst) = func.def_inst(at) {
        match func.inst(inst).data {
            InstData::Binary { args: [of, bound], .. } if is_clamp(inst) && known.uniformity.shape(bound).is_uniform() => {
                found.push(inst);
                at = of;
            }
            InstData::Binary {
                op: BinaryOp::Add,
                args: [of, more],
            } if func.constant(more).is_some() => at = of,
            _ => break,
        }
    }
    let (root, _) = through(func, known.uniformity, value, |inst| found.contains(&inst))?;
    clamps.extend(found);
    match known.uniformity.shape(root) {
        Shape::Linear { stride, .. } => Some(stride),
        _ => None,
    }
}

/// A comparison in a copy is that of one lane.
pub fn of_one_lane(func: &mut Function, copies: &[Block], compare: Inst) {
    let Some(&block) = copies.iter().find(|&&block| func.block(block).insts.contains(&compare)) else {
        return;
    };
    for inst in func.take_insts(block) {
        if inst == compare
            && let InstData::IntCompare { cc, args } = func.inst(inst).data
        {
            let mut b = Builder::new(func, block);
            let args = args.map(|arg| b.sub_group(SubGroupOp::BroadcastFirst, &[arg]));
            func.inst_mut(inst).data = InstData::IntCompare { cc, args };
        }
        func.block_mut(block).insts.push(inst);
    }
}
