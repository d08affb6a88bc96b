//! Common subexpressions: an instruction that computes what a dominating one computed is replaced by its result.
//!
//! Values are numbered along the dominator tree. Loads are merged, too, and loads of what was just stored become the stored value, as
//! long as nothing between them can have written the memory: that is followed from a block to those that it is the only predecessor of;
//! where ways meet, only memory that nobody writes is still known.

use super::memory::{MemoryState, Touch};
use crate::ir::cfg::Cfg;
use crate::ir::*;
use cranelift_entity::SecondaryMap;
use cranelift_entity::packed_option::PackedOption;
use rustc_hash::FxHashMap;

/// Merges. True if something changed.
pub fn run(func: &mut Function) -> bool {
    super::simplify_cfg::remove_unreachable(func);
    let cfg = Cfg::new(func);
    let tree = DominatorTree::new(&cfg);
    let mut numbering = Numbering {
        func,
        replaced: SecondaryMap::new(),
        known: FxHashMap::default(),
        added: Vec::new(),
        memory: MemoryState::new(),
        changed: false,
    };
    // Depth first over the tree, with a stack of its own: (block, its next child, how much was known before it, memory at its end).
    let entry = numbering.func.entry();
    let start = MemoryState::new();
    let mut stack = vec![(entry, 0, 0, numbering.enter(entry, start))];
    while let Some((block, next, before, memory)) = stack.last_mut() {
        let Some(&child) = tree.children(*block).get(*next) else {
            let before = *before;
            stack.pop();
            numbering.forget(before);
            continue;
        };
        *next += 1;
        let mut memory = *memory;
        if cfg.preds[child].as_slice() != [*block] {
            numbering.memory = memory;
            numbering.memory.everything_changes();
            memory = numbering.memory;
        }
        let before = numbering.added.len();
        let at_end = numbering.enter(child, memory);
        stack.push((child, 0, before, at_end));
    }
    numbering.changed
}

/// What tells two equal instructions from others: the operation, and for loads the state of memory.
type Key = (InstData, Option<u64>);

struct Numbering<'f> {
    func: &'f mut Function,
    replaced: SecondaryMap<Value, PackedOption<Value>>,
    known: FxHashMap<Key, Value>,
    /// What was put into `known`, with what stood there before.
    added: Vec<(Key, Option<Value>)>,
    memory: MemoryState,
    changed: bool,
}

impl Numbering<'_> {
    /// Looks at the block; gives the state of memory at its end.
    fn enter(&mut self, block: Block, memory: MemoryState) -> MemoryState {
        self.memory = memory;
        for inst in std::mem::take(&mut self.func.block_mut(block).insts) {
            let replaced = &self.replaced;
            self.func.inst_mut(inst).data.for_each_operand_mut(|value| {
                if let Some(by) = replaced[*value].expand() {
                    *value = by;
                }
            });
            if self.merge(inst) {
                self.changed = true;
            } else {
                self.func.block_mut(block).insts.push(inst);
            }
        }
        self.memory
    }

    fn forget(&mut self, before: usize) {
        for (key, value) in self.added.drain(before..).rev() {
            match value {
                Some(value) => self.known.insert(key, value),
                None => self.known.remove(&key),
            };
        }
    }

    fn remember(&mut self, key: Key, value: Value) {
        let old = self.known.insert(key.clone(), value);
        self.added.push((key, old));
    }

    /// True if the instruction's result is known already.
    fn merge(&mut self, inst: Inst) -> bool {
        let node = self.func.inst(inst);
        let touch = Touch::of(&node.data);
        let state = match &node.data {
            data if data.is_pure() => None,
            InstData::Load { mem, .. } if !mem.flags.contains(MemFlags::VOLATILE) => Some(self.memory.of(mem)),
            _ => {
                self.memory.touch(touch);
                self.remember_store(inst);
                return false;
            }
        };
        let &[result] = node.results.as_slice() else { return false };
        let mut data = node.data.clone();
        if let InstData::Binary { op, args } = &mut data
            && op.is_commutative()
        {
            args.sort();
        }
        let key = (data, state);
        match self.known.get(&key).copied() {
            Some(known) => {
                // Both must be allowed what the one that stays assumes.
                let flags = self.func.inst(inst).flags;
                if let Some(first) = self.func.def_inst(known) {
                    self.func.inst_mut(first).flags &= flags;
                }
                self.replaced[result] = known.into();
                true
            }
            None => {
                self.remember(key, result);
                false
            }
        }
    }

    /// A load from where a value was just stored gives that value.
    fn remember_store(&mut self, inst: Inst) {
        if let &InstData::Store {
            value,
            address,
            mask: None,
            mem,
        } = &self.func.inst(inst).data
            && !mem.flags.contains(MemFlags::VOLATILE)
        {
            let load = InstData::Load {
                ty: self.func.ty(value),
                address,
                mask: None,
                passthru: None,
                mem,
            };
            let state = self.memory.of(&mem);
            self.remember((load, Some(state)), value);
        }
    }
}
