//! All halfs, and pairs of them, against C's mathematics library in double precision.

use crate::StdOp;
use crate::floats::tests::{TABLE, greatest_error_of, number, powr};
use ir::Elem;
use std::f64::consts::PI;

/// Errors seen of functions that halfs have of their own; others are those of floats, rounded.
const OF_HALFS: &[(StdOp, f64)] = &[
    (StdOp::acos, 0.52),
    (StdOp::acosh, 0.52),
    (StdOp::acospi, 0.52),
    (StdOp::asin, 0.56),
    (StdOp::asinh, 0.53),
    (StdOp::asinpi, 0.57),
    (StdOp::atan, 0.56),
    (StdOp::atanh, 0.53),
    (StdOp::atanpi, 0.56),
    (StdOp::erf, 0.56),
    (StdOp::expm1, 0.53),
    (StdOp::log, 0.52),
    (StdOp::log1p, 0.52),
    (StdOp::log2, 0.52),
    (StdOp::sincos, 0.53),
    (StdOp::sinh, 0.53),
    (StdOp::tan, 0.52),
    (StdOp::tanh, 0.57),
];

#[test]
fn all_halfs() {
    let inputs: Vec<u64> = (0..=0xffff).collect();
    let mut complaints = String::new();
    for &(op, _, _, reference) in TABLE {
        let seen = OF_HALFS.iter().find(|row| row.0 == op).map_or(0.51, |row| row.1);
        let (error, what) = greatest_error_of(op, Elem::F16, None, &inputs, &reference);
        if error > seen {
            complaints += &format!("{error:.3} ulp, {what}\n");
        }
    }
    assert!(complaints.is_empty(), "\n{complaints}");
}

/// Numbers that are second operands: special ones, and some of all exponents and both signs.
fn second_halfs() -> Vec<u64> {
    let special = [
        0, 1, 0x3ff, 0x400, 0x3800, 0x3bff, 0x3c00, 0x3c01, 0x4000, 0x4200, 0x4400, 0x6801, 0x7bff, 0x7c00, 0x7e00,
    ];
    let some = (0..31).map(|exponent| (exponent << 10) + exponent * 357 % 1024);
    special.into_iter().chain(some).flat_map(|bits| [bits, bits | 0x8000]).collect()
}

#[test]
fn halfs_of_two_numbers() {
    let mut inputs: Vec<u64> = (0..=0xffff).step_by(13).collect();
    // Next to 1, great powers are halfs.
    inputs.extend(0x3b80..0x3c80);
    inputs.extend(second_halfs());
    let mut greatest = [-1.0; 5];
    let mut check = |m: usize, op, y, reference: &dyn Fn(f64) -> f64| {
        let (error, what) = greatest_error_of(op, Elem::F16, Some(y), &inputs, reference);
        assert!(error <= 1.0, "{error:.2} ulp, {what}");
        greatest[m] = f64::max(greatest[m], error);
    };
    for bits in second_halfs() {
        let (operand, y) = ((Elem::F16, bits), number(Elem::F16, bits));
        check(0, StdOp::atan2, operand, &|x| x.atan2(y));
        check(1, StdOp::atan2pi, operand, &|x| x.atan2(y) / PI);
        check(2, StdOp::pow, operand, &|x| x.powf(y));
        check(3, StdOp::powr, operand, &|x| powr(x, y));
    }
    for n in [0, 1, -1, 2, -2, 3, -3, 4, 5, -7, 10, 16, 101, -1000, 65537, i32::MAX, i32::MIN] {
        check(4, StdOp::rootn, (Elem::I32, u64::from(n as u32)), &|x| rootn(x, n));
    }
    let seen = [0.56, 0.56, 0.61, 0.61, 0.51];
    assert!(greatest.iter().zip(seen).all(|(error, seen)| *error <= seen), "{greatest:?}");
}

/// x to one over n.
fn rootn(x: f64, n: i32) -> f64 {
    let root = x.abs().powf(1.0 / f64::from(n));
    match n & 1 {
        _ if n == 0 => f64::NAN,
        0 if x < 0.0 => f64::NAN,
        0 => root,
        _ => root.copysign(x),
    }
}
