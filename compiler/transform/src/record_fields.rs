//! Fields of a record that are loaded and stored one after the other.
//!
//! ```c
//! p[i].x += p[i].vx * t; p[i].y += p[i].vy * t;   // vy and y are loaded before x is stored
//! P q = p[i]; q.x += q.vx * t; p[i] = q;          // x alone is stored
//! ```
//!
//! Accesses whose addresses differ by a constant meet where their bytes do, whatever their alias sets say. So a load goes ahead of stores to other
//! fields: gangs load and store whole records by rows, and no load of a row waits for a store to it. What a field is known to hold is not loaded
//! again, nor stored.

use super::memory::Touch;
use ir::*;
use target::costs::effort::{INSTRUCTIONS_BEHIND, PLACES};

/// Rewrites. True if something changed.
pub fn run(func: &mut Function) -> bool {
    let is_store = |&inst: &Inst| matches!(func.inst(inst).data, InstData::Store { .. });
    let stores = |block: &Block| func.block(*block).insts.iter().any(is_store);
    let blocks: Vec<Block> = func.layout.iter().copied().filter(stores).collect();
    let mut replaced = ValueMap::default();
    let mut changed = false;
    for block in blocks {
        changed |= in_block(func, block, &mut replaced);
    }
    func.substitute(&replaced);
    changed
}

/// What a place in memory holds.
struct Field {
    access: Access,
    value: Value,
}

fn is_beside(a: &Access, b: &Access) -> bool {
    a.address.is_beside(a.ty.bytes(), &b.address, b.ty.bytes())
}

fn in_block(func: &mut Function, block: Block, replaced: &mut ValueMap) -> bool {
    let insts = func.take_insts(block);
    let mut done: Vec<Inst> = Vec::with_capacity(insts.len());
    let mut known: Vec<Field> = Vec::new();
    let mut changed = false;
    for inst in insts {
        let access = func
            .access(inst)
            .filter(|access| access.mask.is_none() && !access.mem.flags.contains(MemFlags::VOLATILE));
        let Some(access) = access else {
            let touch = Touch::of(&func.inst(inst).data);
            if touch != Touch::Nothing {
                known.retain(|field| !touch.may_change(&field.access.mem));
            }
            done.push(inst);
            continue;
        };
        let is_there = |field: &&Field| field.access.address == access.address && field.access.ty == access.ty;
        let held = known.iter().find(is_there).map(|field| field.value);
        let value = match func.inst(inst).data {
            InstData::Store { value, .. } => replaced.resolve(value),
            _ => func.result(inst),
        };
        match held {
            Some(held) if !access.is_store => {
                replaced.insert(value, held);
                changed = true;
                continue;
            }
            Some(held) if held == value => {
                changed = true;
                continue;
            }
            _ => {}
        }
        let place = if access.is_store {
            let touch = Touch::of(&func.inst(inst).data);
            known.retain(|field| is_beside(&field.access, &access) || !touch.may_change(&field.access.mem));
            done.len()
        } else {
            ahead_of_stores(func, &done, &access)
        };
        changed |= place < done.len();
        done.insert(place, inst);
        if known.len() == PLACES {
            known.remove(0);
        }
        known.push(Field { access, value });
    }
    func.block_mut(block).insts = done;
    changed
}

/// Where among the instructions before it a load had better be: before the first store to another field of its record that it may go ahead of.
fn ahead_of_stores(func: &Function, before: &[Inst], load: &Access) -> usize {
    let mut place = before.len();
    if load.mem.space == Space::Private {
        return place;
    }
    for at in (0..before.len()).rev().take(INSTRUCTIONS_BEHIND) {
        let node = func.inst(before[at]);
        if node
            .results
            .iter()
            .any(|&result| result == load.address.base || Some(result) == load.address.index)
        {
            break;
        }
        let touch = Touch::of(&node.data);
        if !touch.may_change(&load.mem) {
            continue;
        }
        match func.access(before[at]) {
            Some(store) if store.is_store && is_beside(&store, load) => place = at,
            _ => break,
        }
    }
    place
}
