//! Integer division. Nothing traps: a divisor of zero, or one with which the quotient overflows, counts as 1. (Constants are multiplied
//! with: [`transform::reciprocals`].)
//!
//! Vectors of up to 32 bits a lane are divided as floats: the quotient of two n-bit integers, rounded to more than 2n bits and then
//! truncated, is exact; those of 64 bits in two steps, where the machine converts them ([`super::long_division`]),
//! and where it does not, if they are small ([`super::double_quotients`]). Units that divide are busy for long: AVX-512 estimates reciprocals, and some products make such quotients of them.

use super::arithmetic::DEPTH;
use super::build::Alu;
use super::encode::Size;
use super::forms::int_size;
use super::fused_signs::FUSED;
use super::machine::Cc;
use super::ops;
use super::parts::{Parts, Registers};
use super::selector::Selector;
use ir::{BinaryOp, ConvertOp, Elem, InstData, Value};
use regalloc2::VReg;

impl Selector<'_> {
    /// `UDiv`, `SDiv`, `URem`, `SRem`.
    pub fn divide(&mut self, op: BinaryOp, a: Value, b: Value) -> Parts {
        let ty = self.func.ty(a);
        if ty.is_vector() && ty.elem == Elem::I64 && self.c.target.masks {
            return self.divide_quads(op, a, b);
        }
        let left = self.get(a);
        let elem = left.ty.elem;
        let signed = matches!(op, BinaryOp::SDiv | BinaryOp::SRem);
        let right = self.get(b);
        let lane_by_lane = |s: &mut Self, left: &Parts, right: &Parts| {
            s.each_lane(left.ty, &[left, right], |s, args| {
                let divisor = s.safe_divisor(signed, elem, args[0], args[1]);
                let (quotient, remainder) = s.scalar_divide(signed, elem, args[0], divisor);
                if matches!(op, BinaryOp::UDiv | BinaryOp::SDiv) {
                    quotient
                } else {
                    remainder
                }
            })
        };
        if !left.ty.is_vector() {
            return lane_by_lane(self, &left, &right);
        }
        if left.bytes == 8 {
            return self.divide_by_doubles(op, [a, b], lane_by_lane);
        }
        // As a number without sign, only zero is less than 1. Quotients that overflow are converted to the least integer, as they ought to be, or cut to it.
        let one = self.constant(right.ty, 1);
        let divisor = self.binary_parts(BinaryOp::UMax, &right, &one);
        let are_short = [a, b].iter().all(|&value| left.bytes == 4 && self.fits_shorts(signed, value));
        let quotient = self.vector_quotient(signed, are_short, &left, &divisor);
        match op {
            BinaryOp::UDiv | BinaryOp::SDiv => quotient,
            _ => {
                let product = self.binary_parts(BinaryOp::Mul, &quotient, &divisor);
                self.binary_parts(BinaryOp::Sub, &left, &product)
            }
        }
    }

    fn safe_divisor(&mut self, signed: bool, elem: Elem, a: VReg, b: VReg) -> VReg {
        let size = int_size(elem);
        let b = if signed {
            self.sign_extended(elem, b)
        } else {
            self.zero_extended(elem, b)
        };
        let one = self.c.constant(1);
        self.c.test(size, b, b);
        let mut divisor = self.c.cmov(Cc::E, size, one, b);
        // Shorter quotients that overflow do not in 32 bits.
        if signed && elem.bytes() >= 4 {
            // b == -1 and a == the least number: (a ^ least) | ~b is 0.
            let least = self.c.constant(elem.bit_mask() ^ (elem.bit_mask() >> 1));
            let at_least = self.c.alu(Alu::Xor, size, a, least);
            let minus_one = self.c.group3(2, size, b);
            self.c.alu(Alu::Or, size, at_least, minus_one);
            divisor = self.c.cmov(Cc::E, size, one, divisor);
        }
        divisor
    }

    /// The integer is below 2^16, or not below -2^15 if it has a sign, as far as one sees from what it is made by.
    fn fits_shorts(&self, signed: bool, value: Value) -> bool {
        let fits = |value| {
            let is_extended = |data: &InstData| matches!(*data, InstData::Convert { op: ConvertOp::ZExt, arg, .. } if self.func.ty(arg) == self.func.ty(value).with_elem(Elem::I16));
            self.func.def_data(value).is_some_and(is_extended) || self.fits(value, false, DEPTH)
        };
        match self.func.def_data(value) {
            Some(InstData::Binary {
                op: BinaryOp::And | BinaryOp::Or | BinaryOp::Xor,
                args,
            }) if args.iter().all(|&arg| fits(arg)) => true,
            _ => fits(value) || signed && self.fits(value, true, DEPTH),
        }
    }

    /// Quotients of integers as floats or doubles, which are those of the integers once they are cut. Reciprocals are estimated to 14 bits: with
    /// `e = 1 - b * r`, a quotient is `a * r * (1 + e + e * e + ...)`, of which the terms that are left out are below 2^-28 (floats) and 2^-42 of it. A
    /// little more than 1, by more than this, has none fall short of a whole number; and by less than 2^-n, which no quotient of n bits is below one.
    fn divide_floats(&mut self, double: bool, size: Size, a: VReg, b: VReg) -> VReg {
        if !self.c.target.masks {
            return self.c.v3(if double { &ops::VDIVPD } else { &ops::VDIVPS }, size, a, b);
        }
        let [[_, _, sum], [_, _, difference]] = [&FUSED[0], &FUSED[2]];
        let form = usize::from(double);
        let (one, estimate, product) = match double {
            true => (
                self.splat_bits(size, 8, (1.0 + 2f64.powi(-36)).to_bits()),
                &ops::VRCP14PD,
                &ops::VMULPD,
            ),
            false => (
                self.splat_bits(size, 4, (1.0 + 2f32.powi(-19)).to_bits().into()),
                &ops::VRCP14PS,
                &ops::VMULPS,
            ),
        };
        let reciprocal = self.c.v2(estimate, size, b);
        let error = self.c.v3_tied(&difference[form], size, one, b, reciprocal);
        let error = match double {
            true => self.c.v3_tied(&sum[form], size, error, error, error),
            false => error,
        };
        let quotient = self.c.v3(product, size, a, reciprocal);
        self.c.v3_tied(&sum[form], size, quotient, quotient, error)
    }

    fn vector_quotient(&mut self, signed: bool, are_short: bool, a: &Parts, b: &Parts) -> Parts {
        if a.bytes < 4 || are_short {
            // 8 and 16 bits: widened to 32, where f32 is precise enough, and back. They are positive there if they are unsigned.
            let (wide_a, wide_b) = (self.extend_to(signed, a, 4), self.extend_to(signed, b, 4));
            let size = wide_a.size();
            let quotient = self.zip(&wide_a, &wide_b, |s, a, b| {
                let (a, b) = (s.c.v2(&ops::VCVTDQ2PS, size, a), s.c.v2(&ops::VCVTDQ2PS, size, b));
                let quotient = s.divide_floats(false, size, a, b);
                s.c.v2(&ops::VCVTTPS2DQ, size, quotient)
            });
            return if a.bytes < 4 { self.truncate(&quotient, a.ty) } else { quotient };
        }
        let size = self.part_size(a.ty.lanes, 8);
        let half = size.half();
        let (pieces_a, pieces_b) = (self.pieces_of(half, a), self.pieces_of(half, b));
        let quotients: Registers = pieces_a
            .iter()
            .zip(&pieces_b)
            .map(|(&a, &b)| {
                let (a, b) = (self.words_to_doubles(signed, size, a), self.words_to_doubles(signed, size, b));
                let quotient = self.divide_floats(true, size, a, b);
                self.doubles_to_words(signed, size, quotient)
            })
            .collect();
        self.join_pieces_of(half, a.ty, 4, &quotients)
    }

    /// As many 32-bit integers as there are doubles in a register of `size`, as doubles.
    pub fn words_to_doubles(&mut self, signed: bool, size: Size, words: VReg) -> VReg {
        if signed {
            return self.c.v2(&ops::VCVTDQ2PD, size, words);
        }
        if self.c.target.masks {
            return self.c.v2(&ops::VCVTUDQ2PD, size, words);
        }
        // As the fraction of a number whose unit it is.
        let magic = 2f64.powi(52).to_bits();
        let magic = self.splat_bits(size, 8, magic);
        let wide = self.c.v2(&ops::VPMOVZXDQ, size, words);
        let number = self.c.v3(&ops::VPOR, size, wide, magic);
        self.c.v3(&ops::VSUBPD, size, number, magic)
    }

    /// Doubles in the range of 32-bit integers to those, toward zero.
    pub fn doubles_to_words(&mut self, signed: bool, size: Size, doubles: VReg) -> VReg {
        if signed {
            return self.c.v2(&ops::VCVTTPD2DQ, size, doubles);
        }
        if self.c.target.masks {
            return self.c.v2(&ops::VCVTTPD2UDQ, size, doubles);
        }
        let magic = self.splat_source(size, 8, 2f64.powi(52).to_bits());
        let whole = self.c.v2i(&ops::VROUNDPD, size, doubles, 11);
        let number = self.c.v3(&ops::VADDPD, size, whole, magic);
        self.even_words(size, number)
    }

    /// The low halves of lanes of 64 bits.
    pub fn even_words(&mut self, size: Size, quads: VReg) -> VReg {
        if self.c.target.masks {
            return self.narrow_part(&ops::VPMOVQD_RM, size, quads);
        }
        let upper = self.c.v_rm(&ops::VEXTRACTI128_RM, Size::Y, quads, 1);
        self.c.v3i(&ops::VSHUFPS, Size::X, quads, upper, 0x88)
    }
}
