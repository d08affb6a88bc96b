//! Vector literals, and functions on vectors that take types or lane numbers.

use super::{Operand, Purpose};
use crate::hir::{CastKind, Const, ExprKind};
use crate::parse::Parser;
use crate::source::Loc;
use crate::types::{Scalar, TypeId};

impl Parser<'_> {
    /// `(vector type)(parts)`
    pub(crate) fn vector_literal(&mut self, ty: TypeId, parts: &[Operand], loc: Loc) -> Operand {
        let parts: Vec<Operand> = parts.iter().map(|&part| self.rvalue(part)).collect();
        if parts.iter().any(Operand::is_error) {
            return self.wrong(loc);
        }
        if let [only] = parts[..] {
            return self.cast(crate::parse::DeclType::plain(ty), only, loc);
        }
        self.compose(ty, &parts, loc)
    }

    /// A vector of parts, which together have as many lanes.
    pub(crate) fn compose(&mut self, ty: TypeId, parts: &[Operand], loc: Loc) -> Operand {
        let Some((scalar, lanes)) = self.types().as_vector(ty) else {
            return self.wrong(loc);
        };
        let mut converted = Vec::with_capacity(parts.len());
        let mut count = 0usize;
        for &part in parts {
            let part = self.rvalue(part);
            let n = self.types().lanes(part.ty.id);
            count += usize::from(n);
            let wanted = self.types().vector(scalar, n);
            let part = self.convert_for(part, wanted, Purpose::Initializing);
            if part.is_error() {
                return part;
            }
            converted.push(part);
        }
        let wanted = usize::from(lanes);
        if count != wanted {
            let few = if count < wanted { "few" } else { "many" };
            let message = format!("too {few} elements in vector initialization (expected {wanted} elements, have {count})");
            self.error(loc, &message);
            return self.wrong(loc);
        }
        let mut values = Vec::new();
        for &part in &converted {
            let n = usize::from(self.types().lanes(part.ty.id));
            match self.as_const(part) {
                Some(Const::Vector(lanes)) => values.extend(lanes.iter().cloned()),
                Some(Const::Zero) => values.extend(vec![Const::Zero; n]),
                Some(value) if n == 1 => values.push(value.clone()),
                _ => break,
            }
        }
        if values.len() == wanted {
            return self.constant(Const::Vector(values), ty, loc);
        }
        let ids: Vec<_> = converted.iter().map(|&part| self.id(part)).collect();
        let list = self.body.add_list(&ids);
        self.value(ExprKind::Compose(list), ty, loc)
    }

    /// `as_type(x)`: the same bits as another type.
    pub(crate) fn reinterpret(&mut self, operand: Operand, to: TypeId, loc: Loc) -> Operand {
        let operand = self.rvalue(operand);
        let from = operand.ty.id;
        if operand.is_error() || to == TypeId::ERROR {
            return self.wrong(loc);
        }
        let fits =
            |this: &mut Self, ty: TypeId| this.types().element(ty).is_some_and(|scalar| scalar != Scalar::Bool) || this.is_pointer(ty);
        let (a, b) = (self.types().size_of(from), self.types().size_of(to));
        if !fits(self, from) || !fits(self, to) || a != b {
            let message = format!(
                "invalid reinterpretation: sizes of '{}' and '{}' must match",
                self.name_of_id(to),
                self.name_of_id(from)
            );
            self.error(loc, &message);
            return self.wrong(loc);
        }
        if from == to {
            return operand;
        }
        let (m, n) = (self.types().lanes(from), self.types().lanes(to));
        if let (1, 1, Some(x), Some(y), Some(value)) = (m, n, self.scalar_of(from), self.scalar_of(to), self.as_const(operand))
            && let Some(value) = same_bits(value, x, y)
        {
            return self.constant(value, to, loc);
        }
        match (self.is_pointer(from), self.is_pointer(to)) {
            (true, true) => self.cast_pointer(operand, to),
            (true, false) => self.cast_value(CastKind::PointerToInt, operand, to),
            (false, true) => self.cast_value(CastKind::IntToPointer, operand, to),
            (false, false) => self.cast_value(CastKind::Bits, operand, to),
        }
    }

    /// `__builtin_convertvector(v, type)`
    pub(crate) fn convert_vector(&mut self, operand: Operand, to: TypeId, loc: Loc) -> Operand {
        let operand = self.rvalue(operand);
        if operand.is_error() || to == TypeId::ERROR {
            return self.wrong(loc);
        }
        match (self.types().as_vector(operand.ty.id), self.types().as_vector(to)) {
            (Some((_, m)), Some((_, n))) if m == n => self.convert_arithmetic(operand, to),
            _ => {
                self.error(loc, "'__builtin_convertvector' needs vectors of as many elements");
                self.wrong(loc)
            }
        }
    }

    /// `__builtin_shufflevector(a, b, lanes…)`
    pub(crate) fn shuffle_vector(&mut self, arguments: &[Operand], loc: Loc) -> Operand {
        let arguments: Vec<Operand> = arguments.iter().map(|&argument| self.rvalue(argument)).collect();
        if arguments.iter().any(Operand::is_error) {
            return self.wrong(loc);
        }
        let &[first, second, ref indices @ ..] = &arguments[..] else {
            self.error(loc, "too few arguments to function call '__builtin_shufflevector'");
            return self.wrong(loc);
        };
        let (Some((scalar, m)), true) = (self.types().as_vector(first.ty.id), first.ty.id == second.ty.id) else {
            self.error(loc, "first two arguments to '__builtin_shufflevector' must have the same type");
            return self.wrong(loc);
        };
        let mut lanes = Vec::new();
        for &index in indices {
            match self.as_int(index) {
                Some(lane) if lane < u64::from(m) * 2 => lanes.push(Some(lane as u8)),
                Some(lane) if lane as i64 == -1 => lanes.push(None),
                _ => {
                    self.error(
                        index.loc,
                        "index for '__builtin_shufflevector' must be a constant less than the number of lanes",
                    );
                    return self.wrong(loc);
                }
            }
        }
        if !(1..=16).contains(&lanes.len()) {
            self.error(loc, "'__builtin_shufflevector' needs 1 to 16 indices");
            return self.wrong(loc);
        }
        let ty = self.types().vector(scalar, lanes.len() as u8);
        let kind = ExprKind::Shuffle {
            first: self.id(first),
            second: Some(self.id(second)),
            lanes: lanes.into(),
        };
        self.value(kind, ty, loc)
    }
}

/// A constant's bits as another type of the same size.
fn same_bits(value: &Const, from: Scalar, to: Scalar) -> Option<Const> {
    let bits = match from {
        Scalar::Float => u64::from((super::fold::float(value)? as f32).to_bits()),
        Scalar::Double => super::fold::float(value)?.to_bits(),
        Scalar::Half => return None,
        _ => super::fold::integer(value)?,
    };
    Some(match to {
        Scalar::Float => {
            let float = f32::from_bits(bits as u32);
            // A NaN's bits would not survive being a number.
            if float.is_nan() {
                return None;
            }
            Const::Float(f64::from(float))
        }
        Scalar::Double => {
            let double = f64::from_bits(bits);
            if double.is_nan() {
                return None;
            }
            Const::Float(double)
        }
        Scalar::Half => return None,
        to => Const::Int(super::fold::wrap(bits, to)),
    })
}
