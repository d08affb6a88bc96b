//! Rotations that programs write as two shifts, as C has no others.

use super::{Folder, Step, binary};
use ir::*;

impl Folder<'_> {
    /// `x << n | x >> w - n`, where `w` is the width of `x`; `+` and `^` do the same where no bit comes from both.
    pub(super) fn rotation(&mut self, op: BinaryOp, a: Value, b: Value) -> Step {
        if !matches!(op, BinaryOp::Or | BinaryOp::Add | BinaryOp::Xor) {
            return Step::Keep;
        }
        let shift = |value: Value| match self.data(value) {
            Some(&InstData::Binary {
                op: op @ (BinaryOp::Shl | BinaryOp::LShr),
                args: [x, amount],
            }) => Some((op, x, amount)),
            _ => None,
        };
        let (Some((first, x, n)), Some((second, y, m))) = (shift(a), shift(b)) else {
            return Step::Keep;
        };
        if x != y || first == second {
            return Step::Keep;
        }
        let (left, right) = if first == BinaryOp::Shl { (n, m) } else { (m, n) };
        let width = u64::from(self.ty(x).elem.bits());
        match (self.bits(left), self.bits(right)) {
            (Some(n), Some(m)) if n < width && m == width - n => binary(BinaryOp::RotL, x, left),
            // Amounts count modulo the width. By 0, both shifts give x, and so does `x | x`, but not `x + x`.
            (None, None) if op == BinaryOp::Or && self.are_opposite(left, right, width) => binary(BinaryOp::RotL, x, left),
            (None, None) if op == BinaryOp::Or && self.are_opposite(right, left, width) => binary(BinaryOp::RotR, x, right),
            _ => Step::Keep,
        }
    }

    /// Is `m` what is left of `n` to a multiple of `width`?
    fn are_opposite(&self, n: Value, m: Value, width: u64) -> bool {
        let n = self.amount(n);
        match self.data(m) {
            Some(&InstData::Binary {
                op: BinaryOp::Sub,
                args: [whole, part],
            }) => self.amount(part) == n && self.bits(whole).is_some_and(|bits| bits % width == 0),
            Some(&InstData::Unary { op: UnaryOp::Neg, arg }) => self.amount(arg) == n,
            _ => false,
        }
    }

    /// What an amount is modulo the width, without what takes it modulo the width.
    pub(super) fn amount(&self, value: Value) -> Value {
        let last = u64::from(self.ty(value).elem.bits()) - 1;
        match self.data(value) {
            Some(&InstData::Binary {
                op: BinaryOp::And,
                args: [amount, kept],
            }) if self.bits(kept).is_some_and(|bits| bits & last == last) => amount,
            _ => value,
        }
    }
}
