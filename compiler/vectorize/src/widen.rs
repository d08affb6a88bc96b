//! Gangs several times as wide as the machine's vectors, for kernels whose lanes take one way.
//!
//! Where nothing asks what a sub-group is, its size is nobody's business. A gang of several vectors pays once for what its lanes share:
//! addresses, scalars for all lanes, conditions of rows and edges; and its vectors don't wait for each other. Lanes that part would wait
//! for more others: so no branch may part them but those that scalars tell of, which [`super::branch_versioning`] takes for the whole gang
//! at once, those that lead to a function for rare operands, and those with hardly anything behind them. Outside of loops, code that mostly computes
//! may take more registers than there are.
//!
//! Bytes leave most of a register empty, and more of them cost nothing: as long as no value then needs another register, four gangs in one take
//! as many instructions as each of them would, even where lanes part. Of loops over windows, which the edges of an array cut off, it counts what
//! is done inside of the edges ([`super::versioning::window_versioning`]).
//!
//! Where lanes are accessed one by one as well, or more registers are taken, it is counted what bytes save ([`super::byte_widths`]).
//!
//! Other loops are left to [`super::jam`], which shares along columns too, but for those that lanes leave one by one and that wait for
//! themselves: each iteration needs what the one before has computed or gathered, and takes longer for that than for its few instructions; those
//! along memory that [`super::grid_stride_loops`] makes; and those with branches that part gangs now and then, as in `if (j != i) sum -= a[j * n + i] *
//! x[j];`, which `jam` leaves alone. Those whose iterations are long chains are widened by the core's window (`lookahead`).

use super::aos_elementwise;
use super::byte_widths;
use super::gang_guards::together;
use super::jam;
use super::lookahead;
use super::vectorize::done_anyway;
use super::versioning::window_versioning;
use analysis::GangFacts;
use analysis::access::LaneOrder;
use analysis::latency::latency;
use analysis::recurrence;
use analysis::throughput::{lanes_cycles, vector_cycles};
use analysis::uniformity::{Extent, Shape, Uniformity};
use analysis::{Analyses, Analysis};
use analysis::{Layout, WIDTHS};
use ir::cfg::{Cfg, Loops};
use ir::*;
use passes::Plan;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use target::Machine;
use target::costs::MASKED_INSTRUCTIONS;
use target::costs::assumed;
use target::costs::code_size;
use target::costs::interleaving::{FEW_INSTRUCTIONS, GANGS_APART, IDLE_LANES, LIVE_REGISTERS, OPERATIONS_FOR_ACCESS};

/// How many times as wide a kernel's gangs had better be. The function must be in the form that group formation takes; `along` says that
/// its loop, if it has one, goes along memory.
pub fn factor(func: &Function, facts: &GangFacts, machine: &Machine, along: bool, known: &mut Analyses, plan: &mut Plan) -> u32 {
    let allowed = allowed(func, facts);
    if allowed.is_empty() {
        return 1;
    }
    let Some(analysis) = known.of(func, facts) else { return 1 };
    let Analysis {
        cfg, loops, uniformity, ..
    } = analysis;
    let told = |condition: Value, wanted: bool| together(func, uniformity, facts.width, condition, wanted).is_some();
    let along = along && loops.loops.len() == 1;
    let waits_for_itself = |index| {
        let natural = &loops.loops[index];
        let inner = |&block: &Block| loops.innermost[block] != Some(index as u32);
        let parts = uniformity.leaves(index) == Extent::Lane && !natural.blocks.iter().any(inner);
        parts
            && (loop_waits(func, cfg, loops, uniformity, facts.width, machine, index) || loop_chases(func, analysis, facts, machine, index))
    };
    let is_free_of = |&factor: &u32| fills_registers(func, analysis, machine, facts.width * factor);
    // Lanes of few bits in one register take no longer, whatever their loops do.
    let only_free = !along && !(0..loops.loops.len()).all(waits_for_itself);
    let leaves_loop = |block: Block| {
        let outside = |index: u32| func.successors(block).iter().any(|&succ| !loops.contains(index as usize, succ));
        loops.innermost[block].is_some_and(outside)
    };
    if only_free && !allowed.iter().any(is_free_of) {
        let mut by_loops = by_throughput(func, analysis, facts, machine, &allowed, plan);
        if let (1, Some(parts)) = (by_loops, parts_gangs_only(func, analysis, facts)) {
            if parts {
                by_loops = by_waiting(func, analysis, facts, machine, &allowed, plan);
            }
            if by_loops == 1 {
                by_loops = lookahead::factor(func, analysis, facts, machine, &allowed, !parts, plan);
            }
        }
        return match by_loops {
            1 if !along && (0..loops.loops.len()).any(|index| uniformity.leaves(index) == Extent::Lane) => {
                by_windows(func, facts, machine, &allowed, plan)
            }
            factor => factor,
        };
    }
    let one_way = |block: &Block| match func.terminator(*block) {
        InstData::Branch { .. } if leaves_loop(*block) => true,
        InstData::Branch { condition, targets } => {
            let rare = || targets.iter().any(|target| is_rare(func, target.block));
            told(*condition, true) || told(*condition, false) || rare() || is_done_anyway(func, analysis, *block)
        }
        InstData::Switch { value, .. } => uniformity.shape(*value).is_uniform(),
        _ => true,
    };
    let parts = !func.layout.iter().all(one_way);
    let is_free = |factor: &u32| !(parts || only_free) || is_free_of(factor);
    if parts && !allowed.iter().any(is_free) {
        return 1;
    }
    let taken = |width: u32| move |value: Value| registers_of(func, uniformity, machine, width, value);
    let pressure = jam::pressure(func, taken(facts.width)).max(1);
    let waits = pressure <= machine.registers.count && jam::waits(func, &machine.costs, |value| uniformity.shape(value) == Shape::Varying);
    // Two vectors that wait in turns are worth some registers in memory.
    let most = match (machine.registers.count / pressure, along || loops.loops.is_empty()) {
        (0 | 1, true) if waits => 2,
        (most, true) => most,
        (most, false) => most.min(2),
    };
    // As many registers a number as gangs would be run at once for: more of them do not wait any less, and are spilled. (Of integers, the largest are
    // mostly indices, which are few.)
    let numbers = || {
        let often = func.layout.iter().filter(|&&block| !func.block(block).cold);
        let results = often
            .flat_map(|&block| &func.block(block).insts)
            .flat_map(|&inst| &func.inst(inst).results);
        results.filter(|&&value| func.ty(value).elem.is_float())
    };
    let widest = || {
        numbers()
            .map(|&value| registers_of(func, uniformity, machine, facts.width, value))
            .max()
    };
    let apart = || GANGS_APART / widest().unwrap_or(1).max(1);
    let only_computes = loops.loops.is_empty() && mostly_computes(func, uniformity);
    let most = match only_computes {
        true => most.max(apart().min(LIVE_REGISTERS / pressure)),
        false => most,
    };
    let factors = || allowed.iter().copied();
    // Bytes leave most of a register empty: as many registers do for more of them.
    let fills = |&factor: &u32| {
        let wide = jam::pressure(func, taken(facts.width * factor)) <= pressure;
        wide && !parts && (in_order(func, analysis) || aos_elementwise::has_candidates(func, facts, analysis))
    };
    let factor = factors()
        .find(|factor| (*factor <= most || only_free) && is_free(factor))
        .or_else(|| factors().find(fills))
        .unwrap_or(1);
    let factor = match only_computes {
        true => lookahead::narrowed(func, analysis, facts, machine, factor, plan),
        false => factor,
    };
    if factor == 1 && !parts && loops.loops.is_empty() {
        let factor = byte_widths::factor(func, analysis, facts, machine, &allowed, plan);
        if factor > 1 {
            return factor;
        }
    }
    plan.note("widen", || {
        let why = if waits { ", and wait for their own results" } else { "" };
        let (lanes, count) = (facts.width, machine.registers.count);
        format!("{lanes} lanes need {pressure} registers of {count}{why}: {} lanes", lanes * factor)
    });
    factor
}

/// By how many times gangs may be longer, the most first: nobody sees them, and rows of work-items are as long, or the last gang of the only row has few idle
/// lanes.
pub(super) fn allowed(func: &Function, facts: &GangFacts) -> SmallVec<[u32; 2]> {
    let row = match facts.layout {
        Layout::Rows { dimension } => facts.local_size.along(usize::from(dimension)),
        _ => None,
    };
    let is_small = func.inst_count() <= code_size::FUNCTION / GANGS_APART as usize;
    let is_free = || facts.width > 1 && facts.full_groups && func.slots.is_empty() && knows_no_gangs(func);
    // (Lanes apart want lines of the cache, of which there are not many at distances that are powers of two.)
    let Some(row) = row.filter(|_| is_small && is_free() && !jam::in_columns(facts)) else {
        return SmallVec::new();
    };
    let one_row = facts.local_size.most().iter().product::<u64>() == row;
    let fills = |width: u32| {
        let idle = row.next_multiple_of(u64::from(width)) - row;
        idle == 0 || one_row && idle * IDLE_LANES <= row
    };
    let fits = |&factor: &u32| WIDTHS.contains(&(facts.width * factor)) && fills(facts.width * factor);
    [GANGS_APART, GANGS_APART / 2].into_iter().filter(fits).collect()
}

/// Nothing is loaded or stored lane by lane.
fn in_order(func: &Function, analysis: Analysis) -> bool {
    let accesses = analysis.accesses(func);
    func.insts().all(|inst| accesses.order(inst) != Some(LaneOrder::Scattered))
}

/// Registers that a value takes in a gang of so many lanes. What is linear is a scalar, as long as nobody wants it lane by lane.
pub(super) fn registers_of(func: &Function, uniformity: &Uniformity, machine: &Machine, width: u32, value: Value) -> u32 {
    let ty = func.ty(value);
    match uniformity.shape(value) == Shape::Varying && ty.elem != Elem::Mask {
        true => ty.with_lanes(width as u16).bytes().div_ceil(machine.registers.bytes),
        false => 0,
    }
}

/// The factor by which lanes take the fewest cycles each, where most that loops compute is short. Only where lanes stay together and memory is read in their order:
/// what takes several registers takes as long as several gangs then.
fn by_throughput(func: &Function, analysis: Analysis, facts: &GangFacts, machine: &Machine, allowed: &[u32], plan: &mut Plan) -> u32 {
    let Analysis { loops, uniformity, .. } = analysis;
    let accesses = analysis.accesses(func);
    let varies = |value: Value| uniformity.shape(value) == Shape::Varying;
    let is_short = |inst: Inst| {
        let mut results = func.inst(inst).results.iter();
        results.any(|&value| varies(value) && matches!(func.ty(value).elem, Elem::I8 | Elem::I16 | Elem::F16))
    };
    let together = |inst: Inst| match &func.inst(inst).data {
        InstData::Branch { condition, .. } => !varies(*condition),
        InstData::Switch { value, .. } => !varies(*value),
        InstData::Load { .. } | InstData::Store { .. } => accesses.order(inst) != Some(LaneOrder::Scattered),
        // (What asks whether a gang is inside of edges.)
        InstData::SubGroup { op, .. } => *op == SubGroupOp::BroadcastFirst,
        data => data.is_pure() || data.is_terminator(),
    };
    if !func.insts_of(&func.layout).any(is_short) || !func.insts().all(together) {
        return 1;
    }
    let count = machine.registers.count;
    let cycles = |factor: u32| {
        let width = facts.width * factor;
        let block = |&block: &Block| {
            let insts = func.block(block).insts.iter();
            let once: f32 = insts.map(|&inst| lanes_cycles(func, uniformity, inst, width, machine)).sum();
            once * assumed::TRIP_COUNT.powi(loops.depth(block) as i32)
        };
        func.layout.iter().map(block).sum::<f32>() / factor as f32
    };
    let now = cycles(1);
    let fits = |factor: u32| jam::pressure(func, |value| registers_of(func, uniformity, machine, facts.width * factor, value)) <= count;
    let choices = allowed.iter().map(|&factor| (factor, cycles(factor)));
    let better = choices.filter(|&(factor, cycles)| cycles * assumed::MARGIN <= now && fits(factor));
    let Some((factor, cycles)) = better.min_by(|a, b| a.1.total_cmp(&b.1)) else {
        return 1;
    };
    plan.note("widen", || {
        let (lanes, wide) = (facts.width, facts.width * factor);
        format!("loops take {now:.0} cycles for {lanes} lanes, and {cycles:.0} for as many of {wide}: {wide} lanes")
    });
    factor
}

/// The factor that suits gangs inside of all edges, where loops go over windows that edges cut off: nearly all gangs are there, and others go their own way.
fn by_windows(func: &Function, facts: &GangFacts, machine: &Machine, allowed: &[u32], plan: &mut Plan) -> u32 {
    let Some(inside) = window_versioning::inside(func, facts) else {
        return 1;
    };
    let mut known = Analyses::default();
    let Some(analysis) = known.of(&inside, facts) else { return 1 };
    by_throughput(&inside, analysis, facts, machine, allowed, plan)
}

/// Behind a branch that parts lanes is so little, before they come together, that it is done under masks without asking whether any lane goes there.
fn is_done_anyway(func: &Function, analysis: Analysis, block: Block) -> bool {
    let Some(meet) = analysis.post.immediate(block) else { return false };
    let accesses = analysis.accesses(func);
    let may_be_masked = |&inst: &Inst| match &func.inst(inst).data {
        InstData::Load { mem, .. } | InstData::Store { mem, .. } => {
            let for_lanes = matches!(
                accesses.order(inst),
                Some(LaneOrder::Consecutive | LaneOrder::ConsecutiveWhereActive)
            );
            for_lanes && !mem.flags.contains(MemFlags::VOLATILE)
        }
        InstData::CallRuntime { .. } | InstData::Switch { .. } => false,
        data => data.is_pure() || data.is_terminator(),
    };
    let mut left = MASKED_INSTRUCTIONS;
    let mut work = func.successors(block);
    while let Some(block) = work.pop() {
        if block == meet {
            continue;
        }
        let insts = &func.block(block).insts;
        // (A loop never comes to an end here.)
        left = match left.min(done_anyway(func, block)).checked_sub(insts.len().max(1)) {
            Some(left) if insts.iter().all(may_be_masked) => left,
            _ => return false,
        };
        work.extend(func.successors(block));
    }
    true
}

/// Far more is computed with lanes than is loaded and stored.
fn mostly_computes(func: &Function, uniformity: &Uniformity) -> bool {
    let varies = |value: &Value| uniformity.shape(*value) == Shape::Varying;
    let (mut operations, mut accesses) = (0, 0);
    for inst in func.insts() {
        let node = func.inst(inst);
        match node.data {
            InstData::Load { .. } | InstData::Store { .. } => accesses += 1,
            _ => operations += usize::from(node.results.iter().any(varies)),
        }
    }
    operations >= OPERATIONS_FOR_ACCESS * accesses
}

/// Where ids and counters alone decide where lanes go, or whether something is rare, so that nearly all gangs go one way, however long they are, and what
/// loops access is in the lanes' order: whether branches part gangs, so that these can't be run at once.
fn parts_gangs_only(func: &Function, analysis: Analysis, facts: &GangFacts) -> Option<bool> {
    let Analysis { loops, uniformity, .. } = analysis;
    let accesses = analysis.accesses(func);
    let in_loop = |block: Block| loops.innermost[block].is_some();
    let has_barriers = func.insts().any(|inst| matches!(func.inst(inst).data, InstData::Barrier { .. }));
    let told = |condition: Value, wanted: bool| together(func, uniformity, facts.width, condition, wanted).is_some();
    let mut parts = false;
    for &block in &func.layout {
        match func.terminator(block) {
            InstData::Branch { condition, targets } => {
                let rare = || targets.iter().any(|target| func.block(target.block).cold);
                if !told(*condition, true) && !told(*condition, false) && !rare() {
                    return None;
                }
                parts |= (in_loop(block) || has_barriers) && uniformity.shape(*condition).extent() > Extent::Group;
            }
            InstData::Switch { value, .. } if !uniformity.shape(*value).is_uniform() => return None,
            _ => {}
        }
        let in_order = |&inst: &Inst| accesses.order(inst) != Some(LaneOrder::Scattered);
        if in_loop(block) && !func.block(block).insts.iter().all(in_order) {
            return None;
        }
    }
    Some(parts)
}

/// The most vectors that there are registers for, where loops wait for themselves and gangs can't be run at once, since branches part them.
fn by_waiting(func: &Function, analysis: Analysis, facts: &GangFacts, machine: &Machine, allowed: &[u32], plan: &mut Plan) -> u32 {
    let Analysis { loops, uniformity, .. } = analysis;
    let is_barrier = |inst: Inst| matches!(func.inst(inst).data, InstData::Barrier { .. });
    let waiting = loops.without_inner().find_map(|index| {
        let hot = loops.loops[index].blocks.iter().filter(|&&block| !func.block(block).cold);
        let insts = || hot.clone().flat_map(|&block| func.block(block).insts.iter().copied());
        let work: f32 = insts().map(|inst| lanes_cycles(func, uniformity, inst, facts.width, machine)).sum();
        let (waits, _) = recurrence::longest(func, loops, index, &machine.costs, |_| false);
        // Between barriers it takes longer to get from gang to gang than what few instructions do.
        let is_short = insts().any(is_barrier) && insts().count() <= FEW_INSTRUCTIONS;
        (is_short || work > 0.0 && waits as f32 >= assumed::MARGIN * work).then_some((waits, work))
    });
    let Some((waits, work)) = waiting else { return 1 };
    // What waits for itself is worth some registers in memory, which operands may be in.
    let count = machine.registers.with_spills();
    let fits = |&factor: &u32| jam::pressure(func, |value| registers_of(func, uniformity, machine, facts.width * factor, value)) <= count;
    let factor = allowed.iter().copied().find(fits).unwrap_or(1);
    plan.note("widen", || {
        let (lanes, wide) = (facts.width, facts.width * factor);
        format!("iterations of {lanes} lanes wait {waits} cycles and take {work:.1}, and branches part gangs: {wide} lanes")
    });
    factor
}

/// With so many lanes no value needs more than a register, and nothing is done lane by lane.
fn fills_registers(func: &Function, analysis: Analysis, machine: &Machine, width: u32) -> bool {
    let (uniformity, accesses) = (analysis.uniformity, analysis.accesses(func));
    let fits = |value: Value| {
        let ty = func.ty(value);
        let in_register = ty.elem == Elem::Mask || ty.with_lanes(width as u16).bytes() <= machine.registers.bytes;
        in_register || uniformity.shape(value).is_uniform() || func.constant(value).is_some()
    };
    func.insts().all(|inst| {
        let node = func.inst(inst);
        let varies = |value: &Value| uniformity.shape(*value) == Shape::Varying;
        match &node.data {
            InstData::CallRuntime { .. } | InstData::Copy { .. } => false,
            InstData::Load { .. } => accesses.order(inst) != Some(LaneOrder::Scattered) && node.results.iter().all(|&value| fits(value)),
            InstData::Store { value, .. } => accesses.order(inst) != Some(LaneOrder::Scattered) && fits(*value),
            data if data.is_terminator() => data.targets().into_iter().all(|target| {
                let mut pairs = target.args.iter().zip(&func.block(target.block).params);
                pairs.all(|(&arg, param)| !varies(param) || fits(arg) && fits(*param))
            }),
            data if node.results.iter().any(varies) => {
                data.all_operands(|&value| fits(value)) && node.results.iter().all(|&value| fits(value))
            }
            data => data.is_pure(),
        }
    })
}

/// What a loop gathers tells where the next iteration gathers, as in a search of a sorted table, and that takes longer than all that an iteration does:
/// one gang waits while another gathers.
fn loop_chases(func: &Function, analysis: Analysis, facts: &GangFacts, machine: &Machine, index: usize) -> bool {
    let (loops, uniformity, accesses) = (analysis.loops, analysis.uniformity, analysis.accesses(func));
    let costs = &machine.costs;
    let is_gather = |inst: Inst| accesses.order(inst) == Some(LaneOrder::Scattered);
    let mut work = costs.masked_iteration;
    for inst in func.insts_of(&loops.loops[index].blocks) {
        let node = func.inst(inst);
        let varies = |value: &&Value| uniformity.shape(**value) == Shape::Varying;
        work += match (&node.data, node.results.iter().find(varies)) {
            (InstData::Load { mem, .. }, _) if mem.flags.contains(MemFlags::VOLATILE) => return false,
            (InstData::Load { ty, .. }, _) if is_gather(inst) => costs.gather(ty.elem.bytes(), facts.width),
            (InstData::Load { .. }, _) => costs.vector,
            (data, _) if !data.is_pure() && !data.is_terminator() => return false,
            (data, Some(&result)) => vector_cycles(data, func.ty(result).with_lanes(facts.width as u16), machine),
            _ => 0.0,
        };
    }
    let (waits, chases) = recurrence::longest(func, loops, index, costs, is_gather);
    // (Where code of one lane has a load, lanes have a gather.)
    chases && (waits + costs.latency.scattered) as f32 > assumed::MARGIN * work
}

/// An iteration waits longer for the one before than its instructions take.
fn loop_waits(func: &Function, cfg: &Cfg, loops: &Loops, uniformity: &Uniformity, width: u32, machine: &Machine, index: usize) -> bool {
    let natural = &loops.loops[index];
    // By value: cycles from the beginning of the iteration until it is there.
    let mut ready: FxHashMap<Value, u32> = FxHashMap::default();
    let at = |ready: &FxHashMap<Value, u32>, value: Value| ready.get(&value).copied().unwrap_or_default();
    let (mut work, mut iteration) = (0.0, 0);
    for &block in cfg.order.iter().filter(|&&block| loops.contains(index, block)) {
        for &inst in &func.block(block).insts {
            let node = func.inst(inst);
            let varies = |value: Value| uniformity.shape(value) == Shape::Varying;
            let mut start = 0;
            node.data.for_each_operand(|&value| start = start.max(at(&ready, value)));
            match node.data {
                InstData::Const { .. } => continue,
                // Memory has its own ways of waiting, and of being in the way.
                InstData::Load { .. } if !node.results.iter().any(|&result| varies(result)) => {}
                _ if node.data.is_pure() || node.data.is_terminator() => {}
                _ => return false,
            }
            for &result in &node.results {
                if varies(result) {
                    // What is compared is as wide as lanes are, not what comes of it.
                    let compared = match node.data {
                        InstData::IntCompare { args: [a, _], .. } | InstData::FloatCompare { args: [a, _], .. } => a,
                        _ => result,
                    };
                    work += vector_cycles(&node.data, func.ty(compared).with_lanes(width as u16), machine);
                }
                ready.insert(result, start + latency(&node.data, &machine.costs.latency));
            }
        }
        for call in func.terminator(block).targets() {
            for (&arg, &param) in call.args.iter().zip(&func.block(call.block).params) {
                if call.block == natural.header {
                    iteration = iteration.max(at(&ready, arg));
                } else {
                    ready.insert(param, at(&ready, param).max(at(&ready, arg)));
                }
            }
        }
    }
    iteration as f32 >= assumed::MARGIN * work
}

/// The driver has functions for what few operands need, since code for all of them would be too slow for the rest.
fn is_rare(func: &Function, block: Block) -> bool {
    let calls = |&inst: &Inst| matches!(func.inst(inst).data, InstData::CallRuntime { .. });
    func.block(block).cold || func.block(block).insts.iter().any(calls)
}

/// Nothing in the function sees which work-items are a gang.
pub(super) fn knows_no_gangs(func: &Function) -> bool {
    func.insts().all(|inst| match &func.inst(inst).data {
        InstData::SubGroup { .. } | InstData::WorkGroup { .. } | InstData::Call { .. } | InstData::Image { .. } => false,
        InstData::CallRuntime { routine, .. } => routine.is_pure(),
        InstData::Builtin { builtin, .. } => !builtin.is_of_sub_groups(),
        _ => true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use analysis::gang_shape;
    use interface::LaunchFacts;
    use ir::parse::parse_function;

    fn widened(text: &str, local_size: [u64; 3]) -> u32 {
        let launch = LaunchFacts::usual(local_size);
        let func = parse_function(text).expect("the test's text is IR");
        let facts = GangFacts::new(gang_shape(None, 8, local_size), &launch);
        factor(
            &func,
            &facts,
            &Machine::named("avx2").expect("there is one"),
            false,
            &mut Analyses::default(),
            &mut Plan::default(),
        )
    }

    const GUARDED: &str = "
function workitem @guarded {
block0:
  v0 = builtin arguments
  v1 = load.i64 constant align 8 invariant dereferenceable [v0]
  v2 = load.i64 constant align 8 invariant dereferenceable [v0 + 8]
  v3 = builtin global_id 0
  v4 = icmp.ult v3, v2
  branch v4, block1, block2
block1:
  v5 = load.f32 global align 4 [v1 + v3 * 4]
  v6 = fadd v5, v5
  store v6, global align 4 [v1 + v3 * 4]
  jump block3
block2:
  jump block3
block3:
  return
}";

    #[test]
    fn rows_and_edges_are_shared() {
        assert_eq!(widened(GUARDED, [256, 1, 1]), 4);
        assert_eq!(widened(GUARDED, [16, 16, 1]), 2);
        assert_eq!(widened(GUARDED, [8, 8, 1]), 1);
        assert_eq!(widened(GUARDED, [40, 1, 1]), 1);
        // A lane of the last gang is idle, or more of them than it is worth; the rows of several would go over their ends.
        assert_eq!(widened(GUARDED, [255, 1, 1]), 4);
        assert_eq!(widened(GUARDED, [110, 1, 1]), 2);
        assert_eq!(widened(GUARDED, [255, 2, 1]), 1);
    }

    #[test]
    fn bytes_leave_room_in_registers() {
        // Ten bytes are there at once: as many registers, of 32 lanes too.
        let loads = (0..10).fold(String::new(), |text, at| {
            text + &format!("  v{} = load.i8 global align 1 [v1 + v3 * 1 + {at}]\n", 30 + at)
        });
        let sums = (1..10).fold(String::new(), |text, at| {
            let before = if at == 1 { 39 } else { 49 + at };
            text + &format!("  v{} = xor v{}, v{}\n", 50 + at, before, 39 - at)
        });
        let body = format!("{loads}{sums}  store v59, global align 1 [v1 + v3 * 1]");
        let text = GUARDED
            .replace("  v5 = load.f32 global align 4 [v1 + v3 * 4]\n  v6 = fadd v5, v5\n", "")
            .replace("  store v6, global align 4 [v1 + v3 * 4]", &body);
        assert_eq!(widened(&text, [256, 1, 1]), 4);
        // Words take four times as many, and bytes that are not adjacent an insertion each: one of ten is made up for by the others.
        let words = text.replace("i8", "i32").replace("v3 * 1", "v3 * 4");
        assert_eq!(widened(&words, [256, 1, 1]), 1);
        assert_eq!(widened(&text.replace("v3 * 1 + 3", "v3 * 4 + 3"), [256, 1, 1]), 4);
    }

    #[test]
    fn loops_that_wait_for_themselves_run_two_at_once() {
        // Newton's method until it is near enough.
        let text = "
function workitem @root {
block0:
  v0 = builtin arguments
  v1 = load.i64 constant align 8 invariant dereferenceable [v0]
  v2 = builtin global_id 0
  v3 = load.f32 global align 4 [v1 + v2 * 4]
  v4 = const.f32 0x3f800000
  v5 = const.f32 0x3f000000
  jump block1(v4)
block1(v6: f32):
  v7 = fdiv v3, v6
  v8 = fadd v6, v7
  v9 = fmul v8, v5
  v10 = fcmp.olt v9, v6
  branch v10, block1(v9), block2
block2:
  store v9, global align 4 [v1 + v2 * 4]
  return
}";
        assert_eq!(widened(text, [256, 1, 1]), 2);
        // All leave the loop at once: other passes see to that.
        assert_eq!(widened(&text.replace("fcmp.olt v9, v6", "fcmp.olt v4, v5"), [256, 1, 1]), 1);
        // Squares of complex numbers: three operations wait for each other, of eight that a register or two take half a cycle each for.
        let text = "
function workitem @julia {
block0:
  v0 = builtin arguments
  v1 = load.i64 constant align 8 invariant dereferenceable [v0]
  v2 = builtin global_id 0
  v3 = load.f64 global align 8 [v1 + v2 * 8]
  v4 = const.f64 0x3fe0000000000000
  v5 = const.f64 0x4010000000000000
  jump block1(v3, v4)
block1(v6: f64, v7: f64):
  v8 = fmul v7, v7
  v9 = fneg v8
  v10 = fma v6, v6, v9
  v11 = fadd v10, v4
  v12 = fadd v6, v6
  v13 = fma v12, v7, v4
  v14 = fmul v13, v13
  v15 = fma v11, v11, v14
  v16 = fcmp.olt v15, v5
  branch v16, block1(v11, v13), block2
block2:
  store v11, global align 8 [v1 + v2 * 8]
  return
}";
        assert_eq!(widened(text, [256, 1, 1]), 2);
        // More to do while they wait.
        let busy = (0..8).fold(String::new(), |text, at| {
            text + &format!("  v{} = fmul v{}, v6\n", 31 + at, 30 + at)
        });
        let text = text
            .replace("  v14 =", &format!("  v30 = fmul v6, v5\n{busy}  v14 ="))
            .replace("fma v11, v11, v14", "fma v11, v38, v14");
        assert_eq!(widened(&text, [256, 1, 1]), 1);
        // What is gathered tells where to gather next: others gather meanwhile. Not so where it is only summed.
        let text = "
function workitem @follow {
block0:
  v0 = builtin arguments
  v1 = load.i64 constant align 8 invariant dereferenceable [v0]
  v2 = builtin global_id 0
  v3 = load.i32 global align 4 [v1 + v2 * 4]
  v4 = const.i32 0
  v5 = const.i32 1
  jump block1(v3, v4)
block1(v6: i32, v7: i32):
  v8 = load.i32 global align 4 [v1 + v6 * 4]
  v9 = add v7, v8
  v10 = icmp.ne v8, v4
  branch v10, block1(v8, v9), block2
block2:
  store v9, global align 4 [v1 + v2 * 4]
  return
}";
        assert_eq!(widened(text, [256, 1, 1]), 2);
        let summed = text
            .replace("  v9 = add", "  v11 = add v6, v5\n  v9 = add")
            .replace("block1(v8, v9)", "block1(v11, v9)");
        assert_eq!(widened(&summed, [256, 1, 1]), 1);
    }

    #[test]
    fn lanes_that_part_or_see_their_gang_stay_few() {
        let by_value = GUARDED.replace(
            "v4 = icmp.ult v3, v2",
            "v7 = load.i64 global align 8 [v1 + v3 * 8]\n  v4 = icmp.ult v7, v2",
        );
        // What is hardly anything is done for all lanes.
        assert_eq!(widened(&by_value, [256, 1, 1]), 4);
        let sum = |number: usize| format!("v{} = fadd v{}, v5\n  ", number, number - 1);
        let sums: String = (21..21 + MASKED_INSTRUCTIONS).map(sum).collect();
        let much = by_value.replace("v6 = fadd v5, v5", &format!("v20 = fadd v5, v5\n  {sums}v6 = fadd v5, v20"));
        assert_eq!(widened(&much, [256, 1, 1]), 1);
        let seen = GUARDED.replace("v6 = fadd v5, v5", "v7 = builtin sub_group_local_id\n  v6 = fadd v5, v5");
        assert_eq!(widened(&seen, [256, 1, 1]), 1);
        let again = GUARDED.replace("  jump block3\nblock2", "  branch v4, block1, block3\nblock2");
        assert_eq!(widened(&again, [256, 1, 1]), 1);
        let call = "v8 = fpromote.f64 v5 rte\n  v9 = call_runtime sin.f64(v8)\n  v6 = fdemote.f32 v9 rte";
        assert_eq!(widened(&by_value.replace("v6 = fadd v5, v5", call), [256, 1, 1]), 4);
        // What hardly any lane does.
        assert_eq!(widened(&by_value.replace("block1:", "block1 cold:"), [256, 1, 1]), 4);
    }

    #[test]
    fn loops_of_few_bits_fill_registers() {
        let text = "
function workitem @count {
block0:
  v0 = builtin arguments
  v1 = load.i64 constant align 8 invariant dereferenceable [v0]
  v2 = builtin global_id 0
  v3 = const.i32 1
  v4 = const.i32 32
  v5 = const.i32 0
  v6 = load.i16 global align 2 [v1 + v2 * 2]
  jump block1(v6, v5)
block1(v7: i16, v8: i32):
  v9 = add v7, v6
  v10 = add v8, v3
  v11 = icmp.slt v10, v4
  branch v11, block1(v9, v10), block2
block2:
  store v9, global align 2 [v1 + v2 * 2]
  return
}";
        assert_eq!(widened(text, [256, 1, 1]), 2);
        assert_eq!(widened(&text.replace("i16", "i8").replace("* 2", "* 1"), [256, 1, 1]), 4);
        // These fill one already, and so do those that are made of the short ones.
        assert_eq!(widened(&text.replace("i16", "i32").replace("* 2", "* 4"), [256, 1, 1]), 1);
        let extended = text.replace(
            "v9 = add v7, v6",
            "v12 = sext.i32 v7 rte\n  v13 = mul v12, v12\n  v9 = trunc.i16 v13 rte",
        );
        assert_eq!(widened(&extended, [256, 1, 1]), 1);
    }

    #[test]
    fn loops_of_mostly_few_bits_have_what_takes_several_registers() {
        let short = (0..20).fold(String::new(), |text, at| text + &format!("  v{} = xor v30, v6\n", 31 + at));
        let text = format!(
            "
function workitem @mixed {{
block0:
  v0 = builtin arguments
  v1 = load.i64 constant align 8 invariant dereferenceable [v0]
  v2 = builtin global_id 0
  v3 = const.i32 1
  v4 = const.i32 32
  v5 = const.i32 0
  v6 = load.i16 global align 2 [v1 + v2 * 2]
  jump block1(v6, v5)
block1(v7: i16, v8: i32):
  v12 = sext.i32 v7 rte
  v13 = mul v12, v12
  v30 = trunc.i16 v13 rte
{short}  v10 = add v8, v3
  v11 = icmp.slt v10, v4
  branch v11, block1(v50, v10), block2
block2:
  store v50, global align 2 [v1 + v2 * 2]
  return
}}"
        );
        assert_eq!(widened(&text, [256, 1, 1]), 2);
        // Lanes that leave one by one would wait for more others.
        let alone = text.replace("icmp.slt v10, v4", "icmp.slt v13, v4");
        assert_eq!(widened(&alone, [256, 1, 1]), 1);
        // Places of their own are gathered one by one.
        let gathered = text.replace("v30 = trunc.i16 v13 rte", "v30 = load.i16 global align 2 [v1 + v13 * 2]");
        assert_eq!(widened(&gathered, [256, 1, 1]), 1);
        // So are what several gangs would need as many instructions for.
        let long = text
            .replace("i16", "i32")
            .replace("sext.i32 v7 rte", "add v7, v7")
            .replace("trunc.i32 v13 rte", "add v13, v7");
        assert_eq!(widened(&long, [256, 1, 1]), 1);
    }

    #[test]
    fn bytes_part_with_as_many_as_fill_a_register() {
        let text = "
function workitem @search {
block0:
  v0 = builtin arguments
  v1 = load.i64 constant align 8 invariant dereferenceable [v0]
  v2 = builtin global_id 0
  v3 = const.i8 65
  v4 = const.i8 0
  v5 = const.i8 1
  v6 = load.i8 global align 1 [v1 + v2 * 1]
  v7 = icmp.eq v6, v3
  branch v7, block1, block2
block1:
  v8 = load.i8 global align 1 [v1 + v2 * 1 + 1]
  v9 = icmp.eq v8, v3
  v10 = select v9, v5, v4
  jump block3(v10)
block2:
  jump block3(v4)
block3(v11: i8):
  store v11, global align 1 [v1 + v2 * 1]
  return
}";
        assert_eq!(widened(text, [256, 1, 1]), 4);
        assert_eq!(widened(text, [16, 16, 1]), 2);
        // What takes another register, or is looked for lane by lane.
        let long = text
            .replace("load.i8", "load.i16")
            .replace("const.i8", "const.i16")
            .replace(": i8", ": i16")
            .replace("* 1", "* 2");
        let much = |text: &str, ty: &str| {
            let sum = |number: usize| format!("v{} = add v{}, v8\n  ", number, number - 1);
            let sums: String = (21..21 + MASKED_INSTRUCTIONS).map(sum).collect();
            let first = format!("v20 = add v8, v8\n  {sums}v9 = icmp.eq v{}, v3", 20 + MASKED_INSTRUCTIONS);
            widened(&text.replace("v9 = icmp.eq v8, v3", &first).replace("i16", ty), [256, 1, 1])
        };
        assert_eq!([widened(&long, [256, 1, 1]), much(&long, "i16")], [4, 2]);
        assert_eq!(much(&long.replace("* 2", "* 4"), "i32"), 1);
        let anywhere = text.replace(
            "v8 = load.i8 global align 1 [v1 + v2 * 1 + 1]",
            "v12 = zext.i64 v6 rte\n  v8 = load.i8 global align 1 [v1 + v12 * 1]",
        );
        assert_eq!(widened(&anywhere, [256, 1, 1]), 1);
    }
}
