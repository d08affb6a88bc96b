//! Integers of 32 bits whose registers have zeros above them: they are the same in 64.
//!
//! Instructions of 32 bits clear the upper half of the register that they write. So what a loop loads to go on from there, as in `at = next[at]`, needs
//! no instruction between one load and the next, if what the loop begins with is extended before it.

use super::selector::Selector;
use ir::cfg::Cfg;
use ir::{BinaryOp, Block, ConvertOp, Function, InstData, Type, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// Where blocks' parameters have zeros above them.
#[derive(Default)]
pub struct UpperHalves {
    params: FxHashSet<Value>,
    /// Lower halves of integers of 64 bits that are to have zeros above them.
    pub cleared: FxHashSet<Value>,
}

impl UpperHalves {
    /// Finds parameters that are extended, and those that lead to them.
    pub fn find(func: &Function, cfg: &Cfg) -> UpperHalves {
        let mut this = UpperHalves::default();
        let insts = cfg.order.iter().flat_map(|&block| &func.block(block).insts);
        let extended = insts.filter_map(|&inst| extended(func, &func.inst(inst).data));
        let mut work: Vec<Value> = extended.filter(|&value| func.def_inst(value).is_none()).collect();
        if work.is_empty() {
            return this;
        }
        let place: FxHashMap<Block, usize> = cfg.order.iter().copied().zip(0..).collect();
        // Each parameter, what is handed over for it, and whether that is by way of a loop's end.
        let mut edges: FxHashMap<Value, Vec<(Value, bool)>> = FxHashMap::default();
        for (at, &block) in cfg.order.iter().enumerate() {
            for target in func.terminator(block).targets() {
                let again = place[&target.block] <= at;
                for (&param, &arg) in func.block(target.block).params.iter().zip(&target.args) {
                    edges.entry(param).or_default().push((arg, again));
                }
            }
        }
        while let Some(param) = work.pop() {
            if let Some(args) = edges.get(&param)
                && this.params.insert(param)
            {
                work.extend(args.iter().map(|&(arg, _)| arg).filter(|&arg| func.def_inst(arg).is_none()));
            }
        }
        let lower = |arg: Value| matches!(func.def_data(arg), Some(&InstData::Convert { op: ConvertOp::Trunc, arg, .. }) if func.ty(arg) == Type::I64);
        // A parameter that may have something above it takes with it those that it is handed on to.
        let is_clear = |arg: Value, again: bool| clears(func, arg) || !again && lower(arg);
        let mut users: FxHashMap<Value, Vec<Value>> = FxHashMap::default();
        for &param in &this.params {
            for &(arg, again) in &edges[&param] {
                if this.params.contains(&arg) {
                    users.entry(arg).or_default().push(param);
                } else if !is_clear(arg, again) {
                    work.push(param);
                }
            }
        }
        while let Some(param) = work.pop() {
            if this.params.remove(&param) {
                work.extend(users.remove(&param).unwrap_or_default());
            }
        }
        let handed = this.params.iter().flat_map(|param| &edges[param]);
        this.cleared = handed.map(|&(arg, _)| arg).filter(|&arg| lower(arg)).collect();
        this
    }
}

impl Selector<'_> {
    /// The register of an integer of 32 bits has zeros above it.
    pub fn has_zeros_above(&self, value: Value) -> bool {
        self.upper_halves.params.contains(&value) || self.upper_halves.cleared.contains(&value) || clears(self.func, value)
    }
}

/// What is extended from 32 to 64 bits without its sign.
fn extended(func: &Function, data: &InstData) -> Option<Value> {
    match *data {
        InstData::Convert {
            op: ConvertOp::ZExt,
            ty: Type::I64,
            arg,
            ..
        } if func.ty(arg) == Type::I32 => Some(arg),
        _ => None,
    }
}

/// The instruction that computes a value writes 32 bits of a register. (A product may be an address's sum, which is one of 64 bits.)
fn clears(func: &Function, value: Value) -> bool {
    use BinaryOp::{AShr, Add, And, LShr, Or, Shl, Sub, Xor};
    func.ty(value) == Type::I32
        && match func.def_data(value) {
            Some(InstData::Const { .. }) => true,
            Some(InstData::Load { mask, .. }) => mask.is_none(),
            Some(InstData::Binary { op, .. }) => matches!(op, Add | Sub | And | Or | Xor | Shl | LShr | AShr),
            _ => false,
        }
}
