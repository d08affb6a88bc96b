//! What each instruction asks of its operands and result (SPIR-V 3.52; OpenCL.std; Environment 4 and 5), by class of instruction.
//!
//! An instruction that no function here knows is refused: lowering meets nothing that was not checked.

mod arithmetic;
mod atomics;
mod block_2d;
mod composites;
mod control;
mod conversions;
mod enqueue;
mod extended;
mod groups;
mod images;
mod joint_matrices;
mod matrices;
mod memory;
mod odd_integers;
mod pipes;
mod printf;
mod scopes;
mod sub_group_products;
mod untyped;

use super::Validator;
use super::rules;
use rspirv::spirv::StorageClass;
use spirv::{FloatEncoding, Id, Instruction, Type};

/// The scalar type of a value or of its components.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Bool,
    Int(u32),
    /// IEEE 754 only.
    Float(u32),
    /// bfloat16, which few instructions take.
    BFloat16,
    /// Of 8 bits, which even fewer take.
    Float8(FloatEncoding),
    Pointer(StorageClass),
    Other,
}

/// A scalar or vector type, as most instructions see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub kind: Kind,
    /// Components; 1 for a scalar.
    pub count: u32,
}

impl Shape {
    pub fn is_int(self) -> bool {
        matches!(self.kind, Kind::Int(_))
    }

    pub fn is_float(self) -> bool {
        matches!(self.kind, Kind::Float(_))
    }

    /// Of any format: what is converted.
    pub fn is_any_float(self) -> bool {
        self.is_float() || matches!(self.kind, Kind::BFloat16 | Kind::Float8(_))
    }

    pub fn is_bool(self) -> bool {
        self.kind == Kind::Bool
    }

    pub fn is_scalar(self) -> bool {
        self.count == 1
    }

    /// A scalar integer of 32 bits.
    pub fn is_int32(self) -> bool {
        self == Shape {
            kind: Kind::Int(32),
            count: 1,
        }
    }
}

impl<'a> Validator<'a> {
    /// The shape of a type.
    pub(super) fn shape(&self, type_id: Id) -> Shape {
        let (count, component) = self.module.components(type_id);
        let kind = match *self.module.ty(component) {
            Type::Bool => Kind::Bool,
            Type::Int { width } => Kind::Int(width),
            Type::Float {
                width,
                encoding: FloatEncoding::Ieee754,
            } => Kind::Float(width),
            Type::Float {
                encoding: FloatEncoding::BFloat16,
                ..
            } => Kind::BFloat16,
            Type::Float { encoding, .. } => Kind::Float8(encoding),
            Type::Pointer { class, .. } => Kind::Pointer(class),
            _ => Kind::Other,
        };
        Shape { kind, count }
    }

    /// The shape of a value's type.
    pub(super) fn value_shape(&self, value: Id) -> Shape {
        self.shape(self.module.type_of(value))
    }

    pub(super) fn result_error(&mut self, instruction: &Instruction<'_>, detail: impl Into<String>) {
        self.report.error(&rules::RESULT_TYPE, instruction.index, detail);
    }

    pub(super) fn operand_error(&mut self, instruction: &Instruction<'_>, detail: impl Into<String>) {
        self.report.error(&rules::OPERAND_TYPE, instruction.index, detail);
    }

    /// Reports unless the result's type is as it should be.
    pub(super) fn result(&mut self, instruction: &Instruction<'_>, good: bool, wanted: &str) -> bool {
        if !good {
            self.result_error(instruction, format!("it must be {wanted}"));
        }
        good
    }

    /// Reports unless an operand's type is as it should be.
    pub(super) fn operand(&mut self, instruction: &Instruction<'_>, good: bool, wanted: impl FnOnce() -> String) -> bool {
        if !good {
            self.operand_error(instruction, wanted());
        }
        good
    }

    /// Reports that there are more or fewer of something than there have to be.
    pub(super) fn wrong_count(&mut self, instruction: &Instruction<'_>, what: &str, wanted: usize, found: usize) {
        let plural = if wanted == 1 { "" } else { "s" };
        self.operand_error(instruction, format!("there must be {wanted} {what}{plural}, and there are {found}"));
    }

    /// Reports unless the operands at these positions have the type.
    pub(super) fn same_type(&mut self, instruction: &Instruction<'_>, positions: std::ops::Range<usize>, type_id: Id) -> bool {
        positions.into_iter().fold(true, |good, position| {
            let id = instruction.word(position);
            let same = self.module.type_of(id) == type_id;
            self.operand(instruction, same, || format!("%{id} must be of type %{type_id}")) && good
        })
    }

    /// Checks an instruction in a function, all of whose ids are known to be usable.
    pub(super) fn instruction(&mut self, instruction: &Instruction<'a>) {
        let op = instruction.op();
        if !self.takes_odd_integers(instruction, op) {
            return;
        }
        let known = self.matrix(instruction, op)
            || self.arithmetic(instruction, op)
            || self.memory(instruction, op)
            || self.untyped(instruction, op)
            || self.control(instruction, op)
            || self.conversion(instruction, op)
            || self.composite(instruction, op)
            || self.atomic(instruction, op)
            || self.group(instruction, op)
            || self.block_2d(instruction, op)
            || self.sub_group_product(instruction, op)
            || self.image(instruction, op)
            || self.pipe(instruction, op)
            || self.enqueue(instruction, op);
        if !known {
            self.report
                .error(&rules::INSTRUCTION_UNSUPPORTED, instruction.index, format!("Op{op:?}"));
        }
    }
}
