//! A simpler flow graph: branches that are decided, jumps through empty blocks, blocks that follow each other, and small sides of a
//! branch that become selects.
//!
//! Nothing is duplicated, and only pure, cheap instructions move; so convergent operations stay as they are.

use analysis::Analyses;
use cranelift_entity::SecondaryMap;
use ir::cfg::keep_reachable;
use ir::edges::Edges;
use ir::*;
use std::collections::VecDeque;
use target::costs::effort::ROUNDS;
use target::costs::{SELECTS_FOR_BRANCH, SPECULATED_INSTRUCTIONS};

/// Simplifies the flow graph. True if something changed.
pub fn run(func: &mut Function, analyses: &mut Analyses) -> bool {
    let before = func.layout.len();
    let cfg = &analyses.flow(func).cfg;
    cfg.keep_reachable(func);
    if !Simplifier::new(func, &cfg.succs).round(&cfg.order) {
        return func.layout.len() != before;
    }
    for _ in 1..ROUNDS {
        let (order, succs) = keep_reachable(func);
        if !Simplifier::new(func, &succs).round(&order) {
            return true;
        }
    }
    keep_reachable(func);
    true
}

struct Simplifier<'f> {
    func: &'f mut Function,
    /// Of blocks that something is moved to: all but their terminators, which alone they have themselves then. Of two that become one, the
    /// shorter is what moves.
    bodies: SecondaryMap<Block, Option<VecDeque<Inst>>>,
    /// Edges into each block; 0 means that it is gone.
    preds: SecondaryMap<Block, u32>,
    /// Uses of each value, or more; none where no block is empty but for parameters, which alone are asked about.
    uses: Option<SecondaryMap<Value, u32>>,
    map: ValueMap,
    changed: bool,
}

impl<'f> Simplifier<'f> {
    fn new(func: &'f mut Function, succs: &Edges) -> Simplifier<'f> {
        let mut preds = func.per_block(0);
        for &block in &func.layout {
            succs[block].iter().for_each(|&succ| preds[succ] += 1);
        }
        // No block becomes empty that is still jumped to.
        let is_empty =
            |&block: &Block| matches!(func.block(block), BlockData { params, insts, .. } if insts.len() == 1 && !params.is_empty());
        let uses = func.layout.iter().skip(1).any(is_empty).then(|| func.use_counts());
        Simplifier {
            uses,
            bodies: func.per_block(None),
            func,
            preds,
            map: ValueMap::default(),
            changed: false,
        }
    }

    fn round(mut self, order: &[Block]) -> bool {
        let entry = self.func.entry();
        for &block in order.iter().rev() {
            // Each step removes an edge or a block, or is the last.
            while (block == entry || self.preds[block] > 0) && self.step(block) {
                self.changed = true;
            }
        }
        let Simplifier {
            func,
            mut bodies,
            map,
            changed,
            ..
        } = self;
        for index in 0..func.layout.len() {
            let block = func.layout[index];
            if let Some(body) = bodies[block].take() {
                let mut insts = Vec::from(body);
                insts.append(&mut func.block_mut(block).insts);
                func.block_mut(block).insts = insts;
            }
        }
        if changed {
            func.substitute(&map);
        }
        changed
    }

    fn step(&mut self, block: Block) -> bool {
        self.decide(block) || self.thread(block) || self.merge(block) || self.if_convert(block) || self.short_circuit(block)
    }

    /// All of a block but its terminator, to be changed.
    fn body(&mut self, block: Block) -> &mut VecDeque<Inst> {
        let insts = &mut self.func.block_mut(block).insts;
        self.bodies[block].get_or_insert_with(|| {
            let last = insts.pop();
            let body = std::mem::take(insts);
            insts.extend(last);
            body.into()
        })
    }

    /// How many instructions a block has but its terminator.
    fn body_len(&self, block: Block) -> usize {
        match &self.bodies[block] {
            Some(body) => body.len(),
            None => self.func.block(block).insts.len() - 1,
        }
    }

    /// What the first so many of them cost, as [`speculation_cost`] has it.
    fn body_cost(&self, block: Block, most: usize) -> Option<u32> {
        let cost = |&inst: &Inst| speculation_cost(&self.func.inst(inst).data);
        match &self.bodies[block] {
            Some(body) => body.iter().take(most).map(cost).sum(),
            None => {
                let (_, body) = self.func.block(block).insts.split_last()?;
                body.iter().take(most).map(cost).sum()
            }
        }
    }

    fn constant(&self, value: Value) -> Option<u64> {
        self.func.constant(self.map.resolve(value))
    }

    fn same_call(&self, a: &BlockCall, b: &BlockCall) -> bool {
        let same = |(&a, &b): (&Value, &Value)| self.map.resolve(a) == self.map.resolve(b);
        a.block == b.block && a.args.iter().zip(&b.args).all(same)
    }

    fn replace_value(&mut self, value: Value, by: Value) {
        let by = self.map.resolve(by);
        if let Some(uses) = &mut self.uses {
            uses[by] += uses[value];
        }
        self.map.insert(value, by);
    }

    /// One edge to `block` is gone; what can't be reached any more goes too.
    fn drop_edge(&mut self, block: Block) {
        let mut work = vec![block];
        while let Some(block) = work.pop() {
            self.preds[block] -= 1;
            if self.preds[block] == 0 {
                work.extend(self.func.successors(block));
            }
        }
    }

    fn set_terminator(&mut self, block: Block, data: InstData) {
        // Edges are added before any is dropped, so that nothing dies in between.
        for target in data.targets() {
            self.preds[target.block] += 1;
        }
        let old = std::mem::replace(self.func.terminator_mut(block), data);
        for target in old.targets() {
            self.drop_edge(target.block);
        }
    }

    fn insert_before_terminator(&mut self, block: Block, data: InstData) -> Value {
        if let Some(uses) = &mut self.uses {
            data.for_each_operand(|&value| uses[value] += 1);
        }
        let inst = self.func.make_inst(data, Flags::empty());
        self.body(block).push_back(inst);
        self.func.result(inst)
    }

    /// Branches whose way is known, or that lead to the same place.
    fn decide(&mut self, block: Block) -> bool {
        match self.func.terminator(block) {
            InstData::Branch { condition, targets } => {
                let condition = self.map.resolve(*condition);
                let [then, otherwise] = targets;
                if let Some(bits) = self.constant(condition) {
                    let target = if bits != 0 { then } else { otherwise };
                    let target = target.clone();
                    self.set_terminator(block, InstData::Jump { target });
                    true
                } else if self.same_call(then, otherwise) {
                    let target = then.clone();
                    self.set_terminator(block, InstData::Jump { target });
                    true
                } else if then.block == otherwise.block {
                    let (then, otherwise) = (then.clone(), otherwise.clone());
                    self.select_arguments(block, condition, then, otherwise)
                } else if let Some(&InstData::Unary { op: UnaryOp::Not, arg }) = self.func.def_data(condition) {
                    let targets = [otherwise.clone(), then.clone()];
                    if let Some(uses) = &mut self.uses {
                        uses[arg] += 1;
                    }
                    self.set_terminator(block, InstData::Branch { condition: arg, targets });
                    true
                } else {
                    false
                }
            }
            InstData::Switch { value, cases, default } => {
                let (value, default) = (self.map.resolve(*value), default.clone());
                if let Some(bits) = self.constant(value) {
                    let chosen = cases.iter().find(|(case, _)| *case == bits);
                    let target = chosen.map_or(default, |(_, target)| target.clone());
                    self.set_terminator(block, InstData::Jump { target });
                    return true;
                }
                let useful = |(_, target): &&(u64, BlockCall)| !self.same_call(target, &default);
                let left: Vec<(u64, BlockCall)> = cases.iter().filter(useful).cloned().collect();
                match left.as_slice() {
                    [] => self.set_terminator(block, InstData::Jump { target: default }),
                    [(bits, target)] => {
                        let targets = [target.clone(), default];
                        let (ty, bits) = (self.func.ty(value), *bits);
                        let constant = self.insert_before_terminator(block, InstData::Const { ty, bits });
                        let args = [value, constant];
                        let condition = self.insert_before_terminator(block, InstData::IntCompare { cc: IntCc::Eq, args });
                        self.set_terminator(block, InstData::Branch { condition, targets });
                    }
                    _ if left.len() < cases.len() => {
                        let cases = left.into();
                        self.set_terminator(block, InstData::Switch { value, cases, default });
                    }
                    _ => return false,
                }
                true
            }
            _ => false,
        }
    }

    /// `condition ? target(a) : target(b)` becomes `target(select condition, a, b)`.
    fn select_arguments(&mut self, block: Block, condition: Value, then: BlockCall, otherwise: BlockCall) -> bool {
        let pairs: Vec<(Value, Value)> = then
            .args
            .iter()
            .zip(&otherwise.args)
            .map(|(&a, &b)| (self.map.resolve(a), self.map.resolve(b)))
            .collect();
        if pairs.iter().filter(|(a, b)| a != b).count() > SELECTS_FOR_BRANCH {
            return false;
        }
        let mut args = ValueList::new();
        for (a, b) in pairs {
            args.push(match a == b {
                true => a,
                false => self.insert_before_terminator(
                    block,
                    InstData::Select {
                        mask: condition,
                        args: [a, b],
                    },
                ),
            });
        }
        let target = BlockCall { block: then.block, args };
        self.set_terminator(block, InstData::Jump { target });
        true
    }

    /// Jumps to a block that only jumps on go there at once.
    fn thread(&mut self, block: Block) -> bool {
        let goes_on = |through: Block| self.body_len(through) == 0 && matches!(self.func.terminator(through), InstData::Jump { .. });
        let mut any = false;
        self.func.for_each_successor(block, |succ| any |= goes_on(succ));
        if !any {
            return false;
        }
        let mut data = self.func.terminator(block).clone();
        let mut changed = false;
        for target in data.targets_mut() {
            if let Some(on) = self.forwarded(block, target) {
                *target = on;
                changed = true;
            }
        }
        if changed {
            self.set_terminator(block, data);
        }
        changed
    }

    /// Where a jump really goes, if its target is empty.
    fn forwarded(&mut self, from: Block, call: &BlockCall) -> Option<BlockCall> {
        let through = call.block;
        let empty = |block: Block| self.body_len(block) == 0;
        let InstData::Jump { target } = self.func.terminator(through) else {
            return None;
        };
        if !empty(through) {
            return None;
        }
        // A jump to itself, or one of two that jump to each other: a loop that never ends.
        if target.block == through || target.block == from || empty(target.block) && self.func.successors(target.block).contains(&through) {
            return None;
        }
        let params = &self.func.block(through).params;
        let own_uses = |param: Value| target.args.iter().filter(|&&arg| arg == param).count() as u32;
        if !params.is_empty() {
            let uses = self.uses.as_ref()?;
            if params.iter().any(|&param| uses[param] != own_uses(param)) {
                return None;
            }
        }
        let args: ValueList = target
            .args
            .iter()
            .map(|&arg| match params.iter().position(|&param| param == arg) {
                Some(position) => call.args[position],
                None => arg,
            })
            .collect();
        if let Some(uses) = &mut self.uses {
            args.iter().for_each(|&arg| uses[self.map.resolve(arg)] += 1);
        }
        Some(BlockCall { block: target.block, args })
    }

    /// A block that follows its only predecessor becomes its end.
    fn merge(&mut self, block: Block) -> bool {
        let InstData::Jump { target } = self.func.terminator(block) else {
            return false;
        };
        let next = target.block;
        if next == block || self.preds[next] != 1 {
            return false;
        }
        let args = target.args.clone();
        self.pass_arguments(next, &args);
        let mut rest = std::mem::take(self.body(next));
        let terminator = std::mem::take(&mut self.func.block_mut(next).insts);
        let own = self.body(block);
        if own.len() < rest.len() {
            own.drain(..).rev().for_each(|inst| rest.push_front(inst));
            *own = rest;
        } else {
            own.extend(rest);
        }
        self.func.block_mut(block).insts = terminator;
        self.preds[next] = 0;
        true
    }

    fn pass_arguments(&mut self, block: Block, args: &[Value]) {
        let params = self.func.block(block).params.clone();
        for (&param, &arg) in params.iter().zip(args) {
            self.replace_value(param, arg);
        }
    }

    /// A side of a branch that can be executed always: what it costs, and where it goes on. Not what is hardly ever executed, and for that is in nobody's way.
    fn speculative(&self, side: &BlockCall) -> Option<(u32, BlockCall)> {
        let InstData::Jump { target } = self.func.terminator(side.block) else {
            return None;
        };
        if self.func.block(side.block).cold && self.body_len(side.block) > 0 {
            return None;
        }
        // No long list needs to be looked at.
        let most = 4 * SPECULATED_INSTRUCTIONS as usize;
        if self.preds[side.block] != 1 || target.block == side.block || self.body_len(side.block) > most {
            return None;
        }
        Some((self.body_cost(side.block, most)?, target.clone()))
    }

    /// A branch around few cheap instructions: they are executed always, and selects choose.
    fn if_convert(&mut self, block: Block) -> bool {
        let InstData::Branch { condition, targets } = self.func.terminator(block) else {
            return false;
        };
        let condition = self.map.resolve(*condition);
        let (a, b) = (self.speculative(&targets[0]), self.speculative(&targets[1]));
        if a.is_none() && b.is_none() {
            return false;
        }
        let [then, otherwise] = targets.clone();
        let (cost, sides, calls) = match (a, b) {
            (Some((cost_a, a)), Some((cost_b, b))) if a.block == b.block => (cost_a + cost_b, vec![then, otherwise], [a, b]),
            (Some((cost, a)), _) if a.block == otherwise.block => (cost, vec![then], [a, otherwise]),
            (_, Some((cost, b))) if b.block == then.block => (cost, vec![otherwise], [then, b]),
            _ => return false,
        };
        let [a, b] = calls;
        if cost > SPECULATED_INSTRUCTIONS || a.block == block || a.args.len() > 4 * SELECTS_FOR_BRANCH {
            return false;
        }
        // The sides' parameters are their arguments from now on: only then can the arguments be told apart.
        let differing = a
            .args
            .iter()
            .zip(&b.args)
            .filter(|(a, b)| self.map.resolve(**a) != self.map.resolve(**b));
        if differing.count() > SELECTS_FOR_BRANCH {
            return false;
        }
        for side in &sides {
            self.pass_arguments(side.block, &side.args);
            let insts = std::mem::take(self.body(side.block));
            self.body(block).extend(insts);
        }
        let done = self.select_arguments(block, condition, a, b);
        debug_assert!(done, "the selects were counted");
        true
    }
}

impl Simplifier<'_> {
    /// `a ? (b ? X : Y) : Y` becomes `a & b ? X : Y`, where finding out `b` is cheap.
    fn short_circuit(&mut self, block: Block) -> bool {
        let InstData::Branch { condition, targets } = self.func.terminator(block) else {
            return false;
        };
        let branches = |target: &BlockCall| matches!(self.func.terminator(target.block), InstData::Branch { .. });
        if !targets.iter().any(branches) {
            return false;
        }
        let (condition, targets) = (*condition, targets.clone());
        (0..2).any(|side| self.short_circuit_by(block, condition, &targets, side))
    }

    fn short_circuit_by(&mut self, block: Block, first: Value, targets: &[BlockCall; 2], side: usize) -> bool {
        let (through, other) = (&targets[side], &targets[1 - side]);
        let middle = through.block;
        if middle == block || middle == other.block || self.preds[middle] != 1 {
            return false;
        }
        let InstData::Branch {
            condition: second,
            targets: ways,
        } = self.func.terminator(middle).clone()
        else {
            return false;
        };
        let Some(common) = (0..2).find(|&way| self.same_call(&ways[way], other)) else {
            return false;
        };
        let most = 4 * SPECULATED_INSTRUCTIONS as usize;
        let cheap = self.body_cost(middle, most).is_some_and(|cost| cost <= 2 * SPECULATED_INSTRUCTIONS);
        if !cheap || self.body_len(middle) > most || ways[0].block == ways[1].block {
            return false;
        }
        self.pass_arguments(middle, &through.args.clone());
        let moved = std::mem::take(self.body(middle));
        self.body(block).extend(moved);
        let second = self.map.resolve(second);
        let mut holds = |condition: Value, wanted: bool| match wanted {
            true => condition,
            false => self.insert_before_terminator(
                block,
                InstData::Unary {
                    op: UnaryOp::Not,
                    arg: condition,
                },
            ),
        };
        let args = [holds(first, side == 0), holds(second, common == 1)];
        let condition = self.insert_before_terminator(block, InstData::Binary { op: BinaryOp::And, args });
        let targets = [ways[1 - common].clone(), other.clone()];
        self.set_terminator(block, InstData::Branch { condition, targets });
        true
    }
}

/// What it costs to execute an instruction without need; none where it must not be.
fn speculation_cost(data: &InstData) -> Option<u32> {
    match data {
        InstData::Const { .. } | InstData::SlotAddress { .. } | InstData::GlobalAddress { .. } | InstData::Builtin { .. } => Some(0),
        InstData::CallRuntime { .. } | InstData::Image { .. } => None,
        InstData::Binary { op, .. } if op.is_int_division() || matches!(op, BinaryOp::FDiv | BinaryOp::FRem) => {
            Some(SPECULATED_INSTRUCTIONS)
        }
        InstData::Unary { op: UnaryOp::Sqrt, .. } => Some(SPECULATED_INSTRUCTIONS),
        data if data.is_pure() => Some(1),
        _ => None,
    }
}
