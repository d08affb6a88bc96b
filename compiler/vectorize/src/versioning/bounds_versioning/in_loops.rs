//! Loads of loops whose indices are held within bounds, of numbers that are others in each iteration: written twice within their block.

use super::{Known, Numbers};
use crate::versioning::{Budget, Region, version};
use analysis::{Analyses, GangFacts};
use ir::*;
use rustc_hash::FxHashSet;
use target::costs::effort::INSTRUCTIONS_TO_ACCESS;
use target::costs::versioning::REGIONS;

pub(super) fn run(func: &mut Function, facts: &GangFacts, analyses: &mut Analyses, budget: &mut Budget) -> bool {
    let mut done = FxHashSet::default();
    while done.len() < REGIONS
        && let Some(known) = Known::of_addresses(func, facts, analyses)
        && let Some((region, mut numbers)) = find(func, facts, &known, &done, budget)
    {
        done.insert(version(func, &region, &mut numbers).slow.block);
        analyses.forget();
    }
    !done.is_empty()
}

/// A part of a block, and numbers that are held within bounds in it.
fn find(func: &Function, facts: &GangFacts, known: &Known, done: &FxHashSet<Block>, budget: &mut Budget) -> Option<(Region, Numbers)> {
    let within = |block: &&Block| known.loops.depth(**block) > 0 && known.together[**block] && !done.contains(*block);
    for &block in known.cfg.order.iter().filter(within) {
        let insts = &func.block(block).insts;
        for (first, &inst) in insts.iter().enumerate() {
            let Some(mut numbers) = known.numbers(func, facts, inst) else {
                continue;
            };
            if !known.is_there(func, numbers.root, block, first) {
                continue;
            }
            let may_copy = |&inst: &Inst| {
                let data = &func.inst(inst).data;
                data.is_pure() || matches!(data, InstData::Load { .. } | InstData::Store { .. })
            };
            let end = insts[first..]
                .iter()
                .take(INSTRUCTIONS_TO_ACCESS)
                .take_while(|inst| may_copy(inst))
                .count()
                + first;
            let end = end.min(insts.len() - 1);
            let mut wanted = false;
            for &inst in &insts[first..end] {
                wanted |= known.add(func, &mut numbers, inst, (block, first));
            }
            if wanted
                && let Some(last) = last_load(func, &insts[first..end], &numbers)
                && budget.pay(block, last + 1)
            {
                let positions = first..first + last + 1;
                return Some((Region::Part { block, positions }, numbers));
            }
        }
    }
    None
}

/// The last access whose address is made of what is held within bounds.
fn last_load(func: &Function, insts: &[Inst], numbers: &Numbers) -> Option<usize> {
    let mut made: FxHashSet<Value> = FxHashSet::default();
    let mut last = None;
    for (position, &inst) in insts.iter().enumerate() {
        let node = func.inst(inst);
        match &node.data {
            InstData::Load { address, .. } | InstData::Store { address, .. } => {
                if made.contains(&address.base) || address.index.is_some_and(|index| made.contains(&index)) {
                    last = Some(position);
                }
            }
            data => {
                let mut depends = numbers.covered.contains(&inst);
                data.for_each_operand(|value| depends |= made.contains(value));
                if depends {
                    made.extend(&node.results);
                }
            }
        }
    }
    last
}
