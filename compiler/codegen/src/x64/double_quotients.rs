//! Quotients of vectors of 64-bit integers by doubles, where the machine has no conversions between the two.
//!
//! Integers below 2^52 are the fractions of doubles whose unit is 1. The quotient of two, rounded as doubles are and then cut, is exact: one that is no whole
//! number is further from the next than roundings go. Most numbers of programs are as small, whatever their type could hold, so all lanes are asked at once;
//! where one is larger, each lane is divided by itself.

use super::arithmetic::DEPTH;
use super::encode::Size;
use super::estimates::MINUS;
use super::forms::predicate;
use super::machine::Cc;
use super::ops;
use super::parts::{Parts, Registers};
use super::selector::Selector;
use ir::{BinaryOp, Elem, Type, Value};
use regalloc2::VReg;

/// How integers are held as doubles.
#[derive(Clone, Copy)]
struct Held {
    size: Size,
    /// The bits of a double whose unit is 1, which integers are added to.
    unit: u64,
    signed: bool,
}

impl Held {
    fn new(size: Size, signed: bool) -> Held {
        let unit = if signed { 1.5 } else { 1.0 } * 2f64.powi(52);
        Held {
            size,
            unit: unit.to_bits(),
            signed,
        }
    }

    /// Bits of the numbers that are held so, without the sign.
    fn bits(self) -> u32 {
        if self.signed { 51 } else { 52 }
    }
}

impl Selector<'_> {
    /// `UDiv`, `SDiv`, `URem`, `SRem` of vectors of 64-bit lanes; `each` does it lane by lane. A divisor of zero counts as 1.
    pub fn divide_by_doubles(&mut self, op: BinaryOp, [a, b]: [Value; 2], each: impl FnOnce(&mut Self, &Parts, &Parts) -> Parts) -> Parts {
        let [left, right] = [a, b].map(|value| self.get(value));
        let held = Held::new(left.size(), matches!(op, BinaryOp::SDiv | BinaryOp::SRem));
        let asked: Vec<&Parts> = [(a, &left), (b, &right)]
            .into_iter()
            .filter(|&(value, _)| self.significant_bits(value, DEPTH) > held.bits())
            .map(|(_, parts)| parts)
            .collect();
        if asked.is_empty() {
            return self.double_quotients(op, held, &left, &right);
        }
        let cc = self.test_small(held, &asked);
        let [fast, slow, done] = self.fork(cc);
        self.continue_in(fast);
        let quick = self.double_quotients(op, held, &left, &right);
        self.c.jump(done, &quick.regs);
        self.continue_in(slow);
        let slowly = each(self, &left, &right);
        self.c.jump(done, &slowly.regs);
        let result = self.map(&quick, |s, reg| s.c.param(done, reg.class()));
        self.continue_in(done);
        result
    }

    /// Sets the flags by whether all lanes of these are small; gives the condition that they are.
    fn test_small(&mut self, held: Held, all: &[&Parts]) -> Cc {
        let size = held.size;
        // From the least that is held so on.
        let least = held.signed.then(|| self.splat_bits(size, 8, 1 << held.bits()));
        let mut bits: Option<VReg> = None;
        for &reg in all.iter().flat_map(|parts| &parts.regs) {
            let reg = least.map_or(reg, |least| self.c.v3(&ops::VPADDQ, size, reg, least));
            bits = Some(bits.map_or(reg, |bits| self.c.v3(&ops::VPOR, size, bits, reg)));
        }
        let bits = bits.expect("a vector has registers");
        let upper = self.c.v_shift(&ops::VPSHIFTQ_I8, 2, size, bits, 52);
        let zero = self.c.zero();
        let small = self.equal_lanes(size, 8, upper, zero);
        self.test_all(&Parts::new(
            Type::vector(Elem::Mask, (size.bytes() / 8) as u16),
            8,
            Registers::from_slice(&[small]),
        ))
    }

    fn double_quotients(&mut self, op: BinaryOp, held: Held, a: &Parts, b: &Parts) -> Parts {
        let ty = Type::vector(Elem::F64, (held.size.bytes() / 8) as u16);
        let size = held.size;
        let unit = self.splat_bits(size, 8, held.unit);
        let one = self.splat_bits(size, 8, 1f64.to_bits());
        let is_quotient = matches!(op, BinaryOp::UDiv | BinaryOp::SDiv);
        self.zip(a, b, |s, a, b| {
            let [a, b] = [a, b].map(|integer| {
                let number = s.c.v3(&ops::VPADDQ, size, integer, unit);
                s.c.v3(&ops::VSUBPD, size, number, unit)
            });
            let divisor = match held.signed {
                true => {
                    let zero = s.c.zero();
                    let is_zero = s.compared_floats(ty, size, b, zero, predicate::EQ);
                    let instead = s.c.v3(&ops::VPAND, size, is_zero, one);
                    s.c.v3(&ops::VPOR, size, b, instead)
                }
                false => s.c.v3(&ops::VMAXPD, size, b, one),
            };
            let quotient = s.c.v3(&ops::VDIVPD, size, a, divisor);
            // (11: toward zero, without exceptions.)
            let quotient = s.c.v2i(&ops::VROUNDPD, size, quotient, 11);
            let number = if is_quotient {
                quotient
            } else {
                s.fused(ty, MINUS, quotient, divisor, a)
            };
            let number = s.c.v3(&ops::VADDPD, size, number, unit);
            s.c.v3(&ops::VPSUBQ, size, number, unit)
        })
    }
}
