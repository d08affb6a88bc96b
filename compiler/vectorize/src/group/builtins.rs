//! Built-in variables: what is read once at the entry, what a group knows, and what a gang does.

use super::Writer;
use super::gang_loop::GangValues;
use device::abi::{LaunchRecord, WorkerRecord};
use ir::*;
use std::mem::offset_of;
use target::costs::CACHE_LINE;

impl Writer<'_> {
    /// Reads at the entry what the code asks for of the launch and the worker.
    pub(super) fn read_records(&mut self) {
        let mut wanted: Vec<(Builtin, u8)> = Vec::new();
        for &block in &self.gang.func.layout {
            for &inst in &self.gang.func.block(block).insts {
                if let InstData::Builtin { builtin, dimension } = self.gang.func.inst(inst).data {
                    wanted.push((builtin, dimension));
                }
            }
        }
        wanted.extend(self.wanted_by_guards());
        if !self.facts.full_groups {
            wanted.extend((0..3).map(|dimension| (Builtin::GlobalSize, dimension)));
        }
        let told = (0..3u8).filter(|&dimension| self.facts.local_size.along(dimension.into()).is_none());
        wanted.extend(told.map(|dimension| (Builtin::EnqueuedLocalSize, dimension)));
        for (builtin, dimension) in wanted {
            if self.preamble.contains_key(&(builtin, dimension)) {
                continue;
            }
            let element = |offset: usize| (offset + 8 * usize::from(dimension)) as i32;
            let [launch, worker, ..] = self.params;
            let (record, offset) = match builtin {
                Builtin::GlobalSize => (launch, element(offset_of!(LaunchRecord, global_size))),
                Builtin::EnqueuedLocalSize => (launch, element(offset_of!(LaunchRecord, local_size))),
                Builtin::NumGroups => (launch, element(offset_of!(LaunchRecord, group_count))),
                Builtin::GlobalOffset => (launch, element(offset_of!(LaunchRecord, global_offset))),
                Builtin::Arguments => (launch, offset_of!(LaunchRecord, arguments) as i32),
                Builtin::LocalMemory => (worker, offset_of!(WorkerRecord, local_memory) as i32),
                Builtin::Tallies => {
                    let slot = self.func.slots.push(SlotData {
                        size: self.facts.tallies.bytes,
                        align: CACHE_LINE,
                    });
                    self.tallies = Some(slot);
                    let address = Builder::new(&mut self.func, self.entry).slot_address(slot);
                    self.preamble.insert((builtin, dimension), address);
                    continue;
                }
                _ => continue,
            };
            let value = self.read(record, offset);
            self.preamble.insert((builtin, dimension), value);
        }
        if self.frame_bytes > 0 {
            self.frames = Some(self.read(self.params[1], offset_of!(WorkerRecord, private_memory) as i32));
        }
    }

    fn read(&mut self, record: Value, offset: i32) -> Value {
        let mut mem = MemInfo::new(Space::Constant, 8);
        mem.flags = MemFlags::INVARIANT | MemFlags::DEREFERENCEABLE;
        Builder::new(&mut self.func, self.entry).load(Type::I64, Address::offset(record, offset), mem)
    }

    /// Local sizes and the number of gangs of this group.
    pub(super) fn start_group(&mut self, body: Block) {
        let width = i64::from(self.facts.width) * i64::from(self.facts.gangs_at_once);
        let enqueued = [0, 1, 2].map(|dimension| self.enqueued_local_size(body, dimension));
        let mut b = Builder::new(&mut self.func, body);
        if let (true, Some(items)) = (self.facts.full_groups, self.facts.local_size.items()) {
            self.group.gangs = b.i32(items.div_ceil(width as u64) as i32);
            return;
        }
        let mut items: Option<Value> = None;
        for (dimension, enqueued) in enqueued.into_iter().enumerate() {
            let mut size = enqueued;
            if !self.facts.full_groups {
                let id = [self.group.x, self.params[4], self.params[5]][dimension];
                let before = b.mul(id, enqueued);
                let left = b.sub(self.preamble[&(Builtin::GlobalSize, dimension as u8)], before);
                size = b.binary(BinaryOp::UMin, left, enqueued);
            }
            self.group.local_size[dimension] = Some(size);
            items = Some(items.map_or(size, |items| b.mul(items, size)));
        }
        let items = items.expect("three dimensions");
        let rounded = b.binary_imm(BinaryOp::Add, items, width - 1);
        let gangs = b.binary_imm(BinaryOp::UDiv, rounded, width);
        self.group.gangs = b.convert(ConvertOp::Trunc, Elem::I32, gangs);
    }

    /// The size of groups that are not cut off: a constant, or what the launch tells.
    pub(super) fn enqueued_local_size(&mut self, block: Block, dimension: usize) -> Value {
        match self.facts.local_size.along(dimension) {
            Some(size) => Builder::new(&mut self.func, block).i64(size as i64),
            None => self.preamble[&(Builtin::EnqueuedLocalSize, dimension as u8)],
        }
    }

    pub(super) fn builtin(&mut self, copy: Block, builtin: Builtin, dimension: u8, values: GangValues) -> Value {
        let at = usize::from(dimension);
        match builtin {
            Builtin::Launch => self.params[0],
            Builtin::Worker => self.params[1],
            Builtin::GroupId => [self.group.x, self.params[4], self.params[5]][at],
            Builtin::SubGroupId => {
                let at_once = i64::from(self.facts.gangs_at_once);
                Builder::new(&mut self.func, copy).binary_imm(BinaryOp::Mul, values.index, at_once)
            }
            Builtin::LocalId => values.local_id[at],
            Builtin::LocalSize => match self.group.local_size[at] {
                Some(size) => size,
                None => self.enqueued_local_size(copy, at),
            },
            Builtin::EnqueuedLocalSize => self.enqueued_local_size(copy, at),
            _ => self.preamble[&(builtin, dimension)],
        }
    }
}
