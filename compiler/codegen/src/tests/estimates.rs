//! Roots, quotients and inverses that need not be exact.

use super::harness::*;
use super::lanewise::*;
use ir::{BinaryOp, Builder, Elem, Flags, UnaryOp, Value, eval};
use target::BackEnd;

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
