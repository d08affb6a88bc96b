//! Fractions, exponents and products with powers of two by the bits of floats, for machines that have no instructions for them.

use super::expression::{Expr, write};
use super::floats::parts::{bias, fraction_bits, ones};
use ir::*;
use smallvec::smallvec;

/// Writes [`BinaryOp::Scale`], [`BinaryOp::Fraction`] or [`BinaryOp::Exponent`] of floats or doubles. The product is right for exponents up to twice
/// the largest one of the format, and numbers of which the product with half that power of two is a normal one; fractions and exponents are right for
/// positive finite numbers, and *some* numbers for others. None for other operations, and where the limit is no constant.
pub fn by_bits(b: &mut Builder, op: BinaryOp, args: [Value; 2]) -> Option<Value> {
    if !matches!(b.ty(args[0]).elem, Elem::F32 | Elem::F64) {
        return None;
    }
    let part: for<'a> fn(Parts<'a>) -> Expr<'a> = match op {
        BinaryOp::Scale => return Some(write(b, &args, |args| smallvec![scale(args[0], args[1])])[0]),
        BinaryOp::Fraction => |parts| parts.fraction(),
        BinaryOp::Exponent => |parts| parts.exponent(),
        _ => return None,
    };
    let limit = b.func.constant(args[1])?;
    Some(write(b, &args[..1], |args| smallvec![part(Parts::of(args[0], limit))])[0])
}

/// Writes what is left of these operations where the machine has instructions for them, which give fractions below 2. None where an instruction is it.
pub fn by_instructions(b: &mut Builder, op: BinaryOp, args: [Value; 2]) -> Option<Value> {
    let elem = b.ty(args[0]).elem;
    if !matches!(op, BinaryOp::Fraction | BinaryOp::Exponent) || !matches!(elem, Elem::F32 | Elem::F64) {
        return None;
    }
    let limit = eval::to_f64(elem, b.func.constant(args[1])?);
    if limit == 2.0 {
        return None;
    }
    let written = write(b, &args[..1], |args| {
        let x = args[0];
        let fraction = x.fraction(2.0);
        let above = fraction.ge(limit);
        smallvec![match op {
            BinaryOp::Fraction => above.select(fraction * 0.5, fraction),
            _ => {
                let exponent = x.exponent(2.0);
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
        let subnormal = x.lt(x.by_format(f64::from(f32::MIN_POSITIVE), f64::MIN_POSITIVE));
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
