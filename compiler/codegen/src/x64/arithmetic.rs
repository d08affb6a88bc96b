//! Unary and binary operations on vectors of integers, and the way to the other families.

use super::encode::{Imm, Op, Size};
use super::forms::binary_form;
use super::forms::of_width;
use super::machine::{More, R, RmOf, Src};
use super::ops;
use super::parts::{Parts, Registers, Sources};
use super::scalar::Operand2;
use super::selector::Selector;
use super::target::Target;
use super::ternary::COLUMNS;
use ir::{BinaryOp, ConvertOp, Elem, InstData, IntCc, UnaryOp, Value, significant};
use regalloc2::VReg;

pub use ir::significant::DEPTH;

const ADD: [&Op; 4] = [&ops::VPADDB, &ops::VPADDW, &ops::VPADDD, &ops::VPADDQ];
const SUB: [&Op; 4] = [&ops::VPSUBB, &ops::VPSUBW, &ops::VPSUBD, &ops::VPSUBQ];

/// The machine's operation, where there is one.
pub fn direct(target: Target, op: BinaryOp, bytes: u32) -> Option<&'static Op> {
    use BinaryOp::*;
    Some(match (op, bytes) {
        // So that an element of 8 bytes can be broadcast from memory.
        (And, 8) if target.masks => &ops::VPANDQ,
        (Or, 8) if target.masks => &ops::VPORQ,
        (Xor, 8) if target.masks => &ops::VPXORQ,
        (Mul, 8) if target.masks => &ops::VPMULLQ,
        (UMin, 8) if target.masks => &ops::VPMINUQ,
        (UMax, 8) if target.masks => &ops::VPMAXUQ,
        (SMin, 8) if target.masks => &ops::VPMINSQ,
        (SMax, 8) if target.masks => &ops::VPMAXSQ,
        (Add, _) => of_width(bytes, ADD),
        (Sub, _) => of_width(bytes, SUB),
        (And, _) => &ops::VPAND,
        (Or, _) => &ops::VPOR,
        (Xor, _) => &ops::VPXOR,
        (Mul, 2) => &ops::VPMULLW,
        (Mul, 4) => &ops::VPMULLD,
        (UMulHi, 2) => &ops::VPMULHUW,
        (SMulHi, 2) => &ops::VPMULHW,
        (UMin, 1) => &ops::VPMINUB,
        (UMin, 2) => &ops::VPMINUW,
        (UMin, 4) => &ops::VPMINUD,
        (UMax, 1) => &ops::VPMAXUB,
        (UMax, 2) => &ops::VPMAXUW,
        (UMax, 4) => &ops::VPMAXUD,
        (SMin, 1) => &ops::VPMINSB,
        (SMin, 2) => &ops::VPMINSW,
        (SMin, 4) => &ops::VPMINSD,
        (SMax, 1) => &ops::VPMAXSB,
        (SMax, 2) => &ops::VPMAXSW,
        (SMax, 4) => &ops::VPMAXSD,
        (UAddSat, 1) => &ops::VPADDUSB,
        (UAddSat, 2) => &ops::VPADDUSW,
        (SAddSat, 1) => &ops::VPADDSB,
        (SAddSat, 2) => &ops::VPADDSW,
        (USubSat, 1) => &ops::VPSUBUSB,
        (USubSat, 2) => &ops::VPSUBUSW,
        (SSubSat, 1) => &ops::VPSUBSB,
        (SSubSat, 2) => &ops::VPSUBSW,
        _ => return None,
    })
}

impl Selector<'_> {
    /// [`ir::InstData::Unary`].
    pub fn unary(&mut self, op: UnaryOp, arg: Value) -> Parts {
        let a = self.get(arg);
        match a.ty.elem {
            Elem::F16 | Elem::BF16 => self.half_unary(op, &a),
            Elem::F32 | Elem::F64 => self.float_unary(op, &a),
            elem if !a.ty.is_vector() => {
                let value = self.scalar_int_unary(op, elem, a.regs[0]);
                Parts::scalar(a.ty, value)
            }
            _ => self.vector_unary(op, &a),
        }
    }

    /// [`ir::InstData::Binary`].
    pub fn binary(&mut self, op: BinaryOp, [mut a, mut b]: [Value; 2]) -> Parts {
        let ty = self.func.ty(a);
        if op.is_commutative() && op != BinaryOp::FMinNum && op != BinaryOp::FMaxNum && self.prefers_last(a) && !self.prefers_last(b) {
            core::mem::swap(&mut a, &mut b);
        }
        if op.is_int_division() {
            return self.divide(op, a, b);
        }
        if op == BinaryOp::FSub
            && let Some(parts) = self.rest([a, b])
        {
            return parts;
        }
        if self.takes_apart(op, ty, b) {
            let a = self.get(a);
            return self.taken_apart(op, &a, b);
        }
        if op == BinaryOp::And
            && let Some(parts) = self.conjunction_with_complement([a, b])
        {
            return parts;
        }
        if matches!(op, BinaryOp::Add | BinaryOp::Sub)
            && let Some(parts) = self.count_of_lanes(op, [a, b])
        {
            return parts;
        }
        if !ty.is_vector() && (ty.elem.is_int() || ty.elem == Elem::Mask) {
            if op.is_commutative() && self.func.constant(b).is_none() && self.is_last_use(b) && !self.is_last_use(a) {
                core::mem::swap(&mut a, &mut b);
            }
            let left = self.scalar(a);
            let right = match self.func.signed_constant(b) {
                Some(b) if ty.elem != Elem::Mask => Operand2::Constant(b),
                _ => Operand2::Reg(self.scalar(b)),
            };
            let value = self.scalar_int_binary(op, ty.elem, left, right);
            return Parts::scalar(ty, value);
        }
        if ty.is_vector()
            && matches!(
                op,
                BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr | BinaryOp::RotL | BinaryOp::RotR
            )
        {
            return self.vector_shift(op, a, b);
        }
        if ty.elem == Elem::Mask {
            if op == BinaryOp::And
                && let Some(parts) = self.conjunction_with_inverted([a, b])
            {
                return parts;
            }
            let left = self.get(a);
            let right = self.get_mask(b, left.bytes);
            if left.in_mask_register() {
                return self.mask_binary(op, &left, &right);
            }
            return self.binary_sources(op, &left, &right.sources());
        }
        if matches!(op, BinaryOp::Mul | BinaryOp::UMulHi | BinaryOp::SMulHi)
            && let Some(half) = self.half_of_product(op, [a, b])
        {
            return half;
        }
        if matches!(op, BinaryOp::UMulHi | BinaryOp::SMulHi) && ty.is_vector() && ty.elem.bytes() >= 4 {
            return self.upper_half_of_product(op, [a, b]);
        }
        if op == BinaryOp::Mul
            && ty.is_vector()
            && ty.elem == Elem::I64
            && let Some(product) = self.product_of_words([a, b])
        {
            return product;
        }
        if op == BinaryOp::Mul
            && ty.is_vector()
            && ty.elem == Elem::I8
            && let Some((a, b)) = [(a, b), (b, a)].into_iter().find(|&(_, b)| self.is_same(b))
        {
            let [a, b] = [a, b].map(|value| self.get(value));
            let size = a.size();
            return self.zip(&a, &b, |s, a, b| s.multiply_bytes(true, size, a, b));
        }
        let left = self.get(a);
        let right = self.sources(b);
        if op == BinaryOp::Mul && ty.elem == Elem::I32 && self.is_product_of_halves([a, b]) {
            let right = self.in_registers(ty, &right);
            return self.zip_op(&ops::VPMADDWD, &left, &right.sources());
        }
        self.binary_sources(op, &left, &right)
    }

    /// Products of numbers of 16 bits, of which one is not negative, are those of lower halves: what is added to them is 0.
    fn is_product_of_halves(&self, [a, b]: [Value; 2]) -> bool {
        let natural = |value| self.fits(value, false, DEPTH);
        let fits = |value| self.fits(value, true, DEPTH);
        natural(a) && fits(b) || natural(b) && fits(a)
    }

    /// A number of 32 bits is within 16, or 15 if it may not be negative, as far as one sees from what it is made by.
    pub fn fits(&self, value: Value, signed: bool, depth: u32) -> bool {
        if self.significant_bits(value, depth) <= 15 {
            return true;
        }
        if !signed {
            return false;
        }
        if let Some(number) = self.func.signed_constant(value) {
            return (-0x8000..0x8000).contains(&number);
        }
        let Some(depth) = depth.checked_sub(1) else { return false };
        let both = |a, b| self.fits(a, true, depth) && self.fits(b, true, depth);
        match self.func.def_data(value) {
            Some(&InstData::Binary { op, args: [a, b] }) => match (op, self.func.constant(b)) {
                (BinaryOp::AShr, Some(by)) => (16..32).contains(&by),
                (BinaryOp::Or | BinaryOp::Xor | BinaryOp::UMin | BinaryOp::UMax | BinaryOp::SMin | BinaryOp::SMax, _) => both(a, b),
                _ => false,
            },
            Some(&InstData::Convert {
                op: ConvertOp::SExt, arg, ..
            }) => matches!(self.func.ty(arg).elem, Elem::I8 | Elem::I16),
            Some(&InstData::Select { args: [a, b], .. }) => both(a, b),
            _ => false,
        }
    }

    /// How many low bits of an integer may be set, as far as one sees from what it is made by.
    pub fn significant_bits(&self, value: Value, depth: u32) -> u32 {
        significant::bits(self.func, value, depth)
    }

    /// The value is cheaper as the last operand of an instruction: a constant, or a load that becomes part of it.
    fn prefers_last(&self, value: Value) -> bool {
        self.func.constant(value).is_some() || self.folded_loads.contains_key(&value)
    }

    /// A binary operation (no integer division, and no shift of vectors) on what is held alike.
    pub fn binary_parts(&mut self, op: BinaryOp, a: &Parts, b: &Parts) -> Parts {
        self.binary_sources(op, a, &b.sources())
    }

    /// The same, the second operand maybe in memory.
    pub fn binary_sources(&mut self, op: BinaryOp, a: &Parts, b: &Sources) -> Parts {
        match a.ty.elem {
            Elem::F16 if self.is_float_of_machine(a.ty) && binary_form(op, a.ty).is_some() => {
                return self.float_binary(op, a, b);
            }
            Elem::F16 | Elem::BF16 => {
                let b = self.in_registers(a.ty, b);
                return self.half_binary(op, a, &b);
            }
            Elem::F32 | Elem::F64 => return self.float_binary(op, a, b),
            _ => {}
        }
        if !a.ty.is_vector() {
            let Src::Reg(b) = b[0] else {
                unreachable!("scalar integers are in registers")
            };
            let value = self.scalar_int_binary(op, a.ty.elem, a.regs[0], Operand2::Reg(b));
            return Parts::scalar(a.ty, value);
        }
        if let Some(op) = direct(self.c.target, op, a.bytes) {
            return self.zip_op(op, a, b);
        }
        let b = match a.ty.elem {
            Elem::Mask => unreachable!("masks have operations on bits only"),
            _ => self.in_registers(a.ty, b),
        };
        self.int_binary(op, a, &b)
    }

    pub fn vector_unary(&mut self, op: UnaryOp, a: &Parts) -> Parts {
        use UnaryOp::*;
        let size = a.size();
        match op {
            Not if a.in_mask_register() => self.mask_not(a),
            Neg => self.negate(a),
            Abs if a.bytes == 8 && self.c.target.masks => self.map_op(&ops::VPABSQ, a),
            Not => {
                let ones = self.c.ones();
                self.map(a, |s, part| s.c.v3(&ops::VPXOR, size, part, ones))
            }
            Abs if a.bytes == 8 => {
                let negated = self.negate(a);
                // The sign bit of each lane chooses.
                self.zip(a, &negated, |s, part, negated| s.blend_by_sign(size, 8, part, negated, part))
            }
            Abs => self.map_op(of_width(a.bytes, [&ops::VPABSB, &ops::VPABSW, &ops::VPABSD, &ops::VPABSD]), a),
            Popcnt => self.count_bits(a),
            ByteSwap => self.swap_bytes(a),
            BitReverse => self.reverse_bits(a),
            Clz => self.leading_zeros(a),
            _ => self.trailing_zeros(a),
        }
    }

    fn negate(&mut self, a: &Parts) -> Parts {
        let (zero, size) = (self.c.zero(), a.size());
        self.map(a, |s, part| s.c.v3(of_width(a.bytes, SUB), size, zero, part))
    }

    fn int_binary(&mut self, op: BinaryOp, a: &Parts, b: &Parts) -> Parts {
        use BinaryOp::*;
        let size = a.size();
        match (op, a.bytes) {
            (Mul, 1) => self.zip(a, b, |s, a, b| s.multiply_bytes(false, size, a, b)),
            (Mul, _) => self.zip(a, b, |s, a, b| s.multiply_quads(size, a, b)),
            (UMulHi | SMulHi, 1) => {
                let signed = op == SMulHi;
                let (wide_a, wide_b) = (self.extend(signed, a), self.extend(signed, b));
                let product = self.binary_parts(Mul, &wide_a, &wide_b);
                let high = self.shift_by_constant(LShr, &product, 8);
                self.truncate(&high, a.ty)
            }
            (UMulHi | SMulHi, _) => self.upper_half_of_any(op, a, b),
            (UMin | UMax | SMin | SMax, _) => {
                let cc = if matches!(op, UMin | UMax) { IntCc::Ugt } else { IntCc::Sgt };
                let greater = self.compare_ints(cc, a, &b.sources());
                let (first, second) = if matches!(op, UMin | SMin) { (b, a) } else { (a, b) };
                self.select_parts(&greater, first, second)
            }
            // What room `b` leaves is added to it, or what there is above it.
            (UAddSat, _) if direct(self.c.target, UMin, a.bytes).is_some() => {
                let room = self.vector_unary(UnaryOp::Not, b);
                let added = self.binary_parts(UMin, a, &room);
                self.binary_parts(Add, &added, b)
            }
            (USubSat, _) if direct(self.c.target, UMax, a.bytes).is_some() => {
                let above = self.binary_parts(UMax, a, b);
                self.binary_parts(Sub, &above, b)
            }
            (UAddSat, _) => {
                let sum = self.binary_parts(Add, a, b);
                let wrapped = self.compare_ints(IntCc::Ult, &sum, &a.sources());
                let wrapped = self.mask_as_lanes(&wrapped, a.bytes);
                self.zip(&sum, &wrapped, |s, sum, wrapped| s.c.v3(&ops::VPOR, size, sum, wrapped))
            }
            (USubSat, _) => {
                let difference = self.binary_parts(Sub, a, b);
                let wrapped = self.compare_ints(IntCc::Ult, a, &b.sources());
                let wrapped = self.mask_as_lanes(&wrapped, a.bytes);
                self.zip(&difference, &wrapped, |s, difference, wrapped| {
                    s.c.v3(&ops::VPANDN, size, wrapped, difference)
                })
            }
            _ => self.signed_saturating(op, a, b),
        }
    }

    fn signed_saturating(&mut self, op: BinaryOp, a: &Parts, b: &Parts) -> Parts {
        let add = op == BinaryOp::SAddSat;
        let size = a.size();
        let wrapped = self.binary_parts(if add { BinaryOp::Add } else { BinaryOp::Sub }, a, b);
        if self.c.target.masks {
            return self.limit_where_wrapped(add, a, b, &wrapped);
        }
        let largest = self.splat_source(size, a.bytes, u64::MAX >> (65 - a.bytes * 8));
        let zero = self.c.zero();
        let regs: Registers = (0..a.regs.len())
            .map(|part| {
                let (x, y, wrapped) = (a.regs[part], b.regs[part], wrapped.regs[part]);
                // It overflows where the result's sign is not the one of `a`, though `b` pulls to that side.
                let changed = self.c.v3(&ops::VPXOR, size, x, wrapped);
                let other = self.c.v3(&ops::VPXOR, size, x, y);
                let overflow = match add {
                    true => self.c.v3(&ops::VPANDN, size, other, changed),
                    false => self.c.v3(&ops::VPAND, size, other, changed),
                };
                let negative = self.greater_lanes(size, a.bytes, zero, x);
                let limit = self.c.v3(&ops::VPXOR, size, negative, largest);
                self.blend_by_sign(size, a.bytes, overflow, limit, wrapped)
            })
            .collect();
        Parts::new(a.ty, a.bytes, regs)
    }

    /// Where a sum or difference has wrapped, its sign is wrong: the limit is on the other side. With mask registers.
    fn limit_where_wrapped(&mut self, add: bool, a: &Parts, b: &Parts, wrapped: &Parts) -> Parts {
        let size = wrapped.size();
        let [of_a, of_b, of_wrapped] = COLUMNS;
        let table = match add {
            true => (of_a ^ of_wrapped) & (of_b ^ of_wrapped),
            false => (of_a ^ of_b) & (of_a ^ of_wrapped),
        };
        let (xor, last) = (direct(self.c.target, BinaryOp::Xor, a.bytes), wrapped.bytes * 8 - 1);
        let smallest = self.splat_source(size, a.bytes, 1 << last);
        let signs = self.shift_by_constant(BinaryOp::AShr, wrapped, last);
        let regs: Registers = (0..a.regs.len())
            .map(|part| {
                let wrapped = wrapped.regs[part];
                let has_wrapped = self.by_table(&ops::VPTERNLOGD, size, [a.regs[part], b.regs[part]], Src::Reg(wrapped), table);
                let more = More {
                    mask: Some(self.signs(size, a.bytes, has_wrapped)),
                    ..More::default()
                };
                let dst = self.c.vec();
                let (into, sign) = (R::Tied(dst, wrapped), R::Use(signs.regs[part]));
                let xor = xor.expect("vectors have it");
                self.c.machine_with(xor, size, into, sign, RmOf::Src(smallest), Imm::No, more);
                dst
            })
            .collect();
        Parts::new(a.ty, a.bytes, regs)
    }

    /// Products of bytes: of the even ones and of the odd ones, in lanes of 16 bits. With bytes that are all the same, the odd ones need not be moved down: what
    /// is above them is lost.
    fn multiply_bytes(&mut self, same: bool, size: Size, a: VReg, b: VReg) -> VReg {
        let low = self.splat_bits(size, 2, 0xff);
        let even = self.c.v3(&ops::VPMULLW, size, a, b);
        let a = self.c.v3(&ops::VPANDN, size, low, a);
        let b = match same {
            true => b,
            false => self.c.v_shift(&ops::VPSHIFTW_I8, 2, size, b, 8),
        };
        let odd = self.c.v3(&ops::VPMULLW, size, a, b);
        if self.c.target.masks {
            return self.choose_bits(&ops::VPTERNLOGD, size, odd, even, Src::Reg(low));
        }
        let even = self.c.v3(&ops::VPAND, size, even, low);
        self.c.v3(&ops::VPOR, size, even, odd)
    }

    /// Products of 64 bits from those of 32.
    fn multiply_quads(&mut self, size: Size, a: VReg, b: VReg) -> VReg {
        let (upper_a, upper_b) = (self.upper_words(size, a), self.upper_words(size, b));
        let low = self.c.v3(&ops::VPMULUDQ, size, a, b);
        let cross = self.c.v3(&ops::VPMULUDQ, size, upper_a, b);
        let other = self.c.v3(&ops::VPMULUDQ, size, a, upper_b);
        let cross = self.c.v3(&ops::VPADDQ, size, cross, other);
        self.add_cross(size, low, cross)
    }

    /// The upper halves of lanes of 64 bits, moved down.
    pub fn upper_words(&mut self, size: Size, a: VReg) -> VReg {
        self.c.v_shift(&ops::VPSHIFTQ_I8, 2, size, a, 32)
    }
}
