//! Both halves of products of 32-bit lanes, `a * b` and `mul_hi(a, b)`, from the same products of even and of odd lanes in 64 bits; and products of
//! 64-bit lanes whose factors have 32 bits.

use super::arithmetic::DEPTH;
use super::encode::Size;
use super::machine::Src;
use super::ops;
use super::parts::{Parts, Registers};
use super::selector::Selector;
use ir::{BinaryOp, ConvertOp, Elem, Inst, InstData, Value};
use regalloc2::VReg;
use rustc_hash::FxHashMap;

/// Products of the current block of which both halves are wanted.
#[derive(Default)]
pub struct Products {
    /// With whether the upper half is a signed one's.
    wanted: FxHashMap<[Value; 2], bool>,
    /// Those of even and of odd lanes, once one of the halves was.
    made: FxHashMap<[Value; 2], Vec<[VReg; 2]>>,
    /// What is made of both halves of products that nothing else wants.
    parts: FxHashMap<Value, PartOfProduct>,
}

/// The 32 bits of products in 64 bits that are so many bits above the lowest.
#[derive(Clone, Copy)]
pub struct PartOfProduct {
    signed: bool,
    factors: [Value; 2],
    by: u8,
}

/// The same for either order of the factors.
fn factors(args: [Value; 2]) -> [Value; 2] {
    [args[0].min(args[1]), args[0].max(args[1])]
}

impl Selector<'_> {
    /// Looks for products of which both halves are wanted.
    pub fn find_products(&mut self, insts: &[Inst]) {
        self.products.wanted.clear();
        self.products.made.clear();
        self.find_parts_of_products(insts);
        let mut seen: FxHashMap<[Value; 2], [bool; 3]> = FxHashMap::default();
        for &inst in insts {
            if let InstData::Binary { op, args } = self.func.inst(inst).data
                && let Some(half) = [BinaryOp::Mul, BinaryOp::UMulHi, BinaryOp::SMulHi]
                    .iter()
                    .position(|&half| half == op)
                && self.func.ty(args[0]).is_vector()
                && self.func.ty(args[0]).elem == Elem::I32
                && !self.passed_over.contains(&self.func.result(inst))
            {
                seen.entry(factors(args)).or_default()[half] = true;
            }
        }
        let both = |halves: [bool; 3]| halves[0] && halves[1] != halves[2];
        let wanted = seen
            .into_iter()
            .filter(|&(_, halves)| both(halves))
            .map(|(args, halves)| (args, halves[2]));
        self.products.wanted.extend(wanted);
    }

    /// Looks for `mul_hi(a, b) << (32 - n) | (a * b) >> n`.
    fn find_parts_of_products(&mut self, insts: &[Inst]) {
        self.products.parts.clear();
        for &inst in insts {
            let InstData::Binary { op: BinaryOp::Or, args } = self.func.inst(inst).data else {
                continue;
            };
            let result = self.func.result(inst);
            let ty = self.func.ty(result);
            if !ty.is_vector() || ty.elem != Elem::I32 || self.ternaries.contains_key(&result) || self.passed_over.contains(&result) {
                continue;
            }
            let swapped = [args[1], args[0]];
            let found = [args, swapped].into_iter().find_map(|args| self.part_of(args));
            if let Some((part, between)) = found
                && between
                    .iter()
                    .all(|value| insts.iter().any(|&inst| self.func.def_inst(*value) == Some(inst)))
            {
                self.passed_over.extend(between);
                self.products.parts.insert(result, part);
            }
        }
    }

    /// The part that the lower bits of the first and the upper ones of the second are, and what is between the factors and that, if nothing else wants it.
    fn part_of(&self, [above, below]: [Value; 2]) -> Option<(PartOfProduct, [Value; 4])> {
        let only = |value: Value| match self.func.def_data(value) {
            Some(&InstData::Binary { op, args }) if self.uses[value] == 1 && !self.passed_over.contains(&value) => Some((op, args)),
            _ => None,
        };
        let ((BinaryOp::Shl, [high, up]), (BinaryOp::LShr, [low, down])) = (only(above)?, only(below)?) else {
            return None;
        };
        let ((upper, factors), (BinaryOp::Mul, others)) = (only(high)?, only(low)?) else {
            return None;
        };
        let signed = match upper {
            BinaryOp::SMulHi => true,
            BinaryOp::UMulHi => false,
            _ => return None,
        };
        let [up, down] = [self.func.constant(up)?, self.func.constant(down)?];
        let part = PartOfProduct {
            signed,
            factors,
            by: down as u8,
        };
        let is_part = up + down == 32 && (1..32).contains(&down) && self::factors(factors) == self::factors(others);
        is_part.then_some((part, [above, below, high, low]))
    }

    /// What [`find_products`](Self::find_products) has found: products of even and of odd words, moved to where they belong.
    pub fn part_of_product(&mut self, result: Value) -> Option<Parts> {
        let &PartOfProduct { signed, factors, by } = self.products.parts.get(&result)?;
        let [a, b] = factors.map(|factor| self.get(factor));
        let odd_a = self.odd_words(factors[0], &a);
        let odd_b = match factors[0] == factors[1] {
            true => odd_a.clone(),
            false => self.odd_words(factors[1], &b),
        };
        let (size, op) = (a.size(), if signed { &ops::VPMULDQ } else { &ops::VPMULUDQ });
        let regs: Registers = (0..a.regs.len())
            .map(|part| {
                let even = self.c.v3(op, size, a.regs[part], b.regs[part]);
                let odd = self.c.v3(op, size, odd_a[part], odd_b[part]);
                let even = self.c.v_shift(&ops::VPSHIFTQ_I8, 2, size, even, by);
                let odd = self.c.v_shift(&ops::VPSHIFTQ_I8, 6, size, odd, 32 - by);
                if self.c.target.masks {
                    let upper = self.splat_bits(size, 8, 0xffff_ffff << 32);
                    self.choose_bits(&ops::VPTERNLOGD, size, even, odd, Src::Reg(upper))
                } else {
                    self.blend_words(size, even, odd, 0b1010_1010)
                }
            })
            .collect();
        Some(Parts::new(a.ty, a.bytes, regs))
    }

    /// A product of 64-bit lanes, if the machine has one for what its factors are known to be: numbers of 32 bits, with their signs or without.
    /// Where it has none of any numbers, one such factor, or a constant, spares a part of the work.
    pub fn product_of_words(&mut self, [a, b]: [Value; 2]) -> Option<Parts> {
        let is_word = |s: &Self, value: Value| s.significant_bits(value, DEPTH) <= 32;
        let [any, known] = if is_word(self, a) { [b, a] } else { [a, b] };
        let op = match [any, known].map(|factor| is_word(self, factor)) {
            [true, true] => Some(&ops::VPMULUDQ),
            _ if self.is_signed_word(a) && self.is_signed_word(b) => Some(&ops::VPMULDQ),
            _ => None,
        };
        if let Some(op) = op {
            let [left, right] = [any, known].map(|factor| self.get(factor));
            return Some(self.zip_op(op, &left, &right.sources()));
        }
        let constant = self.func.constant(known);
        let natural = is_word(self, known);
        if self.c.target.masks || !natural && constant.is_none() {
            return None;
        }
        let [left, right] = [any, known].map(|factor| self.get(factor));
        let upper = constant
            .filter(|_| !natural)
            .map(|bits| self.constant(right.ty, bits >> 32).regs[0]);
        let size = left.size();
        Some(self.zip(&left, &right, |s, a, b| {
            let low = s.c.v3(&ops::VPMULUDQ, size, a, b);
            let upper_a = s.upper_words(size, a);
            let mut cross = s.c.v3(&ops::VPMULUDQ, size, upper_a, b);
            if let Some(upper) = upper {
                let other = s.c.v3(&ops::VPMULUDQ, size, a, upper);
                cross = s.c.v3(&ops::VPADDQ, size, cross, other);
            }
            s.add_cross(size, low, cross)
        }))
    }

    /// A number of 64 bits that 32 bits hold with its sign, as far as one sees from what it is made by.
    fn is_signed_word(&self, value: Value) -> bool {
        if let Some(number) = self.func.signed_constant(value) {
            return i32::try_from(number).is_ok();
        }
        match self.func.def_data(value) {
            Some(&InstData::Convert {
                op: ConvertOp::SExt, arg, ..
            }) => self.func.ty(arg).elem.is_int(),
            Some(&InstData::Binary {
                op: BinaryOp::AShr,
                args: [_, by],
            }) => self.func.constant(by).is_some_and(|by| (32..64).contains(&by)),
            _ => self.significant_bits(value, DEPTH) < 32,
        }
    }

    /// Products of lower words, and of upper by lower ones.
    pub fn add_cross(&mut self, size: Size, low: VReg, cross: VReg) -> VReg {
        let cross = self.c.v_shift(&ops::VPSHIFTQ_I8, 6, size, cross, 32);
        self.c.v3(&ops::VPADDQ, size, low, cross)
    }

    /// A half of a product, if both are wanted.
    pub fn half_of_product(&mut self, op: BinaryOp, args: [Value; 2]) -> Option<Parts> {
        let key = factors(args);
        let signed = *self.products.wanted.get(&key)?;
        let ty = self.func.ty(key[0]);
        let [a, b] = key.map(|arg| self.get(arg));
        let size = a.size();
        if !self.products.made.contains_key(&key) {
            let op = if signed { &ops::VPMULDQ } else { &ops::VPMULUDQ };
            let [odd_a, odd_b] = [(key[0], &a), (key[1], &b)].map(|(value, parts)| self.odd_words(value, parts));
            let made = (0..a.regs.len())
                .map(|part| {
                    let even = self.c.v3(op, size, a.regs[part], b.regs[part]);
                    [even, self.c.v3(op, size, odd_a[part], odd_b[part])]
                })
                .collect();
            self.products.made.insert(key, made);
        }
        let made = self.products.made[&key].clone();
        let regs: Registers = made
            .into_iter()
            .map(|words| self.join_words(size, op != BinaryOp::Mul, words))
            .collect();
        Some(Parts::new(ty, a.bytes, regs))
    }

    /// All lanes of a vector are seen to be the same.
    pub fn is_same(&self, value: Value) -> bool {
        self.func.constant(value).is_some() || self.func.splatted(value).is_some()
    }

    /// Odd words where even ones were. Lanes that are all the same are there already.
    pub fn odd_words(&mut self, value: Value, parts: &Parts) -> Registers {
        let (same, size) = (self.is_same(value), parts.size());
        let regs = parts.regs.iter();
        regs.map(|&part| if same { part } else { self.upper_words(size, part) }).collect()
    }

    /// The upper or the lower halves of products of even and of odd words, each in its place.
    pub fn join_words(&mut self, size: Size, upper: bool, [even, odd]: [VReg; 2]) -> VReg {
        if self.c.target.masks {
            // The words of the second register have the numbers after those of the first.
            let words = size.bytes() as usize / 4;
            let number = |word: usize| 2 * (word / 2) + usize::from(upper) + if word % 2 == 1 { words } else { 0 };
            let control = self.vector_constant(size, |byte| if byte % 4 == 0 { number(byte / 4) as u8 } else { 0 });
            return self.c.v3_tied(&ops::VPERMT2D, size, even, control, odd);
        }
        let [even, odd] = match upper {
            true => [self.upper_words(size, even), odd],
            false => [even, self.c.v_shift(&ops::VPSHIFTQ_I8, 6, size, odd, 32)],
        };
        self.blend_words(size, even, odd, 0xaaaa)
    }
}
