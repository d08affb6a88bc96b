//! Conversions.

use super::{Folder, Step, binary};
use ir::eval;
use ir::*;

impl Folder<'_> {
    pub(super) fn convert(&mut self, op: ConvertOp, ty: Type, arg: Value, rounding: Rounding) -> Step {
        use ConvertOp::*;
        let from = self.ty(arg);
        let converted = |bits: u64| eval::convert(op, from.elem, ty.elem, rounding, bits);
        if let Some(bits) = self.bits(arg) {
            return Step::Bits(converted(bits));
        }
        if let Some((mask, a, b)) = self.select_of_constants(arg) {
            return self.choose(mask, ty, converted(a), converted(b));
        }
        let to = |op, arg| {
            let data = InstData::Convert {
                op,
                ty,
                arg,
                rounding: Rounding::Nearest,
                saturate: false,
            };
            Step::Data(data, Flags::empty())
        };
        if op == Bitcast && from == ty {
            return Step::Value(arg);
        }
        let Some(&InstData::Convert { op: inner, arg: x, .. }) = self.data(arg) else {
            return Step::Keep;
        };
        let source = self.ty(x);
        match (op, inner) {
            (Trunc, ZExt | SExt) => match source.elem.bits().cmp(&ty.elem.bits()) {
                core::cmp::Ordering::Equal => Step::Value(x),
                core::cmp::Ordering::Greater => to(Trunc, x),
                core::cmp::Ordering::Less => to(inner, x),
            },
            (Trunc, Trunc) => to(Trunc, x),
            (ZExt, ZExt) | (SExt, SExt) => to(op, x),
            (SExt, Trunc) if source == ty && self.flags(arg).contains(Flags::NSW) => Step::Value(x),
            // Its sign bit is 0.
            (SExt, ZExt) => to(ZExt, x),
            (ZExt, Trunc) if source == ty => {
                let mask = self.constant(ty, from.elem.bit_mask());
                binary(BinaryOp::And, x, mask)
            }
            (Bitcast, Bitcast) => to(Bitcast, x),
            (IntToMask, MaskToInt) => Step::Value(x),
            (IntToMask, ZExt | SExt) => to(IntToMask, x),
            (Trunc | SExt, MaskToInt) => to(MaskToInt, x),
            // Each float of the narrow type has the same value in the wide one.
            (FDemote, FPromote) if source == ty => Step::Value(x),
            _ => Step::Keep,
        }
    }
}
