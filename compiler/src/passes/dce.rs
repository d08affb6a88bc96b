//! Dead code: instructions whose results nobody needs, block parameters that nothing reads, blocks that can't be reached, slots that nothing
//! addresses.
//!
//! Needed is what an instruction with side effects or a branch needs, and what that needs in turn. (So a loop's counter that only counts
//! is dead.) Non-volatile loads and operations across work-items may go; loops stay, even if they do nothing.

use crate::ir::cfg::keep_reachable;
use crate::ir::*;
use cranelift_entity::{PrimaryMap, SecondaryMap};

/// Removes dead code. True if there was some.
pub fn run(func: &mut Function) -> bool {
    let before = func.layout.len();
    keep_reachable(func);
    let mut changed = func.layout.len() < before;
    let live = Liveness::new(func);
    for index in 0..func.layout.len() {
        let block = func.layout[index];
        let insts = std::mem::take(&mut func.block_mut(block).insts);
        let before = insts.len();
        let kept: Vec<Inst> = insts.into_iter().filter(|&inst| live.insts[inst]).collect();
        changed |= kept.len() != before;
        func.block_mut(block).insts = kept;
    }
    // The entry's parameters are the function's: they stay.
    let entry = func.entry();
    for index in 0..func.layout.len() {
        let block = func.layout[index];
        let Some(&last) = func.block(block).insts.last() else { continue };
        let mut data = func.inst(last).data.clone();
        let mut smaller = false;
        for target in data.targets_mut() {
            if target.block == entry {
                continue;
            }
            let params = &func.block(target.block).params;
            if params.iter().any(|&param| !live.values[param]) {
                let mut position = 0;
                target.args.retain(|_| {
                    position += 1;
                    live.values[params[position - 1]]
                });
                smaller = true;
            }
        }
        if smaller {
            func.replace(last, data);
        }
    }
    for index in 1..func.layout.len() {
        let block = func.layout[index];
        let params = func.block(block).params.clone();
        if params.iter().any(|&param| !live.values[param]) {
            changed = true;
            func.retain_params(block, |position| live.values[params[position]]);
        }
    }
    drop_slots(func) | changed
}

/// Drops slots that nothing addresses: only functions without slots can be run for several gangs at once.
fn drop_slots(func: &mut Function) -> bool {
    if func.slots.is_empty() {
        return false;
    }
    let before = std::mem::replace(&mut func.slots, PrimaryMap::new());
    let mut kept: SecondaryMap<Slot, Option<Slot>> = SecondaryMap::new();
    for index in 0..func.layout.len() {
        for inst in func.block(func.layout[index]).insts.clone() {
            if let InstData::SlotAddress { slot } = func.inst(inst).data {
                let slot = *kept[slot].get_or_insert_with(|| func.slots.push(before[slot]));
                func.inst_mut(inst).data = InstData::SlotAddress { slot };
            }
        }
    }
    func.slots.len() != before.len()
}

/// What is needed.
struct Liveness {
    insts: SecondaryMap<Inst, bool>,
    values: SecondaryMap<Value, bool>,
}

impl Liveness {
    fn new(func: &Function) -> Liveness {
        let (_, insts, values) = func.counts();
        let mut live = Liveness {
            insts: SecondaryMap::with_capacity(insts),
            values: SecondaryMap::with_capacity(values),
        };
        // The jumps to each block: where its parameters come from.
        let mut jumps: SecondaryMap<Block, Vec<Inst>> = SecondaryMap::new();
        let mut work: Vec<Value> = Vec::new();
        for &block in &func.layout {
            for &inst in &func.block(block).insts {
                let data = &func.inst(inst).data;
                if data.is_terminator() {
                    live.insts[inst] = true;
                    for target in data.targets() {
                        if jumps[target.block].last() != Some(&inst) {
                            jumps[target.block].push(inst);
                        }
                    }
                    match data {
                        InstData::Branch { condition, .. } => work.push(*condition),
                        InstData::Switch { value, .. } => work.push(*value),
                        InstData::Return { values } => work.extend(values),
                        _ => {}
                    }
                } else if data.has_side_effects() {
                    live.insts[inst] = true;
                    data.for_each_operand(|&value| work.push(value));
                }
            }
        }
        while let Some(value) = work.pop() {
            if std::mem::replace(&mut live.values[value], true) {
                continue;
            }
            match func.def(value) {
                ValueDef::Result(inst, _) => {
                    if !std::mem::replace(&mut live.insts[inst], true) {
                        func.inst(inst).data.for_each_operand(|&value| work.push(value));
                    }
                }
                ValueDef::Param(block, index) => {
                    for &jump in &jumps[block] {
                        let targets = func.inst(jump).data.targets();
                        let here = targets.iter().filter(|target| target.block == block);
                        work.extend(here.map(|target| target.args[index as usize]));
                    }
                }
            }
        }
        live
    }
}
