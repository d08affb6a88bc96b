//! Functions that take numbers apart and put them together: bits, exponents, fractions (OpenCL C §6.15.2).

use super::StdOp;
use super::common::constant;
use super::math::{narrow, widen};
use ir::*;

/// Exponent of the largest power of two in a double, and what is added to exponents.
const BIAS: i64 = 1023;

/// Writes such a function with one result; none if it is not one of these.
pub fn lower(b: &mut Builder, op: StdOp, args: &[Value]) -> Option<Value> {
    let x = args[0];
    match op {
        StdOp::ldexp => Some(ldexp(b, x, *args.get(1)?)),
        StdOp::ilogb => {
            let exponent = exponent(b, x);
            let exponent = b.convert(ConvertOp::FToS, Elem::I32, exponent);
            let (zero, special) = zero_and_special(b, x);
            let (least, most) = (b.i32(i32::MIN), b.i32(i32::MAX));
            let value = b.select(special, most, exponent);
            Some(b.select(zero, least, value))
        }
        StdOp::logb => {
            let elem = b.ty(x).elem;
            let exponent = exponent(b, x);
            let value = match elem {
                Elem::F32 | Elem::F64 => exponent,
                half => b.convert(ConvertOp::FDemote, half, exponent),
            };
            let (zero, special) = zero_and_special(b, x);
            let minus_infinity = constant(b, elem, f64::NEG_INFINITY);
            // Infinities give infinity, NaNs themselves.
            let square = b.fmul(x, x);
            let value = b.select(special, square, value);
            Some(b.select(zero, minus_infinity, value))
        }
        StdOp::nextafter => Some(nextafter(b, x, *args.get(1)?)),
        _ => None,
    }
}

/// Functions with a second result: (value, what goes through the pointer).
pub fn with_second_result(b: &mut Builder, op: StdOp, args: &[Value]) -> Option<[Value; 2]> {
    let x = args[0];
    let elem = b.ty(x).elem;
    match op {
        StdOp::fract => {
            let floor = b.unary(UnaryOp::Floor, x);
            let rest = b.fsub(x, floor);
            let below_one = b.constant(Type::scalar(elem), one_bits(elem) - 1);
            let rest = b.binary(BinaryOp::FMin, rest, below_one);
            // Infinities leave nothing, and zeros themselves; both keep their sign.
            let zero = constant(b, elem, 0.0);
            let signed = b.binary(BinaryOp::CopySign, zero, x);
            let infinite = is_infinite(b, x);
            let is_zero = b.fcmp(FloatCc::Oeq, x, zero);
            let nothing = b.or(infinite, is_zero);
            let rest = b.select(nothing, signed, rest);
            let nan = b.fcmp(FloatCc::Uno, x, x);
            Some([b.select(nan, x, rest), floor])
        }
        StdOp::modf => {
            let whole = b.unary(UnaryOp::FTrunc, x);
            let rest = b.fsub(x, whole);
            let infinite = is_infinite(b, x);
            let zero = constant(b, elem, 0.0);
            let rest = b.select(infinite, zero, rest);
            Some([b.binary(BinaryOp::CopySign, rest, x), whole])
        }
        StdOp::frexp => {
            let exponent = exponent(b, x);
            let exponent = b.convert(ConvertOp::FToS, Elem::I32, exponent);
            let (zero, special) = zero_and_special(b, x);
            let whole = b.or(zero, special);
            let up = b.binary_imm(BinaryOp::Add, exponent, 1);
            let none = b.i32(0);
            let up = b.select(whole, none, up);
            let down = b.sub(none, up);
            let scaled = ldexp(b, x, down);
            Some([b.select(whole, x, scaled), up])
        }
        _ => None,
    }
}

fn is_infinite(b: &mut Builder, x: Value) -> Value {
    let elem = b.ty(x).elem;
    let size = b.unary(UnaryOp::FAbs, x);
    let infinity = constant(b, elem, f64::INFINITY);
    b.fcmp(FloatCc::Oeq, size, infinity)
}

/// x is 0; x is infinite or a NaN.
fn zero_and_special(b: &mut Builder, x: Value) -> (Value, Value) {
    let elem = b.ty(x).elem;
    let (zero, infinity) = (constant(b, elem, 0.0), constant(b, elem, f64::INFINITY));
    let size = b.unary(UnaryOp::FAbs, x);
    let is_zero = b.fcmp(FloatCc::Oeq, x, zero);
    let special = b.fcmp(FloatCc::Uge, size, infinity);
    (is_zero, special)
}

/// The exponent of a finite number other than 0, as a float, or as a double where the number is one.
fn exponent(b: &mut Builder, x: Value) -> Value {
    let x = match b.ty(x).elem {
        Elem::F32 | Elem::F64 => x,
        _ => b.convert(ConvertOp::FPromote, Elem::F32, x),
    };
    let size = b.unary(UnaryOp::FAbs, x);
    let limit = constant(b, b.ty(x).elem, 2.0);
    b.binary(BinaryOp::Exponent, size, limit)
}

/// 2^n as a double, for n from -1022 to 1023.
fn power_of_two(b: &mut Builder, n: Value) -> Value {
    let n = b.convert(ConvertOp::SExt, Elem::I64, n);
    let biased = b.binary_imm(BinaryOp::Add, n, BIAS);
    let bits = b.binary_imm(BinaryOp::Shl, biased, 52);
    b.bitcast(Elem::F64, bits)
}

/// x * 2^n, rounded once.
pub fn ldexp(b: &mut Builder, x: Value, n: Value) -> Value {
    let elem = b.ty(x).elem;
    if elem != Elem::F64 {
        // A double holds the product exactly.
        let wide = widen(b, x);
        let n = b.binary_imm(BinaryOp::SMax, n, -600);
        let n = b.binary_imm(BinaryOp::SMin, n, 600);
        let factor = power_of_two(b, n);
        let product = b.fmul(wide, factor);
        return narrow(b, elem, product);
    }
    // Up in steps of 1023, down in steps of 969, which stay clear of the subnormals until the last step.
    let mut n = n;
    let mut x = x;
    let up = b.f64(f64::from_bits(((BIAS + 1023) as u64) << 52));
    let down = b.f64(f64::from_bits(((BIAS - 969) as u64) << 52));
    for _ in 0..2 {
        let above = b.icmp_imm(IntCc::Sgt, n, 1023);
        let below = b.icmp_imm(IntCc::Slt, n, -1022);
        let (more, less) = (b.fmul(x, up), b.fmul(x, down));
        let (n_less, n_more) = (b.binary_imm(BinaryOp::Sub, n, 1023), b.binary_imm(BinaryOp::Add, n, 969));
        x = b.select(above, more, x);
        x = b.select(below, less, x);
        n = b.select(above, n_less, n);
        n = b.select(below, n_more, n);
    }
    let n = b.binary_imm(BinaryOp::SMax, n, -1022);
    let n = b.binary_imm(BinaryOp::SMin, n, 1023);
    let factor = power_of_two(b, n);
    b.fmul(x, factor)
}

/// The next number from x toward y: one up or down in the order of the bits.
fn nextafter(b: &mut Builder, x: Value, y: Value) -> Value {
    let elem = b.ty(x).elem;
    let int = elem.as_int();
    let sign = int.bit_mask() ^ (int.bit_mask() >> 1);
    let x_bits = b.bitcast(int, x);
    let zero = constant(b, elem, 0.0);
    let (is_zero, same) = (b.fcmp(FloatCc::Oeq, x, zero), b.fcmp(FloatCc::Oeq, x, y));
    let unordered = b.fcmp(FloatCc::Uno, x, y);
    let up = b.fcmp(FloatCc::Olt, x, y);
    let negative = b.icmp_imm(IntCc::Slt, x_bits, 0);
    // Away from zero is up for positive numbers and down for negative ones.
    let toward_zero = b.icmp(IntCc::Eq, up, negative);
    let (plus, minus) = (b.binary_imm(BinaryOp::Add, x_bits, 1), b.binary_imm(BinaryOp::Sub, x_bits, 1));
    let bits = b.select(toward_zero, minus, plus);
    let ty = b.ty(x_bits);
    let (least, least_negative) = (b.constant(ty, 1), b.constant(ty, sign | 1));
    let from_zero = b.select(up, least, least_negative);
    let bits = b.select(is_zero, from_zero, bits);
    let value = b.bitcast(elem, bits);
    let value = b.select(same, y, value);
    let nan = b.fadd(x, y);
    b.select(unordered, nan, value)
}
