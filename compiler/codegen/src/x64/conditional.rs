//! What some lanes add, where there are no mask registers: `mask ? x + c : x` is `x + (mask & c)`, and so for differences and bits that are set or
//! flipped. A blend by lanes takes several times as long as the conjunction.

use super::ops;
use super::parts::{Parts, Registers};
use super::selector::Selector;
use ir::{BinaryOp, Elem, Inst, InstData, Value};
use rustc_hash::FxHashSet;

impl Selector<'_> {
    /// Looks for operations of the same block that only a choice between what they give and their operand has a use for.
    pub fn find_conditional_operations(&mut self, insts: &[Inst]) {
        if self.c.target.masks {
            return;
        }
        let mut own: FxHashSet<Value> = FxHashSet::default();
        for &inst in insts {
            let node = self.func.inst(inst);
            match node.data {
                InstData::Binary { .. } => own.extend(node.results.first()),
                InstData::Select { mask, args: [a, b] } if self.func.ty(mask).is_vector() => {
                    let is_free = |value: &Value| own.contains(value) && self.uses[*value] == 1 && !self.is_in_ternary(*value);
                    let changed = [(a, b), (b, a)].into_iter().find(|&(changed, x)| self.change(changed, x).is_some());
                    if let Some((changed, _)) = changed.filter(|(changed, _)| is_free(changed)) {
                        self.passed_over.insert(changed);
                    }
                }
                _ => {}
            }
        }
    }

    /// What a value is of the other one of a choice: the operation and its second operand, which changes nothing where it is 0.
    fn change(&self, changed: Value, x: Value) -> Option<(BinaryOp, Value)> {
        let ty = self.func.ty(x);
        let &InstData::Binary { op, args: [a, b] } = self.func.def_data(changed)? else {
            return None;
        };
        let by = match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Or | BinaryOp::Xor if a == x => b,
            BinaryOp::Add | BinaryOp::Or | BinaryOp::Xor if b == x => a,
            _ => return None,
        };
        (ty.is_vector() && ty.elem.is_int() && ty.elem != Elem::Mask).then_some((op, by))
    }

    /// The choice of an operation that was passed over for it.
    pub fn conditional_operation(&mut self, mask: Value, [a, b]: [Value; 2]) -> Option<Parts> {
        let (x, changed, where_on) = match [a, b].map(|value| self.passed_over.contains(&value)) {
            [true, _] => (b, a, true),
            [_, true] => (a, b, false),
            _ => return None,
        };
        let (op, by) = self.change(changed, x)?;
        let x = self.get(x);
        let mask = self.get_mask(mask, x.bytes);
        // A lane of the mask is -1.
        let opposite = match (op, self.func.signed_constant(by)) {
            (BinaryOp::Add, Some(1)) | (BinaryOp::Sub, Some(-1)) => Some(BinaryOp::Sub),
            (BinaryOp::Add, Some(-1)) | (BinaryOp::Sub, Some(1)) => Some(BinaryOp::Add),
            _ => None,
        };
        if let Some(op) = opposite.filter(|_| where_on) {
            return Some(self.binary_sources(op, &x, &mask.sources()));
        }
        let (by, size) = (self.sources(by), x.size());
        let and = if where_on { &ops::VPAND } else { &ops::VPANDN };
        let regs: Registers = mask
            .regs
            .iter()
            .zip(&by)
            .map(|(&mask, &by)| self.c.v3(and, size, mask, by))
            .collect();
        let by = Parts::new(x.ty, x.bytes, regs);
        Some(self.binary_sources(op, &x, &by.sources()))
    }
}
