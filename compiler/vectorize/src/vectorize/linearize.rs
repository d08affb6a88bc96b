//! Which ways lanes take: at the end of each block, and from iteration to iteration of a loop.
//!
//! Lanes that part are visited one after the other, in [`crate::order`]; every edge stores its lanes and arguments for the block that it
//! leads to.

use super::{Deferred, Vectorizer};
use crate::order::Node;
use analysis::uniformity::Shape;
use ir::*;
use target::costs::{COLD_MASKED_INSTRUCTIONS, MASKED_INSTRUCTIONS};

impl Vectorizer<'_> {
    pub(super) fn write_terminator(&mut self, block: Block) {
        match self.src.terminator(block) {
            InstData::Jump { target } => self.leave_together(std::slice::from_ref(target), None),
            InstData::Branch { condition, targets } => {
                if self.lanes == 1 || self.uniformity.shape(*condition).is_uniform() {
                    let condition = self.raw(*condition);
                    self.leave_together(&targets.clone(), Some(Choice::Branch(condition)));
                } else {
                    let mask = self.mask();
                    let (then, condition) = self.where_it_holds(mask, *condition);
                    let otherwise = self.mask_and_not(mask, condition);
                    let [first, second] = targets.clone();
                    self.leave_apart(&[(first, then), (second, otherwise)]);
                }
            }
            InstData::Switch { value, cases, default } => {
                if self.lanes == 1 || self.uniformity.shape(*value).is_uniform() {
                    let value = self.raw(*value);
                    let numbers = cases.iter().map(|&(case, _)| case).collect();
                    let targets: Vec<BlockCall> = cases.iter().map(|(_, target)| target.clone()).chain([default.clone()]).collect();
                    self.leave_together(&targets, Some(Choice::Switch(value, numbers)));
                } else {
                    let mut rest = self.mask();
                    let value = self.vector(*value);
                    let mut edges = Vec::new();
                    for (case, target) in cases {
                        let ty = self.func.ty(value);
                        let mut b = self.builder();
                        let number = b.constant(ty, *case);
                        let equal = b.icmp(IntCc::Eq, value, number);
                        edges.push((target.clone(), self.mask_and(rest, equal)));
                        rest = self.mask_and_not(rest, equal);
                    }
                    edges.push((default.clone(), rest));
                    self.leave_apart(&edges);
                }
            }
            InstData::Return { values } => {
                let values: ValueList = values.iter().map(|&value| self.vector(value)).collect();
                self.builder().push(InstData::Return { values });
            }
            &InstData::Trap { reason } => {
                self.note_trap();
                self.builder().push(InstData::Trap { reason });
            }
            // Lanes that come here retire.
            InstData::Unreachable => self.go_on(),
            _ => {}
        }
    }

    /// The lanes of `mask` in which a condition holds, and what has to be false in the others. The part of it that is the same in all lanes comes last,
    /// where [`Vectorizer::write_latch`] finds it.
    fn where_it_holds(&mut self, mask: Value, condition: Value) -> (Value, Value) {
        if let Some(&InstData::Binary { op: BinaryOp::And, args }) = self.src.def_data(condition)
            && let Some(first) = args.iter().position(|&arg| self.uniformity.shape(arg).is_uniform())
            && self.src.constant(args[first]).is_none()
        {
            let [same, other] = [args[first], args[1 - first]].map(|arg| self.vector(arg));
            let in_part = self.mask_and(mask, other);
            let then = self.mask_and(same, in_part);
            return (then, then);
        }
        let condition = self.vector(condition);
        (self.mask_and(mask, condition), condition)
    }

    /// All active lanes take the same way, which `choice` finds at run time.
    fn leave_together(&mut self, targets: &[BlockCall], choice: Option<Choice>) {
        let mask = self.mask();
        let from = self.here.block;
        let node = self.here.node;
        let Some(choice) = choice else {
            self.pass(&targets[0], mask, Among::ALONE);
            self.arrive(node, &targets[0]);
            return;
        };
        // Each way gets a block of its own for what it passes on.
        let mut calls = Vec::new();
        let mut ways = Vec::new();
        for target in targets {
            let way = self.func.add_block();
            calls.push(BlockCall::new(way, &[]));
            ways.push((way, target));
            self.declare(way, from);
        }
        match choice {
            Choice::Branch(condition) => {
                let second = calls.pop().expect("two ways");
                let first = calls.pop().expect("two ways");
                self.builder().push(InstData::Branch {
                    condition,
                    targets: [first, second],
                });
            }
            Choice::Switch(value, numbers) => {
                let default = calls.pop().expect("a default");
                let cases = numbers.into_iter().zip(calls).collect();
                self.builder().push(InstData::Switch { value, cases, default });
            }
        }
        for (way, target) in ways {
            self.continue_in(way);
            self.here.values.clear();
            self.pass(target, mask, Among::ALONE);
            self.arrive(node, target);
        }
    }

    /// Lanes take different ways: visit them one after the other.
    fn leave_apart(&mut self, edges: &[(BlockCall, Value)]) {
        let node = self.here.node;
        let mut pending = self.deferred[node].clone();
        for (target, mask) in edges {
            let to = self.destination(target.block) as u32;
            let alone = !pending.get(&to).copied().unwrap_or(false);
            let only = edges.iter().filter(|(other, _)| other.block == target.block).count() == 1;
            self.pass(target, *mask, Among { alone, only });
            pending.insert(to, true);
        }
        self.visit_next(node, pending, None);
    }

    /// No lane goes on from here; the deferred blocks are next.
    fn go_on(&mut self) {
        let node = self.here.node;
        let pending = self.deferred[node].clone();
        self.visit_next(node, pending, None);
    }

    /// All lanes go to `target`, unless something deferred comes before it.
    fn arrive(&mut self, node: usize, target: &BlockCall) {
        let to = self.destination(target.block);
        if to <= node {
            // Round again in a loop that all lanes leave together.
            let header = self.blocks[to];
            self.declare(header, self.here.block);
            self.builder().jump(header, &[]);
            return;
        }
        let mut pending = self.deferred[node].clone();
        pending.insert(to as u32, true);
        self.visit_next(node, pending, Some(to));
    }

    /// Where an edge to `block` leads from here: a back edge of a loop with a latch leads to the latch.
    fn destination(&self, block: Block) -> usize {
        let to = self.position(block);
        if to <= self.here.node
            && let Some(index) = self.loops.innermost[block]
            && let Some(latch) = self.order.latch[index as usize]
        {
            return latch as usize;
        }
        to
    }

    /// Jumps to the first of the pending nodes; to the next where the first is not worth entering without lanes.
    fn visit_next(&mut self, from: usize, mut pending: Deferred, certain: Option<usize>) {
        loop {
            let Some((first, _)) = pending.pop_first() else {
                // Every lane has retired.
                let results: Vec<Type> = self.func.results.to_vec();
                let mut b = self.builder();
                let values: Vec<Value> = results.into_iter().map(|ty| b.constant(ty, 0)).collect();
                b.ret(&values);
                return;
            };
            let node = first as usize;
            for (&later, &lanes) in &pending {
                *self.deferred[node].entry(later).or_insert(false) |= lanes;
            }
            let to = self.blocks[node];
            let awake = match self.alias[node] {
                Some(up) => self.awake[up],
                None => certain == Some(node) && self.awake[from],
            } || self.lanes == 1;
            self.reached[node] = true;
            if awake || !self.needs_a_lane(node) {
                self.awake[node] &= awake;
                self.declare(to, self.here.block);
                self.builder().jump(to, &[]);
                return;
            }
            let variable = self.mask_variable(self.alias[node].unwrap_or(node));
            let mask = self.ssa.use_variable(&mut self.func, variable, self.here.block);
            let around = self.func.add_block();
            let mut b = self.builder();
            let some = b.lane(LaneOp::AnyTrue, Type::MASK, &[mask]);
            b.branch(some, to_block(to), to_block(around));
            let block = self.here.block;
            self.declare(to, block);
            self.declare(around, block);
            self.continue_in(around);
        }
    }

    /// The node must not be entered, or is too costly to enter, when no lane is active.
    fn needs_a_lane(&self, node: usize) -> bool {
        let Node::Block(block) = self.order.nodes[node] else { return false };
        if self.loop_of_header(node).is_some() {
            return true;
        }
        let insts = &self.src.block(block).insts;
        let ends = matches!(self.src.terminator(block), InstData::Trap { .. });
        let done_lane_by_lane = |&inst: &Inst| matches!(self.src.inst(inst).data, InstData::CallRuntime { .. });
        ends || insts.len() > done_anyway(self.src, block)
            || self.leaves_scalars(block)
            || insts.iter().any(done_lane_by_lane)
            || insts.iter().any(|&inst| self.touches_without_mask(inst))
    }

    /// What the block passes on is one scalar for all lanes: if none of them comes here, they may all have gone another way to the same
    /// place, and left theirs.
    fn leaves_scalars(&self, block: Block) -> bool {
        self.src.terminator(block).targets().into_iter().any(|target| {
            let scalar = |&param: &Value| self.uniformity.shape(param) != Shape::Varying;
            // Without a lane that iterates again, nobody asks for what the next iteration begins with.
            let goes_round = self.loops.innermost[target.block].is_some_and(|index| {
                let natural = &self.loops.loops[index as usize];
                natural.header == target.block && natural.latches == [block]
            });
            self.cfg.preds[target.block].len() > 1 && !goes_round && self.src.block(target.block).params.iter().any(scalar)
        })
    }

    /// The instruction has no masked form here.
    fn touches_without_mask(&self, inst: Inst) -> bool {
        let uniform = |address: &Address| {
            self.uniformity.shape(address.base).is_uniform() && address.index.is_none_or(|index| self.uniformity.shape(index).is_uniform())
        };
        match &self.src.inst(inst).data {
            InstData::Load { address, mem, .. } => uniform(address) && !mem.flags.contains(MemFlags::DEREFERENCEABLE),
            InstData::Store { address, .. } => uniform(address),
            InstData::AtomicLoad { .. }
            | InstData::AtomicStore { .. }
            | InstData::AtomicRmw { .. }
            | InstData::AtomicCas { .. }
            | InstData::Copy { .. }
            | InstData::Barrier { .. }
            | InstData::Call { .. } => true,
            _ => false,
        }
    }

    /// The lanes of `mask` take an edge: they join the target's mask and leave their arguments.
    fn pass(&mut self, target: &BlockCall, mask: Value, Among { alone, only }: Among) {
        let to = self.destination(target.block);
        let block = self.here.block;
        let again = to <= self.here.node;
        let waiting = self.deferred[self.here.node].get(&(to as u32)).copied().unwrap_or(false);
        let leaves = self.leaves_parted_loop(target.block);
        // No lane has left arguments there before that must be kept.
        let first = again || alone && !waiting && !leaves;
        // Lanes that stay in a loop may leave some there as well: what they leave in the end is what counts. So this does not wait for the condition.
        let giving = if leaves && only { self.mask() } else { mask };
        if self.lanes > 1 && self.alias[to].is_none() {
            let variable = self.mask_variable(to);
            let mask = if again {
                mask
            } else {
                let so_far = self.ssa.use_variable(&mut self.func, variable, block);
                self.mask_or(so_far, mask)
            };
            self.ssa.define(variable, block, mask);
        }
        let params = &self.src.block(target.block).params;
        for (&param, &arg) in params.iter().zip(&target.args) {
            let variable = self.incoming_variable(param);
            let value = match self.uniformity.shape(param) {
                Shape::Varying if self.lanes > 1 => {
                    let value = self.vector(arg);
                    if first || self.func.constant(giving) == Some(1) {
                        value
                    } else {
                        let so_far = self.ssa.use_variable(&mut self.func, variable, block);
                        if so_far == value {
                            value
                        } else {
                            self.builder().select(giving, value, so_far)
                        }
                    }
                }
                _ => self.raw(arg),
            };
            self.ssa.define(variable, block, value);
        }
    }

    /// The edge from here to `block` goes out of a loop whose lanes leave one by one: lanes of earlier iterations wait there already.
    fn leaves_parted_loop(&self, block: Block) -> bool {
        let Node::Block(from) = self.order.nodes[self.here.node] else {
            return false;
        };
        let mut left = self.loops.around(from).take_while(|&index| !self.loops.contains(index, block));
        left.any(|index| self.order.latch[index].is_some())
    }

    /// The lanes that iterate again come together; without any, the loop is left.
    pub(super) fn write_latch(&mut self, node: usize, index: usize) {
        self.enter(node);
        let out = self.here.block;
        self.ssa.seal(out);
        let mask = self.mask();
        let header = self.position(self.loops.loops[index].header);
        let (again, leave) = (self.func.add_block(), self.func.add_block());
        let (same, mask) = self.same_and_other(mask);
        let mut b = self.builder();
        let mut some = b.lane(LaneOp::AnyTrue, Type::MASK, &[mask]);
        if let Some(same) = same {
            some = b.and(same, some);
        }
        b.branch(some, to_block(again), to_block(leave));
        self.declare(again, out);
        self.declare(leave, out);
        self.continue_in(again);
        if self.alias[header].is_none() {
            let variable = self.mask_variable(header);
            self.ssa.define(variable, again, mask);
        }
        let header = self.blocks[header];
        self.declare(header, again);
        self.builder().jump(header, &[]);
        self.continue_in(leave);
        self.go_on();
    }

    /// A mask is another where a scalar is true, and none where it is false: both of them. Where it is not none, it is the other.
    fn same_and_other(&self, mask: Value) -> (Option<Value>, Value) {
        if let Some(&InstData::Binary { op: BinaryOp::And, args }) = self.func.def_data(mask)
            && let Some(InstData::Lane {
                op: LaneOp::Splat,
                args: same,
                ..
            }) = self.func.def_data(args[0])
        {
            return (Some(same[0]), args[1]);
        }
        (None, mask)
    }
}

/// An edge among the others of the block that it starts from.
#[derive(Clone, Copy)]
struct Among {
    /// No other leads there at the same time, so far.
    alone: bool,
    /// Nor does one later.
    only: bool,
}

impl Among {
    const ALONE: Among = Among { alone: true, only: true };
}

enum Choice {
    Branch(Value),
    Switch(Value, Vec<u64>),
}

fn to_block(block: Block) -> BlockCall {
    BlockCall::new(block, &[])
}

/// Instructions of a block that are done under masks without asking whether any lane is active. Quotients and roots keep a unit busy for longer than it takes to
/// ask, where there hardly ever is one.
pub fn done_anyway(func: &Function, block: Block) -> usize {
    let is_long = |&inst: &Inst| {
        let data = &func.inst(inst).data;
        matches!(
            data,
            InstData::Unary { op: UnaryOp::Sqrt, .. } | InstData::Binary { op: BinaryOp::FDiv, .. }
        )
    };
    let BlockData { insts, cold, .. } = func.block(block);
    match cold {
        true if insts.iter().any(is_long) => 0,
        true => COLD_MASKED_INSTRUCTIONS,
        false => MASKED_INSTRUCTIONS,
    }
}
