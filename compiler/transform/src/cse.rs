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
use rustc_hash::{FxBuildHasher, FxHasher};
use smallvec::SmallVec;
use std::hash::{BuildHasher, Hash, Hasher};
use target::costs::effort;

/// Merges. True if something changed.
pub fn run(func: &mut Function, analyses: &mut Analyses) -> bool {
    let flow = analyses.flow(func);
    let tree = flow.tree();
    func.layout.retain(|&block| flow.cfg.is_reachable(block));
    let written = Written::new(func);
    let mut numbering = Numbering {
        replaced: func.per_value(None),
        any_replaced: false,
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

/// What tells an entry from others.
enum Key {
    /// An instruction, and for loads the state of memory.
    Whole(Inst, Option<u64>),
    /// A load of what was just stored: the store, and the state of memory behind it.
    Stored(Inst, u64),
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

    fn place(&self, hash: u64) -> usize {
        hash as usize & (self.last.len() - 1)
    }

    /// The value of the last entry with this hash that is what is sought.
    fn find(&self, hash: u64, is_sought: impl Fn(&Key) -> bool) -> Option<Value> {
        let mut at = self.last[self.place(hash)];
        while let Some(entry) = (at as usize).checked_sub(1).map(|index| &self.entries[index]) {
            if entry.hash == hash && is_sought(&entry.key) {
                return Some(entry.value);
            }
            at = entry.before;
        }
        None
    }

    fn add(&mut self, hash: u64, key: Key, value: Value) {
        let now = self.entries.len() as u32 + 1;
        let place = self.place(hash);
        let before = std::mem::replace(&mut self.last[place], now);
        self.entries.push(Entry { hash, key, value, before });
    }

    /// Keeps the first so many entries.
    fn forget(&mut self, before: usize) {
        while self.entries.len() > before
            && let Some(entry) = self.entries.pop()
        {
            let place = self.place(entry.hash);
            self.last[place] = entry.before;
        }
    }
}

/// Of what an instruction computes: equal ones have the same. Operands tell nearly all apart; some instructions have none, and what is loaded from one
/// record differs in the offset alone.
fn hash_of(data: &InstData, state: Option<u64>) -> u64 {
    let mut hasher = FxHasher::default();
    std::mem::discriminant(data).hash(&mut hasher);
    // The order does not count where it doesn't for the result.
    if let InstData::Binary { op, args: [a, b] } = *data {
        hasher.write_u8(op as u8);
        let (first, second) = if op.is_commutative() && b < a { (b, a) } else { (a, b) };
        hasher.write_u32(first.as_u32());
        hasher.write_u32(second.as_u32());
        return hasher.finish();
    }
    match *data {
        InstData::Const { bits, .. } => hasher.write_u64(bits),
        InstData::SlotAddress { slot } => slot.hash(&mut hasher),
        InstData::GlobalAddress { global } => global.hash(&mut hasher),
        InstData::Builtin { builtin, dimension } => hasher.write_u32(u32::from(dimension) << 8 | builtin as u32),
        InstData::Load { address, .. } => {
            hasher.write_i64(address.offset.into());
            hasher.write_u64(state.unwrap_or_default());
        }
        _ => {}
    }
    data.for_each_operand(|value| hasher.write_u32(value.as_u32()));
    hasher.finish()
}

/// Two instructions compute the same.
fn is_equal(a: &InstData, b: &InstData) -> bool {
    match (a, b) {
        (InstData::Binary { op: a, args: [x, y] }, InstData::Binary { op: b, args }) => {
            a == b && (args == &[*x, *y] || a.is_commutative() && args == &[*y, *x])
        }
        _ => a == b,
    }
}

/// What loads what a store has just stored.
fn load_of(func: &Function, store: Inst) -> Option<InstData> {
    match func.inst(store).data {
        InstData::Store {
            value,
            address,
            mask: None,
            mem,
        } if !mem.flags.contains(MemFlags::VOLATILE) => Some(InstData::Load {
            ty: func.ty(value),
            address,
            mask: None,
            passthru: None,
            mem,
        }),
        _ => None,
    }
}

struct Numbering<'f> {
    func: &'f mut Function,
    replaced: SecondaryMap<Value, Option<Value>>,
    any_replaced: bool,
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
            if self.any_replaced {
                let replaced = &self.replaced;
                self.func.inst_mut(inst).data.for_each_operand_mut(|value| {
                    if let Some(by) = replaced[*value] {
                        *value = by;
                    }
                });
            }
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
        let state = match &node.data {
            data if data.is_pure() => None,
            InstData::Load { mem, .. } if !mem.flags.contains(MemFlags::VOLATILE) => Some(self.memory.of(mem)),
            data => {
                self.memory.touch(Touch::of(data));
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
        let opposite = InstData::IntCompare { cc: cc.inverted(), args };
        if let Some(arg) = self.known_value(hash_of(&opposite, None), &opposite, None) {
            self.func.replace(inst, InstData::Unary { op: UnaryOp::Not, arg });
            self.changed = true;
        }
    }

    /// The value of an instruction that computes the same as `data`; of a load, where memory is in the same state.
    fn known_value(&self, hash: u64, data: &InstData, state: Option<u64>) -> Option<Value> {
        let func = &*self.func;
        self.known.find(hash, |key| match *key {
            Key::Whole(inst, then) => then == state && is_equal(&func.inst(inst).data, data),
            Key::Stored(store, then) => Some(then) == state && load_of(func, store).is_some_and(|load| load == *data),
            Key::Magnitude(..) => false,
        })
    }

    /// True if an equal instruction is there already.
    fn merge_whole(&mut self, inst: Inst, state: Option<u64>) -> bool {
        let node = self.func.inst(inst);
        let result = node.results[0];
        let hash = hash_of(&node.data, state);
        match self.known_value(hash, &node.data, state) {
            Some(known) => {
                self.restrict(known, inst);
                self.replace(result, known);
                true
            }
            None => {
                self.known.add(hash, Key::Whole(inst, state), result);
                false
            }
        }
    }

    fn replace(&mut self, value: Value, by: Value) {
        self.replaced[value] = Some(by);
        self.any_replaced = true;
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
        let hash = FxBuildHasher.hash_one((op, factors));
        let is_magnitude = |key: &Key| matches!(key, Key::Magnitude(known, of) if (*known, of) == (op, &factors));
        let Some(known) = self.known.find(hash, is_magnitude) else {
            let result = self.func.result(inst);
            self.known.add(hash, Key::Magnitude(op, factors), result);
            return false;
        };
        self.restrict(known, inst);
        let minus_known = match self.func.def_data(known) {
            Some(&InstData::Binary { args: [x, y], .. }) => self.factor(x).1 != self.factor(y).1,
            _ => false,
        };
        if minus_known == (minus_a != minus_b) {
            self.replace(self.func.result(inst), known);
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
        if let (Some(load), InstData::Store { value, mem, .. }) = (load_of(self.func, inst), &self.func.inst(inst).data) {
            let state = self.memory.of(mem);
            self.known.add(hash_of(&load, Some(state)), Key::Stored(inst, state), *value);
        }
    }
}
