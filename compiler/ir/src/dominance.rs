//! Dominance between blocks in constant time: trees, such as the dominator tree of [`Cfg`], numbered in preorder.
//!
//! Stale as soon as the flow graph is.

use super::cfg::Cfg;
use super::entities::Block;
use cranelift_entity::SecondaryMap;

/// Trees of blocks, which tell at once whether one is above another.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Forest {
    /// Position in a preorder, and how many blocks the subtree has; (0, 0) for blocks that are in none.
    interval: SecondaryMap<Block, (u32, u32)>,
}

impl Forest {
    /// Numbers the blocks of `order`, each of which comes behind its parent, in a function of so many blocks.
    pub fn new(order: &[Block], blocks: usize, parent: impl Fn(Block) -> Option<Block>) -> Forest {
        // Sizes first: backwards, they are complete when they are added to the parent's.
        let mut interval: SecondaryMap<Block, (u32, u32)> = SecondaryMap::new();
        interval.resize(blocks);
        for &block in order.iter().rev() {
            interval[block].1 += 1;
            if let Some(parent) = parent(block) {
                interval[parent].1 += interval[block].1;
            }
        }
        // Where the next child of a block, or the next root, begins.
        let mut next: SecondaryMap<Block, u32> = SecondaryMap::new();
        next.resize(blocks);
        let mut next_root = 0;
        for &block in order {
            let next_here = match parent(block) {
                Some(parent) => &mut next[parent],
                None => &mut next_root,
            };
            interval[block].0 = *next_here;
            *next_here += interval[block].1;
            next[block] = interval[block].0 + 1;
        }
        Forest { interval }
    }

    /// `a` is `b`, or above it. False where one of them is in no tree.
    pub fn is_above(&self, a: Block, b: Block) -> bool {
        let ((first, size), (at, known)) = (self.interval[a], self.interval[b]);
        known != 0 && first <= at && at - first < size
    }
}

/// The dominator tree.
#[derive(Clone, Debug, PartialEq)]
pub struct DominatorTree {
    forest: Forest,
    /// The blocks without the entry, children of one block beside each other.
    children: Vec<Block>,
    /// Where each block's children end there, and how many there are.
    ends: SecondaryMap<Block, (u32, u32)>,
}

impl DominatorTree {
    /// Numbers the tree that `cfg` holds as immediate dominators.
    pub fn new(cfg: &Cfg) -> DominatorTree {
        let parent = |block| cfg.immediate_dominator(block);
        let mut ends: SecondaryMap<Block, (u32, u32)> = SecondaryMap::new();
        ends.resize(cfg.succs.len());
        let with_parents = || cfg.order.iter().filter_map(|&block| Some((block, parent(block)?)));
        with_parents().for_each(|(_, parent)| ends[parent].1 += 1);
        let mut start = 0;
        for &block in &cfg.order {
            ends[block].0 = start;
            start += ends[block].1;
        }
        let mut children: Vec<Block> = cfg.order.iter().skip(1).copied().collect();
        for (block, parent) in with_parents() {
            children[ends[parent].0 as usize] = block;
            ends[parent].0 += 1;
        }
        DominatorTree {
            forest: Forest::new(&cfg.order, cfg.succs.len(), parent),
            children,
            ends,
        }
    }

    /// Each path from the entry to `b` goes through `a`. False where one of them can't be reached.
    pub fn dominates(&self, a: Block, b: Block) -> bool {
        self.forest.is_above(a, b)
    }

    /// The blocks that `block` dominates immediately, in reverse postorder.
    pub fn children(&self, block: Block) -> &[Block] {
        let (end, count) = self.ends[block];
        &self.children[(end - count) as usize..end as usize]
    }

    /// Answers questions for the nearest block that dominates two others.
    pub fn meets<'a>(&'a self, cfg: &'a Cfg) -> Meets<'a> {
        let mut top: SecondaryMap<Block, Block> = SecondaryMap::with_default(cfg.order[0]);
        top.resize(cfg.succs.len());
        for &block in &cfg.order {
            let children = self.children(block);
            let heaviest = children.iter().copied().max_by_key(|&child| self.forest.interval[child].1);
            for &child in children {
                top[child] = if Some(child) == heaviest { top[block] } else { child };
            }
        }
        Meets { tree: self, cfg, top }
    }
}

/// The dominator tree cut into paths, each from a block to the child with the most below it: wherever one starts, there are few paths
/// on the way up.
#[derive(Clone, Debug)]
pub struct Meets<'a> {
    tree: &'a DominatorTree,
    cfg: &'a Cfg,
    /// The first block of each block's path.
    top: SecondaryMap<Block, Block>,
}

impl Meets<'_> {
    /// The nearest block that dominates both, which can be reached.
    pub fn of(&self, a: Block, mut b: Block) -> Block {
        // Up to a path that `a` is on, or below: they meet on it.
        while !self.tree.dominates(self.top[b], a) {
            b = self.cfg.idom[self.top[b]].unwrap_or(b);
        }
        let mut a = a;
        while self.top[a] != self.top[b] {
            a = self.cfg.idom[self.top[a]].unwrap_or(a);
        }
        if self.tree.dominates(a, b) { a } else { b }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::*;

    fn by_climbing(cfg: &Cfg, a: Block, b: Block) -> bool {
        a == b || cfg.immediate_dominator(b).is_some_and(|up| by_climbing(cfg, a, up))
    }

    #[test]
    fn agrees_with_the_flow_graph() {
        // 0 -> 1 -> (2 -> 1 | 3 | 4), 3 -> 4; 5 can't be reached.
        let mut func = Function::new("f", Level::WorkItem, &[]);
        let blocks: Vec<Block> = (0..6).map(|_| func.add_block()).collect();
        let condition = func.add_param(blocks[0], Type::MASK);
        Builder::new(&mut func, blocks[0]).jump(blocks[1], &[]);
        Builder::new(&mut func, blocks[1]).branch(condition, to(blocks[2], &[]), to(blocks[3], &[]));
        Builder::new(&mut func, blocks[2]).branch(condition, to(blocks[1], &[]), to(blocks[4], &[]));
        Builder::new(&mut func, blocks[3]).jump(blocks[4], &[]);
        Builder::new(&mut func, blocks[4]).ret(&[]);
        Builder::new(&mut func, blocks[5]).ret(&[]);
        let cfg = Cfg::new(&func);
        let tree = DominatorTree::new(&cfg);
        for &a in &blocks[..5] {
            for &b in &blocks[..5] {
                assert_eq!(tree.dominates(a, b), by_climbing(&cfg, a, b), "{a} {b}");
            }
            assert!(!tree.dominates(a, blocks[5]) && !tree.dominates(blocks[5], a));
        }
        assert_eq!(tree.children(blocks[1]).len(), 3);
        let meets = tree.meets(&cfg);
        for &a in &blocks[..5] {
            for &b in &blocks[..5] {
                let common = |&up: &Block| tree.dominates(up, a) && tree.dominates(up, b);
                let nearest = blocks[..5].iter().copied().filter(common).max_by_key(|&up| cfg.position[up]);
                assert_eq!(Some(meets.of(a, b)), nearest, "{a} {b}");
            }
        }
    }
}
