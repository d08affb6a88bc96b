//! Conversions of vectors. Those of scalars are in [`super::scalar_convert`].

use super::encode::{Imm, Op, Size};
use super::fold::extended_bytes;
use super::forms::mask_compare_op;
use super::forms::predicate;
use super::machine::Src;
use super::ops;
use super::parts::{Parts, Registers};
use super::selector::Selector;
use super::widths::Fits;
use ir::{ConvertOp, Elem, FloatCc, InstData, IntCc, Rounding, Type, Value};
use regalloc2::VReg;

impl Selector<'_> {
    /// [`ir::InstData::Convert`].
    pub fn convert(&mut self, op: ConvertOp, ty: Type, arg: Value, rounding: Rounding, saturate: bool) -> Parts {
        if let (ConvertOp::SExt, Type::I64, Some(&mem)) = (op, ty, self.folded_loads.get(&arg)) {
            return Parts::scalar(ty, self.c.g2(&ops::MOVSXD, Size::Q, mem));
        }
        if let (Some(bytes), Some(&mem), true) = (extended_bytes(op, ty), self.folded_loads.get(&arg), ty.is_vector()) {
            let is_signed = matches!(op, ConvertOp::SExt | ConvertOp::SToF);
            let wide = self.extend_from_memory(is_signed, self.func.ty(arg), mem, bytes);
            return match op {
                ConvertOp::SExt | ConvertOp::ZExt => wide,
                _ => self.extended_to_float(&wide, ty.elem, rounding),
            };
        }
        if op == ConvertOp::Trunc
            && let Some(short) = self.saturated(ty, arg)
        {
            return short;
        }
        if let (ConvertOp::FPromote, Type { elem: Elem::F32, .. }, Some(&mem), true) = (op, ty, self.folded_loads.get(&arg), ty.is_vector())
        {
            return self.halves_from_memory(ty, mem);
        }
        if let (
            ConvertOp::FPromote,
            true,
            Some(&InstData::Convert {
                op: ConvertOp::FDemote,
                arg: single,
                rounding,
                ..
            }),
        ) = (op, self.passed_over.contains(&arg), self.func.def_data(arg))
        {
            let single = self.get(single);
            return self.rounded_to_half(&single, rounding);
        }
        let a = match op {
            ConvertOp::MaskToInt if ty.is_vector() => self.get_mask(arg, ty.elem.bytes()),
            _ => self.get(arg),
        };
        if a.ty == ty {
            return a;
        }
        let is_same = match op {
            ConvertOp::ZExt => self.fills_64(arg) || self.has_zeros_above(arg),
            ConvertOp::SExt => self.fills_64(arg),
            _ => false,
        };
        if is_same && ty == Type::I64 {
            return Parts::scalar(ty, a.regs[0]);
        }
        if !ty.is_vector() {
            let value = self.scalar_convert(op, a.ty.elem, ty.elem, a.regs[0], rounding, saturate);
            return Parts::scalar(ty, value);
        }
        match op {
            ConvertOp::Trunc => self.truncate_value(arg, &a, ty),
            ConvertOp::ZExt | ConvertOp::SExt => self.extend_to(op == ConvertOp::SExt, &a, ty.elem.bytes()),
            ConvertOp::FPromote => self.promote(&a, ty.elem),
            ConvertOp::FDemote => self.demote(&a, ty.elem, rounding),
            ConvertOp::FToS => self.float_to_int(true, &a, ty.elem, rounding, saturate),
            ConvertOp::FToU => self.float_to_int(false, &a, ty.elem, rounding, saturate),
            ConvertOp::SToF => self.int_to_float(true, &a, ty.elem, rounding),
            ConvertOp::UToF => self.int_to_float(false, &a, ty.elem, rounding),
            ConvertOp::MaskToInt => {
                let lanes = self.mask_as_lanes(&a, ty.elem.bytes());
                Parts::new(ty, lanes.bytes, lanes.regs)
            }
            ConvertOp::Bitcast => Parts::new(ty, a.bytes, a.regs),
            ConvertOp::IntToMask => {
                let zero = self.constant(a.ty, 0);
                self.compare_ints(IntCc::Ne, &a, &zero.sources())
            }
        }
    }

    /// Floats to wider floats.
    fn promote(&mut self, a: &Parts, to: Elem) -> Parts {
        if matches!(a.ty.elem, Elem::F16 | Elem::BF16) {
            let single = self.half_to_f32(a);
            return if to == Elem::F64 { self.promote(&single, to) } else { single };
        }
        let size = self.part_size(a.ty.lanes, 8);
        let regs: Registers = self
            .pieces_of(size.half(), a)
            .iter()
            .map(|&piece| self.c.v2(&ops::VCVTPS2PD, size, piece))
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
        let size = a.size();
        let lanes = Type::vector(Elem::F64, (size.bytes() / 8) as u16);
        let pieces: Registers = a
            .regs
            .iter()
            .map(|&part| {
                let nearest = self.c.v2(&ops::VCVTPD2PS, size, part);
                if rounding == Rounding::Nearest {
                    return nearest;
                }
                let back = self.c.v2(&ops::VCVTPS2PD, size, nearest);
                let wrong = self.is_on_wrong_side(rounding, lanes, part, back);
                let wrong = self.even_words(size, wrong);
                self.correct(rounding, size.half(), 31, wrong, nearest)
            })
            .collect();
        self.join_pieces_of(size.half(), a.ty.with_elem(Elem::F32), 4, &pieces)
    }

    fn float_to_int(&mut self, signed: bool, a: &Parts, to: Elem, rounding: Rounding, saturate: bool) -> Parts {
        if matches!(a.ty.elem, Elem::F16 | Elem::BF16) {
            let single = self.half_to_f32(a);
            return self.float_to_int(signed, &single, to, rounding, saturate);
        }
        if to == Elem::I64 && self.c.target.masks {
            let value = match rounding {
                Rounding::Zero => a.clone(),
                _ => self.round(rounding, a),
            };
            return self.floats_to_quads(signed, &value, saturate);
        }
        if to == Elem::I64 && a.ty.is_vector() && self.c.target.vector_bytes() > 16 {
            return self.floats_to_halves(signed, a, rounding, saturate);
        }
        if to == Elem::I64 {
            let op = if signed { ConvertOp::FToS } else { ConvertOp::FToU };
            let from = a.ty.elem;
            return self.each_lane(a.ty.with_elem(to), &[a], |s, args| {
                s.scalar_convert(op, from, to, args[0], rounding, saturate)
            });
        }
        let double = a.bytes == 8;
        let by_machine = !double && (signed || to != Elem::I32);
        let mut value = match rounding {
            Rounding::Zero => a.clone(),
            Rounding::Nearest if by_machine => a.clone(),
            _ => self.round(rounding, a),
        };
        if saturate && (double || to != Elem::I32) {
            value = self.clamp(signed, &value, to);
        }
        let words = match (double, signed || to != Elem::I32) {
            (true, signed_word) => {
                let size = value.size();
                let pieces: Registers = value
                    .regs
                    .iter()
                    .map(|&part| self.doubles_to_words(signed_word, size, part))
                    .collect();
                self.join_pieces_of(size.half(), a.ty.with_elem(Elem::I32), 4, &pieces)
            }
            (false, true) => {
                let op = match rounding {
                    Rounding::Nearest => &ops::VCVTPS2DQ,
                    _ => &ops::VCVTTPS2DQ,
                };
                let mut words = self.map_op(op, &value);
                if saturate && to == Elem::I32 {
                    words = self.saturated_words(&value, &words);
                }
                words
            }
            (false, false) => self.floats_to_unsigned_words(&value, saturate),
        };
        let fits = match (saturate, signed) {
            (false, _) => Fits::Unknown,
            (true, true) => Fits::Signed,
            (true, false) => Fits::Unsigned,
        };
        self.truncate_if(&words, a.ty.with_elem(to), fits)
    }

    /// Floats kept within the range of an integer type, whose limits they can hold exactly; NaN becomes 0.
    fn clamp(&mut self, signed: bool, a: &Parts, to: Elem) -> Parts {
        let (least, most) = int_limits(signed, to);
        let bits = |number: i64| {
            if a.bytes == 8 {
                (number as f64).to_bits()
            } else {
                u64::from((number as f32).to_bits())
            }
        };
        let size = a.size();
        let least = self.splat_source(size, a.bytes, bits(least));
        let most = self.splat_source(size, a.bytes, bits(most));
        let (max, min) = if a.bytes == 8 {
            (&ops::VMAXPD, &ops::VMINPD)
        } else {
            (&ops::VMAXPS, &ops::VMINPS)
        };
        self.map(a, |s, part| {
            let value = s.at_least(max, a.ty, size, part, least);
            s.c.v3(min, size, value, most)
        })
    }

    /// Floats, but at least this, which is at most 0; NaN becomes 0. `max` is the machine's maximum of such.
    fn at_least(&mut self, max: &'static Op, ty: Type, size: Size, value: VReg, least: Src) -> VReg {
        if self.c.target.masks {
            let numbers = self.compare_part(mask_compare_op(ty), size, value, Src::Reg(value), Imm::I8(predicate::ORD));
            return self.v3_of_some(max, size, numbers, value, least);
        }
        let numbers = self.compared_floats(ty, size, value, value, predicate::ORD);
        let value = self.c.v3(&ops::VANDPS, size, value, numbers);
        self.c.v3(max, size, value, least)
    }

    /// What the conversion gave, the greatest integer where the float is above it, and 0 for NaN.
    fn saturated_words(&mut self, value: &Parts, words: &Parts) -> Parts {
        let size = value.size();
        let limit = self.splat_source(size, 4, u64::from(2f32.powi(31).to_bits()));
        if self.c.target.masks {
            let most = self.splat_bits(size, 4, i32::MAX as u64);
            return self.zip(value, words, |s, value, word| {
                let op = mask_compare_op(Type::vector(Elem::F32, 8));
                let above = s.compare_part(op, size, value, limit, Imm::I8(0x1d));
                let numbers = s.compare_part(op, size, value, Src::Reg(value), Imm::I8(predicate::ORD));
                let word = s.blend_by_mask(size, 4, above, most, word);
                s.v3_of_some(&ops::VPAND, size, numbers, word, Src::Reg(word))
            });
        }
        self.zip(value, words, |s, value, word| {
            let above = s.compared_floats(Type::vector(Elem::F32, 8), size, value, limit, 0x1d);
            let word = s.c.v3(&ops::VPXOR, size, word, above);
            let number = s.compared_floats(Type::vector(Elem::F32, 8), size, value, value, predicate::ORD);
            s.c.v3(&ops::VPAND, size, word, number)
        })
    }

    /// Converted twice: as it is, and less 2^31.
    fn floats_to_unsigned_words(&mut self, value: &Parts, saturate: bool) -> Parts {
        let size = value.size();
        if self.c.target.masks {
            // What is too large becomes the largest, and so does NaN, which the comparison with 0 has removed.
            let zero = self.c.zero();
            let mut words = self.map(value, |s, part| {
                let value = if saturate { s.c.v3(&ops::VMAXPS, size, part, zero) } else { part };
                s.c.v2(&ops::VCVTTPS2UDQ, size, value)
            });
            words.ty = value.ty.with_elem(Elem::I32);
            return words;
        }
        let half = self.splat_source(size, 4, u64::from(2f32.powi(31).to_bits()));
        let limit = self.splat_source(size, 4, u64::from(2f32.powi(32).to_bits()));
        let zero = self.c.zero();
        let mut words = self.map(value, |s, part| {
            // NaN becomes 0 too.
            let value = if saturate { s.c.v3(&ops::VMAXPS, size, part, zero) } else { part };
            let low = s.c.v2(&ops::VCVTTPS2DQ, size, value);
            let lower = s.c.v3(&ops::VSUBPS, size, value, half);
            let high = s.c.v2(&ops::VCVTTPS2DQ, size, lower);
            let is_high = s.c.v_shift(&ops::VPSHIFTD_I8, 4, size, low, 31);
            let high = s.c.v3(&ops::VPAND, size, high, is_high);
            let word = s.c.v3(&ops::VPOR, size, low, high);
            if !saturate {
                return word;
            }
            let above = s.compared_floats(Type::vector(Elem::F32, 8), size, value, limit, 0x1d);
            s.c.v3(&ops::VPOR, size, word, above)
        });
        words.ty = value.ty.with_elem(Elem::I32);
        words
    }

    /// Integers of 8 or 16 bits, in 32: exact in f32; what comes after rounds as it is told.
    fn extended_to_float(&mut self, wide: &Parts, to: Elem, rounding: Rounding) -> Parts {
        let single = self.signed_words_to_floats(wide);
        match to {
            Elem::F32 => single,
            Elem::F64 => self.promote(&single, to),
            _ => self.f32_to_half(to, &single, rounding),
        }
    }

    fn int_to_float(&mut self, signed: bool, a: &Parts, to: Elem, rounding: Rounding) -> Parts {
        let op = if signed { ConvertOp::SToF } else { ConvertOp::UToF };
        let ty = a.ty.with_elem(to);
        let directed = rounding != Rounding::Nearest;
        match (a.ty.elem, to) {
            (Elem::I8 | Elem::I16, _) => {
                let wide = self.extend_to(signed, a, 4);
                self.extended_to_float(&wide, to, rounding)
            }
            (Elem::I32, Elem::F64) => {
                let size = self.part_size(ty.lanes, 8);
                let pieces = self.pieces_of(size.half(), a);
                let regs: Registers = pieces.iter().map(|&piece| self.words_to_doubles(signed, size, piece)).collect();
                Parts::new(ty, 8, regs)
            }
            (Elem::I32, Elem::F32) if directed => {
                let double = self.int_to_float(signed, a, Elem::F64, rounding);
                self.demote_doubles(&double, rounding)
            }
            (Elem::I32, Elem::F32) if signed => self.signed_words_to_floats(a),
            (Elem::I32, Elem::F32) if self.c.target.masks => {
                let mut floats = self.map_op(&ops::VCVTUDQ2PS, a);
                floats.ty = ty;
                floats
            }
            (Elem::I64, Elem::F32 | Elem::F64) if !directed && self.c.target.masks => self.quads_to_floats(signed, a, to),
            (Elem::I32, Elem::F32) => {
                let mut floats = self.map(a, |s, part| s.unsigned_words_to_floats(a.size(), part));
                floats.ty = ty;
                floats
            }
            (Elem::I32, Elem::F16) => {
                // What f32 can't hold exactly is far beyond the range of f16.
                let single = self.int_to_float(signed, a, Elem::F32, rounding);
                self.f32_to_half(to, &single, rounding)
            }
            (Elem::I64, Elem::F64) if !directed => {
                let mut doubles = self.map(a, |s, part| s.quads_to_doubles(signed, part));
                doubles.ty = ty;
                doubles
            }
            (Elem::I64, Elem::F32) if !directed && a.ty.is_vector() && self.c.target.vector_bytes() > 16 => {
                let mut doubles = self.map(a, |s, part| {
                    let sticky = s.quads_of_53_bits(signed, part);
                    s.quads_to_doubles(signed, sticky)
                });
                doubles.ty = a.ty.with_elem(Elem::F64);
                self.demote_doubles(&doubles, rounding)
            }
            (from, Elem::F32) if !directed => self.each_lane(ty, &[a], |s, args| s.scalar_convert(op, from, to, args[0], rounding, false)),
            _ => self.evaluate_convert(op, a, to, rounding),
        }
    }

    /// The halves of each word as the fractions of floats whose units are 1 and 2^16; their sum is rounded once. (Converting the halves and multiplying keeps
    /// the units for floats busy for four cycles; this takes two of theirs, and three of any.)
    fn unsigned_words_to_floats(&mut self, size: Size, words: VReg) -> VReg {
        let [low_unit, high_unit] = [23, 39].map(|exponent| 2f32.powi(exponent));
        let [high_bits, both_units] = [high_unit, high_unit + low_unit].map(|unit| self.splat_source(size, 4, unit.to_bits().into()));
        let low_bits = self.splat_source(size, 4, low_unit.to_bits().into());
        let low = self.c.v3i(&ops::VPBLENDW, size, words, low_bits, 0xaa);
        let high = self.c.v_shift(&ops::VPSHIFTD_I8, 2, size, words, 16);
        let high = self.c.v3(&ops::VPOR, size, high, high_bits);
        let high = self.c.v3(&ops::VSUBPS, size, high, both_units);
        self.c.v3(&ops::VADDPS, size, high, low)
    }

    /// 64-bit integers to floats, where the machine has that.
    fn quads_to_floats(&mut self, signed: bool, a: &Parts, to: Elem) -> Parts {
        let (size, ty) = (a.size(), a.ty.with_elem(to));
        let op = match (signed, to) {
            (true, Elem::F64) => &ops::VCVTQQ2PD,
            (false, Elem::F64) => &ops::VCVTUQQ2PD,
            (true, _) => &ops::VCVTQQ2PS,
            (false, _) => &ops::VCVTUQQ2PS,
        };
        let converted = self.map_op(op, a);
        match to {
            Elem::F64 => Parts::new(ty, 8, converted.regs),
            _ => self.join_pieces_of(size.half(), ty, 4, &converted.regs),
        }
    }

    /// Floats to 64-bit integers, toward zero, where the machine has that.
    fn floats_to_quads(&mut self, signed: bool, a: &Parts, saturate: bool) -> Parts {
        let ty = a.ty.with_elem(Elem::I64);
        let mut value = a.clone();
        if saturate && !signed {
            // NaN becomes 0 too; what is too large becomes the largest.
            let (zero, size) = (self.c.zero(), a.size());
            let max = if a.bytes == 8 { &ops::VMAXPD } else { &ops::VMAXPS };
            value = self.map(a, |s, part| s.c.v3(max, size, part, zero));
        }
        let op = match (signed, a.bytes) {
            (true, 8) => &ops::VCVTTPD2QQ,
            (false, 8) => &ops::VCVTTPD2UQQ,
            (true, _) => &ops::VCVTTPS2QQ,
            (false, _) => &ops::VCVTTPS2UQQ,
        };
        let size = self.part_size(ty.lanes, 8);
        let pieces = if a.bytes == 8 {
            value.regs
        } else {
            self.pieces_of(size.half(), &value)
        };
        let regs: Registers = pieces.iter().map(|&piece| self.c.v2(op, size, piece)).collect();
        let quads = Parts::new(ty, 8, regs);
        if !saturate || !signed {
            return quads;
        }
        // Too large and NaN came out as the least.
        let limit = self.constant(a.ty, ir::eval::from_f64(a.ty.elem, 2f64.powi(63)));
        let above = self.compare_to_mask(mask_compare_op(a.ty), a, &limit.sources(), 0x1d);
        let nan = self.compare_to_mask(mask_compare_op(a.ty), a, &a.sources(), predicate::UNORD);
        let (most, zero) = (self.constant(ty, i64::MAX as u64), self.constant(ty, 0));
        let quads = self.select_parts(&above, &most, &quads);
        self.select_parts(&nan, &zero, &quads)
    }

    /// Floats to 64-bit integers by doubles for the upper and the lower half, whose last bits are the integers' where their unit is 1.
    fn floats_to_halves(&mut self, signed: bool, a: &Parts, rounding: Rounding, saturate: bool) -> Parts {
        let doubles = if a.bytes == 8 { a.clone() } else { self.promote(a, Elem::F64) };
        let whole = self.round(rounding, &doubles);
        let (ty, size) = (whole.ty, whole.size());
        let number = |s: &mut Self, value: f64| s.splat_source(size, 8, value.to_bits());
        let limit = 2f64.powi(if signed { 63 } else { 64 });
        let whole = if saturate {
            let least = number(self, if signed { -limit } else { 0.0 });
            self.map(&whole, |s, part| s.at_least(&ops::VMAXPD, ty, size, part, least))
        } else {
            whole
        };
        let [unit, inverse, ones] = [2f64.powi(32), 2f64.powi(-32), 1.5 * 2f64.powi(52)].map(|value| number(self, value));
        let high = self.map(&whole, |s, part| s.c.v3(&ops::VMULPD, size, part, inverse));
        let high = self.round(Rounding::Down, &high);
        let most = saturate.then(|| self.splat_bits(size, 8, if signed { i64::MAX as u64 } else { u64::MAX }));
        let mut halves = self.zip(&whole, &high, |s, whole, high| {
            let rest = s.c.v3(&ops::VMULPD, size, high, unit);
            let low = s.c.v3(&ops::VSUBPD, size, whole, rest);
            let low = s.c.v3(&ops::VADDPD, size, low, ones);
            let high = s.c.v3(&ops::VADDPD, size, high, ones);
            let high = s.c.v_shift(&ops::VPSHIFTQ_I8, 6, size, high, 32);
            let value = s.blend_words(size, high, low, 0x5555);
            let Some(most) = most else { return value };
            let limit = s.splat_source(size, 8, limit.to_bits());
            let above = s.compared_floats(ty, size, whole, limit, 0x1d);
            s.blend(size, 8, above, most, value)
        });
        halves.ty = a.ty.with_elem(Elem::I64);
        halves
    }

    fn signed_words_to_floats(&mut self, words: &Parts) -> Parts {
        let mut floats = self.map_op(&ops::VCVTDQ2PS, words);
        floats.ty = words.ty.with_elem(Elem::F32);
        floats
    }

    /// The upper and the lower half, each as the fraction of a number whose unit it is; their sum is rounded once.
    fn quads_to_doubles(&mut self, signed: bool, part: VReg) -> VReg {
        let size = Size::Y;
        let (high_unit, both_units) = match signed {
            true => (0x4530_0000_8000_0000, 0x4530_0000_8010_0000),
            false => (0x4530_0000_0000_0000, 0x4530_0000_0010_0000),
        };
        let low_unit = self.splat_bits(size, 8, 0x4330_0000_0000_0000);
        let high_unit = self.splat_source(size, 8, high_unit);
        let both_units = self.splat_source(size, 8, both_units);
        let low = self.blend_words(size, low_unit, part, 0x5555);
        let high = self.upper_words(size, part);
        let high = self.c.v3(&ops::VPXOR, size, high, high_unit);
        let high = self.c.v3(&ops::VSUBPD, size, high, both_units);
        self.c.v3(&ops::VADDPD, size, high, low)
    }

    /// Integers that doubles hold exactly, and that round to the same floats: of those from 2^53 on, the last 11 bits are 0, and the one before them is on
    /// where one of them was.
    fn quads_of_53_bits(&mut self, signed: bool, part: VReg) -> VReg {
        let size = Size::Y;
        let lost = self.splat_bits(size, 8, 0x7ff);
        let some = self.c.v3(&ops::VPAND, size, part, lost);
        let some = self.c.v3(&ops::VPADDQ, size, some, lost);
        let sticky = self.c.v3(&ops::VPOR, size, part, some);
        let sticky = self.c.v3(&ops::VPANDN, size, lost, sticky);
        // From -2^53 to 2^53 nothing is above the sum's 54 bits.
        let (magnitude, bits) = match signed {
            true => {
                let offset = self.splat_source(size, 8, 1 << 53);
                (self.c.v3(&ops::VPADDQ, size, part, offset), 54)
            }
            false => (part, 53),
        };
        let above = self.c.v_shift(&ops::VPSHIFTQ_I8, 2, size, magnitude, bits);
        let zero = self.c.zero();
        let exact = self.equal_lanes(size, 8, above, zero);
        self.blend(size, 8, exact, part, sticky)
    }

    /// Where the nearest number, `back`, lies on the other side of `value` than a rounding wants.
    pub fn is_on_wrong_side(&mut self, rounding: Rounding, ty: Type, value: VReg, back: VReg) -> VReg {
        let size = Parts::new(ty, ty.elem.bytes(), [value]).size();
        match rounding {
            Rounding::Up => self.compared_floats(ty, size, back, value, predicate::LT),
            Rounding::Down => self.compared_floats(ty, size, back, value, predicate::GT),
            _ => {
                let rest = self.splat_source(size, ty.elem.bytes(), u64::MAX >> (65 - ty.elem.bits()));
                let back = self.c.v3(&ops::VANDPS, size, back, rest);
                let value = self.c.v3(&ops::VANDPS, size, value, rest);
                self.compared_floats(ty, size, back, value, predicate::GT)
            }
        }
    }

    /// The neighbours of `nearest`, bits of floats in lanes of 32 with their sign at `sign_bit`, where they are `wrong`.
    pub fn correct(&mut self, rounding: Rounding, size: Size, sign_bit: u8, wrong: VReg, nearest: VReg) -> VReg {
        // One unit up is +1 for positive and -1 for negative numbers.
        let step = match rounding {
            Rounding::Up | Rounding::Down => {
                let up = self.c.v_shift(&ops::VPSHIFTD_I8, 6, size, nearest, 31 - sign_bit);
                let negative = self.c.v_shift(&ops::VPSHIFTD_I8, 4, size, up, 31);
                let one = self.splat_source(size, 4, 1);
                let up = self.c.v3(&ops::VPOR, size, negative, one);
                if rounding == Rounding::Up {
                    up
                } else {
                    let zero = self.c.zero();
                    self.c.v3(&ops::VPSUBD, size, zero, up)
                }
            }
            _ => self.c.ones(),
        };
        let step = self.c.v3(&ops::VPAND, size, step, wrong);
        self.c.v3(&ops::VPADDD, size, nearest, step)
    }

    /// A conversion by calls.
    pub fn evaluate_convert(&mut self, op: ConvertOp, a: &Parts, to: Elem, rounding: Rounding) -> Parts {
        let from = a.ty.elem;
        let evaluation = super::super::library::convert(op, from, to, rounding);
        self.each_lane(a.ty.with_elem(to), &[a], |s, args| s.evaluate(evaluation, from, args, to))
    }

    /// A comparison of vectors of f32 held alike.
    pub fn compare_singles(&mut self, cc: FloatCc, size: Size, a: VReg, b: VReg) -> VReg {
        let imm = match cc {
            FloatCc::Olt => predicate::LT,
            FloatCc::Uno => predicate::UNORD,
            _ => predicate::EQ,
        };
        self.compared_floats(Type::vector(Elem::F32, 8), size, a, b, imm)
    }
}

/// Least and greatest value of an integer type of at most 32 bits.
pub fn int_limits(signed: bool, elem: Elem) -> (i64, i64) {
    let ones = elem.bit_mask() as i64;
    if signed { (-(ones >> 1) - 1, ones >> 1) } else { (0, ones) }
}
