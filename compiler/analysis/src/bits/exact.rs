//! Operations that give the same in fewer bits: their results fit these, and don't depend on what is above them.

use super::ranges::Range;
use crate::uniformity::Uniformity;
use ir::*;

/// All these numbers fit an integer type in the same way: `Some(true)` with a sign, `Some(false)` without one.
pub fn common(ty: Type, ranges: impl IntoIterator<Item = Range> + Clone) -> Option<bool> {
    let fit = |all: Range| ranges.clone().into_iter().all(|range| all.contains(range));
    if fit(Range::of_type(ty)) {
        Some(true)
    } else {
        fit(Range::without_sign(ty)).then_some(false)
    }
}

/// An operation on longer integers gives the same in this type, as [`operation`] says it: what fits it. Of others than integers' it is not.
pub fn is_exact(func: &Function, uniformity: &Uniformity, ty: Type, inst: Inst) -> bool {
    let range = |value: Value| uniformity.range(func, value);
    let fits = |values: &[Value]| common(ty, values.iter().map(|&value| range(value))).is_some();
    let unsigned = |value: Value| Range::without_sign(ty).contains(range(value));
    let short = |amount: Value| func.constant(amount).is_some_and(|amount| amount < u64::from(ty.elem.bits()));
    let data = &func.inst(inst).data;
    if let InstData::Binary { op, args: [a, b] } = *data
        && op.is_int_division()
    {
        // (The quotient that overflows in the shorter type does not in the longer one.)
        let all = Range::of_type(ty);
        let overflows = range(a).min == all.min && range(b).contains(Range { min: -1, max: -1 });
        let is_signed = matches!(op, BinaryOp::SDiv | BinaryOp::SRem);
        let fit = [a, b, func.result(inst)].into_iter().all(|value| all.contains(range(value)));
        let fit_signed = is_signed && fit && !overflows;
        return unsigned(a) && unsigned(b) || fit_signed;
    }
    if !fits(&[func.result(inst)]) {
        return false;
    }
    match *data {
        InstData::Select { .. } => true,
        InstData::Unary { op: UnaryOp::Neg, .. } => true,
        InstData::Unary { op: UnaryOp::Abs, arg } => Range::of_type(ty).contains(range(arg)),
        InstData::Binary { op, args: [a, b] } => match op {
            // What is above these bits is nothing to them.
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => true,
            BinaryOp::Shl => short(b),
            BinaryOp::LShr => short(b) && unsigned(a),
            BinaryOp::AShr => short(b) && fits(&[a]),
            BinaryOp::SMin | BinaryOp::SMax => fits(&[a, b]),
            BinaryOp::UMin | BinaryOp::UMax => unsigned(a) && unsigned(b),
            _ => false,
        },
        _ => false,
    }
}

/// How a value that fits this type comes back from it. (Addresses take indices that have a sign.)
pub fn extension(func: &Function, uniformity: &Uniformity, ty: Type, value: Value) -> ConvertOp {
    match Range::of_type(ty).contains(uniformity.range(func, value)) {
        true => ConvertOp::SExt,
        false => ConvertOp::ZExt,
    }
}

/// What an operation or comparison is in this type, where it gives the same: what sees signs sees none in numbers that have none.
pub fn operation(func: &Function, uniformity: &Uniformity, ty: Type, inst: Inst) -> InstData {
    let mut data = func.inst(inst).data.clone();
    let range = |value: Value| uniformity.range(func, value);
    match &mut data {
        InstData::Binary { op, args } => {
            let natural = common(ty, args.map(range)) == Some(false);
            let both_natural = args.iter().all(|&arg| range(arg).is_natural());
            *op = match *op {
                BinaryOp::SMin if natural => BinaryOp::UMin,
                BinaryOp::SMax if natural => BinaryOp::UMax,
                BinaryOp::AShr if range(args[0]).is_natural() => BinaryOp::LShr,
                BinaryOp::SDiv if both_natural => BinaryOp::UDiv,
                BinaryOp::SRem if both_natural => BinaryOp::URem,
                op => op,
            };
        }
        InstData::IntCompare { cc, args } if common(ty, args.map(range)) == Some(false) => *cc = cc.without_sign(),
        _ => {}
    }
    data
}
