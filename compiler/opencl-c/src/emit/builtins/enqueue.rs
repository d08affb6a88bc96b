//! What enqueues blocks, and asks about them.

use super::Call;
use crate::emit::function::Func;
use crate::emit::module::Id;
use crate::hir::{ExprId, ExprKind, FunctionId};
use crate::types::TypeId;
use rspirv::spirv::{Capability, Op, StorageClass};

impl Func<'_, '_> {
    /// A call with a block among its arguments, for which an instruction has four operands.
    pub fn enqueue(&mut self, op: Op, call: Call) -> Id {
        let body = self.body;
        self.e.module.capability(Capability::DeviceEnqueue);
        let mut operands = Vec::new();
        for &argument in call.arguments {
            match body.expr(argument).kind {
                ExprKind::Block(function, captured) => operands.extend(self.enqueued(function, body.list(captured))),
                _ => operands.push(self.expr(argument)),
            }
        }
        let ty = self.e.ty(call.ty);
        self.value(op, ty, &operands)
    }

    /// A block's function, and what it captures: address, size, alignment.
    fn enqueued(&mut self, function: FunctionId, captured: &[ExprId]) -> [Id; 4] {
        let invoke = self.e.invoke(function);
        // Its variables are the kernel's too.
        self.reached.calls.insert(function);
        let byte = self.e.module.int(8);
        let generic = self.e.module.pointer(StorageClass::Generic, byte);
        let body = self.body;
        let types: Vec<TypeId> = captured.iter().map(|&value| body.expr(value).ty).collect();
        let (mut size, mut align) = (0_u64, 1);
        for &ty in &types {
            let own = self.e.program.types.align_of(ty).unwrap_or(1).max(1);
            align = align.max(own);
            size = size.next_multiple_of(own) + self.e.program.types.size_of(ty).unwrap_or(0);
        }
        let size = size.next_multiple_of(align);
        let address = match types.is_empty() {
            true => self.e.module.null(generic),
            false => {
                let record = self.e.captured(&types);
                let memory = self.memory_for(record, align);
                for (index, (&value, &ty)) in captured.iter().zip(&types).enumerate() {
                    let value = self.expr(value);
                    let (place, align) = self.captured_place(StorageClass::Function, memory, index, ty);
                    self.store_memory(place, value, ty, align, false);
                }
                let bytes = self.e.module.pointer(StorageClass::Function, byte);
                let bytes = self.value(Op::Bitcast, bytes, &[memory]);
                self.value(Op::PtrCastToGeneric, generic, &[bytes])
            }
        };
        let [size, align] = [size, align].map(|number| self.e.module.uint(number as u32));
        [invoke, address, size, align]
    }

    /// `ndrange_1D` and others: in SPIR-V the offset, which comes first, is last, and all three are there; of more dimensions, they are arrays.
    pub fn nd_range(&mut self, dimensions: u64, call: Call) -> Id {
        self.e.module.capability(Capability::DeviceEnqueue);
        let mut sizes = self.args(call);
        let long = self.e.module.int(64);
        let mut of = long;
        if dimensions > 1 {
            of = self.e.module.array(long, dimensions);
            for (index, size) in sizes.iter_mut().enumerate() {
                let space = self
                    .e
                    .program
                    .types
                    .pointee(self.arg_type(call, index))
                    .map(|pointee| pointee.space);
                let class = crate::emit::types::storage(space.unwrap_or(crate::types::AddressSpace::Private));
                let pointer = self.e.module.pointer(class, of);
                let pointer = self.value(Op::Bitcast, pointer, &[*size]);
                *size = self.load_raw(pointer, of, 8, false);
            }
        }
        let none = self.e.module.null(of);
        let (offset, global, local) = match sizes[..] {
            [global] => (none, global, none),
            [global, local] => (none, global, local),
            [offset, global, local, ..] => (offset, global, local),
            [] => (none, none, none),
        };
        let ty = self.e.ty(call.ty);
        self.value(Op::BuildNDRange, ty, &[global, local, offset])
    }
}
