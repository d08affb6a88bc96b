//! Scalar integers.

use super::build::{Alu, Shift};
use super::encode::{Imm, Size};
use super::forms::int_size;
use super::machine::{Amode, Cc, Kind, More, R, RAX, RDX, RmOf, Src};
use super::ops;
use super::parts::Parts;
use super::selector::Selector;
use ir::{BinaryOp, Elem, Type, UnaryOp};
use regalloc2::{Operand, PRegSet, VReg};

impl Selector<'_> {
    /// The integer with zeros above it (up to 32 bits, or 64).
    pub fn zero_extended(&mut self, elem: Elem, a: VReg) -> VReg {
        match elem.bytes() {
            1 if elem != Elem::Mask => self.c.g2(&ops::MOVZX8, Size::D, a),
            2 => self.c.g2(&ops::MOVZX16, Size::D, a),
            _ => a,
        }
    }

    /// The integer with its sign above it.
    pub fn sign_extended(&mut self, elem: Elem, a: VReg) -> VReg {
        match elem.bytes() {
            1 if elem != Elem::Mask => self.c.g2(&ops::MOVSX8, Size::D, a),
            2 => self.c.g2(&ops::MOVSX16, Size::D, a),
            _ => a,
        }
    }

    /// The integer in 64 bits.
    pub fn extended_to_64(&mut self, elem: Elem, signed: bool, a: VReg) -> VReg {
        match (elem.bytes(), signed) {
            (8, _) => a,
            (4, true) => self.c.g2(&ops::MOVSXD, Size::Q, a),
            (4, false) => self.c.g2(&ops::MOV, Size::D, a),
            (2, true) => self.c.g2(&ops::MOVSX16, Size::Q, a),
            (2, false) => self.c.g2(&ops::MOVZX16, Size::D, a),
            (_, true) if elem != Elem::Mask => self.c.g2(&ops::MOVSX8, Size::Q, a),
            _ => self.c.g2(&ops::MOVZX8, Size::D, a),
        }
    }

    /// A unary operation on an integer or a scalar mask.
    pub fn scalar_int_unary(&mut self, op: UnaryOp, elem: Elem, a: VReg) -> VReg {
        use UnaryOp::*;
        let size = int_size(elem);
        let bits = i64::from(elem.bits());
        match op {
            Not if elem == Elem::Mask => self.c.alu_i(Alu::Xor, Size::D, a, 1),
            Not => self.c.group3(2, size, a),
            Neg => self.c.group3(3, size, a),
            Abs => {
                let a = self.sign_extended(elem, a);
                let negated = self.c.group3(3, size, a);
                self.c.test(size, a, a);
                self.c.cmov(Cc::L, size, negated, a)
            }
            Clz => {
                let a = self.zero_extended(elem, a);
                let zeros = self.c.g2(&ops::LZCNT, size, a);
                if bits < 32 {
                    self.c.alu_i(Alu::Sub, Size::D, zeros, 32 - bits)
                } else {
                    zeros
                }
            }
            Ctz => {
                // A bit above the integer stops the count.
                let a = if bits < 32 {
                    self.c.alu_i(Alu::Or, Size::D, a, 1 << bits)
                } else {
                    a
                };
                self.c.g2(&ops::TZCNT, size, a)
            }
            Popcnt => {
                let a = self.zero_extended(elem, a);
                self.c.g2(&ops::POPCNT, size, a)
            }
            ByteSwap => self.swap_scalar_bytes(elem, a),
            _ => {
                let swapped = self.swap_scalar_bytes(elem, a);
                self.reverse_scalar_bits(size, swapped)
            }
        }
    }

    fn swap_scalar_bytes(&mut self, elem: Elem, a: VReg) -> VReg {
        if elem.bytes() == 1 {
            return a;
        }
        let size = int_size(elem);
        let dst = self.c.int();
        let operands = [Operand::reg_use(a), Operand::reg_reuse_def(dst, 0)];
        self.c.special(Kind::ByteSwap(size), &operands, PRegSet::empty());
        if elem.bytes() == 2 {
            self.c.shift_i(Shift::Shr, Size::D, dst, 16)
        } else {
            dst
        }
    }

    /// Bits reversed within each byte.
    fn reverse_scalar_bits(&mut self, size: Size, a: VReg) -> VReg {
        let mut bits = a;
        for (by, keep) in [
            (1, 0x5555_5555_5555_5555u64),
            (2, 0x3333_3333_3333_3333),
            (4, 0x0f0f_0f0f_0f0f_0f0f),
        ] {
            let keep = self.c.constant(keep);
            let low = self.c.alu(Alu::And, size, bits, keep);
            let low = self.c.shift_i(Shift::Shl, size, low, by);
            let high = self.c.shift_i(Shift::Shr, size, bits, by);
            let high = self.c.alu(Alu::And, size, high, keep);
            bits = self.c.alu(Alu::Or, size, low, high);
        }
        bits
    }

    /// A binary operation on integers or scalar masks, no division. `constant` is what `b` is, sign-extended, if that is known.
    pub fn scalar_int_binary(&mut self, op: BinaryOp, elem: Elem, a: VReg, b: Operand2) -> VReg {
        use BinaryOp::*;
        let size = int_size(elem);
        let narrow = elem.bytes() < 4;
        if let Some(alu) = Alu::of(op) {
            return match b {
                Operand2::Constant(b) => self.c.alu_i(alu, size, a, b),
                Operand2::Reg(b) => self.c.alu(alu, size, a, b),
            };
        }
        if let (Mul, Operand2::Constant(b)) = (op, b)
            && let Ok(by) = i32::try_from(b)
        {
            return match by {
                1 => a,
                by if by > 0 && by.count_ones() == 1 => self.c.shift_i(Shift::Shl, size, a, by.ilog2() as u8),
                3 | 5 | 9 => self.c.lea(Amode {
                    base: super::machine::Base::Reg(a),
                    index: Some((a, (by - 1).ilog2() as u8)),
                    disp: 0,
                }),
                _ => self.c.imul_i(size, a, by),
            };
        }
        if matches!(op, Shl | LShr | AShr | RotL | RotR) {
            return self.scalar_shift(op, elem, a, b);
        }
        let b = self.operand2(b);
        match op {
            Mul => {
                let dst = self.c.int();
                self.c
                    .machine(&ops::IMUL, size, R::Tied(dst, a), R::No, RmOf::Src(Src::Reg(b)), Imm::No);
                dst
            }
            UMulHi | SMulHi => self.scalar_mul_high(op == SMulHi, elem, a, b),
            UMin | UMax | SMin | SMax => {
                let (a, b) = match op {
                    UMin | UMax => (self.zero_extended(elem, a), self.zero_extended(elem, b)),
                    _ => (self.sign_extended(elem, a), self.sign_extended(elem, b)),
                };
                self.c.cmp(size, a, b);
                let cc = match op {
                    UMin => Cc::B,
                    UMax => Cc::A,
                    SMin => Cc::L,
                    _ => Cc::G,
                };
                self.c.cmov(cc, size, a, b)
            }
            UAddSat if narrow => {
                let (a, b) = (self.zero_extended(elem, a), self.zero_extended(elem, b));
                let limit = self.c.constant(elem.bit_mask());
                let sum = self.c.alu(Alu::Add, size, a, b);
                self.c.cmp(size, sum, limit);
                self.c.cmov(Cc::A, size, limit, sum)
            }
            SAddSat | SSubSat if narrow => {
                let (a, b) = (self.sign_extended(elem, a), self.sign_extended(elem, b));
                let most = (elem.bit_mask() >> 1) as i64;
                let (least, most) = (self.c.constant((-most - 1) as u64), self.c.constant(most as u64));
                let wide = self.c.alu(if op == SAddSat { Alu::Add } else { Alu::Sub }, size, a, b);
                self.c.cmp(size, wide, most);
                let wide = self.c.cmov(Cc::G, size, most, wide);
                self.c.cmp(size, wide, least);
                self.c.cmov(Cc::L, size, least, wide)
            }
            UAddSat => {
                let limit = self.c.constant(u64::MAX);
                let sum = self.c.alu(Alu::Add, size, a, b);
                self.c.cmov(Cc::B, size, limit, sum)
            }
            USubSat => {
                let (a, b) = (self.zero_extended(elem, a), self.zero_extended(elem, b));
                let zero = self.c.constant(0);
                let difference = self.c.alu(Alu::Sub, size, a, b);
                self.c.cmov(Cc::B, size, zero, difference)
            }
            _ => {
                // It overflows to the side on which `a` is.
                let sign = self.c.shift_i(Shift::Sar, size, a, elem.bits() as u8 - 1);
                let limit = self.c.constant(elem.bit_mask() >> 1);
                let limit = self.c.alu(Alu::Xor, size, sign, limit);
                let wrapped = self.c.alu(if op == SAddSat { Alu::Add } else { Alu::Sub }, size, a, b);
                self.c.cmov(Cc::O, size, limit, wrapped)
            }
        }
    }

    fn operand2(&mut self, b: Operand2) -> VReg {
        match b {
            Operand2::Reg(b) => b,
            Operand2::Constant(b) => self.c.constant(b as u64),
        }
    }

    fn scalar_shift(&mut self, op: BinaryOp, elem: Elem, a: VReg, amount: Operand2) -> VReg {
        use BinaryOp::*;
        let size = int_size(elem);
        let bits = elem.bits();
        let narrow = bits < 32;
        let a = match op {
            Shl => a,
            AShr => self.sign_extended(elem, a),
            _ => self.zero_extended(elem, a),
        };
        let amount = match amount {
            Operand2::Constant(amount) => {
                let amount = amount as u64 as u32 % bits;
                let shift = match op {
                    Shl => Shift::Shl,
                    LShr => Shift::Shr,
                    AShr => Shift::Sar,
                    RotL | RotR if narrow => {
                        let (left, right) = if op == RotL {
                            (amount, bits - amount)
                        } else {
                            (bits - amount, amount)
                        };
                        let upper = self.c.shift_i(Shift::Shl, size, a, left as u8);
                        let lower = self.c.shift_i(Shift::Shr, size, a, right as u8);
                        return self.c.alu(Alu::Or, size, upper, lower);
                    }
                    RotL => Shift::RotL,
                    _ => Shift::RotR,
                };
                return self.c.shift_i(shift, size, a, amount as u8);
            }
            Operand2::Reg(amount) if narrow => self.c.alu_i(Alu::And, Size::D, amount, i64::from(bits - 1)),
            Operand2::Reg(amount) => amount,
        };
        match op {
            Shl => self.c.shift_x(&ops::SHLX, size, a, amount),
            LShr => self.c.shift_x(&ops::SHRX, size, a, amount),
            AShr => self.c.shift_x(&ops::SARX, size, a, amount),
            RotL | RotR if narrow => {
                let width = self.c.constant(u64::from(bits));
                let back = self.c.alu(Alu::Sub, Size::D, width, amount);
                let (left, right) = if op == RotL { (amount, back) } else { (back, amount) };
                let upper = self.c.shift_x(&ops::SHLX, size, a, left);
                let lower = self.c.shift_x(&ops::SHRX, size, a, right);
                self.c.alu(Alu::Or, size, upper, lower)
            }
            RotL => self.c.shift_cl(Shift::RotL, size, a, amount),
            _ => self.c.shift_cl(Shift::RotR, size, a, amount),
        }
    }

    fn scalar_mul_high(&mut self, signed: bool, elem: Elem, a: VReg, b: VReg) -> VReg {
        if elem.bytes() == 8 {
            let (low, high) = (self.c.int(), self.c.int());
            let others = [
                Operand::reg_fixed_use(a, RAX),
                Operand::reg_fixed_def(low, RAX),
                Operand::reg_fixed_def(high, RDX),
            ];
            let digit = if signed { 5 } else { 4 };
            let more = More {
                others: &others,
                ..More::default()
            };
            self.c
                .machine_with(&ops::GROUP3, Size::Q, R::Digit(digit), R::No, RmOf::Reg(b), Imm::No, more);
            return high;
        }
        let (a, b) = (self.extended_to_64(elem, signed, a), self.extended_to_64(elem, signed, b));
        let product = self.scalar_int_binary(BinaryOp::Mul, Elem::I64, a, Operand2::Reg(b));
        self.c.shift_i(Shift::Shr, Size::Q, product, elem.bits() as u8)
    }

    /// Quotient and remainder; the divisor is known not to trap.
    pub fn scalar_divide(&mut self, signed: bool, elem: Elem, a: VReg, b: VReg) -> (VReg, VReg) {
        let size = int_size(elem);
        let (a, b, upper) = if signed {
            let (a, b) = (self.sign_extended(elem, a), self.sign_extended(elem, b));
            let upper = self.c.int();
            let operands = [Operand::reg_fixed_use(a, RAX), Operand::reg_fixed_def(upper, RDX)];
            self.c.special(Kind::SignIntoRdx(size), &operands, PRegSet::empty());
            (a, b, upper)
        } else {
            (self.zero_extended(elem, a), self.zero_extended(elem, b), self.c.constant(0))
        };
        let (quotient, remainder) = (self.c.int(), self.c.int());
        let others = [
            Operand::reg_fixed_use(a, RAX),
            Operand::reg_fixed_use(upper, RDX),
            Operand::reg_fixed_def(quotient, RAX),
            Operand::reg_fixed_def(remainder, RDX),
        ];
        let digit = if signed { 7 } else { 6 };
        let more = More {
            others: &others,
            ..More::default()
        };
        self.c
            .machine_with(&ops::GROUP3, size, R::Digit(digit), R::No, RmOf::Reg(b), Imm::No, more);
        (quotient, remainder)
    }

    /// Does an operation lane by lane.
    pub fn each_lane(&mut self, ty: Type, args: &[&Parts], mut each: impl FnMut(&mut Self, &[VReg]) -> VReg) -> Parts {
        let mut lanes = Vec::with_capacity(usize::from(ty.lanes));
        let mut scalars = Vec::with_capacity(args.len());
        for lane in 0..u32::from(ty.lanes) {
            scalars.clear();
            for arg in args {
                scalars.push(self.lane(arg, lane));
            }
            lanes.push(each(self, &scalars));
        }
        self.join_lanes(ty, &lanes)
    }

    /// A scalar as the first lane of a vector of 128 bits, for operations that are written for vectors.
    pub fn widen_scalar(&mut self, scalar: &Parts) -> Parts {
        let ty = scalar.ty.with_lanes((16 / scalar.bytes.max(4)) as u16);
        let reg = self.first_of_part(ty.elem, scalar.bytes, scalar.regs[0]);
        Parts::new(ty, scalar.bytes, [reg])
    }

    /// The first lane.
    pub fn first_lane(&mut self, vector: &Parts) -> Parts {
        let value = self.lane(vector, 0);
        Parts::scalar(vector.ty.with_lanes(1), value)
    }
}

/// The second operand of a scalar operation.
#[derive(Clone, Copy, Debug)]
pub enum Operand2 {
    /// In a register.
    Reg(VReg),
    /// Known now, sign-extended.
    Constant(i64),
}
