//! An order of blocks in which lanes that went apart meet again as soon as they can: each block after its predecessors (but those of back
//! edges), and the blocks of a loop together.
//!
//! Lanes that left a loop then wait for those still in it, lanes that go round again for those that are still on the way, and both sides
//! of a branch are over before the block behind them.

use crate::ir::cfg::{Cfg, Loops};
use crate::ir::*;
use cranelift_entity::SecondaryMap;

/// Such an order, as numbers.
#[derive(Clone, Debug)]
pub struct ConvergenceOrder {
    position: SecondaryMap<Block, u32>,
    /// By header: the number behind all blocks of its loop. There the lanes that go round again wait for those that have not come so far.
    latch: SecondaryMap<Block, u32>,
    cfg: Cfg,
    loops: Loops,
}

impl ConvergenceOrder {
    /// Computes it. (Cycles with several entries have no such order; theirs is some.)
    pub fn new(func: &Function) -> ConvergenceOrder {
        let cfg = Cfg::new(func);
        let loops = Loops::new(func, &cfg);
        let mut order = ConvergenceOrder {
            position: SecondaryMap::with_default(u32::MAX),
            latch: SecondaryMap::with_default(u32::MAX),
            cfg,
            loops,
        };
        order.number(func);
        order
    }

    /// The place in the order of lanes that jump to a block: those with the lowest go first.
    pub fn place(&self, from: Block, to: Block) -> u32 {
        match self.is_back_edge(from, to) {
            true => self.latch[to],
            false => self.position[to],
        }
    }

    fn is_back_edge(&self, from: Block, to: Block) -> bool {
        self.loops.innermost[to].is_some_and(|index| {
            let index = index as usize;
            self.loops.loops[index].header == to && self.loops.contains(index, from)
        })
    }

    fn number(&mut self, func: &Function) {
        // Edges into each block, without back edges of natural loops.
        let mut missing: SecondaryMap<Block, u32> = SecondaryMap::new();
        for &block in &self.cfg.order {
            let forward = self.cfg.preds[block].iter().filter(|&&pred| !self.is_back_edge(pred, block));
            missing[block] = forward.count() as u32;
        }
        // Blocks whose predecessors are done, by their loop. A loop's header waits among the blocks of the loop around it.
        let outermost = self.loops.loops.len();
        let mut ready: Vec<Vec<Block>> = vec![Vec::new(); outermost + 1];
        let mut next_number = 0;
        let mut number = || {
            next_number += 1;
            next_number
        };
        // In a cycle with several entries all blocks wait for each other: then the next in reverse postorder goes first.
        let blocks = self
            .loops
            .loops
            .iter()
            .map(|natural| natural.blocks.clone())
            .chain([self.cfg.order.clone()]);
        let mut rest: Vec<_> = blocks.map(Vec::into_iter).collect();
        let mut current = outermost;
        ready[outermost].push(func.entry());
        loop {
            let is_left = |block: &Block| self.position[*block] == u32::MAX;
            let next = match ready[current].pop().or_else(|| rest[current].by_ref().find(is_left)) {
                Some(block) => block,
                None if current == outermost => return,
                None => {
                    let natural = &self.loops.loops[current];
                    self.latch[natural.header] = number();
                    current = natural.parent.unwrap_or(outermost);
                    continue;
                }
            };
            if self.position[next] != u32::MAX {
                continue;
            }
            self.position[next] = number();
            current = self.loops.innermost[next].map_or(outermost, |index| index as usize);
            // The first successor is to come next, so it is pushed last.
            for succ in func.successors(next).into_iter().rev() {
                if !self.is_back_edge(next, succ) && self.position[succ] == u32::MAX {
                    missing[succ] = missing[succ].saturating_sub(1);
                    if missing[succ] == 0 {
                        ready[self.home(succ)].push(succ);
                    }
                }
            }
        }
    }

    /// The loop among whose blocks a block is put in order; the number of loops for none.
    fn home(&self, block: Block) -> usize {
        let loops = &self.loops.loops;
        match self.loops.innermost[block].map(|index| index as usize) {
            Some(index) if loops[index].header == block => loops[index].parent.unwrap_or(loops.len()),
            Some(index) => index,
            None => loops.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::parse::parse_function;

    #[test]
    fn loops_stay_together() {
        // The loop 1, 2, 3, 4 is left from 2 (to 5) and from 3 (to 6), and has a loop of its own, 4.
        let func = parse_function(
            "function workitem @f {\nblock0(v0: mask):\n  jump block1\nblock1:\n  branch v0, block3, block2\nblock2:\n  branch v0, block5, block4\n\
             block3:\n  branch v0, block6, block4\nblock4:\n  branch v0, block4, block1\nblock5:\n  jump block7\nblock6:\n  jump block7\nblock7:\n  return\n}\n",
        )
        .unwrap();
        let order = ConvergenceOrder::new(&func);
        let block = Block::from_u32;
        for inside in 1..=4 {
            for outside in 5..=7 {
                assert!(order.position[block(inside)] < order.latch[block(1)]);
                assert!(order.latch[block(1)] < order.position[block(outside)], "{order:?}");
            }
        }
        assert!(order.place(block(4), block(4)) == order.latch[block(4)] && order.latch[block(4)] < order.latch[block(1)]);
        assert!(order.position[block(5)].max(order.position[block(6)]) < order.position[block(7)]);
    }

    #[test]
    fn cycles_with_several_entries_have_some_order() {
        let func = parse_function(
            "function workitem @f {\nblock0(v0: mask):\n  branch v0, block1, block2\nblock1:\n  jump block2\nblock2:\n  branch v0, block1, block3\n\
             block3:\n  return\n}\n",
        )
        .unwrap();
        let order = ConvergenceOrder::new(&func);
        assert!(func.layout.iter().all(|&block| order.position[block] != u32::MAX));
    }
}
