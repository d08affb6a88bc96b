//! Conditions, `?:`, `&&` and `||`.

use super::convert::unpromoted;
use super::{Operand, fold};
use crate::hir::{ArithmeticOp, Cast, CastKind, CompareOp, Const, ExprKind, Local, Place, PlaceKind};
use crate::parse::Parser;
use crate::source::Loc;
use crate::types::{AddressSpace, QualType, Scalar, TypeId, TypeKind};

impl Parser<'_> {
    /// A condition, as a `bool`.
    pub(crate) fn condition(&mut self, operand: Operand) -> Operand {
        let operand = self.rvalue(operand);
        let ty = operand.ty.id;
        if operand.is_error() {
            return operand;
        }
        if self.is_arithmetic(ty) || self.is_pointer(ty) {
            return self.truth_of(operand);
        }
        if self.is_block(ty) {
            return self.int(1, TypeId::BOOL, operand.loc);
        }
        let message = format!(
            "statement requires expression of scalar type ('{}' invalid)",
            self.name_of(operand.ty)
        );
        self.error(operand.loc, &message);
        self.wrong(operand.loc)
    }

    /// A `bool` as the `int` that C makes of comparisons.
    pub(crate) fn bool_to_int(&mut self, operand: Operand) -> Operand {
        if let Some(value) = self.as_int(operand) {
            return self.int(value, TypeId::INT, operand.loc);
        }
        self.cast_value(CastKind::BoolToArithmetic, operand, TypeId::INT)
    }

    /// `&&` and `||`.
    pub(crate) fn logical(&mut self, is_and: bool, left: Operand, right: Operand, loc: Loc) -> Operand {
        if self.is_vector(left.ty.id) || self.is_vector(right.ty.id) {
            return self.vector_logical(is_and, left, right, loc);
        }
        let scalar = |this: &mut Self, ty: TypeId| this.is_arithmetic(ty) || this.is_pointer(ty);
        if !scalar(self, left.ty.id) || !scalar(self, right.ty.id) {
            return self.invalid_operands(left, right, loc);
        }
        let left = self.truth_of(left);
        let right = self.truth_of(right);
        let result = match (self.as_int(left), is_and) {
            (Some(0), true) => self.int(0, TypeId::BOOL, loc),
            (Some(0), false) => right,
            (Some(_), true) => right,
            (Some(_), false) => self.int(1, TypeId::BOOL, loc),
            (None, _) => {
                let (a, b) = (self.id(left), self.id(right));
                let kind = match is_and {
                    true => ExprKind::And(a, b),
                    false => ExprKind::Or(a, b),
                };
                self.value(kind, TypeId::BOOL, loc)
            }
        };
        self.bool_to_int(result)
    }

    fn vector_logical(&mut self, is_and: bool, left: Operand, right: Operand, loc: Loc) -> Operand {
        let Some((left, right)) = self.vector_operands(left, right, loc) else {
            return self.wrong(loc);
        };
        let Some((scalar, lanes)) = self.types().as_vector(left.ty.id) else {
            return self.wrong(loc);
        };
        if scalar.is_float() && self.lang.version < 120 {
            return self.invalid_operands(left, right, loc);
        }
        let result = self.types().vector(scalar.signed(), lanes);
        let mut tests = [left, right];
        for test in &mut tests {
            let zero = self.constant(Const::Zero, left.ty.id, loc);
            let (value, zero) = (self.id(*test), self.id(zero));
            *test = self.value(ExprKind::Compare(CompareOp::NotEqual, value, zero), result, loc);
        }
        let op = if is_and { ArithmeticOp::And } else { ArithmeticOp::Or };
        let (a, b) = (self.id(tests[0]), self.id(tests[1]));
        self.value(ExprKind::Arithmetic(op, a, b), result, loc)
    }

    /// `a ?: b`
    pub(crate) fn elvis(&mut self, condition: Operand, otherwise: Operand, loc: Loc) -> Operand {
        let condition = self.rvalue(condition);
        if condition.is_error() {
            return condition;
        }
        let (condition, again) = self.saved(condition);
        self.conditional(condition, again, otherwise, loc)
    }

    /// A value, and the same again, which is evaluated after it without evaluating it twice.
    pub(crate) fn saved(&mut self, value: Operand) -> (Operand, Operand) {
        let loc = value.loc;
        let id = self.id(value);
        let repeatable = match self.body.expr(id).kind {
            ExprKind::Const(_) => true,
            ExprKind::Load(place) => matches!(self.body.place(place).kind, PlaceKind::Local(_)),
            _ => false,
        };
        if repeatable {
            return (value, value);
        }
        let ty = value.ty;
        let align = self.types().align_of(ty.id).unwrap_or(1);
        let local = self.body.add_local(Local {
            name: None,
            ty,
            align,
            loc,
        });
        let place = self.body.add_place(Place {
            kind: PlaceKind::Local(local),
            ty,
            align,
            loc,
        });
        let stored = self.value(ExprKind::Assign(place, id), ty.id, loc);
        let again = self.value(ExprKind::Load(place), ty.id, loc);
        (stored, again)
    }

    /// `?:`
    pub(crate) fn conditional(&mut self, condition: Operand, then: Operand, otherwise: Operand, loc: Loc) -> Operand {
        let condition = self.rvalue(condition);
        let then = self.rvalue(then);
        let otherwise = self.rvalue(otherwise);
        if condition.is_error() || then.is_error() || otherwise.is_error() {
            return self.wrong(loc);
        }
        for operand in [condition, then, otherwise] {
            if self.is_of_block(operand) {
                self.error(
                    operand.loc,
                    "block type cannot be used as expression in ternary expression in OpenCL",
                );
                return self.wrong(loc);
            }
        }
        if self.is_vector(condition.ty.id) {
            return self.vector_conditional(condition, then, otherwise, loc);
        }
        if self.scalar_of(condition.ty.id).is_some_and(Scalar::is_float) {
            let message = format!(
                "used type '{}' where floating point type is not allowed",
                self.name_of(condition.ty)
            );
            self.error(condition.loc, &message);
            return self.wrong(loc);
        }
        let condition = {
            let ty = condition.ty.id;
            if !self.is_arithmetic(ty) && !self.is_pointer(ty) {
                let message = format!(
                    "used type '{}' where arithmetic or pointer type is required",
                    self.name_of(condition.ty)
                );
                self.error(condition.loc, &message);
                return self.wrong(loc);
            }
            self.truth_of(condition)
        };
        let Some((then, otherwise)) = self.common_type(then, otherwise, loc) else {
            let message = format!(
                "incompatible operand types ('{}' and '{}')",
                self.name_of(then.ty),
                self.name_of(otherwise.ty)
            );
            self.error(loc, &message);
            return self.wrong(loc);
        };
        match self.as_int(condition) {
            Some(0) => return Operand { loc, ..otherwise },
            Some(_) => return Operand { loc, ..then },
            None => {}
        }
        let kind = ExprKind::Conditional {
            condition: self.id(condition),
            then: self.id(then),
            otherwise: self.id(otherwise),
        };
        self.value(kind, then.ty.id, loc)
    }

    /// Both of the values of `?:` in the type that they have in common.
    fn common_type(&mut self, a: Operand, b: Operand, loc: Loc) -> Option<(Operand, Operand)> {
        let (x, y) = (a.ty.id, b.ty.id);
        if self.is_arithmetic(x) && self.is_arithmetic(y) {
            return Some(self.usual_conversions(a, b));
        }
        if x == y {
            return Some((a, b));
        }
        if self.is_vector(x) || self.is_vector(y) {
            return self.vector_operands(a, b, loc);
        }
        if x == TypeId::VOID || y == TypeId::VOID {
            let a = self.cast_value(CastKind::Void, a, TypeId::VOID);
            let b = self.cast_value(CastKind::Void, b, TypeId::VOID);
            return Some((a, b));
        }
        match (self.types().pointee(x), self.types().pointee(y)) {
            (Some(p), Some(q)) => self.common_pointer(a, p, b, q),
            (Some(_), None) if b.is_null => {
                let null = self.constant(Const::Zero, x, b.loc);
                Some((a, null))
            }
            (None, Some(_)) if a.is_null => {
                let null = self.constant(Const::Zero, y, a.loc);
                Some((null, b))
            }
            (Some(_), None) if self.is_integer(y) => {
                self.warn(
                    "conditional-type-mismatch",
                    loc,
                    "pointer/integer type mismatch in conditional expression",
                );
                let b = self.convert_arithmetic(b, TypeId::ULONG);
                let b = self.cast_value(CastKind::IntToPointer, b, x);
                Some((a, b))
            }
            (None, Some(_)) if self.is_integer(x) => {
                self.warn(
                    "conditional-type-mismatch",
                    loc,
                    "pointer/integer type mismatch in conditional expression",
                );
                let a = self.convert_arithmetic(a, TypeId::ULONG);
                let a = self.cast_value(CastKind::IntToPointer, a, y);
                Some((a, b))
            }
            _ => None,
        }
    }

    /// Two pointers as one type.
    pub(crate) fn common_pointer(&mut self, a: Operand, p: QualType, b: Operand, q: QualType) -> Option<(Operand, Operand)> {
        let space = match () {
            () if a.is_null => q.space,
            () if b.is_null => p.space,
            () if p.space.includes(q.space) => p.space,
            () if q.space.includes(p.space) => q.space,
            () => return None,
        };
        let quals = p.quals | q.quals;
        let id = match () {
            () if self.alike(p.id, q.id) => p.id,
            () if a.is_null => q.id,
            () if b.is_null => p.id,
            () if p.id == TypeId::VOID || q.id == TypeId::VOID => TypeId::VOID,
            () => {
                let message = format!("pointer type mismatch ('{}' and '{}')", self.name_of(a.ty), self.name_of(b.ty));
                self.warn("pointer-type-mismatch", a.loc, &message);
                TypeId::VOID
            }
        };
        let ty = self.types().pointer(QualType { id, quals, space });
        Some((self.cast_pointer(a, ty), self.cast_pointer(b, ty)))
    }

    /// `?:` on a vector.
    fn vector_conditional(&mut self, condition: Operand, then: Operand, otherwise: Operand, loc: Loc) -> Operand {
        let Some((scalar, lanes)) = self.types().as_vector(condition.ty.id) else {
            return self.wrong(loc);
        };
        if scalar.is_float() {
            let message = format!(
                "used type '{}' where floating point type is not allowed",
                self.name_of(condition.ty)
            );
            self.error(condition.loc, &message);
            return self.wrong(loc);
        }
        let both = match (self.is_vector(then.ty.id), self.is_vector(otherwise.ty.id)) {
            (false, false) => match (self.scalar_of(then.ty.id), self.scalar_of(otherwise.ty.id)) {
                (Some(a), Some(b)) => {
                    let ty = self.types().vector(unpromoted(a, b), lanes);
                    Some((self.splat(then, ty), self.splat(otherwise, ty)))
                }
                _ => {
                    self.invalid_operands(then, otherwise, loc);
                    None
                }
            },
            _ => self.vector_operands(then, otherwise, loc),
        };
        let Some((then, otherwise)) = both else {
            return self.wrong(loc);
        };
        let size = |element: Scalar| element.size();
        let result = self.types().as_vector(then.ty.id);
        if result.is_none_or(|(element, n)| n != lanes || size(element) != size(scalar)) {
            let message = format!(
                "vector condition type '{}' and result type '{}' do not have the same number of elements or size",
                self.name_of(condition.ty),
                self.name_of(then.ty)
            );
            self.error(loc, &message);
            return self.wrong(loc);
        }
        let kind = ExprKind::Select {
            condition: self.id(condition),
            then: self.id(then),
            otherwise: self.id(otherwise),
        };
        self.value(kind, then.ty.id, loc)
    }

    /// `!`
    pub(crate) fn logical_not(&mut self, operand: Operand, loc: Loc) -> Operand {
        let operand = self.rvalue(operand);
        let ty = operand.ty.id;
        if operand.is_error() {
            return operand;
        }
        if let Some((scalar, lanes)) = self.types().as_vector(ty) {
            if scalar.is_float() && self.lang.version < 120 {
                return self.invalid_operand(operand, loc);
            }
            let result = self.types().vector(scalar.signed(), lanes);
            let zero = self.constant(Const::Zero, ty, loc);
            let (value, zero) = (self.id(operand), self.id(zero));
            return self.value(ExprKind::Compare(CompareOp::Equal, value, zero), result, loc);
        }
        if !self.is_arithmetic(ty) && !self.is_pointer(ty) {
            return self.invalid_operand(operand, loc);
        }
        let value = self.truth_of(operand);
        let result = match self.as_int(value) {
            Some(value) => self.int(u64::from(value == 0), TypeId::BOOL, loc),
            None => {
                let id = self.id(value);
                self.value(ExprKind::Not(id), TypeId::BOOL, loc)
            }
        };
        self.bool_to_int(result)
    }

    /// A comparison.
    pub(crate) fn compare(&mut self, op: CompareOp, left: Operand, right: Operand, loc: Loc) -> Operand {
        let (x, y) = (left.ty.id, right.ty.id);
        if self.is_vector(x) || self.is_vector(y) {
            let Some((left, right)) = self.vector_operands(left, right, loc) else {
                return self.wrong(loc);
            };
            let Some((scalar, lanes)) = self.types().as_vector(left.ty.id) else {
                return self.wrong(loc);
            };
            let result = self.types().vector(scalar.signed(), lanes);
            if let (Some(a), Some(b)) = (self.as_const(left), self.as_const(right))
                && let Some(value) = fold::lanes(&[a, b], usize::from(lanes), |parts| {
                    let holds = fold::compare(op, scalar, parts[0], parts[1])?;
                    Some(Const::Int(if holds { u64::MAX } else { 0 }))
                })
            {
                return self.constant(value, result, loc);
            }
            let (a, b) = (self.id(left), self.id(right));
            return self.value(ExprKind::Compare(op, a, b), result, loc);
        }
        if self.is_arithmetic(x) && self.is_arithmetic(y) {
            let (left, right) = self.usual_conversions(left, right);
            let scalar = self.scalar_of(left.ty.id).unwrap_or(Scalar::Int);
            if let (Some(a), Some(b)) = (self.as_const(left), self.as_const(right))
                && let Some(holds) = fold::compare(op, scalar, a, b)
            {
                return self.int(u64::from(holds), TypeId::INT, loc);
            }
            return self.compared(op, left, right, loc);
        }
        match (self.types().pointee(x), self.types().pointee(y)) {
            (Some(p), Some(q)) => self.compare_pointers(op, left, p, right, q, loc),
            (Some(_), None) if self.is_integer(y) => {
                if !right.is_null {
                    self.pointer_and_integer(left, right, loc);
                }
                let right = self.as_pointer(right, x);
                self.compared(op, left, right, loc)
            }
            (None, Some(_)) if self.is_integer(x) => {
                if !left.is_null {
                    self.pointer_and_integer(left, right, loc);
                }
                let left = self.as_pointer(left, y);
                self.compared(op, left, right, loc)
            }
            _ if matches!(op, CompareOp::Equal | CompareOp::NotEqual) && self.is_comparable(x, y, left, right) => {
                let ty = if left.is_null { y } else { x };
                let left = self.convert_for(left, ty, super::Purpose::Passing);
                let right = self.convert_for(right, ty, super::Purpose::Passing);
                self.compared(op, left, right, loc)
            }
            _ => self.invalid_operands(left, right, loc),
        }
    }

    fn is_comparable(&mut self, x: TypeId, y: TypeId, left: Operand, right: Operand) -> bool {
        let opaque = |this: &mut Self, ty: TypeId| {
            matches!(
                this.types().kind(ty),
                TypeKind::Queue | TypeKind::ClkEvent | TypeKind::ReserveId | TypeKind::Event
            )
        };
        opaque(self, x) && (x == y || right.is_null) || opaque(self, y) && left.is_null
    }

    fn pointer_and_integer(&mut self, left: Operand, right: Operand, loc: Loc) {
        let message = format!(
            "comparison between pointer and integer ('{}' and '{}')",
            self.name_of(left.ty),
            self.name_of(right.ty)
        );
        self.warn("pointer-integer-compare", loc, &message);
    }

    /// An integer as a pointer.
    fn as_pointer(&mut self, operand: Operand, ty: TypeId) -> Operand {
        if operand.is_null {
            return self.constant(Const::Zero, ty, operand.loc);
        }
        let wide = self.convert_arithmetic(operand, TypeId::ULONG);
        self.cast_value(CastKind::IntToPointer, wide, ty)
    }

    fn compare_pointers(&mut self, op: CompareOp, left: Operand, p: QualType, right: Operand, q: QualType, loc: Loc) -> Operand {
        let apart = !p.space.includes(q.space) && !q.space.includes(p.space);
        if apart && !left.is_null && !right.is_null {
            let message = format!(
                "comparison between ('{}' and '{}') which are pointers to non-overlapping address spaces",
                self.name_of(left.ty),
                self.name_of(right.ty)
            );
            self.error(loc, &message);
            return self.wrong(loc);
        }
        let void = p.id == TypeId::VOID || q.id == TypeId::VOID;
        if !self.alike(p.id, q.id) && !void && !left.is_null && !right.is_null {
            let message = format!(
                "comparison of distinct pointer types ('{}' and '{}')",
                self.name_of(left.ty),
                self.name_of(right.ty)
            );
            self.warn("compare-distinct-pointer-types", loc, &message);
        }
        let space = match () {
            () if left.is_null => q.space,
            () if right.is_null => p.space,
            () if p.space.includes(q.space) => p.space,
            () => q.space,
        };
        let ty = self.types().pointer_to(p.id, space);
        let ty = match space == AddressSpace::Private && p.space == space && q.space == space {
            true if left.ty.id == right.ty.id => left.ty.id,
            _ => ty,
        };
        let left = self.cast_pointer(left, ty);
        let right = self.cast_pointer(right, ty);
        self.compared(op, left, right, loc)
    }

    fn compared(&mut self, op: CompareOp, left: Operand, right: Operand, loc: Loc) -> Operand {
        let (a, b) = (self.id(left), self.id(right));
        let result = self.value(ExprKind::Compare(op, a, b), TypeId::BOOL, loc);
        let value = self.id(result);
        self.value(
            ExprKind::Cast(Cast {
                kind: CastKind::BoolToArithmetic,
                value,
            }),
            TypeId::INT,
            loc,
        )
    }
}
