//! Untyped pointers (SPV_KHR_untyped_pointers): what brings its own type, or counts bytes.

use crate::arithmetic::resize_int;
use crate::function::{Lowering, Result};
use crate::shape::Leaf;
use crate::value::Pointer;
use ir::*;
use rspirv::spirv::Op;
use spirv::Instruction;

impl<'m> Lowering<'_, 'm> {
    /// Lowers it if it is one of these; says whether it was.
    pub(super) fn untyped(&mut self, inst: &Instruction<'m>) -> Result<bool> {
        match inst.op() {
            Op::UntypedAccessChainKHR | Op::UntypedInBoundsAccessChainKHR => self.untyped_chain(inst, false)?,
            Op::UntypedPtrAccessChainKHR | Op::UntypedInBoundsPtrAccessChainKHR => self.untyped_chain(inst, true)?,
            // A hint.
            Op::UntypedPrefetchKHR => {}
            Op::UntypedGroupAsyncCopyKHR => self.untyped_async_copy(inst)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn untyped_chain(&mut self, inst: &Instruction<'m>, element: bool) -> Result<()> {
        let base = (inst.word(1), inst.word(0));
        self.access_chain(inst, base, inst.operands.get(2..).unwrap_or(&[]), element)
    }

    /// Elements of so many bytes, one after another in local memory, at a stride in bytes in global memory. A work-item copies every so manyth.
    fn untyped_async_copy(&mut self, inst: &Instruction<'m>) -> Result<()> {
        let (to, from) = (self.pointer(inst.word(1))?, self.pointer(inst.word(2))?);
        let [bytes, count, stride] = [3, 4, 5].map(|position| self.scalar(inst.word(position)));
        let wide = |this: &mut Self, value: Value| resize_int(&mut this.b(), Elem::I64, value, false);
        let (bytes, count, stride) = (wide(self, bytes?), wide(self, count?), wide(self, stride?));
        let (start, step) = (self.builtin(Builtin::LocalLinearId, 0), self.group_size());
        let to_local = to.space == Space::Local;
        self.count_loop(start, count, step, |this, index| {
            let (near, far) = (this.b().mul(index, bytes), this.b().mul(index, stride));
            let (to_bytes, from_bytes) = if to_local { (near, far) } else { (far, near) };
            let (to, from) = (this.step(to, to_bytes, 1), this.step(from, from_bytes, 1));
            this.copy(&to, &from, bytes, (1, MemFlags::empty()), (1, MemFlags::empty()));
            Ok(())
        })?;
        let event = self.scalar(inst.word(6))?;
        let event = self.check_event(event, true);
        self.define_scalar(inst, event);
        Ok(())
    }

    /// Stores a scalar, or a vector by its components, as a typed pointer would have it.
    pub(crate) fn store_vector(&mut self, components: &[Value], pointer: &Pointer) {
        let Some(&first) = components.first() else { return };
        let elem = self.func.ty(first).elem;
        let align = elem.bytes() * components.len().next_power_of_two() as u32;
        for (n, &component) in components.iter().enumerate() {
            let leaf = Leaf {
                elem,
                offset: n as u64 * u64::from(elem.bytes()),
            };
            self.store_leaf(&leaf, component, pointer, align, MemFlags::empty());
        }
    }
}
