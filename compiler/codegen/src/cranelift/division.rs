//! Integer division. Nothing traps: a divisor of zero, or one with which the quotient overflows, counts as 1. (Constants are multiplied
//! with: [`transform::reciprocals`].)
//!
//! Vectors of up to 32 bits a lane are divided as floats: the quotient of two n-bit integers, rounded to more than 2n bits and then
//! truncated, is exact.

use super::emit::Emitter;
use super::values::{Parts, Registers, scalar_type};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self as clif, InstBuilder, types};
use ir::{BinaryOp, Elem, Value};

impl Emitter<'_> {
    /// `UDiv`, `SDiv`, `URem`, `SRem`.
    pub fn divide(&mut self, op: BinaryOp, a: Value, b: Value) -> Parts {
        let (left, right) = (self.get(a), self.get(b));
        let elem = left.ty.elem;
        let signed = matches!(op, BinaryOp::SDiv | BinaryOp::SRem);
        if !left.ty.is_vector() || left.bytes == 8 {
            return self.each_lane(left.ty, &[&left, &right], |e, args| {
                let divisor = e.safe_divisor(signed, elem, args[0], args[1]);
                e.scalar_binary(op, elem, args[0], divisor)
            });
        }
        let divisor = self.safe_divisors(signed, &left, &right);
        let quotient = self.vector_quotient(signed, &left, &divisor);
        match op {
            BinaryOp::UDiv | BinaryOp::SDiv => quotient,
            _ => {
                let product = self.binary_parts(BinaryOp::Mul, &quotient, &divisor);
                self.binary_parts(BinaryOp::Sub, &left, &product)
            }
        }
    }

    fn safe_divisor(&mut self, signed: bool, elem: Elem, a: clif::Value, b: clif::Value) -> clif::Value {
        let ty = scalar_type(elem);
        let mut bad = self.ins().icmp_imm_s(IntCC::Equal, b, 0);
        if signed {
            let least = self.scalar_bits(ty, elem.bit_mask() ^ (elem.bit_mask() >> 1));
            let at_least = self.ins().icmp(IntCC::Equal, a, least);
            let minus_one = self.ins().icmp_imm_s(IntCC::Equal, b, -1);
            let overflows = self.ins().band(at_least, minus_one);
            bad = self.ins().bor(bad, overflows);
        }
        let one = self.scalar_bits(ty, 1);
        self.ins().select(bad, one, b)
    }

    fn safe_divisors(&mut self, signed: bool, a: &Parts, b: &Parts) -> Parts {
        let ty = a.clif_type();
        let least = 1u64 << (ty.lane_bits() - 1);
        self.zip(b, a, |e, b, a| {
            let zero = e.splat_bits(ty, 0);
            let mut bad = e.ins().icmp(IntCC::Equal, b, zero);
            if signed {
                let least = e.splat_bits(ty, least);
                let at_least = e.ins().icmp(IntCC::Equal, a, least);
                let ones = e.splat_bits(ty, u64::MAX);
                let minus_one = e.ins().icmp(IntCC::Equal, b, ones);
                let overflows = e.ins().band(at_least, minus_one);
                bad = e.ins().bor(bad, overflows);
            }
            let one = e.splat_bits(ty, 1);
            e.blend(bad, one, b)
        })
    }

    fn vector_quotient(&mut self, signed: bool, a: &Parts, b: &Parts) -> Parts {
        if a.bytes < 4 {
            // 8 and 16 bits: widened to 32, where f32 is precise enough, and back.
            let (wide_a, wide_b) = (self.extend(signed, a), self.extend(signed, b));
            let quotient = match wide_a.bytes {
                4 => self.zip(&wide_a, &wide_b, |e, a, b| {
                    // 16-bit integers are positive as 32-bit ones, so the signed conversions do for both.
                    let (a, b) = (e.ins().fcvt_from_sint(types::F32X4, a), e.ins().fcvt_from_sint(types::F32X4, b));
                    let quotient = e.ins().fdiv(a, b);
                    e.truncate_to_int(quotient)
                }),
                _ => self.vector_quotient(signed, &wide_a, &wide_b),
            };
            return self.truncate(&quotient, a.ty);
        }
        self.zip(a, b, |e, a, b| {
            let low = e.quotient_of_doubles(signed, a, b);
            let (a, b) = (e.upper_half(a), e.upper_half(b));
            let high = e.quotient_of_doubles(signed, a, b);
            e.even_words(low, high)
        })
    }

    /// The upper two 32-bit lanes moved down.
    pub fn upper_half(&mut self, part: clif::Value) -> clif::Value {
        let ty = self.b.func.dfg.value_type(part);
        let moved = self.shuffle(part, part, |byte| (8 + byte % 8) as u8);
        self.cast(ty, moved)
    }

    /// Quotients of the lower two 32-bit lanes, in the low halves of 64-bit lanes.
    fn quotient_of_doubles(&mut self, signed: bool, a: clif::Value, b: clif::Value) -> clif::Value {
        let (a, b) = (self.low_to_double(signed, a), self.low_to_double(signed, b));
        let quotient = self.ins().fdiv(a, b);
        let quotient = self.ins().trunc(quotient);
        // Added to a number with the fraction's end at 1, the integer's bits stand at the end of the fraction, negative ones too.
        let magic = self.splat_bits(types::F64X2, (1.5 * 2f64.powi(52)).to_bits());
        let bits = self.ins().fadd(quotient, magic);
        self.cast(types::I64X2, bits)
    }

    /// The lower two 32-bit integers as doubles.
    pub fn low_to_double(&mut self, signed: bool, part: clif::Value) -> clif::Value {
        if signed {
            let wide = self.ins().swiden_low(part);
            self.ins().fcvt_from_sint(types::F64X2, wide)
        } else {
            let wide = self.ins().uwiden_low(part);
            self.ins().fcvt_from_uint(types::F64X2, wide)
        }
    }

    /// Floats in range to 32-bit integers, toward zero.
    pub fn truncate_to_int(&mut self, part: clif::Value) -> clif::Value {
        if self.target.x64 {
            self.ins().x86_cvtt2dq(types::I32X4, part)
        } else {
            self.ins().fcvt_to_sint_sat(types::I32X4, part)
        }
    }

    /// Integers to twice the width.
    pub fn extend(&mut self, signed: bool, a: &Parts) -> Parts {
        let bytes = a.bytes * 2;
        let elem = Elem::int(bytes * 8).expect("integers up to 32 bits are extended");
        let ty = a.ty.with_elem(elem);
        let regs: Registers = (0..super::values::part_count(ty.lanes, bytes))
            .map(|part| {
                let source = a.regs[part / 2];
                match (signed, part % 2) {
                    (true, 0) => self.ins().swiden_low(source),
                    (true, _) => self.ins().swiden_high(source),
                    (false, 0) => self.ins().uwiden_low(source),
                    (false, _) => self.ins().uwiden_high(source),
                }
            })
            .collect();
        Parts::new(ty, bytes, regs)
    }

    /// The low bits of integers, down to the width of `to`.
    pub fn truncate(&mut self, a: &Parts, to: ir::Type) -> Parts {
        let mut current = a.clone();
        while current.bytes > to.elem.bytes() {
            let bytes = (current.bytes / 2) as usize;
            let ty = to.with_elem(Elem::int(bytes as u32 * 8).expect("a width above 8 was halved"));
            let part_type = super::values::int_part(bytes as u32);
            let regs: Registers = (0..super::values::part_count(ty.lanes, bytes as u32))
                .map(|part| {
                    let low = current.regs[2 * part];
                    let high = current.regs.get(2 * part + 1).copied().unwrap_or(low);
                    let even = self.shuffle(low, high, |byte| {
                        let lane = byte / bytes;
                        (lane * 2 * bytes + byte % bytes) as u8
                    });
                    self.cast(part_type, even)
                })
                .collect();
            current = Parts::new(ty, bytes as u32, regs);
        }
        current
    }
}
