//! Dot products of bytes.

use super::encode::Size;
use super::ops;
use super::parts::{Parts, Registers};
use super::selector::Selector;
use ir::{DotOp, InstData, LaneOp, Value};
use regalloc2::VReg;

impl Selector<'_> {
    /// [`InstData::Dot`].
    pub fn dot(&mut self, op: DotOp, mut args: [Value; 3]) -> Parts {
        // More is made of the second operand: that had better be one that others share.
        if op != DotOp::SUDot && self.is_same_in_all_lanes(args[0]) && !self.is_same_in_all_lanes(args[1]) {
            args.swap(0, 1);
        }
        let operands = args.map(|arg| self.get(arg));
        let from_zero = self.func.constant(args[2]) == Some(0);
        if operands[0].ty.is_vector() {
            return self.dot_of_vectors(op, &operands, from_zero);
        }
        let operands = operands.map(|scalar| self.widen_scalar(&scalar));
        let result = self.dot_of_vectors(op, &operands, from_zero);
        self.first_lane(&result)
    }

    fn is_same_in_all_lanes(&self, value: Value) -> bool {
        matches!(self.func.def_data(value), Some(InstData::Lane { op: LaneOp::Splat, .. }))
    }

    fn dot_of_vectors(&mut self, op: DotOp, [a, b, c]: &[Parts; 3], from_zero: bool) -> Parts {
        let size = a.size();
        let regs: Registers = (0..a.regs.len())
            .map(|part| {
                let (a, b, c) = (a.regs[part], b.regs[part], c.regs[part]);
                let vnni = self.c.target.features.vnni;
                if vnni && op == DotOp::SUDot {
                    return self.add_dot(size, c, b, a);
                }
                let sum = match vnni {
                    true => self.dot_of_bytes(op, size, a, b),
                    false => self.dot_of_words(op, size, a, b),
                };
                // A sum over the iterations of a loop need not wait for the products.
                if from_zero { sum } else { self.c.v3(&ops::VPADDD, size, sum, c) }
            })
            .collect();
        Parts::new(c.ty, 4, regs)
    }

    /// By the machine's operation, which multiplies unsigned bytes by signed ones.
    fn dot_of_bytes(&mut self, op: DotOp, size: Size, a: VReg, b: VReg) -> VReg {
        let signed = op == DotOp::SDot;
        let (lacking, shifted) = (self.lacking(size, b, signed), self.shifted(size, a));
        match signed {
            true => self.add_dot(size, lacking, shifted, b),
            false => self.add_dot(size, lacking, b, shifted),
        }
    }

    fn add_dot(&mut self, size: Size, to: VReg, unsigned: VReg, signed: VReg) -> VReg {
        let op = if self.c.target.masks { &ops::VPDPBUSD } else { &ops::VPDPBUSD_VEX };
        self.c.v3_tied(op, size, to, unsigned, signed)
    }

    fn shifted(&mut self, size: Size, bytes: VReg) -> VReg {
        if let Some(&known) = self.dot_operands.shifted.get(&bytes) {
            return known;
        }
        let highest = self.spread_source(size, 4, 0x8080_8080);
        let shifted = self.c.v3(&ops::VPXOR, size, bytes, highest);
        self.dot_operands.shifted.insert(bytes, shifted);
        shifted
    }

    /// -128 times the sum of signed bytes, 128 times that of unsigned ones.
    fn lacking(&mut self, size: Size, bytes: VReg, signed: bool) -> VReg {
        if let Some(&known) = self.dot_operands.lacking.get(&(bytes, signed)) {
            return known;
        }
        let (zero, by) = (self.c.zero(), self.splat_bits(size, 4, 0x8080_8080));
        let opposite = match signed {
            true => self.add_dot(size, zero, by, bytes),
            false => self.add_dot(size, zero, bytes, by),
        };
        let lacking = self.c.v3(&ops::VPSUBD, size, zero, opposite);
        self.dot_operands.lacking.insert((bytes, signed), lacking);
        lacking
    }

    /// By sums of two products of words.
    fn dot_of_words(&mut self, op: DotOp, size: Size, a: VReg, b: VReg) -> VReg {
        let [a_signed, b_signed] = op.signed();
        let (a, b) = (self.words(size, a, a_signed), self.words(size, b, b_signed));
        let [even, odd] = [0, 1].map(|half| self.c.v3(&ops::VPMADDWD, size, a[half], b[half]));
        self.c.v3(&ops::VPADDD, size, even, odd)
    }

    fn words(&mut self, size: Size, bytes: VReg, signed: bool) -> [VReg; 2] {
        if let Some(&known) = self.dot_operands.words.get(&(bytes, signed)) {
            return known;
        }
        // Digits: srl /2, sra /4, sll /6.
        let words = match signed {
            true => {
                let up = self.c.v_shift(&ops::VPSHIFTW_I8, 6, size, bytes, 8);
                [up, bytes].map(|from| self.c.v_shift(&ops::VPSHIFTW_I8, 4, size, from, 8))
            }
            false => {
                let low = self.spread_source(size, 4, 0x00ff_00ff);
                let even = self.c.v3(&ops::VPAND, size, bytes, low);
                [even, self.c.v_shift(&ops::VPSHIFTW_I8, 2, size, bytes, 8)]
            }
        };
        self.dot_operands.words.insert((bytes, signed), words);
        words
    }
}
