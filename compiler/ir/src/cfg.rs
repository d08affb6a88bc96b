//! The control-flow graph of a function: predecessors, reverse postorder, dominators, post-dominators and loops.
//!
//! Computed from the terminators; stale as soon as one changes.

use super::dominance::Forest;
use super::edges::Edges;
use super::entities::Block;
use super::function::Function;
pub use super::loops::{Loop, Loops};
use cranelift_entity::SecondaryMap;
use smallvec::SmallVec;
use std::ops::Index;

/// Blocks that can be reached, in reverse postorder, with their predecessors.
#[derive(Clone, Debug)]
pub struct Cfg {
    /// Blocks that can be reached from the entry, each after all its predecessors but those of back edges.
    pub order: Vec<Block>,
    /// Position in [`Cfg::order`]; `u32::MAX` for blocks that can't be reached.
    pub position: SecondaryMap<Block, u32>,
    /// Reachable predecessors, one entry an edge (a block that jumps here twice stands twice).
    pub preds: Edges,
    /// Where each reachable block goes, as [`Function::successors`] has it.
    pub succs: Edges,
    /// Immediate dominators; the entry's is the entry.
    pub idom: SecondaryMap<Block, Option<Block>>,
}

/// The same blocks in the same order, with the same edges.
impl PartialEq for Cfg {
    fn eq(&self, other: &Cfg) -> bool {
        let same_edges = |&block: &Block| self.preds[block] == other.preds[block] && self.succs[block] == other.succs[block];
        self.order == other.order && self.idom == other.idom && self.order.iter().all(same_edges)
    }
}

impl Cfg {
    /// Computes it.
    pub fn new(func: &Function) -> Cfg {
        let (walk, order, succs) = walk(func);
        let mut position = func.per_block(u32::MAX);
        for (index, &block) in order.iter().enumerate() {
            position[block] = index as u32;
        }
        let preds = succs.reversed(&order);
        let above = walk.dominators(|block, meet| {
            preds[block].iter().for_each(|&pred| meet(walk.number[pred]));
            if Some(&block) == order.first() {
                meet(0);
            }
        });
        let mut idom = func.per_block(None);
        for &block in &order {
            idom[block] = Some(walk.block(above[walk.number[block] as usize]).unwrap_or(block));
        }
        Cfg {
            order,
            position,
            preds,
            succs,
            idom,
        }
    }

    /// The function's blocks go where they went when this was computed, so that computing it anew would give the same.
    pub fn is_of(&self, func: &Function) -> bool {
        let is_same = |block: Block| {
            let mut known = self.succs[block].iter();
            let mut same = true;
            func.for_each_successor(block, |succ| same &= known.next() == Some(&succ));
            same && known.next().is_none()
        };
        // What can be reached are the entry and where these blocks go.
        self.order.first() == func.layout.first() && self.order.iter().all(|&block| is_same(block))
    }

    /// Takes the blocks away from the function's layout that can't be reached.
    pub fn keep_reachable(&self, func: &mut Function) {
        func.layout.retain(|&block| self.is_reachable(block));
    }

    /// The block can be reached.
    pub fn is_reachable(&self, block: Block) -> bool {
        self.position[block] != u32::MAX
    }

    /// The nearest other block that each path from the entry goes through.
    pub fn immediate_dominator(&self, block: Block) -> Option<Block> {
        self.idom[block].filter(|&up| up != block)
    }
}

/// Blocks that can be reached, in reverse postorder: [`Cfg::order`] alone.
pub fn reverse_postorder(func: &Function) -> Vec<Block> {
    walk(func).1
}

/// Takes away the blocks that can't be reached; gives the others in reverse postorder, and where they go.
pub fn keep_reachable(func: &mut Function) -> (Vec<Block>, Edges) {
    let (walk, order, succs) = walk(func);
    func.layout.retain(|&block| walk.number[block] != 0);
    (order, succs)
}

/// Of the blocks that can be reached: a walk, reverse postorder, and where they go.
fn walk(func: &Function) -> (Walk, Vec<Block>, Edges) {
    let (blocks, ..) = func.counts();
    let mut order = Vec::with_capacity(func.layout.len());
    let mut walk = Walk::new(blocks);
    let mut succs = Edges::new(blocks);
    // Where blocks go is looked up beforehand, in an order that is known: memory answers many such questions at once, but one after the other
    // where each answer tells of the next.
    for &block in &func.layout {
        func.for_each_successor(block, |succ| succs.push(succ));
        succs.close(block);
    }
    if func.layout.is_empty() {
        return (walk, order, succs);
    }
    // The block, and how many of its successors are still to be visited: last to first, so that the first ends up right behind its block.
    let mut stack: SmallVec<[(Block, usize); 16]> = SmallVec::new();
    let mut next = Some((func.entry(), 0));
    loop {
        if let Some((block, from)) = next.take() {
            walk.visit(block, from);
            // A block that is not in the layout yet.
            if !succs.knows(block) {
                func.for_each_successor(block, |succ| succs.push(succ));
                succs.close(block);
            }
            stack.push((block, succs[block].len()));
        }
        let Some((block, left)) = stack.last_mut() else { break };
        match left.checked_sub(1) {
            Some(index) => {
                *left = index;
                let succ = succs[*block][index];
                next = (walk.number[succ] == 0).then(|| (succ, walk.number[*block]));
            }
            None => {
                order.push(*block);
                stack.pop();
            }
        }
    }
    order.reverse();
    for &block in func.layout.iter().filter(|&&block| walk.number[block] == 0) {
        succs.clear(block);
    }
    (walk, order, succs)
}

/// A depth-first walk, in which blocks have numbers from 1 on; 0 is in front of where it starts.
struct Walk {
    /// 0 for blocks that it has not come to.
    number: SecondaryMap<Block, u32>,
    blocks: Vec<Block>,
    /// By number: where the walk came from.
    parents: Vec<u32>,
}

impl Walk {
    /// Through a graph of so many blocks.
    fn new(blocks: usize) -> Walk {
        let mut number = SecondaryMap::new();
        number.resize(blocks);
        let mut parents = Vec::with_capacity(blocks + 1);
        parents.push(0);
        Walk {
            number,
            blocks: Vec::with_capacity(blocks),
            parents,
        }
    }

    fn visit(&mut self, block: Block, from: u32) {
        self.blocks.push(block);
        self.number[block] = self.blocks.len() as u32;
        self.parents.push(from);
    }

    fn block(&self, number: u32) -> Option<Block> {
        Some(self.blocks[number.checked_sub(1)? as usize])
    }

    /// Immediate dominators by number, over a graph given by what calls a function with the number of each predecessor of a block.
    /// Georgiadis, Tarjan, Werneck: Finding Dominators in Practice (semi-NCA), 2006. Time does not depend on how deep the tree is.
    fn dominators(&self, preds: impl Fn(Block, &mut dyn FnMut(u32))) -> Vec<u32> {
        let count = self.parents.len() as u32;
        let mut semi: Vec<u32> = (0..count).collect();
        let mut label = semi.clone();
        // Towards the root of the trees of what has been linked so far, which are compressed.
        let mut ancestor = self.parents.clone();
        let mut path: SmallVec<[u32; 16]> = SmallVec::new();
        for node in (1..count).rev() {
            let mut least = self.parents[node as usize];
            preds(self.blocks[node as usize - 1], &mut |pred| {
                let mut at = pred;
                while at > node && ancestor[at as usize] > node {
                    path.push(at);
                    at = ancestor[at as usize];
                }
                let mut up = at;
                while let Some(below) = path.pop() {
                    let best = label[up as usize];
                    ancestor[below as usize] = ancestor[up as usize];
                    if semi[best as usize] < semi[label[below as usize] as usize] {
                        label[below as usize] = best;
                    }
                    up = below;
                }
                least = least.min(if pred > node { semi[label[pred as usize] as usize] } else { pred });
            });
            semi[node as usize] = least;
        }
        let mut above = self.parents.clone();
        for node in 1..count as usize {
            let mut up = above[node];
            while up > semi[node] {
                up = above[up as usize];
            }
            above[node] = up;
        }
        above
    }
}

/// Post-dominators, with one virtual exit behind all blocks without successors (and behind loops that never end).
#[derive(Clone, Debug, PartialEq)]
pub struct PostDominators {
    ipdom: SecondaryMap<Block, Option<Block>>,
    forest: Forest,
}

impl PostDominators {
    /// Computes them.
    pub fn new(cfg: &Cfg) -> PostDominators {
        PostDominators::over(cfg, &cfg.succs)
    }

    /// Computes them as if blocks had other successors.
    pub fn over<S>(cfg: &Cfg, succs: &S) -> PostDominators
    where
        S: Index<Block, Output: AsRef<[Block]>>,
    {
        let blocks = cfg.succs.len();
        let preds = Edges::reversing(&cfg.order, succs, blocks);
        // Edges of the reversed graph, which starts at all blocks that something ends in.
        let mut walk = Walk::new(blocks);
        let mut postorder: Vec<Block> = Vec::with_capacity(cfg.order.len());
        let mut start = |root: Block| {
            if walk.number[root] != 0 {
                return;
            }
            walk.visit(root, 0);
            let mut stack = vec![(root, 0)];
            while let Some((block, next)) = stack.last_mut() {
                let from = walk.number[*block];
                match preds[*block].get(*next) {
                    Some(&pred) => {
                        *next += 1;
                        if walk.number[pred] == 0 {
                            walk.visit(pred, from);
                            stack.push((pred, 0));
                        }
                    }
                    None => {
                        postorder.push(*block);
                        stack.pop();
                    }
                }
            }
        };
        let last = cfg.order.iter().copied().filter(|&block| succs[block].as_ref().is_empty());
        last.for_each(&mut start);
        // Loops without an exit: their last block in order counts as one.
        cfg.order.iter().rev().copied().for_each(&mut start);
        let above = walk.dominators(|block, meet| {
            succs[block].as_ref().iter().for_each(|&succ| meet(walk.number[succ]));
            if walk.parents[walk.number[block] as usize] == 0 {
                meet(0);
            }
        });
        let mut ipdom: SecondaryMap<Block, Option<Block>> = SecondaryMap::new();
        ipdom.resize(blocks);
        for &block in &cfg.order {
            ipdom[block] = walk.block(above[walk.number[block] as usize]);
        }
        postorder.reverse();
        let forest = Forest::new(&postorder, blocks, |block| ipdom[block]);
        PostDominators { ipdom, forest }
    }

    /// The nearest block that each path from `block` to the end goes through; none where that is the end itself.
    pub fn immediate(&self, block: Block) -> Option<Block> {
        self.ipdom[block]
    }

    /// Of two blocks that each path from one block to the end goes through, `a` comes first (the end itself being last).
    pub fn is_before(&self, a: Block, b: Option<Block>) -> bool {
        b.is_none_or(|b| a != b && self.post_dominates(b, a))
    }

    /// Each path from `b` to the end goes through `a`.
    pub fn post_dominates(&self, a: Block, b: Block) -> bool {
        self.forest.is_above(a, b)
    }
}
