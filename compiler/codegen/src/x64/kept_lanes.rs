//! Vectors of addresses that a loop accesses memory through and does not change: they are stored once, where they are computed, and the loop loads
//! lanes of them. Each of its iterations would store them anew, and keep registers for that.

use super::machine::{Amode, Base};
use super::selector::Selector;
use ir::cfg::{Cfg, Loops};
use ir::{Block, Elem, InstData, Value};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Where such vectors are.
#[derive(Default)]
pub struct KeptLanes {
    places: FxHashMap<Value, Place>,
}

struct Place {
    memory: Amode,
    is_stored: bool,
}

impl Selector<'_> {
    /// Looks for them, before anything is translated, and gives each a place behind the function's slots.
    pub fn find_kept_lanes(&mut self, cfg: &Cfg) {
        let found = self.accessed_by_lane(cfg);
        if found.is_empty() {
            return;
        }
        let (loops, homes) = (Loops::new(cfg), self.func.homes(&cfg.order));
        for (block, value) in found {
            let around = loops.innermost[block].is_some_and(|index| homes[value].is_some_and(|home| !loops.contains(index as usize, home)));
            if !around || self.kept_lanes.places.contains_key(&value) {
                continue;
            }
            let align = self.c.target.vector_bytes();
            let memory = Amode::new(Base::Buffer, self.slots_bytes as i32);
            self.slots_bytes += self.func.ty(value).bytes().next_multiple_of(align);
            self.c.buffer_bytes = self.c.buffer_bytes.max(self.slots_bytes);
            self.kept_lanes.places.insert(value, Place { memory, is_stored: false });
        }
    }

    /// Vectors of 64 bits whose lanes blocks take one by one to access memory.
    fn accessed_by_lane(&self, cfg: &Cfg) -> Vec<(Block, Value)> {
        let func = self.func;
        let mut found = Vec::new();
        // How often the current block accesses memory through a vector: what is adjacent is not gathered by the machine.
        let mut accesses: FxHashMap<Value, u32> = FxHashMap::default();
        for &block in cfg.order.iter() {
            accesses.clear();
            for &inst in &func.block(block).insts {
                let (InstData::Load { address, mask, .. } | InstData::Store { address, mask, .. }) = &func.inst(inst).data else {
                    continue;
                };
                let parts = [Some(address.base), address.index].into_iter().flatten();
                let parts: SmallVec<[Value; 2]> = parts.filter(|&part| self.is_taken_by_lane(part)).collect();
                if parts.is_empty() || self.steps(address).is_some() {
                    continue;
                }
                let gathers = func
                    .access(inst)
                    .is_some_and(|access| !access.is_store && self.gathers_natively(access.ty, address, self.real_mask(*mask).is_some()));
                for part in parts {
                    let count = accesses.entry(part).or_default();
                    *count += 1;
                    if !gathers || *count == 2 {
                        found.push((block, part));
                    }
                }
            }
        }
        found
    }

    /// It is computed somewhere, and has so many lanes of so many bits that they are taken from memory.
    fn is_taken_by_lane(&self, part: Value) -> bool {
        let ty = self.func.ty(part);
        ty.elem == Elem::I64 && ty.lanes >= 4 && self.func.def_inst(part).is_some()
    }

    /// Stores a value that has just been computed, if a loop takes its lanes.
    pub fn keep_lanes(&mut self, value: Value) {
        let Some(place) = self.kept_lanes.places.get_mut(&value) else {
            return;
        };
        place.is_stored = true;
        let memory = place.memory;
        let parts = self.get(value);
        self.spill_to(&parts, memory);
    }

    /// Where a value's lanes have been stored.
    pub fn kept(&self, value: Value) -> Option<Amode> {
        self.kept_lanes
            .places
            .get(&value)
            .filter(|place| place.is_stored)
            .map(|place| place.memory)
    }
}
