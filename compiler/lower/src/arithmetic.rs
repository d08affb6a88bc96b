//! Arithmetic, bits, relations and logic (SPIR-V specification, sections 3.52.13 to 3.52.15), component by component.

use super::float_modes::float_binary;
use super::function::{Lowering, Result};
use super::value::Scalars;
use ir::*;
use rspirv::spirv::Op;
use spirv::Instruction;

impl<'m> Lowering<'_, 'm> {
    /// Lowers it if it is one of these; says whether it was.
    pub(super) fn arithmetic(&mut self, inst: &Instruction<'m>) -> Result<bool> {
        let op = inst.op();
        if let Some(binary) = binary_op(op) {
            self.flags = self.arithmetic_flags(inst, binary.is_float());
            let rounding = if binary.is_float() {
                self.rounding_of(inst, self.result_elem(inst)?)?
            } else {
                Rounding::Nearest
            };
            let elem = self.result_elem(inst)?;
            self.map2(inst, |b, x, y| {
                // LLVM's back end masks wider integers as well (`Deviation::MaskOfWider`).
                let x = if op == Op::BitwiseAnd { resize_int(b, elem, x, false) } else { x };
                float_binary(b, rounding, binary, x, y)
            })?;
        } else if let Some(cc) = int_comparison(op) {
            self.map2(inst, |b, x, y| b.icmp(cc, x, y))?;
        } else if let Some(cc) = float_comparison(op) {
            self.flags = self.arithmetic_flags(inst, true);
            self.map2(inst, |b, x, y| b.fcmp(cc, x, y))?;
        } else {
            return self.other_arithmetic(inst);
        }
        Ok(true)
    }

    fn other_arithmetic(&mut self, inst: &Instruction<'m>) -> Result<bool> {
        match inst.op() {
            Op::SNegate => {
                self.flags = self.arithmetic_flags(inst, false);
                self.map1(inst, |b, x| b.unary(UnaryOp::Neg, x))?
            }
            Op::FNegate => {
                self.flags = self.arithmetic_flags(inst, true);
                self.map1(inst, |b, x| b.unary(UnaryOp::FNeg, x))?
            }
            Op::Not | Op::LogicalNot => self.map1(inst, |b, x| b.not(x))?,
            Op::ShiftLeftLogical => {
                self.flags = self.arithmetic_flags(inst, false);
                self.shift(inst, BinaryOp::Shl)?
            }
            Op::ShiftRightLogical => self.shift(inst, BinaryOp::LShr)?,
            Op::ShiftRightArithmetic => self.shift(inst, BinaryOp::AShr)?,
            Op::SMod => self.map2(inst, signed_modulo)?,
            Op::FMod => {
                self.flags = self.arithmetic_flags(inst, true);
                self.map2(inst, float_modulo)?
            }
            Op::IAddCarry => self.pair(inst, |b, x, y| {
                let low = b.add(x, y);
                let carry = b.icmp(IntCc::Ult, low, x);
                (low, from_mask(b, carry, b.ty(x)))
            })?,
            Op::ISubBorrow => self.pair(inst, |b, x, y| {
                let borrow = b.icmp(IntCc::Ult, x, y);
                (b.sub(x, y), from_mask(b, borrow, b.ty(x)))
            })?,
            Op::UMulExtended => self.pair(inst, |b, x, y| (b.mul(x, y), b.binary(BinaryOp::UMulHi, x, y)))?,
            Op::SMulExtended => self.pair(inst, |b, x, y| (b.mul(x, y), b.binary(BinaryOp::SMulHi, x, y)))?,
            Op::VectorTimesScalar => {
                self.flags = self.arithmetic_flags(inst, true);
                let (vector, scalar) = (self.scalars(inst.word(0))?, self.scalar(inst.word(1))?);
                let rounding = self.rounding_of(inst, self.result_elem(inst)?)?;
                let product = vector
                    .iter()
                    .map(|&x| float_binary(&mut self.b(), rounding, BinaryOp::FMul, x, scalar))
                    .collect();
                self.define(inst, product);
            }
            Op::Dot => {
                self.flags = self.arithmetic_flags(inst, true);
                let (x, y) = (self.scalars(inst.word(0))?, self.scalars(inst.word(1))?);
                let rounding = self.rounding_of(inst, self.result_elem(inst)?)?;
                let sum = dot(&mut self.b(), rounding, &x, &y);
                self.define_scalar(inst, sum);
            }
            Op::ArithmeticFenceEXT => {
                // What made the value stays as it is: it is not fused or rearranged with what follows.
                let values = self.scalars(inst.word(0))?;
                for &value in &values {
                    if let Some(made_by) = self.func.def_inst(value) {
                        self.func.inst_mut(made_by).flags -= Flags::CONTRACT | Flags::REASSOC;
                    }
                }
                self.define(inst, values);
            }
            Op::SDot | Op::UDot | Op::SUDot | Op::SDotAccSat | Op::UDotAccSat | Op::SUDotAccSat => self.integer_dot(inst)?,
            Op::BitFieldInsert => self.bit_field_insert(inst)?,
            Op::BitFieldSExtract => self.bit_field_extract(inst, true)?,
            Op::BitFieldUExtract => self.bit_field_extract(inst, false)?,
            Op::BitReverse => self.map1(inst, |b, x| b.unary(UnaryOp::BitReverse, x))?,
            Op::BitCount => {
                let elem = self.result_elem(inst)?;
                self.map1(inst, |b, x| {
                    let count = b.unary(UnaryOp::Popcnt, x);
                    resize_int(b, elem, count, false)
                })?
            }
            Op::IsNan => self.map1(inst, |b, x| b.fcmp(FloatCc::Uno, x, x))?,
            Op::IsInf => self.map1(inst, |b, x| {
                let size = b.unary(UnaryOp::FAbs, x);
                let infinity = b.constant(b.ty(x), infinity_bits(b.ty(x).elem));
                b.fcmp(FloatCc::Oeq, size, infinity)
            })?,
            Op::IsFinite => self.map1(inst, |b, x| {
                let size = b.unary(UnaryOp::FAbs, x);
                let infinity = b.constant(b.ty(x), infinity_bits(b.ty(x).elem));
                b.fcmp(FloatCc::Olt, size, infinity)
            })?,
            Op::IsNormal => self.map1(inst, is_normal)?,
            Op::SignBitSet => self.map1(inst, |b, x| {
                let bits = b.bitcast(b.ty(x).elem.as_int(), x);
                b.icmp_imm(IntCc::Slt, bits, 0)
            })?,
            Op::LessOrGreater => self.map2(inst, |b, x, y| b.fcmp(FloatCc::One, x, y))?,
            Op::Ordered => self.map2(inst, |b, x, y| b.fcmp(FloatCc::Ord, x, y))?,
            Op::Unordered => self.map2(inst, |b, x, y| b.fcmp(FloatCc::Uno, x, y))?,
            Op::Any => self.fold(inst, BinaryOp::Or)?,
            Op::All => self.fold(inst, BinaryOp::And)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// clang spells the sign extension of an index `x << 32 >> 32`, and does arithmetic between the two. It is seen here for what it is, since that
    /// decides how a memory access behaves.
    fn shift(&mut self, inst: &Instruction<'m>, op: BinaryOp) -> Result<()> {
        self.map2(inst, |b, x, by| {
            let elem = b.ty(x).elem;
            let by = resize_int(b, elem, by, false);
            if let (BinaryOp::AShr, Some((narrow, inner))) = (op, narrowed(b.func, x, by)) {
                let inner = b.convert(ConvertOp::Trunc, narrow, inner);
                return b.convert(ConvertOp::SExt, elem, inner);
            }
            if let (BinaryOp::AShr, Elem::I64, Some(amount @ 1..=32)) = (op, elem, b.func.constant(by))
                && let Some(high) = high_half(b, x, 8)
            {
                let extended = b.convert(ConvertOp::SExt, elem, high);
                return b.binary_imm(BinaryOp::Shl, extended, 32 - amount as i64);
            }
            b.binary(op, x, by)
        })
    }

    /// OpAny and OpAll. Some compilers give them integers, whose sign bits are meant.
    fn fold(&mut self, inst: &Instruction<'m>, op: BinaryOp) -> Result<()> {
        let components = self.scalars(inst.word(0))?;
        let Some(mut all) = components.into_iter().reduce(|x, y| self.b().binary(op, x, y)) else {
            return Err(super::Failure::Unsupported);
        };
        if self.func.ty(all).elem.is_int() {
            all = self.b().icmp_imm(IntCc::Slt, all, 0);
        }
        self.define_scalar(inst, all);
        Ok(())
    }

    /// A struct of two results: all components of the first, then all of the second.
    pub(super) fn pair(
        &mut self,
        inst: &Instruction<'m>,
        mut make: impl FnMut(&mut Builder, Value, Value) -> (Value, Value),
    ) -> Result<()> {
        let (x, y) = (self.scalars(inst.word(0))?, self.scalars(inst.word(1))?);
        let mut second = Scalars::new();
        let mut results = Scalars::new();
        for (&x, &y) in x.iter().zip(&y) {
            let (low, high) = make(&mut self.b(), x, y);
            results.push(low);
            second.push(high);
        }
        results.extend(second);
        self.define(inst, results);
        Ok(())
    }

    fn bit_field_insert(&mut self, inst: &Instruction<'m>) -> Result<()> {
        let (base, insert) = (self.scalars(inst.word(0))?, self.scalars(inst.word(1))?);
        let (offset, count) = (self.scalar(inst.word(2))?, self.scalar(inst.word(3))?);
        let mut results = Scalars::new();
        for (&base, &insert) in base.iter().zip(&insert) {
            let b = &mut self.b();
            let elem = b.ty(base).elem;
            let (offset, count) = (resize_int(b, elem, offset, false), resize_int(b, elem, count, false));
            let low = low_bits(b, count);
            let mask = b.binary(BinaryOp::Shl, low, offset);
            let moved = b.binary(BinaryOp::Shl, insert, offset);
            let kept = b.not(mask);
            let (kept, new) = (b.and(base, kept), b.and(moved, mask));
            results.push(b.or(kept, new));
        }
        self.define(inst, results);
        Ok(())
    }

    fn bit_field_extract(&mut self, inst: &Instruction<'m>, signed: bool) -> Result<()> {
        let (offset, count) = (self.scalar(inst.word(1))?, self.scalar(inst.word(2))?);
        let base = self.scalars(inst.word(0))?;
        let mut results = Scalars::new();
        for &base in &base {
            let b = &mut self.b();
            let ty = b.ty(base);
            let (offset, count) = (resize_int(b, ty.elem, offset, false), resize_int(b, ty.elem, count, false));
            let down = b.binary(BinaryOp::LShr, base, offset);
            let mask = low_bits(b, count);
            let field = b.and(down, mask);
            results.push(if signed {
                // The field's top bit is moved to the top and back.
                let width = b.constant(ty, u64::from(ty.elem.bits()));
                let unused = b.sub(width, count);
                let up = b.binary(BinaryOp::Shl, field, unused);
                let extended = b.binary(BinaryOp::AShr, up, unused);
                let none = b.icmp_imm(IntCc::Eq, count, 0);
                b.select(none, field, extended)
            } else {
                field
            });
        }
        self.define(inst, results);
        Ok(())
    }
}

/// The sum of the products of components.
pub fn dot(b: &mut Builder, rounding: Rounding, x: &[Value], y: &[Value]) -> Value {
    let mut sum = float_binary(b, rounding, BinaryOp::FMul, x[0], y[0]);
    for (&x, &y) in x.iter().zip(y).skip(1) {
        let product = float_binary(b, rounding, BinaryOp::FMul, x, y);
        sum = float_binary(b, rounding, BinaryOp::FAdd, sum, product);
    }
    sum
}

/// `count` ones at the bottom; `count` may be the width.
fn low_bits(b: &mut Builder, count: Value) -> Value {
    let ty = b.ty(count);
    let width = b.constant(ty, u64::from(ty.elem.bits()));
    let unused = b.sub(width, count);
    let ones = b.constant(ty, u64::MAX);
    let mask = b.binary(BinaryOp::LShr, ones, unused);
    // Shifts take their amount modulo the width, so that no bit at all has to be seen to.
    let none = b.icmp_imm(IntCc::Eq, count, 0);
    let zero = b.constant(ty, 0);
    b.select(none, zero, mask)
}

/// 1 where the mask is true, else 0, in an integer type.
pub fn from_mask(b: &mut Builder, mask: Value, ty: Type) -> Value {
    let (one, zero) = (b.constant(ty, 1), b.constant(ty, 0));
    b.select(mask, one, zero)
}

/// An integer in another width.
pub fn resize_int(b: &mut Builder, elem: Elem, value: Value, signed: bool) -> Value {
    let op = match (elem.bits() < b.ty(value).elem.bits(), signed) {
        (true, _) => ConvertOp::Trunc,
        (false, true) => ConvertOp::SExt,
        (false, false) => ConvertOp::ZExt,
    };
    b.convert(op, elem, value)
}

/// Clamps an integer, signed or not, to what `elem`, signed or not, can hold; in the integer's own type.
pub fn clamp_int(b: &mut Builder, elem: Elem, value: Value, from_signed: bool, to_signed: bool) -> Value {
    clamp_to_bits(b, elem.bits(), value, from_signed, to_signed)
}

/// The same for integers of any width.
pub fn clamp_to_bits(b: &mut Builder, to_bits: u32, value: Value, from_signed: bool, to_signed: bool) -> Value {
    let from = b.ty(value);
    let (low, high) = if to_signed {
        (1i128 << (to_bits - 1), (1i128 << (to_bits - 1)) - 1)
    } else {
        (0, (1i128 << to_bits) - 1)
    };
    let source = from.elem.bits();
    let (source_low, source_high) = if from_signed {
        (1i128 << (source - 1), (1i128 << (source - 1)) - 1)
    } else {
        (0, (1i128 << source) - 1)
    };
    let (low, source_low) = (-low, -source_low);
    let mut value = value;
    if low > source_low {
        // Only a signed source can be too low.
        let limit = b.constant(from, low as u64);
        value = b.binary(BinaryOp::SMax, value, limit);
    }
    if high < source_high {
        let limit = b.constant(from, high as u64);
        value = b.binary(if from_signed { BinaryOp::SMin } else { BinaryOp::UMin }, value, limit);
    }
    value
}

/// `x << by >> by` with a constant `by` that leaves 8, 16 or 32 bits: these, and `x`.
fn narrowed(func: &Function, shifted: Value, by: Value) -> Option<(Elem, Value)> {
    let InstData::Binary { op: BinaryOp::Shl, args } = *func.def_data(shifted)? else {
        return None;
    };
    let amount = func.constant(by)?;
    if func.constant(args[1])? != amount {
        return None;
    }
    let width = u64::from(func.ty(shifted).elem.bits());
    let left = width.checked_sub(amount).filter(|&left| left < width)?;
    Some((Elem::int(left as u32)?, args[0]))
}

/// The upper half of a number whose lower half is zero, if it can be computed in 32 bits.
fn high_half(b: &mut Builder, value: Value, depth: u32) -> Option<Value> {
    let depth = depth.checked_sub(1)?;
    let saved = std::mem::replace(&mut b.flags, Flags::empty());
    let high = match *b.func.def_data(value)? {
        InstData::Const { bits, .. } if bits as u32 == 0 => Some(b.i32((bits >> 32) as i32)),
        InstData::Binary {
            op: BinaryOp::Shl,
            args: [x, by],
        } if b.func.constant(by) == Some(32) => Some(b.convert(ConvertOp::Trunc, Elem::I32, x)),
        InstData::Binary {
            op: op @ (BinaryOp::Add | BinaryOp::Sub | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor),
            args: [x, y],
        } => match (high_half(b, x, depth), high_half(b, y, depth)) {
            (Some(x), Some(y)) => Some(b.binary(op, x, y)),
            _ => None,
        },
        // Only one factor has to be moved up.
        InstData::Binary {
            op: BinaryOp::Mul,
            args: [x, y],
        } => match (high_half(b, x, depth), high_half(b, y, depth)) {
            (Some(high), None) => {
                let other = b.convert(ConvertOp::Trunc, Elem::I32, y);
                Some(b.mul(high, other))
            }
            (None, Some(high)) => {
                let other = b.convert(ConvertOp::Trunc, Elem::I32, x);
                Some(b.mul(other, high))
            }
            _ => None,
        },
        _ => None,
    };
    b.flags = saved;
    high
}

pub fn signed_modulo(b: &mut Builder, x: Value, y: Value) -> Value {
    let rest = b.binary(BinaryOp::SRem, x, y);
    let signs = b.xor(rest, y);
    let (differ, some) = (b.icmp_imm(IntCc::Slt, signs, 0), b.icmp_imm(IntCc::Ne, rest, 0));
    let correct = b.and(differ, some);
    let corrected = b.add(rest, y);
    b.select(correct, corrected, rest)
}

fn float_modulo(b: &mut Builder, x: Value, y: Value) -> Value {
    let ty = b.ty(x);
    let rest = b.binary(BinaryOp::FRem, x, y);
    let (rest_bits, y_bits) = (b.bitcast(ty.elem.as_int(), rest), b.bitcast(ty.elem.as_int(), y));
    let signs = b.xor(rest_bits, y_bits);
    let zero = b.constant(ty, 0);
    let (differ, some) = (b.icmp_imm(IntCc::Slt, signs, 0), b.fcmp(FloatCc::One, rest, zero));
    let correct = b.and(differ, some);
    let corrected = b.fadd(rest, y);
    b.select(correct, corrected, rest)
}

fn is_normal(b: &mut Builder, x: Value) -> Value {
    let ty = b.ty(x);
    let least: u64 = match ty.elem {
        Elem::F16 => 0x0400,
        Elem::BF16 => 0x0080,
        Elem::F32 => 0x0080_0000,
        _ => 0x0010_0000_0000_0000,
    };
    let size = b.unary(UnaryOp::FAbs, x);
    let (least, infinity) = (b.constant(ty, least), b.constant(ty, infinity_bits(ty.elem)));
    let (large, finite) = (b.fcmp(FloatCc::Oge, size, least), b.fcmp(FloatCc::Olt, size, infinity));
    b.and(large, finite)
}

pub fn binary_op(op: Op) -> Option<BinaryOp> {
    Some(match op {
        Op::IAdd => BinaryOp::Add,
        Op::ISub => BinaryOp::Sub,
        Op::IMul => BinaryOp::Mul,
        Op::UDiv => BinaryOp::UDiv,
        Op::SDiv => BinaryOp::SDiv,
        Op::UMod => BinaryOp::URem,
        Op::SRem => BinaryOp::SRem,
        Op::FAdd => BinaryOp::FAdd,
        Op::FSub => BinaryOp::FSub,
        Op::FMul => BinaryOp::FMul,
        Op::FDiv => BinaryOp::FDiv,
        Op::FRem => BinaryOp::FRem,
        Op::BitwiseOr | Op::LogicalOr => BinaryOp::Or,
        Op::BitwiseXor => BinaryOp::Xor,
        Op::BitwiseAnd | Op::LogicalAnd => BinaryOp::And,
        _ => return None,
    })
}

pub fn int_comparison(op: Op) -> Option<IntCc> {
    Some(match op {
        Op::IEqual | Op::LogicalEqual | Op::PtrEqual => IntCc::Eq,
        Op::INotEqual | Op::LogicalNotEqual | Op::PtrNotEqual => IntCc::Ne,
        Op::UGreaterThan => IntCc::Ugt,
        Op::SGreaterThan => IntCc::Sgt,
        Op::UGreaterThanEqual => IntCc::Uge,
        Op::SGreaterThanEqual => IntCc::Sge,
        Op::ULessThan => IntCc::Ult,
        Op::SLessThan => IntCc::Slt,
        Op::ULessThanEqual => IntCc::Ule,
        Op::SLessThanEqual => IntCc::Sle,
        _ => return None,
    })
}

fn float_comparison(op: Op) -> Option<FloatCc> {
    Some(match op {
        Op::FOrdEqual => FloatCc::Oeq,
        Op::FUnordEqual => FloatCc::Ueq,
        Op::FOrdNotEqual => FloatCc::One,
        Op::FUnordNotEqual => FloatCc::Une,
        Op::FOrdLessThan => FloatCc::Olt,
        Op::FUnordLessThan => FloatCc::Ult,
        Op::FOrdGreaterThan => FloatCc::Ogt,
        Op::FUnordGreaterThan => FloatCc::Ugt,
        Op::FOrdLessThanEqual => FloatCc::Ole,
        Op::FUnordLessThanEqual => FloatCc::Ule,
        Op::FOrdGreaterThanEqual => FloatCc::Oge,
        Op::FUnordGreaterThanEqual => FloatCc::Uge,
        _ => return None,
    })
}
