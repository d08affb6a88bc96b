//! Shifts and rotates of vectors. Cranelift shifts all lanes by one amount; amounts a lane are put together from such shifts.

use super::emit::Emitter;
use super::values::{Parts, Registers};
use cranelift_codegen::ir::{self as clif, InstBuilder, types};
use ir::{BinaryOp, InstData, LaneOp, Value};

impl Emitter<'_> {
    /// A shift or rotate of a vector.
    pub fn vector_shift(&mut self, op: BinaryOp, a: Value, amount: Value) -> Parts {
        let left = self.get(a);
        if let Some(amount) = self.uniform_amount(amount, left.ty.elem.bits()) {
            return self.shift_by(op, &left, amount);
        }
        let elem = left.ty.elem;
        let amounts = self.get(amount);
        match (op, left.bytes) {
            (_, 8) => self.each_lane(left.ty, &[&left, &amounts], |e, args| e.scalar_binary(op, elem, args[0], args[1])),
            (BinaryOp::RotL | BinaryOp::RotR, _) => {
                let zero = self.constant(left.ty, 0);
                let back = self.zip(&zero, &amounts, |e, zero, amount| e.ins().isub(zero, amount));
                let (to_left, to_right) = match op {
                    BinaryOp::RotL => (amounts, back),
                    _ => (back, amounts),
                };
                let upper = self.shift_lanes(BinaryOp::Shl, &left, &to_left);
                let lower = self.shift_lanes(BinaryOp::LShr, &left, &to_right);
                self.zip(&upper, &lower, |e, upper, lower| e.ins().bor(upper, lower))
            }
            _ => self.shift_lanes(op, &left, &amounts),
        }
    }

    /// The amount as an `i32`, if it is the same for all lanes.
    fn uniform_amount(&mut self, amount: Value, bits: u32) -> Option<clif::Value> {
        if let Some(constant) = self.func.constant(amount) {
            let constant = constant & u64::from(bits - 1);
            return Some(self.ins().iconst(types::I32, constant as i64));
        }
        match self.func.def_data(amount)? {
            InstData::Lane {
                op: LaneOp::Splat, args, ..
            } => {
                let scalar = self.scalar(args[0]);
                Some(self.as_i32(scalar))
            }
            _ => None,
        }
    }

    /// All lanes by one amount.
    fn shift_by(&mut self, op: BinaryOp, a: &Parts, amount: clif::Value) -> Parts {
        match op {
            BinaryOp::Shl => self.map(a, |e, a| e.ins().ishl(a, amount)),
            BinaryOp::LShr => self.map(a, |e, a| e.ins().ushr(a, amount)),
            BinaryOp::AShr => self.map(a, |e, a| e.ins().sshr(a, amount)),
            _ => {
                let zero = self.ins().iconst(types::I32, 0);
                let back = self.ins().isub(zero, amount);
                let (left, right) = if op == BinaryOp::RotL { (amount, back) } else { (back, amount) };
                self.map(a, |e, a| {
                    // Amounts are taken modulo the width, so a rotation by 0 is `a | a`.
                    let upper = e.ins().ishl(a, left);
                    let lower = e.ins().ushr(a, right);
                    e.ins().bor(upper, lower)
                })
            }
        }
    }

    /// Each lane of 8, 16 or 32 bits by its own amount.
    fn shift_lanes(&mut self, op: BinaryOp, a: &Parts, amounts: &Parts) -> Parts {
        let unsigned = self.target.vectors.cheap_unsigned;
        match op {
            BinaryOp::Shl if a.bytes == 4 && (self.target.x64 || unsigned) => {
                return self.zip(a, amounts, Self::shift_left_by_product);
            }
            BinaryOp::LShr if a.bytes == 4 && unsigned => return self.zip(a, amounts, Self::shift_right_by_product),
            BinaryOp::AShr if a.bytes == 4 && unsigned => {
                return self.zip(a, amounts, |e, a, amounts| {
                    // Negative numbers are shifted as their complements.
                    let sign = e.shift_part(BinaryOp::AShr, a, 31);
                    let positive = e.ins().bxor(a, sign);
                    let shifted = e.shift_right_by_product(positive, amounts);
                    e.ins().bxor(shifted, sign)
                });
            }
            _ => {}
        }
        let bits = a.bytes * 8;
        let regs: Registers = (0..a.regs.len())
            .map(|part| self.shift_in_steps(op, bits, a.regs[part], amounts.regs[part]))
            .collect();
        Parts::new(a.ty, a.bytes, regs)
    }

    /// `a * 2^amount`.
    fn shift_left_by_product(&mut self, a: clif::Value, amounts: clif::Value) -> clif::Value {
        let modulo = self.splat_bits(types::I32X4, 31);
        let amounts = self.ins().band(amounts, modulo);
        let powers = self.powers_of_two(amounts);
        self.ins().imul(a, powers)
    }

    /// `a * 2^(31 - amount)` in 64 bits, without the lowest 31.
    fn shift_right_by_product(&mut self, a: clif::Value, amounts: clif::Value) -> clif::Value {
        let modulo = self.splat_bits(types::I32X4, 31);
        // 31 - amount, modulo 32.
        let amounts = self.ins().band_not(modulo, amounts);
        let powers = self.powers_of_two(amounts);
        let half = |e: &mut Self, high: bool| {
            let mut widen = |value| match high {
                true => e.ins().uwiden_high(value),
                false => e.ins().uwiden_low(value),
            };
            let (a, powers) = (widen(a), widen(powers));
            let product = e.ins().imul(a, powers);
            e.shift_part(BinaryOp::LShr, product, 31)
        };
        let (low, high) = (half(self, false), half(self, true));
        self.even_words(low, high)
    }

    /// `2^amount` for amounts below 32: put into a float's exponent, and the float converted.
    fn powers_of_two(&mut self, amounts: clif::Value) -> clif::Value {
        let to_exponent = self.ins().iconst(types::I32, 23);
        let exponents = self.ins().ishl(amounts, to_exponent);
        let one = self.splat_bits(types::I32X4, u64::from(1f32.to_bits()));
        let powers = self.ins().iadd(exponents, one);
        let powers = self.cast(types::F32X4, powers);
        match self.target.x64 {
            // 2^31 is out of range and gives the one bit pattern that is right.
            true => self.ins().x86_cvtt2dq(types::I32X4, powers),
            false => self.ins().fcvt_to_uint_sat(types::I32X4, powers),
        }
    }

    /// By half the width where the amount's highest bit is on, by a quarter where the next one is, and so on.
    fn shift_in_steps(&mut self, op: BinaryOp, bits: u32, mut a: clif::Value, amounts: clif::Value) -> clif::Value {
        let ty = self.b.func.dfg.value_type(a);
        let steps = bits.ilog2();
        for step in (0..steps).rev() {
            let by = self.ins().iconst(types::I32, 1 << step);
            let shifted = match op {
                BinaryOp::Shl => self.ins().ishl(a, by),
                BinaryOp::LShr => self.ins().ushr(a, by),
                _ => self.ins().sshr(a, by),
            };
            let bit = self.splat_bits(ty, 1 << step);
            let bit_on = self.ins().band(amounts, bit);
            let bit_on = self.ins().icmp(clif::condcodes::IntCC::Equal, bit_on, bit);
            a = self.blend(bit_on, shifted, a);
        }
        a
    }
}
