//! Private memory: variables of functions, and what lowering itself needs.

use crate::function::{Lowering, Result};
use crate::value::{Pointer, Val};
use crate::{Failure, shape};
use ir::*;
use rspirv::spirv::Decoration;
use spirv::{Id, Instruction};

impl<'m> Lowering<'_, 'm> {
    /// A new slot.
    pub(crate) fn slot(&mut self, size: u64, align: u32) -> Result<Pointer> {
        let size = u32::try_from(size).map_err(|_| Failure::Message(format!("{size} bytes of private memory are too many")))?;
        let slot = self.func.slots.push(SlotData { size, align });
        let address = self.root(InstData::SlotAddress { slot });
        Ok(Pointer::new(address, Space::Private))
    }

    /// Private memory for a value of a type.
    pub(crate) fn temporary(&mut self, type_id: Id) -> Result<Pointer> {
        let (size, align) = (shape::size(self.spirv, type_id)?, shape::align(self.spirv, type_id));
        self.slot(size, align)
    }

    pub(super) fn variable(&mut self, inst: &Instruction<'m>) -> Result<()> {
        if let Some(&constant) = self.constant_arrays.get(&inst.result) {
            let global = self.program.constant_global(self.unit, constant)?;
            let base = self.root(InstData::GlobalAddress { global });
            self.bind(inst.result, Val::Pointer(Pointer::new(base, Space::Constant)));
            return Ok(());
        }
        let pointee = self.spirv.held_type(inst).ok_or(Failure::Unsupported)?;
        let row = shape::size(self.spirv, pointee)?;
        let size = self.narrowed.get(&inst.result).copied().unwrap_or(row);
        let decorated = self
            .spirv
            .decoration(inst.result, Decoration::Alignment)
            .and_then(|operands| operands.first().copied());
        let align = shape::align(self.spirv, pointee).max(decorated.filter(|align| align.is_power_of_two()).unwrap_or(1));
        let pointer = self.slot(size, align)?;
        if let Some(initializer) = spirv::initializer(inst) {
            let value = self.val(initializer)?;
            self.store_plain(pointee, value, &pointer)?;
        } else if self.program.options.initialize_private {
            for start in (0..size).step_by((row as usize).max(1)) {
                let zero = self.zero(pointee)?;
                let place = self.advance(pointer, start);
                self.store_plain(pointee, zero, &place)?;
            }
        }
        self.name_variable(&pointer, inst.result);
        self.bind(inst.result, Val::Pointer(pointer));
        Ok(())
    }
}
