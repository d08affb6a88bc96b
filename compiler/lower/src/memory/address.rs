//! Addresses: a pointer, an index and an offset as far as an operand holds them, else sums.

use crate::function::{Lowering, Result};
use crate::value::{BuiltInPointer, Component, Pointer, Val};
use crate::{Failure, arithmetic, shape};
use ir::*;
use spirv::{Id, Instruction, Type as SpirvType};

impl<'m> Lowering<'_, 'm> {
    /// A pointer as a number.
    pub(crate) fn materialize(&mut self, pointer: &Pointer) -> Value {
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
    pub(crate) fn advance(&mut self, pointer: Pointer, bytes: u64) -> Pointer {
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
    pub(crate) fn step(&mut self, pointer: Pointer, index: Value, size: u64) -> Pointer {
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
        if let Some([x, by]) = self.func.binary(BinaryOp::Shl, index)
            && self.func.ty(index) == Type::I64
            && let Some(amount @ 0..=16) = self.func.constant(by)
            && let Some(scaled) = size.checked_mul(1 << amount).filter(|scaled| *scaled <= 1 << 31)
        {
            return (x, scaled);
        }
        (index, size)
    }

    /// An address `offset` bytes further on, as an operand.
    pub(super) fn address(&mut self, pointer: &Pointer, offset: u64) -> (Address, Pointer) {
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

    /// An access chain through what the base's type points to.
    pub(super) fn typed_chain(&mut self, inst: &Instruction<'m>, element: bool) -> Result<()> {
        let base = inst.word(0);
        let Some((_, type_id)) = self.spirv.value_type(base).pointer() else {
            return Err(Failure::Unsupported);
        };
        self.access_chain(inst, (base, type_id), inst.operands.get(1..).unwrap_or(&[]), element)
    }

    /// An access chain from a base, through a type. With `element`, the first index counts values of that type.
    pub(super) fn access_chain(
        &mut self,
        inst: &Instruction<'m>,
        (base, mut type_id): (Id, Id),
        mut indexes: &'m [Id],
        element: bool,
    ) -> Result<()> {
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
            let index = self.index(first)?;
            pointer = self.step(pointer, index, size);
        }
        for &index in indexes {
            match self.spirv.ty(type_id) {
                SpirvType::Struct(data) => {
                    let member = self.literal(index).ok_or(Failure::Unsupported)? as usize;
                    let (Some(&inner), Some(&offset)) = (data.members.get(member), data.offsets.get(member)) else {
                        return Err(Failure::Unsupported);
                    };
                    pointer = self.advance(pointer, offset);
                    type_id = inner;
                }
                _ => {
                    let (inner, _) = self.spirv.elements(type_id).ok_or(Failure::Unsupported)?;
                    let size = shape::size(self.spirv, inner)?;
                    let index = self.index(index)?;
                    pointer = self.step(pointer, index, size);
                    type_id = inner;
                }
            }
        }
        self.bind(inst.result, Val::Pointer(pointer));
        Ok(())
    }
}
