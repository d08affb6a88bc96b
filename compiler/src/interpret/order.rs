//! An order of blocks in which lanes that went apart meet again as soon as they can: each block after its predecessors (but those of back
//! edges), and the blocks of a loop together.
//!
//! Lanes that left a loop then wait for those still in it, and both sides of a branch are over before the block behind them.

use crate::ir::cfg::{Cfg, Loops};
use crate::ir::*;
use cranelift_entity::SecondaryMap;

/// The reachable blocks in such an order. (Cycles with several entries have no such order; theirs is some.)
pub fn convergence_order(func: &Function, cfg: &Cfg, loops: &Loops) -> Vec<Block> {
    // Edges into each block, without back edges of natural loops.
    let mut missing: SecondaryMap<Block, u32> = SecondaryMap::new();
    let is_back_edge = |from: Block, to: Block| {
        let at_header = loops.innermost[to].is_some_and(|index| loops.loops[index as usize].header == to);
        at_header && loops.innermost[to].is_some_and(|index| loops.contains(index as usize, from))
    };
    for &block in &cfg.order {
        let forward = cfg.preds[block].iter().filter(|&&pred| !is_back_edge(pred, block));
        missing[block] = forward.count() as u32;
    }
    // Blocks whose predecessors are done, by their loop. A loop's header waits among the blocks of the loop around it.
    let outermost = loops.loops.len();
    let mut ready: Vec<Vec<Block>> = vec![Vec::new(); outermost + 1];
    let home = |block: Block| match loops.innermost[block].map(|index| index as usize) {
        Some(index) if loops.loops[index].header == block => loops.loops[index].parent.unwrap_or(outermost),
        Some(index) => index,
        None => outermost,
    };
    let mut done: SecondaryMap<Block, bool> = SecondaryMap::new();
    let mut order = Vec::with_capacity(cfg.order.len());
    // In a cycle with several entries all blocks wait for each other: then the next in reverse postorder goes first.
    let mut rest = cfg.order.iter().copied();
    let mut current = outermost;
    ready[outermost].push(func.entry());
    while order.len() < cfg.order.len() {
        let next = loop {
            if let Some(block) = ready[current].pop() {
                break Some(block);
            }
            if current == outermost {
                break rest.by_ref().find(|&block| !done[block]);
            }
            current = loops.loops[current].parent.unwrap_or(outermost);
        };
        let Some(block) = next else { break };
        if std::mem::replace(&mut done[block], true) {
            continue;
        }
        order.push(block);
        current = loops.innermost[block].map_or(outermost, |index| index as usize);
        // The first successor is to come next, so it is pushed last.
        for succ in func.successors(block).into_iter().rev() {
            if !is_back_edge(block, succ) && !done[succ] {
                missing[succ] = missing[succ].saturating_sub(1);
                if missing[succ] == 0 {
                    ready[home(succ)].push(succ);
                }
            }
        }
    }
    order
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
        let cfg = Cfg::new(&func);
        let loops = Loops::new(&func, &cfg);
        let order = convergence_order(&func, &cfg, &loops);
        let position = |n: u32| order.iter().position(|&block| block == Block::from_u32(n)).unwrap();
        assert_eq!(order.len(), 8);
        for inside in 1..=4 {
            for outside in 5..=7 {
                assert!(position(inside) < position(outside), "{order:?}");
            }
        }
        assert!(position(7) == 7 && position(4) == 4, "{order:?}");
    }

    #[test]
    fn cycles_with_several_entries_have_some_order() {
        let func = parse_function(
            "function workitem @f {\nblock0(v0: mask):\n  branch v0, block1, block2\nblock1:\n  jump block2\nblock2:\n  branch v0, block1, block3\n\
             block3:\n  return\n}\n",
        )
        .unwrap();
        let cfg = Cfg::new(&func);
        assert_eq!(convergence_order(&func, &cfg, &Loops::new(&func, &cfg)).len(), 4);
    }
}
