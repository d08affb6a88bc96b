//! Lanes of a vector that has just been loaded are loaded themselves.
//!
//! ```c
//! float row = a[get_sub_group_local_id()];
//! sum += sub_group_broadcast(row, 3) * b[i];    // sum += a[3] * b[i]
//! ```
//!
//! A lane of a register has to be moved to the lowest place, and spread from there: two shuffles, where multiplications want to go, too. What is loaded
//! as a scalar comes spread over all lanes, or is an operand of the instruction that uses it. So a vector that was computed is stored where many of its
//! lanes are spread:
//!
//! ```c
//! float row = vload_half(get_sub_group_local_id(), a);
//! sum += sub_group_broadcast(row, 0) * b[0] + sub_group_broadcast(row, 1) * b[1] + …
//! ```

use ir::*;
use rustc_hash::{FxHashMap, FxHashSet};
use target::Machine;
use target::costs::memory::STORED_LANES;

/// Rewrites. True if something changed.
pub fn run(func: &mut Function, machine: &Machine) -> bool {
    if !func.insts().any(|inst| lane(func, inst).is_some()) {
        return false;
    }
    let stays = stays(func);
    let mut spread = Spread::new(func, machine);
    let mut replaced = ValueMap::default();
    for index in 0..func.layout.len() {
        let block = func.layout[index];
        // What is in memory as it was loaded.
        let mut rows: FxHashMap<Value, Access> = FxHashMap::default();
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
                None => match lane(func, inst).and_then(|(vector, lane)| spread.load(func, block, vector, lane)) {
                    Some(value) => replaced.insert(func.result(inst), value),
                    None => {
                        func.block_mut(block).insts.push(inst);
                        spread.store(func, block, inst, &rows);
                    }
                },
            }
        }
    }
    func.substitute(&replaced);
    !replaced.is_empty()
}

/// Vectors of which many lanes are spread over all lanes.
struct Spread {
    /// How many lanes of a vector the block spreads that computes it.
    lanes: FxHashMap<Value, usize>,
    /// Where vectors are in memory, those of the block that is looked at.
    slots: FxHashMap<Value, (Block, Slot)>,
    bytes: u32,
}

impl Spread {
    fn new(func: &Function, machine: &Machine) -> Spread {
        let mut lanes: FxHashMap<Value, usize> = FxHashMap::default();
        // Lanes of short vectors are spread by one instruction.
        if machine.registers.bytes > 16 {
            for &block in &func.layout {
                // What this block computes, and lanes that it takes of that.
                let (mut computed, mut taken) = (FxHashSet::default(), FxHashMap::default());
                for &inst in &func.block(block).insts {
                    let node = func.inst(inst);
                    match (lane(func, inst), &node.data) {
                        (Some((vector, _)), _) if computed.contains(&vector) => _ = taken.insert(func.result(inst), vector),
                        (
                            _,
                            InstData::Lane {
                                op: LaneOp::Splat, args, ..
                            },
                        ) => {
                            if let Some(&vector) = taken.get(&args[0]) {
                                *lanes.entry(vector).or_default() += 1;
                            }
                        }
                        _ => computed.extend(node.results.iter().copied()),
                    }
                }
            }
        }
        lanes.retain(|_, count| *count >= machine.costs.lanes_through_memory());
        Spread {
            lanes,
            slots: FxHashMap::default(),
            bytes: 0,
        }
    }

    /// Stores what has just been computed, if it is one of these.
    fn store(&mut self, func: &mut Function, block: Block, inst: Inst, rows: &FxHashMap<Value, Access>) {
        let &[vector] = func.inst(inst).results.as_slice() else { return };
        let ty = func.ty(vector);
        if !self.lanes.contains_key(&vector)
            || rows.contains_key(&vector)
            || ty.elem == Elem::Mask
            || self.bytes + ty.bytes() > STORED_LANES
        {
            return;
        }
        self.bytes += ty.bytes();
        let align = ty.bytes().next_power_of_two().min(64);
        let slot = func.slots.push(SlotData { size: ty.bytes(), align });
        let mut b = Builder::new(func, block);
        let base = b.slot_address(slot);
        b.store(vector, Address::base(base), MemInfo::new(Space::Private, align));
        self.slots.insert(vector, (block, slot));
    }

    /// A lane of what the same block has stored.
    fn load(&self, func: &mut Function, block: Block, vector: Value, lane: u16) -> Option<Value> {
        let &(_, slot) = self.slots.get(&vector).filter(|(stored, _)| *stored == block)?;
        let elem = func.ty(vector).elem;
        let mut b = Builder::new(func, block);
        let address = Address {
            offset: i32::from(lane) * elem.bytes() as i32,
            ..Address::base(b.slot_address(slot))
        };
        Some(b.load(Type::scalar(elem), address, MemInfo::new(Space::Private, elem.bytes())))
    }
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
fn row(func: &Function, inst: Inst) -> Option<Access> {
    let is_whole = |access: &Access| access.ty.is_vector() && !access.is_store && access.mask.is_none() && access.is_plain();
    func.access(inst)
        .filter(|access| is_whole(access) && !func.is_scattered(&access.address))
}

/// The load of a lane.
fn scalar(func: &Function, vector: Value, lane: u16, row: Access) -> Option<InstData> {
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
