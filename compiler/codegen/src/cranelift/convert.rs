//! Conversions of vectors. Those of scalars are in [`super::scalar_convert`].

use super::emit::Emitter;
use super::values::{Parts, Registers, part_count, part_type};
use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::{self as clif, InstBuilder, types};
use ir::{BinaryOp, ConvertOp, Elem, IntCc, Rounding, Type, Value};

impl Emitter<'_> {
    /// [`ir::InstData::Convert`].
    pub fn convert(&mut self, op: ConvertOp, ty: Type, arg: Value, rounding: Rounding, saturate: bool) -> Parts {
        let a = match op {
            ConvertOp::MaskToInt if ty.is_vector() => self.get_mask(arg, ty.elem.bytes()),
            _ => self.get(arg),
        };
        if a.ty == ty {
            return a;
        }
        if !ty.is_vector() {
            let value = self.scalar_convert(op, a.ty.elem, ty.elem, a.regs[0], rounding, saturate);
            return Parts::scalar(ty, value);
        }
        match op {
            ConvertOp::Trunc => self.truncate(&a, ty),
            ConvertOp::ZExt | ConvertOp::SExt => {
                let mut wide = a;
                while wide.bytes < ty.elem.bytes() {
                    wide = self.extend(op == ConvertOp::SExt, &wide);
                }
                wide
            }
            ConvertOp::FPromote => self.promote(&a, ty.elem),
            ConvertOp::FDemote => self.demote(&a, ty.elem, rounding),
            ConvertOp::FToS => self.float_to_int(true, &a, ty.elem, rounding, saturate),
            ConvertOp::FToU => self.float_to_int(false, &a, ty.elem, rounding, saturate),
            ConvertOp::SToF => self.int_to_float(true, &a, ty.elem, rounding),
            ConvertOp::UToF => self.int_to_float(false, &a, ty.elem, rounding),
            ConvertOp::Bitcast => {
                let part = part_type(ty.elem, a.bytes);
                let regs: Registers = a.regs.iter().map(|&reg| self.cast(part, reg)).collect();
                Parts::new(ty, a.bytes, regs)
            }
            ConvertOp::MaskToInt => Parts::new(ty, a.bytes, a.regs),
            ConvertOp::IntToMask => {
                let zero = self.constant(a.ty, 0);
                self.compare_ints(IntCc::Ne, &a, &zero)
            }
        }
    }

    /// Floats to wider floats.
    fn promote(&mut self, a: &Parts, to: Elem) -> Parts {
        if matches!(a.ty.elem, Elem::F16 | Elem::BF16) {
            let single = self.half_to_f32(a);
            return if to == Elem::F64 { self.promote(&single, to) } else { single };
        }
        self.halves(a, to, |e, part| e.ins().fvpromote_low(part))
    }

    /// Does something to the lower and then to the upper lanes of each part of 32-bit lanes, which gives parts of 64-bit lanes.
    fn halves(&mut self, a: &Parts, to: Elem, mut each: impl FnMut(&mut Self, clif::Value) -> clif::Value) -> Parts {
        let regs: Registers = (0..part_count(a.ty.lanes, 8))
            .map(|part| {
                let source = a.regs[part / 2];
                let source = if part % 2 == 0 { source } else { self.upper_half(source) };
                each(self, source)
            })
            .collect();
        Parts::new(a.ty.with_elem(to), 8, regs)
    }

    /// Floats to narrower floats.
    fn demote(&mut self, a: &Parts, to: Elem, rounding: Rounding) -> Parts {
        match (a.ty.elem, to) {
            (Elem::F32, _) => self.f32_to_half(to, a, rounding),
            (Elem::F64, Elem::F32) => self.demote_doubles(a, rounding),
            _ => self.evaluate_convert(ConvertOp::FDemote, a, to, rounding),
        }
    }

    fn demote_doubles(&mut self, a: &Parts, rounding: Rounding) -> Parts {
        let ty = a.ty.with_elem(Elem::F32);
        let narrow: Registers = a
            .regs
            .iter()
            .map(|&part| {
                let nearest = self.ins().fvdemote(part);
                if rounding == Rounding::Nearest {
                    return nearest;
                }
                let back = self.ins().fvpromote_low(nearest);
                let bits = self.cast(types::I32X4, nearest);
                let bits = self.ins().uwiden_low(bits);
                let corrected = self.correct(rounding, types::I64X2, 31, part, bits, back);
                let words = self.even_words(corrected, corrected);
                self.cast(types::F32X4, words)
            })
            .collect();
        let regs: Registers = (0..part_count(ty.lanes, 4))
            .map(|part| {
                let both = self.shuffle(narrow[2 * part], narrow[2 * part + 1], |byte| (byte % 8 + byte / 8 * 16) as u8);
                self.cast(types::F32X4, both)
            })
            .collect();
        Parts::new(ty, 4, regs)
    }

    fn float_to_int(&mut self, signed: bool, a: &Parts, to: Elem, rounding: Rounding, saturate: bool) -> Parts {
        if matches!(a.ty.elem, Elem::F16 | Elem::BF16) {
            let single = self.half_to_f32(a);
            return self.float_to_int(signed, &single, to, rounding, saturate);
        }
        if to == Elem::I64 && self.target.vectors.double_to_long {
            let doubles = if a.bytes == 8 { a.clone() } else { self.promote(a, Elem::F64) };
            let converted = self.map(&doubles, |e, part| {
                let rounded = e.scalar_round(rounding, part);
                match signed {
                    true => e.ins().fcvt_to_sint_sat(types::I64X2, rounded),
                    false => e.ins().fcvt_to_uint_sat(types::I64X2, rounded),
                }
            });
            return Parts::new(a.ty.with_elem(to), 8, converted.regs);
        }
        if to == Elem::I64 {
            let op = if signed { ConvertOp::FToS } else { ConvertOp::FToU };
            let from = a.ty.elem;
            return self.each_lane(a.ty.with_elem(to), &[a], |e, args| {
                e.scalar_convert(op, from, to, args[0], rounding, saturate)
            });
        }
        let rounded = self.map(a, |e, part| e.scalar_round(rounding, part));
        let words = a.ty.with_elem(Elem::I32);
        let limits = saturate.then(|| int_limits(signed, to));
        let wide = match a.ty.elem {
            Elem::F64 => self.doubles_to_words(&rounded, limits),
            _ if !signed && to == Elem::I32 => {
                let regs: Registers = rounded
                    .regs
                    .iter()
                    .map(|&part| self.ins().fcvt_to_uint_sat(types::I32X4, part))
                    .collect();
                Parts::new(words, 4, regs)
            }
            _ => {
                let regs: Registers = rounded
                    .regs
                    .iter()
                    .map(|&part| match saturate {
                        true => self.ins().fcvt_to_sint_sat(types::I32X4, part),
                        false => self.truncate_to_int(part),
                    })
                    .collect();
                let converted = Parts::new(words, 4, regs);
                match limits {
                    Some((least, most)) if to != Elem::I32 => {
                        let least = self.constant(words, least as u64);
                        let most = self.constant(words, most as u64);
                        let clamped = self.binary_parts(BinaryOp::SMax, &converted, &least);
                        self.binary_parts(BinaryOp::SMin, &clamped, &most)
                    }
                    _ => converted,
                }
            }
        };
        self.truncate(&wide, a.ty.with_elem(to))
    }

    /// Doubles, rounded already, to 32-bit integers of either signedness.
    fn doubles_to_words(&mut self, a: &Parts, limits: Option<(i64, i64)>) -> Parts {
        let f64s = types::F64X2;
        // Added to a number with the fraction's end at 1, the integer's bits stand at the end of the fraction.
        let magic = self.splat_bits(f64s, (1.5 * 2f64.powi(52)).to_bits());
        let wide: Registers = a
            .regs
            .iter()
            .map(|&part| {
                let mut value = self.ins().trunc(part);
                if let Some((least, most)) = limits {
                    let number = self.ins().fcmp(FloatCC::Equal, value, value);
                    let number = self.cast(f64s, number);
                    let (least, most) = (
                        self.splat_bits(f64s, (least as f64).to_bits()),
                        self.splat_bits(f64s, (most as f64).to_bits()),
                    );
                    value = self.ins().band(value, number);
                    value = self.float_choice(false, value, least);
                    value = self.float_choice(true, value, most);
                }
                self.ins().fadd(value, magic)
            })
            .collect();
        let regs: Registers = (0..part_count(a.ty.lanes, 4))
            .map(|part| self.even_words(wide[2 * part], wide[2 * part + 1]))
            .collect();
        Parts::new(a.ty.with_elem(Elem::I32), 4, regs)
    }

    fn int_to_float(&mut self, signed: bool, a: &Parts, to: Elem, rounding: Rounding) -> Parts {
        let op = if signed { ConvertOp::SToF } else { ConvertOp::UToF };
        let ty = a.ty.with_elem(to);
        let directed = rounding != Rounding::Nearest;
        match (a.ty.elem, to) {
            (Elem::I8 | Elem::I16, _) => {
                // Exact in f32; what comes after rounds as it is told.
                let mut wide = a.clone();
                while wide.bytes < 4 {
                    wide = self.extend(signed, &wide);
                }
                let regs: Registers = wide
                    .regs
                    .iter()
                    .map(|&part| self.ins().fcvt_from_sint(types::F32X4, part))
                    .collect();
                let single = Parts::new(ty.with_elem(Elem::F32), 4, regs);
                match to {
                    Elem::F32 => single,
                    Elem::F64 => self.promote(&single, to),
                    _ => self.f32_to_half(to, &single, rounding),
                }
            }
            (Elem::I32, Elem::F64) => self.halves(a, to, |e, part| e.low_to_double(signed, part)),
            (Elem::I32, Elem::F32) if directed => {
                let double = self.int_to_float(signed, a, Elem::F64, rounding);
                self.demote_doubles(&double, rounding)
            }
            (Elem::I32, Elem::F32) => {
                let regs: Registers = a
                    .regs
                    .iter()
                    .map(|&part| match signed {
                        true => self.ins().fcvt_from_sint(types::F32X4, part),
                        false => self.ins().fcvt_from_uint(types::F32X4, part),
                    })
                    .collect();
                Parts::new(ty, 4, regs)
            }
            (Elem::I32, Elem::F16) => {
                // What f32 can't hold exactly is far beyond the range of f16.
                let single = self.int_to_float(signed, a, Elem::F32, rounding);
                self.f32_to_half(to, &single, rounding)
            }
            (_, Elem::F64) if !directed => {
                let regs: Registers = a
                    .regs
                    .iter()
                    .map(|&part| match signed {
                        true => self.ins().fcvt_from_sint(types::F64X2, part),
                        false => self.ins().fcvt_from_uint(types::F64X2, part),
                    })
                    .collect();
                Parts::new(ty, 8, regs)
            }
            (from, Elem::F32) if !directed => self.each_lane(ty, &[a], |e, args| e.scalar_convert(op, from, to, args[0], rounding, false)),
            _ => self.evaluate_convert(op, a, to, rounding),
        }
    }
}

/// Least and greatest value of an integer type of at most 32 bits.
pub fn int_limits(signed: bool, elem: Elem) -> (i64, i64) {
    let ones = elem.bit_mask() as i64;
    if signed { (-(ones >> 1) - 1, ones >> 1) } else { (0, ones) }
}
