//! Dot products of bytes.

use super::encode::Size;
use super::ops;
use super::select::Selector;
use super::values::{Parts, Registers};
use crate::ir::{DotOp, Value};
use regalloc2::VReg;
use rustc_hash::FxHashMap;

/// What has been made of operands within the current block: in products of matrices each is in several dot products.
#[derive(Default)]
pub struct DotOperands {
    /// Bytes with their highest bit inverted: 128 more or less.
    shifted: FxHashMap<VReg, VReg>,
    /// What 128 more or less in the other operand adds: by the register, and whether its bytes are signed.
    surplus: FxHashMap<(VReg, bool), VReg>,
    /// The even bytes and the odd ones in 16 bits each: by the register, and whether they are signed.
    words: FxHashMap<(VReg, bool), [VReg; 2]>,
}

impl DotOperands {
    /// For another block.
    pub fn clear(&mut self) {
        self.shifted.clear();
        self.surplus.clear();
        self.words.clear();
    }
}

impl Selector<'_> {
    /// [`crate::ir::InstData::Dot`].
    pub fn dot(&mut self, op: DotOp, args: [Value; 3]) -> Parts {
        let operands = args.map(|arg| self.get(arg));
        if operands[0].ty.is_vector() {
            return self.dot_of_vectors(op, &operands);
        }
        let operands = operands.map(|scalar| self.widen_scalar(&scalar));
        let result = self.dot_of_vectors(op, &operands);
        self.first_lane(&result)
    }

    fn dot_of_vectors(&mut self, op: DotOp, [a, b, c]: &[Parts; 3]) -> Parts {
        let size = a.size();
        let regs: Registers = (0..a.regs.len())
            .map(|part| {
                let (a, b, c) = (a.regs[part], b.regs[part], c.regs[part]);
                match self.c.target.features.vnni {
                    true => self.dot_of_bytes(op, size, [a, b, c]),
                    false => self.dot_of_words(op, size, [a, b, c]),
                }
            })
            .collect();
        Parts::new(c.ty, 4, regs)
    }

    /// By the machine's operation, which multiplies unsigned bytes by signed ones.
    fn dot_of_bytes(&mut self, op: DotOp, size: Size, [a, b, c]: [VReg; 3]) -> VReg {
        let (unsigned, signed, surplus) = match op {
            DotOp::SUDot => return self.add_dot(size, c, b, a),
            DotOp::SDot => (self.shifted(size, a), b, self.surplus(size, b, true)),
            DotOp::UDot => (a, self.shifted(size, b), self.surplus(size, a, false)),
        };
        let sum = self.add_dot(size, c, unsigned, signed);
        self.c.v3(&ops::VPSUBD, size, sum, surplus)
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

    /// 128 times the sum of signed bytes, -128 times that of unsigned ones.
    fn surplus(&mut self, size: Size, bytes: VReg, signed: bool) -> VReg {
        if let Some(&known) = self.dot_operands.surplus.get(&(bytes, signed)) {
            return known;
        }
        let (zero, by) = (self.c.zero(), self.splat_bits(size, 4, 0x8080_8080));
        let surplus = match signed {
            true => self.add_dot(size, zero, by, bytes),
            false => self.add_dot(size, zero, bytes, by),
        };
        self.dot_operands.surplus.insert((bytes, signed), surplus);
        surplus
    }

    /// By sums of two products of words.
    fn dot_of_words(&mut self, op: DotOp, size: Size, [a, b, c]: [VReg; 3]) -> VReg {
        let [a_signed, b_signed] = op.signed();
        let (a, b) = (self.words(size, a, a_signed), self.words(size, b, b_signed));
        let [even, odd] = [0, 1].map(|half| self.c.v3(&ops::VPMADDWD, size, a[half], b[half]));
        let sum = self.c.v3(&ops::VPADDD, size, even, odd);
        self.c.v3(&ops::VPADDD, size, sum, c)
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
