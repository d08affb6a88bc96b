//! Barriers are reached by all work-items of a group.
//!
//! Each barrier has two counters in local memory, which begin as zeros with each group. A work-item adds 1 before the barrier, to the first or the
//! second of them by how many barriers it has passed so far, and looks at the counter behind the barrier: what it finds is a multiple of the group's
//! size. (With one counter, the first to come to the barrier again could add to it before the last has looked. A work-item comes to the same counter
//! again only when all have passed another barrier.)

use ir::*;

/// Counters of a kernel's barriers.
pub struct Counters {
    /// Where they begin in local memory.
    offset: u64,
    /// So many barriers have some.
    count: u64,
    /// Private memory that holds how many barriers the work-item has passed.
    passed: Option<Slot>,
}

/// What stands for a barrier.
pub struct Counted {
    /// All work-items have come.
    pub ok: Value,
    /// How many have, and in the upper half how many there are: an `i64`.
    pub detail: Value,
}

impl Counters {
    /// Counters from an offset in local memory on.
    pub fn new(offset: u64) -> Counters {
        Counters {
            offset: offset.next_multiple_of(8),
            count: 0,
            passed: None,
        }
    }

    /// Where they end in local memory; 0 without any.
    pub fn end(&self) -> u64 {
        if self.count == 0 { 0 } else { self.offset + 8 * self.count }
    }

    /// Writes a barrier with its counting around it.
    pub fn count(&mut self, func: &mut Function, block: Block, barrier: Inst) -> Counted {
        let passed = *self.passed.get_or_insert_with(|| func.slots.push(SlotData { size: 4, align: 4 }));
        let offset = self.offset + 8 * self.count;
        self.count += 1;
        let mem = MemInfo::new(Space::Private, 4);
        let mut b = Builder::new(func, block);
        let place = b.slot_address(passed);
        let number = b.load(Type::I32, Address::base(place), mem);
        let next = b.binary_imm(BinaryOp::Add, number, 1);
        b.store(next, Address::base(place), mem);
        let odd = b.binary_imm(BinaryOp::And, number, 1);
        let odd = b.convert(ConvertOp::ZExt, Elem::I64, odd);
        let bytes = b.binary_imm(BinaryOp::Shl, odd, 2);
        let memory = b.builtin(Builtin::LocalMemory, 0);
        let first = b.binary_imm(BinaryOp::Add, memory, offset as i64);
        let address = b.add(first, bytes);
        let local = MemInfo::new(Space::Local, 4);
        let one = b.i32(1);
        b.push(InstData::AtomicRmw {
            op: AtomicOp::Add,
            value: one,
            address,
            mask: None,
            mem: local,
            order: Order::Relaxed,
            scope: Scope::WorkGroup,
        });
        b.func.block_mut(block).insts.push(barrier);
        let come = b.load(Type::I32, Address::base(address), local);
        let sizes = [0, 1, 2].map(|dimension| b.builtin(Builtin::LocalSize, dimension));
        let area = b.mul(sizes[0], sizes[1]);
        let size = b.mul(area, sizes[2]);
        let come = b.convert(ConvertOp::ZExt, Elem::I64, come);
        let rest = b.binary(BinaryOp::URem, come, size);
        let ok = b.icmp_imm(IntCc::Eq, rest, 0);
        let upper = b.binary_imm(BinaryOp::Shl, size, 32);
        let detail = b.or(upper, rest);
        Counted { ok, detail }
    }

    /// Has work-items begin with no barrier passed.
    pub fn put_in_front(&self, func: &mut Function) {
        let Some(passed) = self.passed else { return };
        super::put_in_front(func, |b| {
            let (place, zero) = (b.slot_address(passed), b.i32(0));
            b.store(zero, Address::base(place), MemInfo::new(Space::Private, 4));
        });
    }
}
