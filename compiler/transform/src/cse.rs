//! Common subexpressions: an instruction that computes what a dominating one computed is replaced by its result.
//!
//! Values are numbered along the dominator tree. Loads are merged, too, and loads of what was just stored become the stored value, as
//! long as nothing between them can have written the memory. Where ways meet, that is what the blocks on all ways from the dominating
//! block write: in `if (rows[i] < rows[i + 1]) do … while (++j < rows[i + 1]);` the end of the row is loaded once if the loop writes nothing.
//!
//! Products and quotients that differ in the sign only are computed once: -0.5 * d * -d is 0.5 * d * d with another sign. So are comparisons of
//! vectors and their opposites; what selects by an opposite selects the other way round.

use super::memory::{MemoryState, Touch};
use analysis::Analyses;
use cranelift_entity::SecondaryMap;
use ir::cfg::Cfg;
use ir::*;
use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;
use std::hash::BuildHasher;
use target::costs::effort;

/// Merges. True if something changed.
pub fn run(func: &mut Function, analyses: &mut Analyses) -> bool {
    let flow = analyses.flow(func);
    let tree = flow.tree();
    func.layout.retain(|&block| flow.cfg.is_reachable(block));
    let written = Written::new(func);
    let mut numbering = Numbering {
        replaced: func.per_value(None),
        known: Known::new(func.inst_count()),
        func,
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
            numbering.known.forget(before);
            continue;
        };
        *next += 1;
        let mut memory = *memory;
        if flow.cfg.preds[child] != [*block] {
            written.between(&flow.cfg, *block, child, &mut memory);
        }
        let before = numbering.known.entries.len();
        let at_end = numbering.enter(child, memory);
        stack.push((child, 0, before, at_end));
    }
    numbering.changed
}

/// What each block may write.
struct Written(SecondaryMap<Block, Vec<Touch>>);

impl Written {
    fn new(func: &Function) -> Written {
        let mut written = func.per_block(Vec::new());
        for &block in &func.layout {
            for &inst in &func.block(block).insts {
                let touch = Touch::of(&func.inst(inst).data);
                if touch != Touch::Nothing && !written[block].contains(&touch) {
                    written[block].push(touch);
                }
            }
        }
        Written(written)
    }

    /// Changes the state of memory at the end of `from` to that at the beginning of `to`, which it dominates.
    fn between(&self, cfg: &Cfg, from: Block, to: Block, memory: &mut MemoryState) {
        let mut blocks: SmallVec<[Block; effort::BLOCKS_BETWEEN]> = SmallVec::new();
        let mut next = to;
        for looked_at in 0.. {
            for &pred in &cfg.preds[next] {
                if pred != from && !blocks.contains(&pred) {
                    if blocks.len() == effort::BLOCKS_BETWEEN {
                        return memory.everything_changes();
                    }
                    blocks.push(pred);
                }
            }
            match blocks.get(looked_at) {
                Some(&block) => next = block,
                None => break,
            }
        }
        for block in blocks {
            self.0[block].iter().for_each(|&touch| memory.touch(touch));
        }
    }
}

/// What tells two equal instructions from others.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Key {
    /// The operation, and for loads the state of memory.
    Whole(InstData, Option<u64>),
    /// A product or quotient but for its sign.
    Magnitude(BinaryOp, [Factor; 2]),
}

/// An operand but for its sign.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Factor {
    Value(Value),
    Constant(u64),
}

/// What has been computed, as a stack: what is known in a block holds in the blocks below it in the dominator tree.
struct Known {
    entries: Vec<Entry>,
    /// The last entry of those whose hashes have the same lowest bits, counted from 1; a power of two of them.
    last: Vec<u32>,
}

struct Entry {
    hash: u64,
    key: Key,
    value: Value,
    /// The entry before of those with the same lowest bits, counted from 1.
    before: u32,
}

impl Known {
    /// For so many entries or less; more take longer.
    fn new(entries: usize) -> Known {
        Known {
            entries: Vec::with_capacity(entries),
            last: vec![0; entries.next_power_of_two()],
        }
    }

    fn place(&mut self, hash: u64) -> &mut u32 {
        let mask = self.last.len() - 1;
        &mut self.last[hash as usize & mask]
    }

    /// The value of an equal key, or the hash to add this one with.
    fn get(&mut self, key: &Key) -> Result<Value, u64> {
        let hash = FxBuildHasher.hash_one(key);
        let mut at = *self.place(hash);
        while let Some(entry) = (at as usize).checked_sub(1).map(|index| &self.entries[index]) {
            if entry.hash == hash && entry.key == *key {
                return Ok(entry.value);
            }
            at = entry.before;
        }
        Err(hash)
    }

    fn add(&mut self, hash: u64, key: Key, value: Value) {
        let now = self.entries.len() as u32 + 1;
        let before = std::mem::replace(self.place(hash), now);
        self.entries.push(Entry { hash, key, value, before });
    }

    /// Keeps the first so many entries.
    fn forget(&mut self, before: usize) {
        while self.entries.len() > before
            && let Some(entry) = self.entries.pop()
        {
            *self.place(entry.hash) = entry.before;
        }
    }
}

struct Numbering<'f> {
    func: &'f mut Function,
    replaced: SecondaryMap<Value, Option<Value>>,
    known: Known,
    memory: MemoryState,
    changed: bool,
}

impl Numbering<'_> {
    /// Looks at the block; gives the state of memory at its end.
    fn enter(&mut self, block: Block, memory: MemoryState) -> MemoryState {
        self.memory = memory;
        let mut insts = std::mem::take(&mut self.func.block_mut(block).insts);
        insts.retain(|&inst| {
            let replaced = &self.replaced;
            self.func.inst_mut(inst).data.for_each_operand_mut(|value| {
                if let Some(by) = replaced[*value] {
                    *value = by;
                }
            });
            let merged = self.merge(inst);
            self.changed |= merged;
            !merged
        });
        self.func.block_mut(block).insts = insts;
        self.memory
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
        if node.results.len() != 1 {
            return false;
        }
        match node.data {
            InstData::Binary {
                op: op @ (BinaryOp::FMul | BinaryOp::FDiv),
                args,
            } => return self.merge_product(inst, op, args),
            InstData::IntCompare { cc, args } if self.func.ty(args[0]).is_vector() => self.merge_opposite(inst, cc, args),
            InstData::Select { mask, args: [a, b] } => {
                if let Some(&InstData::Unary { op: UnaryOp::Not, arg }) = self.func.def_data(mask)
                    && !ir::cold::is_rare_choice(self.func, inst)
                {
                    self.func.replace(inst, InstData::Select { mask: arg, args: [b, a] });
                    self.changed = true;
                }
            }
            _ => {}
        }
        self.merge_whole(inst, state)
    }

    /// A comparison whose opposite is there already is what that is not.
    fn merge_opposite(&mut self, inst: Inst, cc: IntCc, args: [Value; 2]) {
        let cc = cc.inverted();
        if let Ok(arg) = self.known.get(&Key::Whole(InstData::IntCompare { cc, args }, None)) {
            self.func.replace(inst, InstData::Unary { op: UnaryOp::Not, arg });
            self.changed = true;
        }
    }

    /// True if an equal instruction is there already.
    fn merge_whole(&mut self, inst: Inst, state: Option<u64>) -> bool {
        let node = self.func.inst(inst);
        let result = node.results[0];
        let mut data = node.data.clone();
        if let InstData::Binary { op, args } = &mut data
            && op.is_commutative()
        {
            args.sort();
        }
        let key = Key::Whole(data, state);
        match self.known.get(&key) {
            Ok(known) => {
                self.restrict(known, inst);
                self.replaced[result] = Some(known);
                true
            }
            Err(hash) => {
                self.known.add(hash, key, result);
                false
            }
        }
    }

    /// Both must be allowed what the one that stays assumes.
    fn restrict(&mut self, known: Value, inst: Inst) {
        let flags = self.func.inst(inst).flags;
        if let Some(first) = self.func.def_inst(known) {
            self.func.inst_mut(first).flags &= flags;
        }
    }

    /// A product or a quotient of what was multiplied before, signs aside.
    fn merge_product(&mut self, inst: Inst, op: BinaryOp, args: [Value; 2]) -> bool {
        let [(a, minus_a), (b, minus_b)] = args.map(|arg| self.factor(arg));
        let mut factors = [a, b];
        // Of two constants nothing tells the type.
        if let [Factor::Constant(_), Factor::Constant(_)] = factors {
            return self.merge_whole(inst, None);
        }
        if op.is_commutative() {
            factors.sort();
        }
        let key = Key::Magnitude(op, factors);
        let result = self.func.result(inst);
        let known = match self.known.get(&key) {
            Ok(known) => known,
            Err(hash) => {
                self.known.add(hash, key, result);
                return false;
            }
        };
        self.restrict(known, inst);
        let minus_known = match self.func.def_data(known) {
            Some(&InstData::Binary { args: [x, y], .. }) => self.factor(x).1 != self.factor(y).1,
            _ => false,
        };
        if minus_known == (minus_a != minus_b) {
            self.replaced[result] = Some(known);
            return true;
        }
        self.func.replace(
            inst,
            InstData::Unary {
                op: UnaryOp::FNeg,
                arg: known,
            },
        );
        self.func.inst_mut(inst).flags = Flags::empty();
        self.changed = true;
        self.merge_whole(inst, None)
    }

    /// The operand without its sign, and whether that is a minus.
    fn factor(&self, mut value: Value) -> (Factor, bool) {
        let mut minus = false;
        while let Some(&InstData::Unary { op: UnaryOp::FNeg, arg }) = self.func.def_data(value) {
            (value, minus) = (arg, !minus);
        }
        let elem = self.func.ty(value).elem;
        match self.func.constant(value) {
            Some(bits) => {
                let sign = elem.bit_mask() ^ (elem.bit_mask() >> 1);
                (Factor::Constant(bits & !sign), minus != (bits & sign != 0))
            }
            None => (Factor::Value(value), minus),
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
            let key = Key::Whole(load, Some(state));
            self.known.add(FxBuildHasher.hash_one(&key), key, value);
        }
    }
}
