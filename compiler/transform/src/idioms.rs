//! Idioms for which there is an operation: absolute values, differences that end at zero and sums that end at the greatest number.
//!
//! ```c
//! x < 0 ? -x : x              // abs(x)
//! (x ^ (x >> 31)) - (x >> 31) // abs(x)
//! a > b ? a - b : 0           // sub_sat(a, b), of numbers without a sign
//! a + b < a ? UINT_MAX : a + b // add_sat(a, b), of such numbers
//! ```
//!
//! (H. S. Warren, Hacker's Delight, 2nd edition, 2-4 and 2-13.)

use ir::*;

/// Replaces them; what they were made of is left for `dce`. True if there were some.
pub fn run(func: &mut Function) -> bool {
    let mut changed = false;
    for index in 0..func.layout.len() {
        for position in 0..func.block(func.layout[index]).insts.len() {
            let inst = func.block(func.layout[index]).insts[position];
            if let Some(data) = operation(func, inst) {
                func.replace(inst, data);
                changed = true;
            }
        }
    }
    changed
}

/// The operation that an instruction is the end of the idiom of.
fn operation(func: &Function, inst: Inst) -> Option<InstData> {
    let abs = |arg| InstData::Unary { op: UnaryOp::Abs, arg };
    match func.inst(inst).data {
        InstData::Select { mask, args: [a, b] } => {
            let Some(&InstData::IntCompare { cc, args: [x, y] }) = func.def_data(mask) else {
                return None;
            };
            if let Some(is_negative) = tells_sign(func, cc, x, y) {
                let [negative, positive] = if is_negative { [a, b] } else { [b, a] };
                return (positive == x && is_negation(func, negative, x)).then(|| abs(x));
            }
            let (larger, smaller, difference, zero) = match cc {
                IntCc::Ugt | IntCc::Uge => (x, y, a, b),
                IntCc::Ult | IntCc::Ule => (y, x, a, b),
                _ => return None,
            };
            // (A sum may be equal to what it is a sum of.)
            let [sum, most] = if matches!(cc, IntCc::Ugt | IntCc::Ult) { [b, a] } else { [a, b] };
            let (whole, part) = if matches!(cc, IntCc::Ugt | IntCc::Ule) { (y, x) } else { (x, y) };
            if let Some(args) = func.binary(BinaryOp::Add, sum)
                && whole == sum
                && args.contains(&part)
                && func.constant(most) == Some(func.ty(sum).elem.bit_mask())
            {
                return Some(InstData::Binary {
                    op: BinaryOp::UAddSat,
                    args,
                });
            }
            let args = [larger, smaller];
            let is_difference =
                matches!(func.def_data(difference), Some(InstData::Binary { op: BinaryOp::Sub, args: found }) if *found == args);
            let op = BinaryOp::USubSat;
            (is_difference && func.constant(zero) == Some(0)).then_some(InstData::Binary { op, args })
        }
        InstData::Binary {
            op: BinaryOp::Sub,
            args: [flipped, sign],
        } => {
            let x = sign_of(func, sign)?;
            let Some(&InstData::Binary { op: BinaryOp::Xor, args }) = func.def_data(flipped) else {
                return None;
            };
            (args == [x, sign] || args == [sign, x]).then(|| abs(x))
        }
        _ => None,
    }
}

/// A comparison with a constant that is true where `x` is negative, or where it is not; what it says of zero does not matter.
fn tells_sign(func: &Function, cc: IntCc, x: Value, y: Value) -> Option<bool> {
    let constant = eval::signed(func.ty(x).elem, func.constant(y)?);
    match (cc, constant) {
        (IntCc::Slt, 0 | 1) | (IntCc::Sle, -1 | 0) => Some(true),
        (IntCc::Sgt, -1 | 0) | (IntCc::Sge, 0 | 1) => Some(false),
        _ => None,
    }
}

fn is_negation(func: &Function, value: Value, x: Value) -> bool {
    match func.def_data(value) {
        Some(&InstData::Unary { op: UnaryOp::Neg, arg }) => arg == x,
        Some(&InstData::Binary {
            op: BinaryOp::Sub,
            args: [zero, arg],
        }) => arg == x && func.constant(zero) == Some(0),
        _ => false,
    }
}

/// What a value is the sign of, in all bits.
fn sign_of(func: &Function, value: Value) -> Option<Value> {
    match func.def_data(value) {
        Some(&InstData::Binary {
            op: BinaryOp::AShr,
            args: [x, amount],
        }) => (func.constant(amount)? == u64::from(func.ty(x).elem.bits()) - 1).then_some(x),
        _ => None,
    }
}
