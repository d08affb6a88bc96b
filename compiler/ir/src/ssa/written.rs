//! The dominator tree of a function that is being written, block by block in order: where a variable that did not change since can be found at once.
//!
//! A block that is sealed has its predecessors behind it, so its immediate dominator is their nearest common one. Each block knows its parent and
//! one ancestor farther up, which lets a walk of any length take logarithmic time (Myers, An Applicative Random-Access Stack, 1983).

use super::Block;
use cranelift_entity::SecondaryMap;
use cranelift_entity::packed_option::PackedOption;

#[derive(Clone, Copy, Debug, Default)]
struct Node {
    /// In which order blocks were begun; 0 for those that are not written yet.
    number: u32,
    depth: u32,
    parent: PackedOption<Block>,
    skip: PackedOption<Block>,
}

/// Blocks that have been begun.
#[derive(Debug, Default)]
pub(super) struct Written {
    nodes: SecondaryMap<Block, Node>,
    count: u32,
    /// Headers of the loops that are being written, the outermost first.
    open: Vec<Block>,
}

impl Written {
    /// 0 for blocks that have not been begun.
    pub fn number(&self, block: Block) -> u32 {
        self.nodes[block].number
    }

    /// A block is begun, from these; what else will jump to it is not written yet.
    pub fn begin(&mut self, block: Block, preds: &[Block]) {
        let known = |&&pred: &&Block| self.nodes[pred].number != 0;
        let parent = preds.iter().filter(known).copied().reduce(|a, b| self.common(a, b).unwrap_or(a));
        self.begin_below(block, parent);
    }

    /// A block is begun whose immediate dominator is known.
    pub fn begin_below(&mut self, block: Block, parent: Option<Block>) {
        let mut node = Node {
            parent: parent.into(),
            ..Node::default()
        };
        if let Some(parent) = parent {
            let Node { depth, skip, .. } = self.nodes[parent];
            node.depth = depth + 1;
            // Where the two steps from the parent are as long as each other, one of both: each block's skips are as in a binary counter.
            let far = skip.expand().map(|skip| (self.nodes[skip].depth, self.nodes[skip].skip.expand()));
            node.skip = match far {
                Some((near, Some(farther))) if depth - near == near - self.nodes[farther].depth => farther.into(),
                _ => parent.into(),
            };
        }
        self.count += 1;
        node.number = self.count;
        self.nodes[block] = node;
    }

    /// The block begins a loop whose blocks come next.
    pub fn open(&mut self, header: Block) {
        self.open.push(header);
    }

    /// Another block comes: loops end that are complete.
    pub fn close(&mut self, is_complete: impl Fn(&Written, Block) -> bool) {
        while self.open.last().is_some_and(|&header| is_complete(self, header)) {
            self.open.pop();
        }
    }

    /// The number of the innermost header of an open loop around a block, 0 if there is none.
    pub fn innermost(&self, block: Block) -> u32 {
        let number = self.number(block);
        let headers = self.open.iter().rev().map(|&header| self.number(header));
        headers.into_iter().find(|&header| header <= number).unwrap_or(0)
    }

    /// The farthest dominator of a block, or itself, whose number is at least `least`.
    pub fn farthest(&self, mut block: Block, least: u32) -> Block {
        let reaches = |to: PackedOption<Block>| to.expand().filter(|&to| self.nodes[to].number >= least);
        loop {
            let Node { parent, skip, .. } = self.nodes[block];
            match reaches(skip).or_else(|| reaches(parent)) {
                Some(up) => block = up,
                None => return block,
            }
        }
    }

    /// The nearest dominator of both.
    fn common(&self, mut a: Block, mut b: Block) -> Option<Block> {
        if self.nodes[a].depth < self.nodes[b].depth {
            (a, b) = (b, a);
        }
        let depth = self.nodes[b].depth;
        while self.nodes[a].depth > depth {
            let Node { parent, skip, .. } = self.nodes[a];
            a = skip.expand().filter(|&skip| self.nodes[skip].depth >= depth).or(parent.expand())?;
        }
        while a != b {
            // Blocks of one depth skip as far.
            let ([up_a, up_b], [skip_a, skip_b]) = ([a, b].map(|at| self.nodes[at].parent), [a, b].map(|at| self.nodes[at].skip));
            let (next_a, next_b) = if skip_a == skip_b { (up_a, up_b) } else { (skip_a, skip_b) };
            (a, b) = (next_a.expand()?, next_b.expand()?);
        }
        Some(a)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A chain of diamonds, in each of which something is skipped: joins have the forks for parents, at any distance.
    #[test]
    fn ways_up_are_found() {
        let mut written = Written::default();
        let block = |number: u32| Block::from_u32(number);
        written.begin(block(0), &[]);
        for diamond in 0..1000 {
            let fork = block(diamond * 2);
            written.begin(block(diamond * 2 + 1), &[fork]);
            written.begin(block(diamond * 2 + 2), &[fork, block(diamond * 2 + 1)]);
        }
        for (from, least, to) in [
            (2000, 1, 0),
            (2000, 2, 2),
            (2000, 1001, 1000),
            (1999, 1, 0),
            (1999, 2000, 1999),
            (700, 700, 700),
        ] {
            assert_eq!(written.farthest(block(from), least), block(to), "{from} to {least}");
        }
        // From the first arm and the last join.
        written.begin(block(3000), &[block(1), block(2000)]);
        assert_eq!(written.farthest(block(3000), 1), block(0));
        assert_eq!(written.farthest(block(3000), 2), block(3000));
    }
}
