//! The types of OpenCL C.
//!
//! Types are interned: equal types have equal [`TypeId`]s. Scalars, vectors and the types without parameters have fixed ids, so that tables can name
//! them in constants. Qualifiers are no part of a [`TypeId`]; [`QualType`] is a type with its qualifiers and, for objects, an address space.
//! `typedef` names are aliases and leave no trace here.

mod intern;
mod layout;
mod qualifiers;

pub use intern::Types;
pub use layout::{BitField, Field, Record, RecordLayout};
pub use qualifiers::{AddressSpace, QualType, Quals};

use crate::Symbol;

/// A type without qualifiers. Ids of different [`Types`] have nothing in common beyond the fixed ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeId(pub(crate) u32);

/// A struct or a union: an index into [`Types`]' records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RecordId(pub u32);

/// An enumeration: an index into [`Types`]' enumerations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EnumId(pub u32);

/// The arithmetic types, which are also what vectors are made of (but for `bool`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Scalar {
    Bool,
    Char,
    UChar,
    Short,
    UShort,
    Int,
    UInt,
    Long,
    ULong,
    Half,
    Float,
    Double,
}

impl Scalar {
    pub const ALL: [Scalar; 12] = [
        Scalar::Bool,
        Scalar::Char,
        Scalar::UChar,
        Scalar::Short,
        Scalar::UShort,
        Scalar::Int,
        Scalar::UInt,
        Scalar::Long,
        Scalar::ULong,
        Scalar::Half,
        Scalar::Float,
        Scalar::Double,
    ];

    /// The size in bytes, which is also the alignment.
    pub const fn size(self) -> u64 {
        match self {
            Scalar::Bool | Scalar::Char | Scalar::UChar => 1,
            Scalar::Short | Scalar::UShort | Scalar::Half => 2,
            Scalar::Int | Scalar::UInt | Scalar::Float => 4,
            Scalar::Long | Scalar::ULong | Scalar::Double => 8,
        }
    }

    /// The size in bits of a value. A `bool` has one.
    pub const fn bits(self) -> u32 {
        match self {
            Scalar::Bool => 1,
            _ => self.size() as u32 * 8,
        }
    }

    pub const fn is_float(self) -> bool {
        matches!(self, Scalar::Half | Scalar::Float | Scalar::Double)
    }

    pub const fn is_integer(self) -> bool {
        !self.is_float()
    }

    /// Is it an integer type with a sign?
    pub const fn is_signed(self) -> bool {
        matches!(self, Scalar::Char | Scalar::Short | Scalar::Int | Scalar::Long)
    }

    /// Is it an integer type without a sign? `bool` is one.
    pub const fn is_unsigned(self) -> bool {
        self.is_integer() && !self.is_signed()
    }

    /// The integer type with a sign of the same size, which is what relational operators on vectors give.
    pub const fn signed(self) -> Scalar {
        match self.size() {
            1 => Scalar::Char,
            2 => Scalar::Short,
            4 => Scalar::Int,
            _ => Scalar::Long,
        }
    }

    /// The integer type without a sign of the same size.
    pub const fn unsigned(self) -> Scalar {
        match self.size() {
            1 => Scalar::UChar,
            2 => Scalar::UShort,
            4 => Scalar::UInt,
            _ => Scalar::ULong,
        }
    }

    /// The name that a program gives it.
    pub const fn name(self) -> &'static str {
        match self {
            Scalar::Bool => "bool",
            Scalar::Char => "char",
            Scalar::UChar => "uchar",
            Scalar::Short => "short",
            Scalar::UShort => "ushort",
            Scalar::Int => "int",
            Scalar::UInt => "uint",
            Scalar::Long => "long",
            Scalar::ULong => "ulong",
            Scalar::Half => "half",
            Scalar::Float => "float",
            Scalar::Double => "double",
        }
    }
}

/// How an image or a pipe is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    ReadOnly,
    WriteOnly,
    ReadWrite,
}

/// The dimensions of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ImageDim {
    D1,
    D1Buffer,
    D1Array,
    D2,
    D2Array,
    D3,
}

/// An image type, such as `image2d_array_msaa_depth_t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Image {
    pub dim: ImageDim,
    pub depth: bool,
    pub msaa: bool,
    pub access: Access,
}

impl Image {
    /// The type's name, without its access.
    pub fn name(self) -> String {
        let dim = match self.dim {
            ImageDim::D1 => "1d",
            ImageDim::D1Buffer => "1d_buffer",
            ImageDim::D1Array => "1d_array",
            ImageDim::D2 => "2d",
            ImageDim::D2Array => "2d_array",
            ImageDim::D3 => "3d",
        };
        let msaa = if self.msaa { "_msaa" } else { "" };
        let depth = if self.depth { "_depth" } else { "" };
        format!("image{dim}{msaa}{depth}_t")
    }
}

/// A function's type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FunctionType {
    pub result: QualType,
    /// Parameters without their own qualifiers; arrays and functions are pointers here.
    pub params: Vec<QualType>,
    pub variadic: bool,
}

/// What a [`TypeId`] stands for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TypeKind {
    /// The type of an expression that has been reported as wrong. Nothing more is said of it, and no program with one is emitted.
    Error,
    Void,
    Scalar(Scalar),
    /// 2, 3, 4, 8 or 16 lanes; any of them in results of `__builtin_shufflevector` and of program's own `ext_vector_type`s.
    Vector(Scalar, u8),
    Pointer(QualType),
    /// `None` is an array whose size isn't known (yet).
    Array(QualType, Option<u64>),
    Function(FunctionType),
    Record(RecordId),
    Enum(EnumId),
    Image(Image),
    Sampler,
    Event,
    Queue,
    ClkEvent,
    ReserveId,
    /// A pipe of packets of a type.
    Pipe(QualType, Access),
    /// `_Atomic` of a scalar or a pointer-sized type.
    Atomic(TypeId),
    /// A block: what `^` makes of a function type.
    Block(TypeId),
    /// A type of an extension that only its built-in functions look into, by its name: `intel_sub_group_avc_mce_payload_t`.
    Opaque(Symbol),
}

/// An enumeration: its values are constants of `int` (or of `underlying`, where they don't fit).
#[derive(Clone, Debug)]
pub struct Enum {
    pub tag: Option<Symbol>,
    pub underlying: Scalar,
    pub complete: bool,
}

impl TypeId {
    pub const ERROR: TypeId = TypeId(0);
    pub const VOID: TypeId = TypeId(1);
    pub const SAMPLER: TypeId = TypeId(2);
    pub const EVENT: TypeId = TypeId(3);
    pub const QUEUE: TypeId = TypeId(4);
    pub const CLK_EVENT: TypeId = TypeId(5);
    pub const RESERVE_ID: TypeId = TypeId(6);
    /// The record that `ndrange_t` is: see [`Types::new`].
    pub const NDRANGE: TypeId = TypeId(7);
    pub const BOOL: TypeId = TypeId::scalar(Scalar::Bool);
    pub const CHAR: TypeId = TypeId::scalar(Scalar::Char);
    pub const UCHAR: TypeId = TypeId::scalar(Scalar::UChar);
    pub const SHORT: TypeId = TypeId::scalar(Scalar::Short);
    pub const INT: TypeId = TypeId::scalar(Scalar::Int);
    pub const UINT: TypeId = TypeId::scalar(Scalar::UInt);
    pub const LONG: TypeId = TypeId::scalar(Scalar::Long);
    pub const ULONG: TypeId = TypeId::scalar(Scalar::ULong);
    pub const HALF: TypeId = TypeId::scalar(Scalar::Half);
    pub const FLOAT: TypeId = TypeId::scalar(Scalar::Float);
    pub const DOUBLE: TypeId = TypeId::scalar(Scalar::Double);
    /// Devices have 64-bit addresses.
    pub const SIZE_T: TypeId = TypeId::ULONG;
    pub const PTRDIFF_T: TypeId = TypeId::LONG;

    /// An arithmetic type.
    pub const fn scalar(scalar: Scalar) -> TypeId {
        TypeId(8 + scalar as u32)
    }

    /// A vector type of 2, 3, 4, 8 or 16 lanes. One lane is the scalar. Panics at other counts: [`Types::vector`] takes any.
    pub const fn vector(scalar: Scalar, lanes: u8) -> TypeId {
        let row = match lanes {
            1 => return TypeId::scalar(scalar),
            2 => 0,
            3 => 1,
            4 => 2,
            8 => 3,
            16 => 4,
            _ => panic!("a number of lanes that OpenCL C has no types for"),
        };
        TypeId(20 + row * 12 + scalar as u32)
    }

    /// The number behind the id: below [`Types::len`], in order of creation.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}
