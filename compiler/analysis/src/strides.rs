//! Addresses that are consecutive unless a 32-bit index wraps.
//!
//! `a[i + 1u]` widens an index of 32 bits that may wrap between two lanes as far as anyone can prove. Where it does, the two lanes'
//! addresses are 2^32 elements apart (less a gang): no object is that large (local and private memory never are; of other memory the
//! launch says so). So lanes that do access memory lie one behind the other, counted from any one of them.
//!
//! Computed from a function and its [`Uniformity`]; stale when either is.

use super::facts::GangFacts;
use super::uniformity::{Extent, Shape, Uniformity};
use cranelift_entity::SecondaryMap;
use ir::cfg::Cfg;
use ir::*;

/// How the lanes' addresses lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// All the same.
    One,
    /// Each an element behind the one before.
    Consecutive,
    /// The same of those lanes that do access something.
    ConsecutiveWhereActive,
    /// Anywhere.
    Scattered,
}

/// From lane to lane, how far apart addresses are; of values that are neither uniform nor linear.
#[derive(Clone, Debug, PartialEq)]
pub struct Strides {
    known: SecondaryMap<Value, State>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Unseen,
    Stride(i64),
    Unknown,
}

impl Strides {
    /// Computes them.
    pub fn new(func: &Function, cfg: &Cfg, uniformity: &Uniformity) -> Strides {
        let mut this = Strides {
            known: func.per_value(State::default()),
        };
        loop {
            let mut changed = false;
            for &block in &cfg.order {
                for &inst in &func.block(block).insts {
                    let node = func.inst(inst);
                    if let &[result] = node.results.as_slice()
                        && uniformity.shape(result) == Shape::Varying
                    {
                        let state = this.transfer(func, uniformity, &node.data);
                        changed |= this.raise(result, state);
                    }
                }
                for call in func.terminator(block).targets() {
                    // Lanes that have come by different ways bring values that have nothing to do with each other.
                    let apart = uniformity.joined(call.block) == Extent::Lane;
                    for (&arg, &param) in call.args.iter().zip(&func.block(call.block).params) {
                        if uniformity.shape(param) == Shape::Varying {
                            let state = if apart { State::Unknown } else { this.state(uniformity, arg) };
                            changed |= this.raise(param, state);
                        }
                    }
                }
            }
            if !changed {
                return this;
            }
        }
    }

    /// How far apart two neighbours' values are, if nothing wraps when it is widened.
    pub fn of(&self, uniformity: &Uniformity, value: Value) -> Option<i64> {
        match self.state(uniformity, value) {
            State::Stride(stride) => Some(stride),
            _ => None,
        }
    }

    fn state(&self, uniformity: &Uniformity, value: Value) -> State {
        match uniformity.shape(value) {
            Shape::Uniform(_) => State::Stride(0),
            Shape::Linear { stride, .. } => State::Stride(stride),
            Shape::Varying => self.known[value],
        }
    }

    fn raise(&mut self, value: Value, state: State) -> bool {
        let old = self.known[value];
        let new = match (old, state) {
            (State::Unseen, new) => new,
            (old, State::Unseen) => old,
            (a, b) if a == b => a,
            _ => State::Unknown,
        };
        self.known[value] = new;
        new != old
    }

    fn transfer(&self, func: &Function, uniformity: &Uniformity, data: &InstData) -> State {
        let state = |value: Value| self.state(uniformity, value);
        let map = |value: Value, f: &dyn Fn(i64) -> Option<i64>| match state(value) {
            State::Stride(stride) => f(stride).map_or(State::Unknown, State::Stride),
            other => other,
        };
        match *data {
            InstData::Convert {
                op: ConvertOp::SExt | ConvertOp::ZExt,
                ty,
                arg,
                ..
            } if ty.elem == Elem::I64 && func.ty(arg).elem == Elem::I32 => map(arg, &Some),
            InstData::Binary { op, args: [a, b] } if func.ty(a).elem == Elem::I64 => match op {
                BinaryOp::Add | BinaryOp::Sub => match (state(a), state(b)) {
                    (State::Stride(x), State::Stride(y)) => {
                        let sum = if op == BinaryOp::Add { x.checked_add(y) } else { x.checked_sub(y) };
                        sum.map_or(State::Unknown, State::Stride)
                    }
                    (State::Unknown, _) | (_, State::Unknown) => State::Unknown,
                    _ => State::Unseen,
                },
                BinaryOp::Mul => match (func.signed_constant(a), func.signed_constant(b)) {
                    (_, Some(factor)) => map(a, &|stride| stride.checked_mul(factor)),
                    (Some(factor), _) => map(b, &|stride| stride.checked_mul(factor)),
                    _ => State::Unknown,
                },
                BinaryOp::Shl => match func.constant(b) {
                    Some(amount) if amount < 31 => map(a, &|stride| stride.checked_mul(1 << amount)),
                    _ => State::Unknown,
                },
                _ => State::Unknown,
            },
            _ => State::Unknown,
        }
    }

    /// How the lanes' addresses lie, for elements of `bytes` each.
    pub fn access(&self, func: &Function, uniformity: &Uniformity, facts: &GangFacts, access: (&Address, MemInfo, u32)) -> Access {
        let (address, _, bytes) = access;
        match bytes_between(func, uniformity, address) {
            Some(0) if uniformity.shape(address.base).is_uniform() => Access::One,
            Some(stride) if stride == i64::from(bytes) => Access::Consecutive,
            _ if self.are_consecutive(func, uniformity, facts, access) => Access::ConsecutiveWhereActive,
            _ => Access::Scattered,
        }
    }

    /// Neighbours access neighbouring elements of `bytes` each, or one of them nothing.
    fn are_consecutive(&self, func: &Function, uniformity: &Uniformity, facts: &GangFacts, access: (&Address, MemInfo, u32)) -> bool {
        let (address, mem, bytes) = access;
        let small = facts.small_objects || matches!(mem.space, Space::Local | Space::Private);
        small && self.between(func, uniformity, address) == Some(i64::from(bytes))
    }

    /// How far apart two neighbours' addresses are, if nothing wraps when it is widened.
    pub fn between(&self, func: &Function, uniformity: &Uniformity, address: &Address) -> Option<i64> {
        let base = self.of(uniformity, address.base)?;
        let index = address.index.map_or(Some(0), |index| {
            let known = matches!(func.ty(index).elem, Elem::I32 | Elem::I64);
            self.of(uniformity, index).filter(|_| known)
        })?;
        base.checked_add(index.checked_mul(i64::from(address.scale))?)
    }
}

/// How far each lane's address is behind the one before, where that is known of all of them, active or not.
pub fn bytes_between(func: &Function, uniformity: &Uniformity, address: &Address) -> Option<i64> {
    let stride = |shape: Shape| match shape {
        Shape::Uniform(_) => Some(0i64),
        Shape::Linear { stride, .. } => Some(stride),
        Shape::Varying => None,
    };
    let of_index = match address.index {
        None => 0,
        Some(index) => match uniformity.shape(index) {
            // It is sign-extended before it is scaled.
            Shape::Linear { no_signed_wrap: false, .. } if func.ty(index).elem != Elem::I64 => return None,
            shape => stride(shape)?,
        },
    };
    stride(uniformity.shape(address.base))?.checked_add(of_index.checked_mul(i64::from(address.scale))?)
}
