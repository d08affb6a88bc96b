//! Lanes where there are no mask registers: a lane that is true is -1.
//!
//! So a sum of ones and zeros, `n + (mask ? 1 : 0)`, is a difference, `n - mask`. And conditions for which there is no instruction are the opposite
//! of others: what chooses by one has its operands swapped instead, and what joins it with another condition takes what that one lacks.

use super::compare::is_opposite;
use super::ops;
use super::parts::Parts;
use super::selector::Selector;
use ir::{BinaryOp, Elem, Inst, InstData, Value};
use rustc_hash::FxHashMap;

/// By value: uses that have not been seen.
type Unseen = FxHashMap<Value, u32>;

/// A use of the value has been seen: true if it was the last.
fn see(unseen: &mut Unseen, value: Value) -> bool {
    let Some(left) = unseen.get_mut(&value) else { return false };
    *left -= 1;
    *left == 0
}

impl Selector<'_> {
    /// Looks for ones and zeros by lanes that only sums and differences of the same block have a use for.
    pub fn find_counts(&mut self, insts: &[Inst]) {
        if self.c.target.masks {
            return;
        }
        let func = self.func;
        let mut open = Unseen::default();
        for &inst in insts {
            let node = func.inst(inst);
            match node.data {
                InstData::Select { .. } if self.mask_of_ones(node.results[0]).is_some() => {
                    open.insert(node.results[0], self.uses[node.results[0]]);
                }
                InstData::Binary {
                    op: op @ (BinaryOp::Add | BinaryOp::Sub),
                    args,
                } if !open.is_empty() => {
                    if let Some(ones) = counted(op, args, |arg| open.contains_key(&arg))
                        && see(&mut open, ones)
                    {
                        self.passed_over.insert(ones);
                    }
                }
                _ => {}
            }
        }
    }

    /// The mask of `mask ? 1 : 0` by lanes of integers.
    fn mask_of_ones(&self, value: Value) -> Option<Value> {
        let ty = self.func.ty(value);
        match *self.func.def_data(value)? {
            InstData::Select { mask, args: [a, b] } if ty.is_vector() && ty.elem.is_int() && self.func.ty(mask).is_vector() => {
                (self.func.constant(a) == Some(1) && self.func.constant(b) == Some(0)).then_some(mask)
            }
            _ => None,
        }
    }

    /// A sum or difference with ones and zeros that have no register of their own.
    pub fn count_of_lanes(&mut self, op: BinaryOp, args: [Value; 2]) -> Option<Parts> {
        let is_ones = |arg: Value| self.passed_over.contains(&arg) && self.mask_of_ones(arg).is_some();
        let ones = counted(op, args, is_ones)?;
        let other = if args[0] == ones { args[1] } else { args[0] };
        let mask = self.mask_of_ones(ones)?;
        let other = self.get(other);
        let is_inverted = self.inverted.contains(&mask);
        let mask = self.get_mask(mask, other.bytes);
        let mask = if is_inverted { self.inverted(&mask) } else { mask };
        let op = if op == BinaryOp::Add { BinaryOp::Sub } else { BinaryOp::Add };
        Some(self.binary_sources(op, &other, &mask.sources()))
    }

    /// Looks for comparisons that only choices and conjunctions of the same block have a use for, and that are cheaper as their opposites.
    pub fn find_inverted_comparisons(&mut self, insts: &[Inst]) {
        self.inverted.clear();
        if self.c.target.masks {
            return;
        }
        let func = self.func;
        let mut open = Unseen::default();
        for &inst in insts {
            let node = func.inst(inst);
            match node.data {
                InstData::IntCompare { cc, args } => {
                    let ty = func.ty(args[0]);
                    let cc = self.without_unsigned(cc, args);
                    let bytes = self.c.target.canonical_bytes(ty);
                    if ty.is_vector() && ty.elem != Elem::Mask && is_opposite(cc, bytes) && !is_opposite(cc.inverted(), bytes) {
                        open.insert(node.results[0], self.uses[node.results[0]]);
                    }
                }
                InstData::Select { mask, .. } if self.mask_of_ones(node.results[0]).is_none() && see(&mut open, mask) => {
                    self.inverted.insert(mask);
                }
                InstData::Binary {
                    op: BinaryOp::And,
                    args: [a, b],
                } if ![a, b].iter().any(|arg| self.passed_over.contains(arg)) => match [a, b].map(|arg| open.contains_key(&arg)) {
                    [true, false] if see(&mut open, a) => _ = self.inverted.insert(a),
                    [false, true] if see(&mut open, b) => _ = self.inverted.insert(b),
                    _ => {}
                },
                _ => {}
            }
        }
    }

    /// The conjunction of masks of which one is held as its opposite.
    pub fn conjunction_with_inverted(&mut self, [a, b]: [Value; 2]) -> Option<Parts> {
        let (inverted, other) = match [a, b].map(|arg| self.inverted.contains(&arg)) {
            [true, _] => (a, b),
            [_, true] => (b, a),
            _ => return None,
        };
        let inverted = self.get(inverted);
        let other = self.get_mask(other, inverted.bytes);
        Some(self.zip_op(&ops::VPANDN, &inverted, &other.sources()))
    }
}

/// What is counted by a sum or difference: an operand that is ones and zeros, of a difference the second one.
fn counted(op: BinaryOp, [a, b]: [Value; 2], is_ones: impl Fn(Value) -> bool) -> Option<Value> {
    match op {
        _ if is_ones(b) => Some(b),
        BinaryOp::Add if is_ones(a) => Some(a),
        _ => None,
    }
}
