//! Logarithms: x is 2^e times a number from 2/3 to 4/3, whose distance from 1 a polynomial is for.

use super::exponential::{LN_2_REST, LOG10_2_REST};
use super::{fma_by, polynomial, times};
use crate::ir::*;

/// (ln(1 + x) - x) / x^2 on [-1/3, 1/3]; 2^-27.6 of the logarithm.
const LOG: [f32; 9] = [
    -0.5,
    0.333_332_12,
    -0.249_998_11,
    0.200_105_83,
    -0.166_799_35,
    0.140_033_95,
    -0.121_915_17,
    0.139_952_18,
    -0.128_614_56,
];
/// (log2(1 + x) - x log2(e)) / x^2 on [-1/3, 1/3]; 2^-25.1 of the logarithm.
const LOG2: [f32; 8] = [
    -0.721_346_56,
    0.480_896_56,
    -0.360_788_8,
    0.288_692_36,
    -0.236_797_91,
    0.202_027_62,
    -0.222_169_25,
    0.201_866_87,
];
/// (log10(1 + x) - x log10(e)) / x^2 on [-1/3, 1/3]; 2^-25.2 of the logarithm.
const LOG10: [f32; 8] = [
    -0.217_146_96,
    0.144_764_26,
    -0.108_607_605,
    0.086_906_5,
    -0.071_293_21,
    0.060_796_037,
    -0.066_833_18,
    0.060_857_01,
];

/// log2(e) less its nearest f32.
const LOG2_E_REST: f32 = 1.925_963e-8;
/// log10(e) less its nearest f32.
const LOG10_E_REST: f32 = -1.010_305e-8;

/// ln(x); error 0.9, limit 3.
pub fn log(b: &mut Builder, x: Value) -> [Value; 1] {
    let (exponent, rest) = split(b, x);
    let value = ln_of_1_plus(b, rest);
    let value = fma_by(b, exponent, LN_2_REST, value);
    let value = fma_by(b, exponent, std::f32::consts::LN_2, value);
    [with_limits(b, x, value)]
}

/// log2(x), exact for powers of two; error 1.6, limit 3.
pub fn log2(b: &mut Builder, x: Value) -> [Value; 1] {
    let (exponent, rest) = split(b, x);
    let value = of_1_plus(b, rest, &LOG2, [std::f32::consts::LOG2_E, LOG2_E_REST]);
    let value = b.fadd(value, exponent);
    [with_limits(b, x, value)]
}

/// log10(x); error 1.1, limit 3.
pub fn log10(b: &mut Builder, x: Value) -> [Value; 1] {
    let (exponent, rest) = split(b, x);
    let value = of_1_plus(b, rest, &LOG10, [std::f32::consts::LOG10_E, LOG10_E_REST]);
    let value = fma_by(b, exponent, LOG10_2_REST, value);
    let value = fma_by(b, exponent, std::f32::consts::LOG10_2, value);
    [with_limits(b, x, value)]
}

/// ln(x) of normal numbers.
pub fn native_log(b: &mut Builder, x: Value) -> [Value; 1] {
    let (exponent, rest) = split_normal(b, x);
    let value = ln_of_1_plus(b, rest);
    let value = fma_by(b, exponent, std::f32::consts::LN_2, value);
    [with_limits(b, x, value)]
}

/// log2(x) of normal numbers.
pub fn native_log2(b: &mut Builder, x: Value) -> [Value; 1] {
    let (exponent, rest) = split_normal(b, x);
    let value = ln_of_1_plus(b, rest);
    let value = fma_by(b, value, std::f32::consts::LOG2_E, exponent);
    [with_limits(b, x, value)]
}

/// log10(x) of normal numbers.
pub fn native_log10(b: &mut Builder, x: Value) -> [Value; 1] {
    let [value] = native_log2(b, x);
    [times(b, value, std::f32::consts::LOG10_2)]
}

/// ln(1 + x) for x in [-1/3, 1/3].
fn ln_of_1_plus(b: &mut Builder, x: Value) -> Value {
    let square = b.fmul(x, x);
    let rest = polynomial(b, x, &LOG);
    b.fma(square, rest, x)
}

/// A logarithm of 1 + x for x in [-1/3, 1/3]: x times the logarithm of e, in two parts, and what a polynomial gives.
fn of_1_plus(b: &mut Builder, x: Value, rest: &[f32], [high, low]: [f32; 2]) -> Value {
    let square = b.fmul(x, x);
    let rest = polynomial(b, x, rest);
    let rest = b.fmul(square, rest);
    let rest = fma_by(b, x, low, rest);
    fma_by(b, x, high, rest)
}

/// (e, m - 1) for x = 2^e m: m is from 2/3 to 4/3.
pub(super) fn split(b: &mut Builder, x: Value) -> (Value, Value) {
    let least_normal = b.f32(f32::MIN_POSITIVE);
    let subnormal = b.fcmp(FloatCc::Olt, x, least_normal);
    let lifted = times(b, x, 8_388_608.0);
    let lifted = b.select(subnormal, lifted, x);
    let (exponent, rest) = split_normal(b, lifted);
    let (lift, none) = (b.f32(23.0), b.f32(0.0));
    let lift = b.select(subnormal, lift, none);
    (b.fsub(exponent, lift), rest)
}

fn split_normal(b: &mut Builder, x: Value) -> (Value, Value) {
    let bits = b.bitcast(Elem::I32, x);
    let above = b.binary_imm(BinaryOp::Sub, bits, i64::from((2.0f32 / 3.0).to_bits()));
    let exponent = b.binary_imm(BinaryOp::AShr, above, 23);
    let scale = b.binary_imm(BinaryOp::Shl, exponent, 23);
    let bits = b.sub(bits, scale);
    let fraction = b.bitcast(Elem::F32, bits);
    let one = b.f32(1.0);
    let rest = b.fsub(fraction, one);
    (b.convert(ConvertOp::SToF, Elem::F32, exponent), rest)
}

/// Infinity and NaNs give themselves, 0 gives -infinity, and what is below is no number.
fn with_limits(b: &mut Builder, x: Value, value: Value) -> Value {
    let (zero, infinity) = (b.f32(0.0), b.f32(f32::INFINITY));
    let finite = b.fcmp(FloatCc::Olt, x, infinity);
    let value = b.select(finite, value, x);
    let negative = b.fcmp(FloatCc::Olt, x, zero);
    let nan = b.f32(f32::NAN);
    let value = b.select(negative, nan, value);
    let is_zero = b.fcmp(FloatCc::Oeq, x, zero);
    let minus_infinity = b.f32(f32::NEG_INFINITY);
    b.select(is_zero, minus_infinity, value)
}
