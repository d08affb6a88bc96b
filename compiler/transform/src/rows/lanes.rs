//! Loops over a gang's lanes, one after the other.

use ir::*;

/// The lanes that such a loop goes through: all of a gang, or those that a mask says.
#[derive(Clone, Copy)]
pub(super) struct Lanes {
    pub count: u16,
    pub mask: Option<Value>,
}

impl Lanes {
    /// What the loop begins with, an `i32`: the first lane's number, or bits for the lanes that are on; and whether there is any, where that is
    /// not sure.
    pub fn first(self, b: &mut Builder) -> (Value, Option<Value>) {
        let Some(mask) = self.mask else { return (b.i32(0), None) };
        let bits = b.lane(LaneOp::MaskBits, Type::I32, &[mask]);
        (bits, Some(b.icmp_imm(IntCc::Ne, bits, 0)))
    }

    /// The number of the next lane of those that are left.
    pub fn number(self, b: &mut Builder, left: Value) -> Value {
        match self.mask {
            Some(_) => b.unary(UnaryOp::Ctz, left),
            None => left,
        }
    }

    /// What the next iteration begins with, and whether there is one.
    pub fn next(self, b: &mut Builder, left: Value) -> (Value, Value) {
        if self.mask.is_none() {
            let next = b.binary_imm(BinaryOp::Add, left, 1);
            return (next, b.icmp_imm(IntCc::Ult, next, self.count.into()));
        }
        let below = b.binary_imm(BinaryOp::Add, left, -1);
        let next = b.and(left, below);
        (next, b.icmp_imm(IntCc::Ne, next, 0))
    }

    /// A mask of one lane.
    pub fn only(self, b: &mut Builder, lane: Value) -> Value {
        let numbers = b.lane(LaneOp::Iota, Type::I32.with_lanes(self.count), &[]);
        let this = b.splat(self.count, lane);
        b.icmp(IntCc::Eq, numbers, this)
    }
}
