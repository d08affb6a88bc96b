//! Barriers, fences and clocks.

use super::Call;
use crate::builtins::row::Group;
use crate::emit::function::Func;
use crate::emit::module::Id;
use crate::hir::ExprId;
use rspirv::spirv::{Capability, MemorySemantics, Op, Scope};

impl Func<'_, '_> {
    /// The memory that flags name, as SPIR-V's semantics; all of it, where the flags aren't known now.
    fn memory_of(&self, flags: ExprId) -> u32 {
        let flags = self.known(flags).unwrap_or(7);
        let mut semantics = MemorySemantics::empty();
        if flags & 1 != 0 {
            semantics |= MemorySemantics::WORKGROUP_MEMORY;
        }
        if flags & 2 != 0 {
            semantics |= MemorySemantics::CROSS_WORKGROUP_MEMORY;
        }
        if flags & 4 != 0 {
            semantics |= MemorySemantics::IMAGE_MEMORY;
        }
        semantics.bits()
    }

    /// A `memory_scope`; the widest there is, where it isn't known now.
    pub fn memory_scope(&mut self, scope: ExprId) -> Id {
        let widest = match self.e.session.options.has("__opencl_c_atomic_scope_all_devices") {
            true => Scope::CrossDevice,
            false => Scope::Device,
        };
        let scope = match self.known(scope) {
            Some(0) => Scope::Invocation,
            Some(1) => Scope::Workgroup,
            Some(2) => Scope::Device,
            Some(3) => Scope::CrossDevice,
            Some(4) => Scope::Subgroup,
            _ => widest,
        };
        self.e.module.uint(scope as u32)
    }

    /// A `memory_order`; the strongest there is, where it isn't known now.
    pub fn memory_order(&self, order: ExprId) -> u32 {
        match self.known(order) {
            Some(0) => 0,
            Some(1 | 2) => MemorySemantics::ACQUIRE.bits(),
            Some(3) => MemorySemantics::RELEASE.bits(),
            Some(4) => MemorySemantics::ACQUIRE_RELEASE.bits(),
            _ => MemorySemantics::SEQUENTIALLY_CONSISTENT.bits(),
        }
    }

    pub fn barrier(&mut self, group: Group, call: Call) -> Id {
        let semantics = MemorySemantics::SEQUENTIALLY_CONSISTENT.bits() | self.memory_of(call.arguments[0]);
        let semantics = self.e.module.uint(semantics);
        let execution = self.scope(group);
        let memory = match call.arguments.get(1) {
            Some(&scope) => self.memory_scope(scope),
            None => execution,
        };
        self.effect(Op::ControlBarrier, &[execution, memory, semantics]);
        0
    }

    pub fn fence(&mut self, order: u32, call: Call) -> Id {
        let semantics = self.e.module.uint(order | self.memory_of(call.arguments[0]));
        let scope = self.scope(Group::Work);
        self.effect(Op::MemoryBarrier, &[scope, semantics]);
        0
    }

    pub fn fence_explicit(&mut self, call: Call) -> Id {
        let order = self.memory_order(call.arguments[1]);
        let scope = self.memory_scope(call.arguments[2]);
        // A relaxed fence orders nothing.
        if order != 0 {
            let semantics = self.e.module.uint(order | self.memory_of(call.arguments[0]));
            self.effect(Op::MemoryBarrier, &[scope, semantics]);
        }
        0
    }

    pub fn split_barrier(&mut self, op: Op, call: Call) -> Id {
        self.need(Capability::SplitBarrierINTEL, "SPV_INTEL_split_barrier");
        let order = match op {
            Op::ControlBarrierArriveINTEL => MemorySemantics::RELEASE,
            _ => MemorySemantics::ACQUIRE,
        };
        let semantics = self.e.module.uint(order.bits() | self.memory_of(call.arguments[0]));
        let execution = self.scope(Group::Work);
        let memory = match call.arguments.get(1) {
            Some(&scope) => self.memory_scope(scope),
            None => execution,
        };
        self.effect(op, &[execution, memory, semantics]);
        0
    }

    pub fn clock(&mut self, scope: Group, call: Call) -> Id {
        self.need(Capability::ShaderClockKHR, "SPV_KHR_shader_clock");
        let scope = self.scope(scope);
        let ty = self.e.ty(call.ty);
        self.value(Op::ReadClockKHR, ty, &[scope])
    }
}
