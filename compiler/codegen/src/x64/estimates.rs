//! Quotients and square roots that need not be exact: AVX-512 has instructions for 14 bits of inverses, and Newton's method gives the others.
//!
//! A root and a quotient of 64 bytes of floats take 36 cycles of an Ice Lake, and of doubles 47; an inverse root takes six and nine. A quotient takes
//! 10 and 16 cycles, in which a unit is busy that does nothing else; here it is four and six of those that multiply.
//!
//! AVX has 11 bits of the inverses of floats and of their roots, and none of subnormal ones. That is enough where a result may be rough: an error of 6144
//! units of 8192. Otherwise the estimate and two terms of the series take 0.6 of the time of a root and a quotient on a Zen 4; where subnormal numbers have to be brought
//! up first, nothing is gained.

use super::encode::{Imm, Op, Size};
use super::forms::predicate;
use super::fused_signs::Signs;
use super::machine::{R, RmOf};
use super::ops;
use super::parts::{Parts, Registers};
use super::selector::Selector;
use ir::{BinaryOp, Elem, Flags, Inst, InstData, Type, UnaryOp, Value, eval};
use regalloc2::VReg;
use rustc_hash::FxHashSet;

/// For [`ops::VFIXUPIMMPS`]: what NaNs, zeros and infinities give instead of what is there is themselves.
const SPECIAL_ARE_THEMSELVES: u64 = 0x0011_0122;
/// Instead of roots: the same, but for negative infinity.
const ROOTS_OF_SPECIAL: u64 = 0x0010_0122;

impl Selector<'_> {
    /// Quotients and roots of this type that need not be exact are made of what the machine estimates.
    pub fn has_estimates(&self, ty: Type, flags: Flags) -> bool {
        let target = self.c.target;
        flags.contains(Flags::AFN) && target.masks && target.estimates && ty.is_vector() && matches!(ty.elem, Elem::F32 | Elem::F64)
    }

    /// Looks for roots of vectors of which only the inverse is wanted, approximately.
    pub fn find_inverse_roots(&mut self, insts: &[Inst]) {
        let mut roots: FxHashSet<Value> = FxHashSet::default();
        for &inst in insts {
            let node = self.func.inst(inst);
            match node.data {
                InstData::Unary { op: UnaryOp::Sqrt, .. } => {
                    roots.insert(node.results[0]);
                }
                InstData::Binary {
                    op: BinaryOp::FDiv,
                    args: [one, root],
                } if (self.has_estimates(self.func.ty(root), node.flags) || self.has_rough_inverse_roots(root, node.flags))
                    && self.func.constant(one) == Some(eval::from_f64(self.func.ty(one).elem, 1.0))
                    && self.uses[root] == 1
                    && roots.contains(&root)
                    && self.root_of(root).is_some() =>
                {
                    self.passed_over.insert(root);
                }
                _ => {}
            }
        }
    }

    /// Whether a quotient is the inverse of a root that was passed over for it.
    pub fn is_inverse_root(&self, [_, divisor]: [Value; 2]) -> bool {
        self.passed_over.contains(&divisor) && self.root_of(divisor).is_some()
    }

    /// Whether a quotient is an inverse of which the machine's estimate is enough.
    pub fn is_rough_inverse(&self, [one, divisor]: [Value; 2], flags: Flags) -> bool {
        let (ty, target) = (self.func.ty(divisor), self.c.target);
        let is_rough = flags.contains(Flags::AFN | Flags::ROUGH) && target.estimates && ty.is_vector() && ty.elem == Elem::F32;
        is_rough && self.func.constant(one) == Some(eval::from_f64(ty.elem, 1.0))
    }

    /// What a vector of floats or doubles is the square root of.
    pub fn root_of(&self, root: Value) -> Option<Value> {
        let ty = self.func.ty(root);
        match self.func.def_data(root) {
            Some(&InstData::Unary { op: UnaryOp::Sqrt, arg }) if ty.is_vector() => Some(arg),
            _ => None,
        }
    }

    /// A quotient, within a unit or two (or 2^-14, where it may be short) where neither it nor the inverse of the divisor is out of range.
    /// Zeros, infinities and NaNs are what they ought to be.
    pub fn estimated_quotient(&mut self, [dividend, divisor]: [Value; 2], flags: Flags) -> Parts {
        let ty = self.func.ty(dividend);
        let of_one = self.func.constant(dividend) == Some(eval::from_f64(ty.elem, 1.0));
        if of_one && let Some(parts) = self.inverse_root(divisor, flags) {
            return parts;
        }
        if self.is_rough_inverse([dividend, divisor], flags) {
            let y = self.get(divisor);
            return self.map_op(if self.c.target.masks { &ops::VRCP14PS } else { &ops::VRCPPS }, &y);
        }
        let y = self.sources(divisor);
        let y = self.in_registers(ty, &y);
        let x = (!of_one).then(|| {
            let x = self.sources(dividend);
            self.in_registers(ty, &x)
        });
        let [estimate, product] = match ty.elem {
            Elem::F64 => [&ops::VRCP14PD, &ops::VMULPD],
            _ => [&ops::VRCP14PS, &ops::VMULPS],
        };
        if flags.contains(Flags::SHORT) {
            // Of special numbers these are right.
            let inverse = self.map_op(estimate, &y);
            let Some(x) = x else { return inverse };
            let regs: Registers = (0..x.regs.len())
                .map(|part| self.c.v3(product, y.size(), x.regs[part], inverse.regs[part]))
                .collect();
            return Parts::new(ty, y.bytes, regs);
        }
        let size = y.size();
        let one = self.splat_bits(size, y.bytes, eval::from_f64(ty.elem, 1.0));
        let regs: Registers = (0..y.regs.len())
            .map(|part| {
                let y = y.regs[part];
                let inverse = self.c.v2(estimate, size, y);
                let error = self.fused(ty, MINUS, y, inverse, one);
                // x r (1 + e + e^2 + e^3 ...) for e = 1 - y r: 28 bits by the first term, 56 by three.
                let series = match ty.elem {
                    Elem::F64 => {
                        let two = self.fused(ty, PLUS, error, error, error);
                        self.fused(ty, PLUS, two, error, error)
                    }
                    _ => error,
                };
                let rough = match &x {
                    Some(x) => self.c.v3(product, size, x.regs[part], inverse),
                    None => inverse,
                };
                let refined = self.fused(ty, PLUS, rough, series, rough);
                self.fixed_up(ty, size, refined, rough, SPECIAL_ARE_THEMSELVES)
            })
            .collect();
        Parts::new(ty, y.bytes, regs)
    }

    /// A square root, within a unit or two, or 2^-14 where it may be short.
    pub fn estimated_root(&mut self, arg: Value, flags: Flags) -> Parts {
        let x = self.get(arg);
        let (ty, size) = (x.ty, x.size());
        let [guess, product] = inverse_root_ops(ty);
        if flags.contains(Flags::SHORT) {
            return self.map(&x, |s, x| {
                let y = s.c.v2(guess, size, x);
                let root = s.c.v3(product, size, x, y);
                s.fixed_up(ty, size, root, x, ROOTS_OF_SPECIAL)
            });
        }
        let number = |s: &mut Self, value: f64| s.splat_bits(size, x.bytes, eval::from_f64(ty.elem, value));
        let [one, half] = [1.0, 0.5].map(|value| number(self, value));
        self.map(&x, |s, x| {
            // x y (1 + e/2 + 3/8 e^2 + 5/16 e^3 ...) for e = 1 - x y^2.
            let y = s.c.v2(guess, size, x);
            let root = s.c.v3(product, size, x, y);
            let error = s.fused(ty, MINUS, root, y, one);
            let refined = s.corrected(ty, size, root, error, half);
            s.fixed_up(ty, size, refined, x, ROOTS_OF_SPECIAL)
        })
    }

    /// `guess * (1 + e/2 + 3/8 e^2 + 5/16 e^3)` for a small error e: 28 bits by the first term, 54 by all three.
    fn corrected(&mut self, ty: Type, size: Size, guess: VReg, error: VReg, half: VReg) -> VReg {
        if ty.elem == Elem::F32 {
            let part = self.c.v3(&ops::VMULPS, size, guess, half);
            return self.fused(ty, PLUS, part, error, guess);
        }
        let [second, third] = [3.0f64 / 8.0, 5.0 / 16.0].map(|value| self.splat_bits(size, 8, value.to_bits()));
        let series = self.fused(ty, PLUS, error, third, second);
        let series = self.fused(ty, PLUS, series, error, half);
        let part = self.c.v3(&ops::VMULPD, size, guess, error);
        self.fused(ty, PLUS, part, series, guess)
    }

    /// The inverse of a root that was passed over for it.
    fn inverse_root(&mut self, divisor: Value, flags: Flags) -> Option<Parts> {
        let arg = self.root_of(divisor).filter(|_| self.passed_over.contains(&divisor))?;
        let x = self.get(arg);
        let (ty, size) = (x.ty, x.size());
        let [guess, product] = match self.c.target.masks {
            true => inverse_root_ops(ty),
            false => [&ops::VRSQRTPS, &ops::VMULPS],
        };
        if flags.contains(Flags::ROUGH) {
            return Some(self.map_op(guess, &x));
        }
        if !self.c.target.masks {
            return Some(self.rough_inverse_root(&x));
        }
        let number = |s: &mut Self, value: f64| s.splat_bits(size, x.bytes, eval::from_f64(ty.elem, value));
        let [one, half] = [1.0, 0.5].map(|value| number(self, value));
        let inverse = self.map(&x, |s, x| {
            let y = s.c.v2(guess, size, x);
            // The same series, times y.
            let root = s.c.v3(product, size, x, y);
            let error = s.fused(ty, MINUS, root, y, one);
            let refined = s.corrected(ty, size, y, error, half);
            s.fixed_up(ty, size, refined, y, SPECIAL_ARE_THEMSELVES)
        });
        Some(inverse)
    }

    /// The inverse of this root may be what AVX makes of an estimate.
    fn has_rough_inverse_roots(&self, root: Value, flags: Flags) -> bool {
        let (ty, target) = (self.func.ty(root), self.c.target);
        let def = self.func.def_inst(root);
        let both = def.is_some_and(|inst| (self.func.inst(inst).flags & flags).contains(Flags::AFN));
        both && target.estimates && ty.is_vector() && ty.elem == Elem::F32
    }

    /// Inverses of roots by AVX's estimates, within a unit or two; those of subnormal numbers are infinite.
    fn rough_inverse_root(&mut self, x: &Parts) -> Parts {
        let (ty, size) = (x.ty, x.size());
        let [one, half, second] = [1.0, 0.5, 3.0 / 8.0].map(|value| self.splat_bits(size, x.bytes, eval::from_f64(ty.elem, value)));
        self.map(x, |s, x| {
            // y (1 + e/2 + 3/8 e^2) for e = 1 - x y^2.
            let y = s.c.v2(&ops::VRSQRTPS, size, x);
            let root = s.c.v3(&ops::VMULPS, size, x, y);
            let error = s.fused(ty, MINUS, root, y, one);
            let series = s.fused(ty, PLUS, error, second, half);
            let part = s.c.v3(&ops::VMULPS, size, y, error);
            let refined = s.fused(ty, PLUS, part, series, y);
            s.where_number(size, refined, y)
        })
    }

    /// `refined`, or where that is no number `estimate`: of zeros, infinities and NaNs the estimate is right, and what is made of it is no number.
    pub fn where_number(&mut self, size: Size, refined: VReg, estimate: VReg) -> VReg {
        let special = self.c.v3i(&ops::VCMPPS, size, refined, refined, predicate::UNORD);
        self.blend(size, 4, special, estimate, refined)
    }

    /// `value`, but where `source` is special what `table` says ([`ops::VFIXUPIMMPS`]).
    fn fixed_up(&mut self, ty: Type, size: Size, value: VReg, source: VReg, table: u64) -> VReg {
        let op = if ty.elem == Elem::F64 {
            &ops::VFIXUPIMMPD
        } else {
            &ops::VFIXUPIMMPS
        };
        let table = self.spread_source(size, ty.elem.bytes(), table);
        let fixed = self.c.vec();
        let (place, source) = (R::Tied(fixed, value), R::Use(source));
        self.c.machine(op, size, place, source, RmOf::Src(table), Imm::I8(0));
        fixed
    }

    /// a * b + c of whole registers, with these signs.
    pub fn fused(&mut self, ty: Type, signs: Signs, a: VReg, b: VReg, c: VReg) -> VReg {
        let [_, _, [ps, pd, ..]] = signs.ops();
        let op = if ty.elem == Elem::F64 { pd } else { ps };
        let size = self.part_size(ty.lanes, ty.elem.bytes());
        self.c.v3_tied(op, size, c, a, b)
    }
}

/// `c - a * b`.
pub const MINUS: Signs = Signs {
    product: true,
    addend: false,
};
/// `a * b + c`.
pub const PLUS: Signs = Signs {
    product: false,
    addend: false,
};

/// The estimate of inverse roots, and products.
fn inverse_root_ops(ty: Type) -> [&'static Op; 2] {
    match ty.elem {
        Elem::F64 => [&ops::VRSQRT14PD, &ops::VMULPD],
        _ => [&ops::VRSQRT14PS, &ops::VMULPS],
    }
}
