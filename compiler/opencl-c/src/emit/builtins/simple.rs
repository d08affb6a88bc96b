//! Functions of their arguments' values alone.

use super::Call;
use crate::builtins::row::Rounding;
use crate::emit::function::Func;
use crate::emit::module::Id;
use crate::types::{Scalar, TypeId};
use rspirv::spirv::{BuiltIn, Capability, Decoration, Op, OpenclStd100Op as StdOp, StorageClass};

impl Func<'_, '_> {
    /// The arguments, of which scalars beside vectors are repeated.
    fn repeated(&mut self, call: Call) -> Vec<Id> {
        let lanes = self.e.program.types.lanes(call.ty);
        let mut args = self.args(call);
        for (index, arg) in args.iter_mut().enumerate() {
            let ty = self.arg_type(call, index);
            if lanes > 1
                && let Some(scalar) = self.e.program.types.as_scalar(ty)
            {
                let vector = self.numeric(scalar, lanes);
                *arg = self.value(Op::CompositeConstruct, vector, &vec![*arg; lanes.into()]);
            }
        }
        args
    }

    pub fn std_call(&mut self, op: StdOp, call: Call) -> Id {
        let args = self.repeated(call);
        let ty = self.e.ty(call.ty);
        self.standard(op, ty, &args)
    }

    pub fn core_call(&mut self, op: Op, call: Call) -> Id {
        let args = self.args(call);
        let ty = self.e.ty(call.ty);
        match op {
            Op::ConstantNull => self.e.module.null(ty),
            _ if call.ty == TypeId::VOID => {
                self.effect(op, &args);
                0
            }
            _ => self.value(op, ty, &args),
        }
    }

    /// A variable that SPIR-V fills in.
    pub fn input(&mut self, built_in: BuiltIn, ty: Id) -> Id {
        let variable = match self.e.variables.get(&(built_in as u32)) {
            Some(&variable) => variable,
            None => {
                let pointer = self.e.module.pointer(StorageClass::Input, ty);
                let variable = self.e.module.constant_new(Op::Variable, pointer, &[StorageClass::Input as u32]);
                self.e.module.name(variable, &format!("__spirv_BuiltIn{built_in:?}"));
                self.e.module.decorate(variable, Decoration::BuiltIn, &[built_in as u32]);
                self.e.module.decorate(variable, Decoration::Constant, &[]);
                self.e.variables.insert(built_in as u32, variable);
                variable
            }
        };
        self.reached.variables.insert(variable);
        self.value(Op::Load, ty, &[variable])
    }

    pub fn filled_in(&mut self, built_in: BuiltIn, ty: TypeId) -> Id {
        use BuiltIn::*;
        if matches!(
            built_in,
            SubgroupEqMask | SubgroupGeMask | SubgroupGtMask | SubgroupLeMask | SubgroupLtMask
        ) {
            self.e.module.capability(Capability::GroupNonUniformBallot);
        }
        let ty = self.e.ty(ty);
        self.input(built_in, ty)
    }

    /// A component of a variable that SPIR-V fills in, for `get_global_id` and its kin.
    pub fn component(&mut self, built_in: BuiltIn, beyond: u64, call: Call) -> Id {
        let long = self.e.module.int(64);
        let vector = self.e.module.vector(long, 3);
        let dimension = call.arguments[0];
        if let Some(dimension) = self.known(dimension) {
            return match dimension {
                0..3 => {
                    let loaded = self.input(built_in, vector);
                    self.value(Op::CompositeExtract, long, &[loaded, dimension as u32])
                }
                _ => self.e.module.ulong(beyond),
            };
        }
        let dimension = self.expr(dimension);
        let loaded = self.input(built_in, vector);
        let (three, truth, zero) = (self.e.module.uint(3), self.e.module.bool(), self.e.module.uint(0));
        let word = self.e.module.int(32);
        let inside = self.value(Op::ULessThan, truth, &[dimension, three]);
        let index = self.value(Op::Select, word, &[inside, dimension, zero]);
        let component = self.value(Op::VectorExtractDynamic, long, &[loaded, index]);
        let beyond = self.e.module.ulong(beyond);
        self.value(Op::Select, long, &[inside, component, beyond])
    }

    pub fn relational(&mut self, op: Op, call: Call) -> Id {
        let args = self.args(call);
        let lanes = self.e.program.types.lanes(call.ty);
        let bools = self.e.bools(lanes);
        // SPIR-V 1.5 has done away with OpLessOrGreater.
        let op = if op == Op::LessOrGreater { Op::FOrdNotEqual } else { op };
        let truth = self.value(op, bools, &args);
        let (scalar, _) = self.shape(call.ty);
        self.truth_to_integer(truth, scalar, lanes)
    }

    /// `any` and `all` look at the highest bit.
    pub fn any_all(&mut self, op: Op, call: Call) -> Id {
        let value = self.args(call)[0];
        let (scalar, lanes) = self.shape(self.arg_type(call, 0));
        let of = self.numeric(scalar, lanes);
        let zero = self.e.module.null(of);
        let bools = self.e.bools(lanes);
        let mut truth = self.value(Op::SLessThan, bools, &[value, zero]);
        if lanes > 1 {
            let one = self.e.module.bool();
            truth = self.value(op, one, &[truth]);
        }
        self.truth_result(truth, call.ty)
    }

    pub fn dot(&mut self, call: Call) -> Id {
        let args = self.args(call);
        let (_, lanes) = self.shape(self.arg_type(call, 0));
        let ty = self.e.ty(call.ty);
        let id = self.value(if lanes == 1 { Op::FMul } else { Op::Dot }, ty, &args);
        self.fast_math(id, None);
        id
    }

    pub fn upsample(&mut self, call: Call) -> Id {
        let op = match self.first(call).is_signed() {
            true => StdOp::s_upsample,
            false => StdOp::u_upsample,
        };
        self.std_call(op, call)
    }

    /// `convert_T`
    pub fn convert(&mut self, rounding: Option<Rounding>, saturate: bool, call: Call) -> Id {
        let value = self.args(call)[0];
        let (from, _) = self.shape(self.arg_type(call, 0));
        let (to, lanes) = self.shape(call.ty);
        match (from.is_float(), to.is_float()) {
            (true, true) => self.float_to_float(value, from, to, lanes, rounding),
            (true, false) => self.float_to_int(value, to, lanes, rounding, saturate),
            (false, true) => self.int_to_float(value, from, to, lanes, rounding),
            (false, false) if saturate && from != Scalar::Bool => self.saturate(value, from, to, lanes),
            (false, false) => self.resize(value, from, to, lanes),
        }
    }

    /// An integer as one of another type, within its bounds.
    fn saturate(&mut self, value: Id, from: Scalar, to: Scalar, lanes: u8) -> Id {
        let ty = self.numeric(to, lanes);
        match (from.is_signed(), to.is_signed()) {
            (true, false) => self.value(Op::SatConvertSToU, ty, &[value]),
            // Every value is one of the other's.
            (false, true) if from.size() < to.size() => self.resize(value, from, to, lanes),
            (false, true) => self.value(Op::SatConvertUToS, ty, &[value]),
            _ if from.size() <= to.size() => self.resize(value, from, to, lanes),
            (signed, _) => {
                let (min, max) = match signed {
                    true => (StdOp::s_max, StdOp::s_min),
                    false => (StdOp::u_max, StdOp::u_min),
                };
                // Clamped in the wider type, then cut off.
                let of = self.numeric(from, lanes);
                let element = self.numeric(from, 1);
                let bits = to.bits();
                let (low, high) = match signed {
                    true => ((-1i64) << (bits - 1), (1i64 << (bits - 1)) - 1),
                    false => (0, (1i64 << bits) - 1),
                };
                let [low, high] = [low, high].map(|bound| {
                    let bound = self.e.module.integer(from.bits(), bound as u64);
                    self.e.module.splat(bound, element, lanes)
                });
                let mut value = value;
                if signed {
                    value = self.standard(min, of, &[value, low]);
                }
                let value = self.standard(max, of, &[value, high]);
                self.resize(value, from, to, lanes)
            }
        }
    }

    pub fn integer_dot(&mut self, op: Op, packed: bool, call: Call) -> Id {
        self.need(Capability::DotProduct, "SPV_KHR_integer_dot_product");
        self.e.module.capability(match packed {
            true => Capability::DotProductInput4x8BitPacked,
            false => Capability::DotProductInput4x8Bit,
        });
        let mut args = self.args(call);
        // The signed vector comes first.
        let mixed = matches!(op, Op::SUDotKHR | Op::SUDotAccSatKHR);
        let swapped = match packed {
            true => call.id.row().is_some_and(|row| row.name.contains("_us_")),
            false => !self.first(call).is_signed(),
        };
        if mixed && swapped {
            args.swap(0, 1);
        }
        if packed {
            // PackedVectorFormat4x8Bit
            args.push(0);
        }
        let ty = self.e.ty(call.ty);
        self.value(op, ty, &args)
    }
}
