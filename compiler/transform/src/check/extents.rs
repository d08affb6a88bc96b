//! What guards compare: an access's distance from its object's beginning, and the object's size.
//!
//! Sizes of arguments are words of the argument block, the same for a whole launch. What depends on them alone is computed in front of the
//! kernel. Where an address is an object's beginning and an index, the guard compares the index itself, in its own width, with the range of
//! indices that the object has: such comparisons are as wide as the kernel's own.

use super::accesses::{Bytes, Part};
use super::calls;
use super::objects::{Provenance, Root};
use device::abi::{Found, WorkerRecord};
use device::live::WRITES;
use interface::KernelInfo;
use ir::*;
use rustc_hash::FxHashMap;

/// An object's size, for accesses of a kind.
#[derive(Clone, Copy, Debug)]
enum Size {
    Constant(i64),
    /// An `i64` computed in front of the kernel.
    Value(Value),
}

/// What guards compare with.
pub struct Extents<'a> {
    module: &'a Module,
    info: &'a KernelInfo,
    pub(super) provenance: Provenance<'a>,
    /// What goes in front of the kernel.
    front: Block,
    words: FxHashMap<u64, Value>,
    /// Which words are not 0.
    set: FxHashMap<u64, Value>,
    ranges: FxHashMap<RangeKey, (Value, Value)>,
    limits: FxHashMap<(Root, bool, u64), Value>,
    shadows: FxHashMap<u32, Value>,
    /// By parameter of a function: what its callers hand on with it.
    handed_on: FxHashMap<u32, calls::Words>,
}

/// Object, written to, bytes of an access, distance at index 0, logarithm of the scale, type of the index.
type RangeKey = (Root, bool, u64, i32, u32, Type);

impl<'a> Extents<'a> {
    pub fn new(
        func: &mut Function,
        module: &'a Module,
        info: &'a KernelInfo,
        provenance: Provenance<'a>,
        handed_on: FxHashMap<u32, calls::Words>,
    ) -> Extents<'a> {
        Extents {
            module,
            info,
            provenance,
            front: func.add_detached_block(),
            words: FxHashMap::default(),
            set: FxHashMap::default(),
            ranges: FxHashMap::default(),
            limits: FxHashMap::default(),
            shadows: FxHashMap::default(),
            handed_on,
        }
    }

    /// What a function's caller says of an object.
    pub fn handed_on(&self, root: Root) -> Option<&calls::Words> {
        match root {
            Root::Parameter(number) => self.handed_on.get(&number),
            _ => None,
        }
    }

    /// What to hand on with a pointer.
    pub fn words_of(&mut self, func: &mut Function, at: Block, part: &Part, object: u64) -> calls::Words {
        let before = self.distance(func, at, part);
        let [readable, writable] = [false, true].map(|writes| match self.size(func, part.root, writes) {
            Size::Constant(size) => Builder::new(func, at).i64(size),
            Size::Value(size) => size,
        });
        let known = self.handed_on(part.root).map(|words| words.object);
        calls::Words {
            before,
            readable,
            writable,
            object: known.unwrap_or_else(|| Builder::new(func, at).i64(object as i64)),
        }
    }

    /// Puts what was computed in front of the kernel there.
    pub fn put_in_front(&self, func: &mut Function) {
        super::move_to_front(func, self.front);
    }

    /// Writes what is computed in front of the kernel.
    pub fn in_front<'f>(&self, func: &'f mut Function) -> Builder<'f> {
        Builder::new(func, self.front)
    }

    /// Where a variable begins in local memory; 0 for anything else.
    pub fn offset_in_local_memory(&self, root: Root) -> u64 {
        match root {
            Root::Local(position) => self.info.local_variables[position as usize].offset,
            _ => 0,
        }
    }

    /// A word that the launch puts into the argument block.
    fn word(&mut self, func: &mut Function, offset: u64) -> Value {
        *self.words.entry(offset).or_insert_with(|| {
            let mut b = Builder::new(func, self.front);
            let block = b.builtin(Builtin::Arguments, 0);
            let mem = MemInfo {
                flags: MemFlags::INVARIANT | MemFlags::DEREFERENCEABLE,
                ..MemInfo::new(Space::Constant, 8)
            };
            b.load(Type::I64, Address::offset(block, offset as i32), mem)
        })
    }

    /// The truth value that a word is not 0.
    fn is_set(&mut self, func: &mut Function, offset: u64) -> Value {
        let word = self.word(func, offset);
        *self
            .set
            .entry(offset)
            .or_insert_with(|| Builder::new(func, self.front).icmp_imm(IntCc::Ne, word, 0))
    }

    /// Where the words of a buffer are that tell who accesses it, and the bytes of a plane of them (see [`super::races`]). With the truth value that it
    /// has any.
    pub fn words(&mut self, func: &mut Function, root: Root) -> (Value, Value, Value) {
        let extent = self.extent_of_buffer(root);
        let (start, plane) = (self.word(func, extent + 24), self.word(func, extent + 32));
        (start, plane, self.is_set(func, extent + 32))
    }

    /// Where the shadow of a buffer is that tells what of it was written (see [`super::written`]), and the truth value that it has one.
    pub fn shadow(&mut self, func: &mut Function, root: Root) -> (Value, Value) {
        let extent = self.extent_of_buffer(root);
        (self.word(func, extent + 40), self.is_set(func, extent + 40))
    }

    fn extent_of_buffer(&self, root: Root) -> u64 {
        match root {
            Root::Argument(argument) => self.extent(argument),
            _ => unreachable!("arguments alone are buffers"),
        }
    }

    fn extent(&self, argument: u32) -> u64 {
        self.info.arguments[argument as usize].extent.unwrap_or(0)
    }

    fn size(&mut self, func: &mut Function, root: Root, writes: bool) -> Size {
        match root {
            Root::Argument(argument) => {
                let offset = self.extent(argument) + if writes { 16 } else { 8 };
                Size::Value(self.word(func, offset))
            }
            Root::Local(position) => Size::Constant(self.info.local_variables[position as usize].bytes as i64),
            Root::Slot(slot) => Size::Constant(func.slots[slot].size.into()),
            Root::Global(global) => {
                let data = &self.module.globals[global];
                Size::Constant(if writes && data.constant { 0 } else { data.bytes.len() as i64 })
            }
            Root::Parameter(number) => {
                let words = &self.handed_on[&number];
                Size::Value(if writes { words.writable } else { words.readable })
            }
            Root::Unknown => unreachable!("its accesses have guards of another kind"),
        }
    }

    /// Bytes of the object before its root; none where there never are any.
    fn before(&mut self, func: &mut Function, root: Root) -> Option<Value> {
        match root {
            Root::Argument(argument) => Some(self.word(func, self.extent(argument))),
            Root::Parameter(number) => Some(self.handed_on[&number].before),
            _ => None,
        }
    }

    /// How far behind an argument that is local memory its shadow is; none of others. See [`interface::checks::shadow_distance`].
    pub fn shadow_distance(&mut self, func: &mut Function, argument: u32) -> Option<Value> {
        if !Root::Argument(argument).is_local(self.info) {
            return None;
        }
        if let Some(&known) = self.shadows.get(&argument) {
            return Some(known);
        }
        let bytes = self.word(func, self.extent(argument) + 8);
        let mut b = Builder::new(func, self.front);
        let more = b.binary_imm(BinaryOp::Add, bytes, interface::checks::SHADOW_ALIGN as i64 - 1);
        let distance = b.binary_imm(BinaryOp::And, more, -(interface::checks::SHADOW_ALIGN as i64));
        self.shadows.insert(argument, distance);
        Some(distance)
    }

    /// The truth value that the access stays within its object; none where it always does.
    pub fn holds(&mut self, func: &mut Function, at: Block, part: &Part) -> Option<Value> {
        let writes = part.kind.writes();
        let is_root = self.provenance.exact(func, part.address.base) == Some(part.root);
        if let (Bytes::Constant(bytes), None, true) = (part.bytes, part.address.index, is_root)
            && let Size::Constant(size) = self.size(func, part.root, writes)
        {
            let start = i64::from(part.address.offset);
            if start >= 0 && start + bytes as i64 <= size {
                return None;
            }
        }
        match (part.bytes, part.address.index) {
            (Bytes::Constant(bytes), Some(index)) if is_root && part.address.scale.is_power_of_two() => {
                let (first, count) = self.range(func, part, bytes, func.ty(index));
                let mut b = Builder::new(func, at);
                let distance = b.sub(index, first);
                Some(b.icmp(IntCc::Ult, distance, count))
            }
            (Bytes::Constant(bytes), _) => {
                let limit = self.limit(func, part.root, writes, bytes);
                let distance = self.distance(func, at, part);
                Some(Builder::new(func, at).icmp(IntCc::Ult, distance, limit))
            }
            (Bytes::Value(bytes), _) => {
                let size = match self.size(func, part.root, writes) {
                    Size::Constant(size) => Builder::new(func, at).i64(size),
                    Size::Value(size) => size,
                };
                let distance = self.distance(func, at, part);
                let mut b = Builder::new(func, at);
                let (starts, rest) = (b.icmp(IntCc::Ule, distance, size), b.sub(size, distance));
                let ends = b.icmp(IntCc::Ule, bytes, rest);
                let inside = b.and(starts, ends);
                let nothing = b.icmp_imm(IntCc::Eq, bytes, 0);
                Some(b.or(inside, nothing))
            }
        }
    }

    /// The truth value that there is memory where an access is of which no object is known, and where it goes on. What was found there last
    /// is compared with; [`Runtime::Live`] is asked where that is not it.
    pub fn lives(&mut self, func: &mut Function, at: Block, part: &Part) -> (Block, Value) {
        let address = self.address(func, at, part);
        let (ask, join) = (func.add_block(), func.add_block());
        let found = func.add_param(join, Type::I32);
        let mut b = Builder::new(func, at);
        let worker = b.builtin(Builtin::Worker, 0);
        let mem = MemInfo {
            flags: MemFlags::DEREFERENCEABLE,
            ..MemInfo::new(Space::Private, 8)
        };
        let field = |b: &mut Builder, offset: usize| b.load(Type::I64, Address::offset(worker, offset as i32), mem);
        let found_last = match part.kind.writes() {
            true => std::mem::offset_of!(WorkerRecord, writable),
            false => std::mem::offset_of!(WorkerRecord, readable),
        };
        let start = field(&mut b, found_last + std::mem::offset_of!(Found, start));
        let size = field(&mut b, found_last + std::mem::offset_of!(Found, bytes));
        let distance = b.sub(address, start);
        let (fits, bytes) = match part.bytes {
            Bytes::Constant(bytes) => {
                let (less, none) = (b.binary_imm(BinaryOp::Sub, size, bytes as i64 - 1), b.i64(0));
                let limit = b.binary(BinaryOp::SMax, less, none);
                (b.icmp(IntCc::Ult, distance, limit), b.i64(bytes as i64))
            }
            Bytes::Value(bytes) => {
                let (starts, rest) = (b.icmp(IntCc::Ule, distance, size), b.sub(size, distance));
                let ends = b.icmp(IntCc::Ule, bytes, rest);
                (b.and(starts, ends), bytes)
            }
        };
        let one = b.i32(1);
        b.branch(fits, to(join, &[one]), to(ask, &[]));
        let mut b = Builder::new(func, ask);
        let what = match part.kind.writes() {
            true => b.binary_imm(BinaryOp::Or, bytes, WRITES as i64),
            false => bytes,
        };
        let launch = b.builtin(Builtin::Launch, 0);
        let worker = b.builtin(Builtin::Worker, 0);
        let asked = b.value(InstData::CallRuntime {
            routine: Runtime::Live,
            args: ValueList::from_slice(&[launch, worker, address, what]),
        });
        b.jump(join, &[asked]);
        (join, Builder::new(func, join).icmp_imm(IntCc::Ne, found, 0))
    }

    /// The truth value that the access is aligned; none where it always is.
    pub fn is_aligned(&mut self, func: &mut Function, at: Block, part: &Part) -> Option<Value> {
        let align = i64::from(part.align.bytes());
        if align == 1 {
            return None;
        }
        let is_root = self.provenance.exact(func, part.address.base) == Some(part.root);
        let scale = part.address.index.map_or(0, |_| i64::from(part.address.scale));
        let steps = scale % align == 0 && i64::from(part.address.offset) % align == 0;
        // Where the object begins is for a launch to say; of others the compiler itself says it.
        let (block, address) = match (is_root && steps, part.root) {
            (true, Root::Argument(_) | Root::Parameter(_)) => (self.front, self.start(func, part.root)),
            (true, _) => return None,
            _ => (at, self.address(func, at, part)),
        };
        let mut b = Builder::new(func, block);
        let rest = b.binary_imm(BinaryOp::And, address, align - 1);
        Some(b.icmp_imm(IntCc::Eq, rest, 0))
    }

    /// The address of an access, an `i64`.
    pub fn address(&mut self, func: &mut Function, at: Block, part: &Part) -> Value {
        let mut b = Builder::new(func, at);
        let mut address = b.base_and_index(&part.address);
        if part.address.offset != 0 {
            address = b.binary_imm(BinaryOp::Add, address, part.address.offset.into());
        }
        address
    }

    /// How far from its object's beginning an access is, an `i64`; from address 0 where the object is not known.
    pub fn distance(&mut self, func: &mut Function, at: Block, part: &Part) -> Value {
        if part.root == Root::Unknown {
            return self.address(func, at, part);
        }
        let before = self.before(func, part.root);
        let displacement = self.displacement(func, at, part.address.base, part.root);
        let mut b = Builder::new(func, at);
        let mut sum = before;
        let mut add = |b: &mut Builder, value: Value| sum = Some(sum.map_or(value, |sum| b.add(sum, value)));
        if let Some(value) = displacement {
            add(&mut b, value);
        }
        if let Some(index) = part.address.index {
            let bytes = b.scaled(index, part.address.scale);
            add(&mut b, bytes);
        }
        if part.address.offset != 0 || sum.is_none() {
            let offset = b.i64(part.address.offset.into());
            sum = Some(sum.map_or(offset, |sum| b.add(sum, offset)));
        }
        sum.unwrap_or_else(|| unreachable!("an offset was taken where there was nothing else"))
    }

    /// How far a pointer is from its root; nothing where it is the root.
    fn displacement(&mut self, func: &mut Function, at: Block, pointer: Value, root: Root) -> Option<Value> {
        let (mut reached, mut added) = (pointer, Vec::new());
        while self.provenance.exact(func, reached) != Some(root) {
            let sum = func.binary(BinaryOp::Add, reached);
            let leads = |value: Value| self.provenance.root(value) == Some(root);
            // The other operand is no pointer to the object, or the sum would have no root.
            match sum.and_then(|[a, b]| [(a, b), (b, a)].into_iter().find(|&(one, _)| leads(one))) {
                Some((one, more)) => {
                    reached = one;
                    added.push(more);
                }
                None => {
                    let start = self.start(func, root);
                    return Some(Builder::new(func, at).sub(pointer, start));
                }
            }
        }
        let mut b = Builder::new(func, at);
        added.into_iter().rev().reduce(|sum, more| b.add(sum, more))
    }

    /// The root as a value.
    pub fn start(&mut self, func: &mut Function, root: Root) -> Value {
        let argument = match root {
            Root::Argument(argument) => {
                let info = &self.info.arguments[argument as usize];
                Some((info.offset, info.kind == interface::ArgumentKind::LocalPointer))
            }
            _ => None,
        };
        let word = argument.map(|(offset, _)| self.word(func, offset));
        let mut b = Builder::new(func, self.front);
        match (root, word) {
            (Root::Parameter(number), _) => func.params()[number as usize],
            (Root::Slot(slot), _) => b.slot_address(slot),
            (Root::Global(global), _) => b.global_address(global),
            (Root::Local(position), _) => {
                let memory = b.builtin(Builtin::LocalMemory, 0);
                let offset = b.i64(self.info.local_variables[position as usize].offset as i64);
                b.add(memory, offset)
            }
            (Root::Argument(_), Some(word)) => match argument {
                Some((_, true)) => {
                    let memory = b.builtin(Builtin::LocalMemory, 0);
                    b.add(memory, word)
                }
                _ => word,
            },
            (Root::Argument(_), None) => unreachable!("an argument has a place in the block"),
            (Root::Unknown, _) => unreachable!("its accesses have guards of another kind"),
        }
    }

    /// The number of distances that an access of so many bytes can have, an `i64`.
    fn limit(&mut self, func: &mut Function, root: Root, writes: bool, bytes: u64) -> Value {
        if let Some(&known) = self.limits.get(&(root, writes, bytes)) {
            return known;
        }
        let size = self.size(func, root, writes);
        let mut b = Builder::new(func, self.front);
        let limit = match size {
            Size::Constant(size) => b.i64((size - bytes as i64 + 1).max(0)),
            Size::Value(size) => {
                let less = b.binary_imm(BinaryOp::Sub, size, bytes as i64 - 1);
                let none = b.i64(0);
                b.binary(BinaryOp::SMax, less, none)
            }
        };
        self.limits.insert((root, writes, bytes), limit);
        limit
    }

    /// The indices that an access can have: the first, and how many there are.
    fn range(&mut self, func: &mut Function, part: &Part, bytes: u64, ty: Type) -> (Value, Value) {
        let (writes, shift) = (part.kind.writes(), part.address.scale.trailing_zeros());
        let key = (part.root, writes, bytes, part.address.offset, shift, ty);
        if let Some(&known) = self.ranges.get(&key) {
            return known;
        }
        let (before, size) = (self.before(func, part.root), self.size(func, part.root, writes));
        let mut b = Builder::new(func, self.front);
        let size = match size {
            Size::Constant(size) => b.i64(size),
            Size::Value(size) => size,
        };
        // At index 0.
        let offset = b.i64(part.address.offset.into());
        let distance = before.map_or(offset, |before| b.add(before, offset));
        let floor = |b: &mut Builder, value: Value| b.binary_imm(BinaryOp::AShr, value, shift.into());
        let zero = b.i64(0);
        let down = floor(&mut b, distance);
        let mut first = b.sub(zero, down);
        let room = b.sub(size, distance);
        let room = b.binary_imm(BinaryOp::Sub, room, bytes as i64);
        let mut last = floor(&mut b, room);
        if ty == Type::I32 {
            let (least, most) = (b.i64(i32::MIN.into()), b.i64(i32::MAX.into()));
            first = b.binary(BinaryOp::SMax, first, least);
            last = b.binary(BinaryOp::SMin, last, most);
        }
        let count = b.sub(last, first);
        let count = b.binary_imm(BinaryOp::Add, count, 1);
        let mut count = b.binary(BinaryOp::SMax, count, zero);
        if ty == Type::I32 {
            let most = b.i64(u32::MAX.into());
            count = b.binary(BinaryOp::SMin, count, most);
            (first, count) = (
                b.convert(ConvertOp::Trunc, Elem::I32, first),
                b.convert(ConvertOp::Trunc, Elem::I32, count),
            );
        }
        self.ranges.insert(key, (first, count));
        (first, count)
    }
}
