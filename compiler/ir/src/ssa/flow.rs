//! A function whose blocks are all there: where a variable was defined last before a block, once it is known which blocks define it.
//!
//! Blocks have numbers in reverse postorder. On the way to a block from one that dominates it, a block of a higher number can be come through only
//! by a back edge to a header in between, from a latch of a number as high at least. So what numbers define the variable and where back edges go
//! says how far up it is the same.

use super::Block;
use super::written::Written;
use crate::cfg::Cfg;
use smallvec::SmallVec;

/// The numbers of the blocks that define a variable, in ascending order.
pub(super) type Numbers = SmallVec<[u32; 4]>;

/// A block, by its number.
#[derive(Clone, Copy, Debug, Default)]
struct Node {
    /// The last header, at this block or before, that is gone back to from here or from behind; 0 without one.
    around: u32,
    /// Of such a header: the block of the highest number that goes back to it, and the last header before it that is gone back to from farther
    /// behind, or 0.
    end: u32,
    outer: u32,
}

/// The function's flow.
#[derive(Debug)]
pub(super) struct Flow {
    tree: Written,
    nodes: Vec<Node>,
}

impl Flow {
    pub fn new(cfg: &Cfg) -> Flow {
        let mut tree = Written::default();
        for &block in &cfg.order {
            tree.begin_below(block, cfg.immediate_dominator(block));
        }
        let mut nodes = vec![Node::default(); cfg.order.len() + 1];
        // From the bottom to the top, headers come later, and are gone back to from less far behind.
        let mut open: Vec<u32> = Vec::new();
        for &block in &cfg.order {
            let number = tree.number(block);
            let ends = |nodes: &[Node], header: u32| nodes[header as usize].end;
            let end = cfg.preds[block].iter().map(|&pred| tree.number(pred)).max().unwrap_or(0);
            let is_header = end >= number;
            while open
                .last()
                .is_some_and(|&header| ends(&nodes, header) < number || is_header && ends(&nodes, header) <= end)
            {
                open.pop();
            }
            if is_header {
                nodes[number as usize].end = end;
                nodes[number as usize].outer = open.last().copied().unwrap_or(0);
                open.push(number);
            }
            nodes[number as usize].around = open.last().copied().unwrap_or(0);
        }
        Flow { tree, nodes }
    }

    /// Adds a block to those that define a variable.
    pub fn defines(&self, numbers: &mut Numbers, block: Block) {
        let number = self.tree.number(block);
        if let Err(at) = numbers.binary_search(&number) {
            numbers.insert(at, number);
        }
    }

    /// The farthest block that dominates another, or this itself, such that the variable is at the beginning of the one what it is at the other's
    /// end; or at its beginning, if it is the same block.
    pub fn farthest(&self, numbers: &[u32], block: Block) -> Block {
        let behind = numbers.partition_point(|&number| number < self.tree.number(block));
        let last = behind.checked_sub(1).map_or(0, |at| numbers[at]);
        let mut header = self.nodes[self.tree.number(block) as usize].around;
        match numbers.get(behind) {
            Some(&next) => {
                while header != 0 && self.nodes[header as usize].end < next {
                    header = self.nodes[header as usize].outer;
                }
            }
            None => header = 0,
        }
        self.tree.farthest(block, last.max(header))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FuncRef;
    use crate::parse::parse_module;
    use cranelift_entity::{EntityRef, SecondaryMap};

    /// `while (…) { if (…) …; } …`, with a loop in the loop, and what leaves the loops numbered before what is in them.
    const LOOPS: &str = "
fn0 = function workitem @f {
block0(v0: mask):
  jump block1
block1:
  branch v0, block2, block7
block2:
  jump block3
block3:
  branch v0, block4, block5
block4:
  jump block3
block5:
  branch v0, block6, block1
block6:
  jump block1
block7:
  return
}";

    /// For each set of blocks that define a variable: none of them is on a way from the block that is found.
    #[test]
    fn nothing_defines_it_between() {
        let module = parse_module(LOOPS).expect("the test's text is IR");
        let cfg = Cfg::new(&module.functions[FuncRef::new(0)]);
        let flow = Flow::new(&cfg);
        let defined = |blocks: u32| {
            let mut numbers = Numbers::new();
            let defining = cfg.order.iter().filter(|block| blocks >> block.as_u32() & 1 != 0);
            defining.for_each(|&block| flow.defines(&mut numbers, block));
            numbers
        };
        for blocks in 0..1u32 << cfg.order.len() {
            let numbers = defined(blocks);
            for &block in &cfg.order {
                let found = flow.farthest(&numbers, block);
                let mut seen: SecondaryMap<Block, bool> = SecondaryMap::new();
                let mut work = if found == block { Vec::new() } else { vec![block] };
                while let Some(at) = work.pop() {
                    for &pred in cfg.preds[at].iter().filter(|&&pred| pred != found) {
                        assert!(blocks >> pred.as_u32() & 1 == 0, "{block} from {found}, defined in {blocks:#b}");
                        if !std::mem::replace(&mut seen[pred], true) {
                            work.push(pred);
                        }
                    }
                }
            }
        }
        // What loops leave as it is comes from above them all; what is changed farther on in a loop, from its header.
        let block = |number: u32| Block::from_u32(number);
        for (blocks, from, found) in [(1, 6, 0), (1, 7, 0), (1 << 4, 2, 1), (1 << 7, 6, 0)] {
            assert_eq!(
                flow.farthest(&defined(blocks), block(from)),
                block(found),
                "{from}, defined in {blocks:#b}"
            );
        }
    }
}
