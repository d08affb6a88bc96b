//! Minima and maxima of what is known to be a number are the machine's.
//!
//! ```c
//! float most = -INFINITY;
//! for (int i = 0; i < n; i++)
//!     most = fmax(most, x[i]);
//! ```
//!
//! Where one operand is no number, `fmax` is the other, and the machine's instruction is its second operand: so that takes a comparison and a selection more,
//! unless the second operand is known to be a number, as the greatest number so far is.

use cranelift_entity::SecondaryMap;
use ir::cfg::reverse_postorder;
use ir::*;
use target::costs::effort::KNOWN_NUMBERS;

/// Rewrites. True if something changed.
pub fn run(func: &mut Function) -> bool {
    let found: Vec<(Inst, BinaryOp, [Value; 2])> = func
        .insts()
        .filter_map(|inst| match func.inst(inst).data {
            InstData::Binary { op, args } => Some((inst, taking_second(op)?, args)),
            _ => None,
        })
        .collect();
    if found.is_empty() {
        return false;
    }
    let is_number = numbers(func);
    let mut changed = false;
    for (inst, op, [a, b]) in found {
        let args = match [a, b].map(|value| is_number[value]) {
            [_, true] => [a, b],
            [true, false] => [b, a],
            _ => continue,
        };
        func.inst_mut(inst).data = InstData::Binary { op, args };
        changed = true;
    }
    changed
}

/// The minimum or maximum that is the second operand where one of them is a NaN, of one that is the other operand.
pub fn taking_second(op: BinaryOp) -> Option<BinaryOp> {
    match op {
        BinaryOp::FMinNum => Some(BinaryOp::FMin),
        BinaryOp::FMaxNum => Some(BinaryOp::FMax),
        _ => None,
    }
}

/// The floats that cannot be NaNs. (All are thought to be such at first; what a loop hands on need not be taken back. Loops that hand on from one value to
/// the next take back one a round: if that goes on, nothing is known.)
fn numbers(func: &Function) -> SecondaryMap<Value, bool> {
    let order = reverse_postorder(func);
    let mut is_number = SecondaryMap::with_default(true);
    for &param in &func.block(func.entry()).params {
        is_number[param] = false;
    }
    for _ in 0..KNOWN_NUMBERS {
        let mut changed = false;
        let mut take_back = |value: Value, is_number: &mut SecondaryMap<Value, bool>| {
            changed |= std::mem::replace(&mut is_number[value], false);
        };
        for &block in &order {
            for &inst in &func.block(block).insts {
                let node = func.inst(inst);
                let number = node.flags.contains(Flags::NNAN) || stays_number(func, &node.data, |value| is_number[value]);
                if !number {
                    node.results.iter().for_each(|&result| take_back(result, &mut is_number));
                }
            }
            for target in func.terminator(block).targets() {
                let params = &func.block(target.block).params;
                for (&arg, &param) in target.args.iter().zip(params) {
                    if !is_number[arg] {
                        take_back(param, &mut is_number);
                    }
                }
            }
        }
        if !changed {
            return is_number;
        }
    }
    SecondaryMap::new()
}

/// What an instruction makes cannot be a NaN, if these values cannot.
pub fn stays_number(func: &Function, data: &InstData, is_number: impl Fn(Value) -> bool) -> bool {
    use BinaryOp::*;
    match *data {
        InstData::Const { ty, bits } => ty.elem.is_float() && !eval::to_f64(ty.elem, bits).is_nan(),
        InstData::Convert { op, arg, .. } => match op {
            ConvertOp::SToF | ConvertOp::UToF => true,
            ConvertOp::FPromote | ConvertOp::FDemote => is_number(arg),
            _ => false,
        },
        InstData::Unary { op, arg } => {
            use UnaryOp::*;
            matches!(op, FNeg | FAbs | Ceil | Floor | FTrunc | Nearest) && is_number(arg)
        }
        InstData::Binary { op, args: [a, b] } => match op {
            FMinNum | FMaxNum => is_number(a) || is_number(b),
            FMin | FMax => is_number(b),
            CopySign => is_number(a),
            _ => false,
        },
        InstData::Select { args: [a, b], .. } => func.ty(a).elem.is_float() && is_number(a) && is_number(b),
        InstData::Lane {
            op: LaneOp::Splat,
            ref args,
            ..
        } => is_number(args[0]),
        _ => false,
    }
}
