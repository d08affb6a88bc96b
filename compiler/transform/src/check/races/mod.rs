//! Two work-items do not access the same memory, one of them writing, with nothing between that orders them.
//!
//! Memory is divided into granules of as many bytes as the kernel's smallest access to it has. A granule has three words in three planes: who wrote
//! it last, who read it first, and who read it besides. All begin as zeros. A word says who that was:
//!
//! ```text
//! bits 63–32  local memory: the epoch; global memory: the number of the work-group, plus 1
//! bit  31     the access was atomic
//! bits 30–16  its place
//! bits 15–0   the work-item's linear id in its group
//! ```
//!
//! Words of [`local`] memory begin as zeros with each group, and barriers order what its work-items do: words of earlier *epochs* count for nothing.
//! Words of [`global`] memory are a launch's.
//!
//! Lanes of a gang access memory at once: of several that write one place the last one's word stays, which the others find when they look again
//! behind the access. Who writes what was there already, and those of whom all write the same, disturb nobody.

mod global;
mod local;

use super::accesses::{Bytes, Part, parts};
use super::extents::Extents;
use super::objects::{Provenance, Root};
use global::Global;
use interface::KernelInfo;
use ir::*;
use local::Local;

/// An access to more granules is not followed.
const MOST_GRANULES: u64 = 16;

/// Places with higher numbers are not followed: a word has no room for them.
const PLACES: usize = 1 << 15;

const PLACE: i64 = 16;
const ATOMIC: u64 = 1 << 31;
/// The epoch, or the group.
const GROUP: u64 = 0xffff_ffff_0000_0000;
/// The work-item's linear id in its group.
const ITEM: u64 = 0xffff;

/// Who accesses what in a kernel's local memory, or in the buffers that it gets.
pub struct Races {
    /// Bytes of a granule: a power of 2, 8 at most.
    granule: u64,
    memory: Memory,
}

/// Which memory is followed.
enum Memory {
    Local(Local),
    Global(Global),
}

impl Memory {
    fn space(&self) -> Space {
        match self {
            Memory::Local(_) => Space::Local,
            Memory::Global(_) => Space::Global,
        }
    }
}

/// What tells work-items from each other that nothing orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Apart {
    /// This epoch, an `i64`, and another work-item of the group.
    InEpoch(Value),
    /// A word that differs in these bits.
    By(u64),
}

/// An access that is followed.
struct Followed {
    /// The words of its granules in the first plane.
    words: Vec<[Address; 3]>,
    /// Who does it, as a word without what is atomic.
    me: Value,
    /// What it leaves there.
    word: Value,
    is_atomic: bool,
    apart: Apart,
    /// The truth value that the launch has words of the object, where that can be otherwise.
    is_followed: Option<Value>,
    /// An access to a word.
    shadow: MemInfo,
}

/// What was found of an access.
pub struct Found {
    /// Nobody comes in between.
    pub ok: Value,
    /// This access and the other: the lower halves of their words, an `i64`.
    pub both: Value,
    /// The work-group, and for global memory in the upper half the other's number, plus 1: an `i64`.
    pub groups: Value,
}

impl Races {
    /// For a kernel that accesses local memory and in which barriers alone order what work-items do.
    ///
    /// The words of its variables begin at `offset`, those of arguments behind as many times their size as `between` says.
    pub fn local(func: &mut Function, provenance: &Provenance, info: &KernelInfo, offset: u64, between: i64) -> Option<Races> {
        let orders = |data: &InstData| orders_otherwise(data) || matches!(data, InstData::SubGroup { .. });
        let granule = granule(func, provenance, orders, |root| root.is_local(info))?;
        let memory = Memory::Local(Local::new(func, info, granule, offset, between));
        Some(Races { granule, memory })
    }

    /// For a kernel that accesses buffers and in which nothing orders what work-items of different groups do.
    pub fn global(func: &Function, provenance: &Provenance, info: &KernelInfo) -> Option<Races> {
        let granule = granule(func, provenance, orders_otherwise, |root| root.is_buffer(info))?;
        let memory = Memory::Global(Global::new(func));
        Some(Races { granule, memory })
    }

    /// Bytes of words that 16 bytes of memory have.
    pub fn per_16_bytes(&self) -> u64 {
        16 / self.granule * 8 * 3
    }

    /// Where the words of the kernel's variables end in local memory.
    pub fn end(&self) -> u64 {
        match &self.memory {
            Memory::Local(local) => local.end(),
            Memory::Global(_) => 0,
        }
    }

    /// Passes a barrier.
    pub fn pass_barrier(&self, func: &mut Function, at: Block) {
        if let Memory::Local(local) = &self.memory {
            local.pass_barrier(func, at);
        }
    }

    /// Writes what comes before all accesses.
    pub fn put_in_front(&self, func: &mut Function) {
        if let Memory::Local(local) = &self.memory {
            local.put_in_front(func);
        }
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
        let groups = match access.apart {
            Apart::InEpoch(_) => group(&mut b),
            Apart::By(_) => {
                let other = b.binary_imm(BinaryOp::And, other, GROUP as i64);
                let own = group(&mut b);
                b.or(own, other)
            }
        };
        (at, Some(Found { ok, both, groups }))
    }

    fn access(&mut self, func: &mut Function, at: Block, inst: Inst, part: &Part, place: usize, extents: &mut Extents) -> Option<Followed> {
        let Bytes::Constant(bytes) = part.bytes else { return None };
        let granules = bytes.div_ceil(self.granule);
        if granules > MOST_GRANULES || place >= PLACES {
            return None;
        }
        let planes: Vec<Value> = (0..3)
            .map(|plane| match &mut self.memory {
                Memory::Local(local) => local.start(func, part.root, plane, extents),
                Memory::Global(global) => global.start(func, part.root, plane, extents),
            })
            .collect();
        let mut distance = extents.distance(func, at, part);
        let mut b = Builder::new(func, at);
        if u64::from(part.align.bytes()) < self.granule {
            distance = b.binary_imm(BinaryOp::And, distance, -(self.granule as i64));
        }
        let more = (8 / self.granule).trailing_zeros();
        let distance = b.binary_imm(BinaryOp::Shl, distance, more.into());
        let is_atomic = is_atomic(&b.func.inst(inst).data);
        let who = (place as i64) << PLACE;
        let mut is_followed = None;
        let (me, apart) = match &mut self.memory {
            Memory::Local(local) => {
                let (epoch, me) = local.me(&mut b);
                (b.binary_imm(BinaryOp::Or, me, who), Apart::InEpoch(epoch))
            }
            Memory::Global(global) => {
                is_followed = Some(extents.words(b.func, part.root).2);
                let me = global.me(b.func, extents);
                (Builder::new(b.func, at).binary_imm(BinaryOp::Or, me, who), Apart::By(global.apart))
            }
        };
        let mut b = Builder::new(func, at);
        let word = match is_atomic {
            true => b.binary_imm(BinaryOp::Or, me, ATOMIC as i64),
            false => me,
        };
        let bases: Vec<Value> = planes.into_iter().map(|plane| b.add(plane, distance)).collect();
        let words = (0..granules as i32).map(|n| [0, 1, 2].map(|plane: usize| Address::offset(bases[plane], 8 * n)));
        Some(Followed {
            words: words.collect(),
            me,
            word,
            is_atomic,
            apart,
            is_followed,
            shadow: MemInfo::new(self.memory.space(), 8),
        })
    }
}

impl Followed {
    /// A word if it is a work-item's that is apart from this one, and one of the two accesses is not atomic, else 0.
    fn other(&self, b: &mut Builder, word: Value) -> Value {
        let is_other = match self.apart {
            Apart::InEpoch(_) => {
                // Atomic accesses have nothing in common with others that are not.
                let differs = b.xor(word, self.me);
                let mask = GROUP | ITEM | if self.is_atomic { ATOMIC } else { 0 };
                let differs = b.binary_imm(BinaryOp::And, differs, mask as i64);
                let less = b.binary_imm(BinaryOp::Sub, differs, 1);
                b.icmp_imm(IntCc::Ult, less, ITEM as i64)
            }
            Apart::By(mask) => {
                let differs = b.xor(word, self.me);
                let differs = b.binary_imm(BinaryOp::And, differs, mask as i64);
                let differs = b.icmp_imm(IntCc::Ne, differs, 0);
                // Words of nobody are 0.
                let somebody = b.icmp_imm(IntCc::Ne, word, 0);
                let is_other = b.and(differs, somebody);
                if self.is_atomic {
                    let atomic = b.binary_imm(BinaryOp::And, word, ATOMIC as i64);
                    let plain = b.icmp_imm(IntCc::Eq, atomic, 0);
                    b.and(is_other, plain)
                } else {
                    is_other
                }
            }
        };
        let nobody = b.i64(0);
        b.select(is_other, word, nobody)
    }

    /// The word of a first reader stays.
    fn stays(&self, b: &mut Builder, first: Value) -> Value {
        match self.apart {
            // The same for all work-items: a place that all read needs one look.
            Apart::InEpoch(epoch) => {
                let of = b.binary_imm(BinaryOp::LShr, first, 32);
                b.icmp(IntCc::Eq, of, epoch)
            }
            Apart::By(_) => b.icmp_imm(IntCc::Ne, first, 0),
        }
    }

    /// An access to a word that other lanes may have written since.
    fn shadow_again(&self) -> MemInfo {
        MemInfo {
            flags: MemFlags::VOLATILE,
            ..self.shadow
        }
    }

    /// A word of the same time is not apart from this access.
    fn is_mine(&self, b: &mut Builder, word: Value) -> Value {
        let mask = match self.apart {
            Apart::InEpoch(_) => ITEM,
            Apart::By(mask) => mask,
        };
        let not_me = b.xor(word, self.me);
        let not_me = b.binary_imm(BinaryOp::And, not_me, mask as i64);
        b.icmp_imm(IntCc::Eq, not_me, 0)
    }

    /// Notes that memory is read. Returns where to go on, and another work-item's word or 0.
    ///
    /// Two readers that are apart are enough: whoever writes is apart from one of them. Where both are known, nothing is stored.
    fn read(&self, func: &mut Function, at: Block) -> (Block, Value) {
        self.where_followed(func, at, |func, mut at| {
            let mut found = None;
            for &[writer, reader, besides] in &self.words {
                let mut b = Builder::new(func, at);
                let wrote = b.load(Type::I64, writer, self.shadow);
                let other = self.other(&mut b, wrote);
                found = Some(either(&mut b, found, other));
                let first = b.load(Type::I64, reader, self.shadow);
                let stays = self.stays(&mut b, first);
                let (mark, known) = (b.add_block(&[]), b.add_block(&[Type::I64]));
                b.branch(stays, to(known, &[first]), to(mark, &[]));
                let mut b = Builder::new(func, mark);
                b.store(self.word, reader, self.shadow);
                let now = b.load(Type::I64, reader, self.shadow_again());
                b.jump(known, &[now]);
                let now = func.block(known).params[0];
                let mut b = Builder::new(func, known);
                let second = b.load(Type::I64, besides, self.shadow);
                let (is_first, has_second) = (self.is_mine(&mut b, now), self.stays(&mut b, second));
                let is_told = b.or(is_first, has_second);
                let (also, next) = (b.add_block(&[]), b.add_block(&[]));
                b.branch(is_told, to(next, &[]), to(also, &[]));
                let mut b = Builder::new(func, also);
                b.store(self.word, besides, self.shadow);
                b.jump(next, &[]);
                at = next;
            }
            (at, found.unwrap_or_else(|| Builder::new(func, at).i64(0)))
        })
    }

    /// Writes an access that writes. Returns where to go on, and another work-item's word or 0.
    fn write(&self, func: &mut Function, at: Block, inst: Inst) -> (Block, Value) {
        let stored = match func.inst(inst).data {
            InstData::Store { value, address, mem, .. } => Some((value, address, mem)),
            _ => None,
        };
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
        let (at, before) = self.where_followed(func, at, |func, at| {
            let mut b = Builder::new(func, at);
            let before = changes(&mut b, MemFlags::empty());
            let mut found = None;
            for &[writer, reader, besides] in &self.words {
                let wrote = b.load(Type::I64, writer, self.shadow);
                let other = self.other(&mut b, wrote);
                let other = only_if(&mut b, before, other);
                found = Some(either(&mut b, found, other));
                for place in [reader, besides] {
                    let read = b.load(Type::I64, place, self.shadow);
                    let other = self.other(&mut b, read);
                    found = Some(either(&mut b, found, other));
                }
                b.store(self.word, writer, self.shadow);
            }
            (at, found.unwrap_or_else(|| b.i64(0)))
        });
        func.block_mut(at).insts.push(inst);
        self.where_followed(func, at, |func, at| {
            let mut b = Builder::new(func, at);
            let after = changes(&mut b, MemFlags::VOLATILE);
            let mut found = Some(before);
            for &[writer, ..] in &self.words {
                let now = b.load(Type::I64, writer, self.shadow_again());
                let other = self.other(&mut b, now);
                let other = only_if(&mut b, after, other);
                found = Some(either(&mut b, found, other));
            }
            (at, found.unwrap_or(before))
        })
    }

    /// Writes what is done where the launch has words of the object. Returns where to go on, and what it gives, elsewhere 0.
    fn where_followed(&self, func: &mut Function, at: Block, write: impl FnOnce(&mut Function, Block) -> (Block, Value)) -> (Block, Value) {
        let Some(is_followed) = self.is_followed else {
            return write(func, at);
        };
        let (inside, done) = (func.add_block(), func.add_block());
        let result = func.add_param(done, Type::I64);
        let mut b = Builder::new(func, at);
        let nobody = b.i64(0);
        b.branch(is_followed, to(inside, &[]), to(done, &[nobody]));
        let (end, other) = write(func, inside);
        Builder::new(func, end).jump(done, &[other]);
        (done, result)
    }
}

/// The bytes of the smallest access that is followed, if there is one and nothing else orders what work-items do.
fn granule(
    func: &Function,
    provenance: &Provenance,
    orders: impl Fn(&InstData) -> bool,
    is_followed: impl Fn(Root) -> bool,
) -> Option<u64> {
    let mut granule = None;
    for inst in func.insts() {
        if orders(&func.inst(inst).data) {
            return None;
        }
        for part in parts(func, inst, provenance) {
            if let Bytes::Constant(bytes) = part.bytes
                && is_followed(part.root)
            {
                let largest = 1 << bytes.max(1).trailing_zeros().min(3);
                let least = largest.min(part.align.bytes().into());
                granule = Some(granule.unwrap_or(8).min(least));
            }
        }
    }
    granule
}

/// The number of the work-group, counted along x, then y, then z: an `i64`.
fn group(b: &mut Builder) -> Value {
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
        InstData::Fence { .. } => true,
        InstData::Barrier { execution, .. } => *execution != Scope::WorkGroup,
        InstData::AtomicLoad { order, .. }
        | InstData::AtomicStore { order, .. }
        | InstData::AtomicRmw { order, .. }
        | InstData::AtomicCas { order, .. } => *order != Order::Relaxed,
        _ => false,
    }
}
