//! A gang's function becomes a work-group's: loops over gangs, one a region, in a loop over the groups of a row.
//!
//! ```text
//! entry(launch, worker, first_x, end_x, y, z)
//!   for x in first_x..end_x              without groups that are idle by a guard
//!     for gang in gangs { region 0 }      what lives across a barrier and differs between gangs is in the gang's frame,
//!     for gang in gangs { region 1 }      what the group shares stays in registers
//!     …
//! ```
//!
//! Where gangs may part at barriers ([`Regions::in_step`] is false) there is one loop instead, repeated until all gangs have returned;
//! each gang's frame says at which marker it goes on.

mod builtins;
mod copy;
mod divergent_barriers;
mod frame;
mod gang_loop;
mod idle_groups;
mod in_step;
mod live;

use super::atomic_privatization::settle;
use super::regions::Regions;
use super::rematerialize::sink;
use super::vectorize::GangFunction;
use analysis::GangFacts;
use cranelift_entity::SecondaryMap;
use ir::ssa::{SsaBuilder, Variable};
use ir::*;
use rustc_hash::FxHashMap;

/// A work-group's function.
#[derive(Debug)]
pub struct GroupFunction {
    /// With the parameters of `device::abi::KernelEntry`.
    pub func: Function,
    /// Bytes of a gang's frame.
    pub frame_bytes: u64,
}

/// Wraps a kernel's gang function in its loops.
pub fn form_group(mut gang: GangFunction, facts: &GangFacts) -> GroupFunction {
    let single_gang = facts.local_size.most_items() <= u64::from(facts.width) * u64::from(facts.gangs_at_once);
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
        frames: None,
        tallies: None,
        slots: Vec::new(),
        lasting: SecondaryMap::new(),
        own: gang.func.per_value(Value::from_u32(0)),
        here: Local::new(),
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
    writer.func.reserve_for(&gang.func);
    writer.func.origins = gang.func.origins.as_ref().map(|origins| Box::new(origins.of_successor()));
    writer.lay_out_frame();
    writer.write();
    let (mut func, frame_bytes) = (writer.func, writer.frame_bytes);
    if let Some(slot) = writer.tallies {
        settle(&mut func, slot, &facts.tallies, facts.width);
    }
    GroupFunction {
        func,
        frame_bytes: frame_bytes / u64::from(facts.gangs_at_once),
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

struct Writer<'a> {
    func: Function,
    ssa: SsaBuilder,
    variables: SecondaryMap<Value, Option<Variable>>,
    /// What the group carries from region to region, as the last gang that went on has handed it over.
    carried: FxHashMap<Value, Variable>,
    /// What is read from the records, once at the entry.
    preamble: FxHashMap<(Builtin, u8), Value>,
    /// The first gang's frame, if they have any.
    frames: Option<Value>,
    /// What holds [`GangFacts::tallies`].
    tallies: Option<Slot>,
    /// Offset of each slot in the frame.
    slots: Vec<u64>,
    /// Offset of each value that lives across a barrier.
    spills: FxHashMap<Value, u64>,
    /// Some region needs the value from before.
    lasting: SecondaryMap<Value, bool>,
    /// What the others are in the region that is being written.
    own: SecondaryMap<Value, Value>,
    /// What values are in the block that is being copied, as far as it is known.
    here: Local<Option<Value>>,
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
        let (mut entered, mut row) = (self.entry, [first_x, end_x]);
        let facts = self.facts;
        for guard in &facts.guards {
            (entered, row) = self.leave_out_idle(entered, guard, row);
        }
        let [first_x, end_x] = row;
        if facts.guards.is_empty() {
            Builder::new(&mut self.func, entered).jump(head, &[first_x]);
        } else {
            let idle = self.func.add_block();
            let mut b = Builder::new(&mut self.func, entered);
            let any = b.icmp(IntCc::Ult, first_x, end_x);
            b.branch(any, to(head, &[first_x]), to(idle, &[]));
            self.ssa.declare_predecessor(idle, entered);
            self.ssa.seal(idle);
            self.return_idle(idle);
        }
        self.ssa.declare_predecessor(head, entered);
        let more = Builder::new(&mut self.func, head).icmp(IntCc::Ult, x, end_x);
        self.branch(head, more, body, done);
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

    /// Ends a block by a jump.
    fn jump(&mut self, from: Block, target: Block) {
        Builder::new(&mut self.func, from).jump(target, &[]);
        self.ssa.declare_predecessor(target, from);
    }

    /// Ends a block by a branch.
    fn branch(&mut self, from: Block, condition: Value, then: Block, otherwise: Block) {
        Builder::new(&mut self.func, from).branch(condition, to(then, &[]), to(otherwise, &[]));
        self.ssa.declare_predecessor(then, from);
        self.ssa.declare_predecessor(otherwise, from);
    }
}
