//! The upper halves of products of lanes of 32 and 64 bits.

use super::encode::Size;
use super::ops;
use super::parts::{Parts, Registers};
use super::selector::Selector;
use ir::{BinaryOp, Elem, Value};
use regalloc2::VReg;

impl Selector<'_> {
    /// `UMulHi` or `SMulHi`. What is known of constants and of lanes that are all the same is not computed.
    pub fn upper_half_of_product(&mut self, op: BinaryOp, args: [Value; 2]) -> Parts {
        let [a, b] = args.map(|arg| self.get(arg));
        let [upper_a, upper_b] = [(args[0], &a), (args[1], &b)].map(|(arg, parts)| match self.func.constant(arg) {
            Some(bits) if parts.bytes == 8 => self.constant(parts.ty, bits >> 32).regs,
            None if parts.bytes == 8 => self.upper_words_of(parts),
            _ => self.odd_words(arg, parts),
        });
        let high = self.upper_half(op, (&a, &upper_a), (&b, &upper_b));
        if op == BinaryOp::UMulHi || a.ty.elem != Elem::I64 {
            return high;
        }
        // Of unsigned factors: less `b` where `a` is negative, and less `a` where `b` is.
        let less = |s: &mut Self, high: Parts, factor: Value, of: &Parts, other: &Parts| match s.func.signed_constant(factor) {
            Some(0..) => high,
            Some(_) => s.binary_parts(BinaryOp::Sub, &high, other),
            None => s.less_where_negative(&high, of, other),
        };
        let high = less(self, high, args[0], &a, &b);
        less(self, high, args[1], &b, &a)
    }

    /// The same of what nothing is known of.
    pub fn upper_half_of_any(&mut self, op: BinaryOp, a: &Parts, b: &Parts) -> Parts {
        let [upper_a, upper_b] = [a, b].map(|parts| self.upper_words_of(parts));
        let high = self.upper_half(op, (a, &upper_a), (b, &upper_b));
        if op == BinaryOp::UMulHi || a.bytes != 8 {
            return high;
        }
        let high = self.less_where_negative(&high, a, b);
        self.less_where_negative(&high, b, a)
    }

    fn upper_words_of(&mut self, parts: &Parts) -> Registers {
        let size = parts.size();
        parts.regs.iter().map(|&part| self.upper_words(size, part)).collect()
    }

    /// Of factors with their upper words; in 64 bits of factors without a sign.
    fn upper_half(&mut self, op: BinaryOp, (a, upper_a): (&Parts, &Registers), (b, upper_b): (&Parts, &Registers)) -> Parts {
        let (size, ty, bytes) = (a.size(), a.ty, a.bytes);
        let regs: Registers = (0..a.regs.len())
            .map(|part| {
                let (a, b) = ([a.regs[part], upper_a[part]], [b.regs[part], upper_b[part]]);
                match bytes {
                    8 => self.multiply_high_quads(size, a, b),
                    _ => self.multiply_high_words(op == BinaryOp::SMulHi, size, a, b),
                }
            })
            .collect();
        Parts::new(ty, bytes, regs)
    }

    fn multiply_high_words(&mut self, signed: bool, size: Size, a: [VReg; 2], b: [VReg; 2]) -> VReg {
        let op = if signed { &ops::VPMULDQ } else { &ops::VPMULUDQ };
        let words = [0, 1].map(|word| self.c.v3(op, size, a[word], b[word]));
        self.join_words(size, true, words)
    }

    /// The upper halves of unsigned products of 64 bits.
    fn multiply_high_quads(&mut self, size: Size, [a, upper_a]: [VReg; 2], [b, upper_b]: [VReg; 2]) -> VReg {
        let word = self.splat_bits(size, 8, 0xffff_ffff);
        let low = self.c.v3(&ops::VPMULUDQ, size, a, b);
        let cross = self.c.v3(&ops::VPMULUDQ, size, upper_a, b);
        let other = self.c.v3(&ops::VPMULUDQ, size, a, upper_b);
        let high = self.c.v3(&ops::VPMULUDQ, size, upper_a, upper_b);
        let carried = self.upper_words(size, low);
        let cross = self.c.v3(&ops::VPADDQ, size, cross, carried);
        let cross_low = self.c.v3(&ops::VPAND, size, cross, word);
        let middle = self.c.v3(&ops::VPADDQ, size, other, cross_low);
        let (cross, middle) = (self.upper_words(size, cross), self.upper_words(size, middle));
        let sum = self.c.v3(&ops::VPADDQ, size, high, cross);
        self.c.v3(&ops::VPADDQ, size, sum, middle)
    }

    /// Less the second where the first is negative.
    fn less_where_negative(&mut self, high: &Parts, sign: &Parts, other: &Parts) -> Parts {
        let (size, zero) = (high.size(), self.c.zero());
        let regs: Registers = (0..high.regs.len())
            .map(|part| {
                let negative = self.greater_lanes(size, 8, zero, sign.regs[part]);
                let less = self.c.v3(&ops::VPAND, size, negative, other.regs[part]);
                self.c.v3(&ops::VPSUBQ, size, high.regs[part], less)
            })
            .collect();
        Parts::new(high.ty, high.bytes, regs)
    }
}
