//! Shifts and rotates of vectors. Cranelift shifts all lanes by one amount; amounts a lane are put together from such shifts.

use super::emit::Emitter;
use super::values::{Parts, Registers};
use cranelift_codegen::ir::{self as clif, InstBuilder, types};
use ir::{BinaryOp, Value};

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
        let scalar = self.scalar(self.func.splatted(amount)?);
        Some(self.as_i32(scalar))
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
            _ if a.bytes < 4 && self.target.vectors.swizzle => return self.shift_short_lanes(op, a, amounts),
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

    /// Lanes of 8 and 16 bits, by products with powers of two that are looked up.
    fn shift_short_lanes(&mut self, op: BinaryOp, a: &Parts, amounts: &Parts) -> Parts {
        let bits = a.bytes * 8;
        self.zip(a, amounts, |e, a, amounts| match op {
            BinaryOp::Shl => {
                let powers = e.short_powers(bits, amounts, false);
                e.ins().imul(a, powers)
            }
            BinaryOp::LShr => e.short_right_by_product(bits, a, amounts),
            _ => {
                // Negative numbers are shifted as their complements.
                let sign = e.shift_part(BinaryOp::AShr, a, bits - 1);
                let positive = e.ins().bxor(a, sign);
                let shifted = e.short_right_by_product(bits, positive, amounts);
                e.ins().bxor(shifted, sign)
            }
        })
    }

    /// `a * 2^(bits - 1 - amount)` in twice the width, without the lowest `bits - 1`.
    fn short_right_by_product(&mut self, bits: u32, a: clif::Value, amounts: clif::Value) -> clif::Value {
        let powers = self.short_powers(bits, amounts, true);
        let half = |e: &mut Self, high: bool| {
            let mut widen = |value| match high {
                true => e.ins().uwiden_high(value),
                false => e.ins().uwiden_low(value),
            };
            let (a, powers) = (widen(a), widen(powers));
            let product = e.ins().imul(a, powers);
            e.shift_part(BinaryOp::LShr, product, bits - 1)
        };
        let (low, high) = (half(self, false), half(self, true));
        let bytes = bits as usize / 8;
        let even = self.shuffle(low, high, |byte| (byte / bytes * 2 * bytes + byte % bytes) as u8);
        let ty = self.b.func.dfg.value_type(a);
        self.cast(ty, even)
    }

    /// `2^amount` in lanes of 8 or 16 bits, or `2^(bits - 1 - amount)`; amounts count modulo the width.
    fn short_powers(&mut self, bits: u32, amounts: clif::Value, complement: bool) -> clif::Value {
        let ty = self.b.func.dfg.value_type(amounts);
        let modulo = self.splat_bits(ty, u64::from(bits - 1));
        let exponents = match complement {
            true => self.ins().band_not(modulo, amounts),
            false => self.ins().band(amounts, modulo),
        };
        // A byte is 2^n for n below 8, and 0 for others. The upper byte of a lane of 16 bits is that for n - 8.
        let index = match bits {
            8 => exponents,
            _ => {
                let both = self.shuffle(exponents, exponents, |byte| (byte / 2 * 2 + byte % 2 * 16) as u8);
                let both = self.cast(ty, both);
                let upper = self.splat_bits(ty, 0x0800);
                self.ins().bxor(both, upper)
            }
        };
        let index = self.cast(types::I8X16, index);
        let table = self.vector_constant(types::I8X16, |byte| if byte < 8 { 1 << byte } else { 0 });
        let powers = self.ins().swizzle(table, index);
        self.cast(ty, powers)
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
