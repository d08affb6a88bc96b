//! Copies from memory to memory.

use super::Access;
use crate::function::{Lowering, Result};
use crate::shape::{self, Leaf, Shape};
use crate::value::{Pointer, Val};
use crate::{Failure, arithmetic};
use ir::*;
use rspirv::spirv::Op;
use spirv::{Id, Instruction, MemoryOperands};

impl<'m> Lowering<'_, 'm> {
    /// A copy of a value in memory.
    pub(crate) fn memory_copy(&mut self, type_id: Id, from: &Pointer) -> Result<Pointer> {
        let to = self.temporary(type_id)?;
        self.copy_type(type_id, &to, from)?;
        Ok(to)
    }

    pub(crate) fn copy_type(&mut self, type_id: Id, to: &Pointer, from: &Pointer) -> Result<()> {
        let (size, align) = (shape::size(self.spirv, type_id)?, shape::align(self.spirv, type_id));
        let size = self.i64(size as i64);
        self.copy(to, from, size, (align, MemFlags::empty()), (align, MemFlags::empty()));
        Ok(())
    }

    pub(super) fn copy(&mut self, to: &Pointer, from: &Pointer, bytes: Value, to_access: (u32, MemFlags), from_access: (u32, MemFlags)) {
        let info = |pointer: &Pointer, (align, flags): (u32, MemFlags)| pointer.mem(align, flags | pointer.flags);
        let (to_mem, from_mem) = (info(to, to_access), info(from, from_access));
        let (to, from) = (self.materialize(to), self.materialize(from));
        self.b().push(InstData::Copy {
            to,
            from,
            bytes,
            to_mem,
            from_mem,
        });
    }

    pub(super) fn copy_memory(&mut self, inst: &Instruction<'m>) -> Result<()> {
        let sized = inst.op() == Op::CopyMemorySized;
        let (target, source) = (inst.word(0), inst.word(1));
        let (first, rest) = MemoryOperands::read(inst.operands.get(if sized { 3 } else { 2 }..).unwrap_or(&[]));
        // With one set of operands it is for both sides; the first of two is the target's.
        let second = if rest.is_empty() { first } else { MemoryOperands::read(rest).0 };
        let (to_access, from_access): (Access, Access) = (first.into(), second.into());
        let pointee = |id: Id| self.spirv.value_type(id).pointer().map(|(_, pointee)| pointee);
        let (Some(to_type), Some(from_type)) = (pointee(target), pointee(source)) else {
            return Err(Failure::Unsupported);
        };
        // An untyped pointer leads to what the other one does.
        let (to_type, from_type) = match (to_type, from_type) {
            (0, other) | (other, 0) => (other, other),
            both => both,
        };
        if let Val::BuiltIn(_) = self.val(source)? {
            let from = self.pointer(source)?;
            let to = self.pointer(target)?;
            return self.copy_type(to_type, &to, &from);
        }
        let (to, from) = (self.pointer(target)?, self.pointer(source)?);
        if !sized && !to_access.flags.contains(MemFlags::VOLATILE) && matches!(self.shape(to_type)?, Shape::Memory) {
            return self.copy_type(to_type, &to, &from);
        }
        if !sized {
            let value = self.load(from_type, &from, from_access)?;
            return self.store(to_type, value, &to, to_access);
        }
        let bytes = self.scalar(inst.word(2))?;
        let bytes = arithmetic::resize_int(&mut self.b(), Elem::I64, bytes, false);
        if self.func.constant(bytes) == Some(0) {
            return Ok(());
        }
        let (to_align, from_align) = (to_access.align.unwrap_or(1), from_access.align.unwrap_or(1));
        let volatile = (to_access.flags | from_access.flags).contains(MemFlags::VOLATILE);
        if let (Some(size), false) = (self.func.constant(bytes), volatile)
            && let Some(elem) = piece(size, to_align.min(from_align))
        {
            self.copy_pieces(&to, &from, size, elem, (to_access.flags, from_access.flags));
            return Ok(());
        }
        self.copy(&to, &from, bytes, (to_align, to_access.flags), (from_align, from_access.flags));
        Ok(())
    }

    /// Copies few bytes as numbers: as such they may stay in registers, and go by vectors.
    fn copy_pieces(&mut self, to: &Pointer, from: &Pointer, size: u64, elem: Elem, (to_flags, from_flags): (MemFlags, MemFlags)) {
        let bytes = elem.bytes();
        let places = (0..size).step_by(bytes as usize);
        let leaves: Vec<Leaf> = places.map(|offset| Leaf { elem, offset }).collect();
        let values: Vec<Value> = leaves.iter().map(|leaf| self.load_leaf(leaf, from, bytes, from_flags)).collect();
        let first = self.func.counts().1;
        for (leaf, value) in leaves.iter().zip(values) {
            self.store_leaf(leaf, value, to, bytes, to_flags);
        }
        self.func.note_copies(first);
    }
}

/// The integers that so many bytes are copied as; none if that would be too many.
fn piece(size: u64, align: u32) -> Option<Elem> {
    const MOST: u64 = 16;
    let bytes = if align >= 8 && size.is_multiple_of(8) { 8 } else { align.min(4) };
    let whole = size.is_multiple_of(u64::from(bytes)) && size / u64::from(bytes) <= MOST;
    Elem::int(8 * bytes).filter(|_| whole)
}
