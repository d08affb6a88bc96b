//! Casts.

use super::Operand;
use crate::hir::{CastKind, Const};
use crate::parse::{DeclType, Parser};
use crate::source::Loc;
use crate::types::{TypeId, TypeKind};

impl Parser<'_> {
    /// `(type)operand`
    pub(crate) fn cast(&mut self, ty: DeclType, operand: Operand, loc: Loc) -> Operand {
        let to = ty.ty.id;
        if to == TypeId::VOID {
            if operand.is_error() {
                return self.wrong(loc);
            }
            let id = self.discard(operand);
            let ty = self.body.expr(id).ty;
            let value = self.operand_of(id, ty, loc);
            return self.cast_value(CastKind::Void, value, TypeId::VOID);
        }
        let operand = self.rvalue(operand);
        let from = operand.ty.id;
        if operand.is_error() || to == TypeId::ERROR {
            return self.wrong(loc);
        }
        if from == to {
            return Operand {
                loc,
                is_literal: false,
                ..operand
            };
        }
        if to == TypeId::HALF && !self.half_enabled {
            self.error(loc, "casting to type 'half' is not allowed");
            return self.wrong(loc);
        }
        match (self.types().kind(to).clone(), self.types().kind(from).clone()) {
            (TypeKind::Vector(..), TypeKind::Scalar(_) | TypeKind::Enum(_)) => self.splat(operand, to),
            (TypeKind::Vector(..), TypeKind::Vector(..)) => {
                let message = format!(
                    "invalid conversion between ext-vector type '{}' and '{}'",
                    self.name_of_id(to),
                    self.name_of_id(from)
                );
                self.error(loc, &message);
                self.wrong(loc)
            }
            (TypeKind::Scalar(_) | TypeKind::Enum(_), TypeKind::Scalar(_) | TypeKind::Enum(_)) => {
                let value = self.convert_arithmetic(operand, to);
                Operand { loc, ..value }
            }
            (TypeKind::Scalar(_) | TypeKind::Enum(_), TypeKind::Pointer(_)) if to == TypeId::BOOL => self.truth_of(operand),
            (TypeKind::Scalar(_) | TypeKind::Enum(_), TypeKind::Pointer(_)) if self.is_integer(to) => {
                match self.as_const(operand) {
                    Some(Const::Zero) => return self.int(0, to, loc),
                    Some(&Const::Pointer(value)) => {
                        let number = self.int(value, TypeId::ULONG, loc);
                        return self.convert_arithmetic(number, to);
                    }
                    _ => {}
                }
                let wide = self.cast_value(CastKind::PointerToInt, operand, TypeId::ULONG);
                self.convert_arithmetic(wide, to)
            }
            (TypeKind::Pointer(_), TypeKind::Scalar(_) | TypeKind::Enum(_)) if self.is_integer(from) => {
                if operand.is_null {
                    let void = self.types().pointee(to).is_some_and(|pointee| pointee.id == TypeId::VOID);
                    let null = self.constant(Const::Zero, to, loc);
                    return Operand { is_null: void, ..null };
                }
                let wide = self.convert_arithmetic(operand, TypeId::ULONG);
                match self.as_int(wide) {
                    Some(value) => self.constant(Const::Pointer(value), to, loc),
                    None => self.cast_value(CastKind::IntToPointer, wide, to),
                }
            }
            (TypeKind::Pointer(target), TypeKind::Pointer(source)) => {
                if !target.space.includes(source.space) && !source.space.includes(target.space) && !operand.is_null {
                    let message = format!(
                        "casting '{}' to type '{}' changes address space of pointer",
                        self.name_of_id(from),
                        self.name_of_id(to)
                    );
                    self.error(loc, &message);
                    return self.wrong(loc);
                }
                let value = self.cast_pointer(operand, to);
                let void = target.id == TypeId::VOID;
                Operand {
                    loc,
                    is_null: operand.is_null && void,
                    ..value
                }
            }
            (TypeKind::Sampler, _) if self.is_integer(from) => self.sampler(operand),
            (TypeKind::Event | TypeKind::Queue | TypeKind::ClkEvent | TypeKind::ReserveId | TypeKind::Opaque(_), TypeKind::Scalar(_))
                if operand.is_null =>
            {
                self.cast_value(CastKind::ZeroToOpaque, operand, to)
            }
            (TypeKind::Record(_), _) | (TypeKind::Array(..), _) | (TypeKind::Function(_), _) => {
                let message = format!("used type '{}' where arithmetic or pointer type is required", self.name_of_id(to));
                self.error(loc, &message);
                self.wrong(loc)
            }
            _ => {
                let message = match self.types().as_record(from) {
                    Some(_) => format!(
                        "operand of type '{}' where arithmetic or pointer type is required",
                        self.name_of_id(from)
                    ),
                    None => format!(
                        "operand of type '{}' cannot be cast to type '{}'",
                        self.name_of_id(from),
                        self.name_of_id(to)
                    ),
                };
                self.error(loc, &message);
                self.wrong(loc)
            }
        }
    }
}
