//! A gang's function becomes a work-group's: loops over gangs, one a region, in a loop over the groups of a row.
//!
//! ```text
//! entry(launch, worker, first_x, end_x, y, z)
//!   for x in first_x..end_x
//!     for gang in gangs { region 0 }      what lives across a barrier and differs between gangs is in the gang's frame,
//!     for gang in gangs { region 1 }      what the group shares stays in registers
//!     …
//! ```
//!
//! Where gangs may part at barriers ([`Regions::in_step`] is false) there is one loop instead, repeated until all gangs have returned;
//! each gang's frame says at which marker it goes on.

use super::facts::GangFacts;
use super::jam::{Bunch, bunch};
use super::regions::{Marker, Regions};
use super::shape::Layout;
use super::sink::sink;
use super::uniformity::Extent;
use super::vectorize::GangFunction;
use crate::ir::ssa::{SsaBuilder, Variable};
use crate::ir::*;
use cranelift_entity::SecondaryMap;
use device::abi::{LaunchRecord, WorkerRecord};
use rustc_hash::{FxHashMap, FxHashSet};
use std::mem::offset_of;

/// A work-group's function.
#[derive(Debug)]
pub struct GroupFunction {
    /// With the parameters of `device::abi::KernelEntry`.
    pub func: Function,
    /// Bytes of a gang's frame.
    pub frame_bytes: u64,
}

/// Frames start at multiples of this.
const FRAME_ALIGN: u64 = 128;

/// Wraps a kernel's gang function in its loops.
pub fn form_group(mut gang: GangFunction, facts: &GangFacts) -> GroupFunction {
    let items: u64 = facts.local_size.iter().product();
    let single_gang = items <= u64::from(facts.width) * u64::from(facts.gangs_at_once);
    let regions = Regions::new(&mut gang, single_gang);
    if regions.markers.len() > 1 {
        sink(&mut gang);
    }
    let mut writer = Writer {
        func: Function::new(gang.func.name.clone(), Level::WorkGroup, &[Type::I32]),
        ssa: SsaBuilder::new(),
        variables: SecondaryMap::new(),
        carried: FxHashMap::default(),
        preamble: FxHashMap::default(),
        slots: Vec::new(),
        home: SecondaryMap::new(),
        spills: FxHashMap::default(),
        live: vec![Vec::new(); regions.markers.len()],
        frame_bytes: 0,
        state_offset: 0,
        single_gang,
        params: [Value::from_u32(0); 6],
        entry: Block::from_u32(0),
        group: GroupValues::default(),
        gang: &gang,
        regions: &regions,
        facts,
    };
    writer.lay_out_frame();
    writer.write();
    GroupFunction {
        func: writer.func,
        frame_bytes: writer.frame_bytes / u64::from(facts.gangs_at_once),
    }
}

/// Values that a work-group's iteration starts with.
#[derive(Clone, Copy)]
struct GroupValues {
    x: Value,
    local_size: [Option<Value>; 3],
    gangs: Value,
}

impl Default for GroupValues {
    fn default() -> Self {
        let none = Value::from_u32(0);
        GroupValues {
            x: none,
            local_size: [None; 3],
            gangs: none,
        }
    }
}

/// Values that a gang's iteration starts with.
#[derive(Clone, Copy)]
struct GangValues {
    /// `i32`
    index: Value,
    /// Lane 0's local ids.
    local_id: [Value; 3],
    frame: Option<Value>,
}

struct Writer<'a> {
    func: Function,
    ssa: SsaBuilder,
    variables: SecondaryMap<Value, Option<Variable>>,
    /// What the group carries from region to region, as the last gang that went on has handed it over.
    carried: FxHashMap<Value, Variable>,
    /// What is read from the records, once at the entry.
    preamble: FxHashMap<(Builtin, u8), Value>,
    /// Offset of each slot in the frame.
    slots: Vec<u64>,
    /// Offset of each value that lives across a barrier.
    spills: FxHashMap<Value, u64>,
    /// The block that makes each value; only where there are several regions.
    home: SecondaryMap<Value, Option<Block>>,
    /// By marker: values that its region needs from before.
    live: Vec<Vec<Value>>,
    frame_bytes: u64,
    state_offset: u64,
    single_gang: bool,
    params: [Value; 6],
    entry: Block,
    group: GroupValues,
    gang: &'a GangFunction,
    regions: &'a Regions,
    facts: &'a GangFacts,
}

impl Writer<'_> {
    // ----- frame -----

    fn allocate(&mut self, bytes: u64, align: u64) -> u64 {
        let offset = self.frame_bytes.next_multiple_of(align.max(1));
        self.frame_bytes = offset + bytes;
        offset
    }

    fn lay_out_frame(&mut self) {
        for (_, data) in self.gang.func.slots.iter() {
            let offset = self.allocate(self.facts.slot_bytes(data), u64::from(data.align).max(16));
            self.slots.push(offset);
        }
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

    /// The group carries the value from region to region itself.
    fn is_carried(&self, value: Value) -> bool {
        self.regions.in_step && self.gang.shared[value] <= Extent::Group
    }

    /// Which values are needed behind each marker but made before it.
    fn find_live(&mut self) {
        let func = &self.gang.func;
        let mut home: SecondaryMap<Value, Option<Block>> = SecondaryMap::new();
        let mut preds: SecondaryMap<Block, Vec<Block>> = SecondaryMap::new();
        let mut marker_of: SecondaryMap<Block, Option<Marker>> = SecondaryMap::new();
        for (marker, &block) in self.regions.markers.iter().enumerate().skip(1) {
            marker_of[block] = Some(marker);
        }
        for &block in &func.layout {
            for &param in &func.block(block).params {
                home[param] = Some(block);
            }
            for &inst in &func.block(block).insts {
                for &result in &func.inst(inst).results {
                    home[result] = Some(block);
                }
            }
            for succ in func.successors(block) {
                preds[succ].push(block);
            }
        }
        let mut uses: FxHashMap<Value, Vec<Block>> = FxHashMap::default();
        for &block in &func.layout {
            for &inst in &func.block(block).insts {
                func.inst(inst).data.for_each_operand(|&value| {
                    if home[value] != Some(block) {
                        let blocks = uses.entry(value).or_default();
                        if blocks.last() != Some(&block) {
                            blocks.push(block);
                        }
                    }
                });
            }
        }
        // From each use upwards to the definition: every marker on the way needs the value.
        for (value, blocks) in uses {
            let mut seen: FxHashSet<Block> = Default::default();
            let mut work = blocks;
            while let Some(block) = work.pop() {
                if Some(block) == home[value] || !seen.insert(block) {
                    continue;
                }
                if let Some(marker) = marker_of[block] {
                    self.live[marker].push(value);
                }
                work.extend(preds[block].iter().copied());
            }
        }
        for live in &mut self.live {
            live.sort_unstable();
        }
        self.home = home;
    }

    /// What the region needs from before and does not make anew.
    fn unchanged(&self, marker: Marker) -> Vec<Value> {
        let inside: FxHashSet<Block> = self.regions.regions[marker].blocks.iter().copied().collect();
        let stays = |value: &Value| self.home[*value].is_some_and(|home| !inside.contains(&home));
        self.live[marker].iter().copied().filter(stays).collect()
    }

    // ----- the group's loop -----

    fn write(&mut self) {
        self.entry = self.func.add_block();
        for (index, ty) in [Type::I64; 6].into_iter().enumerate() {
            self.params[index] = self.func.add_param(self.entry, ty);
        }
        self.ssa.seal(self.entry);
        let (head, body, done) = (self.func.add_block(), self.func.add_block(), self.func.add_block());
        let x = self.func.add_param(head, Type::I64);
        self.read_records();
        let [_, _, first_x, end_x, ..] = self.params;
        Builder::new(&mut self.func, self.entry).jump(head, &[first_x]);
        self.ssa.declare_predecessor(head, self.entry);
        let mut b = Builder::new(&mut self.func, head);
        let more = b.icmp(IntCc::Ult, x, end_x);
        b.branch(more, to(body, &[]), to(done, &[]));
        self.ssa.declare_predecessor(body, head);
        self.ssa.declare_predecessor(done, head);
        self.ssa.seal(body);
        self.ssa.seal(done);
        let mut b = Builder::new(&mut self.func, done);
        let zero = b.i32(0);
        b.ret(&[zero]);

        self.group.x = x;
        self.start_group(body);
        let next = self.func.add_block();
        if self.regions.in_step {
            self.write_in_step(body, next);
        } else {
            self.write_apart(body, next);
        }
        let mut b = Builder::new(&mut self.func, next);
        let one_on = b.binary_imm(BinaryOp::Add, x, 1);
        b.jump(head, &[one_on]);
        self.ssa.declare_predecessor(head, next);
        self.ssa.seal(next);
        self.ssa.seal(head);
        self.ssa.finish(&mut self.func);
    }

    /// Reads at the entry what the code asks for of the launch and the worker.
    fn read_records(&mut self) {
        let mut wanted: Vec<(Builtin, u8)> = Vec::new();
        for &block in &self.gang.func.layout {
            for &inst in &self.gang.func.block(block).insts {
                if let InstData::Builtin { builtin, dimension } = self.gang.func.inst(inst).data {
                    wanted.push((builtin, dimension));
                }
            }
        }
        if !self.facts.full_groups {
            wanted.extend((0..3).map(|dimension| (Builtin::GlobalSize, dimension)));
        }
        for (builtin, dimension) in wanted {
            if self.preamble.contains_key(&(builtin, dimension)) {
                continue;
            }
            let element = |offset: usize| (offset + 8 * usize::from(dimension)) as i32;
            let [launch, worker, ..] = self.params;
            let (record, offset) = match builtin {
                Builtin::GlobalSize => (launch, element(offset_of!(LaunchRecord, global_size))),
                Builtin::NumGroups => (launch, element(offset_of!(LaunchRecord, group_count))),
                Builtin::GlobalOffset => (launch, element(offset_of!(LaunchRecord, global_offset))),
                Builtin::Arguments => (launch, offset_of!(LaunchRecord, arguments) as i32),
                Builtin::LocalMemory => (worker, offset_of!(WorkerRecord, local_memory) as i32),
                _ => continue,
            };
            let value = self.read(record, offset);
            self.preamble.insert((builtin, dimension), value);
        }
        if self.frame_bytes > 0 {
            let value = self.read(self.params[1], offset_of!(WorkerRecord, private_memory) as i32);
            // The frames' base has no built-in of its own; the gang's number stands for it here.
            self.preamble.insert((Builtin::SubGroupId, 0), value);
        }
    }

    fn read(&mut self, record: Value, offset: i32) -> Value {
        let mut mem = MemInfo::new(Space::Constant, 8);
        mem.flags = MemFlags::INVARIANT | MemFlags::DEREFERENCEABLE;
        Builder::new(&mut self.func, self.entry).load(Type::I64, Address::offset(record, offset), mem)
    }

    /// Local sizes and the number of gangs of this group.
    fn start_group(&mut self, body: Block) {
        let width = i64::from(self.facts.width) * i64::from(self.facts.gangs_at_once);
        let mut b = Builder::new(&mut self.func, body);
        if self.facts.full_groups {
            let items: u64 = self.facts.local_size.iter().product();
            self.group.gangs = b.i32(items.div_ceil(width as u64) as i32);
            return;
        }
        let mut items: Option<Value> = None;
        for dimension in 0..3 {
            let enqueued = self.facts.local_size[dimension] as i64;
            let id = [self.group.x, self.params[4], self.params[5]][dimension];
            let before = b.binary_imm(BinaryOp::Mul, id, enqueued);
            let left = b.sub(self.preamble[&(Builtin::GlobalSize, dimension as u8)], before);
            let size = b.binary_imm(BinaryOp::UMin, left, enqueued);
            self.group.local_size[dimension] = Some(size);
            items = Some(items.map_or(size, |items| b.mul(items, size)));
        }
        let items = items.expect("three dimensions");
        let rounded = b.binary_imm(BinaryOp::Add, items, width - 1);
        let gangs = b.binary_imm(BinaryOp::UDiv, rounded, width);
        self.group.gangs = b.convert(ConvertOp::Trunc, Elem::I32, gangs);
    }

    // ----- gangs -----

    /// Opens a loop over gangs that is entered from the end of `from`. Gives the block for a gang's code, the gang's values, and the latch.
    fn open_gang_loop(&mut self, from: Block) -> (Block, GangValues, GangLoop) {
        if self.single_gang {
            let latch = self.func.add_block();
            let mut b = Builder::new(&mut self.func, from);
            let index = b.i32(0);
            let zero = b.i64(0);
            let values = self.gang_values(from, index, [zero; 3]);
            return (from, values, GangLoop { latch, head: None });
        }
        let (head, latch) = (self.func.add_block(), self.func.add_block());
        let index = self.func.add_param(head, Type::I32);
        // Where rows are cut into several gangs in more than one dimension, local ids are counted along.
        let counted = self.counted_dimensions();
        let counters: Vec<Value> = counted.iter().map(|_| self.func.add_param(head, Type::I64)).collect();
        let mut b = Builder::new(&mut self.func, from);
        let zero = b.i32(0);
        let zero_wide = b.i64(0);
        let mut args = vec![zero];
        args.extend(counters.iter().map(|_| zero_wide));
        b.jump(head, &args);
        self.ssa.declare_predecessor(head, from);
        let mut b = Builder::new(&mut self.func, head);
        let mut local_id = [b.i64(0); 3];
        for (&dimension, &counter) in counted.iter().zip(&counters) {
            local_id[dimension] = counter;
        }
        if counted.is_empty()
            && let Layout::Rows { dimension } = self.facts.layout
        {
            let wide = b.convert(ConvertOp::ZExt, Elem::I64, index);
            local_id[usize::from(dimension)] = b.binary_imm(BinaryOp::Mul, wide, i64::from(self.facts.width * self.facts.gangs_at_once));
        }
        let values = self.gang_values(head, index, local_id);
        (
            head,
            values,
            GangLoop {
                latch,
                head: Some((head, index, counted, counters)),
            },
        )
    }

    fn counted_dimensions(&self) -> Vec<usize> {
        match self.facts.layout {
            Layout::Rows { dimension } => {
                let dimension = usize::from(dimension);
                if self.facts.local_size[dimension + 1..].iter().all(|&size| size == 1) {
                    Vec::new()
                } else {
                    let whole_rows = self.bunch().is_some_and(|bunch| bunch.rows > 1);
                    (dimension + usize::from(whole_rows)..3).collect()
                }
            }
            Layout::Linear => Vec::new(),
        }
    }

    fn bunch(&self) -> Option<Bunch> {
        bunch(self.facts, self.facts.gangs_at_once)
    }

    fn gang_values(&mut self, block: Block, index: Value, local_id: [Value; 3]) -> GangValues {
        let frame_bytes = self.frame_bytes as i64;
        let base = self.preamble.get(&(Builtin::SubGroupId, 0)).copied();
        let mut b = Builder::new(&mut self.func, block);
        let frame = base.map(|base| {
            let wide = b.convert(ConvertOp::ZExt, Elem::I64, index);
            let offset = b.binary_imm(BinaryOp::Mul, wide, frame_bytes);
            b.add(base, offset)
        });
        GangValues { index, local_id, frame }
    }

    /// Closes a loop over gangs; gives the block behind it.
    fn close_gang_loop(&mut self, gang_loop: GangLoop) -> Block {
        let latch = gang_loop.latch;
        self.ssa.seal(latch);
        let Some((head, index, counted, counters)) = gang_loop.head else {
            return latch;
        };
        let done = self.func.add_block();
        let (gangs, sizes) = (self.group.gangs, self.facts.local_size);
        let first_step = match self.bunch() {
            Some(bunch) if bunch.rows > 1 => i64::from(bunch.rows),
            Some(bunch) => i64::from(self.facts.width * bunch.columns),
            None => i64::from(self.facts.width),
        };
        let mut b = Builder::new(&mut self.func, latch);
        let next = b.binary_imm(BinaryOp::Add, index, 1);
        let mut args = vec![next];
        // The first counts in gangs, or rows of them; each that is full starts again and moves the following on by one.
        let mut step = b.i64(first_step);
        let zero = b.i64(0);
        let one = b.i64(1);
        for (&dimension, &counter) in counted.iter().zip(&counters) {
            let moved = b.add(counter, step);
            let full = b.icmp_imm(IntCc::Eq, moved, sizes[dimension] as i64);
            let value = b.select(full, zero, moved);
            args.push(value);
            step = b.select(full, one, zero);
        }
        let more = b.icmp(IntCc::Ult, next, gangs);
        b.branch(more, to(head, &args), to(done, &[]));
        self.ssa.declare_predecessor(head, latch);
        self.ssa.declare_predecessor(done, latch);
        self.ssa.seal(head);
        self.ssa.seal(done);
        done
    }

    // ----- regions -----

    /// One loop over gangs a region.
    fn write_in_step(&mut self, body: Block, next: Block) {
        let count = self.regions.markers.len();
        let starts: Vec<Block> = (0..count)
            .map(|marker| if marker == 0 { body } else { self.func.add_block() })
            .collect();
        let exit = self.ssa.variable(Type::I32);
        for marker in 0..count {
            let region = &self.regions.regions[marker];
            let start = starts[marker];
            let ways = region.exits.len() + usize::from(region.returns);
            if ways > 1 {
                let value = Builder::new(&mut self.func, start).i32(count as i32);
                self.ssa.define(exit, start, value);
            }
            // What the group carries may change in the region; each gang begins with what it was before.
            let mut carried = Vec::new();
            for value in self.live[marker].clone() {
                if !self.spills.contains_key(&value) {
                    let variable = self.carried_variable(value);
                    carried.push((value, self.ssa.use_variable(&mut self.func, variable, start)));
                }
            }
            let (mut inside, values, gang_loop) = self.open_gang_loop(start);
            if self.regions.gangs_retire {
                if marker == 0 {
                    self.store_state(inside, values, 1);
                } else {
                    let state = self.load_state(inside, values);
                    let alive = self.func.add_block();
                    let mut b = Builder::new(&mut self.func, inside);
                    let retired = b.icmp_imm(IntCc::Eq, state, 0);
                    b.branch(retired, to(gang_loop.latch, &[]), to(alive, &[]));
                    self.ssa.declare_predecessor(gang_loop.latch, inside);
                    self.ssa.declare_predecessor(alive, inside);
                    self.ssa.seal(alive);
                    inside = alive;
                }
            }
            for (value, before) in carried {
                self.define(value, inside, before);
            }
            self.reload(inside, values, marker);
            let copies = self.new_blocks(&region.blocks);
            let first = copies[&self.regions.markers[marker]];
            Builder::new(&mut self.func, inside).jump(first, &[]);
            self.ssa.declare_predecessor(first, inside);
            let exits = ExitPlan {
                latch: gang_loop.latch,
                exit: (ways > 1).then_some(exit),
                any: None,
                unchanged: self.unchanged(marker),
            };
            self.copy_blocks(&region.blocks, &copies, values, &exits);
            let done = self.close_gang_loop(gang_loop);
            self.leave_region(done, marker, &starts, next, (ways > 1).then_some(exit));
        }
        for &start in &starts[1..] {
            self.ssa.seal(start);
        }
    }

    fn leave_region(&mut self, done: Block, marker: Marker, starts: &[Block], next: Block, exit: Option<Variable>) {
        let region = &self.regions.regions[marker];
        let Some(exit) = exit else {
            let target = region.exits.first().map_or(next, |&exit| starts[exit]);
            Builder::new(&mut self.func, done).jump(target, &[]);
            self.ssa.declare_predecessor(target, done);
            return;
        };
        let value = self.ssa.use_variable(&mut self.func, exit, done);
        let cases: Vec<(u64, BlockCall)> = region.exits.iter().map(|&exit| (exit as u64, to(starts[exit], &[]))).collect();
        let mut targets: Vec<Block> = region.exits.iter().map(|&exit| starts[exit]).collect();
        let default = if region.returns {
            next
        } else {
            // All gangs leave by one of the exits; the last one needs no test.
            *targets.last().expect("more than one exit")
        };
        let cases: Vec<(u64, BlockCall)> = cases.into_iter().filter(|(_, call)| call.block != default).collect();
        targets.retain(|&target| target != default);
        targets.push(default);
        Builder::new(&mut self.func, done).push(InstData::Switch {
            value,
            cases,
            default: to(default, &[]),
        });
        for target in targets {
            self.ssa.declare_predecessor(target, done);
        }
    }

    /// One loop over gangs, again and again, each gang going on where it stands.
    fn write_apart(&mut self, body: Block, next: Block) {
        // Everybody starts at the entry. State 0 has returned, state n + 1 is marker n.
        let (inside, values, gang_loop) = self.open_gang_loop(body);
        self.store_state(inside, values, 1);
        Builder::new(&mut self.func, inside).jump(gang_loop.latch, &[]);
        self.ssa.declare_predecessor(gang_loop.latch, inside);
        let ready = self.close_gang_loop(gang_loop);
        let round = self.func.add_block();
        Builder::new(&mut self.func, ready).jump(round, &[]);
        self.ssa.declare_predecessor(round, ready);
        let any = self.ssa.variable(Type::I32);
        let none = Builder::new(&mut self.func, round).i32(0);
        self.ssa.define(any, round, none);

        let (inside, values, gang_loop) = self.open_gang_loop(round);
        let state = self.load_state(inside, values);
        let blocks: Vec<Block> = self.gang.func.layout.clone();
        let copies = self.new_blocks(&blocks);
        let mut cases = Vec::new();
        let resumes: Vec<Block> = self.regions.markers.iter().map(|_| self.func.add_block()).collect();
        for (marker, &resume) in resumes.iter().enumerate() {
            cases.push((marker as u64 + 1, to(resume, &[])));
            self.ssa.declare_predecessor(resume, inside);
            self.ssa.seal(resume);
        }
        Builder::new(&mut self.func, inside).push(InstData::Switch {
            value: state,
            cases,
            default: to(gang_loop.latch, &[]),
        });
        self.ssa.declare_predecessor(gang_loop.latch, inside);
        for (marker, &resume) in resumes.iter().enumerate() {
            self.reload(resume, values, marker);
            let first = copies[&self.regions.markers[marker]];
            Builder::new(&mut self.func, resume).jump(first, &[]);
            self.ssa.declare_predecessor(first, resume);
        }
        let exits = ExitPlan {
            latch: gang_loop.latch,
            exit: None,
            any: Some(any),
            unchanged: Vec::new(),
        };
        self.copy_blocks(&blocks, &copies, values, &exits);
        let done = self.close_gang_loop(gang_loop);
        let any = self.ssa.use_variable(&mut self.func, any, done);
        let mut b = Builder::new(&mut self.func, done);
        let more = b.icmp_imm(IntCc::Ne, any, 0);
        b.branch(more, to(round, &[]), to(next, &[]));
        self.ssa.declare_predecessor(round, done);
        self.ssa.declare_predecessor(next, done);
        self.ssa.seal(round);
    }

    fn new_blocks(&mut self, blocks: &[Block]) -> FxHashMap<Block, Block> {
        let mut copies = FxHashMap::default();
        for &block in blocks {
            let copy = self.func.add_block();
            copies.insert(block, copy);
        }
        copies
    }

    // ----- a gang's frame -----

    fn frame_address(&self, values: GangValues, offset: u64) -> Address {
        Address::offset(
            values.frame.expect("a function with something in its frame has a frame"),
            offset as i32,
        )
    }

    fn store_state(&mut self, block: Block, values: GangValues, state: i32) {
        let address = self.frame_address(values, self.state_offset);
        let mut b = Builder::new(&mut self.func, block);
        let state = b.i32(state);
        b.store(state, address, MemInfo::new(Space::Private, 4));
    }

    fn load_state(&mut self, block: Block, values: GangValues) -> Value {
        let address = self.frame_address(values, self.state_offset);
        Builder::new(&mut self.func, block).load(Type::I32, address, MemInfo::new(Space::Private, 4))
    }

    /// Loads what the region needs from before.
    fn reload(&mut self, block: Block, values: GangValues, marker: Marker) {
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
    fn spill(&mut self, block: Block, values: GangValues, marker: Marker, exits: &ExitPlan) {
        for value in self.live[marker].clone() {
            let Some(&offset) = self.spills.get(&value) else { continue };
            if exits.unchanged.binary_search(&value).is_ok() {
                continue;
            }
            let ty = self.gang.func.ty(value);
            let mut stored = self.use_value(value, block);
            let address = self.frame_address(values, offset);
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

    /// Hands what the group carries to the region behind `marker`. Only gangs that go on there do so: what a gang that has retired knew
    /// last is of an earlier turn.
    fn carry(&mut self, block: Block, marker: Marker) {
        for value in self.live[marker].clone() {
            if !self.spills.contains_key(&value) {
                let variable = self.carried_variable(value);
                let handed = self.use_value(value, block);
                self.ssa.define(variable, block, handed);
            }
        }
    }

    fn carried_variable(&mut self, value: Value) -> Variable {
        if let Some(&variable) = self.carried.get(&value) {
            return variable;
        }
        let variable = self.ssa.variable(self.gang.func.ty(value));
        self.carried.insert(value, variable);
        variable
    }

    // ----- code -----

    fn variable(&mut self, value: Value) -> Variable {
        if let Some(variable) = self.variables[value] {
            return variable;
        }
        let variable = self.ssa.variable(self.gang.func.ty(value));
        self.variables[value] = Some(variable);
        variable
    }

    fn define(&mut self, value: Value, block: Block, by: Value) {
        let variable = self.variable(value);
        self.ssa.define(variable, block, by);
    }

    fn use_value(&mut self, value: Value, block: Block) -> Value {
        let variable = self.variable(value);
        self.ssa.use_variable(&mut self.func, variable, block)
    }

    fn copy_blocks(&mut self, blocks: &[Block], copies: &FxHashMap<Block, Block>, values: GangValues, exits: &ExitPlan) {
        let gang = self.gang;
        // Loops need their headers open until their latches are written: seal at the end.
        for &block in blocks {
            let copy = copies[&block];
            for &param in &gang.func.block(block).params {
                let own = self.func.add_param(copy, gang.func.ty(param));
                self.define(param, copy, own);
            }
        }
        for &block in blocks {
            let copy = copies[&block];
            let mut here: FxHashMap<Value, Value> = FxHashMap::default();
            for &inst in &gang.func.block(block).insts {
                let node = gang.func.inst(inst);
                if node.data.is_terminator() {
                    self.copy_terminator(block, copy, &node.data, copies, &mut here, values, exits);
                    continue;
                }
                let results = self.copy_inst(copy, node, &mut here, values);
                for (&result, by) in node.results.iter().zip(results) {
                    here.insert(result, by);
                    self.define(result, copy, by);
                }
            }
        }
        for &block in blocks {
            self.ssa.seal(copies[&block]);
        }
    }

    fn copy_inst(&mut self, copy: Block, node: &InstNode, here: &mut FxHashMap<Value, Value>, values: GangValues) -> ValueList {
        match node.data {
            InstData::Builtin { builtin, dimension } => {
                let value = self.builtin(copy, builtin, dimension, values);
                return ValueList::from_slice(&[value]);
            }
            InstData::SlotAddress { slot } => {
                let offset = self.slots[slot.as_u32() as usize];
                let frame = values.frame.expect("a function with slots has a frame");
                let value = Builder::new(&mut self.func, copy).binary_imm(BinaryOp::Add, frame, offset as i64);
                return ValueList::from_slice(&[value]);
            }
            _ => {}
        }
        let data = self.map_operands(copy, &node.data, here);
        let inst = self.func.append(copy, data, node.flags);
        self.func.inst(inst).results.iter().copied().collect()
    }

    fn map_operands(&mut self, copy: Block, data: &InstData, here: &mut FxHashMap<Value, Value>) -> InstData {
        let mut data = data.clone();
        data.for_each_operand_mut(|operand| {
            *operand = match here.get(operand) {
                Some(&known) => known,
                None => {
                    let value = self.use_value(*operand, copy);
                    here.insert(*operand, value);
                    value
                }
            };
        });
        data
    }

    #[allow(clippy::too_many_arguments)]
    fn copy_terminator(
        &mut self,
        block: Block,
        copy: Block,
        data: &InstData,
        copies: &FxHashMap<Block, Block>,
        here: &mut FxHashMap<Value, Value>,
        values: GangValues,
        exits: &ExitPlan,
    ) {
        if let Some(marker) = self.regions.barriers[block] {
            self.spill(copy, values, marker, exits);
            self.carry(copy, marker);
            if let Some(exit) = exits.exit {
                let number = Builder::new(&mut self.func, copy).i32(marker as i32);
                self.ssa.define(exit, copy, number);
            }
            if let Some(any) = exits.any {
                self.store_state(copy, values, marker as i32 + 1);
                let one = Builder::new(&mut self.func, copy).i32(1);
                self.ssa.define(any, copy, one);
            }
            self.jump_to_latch(copy, exits);
            return;
        }
        match data {
            InstData::Return { .. } => {
                if exits.any.is_some() || self.regions.gangs_retire {
                    self.store_state(copy, values, 0);
                }
                self.jump_to_latch(copy, exits);
            }
            InstData::Trap { .. } | InstData::Unreachable => {
                self.func.append(copy, data.clone(), Flags::empty());
            }
            _ => {
                let mut data = self.map_operands(copy, data, here);
                for target in data.targets_mut() {
                    target.block = copies[&target.block];
                    self.ssa.declare_predecessor(target.block, copy);
                }
                self.func.append(copy, data, Flags::empty());
            }
        }
    }

    fn jump_to_latch(&mut self, copy: Block, exits: &ExitPlan) {
        Builder::new(&mut self.func, copy).jump(exits.latch, &[]);
        self.ssa.declare_predecessor(exits.latch, copy);
    }

    fn builtin(&mut self, copy: Block, builtin: Builtin, dimension: u8, values: GangValues) -> Value {
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
                None => Builder::new(&mut self.func, copy).i64(self.facts.local_size[at] as i64),
            },
            _ => self.preamble[&(builtin, dimension)],
        }
    }
}

/// A loop over gangs being written.
struct GangLoop {
    latch: Block,
    /// Its header, the gang's number, which local ids are counted along and their counters; none where there is one gang.
    head: Option<(Block, Value, Vec<usize>, Vec<Value>)>,
}

/// Where a region's ends go.
struct ExitPlan {
    latch: Block,
    /// Takes the number of the marker that was reached.
    exit: Option<Variable>,
    /// Is set when a gang has not returned yet.
    any: Option<Variable>,
    /// Values that the region has found in the gang's frame and does not make anew, in ascending order.
    unchanged: Vec<Value>,
}

/// What a value that lives across a barrier is in memory: masks are bits, a vector's in an `i32`.
fn spill_type(ty: Type) -> Type {
    if ty.elem == Elem::Mask { Type::I32 } else { ty }
}
