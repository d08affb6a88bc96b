//! f16 and bf16: their bits are in 16-bit integers; arithmetic is done in f32 and rounded back.

use super::super::library;
use super::emit::Emitter;
use super::values::{Parts, Registers, part_count};
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{self as clif, InstBuilder, types};
use ir::{BinaryOp, ConvertOp, Elem, Rounding, UnaryOp};

impl Emitter<'_> {
    /// A unary operation.
    pub fn half_unary(&mut self, op: UnaryOp, a: &Parts) -> Parts {
        match op {
            UnaryOp::FNeg | UnaryOp::FAbs => {
                let (sign, rest) = (0x8000, 0x7fff);
                let ty = a.clif_type();
                self.map(a, |e, part| {
                    let constant = |e: &mut Self, bits| {
                        if ty.is_vector() {
                            e.splat_bits(ty, bits)
                        } else {
                            e.scalar_bits(ty, bits)
                        }
                    };
                    match op {
                        UnaryOp::FNeg => {
                            let sign = constant(e, sign);
                            e.ins().bxor(part, sign)
                        }
                        _ => {
                            let rest = constant(e, rest);
                            e.ins().band(part, rest)
                        }
                    }
                })
            }
            _ => {
                let wide = self.half_to_f32(a);
                let result = self.map(&wide, |e, part| match op {
                    UnaryOp::Sqrt => e.ins().sqrt(part),
                    UnaryOp::Ceil => e.ins().ceil(part),
                    UnaryOp::Floor => e.ins().floor(part),
                    UnaryOp::FTrunc => e.ins().trunc(part),
                    _ => e.ins().nearest(part),
                });
                self.f32_to_half(a.ty.elem, &result, Rounding::Nearest)
            }
        }
    }

    /// A binary operation.
    pub fn half_binary(&mut self, op: BinaryOp, a: &Parts, b: &Parts) -> Parts {
        if op == BinaryOp::CopySign {
            let (vector_a, vector_b) = (self.as_vector(a), self.as_vector(b));
            let result = self.zip(&vector_a, &vector_b, Self::copy_sign);
            return if a.ty.is_vector() { result } else { self.first_lane(&result) };
        }
        let (wide_a, wide_b) = (self.half_to_f32(a), self.half_to_f32(b));
        let result = self.binary_parts(op, &wide_a, &wide_b);
        self.f32_to_half(a.ty.elem, &result, Rounding::Nearest)
    }

    fn as_vector(&mut self, a: &Parts) -> Parts {
        if a.ty.is_vector() { a.clone() } else { self.widen_scalar(a) }
    }

    /// To f32, exactly.
    pub fn half_to_f32(&mut self, a: &Parts) -> Parts {
        if !a.ty.is_vector() {
            let vector = self.widen_scalar(a);
            let wide = self.half_to_f32(&vector);
            return self.first_lane(&wide);
        }
        let ints = a.ty.with_elem(Elem::I16);
        let bits = Parts::new(ints, 2, a.regs.iter().copied());
        let bits = self.extend(false, &bits);
        let regs: Registers = bits
            .regs
            .iter()
            .map(|&part| match a.ty.elem {
                Elem::F16 => self.f16_part_to_f32(part),
                _ => {
                    let shifted = self.shift_part(BinaryOp::Shl, part, 16);
                    self.cast(types::F32X4, shifted)
                }
            })
            .collect();
        Parts::new(a.ty.with_elem(Elem::F32), 4, regs)
    }

    /// 16 bits in 32-bit lanes to f32. The exponent is set right by a multiplication, so that subnormal numbers come out normal.
    fn f16_part_to_f32(&mut self, bits: clif::Value) -> clif::Value {
        let i32s = types::I32X4;
        let magnitude_bits = self.splat_bits(i32s, 0x7fff);
        let magnitude = self.ins().band(bits, magnitude_bits);
        let sign = self.ins().bxor(bits, magnitude);
        let sign = self.shift_part(BinaryOp::Shl, sign, 16);
        let shifted = self.shift_part(BinaryOp::Shl, magnitude, 13);
        let shifted = self.cast(types::F32X4, shifted);
        let scale = self.splat_bits(types::F32X4, u64::from(2f32.powi(112).to_bits()));
        let scaled = self.ins().fmul(shifted, scale);
        let scaled = self.cast(i32s, scaled);
        // Infinities and NaNs have the largest exponent.
        let largest = self.splat_bits(i32s, 0x7bff);
        let special = self.ins().icmp(IntCC::SignedGreaterThan, magnitude, largest);
        let exponent = self.splat_bits(i32s, 0x7f80_0000);
        let special = self.ins().band(special, exponent);
        let result = self.ins().bor(scaled, special);
        let result = self.ins().bor(result, sign);
        self.cast(types::F32X4, result)
    }

    /// From f32.
    pub fn f32_to_half(&mut self, to: Elem, a: &Parts, rounding: Rounding) -> Parts {
        if !a.ty.is_vector() {
            let vector = self.widen_scalar(a);
            let narrow = self.f32_to_half(to, &vector, rounding);
            return self.first_lane(&narrow);
        }
        let words = a.ty.with_elem(Elem::I32);
        let regs: Registers = a.regs.iter().map(|&part| self.f32_part_to_half(to, part, rounding)).collect();
        let narrow = self.truncate(&Parts::new(words, 4, regs), a.ty.with_elem(Elem::I16));
        debug_assert_eq!(narrow.regs.len(), part_count(a.ty.lanes, 2));
        Parts::new(a.ty.with_elem(to), 2, narrow.regs)
    }

    /// f32 to 16 bits at the bottom of 32-bit lanes.
    fn f32_part_to_half(&mut self, to: Elem, value: clif::Value, rounding: Rounding) -> clif::Value {
        let nearest = match to {
            Elem::F16 => self.f32_part_to_f16(value),
            _ => self.f32_part_to_bf16(value),
        };
        if rounding == Rounding::Nearest {
            return nearest;
        }
        // Where the nearest lies on the wrong side, its neighbour is the one.
        let back = match to {
            Elem::F16 => self.f16_part_to_f32(nearest),
            _ => {
                let shifted = self.shift_part(BinaryOp::Shl, nearest, 16);
                self.cast(types::F32X4, shifted)
            }
        };
        self.correct(rounding, types::I32X4, 15, value, nearest, back)
    }

    /// Corrects `nearest`, bits of a float with its sign at bit `sign_bit`, which is `back` in the type of `value`, to another rounding.
    pub fn correct(
        &mut self,
        rounding: Rounding,
        ints: clif::Type,
        sign_bit: u32,
        value: clif::Value,
        nearest: clif::Value,
        back: clif::Value,
    ) -> clif::Value {
        let one = self.splat_bits(ints, 1);
        let sign = self.splat_bits(ints, 1 << sign_bit);
        let sign = self.ins().band(nearest, sign);
        let zero = self.splat_bits(ints, 0);
        let negative = self.ins().icmp(IntCC::NotEqual, sign, zero);
        // One unit up is +1 for positive and -1 for negative numbers.
        let minus_one = self.splat_bits(ints, u64::MAX);
        let up = self.blend(negative, minus_one, one);
        let down = self.blend(negative, one, minus_one);
        let (wrong, step) = match rounding {
            Rounding::Up => (self.ins().fcmp(FloatCC::LessThan, back, value), up),
            Rounding::Down => (self.ins().fcmp(FloatCC::GreaterThan, back, value), down),
            _ => {
                let (back, value) = (self.ins().fabs(back), self.ins().fabs(value));
                (self.ins().fcmp(FloatCC::GreaterThan, back, value), minus_one)
            }
        };
        let step = self.ins().band(step, wrong);
        self.ins().iadd(nearest, step)
    }

    /// To the nearest f16, ties to even: the number is added to a power of two so large that the sum's fraction ends where that of the
    /// f16 does (after Fabian Giesen and Marat Dukhan).
    fn f32_part_to_f16(&mut self, value: clif::Value) -> clif::Value {
        let (i32s, f32s) = (types::I32X4, types::F32X4);
        let bits = self.cast(i32s, value);
        let doubled = self.ins().iadd(bits, bits);
        let sign = self.splat_bits(i32s, 0x8000_0000);
        let sign = self.ins().band(bits, sign);
        // Overflow to infinity happens in the first product; the second brings back what has not overflown, times 4.
        let magnitude = self.ins().fabs(value);
        let to_infinity = self.splat_bits(f32s, u64::from(2f32.powi(112).to_bits()));
        let to_zero = self.splat_bits(f32s, u64::from(2f32.powi(-110).to_bits()));
        let base = self.ins().fmul(magnitude, to_infinity);
        let base = self.ins().fmul(base, to_zero);
        let exponent_bits = self.splat_bits(i32s, 0xff00_0000);
        let exponent = self.ins().band(doubled, exponent_bits);
        let least = self.splat_bits(i32s, 0x7100_0000);
        let exponent = self.ins().umax(exponent, least);
        let exponent = self.shift_part(BinaryOp::LShr, exponent, 1);
        let lift = self.splat_bits(i32s, 0x0780_0000);
        let bias = self.ins().iadd(exponent, lift);
        let bias = self.cast(f32s, bias);
        let sum = self.ins().fadd(bias, base);
        let sum = self.cast(i32s, sum);
        let exponent = self.shift_part(BinaryOp::LShr, sum, 13);
        let keep = self.splat_bits(i32s, 0x7c00);
        let exponent = self.ins().band(exponent, keep);
        let keep = self.splat_bits(i32s, 0x0fff);
        let fraction = self.ins().band(sum, keep);
        let number = self.ins().iadd(exponent, fraction);
        let is_nan = self.ins().icmp(IntCC::UnsignedGreaterThan, doubled, exponent_bits);
        let nan = self.splat_bits(i32s, 0x7e00);
        let number = self.blend(is_nan, nan, number);
        let sign = self.shift_part(BinaryOp::LShr, sign, 16);
        self.ins().bor(number, sign)
    }

    /// To the nearest bf16, ties to even.
    fn f32_part_to_bf16(&mut self, value: clif::Value) -> clif::Value {
        let i32s = types::I32X4;
        let bits = self.cast(i32s, value);
        let odd = self.shift_part(BinaryOp::LShr, bits, 16);
        let one = self.splat_bits(i32s, 1);
        let odd = self.ins().band(odd, one);
        let almost_half = self.splat_bits(i32s, 0x7fff);
        let rounded = self.ins().iadd(bits, almost_half);
        let rounded = self.ins().iadd(rounded, odd);
        let number = self.ins().fcmp(FloatCC::Equal, value, value);
        let quiet = self.splat_bits(i32s, 0x0040_0000);
        let quieted = self.ins().bor(bits, quiet);
        let result = self.blend(number, rounded, quieted);
        self.shift_part(BinaryOp::LShr, result, 16)
    }

    /// Shifts each lane of a part by a constant.
    pub fn shift_part(&mut self, op: BinaryOp, part: clif::Value, by: u32) -> clif::Value {
        let by = self.ins().iconst(types::I32, i64::from(by));
        match op {
            BinaryOp::Shl => self.ins().ishl(part, by),
            BinaryOp::LShr => self.ins().ushr(part, by),
            _ => self.ins().sshr(part, by),
        }
    }

    /// `a * b + c` of f16, rounded once: the product is exact in f32, and the sum's last bit is made to remember what was rounded off.
    pub fn half_fma(&mut self, a: &Parts, b: &Parts, c: &Parts) -> Parts {
        if !a.ty.is_vector() {
            let evaluation = library::fma(a.ty.elem);
            return self.each_lane(a.ty, &[a, b, c], |e, args| e.evaluate(evaluation, args, types::I16));
        }
        let [a, b, c] = [a, b, c].map(|half| self.half_to_f32(half));
        let product = self.zip(&a, &b, |e, a, b| e.ins().fmul(a, b));
        let sum = self.zip(&product, &c, |e, product, c| {
            let sum = e.ins().fadd(product, c);
            let from_c = e.ins().fsub(sum, product);
            let product_part = e.ins().fsub(sum, from_c);
            let lost = e.ins().fsub(product, product_part);
            let lost_of_c = e.ins().fsub(c, from_c);
            let error = e.ins().fadd(lost, lost_of_c);
            e.round_to_odd(sum, error)
        });
        self.f32_to_half(Elem::F16, &sum, Rounding::Nearest)
    }

    /// `sum` with its last bit set, toward the side of `error`, where there was an error.
    fn round_to_odd(&mut self, sum: clif::Value, error: clif::Value) -> clif::Value {
        let i32s = types::I32X4;
        let zero = self.splat_bits(types::F32X4, 0);
        let one = self.splat_bits(i32s, 1);
        let bits = self.cast(i32s, sum);
        // NaN errors, of infinite sums, count as none.
        let below = self.ins().fcmp(FloatCC::LessThan, error, zero);
        let above = self.ins().fcmp(FloatCC::LessThan, zero, error);
        let inexact = self.ins().bor(below, above);
        let last = self.ins().band(bits, one);
        let even = self.ins().icmp(IntCC::NotEqual, last, one);
        let change = self.ins().band(inexact, even);
        // Away from zero is +1, toward zero is -1.
        let error_bits = self.cast(i32s, error);
        let differ = self.ins().bxor(error_bits, bits);
        let differ = self.shift_part(BinaryOp::AShr, differ, 31);
        let step = self.ins().bor(differ, one);
        let step = self.ins().band(step, change);
        let result = self.ins().iadd(bits, step);
        self.cast(types::F32X4, result)
    }

    /// A conversion by calls.
    pub fn evaluate_convert(&mut self, op: ConvertOp, a: &Parts, to: Elem, rounding: Rounding) -> Parts {
        let evaluation = library::convert(op, a.ty.elem, to, rounding);
        let result = super::values::scalar_type(to);
        self.each_lane(a.ty.with_elem(to), &[a], |e, args| e.evaluate(evaluation, args, result))
    }
}
