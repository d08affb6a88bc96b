//! Arrays in private memory: a work-item's own, and those that a caller has given the address of.

use super::generator::{Generator, VARIABLES};
use ir::*;

/// Elements of an array.
pub(super) const ELEMENTS: u32 = 8;

#[derive(Clone, Copy, Debug)]
enum Base {
    Slot(Slot),
    Address(Value),
}

/// Elements of one type.
#[derive(Clone, Copy, Debug)]
pub(super) struct Array {
    base: Base,
    ty: Type,
    /// A power of two.
    elements: u32,
}

impl Array {
    /// An array of the caller's.
    pub fn at(address: Value, ty: Type, elements: u32) -> Array {
        Array {
            base: Base::Address(address),
            ty,
            elements,
        }
    }
}

impl Generator<'_> {
    /// Some arrays, or none.
    pub fn declare_arrays(&mut self) {
        if self.random.one_in(3) {
            for _ in 0..1 + self.random.below(2) {
                let ty = *self.random.choose(&VARIABLES);
                self.new_array(ty);
            }
        }
    }

    /// An array whose elements are set.
    fn new_array(&mut self, ty: Type) -> Array {
        let slot = self.b.func.slots.push(SlotData {
            size: ELEMENTS * ty.bytes(),
            align: ty.bytes(),
        });
        let array = Array {
            base: Base::Slot(slot),
            ty,
            elements: ELEMENTS,
        };
        self.arrays.push(array);
        let address = self.b.slot_address(slot);
        for element in 0..ELEMENTS {
            let value = match self.random.one_in(4) {
                true => self.value(ty, 1),
                false => self.b.constant(ty, u64::from(element)),
            };
            let at = Address::offset(address, (element * ty.bytes()) as i32);
            self.b.store(value, at, MemInfo::new(Space::Private, ty.bytes()));
        }
        array
    }

    /// The address of an array of so many elements that is there, or of a new one.
    pub fn array_address(&mut self, ty: Type) -> Value {
        let fits = |array: &Array| array.ty == ty && array.elements == ELEMENTS;
        let fitting: Vec<Array> = self.arrays.iter().copied().filter(fits).collect();
        let array = match fitting.is_empty() || self.random.one_in(8) {
            true => {
                // Elsewhere it would be used without having been made.
                let known = self.arrays.len();
                let array = self.new_array(ty);
                self.arrays.truncate(known);
                array
            }
            false => *self.random.choose(&fitting),
        };
        self.base(array)
    }

    fn base(&mut self, array: Array) -> Value {
        match array.base {
            Base::Slot(slot) => self.b.slot_address(slot),
            Base::Address(address) => address,
        }
    }

    fn memory(&mut self, array: Array, align: u32) -> MemInfo {
        let space = match array.base {
            Base::Address(_) if self.random.one_in(3) => Space::Generic,
            _ => Space::Private,
        };
        MemInfo::new(space, align)
    }

    /// One of so many elements of some bytes.
    fn element(&mut self, array: Array, elements: u32, bytes: u32) -> Address {
        let base = self.base(array);
        let last = i64::from(elements) - 1;
        if self.random.one_in(4) {
            let element = self.random.below(elements.into()) as u32;
            return Address::offset(base, (element * bytes) as i32);
        }
        let ty = *self.random.choose(&[Type::I32, Type::I64]);
        let index = self.value(ty, 2);
        let index = self.b.binary_imm(BinaryOp::And, index, last);
        if self.random.one_in(2) {
            return Address {
                base,
                index: Some(index),
                scale: bytes,
                offset: 0,
            };
        }
        let index = self.b.convert(ConvertOp::ZExt, Elem::I64, index);
        let offset = self.b.binary_imm(BinaryOp::Mul, index, bytes.into());
        Address::base(self.b.add(base, offset))
    }

    /// An element is written, read, changed or read a byte at a time; or an array is copied.
    pub fn use_array(&mut self) {
        if self.arrays.is_empty() {
            return;
        }
        let array @ Array { ty, elements, .. } = *self.random.choose(&self.arrays.clone());
        let mem = self.memory(array, ty.bytes());
        match self.random.below(8) {
            0 if elements == ELEMENTS => {
                let to = self.base(array);
                let from = self.array_address(ty);
                let bytes = self.b.i64(i64::from(elements * ty.bytes()));
                let from_mem = MemInfo::new(Space::Private, ty.bytes());
                self.b.push(InstData::Copy {
                    to,
                    from,
                    bytes,
                    to_mem: mem,
                    from_mem,
                });
            }
            1 if !ty.elem.is_float() => {
                let Some(variable) = self.variable(Type::I8) else { return };
                let at = self.element(array, elements * ty.bytes(), 1);
                let mem = self.memory(array, 1);
                let value = self.b.load(Type::I8, at, mem);
                self.write(variable, value);
            }
            2 | 3 => {
                let at = self.element(array, elements, ty.bytes());
                let old = self.b.load(ty, at, mem);
                let value = self.value(ty, 2);
                let value = self.combined(old, value);
                self.b.store(value, at, mem);
            }
            4 | 5 => {
                let at = self.element(array, elements, ty.bytes());
                let value = self.value(ty, 2);
                self.b.store(value, at, mem);
            }
            _ => {
                let Some(variable) = self.variable(ty) else { return };
                let at = self.element(array, elements, ty.bytes());
                let value = self.b.load(ty, at, mem);
                self.write(variable, value);
            }
        }
    }
}
