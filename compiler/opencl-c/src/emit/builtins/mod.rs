//! Calls of OpenCL C's functions.

mod atomic;
mod enqueue;
mod group;
mod image;
mod memory;
mod simple;
mod sync;

use super::function::Func;
use super::module::Id;
use crate::builtins::BuiltinId;
use crate::builtins::row::{C11, Emit, Group};
use crate::hir::{ArithmeticOp, CastKind, Const, ExprId, ExprKind};
use crate::types::{Scalar, TypeId};
use rspirv::spirv::{Capability, Op, Scope};

/// A call: what each function of these files needs.
#[derive(Clone, Copy)]
pub struct Call<'c> {
    pub id: BuiltinId,
    pub arguments: &'c [ExprId],
    pub ty: TypeId,
}

impl Func<'_, '_> {
    pub fn builtin(&mut self, id: BuiltinId, arguments: &[ExprId], ty: TypeId) -> Id {
        let call = Call { id, arguments, ty };
        match id.emit() {
            Emit::Std(op) => self.std_call(op, call),
            Emit::Signed(signed, unsigned) => self.std_call(if self.first(call).is_signed() { signed } else { unsigned }, call),
            Emit::Number(signed, unsigned, float) => {
                let op = match self.first(call) {
                    scalar if scalar.is_float() => float,
                    scalar if scalar.is_signed() => signed,
                    _ => unsigned,
                };
                self.std_call(op, call)
            }
            Emit::Op(op) => self.core_call(op, call),
            Emit::OpSigned(signed, unsigned) => self.core_call(if self.first(call).is_signed() { signed } else { unsigned }, call),
            Emit::Variable(variable) => self.filled_in(variable, ty),
            Emit::Component(variable, beyond) => self.component(variable, beyond, call),
            Emit::Relational(op) => self.relational(op, call),
            Emit::AnyAll(op) => self.any_all(op, call),
            Emit::Dot => self.dot(call),
            Emit::Upsample => self.upsample(call),
            Emit::Convert { rounding, saturate } => self.convert(rounding, saturate, call),
            Emit::Bits(op) => {
                self.need(Capability::BitInstructions, "SPV_KHR_bit_instructions");
                self.core_call(op, call)
            }
            Emit::IntegerDot { op, packed } => self.integer_dot(op, packed, call),
            Emit::VectorLoad(op) => self.vector_load(op, call),
            Emit::VectorStore => self.vector_store(call),
            Emit::HalfStore(plain, rounded, mode) => self.half_store(plain, rounded, mode, call),
            Emit::AsyncCopy => self.async_copy(call),
            Emit::WaitEvents => self.wait_events(call),
            Emit::AsyncCopyRect(dimensions) => self.async_copy_rect(dimensions, call),
            Emit::ToSpace => self.cast_to_space(call),
            Emit::GetFence => self.get_fence(call),
            Emit::Printf => self.printf(call),
            Emit::Pipe(op, group) => self.pipe(op, group, call),
            Emit::Barrier(group) => self.barrier(group, call),
            Emit::CopyFence => self.barrier(Group::Work, call),
            Emit::Fence(order) => self.fence(order, call),
            Emit::FenceExplicit => self.fence_explicit(call),
            Emit::SplitBarrier(op) => self.split_barrier(op, call),
            Emit::Clock { scope, .. } => self.clock(scope, call),
            Emit::Atomic(op) => self.atomic(op, call),
            Emit::AtomicSigned(signed, unsigned) => {
                self.atomic(if self.pointee_scalar(call).is_signed() { signed } else { unsigned }, call)
            }
            Emit::AtomicExchangeIf => self.atomic_exchange_if(call),
            Emit::C11(C11::CompareExchange) => self.compare_exchange(arguments),
            Emit::C11(kind) => self.c11(kind, arguments, ty),
            Emit::Group(group, op) => self.group_predicate(group, op, call),
            Emit::GroupArithmetic(group, operation, ops) => self.group_arithmetic(group, operation, ops, call),
            Emit::GroupBroadcast(group) => self.group_broadcast(group, call),
            Emit::NonUniform(op) => self.non_uniform(op, call),
            Emit::BallotCount(operation) => self.ballot_count(operation, call),
            Emit::NonUniformArithmetic(operation, ops) => self.non_uniform_arithmetic(operation, ops, call),
            Emit::NonUniformLogical(operation, op) => self.non_uniform_logical(operation, op, call),
            Emit::Intel(op) => self.intel(op, call),
            Emit::MatrixMad(depth, operands) => {
                let arguments = self.args(call);
                self.matrix_mad(depth, operands, &arguments, ty)
            }
            Emit::SplitMatrixMad(depth, operands) => self.split_matrix_mad(depth, operands, call),
            Emit::Block { buffer, image } => self.block_io(buffer, image, call),
            Emit::ReadImage => self.read_image(call),
            Emit::WriteImage => self.write_image(call),
            Emit::ImageQuery(what) => self.image_query(what, call),
            Emit::Device(op) => self.core_call(op, call),
            Emit::Enqueue(op) => self.enqueue(op, call),
            Emit::NdRange(dimensions) => self.nd_range(dimensions, call),
        }
    }

    /// A capability of an extension.
    pub fn need(&mut self, capability: Capability, extension: &'static str) {
        self.e.module.capability(capability);
        self.e.module.extension(extension);
    }

    pub fn args(&mut self, call: Call) -> Vec<Id> {
        let line = self.last_line();
        let args = call.arguments.iter().map(|&argument| self.expr(argument)).collect();
        // They may be of other lines.
        self.back_to(line);
        args
    }

    pub fn arg_type(&self, call: Call, index: usize) -> TypeId {
        call.arguments
            .get(index)
            .map_or(TypeId::ERROR, |&argument| self.body.expr(argument).ty)
    }

    /// The element of the first argument.
    pub fn first(&self, call: Call) -> Scalar {
        self.shape(self.arg_type(call, 0)).0
    }

    /// The element of what the first argument points to.
    pub fn pointee_scalar(&self, call: Call) -> Scalar {
        let pointee = self.e.program.types.pointee(self.arg_type(call, 0));
        pointee.map_or(Scalar::Int, |pointee| self.shape(pointee.id).0)
    }

    /// An integer that is known now.
    pub fn known(&self, expr: ExprId) -> Option<u64> {
        match self.body.expr(expr).kind {
            ExprKind::Const(Const::Int(value)) => Some(value),
            ExprKind::Const(Const::Zero) => Some(0),
            ExprKind::Cast(cast) if cast.kind == CastKind::Integer => {
                let value = self.known(cast.value)?;
                let (scalar, _) = self.shape(self.body.expr(expr).ty);
                Some(if scalar.size() == 4 { u64::from(value as u32) } else { value })
            }
            ExprKind::Arithmetic(op, left, right) => {
                let (left, right) = (self.known(left)?, self.known(right)?);
                match op {
                    ArithmeticOp::Or => Some(left | right),
                    ArithmeticOp::And => Some(left & right),
                    ArithmeticOp::Add => Some(left.wrapping_add(right)),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The scope of a group, as a constant.
    pub fn scope(&mut self, group: Group) -> Id {
        let scope = match group {
            Group::Device => Scope::Device,
            Group::Work => Scope::Workgroup,
            Group::Sub => Scope::Subgroup,
        };
        self.e.module.uint(scope as u32)
    }

    /// An `int` that stands for a truth value, as a `bool`.
    pub fn truth(&mut self, value: Id, ty: TypeId) -> Id {
        if ty == TypeId::BOOL {
            return value;
        }
        let of = self.e.ty(ty);
        let zero = self.e.module.null(of);
        let truth = self.e.module.bool();
        self.value(Op::INotEqual, truth, &[value, zero])
    }

    /// A `bool` as the `int` that a function gives.
    pub fn truth_result(&mut self, truth: Id, ty: TypeId) -> Id {
        match ty {
            TypeId::BOOL => truth,
            _ => self.truth_to_integer(truth, Scalar::Int, 1),
        }
    }
}
