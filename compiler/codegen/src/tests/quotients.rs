//! Quotients of integers of 64 bits that doubles hold, and of those that they don't.

use super::harness::Random;
use super::lanewise::check;
use ir::{BinaryOp, Builder, Elem, Value, eval};

/// Pairs of so many bits, with the largest of them and 0 among them, and multiples with their neighbours.
fn pairs(bits: u32, signed: bool) -> [Vec<u64>; 2] {
    let largest = u64::MAX >> (64 - bits);
    let mut random = Random(23);
    let mut all = [Vec::new(), Vec::new()];
    for index in 0..512 {
        let divisor = match index % 16 {
            0 => 0,
            1 => 1,
            2 => largest,
            _ => random.next() & largest >> random.below(bits.into()),
        };
        let number = match index % 5 {
            0 => largest,
            1 => largest / divisor.max(1) * divisor,
            2 => (largest / divisor.max(1) * divisor).saturating_sub(1),
            _ => random.next() & largest,
        };
        let signs = [index / 2 % 2, index % 2].map(|sign| signed && sign == 1);
        for (values, (value, is_negative)) in all.iter_mut().zip([number, divisor].into_iter().zip(signs)) {
            // (One more has a sign than has none.)
            values.push(if is_negative { !value } else { value });
        }
    }
    all
}

#[test]
fn quotients_of_what_doubles_hold() {
    use BinaryOp::*;
    for op in [UDiv, SDiv, URem, SRem] {
        for bits in [20, 51, 52, 53, 63] {
            let [numbers, divisors] = pairs(bits, matches!(op, SDiv | SRem));
            let inputs = [(Elem::I64, numbers), (Elem::I64, divisors)];
            let divide = |b: &mut Builder, args: &[Value]| b.binary(op, args[0], args[1]);
            check(&format!("{op} of {bits} bits"), &inputs, Elem::I64, divide, |args| {
                Some(eval::binary(op, Elem::I64, args[0], args[1]))
            });
            // The number is seen to be small.
            let known = |b: &mut Builder, args: &[Value]| {
                let small = b.binary_imm(LShr, args[0], 64 - 51);
                b.binary(op, small, args[1])
            };
            check(&format!("{op} of a short number and {bits} bits"), &inputs, Elem::I64, known, |args| {
                Some(eval::binary(op, Elem::I64, args[0] >> (64 - 51), args[1]))
            });
        }
    }
}
