//! Dead code: instructions whose results nobody needs, block parameters that nothing reads, blocks that can't be reached, slots that nothing
//! addresses.
//!
//! Needed is what an instruction with side effects or a branch needs, and what that needs in turn. (So a loop's counter that only counts
//! is dead.) Non-volatile loads and operations across work-items may go; loops stay, even if they do nothing.

use analysis::Analyses;
use cranelift_entity::{PrimaryMap, SecondaryMap};
use ir::edges::Edges;
use ir::*;

/// Removes dead code. True if there was some.
pub fn run(func: &mut Function, analyses: &mut Analyses) -> bool {
    let before = func.layout.len();
    let cfg = &analyses.flow(func).cfg;
    cfg.keep_reachable(func);
    let mut changed = func.layout.len() < before;
    let live = Liveness::new(func, &cfg.preds);
    for index in 0..func.layout.len() {
        let block = func.layout[index];
        let insts = &mut func.block_mut(block).insts;
        let before = insts.len();
        insts.retain(|&inst| live.insts[inst]);
        changed |= insts.len() != before;
    }
    // The entry's parameters are the function's: they stay.
    let entry = func.entry();
    for index in 0..func.layout.len() {
        let block = func.layout[index];
        let Some(&last) = func.block(block).insts.last() else { continue };
        let loses = |target: &Block| *target != entry && func.block(*target).params.iter().any(|&param| !live.values[param]);
        if !func.successors(block).iter().any(loses) {
            continue;
        }
        let mut data = func.inst(last).data.clone();
        for target in data.targets_mut() {
            if !loses(&target.block) {
                continue;
            }
            let params = &func.block(target.block).params;
            let mut position = 0;
            target.args.retain(|_| {
                position += 1;
                live.values[params[position - 1]]
            });
        }
        func.replace(last, data);
    }
    for index in 1..func.layout.len() {
        let block = func.layout[index];
        if func.block(block).params.iter().any(|&param| !live.values[param]) {
            let params = func.block(block).params.clone();
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
    if let Some(origins) = &mut func.origins {
        let variables = std::mem::take(&mut origins.variables);
        for slot in before.keys() {
            if let Some(slot_now) = kept[slot] {
                origins.variables[slot_now] = variables[slot].clone();
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
    /// Of a function, the blocks of which are jumped to from those of `preds`.
    fn new(func: &Function, preds: &Edges) -> Liveness {
        let mut live = Liveness {
            insts: func.per_inst(false),
            values: func.per_value(false),
        };
        let mut work: Vec<Value> = Vec::new();
        for &block in &func.layout {
            for &inst in &func.block(block).insts {
                let data = &func.inst(inst).data;
                if data.is_terminator() {
                    live.insts[inst] = true;
                    work.extend(data.decider());
                    if let InstData::Return { values } = data {
                        work.extend(values);
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
                    // What jumps here twice stands there twice, one behind the other.
                    let mut last = None;
                    for &pred in &preds[block] {
                        if last.replace(pred) != Some(pred) {
                            let jump = func.terminator(pred);
                            jump.for_each_target(|target| {
                                if target.block == block {
                                    work.push(target.args[index as usize]);
                                }
                            });
                        }
                    }
                }
            }
        }
        live
    }
}
