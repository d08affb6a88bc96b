//! Conditions under which whole work-groups do nothing.
//!
//! `if (get_global_id(0) >= n) return;` at a kernel's start lets all groups behind some group be idle. Where a condition is monotone in the ids, a group is
//! idle if the work-item for which the condition holds last leaves, and the idle groups of a row are its beginning or its end. Group formation
//! (`group/idle_groups.rs`) finds by bisection where they begin.

use analysis::guards::Guard;
use analysis::trends::{Trend, Trends};
use analysis::{Analyses, GangFacts};
use ir::*;
use rustc_hash::{FxHashMap, FxHashSet};
use target::costs::code_size::IDLE_CONDITION;
use target::costs::effort::{BLOCKS_WALKED, IDLE_CONDITIONS};

/// The conditions under which a work-item does nothing.
pub fn guards(func: &Function, facts: &GangFacts, known: &mut Analyses) -> Vec<Guard> {
    let conditions = conditions(func);
    if conditions.is_empty() {
        return Vec::new();
    }
    let Some(known) = known.of(func, facts) else { return Vec::new() };
    let mut finder = Finder {
        func,
        trends: known.trends(func),
        guards: Vec::new(),
    };
    for (condition, leaves) in conditions {
        finder.collect(condition, leaves);
    }
    finder.guards
}

/// The conditions on a kernel's way before it does something, and what they are for the work-items that leave.
pub(super) fn conditions(func: &Function) -> Vec<(Value, bool)> {
    let mut conditions = Vec::new();
    let mut seen = FxHashSet::default();
    let mut block = func.entry();
    while seen.len() < BLOCKS_WALKED as usize && seen.insert(block) && does_nothing(func, block) {
        block = match func.terminator(block) {
            InstData::Jump { target } => target.block,
            InstData::Branch { condition, targets } => {
                let Some(side) = (0..2).find(|&side| is_end(func, targets[side].block)) else {
                    break;
                };
                conditions.push((*condition, side == 0));
                targets[1 - side].block
            }
            _ => break,
        };
    }
    conditions
}

fn does_nothing(func: &Function, block: Block) -> bool {
    func.all_before_end(block, |data| !data.has_side_effects())
}

/// Nothing comes of a work-item that gets there.
fn is_end(func: &Function, mut block: Block) -> bool {
    for _ in 0..BLOCKS_WALKED {
        block = match func.terminator(block) {
            _ if !does_nothing(func, block) => return false,
            InstData::Return { .. } => return true,
            InstData::Jump { target } => target.block,
            _ => return false,
        };
    }
    false
}

struct Finder<'f> {
    func: &'f Function,
    trends: &'f Trends,
    guards: Vec<Guard>,
}

impl Finder<'_> {
    /// Work-items leave where `condition` is `leaves`.
    fn collect(&mut self, condition: Value, leaves: bool) {
        match self.func.def_data(condition) {
            Some(&InstData::Unary { op: UnaryOp::Not, arg }) => return self.collect(arg, !leaves),
            // Each of the two is enough.
            Some(&InstData::Binary { op, args }) if op == if leaves { BinaryOp::Or } else { BinaryOp::And } => {
                return args.into_iter().for_each(|arg| self.collect(arg, leaves));
            }
            _ => {}
        }
        let Some(mut trends) = self.trends.of(condition).filter(|_| self.guards.len() < IDLE_CONDITIONS) else {
            return;
        };
        if !leaves {
            trends = trends.map(Trend::reversed);
        }
        let [a, b, c, d, e, f] = trends;
        if let Some(condition) = self.slice(condition, leaves) {
            self.guards.push(Guard {
                condition,
                groups: [a, b, c],
                items: [d, e, f],
            });
        }
    }

    /// A function that computes the condition, or its contrary. `None` where that takes too much.
    fn slice(&self, condition: Value, leaves: bool) -> Option<Function> {
        let mut slice = Function::new("guard", Level::WorkItem, &[Type::MASK]);
        let block = slice.add_block();
        let mut copies = FxHashMap::default();
        let mut result = self.copy(condition, &mut slice, block, &mut copies)?;
        let mut b = Builder::new(&mut slice, block);
        if !leaves {
            result = b.not(result);
        }
        b.ret(&[result]);
        Some(slice)
    }

    fn copy(&self, value: Value, slice: &mut Function, block: Block, copies: &mut FxHashMap<Value, Value>) -> Option<Value> {
        if let Some(&copy) = copies.get(&value) {
            return Some(copy);
        }
        let node = self.func.inst(self.func.def_inst(value)?);
        let mut data = node.data.clone();
        let mut complete = true;
        data.for_each_operand_mut(|operand| match self.copy(*operand, slice, block, copies) {
            Some(copy) => *operand = copy,
            None => complete = false,
        });
        if !complete || copies.len() >= IDLE_CONDITION {
            return None;
        }
        let inst = slice.append(block, data, node.flags);
        let copy = slice.inst(inst).results[0];
        copies.insert(value, copy);
        Some(copy)
    }
}
