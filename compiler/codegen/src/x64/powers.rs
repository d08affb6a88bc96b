//! Numbers as fractions and powers of two, by the instructions of AVX-512.

use super::forms::{mask_compare_op, of_type, predicate};
use super::ops;
use super::parts::{Parts, Registers};
use super::selector::Selector;
use ir::{BinaryOp, Elem, Type, Value, eval};

/// The fraction of [`ops::VGETMANTPS`] is from 1 to 2, without the sign.
const MAGNITUDE: u8 = 4;

impl Selector<'_> {
    /// The operation is one that takes floats or doubles apart, with fractions below 2, as the machine has it.
    pub fn takes_apart(&self, op: BinaryOp, ty: Type, limit: Value) -> bool {
        let is_two = |bits| eval::to_f64(ty.elem, bits) == 2.0;
        self.c.target.masks
            && matches!(op, BinaryOp::Fraction | BinaryOp::Exponent)
            && matches!(ty.elem, Elem::F32 | Elem::F64)
            && self.func.constant(limit).is_some_and(is_two)
    }

    /// [`BinaryOp::Fraction`] or [`BinaryOp::Exponent`] with fractions below 2. Of scalars, all of the register: what is beside them does not count.
    pub fn taken_apart(&mut self, op: BinaryOp, a: &Parts) -> Parts {
        let (size, double) = (a.size(), a.bytes == 8);
        if op == BinaryOp::Fraction {
            let fraction = if double { &ops::VGETMANTPD } else { &ops::VGETMANTPS };
            return self.map(a, |s, part| s.c.v2i(fraction, size, part, MAGNITUDE));
        }
        let exponent = if double { &ops::VGETEXPPD } else { &ops::VGETEXPPS };
        self.map(a, |s, part| s.c.v2(exponent, size, part))
    }

    /// [`BinaryOp::Scale`], [`BinaryOp::Fraction`] and [`BinaryOp::Exponent`] of floats and doubles; none for other operations.
    pub fn power(&mut self, op: BinaryOp, a: &Parts, b: &Parts) -> Option<Parts> {
        let (ty, size) = (a.ty, a.size());
        match op {
            BinaryOp::Scale => {
                let op = of_type(ty, [&ops::VSCALEFPS, &ops::VSCALEFPD, &ops::VSCALEFSS, &ops::VSCALEFSD]);
                return Some(self.zip_op(op, a, &b.sources()));
            }
            BinaryOp::Fraction | BinaryOp::Exponent => {}
            _ => return None,
        }
        let value = self.taken_apart(op, a);
        // Where the fraction is not below its limit: half of it, and one power of two more.
        let (operation, number) = match op {
            BinaryOp::Fraction => ([&ops::VMULPS, &ops::VMULPD, &ops::VMULSS, &ops::VMULSD], 0.5),
            _ => ([&ops::VADDPS, &ops::VADDPD, &ops::VADDSS, &ops::VADDSD], 1.0),
        };
        let number = self.splat_source(size, a.bytes, eval::from_f64(ty.elem, number));
        let other = self.map(&value, |s, part| s.c.v3(of_type(ty, operation), size, part, number));
        let fraction = match op {
            BinaryOp::Fraction => value.clone(),
            _ => self.taken_apart(BinaryOp::Fraction, a),
        };
        if ty.is_vector() {
            let above = self.compare_to_mask(mask_compare_op(ty), &fraction, &b.sources(), predicate::GE);
            return Some(self.select_parts(&above, &other, &value));
        }
        let regs: Registers = (0..a.regs.len())
            .map(|part| {
                let above = self.compared_floats(ty, size, fraction.regs[part], b.regs[part], predicate::GE);
                self.blend(size, a.bytes, above, other.regs[part], value.regs[part])
            })
            .collect();
        Some(Parts::new(ty, a.bytes, regs))
    }
}
