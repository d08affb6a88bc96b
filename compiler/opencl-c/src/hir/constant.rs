//! Values that are known when a program is compiled: initializers of globals, and constants in expressions.

use super::{FunctionId, GlobalId};
use crate::types::TypeId;

/// A constant, whose type is that of where it stands: a global's, a member's, an element's or an expression's.
#[derive(Clone, Debug, PartialEq)]
pub enum Const {
    /// All bits zero: of any type; the null pointer, for one.
    Zero,
    /// An integer (or a `bool`, or an enumeration's value) in two's complement, extended to 64 bits as its type's sign says.
    Int(u64),
    /// A value of `half`, `float` or `double`, exact in that type.
    Float(f64),
    /// A pointer.
    Address(Address),
    /// A pointer or integer made from a number.
    Pointer(u64),
    /// Lanes of a vector, all there.
    Vector(Vec<Const>),
    /// The first elements of an array; the rest are zero.
    Array(Vec<Const>),
    /// The members of a struct in order, bit-fields too; those missing at the end are zero. Unnamed bit-fields are counted, and `Zero`.
    Struct(Vec<Const>),
    /// The member of a union that is set, by its index.
    Union(u32, Box<Const>),
    /// The bytes of a string, as the elements of an array of `char`; the rest are zero.
    Bytes(Vec<u8>),
    /// A sampler made from its bits (OpenCL C, 6.15.15.1).
    Sampler(u32),
}

/// Where a constant pointer points to.
#[derive(Clone, Debug, PartialEq)]
pub struct Address {
    pub base: AddressBase,
    /// In bytes.
    pub offset: i64,
    /// The type of what is at the base.
    pub base_type: TypeId,
}

/// What an address is counted from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressBase {
    Global(GlobalId),
    Function(FunctionId),
}
