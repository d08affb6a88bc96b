//! Fractions, exponents and products with powers of two by the bits of floats, for machines that have no instructions for them.

#[cfg(test)]
mod tests;

use super::expression::{Expr, write};
use super::floats::parts::{bias, fraction_bits, ones};
use super::math::{narrow, widen};
use ir::*;
use smallvec::smallvec;

/// Writes [`BinaryOp::Scale`], [`BinaryOp::Fraction`] or [`BinaryOp::Exponent`] of floats or doubles. Products with powers that come from integers are right.
/// Others are for exponents up to twice the largest one of the format, and numbers of which the product with half that power of two is a normal one.
/// None for other operations, and where the limit is no constant.
pub fn by_bits(b: &mut Builder, op: BinaryOp, args: [Value; 2], flags: Flags) -> Option<Value> {
    if !matches!(b.ty(args[0]).elem, Elem::F32 | Elem::F64) {
        return None;
    }
    if op == BinaryOp::Scale {
        return Some(match integer_power(b, args[1]) {
            Some(power) => times_any_power(b, args[0], power),
            None => write(b, &args, |args| smallvec![scale(args[0], args[1])])[0],
        });
    }
    if !matches!(op, BinaryOp::Fraction | BinaryOp::Exponent) {
        return None;
    }
    let limit = b.func.constant(args[1])?;
    let are_special = !flags.contains(Flags::NINF);
    let written = write(b, &args[..1], |args| {
        let x = args[0];
        let least = least_normal(x);
        let (parts, zeros) = match flags.contains(Flags::AFN) {
            // What is subnormal counts as 0.
            true => (Parts::of_normal(x, limit), x.lt(least)),
            false => (Parts::of(x, limit), x.equals(0.0)),
        };
        smallvec![match op {
            BinaryOp::Fraction if are_special => x.lt(0.0).number_or(f64::NAN, parts.fraction()),
            BinaryOp::Fraction => parts.fraction(),
            _ if are_special => {
                let exponent = x.lt(f64::INFINITY).select(parts.exponent(), x);
                zeros.number_or(f64::NEG_INFINITY, exponent)
            }
            _ => parts.exponent(),
        }]
    });
    Some(written[0])
}

/// The least number that is not subnormal.
fn least_normal(x: Expr) -> f64 {
    x.by_format(f32::MIN_POSITIVE.into(), f64::MIN_POSITIVE)
}

/// Writes what is left of these operations where the machine has instructions for them, which give fractions below 2. None where an instruction is it.
pub fn by_instructions(b: &mut Builder, op: BinaryOp, args: [Value; 2], flags: Flags) -> Option<Value> {
    let elem = b.ty(args[0]).elem;
    if !matches!(op, BinaryOp::Fraction | BinaryOp::Exponent) || !matches!(elem, Elem::F32 | Elem::F64) {
        return None;
    }
    let limit = eval::to_f64(elem, b.func.constant(args[1])?);
    // The machine has fractions from 1/2 to 1 and from 3/4 to 3/2, too, but no exponents for them.
    if limit == 2.0 || (limit == 1.0 || limit == 1.5) && op == BinaryOp::Fraction {
        return None;
    }
    let written = write(b, &args[..1], |args| {
        let x = args[0];
        if limit == 1.0 {
            return smallvec![x.exponent(2.0, flags) + 1.0];
        }
        if limit == 1.5 {
            // What is below 1 belongs to the next power.
            let exponent = x.exponent(2.0, flags);
            return smallvec![x.fraction(limit, flags).lt(1.0).select(exponent + 1.0, exponent)];
        }
        let fraction = x.fraction(2.0, flags);
        let above = fraction.ge(limit);
        smallvec![match op {
            BinaryOp::Fraction => above.select(fraction * 0.5, fraction),
            _ => {
                let exponent = x.exponent(2.0, flags);
                above.select(exponent + 1.0, exponent)
            }
        }]
    });
    Some(written[0])
}

/// In two steps, for the power of two alone may be out of range; only the second one rounds.
fn scale<'a>(value: Expr<'a>, whole: Expr<'a>) -> Expr<'a> {
    let (ones, bias) = (ones(whole), bias(whole) as f64);
    // The exponents as they are stored; what is above them goes with the shift.
    let half = whole.fma(0.5, whole.number(ones + bias)).bits();
    let rest = (whole + (ones + 2.0 * bias)).bits() - half;
    let [half, rest] = [half, rest].map(|exponent| (exponent << fraction_bits(whole)).float());
    value * half * rest
}

/// The integer that an exponent is, where it comes from one: it may be any.
fn integer_power(b: &mut Builder, exponent: Value) -> Option<Value> {
    let ty = b.ty(exponent);
    if let Some(bits) = b.func.constant(exponent) {
        let whole = eval::to_f64(ty.elem, bits).floor() as i32;
        return Some(b.constant(Type { elem: Elem::I32, ..ty }, u64::from(whole as u32)));
    }
    match b.func.def_data(exponent) {
        Some(&InstData::Convert {
            op: ConvertOp::SToF, arg, ..
        }) if b.ty(arg).elem == Elem::I32 => Some(arg),
        _ => None,
    }
}

/// x * 2^n for any n.
fn times_any_power(b: &mut Builder, x: Value, n: Value) -> Value {
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
    let constant = |b: &mut Builder, exponent: i64| b.constant(b.ty(x), ((exponent + 1023) as u64) << 52);
    let (up, down) = (constant(b, 1023), constant(b, -969));
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

/// 2^n as a double, for n from -1022 to 1023.
fn power_of_two(b: &mut Builder, n: Value) -> Value {
    let n = b.convert(ConvertOp::SExt, Elem::I64, n);
    let biased = b.binary_imm(BinaryOp::Add, n, 1023);
    let bits = b.binary_imm(BinaryOp::Shl, biased, 52);
    b.bitcast(Elem::F64, bits)
}

/// A number on the way to its fraction and its exponent.
pub struct Parts<'a> {
    /// The bits of the number, brought up where it was subnormal.
    bits: Expr<'a>,
    /// By how many powers of two it was brought up, or that none are.
    lift: Option<Expr<'a>>,
    /// The bits of the least fraction.
    least: u64,
}

impl<'a> Parts<'a> {
    /// Of a number, and the bits of the limit of its fraction.
    fn of(x: Expr<'a>, limit: u64) -> Parts<'a> {
        let subnormal = x.lt(least_normal(x));
        let lift = fraction_bits(x) as f64;
        let lifted = subnormal.select(x * lift.exp2(), x);
        Parts {
            lift: Some(subnormal.number_or(lift, x.number(0.0))),
            ..Parts::of_normal(lifted, limit)
        }
    }

    /// Of a number that is no subnormal one, and the bits of the limit of its fraction. Instructions are no better for these: all takes six operations
    /// either way.
    pub fn of_normal(x: Expr<'a>, limit: u64) -> Parts<'a> {
        Parts {
            bits: x.bits(),
            lift: None,
            least: limit - (1 << fraction_bits(x)),
        }
    }

    /// The bits of the exponent above the least fraction, and what is below them.
    fn above(&self) -> Expr<'a> {
        self.bits.plus(-(self.least as i64))
    }

    /// The exponent, at its place among the bits.
    fn scaled(&self) -> Expr<'a> {
        self.above() & !((1 << fraction_bits(self.bits)) - 1)
    }

    /// The fraction.
    pub fn fraction(&self) -> Expr<'a> {
        (self.bits - self.scaled()).float()
    }

    /// 2^-exponent, where that is a normal number; for the two greatest exponents 0 and -infinity.
    pub fn inverse_power(&self) -> Expr<'a> {
        let one = bias(self.bits) << fraction_bits(self.bits);
        (self.bits.zero().plus(one) - self.scaled()).float()
    }

    /// The exponent, as a float.
    pub fn exponent(&self) -> Expr<'a> {
        let (fraction_bits, bias) = (fraction_bits(self.bits), bias(self.bits));
        let exponent = if self.bits.is_double() {
            // Machines without AVX-512 have no conversion: below the first bit of this number stands the integer.
            let ones = 4_503_599_627_370_496.0_f64;
            let stored = self.bits.plus((bias << fraction_bits) - self.least as i64) >> fraction_bits;
            (stored | ones.to_bits()).float() - (ones + bias as f64)
        } else {
            self.above().signed_shift(fraction_bits).int_to(Elem::F32)
        };
        match self.lift {
            Some(lift) => exponent - lift,
            None => exponent,
        }
    }
}
