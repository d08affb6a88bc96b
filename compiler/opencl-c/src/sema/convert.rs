//! Conversions that the program does not write.

use super::{Operand, fold};
use crate::hir::{Cast, CastKind, Const, ExprId, ExprKind};
use crate::parse::Parser;
use crate::types::{AddressSpace, QualType, Quals, Scalar, TypeId, TypeKind};

/// What a value is converted for, which messages say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    Initializing,
    Assigning,
    Passing,
    Returning,
}

impl Parser<'_> {
    /// A conversion of a value, whatever it is.
    pub(crate) fn cast_value(&mut self, kind: CastKind, operand: Operand, ty: TypeId) -> Operand {
        let value = self.id(operand);
        self.value(ExprKind::Cast(Cast { kind, value }), ty, operand.loc)
    }

    /// Converts an arithmetic value, or a vector, to another type of as many lanes.
    pub(crate) fn convert_arithmetic(&mut self, operand: Operand, to: TypeId) -> Operand {
        let operand = self.rvalue(operand);
        if operand.ty.id == to {
            return operand;
        }
        let (Some(from_scalar), Some(to_scalar)) = (self.types().element(operand.ty.id), self.types().element(to)) else {
            return self.wrong(operand.loc);
        };
        let lanes = usize::from(self.types().lanes(to));
        if let Some(value) = self.as_const(operand)
            && let Some(value) = fold::lanes(&[value], lanes, |parts| fold::convert(parts[0], from_scalar, to_scalar))
        {
            let converted = self.constant(value, to, operand.loc);
            return Operand {
                is_literal: operand.is_literal && to_scalar.is_integer(),
                ..converted
            };
        }
        let kind = match (from_scalar, to_scalar) {
            (_, Scalar::Bool) => return self.truth_of(operand),
            (Scalar::Bool, _) => CastKind::BoolToArithmetic,
            (from, to) => match (from.is_float(), to.is_float()) {
                (false, false) => CastKind::Integer,
                (false, true) => CastKind::IntToFloat,
                (true, false) => CastKind::FloatToInt,
                (true, true) => CastKind::Float,
            },
        };
        self.cast_value(kind, operand, to)
    }

    /// A scalar in all lanes of a vector type, converted to its element type.
    pub(crate) fn splat(&mut self, operand: Operand, to: TypeId) -> Operand {
        let Some((scalar, lanes)) = self.types().as_vector(to) else {
            return self.wrong(operand.loc);
        };
        let operand = self.convert_arithmetic(operand, TypeId::scalar(scalar));
        if let Some(value) = self.as_const(operand) {
            let value = match value {
                Const::Zero => Const::Zero,
                value => Const::Vector(vec![value.clone(); usize::from(lanes)]),
            };
            return self.constant(value, to, operand.loc);
        }
        self.cast_value(CastKind::Splat, operand, to)
    }

    /// A `bool`: is a scalar, or a pointer, not zero?
    pub(crate) fn truth_of(&mut self, operand: Operand) -> Operand {
        let operand = self.rvalue(operand);
        let loc = operand.loc;
        let ty = operand.ty.id;
        if ty == TypeId::BOOL {
            return operand;
        }
        match self.as_const(operand) {
            Some(&Const::Int(value)) => return self.int(u64::from(value != 0), TypeId::BOOL, loc),
            Some(&Const::Float(value)) => return self.int(u64::from(value != 0.0), TypeId::BOOL, loc),
            Some(Const::Zero) => return self.int(0, TypeId::BOOL, loc),
            _ => {}
        }
        // What was a `bool` before.
        let mut id = self.id(operand);
        loop {
            match self.body.expr(id).kind {
                ExprKind::Cast(Cast {
                    kind: CastKind::BoolToArithmetic,
                    value,
                }) => return self.operand_of(value, TypeId::BOOL, loc),
                ExprKind::Cast(Cast {
                    kind: CastKind::Integer,
                    value,
                }) if self.is_widening(id, value) => id = value,
                _ => break,
            }
        }
        let kind = match self.is_arithmetic(ty) {
            true => CastKind::ToBool,
            false => CastKind::PointerToBool,
        };
        self.cast_value(kind, operand, TypeId::BOOL)
    }

    /// Does a conversion between integers keep whether they are zero?
    fn is_widening(&self, to: ExprId, from: ExprId) -> bool {
        let bits = |id: ExprId| self.types_ref().element(self.body.expr(id).ty).map(Scalar::bits);
        matches!((bits(to), bits(from)), (Some(to), Some(from)) if to >= from)
    }

    /// A value that is there already.
    pub(crate) fn operand_of(&self, id: ExprId, ty: TypeId, loc: crate::Loc) -> Operand {
        Operand {
            kind: super::OperandKind::Value(id),
            ty: QualType::plain(ty),
            loc,
            is_null: false,
            is_literal: false,
        }
    }

    /// The integer promotions.
    pub(crate) fn promote(&mut self, operand: Operand) -> Operand {
        let operand = self.rvalue(operand);
        match self.scalar_of(operand.ty.id) {
            Some(scalar) => {
                let to = TypeId::scalar(promoted(scalar));
                self.convert_arithmetic(operand, to)
            }
            None => operand,
        }
    }

    /// The usual arithmetic conversions of two scalars.
    pub(crate) fn usual_conversions(&mut self, left: Operand, right: Operand) -> (Operand, Operand) {
        let (Some(a), Some(b)) = (self.scalar_of(left.ty.id), self.scalar_of(right.ty.id)) else {
            return (left, right);
        };
        let to = TypeId::scalar(common(a, b));
        (self.convert_arithmetic(left, to), self.convert_arithmetic(right, to))
    }

    /// A value as a type of what takes it, as assignments convert. What cannot be is reported.
    pub(crate) fn convert_for(&mut self, operand: Operand, to: TypeId, purpose: Purpose) -> Operand {
        let operand = self.rvalue(operand);
        let loc = operand.loc;
        let from = operand.ty.id;
        if operand.is_error() || to == TypeId::ERROR {
            return self.wrong(loc);
        }
        if from == to {
            return operand;
        }
        match *self.types_ref().kind(to) {
            TypeKind::Scalar(_) | TypeKind::Enum(_) => {
                if self.is_arithmetic(from) {
                    return self.convert_arithmetic(operand, to);
                }
                if self.is_pointer(from) {
                    if to == TypeId::BOOL {
                        return self.truth_of(operand);
                    }
                    if self.is_integer(to) {
                        self.complain(
                            true,
                            "int-conversion",
                            operand,
                            to,
                            purpose,
                            "incompatible pointer to integer conversion",
                        );
                        return self.cast_value(CastKind::PointerToInt, operand, to);
                    }
                }
            }
            TypeKind::Vector(..) if self.is_arithmetic(from) => return self.splat(operand, to),
            TypeKind::Pointer(pointee) => {
                if operand.is_null {
                    return self.constant(Const::Zero, to, loc);
                }
                if let Some(source) = self.types().pointee(from) {
                    return self.convert_pointer(operand, source, to, pointee, purpose);
                }
                if self.is_integer(from) {
                    self.complain(
                        true,
                        "int-conversion",
                        operand,
                        to,
                        purpose,
                        "incompatible integer to pointer conversion",
                    );
                    let wide = self.convert_arithmetic(operand, TypeId::ULONG);
                    return self.cast_value(CastKind::IntToPointer, wide, to);
                }
            }
            TypeKind::Sampler if self.is_integer(from) => return self.sampler(operand),
            TypeKind::Event | TypeKind::Queue | TypeKind::ClkEvent | TypeKind::ReserveId | TypeKind::Opaque(_) | TypeKind::Block(_)
                if operand.is_null =>
            {
                return self.cast_value(CastKind::ZeroToOpaque, operand, to);
            }
            TypeKind::Atomic(inner) if purpose == Purpose::Initializing => {
                let value = self.convert_for(operand, inner, purpose);
                return match self.as_const(value).cloned() {
                    Some(value) => self.constant(value, to, loc),
                    None => self.cast_value(CastKind::Bits, value, to),
                };
            }
            TypeKind::Image(wanted) => {
                // A qualifier on a parameter and another on an argument.
                if let TypeKind::Image(given) = *self.types().kind(from)
                    && (crate::types::Image {
                        access: wanted.access,
                        ..given
                    }) == wanted
                {
                    self.complain(false, "", operand, to, purpose, "incompatible access qualifiers");
                    return self.wrong(loc);
                }
            }
            _ => {}
        }
        self.complain(false, "", operand, to, purpose, "");
        self.wrong(loc)
    }

    /// A sampler made from an integer.
    pub(crate) fn sampler(&mut self, operand: Operand) -> Operand {
        let value = self.convert_arithmetic(operand, TypeId::UINT);
        match self.as_int(value) {
            Some(bits) => self.constant(Const::Sampler(bits as u32), TypeId::SAMPLER, operand.loc),
            None => self.cast_value(CastKind::IntToSampler, value, TypeId::SAMPLER),
        }
    }

    fn convert_pointer(&mut self, operand: Operand, source: QualType, to: TypeId, target: QualType, purpose: Purpose) -> Operand {
        if !target.space.includes(source.space) {
            self.complain(false, "", operand, to, purpose, "changes address space of pointer");
            return self.wrong(operand.loc);
        }
        if self.differ_in_nested_space(source.id, target.id) {
            self.complain(false, "", operand, to, purpose, "changes address space of nested pointer");
            return self.wrong(operand.loc);
        }
        let lost = source.quals.difference(target.quals) & (Quals::CONST | Quals::VOLATILE);
        let alike = self.alike(source.id, target.id) || source.id == TypeId::VOID || target.id == TypeId::VOID;
        if !alike {
            match self.differ_in_sign(source.id, target.id) {
                true => {
                    let what = "converts between pointers to integer types with different sign";
                    self.complain(true, "pointer-sign", operand, to, purpose, what);
                }
                // As the driver asks clang to: programs that other drivers take have such.
                false => self.complain(
                    true,
                    "incompatible-pointer-types",
                    operand,
                    to,
                    purpose,
                    "incompatible pointer types",
                ),
            }
        } else if !lost.is_empty() {
            self.complain(
                true,
                "incompatible-pointer-types-discards-qualifiers",
                operand,
                to,
                purpose,
                "discards qualifiers",
            );
        }
        self.cast_pointer(operand, to)
    }

    /// Are both pointers, in different address spaces, or pointers to such?
    fn differ_in_nested_space(&self, mut a: TypeId, mut b: TypeId) -> bool {
        while let (Some(x), Some(y)) = (self.types_ref().pointee(a), self.types_ref().pointee(b)) {
            if x.space != y.space {
                return true;
            }
            (a, b) = (x.id, y.id);
        }
        false
    }

    /// Are types the same, but for what `typedef`s, incomplete arrays and qualifiers deeper inside differ in?
    pub(crate) fn alike(&self, a: TypeId, b: TypeId) -> bool {
        if a == b {
            return true;
        }
        match (self.types_ref().kind(a), self.types_ref().kind(b)) {
            (TypeKind::Array(x, m), TypeKind::Array(y, n)) => (m.is_none() || n.is_none() || m == n) && self.alike(x.id, y.id),
            (TypeKind::Pointer(x), TypeKind::Pointer(y)) => x.space == y.space && x.quals == y.quals && self.alike(x.id, y.id),
            (TypeKind::Enum(_), TypeKind::Scalar(scalar)) => self.scalar_of(a) == Some(*scalar),
            (TypeKind::Scalar(scalar), TypeKind::Enum(_)) => self.scalar_of(b) == Some(*scalar),
            _ => false,
        }
    }

    fn differ_in_sign(&self, a: TypeId, b: TypeId) -> bool {
        match (self.scalar_of(a), self.scalar_of(b)) {
            (Some(a), Some(b)) => {
                a.is_integer() && b.is_integer() && a.unsigned() == b.unsigned() && a != Scalar::Bool && b != Scalar::Bool
            }
            _ => false,
        }
    }

    /// A pointer as one of another type, whatever both point to.
    pub(crate) fn cast_pointer(&mut self, operand: Operand, to: TypeId) -> Operand {
        if operand.ty.id == to {
            return operand;
        }
        if let Some(value @ (Const::Zero | Const::Pointer(_))) = self.as_const(operand).cloned() {
            return self.constant(value, to, operand.loc);
        }
        let space = |ty: TypeId, this: &Self| this.types_ref().pointee(ty).map_or(AddressSpace::Private, |it| it.space);
        let kind = match space(operand.ty.id, self) == space(to, self) {
            true => CastKind::Pointer,
            false => CastKind::AddressSpace,
        };
        self.cast_value(kind, operand, to)
    }

    /// Reports a conversion that is wrong, or only warned of.
    fn complain(&mut self, warning: bool, flag: &'static str, operand: Operand, to: TypeId, purpose: Purpose, what: &str) {
        let from = self.name_of(operand.ty);
        let to = self.name_of_id(to);
        let (leading, trailing) = match what {
            ""
            | "changes address space of pointer"
            | "changes address space of nested pointer"
            | "discards qualifiers"
            | "converts between pointers to integer types with different sign"
            | "incompatible access qualifiers" => ("", what),
            what => (what, ""),
        };
        let trailing = if trailing.is_empty() {
            String::new()
        } else {
            format!(" {trailing}")
        };
        let incompatible = match (leading, trailing.is_empty()) {
            ("", true) => "incompatible ",
            _ => "",
        };
        let clause = match purpose {
            Purpose::Initializing => format!("initializing '{to}' with an expression of {incompatible}type '{from}'"),
            Purpose::Assigning => format!("assigning to '{to}' from {incompatible}type '{from}'"),
            Purpose::Passing => format!("passing '{from}' to parameter of {incompatible}type '{to}'"),
            Purpose::Returning => format!("returning '{from}' from a function with {incompatible}result type '{to}'"),
        };
        let message = match leading {
            "" => format!("{clause}{trailing}"),
            leading => format!("{leading} {clause}"),
        };
        match warning {
            true => self.warn(flag, operand.loc, &message),
            false => self.error(operand.loc, &message),
        }
    }

    /// An expression whose value nobody wants.
    pub(crate) fn discard(&mut self, operand: Operand) -> ExprId {
        match operand.kind {
            // Reading what nobody looks at matters if it is volatile only.
            super::OperandKind::Place(place) if !operand.ty.is_volatile() && self.types_ref().is_complete(operand.ty.id) => {
                let ty = self.types().kind(operand.ty.id).clone();
                match ty {
                    TypeKind::Scalar(_) | TypeKind::Vector(..) | TypeKind::Pointer(_) | TypeKind::Record(_) => {
                        let loaded = self.value(ExprKind::Load(place), operand.ty.id, operand.loc);
                        self.id(loaded)
                    }
                    _ => self.id(operand),
                }
            }
            super::OperandKind::Function(id) => {
                let loc = operand.loc;
                if !self.lang.function_pointers {
                    self.error(loc, "taking address of function is not allowed");
                }
                let _ = id;
                let wrong = self.wrong(loc);
                self.id(wrong)
            }
            _ => self.id(operand),
        }
    }
}

/// The type that an integer of a type is promoted to.
pub(crate) fn promoted(scalar: Scalar) -> Scalar {
    match scalar {
        Scalar::Bool | Scalar::Char | Scalar::UChar | Scalar::Short | Scalar::UShort => Scalar::Int,
        scalar => scalar,
    }
}

/// The type that two scalars have in common in an operation.
pub(crate) fn common(a: Scalar, b: Scalar) -> Scalar {
    match a.is_float() || b.is_float() {
        true => unpromoted(a, b),
        false => unpromoted(promoted(a), promoted(b)),
    }
}

/// The type of two numbers that a vector chooses between (OpenCL C 3.0, §6.3.6): of the higher rank, and small integers stay so.
pub(crate) fn unpromoted(a: Scalar, b: Scalar) -> Scalar {
    match (a.is_float(), b.is_float()) {
        (true, false) => a,
        (false, true) => b,
        (false, false) if a == Scalar::Bool && b == Scalar::Bool => Scalar::Char,
        // Of one size, the one without a sign; else the larger: a `long` holds every `uint`.
        (true, true) | (false, false) => a.max(b),
    }
}

/// Has a scalar a greater rank than another? Floating types have ranks of their own.
pub(crate) fn outranks(a: Scalar, b: Scalar) -> bool {
    match (a.is_float(), b.is_float()) {
        (true, true) | (false, false) => a > b,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_common_type_is_c99s() {
        assert_eq!(common(Scalar::Char, Scalar::UShort), Scalar::Int);
        assert_eq!(common(Scalar::Int, Scalar::UInt), Scalar::UInt);
        assert_eq!(common(Scalar::UInt, Scalar::Long), Scalar::Long);
        assert_eq!(common(Scalar::ULong, Scalar::Float), Scalar::Float);
        assert_eq!(common(Scalar::Half, Scalar::Int), Scalar::Half);
        assert_eq!(common(Scalar::Half, Scalar::Double), Scalar::Double);
    }
}
