//! Loads, stores, copies and pointers (SPIR-V specification, section 3.52.8).

mod address;
pub(super) mod constant_arrays;
mod copy;
mod generic;
mod load_store;
pub(super) mod narrowed;
mod private;
mod untyped;

use super::function::{Lowering, Result};
use super::value::Val;
use super::{arithmetic, shape};
use ir::*;
use rspirv::spirv::Op;
use spirv::{Id, Instruction, MemoryOperands};

/// How a load or store is to be done.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Access {
    /// The alignment of the whole, where it is told.
    pub align: Option<u32>,
    /// Volatile, Nontemporal.
    pub flags: MemFlags,
}

impl From<MemoryOperands> for Access {
    fn from(operands: MemoryOperands) -> Access {
        let mut flags = MemFlags::empty();
        flags.set(MemFlags::VOLATILE, operands.volatile);
        flags.set(MemFlags::NONTEMPORAL, operands.nontemporal);
        Access {
            align: operands.aligned.filter(|align| align.is_power_of_two()),
            flags,
        }
    }
}

impl<'m> Lowering<'_, 'm> {
    /// Lowers it if it is one of these; says whether it was.
    pub(super) fn memory(&mut self, inst: &Instruction<'m>) -> Result<bool> {
        match inst.op() {
            Op::Variable | Op::UntypedVariableKHR => self.variable(inst)?,
            Op::Load => {
                let (operands, _) = MemoryOperands::read(inst.operands.get(1..).unwrap_or(&[]));
                let value = match self.val(inst.word(0))? {
                    Val::BuiltIn(pointer) => {
                        let scalars = self.load_built_in(&pointer)?;
                        self.value_of(inst.result_type, scalars)
                    }
                    _ => {
                        let pointer = self.pointer(inst.word(0))?;
                        self.load(inst.result_type, &pointer, operands.into())?
                    }
                };
                self.bind(inst.result, value);
            }
            // It is a constant, which has these contents.
            Op::Store if self.constant_arrays.contains_key(&inst.word(0)) => {}
            Op::Store => {
                let (operands, _) = MemoryOperands::read(inst.operands.get(2..).unwrap_or(&[]));
                let pointer = self.pointer(inst.word(0))?;
                let value = self.val(inst.word(1))?;
                self.store(self.spirv.type_of(inst.word(1)), value, &pointer, operands.into())?;
            }
            Op::CopyMemory | Op::CopyMemorySized => self.copy_memory(inst)?,
            Op::AccessChain | Op::InBoundsAccessChain => self.typed_chain(inst, false)?,
            Op::PtrAccessChain | Op::InBoundsPtrAccessChain => self.typed_chain(inst, true)?,
            Op::PtrCastToGeneric | Op::GenericCastToPtr => {
                let mut value = self.val(inst.word(0))?;
                if let (Val::Pointer(pointer), Space::Generic) = (&mut value, self.space_of(self.spirv.type_of(inst.word(0)))) {
                    // The cast promises where a generic pointer leads; what is known already is as good or better.
                    if pointer.space == Space::Generic {
                        pointer.space = self.space_of(inst.result_type);
                    }
                }
                self.bind(inst.result, value);
            }
            Op::GenericCastToPtrExplicit => self.generic_cast_explicit(inst)?,
            Op::GenericPtrMemSemantics => self.generic_memory_semantics(inst)?,
            Op::PtrDiff => {
                let size = self.pointee_size(inst.word(0))?;
                let (x, y) = (self.scalar(inst.word(0))?, self.scalar(inst.word(1))?);
                let elem = self.result_elem(inst)?;
                let b = &mut self.b();
                let bytes = b.sub(x, y);
                let count = b.binary_imm(BinaryOp::SDiv, bytes, size.max(1) as i64);
                let count = arithmetic::resize_int(b, elem, count, true);
                self.define_scalar(inst, count);
            }
            Op::LifetimeStart | Op::LifetimeStop => {}
            Op::SizeOf => {
                let size = self.pointee_size(inst.word(0))?;
                let ty = Type::scalar(self.result_elem(inst)?);
                let size = self.constant(ty, size);
                self.define_scalar(inst, size);
            }
            _ => return self.untyped(inst),
        }
        Ok(true)
    }

    /// The size of what a pointer leads to; 0 where that has no type.
    fn pointee_size(&self, pointer: Id) -> Result<u64> {
        match self.spirv.value_type(pointer).pointer() {
            Some((_, pointee @ 1..)) => shape::size(self.spirv, pointee),
            _ => Ok(0),
        }
    }
}
