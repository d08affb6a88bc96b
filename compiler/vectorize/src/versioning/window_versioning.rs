//! Loops over windows that the edges of an array cut off, written twice.
//!
//! `for (i = max(x - r, 0); i <= min(x + r, width - 1); i++)` iterates as often in each lane, and along memory, but for gangs at the edges.
//! Whether a gang is one of them is asked before the outermost loop that has nothing to say about it.
//!
//! Numbers without a sign wrap by right, and what keeps them from it here is what was asked: so comparisons of such in the copies
//! are those of one lane.

mod natural;

use super::bounds_versioning::{Known, Numbers, bound_of, through};
use super::{Assumption, Budget, Region, Test, Twice, is_possible, may_copy_inside, version};
use crate::window_alignment::origin;
use analysis::counted::Counted;
use analysis::uniformity::{Extent, Shape};
use analysis::{Analyses, GangFacts};
use ir::*;
use passes::Plan;
use rustc_hash::{FxHashMap, FxHashSet};
use target::costs::effort::SOME_OPERATIONS;
use target::costs::versioning::REGIONS;

/// Copies. True if something changed. The function must be in the form that group formation takes, and stays in it.
pub fn run(func: &mut Function, facts: &GangFacts, analyses: &mut Analyses, budget: Budget) -> bool {
    each(func, facts, analyses, budget, |_, _| {})
}

/// What a function is for gangs that are inside of all edges, if it has loops over windows. The function must be in the form that group formation takes.
pub fn inside(func: &Function, facts: &GangFacts) -> Option<Function> {
    if !is_possible(facts) {
        return None;
    }
    let (mut probe, mut plan) = (func.clone(), Plan::default());
    let budget = Budget::new("windows", &mut plan);
    let has_windows = each(&mut probe, facts, &mut Analyses::default(), budget, |func, twice| {
        let target = twice.fast.clone();
        *func.terminator_mut(twice.test) = InstData::Jump { target };
        cfg::keep_reachable(func);
    });
    has_windows.then_some(probe)
}

/// Copies, and has `visit` see each region that was written twice.
fn each(
    func: &mut Function,
    facts: &GangFacts,
    analyses: &mut Analyses,
    mut budget: Budget,
    mut visit: impl FnMut(&mut Function, &Twice),
) -> bool {
    if !is_possible(facts) {
        return false;
    }
    let mut done = FxHashSet::default();
    while done.len() < REGIONS
        && let Some(known) = Known::new(func, facts, analyses)
        && let Some((region, mut found)) = find(func, facts, &known, &done, &mut budget)
    {
        done.extend(&found.headers);
        let twice = version(func, &region, &mut found);
        visit(func, &twice);
        analyses.forget();
    }
    !done.is_empty()
}

/// Of a loop, with others in it, of which some go over windows.
struct Windows {
    /// Headers of the loops over windows.
    headers: Vec<Block>,
    /// Extensions that could as well be such with a sign.
    natural: FxHashSet<Inst>,
    /// What is held within bounds for it.
    numbers: Vec<Numbers>,
    /// Parameters of blocks that are entered in one way, with what they are given.
    given: FxHashMap<Value, Value>,
    /// Comparisons without a sign of which the result is the same in all lanes.
    together: FxHashSet<Inst>,
}

/// What a loop over a window begins and ends with, and the operations that hold these within bounds.
struct Window {
    header: Block,
    ends: [Value; 2],
    clamps: Vec<Inst>,
    given: FxHashMap<Value, Value>,
    /// Without a sign: the comparison, and what is added in an iteration.
    unsigned: Option<(Inst, i64)>,
}

/// A loop, and what is known of it.
fn find(func: &Function, facts: &GangFacts, known: &Known, done: &FxHashSet<Block>, budget: &mut Budget) -> Option<(Region, Windows)> {
    let windows: Vec<Option<Window>> = (0..known.loops.loops.len()).map(|index| window(func, known, index)).collect();
    (0..windows.len()).find_map(|inner| {
        let window = windows[inner].as_ref().filter(|window| !done.contains(&window.header))?;
        let mut index = inner;
        let mut found = None;
        loop {
            match region(func, facts, known, index, std::slice::from_ref(&window)) {
                Some(region) => found = Some((index, region)),
                None => break,
            }
            match known.loops.loops[index].parent {
                Some(parent) => index = parent,
                None => break,
            }
        }
        let (outer, alone) = found?;
        // Others within may be asked for at once.
        let within = |window: &&Window| known.loops.contains(outer, window.header) && !done.contains(&window.header);
        let all: Vec<&Window> = windows.iter().flatten().filter(within).collect();
        let ((region, size), found) = region(func, facts, known, outer, &all).unwrap_or(alone);
        budget.pay(known.loops.loops[outer].header, size).then_some((region, found))
    })
}

/// The loop goes over a window, if its iterations are so many in all lanes but for the bounds.
fn window(func: &Function, known: &Known, index: usize) -> Option<Window> {
    if known.uniformity.leaves(index) != Extent::Lane {
        return None;
    }
    let counted = Counted::find(func, known.cfg, known.loops, index)?;
    // Lanes that stay as far apart are equal to such at once, whether they wrap or not.
    let ordered = !matches!(counted.cc, IntCc::Eq | IntCc::Ne);
    // (Or the lower half of a counter.)
    let converted = counted.conversion.is_some_and(|op| ordered || op != ConvertOp::Trunc);
    if converted || !known.uniformity.shape(counted.step).is_uniform() {
        return None;
    }
    let (header, end) = (counted.test.header, counted.bound);
    let before = known.loops.only_entry(known.cfg, index)?;
    let InstData::Jump { target } = func.terminator(before) else {
        return None;
    };
    let mut given = FxHashMap::default();
    let ends = [target.args[counted.position], end].map(|value| passed(func, known, value, &mut given));
    let unsigned = match counted.cc.is_unsigned() {
        true => Some(natural::comparison(func, known, &counted)?),
        false => None,
    };
    let mut clamps = Vec::new();
    let strides = ends.map(|value| match unsigned {
        Some(_) => natural::unbounded(func, known, value, &mut clamps),
        None => unbounded(func, known, value, ordered, &mut clamps, SOME_OPERATIONS),
    });
    (strides[0].is_some() && strides[0] == strides[1] && !clamps.is_empty()).then_some(Window {
        header,
        ends,
        clamps,
        given,
        unsigned,
    })
}

/// What comes to the only way into a block under another name.
fn passed(func: &Function, known: &Known, value: Value, given: &mut FxHashMap<Value, Value>) -> Value {
    let origin = origin(func, known.cfg, value);
    if origin != value {
        given.insert(value, origin);
    }
    origin
}

/// From lane to lane, how much a value would grow without bounds, and without wrapping if it is `exact`. Finds the operations that hold it
/// within them.
fn unbounded(func: &Function, known: &Known, value: Value, exact: bool, clamps: &mut Vec<Inst>, depth: u32) -> Option<i64> {
    match known.uniformity.shape(value) {
        Shape::Uniform(_) => return Some(0),
        Shape::Linear {
            stride, no_signed_wrap, ..
        } if no_signed_wrap || !exact => return Some(stride),
        _ => {}
    }
    let depth = depth.checked_sub(1)?;
    let inst = func.def_inst(value)?;
    if let Some(bound) = bound_of(func, inst).filter(|bound| bound.signed() == Some(true)) {
        clamps.push(inst);
        return unbounded(func, known, bound.of, exact, clamps, depth);
    }
    match func.inst(inst).data {
        InstData::Convert { op, arg, .. } => {
            let keeps = op == ConvertOp::SExt || is_natural(known, func, op, arg);
            keeps.then(|| unbounded(func, known, arg, true, clamps, depth)).flatten()
        }
        InstData::Binary {
            op: op @ (BinaryOp::Add | BinaryOp::Sub),
            args: [a, b],
        } if !exact || func.inst(inst).flags.contains(Flags::NSW) => {
            let [a, b] = [a, b].map(|arg| unbounded(func, known, arg, exact, clamps, depth));
            if op == BinaryOp::Add {
                a?.checked_add(b?)
            } else {
                a?.checked_sub(b?)
            }
        }
        _ => None,
    }
}

/// What is extended without its sign has none.
fn is_natural(known: &Known, func: &Function, op: ConvertOp, arg: Value) -> bool {
    op == ConvertOp::ZExt && known.uniformity.range(func, arg).is_natural()
}

/// The loop and its size, if it may be written twice and what is asked for windows in it is known before.
fn region(func: &Function, facts: &GangFacts, known: &Known, index: usize, windows: &[&Window]) -> Option<((Region, usize), Windows)> {
    let (region, size) = Region::natural_loop(func, known.cfg, known.loops, index, may_copy_inside)?;
    let Region::Loop { before, .. } = region else { return None };
    let place = (before, func.block(before).insts.len());
    let mut ends = windows.iter().flat_map(|window| window.ends);
    if !ends.all(|end| known.is_there(func, end, place.0, place.1)) {
        return None;
    }
    let mut numbers: Vec<Numbers> = Vec::new();
    // The inner ones first.
    for &inst in windows.iter().flat_map(|window| window.clamps.iter().rev()) {
        let own = known.numbers(func, facts, inst)?;
        let found = match numbers.iter_mut().position(|other| other.root == own.root) {
            Some(found) => found,
            None => {
                numbers.push(own);
                numbers.len() - 1
            }
        };
        known.add(func, &mut numbers[found], inst, place);
        if !numbers[found].covered.contains(&inst) {
            return None;
        }
    }
    let covered = |numbers: &[Numbers], inst: Inst| numbers.iter().any(|own| own.covered.contains(&inst));
    let mut together = FxHashSet::default();
    for window in windows {
        let Some((inst, step)) = window.unsigned else { continue };
        for end in window.ends {
            let (root, more) = through(func, known.uniformity, end, |inst| covered(&numbers, inst))?;
            let elem = func.ty(end).elem;
            let own = numbers.iter_mut().find(|own| own.root == root && own.are(elem))?;
            if !own.compared(false) {
                return None;
            }
            own.reach(more);
            own.reach(more + step);
        }
        together.insert(inst);
    }
    // What asks whether there is an iteration at all.
    let is_asked = |inst: &Inst| match func.inst(*inst).data {
        InstData::IntCompare { cc, args } if cc.is_unsigned() => {
            let mut asked = windows.iter().filter(|window| window.unsigned.is_some());
            asked.any(|window| args.iter().all(|arg| window.ends.contains(arg)))
        }
        _ => false,
    };
    if !together.is_empty() {
        together.extend(func.insts_of(&known.cfg.order).filter(is_asked));
    }
    let extensions = func.insts_of(&known.cfg.order);
    let natural = extensions.filter(|&inst| match func.inst(inst).data {
        InstData::Convert { op, arg, .. } => is_natural(known, func, op, arg),
        _ => false,
    });
    let found = Windows {
        headers: windows.iter().map(|window| window.header).collect(),
        natural: natural.collect(),
        numbers,
        given: windows.iter().flat_map(|window| window.given.clone()).collect(),
        together,
    };
    Some(((region, size), found))
}

impl Assumption for Windows {
    fn test(&mut self, b: &mut Builder) -> Test {
        let tests: Vec<Test> = self.numbers.iter_mut().map(|numbers| numbers.test(b)).collect();
        let all = tests.into_iter().map(|test| test.mask).reduce(|all, one| b.and(all, one));
        Test::when(all.expect("some number is held within bounds"))
    }

    /// What comes from outside comes without bounds.
    fn simplify(&self, func: &mut Function, twice: &Twice) {
        let (before, copies) = (twice.fast.block, &twice.copies);
        for (original, copy) in twice.pairs(func) {
            if self.together.contains(&original) {
                natural::of_one_lane(func, copies, copy);
            }
        }
        let jump = func.block_mut(before).insts.pop().expect("a block has a terminator");
        let own: FxHashSet<Value> = copies.iter().flat_map(|&copy| func.values_of(copy)).collect();
        let mut given: Vec<Value> = Vec::new();
        for inst in [jump].into_iter().chain(func.insts_of(copies)) {
            func.inst(inst).data.for_each_operand(|&value| given.push(value));
        }
        let mut made: FxHashMap<Value, Value> = FxHashMap::default();
        let mut b = Builder::new(func, before);
        for value in given.into_iter().filter(|value| !own.contains(value)) {
            without_bounds(&mut b, self, value, &mut made, SOME_OPERATIONS);
        }
        func.block_mut(before).insts.push(jump);
        for &block in copies.iter().chain([&before]) {
            for inst in func.block(block).insts.clone() {
                let instead = |value: &mut Value| *value = made.get(value).copied().unwrap_or(*value);
                func.inst_mut(inst).data.for_each_operand_mut(instead);
            }
        }
    }
}

/// A value made without the operations that hold it within bounds, which is the same inside of them.
fn without_bounds(b: &mut Builder, found: &Windows, value: Value, made: &mut FxHashMap<Value, Value>, depth: u32) -> Value {
    if let Some(&by) = made.get(&value) {
        return by;
    }
    if let Some(&origin) = found.given.get(&value) {
        let by = without_bounds(b, found, origin, made, depth);
        made.insert(value, by);
        return by;
    }
    let (Some(inst), Some(depth)) = (b.func.def_inst(value), depth.checked_sub(1)) else {
        return value;
    };
    let covered = found.numbers.iter().any(|numbers| numbers.covered.contains(&inst));
    let by = match bound_of(b.func, inst) {
        Some(bound) if covered => without_bounds(b, found, bound.of, made, depth),
        _ => {
            let (mut data, flags) = (b.func.inst(inst).data.clone(), b.func.inst(inst).flags);
            if !matches!(
                data,
                InstData::Binary { .. } | InstData::Convert { .. } | InstData::IntCompare { .. }
            ) {
                return value;
            }
            let mut changed = false;
            data.for_each_operand_mut(|operand| {
                let own = without_bounds(b, found, *operand, made, depth);
                changed |= own != *operand;
                *operand = own;
            });
            if let InstData::Convert { op, .. } = &mut data
                && found.natural.contains(&inst)
            {
                *op = ConvertOp::SExt;
            }
            if found.together.contains(&inst)
                && let InstData::IntCompare { args, .. } = &mut data
            {
                *args = args.map(|arg| b.sub_group(SubGroupOp::BroadcastFirst, &[arg]));
            }
            b.flags = flags;
            if changed { b.value(data) } else { value }
        }
    };
    b.flags = Flags::empty();
    made.insert(value, by);
    by
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vectorize;
    use analysis::gang_shape;
    use interface::LaunchFacts;
    use ir::parse::parse_function;
    use ir::verify::verify;
    use passes::Plan;

    /// The sum of what is no further from each work-item's element than an argument says.
    const SUM: &str = "
function workitem @sum {
block0:
  v0 = builtin arguments
  v1 = load.i64 constant align 8 invariant dereferenceable [v0]
  v2 = load.i32 constant align 4 invariant dereferenceable [v0 + 8]
  v3 = load.i32 constant align 4 invariant dereferenceable [v0 + 12]
  v4 = builtin global_id 0
  v5 = trunc.i32 v4 rte
  v6 = const.i32 0
  v7 = const.i32 1
  v8 = sub v5, v3 !nsw
  v9 = smax v8, v6
  v10 = add v5, v3 !nsw
  v11 = smin v10, v2
  v12 = const.f32 0x0
  jump block1(v9, v12)
block1(v20: i32, v21: f32):
  v22 = icmp.sgt v20, v11
  branch v22, block3(v21), block2
block2:
  v23 = load.f32 global align 4 [v1 + v20 * 4]
  v24 = fadd v21, v23
  v25 = add v20, v7 !nsw
  jump block1(v25, v24)
block3(v26: f32):
  store v26, global align 4 [v1 + v4 * 4 + 65536]
  return
}";

    /// How many loads in order, and from anywhere, a gang has.
    fn loads(text: &str) -> (usize, usize) {
        let mut func = parse_function(text).expect("the test's text is IR");
        let facts = GangFacts::new(gang_shape(None, 8, [64, 1, 1]), &LaunchFacts::usual([64, 1, 1]));
        run(
            &mut func,
            &facts,
            &mut Analyses::default(),
            Budget::new("test", &mut Plan::default()),
        );
        verify(&func, None).expect("the pass keeps the rules");
        let gang = vectorize(
            &func,
            &facts,
            &target::Machine::named("avx2").expect("there is one"),
            &mut Analyses::default(),
        )
        .expect("reducible")
        .func
        .to_string();
        let loads: Vec<&str> = gang.lines().filter(|line| line.contains("load.f32x8")).collect();
        let masked = loads.iter().filter(|line| line.contains("mask")).count();
        (loads.len() - masked, masked)
    }

    #[test]
    fn windows_that_are_not_cut_off_go_along_memory() {
        assert_eq!(loads(SUM), (1, 1));
        // Equal numbers need no order, and sums of 32 bits may wrap then.
        let counted = SUM
            .replace("v12 = const", "v13 = add v11, v7\n  v12 = const")
            .replace("v22 = icmp.sgt v20, v11", "v22 = icmp.eq v20, v13");
        assert_eq!(loads(&counted), (1, 1));
    }

    #[test]
    fn what_differs_from_lane_to_lane_stays_one_loop() {
        // An end that grows faster, one from memory, and a bound from memory.
        assert_eq!(loads(&SUM.replace("add v5, v3", "add v5, v5")).0, 0);
        let end = "v13 = load.i32 global align 4 [v1 + v4 * 4]\n  v11 = smin";
        assert_eq!(loads(&SUM.replace("v11 = smin v10", &format!("{end} v13"))).0, 0);
        assert_eq!(loads(&SUM.replace("v11 = smin v10, v2", &format!("{end} v10, v13"))).0, 0);
        // What may wrap before it is held within bounds is not what is counted to.
        assert_eq!(loads(&SUM.replace("sub v5, v3 !nsw", "sub v5, v3")).0, 0);
        assert_eq!(loads(&SUM.replace("icmp.sgt", "icmp.ugt")).0, 0);
    }
}
