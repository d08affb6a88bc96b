//! Numbers as fractions and powers of two, by the instructions of AVX-512.

use super::forms::of_type;
use super::ops;
use super::parts::{Parts, Sources};
use super::selector::Selector;
use ir::{BinaryOp, Elem, Type, Value, eval};

/// The fraction of [`ops::VGETMANTPS`] is from 1 to 2, and that of a negative number none.
const OF_POSITIVE: u8 = 0b1100;

impl Selector<'_> {
    /// [`BinaryOp::Scale`] of floats or doubles.
    pub fn times_power(&mut self, a: &Parts, b: &Sources) -> Parts {
        let op = of_type(a.ty, [&ops::VSCALEFPS, &ops::VSCALEFPD, &ops::VSCALEFSS, &ops::VSCALEFSD]);
        self.zip_op(op, a, b)
    }

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
            return self.map(a, |s, part| s.c.v2i(fraction, size, part, OF_POSITIVE));
        }
        let exponent = if double { &ops::VGETEXPPD } else { &ops::VGETEXPPS };
        self.map(a, |s, part| s.c.v2(exponent, size, part))
    }
}
