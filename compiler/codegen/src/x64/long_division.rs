//! Quotients of vectors of 64-bit integers, where the machine makes doubles of these and back.
//!
//! A double has 53 bits, so that a quotient comes in two digits: `q = a * r` with `r` a little less than `1 / b`, and the same again of what
//! that leaves. With `u = 2^-53`, `r = (1 - 8 u) / b` is computed with three roundings, and a product with a number with two more: a digit is
//! never above the quotient, and not further below than `13 u` of it and 1. So the first leaves less than `b + 2^15`, and the second less than `2 b`.

use super::arithmetic::DEPTH;
use super::encode::{Imm, Size};
use super::machine::{More, R, RmOf, Src};
use super::ops;
use super::parts::{Parts, Registers};
use super::selector::Selector;
use ir::{BinaryOp, IntCc, UnaryOp, Value};
use regalloc2::VReg;

/// Numbers of so many bits have quotients of one digit: `13 u` of them is below 1.
const ONE_DIGIT: u32 = 49;

impl Selector<'_> {
    /// `UDiv`, `SDiv`, `URem`, `SRem` of vectors of 64-bit lanes. A divisor of zero counts as 1; a quotient that overflows wraps, as if it did.
    pub fn divide_quads(&mut self, op: BinaryOp, dividend: Value, divisor: Value) -> Parts {
        let is_quotient = matches!(op, BinaryOp::UDiv | BinaryOp::SDiv);
        let [bits, of_divisor] = [dividend, divisor].map(|value| self.significant_bits(value, DEPTH));
        let signed = matches!(op, BinaryOp::SDiv | BinaryOp::SRem) && bits.max(of_divisor) == u64::BITS;
        let [left, right] = [dividend, divisor].map(|value| self.get(value));
        let [mut a, mut b] = [left.clone(), right.clone()];
        if signed {
            [a, b] = [&left, &right].map(|parts| self.vector_unary(UnaryOp::Abs, parts));
        }
        let one = self.constant(b.ty, 1);
        let b = self.binary_parts(BinaryOp::UMax, &b, &one);
        let digits = if bits <= ONE_DIGIT { 1 } else { 2 };
        let size = a.size();
        let mut reciprocals: Vec<(VReg, VReg)> = Vec::new();
        let regs: Registers = (0..a.regs.len())
            .map(|part| {
                // (Lanes that are all the same are in one register.)
                let by = right.regs[part];
                let known = reciprocals.iter().find(|(of, _)| *of == by).map(|(_, reciprocal)| *reciprocal);
                let reciprocal = known.unwrap_or_else(|| self.reciprocal_below(size, b.regs[part]));
                reciprocals.push((by, reciprocal));
                self.digits(is_quotient, digits, size, [a.regs[part], b.regs[part], reciprocal])
            })
            .collect();
        let result = Parts::new(a.ty, 8, regs);
        match (signed, is_quotient) {
            (false, _) => result,
            (_, true) => {
                let signs = self.binary_parts(BinaryOp::Xor, &left, &right);
                self.with_signs(&result, &signs)
            }
            _ => self.with_signs(&result, &left),
        }
    }

    /// A little less than `1 / b`.
    fn reciprocal_below(&mut self, size: Size, b: VReg) -> VReg {
        let below = self.splat_bits(size, 8, (1.0 - 8.0 * 2f64.powi(-53)).to_bits());
        let b = self.c.v2(&ops::VCVTUQQ2PD, size, b);
        self.c.v3(&ops::VDIVPD, size, below, b)
    }

    fn digits(&mut self, is_quotient: bool, digits: u32, size: Size, [a, b, reciprocal]: [VReg; 3]) -> VReg {
        let (mut rest, mut quotient) = (a, None);
        for _ in 0..digits {
            let number = self.c.v2(&ops::VCVTUQQ2PD, size, rest);
            let number = self.c.v3(&ops::VMULPD, size, number, reciprocal);
            let digit = self.c.v2(&ops::VCVTTPD2UQQ, size, number);
            let multiple = self.c.v3(&ops::VPMULLQ, size, digit, b);
            rest = self.c.v3(&ops::VPSUBQ, size, rest, multiple);
            quotient = Some(match quotient {
                Some(first) => self.c.v3(&ops::VPADDQ, size, first, digit),
                None => digit,
            });
        }
        if !is_quotient {
            // What is below `b` wraps, and is the least then.
            let less = self.c.v3(&ops::VPSUBQ, size, rest, b);
            return self.c.v3(&ops::VPMINUQ, size, rest, less);
        }
        let quotient = quotient.expect("there is a digit");
        let (ones, dst) = (self.c.ones(), self.c.vec());
        let more = More {
            mask: Some(self.compare_part(&ops::VPCMPUQ, size, rest, Src::Reg(b), Imm::I8(5))),
            ..More::default()
        };
        self.c.machine_with(
            &ops::VPSUBQ,
            size,
            R::Tied(dst, quotient),
            R::Use(quotient),
            RmOf::Src(Src::Reg(ones)),
            Imm::No,
            more,
        );
        dst
    }

    /// Negated where the other is negative.
    fn with_signs(&mut self, parts: &Parts, signs: &Parts) -> Parts {
        let zero = self.constant(parts.ty, 0);
        let negative = self.compare_ints(IntCc::Slt, signs, &zero.sources());
        let negated = self.vector_unary(UnaryOp::Neg, parts);
        self.select_parts(&negative, &negated, parts)
    }
}
