//! Generic pointers: the place where they lead is seen from the address.

use crate::Failure;
use crate::function::{Lowering, Result, space};
use crate::value::{Pointer, Val};
use device::abi::WorkerRecord;
use ir::*;
use rspirv::spirv::{MemorySemantics, StorageClass};
use spirv::Instruction;

impl<'m> Lowering<'_, 'm> {
    pub(super) fn generic_memory_semantics(&mut self, inst: &Instruction<'m>) -> Result<()> {
        let pointer = self.scalar(inst.word(0))?;
        let (local, private) = self.places(pointer);
        let workgroup = self.i32(MemorySemantics::WORKGROUP_MEMORY.bits() as i32);
        let (global, none) = (self.i32(MemorySemantics::CROSS_WORKGROUP_MEMORY.bits() as i32), self.i32(0));
        let b = &mut self.b();
        let other = b.select(private, none, global);
        let semantics = b.select(local, workgroup, other);
        self.define_scalar(inst, semantics);
        Ok(())
    }

    /// Where a generic pointer leads: (to local memory, to private memory); else it is global.
    pub(crate) fn places(&mut self, pointer: Value) -> (Value, Value) {
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

    pub(super) fn generic_cast_explicit(&mut self, inst: &Instruction<'m>) -> Result<()> {
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
    pub(crate) fn cast_explicitly(&mut self, source: &Pointer, target: Space) -> Value {
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
