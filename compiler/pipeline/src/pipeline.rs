//! From a kernel to a work-group's function: goes through the lists of passes (`transform::order`, `vectorize::stages`), with what the
//! kernel calls.
//!
//! The driver and the tests against the interpreter both come here, so that no pass runs untested.

use crate::kernel::{MAX_WORK_GROUP_SIZE, preferred_gang_width};
use crate::{ArgumentFacts, Checks, KernelInfo, LaunchFacts};
use analysis::no_wrap::NoWrap;
use analysis::{Analyses, Flow, GangFacts, GangShape};
use cranelift_entity::SecondaryMap;
use ir::{AliasSet, Builtin, FuncRef, Function, InstData, Level, Module};
use once_cell::sync::OnceCell;
use passes::{Context, Gang, Settings};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::sync::atomic::{AtomicBool, Ordering};
use transform::Inlining;
use transform::check::{Callers, Object, Site};
use transform::expand_work_group_ops::Scratch;
use transform::global_ids::Sizes;
use transform::unit_strides::Stride;
use vectorize::{AccessOrder, GroupFunction, IdBound, Unsuited, stages};

/// A kernel at the work-item level, optimized and ready for any launch.
#[derive(Debug)]
pub struct WorkItem {
    /// The kernel; no operations across the work-group are left in it.
    pub func: Function,
    flow: Flow,
    /// What it calls, directly or not, in the form of [`transform::standard`]; what is not there has yet to be brought into it.
    callees: FxHashMap<FuncRef, Function>,
    /// Where the scratch memory for operations across the work-group ends; 0 without any.
    pub local_bytes: u64,
    /// Work-items may wait for each other outside barriers: each needs to make progress by itself.
    pub spins: bool,
    /// It would be faster if buffers were known not to overlap.
    pub wants_separate: bool,
    /// Arguments of which it is worth knowing that they are 1.
    pub strides: SmallVec<[Stride; 2]>,
    /// Bytes of variables in local memory, which a work-item that is a group by itself may have as its own.
    pub own_local_bytes: u64,
    /// See [`WorkItem::groups_of_one_can_join`].
    groups_of_one_can_join: OnceCell<bool>,
    /// Whether the launch can be cut into other groups than those it asks for.
    pub knows_no_groups: bool,
    /// See [`WorkItem::is_idempotent`].
    is_idempotent: OnceCell<bool>,
    /// See [`WorkItem::access_order`].
    access_order: OnceCell<AccessOrder>,
    /// It reads both where its group is and where in its group it is: global ids may be made of them.
    pub reads_both_ids: bool,
    /// See [`WorkItem::with_global_ids`].
    with_global_ids: OnceCell<Option<(Sizes, Box<WorkItem>)>>,
    /// See [`WorkItem::exchanged`].
    exchanged: OnceCell<Option<(u8, Box<WorkItem>)>>,
    /// See [`WorkItem::id_bounds`].
    id_bounds: OnceCell<SmallVec<[IdBound; 3]>>,
    /// See [`WorkItem::takes_ids_apart`].
    takes_ids_apart: OnceCell<bool>,
    /// See [`WorkItem::in_tiles`].
    in_tiles: OnceCell<bool>,
    /// Indices of which a launch can tell whether they wrap.
    pub no_wrap: NoWrap,
    /// What checks can report, by number.
    pub sites: Vec<Site>,
    /// See [`transform::check::Checked::handed_on`].
    pub handed_on: Vec<Object>,
    /// See [`transform::check::Checked::callers`].
    pub callers: Callers,
    /// Bytes that checks need behind an argument that is local memory, for each [`interface::checks::SHADOW_ALIGN`] bytes of it.
    pub shadows: u64,
    /// Bytes that they need for each 16 bytes of a buffer.
    pub words: u64,
    /// [`WorkItem::knows_no_groups`], if there were no checks.
    pub knows_no_groups_unchecked: bool,
    inlining: Inlining,
}

/// What a work-group's function is made for.
#[derive(Clone, Copy)]
pub struct FormRequest<'a> {
    /// What the kernel is from, with the functions that it calls.
    pub module: &'a Module,
    /// The kernel's name, for people.
    pub name: &'a str,
    /// Gangs.
    pub shape: GangShape,
    /// What may be assumed.
    pub launch: &'a LaunchFacts,
    /// By offset: alias sets for the arguments that point to buffers, which nothing else has.
    pub own_sets: &'a FxHashMap<i32, AliasSet>,
    /// So many gangs at once where that can be done, instead of what pays.
    pub gangs_at_once: Option<u32>,
}

/// A kernel's code at the work-group level, with what it calls.
#[derive(Debug)]
pub struct Formed {
    /// Lanes of a gang.
    pub width: u32,
    /// The kernel.
    pub group: GroupFunction,
    /// Functions that stayed out of line, with a lane a work-item.
    pub callees: FxHashMap<FuncRef, Function>,
}

impl WorkItem {
    /// The kernel `function` of a module. `scratch` is used if need be.
    pub fn new(module: &Module, function: FuncRef, scratch: Scratch, inlining: Inlining) -> WorkItem {
        check_settings();
        let (func, callees) = transform::standard(module, function, inlining);
        WorkItem {
            callees,
            ..WorkItem::without_work_group_ops(module, func, scratch, inlining)
        }
    }

    /// The same with checks in it.
    pub fn checked(module: &Module, function: FuncRef, scratch: Scratch, info: &KernelInfo, checks: Checks) -> WorkItem {
        check_settings();
        // Races are followed where all accesses are in one function.
        let finds_races = checks.intersects(Checks::RACES | Checks::GLOBAL_RACES);
        let inlining = match finds_races {
            true => Inlining::All,
            false => Inlining::Checked,
        };
        let (func, callees, checked) = transform::checked(module, function, info, checks, inlining);
        let scratch = Scratch {
            offset: scratch.offset.max(checked.local_end),
            ..scratch
        };
        let formed = WorkItem::without_work_group_ops(module, func, scratch, inlining);
        WorkItem {
            callees,
            sites: checked.sites,
            handed_on: checked.handed_on,
            callers: checked.callers,
            shadows: checked.shadows,
            words: checked.words,
            knows_no_groups_unchecked: formed.knows_no_groups,
            local_bytes: formed.local_bytes.max(checked.local_end),
            // Reports work out the groups that were asked for from the work-item's id; of a race they tell the groups that ran.
            groups_of_one_can_join: if finds_races {
                OnceCell::with_value(false)
            } else {
                OnceCell::new()
            },
            knows_no_groups: formed.knows_no_groups && !finds_races,
            ..formed
        }
    }

    fn without_work_group_ops(module: &Module, mut func: Function, scratch: Scratch, inlining: Inlining) -> WorkItem {
        let used = transform::expand_work_group_ops::run(&mut func, scratch);
        WorkItem {
            local_bytes: if used == 0 { 0 } else { scratch.offset + used },
            knows_no_groups: transform::groups_of_one::knows_no_groups(&func, module),
            inlining,
            ..WorkItem::of(func)
        }
    }

    /// What it calls, directly or not, is told nothing of where in the launch a work-item is.
    pub fn callees_know_no_ids(&self, module: &Module) -> bool {
        let mut callees = transform::groups_of_one::callees(&self.func, module);
        callees.all(vectorize::knows_no_ids)
    }

    /// The same kernel, which knows no groups, with another function.
    pub fn with_function(&self, module: &Module, mut func: Function) -> WorkItem {
        passes::run(transform::order::WORK_ITEM, &mut func, &mut Context::new(Some(module)));
        debug::show("ir", format_args!("{} along more dimensions", func.name), || func.to_string());
        WorkItem {
            knows_no_groups: true,
            callees: self.callees.clone(),
            inlining: self.inlining,
            ..WorkItem::of(func)
        }
    }

    /// A function without operations across the work-group, in the form of [`transform::standard`].
    pub fn of(func: Function) -> WorkItem {
        let flow = Flow::new(&func);
        WorkItem {
            local_bytes: 0,
            spins: vectorize::spins(&func, &flow),
            own_local_bytes: 0,
            groups_of_one_can_join: OnceCell::new(),
            knows_no_groups: false,
            is_idempotent: OnceCell::new(),
            access_order: OnceCell::new(),
            reads_both_ids: [Builtin::GroupId, Builtin::LocalId].iter().all(|&wanted| reads(&func, wanted)),
            with_global_ids: OnceCell::new(),
            exchanged: OnceCell::new(),
            id_bounds: OnceCell::new(),
            takes_ids_apart: OnceCell::new(),
            in_tiles: OnceCell::new(),
            no_wrap: NoWrap::find(&func, &flow),
            sites: Vec::new(),
            handed_on: Vec::new(),
            callers: Callers::default(),
            shadows: 0,
            words: 0,
            knows_no_groups_unchecked: false,
            wants_separate: transform::infer_noalias::is_wanted(&func, &flow),
            strides: transform::unit_strides::find(&func, &flow),
            inlining: Inlining::WhatPays,
            func,
            flow,
            callees: FxHashMap::default(),
        }
    }

    /// It goes back to where it was.
    pub fn has_loops(&self) -> bool {
        !self.flow.loops().loops.is_empty()
    }

    /// Groups of one work-item can be run many together.
    pub fn groups_of_one_can_join(&self, module: &Module) -> bool {
        let can_join = || transform::groups_of_one::can_join(&self.func, module, self.own_local_bytes);
        *self.groups_of_one_can_join.get_or_init(can_join)
    }

    /// Its work-items may run twice, if what those arguments point to whose offsets are keys does not overlap, and, with `writes_images`, images that it writes are
    /// none that it reads.
    pub fn is_idempotent(&self, buffers: impl FnOnce() -> FxHashMap<i32, AliasSet>, writes_images: bool) -> bool {
        let is_idempotent = || {
            let buffers = buffers();
            transform::idempotence::is_idempotent(&self.func, |argument| buffers.contains_key(&argument), writes_images)
        };
        *self.is_idempotent.get_or_init(is_idempotent)
    }

    /// See [`AccessOrder`], in gangs of the preferred width in long rows.
    pub fn access_order(&self) -> AccessOrder {
        let order = || vectorize::access_order(&self.func, &self.flow, preferred_gang_width(), MAX_WORK_GROUP_SIZE);
        *self.access_order.get_or_init(order)
    }

    /// What it is in launches whose groups are whole, if it makes global ids of its group's and its own there, and the local size that it takes for granted.
    pub fn with_global_ids(&self, module: &Module) -> Option<(&Sizes, &WorkItem)> {
        let with = || {
            let mut func = self.func.clone();
            let sizes = transform::global_ids::run_for_constants(&mut func)?;
            transform::dce::run(&mut func, &mut Analyses::with_flow(self.flow.clone()));
            let knows_no_groups = transform::groups_of_one::knows_no_groups(&func, module);
            let work_item = WorkItem {
                knows_no_groups,
                ..WorkItem::of(func)
            };
            Some((sizes, Box::new(work_item)))
        };
        let with = self.with_global_ids.get_or_init(with).as_ref();
        with.map(|(sizes, work_item)| (sizes, &**work_item))
    }

    /// The dimension that had better be x, and what it is as if that were so, if it can be.
    pub fn exchanged(&self, module: &Module) -> Option<(u8, &WorkItem)> {
        let exchange = || match self.access_order() {
            AccessOrder::Across(dimension) if transform::exchange_dimensions::can_exchange(&self.func, module) => {
                let mut func = self.func.clone();
                transform::exchange_dimensions::run(&mut func, dimension);
                let exchanged = WorkItem {
                    knows_no_groups: self.knows_no_groups,
                    ..WorkItem::of(func)
                };
                Some((dimension, Box::new(exchanged)))
            }
            _ => None,
        };
        let exchanged = self.exchanged.get_or_init(exchange).as_ref();
        exchanged.map(|(dimension, work_item)| (*dimension, &**work_item))
    }

    /// Arguments that ids must be below.
    pub fn id_bounds(&self) -> &[IdBound] {
        self.id_bounds.get_or_init(|| vectorize::id_bounds(&self.func))
    }

    /// See [`analysis::first_lane::takes_ids_apart`], along x.
    pub fn takes_ids_apart(&self) -> bool {
        *self
            .takes_ids_apart
            .get_or_init(|| analysis::first_lane::takes_ids_apart(&self.func, 0))
    }

    /// Tiles of work-items load less than rows do.
    pub fn in_tiles(&self) -> bool {
        let in_tiles = || vectorize::in_tiles(&self.func, &self.flow, preferred_gang_width(), MAX_WORK_GROUP_SIZE);
        *self.in_tiles.get_or_init(in_tiles)
    }

    /// The kernel at the work-group level.
    pub fn form(&self, request: &FormRequest) -> Result<Formed, Unsuited> {
        let (module, launch) = (request.module, request.launch);
        let mut gang = Gang::new(launch, GangFacts::new(request.shape, launch), target::Machine::of_process());
        gang.local_bytes = self.own_local_bytes;
        gang.own_sets = (self.wants_separate && launch.arguments.is_separate()).then_some(request.own_sets);
        gang.no_wrap = Some(&self.no_wrap);
        gang.gangs_at_once = request.gangs_at_once;
        let context = &mut Context {
            analyses: Analyses::with_flow(self.flow.clone()),
            ..Context::for_launch(Some(module), gang)
        };
        let mut func = self.func.clone();
        debug::timed("  gangs", || passes::run(stages::GANG, &mut func, context));
        debug::timed("  vectors", || passes::run(stages::VECTOR, &mut func, context));
        let gang = gang_of(context)?;
        let facts = gang.facts.clone();
        let callees = vectorize_callees(self, &mut func, &facts, request)?;
        debug::timed("  groups", || passes::run(stages::FORM, &mut func, context));
        debug::timed("  passes over the group", || {
            passes::run(transform::order::GROUP, &mut func, context);
        });
        let gang = gang_of(context)?;
        let frame_bytes = gang.frame_bytes;
        debug::show("plan", format_args!("{}, {} lanes", request.name, facts.width), || {
            gang.plan.to_string()
        });
        debug::show(
            "ir",
            format_args!("{} for a work-group, {} lanes", request.name, facts.width),
            || func.to_string(),
        );
        Ok(Formed {
            width: facts.width,
            group: GroupFunction { func, frame_bytes },
            callees,
        })
    }
}

fn reads(func: &Function, wanted: Builtin) -> bool {
    func.insts()
        .any(|inst| matches!(func.inst(inst).data, InstData::Builtin { builtin, .. } if builtin == wanted))
}

/// Tells once of a pass that `BROLGA_PASSES` names and nobody knows.
fn check_settings() {
    static CHECKED: AtomicBool = AtomicBool::new(false);
    if !CHECKED.swap(true, Ordering::Relaxed)
        && let Some(name) = Settings::of_process().unknown(|name| vectorize::registry::find(name).is_some())
    {
        debug::complain(format_args!("BROLGA_PASSES: there is no pass {name:?} (brolga opt --list)"));
    }
}

/// The launch's gangs, if the function could be vectorized.
fn gang_of<'c, 'a>(context: &'c mut Context<'a>) -> Result<&'c mut Gang<'a>, Unsuited> {
    let gang = context.gang.as_mut().ok_or_else(|| Unsuited("there is no launch".into()))?;
    match gang.unsuited.take() {
        Some(why) => Err(Unsuited(why)),
        None => Ok(gang),
    }
}

/// Bytes of private memory that a function which is called may have on the stack: for the widest gang, what is not inlined for its sake.
const MOST_ON_STACK: u64 = analysis::WIDTHS[analysis::WIDTHS.len() - 1] as u64 * target::costs::memory::CALLEE;

/// The functions that a gang calls, with a lane a work-item.
fn vectorize_callees(
    work_item: &WorkItem,
    caller: &mut Function,
    facts: &GangFacts,
    request: &FormRequest,
) -> Result<FxHashMap<FuncRef, Function>, Unsuited> {
    // Nobody knows which images they are called with.
    let launch = LaunchFacts {
        arguments: ArgumentFacts::default(),
        ..request.launch.clone()
    };
    let mut done: FxHashMap<FuncRef, Function> = FxHashMap::default();
    let mut wanted = caller.callees();
    let facts = GangFacts {
        parameters_vary: true,
        // The kernel's slots are not theirs.
        lane_strides: SecondaryMap::new(),
        ..facts.clone()
    };
    let new_context = || {
        let gang = Gang::new(&launch, facts.clone(), target::Machine::of_process());
        Context::for_launch(Some(request.module), gang)
    };
    while let Some(callee) = wanted.pop() {
        if done.contains_key(&callee) {
            continue;
        }
        let standard = || transform::standard(request.module, callee, work_item.inlining).0;
        let mut func = work_item.callees.get(&callee).cloned().unwrap_or_else(standard);
        let context = &mut new_context();
        passes::run(stages::CALLEE, &mut func, context);
        gang_of(context)?;
        // A call's slots are on the stack, for all lanes.
        let bytes: u64 = func.slots.values().map(|data| facts.slot_bytes(data)).sum();
        if bytes > MOST_ON_STACK {
            return Err(Unsuited(format!(
                "function {} has {bytes} bytes of private memory for {} work-items, more than the {MOST_ON_STACK} of a call; smaller arrays need less",
                func.name, facts.width
            )));
        }
        for data in func.slots.values_mut() {
            data.size = facts.slot_bytes(data) as u32;
        }
        wanted.extend(func.callees());
        done.insert(callee, func);
    }
    vectorize::hand_on_builtins(caller, &mut done);
    for func in done.values_mut() {
        func.level = Level::WorkGroup;
        passes::run(transform::order::GROUP, func, &mut new_context());
    }
    Ok(done)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cranelift_entity::EntityRef;
    use ir::parse::parse_module;

    const ROW_OF_OTHERS: &str = "
fn0 = function workitem @kernel {
block0:
  v0 = builtin arguments
  v1 = load.i64 constant align 8 invariant dereferenceable [v0]
  v2 = call fn1(v1) -> i64
  v3 = call fn1(v2) -> i64
  store v3, global align 8 [v1]
  return
}

fn1 = function workitem @outer -> i64 {
block0(v0: i64):
  v1 = builtin group_id 1
  v2 = call fn2(v0) -> i64
  v3 = add v1, v2
  return v3
}

fn2 = function workitem @inner -> i64 {
block0(v0: i64):
  v1 = builtin global_id 0
  v2 = builtin group_id 1
  v3 = add v0, v1
  v4 = add v3, v2
  return v4
}";

    #[test]
    fn functions_are_given_what_they_ask_of_the_group() {
        let module = parse_module(ROW_OF_OTHERS).expect("the test's text is IR");
        let scratch = Scratch { offset: 0, max_items: 0 };
        let work_item = WorkItem::new(&module, FuncRef::new(0), scratch, Inlining::WhatMust);
        assert_eq!(work_item.callees.len(), 2, "they are prepared once, for all launches");
        for (width, local_size) in [(1, [4, 1, 1]), (4, [16, 1, 1]), (8, [3, 5, 1])] {
            let launch = LaunchFacts::usual(local_size);
            let request = FormRequest {
                module: &module,
                name: "kernel",
                shape: analysis::gang_shape(Some(width), width, local_size),
                launch: &launch,
                own_sets: &Default::default(),
                gangs_at_once: None,
            };
            let formed = work_item.form(&request).expect("it can be formed");
            assert_eq!(formed.callees.len(), 2);
            for func in formed.callees.values() {
                let asks = |inst: ir::Inst| matches!(func.inst(inst).data, InstData::Builtin { .. });
                assert!(!func.insts().any(asks), "{func}");
            }
        }
    }
}
