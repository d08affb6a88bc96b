//! Sums that do not need one another, some of them at a time.
//!
//! ```c
//! c0 += a00 * b0; c1 += a10 * b0; c2 += a20 * b0; c3 += a30 * b0;      // c0 += a00 * b0; c1 += a10 * b0;
//! c0 += a01 * b1; c1 += a11 * b1; c2 += a21 * b1; c3 += a31 * b1;      // c0 += a01 * b1; c1 += a11 * b1;
//!                                                                      // c2 += a20 * b0; c3 += a30 * b0; …
//! ```
//!
//! Where the sums alone take all registers, each order that goes on with all of them has some in memory all the time. Half of them leave room for the rest.
//! What both halves load is loaded twice.

use super::graph::Graph;
use ir::*;
use rustc_hash::FxHashMap;

/// A block in parts, and what it was.
pub struct Parts {
    block: Block,
    insts: Vec<Inst>,
    /// Instructions whose operands were replaced, as they were.
    changed: Vec<(Inst, InstData)>,
    /// Registers that are loaded, or computed, again.
    pub repeated: u64,
}

impl Parts {
    /// Puts a block's chains into so many parts. None, and nothing changes, if there are not that many, or what the block does is not to be done twice.
    pub fn make(func: &mut Function, graph: &Graph, block: Block, count: usize) -> Option<Parts> {
        let insts = func.block(block).insts.clone();
        let (_, body) = insts.split_last()?;
        if body.iter().any(|&inst| func.inst(inst).data.has_side_effects()) {
            return None;
        }
        let part_of = parts_of_roots(graph, count)?;
        let mut parts = Parts {
            block,
            insts,
            changed: Vec::new(),
            repeated: 0,
        };
        let mut order = Vec::with_capacity(graph.nodes.len());
        let mut is_there = vec![false; graph.nodes.len()];
        for part in 0..count {
            let mut copies = FxHashMap::default();
            // Scalars are there for all parts; vectors are computed for each.
            let mut is_done: Vec<bool> = (0..graph.nodes.len())
                .map(|at| is_there[at] && registers_of(graph, at) == 0)
                .collect();
            for root in (0..part_of.len()).filter(|&at| part_of[at] == Some(part)) {
                for at in graph.needed(root, &is_done) {
                    is_done[at] = true;
                    let inst = match std::mem::replace(&mut is_there[at], true) {
                        true => parts.repeat(func, graph, at, &mut copies),
                        false => parts.keep(func, at, &copies),
                    };
                    order.push(inst);
                }
            }
        }
        // What only other blocks need, and the block's end.
        order.extend((0..is_there.len()).filter(|&at| !is_there[at]).map(|at| parts.insts[at]));
        func.block_mut(block).insts = order;
        Some(parts)
    }

    /// The instruction itself.
    fn keep(&mut self, func: &mut Function, at: usize, copies: &FxHashMap<Value, Value>) -> Inst {
        let inst = self.insts[at];
        let mut data = func.inst(inst).data.clone();
        let mut is_other = false;
        data.for_each_operand_mut(|operand| {
            if let Some(&copy) = copies.get(operand) {
                (*operand, is_other) = (copy, true);
            }
        });
        if is_other {
            let was = std::mem::replace(&mut func.inst_mut(inst).data, data);
            self.changed.push((inst, was));
        }
        inst
    }

    /// A copy of the instruction.
    fn repeat(&mut self, func: &mut Function, graph: &Graph, at: usize, copies: &mut FxHashMap<Value, Value>) -> Inst {
        let inst = self.insts[at];
        let node = func.inst(inst);
        let (mut data, flags, results) = (node.data.clone(), node.flags, node.results.clone());
        data.for_each_operand_mut(|operand| *operand = copies.get(operand).copied().unwrap_or(*operand));
        let types: Vec<Type> = results.iter().map(|&result| func.ty(result)).collect();
        func.follow(func.place(inst));
        let copy = func.make_inst_with_results(data, flags, &types);
        func.follow(Place::default());
        copies.extend(results.into_iter().zip(func.inst(copy).results.clone()));
        self.repeated += u64::from(registers_of(graph, at));
        copy
    }

    /// As it was.
    pub fn undo(self, func: &mut Function) {
        for (inst, was) in self.changed {
            func.inst_mut(inst).data = was;
        }
        func.block_mut(self.block).insts = self.insts;
    }
}

/// The vector registers that an instruction's results take.
fn registers_of(graph: &Graph, at: usize) -> u32 {
    graph.nodes[at].makes.iter().map(|&value| graph.values[value].registers).sum()
}

/// The part of each root. Those that need one another, directly or not, are in one. None if there are fewer such chains than parts.
fn parts_of_roots(graph: &Graph, count: usize) -> Option<Vec<Option<usize>>> {
    let nodes = graph.nodes.len();
    // The first root of each one's chain; chains that meet become one.
    let mut first: Vec<usize> = (0..nodes).collect();
    fn find(first: &mut [usize], mut at: usize) -> usize {
        while first[at] != at {
            first[at] = first[first[at]];
            at = first[at];
        }
        at
    }
    for at in (0..nodes).filter(|&at| graph.nodes[at].is_root) {
        for &before in &graph.roots_before[at] {
            let (one, other) = (find(&mut first, at), find(&mut first, before));
            first[one.max(other)] = one.min(other);
        }
    }
    let of: Vec<Option<usize>> = (0..nodes).map(|at| graph.nodes[at].is_root.then(|| find(&mut first, at))).collect();
    let mut chains: Vec<usize> = of.iter().flatten().copied().collect();
    chains.sort_unstable();
    chains.dedup();
    if chains.len() < count {
        return None;
    }
    let part = |chain: usize| chains.binary_search(&chain).map_or(0, |number| number * count / chains.len());
    Some(of.into_iter().map(|chain| chain.map(part)).collect())
}
