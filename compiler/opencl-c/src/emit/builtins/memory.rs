//! Vector loads and stores, copies, pipes, printf.

use super::Call;
use crate::builtins::row::{Group, Rounding};
use crate::emit::function::Func;
use crate::emit::module::Id;
use crate::emit::types::storage;
use crate::types::{AddressSpace, Scalar, TypeId, TypeKind};
use rspirv::spirv::{Capability, Op, OpenclStd100Op as StdOp};

impl Func<'_, '_> {
    pub fn vector_load(&mut self, op: StdOp, call: Call) -> Id {
        let mut args = self.args(call);
        if op != StdOp::vload_half {
            args.push(call.id.number().into());
        }
        let ty = self.e.ty(call.ty);
        self.standard(op, ty, &args)
    }

    pub fn vector_store(&mut self, call: Call) -> Id {
        let args = self.args(call);
        let void = self.e.module.void();
        self.standard_effect(StdOp::vstoren, void, &args)
    }

    pub fn half_store(&mut self, plain: StdOp, rounded: StdOp, mode: Option<Rounding>, call: Call) -> Id {
        let mut args = self.args(call);
        let void = self.e.module.void();
        match mode {
            None => self.standard_effect(plain, void, &args),
            Some(mode) => {
                args.push(mode as u32);
                self.standard_effect(rounded, void, &args)
            }
        }
    }

    /// A function of OpenCL.std without a result that means something.
    fn standard_effect(&mut self, op: StdOp, void: Id, operands: &[u32]) -> Id {
        let set = self.e.module.opencl_std();
        let mut words = vec![set, op as u32];
        words.extend_from_slice(operands);
        self.value(Op::ExtInst, void, &words)
    }

    pub fn async_copy(&mut self, call: Call) -> Id {
        let args = self.args(call);
        let scope = self.scope(Group::Work);
        let ty = self.e.ty(call.ty);
        let (stride, event) = match args.len() {
            4 => (self.e.module.ulong(1), args[3]),
            _ => (args[3], args[4]),
        };
        self.value(Op::GroupAsyncCopy, ty, &[scope, args[0], args[1], args[2], stride, event])
    }

    pub fn wait_events(&mut self, call: Call) -> Id {
        let args = self.args(call);
        let scope = self.scope(Group::Work);
        self.effect(Op::GroupWaitEvents, &[scope, args[0], args[1]]);
        0
    }

    /// `async_work_group_copy_2D2D` and `_3D3D`: a copy of bytes for each line, and one of nothing for the event.
    pub fn async_copy_rect(&mut self, dimensions: u8, call: Call) -> Id {
        let args = self.args(call);
        let (long, truth) = (self.e.module.int(64), self.e.module.bool());
        let (zero, one) = (self.e.module.ulong(0), self.e.module.ulong(1));
        let [target, target_offset, source, source_offset, bytes, elements, lines] = args[..7] else {
            return self.undefined(call.ty);
        };
        let (planes, source_line, source_plane, target_line, target_plane, event) = match dimensions {
            2 => (one, args[7], zero, args[8], zero, args[9]),
            _ => (args[7], args[8], args[9], args[10], args[11], args[12]),
        };
        let scope = self.scope(Group::Work);
        let event_type = self.e.ty(TypeId::EVENT);
        let none = self.e.module.null(event_type);
        let spaces = [0, 2].map(|index| {
            let pointee = self.e.program.types.pointee(self.arg_type(call, index));
            pointee.map_or(AddressSpace::Global, |pointee| pointee.space)
        });
        let count = self.value(Op::IMul, long, &[bytes, elements]);
        let all = self.value(Op::IMul, long, &[lines, planes]);
        let (head, inside, after) = (self.id(), self.id(), self.id());
        let before = self.here();
        self.continue_in(head);
        let next = self.id();
        let index = self.value(Op::Phi, long, &[zero, before, next, inside]);
        let more = self.value(Op::ULessThan, truth, &[index, all]);
        self.branch_if(more, inside, after);
        self.begin(inside);
        let plane = self.value(Op::UDiv, long, &[index, lines]);
        let line = self.value(Op::UMod, long, &[index, lines]);
        let at = |func: &mut Self, base: Id, space, offset: Id, line_pitch: Id, plane_pitch: Id| {
            let rows = func.value(Op::IMul, long, &[line, line_pitch]);
            let layers = func.value(Op::IMul, long, &[plane, plane_pitch]);
            let sum = func.value(Op::IAdd, long, &[rows, layers]);
            let sum = func.value(Op::IAdd, long, &[sum, offset]);
            let distance = func.value(Op::IMul, long, &[sum, bytes]);
            let ty = func.pointer_to(TypeId::UCHAR, space);
            let pointer = func.as_pointer(base, TypeId::UCHAR, space);
            func.value(Op::InBoundsPtrAccessChain, ty, &[pointer, distance])
        };
        let to = at(self, target, spaces[0], target_offset, target_line, target_plane);
        let from = at(self, source, spaces[1], source_offset, source_line, source_plane);
        self.value(Op::GroupAsyncCopy, event_type, &[scope, to, from, count, one, none]);
        self.define_as(next, Op::IAdd, long, &[index, one]);
        self.branch(head);
        self.begin(after);
        let to = self.as_pointer(target, TypeId::UCHAR, spaces[0]);
        let from = self.as_pointer(source, TypeId::UCHAR, spaces[1]);
        self.value(Op::GroupAsyncCopy, event_type, &[scope, to, from, zero, one, event])
    }

    /// `to_global` and its kin: the pointer, or null if it points elsewhere.
    pub fn cast_to_space(&mut self, call: Call) -> Id {
        let pointer = self.args(call)[0];
        let ty = self.e.ty(call.ty);
        let Some(target) = self.e.program.types.pointee(call.ty) else {
            return pointer;
        };
        let from = self.arg_type(call, 0);
        let generic = self.pointer_to(target.id, AddressSpace::Generic);
        let pointer = match self.e.ty(from) == generic {
            true => pointer,
            false => self.value(Op::Bitcast, generic, &[pointer]),
        };
        self.value(Op::GenericCastToPtrExplicit, ty, &[pointer, storage(target.space) as u32])
    }

    /// `get_fence`: SPIR-V's semantics have local memory in bit 8 and global memory in bit 9, the flags in bits 0 and 1.
    pub fn get_fence(&mut self, call: Call) -> Id {
        let pointer = self.args(call)[0];
        let word = self.e.module.int(32);
        let (eight, both) = (self.e.module.uint(8), self.e.module.uint(3));
        let semantics = self.value(Op::GenericPtrMemSemantics, word, &[pointer]);
        let flags = self.value(Op::ShiftRightLogical, word, &[semantics, eight]);
        self.value(Op::BitwiseAnd, word, &[flags, both])
    }

    pub fn printf(&mut self, call: Call) -> Id {
        let args = self.args(call);
        let ty = self.e.ty(call.ty);
        self.standard_effect(StdOp::printf, ty, &args)
    }

    pub fn pipe(&mut self, op: Op, group: Option<Group>, call: Call) -> Id {
        self.e.module.capability(Capability::Pipes);
        let mut args = self.args(call);
        if let Some(group) = group {
            self.e.module.capability(Capability::Groups);
            args.insert(0, self.scope(group));
        }
        if op != Op::IsValidReserveId {
            let packet = match self.e.program.types.kind(self.arg_type(call, 0)) {
                TypeKind::Pipe(packet, _) => packet.id,
                _ => TypeId::scalar(Scalar::Int),
            };
            let size = self.e.program.types.size_of(packet).unwrap_or(1);
            let align = self.e.program.types.align_of(packet).unwrap_or(1);
            args.push(self.e.module.uint(size as u32));
            args.push(self.e.module.uint(align as u32));
        }
        if call.ty == TypeId::VOID {
            self.effect(op, &args);
            return 0;
        }
        let ty = self.e.ty(call.ty);
        self.value(op, ty, &args)
    }
}
