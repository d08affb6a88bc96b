//! Assignments, `++` and `--`.

use super::{Operand, OperandKind, Purpose};
use crate::hir::{ArithmeticOp, ExprKind, PlaceId, PlaceKind, UpdateResult};
use crate::parse::{BinaryOp, Parser};
use crate::source::Loc;
use crate::types::{AddressSpace, RecordId, Scalar, TypeId, TypeKind};

impl Parser<'_> {
    /// The place that an operand is, if it can be stored to. What cannot be is reported.
    fn modifiable(&mut self, operand: Operand, loc: Loc) -> Option<PlaceId> {
        let OperandKind::Place(place) = operand.kind else {
            if !operand.is_error() {
                self.error(loc, "expression is not assignable");
            }
            return None;
        };
        let ty = operand.ty;
        if ty.id == TypeId::ERROR {
            return None;
        }
        if let PlaceKind::Lanes(_, lanes) = &self.body.place(place).kind {
            let mut seen = 0u32;
            let twice = lanes.iter().any(|&lane| {
                let bit = 1 << lane;
                let known = seen & bit != 0;
                seen |= bit;
                known
            });
            if twice {
                self.error(loc, "vector is not assignable (contains duplicate components)");
                return None;
            }
        }
        if ty.is_const() || ty.space == AddressSpace::Constant {
            let message = match self.variable_of(place) {
                Some(name) => format!(
                    "cannot assign to variable '{}' with const-qualified type '{}'",
                    self.text(name),
                    self.name_of(ty)
                ),
                None => "read-only variable is not assignable".to_string(),
            };
            self.error(loc, &message);
            return None;
        }
        let message = match *self.types_ref().kind(ty.id) {
            TypeKind::Scalar(Scalar::Half) if !self.half_enabled => {
                "assigning directly to pointer to type 'half' requires cl_khr_fp16. Use vector data store builtin functions instead"
                    .to_string()
            }
            TypeKind::Array(..) => format!("array type '{}' is not assignable", self.name_of(ty)),
            TypeKind::Function(_) => "non-object type is not assignable".to_string(),
            TypeKind::Record(record) if self.has_const_member(record) => {
                format!("cannot assign to variable of type '{}' with a const member", self.name_of(ty))
            }
            TypeKind::Image(_) | TypeKind::Sampler | TypeKind::Pipe(..) => {
                format!("invalid operands to binary expression ('{0}' and '{0}')", self.name_of(ty))
            }
            TypeKind::Atomic(_) => format!("atomic type '{}' cannot be assigned to", self.name_of(ty)),
            _ if !self.types_ref().is_complete(ty.id) => format!("incomplete type '{}' is not assignable", self.name_of(ty)),
            _ => return Some(place),
        };
        self.error(loc, &message);
        None
    }

    /// The variable whose name a place is.
    fn variable_of(&self, place: PlaceId) -> Option<crate::Symbol> {
        match self.body.place(place).kind {
            PlaceKind::Local(local) => self.body.local(local).name,
            PlaceKind::Global(global) => Some(self.program.global(global).name).filter(|&name| self.text(name) != ".str"),
            _ => None,
        }
    }

    fn has_const_member(&self, record: RecordId) -> bool {
        self.types_ref().record(record).fields.iter().any(|field| {
            let inner = match self.types_ref().as_array(field.ty.id) {
                Some((element, _)) => element,
                None => field.ty,
            };
            field.ty.is_const()
                || inner.is_const()
                || self
                    .types_ref()
                    .as_record(inner.id)
                    .is_some_and(|record| self.has_const_member(record))
        })
    }

    /// `=`
    pub(crate) fn assign(&mut self, left: Operand, right: Operand, loc: Loc) -> Operand {
        let Some(place) = self.modifiable(left, loc) else {
            return self.wrong(loc);
        };
        let value = self.convert_for(right, left.ty.id, Purpose::Assigning);
        if value.is_error() {
            return value;
        }
        let value = self.id(value);
        self.value(ExprKind::Assign(place, value), left.ty.id, loc)
    }

    /// `+=` and its kin.
    pub(crate) fn compound_assign(&mut self, op: ArithmeticOp, left: Operand, right: Operand, loc: Loc) -> Operand {
        let right = self.rvalue(right);
        if left.is_error() || right.is_error() {
            return self.wrong(loc);
        }
        let Some(place) = self.modifiable(left, loc) else {
            return self.wrong(loc);
        };
        let (operand, seen) = match self.as_const(right).is_some() {
            true => (None, right),
            false => {
                let operand = self.id(right);
                (Some(operand), self.value(ExprKind::UpdateOperand, right.ty.id, right.loc))
            }
        };
        let old = self.value(ExprKind::UpdateOld, left.ty.id, loc);
        let result = self.binary(BinaryOp::Arithmetic(op), old, seen, loc);
        if result.is_error() {
            return result;
        }
        let value = self.convert_for(result, left.ty.id, Purpose::Assigning);
        if value.is_error() {
            return value;
        }
        let value = self.id(value);
        self.value(
            ExprKind::Update {
                place,
                operand,
                value,
                result: UpdateResult::New,
            },
            left.ty.id,
            loc,
        )
    }

    /// `++` and `--`.
    pub(crate) fn increment(&mut self, operand: Operand, up: bool, postfix: bool, loc: Loc) -> Operand {
        if operand.is_error() {
            return operand;
        }
        let ty = operand.ty.id;
        let counts = match *self.types_ref().kind(ty) {
            TypeKind::Scalar(_) | TypeKind::Enum(_) | TypeKind::Pointer(_) => true,
            TypeKind::Vector(scalar, _) => scalar.is_integer(),
            _ => false,
        };
        if !counts {
            let what = if up { "increment" } else { "decrement" };
            let message = match matches!(self.types().kind(ty), TypeKind::Atomic(_)) {
                true => format!("invalid argument type '{}' to unary expression", self.name_of(operand.ty)),
                false => format!("cannot {what} value of type '{}'", self.name_of(operand.ty)),
            };
            self.error(loc, &message);
            return self.wrong(loc);
        }
        let Some(place) = self.modifiable(operand, loc) else {
            return self.wrong(loc);
        };
        let old = self.value(ExprKind::UpdateOld, ty, loc);
        let one = match self.types().element(ty) {
            Some(Scalar::Bool) | None => self.int(1, TypeId::INT, loc),
            Some(scalar) => {
                let one = self.int(1, TypeId::INT, loc);
                self.convert_arithmetic(one, TypeId::scalar(scalar))
            }
        };
        let op = if up { ArithmeticOp::Add } else { ArithmeticOp::Subtract };
        let new = self.binary(BinaryOp::Arithmetic(op), old, one, loc);
        if new.is_error() {
            return new;
        }
        let new = self.convert_for(new, ty, Purpose::Assigning);
        let value = self.id(new);
        let result = match postfix {
            true => UpdateResult::Old,
            false => UpdateResult::New,
        };
        self.value(
            ExprKind::Update {
                place,
                operand: None,
                value,
                result,
            },
            ty,
            loc,
        )
    }
}
