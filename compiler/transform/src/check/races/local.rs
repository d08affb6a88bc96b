//! Words of local memory: behind the memory itself, for each group anew, with the epochs that barriers end.

use super::super::extents::Extents;
use super::super::objects::Root;
use super::super::put_in_front;
use interface::KernelInfo;
use interface::checks::shadow_distance;
use ir::*;
use rustc_hash::FxHashMap;

/// Where the words of local memory are.
pub struct Local {
    granule: u64,
    /// Where the words of the kernel's variables begin in local memory.
    offset: u64,
    /// Bytes of the kernel's variables, a multiple of 16.
    bytes: u64,
    /// What lies between an argument's memory and its words, in units of its size.
    between: i64,
    /// Private memory that holds the epoch.
    epoch: Slot,
    planes: FxHashMap<(Root, u64), Value>,
}

impl Local {
    pub fn new(func: &mut Function, info: &KernelInfo, granule: u64, offset: u64, between: i64) -> Local {
        Local {
            granule,
            offset: shadow_distance(offset),
            bytes: shadow_distance(info.local_bytes),
            between,
            epoch: func.slots.push(SlotData { size: 4, align: 4 }),
            planes: FxHashMap::default(),
        }
    }

    /// Where the words of the kernel's variables end in local memory.
    pub fn end(&self) -> u64 {
        self.offset + 3 * self.plane(self.bytes)
    }

    /// Bytes of a plane of words for so much local memory.
    fn plane(&self, bytes: u64) -> u64 {
        bytes / self.granule * 8
    }

    /// Passes a barrier.
    pub fn pass_barrier(&self, func: &mut Function, at: Block) {
        let mut b = Builder::new(func, at);
        let mem = MemInfo::new(Space::Private, 4);
        let place = b.slot_address(self.epoch);
        let epoch = b.load(Type::I32, Address::base(place), mem);
        let next = b.binary_imm(BinaryOp::Add, epoch, 1);
        b.store(next, Address::base(place), mem);
    }

    /// Has work-items begin with the first epoch.
    pub fn put_in_front(&self, func: &mut Function) {
        put_in_front(func, |b| {
            let (place, first) = (b.slot_address(self.epoch), b.i32(1));
            b.store(first, Address::base(place), MemInfo::new(Space::Private, 4));
        });
    }

    /// The epoch, and the work-item in it.
    pub fn me(&self, b: &mut Builder) -> (Value, Value) {
        let place = b.slot_address(self.epoch);
        let epoch = b.load(Type::I32, Address::base(place), MemInfo::new(Space::Private, 4));
        let epoch = b.convert(ConvertOp::ZExt, Elem::I64, epoch);
        let upper = b.binary_imm(BinaryOp::Shl, epoch, 32);
        let item = b.builtin(Builtin::LocalLinearId, 0);
        (epoch, b.or(upper, item))
    }

    /// Where a plane of words of an object begins.
    pub fn start(&mut self, func: &mut Function, root: Root, plane: u64, extents: &mut Extents) -> Value {
        if let Some(&known) = self.planes.get(&(root, plane)) {
            return known;
        }
        let start = extents.start(func, root);
        let distance = match root {
            Root::Argument(argument) => extents.shadow_distance(func, argument),
            _ => None,
        };
        let own = extents.offset_in_local_memory(root);
        let mut b = extents.in_front(func);
        let start = match distance {
            Some(distance) => {
                let times = self.between + (plane * self.plane(16) / 16) as i64;
                let behind = b.binary_imm(BinaryOp::Mul, distance, times);
                b.add(start, behind)
            }
            None => {
                let words = self.offset + plane * self.plane(self.bytes) + own / self.granule * 8;
                b.binary_imm(BinaryOp::Add, start, words as i64 - own as i64)
            }
        };
        self.planes.insert((root, plane), start);
        start
    }
}
