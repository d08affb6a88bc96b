//! From a work-item's function to a work-group's: which passes run once a launch is known, and in which order.
//!
//! The driver and the tests against the interpreter both come here, so that no pass runs untested.

use crate::kernel::{MAX_WORK_GROUP_SIZE, preferred_gang_width};
use crate::{ArgumentFacts, LaunchFacts};
use analysis::{Analyses, GangFacts, GangShape};
use cranelift_entity::SecondaryMap;
use ir::verify::debug_verify;
use ir::{AliasSet, FuncRef, Function, Module};
use once_cell::sync::OnceCell;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use transform::Inlining;
use transform::expand_work_group_ops::Scratch;
use transform::unit_strides::Stride;
use vectorize::{AccessOrder, GroupFunction, Unsuited};

/// A kernel at the work-item level, optimized and ready for any launch.
#[derive(Debug)]
pub struct WorkItem {
    /// The kernel; no operations across the work-group are left in it.
    pub func: Function,
    /// Where the scratch memory for operations across the work-group ends; 0 without any.
    pub local_bytes: u64,
    /// Work-items may wait for each other outside barriers: each needs to make progress by itself.
    pub spins: bool,
    /// It would be faster if buffers were known not to overlap.
    pub wants_separate: bool,
    /// Arguments of which it is worth knowing that they are 1.
    pub strides: SmallVec<[Stride; 2]>,
    /// Groups of one work-item can be run many together.
    pub groups_of_one_can_join: bool,
    /// Whether the launch can be cut into other groups than those it asks for.
    pub knows_no_groups: bool,
    /// See [`WorkItem::access_order`].
    access_order: OnceCell<AccessOrder>,
    /// It reads or writes images, in ways that the launch decides.
    has_images: bool,
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
        let mut func = transform::standard(module, function, inlining);
        let used = transform::expand_work_group_ops::run(&mut func, scratch);
        let can_join = transform::groups_of_one::can_join(&func, module);
        WorkItem {
            local_bytes: if used == 0 { 0 } else { scratch.offset + used },
            groups_of_one_can_join: can_join,
            knows_no_groups: can_join && transform::groups_of_one::knows_no_groups(&func, module),
            inlining,
            ..WorkItem::of(func)
        }
    }

    /// A function without operations across the work-group, in the form of [`transform::standard`].
    pub fn of(func: Function) -> WorkItem {
        WorkItem {
            local_bytes: 0,
            spins: vectorize::spins(&func),
            groups_of_one_can_join: false,
            knows_no_groups: false,
            access_order: OnceCell::new(),
            has_images: transform::expand_images::has_images(&func),
            wants_separate: transform::separate::is_wanted(&func),
            strides: transform::unit_strides::find(&func),
            inlining: Inlining::WhatPays,
            func,
        }
    }

    /// See [`AccessOrder`], in gangs of the preferred width in long rows.
    pub fn access_order(&self) -> AccessOrder {
        *self.access_order.get_or_init(|| {
            let along = |dimension| vectorize::access_order_along(&self.func, dimension, preferred_gang_width(), MAX_WORK_GROUP_SIZE);
            let in_order = |&dimension: &u8| vectorize::reads_id(&self.func, dimension) && along(dimension) != AccessOrder::Scattered;
            match along(0) {
                AccessOrder::Scattered => (1..3).find(in_order).map_or(AccessOrder::Scattered, AccessOrder::Across),
                order => order,
            }
        })
    }

    /// The kernel at the work-group level.
    pub fn form(&self, request: &FormRequest) -> Result<Formed, Unsuited> {
        let (module, launch, registers) = (request.module, request.launch, target::vector_registers());
        let mut facts = GangFacts::new(request.shape, launch);
        let mut func = self.func.clone();
        if launch.groups_of_one && transform::groups_of_one::run(&mut func) {
            transform::after_expansion(&mut func);
        }
        let has_ones = !self.strides.is_empty() && transform::unit_strides::run(&mut func, &launch.arguments);
        if self.has_images {
            debug::timed("  images", || {
                transform::expand_images::run(&mut func, &launch.arguments, &facts);
                transform::after_expansion(&mut func);
            });
        }
        let is_separate = self.wants_separate && launch.arguments.is_separate() && transform::separate::run(&mut func, request.own_sets);
        if is_separate {
            facts.tallies = step(&mut func, module, "tallies", |func| {
                vectorize::tallies::run(func, &facts, request.own_sets)
            });
        }
        if has_ones || is_separate {
            transform::after_expansion(&mut func);
        }
        if step(&mut func, module, "grid_loops", |func| {
            vectorize::grid_loops::run(func, &mut facts, registers)
        }) {
            transform::after_expansion(&mut func);
        }
        let known = &mut Analyses::default();
        step(&mut func, module, "narrow", |func| vectorize::narrow::run(func, &facts, known));
        if transform::stream::run(&mut func, &launch.arguments, &facts) {
            known.forget();
        }
        let pays = |func: &mut Function| vectorize::half_width::pays(func, &facts, registers, known);
        match step(&mut func, module, "half_width", pays) {
            true => facts.width /= 2,
            false => {
                let factor = |func: &mut Function| vectorize::widen::factor(func, &facts, registers, false, known);
                facts.width *= transform::manager::step("widen", &mut func, Some(module), 1, factor);
            }
        }
        let whole = vectorize::whole_records::candidates(&func, &facts, known);
        if step(&mut func, module, "words", |func| {
            vectorize::words::run(func, &facts, known, &whole)
        }) {
            transform::dce::run(&mut func);
        }
        step(&mut func, module, "sixteen_bits", |func| {
            vectorize::sixteen_bits::run(func, &facts, registers, known)
        });
        if !func.slots.is_empty() {
            facts.lane_strides = vectorize::interleave(&mut func, facts.width);
            known.forget();
        }
        step(&mut func, module, "decided", |func| vectorize::decided::run(func, &facts, known));
        if step(&mut func, module, "windows", |func| {
            vectorize::unclamped::windows::run(func, &facts)
        }) {
            known.forget();
        }
        step(&mut func, module, "lane_by_lane", |func| {
            vectorize::lane_by_lane::run(func, &facts, registers, known)
        });
        step(&mut func, module, "one_quotient", |func| {
            vectorize::one_quotient::run(func, &facts, known)
        });
        let unclamped = step(&mut func, module, "unclamped", |func| vectorize::unclamped::run(func, &facts));
        if unclamped {
            known.forget();
        }
        // Behind a guard all lanes are together only where they all pass it.
        if step(&mut func, module, "full_path", |func| {
            vectorize::full_path::run(func, &facts, known)
        }) && !unclamped
        {
            step(&mut func, module, "unclamped", |func| vectorize::unclamped::run(func, &facts));
            known.forget();
        }
        step(&mut func, module, "full_loops", |func| {
            vectorize::full_loops::run(func, &facts, known)
        });
        if !whole.is_empty() {
            step(&mut func, module, "whole_records", |func| {
                vectorize::whole_records::run(func, &facts, known)
            });
            // What lanes come to without the others.
            let nothing = FxHashSet::default();
            if step(&mut func, module, "words", |func| {
                vectorize::words::run(func, &facts, known, &nothing)
            }) {
                transform::dce::run(&mut func);
                known.forget();
            }
        }
        let gang = debug::timed("  gangs", || vectorize::vectorize(&func, &facts, known))?;
        let mut gang = debug::timed("  jam", || match request.gangs_at_once {
            Some(count) => vectorize::jam::at_once(gang, &mut facts, count),
            None => vectorize::jam::run(gang, &mut facts, registers),
        });
        let callees = vectorize_callees(&mut gang.func, &facts, request, self.inlining)?;
        let mut group = debug::timed("  groups", || vectorize::form_group(gang, &facts));
        debug_verify(&group.func, None, "form_group");
        debug::timed("  passes over the group", || transform::group(&mut group.func));
        make_stoppable(&mut group.func, launch);
        debug::show(
            "ir",
            format_args!("{} for a work-group, {} lanes", request.name, facts.width),
            || group.func.to_string(),
        );
        Ok(Formed {
            width: facts.width,
            group,
            callees,
        })
    }
}

/// Runs a pass on the way to gangs: see [`transform::manager::step`]. Left out, it changes nothing.
fn step<T: Default>(func: &mut Function, module: &Module, name: &'static str, pass: impl FnOnce(&mut Function) -> T) -> T {
    transform::manager::step(name, func, Some(module), T::default(), pass)
}

/// Bytes of private memory that a function which is called may have on the stack.
const MOST_ON_STACK: u64 = 1 << 20;

/// The functions that a gang calls, with a lane a work-item.
fn vectorize_callees(
    caller: &mut Function,
    facts: &GangFacts,
    request: &FormRequest,
    inlining: Inlining,
) -> Result<FxHashMap<FuncRef, Function>, Unsuited> {
    let mut done: FxHashMap<FuncRef, Function> = FxHashMap::default();
    let mut wanted = caller.callees();
    let facts = GangFacts {
        parameters_vary: true,
        // The kernel's slots are not theirs.
        lane_strides: SecondaryMap::new(),
        ..facts.clone()
    };
    while let Some(callee) = wanted.pop() {
        if done.contains_key(&callee) {
            continue;
        }
        let mut func = transform::standard(request.module, callee, inlining);
        if request.launch.groups_of_one && transform::groups_of_one::run(&mut func) {
            transform::after_expansion(&mut func);
        }
        if transform::expand_images::has_images(&func) {
            // Nobody knows which images it is called with.
            transform::expand_images::run(&mut func, &ArgumentFacts::default(), &facts);
            transform::after_expansion(&mut func);
        }
        let mut vector = vectorize::vectorize(&func, &facts, &mut Analyses::default())?.func;
        // A call's slots are on the stack, for all lanes.
        let bytes: u64 = vector.slots.values().map(|data| facts.slot_bytes(data)).sum();
        if bytes > MOST_ON_STACK {
            return Err(Unsuited(format!(
                "function {} has {bytes} bytes of private memory for {} work-items, more than the {MOST_ON_STACK} of a call; smaller arrays need less",
                func.name, facts.width
            )));
        }
        for data in vector.slots.values_mut() {
            data.size = facts.slot_bytes(data) as u32;
        }
        wanted.extend(vector.callees());
        done.insert(callee, vector);
    }
    vectorize::hand_on_builtins(caller, &mut done);
    for vector in done.values_mut() {
        transform::group(vector);
        make_stoppable(vector, request.launch);
    }
    Ok(done)
}

/// The last that is done to a function.
fn make_stoppable(func: &mut Function, launch: &LaunchFacts) {
    if let Some(word) = launch.stop_word {
        transform::stoppable::run(func, word);
        debug_verify(func, None, "stoppable");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cranelift_entity::EntityRef;
    use ir::InstData;
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
                let mut insts = func.layout.iter().flat_map(|&block| &func.block(block).insts);
                let asks = |&inst: &ir::Inst| matches!(func.inst(inst).data, InstData::Builtin { .. });
                assert!(!insts.any(asks), "{func}");
            }
        }
    }
}
