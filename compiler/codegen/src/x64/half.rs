//! f16 and bf16: arithmetic is done in f32 and rounded back, but for f16 on machines that have it.

use super::encode::Size;
use super::forms::{binary_form, rounding_mode};
use super::fused_signs::Signs;
use super::machine::Amode;
use super::ops;
use super::parts::{Parts, Registers};
use super::selector::Selector;
use ir::{BinaryOp, Elem, FloatCc, Rounding, Type, UnaryOp};
use regalloc2::VReg;

/// How `vcvtps2ph` is told to round.
fn half_rounding(rounding: Rounding) -> u8 {
    match rounding {
        Rounding::Nearest => 0,
        Rounding::Down => 1,
        Rounding::Up => 2,
        Rounding::Zero => 3,
    }
}

impl Selector<'_> {
    /// The machine has arithmetic of this type, which is f16 then.
    pub fn has_halves(&self, elem: Elem) -> bool {
        elem == Elem::F16 && self.c.target.features.fp16
    }

    /// The machine has arithmetic of the type, with operands from memory.
    pub fn is_float_of_machine(&self, ty: Type) -> bool {
        matches!(ty.elem, Elem::F32 | Elem::F64) || (ty.is_vector() && self.has_halves(ty.elem))
    }

    /// A unary operation.
    pub fn half_unary(&mut self, op: UnaryOp, a: &Parts) -> Parts {
        use super::build::Alu;
        match (op, a.ty.is_vector()) {
            (UnaryOp::FNeg, false) => {
                let value = self.c.alu_i(Alu::Xor, Size::D, a.regs[0], 0x8000);
                Parts::scalar(a.ty, value)
            }
            (UnaryOp::FAbs, false) => {
                let value = self.c.alu_i(Alu::And, Size::D, a.regs[0], 0x7fff);
                Parts::scalar(a.ty, value)
            }
            (UnaryOp::FNeg | UnaryOp::FAbs, true) => self.float_unary(op, a),
            _ if self.has_halves(a.ty.elem) => {
                if !a.ty.is_vector() {
                    let vector = self.widen_scalar(a);
                    let result = self.half_unary(op, &vector);
                    return self.first_lane(&result);
                }
                let size = a.size();
                let rounding = match op {
                    UnaryOp::Sqrt => return self.map_op(&ops::VSQRTPH, a),
                    UnaryOp::Ceil => Rounding::Up,
                    UnaryOp::Floor => Rounding::Down,
                    UnaryOp::FTrunc => Rounding::Zero,
                    _ => Rounding::Nearest,
                };
                self.map(a, |s, part| s.c.v2i(&ops::VRNDSCALEPH, size, part, rounding_mode(rounding)))
            }
            _ => {
                let wide = self.half_to_f32(a);
                let result = self.float_unary(op, &wide);
                self.f32_to_half(a.ty.elem, &result, Rounding::Nearest)
            }
        }
    }

    /// A binary operation.
    pub fn half_binary(&mut self, op: BinaryOp, a: &Parts, b: &Parts) -> Parts {
        if op == BinaryOp::CopySign {
            if !a.ty.is_vector() {
                let (wide_a, wide_b) = (self.widen_scalar(a), self.widen_scalar(b));
                let result = self.copy_signs(Size::X, 2, &wide_a, &wide_b);
                return self.first_lane(&result);
            }
            return self.copy_signs(a.size(), 2, a, b);
        }
        if !a.ty.is_vector() && self.has_halves(a.ty.elem) && binary_form(op, a.ty).is_some() {
            let (a, b) = (self.widen_scalar(a), self.widen_scalar(b));
            let result = self.binary_parts(op, &a, &b);
            return self.first_lane(&result);
        }
        let (wide_a, wide_b) = (self.half_to_f32(a), self.half_to_f32(b));
        let result = self.binary_parts(op, &wide_a, &wide_b);
        self.f32_to_half(a.ty.elem, &result, Rounding::Nearest)
    }

    /// To f32, exactly.
    pub fn half_to_f32(&mut self, a: &Parts) -> Parts {
        if !a.ty.is_vector() {
            let vector = self.widen_scalar(a);
            let wide = self.half_to_f32(&vector);
            return self.first_lane(&wide);
        }
        let ty = a.ty.with_elem(Elem::F32);
        if a.ty.elem == Elem::BF16 {
            let bits = self.widen(a, 4, false);
            let shifted = self.shift_raw(BinaryOp::Shl, &bits, 16);
            return Parts::new(ty, 4, shifted.regs);
        }
        let size = self.part_size(ty.lanes, 4);
        let regs: Registers = self
            .pieces_of(size.half(), a)
            .iter()
            .map(|&piece| self.c.v2(&ops::VCVTPH2PS, size, piece))
            .collect();
        Parts::new(ty, 4, regs)
    }

    /// f16 to f32, as they are loaded.
    pub fn halves_from_memory(&mut self, ty: Type, mem: Amode) -> Parts {
        let size = self.part_size(ty.lanes, 4);
        let regs: Registers = (0..self.part_count(ty.lanes, 4))
            .map(|part| {
                let place = self.plus(mem, part as u32 * size.half().bytes());
                self.c.v2(&ops::VCVTPH2PS, size, place)
            })
            .collect();
        Parts::new(ty, 4, regs)
    }

    /// From f32.
    pub fn f32_to_half(&mut self, to: Elem, a: &Parts, rounding: Rounding) -> Parts {
        if !a.ty.is_vector() {
            let vector = self.widen_scalar(a);
            let narrow = self.f32_to_half(to, &vector, rounding);
            return self.first_lane(&narrow);
        }
        let (ty, size) = (a.ty.with_elem(to), a.size());
        if to == Elem::BF16 {
            let words = self.map(a, |s, part| s.f32_part_to_bf16(size, part, rounding));
            let words = Parts::new(a.ty.with_elem(Elem::I32), 4, words.regs);
            return self.truncate(&words, ty);
        }
        let mode = half_rounding(rounding);
        let pieces: Registers = a
            .regs
            .iter()
            .map(|&part| self.c.v_rm(&ops::VCVTPS2PH_RM, size, part, mode))
            .collect();
        self.join_pieces_of(size.half(), ty, 2, &pieces)
    }

    /// Vectors of f32 with as many bits as f16 has: there and back, register by register.
    pub fn rounded_to_half(&mut self, a: &Parts, rounding: Rounding) -> Parts {
        let (size, mode) = (a.size(), half_rounding(rounding));
        self.map(a, |s, part| {
            let half = s.c.v_rm(&ops::VCVTPS2PH_RM, size, part, mode);
            s.c.v2(&ops::VCVTPH2PS, size, half)
        })
    }

    /// f32 to bf16 at the bottom of 32-bit lanes.
    fn f32_part_to_bf16(&mut self, size: Size, value: VReg, rounding: Rounding) -> VReg {
        let nearest = self.f32_part_to_nearest_bf16(size, value);
        if rounding == Rounding::Nearest {
            return nearest;
        }
        // Where the nearest lies on the wrong side, its neighbour is the one.
        let back = self.c.v_shift(&ops::VPSHIFTD_I8, 6, size, nearest, 16);
        let ty = Type::vector(Elem::F32, (size.bytes() / 4) as u16);
        let wrong = self.is_on_wrong_side(rounding, ty, value, back);
        self.correct(rounding, size, 15, wrong, nearest)
    }

    /// To the nearest, ties to even.
    fn f32_part_to_nearest_bf16(&mut self, size: Size, value: VReg) -> VReg {
        let one = self.splat_source(size, 4, 1);
        let almost_half = self.splat_source(size, 4, 0x7fff);
        let quiet = self.splat_source(size, 4, 0x0040_0000);
        let odd = self.c.v_shift(&ops::VPSHIFTD_I8, 2, size, value, 16);
        let odd = self.c.v3(&ops::VPAND, size, odd, one);
        let rounded = self.c.v3(&ops::VPADDD, size, value, almost_half);
        let rounded = self.c.v3(&ops::VPADDD, size, rounded, odd);
        let nan = self.compare_singles(FloatCc::Uno, size, value, value);
        let quieted = self.c.v3(&ops::VPOR, size, value, quiet);
        let result = self.blend(size, 4, nan, quieted, rounded);
        self.c.v_shift(&ops::VPSHIFTD_I8, 2, size, result, 16)
    }

    /// `a * b + c` of f16, rounded once: the product is exact in f32, and the sum's last bit is made to remember what was rounded off.
    pub fn half_fma(&mut self, a: &Parts, b: &Parts, c: &Parts) -> Parts {
        if !a.ty.is_vector() {
            let [a, b, c] = [a, b, c].map(|half| self.widen_scalar(half));
            let result = self.half_fma(&a, &b, &c);
            return self.first_lane(&result);
        }
        if self.has_halves(a.ty.elem) {
            let sum = self
                .c
                .v3_tied(&Signs::default().ops()[2][4], a.size(), c.regs[0], a.regs[0], b.regs[0]);
            return Parts::new(a.ty, a.bytes, [sum]);
        }
        let [a, b, c] = [a, b, c].map(|half| self.half_to_f32(half));
        let size = a.size();
        let product = self.zip_op(&ops::VMULPS, &a, &b.sources());
        let sum = self.zip(&product, &c, |s, product, c| {
            let sum = s.c.v3(&ops::VADDPS, size, product, c);
            let from_c = s.c.v3(&ops::VSUBPS, size, sum, product);
            let product_part = s.c.v3(&ops::VSUBPS, size, sum, from_c);
            let lost = s.c.v3(&ops::VSUBPS, size, product, product_part);
            let lost_of_c = s.c.v3(&ops::VSUBPS, size, c, from_c);
            let error = s.c.v3(&ops::VADDPS, size, lost, lost_of_c);
            s.round_to_odd(size, sum, error)
        });
        self.f32_to_half(Elem::F16, &sum, Rounding::Nearest)
    }

    /// `sum` with its last bit set, toward the side of `error`, where there was an error.
    fn round_to_odd(&mut self, size: Size, sum: VReg, error: VReg) -> VReg {
        let zero = self.c.zero();
        let one = self.splat_bits(size, 4, 1);
        // NaN errors, of infinite sums, count as none.
        let below = self.compare_singles(FloatCc::Olt, size, error, zero);
        let above = self.compare_singles(FloatCc::Olt, size, zero, error);
        let inexact = self.c.v3(&ops::VORPS, size, below, above);
        let last = self.c.v3(&ops::VPAND, size, sum, one);
        let odd = self.equal_lanes(size, 4, last, one);
        let change = self.c.v3(&ops::VPANDN, size, odd, inexact);
        // Away from zero is +1, toward zero is -1.
        let differ = self.c.v3(&ops::VPXOR, size, error, sum);
        let differ = self.c.v_shift(&ops::VPSHIFTD_I8, 4, size, differ, 31);
        let step = self.c.v3(&ops::VPOR, size, differ, one);
        let step = self.c.v3(&ops::VPAND, size, step, change);
        self.c.v3(&ops::VPADDD, size, sum, step)
    }
}
