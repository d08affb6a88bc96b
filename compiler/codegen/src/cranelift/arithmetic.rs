//! Unary and binary operations: which have a vector form, and what becomes of the others.

use super::super::library;
use super::emit::Emitter;
use super::values::{Parts, int_part};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self as clif, InstBuilder, types};
use ir::{BinaryOp, DotOp, Elem, UnaryOp, Value};

impl Emitter<'_> {
    /// [`ir::InstData::Unary`].
    pub fn unary(&mut self, op: UnaryOp, arg: Value) -> Parts {
        let a = self.get(arg);
        if matches!(a.ty.elem, Elem::F16 | Elem::BF16) {
            return self.half_unary(op, &a);
        }
        if !a.ty.is_vector() {
            let value = self.scalar_unary(op, a.ty.elem, a.regs[0]);
            return Parts::scalar(a.ty, value);
        }
        self.vector_unary(op, &a)
    }

    /// [`ir::InstData::Binary`].
    pub fn binary(&mut self, op: BinaryOp, [a, b]: [Value; 2]) -> Parts {
        let ty = self.func.ty(a);
        if op.is_int_division() {
            return self.divide(op, a, b);
        }
        if matches!(
            op,
            BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr | BinaryOp::RotL | BinaryOp::RotR
        ) && ty.is_vector()
        {
            return self.vector_shift(op, a, b);
        }
        let left = self.get(a);
        let right = match ty.elem {
            Elem::Mask => self.get_mask(b, left.bytes),
            _ => self.get(b),
        };
        self.binary_parts(op, &left, &right)
    }

    /// A binary operation (no integer division) on what is held alike.
    pub fn binary_parts(&mut self, op: BinaryOp, a: &Parts, b: &Parts) -> Parts {
        if matches!(a.ty.elem, Elem::F16 | Elem::BF16) {
            return self.half_binary(op, a, b);
        }
        if !a.ty.is_vector() {
            let value = self.scalar_binary(op, a.ty.elem, a.regs[0], b.regs[0]);
            return Parts::scalar(a.ty, value);
        }
        if op.is_float() {
            return self.float_binary(op, a, b);
        }
        self.int_binary(op, a, b)
    }

    fn vector_unary(&mut self, op: UnaryOp, a: &Parts) -> Parts {
        use UnaryOp::*;
        match op {
            Neg => self.map(a, |e, a| e.ins().ineg(a)),
            Not => self.map(a, |e, a| e.ins().bnot(a)),
            Abs => self.map(a, |e, a| e.ins().iabs(a)),
            FNeg => self.map(a, |e, a| e.ins().fneg(a)),
            FAbs => self.map(a, |e, a| e.ins().fabs(a)),
            Sqrt => self.map(a, |e, a| e.ins().sqrt(a)),
            Ceil => self.map(a, |e, a| e.ins().ceil(a)),
            Floor => self.map(a, |e, a| e.ins().floor(a)),
            FTrunc => self.map(a, |e, a| e.ins().trunc(a)),
            Nearest => self.map(a, |e, a| e.ins().nearest(a)),
            Popcnt => self.vector_popcnt(a),
            BitReverse => {
                let swapped = self.swap_bytes(a);
                self.map(&swapped, Self::reverse_bits_of_bytes)
            }
            ByteSwap => self.swap_bytes(a),
            Clz | Ctz if a.bytes == 4 && self.target.vectors.cheap_unsigned => self.map(a, |e, part| e.count_zeros(op == Clz, part)),
            Clz | Ctz if a.bytes < 4 && self.target.vectors.cheap_unsigned => {
                let mut wide = a.clone();
                while wide.bytes < 4 {
                    wide = self.extend(false, &wide);
                }
                let counts = self.vector_unary(op, &wide);
                let bits = u64::from(a.bytes * 8);
                let counts = match op {
                    Clz => {
                        let before = self.constant(wide.ty, 32 - bits);
                        self.binary_parts(BinaryOp::Sub, &counts, &before)
                    }
                    _ => {
                        let most = self.constant(wide.ty, bits);
                        self.binary_parts(BinaryOp::UMin, &counts, &most)
                    }
                };
                self.truncate(&counts, a.ty)
            }
            Clz | Ctz => {
                let elem = a.ty.elem;
                self.each_lane(a.ty, &[a], |e, args| e.scalar_unary(op, elem, args[0]))
            }
        }
    }

    /// Bits are counted in bytes, then added up within each lane.
    fn vector_popcnt(&mut self, a: &Parts) -> Parts {
        let ty = a.clif_type();
        self.map(a, |e, part| {
            let bytes = e.cast(types::I8X16, part);
            let mut counts = e.ins().popcnt(bytes);
            let mut width = 8;
            while width < ty.lane_bits() {
                width *= 2;
                let wide = int_part(width / 8);
                let pairs = e.cast(wide, counts);
                let shift = e.ins().iconst(types::I32, i64::from(width / 2));
                let upper = e.ins().ushr(pairs, shift);
                let sum = e.ins().iadd(pairs, upper);
                let keep = e.splat_bits(wide, 0xff);
                counts = e.ins().band(sum, keep);
            }
            e.cast(ty, counts)
        })
    }

    /// Zeros above the highest bit of each lane of 32 bits, or below the lowest: that bit as a float has its place for an exponent.
    fn count_zeros(&mut self, above: bool, part: clif::Value) -> clif::Value {
        let i32s = types::I32X4;
        let bit = match above {
            // The bit below is off, too, so that the float is not rounded up to the next power of two.
            true => {
                let half = self.shift_part(BinaryOp::LShr, part, 1);
                self.ins().band_not(part, half)
            }
            false => {
                let negative = self.ins().ineg(part);
                self.ins().band(part, negative)
            }
        };
        let float = self.ins().fcvt_from_uint(types::F32X4, bit);
        let float = self.cast(i32s, float);
        let exponent = self.shift_part(BinaryOp::LShr, float, 23);
        let count = match above {
            true => {
                let most = self.splat_bits(i32s, 127 + 31);
                self.ins().isub(most, exponent)
            }
            false => {
                let bias = self.splat_bits(i32s, 127);
                self.ins().isub(exponent, bias)
            }
        };
        // Where there is no bit, the exponent is 0 and the count far too large.
        let all = self.splat_bits(i32s, 32);
        self.ins().umin(count, all)
    }

    fn swap_bytes(&mut self, a: &Parts) -> Parts {
        let ty = a.clif_type();
        let width = a.bytes as usize;
        if width == 1 {
            return a.clone();
        }
        self.map(a, |e, part| {
            let swapped = e.shuffle(part, part, |byte| (byte / width * width + (width - 1 - byte % width)) as u8);
            e.cast(ty, swapped)
        })
    }

    /// Swaps neighbouring bits, pairs and nibbles within each byte.
    fn reverse_bits_of_bytes(&mut self, part: clif::Value) -> clif::Value {
        let ty = self.b.func.dfg.value_type(part);
        let mut bits = self.cast(types::I16X8, part);
        for (shift, keep) in [(1, 0x5555), (2, 0x3333), (4, 0x0f0f)] {
            let amount = self.ins().iconst(types::I32, shift);
            let keep = self.splat_bits(types::I16X8, keep);
            let low = self.ins().band(bits, keep);
            let low = self.ins().ishl(low, amount);
            let high = self.ins().ushr(bits, amount);
            let high = self.ins().band(high, keep);
            bits = self.ins().bor(low, high);
        }
        self.cast(ty, bits)
    }

    fn int_binary(&mut self, op: BinaryOp, a: &Parts, b: &Parts) -> Parts {
        use BinaryOp::*;
        let elem = a.ty.elem;
        match (op, a.bytes) {
            (Add, _) => self.zip(a, b, |e, a, b| e.ins().iadd(a, b)),
            (Sub, _) => self.zip(a, b, |e, a, b| e.ins().isub(a, b)),
            (And, _) => self.zip(a, b, |e, a, b| e.ins().band(a, b)),
            (Or, _) => self.zip(a, b, |e, a, b| e.ins().bor(a, b)),
            (Xor, _) => self.zip(a, b, |e, a, b| e.ins().bxor(a, b)),
            (Mul, 1) if !self.target.vectors.byte_products => self.zip(a, b, Self::multiply_bytes),
            (Mul, _) => self.zip(a, b, |e, a, b| e.ins().imul(a, b)),
            (UMulHi | SMulHi, 1 | 2 | 4) => self.zip(a, b, |e, a, b| e.multiply_high(op == SMulHi, a, b)),
            (UMin | UMax | SMin | SMax, 8) => {
                let (cc, swap) = match op {
                    UMin => (IntCC::UnsignedLessThan, false),
                    UMax => (IntCC::UnsignedLessThan, true),
                    SMin => (IntCC::SignedLessThan, false),
                    _ => (IntCC::SignedLessThan, true),
                };
                self.zip(a, b, |e, a, b| {
                    let less = if swap { e.ins().icmp(cc, b, a) } else { e.ins().icmp(cc, a, b) };
                    e.blend(less, a, b)
                })
            }
            (UMin, _) => self.zip(a, b, |e, a, b| e.ins().umin(a, b)),
            (UMax, _) => self.zip(a, b, |e, a, b| e.ins().umax(a, b)),
            (SMin, _) => self.zip(a, b, |e, a, b| e.ins().smin(a, b)),
            (SMax, _) => self.zip(a, b, |e, a, b| e.ins().smax(a, b)),
            (UAddSat | SAddSat | USubSat | SSubSat, 4 | 8) if !self.target.vectors.long_saturation => {
                self.zip(a, b, |e, a, b| e.saturating(op, a, b))
            }
            (UAddSat, _) => self.zip(a, b, |e, a, b| e.ins().uadd_sat(a, b)),
            (SAddSat, _) => self.zip(a, b, |e, a, b| e.ins().sadd_sat(a, b)),
            (USubSat, _) => self.zip(a, b, |e, a, b| e.ins().usub_sat(a, b)),
            (SSubSat, _) => self.zip(a, b, |e, a, b| e.ins().ssub_sat(a, b)),
            _ => self.each_lane(a.ty, &[a, b], |e, args| e.scalar_binary(op, elem, args[0], args[1])),
        }
    }

    /// Products of bytes: of the even ones and of the odd ones, in lanes of 16 bits.
    fn multiply_bytes(&mut self, a: clif::Value, b: clif::Value) -> clif::Value {
        let (a, b) = (self.cast(types::I16X8, a), self.cast(types::I16X8, b));
        let eight = self.ins().iconst(types::I32, 8);
        let even = self.ins().imul(a, b);
        let low = self.splat_bits(types::I16X8, 0xff);
        let even = self.ins().band(even, low);
        let (a, b) = (self.ins().ushr(a, eight), self.ins().ushr(b, eight));
        let odd = self.ins().imul(a, b);
        let odd = self.ins().ishl(odd, eight);
        let both = self.ins().bor(even, odd);
        self.cast(types::I8X16, both)
    }

    /// The upper halves of products, by products of twice the width.
    fn multiply_high(&mut self, signed: bool, a: clif::Value, b: clif::Value) -> clif::Value {
        let ty = self.b.func.dfg.value_type(a);
        let bytes = (ty.lane_bits() / 8) as usize;
        let half = |e: &mut Self, high: bool| {
            let mut widen = |value| match (signed, high) {
                (true, false) => e.ins().swiden_low(value),
                (true, true) => e.ins().swiden_high(value),
                (false, false) => e.ins().uwiden_low(value),
                (false, true) => e.ins().uwiden_high(value),
            };
            let (a, b) = (widen(a), widen(b));
            e.ins().imul(a, b)
        };
        let (low, high) = (half(self, false), half(self, true));
        // The odd lanes of both, in the narrow width.
        let upper = self.shuffle(low, high, |byte| {
            let lane = byte / bytes;
            (lane * 2 * bytes + bytes + byte % bytes) as u8
        });
        self.cast(ty, upper)
    }

    /// Saturating addition and subtraction where there is no instruction for it.
    fn saturating(&mut self, op: BinaryOp, a: clif::Value, b: clif::Value) -> clif::Value {
        let ty = self.b.func.dfg.value_type(a);
        match op {
            BinaryOp::UAddSat => {
                let sum = self.ins().iadd(a, b);
                let wrapped = self.ins().icmp(IntCC::UnsignedLessThan, sum, a);
                self.ins().bor(sum, wrapped)
            }
            BinaryOp::USubSat => {
                let difference = self.ins().isub(a, b);
                let fits = self.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, a, b);
                self.ins().band(difference, fits)
            }
            _ => {
                let add = op == BinaryOp::SAddSat;
                let wrapped = if add { self.ins().iadd(a, b) } else { self.ins().isub(a, b) };
                // It overflows where the result's sign is not the one of `a`, though `b` pulls to that side.
                let changed = self.ins().bxor(a, wrapped);
                let other = self.ins().bxor(a, b);
                let other = if add { self.ins().bnot(other) } else { other };
                let overflow = self.ins().band(changed, other);
                let zero = self.splat_bits(ty, 0);
                let overflow = self.ins().icmp(IntCC::SignedLessThan, overflow, zero);
                let negative = self.ins().icmp(IntCC::SignedLessThan, a, zero);
                let largest = self.splat_bits(ty, u64::MAX >> (65 - ty.lane_bits()));
                let limit = self.ins().bxor(negative, largest);
                self.blend(overflow, limit, wrapped)
            }
        }
    }

    /// [`ir::InstData::Fma`].
    pub fn fma(&mut self, args: [Value; 3]) -> Parts {
        let [a, b, c] = args.map(|arg| self.get(arg));
        match a.ty.elem {
            Elem::F16 => self.half_fma(&a, &b, &c),
            Elem::F32 | Elem::F64 if self.target.fma => {
                let products = self.zip(&a, &b, |_, a, _| a);
                let regs: super::values::Registers = (0..products.regs.len())
                    .map(|part| self.ins().fma(a.regs[part], b.regs[part], c.regs[part]))
                    .collect();
                Parts::new(a.ty, a.bytes, regs)
            }
            elem => {
                let evaluation = library::fma(elem);
                let result = super::values::scalar_type(elem);
                self.each_lane(a.ty, &[&a, &b, &c], |e, args| e.evaluate(evaluation, args, result))
            }
        }
    }

    /// [`ir::InstData::Dot`].
    pub fn dot(&mut self, op: DotOp, args: [Value; 3]) -> Parts {
        let [a, b, mut sum] = args.map(|arg| self.get(arg));
        let [a_signed, b_signed] = op.signed();
        if a.ty.is_vector() && self.target.pairwise_sums {
            let regs: super::values::Registers = (0..sum.regs.len())
                .map(|part| self.dot_part((a.regs[part], a_signed), (b.regs[part], b_signed), sum.regs[part]))
                .collect();
            return Parts::new(sum.ty, sum.bytes, regs);
        }
        for at in 0..4 {
            let products = self.zip(&a, &b, |e, a, b| {
                let (a, b) = (e.byte_of_word(a, at, a_signed), e.byte_of_word(b, at, b_signed));
                e.ins().imul(a, b)
            });
            sum = self.zip(&sum, &products, |e, sum, product| e.ins().iadd(sum, product));
        }
        sum
    }

    /// Four dot products of four bytes each, added to `sum`: in the shape of which Cranelift makes `sdot` and `usdot`, where the machine has these.
    fn dot_part(&mut self, (a, a_signed): (clif::Value, bool), (b, b_signed): (clif::Value, bool), sum: clif::Value) -> clif::Value {
        // `usdot` has the unsigned factor first.
        let swapped = a_signed && !b_signed;
        let ((a, a_signed), (b, b_signed)) = if swapped {
            ((b, b_signed), (a, a_signed))
        } else {
            ((a, a_signed), (b, b_signed))
        };
        let (a, b) = (self.cast(types::I8X16, a), self.cast(types::I8X16, b));
        // Products of a signed byte and any other fit in 16 bits with a sign, those of two unsigned ones in 16 without.
        let product_signed = a_signed || b_signed;
        let sums = [false, true].map(|upper| {
            let (a, b) = (self.widen_half(a_signed, upper, a), self.widen_half(b_signed, upper, b));
            let products = self.ins().imul(a, b);
            let low = self.widen_half(product_signed, false, products);
            let high = self.widen_half(product_signed, true, products);
            self.ins().iadd_pairwise(low, high)
        });
        let all = self.ins().iadd_pairwise(sums[0], sums[1]);
        self.ins().iadd(all, sum)
    }

    /// The lower or upper lanes, each twice as wide.
    fn widen_half(&mut self, signed: bool, upper: bool, value: clif::Value) -> clif::Value {
        match (signed, upper) {
            (true, false) => self.ins().swiden_low(value),
            (true, true) => self.ins().swiden_high(value),
            (false, false) => self.ins().uwiden_low(value),
            (false, true) => self.ins().uwiden_high(value),
        }
    }

    /// One of the four bytes of each lane of 32 bits.
    fn byte_of_word(&mut self, word: clif::Value, at: i64, signed: bool) -> clif::Value {
        let up = self.ins().ishl_imm_s(word, 24 - 8 * at);
        match signed {
            true => self.ins().sshr_imm_s(up, 24),
            false => self.ins().ushr_imm_s(up, 24),
        }
    }
}
