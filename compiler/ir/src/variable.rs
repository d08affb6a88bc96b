//! Variables of the source that stay in private memory, as debuggers show them.

use std::sync::Arc;

/// A variable's type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum VariableType {
    /// A scalar by the name that OpenCL C has for it. (The module does not tell what has a sign.)
    Scalar(&'static str),
    /// So many scalars of a vector.
    Vector(Box<VariableType>, u64),
    /// Elements, and how many.
    Array(Box<VariableType>, u64),
    /// To a type, or to something unknown.
    Pointer(Option<Box<VariableType>>),
    /// Name, bytes, members: name, offset, type.
    Struct(Arc<str>, u64, Vec<(Arc<str>, u64, VariableType)>),
    /// So many bytes of which nothing else is known.
    Bytes(u64),
}

/// What is known of private memory that is a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name; empty where the module does not tell.
    pub name: Arc<str>,
    /// Its type, where debuggers are to show it.
    pub ty: Option<VariableType>,
}

/// A variable in a gang's frame: a copy a lane, one behind the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrameVariable {
    /// Its name.
    pub name: Arc<str>,
    /// Its type.
    pub ty: VariableType,
    /// Bytes from the frame's beginning to lane 0's.
    pub offset: u64,
    /// Bytes from one lane's to the next one's.
    pub stride: u64,
    /// How many lanes there are.
    pub lanes: u64,
}
