//! Operations that do to each lane what they do to a scalar.

use super::harness::*;
use ir::{BinaryOp, Builder, ConvertOp, DotOp, Elem, Flags, FloatCc, InstData, IntCc, Rounding, UnaryOp, Value, eval};
use target::BackEnd;

/// Values of a type in all combinations with those of another, and some more.
fn pairs(a: Elem, b: Elem) -> (Vec<u64>, Vec<u64>) {
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for &x in &edges(a) {
        for &y in &edges(b) {
            left.push(x);
            right.push(y);
        }
    }
    let mut random = Random(7);
    while left.len() < 512 || !left.len().is_multiple_of(32) {
        left.push(random_value(a, &mut random));
        right.push(random_value(b, &mut random));
    }
    (left, right)
}

fn singles(elem: Elem) -> Vec<u64> {
    let mut values = edges(elem);
    let mut random = Random(11);
    while values.len() < 512 || !values.len().is_multiple_of(32) {
        values.push(random_value(elem, &mut random));
    }
    values
}

/// Checks an operation in all numbers of lanes. `expected` gives `None` where any result will do.
fn check(
    what: &str,
    inputs: &[(Elem, Vec<u64>)],
    output: Elem,
    build: impl Fn(&mut Builder, &[Value]) -> Value,
    expected: impl Fn(&[u64]) -> Option<u64>,
) {
    for (lanes, optimize) in LANES
        .into_iter()
        .flat_map(|lanes| efforts(lanes).iter().map(move |&optimize| (lanes, optimize)))
    {
        let results = map_vectors(inputs, output, lanes, optimize, &build);
        for (index, &result) in results.iter().enumerate() {
            let operands: Vec<u64> = inputs.iter().map(|(_, values)| values[index]).collect();
            if let Some(expected) = expected(&operands) {
                assert!(
                    same(output, result, expected),
                    "{what} in {lanes} lanes of {operands:x?} is {result:#x}, not {expected:#x} (lane {})",
                    index % usize::from(lanes),
                );
            }
        }
    }
}

const INTS: [Elem; 4] = [Elem::I8, Elem::I16, Elem::I32, Elem::I64];
const FLOATS: [Elem; 4] = [Elem::F16, Elem::BF16, Elem::F32, Elem::F64];

fn elems_of(float: bool) -> [Elem; 4] {
    if float { FLOATS } else { INTS }
}

#[test]
fn unary_operations() {
    for &(op, name) in UnaryOp::NAMES {
        for elem in elems_of(op.is_float()) {
            let inputs = [(elem, singles(elem))];
            check(
                &format!("{name} {elem:?}"),
                &inputs,
                elem,
                |b, args| b.unary(op, args[0]),
                |args| Some(eval::unary(op, elem, args[0])),
            );
        }
    }
    let inputs = [(Elem::Mask, singles(Elem::Mask))];
    check("not mask", &inputs, Elem::Mask, |b, args| b.not(args[0]), |args| Some(args[0] ^ 1));
}

#[test]
fn what_rounding_leaves() {
    for op in [UnaryOp::Floor, UnaryOp::Ceil, UnaryOp::FTrunc, UnaryOp::Nearest] {
        for elem in [Elem::F32, Elem::F64] {
            let rest = |b: &mut Builder, args: &[Value]| {
                let whole = b.unary(op, args[0]);
                let before = std::mem::replace(&mut b.flags, Flags::NINF | Flags::NSZ | Flags::AFN);
                let rest = b.fsub(args[0], whole);
                b.flags = before;
                rest
            };
            // Zeros have any sign, and what is not exact is rounded either way.
            let expected = |args: &[u64]| {
                let whole = eval::unary(op, elem, args[0]);
                let rest = eval::binary(BinaryOp::FSub, elem, args[0], whole);
                let is_exact = eval::binary(BinaryOp::FAdd, elem, rest, whole) == args[0];
                (is_exact && eval::to_f64(elem, rest) != 0.0).then_some(rest)
            };
            check(&format!("rest of {op} {elem:?}"), &[(elem, singles(elem))], elem, rest, expected);
        }
    }
}

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

fn check_binary(op: BinaryOp, elem: Elem) {
    let (left, right) = pairs(elem, elem);
    let inputs = [(elem, left), (elem, right)];
    check(
        &format!("{op} {elem:?}"),
        &inputs,
        elem,
        |b, args| b.binary(op, args[0], args[1]),
        |args| (!is_open(op, elem, args[1])).then(|| eval::binary(op, elem, args[0], args[1])),
    );
}

/// The result is any: powers of two by infinities and NaNs.
fn is_open(op: BinaryOp, elem: Elem, b: u64) -> bool {
    op == BinaryOp::Scale && !eval::to_f64(elem, b).is_finite()
}

#[test]
fn integer_operations() {
    for &(op, _) in BinaryOp::NAMES {
        if !op.is_float() {
            INTS.into_iter().for_each(|elem| check_binary(op, elem));
        }
    }
}

#[test]
fn quotients_next_to_whole_numbers() {
    use BinaryOp::*;
    for elem in INTS {
        let divisors = singles(elem);
        let numbers = divisors.iter().zip(divisors.iter().rev()).enumerate().map(|(index, (&divisor, &number))| {
            let whole = number / divisor.max(1) * divisor;
            whole.wrapping_sub(index as u64 % 2) & elem.bit_mask()
        });
        let inputs = [(elem, numbers.collect()), (elem, divisors.clone())];
        for op in [UDiv, SDiv, URem, SRem] {
            let quotient = |b: &mut Builder, args: &[Value]| b.binary(op, args[0], args[1]);
            check(&format!("{op} {elem:?} of multiples"), &inputs, elem, quotient, |args| {
                Some(eval::binary(op, elem, args[0], args[1]))
            });
            if elem.bytes() >= 4 {
                continue;
            }
            // As integers of 32 bits that are seen to be short.
            for (signed, extend) in [(true, ConvertOp::SExt), (false, ConvertOp::ZExt)] {
                let extended = |b: &mut Builder, args: &[Value]| {
                    let [x, y] = [args[0], args[1]].map(|arg| b.convert(extend, Elem::I32, arg));
                    b.binary(op, x, y)
                };
                let value = |bits: u64| if signed { eval::signed(elem, bits) as u64 & 0xffff_ffff } else { bits };
                check(&format!("{op} of {extend:?} {elem:?}"), &inputs, Elem::I32, extended, |args| {
                    Some(eval::binary(op, Elem::I32, value(args[0]), value(args[1])))
                });
            }
        }
    }
}

#[test]
fn float_operations() {
    for &(op, _) in BinaryOp::NAMES {
        if op.is_float() {
            FLOATS.into_iter().for_each(|elem| check_binary(op, elem));
        }
    }
}

/// Whether vectors of floats and doubles are made of what the machine estimates, where they may be.
fn has_estimates(lanes: u16, flags: Flags) -> bool {
    // (Where a machine lacks what a back end needs, another one's code runs.)
    let runs = BackEnd::available().contains(&super::BACK_END);
    runs && matches!(super::BACK_END, BackEnd::Avx512Base | BackEnd::Avx512) && lanes > 1 && flags == Flags::AFN
}

/// Whether vectors of inverse roots are, where the root may be approximate, too.
fn has_rough_inverse_roots(elem: Elem, lanes: u16, flags: Flags) -> bool {
    let of_floats = matches!(super::BACK_END, BackEnd::Avx2Base | BackEnd::Avx2) && elem == Elem::F32;
    has_estimates(lanes, flags) || of_floats && lanes > 1 && flags == Flags::AFN
}

/// What may be approximate is within two units, and of special numbers exact. Others are exact, and so are scalars and those of machines that estimate none.
fn check_estimates(
    what: &str,
    inputs: &[(Elem, Vec<u64>)],
    build: impl Fn(&mut Builder, &[Value]) -> Value,
    exact: impl Fn(&[u64]) -> u64,
    has_estimates: impl Fn(u16, Flags) -> bool,
    is_out_of_range: impl Fn(&[f64]) -> bool,
) {
    let elem = inputs[0].0;
    for (lanes, flags) in LANES.into_iter().flat_map(|lanes| [(lanes, Flags::AFN), (lanes, Flags::ARCP)]) {
        let results = map_vectors(inputs, elem, lanes, true, |b, args| {
            b.flags = flags;
            build(b, args)
        });
        let mut differ = false;
        for (index, &result) in results.iter().enumerate() {
            let operands: Vec<u64> = inputs.iter().map(|(_, values)| values[index]).collect();
            let exact = exact(&operands);
            let numbers: Vec<f64> = operands.iter().map(|&bits| eval::to_f64(elem, bits)).collect();
            let close = eval::to_f64(elem, exact).is_normal() && result.abs_diff(exact) <= 2;
            let left_out = has_estimates(lanes, flags) && is_out_of_range(&numbers);
            assert!(
                close || left_out || same(elem, result, exact),
                "{what} of {elem:?} in {lanes} lanes of {operands:x?} is {result:#x}, not {exact:#x}"
            );
            differ |= !same(elem, result, exact);
        }
        // Quotients of doubles are so close that hardly one differs; nor need those differ that are made of AVX's estimate, where a machine's is good.
        let are_close = elem == Elem::F64 || matches!(super::BACK_END, BackEnd::Avx2Base | BackEnd::Avx2);
        let may_be_exact = are_close && !differ;
        assert!(differ == has_estimates(lanes, flags) || may_be_exact, "{what} of {elem:?} in {lanes} lanes, {flags:?}");
    }
}

/// Whether a number, rounded to a format, is at least as large as the least normal one there.
fn is_normal(elem: Elem, x: f64) -> bool {
    let least = if elem == Elem::F32 { f32::MIN_POSITIVE.into() } else { f64::MIN_POSITIVE };
    eval::to_f64(elem, eval::from_f64(elem, x)).abs() >= least
}

#[test]
fn approximate_roots_and_their_inverses() {
    for elem in [Elem::F32, Elem::F64] {
        let one = eval::from_f64(elem, 1.0);
        let inputs = [(elem, singles(elem))];
        let root = |args: &[u64]| eval::unary(UnaryOp::Sqrt, elem, args[0]);
        check_estimates("a root", &inputs, |b, args| b.unary(UnaryOp::Sqrt, args[0]), root, has_estimates, |_| false);
        let inverse = |b: &mut Builder, args: &[Value]| {
            let one = b.constant(b.ty(args[0]), one);
            let flags = std::mem::replace(&mut b.flags, Flags::empty());
            let root = b.unary(UnaryOp::Sqrt, args[0]);
            b.flags = flags;
            b.fdiv(one, root)
        };
        let exact = |args: &[u64]| eval::binary(BinaryOp::FDiv, elem, one, root(args));
        let estimated = |lanes, flags| has_rough_inverse_roots(elem, lanes, flags);
        check_estimates("an inverse root", &inputs, inverse, exact, estimated, |_| false);
        let quotient = |b: &mut Builder, args: &[Value]| {
            let flags = std::mem::replace(&mut b.flags, Flags::empty());
            let root = b.unary(UnaryOp::Sqrt, args[0]);
            b.flags = flags;
            b.fdiv(args[0], root)
        };
        let exact_quotient = |args: &[u64]| eval::binary(BinaryOp::FDiv, elem, args[0], root(args));
        check_estimates("a quotient by a root", &inputs, quotient, exact_quotient, estimated, |_| false);
        // There need be none of subnormal numbers.
        let rough = |b: &mut Builder, args: &[Value]| {
            let one = b.constant(b.ty(args[0]), one);
            let root = b.unary(UnaryOp::Sqrt, args[0]);
            b.fdiv(one, root)
        };
        let is_subnormal = |args: &[f64]| args[0].abs() > 0.0 && !is_normal(elem, args[0]);
        check_estimates("a rough inverse root", &inputs, rough, exact, estimated, is_subnormal);
    }
}

/// Inverses and inverse roots of which eleven bits are asked for.
#[test]
fn rough_inverses() {
    let usual = |x: f32| x.is_nan() || x == 0.0 || x.abs() >= f32::MIN_POSITIVE;
    for of_root in [false, true] {
        let exact = |x: f32| 1.0 / if of_root { x.sqrt() } else { x };
        let numbers = singles(Elem::F32).into_iter().map(|bits| f32::from_bits(bits as u32));
        let numbers: Vec<f32> = numbers.map(|x| if usual(x) && usual(exact(x)) { x } else { 1.5 }).collect();
        let inputs = [(Elem::F32, numbers.iter().map(|x| u64::from(x.to_bits())).collect())];
        for lanes in LANES {
            let rough = map_vectors(&inputs, Elem::F32, lanes, true, |b, args| {
                b.flags = Flags::AFN | Flags::ROUGH;
                let divisor = if of_root { b.unary(UnaryOp::Sqrt, args[0]) } else { args[0] };
                let one = b.constant(b.ty(divisor), 1f32.to_bits().into());
                b.fdiv(one, divisor)
            });
            let mut rougher = false;
            for (&x, bits) in numbers.iter().zip(rough) {
                let (rough, exact) = (f32::from_bits(bits as u32), exact(x));
                let special = exact.is_nan() && rough.is_nan() || exact == rough;
                let error = (f64::from(rough) / f64::from(exact) - 1.0).abs();
                assert!(special || error <= 1.5 / 4096.0, "{lanes} lanes: {x:e} gives {rough:e}, not {exact:e}");
                rougher |= !special && error > 1.0 / f64::from(1 << 20);
            }
            let estimated = has_estimates(lanes, Flags::AFN) || has_rough_inverse_roots(Elem::F32, lanes, Flags::AFN);
            assert_eq!(rougher, estimated, "{lanes} lanes");
        }
    }
}

/// Quotients and roots that may be wrong by 2^-14.
#[test]
fn short_quotients_and_roots() {
    let usual = |x: f32| x.is_nan() || x == 0.0 || x.is_infinite() || (f32::MIN_POSITIVE..1e37).contains(&x.abs());
    let numbers = |bits: Vec<u64>| bits.into_iter().map(|bits| f32::from_bits(bits as u32));
    let (left, right) = pairs(Elem::F32, Elem::F32);
    let pairs = numbers(left).zip(numbers(right));
    let pairs: Vec<[f32; 2]> = pairs
        .map(|(x, y)| if usual(x) && usual(y) && usual(x / y) { [x, y] } else { [1.5, 2.5] })
        .collect();
    let inputs = [0, 1].map(|n| (Elem::F32, pairs.iter().map(|pair| u64::from(pair[n].to_bits())).collect()));
    for (lanes, what) in LANES.into_iter().flat_map(|lanes| [0, 1, 2].map(|what| (lanes, what))) {
        let values = map_vectors(&inputs, Elem::F32, lanes, true, |b, args| {
            b.flags = Flags::AFN | Flags::SHORT;
            let one = b.constant(b.ty(args[1]), 1f32.to_bits().into());
            match what {
                0 => b.fdiv(args[0], args[1]),
                1 => b.fdiv(one, args[1]),
                _ => b.unary(UnaryOp::Sqrt, args[1]),
            }
        });
        let mut short = false;
        for (&[x, y], bits) in pairs.iter().zip(values) {
            let exact = [x / y, 1.0 / y, y.sqrt()][what];
            let value = f32::from_bits(bits as u32);
            let special = exact.is_nan() && value.is_nan() || exact.to_bits() == value.to_bits();
            let error = (f64::from(value) / f64::from(exact) - 1.0).abs();
            assert!(special || error <= 1.01 / 16384.0, "{lanes} lanes: {x:e}, {y:e} give {value:e}, not {exact:e}");
            short |= !special && error > 1.0 / f64::from(1 << 20);
        }
        assert_eq!(short, has_estimates(lanes, Flags::AFN), "{lanes} lanes");
    }
}

/// Of divisors whose inverses are out of range, and quotients that are, approximate quotients are some numbers.
#[test]
fn approximate_quotients() {
    for elem in [Elem::F32, Elem::F64] {
        let one = eval::from_f64(elem, 1.0);
        let is_normal = |x: f64| is_normal(elem, x);
        let ends = |x: f64| x == 0.0 || !x.is_finite();
        let is_out_of_range = |x: f64, y: f64| {
            let divisor = y.is_finite() && y != 0.0 && !(is_normal(y) && is_normal(1.0 / y));
            let quotient = !ends(x) && !ends(y) && !is_normal(x / y);
            divisor || quotient
        };
        let exact = |x: u64, y: u64| eval::binary(BinaryOp::FDiv, elem, x, y);
        let (left, right) = pairs(elem, elem);
        let inputs = [(elem, left), (elem, right)];
        let of_two = |args: &[f64]| is_out_of_range(args[0], args[1]);
        check_estimates("a quotient", &inputs, |b, args| b.fdiv(args[0], args[1]), |args| exact(args[0], args[1]), has_estimates, of_two);
        let inverse = |b: &mut Builder, args: &[Value]| {
            let one = b.constant(b.ty(args[0]), one);
            b.fdiv(one, args[0])
        };
        let inputs = [(elem, singles(elem))];
        let of_one = |args: &[f64]| is_out_of_range(1.0, args[0]);
        check_estimates("an inverse", &inputs, inverse, |args| exact(one, args[0]), has_estimates, of_one);
    }
}

#[test]
fn mask_operations() {
    for op in [BinaryOp::And, BinaryOp::Or, BinaryOp::Xor] {
        check_binary(op, Elem::Mask);
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
fn amounts_and_divisors_that_are_the_same_for_all_lanes() {
    use BinaryOp::*;
    for op in [Shl, LShr, AShr, RotL, RotR, UDiv, SDiv, URem, SRem, Mul, UMulHi, SMulHi] {
        for elem in INTS {
            let (ones, sign) = (elem.bit_mask(), elem.bit_mask() ^ (elem.bit_mask() >> 1));
            for constant in [
                0,
                1,
                2,
                3,
                5,
                7,
                8,
                10,
                13,
                16,
                24,
                40,
                64,
                100,
                127,
                ones,
                ones - 1,
                ones - 6,
                sign,
                sign - 1,
                sign + 1,
                u64::from(elem.bits()),
            ] {
                let inputs = [(elem, singles(elem))];
                check(
                    &format!("{op} {elem:?} by constant {constant}"),
                    &inputs,
                    elem,
                    |b, args| b.binary_imm(op, args[0], constant as i64),
                    |args| Some(eval::binary(op, elem, args[0], constant & elem.bit_mask())),
                );
            }
        }
    }
    for op in [Shl, LShr, AShr, RotL, RotR] {
        for elem in INTS {
            for lanes in LANES {
                let inputs = [(elem, singles(elem))];
                let results = map_vectors(&inputs, elem, lanes, true, |b, args| {
                    let ty = b.ty(args[0]);
                    // A scalar that the compiler does not know.
                    let params = b.params(b.func.entry()).to_vec();
                    let zero = if elem == Elem::I64 {
                        params[5]
                    } else {
                        b.convert(ConvertOp::Trunc, elem, params[5])
                    };
                    let amount = b.binary_imm(Add, zero, 5);
                    let amount = b.splat(ty.lanes, amount);
                    b.binary(op, args[0], amount)
                });
                for (&value, result) in inputs[0].1.iter().zip(results) {
                    assert_eq!(result, eval::binary(op, elem, value, 5), "{op} {elem:?} {lanes}");
                }
            }
        }
    }
}

#[test]
fn fused_multiply_add() {
    for elem in FLOATS {
        let (a, b) = pairs(elem, elem);
        let mut random = Random(5);
        let edges = edges(elem);
        let c: Vec<u64> = a
            .iter()
            .map(|_| match random.below(2) {
                0 => edges[random.below(edges.len() as u64) as usize],
                _ => random_value(elem, &mut random),
            })
            .collect();
        let inputs = [(elem, a), (elem, b), (elem, c)];
        check(
            &format!("fma {elem:?}"),
            &inputs,
            elem,
            |b, args| b.fma(args[0], args[1], args[2]),
            |args| Some(eval::fma(elem, args[0], args[1], args[2])),
        );
        // Some of them negated.
        for signs in 1..8 {
            let is_negated = |position: usize| signs >> position & 1 != 0;
            check(
                &format!("fma {elem:?} negated {signs:03b}"),
                &inputs,
                elem,
                |b, args| {
                    let [x, y, z] = [0, 1, 2].map(|position| match is_negated(position) {
                        true => b.unary(UnaryOp::FNeg, args[position]),
                        false => args[position],
                    });
                    b.fma(x, y, z)
                },
                |args| {
                    let sign = 1 << (elem.bits() - 1);
                    let [x, y, z] = [0, 1, 2].map(|position| args[position] ^ if is_negated(position) { sign } else { 0 });
                    Some(eval::fma(elem, x, y, z))
                },
            );
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

#[test]
fn comparisons() {
    for &(cc, name) in IntCc::NAMES {
        for elem in INTS {
            let (left, right) = pairs(elem, elem);
            let inputs = [(elem, left), (elem, right)];
            let expected = |args: &[u64]| Some(u64::from(eval::int_compare(cc, elem, args[0], args[1])));
            check(
                &format!("icmp {name} {elem:?}"),
                &inputs,
                Elem::Mask,
                |b, args| b.icmp(cc, args[0], args[1]),
                expected,
            );
        }
    }
    for &(cc, name) in FloatCc::NAMES {
        for elem in FLOATS {
            let (left, right) = pairs(elem, elem);
            let inputs = [(elem, left), (elem, right)];
            let expected = |args: &[u64]| Some(u64::from(eval::float_compare(cc, elem, args[0], args[1])));
            check(
                &format!("fcmp {name} {elem:?}"),
                &inputs,
                Elem::Mask,
                |b, args| b.fcmp(cc, args[0], args[1]),
                expected,
            );
        }
    }
    for cc in [IntCc::Eq, IntCc::Ne] {
        let (left, right) = pairs(Elem::Mask, Elem::Mask);
        let inputs = [(Elem::Mask, left), (Elem::Mask, right)];
        let expected = |args: &[u64]| Some(u64::from(eval::int_compare(cc, Elem::Mask, args[0], args[1])));
        check(
            "icmp of masks",
            &inputs,
            Elem::Mask,
            |b, args| b.icmp(cc, args[0], args[1]),
            expected,
        );
    }
}

/// Sums and differences count lanes by comparisons of numbers that have a sign, or can't have one.
#[test]
fn counts_of_lanes() {
    for (&(cc, name), elem) in IntCc::NAMES.iter().flat_map(|cc| INTS.map(|elem| (cc, elem))) {
        let (left, right) = pairs(elem, elem);
        let inputs = [(elem, left), (elem, right)];
        let lanes = u64::MAX >> (u64::BITS - elem.bits());
        let halved = |x: u64| (x & lanes) >> 1;
        for (less, naturals) in [(false, false), (true, false), (false, true)] {
            check(
                &format!("count by icmp {name} {elem:?}, less {less}, naturals {naturals}"),
                &inputs,
                elem,
                |b, args| {
                    let compared = match naturals {
                        true => [args[0], args[1]].map(|arg| b.binary_imm(BinaryOp::LShr, arg, 1)),
                        false => [args[0], args[1]],
                    };
                    let mask = b.icmp(cc, compared[0], compared[1]);
                    let [one, zero] = [1, 0].map(|bits| b.constant(b.ty(args[0]), bits));
                    let ones = b.select(mask, one, zero);
                    match less {
                        true => b.binary(BinaryOp::Sub, args[0], ones),
                        false => b.add(ones, args[0]),
                    }
                },
                |args| {
                    let [x, y] = if naturals { [halved(args[0]), halved(args[1])] } else { [args[0], args[1]] };
                    let ones = u64::from(eval::int_compare(cc, elem, x, y));
                    let sum = if less { args[0].wrapping_sub(ones) } else { args[0].wrapping_add(ones) };
                    Some(sum & lanes)
                },
            );
        }
    }
}

/// Comparisons that only choices and conjunctions take, one or both of them as the opposites.
#[test]
fn choices_by_opposites() {
    let conditions = IntCc::NAMES.iter().flat_map(|&(first, _)| [IntCc::Ne, IntCc::Slt].map(|second| (first, second)));
    for ((first, second), elem) in conditions.flat_map(|cc| INTS.map(|elem| (cc, elem))) {
        let (left, right) = pairs(elem, elem);
        let inputs = [(elem, left), (elem, right)];
        check(
            &format!("select by icmp {first:?} and {second:?} {elem:?}"),
            &inputs,
            elem,
            |b, args| {
                let one = b.icmp(first, args[0], args[1]);
                let chosen = b.select(one, args[0], args[1]);
                let other = b.icmp_imm(second, args[1], 3);
                let both = b.binary(BinaryOp::And, one, other);
                b.select(both, chosen, args[1])
            },
            |args| {
                let holds = |cc, y| eval::int_compare(cc, elem, args[0], y);
                let both = holds(first, args[1]) && eval::int_compare(second, elem, args[1], 3);
                Some(if both { args[0] } else { args[1] })
            },
        );
    }
}

#[test]
fn selection_by_masks_of_any_origin() {
    for elem in Elem::ALL {
        for compared in INTS {
            let (a, b) = pairs(elem, elem);
            let mut random = Random(3);
            let x: Vec<u64> = a.iter().map(|_| random.below(2)).collect();
            let inputs = [(elem, a), (elem, b), (compared, x)];
            check(
                &format!("select {elem:?} by {compared:?}"),
                &inputs,
                elem,
                |b, args| {
                    let mask = b.icmp_imm(IntCc::Ne, args[2], 0);
                    b.select(mask, args[0], args[1])
                },
                |args| Some(if args[2] != 0 { args[0] } else { args[1] }),
            );
        }
        for lanes in LANES {
            let (left, right) = pairs(elem, elem);
            let inputs = [(elem, left), (elem, right)];
            let results = map_vectors(&inputs, elem, lanes, true, |b, args| {
                let params = b.params(b.func.entry()).to_vec();
                let never = b.icmp_imm(IntCc::Ne, params[5], 0);
                b.select(never, args[0], args[1])
            });
            assert!(
                results.iter().zip(&inputs[1].1).all(|(a, b)| same(elem, *a, *b)),
                "select {elem:?} {lanes} by a scalar"
            );
        }
    }
}

/// What masks choose is a constant or 0.
#[test]
fn selection_of_constants() {
    for elem in INTS.into_iter().chain(FLOATS) {
        let inputs = [(elem, singles(elem)), (elem, singles(elem).into_iter().rev().collect())];
        for (yes, no) in [(Some(0), None), (Some(0x59), None), (None, Some(0)), (None, Some(0x59)), (Some(0x59), Some(0))] {
            check(
                &format!("select {yes:?} or {no:?} as {elem:?}"),
                &inputs,
                elem,
                |b, args| {
                    let sign = match elem.is_float() {
                        true => b.bitcast(elem.as_int(), args[1]),
                        false => args[1],
                    };
                    let mask = b.icmp_imm(IntCc::Slt, sign, 0);
                    let [yes, no] = [yes, no].map(|bits| bits.map(|bits| b.constant(b.ty(args[0]), bits)));
                    b.select(mask, yes.unwrap_or(args[0]), no.unwrap_or(args[0]))
                },
                |args| {
                    let negative = args[1] >> (elem.bits() - 1) != 0;
                    Some(if negative { yes } else { no }.unwrap_or(args[0]))
                },
            );
        }
    }
}

/// Next to what lies between two floats.
#[test]
fn long_integers_between_floats() {
    let near = |bits: u32| {
        let middle = (1u64 << bits | 1 << (bits - 24)) as i64;
        [-2049, -2048, -1, 0, 1, 1024, 2047, 2048].map(|step| middle + step)
    };
    let some: Vec<i64> = (36..63).flat_map(near).collect();
    let mut values: Vec<u64> = some.iter().flat_map(|&value| [value as u64, -value as u64]).collect();
    values.extend(std::iter::repeat_n(u64::MAX, values.len().next_multiple_of(32) - values.len()));
    for op in [ConvertOp::SToF, ConvertOp::UToF] {
        check_conversion_of(op, (Elem::I64, values.clone()), Elem::F32, Rounding::Nearest, false);
    }
}

fn check_conversion(op: ConvertOp, from: Elem, to: Elem, rounding: Rounding, saturate: bool) {
    check_conversion_of(op, (from, singles(from)), to, rounding, saturate);
}

fn check_conversion_of(op: ConvertOp, numbers: (Elem, Vec<u64>), to: Elem, rounding: Rounding, saturate: bool) {
    let from = numbers.0;
    let inputs = [numbers];
    let build = |b: &mut Builder, args: &[Value]| {
        let ty = b.ty(args[0]).with_elem(to);
        b.value(InstData::Convert {
            op,
            ty,
            arg: args[0],
            rounding,
            saturate,
        })
    };
    let expected = |args: &[u64]| {
        let result = eval::convert(op, from, to, rounding, args[0]);
        let open = matches!(op, ConvertOp::FToS | ConvertOp::FToU) && !saturate;
        // What does not fit is open; rounded to a wider type it would be another number.
        let fits = || {
            let value = eval::to_f64(from, args[0]);
            let rounded = match rounding {
                Rounding::Nearest => value.round_ties_even(),
                Rounding::Zero => value.trunc(),
                Rounding::Up => value.ceil(),
                Rounding::Down => value.floor(),
            };
            let limit = 2f64.powi(to.bits() as i32);
            match op {
                ConvertOp::FToS => rounded >= -limit / 2.0 && rounded < limit / 2.0,
                _ => rounded >= 0.0 && rounded < limit,
            }
        };
        (!open || fits()).then_some(result)
    };
    let what = format!("{op} {from:?} to {to:?} {rounding} {saturate}");
    check(&what, &inputs, to, build, expected);
}

#[test]
fn conversions_between_integers() {
    for from in INTS {
        for to in INTS {
            let ops: &[ConvertOp] = match from.bits().cmp(&to.bits()) {
                std::cmp::Ordering::Less => &[ConvertOp::ZExt, ConvertOp::SExt],
                std::cmp::Ordering::Greater => &[ConvertOp::Trunc],
                std::cmp::Ordering::Equal => &[],
            };
            for &op in ops {
                check_conversion(op, from, to, Rounding::Nearest, false);
            }
        }
    }
}

#[test]
fn cuts_of_what_fits_and_what_does_not() {
    for from in INTS {
        for to in INTS.into_iter().filter(|to| to.bits() < from.bits()) {
            let (bits, most) = (u64::from(to.bits()), to.bit_mask());
            let above = u64::from(from.bits()) - bits;
            let by = [
                (BinaryOp::UMin, most),
                (BinaryOp::UMin, most + 1),
                (BinaryOp::And, most),
                (BinaryOp::And, most << 1),
                (BinaryOp::LShr, above),
                (BinaryOp::LShr, above - 1),
            ];
            for (op, by) in by {
                let build = |b: &mut Builder, args: &[Value]| {
                    let less = b.binary_imm(op, args[0], by as i64);
                    b.convert(ConvertOp::Trunc, to, less)
                };
                let expected = |args: &[u64]| Some(eval::binary(op, from, args[0], by) & most);
                check(&format!("{op} {by:#x} of {from:?} cut to {to:?}"), &[(from, singles(from))], to, build, expected);
            }
        }
    }
}

#[test]
fn conversions_between_floats() {
    for from in FLOATS {
        for to in FLOATS {
            if from.bits() < to.bits() {
                check_conversion(ConvertOp::FPromote, from, to, Rounding::Nearest, false);
            }
            if from.bits() > to.bits() {
                for &(rounding, _) in Rounding::NAMES {
                    check_conversion(ConvertOp::FDemote, from, to, rounding, false);
                }
            }
        }
    }
}

#[test]
fn conversions_of_floats_to_integers() {
    for from in FLOATS {
        for to in INTS {
            for op in [ConvertOp::FToS, ConvertOp::FToU] {
                for &(rounding, _) in Rounding::NAMES {
                    for saturate in [false, true] {
                        check_conversion(op, from, to, rounding, saturate);
                    }
                }
            }
        }
    }
}

#[test]
fn conversions_of_integers_to_floats() {
    for from in INTS {
        for to in FLOATS {
            for op in [ConvertOp::SToF, ConvertOp::UToF] {
                for &(rounding, _) in Rounding::NAMES {
                    check_conversion(op, from, to, rounding, false);
                }
            }
        }
    }
}

#[test]
fn bits_and_masks_as_other_types() {
    for from in Elem::ALL {
        for to in Elem::ALL {
            if from != to && from != Elem::Mask && to != Elem::Mask && from.bits() == to.bits() {
                check_conversion(ConvertOp::Bitcast, from, to, Rounding::Nearest, false);
            }
        }
    }
    for elem in INTS {
        check_conversion(ConvertOp::MaskToInt, Elem::Mask, elem, Rounding::Nearest, false);
        check_conversion(ConvertOp::IntToMask, elem, Elem::Mask, Rounding::Nearest, false);
    }
}

/// Two operations on bits, which some machines have as one, and what they have in common with another.
#[test]
fn bits_of_three() {
    const OPS: [BinaryOp; 3] = [BinaryOp::And, BinaryOp::Or, BinaryOp::Xor];
    for elem in INTS {
        let (a, b) = pairs(elem, elem);
        let c: Vec<u64> = a.iter().rev().copied().collect();
        let inputs = [(elem, a), (elem, b), (elem, c)];
        for (first, second) in OPS.into_iter().flat_map(|first| OPS.map(|second| (first, second))) {
            let two = |x: [u64; 2], y: u64| eval::binary(second, elem, eval::binary(first, elem, x[0], x[1]), y);
            let what = |kind: &str| format!("{first:?} and {second:?} of {elem:?}, {kind}");
            check(
                &what("one after the other"),
                &inputs,
                elem,
                |b, x| {
                    let inner = b.binary(first, x[0], x[1]);
                    b.binary(second, x[2], inner)
                },
                |x| Some(two([x[0], x[1]], x[2])),
            );
            check(
                &what("with a constant"),
                &inputs,
                elem,
                |b, x| {
                    let inner = b.binary_imm(first, x[0], 0x55);
                    b.binary(second, inner, x[1])
                },
                |x| Some(two([x[0], 0x55], x[1])),
            );
            check(
                &what("the opposite, and an operand twice"),
                &inputs,
                elem,
                |b, x| {
                    let opposite = b.not(x[0]);
                    let inner = b.binary(first, opposite, x[1]);
                    b.binary(second, inner, x[0])
                },
                |x| Some(two([eval::unary(UnaryOp::Not, elem, x[0]), x[1]], x[0])),
            );
            check(
                &what("as a condition"),
                &inputs,
                elem,
                |b, x| {
                    let inner = b.binary(first, x[0], x[1]);
                    let bits = b.binary(second, inner, x[2]);
                    let none = b.icmp_imm(IntCc::Eq, bits, 0);
                    b.select(none, x[0], x[1])
                },
                |x| Some(if two([x[0], x[1]], x[2]) == 0 { x[0] } else { x[1] }),
            );
        }
    }
}
