//! Operations that do to each lane what they do to a scalar.

use super::harness::*;
use ir::{BinaryOp, Builder, ConvertOp, Elem, Flags, FloatCc, IntCc, UnaryOp, Value, eval};

/// Values of a type in all combinations with those of another, and some more.
pub fn pairs(a: Elem, b: Elem) -> (Vec<u64>, Vec<u64>) {
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

/// Values of a type.
pub fn singles(elem: Elem) -> Vec<u64> {
    let mut values = edges(elem);
    let mut random = Random(11);
    while values.len() < 512 || !values.len().is_multiple_of(32) {
        values.push(random_value(elem, &mut random));
    }
    values
}

/// Checks an operation in all numbers of lanes. `expected` gives `None` where any result will do.
pub fn check(
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

/// Integers.
pub const INTS: [Elem; 4] = [Elem::I8, Elem::I16, Elem::I32, Elem::I64];
/// Floats.
pub const FLOATS: [Elem; 4] = [Elem::F16, Elem::BF16, Elem::F32, Elem::F64];

/// Floats or integers.
pub fn elems_of(float: bool) -> [Elem; 4] {
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

pub fn check_binary(op: BinaryOp, elem: Elem) {
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

#[test]
fn mask_operations() {
    for op in [BinaryOp::And, BinaryOp::Or, BinaryOp::Xor] {
        check_binary(op, Elem::Mask);
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
                32,
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
