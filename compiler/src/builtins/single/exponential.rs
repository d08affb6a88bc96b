//! Exponential functions: x is a whole number of powers of two and a rest, which a polynomial is for.

use super::{clamp, fma_by, polynomial, power_of_two, times};
use crate::ir::*;

/// 2^x on [-0.5, 0.5]; 2^-28.3.
const EXP2: [f32; 7] = [
    1.0,
    std::f32::consts::LN_2,
    0.240_226_48,
    0.055_503_596,
    0.009_618_5,
    0.001_339_097_4,
    0.000_153_289_35,
];
/// e^x on [-ln(2)/2, ln(2)/2]; 2^-28.2.
const EXP: [f32; 7] = [1.0, 1.0, 0.499_999_94, 0.166_665_21, 0.041_668_262, 0.008_368_67, 0.001_382_102_1];
/// 10^x on [-log10(2)/2, log10(2)/2]; 2^-28.5.
const EXP10: [f32; 7] = [
    1.0,
    std::f32::consts::LN_10,
    2.650_948_8,
    2.034_656,
    1.171_294_7,
    0.541_825_53,
    0.206_187_64,
];

/// What makes an exponential function: the factor that gives the number of powers of two, the logarithm of 2 in two parts, the polynomial, and
/// where the result is 0 and infinite.
struct Exponential {
    scale: f32,
    log_of_2: [f32; 2],
    polynomial: &'static [f32],
    zero_below: f32,
    infinite_above: f32,
}

const BASE_E: Exponential = Exponential {
    scale: std::f32::consts::LOG2_E,
    log_of_2: [std::f32::consts::LN_2, LN_2_REST],
    polynomial: &EXP,
    zero_below: -104.5,
    infinite_above: 89.0,
};

const BASE_2: Exponential = Exponential {
    scale: 1.0,
    log_of_2: [1.0, 0.0],
    polynomial: &EXP2,
    zero_below: -151.0,
    infinite_above: 129.0,
};

const BASE_10: Exponential = Exponential {
    scale: std::f32::consts::LOG2_10,
    log_of_2: [std::f32::consts::LOG10_2, LOG10_2_REST],
    polynomial: &EXP10,
    zero_below: -45.5,
    infinite_above: 39.0,
};

/// ln(2) less its nearest f32.
pub(super) const LN_2_REST: f32 = -1.904_654_3e-9;
/// log10(2) less its nearest f32.
pub(super) const LOG10_2_REST: f32 = -1.432_098_9e-8;

/// e^x; error 0.9, limit 3.
pub fn exp(b: &mut Builder, x: Value) -> [Value; 1] {
    exact_scale(b, x, &BASE_E)
}

/// 2^x; error 0.8, limit 3.
pub fn exp2(b: &mut Builder, x: Value) -> [Value; 1] {
    exact_scale(b, x, &BASE_2)
}

/// 10^x; error 0.9, limit 3.
pub fn exp10(b: &mut Builder, x: Value) -> [Value; 1] {
    exact_scale(b, x, &BASE_10)
}

/// e^x without subnormal results.
pub fn native_exp(b: &mut Builder, x: Value) -> [Value; 1] {
    let x = times(b, x, std::f32::consts::LOG2_E);
    native_exp2(b, x)
}

/// 10^x without subnormal results.
pub fn native_exp10(b: &mut Builder, x: Value) -> [Value; 1] {
    let x = times(b, x, std::f32::consts::LOG2_10);
    native_exp2(b, x)
}

/// 2^x without subnormal results: to -127 the power of two is 0, at 128 it is infinite.
pub fn native_exp2(b: &mut Builder, x: Value) -> [Value; 1] {
    let x = clamp(b, x, -127.0, 128.0);
    let whole = b.unary(UnaryOp::Nearest, x);
    let rest = b.fsub(x, whole);
    let value = polynomial(b, rest, &EXP2);
    let n = b.convert(ConvertOp::FToS, Elem::I32, whole);
    let power = power_of_two(b, n);
    [b.fmul(value, power)]
}

fn exact_scale(b: &mut Builder, x: Value, base: &Exponential) -> [Value; 1] {
    let x = clamp(b, x, base.zero_below, base.infinite_above);
    let (n, rest) = reduce(b, x, base);
    let value = polynomial(b, rest, base.polynomial);
    [scale(b, value, n)]
}

/// 2^(whole + rest) for a whole number from -151 to 129 and a rest from -0.5 to 0.5.
pub(super) fn exp2_of_sum(b: &mut Builder, whole: Value, rest: Value) -> Value {
    let value = polynomial(b, rest, &EXP2);
    let n = b.convert(ConvertOp::FToS, Elem::I32, whole);
    scale(b, value, n)
}

/// value * 2^n in two steps, for the powers of two alone may be out of range; only the second one rounds.
fn scale(b: &mut Builder, value: Value, n: Value) -> Value {
    let half = b.binary_imm(BinaryOp::AShr, n, 1);
    let other = b.sub(n, half);
    let (half, other) = (power_of_two(b, half), power_of_two(b, other));
    let value = b.fmul(value, half);
    b.fmul(value, other)
}

/// The powers of two in b^x, and what is left of x.
fn reduce(b: &mut Builder, x: Value, base: &Exponential) -> (Value, Value) {
    let powers = if base.scale == 1.0 { x } else { times(b, x, base.scale) };
    let whole = b.unary(UnaryOp::Nearest, powers);
    let [high, low] = base.log_of_2;
    let mut rest = fma_by(b, whole, -high, x);
    if low != 0.0 {
        rest = fma_by(b, whole, -low, rest);
    }
    (b.convert(ConvertOp::FToS, Elem::I32, whole), rest)
}
