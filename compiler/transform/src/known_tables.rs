//! What a table of constants holds at a place that is known is a constant.
//!
//! Loops over the tables of a cipher (`state[PI[i]]`), once they are unrolled, say with it where in an array they are at work, and the array
//! becomes values.

use analysis::access::objects::{Object, Places};
use ir::*;

/// Reads them. True if something changed.
pub fn run(func: &mut Function, module: &Module) -> bool {
    if !func
        .insts()
        .any(|inst| matches!(func.inst(inst).data, InstData::GlobalAddress { .. }))
    {
        return false;
    }
    let places = Places::new(func, &cfg::reverse_postorder(func), |object| matches!(object, Object::Global(_)));
    let mut changed = false;
    for index in 0..func.layout.len() {
        for position in 0..func.block(func.layout[index]).insts.len() {
            let inst = func.block(func.layout[index]).insts[position];
            if let Some((ty, bits)) = known(func, module, &places, inst) {
                func.replace(inst, InstData::Const { ty, bits });
                changed = true;
            }
        }
    }
    changed
}

/// What a load finds in a variable that nobody writes.
fn known(func: &Function, module: &Module, places: &Places, inst: Inst) -> Option<(Type, u64)> {
    let &InstData::Load {
        ty,
        address,
        mask: None,
        mem,
        ..
    } = &func.inst(inst).data
    else {
        return None;
    };
    if ty.is_vector() || ty.elem == Elem::Mask || mem.flags.contains(MemFlags::VOLATILE) {
        return None;
    }
    let place = places.place(address.base)?;
    let Object::Global(global) = place.object else { return None };
    let index = match address.index {
        Some(index) => func.signed_constant(index)?.checked_mul(i64::from(address.scale))?,
        None => 0,
    };
    let data = module.globals.get(global).filter(|data| data.constant)?;
    let from = place.offset?.checked_add(index)?.checked_add(i64::from(address.offset))?;
    let from = usize::try_from(from).ok()?;
    let to = from.checked_add(ty.bytes() as usize)?;
    let bytes = data.bytes.get(from..to)?;
    let has_address = |&(at, _, _): &(u32, Global, i64)| (at as usize) < to && from < at as usize + 8;
    if data.relocations.iter().any(has_address) {
        return None;
    }
    let bits = bytes.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte));
    Some((ty, bits))
}
