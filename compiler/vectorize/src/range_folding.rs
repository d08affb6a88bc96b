//! Comparisons that the ranges of what is compared decide, and loops that all work-items iterate the same number of times.
//!
//! In a group of 128, `for (j = local_id; j < 256; j += 128)` starts at another number in each lane, but all lanes leave it after two
//! iterations: it is a loop that counts. Seen as lanes that leave one by one, it would have all its accesses under a mask.
//!
//! And divisions of numbers without a sign by powers of two, which loops make by shifts: `local_id % (2 * stride) == 0`, as reductions ask.

use analysis::GangFacts;
use analysis::bits::powers::powers_of_two;
use analysis::bits::ranges::{Range, Ranges};
use analysis::counted::{Counted, LoopTest};
use analysis::{Analyses, Analysis};
use ir::cfg::{Cfg, Loops};
use ir::*;
use rustc_hash::FxHashSet;
use target::costs::effort::ITERATIONS;

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
    let found = (0..loops.loops.len()).filter_map(|index| together(func, (cfg, loops, tree), ranges, index));
    let found: Vec<Together> = found.collect();
    let divisions = divisions_by_powers(func, cfg, ranges);
    let mut changed = !found.is_empty() || !divisions.is_empty();
    for one in found {
        count(func, &one);
    }
    for index in 0..func.layout.len() {
        for position in 0..func.block(func.layout[index]).insts.len() {
            let inst = func.block(func.layout[index]).insts[position];
            if is_no_sign(func, inst, ranges) {
                let ty = func.ty(func.result(inst));
                func.replace(inst, InstData::Const { ty, bits: 0 });
                changed = true;
            } else if let InstData::IntCompare { cc, args: [a, b] } = func.inst(inst).data
                && !func.ty(a).is_vector()
                && func.ty(a).elem.is_int()
                && let Some(holds) = ranges.of(func, a).compares(cc, ranges.of(func, b))
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
    func.expand(|func, block, inst| {
        let InstData::Binary { op, args: [a, power] } = func.inst(inst).data else {
            return None;
        };
        divisions
            .contains(&inst)
            .then(|| by_power(&mut Builder::new(func, block), op, a, power))
    });
    if changed {
        fold_choices(func);
    }
    changed
}

/// Divisions of numbers that are not negative by what is a power of two, and is computed. (By zero there is no result, so anything is.)
fn divisions_by_powers(func: &Function, cfg: &Cfg, ranges: &Ranges) -> FxHashSet<Inst> {
    let by_what_is_computed = |inst: Inst| match func.inst(inst).data {
        InstData::Binary { op, args: [_, by] } => op.is_int_division() && !func.ty(by).is_vector() && func.constant(by).is_none(),
        _ => false,
    };
    let mut found: FxHashSet<Inst> = func.insts().filter(|&inst| by_what_is_computed(inst)).collect();
    if !found.is_empty() {
        let powers = powers_of_two(func, cfg);
        found.retain(|&inst| match func.inst(inst).data {
            InstData::Binary { op, args } => {
                let has_no_sign =
                    matches!(op, BinaryOp::UDiv | BinaryOp::URem) || args.iter().all(|&arg| ranges.of(func, arg).is_natural());
                powers.contains(&args[1]) && has_no_sign
            }
            _ => false,
        });
    }
    found
}

/// A quotient or a remainder by a power of two.
fn by_power(b: &mut Builder, op: BinaryOp, a: Value, power: Value) -> Value {
    match op {
        BinaryOp::UDiv | BinaryOp::SDiv => {
            let bits = b.unary(UnaryOp::Ctz, power);
            b.binary(BinaryOp::LShr, a, bits)
        }
        _ => {
            let bits = b.binary_imm(BinaryOp::Add, power, -1);
            b.and(a, bits)
        }
    }
}

/// Bits shifted out of a number that has none of them: the sign of an id, as quotients that round towards zero ask for it.
fn is_no_sign(func: &Function, inst: Inst, ranges: &Ranges) -> bool {
    let op = match func.inst(inst).data {
        InstData::Binary { op, args: [a, _] } if !func.ty(a).is_vector() => op,
        _ => return false,
    };
    let none = Range { min: 0, max: 0 };
    matches!(op, BinaryOp::AShr | BinaryOp::LShr) && ranges.of(func, func.result(inst)) == none
}

/// What is chosen by conditions that are decided, or made of such: so that others see through it.
fn fold_choices(func: &mut Function) {
    let decided = |func: &Function, mask: Value| func.constant(mask).map(|bits| bits != 0);
    func.expand(|func, _, inst| match func.inst(inst).data {
        InstData::Binary { op, args: [a, b] } if func.ty(a) == Type::MASK => {
            let (open, holds) = match (decided(func, a), decided(func, b)) {
                (Some(holds), _) => (b, holds),
                (None, Some(holds)) => (a, holds),
                (None, None) => return None,
            };
            let is_open = op == BinaryOp::And && holds || op == BinaryOp::Or && !holds;
            is_open.then_some(open)
        }
        InstData::Binary {
            op: BinaryOp::Add,
            args: [a, b],
        } if func.constant(b) == Some(0) => Some(a),
        InstData::Select { mask, args: [yes, no] } => match decided(func, mask)? {
            true => Some(yes),
            false => Some(no),
        },
        _ => None,
    });
}

/// A loop that all leave after as many iterations.
struct Together {
    test: LoopTest,
    /// Blocks outside from which it is entered.
    entered_from: Vec<Block>,
    iterations: u32,
}

fn together(func: &Function, (cfg, loops, tree): (&Cfg, &Loops, &DominatorTree), ranges: &Ranges, index: usize) -> Option<Together> {
    let counted = Counted::find(func, cfg, loops, index)?;
    let test = counted.test;
    if !test.is_always_made(tree) || loops.innermost(test.exiting) != Some(index) {
        return None;
    }
    let entered_from: Vec<Block> = loops.entries(cfg, index).collect();
    let calls = entered_from.iter().flat_map(|&pred| func.terminator(pred).targets());
    let starts = calls
        .filter(|call| call.block == test.header)
        .map(|call| ranges.of(func, call.args[counted.position]));
    let start = starts.reduce(Range::union)?;
    // Where they start at the same number, they are together in any case.
    if start.min == start.max || start == Range::of_type(func.ty(counted.param)) {
        return None;
    }
    Some(Together {
        test,
        entered_from,
        iterations: counted.trip_count(func, start, ITERATIONS, |value| ranges.of(func, value))?,
    })
}

/// Has the loop count its iterations.
fn count(func: &mut Function, one: &Together) {
    let LoopTest {
        header,
        latch,
        exiting,
        side,
    } = one.test;
    let counter = func.add_param(header, Type::I32);
    for &pred in &one.entered_from {
        let iterations = func.before_end(pred, |b| b.i32(one.iterations as i32));
        pass(func, pred, header, iterations);
    }
    let cc = if side == 0 { IntCc::Ne } else { IntCc::Eq };
    let (left, tested) = func.before_end(exiting, |b| {
        let left = b.binary_imm(BinaryOp::Add, counter, -1);
        (left, b.icmp_imm(cc, left, 0))
    });
    if let InstData::Branch { condition, .. } = func.terminator_mut(exiting) {
        *condition = tested;
    }
    pass(func, latch, header, left);
}

fn pass(func: &mut Function, from: Block, to: Block, value: Value) {
    for target in func.terminator_mut(from).targets_mut() {
        if target.block == to {
            target.args.push(value);
        }
    }
}
