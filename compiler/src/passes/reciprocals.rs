//! Division by constants becomes multiplication with their reciprocals, for all back ends.
//!
//! Granlund and Montgomery: Division by Invariant Integers using Multiplication, 1994. The quotient is the upper half of a product, put
//! right by shifts; a remainder is what the quotient's multiple leaves, and shares its quotient. A divisor of zero counts as 1. Powers of two have
//! become shifts before ([`super::fold`]).

use crate::ir::*;

/// Replaces. True if something changed.
pub fn run(func: &mut Function) -> bool {
    let mut map = ValueMap::default();
    for index in 0..func.layout.len() {
        let block = func.layout[index];
        for inst in std::mem::take(&mut func.block_mut(block).insts) {
            if let InstData::Binary { op, args: [a, b] } = func.inst(inst).data
                && op.is_int_division()
                && let Some(divisor) = func.constant(b)
            {
                let divisor = divisor.max(1);
                let mut b = Builder::new(func, block);
                let quotient = match op {
                    BinaryOp::SDiv | BinaryOp::SRem => signed(&mut b, a, divisor),
                    _ => unsigned(&mut b, a, divisor),
                };
                let value = match op {
                    BinaryOp::UDiv | BinaryOp::SDiv => quotient,
                    _ => {
                        let multiple = b.binary_imm(BinaryOp::Mul, quotient, divisor as i64);
                        b.sub(a, multiple)
                    }
                };
                map.insert(func.result(inst), value);
            } else {
                func.block_mut(block).insts.push(inst);
            }
        }
    }
    func.substitute(&map);
    !map.is_empty()
}

fn unsigned(b: &mut Builder, a: Value, divisor: u64) -> Value {
    if divisor.is_power_of_two() {
        return b.binary_imm(BinaryOp::LShr, a, i64::from(divisor.ilog2()));
    }
    let bits = b.ty(a).elem.bits();
    let log = (divisor - 1).ilog2() + 1;
    // Less 2^bits, which is made up for by adding `a`.
    let reciprocal = ((1u128 << bits) * ((1u128 << log) - u128::from(divisor))) / u128::from(divisor) + 1;
    let high = b.binary_imm(BinaryOp::UMulHi, a, reciprocal as i64);
    let rest = b.sub(a, high);
    let rest = b.binary_imm(BinaryOp::LShr, rest, 1);
    let sum = b.add(high, rest);
    b.binary_imm(BinaryOp::LShr, sum, i64::from(log - 1))
}

fn signed(b: &mut Builder, a: Value, divisor: u64) -> Value {
    let elem = b.ty(a).elem;
    let bits = elem.bits();
    let divisor = eval::signed(elem, divisor);
    let magnitude = match divisor.unsigned_abs() {
        1 if divisor == 1 => return a,
        1 => return b.unary(UnaryOp::Neg, a),
        magnitude => magnitude,
    };
    let log = (magnitude - 1).ilog2() + 1;
    // Less 2^bits here, too.
    let reciprocal = (1u128 << (bits + log - 1)) / u128::from(magnitude) + 1;
    let high = b.binary_imm(BinaryOp::SMulHi, a, reciprocal as i64);
    let sum = b.add(a, high);
    let shifted = b.binary_imm(BinaryOp::AShr, sum, i64::from(log - 1));
    let negative = b.binary_imm(BinaryOp::AShr, a, i64::from(bits - 1));
    match divisor < 0 {
        true => b.sub(negative, shifted),
        false => b.sub(shifted, negative),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a division of constants becomes, after folding.
    fn divided(op: BinaryOp, elem: Elem, a: u64, divisor: u64) -> Option<u64> {
        let ty = Type::scalar(elem);
        let mut func = Function::new("f", Level::WorkGroup, &[ty]);
        let entry = func.add_block();
        let mut b = Builder::new(&mut func, entry);
        let (a, divisor) = (b.constant(ty, a), b.constant(ty, divisor));
        let result = b.binary(op, a, divisor);
        b.ret(&[result]);
        assert!(run(&mut func));
        assert!(!func.to_string().contains(&op.to_string()));
        crate::passes::fold::run(&mut func);
        match func.terminator(entry) {
            InstData::Return { values } => func.constant(values[0]),
            _ => None,
        }
    }

    #[test]
    fn quotients_and_remainders_are_exact() {
        for op in [BinaryOp::UDiv, BinaryOp::SDiv, BinaryOp::URem, BinaryOp::SRem] {
            for elem in [Elem::I8, Elem::I16, Elem::I32, Elem::I64] {
                let (ones, sign) = (elem.bit_mask(), elem.bit_mask() ^ (elem.bit_mask() >> 1));
                let mut numbers = vec![
                    0,
                    1,
                    2,
                    3,
                    7,
                    10,
                    60,
                    99,
                    100,
                    101,
                    127,
                    sign - 1,
                    sign,
                    sign + 1,
                    ones - 9,
                    ones - 1,
                    ones,
                ];
                if elem == Elem::I8 {
                    numbers.extend((0..256).step_by(5));
                }
                for &divisor in &numbers {
                    for &a in &numbers {
                        let want = eval::binary(op, elem, a, divisor);
                        assert_eq!(divided(op, elem, a, divisor), Some(want), "{a} {op} {divisor}, {elem:?}");
                    }
                }
            }
        }
    }
}
