//! Atomic functions.

use super::Call;
use crate::builtins::row::C11;
use crate::emit::function::Func;
use crate::emit::module::Id;
use crate::emit::types::storage;
use crate::hir::{Atomic, AtomicOp, CastKind, ExprId, ExprKind};
use crate::types::{AddressSpace, QualType, Scalar, TypeId};
use rspirv::spirv::{Capability, MemorySemantics, Op, Scope};

impl Func<'_, '_> {
    fn pointee(&self, pointer: ExprId) -> QualType {
        let pointee = self.e.program.types.pointee(self.body.expr(pointer).ty);
        pointee.unwrap_or(QualType::plain(TypeId::INT))
    }

    /// The memory that an order is about: that of the object.
    fn semantics(&mut self, order: u32, space: AddressSpace) -> Id {
        let memory = match space {
            AddressSpace::Local => MemorySemantics::WORKGROUP_MEMORY,
            AddressSpace::Global => MemorySemantics::CROSS_WORKGROUP_MEMORY,
            _ => MemorySemantics::WORKGROUP_MEMORY | MemorySemantics::CROSS_WORKGROUP_MEMORY,
        };
        self.e.module.uint(if order == 0 { 0 } else { order | memory.bits() })
    }

    /// Relaxed, for the device, or for the work-group where nobody else sees the object: what the functions of OpenCL C 1.x are.
    fn relaxed(&mut self, space: AddressSpace) -> [Id; 2] {
        let scope = match space {
            AddressSpace::Local => Scope::Workgroup,
            _ => Scope::Device,
        };
        [self.e.module.uint(scope as u32), self.e.module.uint(0)]
    }

    fn wide(&mut self, scalar: Scalar) {
        if scalar.size() == 8 {
            self.e.module.capability(Capability::Int64Atomics);
        }
    }

    pub fn atomic(&mut self, op: Op, call: Call) -> Id {
        let args = self.args(call);
        let pointee = self.pointee(call.arguments[0]);
        self.wide(self.shape(pointee.id).0);
        let [scope, semantics] = self.relaxed(pointee.space);
        let mut operands = vec![args[0], scope, semantics];
        operands.extend(args.get(1));
        let ty = self.e.ty(call.ty);
        self.value(op, ty, &operands)
    }

    pub fn atomic_exchange_if(&mut self, call: Call) -> Id {
        let args = self.args(call);
        let pointee = self.pointee(call.arguments[0]);
        self.wide(self.shape(pointee.id).0);
        let [scope, semantics] = self.relaxed(pointee.space);
        let ty = self.e.ty(call.ty);
        self.value(
            Op::AtomicCompareExchange,
            ty,
            &[args[0], scope, semantics, semantics, args[2], args[1]],
        )
    }

    /// The scope and the order that a call ends with, after its operands.
    fn order_and_scope(&mut self, rest: &[ExprId], space: AddressSpace) -> (Id, Id) {
        let order = match rest.first() {
            Some(&order) => self.memory_order(order),
            None => MemorySemantics::SEQUENTIALLY_CONSISTENT.bits(),
        };
        let scope = match rest.get(1) {
            Some(&scope) => self.memory_scope(scope),
            None => self.e.module.uint(Scope::Device as u32),
        };
        (scope, self.semantics(order, space))
    }

    /// C11's functions: the object, the operand, an order, a scope.
    pub fn c11(&mut self, kind: C11, arguments: &[ExprId], ty: TypeId) -> Id {
        let object = arguments[0];
        let pointee = self.pointee(object);
        let (scalar, _) = self.shape(pointee.id);
        let has_operand = matches!(kind, C11::Init | C11::Store | C11::Exchange | C11::Fetch(_));
        let pointer = self.expr(object);
        let operand = match has_operand {
            true => self.expr(arguments[1]),
            false => 0,
        };
        let rest = arguments.get(if has_operand { 2 } else { 1 }..).unwrap_or(&[]);
        let (scope, semantics) = self.order_and_scope(rest, pointee.space);
        let ty = self.e.ty(ty);
        self.wide(scalar);
        match kind {
            C11::Init => {
                self.store_raw(pointer, operand, scalar.size(), false);
                0
            }
            C11::Load => self.value(Op::AtomicLoad, ty, &[pointer, scope, semantics]),
            C11::Store => {
                self.effect(Op::AtomicStore, &[pointer, scope, semantics, operand]);
                0
            }
            C11::Exchange => self.value(Op::AtomicExchange, ty, &[pointer, scope, semantics, operand]),
            C11::Fetch([signed, unsigned, float]) => {
                let op = match scalar {
                    scalar if scalar.is_float() => float,
                    scalar if scalar.is_signed() => signed,
                    _ => unsigned,
                };
                let mut operand = operand;
                if scalar.is_float() {
                    self.float_atomic(op, scalar);
                    // There is no subtraction.
                    if signed == Op::AtomicISub {
                        operand = self.value(Op::FNegate, ty, &[operand]);
                    }
                }
                self.value(op, ty, &[pointer, scope, semantics, operand])
            }
            C11::FlagTestAndSet => self.value(Op::AtomicFlagTestAndSet, ty, &[pointer, scope, semantics]),
            C11::FlagClear => {
                self.effect(Op::AtomicFlagClear, &[pointer, scope, semantics]);
                0
            }
            C11::CompareExchange => 0,
        }
    }

    fn float_atomic(&mut self, op: Op, scalar: Scalar) {
        let add = op == Op::AtomicFAddEXT;
        let (capability, extension) = match (add, scalar) {
            (true, Scalar::Half) => (Capability::AtomicFloat16AddEXT, "SPV_EXT_shader_atomic_float16_add"),
            (true, Scalar::Float) => (Capability::AtomicFloat32AddEXT, "SPV_EXT_shader_atomic_float_add"),
            (true, _) => (Capability::AtomicFloat64AddEXT, "SPV_EXT_shader_atomic_float_add"),
            (false, Scalar::Half) => (Capability::AtomicFloat16MinMaxEXT, "SPV_EXT_shader_atomic_float_min_max"),
            (false, Scalar::Float) => (Capability::AtomicFloat32MinMaxEXT, "SPV_EXT_shader_atomic_float_min_max"),
            (false, _) => (Capability::AtomicFloat64MinMaxEXT, "SPV_EXT_shader_atomic_float_min_max"),
        };
        self.need(capability, extension);
    }

    /// `atomic_compare_exchange_*`: what was found is stored where the expected value is, unless it is that.
    pub fn compare_exchange(&mut self, arguments: &[ExprId]) -> Id {
        let pointee = self.pointee(arguments[0]);
        let (scalar, _) = self.shape(pointee.id);
        self.wide(scalar);
        let expected_space = self.pointee(arguments[1]).space;
        let object = self.expr(arguments[0]);
        let place = self.expr(arguments[1]);
        let desired = self.expr(arguments[2]);
        let rest = &arguments[3..];
        let success = match rest.first() {
            Some(&order) => self.memory_order(order),
            None => MemorySemantics::SEQUENTIALLY_CONSISTENT.bits(),
        };
        let failure = match rest.get(1) {
            Some(&order) => self.memory_order(order),
            None => success,
        };
        let scope = match rest.get(2) {
            Some(&scope) => self.memory_scope(scope),
            None => self.e.module.uint(Scope::Device as u32),
        };
        let (equal, unequal) = (self.semantics(success, pointee.space), self.semantics(failure, pointee.space));
        let value_type = self.numeric(scalar, 1);
        let expected = self.load_raw(place, value_type, scalar.size(), false);
        let (found, same) = self.swap_if_equal((object, pointee), expected, desired, [scope, equal, unequal]);
        // Nobody else sees a private object: storing what is there already does no harm.
        if expected_space == AddressSpace::Private || self.is_private_pointer(arguments[1]) {
            self.store_raw(place, found, scalar.size(), false);
            return same;
        }
        let (failed, after) = (self.id(), self.id());
        self.branch_if(same, after, failed);
        self.begin(failed);
        self.store_raw(place, found, scalar.size(), false);
        self.branch(after);
        self.begin(after);
        same
    }

    /// Stores a value if the object has the expected one. What was found, and whether it was that.
    fn swap_if_equal(&mut self, (object, pointee): (Id, QualType), expected: Id, desired: Id, how: [Id; 3]) -> (Id, Id) {
        let (scalar, _) = self.shape(pointee.id);
        // Of floats, the bits are compared.
        let word = self.numeric(scalar.unsigned(), 1);
        let (mut pointer, mut wanted, mut new) = (object, expected, desired);
        if scalar.is_float() {
            let pointer_type = self.e.module.pointer(storage(pointee.space), word);
            pointer = self.value(Op::Bitcast, pointer_type, &[object]);
            wanted = self.value(Op::Bitcast, word, &[expected]);
            new = self.value(Op::Bitcast, word, &[desired]);
        }
        let [scope, equal, unequal] = how;
        let old = self.value(Op::AtomicCompareExchange, word, &[pointer, scope, equal, unequal, new, wanted]);
        let truth = self.e.module.bool();
        let same = self.value(Op::IEqual, truth, &[old, wanted]);
        let found = match scalar.is_float() {
            true => {
                let ty = self.numeric(scalar, 1);
                self.value(Op::Bitcast, ty, &[old])
            }
            false => old,
        };
        (found, same)
    }

    /// GNU's functions: C11's under other names, a comparison that gives what was found, and a fence.
    pub fn gnu_atomic(&mut self, atomic: Atomic, arguments: &[ExprId], ty: TypeId) -> Id {
        let kind = match atomic {
            Atomic::Init => C11::Init,
            Atomic::Load => C11::Load,
            Atomic::Store => C11::Store,
            Atomic::Exchange => C11::Exchange,
            Atomic::Fetch(op) => C11::Fetch(match op {
                AtomicOp::Add => [Op::AtomicIAdd, Op::AtomicIAdd, Op::AtomicFAddEXT],
                AtomicOp::Sub => [Op::AtomicISub, Op::AtomicISub, Op::AtomicFAddEXT],
                AtomicOp::And => [Op::AtomicAnd; 3],
                AtomicOp::Or => [Op::AtomicOr; 3],
                AtomicOp::Xor => [Op::AtomicXor; 3],
                AtomicOp::Min => [Op::AtomicSMin, Op::AtomicUMin, Op::AtomicFMinEXT],
                AtomicOp::Max => [Op::AtomicSMax, Op::AtomicUMax, Op::AtomicFMaxEXT],
            }),
            Atomic::CompareExchange => return self.compare_exchange(arguments),
            Atomic::CompareSwap => {
                let pointee = self.pointee(arguments[0]);
                self.wide(self.shape(pointee.id).0);
                let [object, expected, desired] = [0, 1, 2].map(|index| self.expr(arguments[index]));
                let (scope, semantics) = self.order_and_scope(&arguments[3..], pointee.space);
                return self
                    .swap_if_equal((object, pointee), expected, desired, [scope, semantics, semantics])
                    .0;
            }
            Atomic::Fence => {
                let order = self.memory_order(arguments[0]);
                // A relaxed fence orders nothing.
                if order != 0 {
                    let scope = self.e.module.uint(Scope::Device as u32);
                    let semantics = self.semantics(order, AddressSpace::Generic);
                    self.effect(Op::MemoryBarrier, &[scope, semantics]);
                }
                return 0;
            }
        };
        self.c11(kind, arguments, ty)
    }

    /// Is a pointer one to a private object that has only changed its space?
    fn is_private_pointer(&self, pointer: ExprId) -> bool {
        match self.body.expr(pointer).kind {
            ExprKind::Cast(cast) if cast.kind == CastKind::AddressSpace => {
                let from = self.e.program.types.pointee(self.body.expr(cast.value).ty);
                from.is_some_and(|pointee| pointee.space == AddressSpace::Private)
            }
            _ => false,
        }
    }
}
