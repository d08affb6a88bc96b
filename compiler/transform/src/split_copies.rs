//! Copies to or from private memory become loads and stores of its elements, which other passes understand.
//!
//! `float a[8] = {…}` is a copy from a constant. As one instruction it would keep the array in memory, and each work-item's copy of it in
//! a piece; element by element the array may become values, or be laid out by element.

use analysis::access::objects::Places;
use ir::*;
use target::costs::code_size::COPIED_ELEMENTS;

/// Splits. True if there was something to split.
pub fn run(func: &mut Function) -> bool {
    if func.slots.is_empty() {
        return false;
    }
    let is_copy = |inst: Inst| matches!(func.inst(inst).data, InstData::Copy { .. });
    if !func.insts().any(is_copy) {
        return false;
    }
    let places = Places::in_slots(func, &cfg::reverse_postorder(func));
    let mut changed = false;
    for index in 0..func.layout.len() {
        let block = func.layout[index];
        if !func.block(block).insts.iter().any(|&inst| elements(func, &places, inst).is_some()) {
            continue;
        }
        changed = true;
        for inst in func.take_insts(block) {
            match elements(func, &places, inst) {
                Some((ty, count)) => split(func, block, inst, ty, count),
                None => func.block_mut(block).insts.push(inst),
            }
        }
    }
    changed
}

/// The elements that a copy moves, and how many.
fn elements(func: &Function, places: &Places, inst: Inst) -> Option<(Type, u64)> {
    let InstData::Copy {
        to,
        from,
        bytes,
        to_mem,
        from_mem,
    } = &func.inst(inst).data
    else {
        return None;
    };
    let volatile = (to_mem.flags | from_mem.flags).contains(MemFlags::VOLATILE);
    let bytes = func.constant(*bytes)?;
    // A place in a slot that is the same whatever the kernel computes.
    let is_fixed = |&address: &Value| places.place(address).is_some_and(|place| place.offset.is_some());
    if volatile || bytes == 0 || ![to, from].into_iter().any(is_fixed) {
        return None;
    }
    let align = to_mem.align.min(from_mem.align).bytes().min(8);
    let elem = Elem::int(align * 8)?;
    let size = u64::from(align);
    (bytes.is_multiple_of(size) && bytes / size <= COPIED_ELEMENTS).then_some((Type::scalar(elem), bytes / size))
}

fn split(func: &mut Function, block: Block, inst: Inst, ty: Type, count: u64) {
    let InstData::Copy {
        to,
        from,
        to_mem,
        from_mem,
        ..
    } = func.inst(inst).data
    else {
        return;
    };
    let (size, align) = (ty.bytes(), Align::of(ty.bytes()));
    let first = func.counts().1;
    let mut b = Builder::new(func, block);
    // Source and destination may be the same, or lie together.
    let values: Vec<Value> = (0..count)
        .map(|n| b.load(ty, Address::offset(from, n as i32 * size as i32), MemInfo { align, ..from_mem }))
        .collect();
    for (n, value) in values.into_iter().enumerate() {
        b.store(value, Address::offset(to, n as i32 * size as i32), MemInfo { align, ..to_mem });
    }
    func.inherit_place(inst, first);
    func.note_copies(first);
}
