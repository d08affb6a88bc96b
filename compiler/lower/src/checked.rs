//! Checked mode: what the source promises, or what a rule asks of it, becomes [`Runtime::Holds`] while it is still to be seen.

use super::arithmetic::{from_mask, resize_int};
use super::conversion::{float_to_float, widened};
use super::function::{Lowering, Result};
use super::shape::Leaf;
use super::value::{Scalars, Val};
use interface::Checks;
use ir::*;
use rspirv::spirv::{Decoration, Op};
use spirv::{Id, Instruction};

/// What an asynchronous copy gives: no small number, which an event that was never set may hold.
pub(super) const EVENT: i64 = 0x65_7665_6e74;

impl<'m> Lowering<'_, 'm> {
    pub(super) fn checks(&self, which: Checks) -> bool {
        self.program.options.checks.intersects(which)
    }

    fn holds(&mut self, condition: Value, held: Held, detail: Value) {
        let condition = from_mask(&mut self.b(), condition, Type::I32);
        let held = self.i32(held.number() as i32);
        self.b().push(InstData::CallRuntime {
            routine: Runtime::Holds,
            args: ValueList::from_slice(&[condition, held, detail]),
        });
    }

    /// `OpAssumeTrueKHR`
    pub(super) fn assume(&mut self, inst: &Instruction<'m>) -> Result<()> {
        if self.checks(Checks::ASSUME) {
            let (condition, nothing) = (self.scalar(inst.word(0))?, self.b().i64(0));
            self.holds(condition, Held::Assumption, nothing);
        }
        Ok(())
    }

    /// An event is one that a copy gave, or where `none` is allowed null. Gives what the copy gives then.
    pub(super) fn check_event(&mut self, event: Value, none: bool) -> Value {
        if !self.checks(Checks::EVENTS) {
            return event;
        }
        let mut b = self.b();
        let mut ok = b.icmp_imm(IntCc::Eq, event, EVENT);
        if none {
            let null = b.icmp_imm(IntCc::Eq, event, 0);
            ok = b.or(ok, null);
        }
        self.holds(ok, Held::Event, event);
        self.b().i64(EVENT)
    }

    /// Events that are waited for: their number, and a pointer to them.
    pub(super) fn check_events(&mut self, count: Id, events: Id) -> Result<()> {
        if !self.checks(Checks::EVENTS) {
            return Ok(());
        }
        let (count, pointer) = (self.scalar(count)?, self.pointer(events)?);
        let b = &mut self.b();
        let (first, step, count) = (b.i64(0), b.i64(1), resize_int(b, Elem::I64, count, false));
        self.count_loop(first, count, step, |this, index| {
            let place = this.step(pointer, index, 8);
            let event = Leaf {
                elem: Elem::I64,
                offset: 0,
            };
            let value = this.load_leaf(&event, &place, 8, MemFlags::empty());
            this.check_event(value, false);
            Ok(())
        })
    }

    /// All work-items of the sub-group have come to an operation that asks for that.
    pub(super) fn check_converged(&mut self) {
        if !self.checks(Checks::SUB_GROUPS) {
            return;
        }
        let (one, size) = (self.i32(1), self.builtin(Builtin::SubGroupSize, 0));
        let b = &mut self.b();
        let come = b.sub_group(SubGroupOp::Reduce(ReduceOp::Add), &[one]);
        let ok = b.icmp(IntCc::Eq, come, size);
        let (come, size) = (
            b.convert(ConvertOp::ZExt, Elem::I64, come),
            b.convert(ConvertOp::ZExt, Elem::I64, size),
        );
        let upper = b.binary_imm(BinaryOp::Shl, size, 32);
        let detail = b.or(upper, come);
        self.holds(ok, Held::SubGroup, detail);
    }

    /// What an operation on finite numbers gives is finite.
    pub(super) fn check_finite(&mut self, inst: &Instruction<'m>) -> Result<()> {
        if inst.result == 0 || !self.checks(Checks::NAN) || !computes(inst.op()) {
            return Ok(());
        }
        let is_float = |this: &Self, scalars: &Scalars| scalars.iter().all(|&scalar| this.func.ty(scalar).elem.is_float());
        let results = self.scalars(inst.result)?;
        if !is_float(self, &results) {
            return Ok(());
        }
        let first = if inst.op() == Op::ExtInst { 2 } else { 0 };
        let mut operands: Vec<Scalars> = Vec::new();
        for &operand in inst.operands.get(first..).unwrap_or_default() {
            // Operands that lead to memory are no numbers; one that is a literal may be taken for a number, which then makes nobody suspicious.
            if let Ok(Val::Scalars(scalars)) = self.val(operand) {
                operands.push(scalars);
            }
        }
        operands.retain(|scalars| is_float(self, scalars));
        if operands.is_empty() && inst.op() == Op::ExtInst {
            return Ok(());
        }
        let flags = std::mem::take(&mut self.flags);
        let b = &mut self.b();
        let (mut all, mut detail) = (None, b.i64(0));
        for (position, &result) in results.iter().enumerate() {
            let finite = is_finite(b, result);
            let mut ok = finite;
            for operand in &operands {
                let of_it = if operand.len() == results.len() {
                    &operand[position..=position]
                } else {
                    operand
                };
                for &value in of_it {
                    let finite = is_finite(b, value);
                    let infinite = b.not(finite);
                    ok = b.or(ok, infinite);
                }
            }
            let wide = float_to_float(b, Elem::F64, result, Rounding::Nearest);
            let bits = b.bitcast(Elem::I64, wide);
            detail = b.select(ok, detail, bits);
            all = Some(all.map_or(ok, |all| b.and(all, ok)));
        }
        if let Some(all) = all {
            self.holds(all, Held::Finite, detail);
        }
        self.flags = flags;
        Ok(())
    }

    /// A floating-point number that is converted to an integer without saturation, and rounded for that, is one that the integer can be.
    pub(super) fn check_fits(&mut self, inst: &Instruction<'m>) -> Result<()> {
        let signed = match inst.op() {
            Op::ConvertFToS => true,
            Op::ConvertFToU => false,
            _ => return Ok(()),
        };
        if !self.checks(Checks::CONVERSIONS) || self.spirv.is_decorated(inst.result, Decoration::SaturatedConversion) {
            return Ok(());
        }
        let operand = inst.word(0);
        let (Val::Scalars(numbers), Ok(elem)) = (self.val(operand)?, self.result_elem(inst)) else {
            return Ok(());
        };
        let rounding = self.rounding(inst)?.unwrap_or(Rounding::Zero);
        let small = self.float8(self.spirv.type_of(operand));
        let flags = std::mem::take(&mut self.flags);
        let b = &mut self.b();
        let (mut all, mut detail) = (b.mask(Type::MASK, true), b.i64(0));
        for number in numbers {
            let number = small.map_or(number, |small| small.widened(b, number));
            let ok = fits(b, number, elem.bits(), signed, rounding);
            let wide = float_to_float(b, Elem::F64, number, Rounding::Nearest);
            let bits = b.bitcast(Elem::I64, wide);
            detail = b.select(ok, detail, bits);
            all = b.and(all, ok);
        }
        let bits = elem.bits() as u8;
        self.holds(all, Held::Fits { bits, signed }, detail);
        self.flags = flags;
        Ok(())
    }
}

/// The number, once rounded, is an integer of so many bits. A NaN is none.
fn fits(b: &mut Builder, number: Value, bits: u32, signed: bool, rounding: Rounding) -> Value {
    let number = widened(b, number);
    let rounded = match rounding {
        Rounding::Zero => b.unary(UnaryOp::FTrunc, number),
        Rounding::Down => b.unary(UnaryOp::Floor, number),
        Rounding::Up => b.unary(UnaryOp::Ceil, number),
        Rounding::Nearest => b.unary(UnaryOp::Nearest, number),
    };
    // Powers of two, which float and double have exactly.
    let (least, end) = match signed {
        true => (-2_f64.powi(bits as i32 - 1), 2_f64.powi(bits as i32 - 1)),
        false => (0.0, 2_f64.powi(bits as i32)),
    };
    let ty = b.ty(number);
    let [least, end] = [least, end].map(|limit| match ty.elem {
        Elem::F64 => b.constant(ty, limit.to_bits()),
        _ => b.constant(ty, (limit as f32).to_bits().into()),
    });
    let (above, below) = (b.fcmp(FloatCc::Oge, rounded, least), b.fcmp(FloatCc::Olt, rounded, end));
    b.and(above, below)
}

/// Neither NaN nor an infinity. It looks at the bits: comparisons may take for granted that there is neither.
fn is_finite(b: &mut Builder, value: Value) -> Value {
    let elem = b.ty(value).elem;
    let bits = b.bitcast(Elem::int(elem.bits()).unwrap_or(Elem::I64), value);
    let ones = b.constant(b.ty(bits), infinity_bits(elem));
    let exponent = b.and(bits, ones);
    b.icmp(IntCc::Ne, exponent, ones)
}

/// The instruction computes floating-point numbers of others.
fn computes(op: Op) -> bool {
    matches!(
        op,
        Op::FAdd
            | Op::FSub
            | Op::FMul
            | Op::FDiv
            | Op::FRem
            | Op::FMod
            | Op::VectorTimesScalar
            | Op::Dot
            | Op::FConvert
            | Op::ConvertSToF
            | Op::ConvertUToF
            | Op::ExtInst
    )
}

/// Operations across a sub-group that all its work-items must reach.
pub(super) fn needs_all(op: Op) -> bool {
    matches!(
        op,
        Op::GroupAll
            | Op::GroupAny
            | Op::GroupBroadcast
            | Op::GroupIAdd
            | Op::GroupFAdd
            | Op::GroupFMin
            | Op::GroupUMin
            | Op::GroupSMin
            | Op::GroupFMax
            | Op::GroupUMax
            | Op::GroupSMax
            | Op::GroupIMulKHR
            | Op::GroupFMulKHR
            | Op::GroupBitwiseAndKHR
            | Op::GroupBitwiseOrKHR
            | Op::GroupBitwiseXorKHR
            | Op::GroupLogicalAndKHR
            | Op::GroupLogicalOrKHR
            | Op::GroupLogicalXorKHR
    )
}
