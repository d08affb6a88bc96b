//! Integers that are not negative where they are used: since a branch on the way there says so, or since they are indices of 32 bits.
//!
//! `if (x >= 0 && x < width && y >= 0 && y < height) p = image[y * width + x];` comes with an index that is extended without its sign, as
//! [`super::ranges`], which knows nothing of conditions, could not tell that there is none. As indices have a sign, it would need 64
//! bits.

use crate::facts::GangFacts;
use crate::uniformity::Uniformity;
use ir::cfg::Cfg;
use ir::*;
use rustc_hash::FxHashMap;
use target::costs::effort::{BLOCKS_BETWEEN, FEW_OPERATIONS};

/// Accesses may be so far from the element that the index says, since objects are so much smaller than 2^32 bytes.
const BEFORE: i32 = -4096;

/// Where values are known not to be negative.
pub struct Naturals<'a> {
    func: &'a Function,
    uniformity: &'a Uniformity,
    cfg: &'a Cfg,
    /// Extensions that are asked for: whether all that uses them are accesses from the beginning of an object.
    indices: FxHashMap<Value, bool>,
}

impl<'a> Naturals<'a> {
    /// `asked` are extensions of which may be asked whether they are indices.
    pub fn new(func: &'a Function, known: (&'a Cfg, &'a Uniformity), facts: &GangFacts, asked: &[Inst]) -> Naturals<'a> {
        let (cfg, uniformity) = known;
        let mut indices: FxHashMap<Value, bool> = FxHashMap::default();
        if facts.small_objects {
            indices.extend(asked.iter().map(|&inst| (func.result(inst), true)));
        }
        for inst in func.insts() {
            let data = &func.inst(inst).data;
            let index = match data {
                // What has 2^31 elements of several bytes is larger than any object is.
                InstData::Load { address, .. } | InstData::Store { address, .. }
                    if address.scale >= 2 && address.offset >= BEFORE && func.argument(address.base).is_some() =>
                {
                    address.index
                }
                _ => None,
            };
            let mut uses = 0;
            data.for_each_operand(|value| {
                if let Some(is_index) = indices.get_mut(value) {
                    uses += 1;
                    *is_index &= Some(*value) == index && uses == 1;
                }
            });
        }
        Naturals {
            func,
            uniformity,
            cfg,
            indices,
        }
    }

    /// What is extended in a block without its sign has none.
    pub fn is_extended(&self, extension: Value, arg: Value, block: Block) -> bool {
        self.indices.get(&extension) == Some(&true) || self.is_natural(arg, block, FEW_OPERATIONS)
    }

    /// The value is not negative in any lane that comes to the block.
    fn is_natural(&self, value: Value, block: Block, depth: u32) -> bool {
        if self.uniformity.range(self.func, value).is_natural() {
            return true;
        }
        let Some(depth) = depth.checked_sub(1) else { return false };
        if self.is_made_natural(value, block, depth) {
            return true;
        }
        let mut at = block;
        for _ in 0..BLOCKS_BETWEEN {
            let Some(before) = self.cfg.immediate_dominator(at) else {
                return false;
            };
            if self.cfg.preds[at] == [before]
                && let InstData::Branch { condition, targets } = self.func.terminator(before)
                && targets[0].block != targets[1].block
                && self.is_said(*condition, targets[0].block == at, value, block, depth)
            {
                return true;
            }
            at = before;
        }
        false
    }

    fn is_made_natural(&self, value: Value, block: Block, depth: u32) -> bool {
        let Some(inst) = self.func.def_inst(value) else { return false };
        let is_natural = |value: Value| self.is_natural(value, block, depth);
        match self.func.inst(inst).data {
            InstData::Binary {
                op: BinaryOp::Add | BinaryOp::Mul,
                args: [a, b],
            } if self.func.inst(inst).flags.contains(Flags::NSW) => is_natural(a) && is_natural(b),
            InstData::Binary {
                op: BinaryOp::SMin,
                args: [a, b],
            } => is_natural(a) && is_natural(b),
            InstData::Binary {
                op: BinaryOp::SMax | BinaryOp::UMin | BinaryOp::And,
                args: [a, b],
            } => is_natural(a) || is_natural(b),
            _ => false,
        }
    }

    /// A condition that holds, or doesn't, says that the value is not negative.
    fn is_said(&self, condition: Value, holds: bool, value: Value, block: Block, depth: u32) -> bool {
        let is_natural = |value: Value| self.is_natural(value, block, depth);
        match self.func.def_data(condition) {
            Some(&InstData::Binary { op, args }) if op == if holds { BinaryOp::And } else { BinaryOp::Or } => {
                args.iter().any(|&arg| self.is_said(arg, holds, value, block, depth))
            }
            Some(&InstData::Unary { op: UnaryOp::Not, arg }) => self.is_said(arg, !holds, value, block, depth),
            Some(&InstData::IntCompare { cc, args: [a, b] }) if a == value || b == value => {
                let (cc, other) = if a == value { (cc, b) } else { (cc.swapped(), a) };
                let at_least = |least: i64| self.func.signed_constant(other).is_some_and(|constant| constant >= least);
                match if holds { cc } else { cc.inverted() } {
                    IntCc::Sgt => at_least(-1) || is_natural(other),
                    IntCc::Sge | IntCc::Eq | IntCc::Ult | IntCc::Ule => is_natural(other),
                    _ => false,
                }
            }
            _ => false,
        }
    }
}
