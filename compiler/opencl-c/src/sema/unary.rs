//! Prefix operators.

use super::{Operand, OperandKind, fold};
use crate::hir::{ArithmeticOp, Const, ExprKind, PlaceKind, ValueFlags};
use crate::parse::Parser;
use crate::source::Loc;
use crate::token::Punct;
use crate::types::{QualType, Scalar, TypeId, TypeKind};

impl Parser<'_> {
    /// A prefix operator before an operand.
    pub(crate) fn unary(&mut self, punct: Punct, operand: Operand, loc: Loc) -> Operand {
        if operand.is_error() {
            return operand;
        }
        match punct {
            Punct::Amp => self.address_of(operand, loc),
            Punct::Star => self.dereference(operand, loc),
            Punct::Not => self.logical_not(operand, loc),
            Punct::PlusPlus => self.increment(operand, true, false, loc),
            Punct::MinusMinus => self.increment(operand, false, false, loc),
            Punct::Tilde => self.complement(operand, loc),
            Punct::Minus => self.negate(operand, loc),
            _ => {
                let value = self.promote(operand);
                match self.types().element(value.ty.id) {
                    Some(_) => Operand { loc, ..value },
                    None => self.invalid_operand(value, loc),
                }
            }
        }
    }

    fn negate(&mut self, operand: Operand, loc: Loc) -> Operand {
        let operand = self.promote(operand);
        let ty = operand.ty.id;
        let Some(element) = self.types().element(ty) else {
            return self.invalid_operand(operand, loc);
        };
        let lanes = usize::from(self.types().lanes(ty));
        let negated = |value: &Const| match element.is_float() {
            true => Some(Const::Float(-fold::float(value)?)),
            false => Some(Const::Int(fold::wrap(fold::integer(value)?.wrapping_neg(), element))),
        };
        if let Some(value) = self.as_const(operand)
            && let Some(value) = fold::lanes(&[value], lanes, |parts| negated(parts[0]))
        {
            let negative = self.constant(value, ty, loc);
            return Operand {
                is_literal: operand.is_literal,
                ..negative
            };
        }
        let mut flags = ValueFlags::empty();
        if element.is_signed() {
            flags |= self.flags(ArithmeticOp::Subtract, element);
        }
        let id = self.id(operand);
        self.flagged(ExprKind::Negate(id), ty, loc, flags)
    }

    fn complement(&mut self, operand: Operand, loc: Loc) -> Operand {
        let operand = self.promote(operand);
        let ty = operand.ty.id;
        let Some(element) = self.types().element(ty).filter(|element| element.is_integer()) else {
            return self.invalid_operand(operand, loc);
        };
        let lanes = usize::from(self.types().lanes(ty));
        let flipped = |value: &Const| Some(Const::Int(fold::wrap(!fold::integer(value)?, element)));
        if let Some(value) = self.as_const(operand)
            && let Some(value) = fold::lanes(&[value], lanes, |parts| flipped(parts[0]))
        {
            return self.constant(value, ty, loc);
        }
        let id = self.id(operand);
        self.value(ExprKind::Complement(id), ty, loc)
    }

    /// `*`
    pub(crate) fn dereference(&mut self, operand: Operand, loc: Loc) -> Operand {
        if let OperandKind::Function(_) = operand.kind {
            if !self.lang.function_pointers {
                self.error(operand.loc, "taking address of function is not allowed");
                return self.wrong(loc);
            }
            return operand;
        }
        let pointer = self.rvalue(operand);
        if pointer.is_error() {
            return pointer;
        }
        let Some(pointee) = self.types().pointee(pointer.ty.id) else {
            let message = format!("indirection requires pointer operand ('{}' invalid)", self.name_of(operand.ty));
            self.error(loc, &message);
            return self.wrong(loc);
        };
        self.pointed_at(pointer, pointee, loc)
    }

    /// The place that a pointer points to. That of `&place` is the place.
    pub(crate) fn pointed_at(&mut self, pointer: Operand, pointee: QualType, loc: Loc) -> Operand {
        let id = self.id(pointer);
        if let ExprKind::AddressOf(place) = self.body.expr(id).kind {
            let known = self.body.place(place);
            if known.ty == pointee && known.align > 0 {
                return Operand {
                    kind: OperandKind::Place(place),
                    ty: pointee,
                    loc,
                    is_null: false,
                    is_literal: false,
                };
            }
        }
        let align = self.types().align_of(pointee.id).unwrap_or(1);
        self.place(PlaceKind::Deref(id), pointee, align, loc)
    }

    /// `&`
    pub(crate) fn address_of(&mut self, operand: Operand, loc: Loc) -> Operand {
        match operand.kind {
            OperandKind::Function(_) | OperandKind::Overloaded(_) => self.rvalue(operand),
            OperandKind::Value(_) => {
                let message = format!("cannot take the address of an rvalue of type '{}'", self.name_of(operand.ty));
                self.error(loc, &message);
                self.wrong(loc)
            }
            OperandKind::Place(place) => {
                let ty = operand.ty;
                let node = self.body.place(place);
                let message = match node.kind {
                    PlaceKind::Lanes(..) | PlaceKind::Lane(..) => Some("address of vector element requested"),
                    PlaceKind::Member(..) if node.align == 0 => Some("address of bit-field requested"),
                    PlaceKind::Temporary(_) => Some("cannot take the address of a temporary object"),
                    _ => None,
                };
                if let Some(message) = message {
                    self.error(loc, message);
                    return self.wrong(loc);
                }
                match self.types_ref().kind(ty.id) {
                    TypeKind::Image(_) | TypeKind::Sampler | TypeKind::Pipe(..) | TypeKind::Block(_) => {
                        return self.invalid_operand(operand, loc);
                    }
                    TypeKind::Error => return self.wrong(loc),
                    _ => {}
                }
                if let PlaceKind::Deref(pointer) = self.body.place(place).kind {
                    // `&*p` is `p`.
                    let ty = self.body.expr(pointer).ty;
                    return self.operand_of(pointer, ty, loc);
                }
                let pointer = self.types().pointer(ty);
                self.value(ExprKind::AddressOf(place), pointer, loc)
            }
        }
    }

    /// `a[i]`
    pub(crate) fn subscript(&mut self, base: Operand, index: Operand, loc: Loc) -> Operand {
        if base.is_error() || index.is_error() {
            return self.wrong(loc);
        }
        // An element of an array that is a place is a part of it.
        if let OperandKind::Place(place) = base.kind
            && let Some((element, _)) = self.types().as_array(base.ty.id)
        {
            let index = self.rvalue(index);
            if !self.is_integer(index.ty.id) {
                if !index.is_error() {
                    self.error(index.loc, "array subscript is not an integer");
                }
                return self.wrong(loc);
            }
            let index = self.index(index);
            let index = self.id(index);
            let ty = QualType {
                space: base.ty.space,
                ..element.with(base.ty.quals)
            };
            let size = self.types().size_of(element.id).unwrap_or(1).max(1);
            let known = self.body.place(place).align.max(1);
            let align = known.min(1 << size.trailing_zeros().min(62));
            return self.place(PlaceKind::Element(place, index), ty, align, loc);
        }
        let base = self.rvalue(base);
        let index = self.rvalue(index);
        if base.is_error() || index.is_error() {
            return self.wrong(loc);
        }
        if let Some((scalar, lanes)) = self.types().as_vector(base.ty.id) {
            return self.lane(base, index, scalar, lanes, loc);
        }
        let (pointer, index) = match self.is_pointer(base.ty.id) {
            true => (base, index),
            false => (index, base),
        };
        let Some(pointee) = self.types().pointee(pointer.ty.id) else {
            self.error(loc, "subscripted value is not an array, pointer, or vector");
            return self.wrong(loc);
        };
        if !self.is_integer(index.ty.id) {
            self.error(index.loc, "array subscript is not an integer");
            return self.wrong(loc);
        }
        if pointee.id == TypeId::VOID || !self.types().is_complete(pointee.id) {
            let message = format!("subscript of pointer to incomplete type '{}'", self.name_of(pointee));
            self.error(loc, &message);
            return self.wrong(loc);
        }
        let pointer = self.move_pointer(pointer, pointee, index, false, loc);
        self.pointed_at(pointer, pointee, loc)
    }

    /// `v[i]`, of a vector that has been read.
    fn lane(&mut self, vector: Operand, index: Operand, scalar: Scalar, lanes: u8, loc: Loc) -> Operand {
        if !self.is_integer(index.ty.id) {
            self.error(index.loc, "array subscript is not an integer");
            return self.wrong(loc);
        }
        let id = self.id(vector);
        let index = self.index(index);
        if let Some(known) = self.as_int(index)
            && known >= u64::from(lanes)
        {
            // Nobody may come here.
            self.warn("array-bounds", index.loc, "vector element index is out of bounds");
        }
        let index = self.id(index);
        let element = TypeId::scalar(scalar);
        match self.body.expr(id).kind {
            // Read from a place: the lane is a place too.
            ExprKind::Load(place) => {
                let ty = QualType {
                    id: element,
                    ..self.body.place(place).ty
                };
                self.place(PlaceKind::Lane(place, index), ty, 0, loc)
            }
            _ => self.value(ExprKind::ExtractDynamic(id, index), element, loc),
        }
    }
}
