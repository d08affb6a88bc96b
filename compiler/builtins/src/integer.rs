//! Integer functions (OpenCL C §6.15.3).

use super::{Precision, StdOp};
use ir::*;

/// Writes an integer function; none if it is not one of these.
pub fn lower(b: &mut Builder, precision: Precision, op: StdOp, args: &[Value]) -> Option<Value> {
    use BinaryOp as B;
    let x = args[0];
    let bits = b.ty(x).elem.bits();
    let y = || args.get(1).copied();
    let z = || args.get(2).copied();
    Some(match op {
        StdOp::s_abs => b.unary(UnaryOp::Abs, x),
        StdOp::u_abs => x,
        StdOp::s_abs_diff | StdOp::u_abs_diff if bits == 64 && !precision.has_long_minima => {
            let order = if op == StdOp::s_abs_diff { IntCc::Slt } else { IntCc::Ult };
            abs_diff_by_order(b, x, y()?, order)
        }
        StdOp::s_abs_diff => abs_diff(b, x, y()?, true),
        StdOp::u_abs_diff => abs_diff(b, x, y()?, false),
        StdOp::s_add_sat => b.binary(B::SAddSat, x, y()?),
        StdOp::u_add_sat => b.binary(B::UAddSat, x, y()?),
        StdOp::s_sub_sat => b.binary(B::SSubSat, x, y()?),
        StdOp::u_sub_sat => b.binary(B::USubSat, x, y()?),
        StdOp::s_hadd => half_sum(b, x, y()?, true, false),
        StdOp::u_hadd => half_sum(b, x, y()?, false, false),
        StdOp::s_rhadd => half_sum(b, x, y()?, true, true),
        StdOp::u_rhadd => half_sum(b, x, y()?, false, true),
        StdOp::s_clamp => {
            let low = b.binary(B::SMax, x, y()?);
            b.binary(B::SMin, low, z()?)
        }
        StdOp::u_clamp => {
            let low = b.binary(B::UMax, x, y()?);
            b.binary(B::UMin, low, z()?)
        }
        StdOp::clz => b.unary(UnaryOp::Clz, x),
        StdOp::ctz => b.unary(UnaryOp::Ctz, x),
        StdOp::popcount => b.unary(UnaryOp::Popcnt, x),
        StdOp::s_max => b.binary(B::SMax, x, y()?),
        StdOp::u_max => b.binary(B::UMax, x, y()?),
        StdOp::s_min => b.binary(B::SMin, x, y()?),
        StdOp::u_min => b.binary(B::UMin, x, y()?),
        StdOp::s_mul_hi => b.binary(B::SMulHi, x, y()?),
        StdOp::u_mul_hi => b.binary(B::UMulHi, x, y()?),
        StdOp::s_mad_hi => {
            let high = b.binary(B::SMulHi, x, y()?);
            b.add(high, z()?)
        }
        StdOp::u_mad_hi => {
            let high = b.binary(B::UMulHi, x, y()?);
            b.add(high, z()?)
        }
        StdOp::s_mad_sat | StdOp::u_mad_sat if bits == 32 && precision.has_long_minima => {
            mad_sat_of_words(b, [x, y()?, z()?], op == StdOp::s_mad_sat)
        }
        StdOp::s_mad_sat => mad_sat_signed(b, x, y()?, z()?),
        StdOp::u_mad_sat => mad_sat_unsigned(b, x, y()?, z()?),
        StdOp::rotate => b.binary(B::RotL, x, y()?),
        StdOp::s_upsample | StdOp::u_upsample => {
            let wide = Elem::int(bits * 2)?;
            let high = b.convert(ConvertOp::ZExt, wide, x);
            let low = b.convert(ConvertOp::ZExt, wide, y()?);
            let high = b.binary_imm(B::Shl, high, i64::from(bits));
            b.or(high, low)
        }
        StdOp::s_mul24 => mul24(b, x, y()?),
        StdOp::u_mul24 => b.mul(x, y()?),
        StdOp::s_mad24 => {
            let product = mul24(b, x, y()?);
            b.add(product, z()?)
        }
        StdOp::u_mad24 => {
            let product = b.mul(x, y()?);
            b.add(product, z()?)
        }
        _ => return None,
    })
}

fn abs_diff(b: &mut Builder, x: Value, y: Value, signed: bool) -> Value {
    let (max, min) = if signed {
        (BinaryOp::SMax, BinaryOp::SMin)
    } else {
        (BinaryOp::UMax, BinaryOp::UMin)
    };
    let (high, low) = (b.binary(max, x, y), b.binary(min, x, y));
    b.sub(high, low)
}

/// The same by one comparison: where x is less, all bits of the difference less 1 are flipped.
fn abs_diff_by_order(b: &mut Builder, x: Value, y: Value, order: IntCc) -> Value {
    let less = b.icmp(order, x, y);
    let ones = b.convert(ConvertOp::MaskToInt, Elem::I64, less);
    let difference = b.sub(x, y);
    let flipped = b.xor(difference, ones);
    b.sub(flipped, ones)
}

/// (x + y) / 2, rounded down or up, without overflow: what both share, and half of what they don't.
fn half_sum(b: &mut Builder, x: Value, y: Value, signed: bool, up: bool) -> Value {
    let shift = if signed { BinaryOp::AShr } else { BinaryOp::LShr };
    let differ = b.xor(x, y);
    let half = b.binary_imm(shift, differ, 1);
    if up {
        let either = b.or(x, y);
        b.sub(either, half)
    } else {
        let both = b.and(x, y);
        b.add(both, half)
    }
}

/// A product of numbers with a sign that fit 24 bits: what does not may give anything (Unified OpenCL C §6.15.3), so nothing is cut off. Then indices stay what
/// they are, places that lanes have one after the other; and with a factor of 8 bits, the product does not wrap.
fn mul24(b: &mut Builder, x: Value, y: Value) -> Value {
    let is_short = |value: Value| b.func.signed_constant(value).is_some_and(|number| (-0x80..=0x80).contains(&number));
    let flags = b.flags;
    if is_short(x) || is_short(y) {
        b.flags |= Flags::NSW;
    }
    let product = b.mul(x, y);
    b.flags = flags;
    product
}

/// The exact sum in 64 bits, within the limits of 32.
fn mad_sat_of_words(b: &mut Builder, args: [Value; 3], signed: bool) -> Value {
    let extend = if signed { ConvertOp::SExt } else { ConvertOp::ZExt };
    let [x, y, z] = args.map(|arg| b.convert(extend, Elem::I64, arg));
    let product = b.mul(x, y);
    let sum = b.add(product, z);
    let limited = match signed {
        true => {
            let above = b.binary_imm(BinaryOp::SMax, sum, i32::MIN.into());
            b.binary_imm(BinaryOp::SMin, above, i32::MAX.into())
        }
        false => b.binary_imm(BinaryOp::UMin, sum, u32::MAX.into()),
    };
    b.convert(ConvertOp::Trunc, Elem::I32, limited)
}

fn mad_sat_unsigned(b: &mut Builder, x: Value, y: Value, z: Value) -> Value {
    let (low, high) = (b.mul(x, y), b.binary(BinaryOp::UMulHi, x, y));
    let sum = b.binary(BinaryOp::UAddSat, low, z);
    let fits = b.icmp_imm(IntCc::Eq, high, 0);
    let ty = b.ty(x);
    let top = b.constant(ty, u64::MAX);
    b.select(fits, sum, top)
}

/// The exact sum is (high, low) in twice the width; it fits where its upper half is the sign of its lower half.
fn mad_sat_signed(b: &mut Builder, x: Value, y: Value, z: Value) -> Value {
    let ty = b.ty(x);
    let last = i64::from(ty.elem.bits()) - 1;
    let (low, high) = (b.mul(x, y), b.binary(BinaryOp::SMulHi, x, y));
    let sum = b.add(low, z);
    let carry = b.icmp(IntCc::Ult, sum, low);
    let carry = b.convert(ConvertOp::MaskToInt, ty.elem, carry);
    let z_high = b.binary_imm(BinaryOp::AShr, z, last);
    let high = b.add(high, z_high);
    let high = b.sub(high, carry);
    let sign = b.binary_imm(BinaryOp::AShr, sum, last);
    let fits = b.icmp(IntCc::Eq, high, sign);
    let top = b.constant(ty, ty.elem.bit_mask() >> 1);
    let negative = b.binary_imm(BinaryOp::AShr, high, last);
    let limit = b.xor(negative, top);
    b.select(fits, sum, limit)
}
