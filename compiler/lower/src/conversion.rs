//! Conversions (SPIR-V specification, section 3.52.11), component by component: rounding, saturation and what is out of range.

use super::arithmetic::{clamp_int, resize_int};
use super::float8::Float8;
use super::function::{Lowering, Result};
use super::value::Scalars;
use super::{Failure, shape};
use ir::*;
use rspirv::spirv::{Decoration, FPRoundingMode, Op};
use spirv::{Id, Instruction, Type as SpirvType};

impl<'m> Lowering<'_, 'm> {
    /// Lowers it if it is one of these; says whether it was.
    pub(super) fn conversion(&mut self, inst: &Instruction<'m>) -> Result<bool> {
        let saturate = |this: &Self| this.spirv.is_decorated(inst.result, Decoration::SaturatedConversion);
        match inst.op() {
            Op::ConvertFToU | Op::ConvertFToS => {
                let signed = inst.op() == Op::ConvertFToS;
                let (elem, rounding, saturate) = (
                    self.result_elem(inst)?,
                    self.rounding(inst)?.unwrap_or(Rounding::Zero),
                    saturate(self),
                );
                let from = self.float8(self.spirv.type_of(inst.word(0)));
                self.map1(inst, |b, x| {
                    let x = from.map_or(x, |from| from.widened(b, x));
                    float_to_int(b, elem, x, signed, rounding, saturate)
                })?
            }
            Op::ConvertSToF | Op::ConvertUToF => {
                let signed = inst.op() == Op::ConvertSToF;
                if let Some(to) = self.float8(inst.result_type) {
                    let (rounding, saturate) = self.float8_modes(inst)?;
                    self.map1(inst, |b, x| to.integer(b, x, signed, rounding, saturate))?;
                    return Ok(true);
                }
                let elem = self.result_elem(inst)?;
                let rounding = self.rounding_of(inst, elem)?;
                self.map1(inst, |b, x| int_to_float(b, elem, x, signed, rounding))?
            }
            Op::UConvert | Op::SConvert => {
                let signed = inst.op() == Op::SConvert;
                let (elem, saturate) = (self.result_elem(inst)?, saturate(self));
                self.map1(inst, |b, x| {
                    let x = if saturate { clamp_int(b, elem, x, signed, signed) } else { x };
                    resize_int(b, elem, x, signed)
                })?
            }
            Op::SatConvertSToU | Op::SatConvertUToS => {
                let signed = inst.op() == Op::SatConvertSToU;
                let elem = self.result_elem(inst)?;
                self.map1(inst, |b, x| {
                    let clamped = clamp_int(b, elem, x, signed, !signed);
                    resize_int(b, elem, clamped, signed)
                })?
            }
            Op::FConvert => {
                let from = self.float8(self.spirv.type_of(inst.word(0)));
                let wide = |b: &mut Builder, x| from.map_or(x, |from| from.widened(b, x));
                if let Some(to) = self.float8(inst.result_type) {
                    let (rounding, saturate) = self.float8_modes(inst)?;
                    self.map1(inst, |b, x| {
                        let x = wide(b, x);
                        to.float(b, x, rounding, saturate)
                    })?;
                    return Ok(true);
                }
                let elem = self.result_elem(inst)?;
                let rounding = self.rounding_of(inst, elem)?;
                self.map1(inst, |b, x| {
                    let x = wide(b, x);
                    float_to_float(b, elem, x, rounding)
                })?
            }
            Op::QuantizeToF16 => self.map1(inst, |b, x| {
                let half = float_to_float(b, Elem::F16, x, Rounding::Nearest);
                b.convert(ConvertOp::FPromote, Elem::F32, half)
            })?,
            Op::ConvertBF16ToFINTEL => self.map1(inst, |b, x| {
                let bits = b.convert(ConvertOp::ZExt, Elem::I32, x);
                let up = b.binary_imm(BinaryOp::Shl, bits, 16);
                b.bitcast(Elem::F32, up)
            })?,
            Op::ConvertFToBF16INTEL => self.map1(inst, |b, x| {
                let narrow = b.convert(ConvertOp::FDemote, Elem::BF16, x);
                b.bitcast(Elem::I16, narrow)
            })?,
            Op::RoundFToTF32INTEL => self.map1(inst, round_to_tf32)?,
            Op::ConvertPtrToU => {
                let elem = self.result_elem(inst)?;
                self.map1(inst, |b, x| resize_int(b, elem, x, false))?
            }
            Op::ConvertUToPtr => self.map1(inst, |b, x| resize_int(b, Elem::I64, x, false))?,
            Op::Bitcast => self.bitcast(inst)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The format of the type, or of its components, if it is one of 8 bits.
    pub(super) fn float8(&self, type_id: Id) -> Option<Float8> {
        let component = match self.spirv.matrix(type_id) {
            Some(matrix) => matrix.component,
            None => self.spirv.components(type_id).1,
        };
        Float8::of(self.spirv.ty(component))
    }

    /// How a conversion to 8 bits rounds, and whether it saturates. No execution mode is about their width.
    fn float8_modes(&self, inst: &Instruction<'m>) -> Result<(Rounding, bool)> {
        let saturates = self
            .spirv
            .is_decorated(inst.result, Decoration::SaturatedToLargestFloat8NormalConversionEXT);
        Ok((self.rounding(inst)?.unwrap_or(Rounding::Nearest), saturates))
    }

    /// The rounding that FPRoundingMode asks for.
    pub(super) fn rounding(&self, inst: &Instruction<'m>) -> Result<Option<Rounding>> {
        let Some(operands) = self.spirv.decoration(inst.result, Decoration::FPRoundingMode) else {
            return Ok(None);
        };
        operands.first().map(|&word| rounding_mode(word)).transpose()
    }

    fn bitcast(&mut self, inst: &Instruction<'m>) -> Result<()> {
        let operand = inst.word(0);
        if let (SpirvType::Pointer { .. }, SpirvType::Pointer { .. }) = (self.spirv.ty(inst.result_type), self.spirv.value_type(operand)) {
            let value = self.val(operand)?;
            self.bind(inst.result, value);
            return Ok(());
        }
        let from = self.scalars(operand)?;
        let shape = self.shape(inst.result_type)?;
        let target = shape.leaves();
        let Some(elem) = target.first().map(|leaf| leaf.elem) else {
            return Err(Failure::Unsupported);
        };
        let results = regroup(&mut self.b(), &from, elem, target.len())?;
        self.define(inst, results);
        Ok(())
    }

    /// The element of the result, or of its components.
    pub(super) fn result_elem(&self, inst: &Instruction<'m>) -> Result<Elem> {
        let (_, component) = self.spirv.components(inst.result_type);
        shape::scalar(self.spirv.ty(component)).ok_or(Failure::Unsupported)
    }
}

/// FPRoundingMode as the IR's.
pub fn rounding_mode(word: u32) -> Result<Rounding> {
    match FPRoundingMode::from_u32(word) {
        Some(FPRoundingMode::RTE) => Ok(Rounding::Nearest),
        Some(FPRoundingMode::RTZ) => Ok(Rounding::Zero),
        Some(FPRoundingMode::RTP) => Ok(Rounding::Up),
        Some(FPRoundingMode::RTN) => Ok(Rounding::Down),
        None => Err(Failure::Unsupported),
    }
}

/// The same bits as `count` elements of another type.
fn regroup(b: &mut Builder, from: &[Value], elem: Elem, count: usize) -> Result<Scalars> {
    let Some(&first) = from.first() else {
        return Err(Failure::Unsupported);
    };
    let (wide, narrow) = (b.ty(first).elem.bits(), elem.bits());
    if from.len() * wide as usize != count * narrow as usize {
        return Err(Failure::Unsupported);
    }
    let from: Scalars = from.iter().map(|&x| b.bitcast(b.ty(x).elem.as_int(), x)).collect();
    let int = elem.as_int();
    let mut results = Scalars::new();
    if wide == narrow {
        results = from;
    } else if wide > narrow {
        for &x in &from {
            for part in 0..wide / narrow {
                let down = b.binary_imm(BinaryOp::LShr, x, i64::from(part * narrow));
                results.push(b.convert(ConvertOp::Trunc, int, down));
            }
        }
    } else {
        for parts in from.chunks((narrow / wide) as usize) {
            let mut all = b.convert(ConvertOp::ZExt, int, parts[0]);
            for (n, &part) in parts.iter().enumerate().skip(1) {
                let extended = b.convert(ConvertOp::ZExt, int, part);
                let up = b.binary_imm(BinaryOp::Shl, extended, n as i64 * i64::from(wide));
                all = b.or(all, up);
            }
            results.push(all);
        }
    }
    Ok(results.into_iter().map(|x| b.bitcast(elem, x)).collect())
}

/// A float as an integer. Half and bfloat16 go through float, which holds each of their values.
pub fn float_to_int(b: &mut Builder, elem: Elem, x: Value, signed: bool, rounding: Rounding, saturate: bool) -> Value {
    let x = widened(b, x);
    let ty = b.ty(x).with_elem(elem);
    let op = if signed { ConvertOp::FToS } else { ConvertOp::FToU };
    b.value(InstData::Convert {
        op,
        ty,
        arg: x,
        rounding,
        saturate,
    })
}

/// An integer as a float, rounded once: what float can't hold exactly is beyond half's range in either case.
pub fn int_to_float(b: &mut Builder, elem: Elem, x: Value, signed: bool, rounding: Rounding) -> Value {
    let op = if signed { ConvertOp::SToF } else { ConvertOp::UToF };
    let first = if matches!(elem, Elem::F16 | Elem::BF16) { Elem::F32 } else { elem };
    let ty = b.ty(x).with_elem(first);
    let value = b.value(InstData::Convert {
        op,
        ty,
        arg: x,
        rounding,
        saturate: false,
    });
    float_to_float(b, elem, value, rounding)
}

/// Half and bfloat16 as float.
pub fn widened(b: &mut Builder, x: Value) -> Value {
    match b.ty(x).elem {
        Elem::F16 | Elem::BF16 => b.convert(ConvertOp::FPromote, Elem::F32, x),
        _ => x,
    }
}

/// A float in another format, rounded once.
pub fn float_to_float(b: &mut Builder, elem: Elem, x: Value, rounding: Rounding) -> Value {
    let from = b.ty(x).elem;
    if from == elem {
        return x;
    }
    let narrow = |elem: Elem| matches!(elem, Elem::F16 | Elem::BF16);
    if narrow(from) {
        let wide = b.convert(ConvertOp::FPromote, Elem::F32, x);
        return float_to_float(b, elem, wide, rounding);
    }
    if from == Elem::F32 && elem == Elem::F64 {
        return b.convert(ConvertOp::FPromote, elem, x);
    }
    // SPV_KHR_bfloat16 goes through float.
    let x = match (from, elem) {
        (Elem::F64, Elem::F16) => to_odd(b, x),
        (Elem::F64, Elem::BF16) => b.convert(ConvertOp::FDemote, Elem::F32, x),
        _ => x,
    };
    let ty = b.ty(x).with_elem(elem);
    b.value(InstData::Convert {
        op: ConvertOp::FDemote,
        ty,
        arg: x,
        rounding,
        saturate: false,
    })
}

/// A float with the 10 bits of fraction that TF32 has, rounded to the nearest, ties to even. A carry goes into the exponent, up to infinity; a NaN stays one.
fn round_to_tf32(b: &mut Builder, x: Value) -> Value {
    const DROPPED: i64 = 13;
    let bits = b.bitcast(Elem::I32, x);
    let down = b.binary_imm(BinaryOp::LShr, bits, DROPPED);
    let odd = b.binary_imm(BinaryOp::And, down, 1);
    let below_half = b.binary_imm(BinaryOp::Add, odd, (1 << (DROPPED - 1)) - 1);
    let sum = b.add(bits, below_half);
    let rounded = b.binary_imm(BinaryOp::And, sum, -1 << DROPPED);
    let rounded = b.bitcast(Elem::F32, rounded);
    let nan = b.fcmp(FloatCc::Uno, x, x);
    b.select(nan, x, rounded)
}

/// A double as a float, rounded to odd: whatever is rounded to fewer digits afterwards comes out as if rounded once.
pub fn to_odd(b: &mut Builder, x: Value) -> Value {
    let near = b.convert(ConvertOp::FDemote, Elem::F32, x);
    let back = b.convert(ConvertOp::FPromote, Elem::F64, near);
    let (size, back_size) = (b.unary(UnaryOp::FAbs, x), b.unary(UnaryOp::FAbs, back));
    let bits = b.bitcast(Elem::I32, near);
    // Where rounding went away from zero, one step back truncates; an infinity becomes the largest number.
    let too_large = b.fcmp(FloatCc::Ogt, back_size, size);
    let below = b.binary_imm(BinaryOp::Sub, bits, 1);
    let truncated = b.select(too_large, below, bits);
    let odd = b.binary_imm(BinaryOp::Or, truncated, 1);
    let inexact = b.fcmp(FloatCc::One, back, x);
    let bits = b.select(inexact, odd, bits);
    b.bitcast(Elem::F32, bits)
}
