//! Atomics and fences (SPIR-V specification, sections 3.52.18 and 3.52.20).

use super::function::{Lowering, Result};
use super::value::Pointer;
use ir::*;
use rspirv::spirv::{MemorySemantics, Op, Scope as SpirvScope};
use spirv::{Id, Instruction};

/// What all atomics have.
pub(super) struct Place {
    pub address: Value,
    pub mem: MemInfo,
    pub order: Order,
    pub scope: Scope,
}

impl Place {
    fn load(self, ty: Type) -> InstData {
        InstData::AtomicLoad {
            ty,
            address: self.address,
            mask: None,
            mem: self.mem,
            order: self.order,
            scope: self.scope,
        }
    }

    fn store(self, value: Value) -> InstData {
        InstData::AtomicStore {
            value,
            address: self.address,
            mask: None,
            mem: self.mem,
            order: self.order,
            scope: self.scope,
        }
    }

    pub fn rmw(self, op: AtomicOp, value: Value) -> InstData {
        InstData::AtomicRmw {
            op,
            value,
            address: self.address,
            mask: None,
            mem: self.mem,
            order: self.order,
            scope: self.scope,
        }
    }

    pub fn compare_exchange(self, expected: Value, desired: Value) -> InstData {
        InstData::AtomicCas {
            expected,
            desired,
            address: self.address,
            mask: None,
            mem: self.mem,
            order: self.order,
            scope: self.scope,
        }
    }
}

impl<'m> Lowering<'_, 'm> {
    /// Lowers it if it is one of these; says whether it was.
    pub(super) fn atomic(&mut self, inst: &Instruction<'m>) -> Result<bool> {
        let op = inst.op();
        if let Some(rmw) = rmw_op(op) {
            let value = self.scalar(inst.word(3))?;
            self.rmw(inst, rmw, value)?;
            return Ok(true);
        }
        match op {
            Op::AtomicIIncrement | Op::AtomicIDecrement => {
                let ty = Type::scalar(self.result_elem(inst)?);
                let one = self.constant(ty, 1);
                self.rmw(inst, if op == Op::AtomicIIncrement { AtomicOp::Add } else { AtomicOp::Sub }, one)?;
            }
            Op::AtomicLoad => {
                let ty = Type::scalar(self.result_elem(inst)?);
                let place = self.place(inst, ty.elem.bytes())?;
                let value = self.b().value(place.load(ty));
                self.define_scalar(inst, value);
            }
            Op::AtomicStore => {
                let value = self.scalar(inst.word(3))?;
                let place = self.place(inst, self.func.ty(value).bytes())?;
                self.b().push(place.store(value));
            }
            Op::AtomicCompareExchange | Op::AtomicCompareExchangeWeak => {
                let (desired, expected) = (self.scalar(inst.word(4))?, self.scalar(inst.word(5))?);
                let place = self.place(inst, self.func.ty(desired).bytes())?;
                let old = self.b().value(place.compare_exchange(expected, desired));
                self.define_scalar(inst, old);
            }
            Op::AtomicFlagTestAndSet => {
                let value = self.i32(1);
                let place = self.place(inst, 4)?;
                let mut b = self.b();
                let old = b.value(place.rmw(AtomicOp::Exchange, value));
                let set = b.icmp_imm(IntCc::Ne, old, 0);
                self.define_scalar(inst, set);
            }
            Op::AtomicFlagClear => {
                let value = self.i32(0);
                let place = self.place(inst, 4)?;
                self.b().push(place.store(value));
            }
            Op::MemoryBarrier => {
                let (scope, order) = (self.scope(inst.word(0)), self.order(inst.word(1)));
                self.fence(order, scope);
            }
            // What is waited for is that all have arrived; nothing is lost if they wait until all wait.
            Op::ControlBarrierArriveINTEL => {
                let scope = self.scope(inst.word(1));
                self.fence(Order::Release, scope);
            }
            Op::ControlBarrier | Op::ControlBarrierWaitINTEL => {
                let (execution, memory, order) = (self.scope(inst.word(0)), self.scope(inst.word(1)), self.order(inst.word(2)));
                // Some compilers take the memory scope for both; work-items of other groups can't be waited for.
                let execution = execution.min(Scope::WorkGroup);
                // A barrier that names memory but no order is meant to order it.
                let names_memory = self.literal(inst.word(2)).is_none_or(|word| word as u32 & !0x1f != 0);
                let order = if order == Order::Relaxed && names_memory {
                    Order::AcquireRelease
                } else {
                    order
                };
                if execution == Scope::SubGroup {
                    self.check_converged();
                }
                self.barrier(execution, order, memory);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    pub(super) fn fence(&mut self, order: Order, scope: Scope) {
        if order != Order::Relaxed {
            self.b().push(InstData::Fence { order, scope });
        }
    }

    pub(super) fn barrier(&mut self, execution: Scope, order: Order, memory: Scope) {
        if execution == Scope::WorkItem {
            self.fence(order, memory);
        } else {
            self.b().push(InstData::Barrier { execution, order, memory });
        }
    }

    fn rmw(&mut self, inst: &Instruction<'m>, op: AtomicOp, value: Value) -> Result<()> {
        let place = self.place(inst, self.func.ty(value).bytes())?;
        let old = self.b().value(place.rmw(op, value));
        self.define_scalar(inst, old);
        Ok(())
    }

    fn place(&mut self, inst: &Instruction<'m>, bytes: u32) -> Result<Place> {
        let pointer = self.pointer(inst.word(0))?;
        let (scope, order) = if self.spirv.has_own_atomic_numbers(inst) {
            (Scope::AllDevices, Order::SequentiallyConsistent)
        } else {
            (self.scope(inst.word(1)), self.order(inst.word(2)))
        };
        let mem = self.atomic_mem(&pointer, bytes);
        let address = self.materialize(&pointer);
        Ok(Place {
            address,
            mem,
            order,
            scope,
        })
    }

    fn atomic_mem(&self, pointer: &Pointer, bytes: u32) -> MemInfo {
        // What is told of memory that does not change can't be meant of atomics.
        pointer.mem(bytes, pointer.flags & MemFlags::VOLATILE)
    }

    /// A scope operand; the widest where it is not known.
    pub(super) fn scope(&mut self, id: Id) -> Scope {
        match self.literal(id).and_then(|word| SpirvScope::from_u32(word as u32)) {
            Some(SpirvScope::Invocation) => Scope::WorkItem,
            Some(SpirvScope::Subgroup) => Scope::SubGroup,
            Some(SpirvScope::Workgroup) => Scope::WorkGroup,
            Some(SpirvScope::Device) => Scope::Device,
            _ => Scope::AllDevices,
        }
    }

    /// A memory semantics operand; the strongest where it is not known.
    pub(super) fn order(&mut self, id: Id) -> Order {
        let Some(word) = self.literal(id) else {
            return Order::SequentiallyConsistent;
        };
        let semantics = MemorySemantics::from_bits_truncate(word as u32);
        if semantics.contains(MemorySemantics::SEQUENTIALLY_CONSISTENT) {
            Order::SequentiallyConsistent
        } else if semantics.contains(MemorySemantics::ACQUIRE_RELEASE) {
            Order::AcquireRelease
        } else if semantics.contains(MemorySemantics::ACQUIRE) {
            Order::Acquire
        } else if semantics.contains(MemorySemantics::RELEASE) {
            Order::Release
        } else {
            Order::Relaxed
        }
    }
}

fn rmw_op(op: Op) -> Option<AtomicOp> {
    Some(match op {
        Op::AtomicExchange => AtomicOp::Exchange,
        Op::AtomicIAdd => AtomicOp::Add,
        Op::AtomicISub => AtomicOp::Sub,
        Op::AtomicSMin => AtomicOp::SMin,
        Op::AtomicUMin => AtomicOp::UMin,
        Op::AtomicSMax => AtomicOp::SMax,
        Op::AtomicUMax => AtomicOp::UMax,
        Op::AtomicAnd => AtomicOp::And,
        Op::AtomicOr => AtomicOp::Or,
        Op::AtomicXor => AtomicOp::Xor,
        Op::AtomicFAddEXT => AtomicOp::FAdd,
        Op::AtomicFMinEXT => AtomicOp::FMin,
        Op::AtomicFMaxEXT => AtomicOp::FMax,
        _ => return None,
    })
}
