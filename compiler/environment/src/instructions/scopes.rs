//! Scopes and memory semantics (Environment 4): what each class of instruction may say.

use crate::{Validator, deviations::Deviation, rules};
use rspirv::spirv::{MemorySemantics, Op, Scope};
use spirv::{Id, Instruction};
use vendors::{AtomicCapabilities, Features};

/// Which instructions a memory scope or order is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// Atomic instructions: `CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES`.
    Atomic,
    /// Barriers: `CL_DEVICE_ATOMIC_FENCE_CAPABILITIES`.
    Barrier,
}

impl<'a> Validator<'a> {
    /// A scope that is a constant; `None` (and nothing said) where only the run tells it.
    pub(super) fn scope(&mut self, instruction: &Instruction<'a>, id: Id) -> Option<Scope> {
        if !self.operand(instruction, self.value_shape(id).is_int32(), || {
            format!("%{id}, a scope, must be a 32-bit integer")
        }) {
            return None;
        }
        let Some(value) = self.module.constant_bits(id) else {
            self.report.error(&rules::SCOPE_CONSTANT, instruction.index, format!("%{id}"));
            return None;
        };
        let scope = u32::try_from(value).ok().and_then(Scope::from_u32);
        if scope.is_none() {
            self.report
                .error(&rules::SCOPE_VALUE, instruction.index, format!("%{id} is {value}"));
        }
        scope
    }

    /// A scope for execution, which must be one of those given.
    pub(super) fn execution_scope(&mut self, instruction: &Instruction<'a>, id: Id, allowed: &[Scope]) -> Option<Scope> {
        let scope = self.scope(instruction, id)?;
        let beyond = matches!(scope, Scope::CrossDevice | Scope::Device) && instruction.op() == Op::ControlBarrier;
        if allowed.contains(&scope) {
            if scope == Scope::Subgroup && !self.features.contains(Features::SUB_GROUPS) {
                let detail = "it is Subgroup, but the device has no sub-groups (CL_DEVICE_MAX_NUM_SUB_GROUPS is 0)";
                self.report.error(&rules::EXECUTION_SCOPE, instruction.index, detail);
            }
        } else if !(beyond && self.deviates(Deviation::BarrierBeyondGroup, instruction)) {
            let detail = format!("it is {scope:?}, and must be {}", names(allowed));
            self.report.error(&rules::EXECUTION_SCOPE, instruction.index, detail);
        }
        Some(scope)
    }

    /// A scope for memory.
    pub(super) fn memory_scope(&mut self, instruction: &Instruction<'a>, id: Id, kind: Use) {
        let Some(scope) = self.scope(instruction, id) else { return };
        if self.environment.opencl_version() == Some((1, 2)) {
            let wanted = if kind == Use::Atomic { Scope::Device } else { Scope::Workgroup };
            // cl_khr_subgroups has barriers of sub-groups.
            let sub_group = kind == Use::Barrier && scope == Scope::Subgroup && self.features.contains(Features::SUB_GROUPS);
            if scope != wanted && !sub_group {
                self.report.error(
                    &rules::MEMORY_SCOPE,
                    instruction.index,
                    format!("it is {scope:?}; in OpenCL 1.2 it must be {wanted:?}"),
                );
            }
            return;
        }
        let capabilities = self.atomic_capabilities(kind);
        let (admitted, query) = match scope {
            Scope::CrossDevice => (capabilities.contains(AtomicCapabilities::SCOPE_ALL_DEVICES), "SCOPE_ALL_DEVICES"),
            Scope::Device => (capabilities.contains(AtomicCapabilities::SCOPE_DEVICE), "SCOPE_DEVICE"),
            Scope::Workgroup => (capabilities.contains(AtomicCapabilities::SCOPE_WORK_GROUP), "SCOPE_WORK_GROUP"),
            Scope::Subgroup => (self.features.contains(Features::SUB_GROUPS), "sub-groups"),
            // Level Zero's list is of all instructions.
            Scope::Invocation if self.environment.is_level_zero() => (true, ""),
            Scope::Invocation if kind == Use::Barrier => (capabilities.contains(AtomicCapabilities::SCOPE_WORK_ITEM), "SCOPE_WORK_ITEM"),
            // memory_scope_work_item is for fences of images, says OpenCL C.
            Scope::Invocation => (self.deviates(Deviation::AtomicOfInvocation, instruction), ""),
            _ => (false, ""),
        };
        if !admitted {
            let detail = if query.is_empty() {
                format!("it is {scope:?}")
            } else {
                format!("it is {scope:?}, but the device does not report {query} in {}", query_of(kind))
            };
            self.report.error(&rules::MEMORY_SCOPE, instruction.index, detail);
        }
    }

    /// Memory semantics: order and storage classes.
    pub(super) fn semantics(&mut self, instruction: &Instruction<'a>, id: Id, kind: Use) -> Option<MemorySemantics> {
        if !self.operand(instruction, self.value_shape(id).is_int32(), || {
            format!("%{id}, memory semantics, must be a 32-bit integer")
        }) {
            return None;
        }
        let Some(value) = self.module.constant_bits(id) else {
            self.report.error(&rules::SCOPE_CONSTANT, instruction.index, format!("%{id}"));
            return None;
        };
        let Some(semantics) = u32::try_from(value).ok().and_then(MemorySemantics::from_bits) else {
            self.report
                .error(&rules::SEMANTICS_VALUE, instruction.index, format!("%{id} is {value:#x}"));
            return None;
        };
        let order = semantics & ORDERS;
        if order.bits().count_ones() > 1 {
            self.report
                .error(&rules::SEMANTICS_VALUE, instruction.index, "more than one order is given");
            return None;
        }
        let capabilities = self.atomic_capabilities(kind);
        let (needed, query) = match order {
            MemorySemantics::SEQUENTIALLY_CONSISTENT => (AtomicCapabilities::ORDER_SEQ_CST, "ORDER_SEQ_CST"),
            order if order.is_empty() => (AtomicCapabilities::ORDER_RELAXED, "ORDER_RELAXED"),
            _ => (AtomicCapabilities::ORDER_ACQ_REL, "ORDER_ACQ_REL"),
        };
        if self.environment.opencl_version() == Some((1, 2)) {
            let wanted = if kind == Use::Atomic {
                MemorySemantics::empty()
            } else {
                MemorySemantics::SEQUENTIALLY_CONSISTENT
            };
            if order != wanted {
                self.report.error(
                    &rules::MEMORY_ORDER,
                    instruction.index,
                    format!("in OpenCL 1.2 it must be {}", order_name(wanted)),
                );
            }
        } else if !capabilities.contains(needed) {
            let detail = format!(
                "{} needs {query} in {}, which the device does not report",
                order_name(order),
                query_of(kind)
            );
            self.report.error(&rules::MEMORY_ORDER, instruction.index, detail);
        }
        Some(semantics)
    }

    fn atomic_capabilities(&self, kind: Use) -> AtomicCapabilities {
        match kind {
            Use::Atomic => self.environment.registry.atomic_memory(),
            Use::Barrier => self.environment.registry.atomic_fence(),
        }
    }
}

/// The bits of an order; none of them is Relaxed.
pub(super) const ORDERS: MemorySemantics = MemorySemantics::ACQUIRE
    .union(MemorySemantics::RELEASE)
    .union(MemorySemantics::ACQUIRE_RELEASE)
    .union(MemorySemantics::SEQUENTIALLY_CONSISTENT);

fn query_of(kind: Use) -> &'static str {
    match kind {
        Use::Atomic => "CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES",
        Use::Barrier => "CL_DEVICE_ATOMIC_FENCE_CAPABILITIES",
    }
}

fn order_name(order: MemorySemantics) -> &'static str {
    match order {
        MemorySemantics::ACQUIRE => "Acquire",
        MemorySemantics::RELEASE => "Release",
        MemorySemantics::ACQUIRE_RELEASE => "AcquireRelease",
        MemorySemantics::SEQUENTIALLY_CONSISTENT => "SequentiallyConsistent",
        _ => "Relaxed",
    }
}

fn names(scopes: &[Scope]) -> String {
    scopes.iter().map(|scope| format!("{scope:?}")).collect::<Vec<_>>().join(" or ")
}
