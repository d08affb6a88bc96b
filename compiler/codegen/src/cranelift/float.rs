//! Float arithmetic on vectors of f32 and f64.

use super::emit::Emitter;
use super::values::{Parts, int_part};
use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::{self as clif, InstBuilder};
use ir::BinaryOp;

impl Emitter<'_> {
    /// A binary operation on vectors of f32 or f64.
    pub fn float_binary(&mut self, op: BinaryOp, a: &Parts, b: &Parts) -> Parts {
        use BinaryOp::*;
        match op {
            FAdd => self.zip(a, b, |e, a, b| e.ins().fadd(a, b)),
            FSub => self.zip(a, b, |e, a, b| e.ins().fsub(a, b)),
            FMul => self.zip(a, b, |e, a, b| e.ins().fmul(a, b)),
            FDiv => self.zip(a, b, |e, a, b| e.ins().fdiv(a, b)),
            FMin => self.zip(a, b, |e, a, b| e.float_choice(true, a, b)),
            FMax => self.zip(a, b, |e, a, b| e.float_choice(false, a, b)),
            FMinNum | FMaxNum => self.zip(a, b, |e, a, b| {
                let chosen = e.float_choice(op == FMinNum, a, b);
                let number = e.ins().fcmp(FloatCC::Equal, b, b);
                e.blend(number, chosen, a)
            }),
            CopySign => self.zip(a, b, Self::copy_sign),
            _ => {
                let elem = a.ty.elem;
                self.each_lane(a.ty, &[a, b], |e, args| e.scalar_binary(op, elem, args[0], args[1]))
            }
        }
    }

    /// `a < b ? a : b`, or `a > b ? a : b`, in the shape of which Cranelift makes minps and maxps.
    pub fn float_choice(&mut self, least: bool, a: clif::Value, b: clif::Value) -> clif::Value {
        let ty = self.b.func.dfg.value_type(a);
        let chosen = match least {
            true => self.ins().fcmp(FloatCC::LessThan, a, b),
            false => self.ins().fcmp(FloatCC::LessThan, b, a),
        };
        let chosen = self.cast(ty, chosen);
        self.ins().bitselect(chosen, a, b)
    }

    /// The magnitude of `a` with the sign of `b`; any float type's bits.
    pub fn copy_sign(&mut self, a: clif::Value, b: clif::Value) -> clif::Value {
        let ty = self.b.func.dfg.value_type(a);
        let ints = int_part(ty.lane_bits() / 8);
        let (a, b) = (self.cast(ints, a), self.cast(ints, b));
        let sign = self.splat_bits(ints, 1 << (ty.lane_bits() - 1));
        let magnitude = self.ins().band_not(a, sign);
        let sign = self.ins().band(b, sign);
        let both = self.ins().bor(magnitude, sign);
        self.cast(ty, both)
    }
}
