//! Makes every loop reducible: a cycle with several entries gets one, a dispatch block that is told which of them is meant.
//!
//! All jumps to the entries of such a cycle, from outside and from inside, go to the dispatch block with the number of the entry and the
//! arguments for it. No code is duplicated, so convergent operations are safe. (Dominance of definitions is kept: whatever an entry
//! needs from outside of the cycle is there on each way into it, since each entry can be reached from each other.)

use analysis::Analyses;
use cranelift_entity::SecondaryMap;
use ir::components::components;
use ir::*;

/// Makes all loops reducible. True if some were not.
pub fn run(func: &mut Function, analyses: &mut Analyses) -> bool {
    let flow = analyses.flow(func);
    if !flow.loops().irreducible {
        return false;
    }
    let cfg = &flow.cfg;
    // Sets of blocks that are still to be searched for cycles, without the entries of cycles found already.
    let mut work: Vec<Vec<Block>> = vec![cfg.order.clone()];
    let mut preds = cfg.preds.to_lists();
    while let Some(blocks) = work.pop() {
        for component in components(&blocks, |block| func.successors(block)) {
            if component.len() == 1 && !func.successors(component[0]).contains(&component[0]) {
                continue;
            }
            let mut inside: SecondaryMap<Block, bool> = SecondaryMap::new();
            component.iter().for_each(|&block| inside[block] = true);
            let is_entry = |block: &Block| preds[*block].iter().any(|&pred| !inside[pred]);
            let entries: Vec<Block> = component.iter().copied().filter(is_entry).collect();
            let rest = match entries.as_slice() {
                &[header] => component.into_iter().filter(|&block| block != header).collect(),
                _ => {
                    let dispatch = dispatch(func, &entries);
                    preds[dispatch] = entries.iter().flat_map(|&entry| std::mem::take(&mut preds[entry])).collect();
                    entries.iter().for_each(|&entry| preds[entry].push(dispatch));
                    component
                }
            };
            work.push(rest);
        }
    }
    true
}

/// Puts a dispatch block in front of `entries`.
fn dispatch(func: &mut Function, entries: &[Block]) -> Block {
    let dispatch = func.add_block();
    // Two entries are told apart by a mask, more by a number.
    let which_type = if entries.len() == 2 { Type::MASK } else { Type::I32 };
    let which = func.add_param(dispatch, which_type);
    let mut number: SecondaryMap<Block, u32> = SecondaryMap::with_default(u32::MAX);
    let mut types: Vec<Vec<Type>> = Vec::new();
    let mut calls: Vec<BlockCall> = Vec::new();
    for (index, &entry) in entries.iter().enumerate() {
        number[entry] = index as u32;
        let of_entry: Vec<Type> = func.block(entry).params.iter().map(|&param| func.ty(param)).collect();
        let args: Vec<Value> = of_entry.iter().map(|&ty| func.add_param(dispatch, ty)).collect();
        calls.push(to(entry, &args));
        types.push(of_entry);
    }
    for index in 0..func.layout.len() {
        let block = func.layout[index];
        if block == dispatch {
            continue;
        }
        let mut data = func.terminator(block).clone();
        let mut new: Vec<Inst> = Vec::new();
        for target in data.targets_mut() {
            let chosen = number[target.block];
            if chosen == u32::MAX {
                continue;
            }
            let mut constant = |ty: Type, bits: u64| {
                let inst = func.make_inst(InstData::Const { ty, bits }, Flags::empty());
                new.push(inst);
                func.result(inst)
            };
            let bits = if which_type == Type::MASK {
                u64::from(chosen == 0)
            } else {
                u64::from(chosen)
            };
            let mut args = vec![constant(which_type, bits)];
            for (index, types) in types.iter().enumerate() {
                match index as u32 == chosen {
                    true => args.extend(&target.args),
                    false => args.extend(types.iter().map(|&ty| constant(ty, 0))),
                }
            }
            *target = to(dispatch, &args);
        }
        if !new.is_empty() {
            let insts = &mut func.block_mut(block).insts;
            let end = insts.len() - 1;
            insts.splice(end..end, new);
            *func.terminator_mut(block) = data;
        }
    }
    let data = match <[BlockCall; 2]>::try_from(calls) {
        Ok(targets) => InstData::Branch { condition: which, targets },
        Err(mut calls) => {
            let default = calls.pop().expect("an irreducible cycle has two entries at least");
            let cases = calls.into_iter().enumerate().map(|(index, call)| (index as u64, call)).collect();
            InstData::Switch {
                value: which,
                cases,
                default,
            }
        }
    };
    func.append(dispatch, data, Flags::empty());
    dispatch
}
