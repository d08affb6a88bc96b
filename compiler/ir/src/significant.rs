//! How many low bits of integers may be set, as far as one sees from what makes them. Without an analysis, for work-groups' functions.

use crate::{BinaryOp, ConvertOp, Function, InstData, Value};

/// So many operations back it is looked for where a number comes from.
pub const DEPTH: u32 = 4;

/// How many low bits of an integer may be set, looking so many operations back.
pub fn bits(func: &Function, value: Value, depth: u32) -> u32 {
    let width = func.ty(value).elem.bits();
    if let Some(bits) = func.constant(value) {
        return u64::BITS - bits.leading_zeros();
    }
    let Some(depth) = depth.checked_sub(1) else { return width };
    let bits = |value| bits(func, value, depth);
    let found = match func.def_data(value) {
        Some(&InstData::Binary { op, args: [a, b] }) => match (op, func.constant(b)) {
            (BinaryOp::LShr, Some(by)) if by < u64::from(width) => bits(a).saturating_sub(by as u32),
            (BinaryOp::AShr, Some(by)) if by < u64::from(width) && bits(a) < width => bits(a).saturating_sub(by as u32),
            (BinaryOp::Shl, Some(by)) if by < u64::from(width) => bits(a) + by as u32,
            (BinaryOp::And | BinaryOp::UMin, _) => bits(a).min(bits(b)),
            (BinaryOp::Or | BinaryOp::Xor | BinaryOp::UMax, _) => bits(a).max(bits(b)),
            // Negative numbers have all bits.
            (BinaryOp::SMin | BinaryOp::SMax, _) => bits(a).max(bits(b)),
            (BinaryOp::Add, _) => bits(a).max(bits(b)) + 1,
            (BinaryOp::Mul, _) => bits(a) + bits(b),
            _ => width,
        },
        Some(&InstData::Convert {
            op: ConvertOp::ZExt, arg, ..
        }) if func.ty(arg).elem.is_int() => bits(arg),
        Some(&InstData::Select { args: [a, b], .. }) => bits(a).max(bits(b)),
        _ => width,
    };
    found.min(width)
}
