//! Two work-items of a group do not access the same local memory, one of them writing, without a barrier between.
//!
//! Local memory is divided into granules of as many bytes as the kernel's smallest access to it has. A granule has three words, which follow the
//! memory in three planes and begin as zeros with each group: who wrote it last, who read it first since the last barrier, and who read it besides.
//! A word says in which *epoch* that was, how many barriers had been passed then, so that words of earlier epochs count for nothing:
//!
//! ```text
//! bits 63–32  the epoch; the first is 1
//! bit  31     the access was atomic
//! bits 30–16  its place
//! bits 15–0   the work-item's linear id in its group
//! ```
//!
//! Lanes of a gang access memory at once: of several that write one place the last one's word stays, which the others find when they look again
//! behind the access. Who writes what was there already, and those of whom all write the same, disturb nobody.

use super::accesses::{Bytes, Part, parts};
use super::extents::Extents;
use super::objects::{Provenance, Root};
use interface::KernelInfo;
use interface::checks::shadow_distance;
use ir::*;
use rustc_hash::FxHashMap;

/// An access to more granules is not followed.
const MOST_GRANULES: u64 = 16;

/// Places with higher numbers are not followed: a word has no room for them.
const PLACES: usize = 1 << 15;

const PLACE: i64 = 16;
const ATOMIC: u64 = 1 << 31;
/// What two words of one epoch and of one work-item have in common.
const EPOCH_AND_ITEM: u64 = 0xffff_ffff_0000_ffff;

/// Who accesses what in a kernel's local memory.
pub struct Races {
    /// Bytes of a granule: a power of 2, 8 at most.
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

/// An access that is followed.
struct Followed {
    /// The words of its granules in the first plane.
    words: Vec<[Address; 3]>,
    /// What it leaves there.
    me: Value,
    is_atomic: bool,
}

/// What was found of an access.
pub struct Found {
    /// Nobody comes in between.
    pub ok: Value,
    /// This access and the other: the lower halves of their words, an `i64`.
    pub both: Value,
}

impl Races {
    /// For a kernel that accesses local memory and in which barriers alone order what work-items do.
    ///
    /// The words of its variables begin at `offset`, those of arguments behind as many times their size as `between` says.
    pub fn new(func: &mut Function, provenance: &Provenance, info: &KernelInfo, offset: u64, between: i64) -> Option<Races> {
        let mut granule = None;
        for &inst in func.layout.iter().flat_map(|&block| &func.block(block).insts) {
            if orders_otherwise(&func.inst(inst).data) {
                return None;
            }
            for part in parts(func, inst, provenance) {
                if let Bytes::Constant(bytes) = part.bytes
                    && part.root.is_local(info)
                {
                    let largest = 1 << bytes.max(1).trailing_zeros().min(3);
                    let least = largest.min(part.align.bytes().into());
                    granule = Some(granule.unwrap_or(8).min(least));
                }
            }
        }
        Some(Races {
            granule: granule?,
            offset: shadow_distance(offset),
            bytes: shadow_distance(info.local_bytes),
            between,
            epoch: func.slots.push(SlotData { size: 4, align: 4 }),
            planes: FxHashMap::default(),
        })
    }

    /// Bytes of words that 16 bytes of local memory have.
    pub fn per_16_bytes(&self) -> u64 {
        3 * self.plane(16)
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
        super::put_in_front(func, |b| {
            let (place, first) = (b.slot_address(self.epoch), b.i32(1));
            b.store(first, Address::base(place), MemInfo::new(Space::Private, 4));
        });
    }

    /// Writes an access with what finds others that it meets. Returns where to go on, and what was found.
    pub fn follow(
        &mut self,
        func: &mut Function,
        at: Block,
        inst: Inst,
        part: &Part,
        place: usize,
        extents: &mut Extents,
    ) -> (Block, Option<Found>) {
        let Some(access) = self.access(func, at, inst, part, place, extents) else {
            func.block_mut(at).insts.push(inst);
            return (at, None);
        };
        let (at, other) = if part.kind.writes() {
            access.write(func, at, inst)
        } else {
            let found = access.read(func, at);
            func.block_mut(found.0).insts.push(inst);
            found
        };
        let mut b = Builder::new(func, at);
        let ok = b.icmp_imm(IntCc::Eq, other, 0);
        let upper = b.binary_imm(BinaryOp::Shl, other, 32);
        let lower = b.binary_imm(BinaryOp::And, access.me, i64::from(u32::MAX));
        let both = b.or(upper, lower);
        (at, Some(Found { ok, both }))
    }

    fn access(&mut self, func: &mut Function, at: Block, inst: Inst, part: &Part, place: usize, extents: &mut Extents) -> Option<Followed> {
        let Bytes::Constant(bytes) = part.bytes else { return None };
        let granules = bytes.div_ceil(self.granule);
        if granules > MOST_GRANULES || place >= PLACES {
            return None;
        }
        let planes: Vec<Value> = (0..3).map(|plane| self.start(func, part.root, plane, extents)).collect();
        let mut distance = extents.distance(func, at, part);
        let mut b = Builder::new(func, at);
        if u64::from(part.align.bytes()) < self.granule {
            distance = b.binary_imm(BinaryOp::And, distance, -(self.granule as i64));
        }
        let more = (8 / self.granule).trailing_zeros();
        let distance = b.binary_imm(BinaryOp::Shl, distance, more.into());
        let bases: Vec<Value> = planes.into_iter().map(|plane| b.add(plane, distance)).collect();
        let words = (0..granules as i32).map(|n| [0, 1, 2].map(|plane: usize| Address::offset(bases[plane], 8 * n)));
        let words = words.collect();
        let place_of_epoch = b.slot_address(self.epoch);
        let epoch = b.load(Type::I32, Address::base(place_of_epoch), MemInfo::new(Space::Private, 4));
        let epoch = b.convert(ConvertOp::ZExt, Elem::I64, epoch);
        let epoch = b.binary_imm(BinaryOp::Shl, epoch, 32);
        let item = b.builtin(Builtin::LocalLinearId, 0);
        let me = b.or(epoch, item);
        let me = b.binary_imm(BinaryOp::Or, me, (place as i64) << PLACE);
        let is_atomic = is_atomic(&b.func.inst(inst).data);
        Some(Followed { words, me, is_atomic })
    }

    /// Where a plane of words of an object begins.
    fn start(&mut self, func: &mut Function, root: Root, plane: u64, extents: &mut Extents) -> Value {
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

impl Followed {
    /// What it leaves in memory.
    fn word(&self, b: &mut Builder) -> Value {
        match self.is_atomic {
            true => b.binary_imm(BinaryOp::Or, self.me, ATOMIC as i64),
            false => self.me,
        }
    }

    /// A word if it is another work-item's of this epoch and one of the two accesses is not atomic, else 0.
    fn other(&self, b: &mut Builder, word: Value) -> Value {
        // Atomic accesses have nothing in common with others that are not.
        let mask = EPOCH_AND_ITEM | if self.is_atomic { ATOMIC } else { 0 };
        let differs = b.xor(word, self.me);
        let differs = b.binary_imm(BinaryOp::And, differs, mask as i64);
        let less = b.binary_imm(BinaryOp::Sub, differs, 1);
        let is_other = b.icmp_imm(IntCc::Ult, less, 0xffff);
        let nobody = b.i64(0);
        b.select(is_other, word, nobody)
    }

    /// Notes that memory is read. Returns where to go on, and another work-item's word or 0.
    fn read(&self, func: &mut Function, at: Block) -> (Block, Value) {
        let mut at = at;
        let mut found = None;
        for &[writer, reader, besides] in &self.words {
            let mut b = Builder::new(func, at);
            let wrote = b.load(Type::I64, writer, SHADOW);
            let other = self.other(&mut b, wrote);
            found = Some(either(&mut b, found, other));
            let first = b.load(Type::I64, reader, SHADOW);
            let age = b.xor(first, self.me);
            let age = b.binary_imm(BinaryOp::LShr, age, 32);
            let stays = b.icmp_imm(IntCc::Eq, age, 0);
            let word = self.word(&mut b);
            let next = b.select(stays, first, word);
            b.store(next, reader, SHADOW);
            let now = b.load(Type::I64, reader, LOOKED_AT_AGAIN);
            let not_me = b.xor(now, self.me);
            let not_me = b.binary_imm(BinaryOp::And, not_me, 0xffff);
            let is_first = b.icmp_imm(IntCc::Eq, not_me, 0);
            let (also, next) = (b.add_block(&[]), b.add_block(&[]));
            b.branch(is_first, to(next, &[]), to(also, &[]));
            let mut b = Builder::new(func, also);
            b.store(word, besides, SHADOW);
            b.jump(next, &[]);
            at = next;
        }
        (at, found.unwrap_or_else(|| Builder::new(func, at).i64(0)))
    }

    /// Writes an access that writes. Returns where to go on, and another work-item's word or 0.
    fn write(&self, func: &mut Function, at: Block, inst: Inst) -> (Block, Value) {
        let stored = match func.inst(inst).data {
            InstData::Store { value, address, mem, .. } => Some((value, address, mem)),
            _ => None,
        };
        let mut b = Builder::new(func, at);
        let changes = |b: &mut Builder, flags: MemFlags| {
            stored.map(|(value, address, mem)| {
                let mem = MemInfo { flags, ..mem };
                let there = b.load(b.ty(value), address, mem);
                let elem = Elem::int(b.ty(value).elem.bits()).unwrap_or(Elem::I64);
                let (there, value) = (b.bitcast(elem, there), b.bitcast(elem, value));
                b.icmp(IntCc::Ne, there, value)
            })
        };
        let only_if = |b: &mut Builder, condition: Option<Value>, word: Value| match condition {
            Some(condition) => {
                let nobody = b.i64(0);
                b.select(condition, word, nobody)
            }
            None => word,
        };
        let before = changes(&mut b, MemFlags::empty());
        let word = self.word(&mut b);
        let mut found = None;
        for &[writer, reader, besides] in &self.words {
            let wrote = b.load(Type::I64, writer, SHADOW);
            let other = self.other(&mut b, wrote);
            let other = only_if(&mut b, before, other);
            found = Some(either(&mut b, found, other));
            for place in [reader, besides] {
                let read = b.load(Type::I64, place, SHADOW);
                let other = self.other(&mut b, read);
                found = Some(either(&mut b, found, other));
            }
            b.store(word, writer, SHADOW);
        }
        b.func.block_mut(at).insts.push(inst);
        let mut b = Builder::new(func, at);
        let after = changes(&mut b, MemFlags::VOLATILE);
        for &[writer, ..] in &self.words {
            let now = b.load(Type::I64, writer, LOOKED_AT_AGAIN);
            let other = self.other(&mut b, now);
            let other = only_if(&mut b, after, other);
            found = Some(either(&mut b, found, other));
        }
        (at, found.unwrap_or_else(|| Builder::new(func, at).i64(0)))
    }
}

/// The number of the work-group, counted along x, then y, then z: an `i64`.
pub fn group(b: &mut Builder) -> Value {
    let [x, y, z] = [0, 1, 2].map(|dimension| b.builtin(Builtin::GroupId, dimension));
    let [width, height] = [0, 1].map(|dimension| b.builtin(Builtin::NumGroups, dimension));
    let rows = b.mul(z, height);
    let row = b.add(rows, y);
    let before = b.mul(row, width);
    b.add(before, x)
}

/// The first of two words that is not 0.
fn either(b: &mut Builder, first: Option<Value>, second: Value) -> Value {
    let Some(first) = first else { return second };
    let is_nobody = b.icmp_imm(IntCc::Eq, first, 0);
    b.select(is_nobody, second, first)
}

const SHADOW: MemInfo = MemInfo::new(Space::Local, 8);

/// Other lanes may have written it since.
const LOOKED_AT_AGAIN: MemInfo = MemInfo {
    flags: MemFlags::VOLATILE,
    ..MemInfo::new(Space::Local, 8)
};

/// What is volatile is meant to be changed by others.
fn is_atomic(data: &InstData) -> bool {
    match data {
        InstData::AtomicLoad { .. } | InstData::AtomicStore { .. } | InstData::AtomicRmw { .. } | InstData::AtomicCas { .. } => true,
        data => data.memory().iter().any(|mem| mem.flags.contains(MemFlags::VOLATILE)),
    }
}

/// Something other than a barrier of the group can order what work-items do.
fn orders_otherwise(data: &InstData) -> bool {
    match data {
        InstData::Fence { .. } | InstData::SubGroup { .. } => true,
        InstData::Barrier { execution, .. } => *execution != Scope::WorkGroup,
        InstData::AtomicLoad { order, .. }
        | InstData::AtomicStore { order, .. }
        | InstData::AtomicRmw { order, .. }
        | InstData::AtomicCas { order, .. } => *order != Order::Relaxed,
        _ => false,
    }
}
