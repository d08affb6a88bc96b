//! Functions that take numbers apart and put them together: bits, exponents, fractions (OpenCL C §6.15.2).

use super::StdOp;
use super::common::constant;
use super::expression::{Expr, write};
use super::floats::parts::{ALL, NORMAL, POSITIVE, bias, fraction_bits, is_unusual};
use super::floats::{as_single, as_was};
use ir::*;
use smallvec::smallvec;

/// Writes such a function with one result; none if it is not one of these.
pub fn lower(b: &mut Builder, op: StdOp, args: &[Value]) -> Option<Value> {
    let x = args[0];
    match op {
        StdOp::ldexp => Some(ldexp(b, x, *args.get(1)?)),
        StdOp::ilogb | StdOp::logb => {
            let (elem, single) = (b.ty(x).elem, as_single(b, x));
            let exponent = write(b, &[single], |args| {
                let (size, half) = (args[0].abs(), elem == Elem::F16);
                smallvec![match op {
                    StdOp::ilogb => ilogb(size, half),
                    _ => logb(size, half),
                }]
            })[0];
            Some(as_was(b, elem, exponent))
        }
        StdOp::nextafter => Some(nextafter(b, x, *args.get(1)?)),
        _ => None,
    }
}

/// The exponent of a magnitude, which may be that of a half: such are no subnormal floats.
fn logb<'a>(size: Expr<'a>, half: bool) -> Expr<'a> {
    let exponent = |numbers| [size.exponent(2.0, numbers)];
    let [exponent] = match half {
        true => exponent(NORMAL),
        false => is_unusual(size).slowly(|| exponent(ALL), exponent(POSITIVE | NORMAL)),
    };
    exponent
}

/// The same as an integer, of normal numbers as it is stored.
fn ilogb<'a>(size: Expr<'a>, half: bool) -> Expr<'a> {
    let stored = (size.bits() >> fraction_bits(size)).low_word().plus(-bias(size));
    let special = |exponent: Expr<'a>| {
        let exponent = size.lt(f64::INFINITY).select(exponent, size.word(i32::MAX));
        [size.equals(0.0).select(size.word(i32::MIN), exponent)]
    };
    let [exponent] = match half {
        true => special(stored),
        false => is_unusual(size).slowly(|| special(size.exponent(2.0, POSITIVE).small_int()), [stored]),
    };
    exponent
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
            let exponent = part_of_magnitude(b, BinaryOp::Exponent, x, 1.0, POSITIVE);
            let fraction = part_of_magnitude(b, BinaryOp::Fraction, x, 1.0, POSITIVE);
            let exponent = b.convert(ConvertOp::FToS, Elem::I32, exponent);
            let fraction = as_was(b, elem, fraction);
            let fraction = b.binary(BinaryOp::CopySign, fraction, x);
            let (zero, special) = zero_and_special(b, x);
            let whole = b.or(zero, special);
            let none = b.i32(0);
            Some([b.select(whole, x, fraction), b.select(whole, none, exponent)])
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

/// The fraction or the exponent of a magnitude, as a float, or as a double where the number is one.
fn part_of_magnitude(b: &mut Builder, op: BinaryOp, x: Value, limit: f64, numbers: Flags) -> Value {
    let x = as_single(b, x);
    let size = b.unary(UnaryOp::FAbs, x);
    let limit = constant(b, b.ty(x).elem, limit);
    let before = std::mem::replace(&mut b.flags, numbers);
    let part = b.binary(op, size, limit);
    b.flags = before;
    part
}

/// x * 2^n, rounded once.
fn ldexp(b: &mut Builder, x: Value, n: Value) -> Value {
    // Floats hold products of halfs exactly, but for those that are too small or too large for either.
    let (elem, wide) = (b.ty(x).elem, as_single(b, x));
    let power = b.convert(ConvertOp::SToF, b.ty(wide).elem, n);
    let product = b.binary(BinaryOp::Scale, wide, power);
    as_was(b, elem, product)
}

/// The next number from x toward y: one up or down in the order of the bits.
fn nextafter(b: &mut Builder, x: Value, y: Value) -> Value {
    let elem = b.ty(x).elem;
    let int = elem.as_int();
    let sign = int.bit_mask() ^ (int.bit_mask() >> 1);
    let (x_bits, y_bits) = (b.bitcast(int, x), b.bitcast(int, y));
    let zero = constant(b, elem, 0.0);
    // From zero it goes away on the side of y, so that it is the zero of that side.
    let is_zero = b.fcmp(FloatCc::Oeq, x, zero);
    let signed_zero = b.binary_imm(BinaryOp::And, y_bits, sign as i64);
    let bits = b.select(is_zero, signed_zero, x_bits);
    // Up is away from zero for positive numbers, and toward it for negative ones: one more, or one less.
    let up = b.fcmp(FloatCc::Olt, x, y);
    let negative = b.binary_imm(BinaryOp::AShr, bits, i64::from(elem.bits()) - 1);
    let step = b.binary_imm(BinaryOp::Or, negative, 1);
    let (next, last) = (b.add(bits, step), b.sub(bits, step));
    let bits = b.select(up, next, last);
    let value = b.bitcast(elem, bits);
    let same = b.fcmp(FloatCc::Oeq, x, y);
    let value = b.select(same, y, value);
    let unordered = b.fcmp(FloatCc::Uno, x, y);
    let nan = b.fadd(x, y);
    b.select(unordered, nan, value)
}
