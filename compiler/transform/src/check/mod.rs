//! Checked mode: guards before what a kernel does, which report what is wrong and leave it out.
//!
//! It runs on a whole kernel as it comes from inlining, so that each check stands for what the source says, and the passes after it, and
//! vectorization, take the checks as code like any other. An access gets a guard that compares its distance from its object's beginning with
//! the object's size. Where the guard fails, a cold block calls [`Runtime::Found`] with the number of the [`Site`]; the access is not done, and
//! what it would have loaded is 0.

mod accesses;
mod alone;
mod barriers;
mod callers;
mod calls;
mod divisions;
mod extents;
mod images;
mod objects;
mod races;
mod reads;
mod report;
mod site;
mod uninitialized;
mod written;

pub use alone::run_alone;
pub use callers::Callers;
pub use calls::SITE_BITS;
pub use images::BITS as COORDINATE_BITS;
pub use objects::Root;
pub use site::{AccessKind, Object, Site, What};

use accesses::{Part, Run};
use analysis::Analyses;
use barriers::Counters;
use calls::Calls;
use extents::Extents;
use interface::{Checks, KernelInfo};
use ir::*;
use objects::Provenance;
use races::Races;
use report::{Guard, Guarded, call};
use rustc_hash::FxHashMap;
use written::{Both, Buffers, Shadow};

/// What checks need besides the kernel's code.
#[derive(Debug, Default)]
pub struct Checked {
    /// The places that they can report, by number.
    pub sites: Vec<Site>,
    /// Where their local memory, behind the kernel's variables, ends; 0 without any.
    pub local_end: u64,
    /// Bytes that they need behind an argument that is local memory, for each [`interface::checks::SHADOW_ALIGN`] bytes of it.
    pub shadows: u64,
    /// Bytes that they need for each 16 bytes of a buffer, to tell who accesses it.
    pub words: u64,
    /// Objects that functions are handed on; a finding in one tells the object's number above [`SITE_BITS`] of the place's. Empty without functions
    /// that stay calls.
    pub handed_on: Vec<Object>,
    /// Who calls functions that stay calls.
    pub callers: Callers,
}

/// What comes before private variables become values: shadows of them.
pub fn prepare(func: &mut Function, checks: Checks) {
    if checks.contains(Checks::UNINIT) {
        // What a function returns goes straight to where it is kept.
        crate::same_params::run(func, &mut Analyses::default());
        uninitialized::run(func);
    }
}

/// Puts guards into a kernel and the functions that it calls. Of a kernel that makes calls, races are not found.
pub fn run(
    kernel: &mut Function,
    callees: &mut FxHashMap<FuncRef, Function>,
    module: &Module,
    info: &KernelInfo,
    checks: Checks,
) -> Checked {
    if checks.is_empty() {
        return Checked::default();
    }
    let (mut calls, order) = Calls::new(kernel, callees);
    let mut rest: FxHashMap<FuncRef, &mut Function> = callees.iter_mut().map(|(&callee, func)| (callee, func)).collect();
    let callees = order.into_iter().filter_map(|callee| Some((Some(callee), rest.remove(&callee)?)));
    let followed: Vec<_> = core::iter::once((None, kernel))
        .chain(callees)
        .map(|(callee, func)| {
            let params = callee.map_or(&[][..], |callee| calls.params(callee));
            let provenance = Provenance::new(func, info, params);
            let handed_on = calls::add_params(func, params);
            let way = callee.map(|_| func.add_param(func.entry(), Type::I64));
            calls.follow(func, &provenance, module, info);
            (func, provenance, handed_on, (callee, way))
        })
        .collect();
    let mut can_follow = followed
        .iter()
        .map(|(func, provenance, ..)| Shadow::can_follow(func, provenance, info));
    let has_shadow = checks.contains(Checks::UNWRITTEN) && can_follow.all(|can| can);
    let mut checked = Checked::default();
    let makes_calls = followed.len() > 1;
    for (func, provenance, handed_on, callee) in followed {
        let shadow = has_shadow.then(|| Shadow::new(func, info));
        let shadow_end = shadow.as_ref().map_or(info.local_bytes, Shadow::end);
        let races = match checks.contains(Checks::RACES) && !makes_calls {
            true => Races::local(func, &provenance, info, shadow_end, if has_shadow { 2 } else { 1 }),
            false => None,
        };
        let global_races = match checks.contains(Checks::GLOBAL_RACES) && !makes_calls {
            true => Races::global(func, &provenance, info),
            false => None,
        };
        let races_end = races.as_ref().map_or(shadow_end, Races::end);
        let mut guards = Guards {
            extents: Extents::new(func, module, info, provenance, handed_on),
            counters: Counters::new(races_end),
            races,
            global_races,
            shadow,
            buffers: checks.contains(Checks::GLOBAL_UNWRITTEN).then(|| Buffers::new(func)),
            sites: std::mem::take(&mut checked.sites),
            calls: &mut calls,
            callers: std::mem::take(&mut checked.callers),
            callee,
            module,
            info,
            checks,
            loaded: ValueMap::default(),
            handed_on: Vec::new(),
        };
        for block in func.layout.clone() {
            guards.block(func, block);
        }
        guards.extents.put_in_front(func);
        guards.counters.put_in_front(func);
        if let Some(races) = &guards.races {
            races.put_in_front(func);
        }
        func.substitute(&guards.loaded);
        for (block, join, results) in guards.handed_on {
            Builder::new(func, block).jump(join, &results);
        }
        checked.sites = guards.sites;
        checked.callers = guards.callers;
        // Barriers are the kernel's alone.
        if callee.0.is_none() {
            checked.local_end = races_end.max(guards.counters.end());
            checked.words = guards.global_races.map_or(0, |races| races.per_16_bytes());
            checked.shadows =
                guards.shadow.map_or(0, |_| interface::checks::SHADOW_ALIGN) + guards.races.map_or(0, |races| races.per_16_bytes());
        }
    }
    checked.handed_on = calls.into_objects();
    checked
}

/// Writes what comes before everything else in the function.
fn put_in_front(func: &mut Function, write: impl FnOnce(&mut Builder)) {
    let front = func.add_detached_block();
    write(&mut Builder::new(func, front));
    move_to_front(func, front);
}

/// Puts a block's instructions before everything else in the function.
fn move_to_front(func: &mut Function, block: Block) {
    let mut insts = func.take_insts(block);
    let entry = func.entry();
    insts.append(&mut func.block_mut(entry).insts);
    func.block_mut(entry).insts = insts;
}

/// A function that is given guards.
struct Guards<'a> {
    /// What guards compare with.
    extents: Extents<'a>,
    /// What counts work-items at barriers.
    counters: Counters,
    /// Who accesses local memory.
    races: Option<Races>,
    /// Who accesses buffers.
    global_races: Option<Races>,
    /// Which local memory was written.
    shadow: Option<Shadow>,
    /// Which memory of buffers was written.
    buffers: Option<Buffers>,
    sites: Vec<Site>,
    /// What calls hand on.
    calls: &'a mut Calls,
    /// Who calls what.
    callers: Callers,
    /// If it is no kernel, but what one calls: its name, and the number of the way to it.
    callee: (Option<FuncRef>, Option<Value>),
    module: &'a Module,
    info: &'a KernelInfo,
    checks: Checks,
    /// What stands for the results of accesses behind their guards.
    loaded: ValueMap,
    /// Jumps that hand results on to what stands for them; they are written last.
    handed_on: Vec<(Block, Block, Vec<Value>)>,
}

impl Guards<'_> {
    /// Writes a block anew, with guards.
    fn block(&mut self, func: &mut Function, block: Block) {
        let insts = func.take_insts(block);
        let (mut at, mut next) = (block, 0);
        while let Some(&inst) = insts.get(next) {
            if let Some(run) = self.accesses(func, &insts[next..]) {
                next += run.length;
                func.block_mut(at).insts.extend(&run.before);
                let guards;
                (at, guards) = self.of_accesses(func, at, &run);
                at = self.put(func, at, run.accesses[0], &guards, Some(&run));
                continue;
            }
            next += 1;
            match func.inst(inst).data {
                InstData::CallRuntime {
                    routine: Runtime::Holds,
                    ref args,
                } => {
                    let (condition, number, detail) = (args[0], func.constant(args[1]), args[2]);
                    let Some(held) = number.and_then(Held::from_number) else { continue };
                    let ok = Builder::new(func, at).icmp_imm(IntCc::Ne, condition, 0);
                    let of = Guarded::Held(held, detail);
                    at = self.put(func, at, inst, &[Guard { ok, of }], None);
                }
                InstData::CallRuntime {
                    routine: Runtime::Written,
                    ref args,
                } => {
                    let condition = args[0];
                    let slot = Slot::from_u32(func.constant(args[1]).unwrap_or(0) as u32);
                    let ok = Builder::new(func, at).icmp_imm(IntCc::Ne, condition, 0);
                    let of = Guarded::Written(slot);
                    at = self.put(func, at, inst, &[Guard { ok, of }], None);
                }
                InstData::CallRuntime {
                    routine: Runtime::PipeRead | Runtime::PipeReservedRead,
                    ref args,
                } if self.buffers.is_some() => {
                    let (packet, bytes) = (args[args.len() - 2], args[args.len() - 1]);
                    let mut b = Builder::new(func, at);
                    let bytes = b.convert(ConvertOp::ZExt, Elem::I64, bytes);
                    written::note(&mut b, packet, bytes);
                    func.block_mut(at).insts.push(inst);
                }
                InstData::Barrier {
                    execution: Scope::WorkGroup,
                    ..
                } if self.checks.contains(Checks::BARRIERS) => {
                    let counted = self.counters.count(func, at, inst);
                    let (ok, of) = (counted.ok, Guarded::Barrier(counted.detail));
                    at = self.put(func, at, inst, &[Guard { ok, of }], None);
                    self.pass_barrier(func, at);
                }
                InstData::Barrier { .. } | InstData::WorkGroup { .. } => {
                    func.block_mut(at).insts.push(inst);
                    self.pass_barrier(func, at);
                }
                InstData::Image { op, ref args } if self.checks.contains(Checks::IMAGES) => {
                    let number = func.argument(args[0]).and_then(|offset| self.info.argument_at(offset));
                    if let Some(images::Inside { ok, detail }) = images::inside(func, at, inst) {
                        let of = Guarded::Image(op, number, detail);
                        at = self.put(func, at, inst, &[Guard { ok, of }], None);
                    }
                    func.block_mut(at).insts.push(inst);
                }
                InstData::Call { .. } => {
                    self.calls.hand_on(func, at, inst, &mut self.extents, (self.module, self.info));
                    let (trace, in_cycle) = (self.trace(func, inst), self.calls.in_cycle());
                    self.callers.hand_on(func, at, inst, self.callee, trace, in_cycle);
                    func.block_mut(at).insts.push(inst);
                }
                InstData::Binary { op, args } if op.is_int_division() && self.checks.contains(Checks::ARITH) => {
                    let guard = divisions::guard(func, at, op, args);
                    at = self.put(func, at, inst, guard.as_slice(), None);
                    func.block_mut(at).insts.push(inst);
                }
                _ => func.block_mut(at).insts.push(inst),
            }
        }
    }

    fn accesses(&self, func: &Function, insts: &[Inst]) -> Option<Run> {
        let wanted = self.checks.intersects(
            Checks::BOUNDS | Checks::ALIGN | Checks::UNWRITTEN | Checks::GLOBAL_UNWRITTEN | Checks::RACES | Checks::GLOBAL_RACES,
        );
        wanted.then(|| Run::at(func, insts, &self.extents.provenance)).flatten()
    }

    /// Guards of accesses, and the block where they are.
    fn of_accesses(&mut self, func: &mut Function, mut at: Block, run: &Run) -> (Block, Vec<Guard>) {
        let mut guards = Vec::new();
        for part in &run.parts {
            if part.root == Root::Unknown {
                if self.checks.contains(Checks::BOUNDS) {
                    let ok;
                    (at, ok) = self.extents.lives(func, at, part);
                    let of = Guarded::Inside(*part);
                    guards.push(Guard { ok, of });
                }
                continue;
            }
            if self.checks.contains(Checks::BOUNDS)
                && let Some(ok) = self.extents.holds(func, at, part)
            {
                let of = Guarded::Inside(*part);
                guards.push(Guard { ok, of });
            }
            if self.checks.contains(Checks::ALIGN)
                && let Some(ok) = self.extents.is_aligned(func, at, part)
            {
                let of = Guarded::Aligned(*part);
                guards.push(Guard { ok, of });
            }
        }
        (at, guards)
    }

    /// Writes guards, and accesses that are done only where all hold. Returns the block where it goes on.
    fn put(&mut self, func: &mut Function, at: Block, inst: Inst, guards: &[Guard], protected: Option<&Run>) -> Block {
        let Some((first, others)) = guards.split_first() else {
            return protected.map_or(at, |run| self.done(func, at, run));
        };
        let (bad, join) = (func.add_block(), func.add_block());
        let accesses = protected.map_or(&[][..], |run| &run.accesses);
        let results: Vec<Value> = accesses.iter().flat_map(|&inst| func.inst(inst).results.clone()).collect();
        for &result in &results {
            let param = func.add_param(join, func.ty(result));
            self.loaded.insert(result, param);
        }
        let mut good = join;
        if let Some(run) = protected {
            good = func.add_block();
            let end = self.done(func, good, run);
            self.handed_on.push((end, join, results.clone()));
        }
        let mut b = Builder::new(func, at);
        let all = others.iter().fold(first.ok, |all, guard| b.and(all, guard.ok));
        b.branch(all, to(good, &[]), to(bad, &[]));
        // Each is told of, in one block: the driver does not listen to what is told of those that hold.
        for guard in guards {
            self.report(func, bad, inst, guard, guards.len() == 1);
        }
        let mut b = Builder::new(func, bad);
        let zero = |b: &mut Builder, result: Value| {
            let ty = b.ty(result);
            b.constant(ty, 0)
        };
        let zeros: Vec<Value> = results.iter().map(|&result| zero(&mut b, result)).collect();
        b.jump(join, &zeros);
        join
    }

    /// Writes accesses whose memory is there, with what is checked of what it holds. Returns the block where it goes on.
    fn done(&mut self, func: &mut Function, mut at: Block, run: &Run) -> Block {
        let mut asked = Both::default();
        for &inst in &run.accesses {
            let parts = accesses::parts(func, inst, &self.extents.provenance);
            for part in &parts {
                let Some(buffers) = &mut self.buffers else { break };
                let written;
                (at, written) = buffers.follow(func, at, inst, part, &mut self.extents, self.info);
                asked.add(&mut Builder::new(func, at), written);
            }
            at = self.alone(func, at, inst, &parts);
            for part in &parts {
                let Some(shadow) = &mut self.shadow else { break };
                let written;
                (at, written) = shadow.follow(func, at, inst, part, &mut self.extents);
                asked.add(&mut Builder::new(func, at), written);
            }
        }
        let Some(ok) = asked.ok() else { return at };
        let of = Guarded::Unwritten(run.parts[0]);
        self.put(func, at, run.accesses[0], &[Guard { ok, of }], None)
    }

    /// Writes an access, with what finds others that come in between. Returns the block where it goes on.
    fn alone(&mut self, func: &mut Function, at: Block, inst: Inst, parts: &[Part]) -> Block {
        let followed = |part: &&Part| match part.root.is_local(self.info) {
            true => self.races.is_some(),
            false => self.global_races.is_some() && part.root.is_buffer(self.info),
        };
        let Some(part) = parts.iter().find(followed) else {
            func.block_mut(at).insts.push(inst);
            return at;
        };
        let (access, object) = (part.kind, Object::of(part.root, func, self.module, self.info));
        let global = !part.root.is_local(self.info);
        let place = self.site(func, inst, What::Race { global, access, object });
        let races = if global { &mut self.global_races } else { &mut self.races };
        let Some(races) = races else { return at };
        let (at, found) = races.follow(func, at, inst, part, place, &mut self.extents);
        let Some(found) = found else { return at };
        let (bad, next) = (func.add_block(), func.add_block());
        Builder::new(func, at).branch(found.ok, to(next, &[]), to(bad, &[]));
        let distance = self.extents.distance(func, bad, part);
        let mut b = Builder::new(func, bad);
        call(&mut b, Runtime::Raced, &[found.both, distance, found.groups]);
        b.jump(next, &[]);
        next
    }

    fn pass_barrier(&self, func: &mut Function, at: Block) {
        if let Some(races) = &self.races {
            races.pass_barrier(func, at);
        }
    }
}
