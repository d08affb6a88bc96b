//! Loads, stores, copies and pointers (SPIR-V specification, section 3.52.8).

use super::function::{Lowering, Result, space};
use super::shape::{self, Leaf, Shape};
use super::value::{BuiltInPointer, Component, Pointer, Scalars, Val};
use super::{Failure, arithmetic};
use crate::ir::*;
use crate::spirv::{Id, Instruction, MemoryOperands, Type as SpirvType};
use device::abi::WorkerRecord;
use rspirv::spirv::{Decoration, MemorySemantics, Op, StorageClass};

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
            Op::Variable => self.variable(inst)?,
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
            Op::Store => {
                let (operands, _) = MemoryOperands::read(inst.operands.get(2..).unwrap_or(&[]));
                let pointer = self.pointer(inst.word(0))?;
                let value = self.val(inst.word(1))?;
                self.store(self.spirv.type_of(inst.word(1)), value, &pointer, operands.into())?;
            }
            Op::CopyMemory | Op::CopyMemorySized => self.copy_memory(inst)?,
            Op::AccessChain | Op::InBoundsAccessChain => self.access_chain(inst, false)?,
            Op::PtrAccessChain | Op::InBoundsPtrAccessChain => self.access_chain(inst, true)?,
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
            Op::GenericPtrMemSemantics => {
                let pointer = self.scalar(inst.word(0))?;
                let (local, private) = self.places(pointer);
                let workgroup = self.i32(MemorySemantics::WORKGROUP_MEMORY.bits() as i32);
                let (global, none) = (self.i32(MemorySemantics::CROSS_WORKGROUP_MEMORY.bits() as i32), self.i32(0));
                let b = &mut self.b();
                let other = b.select(private, none, global);
                let semantics = b.select(local, workgroup, other);
                self.define_scalar(inst, semantics);
            }
            Op::PtrDiff => {
                let size = self
                    .spirv
                    .value_type(inst.word(0))
                    .pointer()
                    .map(|(_, pointee)| shape::size(self.spirv, pointee))
                    .transpose()?;
                let (x, y) = (self.scalar(inst.word(0))?, self.scalar(inst.word(1))?);
                let elem = self.result_elem(inst)?;
                let b = &mut self.b();
                let bytes = b.sub(x, y);
                let count = b.binary_imm(BinaryOp::SDiv, bytes, size.unwrap_or(1).max(1) as i64);
                let count = arithmetic::resize_int(b, elem, count, true);
                self.define_scalar(inst, count);
            }
            Op::LifetimeStart | Op::LifetimeStop => {}
            Op::SizeOf => {
                let size = self
                    .spirv
                    .value_type(inst.word(0))
                    .pointer()
                    .map(|(_, pointee)| shape::size(self.spirv, pointee))
                    .transpose()?;
                let ty = Type::scalar(self.result_elem(inst)?);
                let size = self.constant(ty, size.unwrap_or(0));
                self.define_scalar(inst, size);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    // Addresses.

    /// A pointer as a number.
    pub(super) fn materialize(&mut self, pointer: &Pointer) -> Value {
        let mut value = pointer.base;
        if let Some((index, scale)) = pointer.index {
            let scale = if scale == 1 { None } else { Some(self.i64(i64::from(scale))) };
            let b = &mut self.b();
            b.flags = Flags::empty();
            let mut bytes = arithmetic::resize_int(b, Elem::I64, index, true);
            if let Some(scale) = scale {
                bytes = b.mul(bytes, scale);
            }
            value = b.add(value, bytes);
        }
        if pointer.offset != 0 {
            let offset = self.i64(i64::from(pointer.offset));
            let b = &mut self.b();
            b.flags = Flags::empty();
            value = b.add(value, offset);
        }
        value
    }

    /// The same pointer with the address in a register.
    fn flat(&mut self, pointer: &Pointer) -> Pointer {
        Pointer {
            base: self.materialize(pointer),
            index: None,
            offset: 0,
            ..*pointer
        }
    }

    /// Some bytes further on.
    pub(super) fn advance(&mut self, pointer: Pointer, bytes: u64) -> Pointer {
        self.advance_signed(pointer, bytes as i64)
    }

    fn advance_signed(&mut self, pointer: Pointer, bytes: i64) -> Pointer {
        match i64::from(pointer.offset).checked_add(bytes).and_then(|sum| i32::try_from(sum).ok()) {
            Some(offset) => Pointer { offset, ..pointer },
            None => {
                let flat = self.flat(&pointer);
                let bytes = self.i64(bytes);
                self.flags = Flags::empty();
                Pointer {
                    base: self.b().add(flat.base, bytes),
                    ..flat
                }
            }
        }
    }

    /// `index` elements of `size` bytes further on; the index is signed.
    pub(super) fn step(&mut self, pointer: Pointer, index: Value, size: u64) -> Pointer {
        if let Some(constant) = self.func.signed_constant(index) {
            return self.advance_signed(pointer, constant.wrapping_mul(size as i64));
        }
        let (index, size) = self.unscaled(index, size);
        let narrow = match self.func.def_data(index) {
            Some(&InstData::Convert {
                op: ConvertOp::SExt, arg, ..
            }) if self.func.ty(arg) == Type::I32 => arg,
            _ => index,
        };
        self.flags = Flags::empty();
        let index = match self.func.ty(narrow).elem {
            Elem::I32 | Elem::I64 => narrow,
            _ => arithmetic::resize_int(&mut self.b(), Elem::I32, narrow, true),
        };
        let pointer = if pointer.index.is_some() {
            Pointer {
                base: self.materialize(&Pointer { offset: 0, ..pointer }),
                index: None,
                ..pointer
            }
        } else {
            pointer
        };
        match u32::try_from(size) {
            Ok(scale) if (1..=1 << 31).contains(&scale) => Pointer {
                index: Some((index, scale)),
                ..pointer
            },
            _ => {
                let size = self.i64(size as i64);
                let b = &mut self.b();
                let index = arithmetic::resize_int(b, Elem::I64, index, true);
                let bytes = b.mul(index, size);
                Pointer {
                    index: Some((bytes, 1)),
                    ..pointer
                }
            }
        }
    }

    /// A shift by a constant belongs to the scale.
    fn unscaled(&self, index: Value, size: u64) -> (Value, u64) {
        if let Some(&InstData::Binary {
            op: BinaryOp::Shl,
            args: [x, by],
        }) = self.func.def_data(index)
            && self.func.ty(index) == Type::I64
            && let Some(amount @ 0..=16) = self.func.constant(by)
            && let Some(scaled) = size.checked_mul(1 << amount).filter(|scaled| *scaled <= 1 << 31)
        {
            return (x, scaled);
        }
        (index, size)
    }

    fn access_chain(&mut self, inst: &Instruction<'m>, element: bool) -> Result<()> {
        let base = inst.word(0);
        let mut indexes = inst.operands.get(1..).unwrap_or(&[]);
        let Some((_, mut type_id)) = self.spirv.value_type(base).pointer() else {
            return Err(Failure::Unsupported);
        };
        let start = self.val(base)?;
        if let (Val::BuiltIn(pointer), false) = (&start, element)
            && let (None, &[index]) = (pointer.component, indexes)
        {
            let component = match self.literal(index) {
                Some(constant) => Component::Constant(constant as u32),
                None => Component::Dynamic(self.scalar(index)?),
            };
            let pointer = BuiltInPointer {
                component: Some(component),
                ..*pointer
            };
            self.bind(inst.result, Val::BuiltIn(pointer));
            return Ok(());
        }
        let mut pointer = self.pointer(base)?;
        if element {
            let Some((&first, rest)) = indexes.split_first() else {
                return Err(Failure::Unsupported);
            };
            indexes = rest;
            let size = shape::size(self.spirv, type_id)?;
            let index = self.scalar(first)?;
            pointer = self.step(pointer, index, size);
        }
        for &index in indexes {
            match self.spirv.ty(type_id) {
                &SpirvType::Vector { component: inner, .. } | &SpirvType::Array { element: inner, .. } => {
                    let size = shape::size(self.spirv, inner)?;
                    let index = self.scalar(index)?;
                    pointer = self.step(pointer, index, size);
                    type_id = inner;
                }
                SpirvType::Struct(data) => {
                    let member = self.literal(index).ok_or(Failure::Unsupported)? as usize;
                    let (Some(&inner), Some(&offset)) = (data.members.get(member), data.offsets.get(member)) else {
                        return Err(Failure::Unsupported);
                    };
                    pointer = self.advance(pointer, offset);
                    type_id = inner;
                }
                _ => return Err(Failure::Unsupported),
            }
        }
        self.bind(inst.result, Val::Pointer(pointer));
        Ok(())
    }

    // Private memory.

    /// A slot that is large enough for a type.
    pub(super) fn slot(&mut self, size: u64, align: u32) -> Result<Pointer> {
        let size = u32::try_from(size).map_err(|_| Failure::Message(format!("{size} bytes of private memory are too many")))?;
        let slot = self.func.slots.push(SlotData { size, align });
        let address = self.root(InstData::SlotAddress { slot });
        Ok(Pointer::new(address, Space::Private))
    }

    /// Private memory for a value of a type.
    pub(super) fn temporary(&mut self, type_id: Id) -> Result<Pointer> {
        let (size, align) = (shape::size(self.spirv, type_id)?, shape::align(self.spirv, type_id));
        self.slot(size, align)
    }

    /// A copy of a value in memory.
    pub(super) fn memory_copy(&mut self, type_id: Id, from: &Pointer) -> Result<Pointer> {
        let to = self.temporary(type_id)?;
        self.copy_type(type_id, &to, from)?;
        Ok(to)
    }

    pub(super) fn copy_type(&mut self, type_id: Id, to: &Pointer, from: &Pointer) -> Result<()> {
        let (size, align) = (shape::size(self.spirv, type_id)?, shape::align(self.spirv, type_id));
        let size = self.i64(size as i64);
        self.copy(to, from, size, (align, MemFlags::empty()), (align, MemFlags::empty()));
        Ok(())
    }

    fn copy(&mut self, to: &Pointer, from: &Pointer, bytes: Value, to_access: (u32, MemFlags), from_access: (u32, MemFlags)) {
        let info = |pointer: &Pointer, (align, flags): (u32, MemFlags)| MemInfo {
            align,
            flags: flags | pointer.flags,
            ..mem_info(pointer)
        };
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

    fn variable(&mut self, inst: &Instruction<'m>) -> Result<()> {
        let Some((_, pointee)) = self.spirv.ty(inst.result_type).pointer() else {
            return Err(Failure::Unsupported);
        };
        let size = shape::size(self.spirv, pointee)?;
        let decorated = self
            .spirv
            .decoration(inst.result, Decoration::Alignment)
            .and_then(|operands| operands.first().copied());
        let align = shape::align(self.spirv, pointee).max(decorated.filter(|align| align.is_power_of_two()).unwrap_or(1));
        let pointer = self.slot(size, align)?;
        if let Some(&initializer) = inst.operands.get(1) {
            let value = self.val(initializer)?;
            self.store_plain(pointee, value, &pointer)?;
        } else if self.program.options.initialize_private {
            let zero = self.zero(pointee)?;
            self.store_plain(pointee, zero, &pointer)?;
        }
        self.bind(inst.result, Val::Pointer(pointer));
        Ok(())
    }

    // Loads and stores.

    /// Loads a value, naturally aligned.
    pub(super) fn load_plain(&mut self, type_id: Id, pointer: &Pointer) -> Result<Val> {
        self.load(type_id, pointer, Access::default())
    }

    /// Loads a value.
    pub(super) fn load(&mut self, type_id: Id, pointer: &Pointer, access: Access) -> Result<Val> {
        let leaves = match self.shape(type_id)? {
            Shape::Scalars(leaves) => leaves,
            Shape::Memory => {
                let to = self.temporary(type_id)?;
                let bytes = shape::size(self.spirv, type_id)? as i64;
                let (bytes, natural) = (self.i64(bytes), shape::align(self.spirv, type_id));
                self.copy(
                    &to,
                    pointer,
                    bytes,
                    (natural, MemFlags::empty()),
                    (access.align.unwrap_or(natural), access.flags),
                );
                return Ok(Val::Memory(to));
            }
        };
        let align = access.align.unwrap_or(shape::align(self.spirv, type_id));
        let mut scalars = Scalars::new();
        for leaf in leaves.iter() {
            scalars.push(self.load_leaf(leaf, pointer, align, access.flags));
        }
        Ok(self.value_of(type_id, scalars))
    }

    /// Loads a scalar of something with the alignment `align`.
    pub(super) fn load_leaf(&mut self, leaf: &Leaf, pointer: &Pointer, align: u32, flags: MemFlags) -> Value {
        let (address, pointer) = self.address(pointer, leaf.offset);
        let mem = MemInfo {
            align: leaf_align(align, leaf),
            flags: flags | pointer.flags,
            ..mem_info(&pointer)
        };
        let mut b = self.b();
        b.flags = Flags::empty();
        match leaf.elem {
            Elem::Mask => {
                let byte = b.load(Type::I8, address, mem);
                b.icmp_imm(IntCc::Ne, byte, 0)
            }
            elem => b.load(Type::scalar(elem), address, mem),
        }
    }

    /// Stores a value, naturally aligned.
    pub(super) fn store_plain(&mut self, type_id: Id, value: Val, pointer: &Pointer) -> Result<()> {
        self.store(type_id, value, pointer, Access::default())
    }

    /// Stores a value.
    pub(super) fn store(&mut self, type_id: Id, value: Val, pointer: &Pointer, access: Access) -> Result<()> {
        let align = access.align.unwrap_or(shape::align(self.spirv, type_id));
        if let Val::Memory(from) = &value {
            let bytes = shape::size(self.spirv, type_id)? as i64;
            let (bytes, natural) = (self.i64(bytes), shape::align(self.spirv, type_id));
            self.copy(pointer, from, bytes, (align, access.flags), (natural, MemFlags::empty()));
            return Ok(());
        }
        let scalars = self.scalars_of(value)?;
        let shape = self.shape(type_id)?;
        for (leaf, &scalar) in shape.leaves().iter().zip(&scalars) {
            self.store_leaf(leaf, scalar, pointer, align, access.flags);
        }
        Ok(())
    }

    /// Stores a scalar of something with the alignment `align`.
    pub(super) fn store_leaf(&mut self, leaf: &Leaf, value: Value, pointer: &Pointer, align: u32, flags: MemFlags) {
        let (address, pointer) = self.address(pointer, leaf.offset);
        let mem = MemInfo {
            align: leaf_align(align, leaf),
            flags: flags | pointer.flags,
            ..mem_info(&pointer)
        };
        let mut b = self.b();
        b.flags = Flags::empty();
        let value = if leaf.elem == Elem::Mask {
            arithmetic::from_mask(&mut b, value, Type::I8)
        } else {
            value
        };
        b.store(value, address, mem);
    }

    /// An address `offset` bytes further on, as an operand.
    fn address(&mut self, pointer: &Pointer, offset: u64) -> (Address, Pointer) {
        match pointer.address(offset) {
            Some(address) => (address, *pointer),
            None => {
                let further = self.advance(*pointer, offset);
                let address = Address {
                    offset: further.offset,
                    ..Address::base(further.base)
                };
                (address, further)
            }
        }
    }

    fn copy_memory(&mut self, inst: &Instruction<'m>) -> Result<()> {
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
        for (leaf, value) in leaves.iter().zip(values) {
            self.store_leaf(leaf, value, to, bytes, to_flags);
        }
    }

    // Generic pointers.

    /// Where a generic pointer leads: (to local memory, to private memory); else it is global.
    pub(super) fn places(&mut self, pointer: Value) -> (Value, Value) {
        let worker = self.builtin(Builtin::Worker, 0);
        let local = self.builtin(Builtin::LocalMemory, 0);
        let field = |this: &mut Self, offset: usize| {
            let mem = MemInfo {
                flags: MemFlags::INVARIANT | MemFlags::DEREFERENCEABLE,
                ..MemInfo::new(Space::Constant, 8)
            };
            this.b().load(Type::I64, Address::offset(worker, offset as i32), mem)
        };
        self.flags = Flags::empty();
        let private = field(self, std::mem::offset_of!(WorkerRecord, private_memory));
        let end = field(self, std::mem::offset_of!(WorkerRecord, arena_end));
        let b = &mut self.b();
        let (above_local, below_private) = (b.icmp(IntCc::Uge, pointer, local), b.icmp(IntCc::Ult, pointer, private));
        let (above_private, below_end) = (b.icmp(IntCc::Uge, pointer, private), b.icmp(IntCc::Ult, pointer, end));
        (b.and(above_local, below_private), b.and(above_private, below_end))
    }

    fn generic_cast_explicit(&mut self, inst: &Instruction<'m>) -> Result<()> {
        let class = StorageClass::from_u32(inst.word(1)).ok_or(Failure::Unsupported)?;
        let source = self.pointer(inst.word(0))?;
        let target = space(class);
        if source.space == target {
            self.bind(inst.result, Val::Pointer(source));
        } else {
            let result = self.cast_explicitly(&source, target);
            self.bind(inst.result, Val::Pointer(Pointer::new(result, target)));
        }
        Ok(())
    }

    /// A generic pointer if it leads to a space, else null.
    pub(super) fn cast_explicitly(&mut self, source: &Pointer, target: Space) -> Value {
        let address = self.materialize(source);
        let null = self.i64(0);
        if source.space != Space::Generic {
            return if source.space == target { address } else { null };
        }
        let (local, private) = self.places(address);
        let b = &mut self.b();
        match target {
            Space::Local => b.select(local, address, null),
            Space::Private => b.select(private, address, null),
            _ => {
                let arena = b.or(local, private);
                b.select(arena, null, address)
            }
        }
    }
}

/// The integers that so many bytes are copied as; none if that would be too many.
fn piece(size: u64, align: u32) -> Option<Elem> {
    const MOST: u64 = 16;
    let bytes = if align >= 8 && size.is_multiple_of(8) { 8 } else { align.min(4) };
    let whole = size.is_multiple_of(u64::from(bytes)) && size / u64::from(bytes) <= MOST;
    Elem::int(8 * bytes).filter(|_| whole)
}

/// What is known of the memory that a pointer leads to; alignment and flags of the access are still to come.
pub(super) fn mem_info(pointer: &Pointer) -> MemInfo {
    MemInfo {
        space: pointer.space,
        align: 1,
        flags: pointer.flags,
        alias: pointer.alias,
    }
}

/// The alignment of a scalar in something that has the alignment `align`.
fn leaf_align(align: u32, leaf: &Leaf) -> u32 {
    let position = match leaf.offset {
        0 => align,
        offset => align.min(1u32 << offset.trailing_zeros().min(20)),
    };
    // More than a cache line is of no use to anybody.
    position.min(128)
}
