//! Loops along rows, one lane after the other, with as many iterations in a vector as there are lanes.
//!
//! Where no iteration waits for the one before, a lane's iterations can be the vector's lanes as well as the gang's work-items can: its row
//! is loaded and stored as it lies in memory, and the machine sees one stream of it after the other. (Rows whose distance is a power of two
//! are in the same few lines of the cache: of eight at once, each would push out the others.) Sums whose order doesn't matter are of each
//! vector's lanes first.
//!
//! A loop over the lanes goes around the loop; what is left of the iterations is for the loop as it was.

mod iterations;

use super::dots::{self, Dot, Sum, only_dots};
use super::lanes::Lanes;
use super::row::{Row, Walk};
use super::row_loop::RowLoop;
use super::runtime_alias_checks::Apart;
use crate::versioning::Assumption;
use analysis::Analyses;
use ir::cfg::Cfg;
use ir::*;
use iterations::Iterations;
use passes::Plan;
use rustc_hash::{FxHashMap, FxHashSet};
use target::Machine;
use target::costs::row;

/// Rewrites. True if there was such a loop.
pub fn run(func: &mut Function, _machine: &Machine, analyses: &mut Analyses, plan: &mut Plan) -> bool {
    let Some((cfg, found)) = RowLoop::all(func, analyses, Row::of) else {
        return false;
    };
    let mut changed = false;
    // Those behind first: the ways out of the others then lead to what is before them now.
    for rows in found.iter().rev() {
        let along = Along::new(func, rows);
        plan.note("rows_along", || match &along {
            Ok(along) => format!("loop at {}: lane by lane, {} iterations at once", rows.block, along.step()),
            Err(why) => format!("loop at {}: as it is, since {why}", rows.block),
        });
        if let Ok(along) = along {
            along.write(func, cfg);
            changed = true;
        }
    }
    changed
}

/// A loop that can be written so.
struct Along<'r> {
    rows: &'r RowLoop,
    /// Of the gang, and of vectors along the row.
    lanes: u16,
    /// The loop's counter.
    counter: Value,
    /// The lanes that go along their rows, if not all do.
    mask: Option<Value>,
    sums: Vec<Sum>,
    /// The sums are these, in their order, and the loop does nothing else: so many bytes a lane are summed at once.
    dots: Vec<Dot>,
    /// What is made anew in each iteration.
    own: FxHashSet<Value>,
}

impl Along<'_> {
    /// Or why it can't.
    fn new<'r>(func: &Function, rows: &'r RowLoop) -> Result<Along<'r>, &'static str> {
        const NO_LOOP: &str = "it is no loop along rows";
        let (&terminator, body) = func.block(rows.block).insts.split_last().ok_or(NO_LOOP)?;
        let params = &func.block(rows.block).params;
        let (lanes, mask) = body
            .iter()
            .find_map(|&inst| Row::of(func, inst).map(|row| (row.lanes, row.mask)))
            .ok_or(NO_LOOP)?;
        let mut along = Along {
            rows,
            lanes,
            counter: params[rows.counter],
            mask,
            sums: Vec::new(),
            dots: Vec::new(),
            own: func.values_of(rows.block).collect(),
        };
        let back = rows.back(func);
        for position in (0..params.len()).filter(|&position| position != rows.counter) {
            let sum = Sum::of(func, (rows.block, body), lanes, position, back[position]);
            let sum = sum.ok_or("an iteration hands on what is no sum whose order does not matter")?;
            along.sums.push(sum);
        }
        let InstData::Branch { condition, targets } = &func.inst(terminator).data else {
            return Err(NO_LOOP);
        };
        let condition = func.def_inst(*condition).ok_or(NO_LOOP)?;
        let is_written = |&inst: &Inst| rows.counts(func, inst) || inst == condition || along.can_be_written(func, inst);
        // (Lanes that are on are bits.)
        let may_mask = mask.is_none_or(|mask| !along.own.contains(&mask) && lanes <= 32);
        let stores = body.iter().any(|&inst| matches!(func.inst(inst).data, InstData::Store { .. }));
        let next = func.result(rows.step);
        let leaves = |value: &Value| !along.own.contains(value) || *value == next || along.sums.iter().any(|sum| sum.result == *value);
        let fits = may_mask && body.iter().all(is_written) && (stores || !along.sums.is_empty());
        let comes_out = targets[rows.exit].args.iter().chain(&rows.seen_behind).all(leaves);
        if !fits {
            return Err("something in it can't be done for several iterations at once");
        }
        if !comes_out {
            return Err("what is used behind it is neither a sum nor the counter");
        }
        // (All that such a sum needs goes along: there is nothing to compute but that.)
        let goes_along = |inst| matches!(along.walk(func, inst), Some(Walk::Rows(_) | Walk::Together));
        along.dots = only_dots(func, rows, body, &along.sums, goes_along).unwrap_or_default();
        let apart = rows.may_take(func, along.step());
        apart.then_some(along).ok_or("an iteration loads what one a few before it stores")
    }

    /// Iterations at a time.
    fn step(&self) -> u32 {
        let in_a_lane = if self.dots.is_empty() { 1 } else { dots::BYTES };
        u32::from(self.lanes) * in_a_lane
    }

    /// So many iterations must be left.
    fn least(&self) -> u32 {
        let vectors = match (self.sums.is_empty(), self.dots.is_empty()) {
            (false, true) => row::VECTORS_WITH_SUMS,
            _ => row::VECTORS,
        };
        vectors * self.step()
    }

    /// The instruction does in each iteration what has nothing to do with other iterations, and can be done for many at once.
    fn can_be_written(&self, func: &Function, inst: Inst) -> bool {
        let (data, next, tested) = (&func.inst(inst).data, func.result(self.rows.step), self.rows.tested);
        let is_access = matches!(data, InstData::Load { .. } | InstData::Store { .. });
        let mut fits = true;
        data.for_each_operand(|&value| {
            // (A truth value of all lanes would have to be made one of each.)
            let may_be_mask = self.own.contains(&value) || is_access && self.mask == Some(value);
            fits &= value != next && value != tested && (func.ty(value).elem != Elem::Mask || may_be_mask);
        });
        let result = func.inst(inst).results.first().map(|&value| func.ty(value));
        let as_wide = result.is_none_or(|ty| ty.lanes == self.lanes);
        fits && match data {
            InstData::Load { .. } | InstData::Store { .. } => match self.walk(func, inst) {
                Some(Walk::Rows(row)) => as_wide && row.lanes == self.lanes,
                walk => walk.is_some(),
            },
            InstData::Const { .. } => true,
            InstData::Lane { op: LaneOp::Splat, .. } => as_wide,
            InstData::Unary { .. } | InstData::Fma { .. } | InstData::Convert { .. } => true,
            // (One division of integers is not for all iterations what it is for one.)
            InstData::Binary { op, .. } => as_wide || !matches!(op, BinaryOp::UDiv | BinaryOp::SDiv | BinaryOp::URem | BinaryOp::SRem),
            InstData::Select { .. } | InstData::IntCompare { .. } | InstData::FloatCompare { .. } => as_wide,
            _ => false,
        }
    }

    /// How a load or store goes over iterations, with all lanes that go along their rows.
    fn walk(&self, func: &Function, inst: Inst) -> Option<Walk> {
        let walk = Walk::of(func, inst, self.counter, |value| !self.own.contains(&value));
        walk.filter(|walk| !matches!(walk, Walk::Rows(row) if row.mask != self.mask))
    }

    fn write(&self, func: &mut Function, cfg: &Cfg) {
        let rows = self.rows;
        rows.hand_out(func);
        let Some(bound) = rows.bound(func) else { return };
        let [head, lanes, along, after, done] = std::array::from_fn(|_| func.add_detached_block());
        rows.enter_by(func, cfg, head);
        let at_head = rows.given(func, head);
        let lanes_left = func.add_param(lanes, Type::I32);
        let each = Lanes {
            count: self.lanes,
            mask: self.mask,
        };
        let lane = each.number(&mut Builder::new(func, lanes), lanes_left);
        let of_lanes = self.add_sums(func, lanes);
        let counter = func.add_param(along, func.ty(self.counter));
        let of_iterations = self.add_sums(func, along);

        // As many iterations as make whole vectors.
        let start = at_head[rows.counter];
        let mut b = Builder::new(func, head);
        let mut enough = rows.has_iterations(&mut b, start, bound, self.least());
        if rows.must_ask(b.func) {
            let mut apart = Apart {
                rows,
                there: start,
                bound,
                iterations: self.step(),
            };
            let apart = apart.test(&mut b).mask;
            enough = b.and(enough, apart);
        }
        let left = rows.left(&mut b, start, bound);
        let iterations = b.binary_imm(BinaryOp::And, left, -i64::from(self.step()));
        let end = b.add(start, iterations);
        let (first, some) = each.first(&mut b);
        enough = some.map_or(enough, |some| b.and(enough, some));
        let mut first_lane = vec![first];
        first_lane.extend(self.sums.iter().map(|sum| at_head[sum.position]));
        // (It also writes to `head` and `lanes`.)
        let sums = self.write_iterations(func, [head, lanes, along], (lane, counter), &of_iterations);
        Builder::new(func, head).branch(enough, to(lanes, &first_lane), to(rows.block, &at_head));

        let mut b = Builder::new(func, lanes);
        let mut first_iterations = vec![start];
        for sum in &self.sums {
            let ty = b.ty(sum.result);
            first_iterations.push(b.constant(ty, sum.start(ty.elem)));
        }
        b.jump(along, &first_iterations);

        b.block = along;
        let step = b.constant(b.ty(counter), self.step().into());
        b.flags = b.func.inst(rows.step).flags;
        let mut next_iterations = vec![b.add(counter, step)];
        b.flags = Flags::empty();
        let is_last = b.icmp(IntCc::Eq, next_iterations[0], end);
        next_iterations.extend(&sums);
        b.branch(is_last, to(after, &[]), to(along, &next_iterations));

        b.block = after;
        let (next, has_more) = each.next(&mut b, lanes_left);
        let mut next_lane = vec![next];
        next_lane.extend(self.collect(&mut b, (each, lane), &of_lanes, &sums));
        b.branch(has_more, to(lanes, &next_lane), to(done, &[]));

        b.block = done;
        let back = rows.back(b.func).to_vec();
        let exit = b.func.terminator(rows.block).targets()[rows.exit].clone();
        let mut results: FxHashMap<Value, Value> = self.sums.iter().map(|sum| sum.result).zip(next_lane[1..].iter().copied()).collect();
        results.insert(back[rows.counter], end);
        let [out, rest] = [exit.args.as_slice(), &back].map(|args| {
            let result = |value: &Value| results.get(value).copied().unwrap_or(*value);
            args.iter().map(result).collect::<Vec<Value>>()
        });
        let is_over = b.icmp(IntCc::Eq, iterations, left);
        b.branch(is_over, to(exit.block, &out), to(rows.block, &rest));

        let at = func.layout.iter().position(|&other| other == rows.block).unwrap_or(0);
        func.layout.splice(at..at, [head, lanes, along, after, done]);
    }

    /// Parameters for the sums.
    fn add_sums(&self, func: &mut Function, block: Block) -> Vec<Value> {
        self.sums.iter().map(|sum| func.add_param(block, func.ty(sum.result))).collect()
    }

    /// The loop's iterations, a vector of them at once. Gives the sums after them.
    fn write_iterations(&self, func: &mut Function, blocks: [Block; 3], (lane, counter): (Value, Value), sums: &[Value]) -> Vec<Value> {
        let params = func.block(self.rows.block).params.clone();
        let mut iterations = Iterations {
            of: self,
            blocks,
            lane,
            counter,
            map: self.sums.iter().map(|sum| params[sum.position]).zip(sums.iter().copied()).collect(),
            same: FxHashSet::default(),
        };
        if !self.dots.is_empty() {
            return self
                .dots
                .iter()
                .zip(sums)
                .map(|(dot, &sum)| iterations.dot(func, dot, sum))
                .collect();
        }
        let insts = func.block(self.rows.block).insts.clone();
        insts[..insts.len() - 1].iter().for_each(|&inst| iterations.write(func, inst));
        self.sums.iter().map(|sum| iterations.map[&sum.result]).collect()
    }

    /// What all lanes have `so_far`, with one lane's sums, each of which is in a vector's lanes.
    fn collect(&self, b: &mut Builder, (each, lane): (Lanes, Value), so_far: &[Value], sums: &[Value]) -> Vec<Value> {
        if sums.is_empty() {
            return Vec::new();
        }
        let is_lane = each.only(b, lane);
        let all = b.mask(Type::MASK.with_lanes(self.lanes), true);
        let add = |((sum, &of_lane), &so_far): ((&Sum, &Value), &Value)| {
            let ty = b.ty(of_lane);
            let total = b.lane(LaneOp::Reduce(sum.op), ty.with_lanes(1), &[of_lane, all]);
            let total = b.splat(self.lanes, total);
            let both = sum.with(b, so_far, total);
            b.select(is_lane, both, so_far)
        };
        self.sums.iter().zip(sums).zip(so_far).map(add).collect()
    }
}
