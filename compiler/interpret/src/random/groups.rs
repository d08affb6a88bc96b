//! What work-items do together: values that they exchange, barriers, operations across groups, and atomics.

use super::generator::{Generator, INTS, Roots};
use super::{BINS, FAR, FIRST_BIN};
use ir::*;

/// How many kinds of atomics there are.
pub(super) const ATOMICS: usize = 6;
/// Atomics that give the same in any order.
const KINDS: [AtomicOp; ATOMICS] = [
    AtomicOp::Add,
    AtomicOp::And,
    AtomicOp::Or,
    AtomicOp::Xor,
    AtomicOp::SMin,
    AtomicOp::UMax,
];
/// The cell of local memory that gives tickets; the next takes them back.
const TICKETS: usize = KINDS.len();
/// Cells in local memory behind a place for each work-item: one for each kind of atomic, two for tickets, and the bins.
pub(super) const CELL_BYTES: u64 = 8 * (TICKETS as u64 + 2) + 4 * BINS as u64;

impl Generator<'_> {
    fn barrier(&mut self) {
        self.b.push(InstData::Barrier {
            execution: Scope::WorkGroup,
            order: Order::AcquireRelease,
            memory: Scope::WorkGroup,
        });
    }

    /// A value goes to another work-item of the group.
    pub fn exchange(&mut self) {
        let Some(variable) = self.variable(Type::I64) else { return };
        let mem = MemInfo::new(Space::Local, 8);
        let item = self.b.builtin(Builtin::LocalLinearId, 0);
        let value = self.value(Type::I64, 2);
        let own = self.local_place(item);
        self.b.store(value, own, mem);
        self.barrier();
        let items = self.group_size();
        let other = self.b.binary_imm(BinaryOp::Add, item, 1 + self.random.below(7) as i64);
        let other = self.b.binary(BinaryOp::URem, other, items);
        let place = self.local_place(other);
        let value = self.b.load(Type::I64, place, mem);
        self.write(variable, value);
        self.barrier();
    }

    pub fn work_group(&mut self) {
        let Some(variable) = self.variable(Type::I32) else { return };
        let op = *self.random.choose(&[ReduceOp::Add, ReduceOp::UMax, ReduceOp::SMin, ReduceOp::Xor]);
        let op = *self.random.choose(&[
            WorkGroupOp::Reduce(op),
            WorkGroupOp::InclusiveScan(op),
            WorkGroupOp::ExclusiveScan(op),
        ]);
        let args = ValueList::from_slice(&[self.value(Type::I32, 2)]);
        let value = self.b.value(InstData::WorkGroup { op, args });
        self.write(variable, value);
    }

    pub fn sub_group(&mut self) {
        if self.random.one_in(4) {
            return self.shuffle();
        }
        let Some(variable) = self.variable(Type::I32) else { return };
        let op = *self
            .random
            .choose(&[ReduceOp::Add, ReduceOp::Mul, ReduceOp::UMax, ReduceOp::SMin, ReduceOp::Xor]);
        let op = *self.random.choose(&[
            SubGroupOp::Reduce(op),
            SubGroupOp::InclusiveScan(op),
            SubGroupOp::ExclusiveScan(op),
            SubGroupOp::ClusteredReduce(op, 4),
            SubGroupOp::BroadcastFirst,
            SubGroupOp::Ballot,
            SubGroupOp::Any,
            SubGroupOp::All,
            SubGroupOp::AllEqual,
            SubGroupOp::Elect,
        ]);
        let args = match op {
            SubGroupOp::Elect => ValueList::new(),
            SubGroupOp::Ballot | SubGroupOp::Any | SubGroupOp::All => ValueList::from_slice(&[self.condition(2)]),
            _ => ValueList::from_slice(&[self.value(Type::I32, 2)]),
        };
        let value = self.b.sub_group(op, &args);
        let value = match self.b.ty(value) {
            Type::MASK => self.b.convert(ConvertOp::MaskToInt, Elem::I32, value),
            _ => value,
        };
        self.write(variable, value);
    }

    /// A value of another lane that is active: each lane's own or the first one's.
    fn shuffle(&mut self) {
        let ty = *self.random.choose(&INTS);
        let Some(variable) = self.variable(ty) else { return };
        let value = self.value(ty, 2);
        let everybody = self.b.mask(Type::MASK, true);
        let active = self.b.sub_group(SubGroupOp::Ballot, &[everybody]);
        let first = self.b.unary(UnaryOp::Ctz, active);
        let value = match self.random.one_in(3) {
            true => self.b.sub_group(SubGroupOp::Broadcast, &[value, first]),
            false => {
                let (own, condition) = (self.b.builtin(Builtin::SubGroupLocalId, 0), self.condition(2));
                let lane = self.b.select(condition, own, first);
                self.b.sub_group(SubGroupOp::Shuffle, &[value, lane])
            }
        };
        self.write(variable, value);
    }

    /// An atomic whose result nobody sees, of a kind that gives the same in any order.
    pub fn atomic(&mut self) {
        let Some(Roots { shared, .. }) = self.roots else { return };
        let kind = self.random.below(KINDS.len() as u64) as usize;
        let (kind, value) = (self.kinds.one_atomic.unwrap_or(kind), self.value(Type::I32, 2));
        let (op, address) = match self.random.below(if self.kinds.one_atomic.is_some() { 4 } else { 3 }) {
            0 if self.kinds.one_atomic.is_none() => (AtomicOp::Add, self.bin(shared, FIRST_BIN, 4)),
            0 => (KINDS[kind], self.bin(shared, FIRST_BIN, 4)),
            3 => (KINDS[kind], self.bin(shared, FIRST_BIN, FAR)),
            // Each kind has its own place.
            _ => (KINDS[kind], self.b.binary_imm(BinaryOp::Add, shared, 8 * kind as i64)),
        };
        self.change(op, value, address, Space::Global);
    }

    /// One of the bins that begin at an offset, so far apart.
    fn bin(&mut self, base: Value, offset: i64, distance: i64) -> Value {
        let number = self.number(2);
        let number = self.resized(number, Type::I64);
        let bin = self.b.binary_imm(BinaryOp::And, number.value, BINS - 1);
        let at = self.b.binary_imm(BinaryOp::Mul, bin, distance);
        let at = self.b.binary_imm(BinaryOp::Add, at, offset);
        self.b.add(base, at)
    }

    fn change(&mut self, op: AtomicOp, value: Value, address: Value, space: Space) -> Value {
        self.b.value(InstData::AtomicRmw {
            op,
            value,
            address,
            mask: None,
            mem: MemInfo {
                alias: if space == Space::Global { self.alias } else { 0 },
                ..MemInfo::new(space, 4)
            },
            order: Order::Relaxed,
            scope: if space == Space::Local { Scope::WorkGroup } else { Scope::Device },
        })
    }

    fn group_size(&mut self) -> Value {
        let mut items = self.b.builtin(Builtin::LocalSize, 0);
        for dimension in 1..3 {
            let size = self.b.builtin(Builtin::LocalSize, dimension);
            items = self.b.mul(items, size);
        }
        items
    }

    fn local_place(&mut self, item: Value) -> Address {
        Address {
            base: self.roots.map_or(item, |roots| roots.local),
            index: Some(item),
            scale: 8,
            offset: 0,
        }
    }

    /// Where the cells begin in local memory.
    fn first_cell(&self) -> i64 {
        8 * self.range.group_items() as i64
    }

    /// What is in local memory is written before anybody may leave.
    pub fn fill_local(&mut self) {
        let Some(Roots { local, .. }) = self.roots else { return };
        let item = self.b.builtin(Builtin::LocalLinearId, 0);
        let address = self.local_place(item);
        self.b.store(item, address, MemInfo::new(Space::Local, 8));
        let zero = self.b.i64(0);
        for cell in 0..CELL_BYTES as i64 / 8 {
            let address = Address::offset(local, (self.first_cell() + 8 * cell) as i32);
            self.b.store(zero, address, MemInfo::new(Space::Local, 8));
        }
        self.barrier();
    }

    /// Atomics of local memory: a place for each kind, bins, and one that gives tickets, all for the same price: what was paid before is
    /// another number in each work-item, and their sum is the same in any order.
    pub fn local_atomic(&mut self) {
        let Some(Roots { local, shared, .. }) = self.roots else { return };
        let cell = |this: &mut Self, cell: usize| this.b.binary_imm(BinaryOp::Add, local, this.first_cell() + 8 * cell as i64);
        match self.random.below(4) {
            0 => {
                let (price, address) = (self.b.i32(3), cell(self, TICKETS));
                let op = *self.random.choose(&[AtomicOp::Add, AtomicOp::Add, AtomicOp::Sub]);
                if op == AtomicOp::Sub {
                    // Another place: there tickets are given back.
                    let address = cell(self, TICKETS + 1);
                    let old = self.change(op, price, address, Space::Local);
                    self.change(AtomicOp::Add, old, shared, Space::Global);
                    return;
                }
                let old = self.change(op, price, address, Space::Local);
                self.change(AtomicOp::Add, old, shared, Space::Global);
            }
            1 => {
                let (value, address) = (self.value(Type::I32, 2), self.bin(local, self.first_cell() + FIRST_BIN, 4));
                self.change(AtomicOp::Add, value, address, Space::Local);
            }
            _ => {
                let kind = self.random.below(KINDS.len() as u64) as usize;
                let (value, address) = (self.value(Type::I32, 2), cell(self, kind));
                self.change(KINDS[kind], value, address, Space::Local);
            }
        }
    }

    /// What the atomics of local memory have come to.
    pub fn read_cells(&mut self) {
        let (Some(Roots { local, .. }), Some(variable)) = (self.roots, self.variable(Type::I32)) else {
            return;
        };
        self.barrier();
        let cell = self.random.below(CELL_BYTES / 4) as i64;
        let address = Address::offset(local, (self.first_cell() + 4 * cell) as i32);
        let value = self.b.load(Type::I32, address, MemInfo::new(Space::Local, 4));
        self.write(variable, value);
        self.barrier();
    }

    /// All work-items' values are put together, half of what is left in each turn.
    pub fn tree(&mut self) {
        let ty = *self.random.choose(&[Type::I32, Type::F32, Type::I64]);
        let (Some(Roots { local, .. }), Some(variable)) = (self.roots, self.variable(ty)) else {
            return;
        };
        let mem = MemInfo::new(Space::Local, ty.bytes());
        let item = self.b.builtin(Builtin::LocalLinearId, 0);
        let counts = *self.random.choose(&[Type::I32, Type::I64]);
        let (item, items) = match counts == Type::I32 {
            true => (self.as_int(item, counts), self.group_size()),
            false => (item, self.group_size()),
        };
        let items = if counts == Type::I32 { self.as_int(items, counts) } else { items };
        let element = |index: Value| Address {
            base: local,
            index: Some(index),
            scale: ty.bytes(),
            offset: 0,
        };
        let value = self.value(ty, 2);
        let value = self.without_nan(value);
        self.b.store(value, element(item), mem);
        self.barrier();
        let slot = self.b.func.slots.push(SlotData {
            size: counts.bytes(),
            align: counts.bytes(),
        });
        let left = (slot, counts);
        let start = self.b.constant(counts, *self.random.choose(&[64, 32, 16, 4]));
        self.write(left, start);
        let [header, body, work, next, exit] = [0; 5].map(|_| self.b.add_block(&[]));
        self.b.jump(header, &[]);
        self.b.block = header;
        let step = self.read(left);
        let more = self.b.icmp_imm(IntCc::Ne, step, 0);
        self.b.branch(more, to(body, &[]), to(exit, &[]));
        self.b.block = body;
        let (below, other) = (self.b.icmp(IntCc::Ult, item, step), self.b.add(item, step));
        let there = self.b.icmp(IntCc::Ult, other, items);
        let both = self.b.and(below, there);
        self.b.branch(both, to(work, &[]), to(next, &[]));
        self.b.block = work;
        let (a, b) = (self.b.load(ty, element(item), mem), self.b.load(ty, element(other), mem));
        let op = if ty.elem.is_float() { BinaryOp::FAdd } else { BinaryOp::Add };
        let sum = self.b.binary(op, a, b);
        let sum = self.without_nan(sum);
        self.b.store(sum, element(item), mem);
        self.b.jump(next, &[]);
        self.b.block = next;
        self.barrier();
        let half = self.b.binary_imm(BinaryOp::LShr, step, 1);
        self.write(left, half);
        self.b.jump(header, &[]);
        self.b.block = exit;
        let sum = self.b.load(ty, Address::base(local), mem);
        self.write(variable, sum);
        self.barrier();
    }
}
