//! What the compiler itself defines: `__builtin_…`.

use super::function::Func;
use super::module::Id;
use crate::hir::{Const, ExprId, ExprKind, Intrinsic};
use crate::types::{Scalar, TypeId};
use rspirv::spirv::{Capability, Op, OpenclStd100Op as StdOp};

impl Func<'_, '_> {
    pub fn intrinsic(&mut self, intrinsic: Intrinsic, arguments: &[ExprId], ty: TypeId) -> Id {
        if let Intrinsic::Atomic(atomic) = intrinsic {
            return self.gnu_atomic(atomic, arguments, ty);
        }
        let of = arguments.first().map_or(ty, |&argument| self.body.expr(argument).ty);
        let (scalar, lanes) = self.shape(of);
        let size = arguments.get(2).copied();
        let args: Vec<Id> = arguments.iter().map(|&argument| self.expr(argument)).collect();
        let spirv = self.e.ty(ty);
        let standard = match intrinsic {
            Intrinsic::PopCount => StdOp::popcount,
            Intrinsic::LeadingZeros => StdOp::clz,
            Intrinsic::TrailingZeros => StdOp::ctz,
            Intrinsic::RotateLeft => StdOp::rotate,
            Intrinsic::FloatAbs => StdOp::fabs,
            Intrinsic::CopySign => StdOp::copysign,
            Intrinsic::Sqrt => StdOp::sqrt,
            Intrinsic::Floor => StdOp::floor,
            Intrinsic::Ceil => StdOp::ceil,
            Intrinsic::Trunc => StdOp::trunc,
            Intrinsic::Rint => StdOp::rint,
            Intrinsic::Round => StdOp::round,
            Intrinsic::Fma => StdOp::fma,
            Intrinsic::FloatMin => StdOp::fmin,
            Intrinsic::FloatMax => StdOp::fmax,
            Intrinsic::Exp2 => StdOp::exp2,
            Intrinsic::Log2 => StdOp::log2,
            Intrinsic::Exp => StdOp::exp,
            Intrinsic::Log => StdOp::log,
            Intrinsic::Log10 => StdOp::log10,
            Intrinsic::Sin => StdOp::sin,
            Intrinsic::Cos => StdOp::cos,
            Intrinsic::Pow => StdOp::pow,
            Intrinsic::FloatMod => StdOp::fmod,
            Intrinsic::IntAbs => StdOp::s_abs,
            _ => {
                let types: Vec<Id> = arguments.iter().map(|&argument| self.type_of(argument)).collect();
                return self.special_intrinsic(intrinsic, (&args, &types), size, (scalar, lanes), spirv);
            }
        };
        let of = self.e.ty(of);
        let result = self.standard(standard, of, &args);
        // The count is of the operand's type.
        let (wanted, _) = self.shape(ty);
        match of == spirv {
            true => result,
            false => self.resize(result, scalar, wanted, lanes),
        }
    }

    fn special_intrinsic(
        &mut self,
        intrinsic: Intrinsic,
        (args, types): (&[Id], &[Id]),
        size: Option<ExprId>,
        shape: (Scalar, u8),
        ty: Id,
    ) -> Id {
        let (scalar, lanes) = shape;
        let bytes: Vec<(Id, Id)> = args.iter().copied().zip(types.iter().copied()).collect();
        match intrinsic {
            Intrinsic::ByteSwap => {
                let count = scalar.size() as u8;
                if count == 1 {
                    return args[0];
                }
                // A vector's lanes are its bytes; eight is the most.
                let bytes = self.numeric(Scalar::UChar, count);
                let value = self.value(Op::Bitcast, bytes, &[args[0]]);
                let mut operands = vec![value, value];
                operands.extend((0..u32::from(count)).rev());
                let swapped = self.value(Op::VectorShuffle, bytes, &operands);
                self.value(Op::Bitcast, ty, &[swapped])
            }
            Intrinsic::BitReverse => {
                self.e.module.capability(Capability::BitInstructions);
                self.e.module.extension("SPV_KHR_bit_instructions");
                self.value(Op::BitReverse, ty, args)
            }
            Intrinsic::RotateRight => {
                let by = self.value(Op::SNegate, ty, &[args[1]]);
                self.standard(StdOp::rotate, ty, &[args[0], by])
            }
            Intrinsic::Assume => {
                if self.e.session.options.has("cl_khr_expect_assume") {
                    self.e.module.capability(Capability::ExpectAssumeKHR);
                    self.e.module.extension("SPV_KHR_expect_assume");
                    self.effect(Op::AssumeTrueKHR, args);
                }
                0
            }
            Intrinsic::Unreachable | Intrinsic::Trap => {
                self.end(Op::Unreachable, &[], &[]);
                let next = self.id();
                self.begin(next);
                0
            }
            Intrinsic::Alloca => {
                self.e.module.capability(Capability::VariableLengthArrayINTEL);
                self.e.module.extension("SPV_INTEL_variable_length_array");
                self.value(Op::VariableLengthArrayINTEL, ty, args)
            }
            Intrinsic::MemoryCopy | Intrinsic::MemoryMove => {
                let constant = size.is_some_and(|size| matches!(self.body.expr(size).kind, ExprKind::Const(Const::Int(_))));
                if intrinsic == Intrinsic::MemoryCopy && constant {
                    self.e.module.capability(Capability::Addresses);
                    self.effect(Op::CopyMemorySized, &args[..3]);
                } else {
                    self.copy_bytes(&bytes, args[2], intrinsic == Intrinsic::MemoryMove);
                }
                0
            }
            Intrinsic::MemorySet => {
                let byte = self.e.module.int(8);
                let value = self.value(Op::UConvert, byte, &[args[1]]);
                self.each_byte(args[2], None, |func, at| {
                    let place = func.byte_pointer(bytes[0], at);
                    func.store_raw(place, value, 1, false);
                });
                0
            }
            Intrinsic::IsNan | Intrinsic::IsInf | Intrinsic::IsFinite | Intrinsic::IsNormal | Intrinsic::SignBit => {
                let op = match intrinsic {
                    Intrinsic::IsNan => Op::IsNan,
                    Intrinsic::IsInf => Op::IsInf,
                    Intrinsic::IsFinite => Op::IsFinite,
                    Intrinsic::IsNormal => Op::IsNormal,
                    _ => Op::SignBitSet,
                };
                let truth = self.e.bools(lanes);
                self.value(op, truth, args)
            }
            _ => args.first().copied().unwrap_or(0),
        }
    }

    /// Copies bytes one by one; from the end, if the objects may overlap and the target comes later.
    fn copy_bytes(&mut self, bytes: &[(Id, Id)], count: Id, overlaps: bool) {
        let byte = self.e.module.int(8);
        let (to, from) = (bytes[0], bytes[1]);
        let back = overlaps.then(|| {
            let long = self.e.module.int(64);
            let truth = self.e.module.bool();
            let target = self.value(Op::ConvertPtrToU, long, &[to.0]);
            let source = self.value(Op::ConvertPtrToU, long, &[from.0]);
            self.value(Op::UGreaterThan, truth, &[target, source])
        });
        self.each_byte(count, back, |func, at| {
            let source = func.byte_pointer(from, at);
            let value = func.load_raw(source, byte, 1, false);
            let target = func.byte_pointer(to, at);
            func.store_raw(target, value, 1, false);
        });
    }

    /// A pointer to a byte, from one to bytes in any space.
    fn byte_pointer(&mut self, (base, ty): (Id, Id), at: Id) -> Id {
        self.value(Op::InBoundsPtrAccessChain, ty, &[base, at])
    }

    /// A loop over the numbers below `count`; from the highest, if `back` says so.
    fn each_byte(&mut self, count: Id, back: Option<Id>, mut each: impl FnMut(&mut Self, Id)) {
        let (long, truth) = (self.e.module.int(64), self.e.module.bool());
        let (head, inside, after) = (self.id(), self.id(), self.id());
        let (zero, one) = (self.e.module.ulong(0), self.e.module.ulong(1));
        let before = self.here();
        self.continue_in(head);
        let next = self.id();
        let index = self.value(Op::Phi, long, &[zero, before, next, inside]);
        let more = self.value(Op::ULessThan, truth, &[index, count]);
        self.branch_if(more, inside, after);
        self.begin(inside);
        let at = match back {
            None => index,
            Some(back) => {
                let last = self.value(Op::ISub, long, &[count, one]);
                let mirrored = self.value(Op::ISub, long, &[last, index]);
                self.value(Op::Select, long, &[back, mirrored, index])
            }
        };
        each(self, at);
        self.define_as(next, Op::IAdd, long, &[index, one]);
        self.branch(head);
        self.begin(after);
    }
}
