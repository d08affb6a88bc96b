//! `printf`'s format (OpenCL C, 6.15.14): what it says of the arguments, against what they are.

use super::{Operand, OperandKind};
use crate::hir::{Const, ExprKind, PlaceKind};
use crate::parse::Parser;
use crate::source::Loc;
use crate::types::{Scalar, TypeKind};

/// A conversion specification.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Specification {
    /// Arguments of its width and its precision: `*`.
    stars: u32,
    lanes: Option<u32>,
    /// The bytes of an argument, as `hh`, `h`, `hl` and `l` say them.
    size: Option<u64>,
    conversion: u8,
}

/// What a conversion takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Integer,
    Float,
    Text,
    Pointer,
}

/// Why a format cannot be followed to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Broken {
    Incomplete,
    Unknown(u8),
}

/// The conversions of a format in order; those of `%%` take nothing and are left out.
fn specifications(format: &[u8]) -> (Vec<Specification>, Option<Broken>) {
    let mut found = Vec::new();
    let mut rest = format.iter().copied().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            continue;
        }
        if rest.next_if_eq(&b'%').is_some() {
            continue;
        }
        let mut specification = Specification::default();
        let number = |rest: &mut std::iter::Peekable<std::iter::Copied<std::slice::Iter<u8>>>| {
            let mut value = None;
            while let Some(digit) = rest.next_if(u8::is_ascii_digit) {
                value = Some(value.unwrap_or(0u32).saturating_mul(10).saturating_add(u32::from(digit - b'0')));
            }
            value
        };
        while rest.next_if(|byte| b"-+ #0".contains(byte)).is_some() {}
        if rest.next_if_eq(&b'*').is_some() {
            specification.stars += 1;
        } else {
            number(&mut rest);
        }
        if rest.next_if_eq(&b'.').is_some() {
            if rest.next_if_eq(&b'*').is_some() {
                specification.stars += 1;
            } else {
                number(&mut rest);
            }
        }
        if rest.next_if_eq(&b'v').is_some() {
            specification.lanes = Some(number(&mut rest).unwrap_or(0));
        }
        if rest.next_if_eq(&b'h').is_some() {
            specification.size = Some(match () {
                () if rest.next_if_eq(&b'h').is_some() => 1,
                () if rest.next_if_eq(&b'l').is_some() => 4,
                () => 2,
            });
        } else if rest.next_if_eq(&b'l').is_some() {
            specification.size = Some(8);
        }
        match rest.next() {
            None => return (found, Some(Broken::Incomplete)),
            Some(conversion) => {
                specification.conversion = conversion;
                if class_of(conversion).is_none() {
                    return (found, Some(Broken::Unknown(conversion)));
                }
                found.push(specification);
            }
        }
    }
    (found, None)
}

fn class_of(conversion: u8) -> Option<Class> {
    Some(match conversion {
        b'd' | b'i' | b'o' | b'u' | b'x' | b'X' | b'c' => Class::Integer,
        b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => Class::Float,
        b's' => Class::Text,
        b'p' => Class::Pointer,
        _ => return None,
    })
}

impl Parser<'_> {
    /// Warns of arguments that are not what the format says. A format that is no literal is not looked at.
    pub(super) fn check_format(&mut self, arguments: &[Operand], loc: Loc) {
        let Some((format, at)) = arguments.first().and_then(|&format| self.literal_bytes(format)) else {
            return;
        };
        let (list, broken) = specifications(&format);
        let mut rest = arguments[1..].iter();
        for specification in &list {
            for _ in 0..specification.stars {
                match rest.next() {
                    Some(&width) if !self.is_integer(width.ty.id) => {
                        let message = format!(
                            "field width should have type 'int', but argument has type '{}'",
                            self.name_of(width.ty)
                        );
                        self.warn("format", width.loc, &message);
                    }
                    Some(_) => {}
                    None => {
                        return self.warn(
                            "format-insufficient-args",
                            at,
                            "'*' specified field width is missing a matching 'int' argument",
                        );
                    }
                }
            }
            let Some(&argument) = rest.next() else {
                return self.warn("format-insufficient-args", at, "more '%' conversions than data arguments");
            };
            self.check_conversion(specification, argument);
        }
        match broken {
            Some(Broken::Incomplete) => self.warn("format-invalid-specifier", at, "incomplete format specifier"),
            Some(Broken::Unknown(conversion)) => {
                let message = format!("invalid conversion specifier '{}'", char::from(conversion).escape_default());
                self.warn("format-invalid-specifier", at, &message);
            }
            None if rest.next().is_some() => self.warn("format-extra-args", loc, "data argument not used by format string"),
            None => {}
        }
    }

    fn check_conversion(&mut self, specification: &Specification, argument: Operand) {
        let Some(class) = class_of(specification.conversion) else { return };
        let types = self.types_ref();
        let ty = argument.ty.id;
        let lanes = u32::from(types.lanes(ty));
        let fits = match (class, types.element(ty)) {
            (Class::Pointer, _) => types.pointee(ty).is_some(),
            (Class::Text, _) => types
                .pointee(ty)
                .is_some_and(|pointee| matches!(types.element(pointee.id), Some(Scalar::Char | Scalar::UChar))),
            (_, None) => false,
            (_, Some(scalar)) => {
                let same_class = scalar.is_float() == (class == Class::Float);
                let same_size = match (specification.lanes, specification.size) {
                    // What is narrower than an `int`, and any float, is passed as something wider.
                    (None, size) if class == Class::Integer => (size == Some(8)) == (scalar.size() == 8),
                    (None, _) | (_, None) => true,
                    (Some(_), Some(size)) => scalar.size() == size,
                };
                same_class && same_size && specification.lanes.unwrap_or(1) == lanes
            }
        };
        if !fits && !argument.is_error() {
            let message = format!(
                "format specifies type '{}' but the argument has type '{}'",
                specified(specification, class),
                self.name_of(argument.ty)
            );
            self.warn("format", argument.loc, &message);
        }
    }

    /// The bytes of a string literal, and where it is.
    fn literal_bytes(&self, operand: Operand) -> Option<(Vec<u8>, Loc)> {
        let OperandKind::Value(mut id) = operand.kind else { return None };
        loop {
            match self.body.expr(id).kind {
                ExprKind::Cast(cast) => id = cast.value,
                ExprKind::Decay(place) => {
                    let PlaceKind::Global(global) = self.body.place(place).kind else {
                        return None;
                    };
                    let global = self.program.global(global);
                    return match (&global.init, self.types_ref().kind(global.ty.id)) {
                        (Some(Const::Bytes(bytes)), TypeKind::Array(..)) => {
                            let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
                            Some((bytes[..end].to_vec(), operand.loc))
                        }
                        _ => None,
                    };
                }
                _ => return None,
            }
        }
    }
}

/// The type that a specification asks for, as messages name it.
fn specified(specification: &Specification, class: Class) -> String {
    let name = match (class, specification.size, specification.conversion) {
        (Class::Pointer, ..) => return "void *".to_owned(),
        (Class::Text, ..) => return "char *".to_owned(),
        (Class::Float, Some(2), _) => "half",
        (Class::Float, Some(4), _) => "float",
        (Class::Float, ..) => "double",
        (_, Some(1), b'd' | b'i') => "char",
        (_, Some(1), _) => "uchar",
        (_, Some(2), b'd' | b'i') => "short",
        (_, Some(2), _) => "ushort",
        (_, Some(8), b'd' | b'i') => "long",
        (_, Some(8), _) => "ulong",
        (_, _, b'd' | b'i' | b'c') => "int",
        _ => "uint",
    };
    match specification.lanes {
        Some(lanes) => format!("{name}{lanes}"),
        None => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_taken_apart() {
        let (list, broken) = specifications(b"a %% %-+08.3f %*.*d %v4hlf %lx %s%p");
        assert_eq!(broken, None);
        let seen: Vec<(u32, Option<u32>, Option<u64>, u8)> =
            list.iter().map(|one| (one.stars, one.lanes, one.size, one.conversion)).collect();
        let plain = |conversion| (0, None, None, conversion);
        assert_eq!(
            seen,
            [
                plain(b'f'),
                (2, None, None, b'd'),
                (0, Some(4), Some(4), b'f'),
                (0, None, Some(8), b'x'),
                plain(b's'),
                plain(b'p')
            ]
        );
        assert_eq!(specifications(b"%d %5").1, Some(Broken::Incomplete));
        assert_eq!(specifications(b"%y").1, Some(Broken::Unknown(b'y')));
    }
}
