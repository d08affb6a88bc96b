//! Atomic instructions and barriers (SPIR-V 3.52.18 and 3.52.20, Environment 4, cl_ext_float_atomics).

use super::memory::leads_to;
use super::scopes::{ORDERS, Use};
use super::{Kind, Shape};
use crate::{Validator, deviations::Deviation, rules};
use rspirv::spirv::{Capability, MemorySemantics, Op, Scope, StorageClass};
use spirv::{Id, Instruction, Type};
use vendors::FloatAtomics;

/// What an atomic does with floating-point numbers, if it does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OnFloats {
    No,
    LoadStore,
    Add,
    MinMax,
}

impl<'a> Validator<'a> {
    /// `false` if the instruction is of another class.
    pub(super) fn atomic(&mut self, instruction: &Instruction<'a>, op: Op) -> bool {
        let word = |position| instruction.word(position);
        match op {
            Op::AtomicLoad => {
                // Where OpenCL C's numbers make a scope and semantics, nothing is said.
                let [scope, semantics] = [1, 2].map(|position| self.module.constant_bits(word(position)));
                let impossible = scope == Some(5) || matches!(semantics, Some(1 | 3 | 4));
                if impossible && self.module.has_own_atomic_numbers(instruction) && self.deviates(Deviation::AtomicLoadNumbers, instruction)
                {
                    self.atomic_type(instruction, instruction.result_type, OnFloats::LoadStore);
                    return true;
                }
                self.atomic_access(instruction, instruction.result_type, OnFloats::LoadStore);
                self.atomic_order(instruction, 2, &[MemorySemantics::RELEASE, MemorySemantics::ACQUIRE_RELEASE]);
            }
            Op::AtomicStore => {
                self.atomic_access(instruction, self.module.type_of(word(3)), OnFloats::LoadStore);
                self.atomic_order(instruction, 2, &[MemorySemantics::ACQUIRE, MemorySemantics::ACQUIRE_RELEASE]);
            }
            Op::AtomicExchange => {
                self.atomic_access(instruction, instruction.result_type, OnFloats::LoadStore);
                self.atomic_order(instruction, 2, &[]);
                self.same_type(instruction, 3..4, instruction.result_type);
            }
            Op::AtomicCompareExchange | Op::AtomicCompareExchangeWeak => {
                self.atomic_access(instruction, instruction.result_type, OnFloats::No);
                self.atomic_order(instruction, 2, &[]);
                self.atomic_order(instruction, 3, &[MemorySemantics::RELEASE, MemorySemantics::ACQUIRE_RELEASE]);
                self.same_type(instruction, 4..6, instruction.result_type);
            }
            Op::AtomicIIncrement | Op::AtomicIDecrement => {
                self.atomic_access(instruction, instruction.result_type, OnFloats::No);
                self.atomic_order(instruction, 2, &[]);
            }
            Op::AtomicIAdd
            | Op::AtomicISub
            | Op::AtomicSMin
            | Op::AtomicUMin
            | Op::AtomicSMax
            | Op::AtomicUMax
            | Op::AtomicAnd
            | Op::AtomicOr
            | Op::AtomicXor => {
                self.atomic_access(instruction, instruction.result_type, OnFloats::No);
                self.atomic_order(instruction, 2, &[]);
                self.same_type(instruction, 3..4, instruction.result_type);
            }
            Op::AtomicFAddEXT | Op::AtomicFMinEXT | Op::AtomicFMaxEXT => {
                let on_floats = if op == Op::AtomicFAddEXT { OnFloats::Add } else { OnFloats::MinMax };
                self.atomic_access(instruction, instruction.result_type, on_floats);
                self.atomic_order(instruction, 2, &[]);
                self.same_type(instruction, 3..4, instruction.result_type);
            }
            Op::AtomicFlagTestAndSet | Op::AtomicFlagClear => {
                let flag = self.pointer(instruction, word(0));
                if let Some((class, pointee)) = flag {
                    self.atomic_class(instruction, class);
                    let good = pointee == 0 || self.shape(pointee).is_int32();
                    self.operand(instruction, good, || "the pointer must be to a 32-bit integer".into());
                }
                if op == Op::AtomicFlagTestAndSet {
                    self.result(instruction, *self.module.ty(instruction.result_type) == Type::Bool, "a Boolean");
                    self.atomic_order(instruction, 2, &[]);
                } else {
                    self.atomic_order(instruction, 2, &[MemorySemantics::ACQUIRE, MemorySemantics::ACQUIRE_RELEASE]);
                }
                self.memory_scope(instruction, word(1), Use::Atomic);
            }
            Op::ControlBarrier | Op::ControlBarrierArriveINTEL | Op::ControlBarrierWaitINTEL => {
                self.execution_scope(instruction, word(0), &[Scope::Workgroup, Scope::Subgroup]);
                self.memory_scope(instruction, word(1), Use::Barrier);
                self.semantics(instruction, word(2), Use::Barrier);
            }
            Op::MemoryBarrier => {
                self.memory_scope(instruction, word(0), Use::Barrier);
                self.semantics(instruction, word(1), Use::Barrier);
            }
            Op::NamedBarrierInitialize => {
                self.result(
                    instruction,
                    *self.module.ty(instruction.result_type) == Type::NamedBarrier,
                    "OpTypeNamedBarrier",
                );
                let good = self.value_shape(word(0)).is_int32();
                self.operand(instruction, good, || "Subgroup Count must be a 32-bit integer".into());
            }
            Op::MemoryNamedBarrier => {
                let good = *self.module.value_type(word(0)) == Type::NamedBarrier;
                self.operand(instruction, good, || "Named Barrier must be of OpTypeNamedBarrier".into());
                self.memory_scope(instruction, word(1), Use::Barrier);
                self.semantics(instruction, word(2), Use::Barrier);
            }
            _ => return false,
        }
        true
    }

    /// Pointer, scope and type of an atomic access.
    fn atomic_access(&mut self, instruction: &Instruction<'a>, value: Id, on_floats: OnFloats) {
        self.memory_scope(instruction, instruction.word(1), Use::Atomic);
        self.atomic_type(instruction, value, on_floats);
    }

    fn atomic_type(&mut self, instruction: &Instruction<'a>, value: Id, on_floats: OnFloats) {
        let Some((class, pointee)) = self.pointer(instruction, instruction.word(0)) else {
            return;
        };
        self.atomic_class(instruction, class);
        if !self.operand(instruction, leads_to(pointee, value), || {
            format!("the pointer must be to the value's type %{value}")
        }) {
            return;
        }
        let shape = self.shape(value);
        let good = match shape {
            Shape {
                kind: Kind::Int(32),
                count: 1,
            } => !matches!(on_floats, OnFloats::Add | OnFloats::MinMax),
            Shape {
                kind: Kind::Int(64),
                count: 1,
            } if matches!(on_floats, OnFloats::No | OnFloats::LoadStore) => {
                return self.int64_atomic(instruction);
            }
            Shape {
                kind: Kind::Float(width),
                count: 1,
            } if on_floats != OnFloats::No => {
                return self.float_atomic(instruction, width, class, on_floats);
            }
            _ => false,
        };
        if !good {
            self.report.error(&rules::ATOMIC_TYPE, instruction.index, format!("not %{value}"));
        }
    }

    fn int64_atomic(&mut self, instruction: &Instruction<'a>) {
        if self.module.has_capability(Capability::Int64Atomics) {
            return;
        }
        let there = self.environment.has_capability(Capability::Int64Atomics);
        if !there || !self.deviates(Deviation::UndeclaredInt64Atomics, instruction) {
            let advice = "Declare the capability Int64Atomics.";
            self.report
                .error_with(&rules::ATOMIC_TYPE, instruction.index, "64-bit atomics need Int64Atomics", advice);
        }
    }

    fn float_atomic(&mut self, instruction: &Instruction<'a>, width: u32, class: StorageClass, on_floats: OnFloats) {
        let has = self.environment.float_atomics(width);
        let (global, local) = match on_floats {
            OnFloats::Add => (FloatAtomics::GLOBAL_ADD, FloatAtomics::LOCAL_ADD),
            OnFloats::MinMax => (FloatAtomics::GLOBAL_MIN_MAX, FloatAtomics::LOCAL_MIN_MAX),
            // Loads, stores and exchanges of floats and doubles are of OpenCL's core; those of halfs are an extension's.
            _ if width == 32 => return,
            _ if width == 64 => return self.int64_atomic(instruction),
            _ => (FloatAtomics::GLOBAL_LOAD_STORE, FloatAtomics::LOCAL_LOAD_STORE),
        };
        let needed = match class {
            StorageClass::CrossWorkgroup => global,
            StorageClass::Workgroup => local,
            StorageClass::Generic => global | local,
            _ => FloatAtomics::empty(),
        };
        if !has.contains(needed) {
            let detail =
                format!("the device's atomic capabilities for {width}-bit floating-point numbers in {class:?} memory do not include it");
            self.report.error(&rules::FLOAT_ATOMICS, instruction.index, detail);
        }
        let capability = match (on_floats, width) {
            (OnFloats::Add, 16) => Capability::AtomicFloat16AddEXT,
            (OnFloats::Add, 32) => Capability::AtomicFloat32AddEXT,
            (OnFloats::Add, _) => Capability::AtomicFloat64AddEXT,
            (OnFloats::MinMax, 16) => Capability::AtomicFloat16MinMaxEXT,
            (OnFloats::MinMax, 32) => Capability::AtomicFloat32MinMaxEXT,
            (OnFloats::MinMax, _) => Capability::AtomicFloat64MinMaxEXT,
            _ => return,
        };
        if !self.module.has_capability(capability) {
            let advice = format!("Declare the capability {capability:?}.");
            self.report
                .error_with(&rules::FLOAT_ATOMICS, instruction.index, format!("it needs {capability:?}"), advice);
        }
    }

    fn atomic_class(&mut self, instruction: &Instruction<'a>, class: StorageClass) {
        let good = matches!(
            class,
            StorageClass::Function | StorageClass::Workgroup | StorageClass::CrossWorkgroup | StorageClass::Generic
        );
        if !good {
            self.report
                .error(&rules::ATOMIC_CLASS, instruction.index, format!("it is {class:?}"));
        }
    }

    /// Memory semantics at a position, whose order must be none of those given.
    fn atomic_order(&mut self, instruction: &Instruction<'a>, position: usize, excluded: &[MemorySemantics]) {
        if let Some(semantics) = self.semantics(instruction, instruction.word(position), Use::Atomic)
            && excluded.contains(&(semantics & ORDERS))
        {
            self.report
                .error(&rules::ATOMIC_ORDER, instruction.index, format!("%{}", instruction.word(position)));
        }
    }
}
