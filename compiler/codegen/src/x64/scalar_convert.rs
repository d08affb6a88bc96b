//! Conversions of scalars.

use super::super::library;
use super::build::Alu;
use super::convert::int_limits;
use super::encode::{Imm, Size};
use super::machine::{Amode, Cc, R, RmOf, Src};
use super::ops;
use super::parts::Parts;
use super::selector::Selector;
use ir::{ConvertOp, Elem, Rounding, Type};
use regalloc2::VReg;

impl Selector<'_> {
    /// A conversion of one lane.
    pub fn scalar_convert(&mut self, op: ConvertOp, from: Elem, to: Elem, a: VReg, rounding: Rounding, saturate: bool) -> VReg {
        match op {
            ConvertOp::Trunc => a,
            ConvertOp::ZExt if to == Elem::I64 => self.extended_to_64(from, false, a),
            ConvertOp::SExt if to == Elem::I64 => self.extended_to_64(from, true, a),
            ConvertOp::ZExt => self.zero_extended(from, a),
            ConvertOp::SExt => self.sign_extended(from, a),
            ConvertOp::Bitcast => self.scalar_bitcast(from, to, a),
            // 64 bits of it: the upper ones of a mask may be anything.
            ConvertOp::MaskToInt => {
                let negated = self.c.group3(3, Size::D, a);
                self.extended_to_64(Elem::I32, true, negated)
            }
            ConvertOp::IntToMask => {
                let a = self.zero_extended(from, a);
                self.c.test(super::forms::int_size(from), a, a);
                self.c.setcc(Cc::Ne)
            }
            ConvertOp::FPromote => self.scalar_promote(from, to, a),
            ConvertOp::FDemote => self.scalar_demote(from, to, a, rounding),
            ConvertOp::FToS | ConvertOp::FToU => {
                let (from, a) = match from {
                    Elem::F16 | Elem::BF16 => (Elem::F32, self.scalar_promote(from, Elem::F32, a)),
                    _ => (from, a),
                };
                let a = match rounding {
                    Rounding::Zero => a,
                    _ => self.round(rounding, &Parts::scalar(Type::scalar(from), a)).regs[0],
                };
                self.scalar_to_int(op == ConvertOp::FToS, from, to, a, saturate)
            }
            ConvertOp::SToF | ConvertOp::UToF => self.scalar_from_int(op, from, to, a, rounding),
        }
    }

    fn scalar_bitcast(&mut self, from: Elem, to: Elem, a: VReg) -> VReg {
        let in_vector = |elem: Elem| matches!(elem, Elem::F32 | Elem::F64);
        let size = if to.bytes() == 8 { Size::Q } else { Size::D };
        match (in_vector(from), in_vector(to)) {
            (false, true) => self.c.int_to_v(size, a),
            (true, false) => self.c.v_low_to_int(size, a),
            _ => a,
        }
    }

    fn scalar_promote(&mut self, from: Elem, to: Elem, a: VReg) -> VReg {
        let single = match from {
            Elem::F16 | Elem::BF16 => self.half_to_f32(&Parts::scalar(Type::scalar(from), a)).regs[0],
            _ => a,
        };
        if to == Elem::F64 {
            self.c.v3(&ops::VCVTSS2SD, Size::X, single, single)
        } else {
            single
        }
    }

    fn scalar_demote(&mut self, from: Elem, to: Elem, a: VReg, rounding: Rounding) -> VReg {
        match (from, to) {
            (Elem::F64, Elem::F32) if rounding == Rounding::Nearest => self.c.v3(&ops::VCVTSD2SS, Size::X, a, a),
            (Elem::F32, _) => self.f32_to_half(to, &Parts::scalar(Type::F32, a), rounding).regs[0],
            _ => self.scalar_evaluate(ConvertOp::FDemote, from, to, a, rounding),
        }
    }

    fn float_limit(&mut self, elem: Elem, number: f64) -> Amode {
        match elem {
            Elem::F64 => self.pooled(&number.to_le_bytes()),
            _ => self.pooled(&(number as f32).to_le_bytes()),
        }
    }

    /// Sets the flags by comparing with a number: below and parity if `a` is NaN.
    fn compare_with(&mut self, elem: Elem, a: VReg, number: f64) {
        let limit = self.float_limit(elem, number);
        let op = if elem == Elem::F64 { &ops::VUCOMISD } else { &ops::VUCOMISS };
        self.c.machine(op, Size::X, R::Use(a), R::No, RmOf::Src(Src::Mem(limit)), Imm::No);
    }

    /// Toward zero, to 32 or 64 bits; the least number if it is out of range.
    fn machine_int(&mut self, elem: Elem, size: Size, a: VReg) -> VReg {
        let op = if elem == Elem::F64 { &ops::VCVTTSD2SI } else { &ops::VCVTTSS2SI };
        self.c.g2(op, size, a)
    }

    fn scalar_to_int(&mut self, signed: bool, from: Elem, to: Elem, a: VReg, saturate: bool) -> VReg {
        match (signed, to) {
            (true, Elem::I32 | Elem::I64) => {
                let size = super::forms::int_size(to);
                let value = self.machine_int(from, size, a);
                if !saturate {
                    return value;
                }
                let (most, zero) = (self.c.constant(to.bit_mask() >> 1), self.c.constant(0));
                self.compare_with(from, a, 2f64.powi(to.bits() as i32 - 1));
                let value = self.c.cmov(Cc::Ae, size, most, value);
                self.compare_with(from, a, 0.0);
                self.c.cmov(Cc::P, size, zero, value)
            }
            (false, Elem::I32) => {
                let value = self.machine_int(from, Size::Q, a);
                if !saturate {
                    return value;
                }
                let (most, zero) = (self.c.constant(0xffff_ffff), self.c.constant(0));
                self.c.test(Size::Q, value, value);
                let value = self.c.cmov(Cc::L, Size::Q, zero, value);
                self.compare_with(from, a, 2f64.powi(32));
                self.c.cmov(Cc::Ae, Size::Q, most, value)
            }
            (false, Elem::I64) => {
                let low = self.machine_int(from, Size::Q, a);
                let half = self.float_limit(from, 2f64.powi(63));
                let subtract = if from == Elem::F64 { &ops::VSUBSD } else { &ops::VSUBSS };
                let lower = self.c.v3(subtract, Size::X, a, half);
                let high = self.machine_int(from, Size::Q, lower);
                let sign = self.c.constant(1 << 63);
                let high = self.c.alu(Alu::Xor, Size::Q, high, sign);
                let (most, zero) = (self.c.constant(u64::MAX), self.c.constant(0));
                self.compare_with(from, a, 2f64.powi(63));
                let value = self.c.cmov(Cc::Ae, Size::Q, high, low);
                if !saturate {
                    return value;
                }
                self.compare_with(from, a, 2f64.powi(64));
                let value = self.c.cmov(Cc::Ae, Size::Q, most, value);
                self.compare_with(from, a, 0.0);
                self.c.cmov(Cc::B, Size::Q, zero, value)
            }
            _ if !saturate => self.machine_int(from, Size::D, a),
            _ => {
                let wide = self.scalar_to_int(true, from, Elem::I32, a, true);
                let (least, most) = int_limits(signed, to);
                let (least, most) = (self.c.constant(least as u64), self.c.constant(most as u64));
                self.c.cmp(Size::D, wide, most);
                let wide = self.c.cmov(Cc::G, Size::D, most, wide);
                self.c.cmp(Size::D, wide, least);
                self.c.cmov(Cc::L, Size::D, least, wide)
            }
        }
    }

    fn scalar_from_int(&mut self, op: ConvertOp, from: Elem, to: Elem, a: VReg, rounding: Rounding) -> VReg {
        let signed = op == ConvertOp::SToF;
        let exact = from.bits() <= 16 || (from == Elem::I32 && to == Elem::F64);
        match to {
            Elem::F32 | Elem::F64 if exact || rounding == Rounding::Nearest => {
                let wide = self.extended_to_64(from, signed, a);
                match !signed && from == Elem::I64 {
                    true => self.unsigned_quad_to_float(to, wide),
                    false => self.int_to_scalar_float(to, wide),
                }
            }
            Elem::F16 | Elem::BF16 if exact => {
                let single = self.scalar_from_int(op, from, Elem::F32, a, rounding);
                self.scalar_demote(Elem::F32, to, single, rounding)
            }
            _ => self.scalar_evaluate(op, from, to, a, rounding),
        }
    }

    fn int_to_scalar_float(&mut self, to: Elem, a: VReg) -> VReg {
        let op = if to == Elem::F64 { &ops::VCVTSI2SD } else { &ops::VCVTSI2SS };
        // The upper lanes come from a register of zeros, so nothing is waited for.
        let zero = self.c.zero();
        let dst = self.c.vec();
        self.c
            .machine(op, Size::Q, R::Def(dst), R::Use(zero), RmOf::Src(Src::Reg(a)), Imm::No);
        dst
    }

    /// Numbers with the highest bit set are halved (the lowest bit kept, for the rounding) and doubled again.
    fn unsigned_quad_to_float(&mut self, to: Elem, a: VReg) -> VReg {
        let half = self.c.shift_i(super::build::Shift::Shr, Size::Q, a, 1);
        let odd = self.c.alu_i(Alu::And, Size::D, a, 1);
        let half = self.c.alu(Alu::Or, Size::Q, half, odd);
        self.c.test(Size::Q, a, a);
        let chosen = self.c.cmov(Cc::L, Size::Q, half, a);
        let converted = self.int_to_scalar_float(to, chosen);
        // Doubled where the sign says so: added to itself or to zero.
        let sign = self.c.shift_i(super::build::Shift::Sar, Size::Q, a, 63);
        let mask = self.c.int_to_v(Size::Q, sign);
        let more = self.c.v3(&ops::VANDPS, Size::X, mask, converted);
        let add = if to == Elem::F64 { &ops::VADDSD } else { &ops::VADDSS };
        self.c.v3(add, Size::X, converted, more)
    }

    fn scalar_evaluate(&mut self, op: ConvertOp, from: Elem, to: Elem, a: VReg, rounding: Rounding) -> VReg {
        let evaluation = library::convert(op, from, to, rounding);
        self.evaluate(evaluation, from, &[a], to)
    }
}
