//! Conversions of scalars.

use super::super::library;
use super::convert::int_limits;
use super::emit::Emitter;
use super::values::{Parts, scalar_type};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self as clif, InstBuilder, types};
use ir::{ConvertOp, Elem, Rounding, Type};

impl Emitter<'_> {
    /// A conversion of one lane.
    pub fn scalar_convert(
        &mut self,
        op: ConvertOp,
        from: Elem,
        to: Elem,
        a: clif::Value,
        rounding: Rounding,
        saturate: bool,
    ) -> clif::Value {
        let ty = scalar_type(to);
        match op {
            ConvertOp::Trunc => self.narrow_int(ty, a),
            ConvertOp::ZExt => self.ins().uextend(ty, a),
            ConvertOp::SExt => self.ins().sextend(ty, a),
            ConvertOp::Bitcast => self.cast(ty, a),
            ConvertOp::MaskToInt => self.ins().bmask(ty, a),
            ConvertOp::IntToMask => self.ins().icmp_imm_s(IntCC::NotEqual, a, 0),
            ConvertOp::FPromote => self.scalar_promote(from, to, a),
            ConvertOp::FDemote => self.scalar_demote(from, to, a, rounding),
            ConvertOp::FToS | ConvertOp::FToU => {
                let (from, a) = match from {
                    Elem::F16 | Elem::BF16 => (Elem::F32, self.scalar_promote(from, Elem::F32, a)),
                    _ => (from, a),
                };
                debug_assert!(from.is_float());
                let rounded = self.scalar_round(rounding, a);
                self.scalar_to_int(op == ConvertOp::FToS, to, rounded, saturate)
            }
            ConvertOp::SToF | ConvertOp::UToF => self.scalar_from_int(op, from, to, a, rounding),
        }
    }

    fn scalar_promote(&mut self, from: Elem, to: Elem, a: clif::Value) -> clif::Value {
        match from {
            Elem::F16 | Elem::BF16 => {
                let single = self.half_to_f32(&Parts::scalar(Type::scalar(from), a)).regs[0];
                if to == Elem::F64 {
                    self.ins().fpromote(types::F64, single)
                } else {
                    single
                }
            }
            _ => self.ins().fpromote(types::F64, a),
        }
    }

    fn scalar_demote(&mut self, from: Elem, to: Elem, a: clif::Value, rounding: Rounding) -> clif::Value {
        match (from, to) {
            (Elem::F64, Elem::F32) if rounding == Rounding::Nearest => self.ins().fdemote(types::F32, a),
            (Elem::F32, _) => self.f32_to_half(to, &Parts::scalar(Type::F32, a), rounding).regs[0],
            _ => self.scalar_evaluate(ConvertOp::FDemote, from, to, a, rounding),
        }
    }

    fn scalar_to_int(&mut self, signed: bool, to: Elem, a: clif::Value, saturate: bool) -> clif::Value {
        let ty = scalar_type(to);
        match (signed, to) {
            (true, Elem::I32 | Elem::I64) => self.ins().fcvt_to_sint_sat(ty, a),
            (false, Elem::I32 | Elem::I64) => self.ins().fcvt_to_uint_sat(ty, a),
            _ => {
                let mut wide = self.ins().fcvt_to_sint_sat(types::I32, a);
                if saturate {
                    let (least, most) = int_limits(signed, to);
                    let least = self.ins().iconst(types::I32, least);
                    let most = self.ins().iconst(types::I32, most);
                    wide = self.ins().smax(wide, least);
                    wide = self.ins().smin(wide, most);
                }
                self.ins().ireduce(ty, wide)
            }
        }
    }

    fn scalar_from_int(&mut self, op: ConvertOp, from: Elem, to: Elem, a: clif::Value, rounding: Rounding) -> clif::Value {
        let signed = op == ConvertOp::SToF;
        let ty = scalar_type(to);
        let exact = from.bits() <= 16 || (from == Elem::I32 && to == Elem::F64);
        match to {
            Elem::F32 | Elem::F64 if exact || rounding == Rounding::Nearest => match signed {
                true => self.ins().fcvt_from_sint(ty, a),
                false => self.ins().fcvt_from_uint(ty, a),
            },
            Elem::F16 | Elem::BF16 if exact => {
                let single = self.scalar_from_int(op, from, Elem::F32, a, rounding);
                self.scalar_demote(Elem::F32, to, single, rounding)
            }
            _ => self.scalar_evaluate(op, from, to, a, rounding),
        }
    }

    fn scalar_evaluate(&mut self, op: ConvertOp, from: Elem, to: Elem, a: clif::Value, rounding: Rounding) -> clif::Value {
        let evaluation = library::convert(op, from, to, rounding);
        self.evaluate(evaluation, &[a], scalar_type(to))
    }
}
