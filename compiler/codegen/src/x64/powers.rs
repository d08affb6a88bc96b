//! Numbers as fractions and powers of two, by the instructions of AVX-512.

use super::forms::of_type;
use super::ops;
use super::parts::{Parts, Sources};
use super::selector::Selector;
use ir::{BinaryOp, Elem, Type, Value, eval};

/// The fraction of [`ops::VGETMANTPS`] is from 1 to 2, and that of a negative number none.
const OF_POSITIVE: u8 = 0b1100;
/// The same from 1/2 to 1.
const BELOW_1: u8 = 0b1110;
/// The same from 3/4 to 3/2.
const ABOUT_1: u8 = 0b1111;

impl Selector<'_> {
    /// [`BinaryOp::Scale`] of floats or doubles.
    pub fn times_power(&mut self, a: &Parts, b: &Sources) -> Parts {
        let op = of_type(a.ty, [&ops::VSCALEFPS, &ops::VSCALEFPD, &ops::VSCALEFSS, &ops::VSCALEFSD]);
        self.zip_op(op, a, b)
    }

    /// The operation is one that takes floats or doubles apart as the machine has it: fractions are below 2, 3/2 or 1.
    pub fn takes_apart(&self, op: BinaryOp, ty: Type, limit: Value) -> bool {
        let limits: &[f64] = match op {
            BinaryOp::Fraction => &[1.0, 1.5, 2.0],
            BinaryOp::Exponent => &[2.0],
            _ => return false,
        };
        self.c.target.masks
            && matches!(ty.elem, Elem::F32 | Elem::F64)
            && self.limit(ty, limit).is_some_and(|limit| limits.contains(&limit))
    }

    fn limit(&self, ty: Type, limit: Value) -> Option<f64> {
        self.func.constant(limit).map(|bits| eval::to_f64(ty.elem, bits))
    }

    /// [`BinaryOp::Fraction`] or [`BinaryOp::Exponent`] with such a limit. Of scalars, all of the register: what is beside them does not count.
    pub fn taken_apart(&mut self, op: BinaryOp, a: &Parts, limit: Value) -> Parts {
        let (size, double) = (a.size(), a.bytes == 8);
        if op == BinaryOp::Fraction {
            let fraction = if double { &ops::VGETMANTPD } else { &ops::VGETMANTPS };
            let interval = match self.limit(a.ty, limit) {
                Some(1.0) => BELOW_1,
                Some(1.5) => ABOUT_1,
                _ => OF_POSITIVE,
            };
            return self.map(a, |s, part| s.c.v2i(fraction, size, part, interval));
        }
        let exponent = if double { &ops::VGETEXPPD } else { &ops::VGETEXPPS };
        self.map(a, |s, part| s.c.v2(exponent, size, part))
    }
}
