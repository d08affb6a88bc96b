//! Powers: 2 to the y log2|x|. The logarithm and the product are doubles, for the error of the product counts as often as the result has
//! powers of two.

use super::super::math::widen;
use super::exponential::exp2_of_sum;
use super::logarithm::split;
use crate::ir::*;

/// log2((1 + s) / (1 - s)) / s for s in [-0.2, 0.2], in s^2; 2^-42.4.
const LOG2: [f64; 6] = [
    2.885_390_081_777_420_5,
    0.961_796_694_831_683_5,
    0.577_077_754_122_192_5,
    0.412_226_291_810_942_7,
    0.319_281_217_021_735_84,
    0.290_873_852_869_197_37,
];

/// x to the y; error below 2, limit 16. Special cases are those of IEEE 754's pow.
pub fn pow(b: &mut Builder, x: Value, y: Value) -> [Value; 1] {
    let size = b.unary(UnaryOp::FAbs, x);
    let wide_y = widen(b, y);
    let value = of_magnitude(b, size, wide_y);
    let (zero, one, infinity) = (b.f32(0.0), b.f32(1.0), b.f32(f32::INFINITY));

    let whole = b.unary(UnaryOp::FTrunc, y);
    let is_whole = b.fcmp(FloatCc::Oeq, whole, y);
    let half = b.f32(0.5);
    let half = b.fmul(y, half);
    let whole_half = b.unary(UnaryOp::FTrunc, half);
    let has_half = b.fcmp(FloatCc::Une, whole_half, half);
    let odd = b.and(is_whole, has_half);
    let value = with_sign(b, value, x, odd);

    // Finite negative numbers have whole powers only.
    let negative = b.fcmp(FloatCc::Olt, x, zero);
    let finite = b.fcmp(FloatCc::Olt, size, infinity);
    let no_root = b.not(is_whole);
    let undefined = b.and(negative, finite);
    let undefined = b.and(undefined, no_root);
    let nan = b.f32(f32::NAN);
    let value = b.select(undefined, nan, value);

    // 1 to any power and any number to the 0 are 1, NaNs too, and -1 to an infinite power.
    let x_one = b.fcmp(FloatCc::Oeq, x, one);
    let y_zero = b.fcmp(FloatCc::Oeq, y, zero);
    let size_one = b.fcmp(FloatCc::Oeq, size, one);
    let y_size = b.unary(UnaryOp::FAbs, y);
    let y_infinite = b.fcmp(FloatCc::Oeq, y_size, infinity);
    let unit = b.and(size_one, y_infinite);
    let is_one = b.or(x_one, y_zero);
    let is_one = b.or(is_one, unit);
    [b.select(is_one, one, value)]
}

/// x to the y for x of at least 0, where what pow calls 1 is undefined instead: the product is a NaN there.
pub fn powr(b: &mut Builder, x: Value, y: Value) -> [Value; 1] {
    let size = b.unary(UnaryOp::FAbs, x);
    let y = widen(b, y);
    let value = of_magnitude(b, size, y);
    let zero = b.f32(0.0);
    let negative = b.fcmp(FloatCc::Olt, x, zero);
    let nan = b.f32(f32::NAN);
    [b.select(negative, nan, value)]
}

/// x to an integer.
pub fn pown(b: &mut Builder, x: Value, n: Value) -> [Value; 1] {
    let size = b.unary(UnaryOp::FAbs, x);
    let y = b.convert(ConvertOp::SToF, Elem::F64, n);
    let value = of_magnitude(b, size, y);
    let odd = b.binary_imm(BinaryOp::And, n, 1);
    let odd = b.icmp_imm(IntCc::Ne, odd, 0);
    let value = with_sign(b, value, x, odd);
    let none = b.icmp_imm(IntCc::Eq, n, 0);
    let one = b.f32(1.0);
    [b.select(none, one, value)]
}

/// 2 to the y log2(size).
fn of_magnitude(b: &mut Builder, size: Value, y: Value) -> Value {
    let log = log2(b, size);
    let product = b.fmul(y, log);
    // The whole part is taken off while the product is exact; beyond these limits the result is 0 or infinite.
    let (low, high) = (b.f64(-151.0), b.f64(129.0));
    let product = b.binary(BinaryOp::FMax, low, product);
    let product = b.binary(BinaryOp::FMin, high, product);
    let whole = b.unary(UnaryOp::Nearest, product);
    let rest = b.fsub(product, whole);
    let [whole, rest] = [whole, rest].map(|part| b.convert(ConvertOp::FDemote, Elem::F32, part));
    exp2_of_sum(b, whole, rest)
}

/// log2 of a number of at least 0, as a double; infinities and NaNs give themselves.
fn log2(b: &mut Builder, x: Value) -> Value {
    let (exponent, rest) = split(b, x);
    let (exponent, rest) = (widen(b, exponent), widen(b, rest));
    let two = b.f64(2.0);
    let sum = b.fadd(rest, two);
    let s = b.fdiv(rest, sum);
    let square = b.fmul(s, s);
    let mut series = b.f64(LOG2[LOG2.len() - 1]);
    for &term in LOG2[..LOG2.len() - 1].iter().rev() {
        let term = b.f64(term);
        series = b.fma(series, square, term);
    }
    let log = b.fma(s, series, exponent);
    let infinity = b.f32(f32::INFINITY);
    let finite = b.fcmp(FloatCc::Olt, x, infinity);
    let wide = widen(b, x);
    let log = b.select(finite, log, wide);
    let zero = b.f32(0.0);
    let is_zero = b.fcmp(FloatCc::Oeq, x, zero);
    let minus_infinity = b.f64(f64::NEG_INFINITY);
    b.select(is_zero, minus_infinity, log)
}

/// The value with the sign of x where the power is odd.
fn with_sign(b: &mut Builder, value: Value, x: Value, odd: Value) -> Value {
    let signed = b.binary(BinaryOp::CopySign, value, x);
    b.select(odd, signed, value)
}
