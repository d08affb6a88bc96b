//! Arithmetic on constants: what OpSpecConstantOp computes (SPIR-V specification, section 3.52.4), one component at a time.

use rspirv::spirv::Op;

/// The scalar type of an operand or result, as far as arithmetic cares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// OpTypeBool
    Bool,
    /// OpTypeInt of this width.
    Int(u32),
    /// OpTypeFloat of this width, IEEE 754.
    Float(u32),
}

/// The low `width` bits of a word, the rest zero.
pub fn mask(bits: u64, width: u32) -> u64 {
    if width >= 64 { bits } else { bits & ((1 << width) - 1) }
}

/// The low `width` bits, sign-extended.
pub fn signed(bits: u64, width: u32) -> i64 {
    let shift = 64u32.saturating_sub(width);
    (bits << shift) as i64 >> shift
}

/// What folding an operation gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Folded {
    /// A value: the bits of a number, or 0 and 1 for a Boolean.
    Bits(u64),
    /// The specification leaves it undefined (division by zero).
    Undefined,
}

/// Computes one component of `op`. `operand` is the scalar type of the operands (of the first, where they differ), `result` that of the result.
///
/// `None` if it is no operation on scalars.
pub fn fold(op: Op, result: Scalar, operand: Scalar, arguments: &[u64]) -> Option<Folded> {
    let a = *arguments.first()?;
    let b = arguments.get(1).copied();
    match (op, operand) {
        (Op::Select, _) => Some(Folded::Bits(if a != 0 { b? } else { *arguments.get(2)? })),
        (_, Scalar::Float(width)) => float(op, result, width, a, b),
        (_, Scalar::Int(width)) => integer(op, result, width, a, b),
        (_, Scalar::Bool) => boolean(op, a != 0, b),
    }
}

fn boolean(op: Op, a: bool, b: Option<u64>) -> Option<Folded> {
    let value = match op {
        Op::LogicalNot => !a,
        Op::LogicalAnd => a & (b? != 0),
        Op::LogicalOr => a | (b? != 0),
        Op::LogicalEqual => a == (b? != 0),
        Op::LogicalNotEqual => a != (b? != 0),
        _ => return None,
    };
    Some(Folded::Bits(u64::from(value)))
}

fn integer(op: Op, result: Scalar, width: u32, a: u64, b: Option<u64>) -> Option<Folded> {
    let (sa, sb) = (signed(a, width), b.map(|b| signed(b, width)));
    let bool = |value: bool| Some(Folded::Bits(u64::from(value)));
    let int = |value: u64| match result {
        Scalar::Int(width) | Scalar::Float(width) => Some(Folded::Bits(mask(value, width))),
        Scalar::Bool => None,
    };
    let divide = |value: Option<u64>| match value {
        Some(value) => int(value),
        None => Some(Folded::Undefined),
    };
    match op {
        Op::UConvert | Op::Bitcast => int(mask(a, width)),
        Op::SConvert => int(sa as u64),
        Op::SNegate => int(sa.wrapping_neg() as u64),
        Op::Not => int(!a),
        Op::IAdd => int(a.wrapping_add(b?)),
        Op::ISub => int(a.wrapping_sub(b?)),
        Op::IMul => int(a.wrapping_mul(b?)),
        Op::UDiv => divide(a.checked_div(b?)),
        Op::UMod => divide(a.checked_rem(b?)),
        Op::SDiv => divide(if sb? == 0 { None } else { Some(sa.wrapping_div(sb?) as u64) }),
        Op::SRem => divide(if sb? == 0 { None } else { Some(sa.wrapping_rem(sb?) as u64) }),
        Op::SMod => divide(if sb? == 0 {
            None
        } else {
            let (rest, by) = (sa.wrapping_rem(sb?), sb?);
            Some(if rest != 0 && (rest < 0) != (by < 0) {
                rest.wrapping_add(by)
            } else {
                rest
            } as u64)
        }),
        Op::ShiftLeftLogical => shift(b?, width, || a << b.unwrap_or(0), int),
        Op::ShiftRightLogical => shift(b?, width, || a >> b.unwrap_or(0), int),
        Op::ShiftRightArithmetic => shift(b?, width, || (sa >> b.unwrap_or(0)) as u64, int),
        Op::BitwiseOr => int(a | b?),
        Op::BitwiseAnd => int(a & b?),
        Op::BitwiseXor => int(a ^ b?),
        Op::IEqual => bool(a == b?),
        Op::INotEqual => bool(a != b?),
        Op::ULessThan => bool(a < b?),
        Op::ULessThanEqual => bool(a <= b?),
        Op::UGreaterThan => bool(a > b?),
        Op::UGreaterThanEqual => bool(a >= b?),
        Op::SLessThan => bool(sa < sb?),
        Op::SLessThanEqual => bool(sa <= sb?),
        Op::SGreaterThan => bool(sa > sb?),
        Op::SGreaterThanEqual => bool(sa >= sb?),
        Op::ConvertUToF | Op::ConvertSToF => {
            let Scalar::Float(to) = result else { return None };
            Some(Folded::Bits(match (to, op == Op::ConvertSToF) {
                (64, false) => (a as f64).to_bits(),
                (64, true) => (sa as f64).to_bits(),
                (32, false) => u64::from((a as f32).to_bits()),
                (32, true) => u64::from((sa as f32).to_bits()),
                // 64-bit integers beyond f32's precision are beyond half's range, too: rounding twice to nearest can't be seen, except
                // through a tie, which rounding to odd on the way keeps.
                (16, false) => u64::from(half_from_f64(to_odd(u128::from(a), false))),
                (16, true) => u64::from(half_from_f64(to_odd(u128::from(sa.unsigned_abs()), sa < 0))),
                _ => return None,
            }))
        }
        _ => None,
    }
}

/// An integer as a double, rounded to odd where it does not fit.
fn to_odd(magnitude: u128, negative: bool) -> f64 {
    let excess = (128 - magnitude.leading_zeros()).saturating_sub(53);
    let kept = magnitude >> excess;
    let sticky = u128::from(kept << excess != magnitude);
    let value = ((kept | sticky) as f64) * 2f64.powi(excess as i32);
    if negative { -value } else { value }
}

fn shift(by: u64, width: u32, value: impl Fn() -> u64, int: impl Fn(u64) -> Option<Folded>) -> Option<Folded> {
    if by >= u64::from(width) {
        Some(Folded::Undefined)
    } else {
        int(value())
    }
}

fn float(op: Op, result: Scalar, width: u32, a: u64, b: Option<u64>) -> Option<Folded> {
    // f32 has more than twice half's digits and two, so that +, -, *, / in f32 and a rounding to half round as if only once.
    let x = to_f64(a, width)?;
    let y = match b {
        Some(b) => to_f64(b, width)?,
        None => 0.0,
    };
    let number = |exact: f64, single: f32| {
        Some(Folded::Bits(match width {
            64 => exact.to_bits(),
            32 => u64::from(single.to_bits()),
            _ => u64::from(half_from_f64(f64::from(single))),
        }))
    };
    let (x32, y32) = (x as f32, y as f32);
    let bool = |value: bool| Some(Folded::Bits(u64::from(value)));
    let unordered = x.is_nan() || y.is_nan();
    match op {
        Op::FNegate => Some(Folded::Bits(a ^ 1 << (width - 1))),
        Op::FAdd => number(x + y, x32 + y32),
        Op::FSub => number(x - y, x32 - y32),
        Op::FMul => number(x * y, x32 * y32),
        Op::FDiv => number(x / y, x32 / y32),
        Op::FRem => number(x % y, x32 % y32),
        Op::FMod => {
            let rest = x % y;
            let value = if rest != 0.0 && (rest < 0.0) != (y < 0.0) { rest + y } else { rest };
            number(value, value as f32)
        }
        Op::Bitcast => Some(Folded::Bits(a)),
        Op::FConvert => match result {
            Scalar::Float(to) => Some(Folded::Bits(from_f64(x, to)?)),
            _ => None,
        },
        Op::ConvertFToU | Op::ConvertFToS => match result {
            Scalar::Int(to) if op == Op::ConvertFToU => Some(to_integer(x, 0.0, 2f64.powi(to as i32), |x| x as u64)),
            Scalar::Int(to) => {
                let limit = 2f64.powi(to as i32 - 1);
                Some(match to_integer(x, -limit, limit, |x| x as i64 as u64) {
                    Folded::Bits(bits) => Folded::Bits(mask(bits, to)),
                    undefined => undefined,
                })
            }
            _ => None,
        },
        Op::FOrdEqual => bool(x == y),
        Op::FOrdNotEqual => bool(!unordered && x != y),
        Op::FOrdLessThan => bool(x < y),
        Op::FOrdLessThanEqual => bool(x <= y),
        Op::FOrdGreaterThan => bool(x > y),
        Op::FOrdGreaterThanEqual => bool(x >= y),
        Op::FUnordEqual => bool(unordered || x == y),
        Op::FUnordNotEqual => bool(unordered || x != y),
        Op::FUnordLessThan => bool(unordered || x < y),
        Op::FUnordLessThanEqual => bool(unordered || x <= y),
        Op::FUnordGreaterThan => bool(unordered || x > y),
        Op::FUnordGreaterThanEqual => bool(unordered || x >= y),
        _ => None,
    }
}

fn to_integer(x: f64, least: f64, limit: f64, convert: impl Fn(f64) -> u64) -> Folded {
    let whole = x.trunc();
    if whole >= least && whole < limit {
        Folded::Bits(convert(whole))
    } else {
        Folded::Undefined
    }
}

/// The number that `width` bits stand for.
pub fn to_f64(bits: u64, width: u32) -> Option<f64> {
    match width {
        16 => Some(half_to_f64(bits as u16)),
        32 => Some(f64::from(f32::from_bits(bits as u32))),
        64 => Some(f64::from_bits(bits)),
        _ => None,
    }
}

/// The bits of the number nearest to `value`, ties to even.
pub fn from_f64(value: f64, width: u32) -> Option<u64> {
    match width {
        16 => Some(u64::from(half_from_f64(value))),
        32 => Some(u64::from((value as f32).to_bits())),
        64 => Some(value.to_bits()),
        _ => None,
    }
}

fn half_to_f64(bits: u16) -> f64 {
    let sign = if bits >> 15 != 0 { -1.0 } else { 1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1f), f64::from(bits & 0x3ff));
    sign * match exponent {
        0 => fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (fraction + 1024.0) * 2f64.powi(exponent - 25),
    }
}

fn half_from_f64(value: f64) -> u16 {
    let sign = ((value.to_bits() >> 48) & 0x8000) as u16;
    let magnitude = value.abs();
    if magnitude.is_nan() {
        return sign | 0x7e00;
    }
    // 65520 is halfway between the largest half and what would be the next.
    if magnitude >= 65520.0 {
        return sign | 0x7c00;
    }
    // The distance of halves around here; `magnitude / step` is exact, and so a rounding to a whole number is the only one.
    let exponent = ((magnitude.to_bits() >> 52) as i32 - 1023).max(-14);
    let steps = (magnitude / 2f64.powi(exponent - 10)).round_ties_even() as u16;
    // For normal numbers, steps are 1024 to 2048; a carry into the exponent comes out right.
    sign | ((((exponent + 14) as u16) << 10) + steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_round_to_nearest_even() {
        for (value, bits) in [
            (0.0, 0),
            (-0.0, 0x8000),
            (1.0, 0x3c00),
            (65504.0, 0x7bff),
            (65519.9, 0x7bff),
            (65520.0, 0x7c00),
            (2f64.powi(-24), 1),
            (2f64.powi(-25), 0),
            (2f64.powi(-25) * 1.5, 1),
            (2f64.powi(-14), 0x400),
            (1.0 + 2f64.powi(-11), 0x3c00),
            (1.0 + 3.0 * 2f64.powi(-11), 0x3c02),
            (2047.5 / 1024.0, 0x4000),
        ] {
            assert_eq!(half_from_f64(value), bits, "{value}");
        }
        for bits in 0..0x7c00u16 {
            assert_eq!(half_from_f64(half_to_f64(bits)), bits);
        }
    }

    #[test]
    fn integers_wrap_and_divide() {
        let fold32 = |op, a, b| fold(op, Scalar::Int(32), Scalar::Int(32), &[a, b]);
        assert_eq!(fold32(Op::IAdd, 0xffff_ffff, 1), Some(Folded::Bits(0)));
        assert_eq!(fold32(Op::SDiv, 0x8000_0000, 0xffff_ffff), Some(Folded::Bits(0x8000_0000)));
        assert_eq!(fold32(Op::SMod, mask(-7i64 as u64, 32), 3), Some(Folded::Bits(2)));
        assert_eq!(fold32(Op::UDiv, 1, 0), Some(Folded::Undefined));
        assert_eq!(fold32(Op::ShiftLeftLogical, 1, 32), Some(Folded::Undefined));
        assert_eq!(
            fold(Op::SConvert, Scalar::Int(64), Scalar::Int(8), &[0x80]),
            Some(Folded::Bits(-128i64 as u64))
        );
        assert_eq!(
            fold(Op::ConvertUToF, Scalar::Float(32), Scalar::Int(64), &[u64::MAX]),
            Some(Folded::Bits(0x5f80_0000))
        );
    }

    #[test]
    fn floats_compare_and_convert() {
        let one = u64::from(1f32.to_bits());
        let nan = u64::from(f32::NAN.to_bits());
        let compare = |op, a, b| fold(op, Scalar::Bool, Scalar::Float(32), &[a, b]);
        assert_eq!(compare(Op::FOrdNotEqual, one, nan), Some(Folded::Bits(0)));
        assert_eq!(compare(Op::FUnordNotEqual, one, nan), Some(Folded::Bits(1)));
        let minus = u64::from((-1.5f32).to_bits());
        assert_eq!(
            fold(Op::ConvertFToS, Scalar::Int(8), Scalar::Float(32), &[minus]),
            Some(Folded::Bits(0xff))
        );
        assert_eq!(
            fold(Op::ConvertFToU, Scalar::Int(8), Scalar::Float(32), &[minus]),
            Some(Folded::Undefined)
        );
    }
}
