//! The bits of one value that another lacks, `~a & b`, are one instruction. So is a value without its lowest bit, `a & a - 1`.

use super::forms::int_size;
use super::ops;
use super::parts::Parts;
use super::selector::Selector;
use ir::{BinaryOp, Elem, Inst, InstData, Type, UnaryOp, Value};
use rustc_hash::FxHashMap;

impl Selector<'_> {
    /// Looks for complements, and numbers one less than others, that only conjunctions of the same block have a use for.
    pub fn find_complements(&mut self, insts: &[Inst]) {
        let func = self.func;
        // By complement: uses that have not been seen.
        let mut open: FxHashMap<Value, u32> = FxHashMap::default();
        for &inst in insts {
            let node = func.inst(inst);
            match node.data {
                InstData::Unary { op: UnaryOp::Not, arg } if self.can_do_without(func.ty(arg)) => {
                    open.insert(node.results[0], self.uses[node.results[0]]);
                }
                InstData::Binary { op: BinaryOp::Add, args } if self.one_more(node.results[0]) == Some(args[0]) => {
                    open.insert(node.results[0], self.uses[node.results[0]]);
                }
                InstData::Binary {
                    op: BinaryOp::And,
                    args: [a, b],
                } => {
                    let joins = |&[arg, other]: &[Value; 2]| open.contains_key(&arg) && self.one_more(arg).is_none_or(|more| more == other);
                    let Some([complement, _]) = [[a, b], [b, a]].into_iter().find(joins) else {
                        continue;
                    };
                    if let Some(unseen) = open.get_mut(&complement) {
                        *unseen -= 1;
                        if *unseen == 0 {
                            self.passed_over.insert(complement);
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// What a scalar is one less than.
    fn one_more(&self, value: Value) -> Option<Value> {
        let ty = self.func.ty(value);
        match self.func.def_data(value)? {
            InstData::Binary { op: BinaryOp::Add, args } if matches!(ty, Type::I32 | Type::I64) => {
                (self.func.signed_constant(args[1]) == Some(-1)).then_some(args[0])
            }
            _ => None,
        }
    }

    /// Conjunctions with complements are as fast as others. Three operations on bits are one under AVX-512, whichever they are
    /// ([`super::ternary`]).
    fn can_do_without(&self, ty: Type) -> bool {
        match ty.elem {
            Elem::Mask => ty.is_vector(),
            Elem::I32 | Elem::I64 if !ty.is_vector() => true,
            elem => ty.is_vector() && elem.is_int() && !self.c.target.masks,
        }
    }

    /// The conjunction of two values, if one of them is a complement, or one less, without a register of its own.
    pub fn conjunction_with_complement(&mut self, args: [Value; 2]) -> Option<Parts> {
        for [less, more] in [args, [args[1], args[0]]] {
            if self.passed_over.contains(&less) && self.one_more(less) == Some(more) {
                let ty = self.func.ty(more);
                let value = self.scalar(more);
                return Some(Parts::scalar(ty, self.c.without_lowest_bit(int_size(ty.elem), value)));
            }
        }
        let (position, inverted) = args.iter().enumerate().find_map(|(position, arg)| match self.func.def_data(*arg) {
            Some(&InstData::Unary {
                op: UnaryOp::Not,
                arg: inner,
            }) if self.passed_over.contains(arg) => Some((position, inner)),
            _ => None,
        })?;
        let other = args[1 - position];
        let ty = self.func.ty(other);
        if !ty.is_vector() {
            let (inverted, other) = (self.scalar(inverted), self.scalar(other));
            return Some(Parts::scalar(ty, self.c.and_not(int_size(ty.elem), inverted, other)));
        }
        let inverted = self.get(inverted);
        if ty.elem != Elem::Mask {
            let other = self.sources(other);
            return Some(self.zip_op(&ops::VPANDN, &inverted, &other));
        }
        let other = self.get_mask(other, inverted.bytes);
        Some(match inverted.in_mask_register() {
            true => self.mask_and_not(&inverted, &other),
            false => self.zip_op(&ops::VPANDN, &inverted, &other.sources()),
        })
    }
}
