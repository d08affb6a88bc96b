//! Conversions.

use super::function::Func;
use super::module::Id;
use super::types::storage;
use crate::builtins::row::Rounding;
use crate::hir::{Cast, CastKind};
use crate::types::{AddressSpace, Scalar, TypeId, TypeKind};
use rspirv::spirv::{Decoration, FPRoundingMode, Op};

impl Func<'_, '_> {
    pub fn cast(&mut self, cast: Cast, ty: TypeId) -> Id {
        let from = self.body.expr(cast.value).ty;
        if cast.kind == CastKind::Void {
            self.discard(cast.value);
            return 0;
        }
        if cast.kind == CastKind::IntToSampler
            && let crate::hir::ExprKind::Const(ref value) = self.body.expr(cast.value).kind
        {
            let bits = match *value {
                crate::hir::Const::Int(bits) => bits as u32,
                _ => 0,
            };
            return self.e.constant(ty, &crate::hir::Const::Sampler(bits));
        }
        let value = self.expr(cast.value);
        let (from_scalar, from_lanes) = self.shape(from);
        let (to_scalar, lanes) = self.shape(ty);
        let spirv = self.e.ty(ty);
        match cast.kind {
            CastKind::Integer => self.resize(value, from_scalar, to_scalar, lanes),
            CastKind::BoolToArithmetic if to_scalar.is_float() => {
                let one = self.e.number(to_scalar, &crate::hir::Const::Float(1.0));
                let zero = self.e.number(to_scalar, &crate::hir::Const::Float(0.0));
                self.value(Op::Select, spirv, &[value, one, zero])
            }
            CastKind::BoolToArithmetic => self.truth_to_integer(value, to_scalar, 1),
            CastKind::IntToFloat => self.int_to_float(value, from_scalar, to_scalar, lanes, None),
            CastKind::FloatToInt => self.float_to_int(value, to_scalar, lanes, None, false),
            CastKind::Float => self.float_to_float(value, from_scalar, to_scalar, lanes, None),
            CastKind::ToBool => {
                let zero_type = self.numeric(from_scalar, from_lanes);
                let zero = self.e.module.null(zero_type);
                let op = match from_scalar {
                    Scalar::Bool => return value,
                    scalar if scalar.is_float() => Op::FUnordNotEqual,
                    _ => Op::INotEqual,
                };
                self.value(op, spirv, &[value, zero])
            }
            CastKind::PointerToBool => {
                let from = self.e.ty(from);
                let null = self.e.module.null(from);
                self.value(Op::PtrNotEqual, spirv, &[value, null])
            }
            CastKind::Splat => {
                let parts = vec![value; lanes.into()];
                match lanes {
                    1 => value,
                    _ if matches!(self.body.expr(cast.value).kind, crate::hir::ExprKind::Const(_)) => {
                        self.e.module.constant(Op::ConstantComposite, spirv, &parts)
                    }
                    _ => self.value(Op::CompositeConstruct, spirv, &parts),
                }
            }
            CastKind::Bits => self.bits(value, from, ty),
            CastKind::Pointer => match self.e.ty(from) == spirv {
                true => value,
                false => self.value(Op::Bitcast, spirv, &[value]),
            },
            CastKind::AddressSpace => self.change_space(value, from, ty),
            CastKind::PointerToInt => {
                let long = self.e.module.int(64);
                let number = self.value(Op::ConvertPtrToU, long, &[value]);
                self.resize(number, Scalar::ULong, to_scalar, 1)
            }
            CastKind::IntToPointer => {
                let number = self.resize(value, from_scalar, Scalar::ULong, 1);
                self.value(Op::ConvertUToPtr, spirv, &[number])
            }
            CastKind::ZeroToOpaque => self.e.module.null(spirv),
            CastKind::IntToSampler => {
                let loc = self.body.expr(cast.value).loc;
                self.e.session.error(loc, "a sampler can only be made of a constant");
                value
            }
            CastKind::Void => 0,
        }
    }

    /// An integer as one of another width.
    pub fn resize(&mut self, value: Id, from: Scalar, to: Scalar, lanes: u8) -> Id {
        if from == Scalar::Bool {
            return self.truth_to_integer(value, to, lanes);
        }
        let ty = self.numeric(to, lanes);
        if to == Scalar::Bool {
            let from = self.numeric(from, lanes);
            let zero = self.e.module.null(from);
            return self.value(Op::INotEqual, ty, &[value, zero]);
        }
        match from.size() == to.size() {
            true => value,
            // Extension is as the operand's sign says; what is cut off has none.
            false => self.value(if from.is_signed() { Op::SConvert } else { Op::UConvert }, ty, &[value]),
        }
    }

    pub fn int_to_float(&mut self, value: Id, from: Scalar, to: Scalar, lanes: u8, rounding: Option<Rounding>) -> Id {
        let ty = self.numeric(to, lanes);
        let id = match from {
            Scalar::Bool => {
                let value = self.truth_to_integer(value, Scalar::Int, 1);
                self.value(Op::ConvertSToF, ty, &[value])
            }
            _ => self.value(if from.is_signed() { Op::ConvertSToF } else { Op::ConvertUToF }, ty, &[value]),
        };
        self.rounding(id, rounding);
        id
    }

    pub fn float_to_int(&mut self, value: Id, to: Scalar, lanes: u8, rounding: Option<Rounding>, saturate: bool) -> Id {
        let ty = self.numeric(to, lanes);
        let id = self.value(if to.is_signed() { Op::ConvertFToS } else { Op::ConvertFToU }, ty, &[value]);
        if saturate {
            self.decorate(id, Decoration::SaturatedConversion, None);
        }
        self.rounding(id, rounding);
        id
    }

    pub fn float_to_float(&mut self, value: Id, from: Scalar, to: Scalar, lanes: u8, rounding: Option<Rounding>) -> Id {
        if from == to {
            return value;
        }
        let ty = self.numeric(to, lanes);
        let id = self.value(Op::FConvert, ty, &[value]);
        self.rounding(id, rounding);
        id
    }

    fn rounding(&mut self, id: Id, rounding: Option<Rounding>) {
        let mode = match rounding {
            None => return,
            Some(Rounding::Rte) => FPRoundingMode::RTE,
            Some(Rounding::Rtz) => FPRoundingMode::RTZ,
            Some(Rounding::Rtp) => FPRoundingMode::RTP,
            Some(Rounding::Rtn) => FPRoundingMode::RTN,
        };
        self.decorate(id, Decoration::FPRoundingMode, Some(mode as u32));
    }

    /// The same bits as another type of the same size.
    pub fn bits(&mut self, value: Id, from: TypeId, to: TypeId) -> Id {
        let spirv = self.e.ty(to);
        if self.e.ty(from) == spirv {
            return value;
        }
        let types = &self.e.program.types;
        let is_pointer = |ty: TypeId| matches!(types.kind(ty), TypeKind::Pointer(_));
        if is_pointer(from) && !is_pointer(to) && self.e.program.types.element(to).is_some() {
            let long = self.e.module.int(64);
            let number = self.value(Op::ConvertPtrToU, long, &[value]);
            return match long == spirv {
                true => number,
                false => self.value(Op::Bitcast, spirv, &[number]),
            };
        }
        if is_pointer(to) && !is_pointer(from) {
            let (_, _) = self.shape(from);
            let long = self.e.module.int(64);
            let number = match self.e.ty(from) == long {
                true => value,
                false => self.value(Op::Bitcast, long, &[value]),
            };
            return self.value(Op::ConvertUToPtr, spirv, &[number]);
        }
        let (from_scalar, from_lanes) = self.shape(from);
        let (to_scalar, to_lanes) = self.shape(to);
        let is_numeric = self.e.program.types.element(from).is_some() && self.e.program.types.element(to).is_some();
        // A vector of three has the room of four.
        if is_numeric && from_lanes == 3 && u64::from(to_lanes) * to_scalar.size() != 3 * from_scalar.size() {
            let four = self.numeric(from_scalar, 4);
            let wide = self.value(Op::VectorShuffle, four, &[value, value, 0, 1, 2, u32::MAX]);
            return match four == spirv {
                true => wide,
                false => self.value(Op::Bitcast, spirv, &[wide]),
            };
        }
        if is_numeric && to_lanes == 3 && u64::from(from_lanes) * from_scalar.size() != 3 * to_scalar.size() {
            let four = self.numeric(to_scalar, 4);
            let wide = match self.e.ty(from) == four {
                true => value,
                false => self.value(Op::Bitcast, four, &[value]),
            };
            return self.value(Op::VectorShuffle, spirv, &[wide, wide, 0, 1, 2]);
        }
        if !(is_numeric || is_pointer(from) && is_pointer(to)) {
            // Structs and opaque objects: by way of memory.
            let align = self.e.program.types.align_of(from).unwrap_or(1);
            let place = self.temporary(from, align);
            self.store_memory(place, value, from, align, false);
            let place = self.as_pointer(place, to, AddressSpace::Private);
            return self.load_memory(place, to, align, false);
        }
        self.value(Op::Bitcast, spirv, &[value])
    }

    /// A pointer in another address space.
    pub fn change_space(&mut self, value: Id, from: TypeId, to: TypeId) -> Id {
        let types = &self.e.program.types;
        let (Some(source), Some(target)) = (types.pointee(from), types.pointee(to)) else {
            return value;
        };
        let spirv = self.e.ty(to);
        if source.space == target.space {
            return match self.e.ty(from) == spirv {
                true => value,
                false => self.value(Op::Bitcast, spirv, &[value]),
            };
        }
        // First the space, then what it points to.
        let pointee = self.e.pointee_type(source.id);
        let same = self.e.module.pointer(storage(target.space), pointee);
        let value = match (source.space, target.space) {
            (_, AddressSpace::Generic) => self.value(Op::PtrCastToGeneric, same, &[value]),
            (AddressSpace::Generic, _) => self.value(Op::GenericCastToPtr, same, &[value]),
            _ => {
                let long = self.e.module.int(64);
                let number = self.value(Op::ConvertPtrToU, long, &[value]);
                return self.value(Op::ConvertUToPtr, spirv, &[number]);
            }
        };
        match same == spirv {
            true => value,
            false => self.value(Op::Bitcast, spirv, &[value]),
        }
    }
}
