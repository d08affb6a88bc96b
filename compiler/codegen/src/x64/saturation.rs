//! Integers that are brought within the limits of a shorter type and truncated to it: packs do both, and so do AVX-512's conversions.

use super::encode::Op;
use super::ops;
use super::parts::Parts;
use super::selector::Selector;
use super::widths::Fits;
use ir::{BinaryOp, ConvertOp, Elem, Inst, InstData, Type, Value};

impl Selector<'_> {
    /// Looks for minima and maxima that are only wanted for a truncation that they bring the number into the range of.
    pub fn find_saturations(&mut self, insts: &[Inst]) {
        for &inst in insts {
            if let InstData::Convert {
                op: ConvertOp::Trunc,
                ty,
                arg,
                ..
            } = self.func.inst(inst).data
                && let Some((inner, ..)) = self.limited(ty, arg)
            {
                self.passed_over.extend([arg, inner]);
            }
        }
    }

    /// The truncation of a number that limits were passed over for.
    pub fn saturated(&mut self, ty: Type, arg: Value) -> Option<Parts> {
        if !self.passed_over.contains(&arg) {
            return None;
        }
        let (_, number, fits) = self.limited(ty, arg)?;
        let mut a = self.get(number);
        if !self.c.target.masks {
            return Some(self.truncate_if(&a, ty, fits));
        }
        let (size, bytes) = (a.size(), a.bytes);
        if fits == Fits::Unsigned {
            let zero = self.c.zero();
            let max = if bytes == 4 { &ops::VPMAXSD } else { &ops::VPMAXSW };
            a = self.map(&a, |s, part| s.c.v3(max, size, part, zero));
        }
        let mut short = self.narrow(a, ty.elem.bytes(), |from, to| saturation(from, to, fits));
        short.ty = ty;
        Some(short)
    }

    /// What is limited before it is truncated to a type: the inner minimum or maximum, the number, and the type's limits that it is brought within.
    fn limited(&self, ty: Type, arg: Value) -> Option<(Value, Value, Fits)> {
        let (func, from) = (self.func, self.func.ty(arg).elem);
        if !ty.is_vector() || !matches!((from, ty.elem), (Elem::I32, Elem::I8 | Elem::I16) | (Elem::I16, Elem::I8)) {
            return None;
        }
        let limit = |op: BinaryOp, value: Value| {
            let [a, b] = func.binary(op, value).filter(|_| self.uses[value] == 1)?;
            Some((a, func.signed_constant(b)?))
        };
        let (inner, number, least, most) = match (limit(BinaryOp::SMin, arg), limit(BinaryOp::SMax, arg)) {
            (Some((inner, most)), _) => limit(BinaryOp::SMax, inner).map(|(number, least)| (inner, number, least, most))?,
            (_, Some((inner, least))) => limit(BinaryOp::SMin, inner).map(|(number, most)| (inner, number, least, most))?,
            _ => return None,
        };
        let bits = ty.elem.bits();
        let (signed, unsigned) = ((-1 << (bits - 1), (1 << (bits - 1)) - 1), (0, (1 << bits) - 1));
        let fits = match (least, most) {
            limits if limits == signed => Fits::Signed,
            limits if limits == unsigned => Fits::Unsigned,
            _ => return None,
        };
        Some((inner, number, fits))
    }
}

/// The instruction that truncates lanes of so many bytes to so many, and saturates.
fn saturation(from: u32, to: u32, fits: Fits) -> &'static Op {
    match (from, to, fits) {
        (2, _, Fits::Signed) => &ops::VPMOVSWB_RM,
        (4, 2, Fits::Signed) => &ops::VPMOVSDW_RM,
        (_, _, Fits::Signed) => &ops::VPMOVSDB_RM,
        (2, _, _) => &ops::VPMOVUSWB_RM,
        (4, 2, _) => &ops::VPMOVUSDW_RM,
        (_, _, _) => &ops::VPMOVUSDB_RM,
    }
}
