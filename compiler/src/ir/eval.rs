//! What each operation computes, one lane at a time, on the bits of its operands.
//!
//! This is the meaning of the operations: the interpreter and the constant folder use it as it is, the back ends are tested against it,
//! and call it for what the machine has no short form for. Bits above an element's width are 0 in operands and results; a mask is 0 or 1.
//!
//! Where the IR leaves a result open, this is what it is here: a division by zero or one that overflows divides by 1; a conversion out
//! of range saturates. NaNs have *some* payload; nothing may depend on which.

use super::op::*;
use super::types::Elem;

/// Sign-extends the bits of an integer.
pub const fn signed(elem: Elem, bits: u64) -> i64 {
    let unused = 64 - elem.bits();
    ((bits << unused) as i64) >> unused
}

/// An operation with one operand.
pub fn unary(op: UnaryOp, elem: Elem, a: u64) -> u64 {
    use UnaryOp::*;
    let sign = sign_bit(elem);
    let rounded = |round: fn(f64) -> f64| from_f64(elem, round(to_f64(elem, a)));
    let unused = u64::from(64 - elem.bits());
    let bits = match op {
        Neg => a.wrapping_neg(),
        Not => !a,
        Abs => signed(elem, a).unsigned_abs(),
        Clz => u64::from(a.leading_zeros()) - unused,
        Ctz => u64::from(a.trailing_zeros().min(elem.bits())),
        Popcnt => u64::from(a.count_ones()),
        BitReverse => a.reverse_bits() >> unused,
        ByteSwap => a.swap_bytes() >> unused,
        FNeg => a ^ sign,
        FAbs => a & !sign,
        Sqrt if elem == Elem::F64 => f64::from_bits(a).sqrt().to_bits(),
        Sqrt => from_f32(elem, to_f32(elem, a).sqrt()),
        Ceil => rounded(f64::ceil),
        Floor => rounded(f64::floor),
        FTrunc => rounded(f64::trunc),
        Nearest => rounded(f64::round_ties_even),
    };
    bits & elem.bit_mask()
}

/// What an atomic read-modify-write leaves in memory.
pub fn atomic(op: AtomicOp, elem: Elem, old: u64, operand: u64) -> u64 {
    op.binary().map_or(operand, |op| binary(op, elem, old, operand))
}

/// An operation with two operands.
pub fn binary(op: BinaryOp, elem: Elem, a: u64, b: u64) -> u64 {
    use BinaryOp::*;
    if op.is_float() {
        return float_binary(op, elem, a, b);
    }
    let ones = elem.bit_mask();
    let (sa, sb) = (signed(elem, a), signed(elem, b));
    let (smin, smax) = (-((ones >> 1) as i64) - 1, (ones >> 1) as i64);
    let width = elem.bits();
    let amount = (b as u32) & (width - 1);
    let overflows = b == 0 || (sa == smin && sb == -1);
    let bits = match op {
        Add => a.wrapping_add(b),
        Sub => a.wrapping_sub(b),
        Mul => a.wrapping_mul(b),
        UDiv => a.checked_div(b).unwrap_or(a),
        URem => a.checked_rem(b).unwrap_or(0),
        SDiv if overflows => a,
        SDiv => (sa / sb) as u64,
        SRem if overflows => 0,
        SRem => (sa % sb) as u64,
        And => a & b,
        Or => a | b,
        Xor => a ^ b,
        Shl => a << amount,
        LShr => a >> amount,
        AShr => (sa >> amount) as u64,
        RotL if amount == 0 => a,
        RotL => (a << amount) | (a >> (width - amount)),
        RotR if amount == 0 => a,
        RotR => (a >> amount) | (a << (width - amount)),
        UMulHi => ((u128::from(a) * u128::from(b)) >> width) as u64,
        SMulHi => ((i128::from(sa) * i128::from(sb)) >> width) as u64,
        UMin => a.min(b),
        UMax => a.max(b),
        SMin => sa.min(sb) as u64,
        SMax => sa.max(sb) as u64,
        UAddSat => a.saturating_add(b).min(ones),
        USubSat => a.saturating_sub(b),
        SAddSat => sa.saturating_add(sb).clamp(smin, smax) as u64,
        SSubSat => sa.saturating_sub(sb).clamp(smin, smax) as u64,
        FAdd | FSub | FMul | FDiv | FRem | FMinNum | FMaxNum | FMin | FMax | CopySign => unreachable!("handled above"),
    };
    bits & ones
}

fn float_binary(op: BinaryOp, elem: Elem, a: u64, b: u64) -> u64 {
    use BinaryOp::*;
    // All of f16, bf16 and f32 are exact in f64, so comparisons may be made there.
    let (wa, wb) = (to_f64(elem, a), to_f64(elem, b));
    let arithmetic = |narrow: fn(f32, f32) -> f32, wide: fn(f64, f64) -> f64| match elem {
        Elem::F64 => wide(wa, wb).to_bits(),
        // f32 has more than twice the precision of f16 and bf16 (and two bits): rounding twice is as good as once.
        _ => from_f32(elem, narrow(wa as f32, wb as f32)),
    };
    let pick = |first: bool| if first { a } else { b };
    match op {
        FAdd => arithmetic(|a, b| a + b, |a, b| a + b),
        FSub => arithmetic(|a, b| a - b, |a, b| a - b),
        FMul => arithmetic(|a, b| a * b, |a, b| a * b),
        FDiv => arithmetic(|a, b| a / b, |a, b| a / b),
        FRem => arithmetic(|a, b| a % b, |a, b| a % b),
        FMin => pick(wa < wb),
        FMax => pick(wa > wb),
        FMinNum => pick(wb.is_nan() || wa < wb),
        FMaxNum => pick(wb.is_nan() || wa > wb),
        CopySign => (a & !sign_bit(elem)) | (b & sign_bit(elem)),
        _ => unreachable!("{op} is not a float operation"),
    }
}

/// `a * b + c`, rounded once.
pub fn fma(elem: Elem, a: u64, b: u64, c: u64) -> u64 {
    let (wa, wb, wc) = (to_f64(elem, a), to_f64(elem, b), to_f64(elem, c));
    match elem {
        Elem::F64 => wa.mul_add(wb, wc).to_bits(),
        Elem::F32 => u64::from((wa as f32).mul_add(wb as f32, wc as f32).to_bits()),
        // The product is exact. The sum is rounded to odd, so that the second rounding sees what the first one dropped.
        _ => from_f64(elem, add_to_odd(wa * wb, wc)),
    }
}

/// `a + b` with its last bit set where it is not exact (Boldo and Melquiond: Emulation of FMA and correctly rounded sums, 2008).
fn add_to_odd(a: f64, b: f64) -> f64 {
    let sum = a + b;
    if !sum.is_finite() {
        return sum;
    }
    // Knuth's two-sum: the error of the sum, exactly.
    let from_b = sum - a;
    let error = (a - (sum - from_b)) + (b - from_b);
    if error == 0.0 || sum.to_bits() & 1 == 1 {
        return sum;
    }
    let away = (error > 0.0) == (sum > 0.0);
    f64::from_bits(if away { sum.to_bits() + 1 } else { sum.to_bits() - 1 })
}

/// Integer or mask comparison.
pub fn int_compare(cc: IntCc, elem: Elem, a: u64, b: u64) -> bool {
    let (sa, sb) = (signed(elem, a), signed(elem, b));
    match cc {
        IntCc::Eq => a == b,
        IntCc::Ne => a != b,
        IntCc::Slt => sa < sb,
        IntCc::Sle => sa <= sb,
        IntCc::Sgt => sa > sb,
        IntCc::Sge => sa >= sb,
        IntCc::Ult => a < b,
        IntCc::Ule => a <= b,
        IntCc::Ugt => a > b,
        IntCc::Uge => a >= b,
    }
}

/// Float comparison.
pub fn float_compare(cc: FloatCc, elem: Elem, a: u64, b: u64) -> bool {
    use core::cmp::Ordering::*;
    let ordering = to_f64(elem, a).partial_cmp(&to_f64(elem, b));
    let Some(ordering) = ordering else {
        use FloatCc::*;
        return matches!(cc, Uno | Ueq | Une | Ult | Ule | Ugt | Uge);
    };
    match cc {
        FloatCc::Ord => true,
        FloatCc::Uno => false,
        FloatCc::Oeq | FloatCc::Ueq => ordering == Equal,
        FloatCc::One | FloatCc::Une => ordering != Equal,
        FloatCc::Olt | FloatCc::Ult => ordering == Less,
        FloatCc::Ole | FloatCc::Ule => ordering != Greater,
        FloatCc::Ogt | FloatCc::Ugt => ordering == Greater,
        FloatCc::Oge | FloatCc::Uge => ordering != Less,
    }
}

/// A conversion from `from` to `to`. Saturates whether asked to or not.
pub fn convert(op: ConvertOp, from: Elem, to: Elem, rounding: Rounding, a: u64) -> u64 {
    let bits = match op {
        ConvertOp::Trunc | ConvertOp::ZExt | ConvertOp::Bitcast => a,
        ConvertOp::SExt => signed(from, a) as u64,
        ConvertOp::FPromote | ConvertOp::FDemote => convert_float(from, to, rounding, a),
        ConvertOp::FToS => {
            let limit = i128::from(to.bit_mask() >> 1);
            float_to_int(from, rounding, a).clamp(-limit - 1, limit) as u64
        }
        ConvertOp::FToU => float_to_int(from, rounding, a).clamp(0, i128::from(to.bit_mask())) as u64,
        ConvertOp::SToF => {
            let value = signed(from, a);
            encode(to, value < 0, value.unsigned_abs(), 0, rounding)
        }
        ConvertOp::UToF => encode(to, false, a, 0, rounding),
        ConvertOp::MaskToInt => 0u64.wrapping_sub(a & 1),
        ConvertOp::IntToMask => u64::from(a != 0),
    };
    bits & to.bit_mask()
}

/// The value of a float of any type: exact.
pub fn to_f64(elem: Elem, bits: u64) -> f64 {
    match elem {
        Elem::F64 => f64::from_bits(bits),
        Elem::F32 => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(convert_float(elem, Elem::F64, Rounding::Nearest, bits)),
    }
}

/// The float of any type that is nearest to a value.
pub fn from_f64(elem: Elem, value: f64) -> u64 {
    match elem {
        Elem::F64 => value.to_bits(),
        Elem::F32 => u64::from((value as f32).to_bits()),
        _ => convert_float(Elem::F64, elem, Rounding::Nearest, value.to_bits()),
    }
}

fn to_f32(elem: Elem, bits: u64) -> f32 {
    to_f64(elem, bits) as f32
}

fn from_f32(elem: Elem, value: f32) -> u64 {
    match elem {
        Elem::F32 => u64::from(value.to_bits()),
        _ => convert_float(Elem::F32, elem, Rounding::Nearest, u64::from(value.to_bits())),
    }
}

const fn sign_bit(elem: Elem) -> u64 {
    elem.bit_mask() ^ (elem.bit_mask() >> 1)
}

/// Bits of the fraction of a float type.
const fn fraction_bits(elem: Elem) -> u32 {
    match elem {
        Elem::F16 => 10,
        Elem::BF16 => 7,
        Elem::F32 => 23,
        _ => 52,
    }
}

/// The exponent of the smallest normal number: 1 - bias.
const fn least_exponent(elem: Elem) -> i32 {
    2 - (1 << (elem.bits() - fraction_bits(elem) - 2))
}

/// `(mantissa, exponent)` of a finite float: its magnitude is `mantissa * 2^exponent`.
fn decode(elem: Elem, bits: u64) -> (u64, i32) {
    let fraction_bits = fraction_bits(elem);
    let magnitude = bits & !sign_bit(elem);
    let (exponent, fraction) = ((magnitude >> fraction_bits) as i32, magnitude & ((1 << fraction_bits) - 1));
    let unit = least_exponent(elem) - fraction_bits as i32;
    match exponent {
        0 => (fraction, unit),
        _ => (fraction | 1 << fraction_bits, unit + exponent - 1),
    }
}

/// The float nearest to `± mantissa * 2^exponent` under a rounding.
fn encode(elem: Elem, negative: bool, mantissa: u64, exponent: i32, rounding: Rounding) -> u64 {
    let sign = if negative { sign_bit(elem) } else { 0 };
    if mantissa == 0 {
        return sign;
    }
    let fraction_bits = fraction_bits(elem);
    let least = least_exponent(elem);
    let top = 63 - mantissa.leading_zeros() as i32 + exponent;
    let (normal, unit) = (top >= least, top.max(least) - fraction_bits as i32);
    let (kept, up) = match unit - exponent {
        shift if shift <= 0 => (mantissa << -shift, false),
        shift => {
            let (kept, dropped, half) = match shift {
                65.. => (0, 1, 2),
                64 => (0, u128::from(mantissa), 1 << 63),
                _ => (mantissa >> shift, u128::from(mantissa & ((1 << shift) - 1)), 1u128 << (shift - 1)),
            };
            (kept, rounds_up(rounding, negative, kept & 1 == 1, dropped, half))
        }
    };
    let rounded = kept + u64::from(up);
    // A carry out of the fraction goes into the exponent, where it belongs.
    let magnitude = if normal {
        (((top - least) as u64) << fraction_bits) + rounded
    } else {
        rounded
    };
    let infinity = infinity_bits(elem);
    let to_infinity = match rounding {
        Rounding::Nearest => true,
        Rounding::Zero => false,
        Rounding::Up => !negative,
        Rounding::Down => negative,
    };
    match magnitude {
        _ if magnitude < infinity => sign | magnitude,
        _ if to_infinity => sign | infinity,
        _ => sign | (infinity - 1),
    }
}

fn rounds_up(rounding: Rounding, negative: bool, odd: bool, dropped: u128, half: u128) -> bool {
    match rounding {
        Rounding::Nearest => dropped > half || (dropped == half && odd),
        Rounding::Zero => false,
        Rounding::Up => !negative && dropped != 0,
        Rounding::Down => negative && dropped != 0,
    }
}

fn convert_float(from: Elem, to: Elem, rounding: Rounding, bits: u64) -> u64 {
    let negative = bits & sign_bit(from) != 0;
    let sign = if negative { sign_bit(to) } else { 0 };
    let magnitude = bits & !sign_bit(from);
    let infinity = infinity_bits(from);
    if magnitude < infinity {
        let (mantissa, exponent) = decode(from, bits);
        return encode(to, negative, mantissa, exponent, rounding);
    }
    if magnitude == infinity {
        return sign | infinity_bits(to);
    }
    // A quiet NaN with what fits of the payload.
    let payload = (magnitude ^ infinity) << (63 - fraction_bits(from)) >> (63 - fraction_bits(to));
    sign | infinity_bits(to) | payload | 1 << (fraction_bits(to) - 1)
}

/// The float rounded to an integer; far beyond 64 bits it is some number that is out of range too.
fn float_to_int(from: Elem, rounding: Rounding, bits: u64) -> i128 {
    let negative = bits & sign_bit(from) != 0;
    let magnitude = bits & !sign_bit(from);
    if magnitude > infinity_bits(from) {
        return 0;
    }
    let (mantissa, exponent) = decode(from, bits);
    let mantissa = u128::from(mantissa);
    let integer = match exponent {
        70.. => 1 << 100,
        0..70 => mantissa << exponent,
        -100..0 => {
            let shift = -exponent as u32;
            let (kept, dropped) = (mantissa >> shift, mantissa & ((1 << shift) - 1));
            kept + u128::from(rounds_up(rounding, negative, kept & 1 == 1, dropped, 1 << (shift - 1)))
        }
        _ => u128::from(rounds_up(rounding, negative, false, mantissa.min(1), 2)),
    };
    let integer = if magnitude == infinity_bits(from) { 1 << 100 } else { integer };
    if negative { -(integer as i128) } else { integer as i128 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that look random, the same each time.
    fn numbers() -> impl Iterator<Item = u64> {
        let mut state = 0x9e37_79b9_7f4a_7c15u64;
        std::iter::repeat_with(move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            // All exponents come up, and short fractions do.
            if state & 64 == 0 {
                state
            } else {
                state & (u64::MAX << (state & 63))
            }
        })
    }

    #[test]
    fn float_conversions_agree_with_the_machine() {
        for bits in numbers().take(200_000) {
            let wide = f64::from_bits(bits);
            let narrow = f32::from_bits((bits >> 32) as u32);
            if !wide.is_nan() {
                let demoted = convert(ConvertOp::FDemote, Elem::F64, Elem::F32, Rounding::Nearest, bits);
                assert_eq!(demoted, u64::from((wide as f32).to_bits()), "{wide:e}");
            }
            if !narrow.is_nan() {
                let promoted = convert_float(Elem::F32, Elem::F64, Rounding::Nearest, bits >> 32);
                assert_eq!(promoted, f64::from(narrow).to_bits(), "{narrow:e}");
            }
            let to_int = |op, to| convert(op, Elem::F64, to, Rounding::Zero, bits);
            assert_eq!(to_int(ConvertOp::FToS, Elem::I64), wide as i64 as u64, "{wide:e}");
            assert_eq!(to_int(ConvertOp::FToU, Elem::I64), wide as u64, "{wide:e}");
            assert_eq!(to_int(ConvertOp::FToS, Elem::I8), u64::from(wide as i8 as u8), "{wide:e}");
            assert_eq!(to_int(ConvertOp::FToU, Elem::I32), u64::from(wide as u32), "{wide:e}");
            let from_int = |op, to| convert(op, Elem::I64, to, Rounding::Nearest, bits);
            assert_eq!(from_int(ConvertOp::SToF, Elem::F32), u64::from((bits as i64 as f32).to_bits()));
            assert_eq!(from_int(ConvertOp::UToF, Elem::F32), u64::from((bits as f32).to_bits()));
            assert_eq!(from_int(ConvertOp::SToF, Elem::F64), (bits as i64 as f64).to_bits());
            assert_eq!(from_int(ConvertOp::UToF, Elem::F64), (bits as f64).to_bits());
        }
    }

    #[test]
    fn narrow_floats_round_trip_and_stand_in_order() {
        for elem in [Elem::F16, Elem::BF16] {
            let infinity = infinity_bits(elem);
            for magnitude in 0..=infinity {
                for bits in [magnitude, magnitude | sign_bit(elem)] {
                    assert_eq!(from_f64(elem, to_f64(elem, bits)), bits, "{elem:?} {bits:#x}");
                }
                if magnitude == infinity {
                    continue;
                }
                // Between two neighbours each rounding goes where its name says.
                let (low, high) = (to_f64(elem, magnitude), to_f64(elem, magnitude + 1));
                let ulp = to_f64(elem, magnitude.max(1)) - to_f64(elem, magnitude.max(1) - 1);
                let high_or_beyond = if high.is_infinite() { low + ulp } else { high };
                let middle = low + (high_or_beyond - low) / 2.0;
                for (value, nearest) in [
                    (middle, magnitude + (magnitude & 1)),
                    (f64::from_bits(middle.to_bits() - 1), magnitude),
                    (f64::from_bits(middle.to_bits() + 1), magnitude + 1),
                ] {
                    let round = |rounding| convert_float(Elem::F64, elem, rounding, value.to_bits());
                    let negated = |rounding| convert_float(Elem::F64, elem, rounding, (-value).to_bits()) ^ sign_bit(elem);
                    assert_eq!(round(Rounding::Nearest), nearest, "{value:e}");
                    assert_eq!(negated(Rounding::Nearest), nearest, "{value:e}");
                    assert_eq!(
                        [round(Rounding::Zero), round(Rounding::Down), negated(Rounding::Up)],
                        [magnitude; 3]
                    );
                    assert_eq!([round(Rounding::Up), negated(Rounding::Down)], [magnitude + 1; 2]);
                }
            }
        }
    }

    #[test]
    fn integers_round_as_they_are_told() {
        let convert = |op, rounding, value: f64| signed(Elem::I32, super::convert(op, Elem::F64, Elem::I32, rounding, value.to_bits()));
        for (value, nearest, zero, up, down) in [
            (2.5, 2, 2, 3, 2),
            (3.5, 4, 3, 4, 3),
            (-0.5, 0, 0, 0, -1),
            (-1.5, -2, -1, -1, -2),
            (1e-300, 0, 0, 1, 0),
            (-1e-300, 0, 0, 0, -1),
            (f64::NAN, 0, 0, 0, 0),
            (f64::INFINITY, i32::MAX, i32::MAX, i32::MAX, i32::MAX),
        ] {
            for (rounding, expected) in [
                (Rounding::Nearest, nearest),
                (Rounding::Zero, zero),
                (Rounding::Up, up),
                (Rounding::Down, down),
            ] {
                assert_eq!(
                    convert(ConvertOp::FToS, rounding, value),
                    i64::from(expected),
                    "{value:e} {rounding}"
                );
            }
        }
        // i64 to f32: the largest integer is no float.
        let toward = |rounding| super::convert(ConvertOp::SToF, Elem::I64, Elem::F32, rounding, i64::MAX as u64) as u32;
        assert_eq!(f32::from_bits(toward(Rounding::Up)), 9_223_372_036_854_775_807.0);
        assert_eq!(toward(Rounding::Down), toward(Rounding::Up) - 1);
    }

    #[test]
    fn fused_multiply_add_of_narrow_floats_rounds_once() {
        // 1 + 2^-8 is half-way between two bf16; a little more than that goes up.
        let bf16 = |value: f64| from_f64(Elem::BF16, value);
        let a = bf16(1.0 + 1.0 / 128.0); // (1 + 2^-7)^2 = 1 + 2^-6 + 2^-14
        let squared = fma(Elem::BF16, a, a, bf16(-(2f64.powi(-14))));
        assert_eq!(to_f64(Elem::BF16, squared), 1.0 + 2f64.powi(-6));
        let half_way = fma(Elem::BF16, bf16(257.0 / 256.0 * 2.0), bf16(1.0), bf16(0.0));
        assert_eq!(to_f64(Elem::BF16, half_way), 2.0);
        let product = fma(Elem::BF16, bf16(1.5), bf16(1.0 + 3.0 / 128.0), bf16(1e-30));
        // 1.5 * (1 + 3 * 2^-7) = 1.5 + 9 * 2^-8, half-way; the addend decides.
        assert_eq!(to_f64(Elem::BF16, product), 1.5 + 10.0 / 256.0);
    }

    #[test]
    fn integer_arithmetic_is_total() {
        for elem in [Elem::I8, Elem::I16, Elem::I32, Elem::I64] {
            let least = sign_bit(elem);
            let minus_one = elem.bit_mask();
            assert_eq!(binary(BinaryOp::SDiv, elem, least, minus_one), least);
            assert_eq!(binary(BinaryOp::SRem, elem, least, minus_one), 0);
            assert_eq!(binary(BinaryOp::UDiv, elem, 5, 0), 5);
            assert_eq!(binary(BinaryOp::SAddSat, elem, least, minus_one), least);
            assert_eq!(binary(BinaryOp::UAddSat, elem, minus_one, minus_one), minus_one);
            assert_eq!(binary(BinaryOp::SMulHi, elem, least, least), least >> 1);
            assert_eq!(unary(UnaryOp::Clz, elem, 0), u64::from(elem.bits()));
            assert_eq!(unary(UnaryOp::Ctz, elem, 0), u64::from(elem.bits()));
            assert_eq!(unary(UnaryOp::Abs, elem, least), least);
            assert_eq!(binary(BinaryOp::RotL, elem, least | 1, u64::from(elem.bits()) + 1), 3);
        }
        assert_eq!(unary(UnaryOp::Not, Elem::Mask, 1), 0);
        assert_eq!(unary(UnaryOp::ByteSwap, Elem::I16, 0x1234), 0x3412);
    }
}
