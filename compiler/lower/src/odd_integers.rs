//! Integers of any width from 1 to 64 bits (SPV_INTEL_arbitrary_precision_integers).
//!
//! Each is kept in the next wider integer that the IR has, and its upper bits are zero: after what may leave others there they are cut off, and before
//! what looks at its sign it is extended by that. Whatever is not here sees a number without sign, which is the same number.

use super::arithmetic::{binary_op, clamp_to_bits, int_comparison, resize_int, signed_modulo};
use super::conversion::float_to_int;
use super::function::{Lowering, Result};
use super::value::Scalars;
use builtins::StdOp;
use ir::*;
use rspirv::spirv::{Capability, Decoration, Op};
use spirv::{Id, Instruction, Type as SpirvType, fold};

impl<'m> Lowering<'_, 'm> {
    /// Lowers it if it makes such integers, or looks at their sign; says whether it did.
    pub(super) fn odd_integers(&mut self, inst: &Instruction<'m>) -> Result<bool> {
        if !self.spirv.has_capability(Capability::ArbitraryPrecisionIntegersINTEL) {
            return Ok(false);
        }
        let op = inst.op();
        let first = inst.word(usize::from(op == Op::ExtInst) * 2);
        let made = match op {
            Op::IAddCarry | Op::ISubBorrow => self.spirv.odd_width(self.spirv.type_of(first)),
            _ => self.spirv.odd_width(inst.result_type),
        };
        match op {
            Op::UConvert | Op::SConvert | Op::SatConvertSToU | Op::SatConvertUToS | Op::ConvertSToF | Op::ConvertFToS | Op::ConvertFToU => {
                let from = self.spirv.odd_width(self.spirv.type_of(first));
                if made.is_none() && from.is_none() {
                    return Ok(false);
                }
                self.odd_conversion(inst, made, from)?;
            }
            Op::SLessThan | Op::SLessThanEqual | Op::SGreaterThan | Op::SGreaterThanEqual => {
                let (Some(width), Some(cc)) = (self.spirv.odd_width(self.spirv.type_of(first)), int_comparison(op)) else {
                    return Ok(false);
                };
                self.map2(inst, |b, x, y| {
                    let (x, y) = (signed(b, x, width), signed(b, y, width));
                    b.icmp(cc, x, y)
                })?;
            }
            _ => {
                let Some(width) = made else { return Ok(false) };
                return self.odd_arithmetic(inst, width);
            }
        }
        Ok(true)
    }

    /// What gives integers of `width` bits, or, of a carry, takes them.
    fn odd_arithmetic(&mut self, inst: &Instruction<'m>, width: u32) -> Result<bool> {
        match inst.op() {
            // Results of the others have no bits above those of their operands.
            Op::IAdd | Op::ISub | Op::IMul | Op::UDiv | Op::SNegate | Op::Not | Op::ShiftLeftLogical | Op::BitCount => {
                self.arithmetic(inst)?;
                self.cut_result(inst, width)?;
            }
            Op::ConvertPtrToU => {
                self.conversion(inst)?;
                self.cut_result(inst, width)?;
            }
            op @ (Op::SDiv | Op::SRem) => {
                let Some(binary) = binary_op(op) else { return Ok(false) };
                self.signed2(inst, width, |b, x, y| b.binary(binary, x, y))?;
            }
            Op::SMod => self.signed2(inst, width, signed_modulo)?,
            Op::ShiftRightArithmetic => self.map2(inst, |b, x, by| {
                let x = signed(b, x, width);
                let by = resize_int(b, b.ty(x).elem, by, false);
                let down = b.binary(BinaryOp::AShr, x, by);
                cut(b, down, width)
            })?,
            Op::BitReverse => self.map1(inst, |b, x| {
                let unused = b.ty(x).elem.bits() - width;
                let reversed = b.unary(UnaryOp::BitReverse, x);
                b.binary_imm(BinaryOp::LShr, reversed, unused.into())
            })?,
            // There is a bit more than the operands have.
            Op::IAddCarry => self.pair(inst, |b, x, y| {
                let sum = b.add(x, y);
                let carry = b.binary_imm(BinaryOp::LShr, sum, width.into());
                (cut(b, sum, width), carry)
            })?,
            Op::ISubBorrow => self.pair(inst, |b, x, y| {
                let difference = b.sub(x, y);
                let low = cut(b, difference, width);
                let above = b.binary_imm(BinaryOp::LShr, difference, width.into());
                (low, b.binary_imm(BinaryOp::And, above, 1))
            })?,
            Op::ExtInst => {
                let op = match StdOp::from_u32(inst.word(1)) {
                    Some(StdOp::s_max) => BinaryOp::SMax,
                    Some(StdOp::s_min) => BinaryOp::SMin,
                    _ => return Ok(false),
                };
                let (x, y) = (self.scalars(inst.word(2))?, self.scalars(inst.word(3))?);
                let results = x.iter().zip(&y).map(|(&x, &y)| {
                    let b = &mut self.b();
                    let (x, y) = (signed(b, x, width), signed(b, y, width));
                    let chosen = b.binary(op, x, y);
                    cut(b, chosen, width)
                });
                let results = results.collect();
                self.define(inst, results);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// A conversion between an integer of `made` or `from` bits, where these are odd, and any other number.
    fn odd_conversion(&mut self, inst: &Instruction<'m>, made: Option<u32>, from: Option<u32>) -> Result<()> {
        let op = inst.op();
        let elem = self.result_elem(inst)?;
        let to_bits = made.unwrap_or(elem.bits());
        let from_signed = matches!(op, Op::SConvert | Op::SatConvertSToU | Op::ConvertSToF | Op::ConvertFToS);
        let saturates = self.spirv.is_decorated(inst.result, Decoration::SaturatedConversion);
        let rounding = match op {
            Op::ConvertSToF => self.rounding_of(inst, elem)?,
            _ => self.rounding(inst)?.unwrap_or(Rounding::Zero),
        };
        self.map1(inst, |b, x| {
            let x = match from {
                Some(width) if from_signed => signed(b, x, width),
                _ => x,
            };
            let whole = match op {
                Op::ConvertSToF => return super::conversion::int_to_float(b, elem, x, true, rounding),
                Op::ConvertFToS | Op::ConvertFToU => float_to_int(b, elem, x, from_signed, rounding, saturates),
                _ => x,
            };
            let limited = match op {
                Op::SatConvertSToU => clamp_to_bits(b, to_bits, whole, true, false),
                Op::SatConvertUToS => clamp_to_bits(b, to_bits, whole, false, true),
                _ if saturates => clamp_to_bits(b, to_bits, whole, from_signed, from_signed),
                _ => whole,
            };
            let resized = resize_int(b, elem, limited, from_signed);
            cut(b, resized, to_bits)
        })
    }

    fn signed2(&mut self, inst: &Instruction<'m>, width: u32, mut f: impl FnMut(&mut Builder, Value, Value) -> Value) -> Result<()> {
        self.map2(inst, |b, x, y| {
            let (x, y) = (signed(b, x, width), signed(b, y, width));
            let result = f(b, x, y);
            cut(b, result, width)
        })
    }

    fn cut_result(&mut self, inst: &Instruction<'m>, width: u32) -> Result<()> {
        self.flags = Flags::empty();
        let values = self.scalars(inst.result)?;
        let cut = values.iter().map(|&value| cut(&mut self.b(), value, width)).collect();
        self.define(inst, cut);
        Ok(())
    }

    /// The index into an array, with its sign.
    pub(super) fn index(&mut self, id: Id) -> Result<Value> {
        let index = self.scalar(id)?;
        self.flags = Flags::empty();
        Ok(match self.spirv.odd_width(self.spirv.type_of(id)) {
            Some(width) => signed(&mut self.b(), index, width),
            None => index,
        })
    }

    /// What was loaded, without what others (a host, or clang's sign extensions) have left in the bits above.
    pub(super) fn cut_to_widths(&mut self, type_id: Id, scalars: &mut Scalars) {
        if self.spirv.has_capability(Capability::ArbitraryPrecisionIntegersINTEL) {
            self.flags = Flags::empty();
            self.cut_part(type_id, scalars, 0);
        }
    }

    /// The scalars of a part that begins with scalar `at`; gives where the next one begins.
    fn cut_part(&mut self, type_id: Id, scalars: &mut Scalars, at: usize) -> usize {
        let spirv = self.spirv;
        match spirv.ty(type_id) {
            SpirvType::Struct(data) => data.members.iter().fold(at, |at, &member| self.cut_part(member, scalars, at)),
            &SpirvType::Array { element, length } => (0..length).fold(at, |at, _| self.cut_part(element, scalars, at)),
            &SpirvType::Vector { component, count } => (0..count).fold(at, |at, _| self.cut_part(component, scalars, at)),
            ty => {
                if let (Some(width), Some(scalar)) = (ty.odd_width(), scalars.get_mut(at)) {
                    *scalar = cut(&mut self.b(), *scalar, width);
                }
                at + 1
            }
        }
    }
}

/// The low `width` bits, the others zero.
fn cut(b: &mut Builder, value: Value, width: u32) -> Value {
    match width < b.ty(value).elem.bits() {
        true => b.binary_imm(BinaryOp::And, value, fold::mask(u64::MAX, width) as i64),
        false => value,
    }
}

/// The low `width` bits, and their sign in all above.
fn signed(b: &mut Builder, value: Value, width: u32) -> Value {
    let ty = b.ty(value);
    if let Some(bits) = b.func.constant(value) {
        return b.constant(ty, fold::signed(bits, width) as u64 & ty.elem.bit_mask());
    }
    let unused = i64::from(ty.elem.bits() - width);
    let up = b.binary_imm(BinaryOp::Shl, value, unused);
    b.binary_imm(BinaryOp::AShr, up, unused)
}
