//! Where loads and stores go: how the lanes of a gang lie ([`Accesses`]), how the iterations of a loop do ([`iterations`]), which objects
//! they go to ([`objects`]), which of them registers hold ([`tables`]), and what addresses are made of ([`in_addresses`]).
//!
//! `a[i + 1u]` widens an index of 32 bits that may wrap between two lanes as far as anyone can prove. Where it does, the two lanes'
//! addresses are 2^32 elements apart (less a gang): no object is that large (local and private memory never are; of other memory the
//! launch says so). So lanes that do access memory lie one behind the other, counted from any one of them.

pub mod iterations;
pub mod objects;
pub mod tables;

use super::GangFacts;
use super::uniformity::{Extent, Shape, Uniformity};
use cranelift_entity::SecondaryMap;
use ir::cfg::Cfg;
use ir::*;
use tables::Lookup;

/// How the lanes' addresses lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneOrder {
    /// All the same.
    One,
    /// Each an element behind the one before.
    Consecutive,
    /// The same of those lanes that do access something.
    ConsecutiveWhereActive,
    /// Each an element before the one before.
    Reversed,
    /// The same of those lanes that do access something.
    ReversedWhereActive,
    /// Anywhere in a constant table that registers hold.
    InTable,
    /// Anywhere.
    Scattered,
}

impl LaneOrder {
    /// One address tells of all lanes that access something.
    pub fn is_consecutive(self) -> bool {
        matches!(self, LaneOrder::Consecutive | LaneOrder::ConsecutiveWhereActive)
    }

    /// The same, the last lane being the first in memory.
    pub fn is_reversed(self) -> bool {
        matches!(self, LaneOrder::Reversed | LaneOrder::ReversedWhereActive)
    }
}

/// What is known of the loads and stores of a function.
#[derive(Clone, Copy, Debug)]
pub struct Accesses<'a> {
    func: &'a Function,
    uniformity: &'a Uniformity,
    strides: &'a Strides,
    facts: &'a GangFacts,
}

impl<'a> Accesses<'a> {
    /// Of a function, its uniformity and strides, under what is known of the launch and of the module's constants.
    pub fn new(func: &'a Function, uniformity: &'a Uniformity, strides: &'a Strides, facts: &'a GangFacts) -> Accesses<'a> {
        Accesses {
            func,
            uniformity,
            strides,
            facts,
        }
    }

    /// How the lanes of a load or store lie; none for anything else.
    pub fn order(&self, inst: Inst) -> Option<LaneOrder> {
        let access = self.func.access(inst)?;
        Some(self.order_of(&access, access.ty.elem.bytes()))
    }

    /// The same if the access were to elements of so many bytes.
    pub fn order_of(&self, access: &Access, bytes: u32) -> LaneOrder {
        let (address, bytes) = (&access.address, i64::from(bytes));
        match self.stride(address) {
            Some(0) if self.uniformity.shape(address.base).is_uniform() => LaneOrder::One,
            Some(stride) if stride == bytes => LaneOrder::Consecutive,
            Some(stride) if stride == -bytes => LaneOrder::Reversed,
            _ if self.stride_where_active(access) == Some(bytes) => LaneOrder::ConsecutiveWhereActive,
            _ if self.stride_where_active(access) == Some(-bytes) => LaneOrder::ReversedWhereActive,
            _ if bytes == access.ty.elem.bytes().into() && self.lookup(access).is_some() => LaneOrder::InTable,
            _ => LaneOrder::Scattered,
        }
    }

    /// What a load that is [`LaneOrder::InTable`] looks up.
    pub fn lookup(&self, access: &Access) -> Option<Lookup> {
        self.facts.tables.as_ref()?.lookup(self.func, access)
    }

    /// Bytes from each lane's address to the next one's, where that is known of all of them, active or not.
    pub fn stride(&self, address: &Address) -> Option<i64> {
        let stride = |shape: Shape| match shape {
            Shape::Uniform(_) => Some(0i64),
            Shape::Linear { stride, .. } => Some(stride),
            Shape::Varying => None,
        };
        let of_index = match address.index {
            None => 0,
            Some(index) => match self.uniformity.shape(index) {
                // It is sign-extended before it is scaled.
                Shape::Linear { no_signed_wrap: false, .. } if self.func.ty(index).elem != Elem::I64 => return None,
                shape => stride(shape)?,
            },
        };
        stride(self.uniformity.shape(address.base))?.checked_add(of_index.checked_mul(i64::from(address.scale))?)
    }

    /// Bytes from each active lane's address to that of the next, where that is known: what wraps on the way lies outside of every object.
    pub fn stride_where_active(&self, access: &Access) -> Option<i64> {
        let small = self.facts.small_objects || matches!(access.mem.space, Space::Local | Space::Private);
        self.stride_unless_wraps(&access.address).filter(|_| small)
    }

    /// [`Accesses::stride`], if nothing wraps when it is widened.
    pub fn stride_unless_wraps(&self, address: &Address) -> Option<i64> {
        let of = |value: Value| self.strides.of(self.uniformity, value);
        let index = address.index.map_or(Some(0), |index| {
            let known = matches!(self.func.ty(index).elem, Elem::I32 | Elem::I64);
            of(index).filter(|_| known)
        })?;
        of(address.base)?.checked_add(index.checked_mul(i64::from(address.scale))?)
    }
}

/// A vector of indices or addresses as what is the same for all lanes and what comes to it, if it is such a sum over all integers: the ways
/// to see it so.
pub fn uniform_and_rest(func: &Function, value: Value) -> impl Iterator<Item = (Value, Value)> {
    let sum = func.def_inst(value).map(|inst| func.inst(inst)).filter(|node| {
        // Shorter sums may wrap before they are extended.
        func.ty(value).elem == Elem::I64 || node.flags.contains(Flags::NSW)
    });
    let ways = match sum.map(|node| &node.data) {
        Some(&InstData::Binary {
            op: BinaryOp::Add,
            args: [a, b],
        }) => [Some((a, b)), Some((b, a))],
        _ => [None; 2],
    };
    ways.into_iter()
        .flatten()
        .filter_map(|(one, rest)| Some((func.splatted(one)?, rest)))
}

/// By value: an address is made of it.
pub fn in_addresses(func: &Function) -> SecondaryMap<Value, bool> {
    let mut found = func.per_value(false);
    let mut open = Vec::new();
    for access in func.insts().filter_map(|inst| func.access(inst)) {
        open.extend([Some(access.address.base), access.address.index].into_iter().flatten());
    }
    while let Some(value) = open.pop() {
        if std::mem::replace(&mut found[value], true) {
            continue;
        }
        if let Some(data) = func.def_data(value)
            && let InstData::Binary { .. } | InstData::Convert { .. } | InstData::Lane { .. } | InstData::Select { .. } = data
        {
            data.for_each_operand(|&operand| open.push(operand));
        }
    }
    found
}

/// From lane to lane, how far apart values are that are neither uniform nor linear.
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
    fn of(&self, uniformity: &Uniformity, value: Value) -> Option<i64> {
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
}
