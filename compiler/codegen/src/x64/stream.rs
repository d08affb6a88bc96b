//! Stores that go past the caches.
//!
//! Lines that are written in full need not be read first. Such stores must be aligned, which is tested; and they become visible in any
//! order, so that a store fence stands at the function's end, and functions that order memory themselves have none.

use super::machine::{Amode, Cc, Kind};
use super::ops;
use super::parts::Parts;
use super::selector::Selector;
use crate::x64::encode::Size;
use ir::{Elem, Function, InstData, MemFlags, MemInfo, Order, Space};
use regalloc2::PRegSet;

/// The function has non-temporal stores, and nothing in it makes others wait for its memory.
pub fn may_stream(func: &Function) -> bool {
    let mut found = false;
    for inst in func.insts() {
        let ordered = |mem: &MemInfo, order: Order| order != Order::Relaxed && !matches!(mem.space, Space::Local | Space::Private);
        match &func.inst(inst).data {
            InstData::Store { mem, .. } => found |= mem.flags.contains(MemFlags::NONTEMPORAL),
            InstData::AtomicLoad { mem, order, .. }
            | InstData::AtomicStore { mem, order, .. }
            | InstData::AtomicRmw { mem, order, .. }
            | InstData::AtomicCas { mem, order, .. }
                if ordered(mem, *order) =>
            {
                return false;
            }
            InstData::CallRuntime { routine, .. } if !routine.is_pure() => return false,
            InstData::Fence { .. } | InstData::Call { .. } => return false,
            _ => {}
        }
    }
    found
}

impl Selector<'_> {
    /// Stores consecutive lanes past the caches, if they are aligned.
    pub fn store_past_caches(&mut self, value: &Parts, place: Amode) {
        let size = value.size();
        if value.ty.elem == Elem::Mask || u32::from(value.ty.lanes) * value.bytes < size.bytes() {
            return self.store_vector(value, place);
        }
        let place = Amode::reg(self.c.lea(place), 0);
        let super::machine::Base::Reg(address) = place.base else { return };
        let (aligned, other, done) = (self.c.block(), self.c.block(), self.c.block());
        self.c.test_i(Size::D, address, size.bytes() as i32 - 1);
        self.c.branch(Cc::E, (aligned, &[]), (other, &[]));
        self.c.set_cold(other);

        self.continue_in(aligned);
        for (index, &part) in value.regs.iter().enumerate() {
            let to = self.plus(place, size.bytes() * index as u32);
            self.c.v_store(&ops::VMOVNTPS_RM, size, part, to);
        }
        self.c.jump(done, &[]);

        self.continue_in(other);
        self.store_vector(value, place);
        self.c.jump(done, &[]);
        self.continue_in(done);
    }

    /// What has gone past the caches is visible to whoever is told of the function's end.
    pub fn end_streams(&mut self) {
        if self.streams {
            self.c.special(Kind::StoreFence, &[], PRegSet::empty());
        }
    }
}
