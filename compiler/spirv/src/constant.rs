//! Constants, specialization applied and OpSpecConstantOp evaluated.

use super::{Id, Instruction};
use rspirv::spirv::{Op, SamplerAddressingMode, SamplerFilterMode};

/// Names a constant of a [`super::Module`]. Constants that have no id of their own (the components of a vector that was folded) have one too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ConstantRef(pub u32);

/// A constant.
#[derive(Clone, Debug, PartialEq)]
pub struct Constant {
    /// Its type.
    pub type_id: Id,
    /// Its value.
    pub value: ConstantValue,
}

/// A constant's value.
#[derive(Clone, Debug, PartialEq)]
pub enum ConstantValue {
    /// OpUndef; also where folding meets what the specification leaves undefined (a division by zero).
    Undef,
    /// OpConstantNull: zero in each part.
    Null,
    /// A Boolean.
    Bool(bool),
    /// An integer or floating-point number: its bits, zero above its width.
    Bits(u64),
    /// Components of a vector, elements of an array, members of a struct.
    Composite(Box<[ConstantRef]>),
    /// The address of a module-scope variable or a function.
    Address(Id),
    /// What only the link can evaluate: address arithmetic, or arithmetic on addresses.
    Expression {
        /// The operation; operands that are literals (OpCompositeExtract's) do not occur here.
        op: Op,
        /// Its operands.
        operands: Box<[ConstantRef]>,
    },
    /// OpConstantSampler
    Sampler {
        /// How coordinates beyond the image are treated.
        addressing: SamplerAddressingMode,
        /// Coordinates go from 0 to 1.
        normalized: bool,
        /// Nearest or linear.
        filter: SamplerFilterMode,
    },
    /// OpConstantPipeStorage
    PipeStorage {
        /// Bytes of a packet.
        packet_size: u32,
        /// Alignment of a packet.
        packet_align: u32,
        /// How many packets it holds.
        capacity: u32,
    },
}

/// The instruction makes a constant.
pub fn is_constant(op: Op) -> bool {
    op.is_constant() || op == Op::ConstantFunctionPointerINTEL
}

/// Does the instruction make a variable? Its operands are a storage class, for an untyped pointer the type of what the variable holds, and perhaps an
/// initializer.
pub fn is_variable(op: Op) -> bool {
    matches!(op, Op::Variable | Op::UntypedVariableKHR)
}

/// A variable's initializer.
pub fn initializer(variable: &Instruction<'_>) -> Option<Id> {
    let position = if variable.op() == Op::UntypedVariableKHR { 2 } else { 1 };
    variable.operands.get(position).copied()
}
