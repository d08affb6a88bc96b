//! Masks in registers of their own: bit `i` is lane `i`, whatever the width of the lanes; bits beyond the lanes are anything.
//!
//! Where the machine has no such registers, and inside of a few operations where it has, masks are vectors whose lanes are 0 or all ones.

use super::build::{Alu, Shift};
use super::compare::blend_op;
use super::encode::{Imm, Op, Size};
use super::forms::{SIGNED, TEST, compare_op, mask_compare_op, of_width};
use super::machine::{Cc, More, R, RmOf, Src};
use super::ops;
use super::parts::{Parts, Registers, Sources};
use super::selector::Selector;
use ir::{BinaryOp, Type};
use regalloc2::{RegClass, VReg};

const FROM_MASK: [&Op; 4] = [&ops::VPMOVM2B, &ops::VPMOVM2W, &ops::VPMOVM2D, &ops::VPMOVM2Q];
const TO_MASK: [&Op; 4] = [&ops::VPMOVB2M, &ops::VPMOVW2M, &ops::VPMOVD2M, &ops::VPMOVQ2M];
const BLEND: [&Op; 4] = [&ops::VPBLENDMB, &ops::VPBLENDMW, &ops::VPBLENDMD, &ops::VPBLENDMQ];
/// The test whether two masks of so many lanes have one that is on.
fn or_test(lanes: u32) -> Option<&'static Op> {
    match lanes {
        8 => Some(&ops::KORTESTB),
        16 => Some(&ops::KORTESTW),
        32 => Some(&ops::KORTESTD),
        _ => None,
    }
}

impl Selector<'_> {
    /// A mask with these bits.
    pub fn mask_constant(&mut self, bits: u64) -> VReg {
        match bits {
            0 => self.c.idiom(RegClass::Vector, &ops::KXORQ, Size::Y, Imm::No),
            u64::MAX => self.c.idiom(RegClass::Vector, &ops::KXNORQ, Size::Y, Imm::No),
            _ => {
                let bits = self.c.constant(bits);
                self.mask_of_long(bits)
            }
        }
    }

    fn mask_op(&mut self, op: &'static Op, a: VReg) -> VReg {
        let dst = self.c.mask();
        self.c.machine(op, Size::X, R::Def(dst), R::No, RmOf::Reg(a), Imm::No);
        dst
    }

    fn mask_op2(&mut self, op: &'static Op, a: VReg, b: VReg) -> VReg {
        let dst = self.c.mask();
        self.c.machine(op, Size::Y, R::Def(dst), R::Use(a), RmOf::Reg(b), Imm::No);
        dst
    }

    fn mask_shift(&mut self, op: &'static Op, a: VReg, by: u32) -> VReg {
        let dst = self.c.mask();
        self.c.machine(op, Size::X, R::Def(dst), R::No, RmOf::Reg(a), Imm::I8(by as u8));
        dst
    }

    /// The mask of the low 32 bits of a general register.
    pub fn mask_of_int(&mut self, bits: VReg) -> VReg {
        self.mask_op(&ops::KMOV_FROM_32, bits)
    }

    /// The mask of the bits of a general register.
    pub fn mask_of_long(&mut self, bits: VReg) -> VReg {
        self.mask_op(&ops::KMOV_FROM_64, bits)
    }

    /// `and`, `or`, `xor` of masks.
    pub fn mask_binary(&mut self, op: BinaryOp, a: &Parts, b: &Parts) -> Parts {
        let op = match op {
            BinaryOp::And => &ops::KANDQ,
            BinaryOp::Or => &ops::KORQ,
            _ => &ops::KXORQ,
        };
        let reg = self.mask_op2(op, a.regs[0], b.regs[0]);
        Parts::mask_register(a.ty, reg)
    }

    /// `and` or `or` of masks held alike, in whatever registers.
    pub fn combined_masks(&mut self, op: BinaryOp, a: &Parts, b: &Parts) -> Parts {
        if a.in_mask_register() {
            return self.mask_binary(op, a, b);
        }
        let (machine, size) = (if op == BinaryOp::Or { &ops::VPOR } else { &ops::VPAND }, a.size());
        self.zip(a, b, |s, a, b| s.c.v3(machine, size, a, b))
    }

    /// `~a & b` of masks.
    pub fn mask_and_not(&mut self, a: &Parts, b: &Parts) -> Parts {
        let reg = self.mask_op2(&ops::KANDNQ, a.regs[0], b.regs[0]);
        Parts::mask_register(a.ty, reg)
    }

    /// True where it was false.
    pub fn mask_not(&mut self, a: &Parts) -> Parts {
        let reg = self.mask_op(&ops::KNOTQ, a.regs[0]);
        Parts::mask_register(a.ty, reg)
    }

    /// The bits of a mask in a general register, 0 beyond its lanes.
    pub fn mask_to_int(&mut self, mask: &Parts) -> VReg {
        let lanes = mask.ty.lanes;
        let op = match lanes {
            ..=8 => &ops::KMOVB_TO_32,
            9..=16 => &ops::KMOVW_TO_32,
            _ => &ops::KMOVD_TO_32,
        };
        let bits = self.c.v_to_int(op, Size::X, mask.regs[0]);
        match lanes {
            8 | 16 | 32 => bits,
            _ => self.c.alu_i(Alu::And, Size::D, bits, (1i64 << lanes) - 1),
        }
    }

    /// One lane, 0 or 1 in a general register.
    pub fn mask_lane(&mut self, mask: &Parts, lane: u32) -> VReg {
        let bits = self.c.v_to_int(&ops::KMOVD_TO_32, Size::X, mask.regs[0]);
        let bit = match lane {
            0 => bits,
            _ => self.c.shift_i(Shift::Shr, Size::D, bits, lane as u8),
        };
        self.lowest_bit(bit)
    }

    /// Sets the flags; gives the condition under which some (or each) lane is true.
    pub fn mask_test(&mut self, mask: &Parts, all: bool) -> Cc {
        let half = u32::from(mask.ty.lanes) / 2;
        if let (false, Some(&(low, low_lanes)), Some(&(high, _))) = (
            all,
            self.mask_parts.get(&(mask.regs[0], 0)),
            self.mask_parts.get(&(mask.regs[0], half)),
        ) && low_lanes == half
            && let Some(op) = or_test(half)
        {
            self.c.machine(op, Size::X, R::Use(low), R::No, RmOf::Reg(high), Imm::No);
            return Cc::Ne;
        }
        let op = match (or_test(mask.ty.lanes.into()), mask.ty.lanes) {
            (Some(op), _) => op,
            (None, lanes) => {
                let bits = self.mask_to_int(mask);
                match all {
                    true => self.c.cmp_i(Size::D, bits, (1i64 << lanes) - 1),
                    false => self.c.test(Size::D, bits, bits),
                }
                return if all { Cc::E } else { Cc::Ne };
            }
        };
        let reg = mask.regs[0];
        self.c.machine(op, Size::X, R::Use(reg), R::No, RmOf::Reg(reg), Imm::No);
        if all { Cc::B } else { Cc::Ne }
    }

    /// The masks of parts of `lanes` lanes as one. What takes them by part goes on taking these.
    pub fn join_masks(&mut self, lanes: u32, parts: &[VReg]) -> VReg {
        let whole = self.whole_mask(lanes, parts);
        if parts.len() > 1 {
            for (by, &part) in (0..).step_by(lanes as usize).zip(parts) {
                self.mask_parts.insert((whole, by), (part, lanes));
            }
        }
        whole
    }

    fn whole_mask(&mut self, lanes: u32, parts: &[VReg]) -> VReg {
        let (mut lanes, mut parts) = (lanes, parts.to_vec());
        while parts.len() > 1 {
            parts = parts
                .chunks(2)
                .map(|pair| match lanes {
                    8 => self.mask_op2(&ops::KUNPCKBW, pair[1], pair[0]),
                    16 => self.mask_op2(&ops::KUNPCKWD, pair[1], pair[0]),
                    _ => {
                        let upper = self.mask_shift(&ops::KSHIFTLQ, pair[1], lanes);
                        self.mask_op2(&ops::KORQ, upper, pair[0])
                    }
                })
                .collect();
            lanes *= 2;
        }
        parts[0]
    }

    /// The mask for a part of a vector whose parts have `lanes` lanes each.
    pub fn mask_part(&mut self, mask: &Parts, part: usize, lanes: u32) -> VReg {
        let by = part as u32 * lanes;
        let key = (mask.regs[0], by);
        if let Some(&(known, its_lanes)) = self.mask_parts.get(&key)
            && its_lanes >= lanes
        {
            return known;
        }
        if by == 0 {
            return mask.regs[0];
        }
        let shifted = self.mask_shift(&ops::KSHIFTRQ, mask.regs[0], by);
        self.mask_parts.insert(key, (shifted, u32::from(mask.ty.lanes) - by));
        shifted
    }

    /// The masks for each part of a vector of lanes of `bytes` bytes. Those for memory have zeros beyond the lanes of a short vector.
    pub fn masks_of_parts(&mut self, mask: &Parts, bytes: u32, for_memory: bool) -> Registers {
        let lanes = mask.ty.lanes;
        let size = self.part_size(lanes, bytes);
        let per_part = size.bytes() / bytes;
        if for_memory && per_part > u32::from(lanes) {
            let ones = self.mask_constant((1 << lanes) - 1);
            return Registers::from_iter([self.mask_op2(&ops::KANDQ, mask.regs[0], ones)]);
        }
        (0..self.part_count(lanes, bytes))
            .map(|part| self.mask_part(mask, part, per_part))
            .collect()
    }

    /// A comparison of vectors whose result is a mask.
    pub fn compare_to_mask(&mut self, op: &'static Op, a: &Parts, b: &Sources, predicate: u8) -> Parts {
        self.compare_to_mask_by(op, a, b, Imm::I8(predicate))
    }

    /// The same, of an instruction that may be of one predicate.
    pub fn compare_to_mask_by(&mut self, op: &'static Op, a: &Parts, b: &Sources, predicate: Imm) -> Parts {
        let size = a.size();
        let masks: Registers = a
            .regs
            .iter()
            .zip(b)
            .map(|(&a, &b)| self.compare_part(op, size, a, b, predicate))
            .collect();
        let reg = self.join_masks(size.bytes() / a.bytes, &masks);
        Parts::mask_register(a.ty, reg)
    }

    /// A comparison of one part as a mask.
    pub fn compare_part(&mut self, op: &'static Op, size: Size, a: VReg, b: Src, imm: Imm) -> VReg {
        let dst = self.c.mask();
        self.c.machine(op, size, R::Def(dst), R::Use(a), RmOf::Src(b), imm);
        dst
    }

    /// True where a lane is not 0.
    pub fn nonzero_lanes(&mut self, a: &Parts) -> Parts {
        let (size, op) = (a.size(), of_width(a.bytes, TEST));
        let masks: Registers = a
            .regs
            .iter()
            .map(|&part| self.compare_part(op, size, part, Src::Reg(part), Imm::No))
            .collect();
        let reg = self.join_masks(size.bytes() / a.bytes, &masks);
        Parts::mask_register(a.ty, reg)
    }

    /// A mask as a vector whose lanes are 0 or all ones.
    pub fn lanes_of_mask(&mut self, mask: &Parts, bytes: u32) -> Parts {
        let size = self.part_size(mask.ty.lanes, bytes);
        let masks = self.masks_of_parts(mask, bytes, false);
        let regs: Registers = masks.iter().map(|&part| self.spread(size, bytes, part)).collect();
        Parts::new(mask.ty, bytes, regs)
    }

    fn spread(&mut self, size: Size, bytes: u32, mask: VReg) -> VReg {
        let dst = self.c.vec();
        self.c
            .machine(of_width(bytes, FROM_MASK), size, R::Def(dst), R::No, RmOf::Reg(mask), Imm::No);
        dst
    }

    /// The highest bits of a vector's lanes as a mask.
    pub fn mask_of_lanes(&mut self, lanes: &Parts) -> Parts {
        let (size, bytes) = (lanes.size(), lanes.bytes);
        let masks: Registers = lanes.regs.iter().map(|&part| self.signs(size, bytes, part)).collect();
        let reg = self.join_masks(size.bytes() / bytes, &masks);
        Parts::mask_register(lanes.ty, reg)
    }

    pub fn signs(&mut self, size: Size, bytes: u32, lanes: VReg) -> VReg {
        let dst = self.c.mask();
        self.c
            .machine(of_width(bytes, TO_MASK), size, R::Def(dst), R::No, RmOf::Reg(lanes), Imm::No);
        dst
    }

    /// `mask ? a : b` in one part, the mask in a mask register.
    pub fn blend_by_mask(&mut self, size: Size, bytes: u32, mask: VReg, a: VReg, b: VReg) -> VReg {
        let dst = self.c.vec();
        let more = More {
            mask: Some(mask),
            ..More::default()
        };
        self.c.machine_with(
            of_width(bytes, BLEND),
            size,
            R::Def(dst),
            R::Use(b),
            RmOf::Src(Src::Reg(a)),
            Imm::No,
            more,
        );
        dst
    }

    /// A vector result from two sources where the mask is true, else 0.
    pub fn v3_of_some(&mut self, op: &'static Op, size: Size, mask: VReg, a: VReg, b: Src) -> VReg {
        let dst = self.c.vec();
        let more = More {
            mask: Some(mask),
            zeroing: true,
            ..More::default()
        };
        self.c.machine_with(op, size, R::Def(dst), R::Use(a), RmOf::Src(b), Imm::No, more);
        dst
    }

    /// `bits ? a : b`, bit by bit, where there are mask registers.
    pub fn blend_bits(&mut self, size: Size, bits: VReg, a: VReg, b: VReg) -> VReg {
        let dst = self.c.vec();
        self.c.machine(
            &ops::VPTERNLOGD,
            size,
            R::Tied(dst, bits),
            R::Use(a),
            RmOf::Src(Src::Reg(b)),
            Imm::I8(0xca),
        );
        dst
    }

    /// `lane of signs < 0 ? a : b`.
    pub fn blend_by_sign(&mut self, size: Size, bytes: u32, signs: VReg, a: VReg, b: VReg) -> VReg {
        if self.c.target.masks {
            let mask = self.signs(size, bytes, signs);
            return self.blend_by_mask(size, bytes, mask, a, b);
        }
        self.c.v4(blend_op(bytes), size, b, a, signs)
    }

    /// Words of `a` where the bits of `words` are 0, else those of `b`.
    pub fn blend_words(&mut self, size: Size, a: VReg, b: impl Into<Src>, words: u16) -> VReg {
        if !self.c.target.masks {
            return self.c.v3i(&ops::VPBLENDD, size, a, b, words as u8);
        }
        let mask = self.mask_constant(u64::from(words));
        let dst = self.c.vec();
        let more = More {
            mask: Some(mask),
            ..More::default()
        };
        self.c
            .machine_with(&ops::VPBLENDMD, size, R::Def(dst), R::Use(a), RmOf::Src(b.into()), Imm::No, more);
        dst
    }

    /// Lanes of all ones where a comparison of floats is true, else 0.
    pub fn compared_floats(&mut self, ty: Type, size: Size, a: VReg, b: impl Into<Src>, predicate: u8) -> VReg {
        if !self.c.target.masks {
            return self.c.v3i(compare_op(ty), size, a, b, predicate);
        }
        let mask = self.compare_part(mask_compare_op(ty), size, a, b.into(), Imm::I8(predicate));
        self.spread(size, ty.elem.bytes(), mask)
    }

    /// Lanes of all ones where both are equal.
    pub fn equal_lanes(&mut self, size: Size, bytes: u32, a: VReg, b: impl Into<Src>) -> VReg {
        let op = [&ops::VPCMPEQB, &ops::VPCMPEQW, &ops::VPCMPEQD, &ops::VPCMPEQQ];
        self.compared_lanes(op, 0, size, bytes, a, b.into())
    }

    /// Lanes of all ones where the first is greater, as signed numbers.
    pub fn greater_lanes(&mut self, size: Size, bytes: u32, a: VReg, b: impl Into<Src>) -> VReg {
        let op = [&ops::VPCMPGTB, &ops::VPCMPGTW, &ops::VPCMPGTD, &ops::VPCMPGTQ];
        self.compared_lanes(op, 6, size, bytes, a, b.into())
    }

    fn compared_lanes(&mut self, op: [&'static Op; 4], predicate: u8, size: Size, bytes: u32, a: VReg, b: Src) -> VReg {
        if !self.c.target.masks {
            return self.c.v3(of_width(bytes, op), size, a, b);
        }
        let mask = self.compare_part(of_width(bytes, SIGNED), size, a, b, Imm::I8(predicate));
        self.spread(size, bytes, mask)
    }
}
