//! Division by constants becomes multiplication with their reciprocals, for all back ends; so does division by what stays the same in the
//! loops that divide by it, such as the width of an image that kernels get as an argument.
//!
//! Granlund and Montgomery: Division by Invariant Integers using Multiplication, 1994. The quotient is the upper half of a product, put
//! right by shifts; a remainder is what the quotient's multiple leaves, and shares its quotient. A divisor of zero counts as 1. Powers of
//! two have become shifts before ([`super::fold`]).

use ir::cfg::{Cfg, Loops};
use ir::*;
use rustc_hash::FxHashMap;

/// Replaces. True if something changed.
pub fn run(func: &mut Function) -> bool {
    if !func
        .insts()
        .any(|inst| matches!(func.inst(inst).data, InstData::Binary { op, .. } if op.is_int_division()))
    {
        return false;
    }
    let invariant = Invariant::find(func);
    let mut made: FxHashMap<(Value, bool), Reciprocal> = FxHashMap::default();
    func.expand(|func, block, inst| {
        let InstData::Binary { op, args: [a, divisor] } = func.inst(inst).data else {
            return None;
        };
        if !op.is_int_division() {
            return None;
        }
        let is_signed = matches!(op, BinaryOp::SDiv | BinaryOp::SRem);
        let (quotient, divisor) = if let Some(constant) = func.constant(divisor) {
            let ty = func.ty(a);
            let mut b = Builder::new(func, block);
            let constant = constant.max(1);
            let quotient = match is_signed {
                true => signed(&mut b, a, constant),
                false => unsigned(&mut b, a, constant),
            };
            (quotient, b.constant(ty, constant))
        } else {
            let (scalar, home) = invariant.divisor(func, block, divisor)?;
            let reciprocal = *made.entry((scalar, is_signed)).or_insert_with(|| {
                func.before_end(home, |b| match is_signed {
                    true => Reciprocal::signed(b, scalar),
                    false => Reciprocal::unsigned(b, scalar),
                })
            });
            reciprocal.quotient(&mut Builder::new(func, block), a)
        };
        let mut b = Builder::new(func, block);
        Some(match op {
            BinaryOp::UDiv | BinaryOp::SDiv => quotient,
            _ => {
                let multiple = b.mul(quotient, divisor);
                b.sub(a, multiple)
            }
        })
    })
}

/// What loops divide by without changing it.
struct Invariant {
    /// Blocks by their loops; none where nothing is divided by what is no constant.
    loops: Option<Loops>,
    /// Where scalars are defined that something is divided by.
    home: FxHashMap<Value, Block>,
}

impl Invariant {
    fn find(func: &Function) -> Invariant {
        let mut home = FxHashMap::default();
        for inst in func.insts() {
            if let InstData::Binary { op, args: [_, by] } = func.inst(inst).data
                && op.is_int_division()
                && func.ty(by).elem == Elem::I32
                && func.constant(by).is_none()
            {
                home.insert(scalar_of(func, by), func.entry());
            }
        }
        if home.is_empty() {
            return Invariant { loops: None, home };
        }
        for &block in &func.layout {
            for value in func.values_of(block) {
                home.entry(value).and_modify(|home| *home = block);
            }
        }
        let loops = Some(Loops::new(&Cfg::new(func)));
        Invariant { loops, home }
    }

    /// The scalar that a division in `block` is by in all lanes, and where that is known: before the innermost loop around the division.
    fn divisor(&self, func: &Function, block: Block, by: Value) -> Option<(Value, Block)> {
        let loops = self.loops.as_ref()?;
        let scalar = scalar_of(func, by);
        let home = *self.home.get(&scalar).filter(|_| !func.ty(scalar).is_vector())?;
        let around = loops.innermost[block].filter(|_| func.ty(by).elem == Elem::I32)?;
        (!loops.contains(around as usize, home)).then_some((scalar, home))
    }
}

/// What all lanes are.
fn scalar_of(func: &Function, value: Value) -> Value {
    func.splatted(value).unwrap_or(value)
}

/// What it takes to divide 32 bits by a scalar that is not known yet: scalars.
#[derive(Clone, Copy)]
struct Reciprocal {
    /// The divisor, no zero.
    divisor: Value,
    /// The factor, less 2^32.
    factor: Value,
    /// By how many bits to shift in the end.
    after: Value,
    kind: Kind,
}

#[derive(Clone, Copy)]
enum Kind {
    /// With by how many bits to shift before the sum that makes up for what the factor lacks.
    Unsigned(Value),
    /// With the divisor's sign in all bits.
    Signed(Value),
}

impl Reciprocal {
    fn unsigned(b: &mut Builder, divisor: Value) -> Reciprocal {
        let one = b.i32(1);
        let divisor = b.binary(BinaryOp::UMax, divisor, one);
        let (factor, log) = Self::factor(b, divisor, 0);
        let before = b.binary(BinaryOp::UMin, log, one);
        Reciprocal {
            divisor,
            factor,
            after: b.sub(log, before),
            kind: Kind::Unsigned(before),
        }
    }

    fn signed(b: &mut Builder, divisor: Value) -> Reciprocal {
        let (one, is_zero) = (b.i32(1), b.icmp_imm(IntCc::Eq, divisor, 0));
        let divisor = b.select(is_zero, one, divisor);
        let sign = b.binary_imm(BinaryOp::AShr, divisor, 31);
        let flipped = b.xor(divisor, sign);
        let magnitude = b.sub(flipped, sign);
        let (factor, log) = Self::factor(b, magnitude, 1);
        Reciprocal {
            divisor,
            factor,
            after: b.binary_imm(BinaryOp::Add, log, -1),
            kind: Kind::Signed(sign),
        }
    }

    /// ⌊2^(32 + log - less) / d⌋ + 1 - 2^32 and log, the logarithm of `d` rounded up, which is at least `less`.
    fn factor(b: &mut Builder, divisor: Value, less: i64) -> (Value, Value) {
        let below = b.binary_imm(BinaryOp::Add, divisor, -1);
        let zeros = b.unary(UnaryOp::Clz, below);
        let bits = b.i32(32);
        let log = b.sub(bits, zeros);
        let least = b.i32(less as i32);
        let log = b.binary(BinaryOp::UMax, log, least);
        let wide = b.convert(ConvertOp::ZExt, Elem::I64, divisor);
        let (one, log_wide) = (b.i64(1), b.convert(ConvertOp::ZExt, Elem::I64, log));
        let power = b.binary(BinaryOp::Shl, one, log_wide);
        // Less 2^32 at once where it would not fit: 2^32 (2^log - d) / d.
        let (dividend, shift) = match less {
            0 => (b.sub(power, wide), 32),
            _ => (power, 31),
        };
        let dividend = b.binary_imm(BinaryOp::Shl, dividend, shift);
        let quotient = b.binary(BinaryOp::UDiv, dividend, wide);
        let factor = b.binary_imm(BinaryOp::Add, quotient, 1);
        (b.convert(ConvertOp::Trunc, Elem::I32, factor), log)
    }

    /// The quotient, and the divisor in as many lanes.
    fn quotient(self, b: &mut Builder, a: Value) -> (Value, Value) {
        let ty = b.ty(a);
        let all = |b: &mut Builder, value| if ty.is_vector() { b.splat(ty.lanes, value) } else { value };
        let [divisor, factor, after] = [self.divisor, self.factor, self.after].map(|value| all(b, value));
        let quotient = match self.kind {
            Kind::Unsigned(before) => {
                let before = all(b, before);
                let high = b.binary(BinaryOp::UMulHi, a, factor);
                let rest = b.sub(a, high);
                let rest = b.binary(BinaryOp::LShr, rest, before);
                let sum = b.add(high, rest);
                b.binary(BinaryOp::LShr, sum, after)
            }
            Kind::Signed(sign) => {
                let sign = all(b, sign);
                let high = b.binary(BinaryOp::SMulHi, a, factor);
                let sum = b.add(a, high);
                let shifted = b.binary(BinaryOp::AShr, sum, after);
                let negative = b.binary_imm(BinaryOp::AShr, a, 31);
                let quotient = b.sub(shifted, negative);
                let flipped = b.xor(quotient, sign);
                b.sub(flipped, sign)
            }
        };
        (quotient, divisor)
    }
}

/// A quotient is `a * factor >> shift`.
struct Factor {
    factor: u128,
    shift: u32,
}

impl Factor {
    /// The first one that is right for all numbers of so many bits, with a shift by no less: a multiple of the divisor just above a power of two.
    /// (Granlund and Montgomery, theorem 4.2; with `least` and the divisor's logarithm there always is one.)
    fn of(divisor: u64, bits: u32, least: u32) -> Option<Factor> {
        (least..u128::BITS).find_map(|shift| {
            let factor = (1u128 << shift) / u128::from(divisor) + 1;
            let above = factor * u128::from(divisor) - (1 << shift);
            (shift >= bits && above <= 1 << (shift - bits)).then_some(Factor { factor, shift })
        })
    }

    fn fits(&self, bits: u32) -> bool {
        self.factor >> bits == 0
    }
}

fn unsigned(b: &mut Builder, a: Value, divisor: u64) -> Value {
    if divisor.is_power_of_two() {
        return b.binary_imm(BinaryOp::LShr, a, i64::from(divisor.ilog2()));
    }
    let bits = b.ty(a).elem.bits();
    let used = significant::bits(b.func, a, significant::DEPTH);
    // A product that has no upper half is one instruction, or two.
    let low = Factor::of(divisor, used, used).filter(|low| bits >= 32 && low.shift < bits && low.fits(bits - used));
    if let Some(Factor { factor, shift }) = low {
        let product = b.binary_imm(BinaryOp::Mul, a, factor as i64);
        return b.binary_imm(BinaryOp::LShr, product, i64::from(shift));
    }
    let high = Factor::of(divisor, used, bits).filter(|high| high.fits(bits));
    if let Some(Factor { factor, shift }) = high {
        let high = b.binary_imm(BinaryOp::UMulHi, a, factor as i64);
        return b.binary_imm(BinaryOp::LShr, high, i64::from(shift - bits));
    }
    let zeros = divisor.trailing_zeros();
    if zeros > 0 {
        let shifted = b.binary_imm(BinaryOp::LShr, a, i64::from(zeros));
        return unsigned(b, shifted, divisor >> zeros);
    }
    let log = (divisor - 1).ilog2() + 1;
    // Less 2^bits, which is made up for by adding `a`.
    let reciprocal = ((1u128 << bits) * ((1u128 << log) - u128::from(divisor))) / u128::from(divisor) + 1;
    let high = b.binary_imm(BinaryOp::UMulHi, a, reciprocal as i64);
    let rest = b.sub(a, high);
    let rest = b.binary_imm(BinaryOp::LShr, rest, 1);
    let sum = b.add(high, rest);
    b.binary_imm(BinaryOp::LShr, sum, i64::from(log - 1))
}

fn signed(b: &mut Builder, a: Value, divisor: u64) -> Value {
    let ty = b.ty(a);
    let bits = ty.elem.bits();
    let divisor = eval::signed(ty.elem, divisor);
    let magnitude = match divisor.unsigned_abs() {
        1 if divisor == 1 => return a,
        1 => return b.unary(UnaryOp::Neg, a),
        magnitude => magnitude,
    };
    if significant::bits(b.func, a, significant::DEPTH) < bits {
        let quotient = unsigned(b, a, magnitude);
        return if divisor < 0 { b.unary(UnaryOp::Neg, quotient) } else { quotient };
    }
    let Factor { factor, shift } = Factor::of(magnitude, bits - 1, bits).expect("there is one of as many bits");
    let negative = b.binary_imm(BinaryOp::AShr, a, i64::from(bits - 1));
    let high = if ty.is_vector() && bits == 64 {
        // Vectors have products without a sign: less the factor where `a` is negative.
        let factor = b.constant(ty, factor as u64);
        let high = b.binary(BinaryOp::UMulHi, a, factor);
        let less = b.and(negative, factor);
        b.sub(high, less)
    } else {
        let high = b.binary_imm(BinaryOp::SMulHi, a, eval::signed(ty.elem, factor as u64));
        // Less 2^bits as a number with a sign, here, too.
        if Factor::fits(&Factor { factor, shift }, bits - 1) {
            high
        } else {
            b.add(a, high)
        }
    };
    let shifted = b.binary_imm(BinaryOp::AShr, high, i64::from(shift - bits));
    match divisor < 0 {
        true => b.sub(negative, shifted),
        false => b.sub(shifted, negative),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::parse::parse_function;
    use ir::verify::verify;

    /// What a division by a constant becomes, after folding, of a number of which so many bits are seen to be used.
    fn divided(op: BinaryOp, elem: Elem, used: u32, a: u64, divisor: u64) -> Option<u64> {
        let ty = Type::scalar(elem);
        let mut func = Function::new("f", Level::WorkGroup, &[ty]);
        let entry = func.add_block();
        let param = func.add_param(entry, ty);
        let mut b = Builder::new(&mut func, entry);
        let mut dividend = param;
        if used < elem.bits() {
            dividend = b.binary_imm(BinaryOp::And, param, (elem.bit_mask() >> (elem.bits() - used)) as i64);
        }
        let divisor = b.constant(ty, divisor);
        let result = b.binary(op, dividend, divisor);
        b.ret(&[result]);
        assert!(run(&mut func));
        assert!(!func.to_string().contains(&op.to_string()));
        let constant = func.make_inst_with_results(InstData::Const { ty, bits: a }, Flags::empty(), &[ty]);
        func.block_mut(entry).insts.insert(0, constant);
        let mut map = ValueMap::default();
        map.insert(param, func.result(constant));
        func.substitute(&map);
        crate::fold::run(&mut func);
        match func.terminator(entry) {
            InstData::Return { values } => func.constant(values[0]),
            _ => None,
        }
    }

    /// The same in a loop, by what comes from outside of it.
    fn divided_in_loop(op: BinaryOp, a: u64, divisor: u64) -> Option<u64> {
        let text = format!(
            "function workgroup @f -> i32 {{
block0(v0: i32, v1: i32):
  v2 = lane splat i32x4 v0
  v3 = lane splat i32x4 v1
  jump block1(v2)
block1(v4: i32x4):
  v5 = {op} v4, v3
  v6 = lane extract.0 i32 v5
  v7 = icmp.eq v6, v0
  branch v7, block1(v5), block2
block2:
  return v6
}}"
        );
        let mut func = parse_function(&text).expect("the test's text is IR");
        assert!(run(&mut func));
        verify(&func, None).expect("the pass keeps the rules");
        assert!(!func.to_string().contains(&format!("{op} v4")), "{func}");
        // Once through the loop, with numbers.
        let mut map = ValueMap::default();
        for (index, number) in [a, divisor].into_iter().enumerate() {
            let param = func.params()[index];
            let entry = func.entry();
            let constant = func.make_inst_with_results(
                InstData::Const {
                    ty: Type::I32,
                    bits: number,
                },
                Flags::empty(),
                &[Type::I32],
            );
            func.block_mut(entry).insts.insert(0, constant);
            map.insert(param, func.result(constant));
        }
        let blocks = func.layout.clone();
        let iteration = func.block(blocks[1]).params[0];
        if let InstData::Jump { target } = func.terminator(blocks[0]) {
            map.insert(iteration, target.args[0]);
        }
        func.substitute(&map);
        crate::fold::run(&mut func);
        let last = blocks[2];
        match func.terminator(last) {
            InstData::Return { values } => func.constant(values[0]),
            _ => None,
        }
    }

    #[test]
    fn what_a_loop_divides_by_may_be_any_number() {
        let (ones, sign) = (u64::from(u32::MAX), 1 << 31);
        let numbers = [
            0,
            1,
            2,
            3,
            5,
            7,
            10,
            641,
            65_535,
            65_536,
            sign - 1,
            sign,
            sign + 1,
            ones - 9,
            ones - 1,
            ones,
        ];
        for op in [BinaryOp::UDiv, BinaryOp::SDiv, BinaryOp::URem, BinaryOp::SRem] {
            for &divisor in &numbers {
                for &a in &numbers {
                    let want = eval::binary(op, Elem::I32, a, divisor);
                    assert_eq!(divided_in_loop(op, a, divisor), Some(want), "{a} {op} {divisor}");
                }
            }
        }
    }

    /// As few operations as the dividend's bits and the divisor allow.
    #[test]
    fn quotients_take_what_they_need() {
        let operations = |op: BinaryOp, elem: Elem, used: u32, divisor: u64| {
            let ty = Type::scalar(elem);
            let mut func = Function::new("f", Level::WorkGroup, &[ty]);
            let entry = func.add_block();
            let param = func.add_param(entry, ty);
            let mut b = Builder::new(&mut func, entry);
            let dividend = b.binary_imm(BinaryOp::And, param, (elem.bit_mask() >> (elem.bits() - used)) as i64);
            let divisor = b.constant(ty, divisor);
            let result = b.binary(op, dividend, divisor);
            b.ret(&[result]);
            assert!(run(&mut func));
            let binary = |inst: &Inst| matches!(func.inst(*inst).data, InstData::Binary { op, .. } if op != BinaryOp::And);
            (func.insts().filter(binary).count(), func.to_string().contains("mulhi"))
        };
        assert_eq!(operations(BinaryOp::UDiv, Elem::I32, 32, 10), (2, true));
        assert_eq!(operations(BinaryOp::UDiv, Elem::I32, 32, 14), (3, true));
        assert_eq!(operations(BinaryOp::UDiv, Elem::I32, 32, 7), (5, true));
        assert_eq!(operations(BinaryOp::UDiv, Elem::I32, 31, 7), (2, true));
        assert_eq!(operations(BinaryOp::SDiv, Elem::I32, 16, 10), (2, false));
        assert_eq!(operations(BinaryOp::UDiv, Elem::I64, 32, 10), (2, false));
        assert_eq!(operations(BinaryOp::SDiv, Elem::I16, 16, 10), (4, true));
    }

    #[test]
    fn quotients_and_remainders_are_exact() {
        for op in [BinaryOp::UDiv, BinaryOp::SDiv, BinaryOp::URem, BinaryOp::SRem] {
            for elem in [Elem::I8, Elem::I16, Elem::I32, Elem::I64] {
                let (ones, sign) = (elem.bit_mask(), elem.bit_mask() ^ (elem.bit_mask() >> 1));
                let mut numbers = vec![
                    0,
                    1,
                    2,
                    3,
                    7,
                    10,
                    60,
                    99,
                    100,
                    101,
                    127,
                    sign - 1,
                    sign,
                    sign + 1,
                    ones - 9,
                    ones - 1,
                    ones,
                ];
                if elem == Elem::I8 {
                    numbers.extend((0..256).step_by(5));
                }
                for &divisor in &numbers {
                    for &a in &numbers {
                        for used in [elem.bits(), elem.bits() - 1, elem.bits() / 2, elem.bits() / 2 - 1] {
                            let a = a & elem.bit_mask() >> (elem.bits() - used);
                            let want = eval::binary(op, elem, a, divisor);
                            let is = divided(op, elem, used, a, divisor);
                            assert_eq!(is, Some(want), "{a} {op} {divisor}, {used} bits of {elem:?}");
                        }
                    }
                }
            }
        }
    }
}
