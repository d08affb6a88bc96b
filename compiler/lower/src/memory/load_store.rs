//! Loads and stores: a value's scalars one by one, or the bytes of what stays in memory.

use super::Access;
use crate::arithmetic;
use crate::function::{Lowering, Result};
use crate::shape::{self, Leaf, Shape};
use crate::value::{Pointer, Scalars, Val};
use ir::*;
use spirv::Id;

impl Lowering<'_, '_> {
    /// Loads a value, naturally aligned.
    pub(crate) fn load_plain(&mut self, type_id: Id, pointer: &Pointer) -> Result<Val> {
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
        self.cut_to_widths(type_id, &mut scalars);
        Ok(self.value_of(type_id, scalars))
    }

    /// Loads a scalar of something with the alignment `align`.
    pub(crate) fn load_leaf(&mut self, leaf: &Leaf, pointer: &Pointer, align: u32, flags: MemFlags) -> Value {
        let (address, mem) = self.leaf(leaf, pointer, align, flags);
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

    /// Where a scalar is, and what is known of the memory there.
    fn leaf(&mut self, leaf: &Leaf, pointer: &Pointer, align: u32, flags: MemFlags) -> (Address, MemInfo) {
        let (address, pointer) = self.address(pointer, leaf.offset);
        (address, pointer.mem(leaf_align(align, leaf), flags | pointer.flags))
    }

    /// Stores a value, naturally aligned.
    pub(crate) fn store_plain(&mut self, type_id: Id, value: Val, pointer: &Pointer) -> Result<()> {
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
        let first = self.func.counts().1;
        for (leaf, &scalar) in shape.leaves().iter().zip(&scalars) {
            self.store_leaf(leaf, scalar, pointer, align, access.flags);
        }
        if self.spirv.ty(type_id).is_aggregate() {
            self.func.note_copies(first);
        }
        Ok(())
    }

    /// Stores a scalar of something with the alignment `align`.
    pub(crate) fn store_leaf(&mut self, leaf: &Leaf, value: Value, pointer: &Pointer, align: u32, flags: MemFlags) {
        let (address, mem) = self.leaf(leaf, pointer, align, flags);
        let mut b = self.b();
        b.flags = Flags::empty();
        let value = if leaf.elem == Elem::Mask {
            arithmetic::from_mask(&mut b, value, Type::I8)
        } else {
            value
        };
        b.store(value, address, mem);
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
