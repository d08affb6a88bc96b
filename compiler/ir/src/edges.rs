//! The blocks before or behind each block of a flow graph, one after the other in one list.

use super::entities::Block;
use cranelift_entity::{EntityRef, SecondaryMap};
use smallvec::SmallVec;
use std::ops::Index;

/// Where the list is of a block that has none.
const NONE: (u32, u32) = (u32::MAX, u32::MAX);

/// Blocks of each block. Of a block that was not given any there are none.
#[derive(Clone, Debug, Default)]
pub struct Edges {
    /// By block: where its list begins, and where it ends.
    spans: Vec<(u32, u32)>,
    blocks: Vec<Block>,
    /// Where the list begins that nobody has yet.
    closed: u32,
}

impl Edges {
    /// None yet, with room for so many blocks.
    pub(super) fn new(blocks: usize) -> Edges {
        Edges {
            spans: vec![NONE; blocks],
            blocks: Vec::with_capacity(2 * blocks),
            closed: 0,
        }
    }

    /// Another block for the list that is given to somebody next.
    pub(super) fn push(&mut self, to: Block) {
        self.blocks.push(to);
    }

    /// Gives a block what has been pushed since the last one got its list.
    pub(super) fn close(&mut self, block: Block) {
        let end = self.blocks.len() as u32;
        self.spans[block.index()] = (std::mem::replace(&mut self.closed, end), end);
    }

    /// The block has been given a list.
    pub(super) fn knows(&self, block: Block) -> bool {
        self.spans[block.index()] != NONE
    }

    /// Takes a block's list away.
    pub(super) fn clear(&mut self, block: Block) {
        self.spans[block.index()] = NONE;
    }

    /// The other direction, of the blocks of `order` alone; who comes first in it is first in each list.
    pub(super) fn reversing<S>(order: &[Block], edges: &S, blocks: usize) -> Edges
    where
        S: Index<Block, Output: AsRef<[Block]>> + ?Sized,
    {
        let mut spans = vec![(0, 0); blocks];
        let mut count = 0;
        for &block in order {
            for &to in edges[block].as_ref() {
                spans[to.index()].1 += 1u32;
                count += 1;
            }
        }
        let mut start = 0;
        for span in &mut spans {
            let length = span.1;
            *span = (start, start);
            start += length;
        }
        let mut lists = vec![Block::new(0); count];
        for &block in order {
            for &to in edges[block].as_ref() {
                let end = &mut spans[to.index()].1;
                lists[*end as usize] = block;
                *end += 1;
            }
        }
        Edges {
            spans,
            blocks: lists,
            closed: count as u32,
        }
    }

    /// The other direction: who comes first in `order`, all blocks that have lists, is first in each list.
    pub fn reversed(&self, order: &[Block]) -> Edges {
        Edges::reversing(order, self, self.len())
    }

    /// A list a block, to be changed.
    pub fn to_lists(&self) -> SecondaryMap<Block, SmallVec<[Block; 2]>> {
        let mut lists: SecondaryMap<Block, SmallVec<[Block; 2]>> = SecondaryMap::new();
        lists.resize(self.spans.len());
        for (block, list) in lists.iter_mut() {
            list.extend_from_slice(&self[block]);
        }
        lists
    }

    /// How many blocks have lists.
    pub(super) fn len(&self) -> usize {
        self.spans.len()
    }
}

impl Index<Block> for Edges {
    type Output = [Block];

    fn index(&self, block: Block) -> &[Block] {
        match self.spans.get(block.index()) {
            Some(&span) if span != NONE => &self.blocks[span.0 as usize..span.1 as usize],
            _ => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_go_both_ways() {
        let blocks: Vec<Block> = (0..4).map(Block::from_u32).collect();
        let mut edges = Edges::new(4);
        assert!(!edges.knows(blocks[0]) && edges[blocks[0]].is_empty());
        for (from, list) in [(0, vec![2, 1]), (2, vec![1, 1]), (1, vec![])] {
            list.iter().for_each(|&to| edges.push(blocks[to]));
            edges.close(blocks[from]);
        }
        assert_eq!(edges[blocks[0]], [blocks[2], blocks[1]]);
        assert!(edges.knows(blocks[1]) && edges[blocks[1]].is_empty() && !edges.knows(blocks[3]));
        let back = edges.reversed(&[blocks[0], blocks[2], blocks[1]]);
        assert_eq!(back[blocks[1]], [blocks[0], blocks[2], blocks[2]]);
        assert_eq!(back[blocks[2]], [blocks[0]]);
        assert!(back[blocks[0]].is_empty() && back[blocks[3]].is_empty());
        assert_eq!(edges.to_lists()[blocks[2]].as_slice(), &edges[blocks[2]]);
        edges.clear(blocks[2]);
        assert!(edges[blocks[2]].is_empty() && edges[Block::from_u32(9)].is_empty());
    }
}
