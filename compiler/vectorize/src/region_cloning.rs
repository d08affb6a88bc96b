//! What comes behind a place in a function, written twice: for gangs of which something is known there, and for the others.

use ir::copy::copy_blocks;
use ir::*;

/// No more instructions than this are written twice.
const LARGEST: usize = 300;

/// All that comes behind an instruction and is reached in no other way.
pub struct Behind {
    block: Block,
    /// Where the instruction stands in the block.
    position: usize,
    /// The blocks that this one dominates.
    blocks: Vec<Block>,
}

/// Code that was written twice.
pub struct Twice {
    /// Blocks of the code as it was, the first first.
    pub originals: Vec<Block>,
    /// Their copies.
    pub copies: Vec<Block>,
}

impl Behind {
    /// What is behind, and the instruction itself, if it may be written twice.
    pub fn find(func: &Function, tree: &DominatorTree, block: Block, position: usize) -> Option<Behind> {
        let mut size = 0;
        let mut may_copy = |insts: &[Inst]| {
            size += insts.len();
            size <= LARGEST
                && insts.iter().all(|&inst| {
                    !matches!(
                        func.inst(inst).data,
                        InstData::Barrier { .. } | InstData::WorkGroup { .. } | InstData::Call { .. } | InstData::Unreachable
                    )
                })
        };
        if !may_copy(&func.block(block).insts[position..]) {
            return None;
        }
        let mut blocks = Vec::new();
        let mut work: Vec<Block> = tree.children(block).to_vec();
        while let Some(next) = work.pop() {
            if !may_copy(&func.block(next).insts) {
                return None;
            }
            blocks.push(next);
            work.extend(tree.children(next));
        }
        Some(Behind { block, position, blocks })
    }

    /// Writes it twice. What is left of the block has no terminator any more.
    pub fn write_twice(&self, func: &mut Function) -> Twice {
        let first = func.add_detached_block();
        let rest = func.block_mut(self.block).insts.split_off(self.position);
        func.block_mut(first).insts = rest;
        let mut originals = vec![first];
        originals.extend(&self.blocks);
        // The function returns in one place.
        let mut new_return = None;
        for &block in &originals {
            if matches!(func.terminator(block), InstData::Return { .. }) {
                let alone = func.add_detached_block();
                let terminator = func.block_mut(block).insts.pop().expect("a block has a terminator");
                func.block_mut(alone).insts.push(terminator);
                func.append(block, InstData::Jump { target: to(alone, &[]) }, Flags::empty());
                new_return = Some(alone);
            }
        }
        let copies = copy_blocks(func, &originals);
        let at = func.layout.iter().position(|&other| other == self.block);
        let at = at.map_or(func.layout.len(), |at| at + 1);
        func.layout.splice(at..at, copies.iter().copied().chain([first]));
        func.layout.extend(new_return);
        Twice { originals, copies }
    }
}

impl Twice {
    /// Instructions as they were, each with its copy.
    pub fn pairs(&self, func: &Function) -> Vec<(Inst, Inst)> {
        let blocks = self.originals.iter().zip(&self.copies);
        let insts = |(&original, &copy): (&Block, &Block)| {
            let copies = func.block(copy).insts.iter().copied();
            func.block(original).insts.iter().copied().zip(copies).collect::<Vec<_>>()
        };
        blocks.flat_map(insts).collect()
    }
}
