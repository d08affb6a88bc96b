//! Arithmetic operators.

use super::convert::outranks;
use super::{Operand, fold};
use crate::hir::{ArithmeticOp, CastKind, ExprKind, ValueFlags};
use crate::parse::{BinaryOp, Parser};
use crate::source::Loc;
use crate::types::{QualType, Scalar, TypeId};

impl Parser<'_> {
    /// An operator between two operands.
    pub(crate) fn binary(&mut self, op: BinaryOp, left: Operand, right: Operand, loc: Loc) -> Operand {
        let left = self.rvalue(left);
        let right = self.rvalue(right);
        if left.is_error() || right.is_error() {
            return self.wrong(loc);
        }
        match op {
            BinaryOp::And => self.logical(true, left, right, loc),
            BinaryOp::Or => self.logical(false, left, right, loc),
            BinaryOp::Compare(op) => self.compare(op, left, right, loc),
            BinaryOp::Arithmetic(op) => self.arithmetic(op, left, right, loc),
        }
    }

    pub(crate) fn invalid_operands(&mut self, left: Operand, right: Operand, loc: Loc) -> Operand {
        if !left.is_error() && !right.is_error() {
            let message = format!(
                "invalid operands to binary expression ('{}' and '{}')",
                self.name_of(left.ty),
                self.name_of(right.ty)
            );
            self.error(loc, &message);
        }
        self.wrong(loc)
    }

    pub(crate) fn invalid_operand(&mut self, operand: Operand, loc: Loc) -> Operand {
        if !operand.is_error() {
            let message = format!("invalid argument type '{}' to unary expression", self.name_of(operand.ty));
            self.error(loc, &message);
        }
        self.wrong(loc)
    }

    /// Two operands of which at least one is a vector, as vectors of one type. `None` if they have none, which is reported.
    pub(crate) fn vector_operands(&mut self, left: Operand, right: Operand, loc: Loc) -> Option<(Operand, Operand)> {
        let (x, y) = (left.ty.id, right.ty.id);
        match (self.types().as_vector(x), self.types().as_vector(y)) {
            (Some(_), Some(_)) if x == y => Some((left, right)),
            (Some(_), Some(_)) => {
                let message = format!(
                    "cannot convert between vector values of different size or type ('{}' and '{}')",
                    self.name_of(left.ty),
                    self.name_of(right.ty)
                );
                self.error(loc, &message);
                None
            }
            (Some((element, _)), None) => {
                let right = self.splat_operand(right, x, element, (left.ty, right.ty), loc)?;
                Some((left, right))
            }
            (None, Some((element, _))) => {
                let left = self.splat_operand(left, y, element, (left.ty, right.ty), loc)?;
                Some((left, right))
            }
            (None, None) => None,
        }
    }

    /// A scalar as a vector beside another (OpenCL C, 6.2.6): its rank may not be greater than the elements'.
    fn splat_operand(&mut self, operand: Operand, to: TypeId, element: Scalar, both: (QualType, QualType), loc: Loc) -> Option<Operand> {
        let Some(scalar) = self.scalar_of(operand.ty.id) else {
            let message = format!(
                "invalid operands to binary expression ('{}' and '{}')",
                self.name_of(both.0),
                self.name_of(both.1)
            );
            self.error(loc, &message);
            return None;
        };
        if outranks(scalar, element) || (scalar.is_float() && element.is_integer()) {
            let message = format!(
                "scalar operand type has greater rank than the type of the vector element. ('{}' and '{}')",
                self.name_of(both.0),
                self.name_of(both.1)
            );
            self.error(loc, &message);
            return None;
        }
        Some(self.splat(operand, to))
    }

    pub(crate) fn arithmetic(&mut self, op: ArithmeticOp, left: Operand, right: Operand, loc: Loc) -> Operand {
        use ArithmeticOp::*;
        if matches!(op, ShiftLeft | ShiftRight) {
            return self.shift(op, left, right, loc);
        }
        let (x, y) = (left.ty.id, right.ty.id);
        if matches!(op, Add | Subtract) && (self.is_pointer(x) || self.is_pointer(y)) {
            return self.pointer_arithmetic(op, left, right, loc);
        }
        let (left, right) = if self.is_vector(x) || self.is_vector(y) {
            match self.vector_operands(left, right, loc) {
                Some(both) => both,
                None => return self.wrong(loc),
            }
        } else if self.is_arithmetic(x) && self.is_arithmetic(y) {
            self.usual_conversions(left, right)
        } else {
            return self.invalid_operands(left, right, loc);
        };
        let Some(element) = self.types().element(left.ty.id) else {
            return self.wrong(loc);
        };
        if element.is_float() && matches!(op, Remainder | And | Or | Xor) {
            return self.invalid_operands(left, right, loc);
        }
        if matches!(op, Divide | Remainder) && element.is_integer() && self.as_int(right) == Some(0) && self.unevaluated == 0 {
            let what = if op == Divide { "division" } else { "remainder" };
            let message = format!("{what} by zero is undefined");
            self.warn("division-by-zero", loc, &message);
        }
        self.computed(op, left, right, loc)
    }

    /// An operation on operands of one type, folded if they are constants.
    pub(crate) fn computed(&mut self, op: ArithmeticOp, left: Operand, right: Operand, loc: Loc) -> Operand {
        let ty = left.ty.id;
        let element = self.types().element(ty).unwrap_or(Scalar::Int);
        let lanes = usize::from(self.types().lanes(ty));
        if let (Some(a), Some(b)) = (self.as_const(left), self.as_const(right))
            && let Some(value) = fold::lanes(&[a, b], lanes, |parts| fold::arithmetic(op, element, parts[0], parts[1]))
        {
            return self.constant(value, ty, loc);
        }
        let flags = self.flags(op, element);
        let (a, b) = (self.id(left), self.id(right));
        self.flagged(ExprKind::Arithmetic(op, a, b), ty, loc, flags)
    }

    /// What C, and the pragmas, allow of an operation.
    pub(crate) fn flags(&self, op: ArithmeticOp, element: Scalar) -> ValueFlags {
        let mut flags = ValueFlags::empty();
        if element.is_float() && self.contract {
            flags |= ValueFlags::CONTRACT;
        }
        if element.is_signed() && matches!(op, ArithmeticOp::Add | ArithmeticOp::Subtract | ArithmeticOp::Multiply) {
            flags |= ValueFlags::NO_SIGNED_WRAP;
        }
        flags
    }

    /// `<<` and `>>`: the amount need not have the other's type.
    fn shift(&mut self, op: ArithmeticOp, left: Operand, right: Operand, loc: Loc) -> Operand {
        let (x, y) = (left.ty.id, right.ty.id);
        let integers = |this: &mut Self, ty: TypeId| this.types().element(ty).is_some_and(Scalar::is_integer);
        if !integers(self, x) || !integers(self, y) {
            return self.invalid_operands(left, right, loc);
        }
        match (self.types().as_vector(x), self.types().as_vector(y)) {
            (None, Some(_)) => {
                let message = format!(
                    "requested shift is a vector of type '{}' but the first operand is not a vector ('{}')",
                    self.name_of(right.ty),
                    self.name_of(left.ty)
                );
                self.error(loc, &message);
                self.wrong(loc)
            }
            (Some((_, m)), Some((_, n))) if m != n => {
                let message = format!(
                    "vector operands do not have the same number of elements ('{}' and '{}')",
                    self.name_of(left.ty),
                    self.name_of(right.ty)
                );
                self.error(loc, &message);
                self.wrong(loc)
            }
            (Some(_), Some(_)) => {
                let right = self.convert_arithmetic(right, x);
                self.computed(op, left, right, loc)
            }
            (Some(_), None) => {
                let right = self.splat(right, x);
                self.computed(op, left, right, loc)
            }
            (None, None) => {
                let left = self.promote(left);
                let right = self.convert_arithmetic(right, left.ty.id);
                self.computed(op, left, right, loc)
            }
        }
    }

    /// `+` and `-` with pointers.
    fn pointer_arithmetic(&mut self, op: ArithmeticOp, left: Operand, right: Operand, loc: Loc) -> Operand {
        let (x, y) = (left.ty.id, right.ty.id);
        match (self.types().pointee(x), self.types().pointee(y)) {
            (Some(p), Some(q)) if op == ArithmeticOp::Subtract => {
                let apart = !p.space.includes(q.space) && !q.space.includes(p.space);
                if apart || !self.alike(p.id, q.id) {
                    let message = format!(
                        "'{}' and '{}' are not pointers to compatible types",
                        self.name_of(left.ty),
                        self.name_of(right.ty)
                    );
                    self.error(loc, &message);
                    return self.wrong(loc);
                }
                if !self.check_arithmetic_pointee(p, loc) {
                    return self.wrong(loc);
                }
                let size = self.types().size_of(p.id).unwrap_or(1).max(1);
                let kind = ExprKind::PointerDifference {
                    left: self.id(left),
                    right: self.id(right),
                    size,
                };
                self.value(kind, TypeId::PTRDIFF_T, loc)
            }
            (Some(pointee), None) if self.is_integer(y) => self.move_pointer(left, pointee, right, op == ArithmeticOp::Subtract, loc),
            (None, Some(pointee)) if self.is_integer(x) && op == ArithmeticOp::Add => self.move_pointer(right, pointee, left, false, loc),
            _ => self.invalid_operands(left, right, loc),
        }
    }

    fn check_arithmetic_pointee(&mut self, pointee: QualType, loc: Loc) -> bool {
        if pointee.id == TypeId::VOID || self.types().is_complete(pointee.id) {
            return true;
        }
        let message = match self.types().as_function(pointee.id) {
            Some(_) => "arithmetic on a pointer to a function".to_string(),
            None => format!("arithmetic on a pointer to an incomplete type '{}'", self.name_of(pointee)),
        };
        self.error(loc, &message);
        false
    }

    /// A pointer moved by a number of elements.
    pub(crate) fn move_pointer(&mut self, pointer: Operand, pointee: QualType, index: Operand, back: bool, loc: Loc) -> Operand {
        if !self.check_arithmetic_pointee(pointee, loc) {
            return self.wrong(loc);
        }
        let index = self.index(index);
        if self.as_int(index) == Some(0) {
            return Operand { loc, ..pointer };
        }
        let kind = ExprKind::PointerAdd {
            pointer: self.id(pointer),
            index: self.id(index),
            back,
        };
        self.value(kind, pointer.ty.id, loc)
    }

    /// An integer as an index: a `long`.
    pub(crate) fn index(&mut self, index: Operand) -> Operand {
        let index = self.promote(index);
        match index.ty.id {
            // The same bits.
            TypeId::ULONG if self.as_const(index).is_none() => self.cast_value(CastKind::Integer, index, TypeId::LONG),
            _ => self.convert_arithmetic(index, TypeId::LONG),
        }
    }
}
