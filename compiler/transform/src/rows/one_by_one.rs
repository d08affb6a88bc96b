//! Loops along rows in which iterations wait for each other, one lane after the other, as scalars.
//!
//! A running sum's window takes what comes in and what goes out from each lane's own row: in each iteration gathers, whose lines push each
//! other out of the cache where rows are as far apart as powers of two. One lane by itself goes along few lines, and is as fast as what
//! iterations wait for.

use super::by_fours::{ITERATIONS, word_or_byte};
use super::lanes::Lanes;
use super::order::is_by_iterations;
use super::row_loop::{Places, RowLoop, seen_elsewhere};
use analysis::Analyses;
use analysis::counted::{Counted, LoopTest};
use analysis::latency::latency;
use analysis::throughput::{scalar_cycles, vector_cycles};
use cranelift_entity::SecondaryMap;
use ir::cfg::{Cfg, Loops};
use ir::*;
use passes::Plan;
use rustc_hash::{FxHashMap, FxHashSet};
use target::costs::{CACHE_LINE, assumed, code_size};
use target::{Costs, Machine};

/// Rewrites. True if there was such a loop.
pub fn run(func: &mut Function, machine: &Machine, analyses: &mut Analyses, plan: &mut Plan) -> bool {
    if !func.insts().any(|inst| scattered(func, inst).is_some()) {
        return false;
    }
    let by_fours = RowLoop::all(func, analyses, word_or_byte).map_or(Vec::new(), |(_, found)| found);
    let by_fours: Vec<Block> = by_fours
        .iter()
        .filter(|rows| rows.may_take(func, ITERATIONS))
        .map(|rows| rows.block)
        .collect();
    let flow = analyses.flow(func);
    let (cfg, loops) = (&flow.cfg, flow.loops());
    let places = func.homes(&cfg.order);
    let seen = seen_elsewhere(func, cfg, &places);
    let cold = ir::cold::insts(func);
    let mut found = Vec::new();
    for (index, natural) in loops.loops.iter().enumerate() {
        let stays_inside = |block: &Block| seen[*block].iter().all(|&(_, user)| loops.contains(index, user));
        if natural.blocks.len() <= 2
            && natural.blocks.iter().all(stays_inside)
            && let Some(lane_loop) = LaneLoop::new(func, cfg, loops, &places, &cold, index)
            && lane_loop.is_faster(func, machine, by_fours.contains(&lane_loop.block), plan)
        {
            found.push(lane_loop);
        }
    }
    // Those behind first: the ways out of the others then lead to what is before them now.
    found.iter().rev().for_each(|lane_loop| lane_loop.write(func, cfg, &machine.costs));
    !found.is_empty()
}

/// An access of places that lanes have of their own.
fn scattered(func: &Function, inst: Inst) -> Option<Access> {
    func.access(inst).filter(|access| func.is_scattered(&access.address))
}

/// Bytes of a way of the nearest cache, which is a page, and ways that it has on all machines.
const WAY: u64 = 4096;
const WAYS: usize = 8;

/// The lines of lanes that are known distances from each other don't push each other out of the nearest cache.
fn has_room(func: &Function, access: &Access) -> bool {
    let index = access.address.index.filter(|_| !func.ty(access.address.base).is_vector());
    let Some(lanes) = index.and_then(|index| eval::constant_lanes(func, index)) else {
        return false;
    };
    let line = |lane: &u64| lane.wrapping_mul(access.address.scale.into()) / u64::from(CACHE_LINE);
    let lines: FxHashSet<u64> = lanes.iter().map(line).collect();
    let beside = |one: &u64| {
        lines
            .iter()
            .filter(|other| (*other ^ one).is_multiple_of(WAY / u64::from(CACHE_LINE)))
            .count()
    };
    lines.iter().all(|line| beside(line) <= WAYS)
}

/// A loop of one block, and maybe one on the way back.
struct LaneLoop {
    block: Block,
    /// On the way back: it does nothing but compute.
    latch: Option<Block>,
    /// Which of the targets leads out.
    exit: usize,
    lanes: u16,
    /// The lanes that are on, if not all are.
    mask: Option<Value>,
    /// What is made anew in each iteration.
    own: FxHashSet<Value>,
    /// What is not cold.
    hot: Vec<Inst>,
}

impl LaneLoop {
    fn new(func: &Function, cfg: &Cfg, loops: &Loops, places: &Places, cold: &SecondaryMap<Inst, bool>, index: usize) -> Option<LaneLoop> {
        let natural = &loops.loops[index];
        let block = natural.header;
        let latch = natural.blocks.iter().copied().find(|&other| other != block);
        let alone = |latch: Block| {
            let (_, body) = func.block(latch).insts.split_last()?;
            let is_pure = body.iter().all(|&inst| func.inst(inst).data.is_pure());
            let is_way_back = func.successors(latch).as_slice() == [block] && cfg.preds[latch] == [block];
            (is_pure && is_way_back && func.block(latch).params.is_empty()).then_some(())
        };
        if let Some(latch) = latch {
            alone(latch)?;
        }
        let (_, targets) = func.branch(block)?;
        let exit = targets.iter().position(|target| !loops.contains(index, target.block))?;
        if loops.contains(index, targets[exit].block) || !loops.contains(index, targets[1 - exit].block) {
            return None;
        }
        let insts = || func.insts_of(&natural.blocks);
        let Access { ty, mask, .. } = insts().find_map(|inst| scattered(func, inst))?;
        let lanes = ty.lanes;
        let own: FxHashSet<Value> = natural.blocks.iter().flat_map(|&block| func.values_of(block)).collect();
        let lane_loop = LaneLoop {
            block,
            latch,
            exit,
            lanes,
            mask,
            own,
            hot: insts().filter(|&inst| !cold[inst]).collect(),
        };
        let is_mask = |&value: &Value| func.ty(value) == Type::MASK.with_lanes(lanes);
        let handed_on = func.block(block).params.iter().chain(&targets[exit].args);
        let may_mask = mask.is_none_or(|mask| places[mask].is_some_and(|place| !loops.contains(index, place)) && lanes <= 32);
        let fits = may_mask && lane_loop.hot.len() <= code_size::SCALARIZED_LOOP && !handed_on.clone().any(is_mask);
        (fits && insts().all(|inst| lane_loop.can_be_scalar(func, inst))).then_some(lane_loop)
    }

    /// One lane can do it by itself.
    fn can_be_scalar(&self, func: &Function, inst: Inst) -> bool {
        let node = func.inst(inst);
        let mut fits = true;
        node.data.for_each_operand(|&value| {
            let ty = func.ty(value);
            let is_known = || func.constant(value).is_some() || self.own.contains(&value) || self.mask == Some(value);
            fits &= !ty.is_vector() || ty.lanes == self.lanes && (ty.elem != Elem::Mask || is_known());
        });
        let result = node.results.first().map(|&value| func.ty(value));
        fits && match &node.data {
            InstData::Load { .. } | InstData::Store { .. } => func.access(inst).is_some_and(|access| {
                let of_lanes = (access.ty.lanes, access.mask) == (self.lanes, self.mask) && access.is_plain();
                match func.is_scattered(&access.address) {
                    true => of_lanes,
                    false => !access.is_store && access.mask.is_none() && !access.ty.is_vector() && !access.mem.is_volatile(),
                }
            }),
            InstData::Lane { op, .. } => *op == LaneOp::Splat && result.is_some_and(|ty| ty.lanes == self.lanes),
            InstData::Const { .. }
            | InstData::Unary { .. }
            | InstData::Binary { .. }
            | InstData::Fma { .. }
            | InstData::Select { .. }
            | InstData::IntCompare { .. }
            | InstData::FloatCompare { .. }
            | InstData::Convert { .. }
            | InstData::Jump { .. }
            | InstData::Branch { .. } => true,
            _ => false,
        }
    }

    /// It is of those that are taken by fours where a loop is.
    fn is_in_row(&self, func: &Function, inst: Inst) -> bool {
        let is_outside = |value: Value| !self.own.contains(&value);
        let counters = &func.block(self.block).params;
        word_or_byte(func, inst).is_some_and(|row| counters.contains(&row.index) && row.goes_along(row.index, is_outside))
    }

    /// The lanes take less one after the other than all their gathers at once; which of several iterations may be `by_fours`.
    fn is_faster(&self, func: &Function, machine: &Machine, by_fours: bool, plan: &mut Plan) -> bool {
        if self.goes_along_lanes(func) {
            plan.note("rows_one_by_one", || {
                format!(
                    "loop at {}: as vectors, since it goes from all lanes' places to the next",
                    self.block
                )
            });
            return false;
        }
        let costs = &machine.costs;
        let (mut vectors, mut scalars, mut gathers) = (0.0, 0.0, false);
        for &inst in &self.hot {
            let data = &func.inst(inst).data;
            vectors += match scattered(func, inst) {
                None => match func.inst(inst).results.first() {
                    Some(&result) => vector_cycles(data, func.ty(result), machine),
                    None => costs.vector,
                },
                Some(_) if by_fours && self.is_in_row(func, inst) => costs.transposed_lane * f32::from(self.lanes),
                Some(access) if self.goes_along_a_row(func, inst) => match has_room(func, &access) {
                    true => costs.gather_apart(access.ty.elem.bytes(), self.lanes.into()),
                    false => costs.conflicting_lane * f32::from(self.lanes),
                },
                Some(access) => costs.gather(access.ty.elem.bytes(), self.lanes.into()),
            };
            gathers |= scattered(func, inst).is_some() && !(by_fours && self.is_in_row(func, inst));
            scalars += match data {
                InstData::Const { .. } | InstData::Jump { .. } | InstData::IntCompare { .. } => 0.0,
                InstData::Lane { .. } => 0.0,
                InstData::Select { .. } if self.is_unpredictable(func, inst) => costs.unpredictable_choice as f32 * costs.scalar,
                _ => scalar_cycles(data, costs),
            };
        }
        let waited = costs.exposed_latency * self.waits(func, costs) as f32;
        let by_lane = f32::from(self.lanes) * f32::max(scalars, waited);
        let is_faster = gathers && assumed::MARGIN * by_lane < vectors;
        plan.note("rows_one_by_one", || {
            let taken = match (is_faster, gathers) {
                (true, _) => "lane by lane",
                (false, true) => "as vectors",
                (false, false) => "as vectors, since nothing is gathered",
            };
            format!(
                "loop at {}: {vectors:.1} cycles an iteration as vectors, {by_lane:.1} lane by lane: {taken}",
                self.block
            )
        });
        is_faster
    }

    /// One lane by itself would leave out what the others access, and come to other lines in each iteration.
    fn goes_along_lanes(&self, func: &Function) -> bool {
        let Some(counted) = Counted::new(func, self.test()) else {
            return false;
        };
        let Some(step) = counted.constant_step(func) else { return false };
        let mut accesses = self.hot.iter().filter_map(|&inst| scattered(func, inst));
        accesses.any(|access| is_by_iterations(func, &access, &self.own, (counted.param, step)))
    }

    /// The test by which the loop goes on.
    fn test(&self) -> LoopTest {
        LoopTest {
            header: self.block,
            latch: self.latch.unwrap_or(self.block),
            exiting: self.block,
            side: 1 - self.exit,
        }
    }

    /// Each lane has a choice of its own, which is not the same nearly always.
    fn is_unpredictable(&self, func: &Function, inst: Inst) -> bool {
        let of_lanes = func.inst(inst).results.iter().any(|&result| func.ty(result).is_vector());
        of_lanes && !ir::cold::is_rare_choice(func, inst)
    }

    /// What the address is made of is its lane's and the same in all iterations, and in each iteration something is added for all lanes.
    fn goes_along_a_row(&self, func: &Function, inst: Inst) -> bool {
        let Some(Access { address, .. }) = func.access(inst) else {
            return false;
        };
        let mut values = vec![Some(address.base), address.index];
        let (mut of_lanes, mut of_iterations) = (false, false);
        while let Some(value) = values.pop() {
            let Some(value) = value else { continue };
            let is_own = self.own.contains(&value) && func.constant(value).is_none();
            match func.def_data(value) {
                _ if !is_own => of_lanes |= func.ty(value).is_vector(),
                _ if !func.ty(value).is_vector() => of_iterations = true,
                // What the iteration before has added to.
                None => (of_lanes, of_iterations) = (true, true),
                Some(InstData::Lane { .. }) => of_iterations = true,
                Some(InstData::Convert { arg, .. }) => values.push(Some(*arg)),
                Some(InstData::Binary {
                    op: BinaryOp::Add | BinaryOp::Sub | BinaryOp::Shl | BinaryOp::Mul,
                    args,
                }) => values.extend(args.map(Some)),
                Some(_) => return false,
            }
        }
        of_lanes && of_iterations
    }

    /// Cycles from what an iteration is given to what it hands on, by the longest way: in parameters, or in the place of a lane's that it changes,
    /// which may be the same one in the next.
    fn waits(&self, func: &Function, costs: &Costs) -> u32 {
        let back = self.back(func);
        let params = func.block(self.block).params.iter().zip(back);
        let mut ways: Vec<(Value, Value, u32)> = params.map(|(&param, &back)| (param, back, 0)).collect();
        let accesses = || self.hot.iter().filter_map(|&inst| Some((inst, scattered(func, inst)?)));
        for (load, from) in accesses().filter(|&(inst, access)| !access.is_store && !self.goes_along_a_row(func, inst)) {
            for (store, _) in accesses().filter(|(_, to)| to.is_store && to.address == from.address) {
                if let InstData::Store { value, .. } = func.inst(store).data {
                    ways.push((func.result(load), value, costs.latency.load));
                }
            }
        }
        ways.into_iter()
            .filter_map(|(from, to, cycles)| self.way(func, costs, (from, cycles)).get(&to).copied())
            .max()
            .unwrap_or(0)
    }

    /// Cycles until each value is there that is made of one which takes so many.
    fn way(&self, func: &Function, costs: &Costs, from: (Value, u32)) -> FxHashMap<Value, u32> {
        let mut since: FxHashMap<Value, u32> = [from].into_iter().collect();
        for &inst in &self.hot {
            let node = func.inst(inst);
            let mut start = None;
            node.data.for_each_operand(|value| start = start.max(since.get(value).copied()));
            if let Some(cycles) = start {
                let is_load = matches!(node.data, InstData::Load { .. });
                let takes = match &node.data {
                    InstData::Lane { .. } => 0,
                    InstData::Select { .. } if self.is_unpredictable(func, inst) => costs.unpredictable_choice,
                    _ if is_load => costs.latency.load,
                    data => latency(data, &costs.latency),
                };
                since.extend(node.results.iter().map(|&result| (result, cycles + takes)));
            }
        }
        since
    }

    /// What the way back hands to the loop's parameters.
    fn back<'f>(&self, func: &'f Function) -> &'f [Value] {
        match self.latch {
            Some(latch) => &func.terminator(latch).targets()[0].args,
            None => &func.terminator(self.block).targets()[1 - self.exit].args,
        }
    }

    /// At the end of `b`'s block: enough iterations are left to a loop that is `given` this, if it counts one by one. A lane's loop ends by a branch that
    /// is mispredicted; an iteration wins a cycle at least. (Lanes that are off make vectors dear in any case.)
    fn has_iterations(&self, b: &mut Builder, given: &[Value], costs: &Costs) -> Option<Value> {
        let Counted {
            position,
            bound,
            conversion,
            ..
        } = Counted::new(b.func, self.test())?;
        if self.own.contains(&bound) && b.func.constant(bound).is_none() {
            return None;
        }
        let there = b.convert(conversion.unwrap_or(ConvertOp::Trunc), b.ty(bound).elem, given[position]);
        let bound = match b.func.constant(bound) {
            Some(bits) => b.constant(b.ty(bound), bits),
            None => bound,
        };
        // (It may count down.)
        let [up, down] = [b.sub(bound, there), b.sub(there, bound)];
        let left = b.binary(BinaryOp::UMin, up, down);
        Some(b.icmp_imm(IntCc::Uge, left, costs.misprediction().into()))
    }

    /// Has the lanes go through the loop one after the other.
    ///
    /// ```text
    /// start(p…):      the lanes that are on
    /// outer(left, r…): the lane; everything that the loop is given, of that lane
    ///   the loop
    /// after(x…):      r = x where this is that lane; once more, or
    /// done:           on to what follows, with r
    /// ```
    fn write(&self, func: &mut Function, cfg: &Cfg, costs: &Costs) {
        let [start, outer, iteration, again, after, done] = std::array::from_fn(|_| func.add_detached_block());
        let InstData::Branch { condition, targets } = func.terminator(self.block).clone() else {
            return;
        };
        let out = targets[self.exit].clone();
        for &pred in cfg.preds[self.block]
            .iter()
            .filter(|&&pred| pred != self.block && Some(pred) != self.latch)
        {
            func.retarget(pred, self.block, start);
        }
        let params = func.block(self.block).params.clone();
        let given: Vec<Value> = params.iter().map(|&param| func.add_param(start, func.ty(param))).collect();
        let vectors: Vec<usize> = (0..out.args.len()).filter(|&at| func.ty(out.args[at]).is_vector()).collect();
        let left = func.add_param(outer, Type::I32);
        let kept: Vec<Value> = vectors.iter().map(|&at| func.add_param(outer, func.ty(out.args[at]))).collect();

        let mut b = Builder::new(func, start);
        let each = Lanes {
            count: self.lanes,
            mask: self.mask,
        };
        let (first, some) = each.first(&mut b);
        let mut first_lane = vec![first];
        first_lane.extend(vectors.iter().map(|&at| b.constant(b.ty(out.args[at]), 0)));
        let worth_it = some.or_else(|| self.has_iterations(&mut b, &given, costs));
        match worth_it {
            Some(worth_it) => b.branch(worth_it, to(outer, &first_lane), to(self.block, &given)),
            None => b.jump(outer, &first_lane),
        }

        b.block = outer;
        let lane = each.number(&mut b, left);
        let mut scalars = Scalars {
            of: self,
            outer,
            lane,
            map: FxHashMap::default(),
        };
        let first_iteration: Vec<Value> = given.iter().map(|&value| scalars.taken(&mut b, value)).collect();
        b.jump(iteration, &first_iteration);
        for &param in &params {
            let own = func.add_param(iteration, func.ty(param).with_lanes(1));
            scalars.map.insert(param, own);
        }
        scalars.copy(func, self.block, iteration);
        if let Some(latch) = self.latch {
            scalars.copy(func, latch, again);
        }
        let back = self.back(func).to_vec();
        let [next_iteration, results] = [&back, out.args.as_slice()].map(|args| scalars.all(func, args));
        let mut ways = [to(after, &results), to(again, &[])];
        ways.rotate_left(self.exit);
        let condition = scalars.scalar(func, condition);
        let mut b = Builder::new(func, iteration);
        let [then, otherwise] = ways;
        b.branch(condition, then, otherwise);
        Builder::new(func, again).jump(iteration, &next_iteration);

        let results: Vec<Value> = out
            .args
            .iter()
            .map(|&arg| func.add_param(after, func.ty(arg).with_lanes(1)))
            .collect();
        let mut b = Builder::new(func, after);
        let is_lane = each.only(&mut b, lane);
        let mut handed_out = results.clone();
        let mut next_lane = vec![left];
        for (&at, &before) in vectors.iter().zip(&kept) {
            let own = b.splat(self.lanes, results[at]);
            handed_out[at] = b.select(is_lane, own, before);
            next_lane.push(handed_out[at]);
        }
        let (next, has_more) = each.next(&mut b, left);
        next_lane[0] = next;
        b.branch(has_more, to(outer, &next_lane), to(done, &[]));
        b.block = done;
        b.jump(out.block, &handed_out);

        let at = func.layout.iter().position(|&other| other == self.block).unwrap_or(0);
        func.layout.splice(at..at, [start, outer, iteration, again, after, done]);
        if worth_it.is_none() {
            // Nobody comes there any more.
            func.layout.retain(|&block| block != self.block && Some(block) != self.latch);
        }
    }
}

/// What one lane has of the loop's values.
struct Scalars<'l> {
    of: &'l LaneLoop,
    /// Where lanes are taken out of what the loop doesn't change.
    outer: Block,
    lane: Value,
    map: FxHashMap<Value, Value>,
}

impl Scalars<'_> {
    /// Writes what a block does, but for its last instruction, for the lane.
    fn copy(&mut self, func: &mut Function, from: Block, into: Block) {
        let insts = func.block(from).insts.clone();
        for &inst in &insts[..insts.len() - 1] {
            let (mut data, flags) = (func.inst(inst).data.clone(), func.inst(inst).flags);
            let results = func.inst(inst).results.clone();
            match &mut data {
                InstData::Lane { args, .. } => {
                    let value = self.scalar(func, args[0]);
                    self.map.insert(results[0], value);
                    continue;
                }
                InstData::Load { mask, passthru, .. } => (*mask, *passthru) = (None, None),
                InstData::Store { mask, .. } => *mask = None,
                _ => {}
            }
            data.for_each_operand_mut(|value| *value = self.scalar(func, *value));
            if let InstData::Load { ty, .. } | InstData::Convert { ty, .. } | InstData::Const { ty, .. } = &mut data {
                *ty = ty.with_lanes(1);
            }
            let copy = func.append(into, data, flags);
            self.map.extend(results.into_iter().zip(func.inst(copy).results.clone()));
        }
    }

    fn all(&mut self, func: &mut Function, values: &[Value]) -> Vec<Value> {
        values.iter().map(|&value| self.scalar(func, value)).collect()
    }

    /// What the lane has of a value.
    fn scalar(&mut self, func: &mut Function, value: Value) -> Value {
        if let Some(&known) = self.map.get(&value) {
            return known;
        }
        if self.of.own.contains(&value) || !func.ty(value).is_vector() {
            return value;
        }
        let own = func.before_end(self.outer, |b| self.taken(b, value));
        self.map.insert(value, own);
        own
    }

    /// The lane's part of what is known before the loop.
    fn taken(&self, b: &mut Builder, value: Value) -> Value {
        let ty = b.ty(value);
        match (b.func.splatted(value), b.func.constant(value)) {
            _ if !ty.is_vector() => value,
            (Some(scalar), _) => scalar,
            (None, Some(bits)) => b.constant(ty.with_lanes(1), bits),
            (None, None) => b.lane(LaneOp::ExtractDynamic, ty.with_lanes(1), &[value, self.lane]),
        }
    }
}
