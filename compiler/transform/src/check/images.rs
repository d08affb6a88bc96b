//! Accesses to images stay inside them, where nothing else says what happens outside: writes, reads without a sampler, and reads through a sampler
//! with `CL_ADDRESS_NONE`.
//!
//! Sizes are those of the image's record, which the launch has. Not looked at are accesses to a mip level, normalized coordinates and linear filters.

use crate::expand_images::sizes;
use ir::*;

/// Bits of a sampler word that are zeros where it says `CL_ADDRESS_NONE`, `CL_FILTER_NEAREST` and no normalized coordinates.
const SAMPLER: i64 = 31;

/// Bits that a report has for a coordinate.
pub const BITS: i64 = 21;

/// An access that must stay inside its image.
pub struct Inside {
    /// It does.
    pub ok: Value,
    /// The coordinates, of [`BITS`] bits each, the first in the lowest: an `i64`.
    pub detail: Value,
}

/// Compares an access's coordinates with the image's sizes; nothing where it may go outside.
pub fn inside(func: &mut Function, at: Block, inst: Inst) -> Option<Inside> {
    let InstData::Image { op, args } = &func.inst(inst).data else {
        return None;
    };
    let (op, args) = (*op, args.clone());
    let sampler = (op.access == ImageAccess::Sample).then(|| args[1]);
    let goes_outside = sampler
        .and_then(|sampler| func.constant(sampler))
        .is_some_and(|bits| bits & SAMPLER as u64 != 0);
    if op.level || goes_outside {
        return None;
    }
    let coordinates = &args[op.handles()..][..op.dim.coordinates()];
    // "The layer is clamped" by samplers of each kind.
    let layers = usize::from(sampler.is_some() && op.dim.is_arrayed());
    let b = &mut Builder::new(func, at);
    let sizes = sizes(b, args[0], op.dim);
    let mut ok = None;
    let mut detail = b.i64(0);
    for (number, (&coordinate, &size)) in coordinates.iter().zip(&sizes).enumerate() {
        let (inside, whole) = if b.ty(coordinate).elem.is_float() {
            let (zero, end) = (b.f32(0.0), b.convert(ConvertOp::UToF, Elem::F32, size));
            let (begins, ends) = (b.fcmp(FloatCc::Oge, coordinate, zero), b.fcmp(FloatCc::Olt, coordinate, end));
            (b.and(begins, ends), floor(b, coordinate))
        } else {
            (b.icmp(IntCc::Ult, coordinate, size), coordinate)
        };
        if number + layers < coordinates.len() {
            ok = Some(ok.map_or(inside, |all| b.and(all, inside)));
        }
        let wide = b.convert(ConvertOp::SExt, Elem::I64, whole);
        let (least, most) = (b.i64(-(1 << (BITS - 1))), b.i64((1 << (BITS - 1)) - 1));
        let least = b.binary(BinaryOp::SMax, wide, least);
        let most = b.binary(BinaryOp::SMin, least, most);
        let bits = b.binary_imm(BinaryOp::And, most, (1 << BITS) - 1);
        let bits = b.binary_imm(BinaryOp::Shl, bits, BITS * number as i64);
        detail = b.or(detail, bits);
    }
    let mut ok = ok?;
    if let Some(sampler) = sampler {
        let other = b.binary_imm(BinaryOp::And, sampler, SAMPLER);
        let other = b.icmp_imm(IntCc::Ne, other, 0);
        ok = b.or(ok, other);
    }
    Some(Inside { ok, detail })
}

/// The whole number below a float, an `i32`.
fn floor(b: &mut Builder, float: Value) -> Value {
    b.value(InstData::Convert {
        op: ConvertOp::FToS,
        ty: Type::I32,
        arg: float,
        rounding: Rounding::Down,
        saturate: true,
    })
}
