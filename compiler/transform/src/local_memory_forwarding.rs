//! What gangs hand on to each other in local memory is read as plain memory, and so can become a value.
//!
//! One thread runs a work-group, so nothing changes local memory between two of its instructions: an atomic load there is a load. It is
//! atomic for the passes that see one work-item, to which the value seems to change by itself. Only loads of places that are written in the
//! same block are taken: where a loop does nothing but look, it waits for something, and the load must stay in it.

use ir::*;
use target::costs::effort::INSTRUCTIONS_BEHIND;

/// Rewrites. True if something changed.
pub fn run(func: &mut Function) -> bool {
    let mut changed = false;
    for index in 0..func.layout.len() {
        let block = func.layout[index];
        let mut position = 0;
        while position < func.block(block).insts.len() {
            if let Some(load) = plain_load(func, block, position) {
                make_plain(func, block, position, load);
                changed = true;
            }
            position += 1;
        }
    }
    changed
}

/// The load, of what is stored in its place later, that does for the atomic one at this position.
fn plain_load(func: &Function, block: Block, position: usize) -> Option<InstData> {
    let insts = &func.block(block).insts[position..];
    let InstData::AtomicLoad {
        ty,
        address,
        mask: None,
        mem,
        order: Order::Relaxed,
        ..
    } = func.inst(insts[0]).data
    else {
        return None;
    };
    if mem.space != Space::Local || mem.flags.contains(MemFlags::VOLATILE) {
        return None;
    }
    let mut behind = insts.iter().skip(1).take(INSTRUCTIONS_BEHIND);
    behind.find_map(|&inst| match func.inst(inst).data {
        InstData::Store {
            value,
            address: to,
            mem: to_mem,
            mask: None,
        } if to == Address::base(address) && to_mem.space == Space::Local && func.ty(value).bytes() == ty.bytes() => Some(InstData::Load {
            ty: func.ty(value),
            address: to,
            mem,
            mask: None,
            passthru: None,
        }),
        _ => None,
    })
}

/// Puts the load in the place of the atomic one, whose result it is as bits.
fn make_plain(func: &mut Function, block: Block, position: usize, load: InstData) {
    let atomic = func.block(block).insts[position];
    let ty = func.ty(func.result(atomic));
    let plain = func.make_inst(load, Flags::empty());
    func.block_mut(block).insts.insert(position, plain);
    let bits = InstData::Convert {
        op: ConvertOp::Bitcast,
        ty,
        arg: func.result(plain),
        rounding: Rounding::Nearest,
        saturate: false,
    };
    func.replace(atomic, bits);
}
