//! Inverse square roots that need not be exact: AVX-512 has an instruction for 14 bits of them, and Newton's method gives the others.
//!
//! A root and a quotient of 64 bytes of floats take 36 cycles of an Ice Lake, and of doubles 47; this takes six and nine.

use super::forms::{mask_compare_op, predicate};
use super::fused_signs::Signs;
use super::ops;
use super::parts::{Parts, Registers};
use super::selector::Selector;
use ir::{BinaryOp, Elem, Flags, Inst, InstData, Type, UnaryOp, Value, eval};
use regalloc2::VReg;
use rustc_hash::FxHashSet;

impl Selector<'_> {
    /// Looks for roots of vectors of which only the inverse is wanted, approximately.
    pub fn find_inverse_roots(&mut self, insts: &[Inst]) {
        if !self.c.target.masks || !self.c.target.estimates {
            return;
        }
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
                } if node.flags.contains(Flags::AFN)
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

    /// What a vector of floats or doubles is the square root of.
    fn root_of(&self, root: Value) -> Option<Value> {
        let ty = self.func.ty(root);
        match self.func.def_data(root) {
            Some(&InstData::Unary { op: UnaryOp::Sqrt, arg }) if ty.is_vector() && matches!(ty.elem, Elem::F32 | Elem::F64) => Some(arg),
            _ => None,
        }
    }

    /// The inverse of a root that was passed over for it.
    pub fn inverse_root(&mut self, divisor: Value) -> Option<Parts> {
        let arg = self.root_of(divisor).filter(|_| self.passed_over.contains(&divisor))?;
        let x = self.get(arg);
        let (ty, size) = (x.ty, x.size());
        let [guess, product] = match ty.elem {
            Elem::F64 => [&ops::VRSQRT14PD, &ops::VMULPD],
            _ => [&ops::VRSQRT14PS, &ops::VMULPS],
        };
        let number = |s: &mut Self, value: f64| s.splat_bits(size, x.bytes, eval::from_f64(ty.elem, value));
        let (minus, plus) = (
            Signs {
                product: true,
                addend: false,
            },
            Signs::default(),
        );
        let [one, half] = [1.0, 0.5].map(|value| number(self, value));
        let guesses = self.map_op(guess, &x);
        let regs: Registers = x
            .regs
            .iter()
            .zip(&guesses.regs)
            .map(|(&x, &y)| {
                // y (1 + e/2 + 3/8 e^2 + 5/16 e^3 ...) for e = 1 - x y^2: 28 bits by the first term, 54 by all three.
                let root = self.c.v3(product, size, x, y);
                let error = self.fused(ty, minus, root, y, one);
                if ty.elem == Elem::F32 {
                    let part = self.c.v3(product, size, y, half);
                    return self.fused(ty, plus, part, error, y);
                }
                let [second, third] = [3.0 / 8.0, 5.0 / 16.0].map(|value| number(self, value));
                let series = self.fused(ty, plus, error, third, second);
                let series = self.fused(ty, plus, series, error, half);
                let part = self.c.v3(product, size, y, error);
                self.fused(ty, plus, part, series, y)
            })
            .collect();
        let refined = Parts::new(ty, x.bytes, regs);
        // What the instruction gives of 0 and infinity stays as it is; of negative numbers both are no numbers.
        let special = self.compare_to_mask(mask_compare_op(ty), &refined, &refined.sources(), predicate::UNORD);
        Some(self.select_parts(&special, &guesses, &refined))
    }

    /// a * b + c of whole registers, with these signs.
    fn fused(&mut self, ty: Type, signs: Signs, a: VReg, b: VReg, c: VReg) -> VReg {
        let [_, _, [ps, pd, ..]] = signs.ops();
        let op = if ty.elem == Elem::F64 { pd } else { ps };
        let size = self.part_size(ty.lanes, ty.elem.bytes());
        self.c.v3_tied(op, size, c, a, b)
    }
}
