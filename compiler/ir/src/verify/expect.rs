//! What rules about operands are made of: a type, a kind of element, equal types, a number of operands, a level.

use super::Verifier;
use crate::*;

impl Verifier<'_> {
    pub(super) fn lanes(&mut self, ty: Type) {
        let right = match self.func.level {
            Level::WorkItem => ty.lanes == 1,
            Level::Gang | Level::WorkGroup => ty.lanes >= 1,
        };
        self.check(right, format_args!("{ty}: at the work-item level every type has one lane"));
    }

    pub(super) fn work_items_only(&mut self) {
        self.check(self.func.level == Level::WorkItem, "stands at the work-item level only");
    }

    pub(super) fn not_in_groups(&mut self) {
        self.check(
            self.func.level != Level::WorkGroup,
            "stands at the work-item level only, and until its group is formed",
        );
    }

    pub(super) fn not_in_work_items(&mut self) {
        self.check(
            self.func.level != Level::WorkItem,
            "stands at the work-group level only, and in gangs",
        );
    }

    pub(super) fn ty(&self, value: Value) -> Type {
        self.func.ty(value)
    }

    pub(super) fn expect(&mut self, value: Value, expected: Type) {
        let ty = self.ty(value);
        self.check(ty == expected, format_args!("{value} has type {ty}, and must have {expected}"));
    }

    pub(super) fn elem(&mut self, value: Value, allowed: impl Fn(Elem) -> bool, what: &str) {
        let ty = self.ty(value);
        self.check(allowed(ty.elem), format_args!("{value} has type {ty}, and must be {what}"));
    }

    pub(super) fn same(&mut self, args: &[Value]) {
        let first = self.ty(args[0]);
        args[1..].iter().for_each(|&arg| self.expect(arg, first));
    }

    /// As many operands as types, each of its type.
    pub(super) fn each(&mut self, args: &[Value], types: &[Type]) {
        if self.count(args, types.len()) {
            args.iter().zip(types).for_each(|(&arg, &ty)| self.expect(arg, ty));
        }
    }

    pub(super) fn count(&mut self, args: &[Value], count: usize) -> bool {
        self.check(
            args.len() == count,
            format_args!("takes {count} operands, but there are {}", args.len()),
        )
    }

    pub(super) fn reduce(&mut self, op: ReduceOp, elem: Elem) {
        let bits = matches!(op, ReduceOp::And | ReduceOp::Or | ReduceOp::Xor);
        let right = match elem {
            Elem::Mask => bits,
            _ => elem.is_float() == op.binary().is_float(),
        };
        self.check(right, format_args!("{op} does not combine {elem:?}"));
    }
}
