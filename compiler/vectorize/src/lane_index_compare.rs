//! Comparisons of ids of 64 bits with what is the same in all lanes are comparisons of lanes' numbers.
//!
//! `i < n`, where `i` grows by one from lane to lane, holds for the first `n - i` lanes: one scalar says how many these are, and a
//! comparison of 32 bits a lane says which, where the ids themselves would take 64.

use super::vectorize::Vectorizer;
use analysis::uniformity::Shape;
use ir::*;

impl Vectorizer<'_> {
    /// The mask of a comparison whose lanes differ, if it is of this kind.
    pub(super) fn compare_with_edge(&mut self, cc: IntCc, [a, b]: [Value; 2]) -> Option<Value> {
        if self.lanes == 1 || self.src.ty(a) != Type::I64 {
            return None;
        }
        let (cc, linear, uniform) = match (self.uniformity.shape(a), self.uniformity.shape(b)) {
            (Shape::Linear { .. }, Shape::Uniform(_)) => (cc, a, b),
            (Shape::Uniform(_), Shape::Linear { .. }) => (cc.swapped(), b, a),
            _ => return None,
        };
        let Shape::Linear {
            stride: 1,
            no_signed_wrap,
            no_unsigned_wrap,
        } = self.uniformity.shape(linear)
        else {
            return None;
        };
        use IntCc::*;
        // "Greater" holds where "less or equal" does not.
        let (less, holds) = match cc {
            Eq | Ne => (None, cc),
            Slt | Sle if no_signed_wrap => (Some(cc), if cc == Slt { Slt } else { Sle }),
            Ult | Ule if no_unsigned_wrap => (Some(cc), if cc == Ult { Slt } else { Sle }),
            Sgt | Sge if no_signed_wrap => (Some(cc.inverted()), if cc == Sge { Sge } else { Sgt }),
            Ugt | Uge if no_unsigned_wrap => (Some(cc.inverted()), if cc == Uge { Sge } else { Sgt }),
            _ => return None,
        };
        let (first, edge) = (self.raw(linear), self.raw(uniform));
        let lanes = self.lanes;
        let mut b = self.builder();
        let distance = b.sub(edge, first);
        let mut count = b.binary_imm(BinaryOp::UMin, distance, i64::from(lanes));
        if let Some(less) = less {
            // Behind the edge no lane is left: not even lane 0 is less, or equal.
            let before = b.icmp(less, first, edge);
            let none = b.i64(if matches!(less, Slt | Ult) { 0 } else { -1 });
            count = b.select(before, count, none);
        }
        let count = b.convert(ConvertOp::Trunc, Elem::I32, count);
        let count = b.splat(lanes, count);
        let numbers = b.lane(LaneOp::Iota, Type::vector(Elem::I32, lanes), &[]);
        Some(b.icmp(holds, numbers, count))
    }
}
