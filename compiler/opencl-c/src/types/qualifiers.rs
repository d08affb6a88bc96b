//! Qualifiers and address spaces.

use super::TypeId;
use bitflags::bitflags;

bitflags! {
    /// C's qualifiers. `_Atomic` makes another type instead.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
    pub struct Quals: u8 {
        const CONST = 1;
        const VOLATILE = 2;
        const RESTRICT = 4;
    }
}

/// Where an object is (OpenCL C, 6.7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum AddressSpace {
    Private,
    Global,
    Constant,
    Local,
    Generic,
}

impl AddressSpace {
    /// The name that a program gives it.
    pub const fn name(self) -> &'static str {
        match self {
            AddressSpace::Private => "__private",
            AddressSpace::Global => "__global",
            AddressSpace::Constant => "__constant",
            AddressSpace::Local => "__local",
            AddressSpace::Generic => "__generic",
        }
    }

    /// Can a pointer to `other` become a pointer to this without a cast?
    pub fn includes(self, other: AddressSpace) -> bool {
        self == other || (self == AddressSpace::Generic && other != AddressSpace::Constant)
    }
}

/// A type with qualifiers. For what a pointer points to, for variables and for array elements `space` is where the object is; for values it says
/// nothing, and is [`AddressSpace::Private`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct QualType {
    pub id: TypeId,
    pub quals: Quals,
    pub space: AddressSpace,
}

impl QualType {
    /// Without qualifiers, private.
    pub const fn plain(id: TypeId) -> QualType {
        QualType {
            id,
            quals: Quals::empty(),
            space: AddressSpace::Private,
        }
    }

    /// Without qualifiers, in an address space.
    pub const fn in_space(id: TypeId, space: AddressSpace) -> QualType {
        QualType {
            id,
            quals: Quals::empty(),
            space,
        }
    }

    /// With more qualifiers.
    pub const fn with(self, quals: Quals) -> QualType {
        QualType {
            quals: self.quals.union(quals),
            ..self
        }
    }

    pub const fn is_const(self) -> bool {
        self.quals.contains(Quals::CONST)
    }

    pub const fn is_volatile(self) -> bool {
        self.quals.contains(Quals::VOLATILE)
    }
}
