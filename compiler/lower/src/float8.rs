//! Floats of 8 bits (SPV_EXT_float8). Here and behind, they are integers of 8 bits: only conversions see floats in them.

use super::conversion::{to_odd, widened};
use ir::*;
use spirv::{FloatEncoding, Type as SpirvType};

/// "FP8 Formats For Deep Learning" (arXiv 2209.05433).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Float8 {
    /// No infinities, and one NaN of each sign: all bits but the sign.
    E4M3,
    /// Like half with 8 bits of fraction fewer.
    E5M2,
}

/// Of the exponent of a float.
const BIAS: i64 = 127;

/// Where a float's exponent begins.
const EXPONENT: i64 = 23;

impl Float8 {
    /// The format of a type, if it is one.
    pub fn of(ty: &SpirvType) -> Option<Float8> {
        let SpirvType::Float { encoding, .. } = ty else { return None };
        match encoding {
            FloatEncoding::Float8E4M3 => Some(Float8::E4M3),
            FloatEncoding::Float8E5M2 => Some(Float8::E5M2),
            FloatEncoding::Ieee754 | FloatEncoding::BFloat16 => None,
        }
    }

    /// Bits of the fraction.
    fn fraction(self) -> i64 {
        match self {
            Float8::E4M3 => 3,
            Float8::E5M2 => 2,
        }
    }

    fn bias(self) -> i64 {
        match self {
            Float8::E4M3 => 7,
            Float8::E5M2 => 15,
        }
    }

    /// The largest finite number.
    fn largest(self) -> i64 {
        match self {
            Float8::E4M3 => 0x7e,
            Float8::E5M2 => 0x7b,
        }
    }

    fn nan(self) -> i64 {
        match self {
            Float8::E4M3 => 0x7f,
            Float8::E5M2 => 0x7e,
        }
    }

    /// As a float (f32), which holds each of its values.
    pub fn widened(self, b: &mut Builder, x: Value) -> Value {
        if self == Float8::E5M2 {
            let bits = b.convert(ConvertOp::ZExt, Elem::I16, x);
            let up = b.binary_imm(BinaryOp::Shl, bits, 8);
            let half = b.bitcast(Elem::F16, up);
            return b.convert(ConvertOp::FPromote, Elem::F32, half);
        }
        let bits = b.convert(ConvertOp::ZExt, Elem::I32, x);
        let size = b.binary_imm(BinaryOp::And, bits, 0x7f);
        let up = b.binary_imm(BinaryOp::Shl, size, EXPONENT - self.fraction());
        let normal = b.binary_imm(BinaryOp::Add, up, (BIAS - self.bias()) << EXPONENT);
        // Subnormals are multiples of the least one.
        let least = b.f32(2f32.powi((1 - self.bias() - self.fraction()) as i32));
        let count = b.convert(ConvertOp::SToF, Elem::F32, size);
        let small = b.binary(BinaryOp::FMul, count, least);
        let small = b.bitcast(Elem::I32, small);
        let is_small = b.icmp_imm(IntCc::Ult, size, 1 << self.fraction());
        let number = b.select(is_small, small, normal);
        let is_nan = b.icmp_imm(IntCc::Eq, size, self.nan());
        let nan = b.constant(Type::I32, 0x7fc0_0000);
        let number = b.select(is_nan, nan, number);
        let sign = b.binary_imm(BinaryOp::And, bits, 0x80);
        let sign = b.binary_imm(BinaryOp::Shl, sign, 24);
        let signed = b.or(number, sign);
        b.bitcast(Elem::F32, signed)
    }

    /// A float of any format, rounded once. What is too large becomes the largest number if it saturates, else NaN (E4M3) or infinity (E5M2).
    pub fn float(self, b: &mut Builder, x: Value, rounding: Rounding, saturate: bool) -> Value {
        let x = match b.ty(x).elem {
            Elem::F64 => to_odd(b, x),
            _ => widened(b, x),
        };
        let bits = b.bitcast(Elem::I32, x);
        let size = b.binary_imm(BinaryOp::And, bits, 0x7fff_ffff);
        let exponent = b.binary_imm(BinaryOp::LShr, size, EXPONENT);
        // The significand, to be cut to the bits that are there: fewer for subnormals.
        let fraction = b.binary_imm(BinaryOp::And, size, (1 << EXPONENT) - 1);
        let one = b.binary_imm(BinaryOp::Or, fraction, 1 << EXPONENT);
        let is_subnormal = b.icmp_imm(IntCc::Eq, exponent, 0);
        let significand = b.select(is_subnormal, fraction, one);
        let least = BIAS - self.bias() + 1;
        let cut = EXPONENT - self.fraction();
        let all = b.constant(Type::I32, least as u64);
        let missing = b.sub(all, exponent);
        let missing = b.binary_imm(BinaryOp::SMax, missing, 0);
        let missing = b.binary_imm(BinaryOp::SMin, missing, 31 - cut);
        let cut = b.binary_imm(BinaryOp::Add, missing, cut);
        let more = before_cut(b, bits, significand, cut, rounding);
        let sum = b.add(significand, more);
        let rounded = b.binary(BinaryOp::LShr, sum, cut);
        // A significand that has become a power of two goes on in the exponent.
        let above = b.binary_imm(BinaryOp::Sub, exponent, least);
        let above = b.binary_imm(BinaryOp::SMax, above, 0);
        let above = b.binary_imm(BinaryOp::Shl, above, self.fraction());
        let number = b.add(above, rounded);
        let beyond = b.constant(Type::I32, if saturate { self.largest() } else { self.beyond() } as u64);
        let is_beyond = b.icmp_imm(IntCc::Ugt, number, self.largest());
        let number = b.select(is_beyond, beyond, number);
        let nan = b.constant(Type::I32, self.nan() as u64);
        let is_nan = b.icmp_imm(IntCc::Ugt, size, 0x7f80_0000);
        let number = b.select(is_nan, nan, number);
        let sign = b.binary_imm(BinaryOp::LShr, bits, 24);
        let sign = b.binary_imm(BinaryOp::And, sign, 0x80);
        let signed = b.or(number, sign);
        b.convert(ConvertOp::Trunc, Elem::I8, signed)
    }

    /// What out-of-range numbers become.
    fn beyond(self) -> i64 {
        match self {
            Float8::E4M3 => self.nan(),
            Float8::E5M2 => 0x7c,
        }
    }

    /// An integer, rounded once.
    pub fn integer(self, b: &mut Builder, x: Value, signed: bool, rounding: Rounding, saturate: bool) -> Value {
        // Beyond all numbers of either format, and exact in f32.
        const LIMIT: i64 = 1 << 17;
        let x = match (b.ty(x).elem, signed) {
            (Elem::I32 | Elem::I64, true) => {
                let x = b.binary_imm(BinaryOp::SMin, x, LIMIT);
                b.binary_imm(BinaryOp::SMax, x, -LIMIT)
            }
            (Elem::I32 | Elem::I64, false) => b.binary_imm(BinaryOp::UMin, x, LIMIT),
            _ => x,
        };
        let float = b.convert(if signed { ConvertOp::SToF } else { ConvertOp::UToF }, Elem::F32, x);
        self.float(b, float, rounding, saturate)
    }
}

/// What is added in front of a cut of so many bits.
fn before_cut(b: &mut Builder, bits: Value, significand: Value, cut: Value, rounding: Rounding) -> Value {
    let (zero, one) = (b.constant(Type::I32, 0), b.constant(Type::I32, 1));
    let up = b.binary(BinaryOp::Shl, one, cut);
    let below_up = b.binary_imm(BinaryOp::Sub, up, 1);
    match rounding {
        Rounding::Nearest => {
            let kept = b.binary(BinaryOp::LShr, significand, cut);
            let odd = b.binary_imm(BinaryOp::And, kept, 1);
            let half = b.binary_imm(BinaryOp::LShr, below_up, 1);
            b.add(half, odd)
        }
        Rounding::Zero => zero,
        Rounding::Up | Rounding::Down => {
            let is_negative = b.icmp_imm(IntCc::Slt, bits, 0);
            if rounding == Rounding::Up {
                b.select(is_negative, zero, below_up)
            } else {
                b.select(is_negative, below_up, zero)
            }
        }
    }
}
