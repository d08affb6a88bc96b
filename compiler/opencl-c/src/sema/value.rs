//! Operands: what an expression is before it is known how it is used.

use super::fold;
use crate::hir::{Const, Expr, ExprId, ExprKind, FunctionId, Place, PlaceId, PlaceKind, ValueFlags};
use crate::parse::Parser;
use crate::types::{AddressSpace, QualType, Scalar, TypeId, TypeKind};
use crate::{Loc, Symbol};
use std::borrow::Cow;

/// An expression that has been analysed.
#[derive(Clone, Copy, Debug)]
pub struct Operand {
    pub kind: OperandKind,
    /// Of a place, with its qualifiers.
    pub ty: QualType,
    pub loc: Loc,
    /// Is it a constant that converts to any pointer: an integer constant of value zero, or that cast to `void *`?
    pub is_null: bool,
    /// Is it an integer literal or another integer constant expression without a cast's warning?
    pub is_literal: bool,
}

/// What it stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OperandKind {
    Value(ExprId),
    Place(PlaceId),
    Function(FunctionId),
    /// Several functions of one name, of the program's or built in.
    Overloaded(Symbol),
}

impl Operand {
    /// Is it of the type that says that something wrong has been reported?
    pub fn is_error(&self) -> bool {
        self.ty.id == TypeId::ERROR
    }
}

impl Parser<'_> {
    /// A value.
    pub(crate) fn value(&mut self, kind: ExprKind, ty: TypeId, loc: Loc) -> Operand {
        self.flagged(kind, ty, loc, ValueFlags::empty())
    }

    /// A value with flags.
    pub(crate) fn flagged(&mut self, kind: ExprKind, ty: TypeId, loc: Loc, flags: ValueFlags) -> Operand {
        let is_null = matches!(kind, ExprKind::Const(Const::Int(0))) && self.is_integer(ty);
        let id = self.body.add_expr(Expr { kind, ty, flags, loc });
        Operand {
            kind: OperandKind::Value(id),
            ty: QualType::plain(ty),
            loc,
            is_null,
            is_literal: false,
        }
    }

    /// What stands for an expression that was wrong.
    pub(crate) fn wrong(&mut self, loc: Loc) -> Operand {
        self.value(ExprKind::Error, TypeId::ERROR, loc)
    }

    /// An integer constant.
    pub(crate) fn int(&mut self, value: u64, ty: TypeId, loc: Loc) -> Operand {
        self.value(ExprKind::Const(Const::Int(value)), ty, loc)
    }

    /// A constant.
    pub(crate) fn constant(&mut self, value: Const, ty: TypeId, loc: Loc) -> Operand {
        self.value(ExprKind::Const(value), ty, loc)
    }

    /// A place. An array's elements have its qualifiers.
    pub(crate) fn place(&mut self, kind: PlaceKind, ty: QualType, align: u64, loc: Loc) -> Operand {
        let id = self.body.add_place(Place { kind, ty, align, loc });
        Operand {
            kind: OperandKind::Place(id),
            ty,
            loc,
            is_null: false,
            is_literal: false,
        }
    }

    /// The expression of a value. Places must have been loaded.
    pub(crate) fn id(&mut self, operand: Operand) -> ExprId {
        match operand.kind {
            OperandKind::Value(id) => id,
            _ => {
                let loaded = self.rvalue(operand);
                match loaded.kind {
                    OperandKind::Value(id) => id,
                    _ => self.body.add_expr(Expr {
                        kind: ExprKind::Error,
                        ty: TypeId::ERROR,
                        flags: ValueFlags::empty(),
                        loc: operand.loc,
                    }),
                }
            }
        }
    }

    /// The constant that a value is.
    pub(crate) fn as_const(&self, operand: Operand) -> Option<&Const> {
        match operand.kind {
            OperandKind::Value(id) => match &self.body.expr(id).kind {
                ExprKind::Const(value) => Some(value),
                _ => None,
            },
            _ => None,
        }
    }

    /// The integer that a value is, extended as its type's sign says.
    pub(crate) fn as_int(&self, operand: Operand) -> Option<u64> {
        match self.as_const(operand)? {
            &Const::Int(value) => Some(value),
            Const::Zero if self.is_integer(operand.ty.id) => Some(0),
            _ => None,
        }
    }

    /// The value of an operand: what is at a place; arrays and functions become pointers.
    pub(crate) fn rvalue(&mut self, operand: Operand) -> Operand {
        let loc = operand.loc;
        match operand.kind {
            OperandKind::Value(_) => operand,
            OperandKind::Function(id) => {
                if !self.lang.function_pointers {
                    self.error(loc, "taking address of function is not allowed");
                    return self.wrong(loc);
                }
                let pointer = self.types().pointer(operand.ty);
                self.value(ExprKind::FunctionAddress(id), pointer, loc)
            }
            OperandKind::Overloaded(name) => {
                let message = format!("'{}' is a function, and can only be called here", self.text(name));
                self.error(loc, &message);
                self.wrong(loc)
            }
            OperandKind::Place(place) => {
                let ty = operand.ty;
                match *self.types_ref().kind(ty.id) {
                    TypeKind::Error => self.wrong(loc),
                    TypeKind::Array(element, _) => {
                        let pointee = QualType {
                            space: ty.space,
                            ..element.with(ty.quals)
                        };
                        let pointer = self.types().pointer(pointee);
                        self.value(ExprKind::Decay(place), pointer, loc)
                    }
                    TypeKind::Function(_) => {
                        let PlaceKind::Deref(pointer) = self.body.place(place).kind else {
                            return self.wrong(loc);
                        };
                        let ty = self.body.expr(pointer).ty;
                        Operand {
                            kind: OperandKind::Value(pointer),
                            ty: QualType::plain(ty),
                            ..operand
                        }
                    }
                    TypeKind::Block(_) => {
                        let kind = self.body.place(place).kind.clone();
                        self.block_at(operand, &kind)
                    }
                    TypeKind::Atomic(_) if self.unevaluated == 0 => self.atomic_read(operand),
                    TypeKind::Void => {
                        let id = self.value(ExprKind::Load(place), TypeId::VOID, loc);
                        Operand { loc, ..id }
                    }
                    _ => {
                        if !self.types_ref().is_complete(ty.id) {
                            let message = format!("incomplete type '{}' where a complete type is required", self.name_of(ty));
                            self.error(loc, &message);
                            return self.wrong(loc);
                        }
                        if ty.id == TypeId::HALF && !self.half_enabled && self.unevaluated == 0 {
                            self.error(
                                loc,
                                "loading directly from pointer to type 'half' requires cl_khr_fp16. Use vector data load builtin functions instead",
                            );
                            return self.wrong(loc);
                        }
                        if let Some(value) = self.known(place, ty) {
                            return self.constant(value, ty.id, loc);
                        }
                        self.value(ExprKind::Load(place), ty.id, loc)
                    }
                }
            }
        }
    }

    /// An atomic object that is read as if it were none. OpenCL C leaves that to `atomic_load` (6.15.12); programs that count on C11's meaning get it.
    fn atomic_read(&mut self, operand: Operand) -> Operand {
        let loc = operand.loc;
        self.warn(
            "opencl-atomic-read",
            loc,
            "reading an atomic object without a built-in function is not OpenCL C: 'atomic_load' is meant",
        );
        let load = self.session.intern("atomic_load");
        let name = self.text(load);
        if self.builtins.lookup(name, &mut self.program.types).is_empty() {
            let message = format!(
                "type '{}' is read by functions that name an order and a scope only",
                self.name_of(operand.ty)
            );
            self.error(loc, &message);
            return self.wrong(loc);
        }
        let address = self.address_of(operand, loc);
        self.call_name(load, vec![address], loc)
    }

    /// The value of a variable that is a constant, as clang sees it in constant expressions: of scalars that are `constant`, or `const`.
    fn known(&self, place: PlaceId, ty: QualType) -> Option<Const> {
        let scalar = self.types_ref().as_scalar(ty.id)?;
        if ty.is_volatile() {
            return None;
        }
        if let PlaceKind::Local(local) = self.body.place(place).kind {
            return self.known_locals.get(&local).cloned();
        }
        let in_initializer = self.function.is_none() && ty.is_const();
        if ty.space != AddressSpace::Constant && !in_initializer {
            return None;
        }
        match (self.constant_at(place)?.as_ref(), scalar.is_float()) {
            (Const::Zero, true) => Some(Const::Float(0.0)),
            (Const::Zero, false) => Some(Const::Int(0)),
            (value @ (Const::Int(_) | Const::Float(_)), _) => Some(value.clone()),
            _ => None,
        }
    }

    /// The initializer of what is at a place of a global: of all of it, an element or a member.
    fn constant_at(&self, place: PlaceId) -> Option<Cow<'_, Const>> {
        match self.body.place(place).kind {
            PlaceKind::Global(id) => {
                let global = self.program.global(id);
                global.init.as_ref().filter(|_| !global.is_extern).map(Cow::Borrowed)
            }
            PlaceKind::Member(base, index) => part(self.constant_at(base)?, index as usize),
            PlaceKind::Element(base, index) => {
                let &TypeKind::Array(element, len) = self.types_ref().kind(self.body.place(base).ty.id) else {
                    return None;
                };
                let ExprKind::Const(index) = &self.body.expr(index).kind else {
                    return None;
                };
                let index = fold::integer(index).filter(|&index| len.is_some_and(|len| index < len))? as usize;
                match self.constant_at(base)? {
                    Cow::Borrowed(Const::Bytes(bytes)) => {
                        let byte = bytes.get(index).copied().unwrap_or(0);
                        let value = match element.id {
                            TypeId::CHAR => i64::from(byte.cast_signed()) as u64,
                            _ => u64::from(byte),
                        };
                        Some(Cow::Owned(Const::Int(value)))
                    }
                    parts => part(parts, index),
                }
            }
            _ => None,
        }
    }

    // What types are.

    pub(crate) fn scalar_of(&self, ty: TypeId) -> Option<Scalar> {
        self.types_ref().as_scalar(ty)
    }

    pub(crate) fn is_integer(&self, ty: TypeId) -> bool {
        self.scalar_of(ty).is_some_and(Scalar::is_integer)
    }

    pub(crate) fn is_arithmetic(&self, ty: TypeId) -> bool {
        self.scalar_of(ty).is_some()
    }

    pub(crate) fn is_vector(&self, ty: TypeId) -> bool {
        self.types_ref().as_vector(ty).is_some()
    }

    pub(crate) fn is_pointer(&self, ty: TypeId) -> bool {
        self.types_ref().pointee(ty).is_some()
    }
}

/// An element or a member of a constant. Tables are not copied for each of their elements that a program reads.
fn part(whole: Cow<Const>, index: usize) -> Option<Cow<Const>> {
    match whole {
        Cow::Borrowed(Const::Array(list) | Const::Struct(list)) => Some(list.get(index).map_or(Cow::Owned(Const::Zero), Cow::Borrowed)),
        Cow::Borrowed(Const::Union(member, value)) if *member as usize == index => Some(Cow::Borrowed(&**value)),
        zero if *zero == Const::Zero => Some(zero),
        _ => None,
    }
}
