//! Comparisons and selection.

use super::emit::Emitter;
use super::scalar::{float_cc, int_cc};
use super::values::Parts;
use cranelift_codegen::ir::condcodes::{CondCode, FloatCC};
use cranelift_codegen::ir::{self as clif, InstBuilder, types};
use ir::{Elem, FloatCc, IntCc, Value};

impl Emitter<'_> {
    /// [`ir::InstData::IntCompare`].
    pub fn int_compare(&mut self, cc: IntCc, [a, b]: [Value; 2]) -> Parts {
        let left = self.get(a);
        if left.ty.elem == Elem::Mask {
            let right = self.get_mask(b, left.bytes);
            let differ = self.zip(&left, &right, |e, a, b| e.ins().bxor(a, b));
            return match (cc, left.ty.is_vector()) {
                (IntCc::Eq, true) => self.map(&differ, |e, part| e.ins().bnot(part)),
                (IntCc::Eq, false) => self.map(&differ, |e, part| e.ins().bxor_imm_s(part, 1)),
                _ => differ,
            };
        }
        let right = self.get(b);
        self.compare_ints(cc, &left, &right)
    }

    /// A comparison of integers held alike.
    pub fn compare_ints(&mut self, cc: IntCc, a: &Parts, b: &Parts) -> Parts {
        let compared = self.zip(a, b, |e, a, b| e.ins().icmp(int_cc(cc), a, b));
        as_mask(compared)
    }

    /// [`ir::InstData::FloatCompare`].
    pub fn float_compare(&mut self, cc: FloatCc, [a, b]: [Value; 2]) -> Parts {
        let (a, b) = (self.get(a), self.get(b));
        if matches!(a.ty.elem, Elem::F16 | Elem::BF16) {
            let (a, b) = (self.half_to_f32(&a), self.half_to_f32(&b));
            return self.compare_floats(cc, &a, &b);
        }
        self.compare_floats(cc, &a, &b)
    }

    /// A comparison of f32 or f64 held alike.
    pub fn compare_floats(&mut self, cc: FloatCc, a: &Parts, b: &Parts) -> Parts {
        let compared = self.zip(a, b, |e, a, b| e.compare_float_part(cc, a, b));
        as_mask(compared)
    }

    fn compare_float_part(&mut self, cc: FloatCc, a: clif::Value, b: clif::Value) -> clif::Value {
        let vector = self.b.func.dfg.value_type(a).is_vector();
        // Comparisons that Cranelift has no vector form for, or one of more instructions than it takes.
        match cc {
            FloatCc::One if vector => {
                let less = self.ins().fcmp(FloatCC::LessThan, a, b);
                let greater = self.ins().fcmp(FloatCC::LessThan, b, a);
                self.ins().bor(less, greater)
            }
            FloatCc::Ueq if vector && !self.target.vectors.unordered_compare => {
                let differ = self.compare_float_part(FloatCc::One, a, b);
                self.ins().bnot(differ)
            }
            FloatCc::Uno if vector && a == b && !self.target.vectors.unordered_compare => {
                let number = self.ins().fcmp(FloatCC::Equal, a, a);
                self.ins().bnot(number)
            }
            FloatCc::Ord if vector && a == b => self.ins().fcmp(FloatCC::Equal, a, a),
            FloatCc::Ueq if vector => {
                let equal = self.ins().fcmp(FloatCC::Equal, a, b);
                let unordered = self.ins().fcmp(FloatCC::Unordered, a, b);
                self.ins().bor(equal, unordered)
            }
            // "Unordered or less" is "not greater or equal", and so on.
            FloatCc::Ult | FloatCc::Ule | FloatCc::Ugt | FloatCc::Uge if vector && !self.target.vectors.unordered_compare => {
                let opposite = self.ins().fcmp(float_cc(cc).complement(), a, b);
                self.ins().bnot(opposite)
            }
            _ => self.ins().fcmp(float_cc(cc), a, b),
        }
    }

    /// [`ir::InstData::Select`].
    pub fn select(&mut self, mask: Value, [a, b]: [Value; 2]) -> Parts {
        let left = self.get(a);
        let right = match left.ty.elem {
            Elem::Mask => self.get_mask(b, left.bytes),
            _ => self.get(b),
        };
        let mask = self.get_mask(mask, left.bytes);
        self.select_parts(&mask, &left, &right)
    }

    /// `mask ? a : b`, the mask a scalar or in the width of the values.
    pub fn select_parts(&mut self, mask: &Parts, a: &Parts, b: &Parts) -> Parts {
        if !mask.ty.is_vector() {
            let condition = mask.regs[0];
            return self.zip(a, b, |e, a, b| if a == b { a } else { e.ins().select(condition, a, b) });
        }
        let regs: super::values::Registers = (0..a.regs.len())
            .map(|part| self.blend(mask.regs[part], a.regs[part], b.regs[part]))
            .collect();
        Parts::new(a.ty, a.bytes, regs)
    }

    /// `mask ? a : b` in one part; the mask's lanes, 0 or all ones, are as wide as the values'.
    pub fn blend(&mut self, mask: clif::Value, a: clif::Value, b: clif::Value) -> clif::Value {
        if a == b {
            return a;
        }
        let ty = self.b.func.dfg.value_type(a);
        if !self.target.blend {
            let mask = self.cast(ty, mask);
            return self.ins().bitselect(mask, a, b);
        }
        // There is no blend of 16-bit lanes; that of bytes does as well.
        let kind = match ty.lane_bits() {
            32 => types::I32X4,
            64 => types::I64X2,
            _ => types::I8X16,
        };
        let (mask, a, b) = (self.cast(kind, mask), self.cast(kind, a), self.cast(kind, b));
        let blended = self.ins().blendv(mask, a, b);
        self.cast(ty, blended)
    }
}

/// What a comparison made, as a mask.
fn as_mask(compared: Parts) -> Parts {
    Parts {
        ty: compared.ty.as_mask(),
        bytes: if compared.ty.is_vector() { compared.bytes } else { 1 },
        regs: compared.regs,
    }
}
