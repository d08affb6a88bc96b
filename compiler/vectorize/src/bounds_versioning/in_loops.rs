//! Loads of loops whose indices are held within bounds, of numbers that are others in each iteration: written twice within their block.

use super::{Known, Numbers};
use analysis::{Analyses, GangFacts};
use ir::copy::copy_blocks;
use ir::*;
use rustc_hash::FxHashSet;

/// So many blocks of a function are cut.
const MOST: usize = 4;
/// No more instructions than this are written twice.
const LARGEST: usize = 60;

pub(super) fn run(func: &mut Function, facts: &GangFacts, analyses: &mut Analyses) -> bool {
    let mut done = FxHashSet::default();
    while done.len() < MOST
        && let Some(known) = Known::of_addresses(func, facts, analyses)
        && let Some(found) = find(func, facts, &known, &done)
    {
        done.insert(split(func, &found));
        analyses.forget();
    }
    !done.is_empty()
}

/// A part of a block, and numbers that are held within bounds in it.
struct Found {
    block: Block,
    first: usize,
    /// The last instruction that belongs to it.
    last: usize,
    numbers: Numbers,
}

fn find(func: &Function, facts: &GangFacts, known: &Known, done: &FxHashSet<Block>) -> Option<Found> {
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
            let end = insts[first..].iter().take(LARGEST).take_while(|inst| may_copy(inst)).count() + first;
            let end = end.min(insts.len() - 1);
            let mut wanted = false;
            for &inst in &insts[first..end] {
                wanted |= known.add(func, &mut numbers, inst, (block, first));
            }
            if wanted && let Some(last) = last_load(func, &insts[first..end], &numbers) {
                return Some(Found {
                    block,
                    first,
                    last: first + last,
                    numbers,
                });
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

/// Gives the block that the part is in, for gangs of which lanes leave the bounds.
fn split(func: &mut Function, found: &Found) -> Block {
    let [part, behind] = [(); 2].map(|()| func.add_detached_block());
    let mut rest = func.block_mut(found.block).insts.split_off(found.first);
    let after = rest.split_off(found.last + 1 - found.first);
    func.block_mut(behind).insts = after;
    let at = func.layout.iter().position(|&other| other == found.block);
    let at = at.map_or(func.layout.len(), |at| at + 1);
    func.layout.insert(at, behind);
    // What is computed in the part comes as parameters, if anybody wants it.
    let results: Vec<Value> = rest.iter().flat_map(|&inst| func.inst(inst).results.clone()).collect();
    let uses = func.use_counts();
    let wanted: Vec<Value> = results.into_iter().filter(|&value| uses[value] > 0).collect();
    let mut map = ValueMap::default();
    for &value in &wanted {
        let ty = func.ty(value);
        map.insert(value, func.add_param(behind, ty));
    }
    func.substitute(&map);
    func.block_mut(part).insts = rest;
    let target = to(behind, &wanted);
    func.append(part, InstData::Jump { target }, Flags::empty());
    let copies = copy_blocks(func, &[part]);
    func.layout.splice(at..at, [copies[0], part]);
    let mut b = Builder::new(func, found.block);
    let inside = found.numbers.are_inside(&mut b);
    b.branch(inside, to(copies[0], &[]), to(part, &[]));
    let insts = |block: Block| func.block(block).insts.clone();
    let pairs: Vec<(Inst, Inst)> = insts(part).into_iter().zip(insts(copies[0])).collect();
    found.numbers.drop_bounds(func, &copies, &pairs);
    part
}
