//! Arithmetic on constants.

use crate::hir::{ArithmeticOp, CompareOp, Const};
use crate::types::Scalar;

/// An integer cut to a type's bits and extended to 64 as its sign says.
pub fn wrap(value: u64, scalar: Scalar) -> u64 {
    match scalar {
        Scalar::Bool => u64::from(value != 0),
        Scalar::Char => value as i8 as u64,
        Scalar::UChar => u64::from(value as u8),
        Scalar::Short => value as i16 as u64,
        Scalar::UShort => u64::from(value as u16),
        Scalar::Int => value as i32 as u64,
        Scalar::UInt => u64::from(value as u32),
        _ => value,
    }
}

/// A number rounded to what a floating-point type can hold.
pub fn round(value: f64, scalar: Scalar) -> f64 {
    match scalar {
        Scalar::Float => f64::from(value as f32),
        Scalar::Half => half(value),
        _ => value,
    }
}

/// A number rounded to the nearest `half`, ties to even.
fn half(value: f64) -> f64 {
    if !value.is_finite() || value == 0.0 {
        return value;
    }
    let exponent = ((value.to_bits() >> 52) & 0x7ff) as i32 - 1023;
    // The place value of the last bit: 10 bits of fraction, and none below 2^-24.
    let last = (exponent - 10).max(-24);
    let unit = 2f64.powi(last);
    let rounded = (value / unit).round_ties_even() * unit;
    match rounded.abs() > 65504.0 {
        true => f64::INFINITY.copysign(value),
        false => rounded,
    }
}

/// An operation on two integers of a type; `None` is a division that has no result.
pub fn integers(op: ArithmeticOp, scalar: Scalar, a: u64, b: u64) -> Option<u64> {
    let signed = scalar.is_signed();
    let amount = (b & u64::from(scalar.bits() - 1)) as u32;
    let value = match op {
        ArithmeticOp::Add => a.wrapping_add(b),
        ArithmeticOp::Subtract => a.wrapping_sub(b),
        ArithmeticOp::Multiply => a.wrapping_mul(b),
        ArithmeticOp::Divide if signed => (a as i64).checked_div(b as i64)? as u64,
        ArithmeticOp::Remainder if signed => (a as i64).checked_rem(b as i64)? as u64,
        ArithmeticOp::Divide => a.checked_div(b)?,
        ArithmeticOp::Remainder => a.checked_rem(b)?,
        ArithmeticOp::ShiftLeft => a << amount,
        ArithmeticOp::ShiftRight if signed => ((a as i64) >> amount) as u64,
        ArithmeticOp::ShiftRight => a >> amount,
        ArithmeticOp::And => a & b,
        ArithmeticOp::Or => a | b,
        ArithmeticOp::Xor => a ^ b,
    };
    Some(wrap(value, scalar))
}

/// An operation on two floating-point numbers of a type.
pub fn floats(op: ArithmeticOp, scalar: Scalar, a: f64, b: f64) -> Option<f64> {
    // The sum, product and so on of two floats, rounded to double first, round to float correctly.
    let value = match op {
        ArithmeticOp::Add => a + b,
        ArithmeticOp::Subtract => a - b,
        ArithmeticOp::Multiply => a * b,
        ArithmeticOp::Divide => a / b,
        _ => return None,
    };
    Some(round(value, scalar))
}

/// A comparison of two values that are ordered, or not.
fn ordered<T: PartialOrd>(op: CompareOp, a: T, b: T) -> bool {
    match op {
        CompareOp::Equal => a == b,
        CompareOp::NotEqual => a != b,
        CompareOp::Less => a < b,
        CompareOp::LessEqual => a <= b,
        CompareOp::Greater => a > b,
        CompareOp::GreaterEqual => a >= b,
    }
}

/// A comparison of two constants of a scalar type.
pub fn compare(op: CompareOp, scalar: Scalar, a: &Const, b: &Const) -> Option<bool> {
    if scalar.is_float() {
        return Some(ordered(op, float(a)?, float(b)?));
    }
    let (a, b) = (integer(a)?, integer(b)?);
    Some(match scalar.is_signed() {
        true => ordered(op, a as i64, b as i64),
        false => ordered(op, a, b),
    })
}

/// An operation on two constants of a scalar type.
pub fn arithmetic(op: ArithmeticOp, scalar: Scalar, a: &Const, b: &Const) -> Option<Const> {
    match scalar.is_float() {
        true => floats(op, scalar, float(a)?, float(b)?).map(Const::Float),
        false => integers(op, scalar, integer(a)?, integer(b)?).map(Const::Int),
    }
}

/// The integer that a constant of an integer type is.
pub fn integer(value: &Const) -> Option<u64> {
    match value {
        Const::Zero => Some(0),
        &Const::Int(value) => Some(value),
        _ => None,
    }
}

/// The number that a constant of a floating-point type is.
pub fn float(value: &Const) -> Option<f64> {
    match value {
        Const::Zero => Some(0.0),
        &Const::Float(value) => Some(value),
        _ => None,
    }
}

/// A scalar constant converted to another scalar type.
pub fn convert(value: &Const, from: Scalar, to: Scalar) -> Option<Const> {
    Some(match (from.is_float(), to.is_float()) {
        (false, false) => Const::Int(wrap(integer(value)?, to)),
        (false, true) if from.is_signed() => {
            let value = integer(value)? as i64;
            Const::Float(match to {
                Scalar::Float => f64::from(value as f32),
                _ => round(value as f64, to),
            })
        }
        (false, true) => {
            let value = integer(value)?;
            Const::Float(match to {
                Scalar::Float => f64::from(value as f32),
                _ => round(value as f64, to),
            })
        }
        (true, true) => Const::Float(round(float(value)?, to)),
        (true, false) => {
            let value = float(value)?;
            if to == Scalar::Bool {
                return Some(Const::Int(u64::from(value != 0.0)));
            }
            if !value.is_finite() || value.abs() >= 18446744073709551616.0 {
                return None;
            }
            Const::Int(wrap(value.trunc() as i128 as u64, to))
        }
    })
}

/// Applies an operation to the lanes of vector constants, or to scalar constants.
pub fn lanes(values: &[&Const], count: usize, mut apply: impl FnMut(&[&Const]) -> Option<Const>) -> Option<Const> {
    if count == 1 {
        return apply(values);
    }
    let mut out = Vec::with_capacity(count);
    for lane in 0..count {
        let mut parts = Vec::with_capacity(values.len());
        for value in values {
            parts.push(match value {
                Const::Zero => &Const::Zero,
                Const::Vector(lanes) => lanes.get(lane)?,
                _ => return None,
            });
        }
        out.push(apply(&parts)?);
    }
    Some(Const::Vector(out))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_wrap_at_their_width() {
        assert_eq!(integers(ArithmeticOp::Add, Scalar::UChar, 200, 100), Some(44));
        assert_eq!(integers(ArithmeticOp::ShiftLeft, Scalar::Int, 1, 33), Some(2));
        assert_eq!(integers(ArithmeticOp::ShiftRight, Scalar::Int, -8i64 as u64, 1), Some(-4i64 as u64));
        assert_eq!(integers(ArithmeticOp::Divide, Scalar::Int, 1, 0), None);
        assert_eq!(integers(ArithmeticOp::Divide, Scalar::Long, i64::MIN as u64, u64::MAX), None);
    }

    #[test]
    fn halves_round_to_even() {
        assert_eq!(half(2049.0), 2048.0);
        assert_eq!(half(2051.0), 2052.0);
        assert_eq!(half(65519.9), 65504.0);
        assert_eq!(half(65520.0), f64::INFINITY);
        assert_eq!(half(2f64.powi(-25)), 0.0);
        assert_eq!(half(-(2f64.powi(-24))), -(2f64.powi(-24)));
    }

    #[test]
    fn numbers_convert_as_c_says() {
        assert_eq!(
            convert(&Const::Float(-1.9), Scalar::Float, Scalar::Int),
            Some(Const::Int(-1i64 as u64))
        );
        assert_eq!(convert(&Const::Float(f64::NAN), Scalar::Float, Scalar::Int), None);
        assert_eq!(
            convert(&Const::Int(u64::MAX), Scalar::ULong, Scalar::Float),
            Some(Const::Float(18446744073709551616.0))
        );
        assert_eq!(convert(&Const::Int(256), Scalar::Int, Scalar::Bool), Some(Const::Int(1)));
    }
}
