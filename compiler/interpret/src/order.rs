//! An order of blocks in which lanes that went apart meet again as soon as they can: each block after its predecessors (but those of back
//! edges), and the blocks of a cycle together.
//!
//! Lanes that left a loop then wait for those still in it, lanes that go round again for those that are still on the way, and both sides
//! of a branch are over before the block behind them. A cycle with several entries is a loop, too: lanes that go to any of its entries
//! again wait for the others first.

use cranelift_entity::SecondaryMap;
use ir::cfg::Cfg;
use ir::components::components;
use ir::*;
use smallvec::SmallVec;

/// Such an order, as numbers.
#[derive(Clone, Debug)]
pub struct ConvergenceOrder {
    position: SecondaryMap<Block, u32>,
    /// By entry of a cycle: the numbers of the cycle's blocks. The second, behind all of them, is where the lanes that go round again
    /// wait for those that have not come so far.
    cycle: SecondaryMap<Block, Option<(u32, u32)>>,
}

/// What is to be numbered: blocks that may contain cycles, or the end of a cycle with these entries that began at a number.
enum Work {
    Blocks(Vec<Block>),
    End(Vec<Block>, u32),
}

impl ConvergenceOrder {
    /// Computes it.
    pub fn new(func: &Function) -> ConvergenceOrder {
        let cfg = Cfg::new(func);
        let mut order = ConvergenceOrder {
            position: SecondaryMap::with_default(u32::MAX),
            cycle: SecondaryMap::new(),
        };
        // Edges to the entries of a cycle are taken out of it when its inside is looked at: the entries have been found then.
        let mut is_entry: SecondaryMap<Block, bool> = SecondaryMap::new();
        let mut number = 0;
        let mut work = vec![Work::Blocks(cfg.order.clone())];
        while let Some(next) = work.pop() {
            match next {
                Work::End(entries, first) => {
                    number += 1;
                    entries.into_iter().for_each(|entry| order.cycle[entry] = Some((first, number)));
                }
                Work::Blocks(blocks) => {
                    let inner = |block: Block| -> SmallVec<[Block; 2]> {
                        func.successors(block).into_iter().filter(|&succ| !is_entry[succ]).collect()
                    };
                    if let [block] = blocks.as_slice()
                        && !inner(*block).contains(block)
                    {
                        number += 1;
                        order.position[*block] = number;
                        continue;
                    }
                    // What comes last is pushed first: components come in that order.
                    let found = components(&blocks, inner);
                    let mut inside: SecondaryMap<Block, bool> = SecondaryMap::new();
                    if let [cycle] = found.as_slice() {
                        cycle.iter().for_each(|&block| inside[block] = true);
                        let from_outside = |block: &Block| cfg.preds[*block].iter().any(|&pred| !inside[pred]);
                        let entries: Vec<Block> = cycle.iter().copied().filter(from_outside).collect();
                        entries.iter().for_each(|&entry| is_entry[entry] = true);
                        work.push(Work::End(entries, number + 1));
                        work.push(Work::Blocks(cycle.clone()));
                    } else {
                        work.extend(found.into_iter().map(Work::Blocks));
                    }
                }
            }
        }
        order
    }

    /// The place in the order of lanes that jump to a block: those with the lowest go first.
    pub fn place(&self, from: Block, to: Block) -> u32 {
        match self.cycle[to] {
            Some((first, last)) if (first..last).contains(&self.position[from]) => last,
            _ => self.position[to],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::parse::parse_function;

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
                assert!(order.position[block(inside)] < order.place(block(4), block(1)));
                assert!(order.place(block(4), block(1)) < order.position[block(outside)], "{order:?}");
            }
        }
        assert!(order.place(block(4), block(4)) < order.place(block(4), block(1)));
        assert!(order.place(block(0), block(1)) == order.position[block(1)]);
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
