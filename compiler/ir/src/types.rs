//! Types of IR values: an element type and a number of lanes.

use core::fmt;

/// What one lane holds. Pointers are `I64`; the space that they point into stands on the memory operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Elem {
    /// A truth value. How wide it is in a register (one bit, or as wide as what it governs) is the back end's business.
    Mask,
    /// 8-bit integer, no signedness.
    I8,
    /// 16-bit integer.
    I16,
    /// 32-bit integer.
    I32,
    /// 64-bit integer or address.
    I64,
    /// IEEE binary16.
    F16,
    /// bfloat16.
    BF16,
    /// IEEE binary32.
    F32,
    /// IEEE binary64.
    F64,
}

impl Elem {
    /// All of them.
    pub const ALL: [Elem; 9] = [
        Elem::Mask,
        Elem::I8,
        Elem::I16,
        Elem::I32,
        Elem::I64,
        Elem::F16,
        Elem::BF16,
        Elem::F32,
        Elem::F64,
    ];

    /// Width in bits; 1 for a mask.
    pub const fn bits(self) -> u32 {
        match self {
            Elem::Mask => 1,
            Elem::I8 => 8,
            Elem::I16 | Elem::F16 | Elem::BF16 => 16,
            Elem::I32 | Elem::F32 => 32,
            Elem::I64 | Elem::F64 => 64,
        }
    }

    /// Size in memory in bytes; a mask has none of its own and counts as 1.
    pub const fn bytes(self) -> u32 {
        self.bits().div_ceil(8)
    }

    /// What it is in memory: a mask is a byte.
    pub const fn in_memory(self) -> Elem {
        match self {
            Elem::Mask => Elem::I8,
            elem => elem,
        }
    }

    /// `F16`, `BF16`, `F32` or `F64`.
    pub const fn is_float(self) -> bool {
        matches!(self, Elem::F16 | Elem::BF16 | Elem::F32 | Elem::F64)
    }

    /// `I8` to `I64`.
    pub const fn is_int(self) -> bool {
        matches!(self, Elem::I8 | Elem::I16 | Elem::I32 | Elem::I64)
    }

    /// The integer type of this width (8, 16, 32 or 64).
    pub const fn int(bits: u32) -> Option<Elem> {
        match bits {
            8 => Some(Elem::I8),
            16 => Some(Elem::I16),
            32 => Some(Elem::I32),
            64 => Some(Elem::I64),
            _ => None,
        }
    }

    /// The integer type as wide as this one; a mask stays what it is.
    pub const fn as_int(self) -> Elem {
        match self {
            Elem::F16 | Elem::BF16 => Elem::I16,
            Elem::F32 => Elem::I32,
            Elem::F64 => Elem::I64,
            other => other,
        }
    }

    /// All bits that a constant of this type may have set.
    pub const fn bit_mask(self) -> u64 {
        match self.bits() {
            64 => u64::MAX,
            bits => (1 << bits) - 1,
        }
    }

    /// Its name in the text form.
    pub const fn name(self) -> &'static str {
        match self {
            Elem::Mask => "mask",
            Elem::I8 => "i8",
            Elem::I16 => "i16",
            Elem::I32 => "i32",
            Elem::I64 => "i64",
            Elem::F16 => "f16",
            Elem::BF16 => "bf16",
            Elem::F32 => "f32",
            Elem::F64 => "f64",
        }
    }
}

/// The type of a value: `lanes` elements. At the work-item level every type has one lane.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Type {
    /// What a lane holds.
    pub elem: Elem,
    /// 1, or the gang's width.
    pub lanes: u16,
}

impl Type {
    /// One truth value.
    pub const MASK: Type = Type::scalar(Elem::Mask);
    /// One 8-bit integer.
    pub const I8: Type = Type::scalar(Elem::I8);
    /// One 16-bit integer.
    pub const I16: Type = Type::scalar(Elem::I16);
    /// One 32-bit integer.
    pub const I32: Type = Type::scalar(Elem::I32);
    /// One 64-bit integer or address.
    pub const I64: Type = Type::scalar(Elem::I64);
    /// One half.
    pub const F16: Type = Type::scalar(Elem::F16);
    /// One bfloat16.
    pub const BF16: Type = Type::scalar(Elem::BF16);
    /// One float.
    pub const F32: Type = Type::scalar(Elem::F32);
    /// One double.
    pub const F64: Type = Type::scalar(Elem::F64);

    /// One element.
    pub const fn scalar(elem: Elem) -> Type {
        Type { elem, lanes: 1 }
    }

    /// `lanes` elements.
    pub const fn vector(elem: Elem, lanes: u16) -> Type {
        Type { elem, lanes }
    }

    /// The same number of lanes of another element.
    pub const fn with_elem(self, elem: Elem) -> Type {
        Type { elem, lanes: self.lanes }
    }

    /// The same element in another number of lanes.
    pub const fn with_lanes(self, lanes: u16) -> Type {
        Type { elem: self.elem, lanes }
    }

    /// Masks in as many lanes.
    pub const fn as_mask(self) -> Type {
        self.with_elem(Elem::Mask)
    }

    /// Integers of the same width in as many lanes.
    pub const fn as_int(self) -> Type {
        self.with_elem(self.elem.as_int())
    }

    /// More than one lane.
    pub const fn is_vector(self) -> bool {
        self.lanes > 1
    }

    /// Size of all lanes in memory, in bytes.
    pub const fn bytes(self) -> u32 {
        self.elem.bytes() * self.lanes as u32
    }

    /// Reads the text form: `f32`, `maskx8`.
    pub fn parse(text: &str) -> Option<Type> {
        let (name, lanes) = match text.rsplit_once('x') {
            Some((name, lanes)) => (name, lanes.parse().ok().filter(|&lanes| lanes > 1)?),
            None => (text, 1),
        };
        let elem = Elem::ALL.into_iter().find(|elem| elem.name() == name)?;
        Some(Type { elem, lanes })
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.elem.name())?;
        if self.lanes != 1 {
            write!(f, "x{}", self.lanes)?;
        }
        Ok(())
    }
}

impl fmt::Debug for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_form_reads_back() {
        for elem in Elem::ALL {
            for lanes in [1, 4, 8, 16, 32] {
                let ty = Type::vector(elem, lanes);
                assert_eq!(Type::parse(&ty.to_string()), Some(ty));
            }
        }
        assert_eq!(Type::parse("f32x1"), None);
        assert_eq!(Type::parse("f33"), None);
    }
}
