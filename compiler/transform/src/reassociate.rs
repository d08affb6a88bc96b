//! Chains of one operation, `a + b + c + d`, take first what is known first.
//!
//! Hashes are chains of additions in which each round waits for the one before. As people write them, the word that comes last often goes
//! in first, and what was known long before is added to it on the way. Only blocks that mostly wait are rewritten: in the others the order
//! of the source needs fewer registers.
//!
//! For vectors of integers at the work-group level: scalars there are mostly addresses, which have their own forms.

use analysis::latency::latency_of;
use cranelift_entity::SecondaryMap;
use ir::*;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use target::costs::effort::TERMS;
use target::{Costs, Machine};

/// Rewrites. True if something changed.
pub fn run(func: &mut Function, machine: &Machine) -> bool {
    if !func
        .insts()
        .any(|inst| op_of(func, inst).is_some_and(|(op, args)| args.into_iter().any(|arg| is_made_by(func, op, arg))))
    {
        return false;
    }
    let uses = func.use_counts();
    let mut made = Local::new();
    let mut changed = false;
    for index in 0..func.layout.len() {
        let block = func.layout[index];
        made.clear();
        let chains = find(func, &machine.costs, &uses, &mut made, block);
        if !chains.is_empty() {
            rewrite(func, block, &chains);
            changed = true;
        }
    }
    changed
}

/// A chain that is to be written in another order.
struct Chain {
    op: BinaryOp,
    /// The instructions that it consists of and where in the block they are, the last of which has the result.
    nodes: Vec<(usize, Inst)>,
    /// Its terms, and where they are, if in this block.
    terms: Vec<(Value, Option<usize>)>,
    /// Which are combined, step by step: terms come first, then the results of the steps.
    steps: Vec<[usize; 2]>,
}

/// Looks for chains in a block.
fn find(func: &Function, costs: &Costs, uses: &SecondaryMap<Value, u32>, made: &mut Local<(usize, u32)>, block: Block) -> Vec<Chain> {
    let mut search = Search {
        func,
        costs,
        made,
        inner: FxHashSet::default(),
    };
    let insts = &func.block(block).insts;
    let mut work = 0.0;
    let mut longest = 0;
    for (position, &inst) in insts.iter().enumerate() {
        if let Some((op, args)) = op_of(func, inst) {
            let steps = args
                .into_iter()
                .filter(|&arg| uses[arg] == 1 && search.made.get(arg).is_some() && is_made_by(func, op, arg));
            let steps: SmallVec<[Value; 2]> = steps.collect();
            search.inner.extend(steps);
        }
        longest = longest.max(search.note(position, inst));
        if func.inst(inst).results.iter().any(|&result| func.ty(result).is_vector()) {
            work += costs.vector;
        }
    }
    // Where the machine is busy for longer than the longest chain takes, nothing waits.
    if search.inner.is_empty() || work > longest as f32 {
        return Vec::new();
    }
    let mut chains = Vec::new();
    for (position, &inst) in insts.iter().enumerate() {
        let cycles = search.note(position, inst);
        if let Some((op, _)) = op_of(func, inst)
            && !search.inner.contains(&func.result(inst))
            && let Some((chain, after)) = search.chain(op, (position, inst), cycles)
        {
            search.made.insert(func.result(inst), (position, after));
            chains.push(chain);
        }
    }
    chains
}

/// What is known of a block's values while chains are looked for.
struct Search<'f> {
    func: &'f Function,
    costs: &'f Costs,
    /// Of values of this block: where it is made, and cycles from the beginning of the block until it is there.
    made: &'f mut Local<(usize, u32)>,
    /// Those that are nothing but steps of longer chains.
    inner: FxHashSet<Value>,
}

impl Search<'_> {
    /// Notes when an instruction's results are there.
    fn note(&mut self, position: usize, inst: Inst) -> u32 {
        let node = self.func.inst(inst);
        let mut cycles = 0;
        node.data.for_each_operand(|&value| cycles = cycles.max(self.cycles(value)));
        cycles += latency_of(self.func, &node.data, self.costs);
        for &result in &node.results {
            self.made.insert(result, (position, cycles));
        }
        cycles
    }

    fn cycles(&self, value: Value) -> u32 {
        self.made.get(value).map_or(0, |&(_, cycles)| cycles)
    }

    /// The chain that ends in an instruction after so many cycles, if another order is faster, and after how many cycles it ends then.
    fn chain(&self, op: BinaryOp, root: (usize, Inst), cycles: u32) -> Option<(Chain, u32)> {
        let mut nodes = vec![root];
        let mut terms: Vec<(Value, Option<usize>)> = Vec::new();
        let mut next = 0;
        while let Some(&(_, inst)) = nodes.get(next) {
            next += 1;
            for arg in op_of(self.func, inst)?.1 {
                let place = self.made.get(arg).map(|&(position, _)| position);
                match (self.func.def_inst(arg), place) {
                    (Some(step), Some(place)) if self.inner.contains(&arg) && nodes.len() < TERMS => nodes.push((place, step)),
                    _ => terms.push((arg, place)),
                }
            }
        }
        let (steps, after) = in_order(terms.iter().map(|&(term, _)| self.cycles(term)));
        nodes.sort_unstable_by_key(|&(position, _)| position);
        (after < cycles).then_some((Chain { op, nodes, terms, steps }, after))
    }
}

/// In which order terms are combined that are there after so many cycles, and after how many the last step is done.
fn in_order(cycles: impl Iterator<Item = u32>) -> (Vec<[usize; 2]>, u32) {
    let mut left: BinaryHeap<Reverse<(u32, usize)>> = cycles.enumerate().map(|(index, cycles)| Reverse((cycles, index))).collect();
    let terms = left.len();
    let mut steps = Vec::with_capacity(terms);
    let mut after = 0;
    while let (Some(Reverse((_, a))), Some(Reverse((later, b)))) = (left.pop(), left.pop()) {
        after = later + 1;
        left.push(Reverse((after, terms + steps.len())));
        steps.push([a, b]);
    }
    (steps, after)
}

/// Writes chains in their new order: each step stands where one stood, and none before what it takes.
fn rewrite(func: &mut Function, block: Block, chains: &[Chain]) {
    let mut before: FxHashMap<usize, Vec<Inst>> = FxHashMap::default();
    let mut gone: FxHashSet<Inst> = FxHashSet::default();
    for chain in chains {
        let Some(&(end, root)) = chain.nodes.last() else { continue };
        gone.extend(chain.nodes.iter().map(|&(_, inst)| inst).filter(|&inst| inst != root));
        let mut values = chain.terms.clone();
        for (index, step) in chain.steps.iter().enumerate() {
            let [(a, a_place), (b, b_place)] = step.map(|index| values[index]);
            let data = InstData::Binary {
                op: chain.op,
                args: [a, b],
            };
            if index + 1 == chain.steps.len() {
                func.replace(root, data);
                func.inst_mut(root).flags = Flags::empty();
                break;
            }
            let needed = a_place.max(b_place);
            let places = chain.nodes.iter().map(|&(position, _)| position);
            let place = places.into_iter().find(|&place| needed.is_none_or(|needed| place > needed));
            let place = place.unwrap_or(end);
            let inst = func.make_inst(data, Flags::empty());
            before.entry(place).or_default().push(inst);
            // What stands before an instruction is there for what stands there, too.
            values.push((func.result(inst), place.checked_sub(1)));
        }
    }
    let insts = std::mem::take(&mut func.block_mut(block).insts);
    let mut written = Vec::with_capacity(insts.len());
    for (position, inst) in insts.into_iter().enumerate() {
        written.extend(before.remove(&position).into_iter().flatten());
        if !gone.contains(&inst) {
            written.push(inst);
        }
    }
    func.block_mut(block).insts = written;
}

/// An operation that may be done in any order, and what it takes.
fn op_of(func: &Function, inst: Inst) -> Option<(BinaryOp, [Value; 2])> {
    match func.inst(inst).data {
        InstData::Binary { op, args } if matches!(op, BinaryOp::Add | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor) => {
            let ty = func.ty(args[0]);
            (ty.is_vector() && ty.elem.is_int()).then_some((op, args))
        }
        _ => None,
    }
}

fn is_made_by(func: &Function, op: BinaryOp, value: Value) -> bool {
    let made_by = func.def_inst(value).and_then(|inst| op_of(func, inst));
    made_by.is_some_and(|(other, _)| other == op)
}
