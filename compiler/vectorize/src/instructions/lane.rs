//! A single lane: which one, and what values are there.

use crate::vectorize::Vectorizer;
use analysis::uniformity::Shape;
use ir::*;

impl Vectorizer<'_> {
    /// A value as one lane has it (lane 0 if none is named), computed as a scalar where that takes few steps.
    pub(crate) fn in_lane(&mut self, value: Value, lane: Option<Value>, depth: u32) -> Value {
        match (self.uniformity.shape(value), self.src.def_data(value)) {
            (Shape::Uniform(_), _) => self.raw(value),
            (Shape::Linear { stride, .. }, _) => {
                let first = self.raw(value);
                let Some(lane) = lane else { return first };
                let elem = self.src.ty(value).elem;
                let mut b = self.builder();
                let lane = match elem {
                    Elem::I64 => b.convert(ConvertOp::ZExt, elem, lane),
                    Elem::I8 | Elem::I16 => b.convert(ConvertOp::Trunc, elem, lane),
                    _ => lane,
                };
                let steps = b.binary_imm(BinaryOp::Mul, lane, stride);
                b.add(first, steps)
            }
            (Shape::Varying, Some(data @ (InstData::Binary { .. } | InstData::Convert { .. }))) if depth > 0 => {
                let mut data = data.clone();
                data.for_each_operand_mut(|operand| *operand = self.in_lane(*operand, lane, depth - 1));
                self.builder().value(data)
            }
            _ => {
                let vector = self.vector(value);
                match lane {
                    Some(lane) => self.extract(vector, lane),
                    None => self.extract_lane(vector, 0),
                }
            }
        }
    }

    /// Lane `lane` of a vector; of one lane, itself.
    pub(crate) fn extract_lane(&mut self, vector: Value, lane: u16) -> Value {
        if self.lanes == 1 {
            return vector;
        }
        let ty = self.func.ty(vector).with_lanes(1);
        self.builder().lane(LaneOp::Extract(lane), ty, &[vector])
    }

    /// The lane that an `i32` scalar names.
    pub(crate) fn extract(&mut self, vector: Value, lane: Value) -> Value {
        let ty = self.func.ty(vector);
        if ty.elem == Elem::Mask {
            let mut b = self.builder();
            let bits = b.lane(LaneOp::MaskBits, Type::I32, &[vector]);
            let shifted = b.binary(BinaryOp::LShr, bits, lane);
            let bit = b.binary_imm(BinaryOp::And, shifted, 1);
            return b.icmp_imm(IntCc::Ne, bit, 0);
        }
        self.builder().lane(LaneOp::ExtractDynamic, ty.with_lanes(1), &[vector, lane])
    }

    /// The vector with a scalar in the lane that an `i32` scalar names.
    pub(crate) fn insert(&mut self, vector: Value, lane: Value, scalar: Value) -> Value {
        let lanes = self.lanes;
        let mut b = self.builder();
        let numbers = b.lane(LaneOp::Iota, Type::I32.with_lanes(lanes), &[]);
        let lane = b.splat(lanes, lane);
        let here = b.icmp(IntCc::Eq, numbers, lane);
        let scalar = b.splat(lanes, scalar);
        b.select(here, scalar, vector)
    }

    /// The lowest active lane, as an `i32`.
    pub(crate) fn first_lane(&mut self) -> Value {
        let mask = self.mask();
        let mut b = self.builder();
        if b.func.constant(mask) == Some(1) {
            return b.i32(0);
        }
        let bits = b.lane(LaneOp::MaskBits, Type::I32, &[mask]);
        b.unary(UnaryOp::Ctz, bits)
    }

    /// The highest active lane, as an `i32`.
    pub(super) fn last_lane(&mut self) -> Value {
        let mask = self.mask();
        let last = i32::from(self.lanes) - 1;
        let mut b = self.builder();
        if b.func.constant(mask) == Some(1) {
            return b.i32(last);
        }
        let bits = b.lane(LaneOp::MaskBits, Type::I32, &[mask]);
        let zeros = b.unary(UnaryOp::Clz, bits);
        let top = b.i32(31);
        b.sub(top, zeros)
    }
}
