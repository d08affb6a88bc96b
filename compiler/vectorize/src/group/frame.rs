//! A gang's frame: its private memory, what it needs on the other side of a barrier, and where it goes on.
//!
//! The frames of a group's gangs lie one after the other in the worker's private memory.

use super::Writer;
use super::copy::Iteration;
use super::gang_loop::GangValues;
use crate::regions::Marker;
use device::abi::WorkerRecord;
use ir::*;

/// Frames start at multiples of this.
const FRAME_ALIGN: u64 = 128;

impl Writer<'_> {
    fn allocate(&mut self, bytes: u64, align: u64) -> u64 {
        let offset = self.frame_bytes.next_multiple_of(align.max(1));
        self.frame_bytes = offset + bytes;
        offset
    }

    pub(super) fn lay_out_frame(&mut self) {
        for (_, data) in self.gang.func.slots.iter() {
            let offset = self.allocate(self.facts.slot_bytes(data), u64::from(data.align).max(16));
            self.slots.push(offset);
        }
        self.tell_variables();
        if self.regions.markers.len() > 1 {
            self.find_live();
            let mut spilled: Vec<Value> = self
                .live
                .iter()
                .flatten()
                .copied()
                .filter(|&value| !self.is_carried(value))
                .collect();
            spilled.sort_unstable();
            spilled.dedup();
            for value in spilled {
                let ty = spill_type(self.gang.func.ty(value));
                let bytes = u64::from(ty.bytes());
                let offset = self.allocate(bytes, bytes.next_power_of_two().min(64));
                self.spills.insert(value, offset);
            }
            self.state_offset = self.allocate(4, 4);
        }
        // Gangs that are run at once share a frame, of which each counts for its part.
        let align = FRAME_ALIGN * u64::from(self.facts.gangs_at_once);
        self.frame_bytes = self.frame_bytes.next_multiple_of(align);
    }

    /// Notes where variables are that debuggers can show.
    fn tell_variables(&mut self) {
        let Some(origins) = &mut self.func.origins else { return };
        for (slot, data) in self.gang.func.slots.iter() {
            // Lanes' copies in one piece only.
            if let Some(Variable { name, ty: Some(ty) }) = &origins.variables[slot]
                && !name.is_empty()
                && self.facts.lane_strides[slot] == 0
                && self.facts.gangs_at_once == 1
            {
                origins.frame.push(FrameVariable {
                    name: name.clone(),
                    ty: ty.clone(),
                    offset: self.slots[slot.as_u32() as usize],
                    stride: self.facts.slot_bytes(data) / u64::from(self.facts.width),
                    lanes: self.facts.width.into(),
                });
            }
        }
    }

    /// Leaves the place of a gang's frame where debuggers look for its variables.
    pub(super) fn tell_frame(&mut self, block: Block, frame: Option<Value>) {
        let is_told = self.func.origins.as_ref().is_some_and(|origins| !origins.frame.is_empty());
        let (Some(frame), true) = (frame, is_told) else { return };
        let worker = self.params[1];
        let place = Address::offset(worker, std::mem::offset_of!(WorkerRecord, frame) as i32);
        Builder::new(&mut self.func, block).store(frame, place, MemInfo::new(Space::Global, 8));
    }

    fn frame_address(&self, values: GangValues, offset: u64) -> Address {
        Address::offset(
            values.frame.expect("a function with something in its frame has a frame"),
            offset as i32,
        )
    }

    pub(super) fn store_state(&mut self, block: Block, values: GangValues, state: i32) {
        let address = self.frame_address(values, self.state_offset);
        let mut b = Builder::new(&mut self.func, block);
        let state = b.i32(state);
        b.store(state, address, MemInfo::new(Space::Private, 4));
    }

    pub(super) fn load_state(&mut self, block: Block, values: GangValues) -> Value {
        let address = self.frame_address(values, self.state_offset);
        Builder::new(&mut self.func, block).load(Type::I32, address, MemInfo::new(Space::Private, 4))
    }

    /// Loads what the region needs from before.
    pub(super) fn reload(&mut self, block: Block, values: GangValues, marker: Marker) {
        for value in self.live[marker].clone() {
            let Some(&offset) = self.spills.get(&value) else { continue };
            let ty = self.gang.func.ty(value);
            let stored = spill_type(ty);
            let address = self.frame_address(values, offset);
            let mut b = Builder::new(&mut self.func, block);
            let mut loaded = b.load(stored, address, MemInfo::new(Space::Private, stored.elem.bytes()));
            if ty.elem == Elem::Mask {
                loaded = if ty.is_vector() {
                    b.lane(LaneOp::BitsMask, ty, &[loaded])
                } else {
                    b.icmp_imm(IntCc::Ne, loaded, 0)
                };
            }
            self.define(value, block, loaded);
        }
    }

    /// Stores what the region behind `marker` will need; what is as the region has found it is there already.
    pub(super) fn spill(&mut self, block: Block, marker: Marker, iteration: &Iteration) {
        for value in self.live[marker].clone() {
            let Some(&offset) = self.spills.get(&value) else { continue };
            if iteration.unchanged.binary_search(&value).is_ok() {
                continue;
            }
            let ty = self.gang.func.ty(value);
            let mut stored = self.use_value(value, block);
            let address = self.frame_address(iteration.gang, offset);
            let mut b = Builder::new(&mut self.func, block);
            if ty.elem == Elem::Mask {
                stored = if ty.is_vector() {
                    b.lane(LaneOp::MaskBits, Type::I32, &[stored])
                } else {
                    b.convert(ConvertOp::MaskToInt, Elem::I32, stored)
                };
            }
            let bytes = b.ty(stored).elem.bytes();
            b.store(stored, address, MemInfo::new(Space::Private, bytes));
        }
    }
}

/// What a value that lives across a barrier is in memory: masks are bits, a vector's in an `i32`.
fn spill_type(ty: Type) -> Type {
    if ty.elem == Elem::Mask { Type::I32 } else { ty }
}
