//! Dominance between blocks in constant time: the dominator tree of [`Cfg`], numbered in preorder.
//!
//! Stale as soon as the flow graph is.

use super::cfg::Cfg;
use super::entities::Block;
use cranelift_entity::SecondaryMap;

/// The dominator tree.
#[derive(Clone, Debug)]
pub struct DominatorTree {
    /// Position in a preorder of the tree, and how many blocks the subtree has; (0, 0) for blocks that can't be reached.
    interval: SecondaryMap<Block, (u32, u32)>,
    children: SecondaryMap<Block, Vec<Block>>,
}

impl DominatorTree {
    /// Numbers the tree that `cfg` holds as immediate dominators.
    pub fn new(cfg: &Cfg) -> DominatorTree {
        let mut sizes: SecondaryMap<Block, u32> = SecondaryMap::new();
        let mut children: SecondaryMap<Block, Vec<Block>> = SecondaryMap::new();
        // A block comes after its dominator in reverse postorder: backwards, sizes are complete when they are added to the parent's.
        for &block in cfg.order.iter().rev() {
            sizes[block] += 1;
            if let Some(parent) = parent(cfg, block) {
                sizes[parent] += sizes[block];
            }
        }
        let mut interval: SecondaryMap<Block, (u32, u32)> = SecondaryMap::new();
        let mut next: SecondaryMap<Block, u32> = SecondaryMap::new();
        for &block in &cfg.order {
            let first = match parent(cfg, block) {
                Some(parent) => {
                    children[parent].push(block);
                    let first = next[parent];
                    next[parent] += sizes[block];
                    first
                }
                None => 0,
            };
            interval[block] = (first, sizes[block]);
            next[block] = first + 1;
        }
        DominatorTree { interval, children }
    }

    /// Each path from the entry to `b` goes through `a`. False where one of them can't be reached.
    pub fn dominates(&self, a: Block, b: Block) -> bool {
        let ((first, size), (at, reached)) = (self.interval[a], self.interval[b]);
        reached != 0 && first <= at && at - first < size
    }

    /// The blocks that `block` dominates immediately, in reverse postorder.
    pub fn children(&self, block: Block) -> &[Block] {
        &self.children[block]
    }
}

fn parent(cfg: &Cfg, block: Block) -> Option<Block> {
    cfg.idom[block].filter(|&up| up != block)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::*;

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
                assert_eq!(tree.dominates(a, b), cfg.dominates(a, b), "{a} {b}");
            }
            assert!(!tree.dominates(a, blocks[5]) && !tree.dominates(blocks[5], a));
        }
        assert_eq!(tree.children(blocks[1]).len(), 3);
    }
}
