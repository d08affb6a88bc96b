//! Products of integers, and parts of them.

use super::lanewise::*;
use ir::{BinaryOp, Builder, ConvertOp, DotOp, Elem, Value, eval};

/// The sum of a product and another number of 32 bits, within limits.
#[test]
fn words_with_results_of_64_bits() {
    let (left, right) = pairs(Elem::I32, Elem::I32);
    let third: Vec<u64> = right.iter().rev().copied().collect();
    let inputs = [(Elem::I32, left), (Elem::I32, right), (Elem::I32, third)];
    // With the first number twice, the second one twice, and all three.
    for order in [[0, 1, 0], [0, 1, 1], [0, 1, 2]] {
        for signed in [false, true] {
            let extend = if signed { ConvertOp::SExt } else { ConvertOp::ZExt };
            let limited = |b: &mut Builder, args: &[Value]| {
                let [x, y, z] = order.map(|n: usize| b.convert(extend, Elem::I64, args[n]));
                let product = b.mul(x, y);
                let sum = b.add(product, z);
                let limited = match signed {
                    true => {
                        let above = b.binary_imm(BinaryOp::SMax, sum, i32::MIN.into());
                        b.binary_imm(BinaryOp::SMin, above, i32::MAX.into())
                    }
                    false => b.binary_imm(BinaryOp::UMin, sum, u32::MAX.into()),
                };
                b.convert(ConvertOp::Trunc, Elem::I32, limited)
            };
            let expected = |args: &[u64]| {
                let [x, y, z] = order.map(|n: usize| if signed { eval::signed(Elem::I32, args[n]) } else { args[n] as i64 });
                let sum = i128::from(x) * i128::from(y) + i128::from(z);
                let limited = match signed {
                    true => sum.clamp(i32::MIN.into(), i32::MAX.into()),
                    false => sum.min(u32::MAX.into()),
                };
                Some(limited as u64 & 0xffff_ffff)
            };
            check(&format!("words {order:?}, signed {signed}"), &inputs, Elem::I32, limited, expected);
        }
    }
}

#[test]
fn parts_of_products() {
    let inputs = [(Elem::I32, singles(Elem::I32)), (Elem::I32, singles(Elem::I32).into_iter().rev().collect())];
    for (signed, by) in [(true, 1), (true, 16), (true, 31), (false, 15), (false, 24)] {
        for is_square in [false, true] {
            let part = |b: &mut Builder, args: &[Value]| {
                let other = if is_square { args[0] } else { args[1] };
                let high = b.binary(if signed { BinaryOp::SMulHi } else { BinaryOp::UMulHi }, args[0], other);
                let low = b.mul(other, args[0]);
                let above = b.binary_imm(BinaryOp::Shl, high, 32 - by);
                let below = b.binary_imm(BinaryOp::LShr, low, by);
                b.or(below, above)
            };
            check(&format!("part of product, {signed} {by} {is_square}"), &inputs, Elem::I32, part, |args| {
                let [x, y] = [args[0], args[usize::from(!is_square)]];
                let product = match signed {
                    true => i64::from(x as i32).wrapping_mul(y as i32 as i64) as u64,
                    false => x * y,
                };
                Some(product >> by & 0xffff_ffff)
            });
        }
    }
}

#[test]
fn both_halves_of_products() {
    let (a, b) = pairs(Elem::I32, Elem::I32);
    let inputs = [(Elem::I32, a), (Elem::I32, b)];
    for signed in [false, true] {
        for factor in [None, Some(0xd251_1f53u32)] {
            let high_op = if signed { BinaryOp::SMulHi } else { BinaryOp::UMulHi };
            check(
                &format!("{high_op:?} and product by {factor:?}"),
                &inputs,
                Elem::I32,
                |b, args| {
                    let ty = b.ty(args[0]);
                    let by = factor.map_or(args[1], |factor| b.constant(ty, factor.into()));
                    let high = b.binary(high_op, args[0], by);
                    let low = b.mul(by, args[0]);
                    let low = b.binary_imm(BinaryOp::RotL, low, 7);
                    b.xor(high, low)
                },
                |args| {
                    let (x, y) = (args[0] as u32, factor.unwrap_or(args[1] as u32));
                    let product = match signed {
                        true => (i64::from(x as i32) * i64::from(y as i32)) as u64,
                        false => u64::from(x) * u64::from(y),
                    };
                    Some(((product >> 32) as u32 ^ (product as u32).rotate_left(7)).into())
                },
            );
        }
    }
}

#[test]
fn products_of_numbers_of_16_bits() {
    let (a, b) = pairs(Elem::I32, Elem::I32);
    let inputs = [(Elem::I32, a), (Elem::I32, b)];
    let ways = [(BinaryOp::LShr, 17), (BinaryOp::LShr, 16), (BinaryOp::AShr, 16), (BinaryOp::AShr, 15), (BinaryOp::And, 0x7fff), (BinaryOp::And, 0xffff)];
    for (first, second) in ways.iter().flat_map(|first| ways.iter().map(move |second| (*first, *second))) {
        let short = |(op, by): (BinaryOp, i64), x: u64| {
            let x = x as u32;
            match op {
                BinaryOp::LShr => x >> by,
                BinaryOp::AShr => (x as i32 >> by) as u32,
                _ => x & by as u32,
            }
        };
        check(
            &format!("product of {first:?} and {second:?}"),
            &inputs,
            Elem::I32,
            |b, args| {
                let x = b.binary_imm(first.0, args[0], first.1);
                let y = b.binary_imm(second.0, args[1], second.1);
                b.mul(x, y)
            },
            |args| Some(short(first, args[0]).wrapping_mul(short(second, args[1])).into()),
        );
    }
}

#[test]
fn products_of_numbers_of_32_bits_and_others() {
    let (a, b) = pairs(Elem::I64, Elem::I64);
    let inputs = [(Elem::I64, a), (Elem::I64, b)];
    // Not only what has 32 bits, but what has one more, or might be negative.
    let ways = [
        (BinaryOp::LShr, 31),
        (BinaryOp::LShr, 32),
        (BinaryOp::LShr, 33),
        (BinaryOp::AShr, 31),
        (BinaryOp::AShr, 32),
        (BinaryOp::And, 0xffff_ffff),
    ];
    let constants = [-1, -0x8000_0000, -0x8000_0001, 3, 0x7fff_ffff, 0x9e37_79b1, 0x1_0000_0001, 6_364_136_223_846_793_005];
    let short = |(op, by): (BinaryOp, i64), x: u64| match op {
        BinaryOp::LShr => x >> by,
        BinaryOp::AShr => (x as i64 >> by) as u64,
        _ => x & by as u64,
    };
    for first in ways {
        for second in ways {
            check(
                &format!("product of {first:?} and {second:?}"),
                &inputs,
                Elem::I64,
                |b, args| {
                    let x = b.binary_imm(first.0, args[0], first.1);
                    let y = b.binary_imm(second.0, args[1], second.1);
                    b.mul(x, y)
                },
                |args| Some(short(first, args[0]).wrapping_mul(short(second, args[1]))),
            );
        }
        for constant in constants {
            check(
                &format!("product of {first:?} and {constant}, and of any number and {constant}"),
                &inputs,
                Elem::I64,
                |b, args| {
                    let x = b.binary_imm(first.0, args[0], first.1);
                    let product = b.binary_imm(BinaryOp::Mul, x, constant);
                    let other = b.binary_imm(BinaryOp::Mul, args[1], constant);
                    b.xor(product, other)
                },
                |args| {
                    let by = constant as u64;
                    Some(short(first, args[0]).wrapping_mul(by) ^ args[1].wrapping_mul(by))
                },
            );
        }
    }
}

#[test]
fn products_of_signed_words() {
    let (a, b) = pairs(Elem::I32, Elem::I32);
    check(
        "product of words with their signs",
        &[(Elem::I32, a), (Elem::I32, b)],
        Elem::I64,
        |b, args| {
            let [x, y] = [args[0], args[1]].map(|arg| b.convert(ConvertOp::SExt, Elem::I64, arg));
            b.mul(x, y)
        },
        |args| Some((i64::from(args[0] as i32) * i64::from(args[1] as i32)) as u64),
    );
}

#[test]
fn dot_products_of_bytes() {
    let (a, b) = pairs(Elem::I32, Elem::I32);
    let c: Vec<u64> = a.iter().rev().copied().collect();
    for &(op, name) in DotOp::NAMES {
        let inputs = [(Elem::I32, a.clone()), (Elem::I32, b.clone()), (Elem::I32, c.clone())];
        check(
            &format!("dot.{name}"),
            &inputs,
            Elem::I32,
            |b, args| b.dot(op, args[0], args[1], args[2]),
            |args| Some(op.eval(args[0], args[1], args[2])),
        );
        check(
            &format!("dot.{name} of the same operands more than once"),
            &inputs,
            Elem::I32,
            |b, args| {
                let zero = b.binary(BinaryOp::Xor, args[0], args[0]);
                let first = b.dot(op, args[0], args[1], zero);
                let turned = b.dot(op, args[1], args[0], first);
                b.dot(op, args[0], args[2], turned)
            },
            |args| {
                let first = op.eval(args[0], args[1], 0);
                let turned = op.eval(args[1], args[0], first);
                Some(op.eval(args[0], args[2], turned))
            },
        );
    }
}
