//! Operations on one lane, in a general register or the low lane of a vector register.

use super::emit::Emitter;
use super::values::{Parts, scalar_type};
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{self as clif, InstBuilder, types};
use ir::{BinaryOp, Elem, FloatCc, IntCc, Type, UnaryOp};

/// Cranelift's name for an integer comparison.
pub fn int_cc(cc: IntCc) -> IntCC {
    match cc {
        IntCc::Eq => IntCC::Equal,
        IntCc::Ne => IntCC::NotEqual,
        IntCc::Slt => IntCC::SignedLessThan,
        IntCc::Sle => IntCC::SignedLessThanOrEqual,
        IntCc::Sgt => IntCC::SignedGreaterThan,
        IntCc::Sge => IntCC::SignedGreaterThanOrEqual,
        IntCc::Ult => IntCC::UnsignedLessThan,
        IntCc::Ule => IntCC::UnsignedLessThanOrEqual,
        IntCc::Ugt => IntCC::UnsignedGreaterThan,
        IntCc::Uge => IntCC::UnsignedGreaterThanOrEqual,
    }
}

/// Cranelift's name for a float comparison.
pub fn float_cc(cc: FloatCc) -> FloatCC {
    match cc {
        FloatCc::Oeq => FloatCC::Equal,
        FloatCc::One => FloatCC::OrderedNotEqual,
        FloatCc::Olt => FloatCC::LessThan,
        FloatCc::Ole => FloatCC::LessThanOrEqual,
        FloatCc::Ogt => FloatCC::GreaterThan,
        FloatCc::Oge => FloatCC::GreaterThanOrEqual,
        FloatCc::Ord => FloatCC::Ordered,
        FloatCc::Uno => FloatCC::Unordered,
        FloatCc::Ueq => FloatCC::UnorderedOrEqual,
        FloatCc::Une => FloatCC::NotEqual,
        FloatCc::Ult => FloatCC::UnorderedOrLessThan,
        FloatCc::Ule => FloatCC::UnorderedOrLessThanOrEqual,
        FloatCc::Ugt => FloatCC::UnorderedOrGreaterThan,
        FloatCc::Uge => FloatCC::UnorderedOrGreaterThanOrEqual,
    }
}

impl Emitter<'_> {
    /// A unary operation on a scalar. Floats are f32 or f64.
    pub fn scalar_unary(&mut self, op: UnaryOp, elem: Elem, a: clif::Value) -> clif::Value {
        use UnaryOp::*;
        match op {
            Not if elem == Elem::Mask => self.ins().bxor_imm_s(a, 1),
            Neg => self.ins().ineg(a),
            Not => self.ins().bnot(a),
            Abs => self.ins().iabs(a),
            Clz => self.ins().clz(a),
            Ctz => self.ins().ctz(a),
            Popcnt => self.ins().popcnt(a),
            BitReverse => self.ins().bitrev(a),
            ByteSwap if elem == Elem::I8 => a,
            ByteSwap => self.ins().bswap(a),
            FNeg => self.ins().fneg(a),
            FAbs => self.ins().fabs(a),
            Sqrt => self.ins().sqrt(a),
            Ceil => self.ins().ceil(a),
            Floor => self.ins().floor(a),
            FTrunc => self.ins().trunc(a),
            Nearest => self.ins().nearest(a),
        }
    }

    /// A binary operation on scalars. Floats are f32 or f64; integer divisors are known not to trap.
    pub fn scalar_binary(&mut self, op: BinaryOp, elem: Elem, a: clif::Value, b: clif::Value) -> clif::Value {
        use BinaryOp::*;
        let ty = scalar_type(elem);
        let bits = ty.bits();
        match op {
            Add => self.ins().iadd(a, b),
            Sub => self.ins().isub(a, b),
            Mul => self.ins().imul(a, b),
            UDiv => self.ins().udiv(a, b),
            SDiv => self.ins().sdiv(a, b),
            URem => self.ins().urem(a, b),
            SRem => self.ins().srem(a, b),
            And => self.ins().band(a, b),
            Or => self.ins().bor(a, b),
            Xor => self.ins().bxor(a, b),
            Shl => self.ins().ishl(a, b),
            LShr => self.ins().ushr(a, b),
            AShr => self.ins().sshr(a, b),
            RotL => self.ins().rotl(a, b),
            RotR => self.ins().rotr(a, b),
            UMulHi => self.ins().umulhi(a, b),
            SMulHi => self.ins().smulhi(a, b),
            UMin => self.ins().umin(a, b),
            UMax => self.ins().umax(a, b),
            SMin => self.ins().smin(a, b),
            SMax => self.ins().smax(a, b),
            UAddSat => {
                let (sum, overflow) = self.ins().uadd_overflow(a, b);
                let limit = self.scalar_bits(ty, elem.bit_mask());
                self.ins().select(overflow, limit, sum)
            }
            USubSat => {
                let (difference, overflow) = self.ins().usub_overflow(a, b);
                let limit = self.scalar_bits(ty, 0);
                self.ins().select(overflow, limit, difference)
            }
            SAddSat | SSubSat => {
                let (wrapped, overflow) = match op {
                    SAddSat => self.ins().sadd_overflow(a, b),
                    _ => self.ins().ssub_overflow(a, b),
                };
                // It overflows to the side on which `a` is.
                let sign = self.ins().sshr_imm_u(a, i64::from(bits - 1));
                let limit = self.scalar_bits(ty, elem.bit_mask() >> 1);
                let limit = self.ins().bxor(sign, limit);
                self.ins().select(overflow, limit, wrapped)
            }
            FAdd => self.ins().fadd(a, b),
            FSub => self.ins().fsub(a, b),
            FMul => self.ins().fmul(a, b),
            FDiv => self.ins().fdiv(a, b),
            FRem | Scale | Fraction | Exponent => {
                let routine = ir::Runtime::of_operation(op, elem).expect("the runtime has these");
                let address = routine.address() as u64;
                self.call_address(address, &[a, b], Some(ty)).expect("it returns a value")
            }
            // In this shape Cranelift makes minss and maxss of them.
            FMin => {
                let less = self.ins().fcmp(FloatCC::LessThan, a, b);
                self.ins().select(less, a, b)
            }
            FMax => {
                let greater = self.ins().fcmp(FloatCC::LessThan, b, a);
                self.ins().select(greater, a, b)
            }
            FMinNum | FMaxNum => {
                let op = if op == FMinNum { FMin } else { FMax };
                let chosen = self.scalar_binary(op, elem, a, b);
                let nan = self.ins().fcmp(FloatCC::Unordered, b, b);
                self.ins().select(nan, a, chosen)
            }
            CopySign => self.ins().fcopysign(a, b),
        }
    }

    /// Rounds a float to an integer.
    pub fn scalar_round(&mut self, rounding: ir::Rounding, value: clif::Value) -> clif::Value {
        use ir::Rounding;
        match rounding {
            Rounding::Zero => value,
            Rounding::Nearest => self.ins().nearest(value),
            Rounding::Up => self.ins().ceil(value),
            Rounding::Down => self.ins().floor(value),
        }
    }

    /// Does an operation lane by lane.
    pub fn each_lane(&mut self, ty: Type, args: &[&Parts], mut each: impl FnMut(&mut Self, &[clif::Value]) -> clif::Value) -> Parts {
        let mut lanes = Vec::with_capacity(usize::from(ty.lanes));
        let mut scalars = Vec::with_capacity(args.len());
        for lane in 0..u32::from(ty.lanes) {
            scalars.clear();
            for arg in args {
                scalars.push(self.lane(arg, lane));
            }
            lanes.push(each(self, &scalars));
        }
        self.join_lanes(ty, &lanes)
    }

    /// A scalar as the first lane of a vector of four (or as many as fill a register), for operations that are written for vectors.
    pub fn widen_scalar(&mut self, scalar: &Parts) -> Parts {
        let lanes = 16 / scalar.bytes.max(4);
        let ty = scalar.ty.with_lanes(lanes as u16);
        let part = super::values::part_type(ty.elem, scalar.bytes);
        let reg = self.first_of_part(part, scalar.regs[0]);
        Parts::new(ty, scalar.bytes, [reg])
    }

    /// The first lane.
    pub fn first_lane(&mut self, vector: &Parts) -> Parts {
        let value = self.lane(vector, 0);
        Parts::scalar(vector.ty.with_lanes(1), value)
    }

    /// A zero-extended or truncated index as an `i32`.
    pub fn as_i32(&mut self, value: clif::Value) -> clif::Value {
        match self.b.func.dfg.value_type(value) {
            types::I32 => value,
            types::I64 => self.ins().ireduce(types::I32, value),
            _ => self.ins().uextend(types::I32, value),
        }
    }
}
