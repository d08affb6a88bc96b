//! Comparisons, conditions and selection.

use super::arithmetic::DEPTH;
use super::build::Alu;
use super::encode::{Imm, Op, Size};
use super::forms::compare_op;
use super::forms::int_size;
use super::forms::of_width;
use super::forms::{SIGNED, UNSIGNED, mask_compare_op};
use super::machine::{Cc, R, RmOf, Src};
use super::ops;
use super::parts::{Parts, Registers, Sources};
use super::selector::Selector;
use ir::{BinaryOp, Elem, FloatCc, InstData, IntCc, LaneOp, Value, eval};
use regalloc2::{RegClass, VReg};

/// The predicate of VCMPPS.
fn float_predicate(cc: FloatCc) -> u8 {
    match cc {
        FloatCc::Oeq => 0x00,
        FloatCc::One => 0x0c,
        FloatCc::Olt => 0x11,
        FloatCc::Ole => 0x12,
        FloatCc::Ogt => 0x1e,
        FloatCc::Oge => 0x1d,
        FloatCc::Ord => 0x07,
        FloatCc::Uno => 0x03,
        FloatCc::Ueq => 0x08,
        FloatCc::Une => 0x04,
        FloatCc::Ult => 0x19,
        FloatCc::Ule => 0x1a,
        FloatCc::Ugt => 0x16,
        FloatCc::Uge => 0x15,
    }
}

fn int_condition(cc: IntCc) -> Cc {
    match cc {
        IntCc::Eq => Cc::E,
        IntCc::Ne => Cc::Ne,
        IntCc::Slt => Cc::L,
        IntCc::Sle => Cc::Le,
        IntCc::Sgt => Cc::G,
        IntCc::Sge => Cc::Ge,
        IntCc::Ult => Cc::B,
        IntCc::Ule => Cc::Be,
        IntCc::Ugt => Cc::A,
        IntCc::Uge => Cc::Ae,
    }
}

/// Whether VPCMPD or VPCMPUD, and the predicate.
fn int_predicate(cc: IntCc) -> (bool, u8) {
    match cc {
        IntCc::Eq => (true, 0),
        IntCc::Ne => (true, 4),
        IntCc::Slt => (true, 1),
        IntCc::Sle => (true, 2),
        IntCc::Sgt => (true, 6),
        IntCc::Sge => (true, 5),
        IntCc::Ult => (false, 1),
        IntCc::Ule => (false, 2),
        IntCc::Ugt => (false, 6),
        IntCc::Uge => (false, 5),
    }
}

/// Without masks, lanes of so many bytes are compared for the opposite of a condition, and that is inverted.
pub fn is_opposite(cc: IntCc, bytes: u32) -> bool {
    match cc {
        IntCc::Ne | IntCc::Sle | IntCc::Sge => true,
        IntCc::Ult | IntCc::Ugt => bytes < 8,
        IntCc::Ule | IntCc::Uge => bytes == 8,
        _ => false,
    }
}

impl Selector<'_> {
    /// [`InstData::IntCompare`].
    pub fn int_compare(&mut self, cc: IntCc, [a, b]: [Value; 2]) -> Parts {
        let ty = self.func.ty(a);
        if !ty.is_vector() {
            let cc = self.compare_scalars(cc, a, b);
            let value = self.c.setcc(cc);
            return Parts::scalar(ty.as_mask(), value);
        }
        if let Some(tested) = self.test_bits(cc, a) {
            return tested;
        }
        let left = self.get(a);
        if ty.elem == Elem::Mask {
            let right = self.get_mask(b, left.bytes);
            if left.in_mask_register() {
                let differ = self.mask_binary(BinaryOp::Xor, &left, &right);
                return if cc == IntCc::Eq { self.mask_not(&differ) } else { differ };
            }
            let size = left.size();
            let differ = self.zip(&left, &right, |s, a, b| s.c.v3(&ops::VPXOR, size, a, b));
            return if cc == IntCc::Eq { self.inverted(&differ) } else { differ };
        }
        let right = self.sources(b);
        let cc = self.without_unsigned(cc, [a, b]);
        self.compare_ints(cc, &left, &right)
    }

    /// The same condition with signs where both numbers have none, if there are no masks: these machines compare lanes that have signs.
    pub fn without_unsigned(&self, cc: IntCc, args: [Value; 2]) -> IntCc {
        let is_natural = |&value: &Value| self.significant_bits(value, DEPTH) < self.func.ty(value).elem.bits();
        match cc {
            IntCc::Eq | IntCc::Ne => cc,
            _ if self.c.target.masks || cc.is_signed() || !args.iter().all(is_natural) => cc,
            IntCc::Ult => IntCc::Slt,
            IntCc::Ule => IntCc::Sle,
            IntCc::Ugt => IntCc::Sgt,
            _ => IntCc::Sge,
        }
    }

    /// A comparison of vectors of integers held alike.
    pub fn compare_ints(&mut self, cc: IntCc, a: &Parts, b: &Sources) -> Parts {
        if self.c.target.masks {
            let (signed, predicate) = int_predicate(cc);
            let op = of_width(a.bytes, if signed { SIGNED } else { UNSIGNED });
            return self.compare_to_mask(op, a, b, predicate);
        }
        let size = a.size();
        let equal = of_width(a.bytes, [&ops::VPCMPEQB, &ops::VPCMPEQW, &ops::VPCMPEQD, &ops::VPCMPEQQ]);
        let greater = of_width(a.bytes, [&ops::VPCMPGTB, &ops::VPCMPGTW, &ops::VPCMPGTD, &ops::VPCMPGTQ]);
        let mut compared = match cc {
            IntCc::Eq | IntCc::Ne => self.zip_op(equal, a, b),
            IntCc::Sgt | IntCc::Sle => self.zip_op(greater, a, b),
            IntCc::Slt | IntCc::Sge => {
                let b = self.in_registers(a.ty, b);
                self.zip_op(greater, &b, &a.sources())
            }
            _ if a.bytes == 8 => {
                let sign = self.splat_source(size, 8, 1 << 63);
                let b = self.in_registers(a.ty, b);
                let [a, b] = [a, &b].map(|parts| self.map(parts, |s, part| s.c.v3(&ops::VPXOR, size, part, sign)));
                match cc {
                    IntCc::Ugt | IntCc::Ule => self.zip_op(greater, &a, &b.sources()),
                    _ => self.zip_op(greater, &b, &a.sources()),
                }
            }
            // The larger (or smaller) of both is the first one: at least (or at most).
            IntCc::Uge | IntCc::Ult => {
                let largest = self.zip_op(
                    of_width(a.bytes, [&ops::VPMAXUB, &ops::VPMAXUW, &ops::VPMAXUD, &ops::VPMAXUD]),
                    a,
                    b,
                );
                self.zip_op(equal, &largest, &a.sources())
            }
            IntCc::Ule | IntCc::Ugt => {
                let least = self.zip_op(
                    of_width(a.bytes, [&ops::VPMINUB, &ops::VPMINUW, &ops::VPMINUD, &ops::VPMINUD]),
                    a,
                    b,
                );
                self.zip_op(equal, &least, &a.sources())
            }
        };
        compared.ty = a.ty.as_mask();
        if is_opposite(cc, a.bytes) {
            self.inverted(&compared)
        } else {
            compared
        }
    }

    /// True where it was false.
    pub fn inverted(&mut self, mask: &Parts) -> Parts {
        if mask.in_mask_register() {
            return self.mask_not(mask);
        }
        let (ones, size) = (self.c.ones(), mask.size());
        self.map(mask, |s, part| s.c.v3(&ops::VPXOR, size, part, ones))
    }

    /// [`InstData::FloatCompare`].
    pub fn float_compare(&mut self, cc: FloatCc, [a, b]: [Value; 2]) -> Parts {
        let ty = self.func.ty(a);
        let (left, right) = match ty.elem {
            Elem::F16 | Elem::BF16 if !self.is_float_of_machine(ty) => {
                let (a, b) = (self.get(a), self.get(b));
                (self.half_to_f32(&a), self.half_to_f32(&b).sources())
            }
            _ => (self.get(a), self.sources(b)),
        };
        if !ty.is_vector() {
            let cc = self.compare_scalar_floats(cc, &left, right[0]);
            let value = self.c.setcc(cc);
            return Parts::scalar(ty.as_mask(), value);
        }
        if self.c.target.masks {
            return self.compare_to_mask(mask_compare_op(left.ty), &left, &right, float_predicate(cc));
        }
        let (op, size) = (compare_op(left.ty), left.size());
        let regs: Registers = left
            .regs
            .iter()
            .zip(&right)
            .map(|(&a, &b)| self.c.v3i(op, size, a, b, float_predicate(cc)))
            .collect();
        Parts::new(ty.as_mask(), left.bytes, regs)
    }

    /// The same as [`Selector::compare_scalars`] of what is left when a constant is added to both: of a counter and its next value, which is in a register
    /// anyway, only one is then needed behind the sum, and both may have the same register.
    fn compare_sum(&mut self, cc: IntCc, a: Value, b: Value) -> Option<Cc> {
        let constant = self.func.signed_constant(b)?;
        let &(sum, added) = self.sums.get(&a)?;
        if !matches!(cc, IntCc::Eq | IntCc::Ne) || !self.is_set(sum) {
            return None;
        }
        let elem = self.func.ty(a).elem;
        let reg = self.scalar(sum);
        self.c
            .cmp_i(int_size(elem), reg, eval::signed(elem, constant.wrapping_add(added) as u64));
        Some(int_condition(cc))
    }

    /// Sets the flags; gives the condition.
    fn compare_scalars(&mut self, cc: IntCc, a: Value, b: Value) -> Cc {
        let elem = self.func.ty(a).elem;
        let size = int_size(elem);
        let (a, b, cc) = match self.func.constant(a).is_some() && self.func.constant(b).is_none() {
            true => (b, a, cc.swapped()),
            false => (a, b, cc),
        };
        let signed = cc.is_signed();
        let narrow = elem.bytes() < 4;
        let left = self.scalar(a);
        let left = if signed {
            self.sign_extended(elem, left)
        } else {
            self.zero_extended(elem, left)
        };
        let constant = match narrow && !signed {
            true => self.func.constant(b).map(|bits| bits as i64),
            false => self.func.signed_constant(b),
        };
        if let Some(constant) = constant {
            self.c.cmp_i(size, left, constant);
        } else {
            let right = self.scalar(b);
            let right = if signed {
                self.sign_extended(elem, right)
            } else {
                self.zero_extended(elem, right)
            };
            self.c.cmp(size, left, right);
        }
        int_condition(cc)
    }

    fn compare_scalar_floats(&mut self, cc: FloatCc, a: &Parts, b: Src) -> Cc {
        let double = a.ty.elem == Elem::F64;
        let op = if double { &ops::VUCOMISD } else { &ops::VUCOMISS };
        // Below, equal and parity are all set where an operand is NaN.
        let (swap, condition) = match cc {
            FloatCc::Ogt => (false, Cc::A),
            FloatCc::Oge => (false, Cc::Ae),
            FloatCc::Olt => (true, Cc::A),
            FloatCc::Ole => (true, Cc::Ae),
            FloatCc::Ult => (false, Cc::B),
            FloatCc::Ule => (false, Cc::Be),
            FloatCc::Ugt => (true, Cc::B),
            FloatCc::Uge => (true, Cc::Be),
            FloatCc::Ord => (false, Cc::Np),
            FloatCc::Uno => (false, Cc::P),
            FloatCc::Ueq => (false, Cc::E),
            FloatCc::One => (false, Cc::Ne),
            FloatCc::Oeq | FloatCc::Une => {
                let compared = self.compared_floats(a.ty, Size::X, a.regs[0], b, float_predicate(cc));
                let bits = self.c.v_low_to_int(Size::D, compared);
                self.c.test(Size::D, bits, bits);
                return Cc::Ne;
            }
        };
        let sources: Sources = Sources::from_iter([b]);
        let (first, second) = if swap {
            (self.in_registers(a.ty, &sources).regs[0], Src::Reg(a.regs[0]))
        } else {
            (a.regs[0], b)
        };
        self.c.machine(op, Size::X, R::Use(first), R::No, RmOf::Src(second), Imm::No);
        condition
    }

    /// Sets the flags by a scalar mask; gives the condition under which it is true.
    pub fn condition(&mut self, mask: Value) -> Cc {
        if self.is_compared_at_use(mask) {
            match self.func.def_data(mask) {
                Some(&InstData::IntCompare { cc, args: [a, b] }) => {
                    return self.compare_sum(cc, a, b).unwrap_or_else(|| self.compare_scalars(cc, a, b));
                }
                Some(&InstData::FloatCompare { cc, args: [a, b] }) => {
                    let left = self.get(a);
                    let right = self.sources(b);
                    return self.compare_scalar_floats(cc, &left, right[0]);
                }
                Some(InstData::Lane { op, args, .. }) => {
                    let parts = self.get(args[0]);
                    return match op {
                        LaneOp::AnyTrue => self.test_any(&parts),
                        _ => self.test_all(&parts),
                    };
                }
                _ => {}
            }
        }
        let reg = self.scalar(mask);
        self.c.test(Size::D, reg, reg);
        Cc::Ne
    }

    /// [`InstData::Select`].
    pub fn select(&mut self, mask: Value, [mut a, mut b]: [Value; 2]) -> Parts {
        if self.inverted.contains(&mask) {
            core::mem::swap(&mut a, &mut b);
        }
        let ty = self.func.ty(a);
        if let Some(parts) = self.select_of_constant(mask, [a, b]) {
            return parts;
        }
        if let Some(parts) = self.conditional_operation(mask, [a, b]) {
            return parts;
        }
        let left = self.get(a);
        let right = match ty.elem {
            Elem::Mask => self.get_mask(b, left.bytes),
            _ => self.get(b),
        };
        if self.func.ty(mask).is_vector() {
            let mask = self.get_mask(mask, left.bytes);
            return self.select_parts(&mask, &left, &right);
        }
        if self.c.target.class_of(ty) == RegClass::Int {
            let cc = self.condition(mask);
            let size = int_size(ty.elem);
            let value = self.c.cmov(cc, size, left.regs[0], right.regs[0]);
            return Parts::scalar(ty, value);
        }
        let mask = self.get(mask);
        self.select_parts(&mask, &left, &right)
    }

    /// `mask ? a : b` by lanes where one of them is a constant and there are no mask registers: what is there or else 0 are the mask's bits, and another
    /// constant is taken from memory.
    fn select_of_constant(&mut self, mask: Value, [a, b]: [Value; 2]) -> Option<Parts> {
        let ty = self.func.ty(a);
        if self.c.target.masks || !ty.is_vector() || ty.elem == Elem::Mask || !self.func.ty(mask).is_vector() {
            return None;
        }
        let (yes, no) = (self.func.constant(a), self.func.constant(b));
        let bytes = self.c.target.canonical_bytes(ty);
        let size = self.part_size(ty.lanes, bytes);
        let [and, and_not] = match ty.elem.is_float() {
            true => [&ops::VANDPS, &ops::VANDNPS],
            false => [&ops::VPAND, &ops::VPANDN],
        };
        let regs: Registers = match (yes, no) {
            (_, Some(0)) => {
                let mask = self.get_mask(mask, bytes);
                let a = self.sources(a);
                mask.regs.iter().zip(&a).map(|(&mask, &a)| self.c.v3(and, size, mask, a)).collect()
            }
            (Some(0), _) => {
                let mask = self.get_mask(mask, bytes);
                let b = self.sources(b);
                mask.regs
                    .iter()
                    .zip(&b)
                    .map(|(&mask, &b)| self.c.v3(and_not, size, mask, b))
                    .collect()
            }
            (Some(_), None) => {
                let mask = self.get_mask(mask, bytes);
                let (a, b) = (self.sources(a), self.get(b));
                (0..b.regs.len())
                    .map(|part| self.c.v4(blend_op(bytes), size, b.regs[part], a[part], mask.regs[part]))
                    .collect()
            }
            _ => return None,
        };
        Some(Parts::new(ty, bytes, regs))
    }

    /// `mask ? a : b`, the mask a scalar or in the width of the values.
    pub fn select_parts(&mut self, mask: &Parts, a: &Parts, b: &Parts) -> Parts {
        if a.in_mask_register() {
            let mask = match mask.ty.is_vector() {
                true => mask.clone(),
                false => self.splat(a.ty, mask.regs[0]),
            };
            let first = self.mask_binary(BinaryOp::And, &mask, a);
            let second = self.mask_and_not(&mask, b);
            return self.mask_binary(BinaryOp::Or, &first, &second);
        }
        if mask.in_mask_register() {
            let masks = self.masks_of_parts(mask, a.bytes, false);
            let size = a.size();
            let regs: Registers = (0..a.regs.len())
                .map(|part| match a.regs[part] == b.regs[part] {
                    true => a.regs[part],
                    false => self.blend_by_mask(size, a.bytes, masks[part], a.regs[part], b.regs[part]),
                })
                .collect();
            return Parts::new(a.ty, a.bytes, regs);
        }
        if mask.ty.is_vector() {
            let size = a.size();
            let regs: Registers = (0..a.regs.len())
                .map(|part| self.blend(size, a.bytes, mask.regs[part], a.regs[part], b.regs[part]))
                .collect();
            return Parts::new(a.ty, a.bytes, regs);
        }
        if self.c.target.class_of(a.ty) == RegClass::Int {
            let reg = mask.regs[0];
            self.c.test(Size::D, reg, reg);
            let value = self.c.cmov(Cc::Ne, int_size(a.ty.elem), a.regs[0], b.regs[0]);
            return Parts::scalar(a.ty, value);
        }
        let spread = self.c.group3(3, Size::D, mask.regs[0]);
        let spread = self.c.int_to_v(Size::D, spread);
        let size = a.size();
        let spread = self.broadcast(size, 4, spread);
        self.zip(a, b, |s, a, b| s.blend(size, 4, spread, a, b))
    }

    /// `mask ? a : b` in one part; the mask's lanes, 0 or all ones, are as wide as the values'.
    pub fn blend(&mut self, size: Size, bytes: u32, mask: VReg, a: VReg, b: VReg) -> VReg {
        if a == b {
            return a;
        }
        if self.c.target.masks {
            return self.blend_bits(size, mask, a, b);
        }
        self.c.v4(blend_op(bytes), size, b, a, mask)
    }

    /// The mask is made by a comparison which has only one use, in the same block: it is done there, and no bit is made of the flags.
    pub fn is_compared_at_use(&self, mask: Value) -> bool {
        self.compared_at_use.contains(&mask)
    }

    /// The lowest bit of a general register alone.
    pub fn lowest_bit(&mut self, reg: VReg) -> VReg {
        self.c.alu_i(Alu::And, Size::D, reg, 1)
    }
}

/// The operation that takes lanes of so many bytes by their signs.
pub fn blend_op(bytes: u32) -> &'static Op {
    of_width(bytes, [&ops::VPBLENDVB, &ops::VPBLENDVB, &ops::VBLENDVPS, &ops::VBLENDVPD])
}
