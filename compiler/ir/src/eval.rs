//! What each operation computes, one lane at a time, on the bits of its operands.
//!
//! This is the meaning of the operations: the interpreter and the constant folder use it as it is, the back ends are tested against it,
//! and call it for what the machine has no short form for. Bits above an element's width are 0 in operands and results; a mask is 0 or 1.
//!
//! Where the IR leaves a result open, this is what it is here: a division by zero or one that overflows divides by 1; a conversion out
//! of range saturates. NaNs have *some* payload; nothing may depend on which.

mod formats;
pub mod powers;

use super::entities::Value;
use super::function::Function;
use super::inst::InstData;
use super::op::*;
use super::types::Elem;
use formats::{convert_float, encode, float_to_int, sign_bit};

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
        FAdd | FSub | FMul | FDiv | FRem | FMinNum | FMaxNum | FMin | FMax | CopySign | Scale | Fraction | Exponent => {
            unreachable!("handled above")
        }
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
        Scale => from_f64(elem, powers::scale(wa, wb)),
        Fraction => from_f64(elem, powers::fraction(wa, wb)),
        Exponent => from_f64(elem, powers::exponent(wa, wb)),
        _ => unreachable!("{op} is not a float operation"),
    }
}

/// Whether [`compute`] knows an instruction.
pub const fn is_computed(data: &InstData) -> bool {
    matches!(
        data,
        InstData::Unary { .. }
            | InstData::Binary { .. }
            | InstData::Select { .. }
            | InstData::IntCompare { .. }
            | InstData::FloatCompare { .. }
            | InstData::Convert { .. }
    )
}

/// What an instruction computes in each lane, where each operand is the same constant in all lanes: that of `of`.
pub fn compute(func: &Function, data: &InstData, of: impl Fn(Value) -> Option<u64>) -> Option<u64> {
    let elem = |value: Value| func.ty(value).elem;
    Some(match *data {
        InstData::Unary { op, arg } => unary(op, elem(arg), of(arg)?),
        InstData::Binary { op, args: [a, b] } => binary(op, elem(a), of(a)?, of(b)?),
        InstData::Select { mask, args: [a, b] } => of(if of(mask)? != 0 { a } else { b })?,
        InstData::IntCompare { cc, args: [a, b] } => u64::from(int_compare(cc, elem(a), of(a)?, of(b)?)),
        InstData::FloatCompare { cc, args: [a, b] } => u64::from(float_compare(cc, elem(a), of(a)?, of(b)?)),
        InstData::Convert { op, ty, arg, rounding, .. } => convert(op, elem(arg), ty.elem, rounding, of(arg)?),
        _ => return None,
    })
}

/// How deep a computation of constant lanes is followed.
const LANES_DEPTH: u32 = 6;

/// The lanes of an integer vector, if they can be known now.
pub fn constant_lanes(func: &Function, value: Value) -> Option<Vec<u64>> {
    fn follow(func: &Function, value: Value, depth: u32) -> Option<Vec<u64>> {
        let ty = func.ty(value);
        if let Some(bits) = func.constant(value) {
            return Some(vec![bits; usize::from(ty.lanes)]);
        }
        let depth = depth.checked_sub(1)?;
        match func.def_data(value)? {
            InstData::Lane { op: LaneOp::Iota, .. } => Some((0..u64::from(ty.lanes)).collect()),
            InstData::Binary { op, args: [a, b] } if !op.is_float() => {
                let (a, b) = (follow(func, *a, depth)?, follow(func, *b, depth)?);
                Some(a.into_iter().zip(b).map(|(a, b)| binary(*op, ty.elem, a, b)).collect())
            }
            InstData::Convert { op, arg, rounding, .. } if ty.elem.is_int() && func.ty(*arg).elem.is_int() => {
                let (lanes, from) = (follow(func, *arg, depth)?, func.ty(*arg).elem);
                Some(lanes.into_iter().map(|lane| convert(*op, from, ty.elem, *rounding, lane)).collect())
            }
            _ => None,
        }
    }
    follow(func, value, LANES_DEPTH)
}

/// The lanes that a permutation takes, if they are known and it gives as many as there are.
pub fn constant_permutation(func: &Function, [vector, indices]: [Value; 2]) -> Option<Vec<u64>> {
    constant_lanes(func, indices).filter(|_| func.ty(vector).lanes == func.ty(indices).lanes)
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

#[cfg(test)]
mod tests;
