//! Lanes of a vector that has just been loaded are loaded themselves.
//!
//! ```c
//! float row = a[get_sub_group_local_id()];
//! sum += sub_group_broadcast(row, 3) * b[i];    // sum += a[3] * b[i]
//! ```
//!
//! A lane of a register has to be moved to the lowest place, and spread from there: two shuffles, where multiplications want to go, too. What is loaded
//! as a scalar comes spread over all lanes, or is an operand of the instruction that uses it.

use ir::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// A vector in memory, contiguous, from an address on.
#[derive(Clone, Copy)]
struct Row {
    address: Address,
    mem: MemInfo,
}

/// Rewrites. True if something changed.
pub fn run(func: &mut Function) -> bool {
    if !func.insts().any(|inst| lane(func, inst).is_some()) {
        return false;
    }
    let stays = stays(func);
    let mut replaced = ValueMap::default();
    for index in 0..func.layout.len() {
        let block = func.layout[index];
        // What is in memory as it was loaded.
        let mut rows: FxHashMap<Value, Row> = FxHashMap::default();
        for inst in func.take_insts(block) {
            if func.inst(inst).data.has_side_effects() {
                rows.clear();
            }
            if let Some(row) = row(func, inst) {
                rows.insert(func.result(inst), row);
            }
            let of_row = lane(func, inst).and_then(|(vector, lane)| Some((vector, lane, *rows.get(&vector)?)));
            let scalar = of_row.and_then(|(vector, lane, row)| {
                // The lowest lane of a register that is there anyway costs nothing.
                let free = lane == 0 && stays.contains(&vector);
                if free { None } else { scalar(func, vector, lane, row) }
            });
            match scalar {
                Some(load) => {
                    let value = Builder::new(func, block).value(load);
                    replaced.insert(func.result(inst), value);
                }
                None => func.block_mut(block).insts.push(inst),
            }
        }
    }
    func.substitute(&replaced);
    !replaced.is_empty()
}

/// The vector of which an instruction takes a lane that is known, and which.
fn lane(func: &Function, inst: Inst) -> Option<(Value, u16)> {
    match func.inst(inst).data {
        InstData::Lane {
            op: LaneOp::Extract(lane),
            ref args,
            ..
        } => Some((args[0], lane)),
        _ => None,
    }
}

/// Vectors that something else is made of than single lanes.
fn stays(func: &Function) -> FxHashSet<Value> {
    let mut stays = FxHashSet::default();
    for inst in func.insts().filter(|&inst| lane(func, inst).is_none()) {
        func.inst(inst).data.for_each_operand(|&value| {
            stays.insert(value);
        });
    }
    stays
}

/// What an instruction loads, if it is a whole vector from contiguous memory.
fn row(func: &Function, inst: Inst) -> Option<Row> {
    match func.inst(inst).data {
        InstData::Load {
            ty,
            address,
            mask: None,
            mem,
            ..
        } if ty.is_vector() && ty.elem != Elem::Mask && !mem.flags.contains(MemFlags::VOLATILE) => {
            let scalars = [Some(address.base), address.index];
            let contiguous = scalars.into_iter().flatten().all(|value| !func.ty(value).is_vector());
            contiguous.then_some(Row { address, mem })
        }
        _ => None,
    }
}

/// The load of a lane.
fn scalar(func: &Function, vector: Value, lane: u16, row: Row) -> Option<InstData> {
    let elem = func.ty(vector).elem;
    let offset = row.address.offset.checked_add(i32::from(lane) * elem.bytes() as i32)?;
    let align = Align::of(row.mem.align.bytes().min(elem.bytes()));
    Some(InstData::Load {
        ty: Type::scalar(elem),
        address: Address { offset, ..row.address },
        mask: None,
        passthru: None,
        mem: MemInfo { align, ..row.mem },
    })
}
