//! What a loop takes as vectors, and lane by lane: cycles of an iteration of a gang; and what is around loops that lanes go through one by one.

use analysis::access::{Accesses, LaneOrder};
use analysis::counted::Counted;
use analysis::recurrence;
use analysis::throughput::{scalar_cycles, vector_cycles};
use analysis::uniformity::{Shape, Uniformity};
use analysis::{Analysis, GangFacts};
use ir::cfg::{Cfg, Loops};
use ir::*;
use passes::Plan;
use target::Machine;
use target::costs::assumed;

pub(super) struct Costs<'a> {
    func: &'a Function,
    cfg: &'a Cfg,
    loops: &'a Loops,
    uniformity: &'a Uniformity,
    accesses: Accesses<'a>,
    tree: &'a DominatorTree,
    facts: &'a GangFacts,
    machine: &'a Machine,
}

/// Cycles of a gang.
pub(crate) struct Around {
    pub vectors: f32,
    pub by_lane: f32,
}

impl<'a> Costs<'a> {
    pub fn new(func: &'a Function, known: &'a Analysis, facts: &'a GangFacts, machine: &'a Machine) -> Costs<'a> {
        Costs {
            func,
            cfg: known.cfg,
            loops: known.loops,
            uniformity: known.uniformity,
            accesses: known.accesses(func),
            tree: known.tree,
            facts,
            machine,
        }
    }

    /// What blocks outside of some take.
    pub fn around(&self, inside: impl Fn(Block) -> bool) -> Around {
        let mut around = Around {
            vectors: 0.0,
            by_lane: 0.0,
        };
        let ends: Vec<Block> = (self.func.layout.iter().copied())
            .filter(|&block| matches!(self.func.terminator(block), InstData::Return { .. }))
            .collect();
        for &block in self.func.layout.iter().filter(|&&block| !inside(block)) {
            let iterations = assumed::TRIP_COUNT.powi(self.loops.depth(block) as i32);
            let always = ends.iter().all(|&end| self.tree.dominates(block, end));
            let often = if always || iterations > 1.0 { 1.0 } else { assumed::BRANCH_TAKEN };
            // What lanes share is computed once, and so are ids but for the last sum.
            let shared = |inst: Inst| {
                let node = self.func.inst(inst);
                let uniform = !node.results.is_empty() && node.results.iter().all(|&value| self.uniformity.shape(value).is_uniform());
                uniform || matches!(node.data, InstData::Builtin { .. })
            };
            for &inst in self.func.block(block).insts.iter().filter(|&&inst| !shared(inst)) {
                around.vectors += iterations * self.vector(inst);
                around.by_lane += iterations * often * self.facts.width as f32 * self.scalar(inst);
            }
        }
        around
    }

    /// What it takes to have lanes go through a loop one by one: to find the next, load what it is given of vectors that were stored, and put what comes
    /// out of the loop into its lane of others.
    pub fn lanes_one_by_one(&self, header: Block, given: usize, results: usize) -> f32 {
        let costs = &self.machine.costs;
        // Its number and the bits of those that are left: found, cut, taken away, looked at; and the number spread and compared.
        let next = 4.0 * costs.scalar + costs.shuffle + costs.integer_vector;
        let result = costs.shuffle + costs.vector;
        let stored = given as f32 * costs.vector;
        let lane = next + given as f32 * costs.scalar + results as f32 * result;
        let iterations = assumed::TRIP_COUNT.powi(self.loops.depth(header) as i32 - 1);
        iterations * (stored + assumed::LANES_USED * self.facts.width as f32 * lane)
    }

    /// The loop takes less lane by lane than as vectors.
    pub fn are_lower(&self, index: usize, plan: &mut Plan) -> bool {
        let (natural, costs) = (&self.loops.loops[index], &self.machine.costs);
        let mut insts = natural.blocks.iter().flat_map(|&block| &self.func.block(block).insts);
        if !insts.any(|&inst| self.is_gather(inst)) {
            plan.note("scalarize_loops", || {
                format!("loop at {}: as vectors, since nothing is gathered", natural.header)
            });
            return false;
        }
        let together = self.lanes_leave_together(index);
        if together && self.goes_along(index) {
            plan.note("scalarize_loops", || {
                format!("loop at {}: as vectors, since lanes go along side by side", natural.header)
            });
            return false;
        }
        let (mut vectors, mut scalars) = (costs.masked_iteration, 0.0);
        for &block in &natural.blocks {
            let iterations = assumed::TRIP_COUNT.powi((self.loops.depth(block) - natural.depth) as i32);
            // Vectors come to all blocks, a lane to those of its way.
            let always = natural.latches.iter().all(|&latch| self.tree.dominates(block, latch));
            let often = if always || iterations > 1.0 { 1.0 } else { assumed::BRANCH_TAKEN };
            for &inst in &self.func.block(block).insts {
                vectors += iterations * self.vector(inst);
                scalars += iterations * often * self.scalar(inst);
            }
        }
        let (recurrence, chases) = recurrence::longest(self.func, self.loops, index, costs, |inst| {
            self.is_gather(inst) && self.may_be_far(inst)
        });
        let used = if together { 1.0 } else { assumed::LANES_USED };
        let lanes = used * self.facts.width as f32;
        let by_lane = lanes * f32::max(scalars, costs.exposed_latency * recurrence as f32);
        let are_lower = !chases && assumed::MARGIN * by_lane < vectors;
        plan.note("scalarize_loops", || {
            let taken = match are_lower {
                true => "lane by lane",
                false if chases => "as vectors, since lanes' loads wait for memory together",
                false => "as vectors",
            };
            let header = natural.header;
            format!("loop at {header}: {vectors:.1} cycles an iteration as vectors, {by_lane:.1} lane by lane: {taken}")
        });
        are_lower
    }

    /// Lanes count from places next to each other to the same bound: an iteration apart at most, all of them go through the loop until its end.
    fn lanes_leave_together(&self, index: usize) -> bool {
        let natural = &self.loops.loops[index];
        let varies = |value: Value| self.uniformity.shape(value) == Shape::Varying;
        let leaves = |block: Block| self.func.successors(block).iter().any(|&succ| !self.loops.contains(index, succ));
        natural.blocks.iter().filter(|&&block| leaves(block)).all(|&block| {
            let condition = self.func.branch(block).map(|(condition, _)| condition);
            let compared = condition.and_then(|condition| self.func.comparison(condition));
            compared.is_some_and(|(_, args)| args.into_iter().all(|value| !varies(value)))
        })
    }

    /// The next of a lane's numbers lies behind those of all lanes: `for (i = get_global_id(0); i < n; i += get_global_size(0))`. Lane by lane, each would go
    /// along the same memory once more.
    fn goes_along(&self, index: usize) -> bool {
        let Some(counted) = Counted::find(self.func, self.cfg, self.loops, index) else {
            return false;
        };
        let neighbours = matches!(self.uniformity.shape(counted.param), Shape::Linear { stride: 1, .. });
        let far = match counted.constant_step(self.func) {
            Some(step) => step >= i64::from(self.facts.width),
            None => is_size(self.func, counted.step),
        };
        neighbours && far
    }

    fn is_gather(&self, inst: Inst) -> bool {
        self.accesses.order(inst) == Some(LaneOrder::Scattered)
    }

    /// It reads memory that need not be in the nearest cache, as private and local memory are.
    fn may_be_far(&self, inst: Inst) -> bool {
        match &self.func.inst(inst).data {
            InstData::Load { mem, .. } => !matches!(mem.space, Space::Private | Space::Local),
            _ => false,
        }
    }

    /// Of a gang.
    fn vector(&self, inst: Inst) -> f32 {
        let (node, costs) = (self.func.inst(inst), &self.machine.costs);
        let of_gang = |ty: Type| ty.with_lanes(self.facts.width as u16);
        let varies = |value: Value| self.uniformity.shape(value) == Shape::Varying;
        if let Some(Access { ty, .. }) = self.func.access(inst) {
            return match self.accesses.order(inst) {
                Some(LaneOrder::One) => costs.vector,
                Some(LaneOrder::Scattered) => costs.gather(ty.elem.bytes(), self.facts.width),
                _ => vector_cycles(&node.data, of_gang(ty), self.machine) + costs.vector,
            };
        }
        match &node.data {
            InstData::Const { .. } | InstData::Jump { .. } => 0.0,
            InstData::Branch { condition, .. } if varies(*condition) => costs.divergent_branch,
            InstData::Switch { value, cases, .. } if varies(*value) => costs.divergent_branch * cases.len() as f32,
            InstData::IntCompare { args: [a, _], .. } | InstData::FloatCompare { args: [a, _], .. } if varies(node.results[0]) => {
                vector_cycles(&node.data, of_gang(self.func.ty(*a)), self.machine)
            }
            data => match node.results.first() {
                Some(&result) if varies(result) => vector_cycles(data, of_gang(self.func.ty(result)), self.machine),
                _ => costs.vector,
            },
        }
    }

    /// Of a lane. The machine's loads extend and scale what they take.
    fn scalar(&self, inst: Inst) -> f32 {
        let costs = &self.machine.costs;
        match &self.func.inst(inst).data {
            InstData::Const { .. } | InstData::Jump { .. } => 0.0,
            // A comparison and its branch are one.
            InstData::IntCompare { .. } => 0.0,
            InstData::Convert {
                op: ConvertOp::SExt | ConvertOp::ZExt | ConvertOp::Trunc,
                ..
            } => 0.5 * costs.scalar,
            InstData::Switch { cases, .. } => cases.len() as f32 * costs.scalar,
            data => scalar_cycles(data, costs),
        }
    }
}

/// As many work-items as there are in a row.
fn is_size(func: &Function, value: Value) -> bool {
    matches!(
        func.def_data(func.in_any_bits(value)),
        Some(InstData::Builtin {
            builtin: Builtin::GlobalSize | Builtin::LocalSize | Builtin::EnqueuedLocalSize,
            ..
        })
    )
}
