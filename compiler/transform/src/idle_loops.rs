//! Iterations of loops in which nothing happens are left out.
//!
//! These are loops over the gangs of a work-group: where a region between two barriers turns out to have nothing to do, and where only the
//! first gang has something to do (`if (get_local_id(0) == 0) out[get_group_id(0)] = sum;`), which is seen by its comparing the counter
//! with 0. The counter must go up by one until it isn't below a bound any more, which it comes to wherever it starts: a loop without an end
//! stays one.

use analysis::Analyses;
use analysis::counted::{Counted, LoopTest};
use cranelift_entity::SecondaryMap;
use ir::cfg::{Cfg, Loops};
use ir::*;
use smallvec::SmallVec;

/// Leaves them out. True if there were some.
pub fn run(func: &mut Function, analyses: &mut Analyses) -> bool {
    let found: Vec<Counted> = func.layout.iter().filter_map(|&block| counted(func, block)).collect();
    if found.is_empty() {
        return false;
    }
    let flow = analyses.flow(func);
    let (cfg, loops) = (&flow.cfg, flow.loops());
    let values = Values::new(func);
    let mut changed = false;
    for counted in found {
        // The loop that a header is in is its own.
        let index = loops.innermost(counted.test.header);
        if let Some(index) = index
            && loops.loops[index].header == counted.test.header
            && is_over_after_one_iteration(&counted, func, (cfg, loops, index), &values)
            && !is_used_after(func, loops, index, &values)
        {
            let target = counted.test.exit(func).clone();
            *func.terminator_mut(counted.test.latch) = InstData::Jump { target };
            changed = true;
        }
    }
    changed
}

/// Where values come from and go to.
struct Values {
    home: SecondaryMap<Value, Option<Block>>,
    /// The blocks, other than its own, that read a value; a jump's arguments are read where it leads.
    readers: SecondaryMap<Value, SmallVec<[Block; 2]>>,
}

impl Values {
    fn new(func: &Function) -> Values {
        let home = func.homes(&func.layout);
        let mut readers: SecondaryMap<Value, SmallVec<[Block; 2]>> = SecondaryMap::new();
        let mut read = |value: Value, by: Block| {
            if home[value] != Some(by) && readers[value].last() != Some(&by) {
                readers[value].push(by);
            }
        };
        for &block in &func.layout {
            for &inst in &func.block(block).insts {
                let data = &func.inst(inst).data;
                data.for_each_operand(|&value| read(value, block));
                for call in data.targets() {
                    call.args.iter().for_each(|&arg| read(arg, call.block));
                }
            }
        }
        Values { home, readers }
    }
}

fn does_nothing(func: &Function, block: Block) -> bool {
    func.all_before_end(block, |data| !data.has_side_effects())
}

/// The loop that ends with this block, if it counts up by one, and does nothing where it counts.
fn counted(func: &Function, latch: Block) -> Option<Counted> {
    Counted::new(func, LoopTest::at_end(func, latch)?).filter(|counted| {
        let is_next = counted.is_next && counted.conversion.is_none();
        let goes_up = counted.cc == IntCc::Ult && counted.constant_step(func) == Some(1);
        is_next && goes_up && does_nothing(func, latch) && does_nothing(func, counted.test.header)
    })
}

/// What is left after the first iteration is to count.
fn is_over_after_one_iteration(counted: &Counted, func: &Function, (cfg, loops, index): (&Cfg, &Loops, usize), values: &Values) -> bool {
    let LoopTest { header, latch, .. } = counted.test;
    let bound_stays = values.home[counted.bound].is_none_or(|home| !loops.contains(index, home));
    if loops.loops[index].latches != [latch] || !bound_stays {
        return false;
    }
    if header == latch {
        return true;
    }
    // From the header straight to the latch, where the counter isn't 0.
    let InstData::Branch { condition, targets } = func.terminator(header) else {
        return false;
    };
    let starts_at_zero = cfg.preds[header].iter().filter(|&&pred| pred != latch).all(|&pred| {
        let mut calls = func.terminator(pred).targets().into_iter().filter(|call| call.block == header);
        calls.all(|call| func.constant(call.args[counted.position]) == Some(0))
    });
    targets[1].block == latch && starts_at_zero && means_zero(counted, func, *condition)
}

/// It is true at most where the counter is 0.
fn means_zero(counted: &Counted, func: &Function, condition: Value) -> bool {
    let Some(iterations) = func.constant(counted.bound).filter(|&iterations| iterations <= 1 << 16) else {
        return false;
    };
    // The value is a multiple of so much, and 0 only where the counter is.
    let unit = |value| Some(1 << shift(counted, func, value, 8)?).filter(|unit: &u64| iterations * unit < 1 << 32);
    match func.def_data(condition) {
        Some(&InstData::Binary {
            op: BinaryOp::And,
            args: [a, b],
        }) => means_zero(counted, func, a) || means_zero(counted, func, b),
        Some(&InstData::IntCompare {
            cc: IntCc::Ult,
            args: [value, below],
        }) => (func.constant(below).zip(unit(value))).is_some_and(|(below, unit)| below <= unit),
        Some(&InstData::IntCompare {
            cc: IntCc::Eq,
            args: [value, zero],
        }) => func.constant(zero) == Some(0) && unit(value).is_some(),
        _ => false,
    }
}

/// By how much the counter was shifted to the left to give the value, or its negative.
fn shift(counted: &Counted, func: &Function, value: Value, depth: u32) -> Option<u32> {
    if value == counted.param {
        return Some(0);
    }
    let depth = depth.checked_sub(1)?;
    match *func.def_data(value)? {
        InstData::Unary { op: UnaryOp::Neg, arg } => shift(counted, func, arg, depth),
        InstData::Convert {
            op: ConvertOp::ZExt | ConvertOp::SExt | ConvertOp::Trunc,
            arg,
            ..
        } if func.ty(value).bytes() >= 4 => shift(counted, func, arg, depth),
        InstData::Binary {
            op: BinaryOp::Shl,
            args: [arg, by],
        } => {
            let by = func.constant(by).filter(|&by| by < 16)?;
            Some(shift(counted, func, arg, depth)? + by as u32)
        }
        _ => None,
    }
}

/// Something after the loop needs what was computed in its last iteration.
fn is_used_after(func: &Function, loops: &Loops, index: usize, values: &Values) -> bool {
    let mut own = loops.loops[index].blocks.iter().flat_map(|&block| func.values_of(block));
    own.any(|value| values.readers[value].iter().any(|&reader| !loops.contains(index, reader)))
}
