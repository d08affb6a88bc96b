//! What hardly ever is chosen is computed in cold blocks.
//!
//! The other half of [`merge_cold`](super::merge_cold), once loops have been rewritten: what nothing but rare selects needs moves to a block that is jumped
//! around where no condition of theirs holds in any lane. Several iterations or gangs that are done at once ask once, and share the block; so do functions
//! that don't wait for each other. Of those that do, each has a block of its own:
//!
//! ```text
//! x = load; a = usual(x); special = …; y = select rare special, slow(x), a; store y
//!
//! x = load; a = usual(x); special = …; if any lane is special → cold, else → rest(a)
//! cold:    rest(select special, slow(x), a)
//! rest(y): store y
//! ```

use cranelift_entity::SecondaryMap;
use ir::*;
use rustc_hash::{FxHashMap, FxHashSet};
use target::Machine;
use target::costs::COLD_MASKED_INSTRUCTIONS;

/// Parts blocks. True if there were rare selects.
pub fn run(func: &mut Function, machine: &Machine) -> bool {
    let has_rare = |block: Block| func.block(block).insts.iter().any(|&inst| cold::is_rare_choice(func, inst));
    if !func.layout.iter().any(|&block| has_rare(block)) {
        return false;
    }
    let cold = cold::insts(func);
    let mut map = ValueMap::default();
    for block in std::mem::take(&mut func.layout) {
        func.layout.push(block);
        let is_rare = |&inst: &Inst| cold::is_rare_choice(func, inst);
        if !func.block(block).cold && func.block(block).insts.iter().any(is_rare) {
            Parts::new(func, &cold, block, machine).write(func, block, &cold, &mut map);
        }
    }
    func.substitute(&map);
    // What has been done is said no longer.
    for block in func.layout.clone() {
        for inst in func.block(block).insts.clone() {
            func.inst_mut(inst).flags.remove(Flags::RARE);
        }
    }
    true
}

/// The parts of a block, between which it jumps around what is cold.
struct Parts {
    /// By part but the last: the selects at its end.
    choices: Vec<Vec<Inst>>,
    /// In which part an instruction is.
    part: SecondaryMap<Inst, u32>,
    /// It is one of the choices.
    ends: SecondaryMap<Inst, bool>,
}

/// Choices that are made at the same time.
#[derive(Default)]
struct Together {
    /// By what they choose.
    masks: Vec<Value>,
    /// What they choose, and what the cold block needs for that, wait for the jump.
    waiting: Vec<Value>,
    /// There was no room for one more.
    is_full: bool,
}

impl Parts {
    fn new(func: &Function, cold: &SecondaryMap<Inst, bool>, block: Block, machine: &Machine) -> Parts {
        let insts = &func.block(block).insts;
        let is_choice = |inst: Inst| cold::is_rare_choice(func, inst) && !cold[inst] && pays(func, cold, inst);
        let mut parts = Parts {
            choices: Vec::new(),
            part: func.per_inst(0),
            ends: func.per_inst(false),
        };
        // The first part in which a value is there.
        let mut ready: FxHashMap<Value, u32> = FxHashMap::default();
        let (mut after_stores, mut after_accesses) = (0, 0);
        let mut together: Vec<Together> = Vec::new();
        for &inst in insts {
            let node = func.inst(inst);
            let mut part = 0;
            node.data
                .for_each_operand(|value| part = part.max(ready.get(value).copied().unwrap_or(0)));
            if !node.data.is_pure() {
                let is_load = matches!(&node.data, InstData::Load { mem, .. } if !mem.is_volatile());
                part = part.max(if is_load { after_stores } else { after_accesses });
                after_accesses = after_accesses.max(part);
                after_stores = if is_load { after_stores } else { after_accesses };
            }
            if let InstData::Select { mask, .. } = node.data
                && is_choice(inst)
            {
                let waiting = waiting(func, cold, inst, |value| ready.contains_key(&value));
                let is_room = |values: &[Value]| {
                    let registers = values.iter().map(|&value| func.ty(value).bytes().div_ceil(machine.registers.bytes));
                    registers.sum::<u32>() <= machine.registers.count / 2
                };
                part = place(&mut together, part, mask, &waiting, is_room);
                parts.choices.resize_with(together.len(), Vec::new);
                parts.choices[part as usize].push(inst);
                parts.ends[inst] = true;
                ready.insert(node.results[0], part + 1);
            } else {
                ready.extend(node.results.iter().map(|&result| (result, part)));
            }
            parts.part[inst] = part;
        }
        parts.wait(func, insts);
        parts
    }

    /// What is pure stays behind the choices that it stood behind, unless it is needed before.
    fn wait(&mut self, func: &Function, insts: &[Inst]) {
        let last = self.choices.len() as u32;
        let mut passed = 0;
        let stood: Vec<u32> = insts
            .iter()
            .map(|&inst| {
                let part = self.part[inst];
                passed = passed.max(if self.ends[inst] { part + 1 } else { 0 });
                passed
            })
            .collect();
        let mut needed: FxHashMap<Value, u32> = FxHashMap::default();
        for (at, &inst) in insts.iter().enumerate().rev() {
            let node = func.inst(inst);
            if at + 1 == insts.len() {
                self.part[inst] = last;
            } else if node.data.is_pure() && !self.ends[inst] {
                let first = node.results.iter().filter_map(|result| needed.get(result)).min();
                let latest = first.copied().unwrap_or(last);
                self.part[inst] = stood[at].min(latest).max(self.part[inst]);
            }
            let part = self.part[inst];
            node.data.for_each_operand(|&value| {
                let needed = needed.entry(value).or_insert(part);
                *needed = part.min(*needed);
            });
        }
    }

    /// Puts the block, which is the last one of the layout so far, and those that it is parted into.
    fn write(&self, func: &mut Function, block: Block, cold: &SecondaryMap<Inst, bool>, map: &mut ValueMap) {
        if self.choices.is_empty() {
            return;
        }
        let insts = func.take_insts(block);
        let mut of_parts = vec![Vec::new(); self.choices.len() + 1];
        for inst in insts.into_iter().filter(|&inst| !self.ends[inst]) {
            of_parts[self.part[inst] as usize].push(inst);
        }
        let mut here = block;
        for (part, own) in of_parts.into_iter().enumerate() {
            func.block_mut(here).insts.extend(own);
            let Some(choices) = self.choices.get(part).filter(|choices| !choices.is_empty()) else {
                continue;
            };
            let [slow, rest] = std::array::from_fn(|_| func.add_detached_block());
            func.block_mut(slow).cold = true;
            func.layout.extend([slow, rest]);
            let mut copies = Copies {
                cold,
                block: slow,
                made: FxHashMap::default(),
            };
            let (mut usual, mut chosen, mut masks) = (Vec::new(), Vec::new(), Vec::new());
            for &inst in choices {
                let InstData::Select { mask, args } = func.inst(inst).data else {
                    continue;
                };
                func.follow(func.place(inst));
                let value = copies.of(func, args[0]);
                let select = InstData::Select {
                    mask,
                    args: [value, args[1]],
                };
                let made = func.append(slow, select, Flags::empty());
                chosen.push(func.result(made));
                usual.push(args[1]);
                if !masks.contains(&mask) {
                    masks.push(mask);
                }
                let ty = func.ty(args[1]);
                map.insert(func.result(inst), func.add_param(rest, ty));
            }
            let mut b = Builder::new(func, here);
            let any = any(&mut b, &masks);
            b.branch(any, to(slow, &[]), to(rest, &usual));
            b.block = slow;
            b.jump(rest, &chosen);
            func.follow(Place::default());
            here = rest;
        }
    }
}

/// As much is computed for a choice as is not done without asking.
fn pays(func: &Function, cold: &SecondaryMap<Inst, bool>, choice: Inst) -> bool {
    let mut count = 0;
    for_each_cold(func, cold, choice, |inst| {
        count += usize::from(!matches!(func.inst(inst).data, InstData::Const { .. }));
        count < COLD_MASKED_INSTRUCTIONS
    });
    // (Its select is one more.)
    count + 1 >= COLD_MASKED_INSTRUCTIONS
}

/// The values of the block that are still needed where a choice is made: the usual one, and what the others are computed from.
fn waiting(func: &Function, cold: &SecondaryMap<Inst, bool>, choice: Inst, is_own: impl Fn(Value) -> bool) -> Vec<Value> {
    let InstData::Select { args: [_, usual], .. } = func.inst(choice).data else {
        return Vec::new();
    };
    let mut found = vec![usual];
    for_each_cold(func, cold, choice, |inst| {
        func.inst(inst).data.for_each_operand(|&value| {
            let is_hot = func.def_inst(value).is_none_or(|inst| !cold[inst]);
            if is_hot && is_own(value) && func.ty(value).elem != Elem::Mask && !found.contains(&value) {
                found.push(value);
            }
        });
        true
    });
    found
}

/// Visits the cold instructions that a choice needs, until one is enough.
fn for_each_cold(func: &Function, cold: &SecondaryMap<Inst, bool>, choice: Inst, mut visit: impl FnMut(Inst) -> bool) {
    let InstData::Select { args: [slow, _], .. } = func.inst(choice).data else {
        return;
    };
    let (mut seen, mut work) = (FxHashSet::default(), vec![slow]);
    while let Some(value) = work.pop() {
        if let Some(inst) = func.def_inst(value).filter(|&inst| cold[inst] && seen.insert(inst)) {
            if !visit(inst) {
                return;
            }
            func.inst(inst).data.for_each_operand(|&value| work.push(value));
        }
    }
}

/// The part at whose end a choice is made: `first`, or one behind it where registers for all that waits for the jump would not do.
fn place(together: &mut Vec<Together>, first: u32, mask: Value, waiting: &[Value], is_room: impl Fn(&[Value]) -> bool) -> u32 {
    let mut part = first as usize;
    loop {
        together.resize_with(together.len().max(part + 1), Together::default);
        let others = &mut together[part];
        let is_there = others.masks.contains(&mask);
        if is_there || !others.is_full {
            let mut all = others.waiting.clone();
            all.extend(waiting.iter().filter(|value| !others.waiting.contains(value)));
            if is_there || others.masks.is_empty() || is_room(&all) {
                if !is_there {
                    others.masks.push(mask);
                }
                others.waiting = all;
                return part as u32;
            }
            others.is_full = true;
        }
        part += 1;
    }
}

/// Some mask is on in some lane.
fn any(b: &mut Builder, masks: &[Value]) -> Value {
    let mut of_lanes: Vec<Value> = Vec::new();
    for &mask in masks {
        match of_lanes.iter_mut().find(|other| b.ty(**other) == b.ty(mask)) {
            Some(other) => *other = b.or(*other, mask),
            None => of_lanes.push(mask),
        }
    }
    let conditions = of_lanes.into_iter().map(|mask| match b.ty(mask).is_vector() {
        true => b.lane(LaneOp::AnyTrue, Type::MASK, &[mask]),
        false => mask,
    });
    let conditions: Vec<Value> = conditions.collect();
    conditions[1..].iter().fold(conditions[0], |any, &other| b.or(any, other))
}

/// Copies of cold instructions in a cold block.
struct Copies<'a> {
    cold: &'a SecondaryMap<Inst, bool>,
    block: Block,
    made: FxHashMap<Value, Value>,
}

impl Copies<'_> {
    /// What a value is in the block.
    fn of(&mut self, func: &mut Function, value: Value) -> Value {
        let mut work = vec![value];
        while let Some(&next) = work.last() {
            let inst = func
                .def_inst(next)
                .filter(|&inst| self.cold[inst] && !self.made.contains_key(&next));
            let Some(inst) = inst else {
                work.pop();
                continue;
            };
            let mut data = func.inst(inst).data.clone();
            let before = work.len();
            data.for_each_operand(|&value| {
                let is_missing = func.def_inst(value).is_some_and(|inst| self.cold[inst]) && !self.made.contains_key(&value);
                if is_missing {
                    work.push(value);
                }
            });
            if work.len() > before {
                continue;
            }
            data.for_each_operand_mut(|value| *value = self.made.get(value).copied().unwrap_or(*value));
            func.follow(func.place(inst));
            let copy = func.append(self.block, data, func.inst(inst).flags);
            let results = func.inst(inst).results.clone();
            self.made.extend(results.into_iter().zip(func.inst(copy).results.clone()));
            work.pop();
        }
        self.made.get(&value).copied().unwrap_or(value)
    }
}
