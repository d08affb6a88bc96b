//! Regions of a function, and two of each.

use super::{is_report, may_copy};
use ir::cfg::{Cfg, Loops};
use ir::copy::copy_blocks;
use ir::*;
use std::ops::Range;
use target::costs::versioning::REGION;

/// Code that is reached in one way only.
#[derive(Clone, Debug)]
pub enum Region {
    /// All that comes behind a place in a block.
    Rest {
        /// The block.
        block: Block,
        /// The first instruction that belongs to it.
        position: usize,
        /// The blocks that this one dominates.
        dominated: Vec<Block>,
    },
    /// Instructions of a block, without its terminator.
    Part {
        /// The block.
        block: Block,
        /// Which.
        positions: Range<usize>,
    },
    /// A loop.
    Loop {
        /// The only block from which it is entered.
        before: Block,
        /// Its blocks, the header first.
        blocks: Vec<Block>,
    },
    /// What is behind one side of a branch.
    Side {
        /// The block that ends in the branch.
        block: Block,
        /// 0 or 1.
        side: usize,
        /// The blocks that only this side reaches, its first first.
        blocks: Vec<Block>,
    },
}

/// A region that was written twice.
#[derive(Clone, Debug)]
pub struct Twice {
    /// Blocks of the region as it was, the first first.
    pub originals: Vec<Block>,
    /// Their copies.
    pub copies: Vec<Block>,
    /// Has no terminator yet: that chooses between the two.
    pub test: Block,
    /// To the copies. (Before a loop, a block of its own that jumps to it.)
    pub fast: BlockCall,
    /// To what was there.
    pub slow: BlockCall,
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

impl Region {
    /// What is behind a place, if it may be written twice, and its size.
    pub fn rest(func: &Function, tree: &DominatorTree, block: Block, position: usize) -> Option<(Region, usize)> {
        let mut size = 0;
        let mut may_copy = |insts: &[Inst]| {
            size += insts.len();
            size <= REGION && insts.iter().all(|&inst| may_copy(&func.inst(inst).data))
        };
        if !may_copy(&func.block(block).insts[position..]) {
            return None;
        }
        let mut dominated = Vec::new();
        let mut work: Vec<Block> = tree.children(block).to_vec();
        while let Some(next) = work.pop() {
            if !may_copy(&func.block(next).insts) {
                return None;
            }
            dominated.push(next);
            work.extend(tree.children(next));
        }
        let region = Region::Rest {
            block,
            position,
            dominated,
        };
        Some((region, size))
    }

    /// A loop, if it is entered from one block and may be written twice, and its size.
    pub fn natural_loop(
        func: &Function,
        cfg: &Cfg,
        loops: &Loops,
        index: usize,
        may_copy: fn(&InstData) -> bool,
    ) -> Option<(Region, usize)> {
        let natural = &loops.loops[index];
        let before = loops.only_entry(cfg, index)?;
        let mut size = 0;
        for &block in &natural.blocks {
            let insts = &func.block(block).insts;
            // What reports a failed check is left out of the copy.
            let reports = insts.iter().any(|&inst| is_report(&func.inst(inst).data));
            size += if reports { 0 } else { insts.len() };
            if size > REGION || !insts.iter().all(|&inst| may_copy(&func.inst(inst).data)) {
                return None;
            }
        }
        let mut blocks = vec![natural.header];
        blocks.extend(natural.blocks.iter().copied().filter(|&block| block != natural.header));
        Some((Region::Loop { before, blocks }, size))
    }

    /// Writes it twice.
    pub(super) fn write_twice(&self, func: &mut Function) -> Twice {
        match *self {
            Region::Rest {
                block,
                position,
                ref dominated,
            } => rest(func, block, position, dominated),
            Region::Part { block, ref positions } => part(func, block, positions),
            Region::Loop { before, ref blocks } => natural_loop(func, before, blocks),
            Region::Side { block, side, ref blocks } => branch_side(func, block, side, blocks),
        }
    }
}

fn rest(func: &mut Function, block: Block, position: usize, dominated: &[Block]) -> Twice {
    let first = func.add_detached_block();
    let rest = func.block_mut(block).insts.split_off(position);
    func.block_mut(first).insts = rest;
    let mut originals = vec![first];
    originals.extend(dominated);
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
    insert_behind(func, block, copies.iter().copied().chain([first]));
    func.layout.extend(new_return);
    Twice {
        test: block,
        fast: to(copies[0], &[]),
        slow: to(first, &[]),
        originals,
        copies,
    }
}

fn part(func: &mut Function, block: Block, positions: &Range<usize>) -> Twice {
    let [part, behind] = [(); 2].map(|()| func.add_detached_block());
    let mut insts = func.block_mut(block).insts.split_off(positions.start);
    let after = insts.split_off(positions.len());
    func.block_mut(behind).insts = after;
    insert_behind(func, block, [behind]);
    // What is computed in the part comes as parameters, if anybody wants it.
    let results: Vec<Value> = insts.iter().flat_map(|&inst| func.inst(inst).results.clone()).collect();
    let uses = func.use_counts();
    let wanted: Vec<Value> = results.into_iter().filter(|&value| uses[value] > 0).collect();
    let mut map = ValueMap::default();
    for &value in &wanted {
        let ty = func.ty(value);
        map.insert(value, func.add_param(behind, ty));
    }
    func.substitute(&map);
    func.block_mut(part).insts = insts;
    let target = to(behind, &wanted);
    func.append(part, InstData::Jump { target }, Flags::empty());
    let copies = copy_blocks(func, &[part]);
    insert_behind(func, block, [copies[0], part]);
    Twice {
        test: block,
        fast: to(copies[0], &[]),
        slow: to(part, &[]),
        originals: vec![part],
        copies,
    }
}

fn natural_loop(func: &mut Function, before: Block, blocks: &[Block]) -> Twice {
    let header = blocks[0];
    // What chooses is on the way to the header, and nothing else.
    let (test, entry) = match func.terminator(before).clone() {
        InstData::Jump { target } => {
            func.block_mut(before).insts.pop();
            (before, target)
        }
        mut terminator => {
            let test = func.add_detached_block();
            let mut entry = to(header, &[]);
            for target in terminator.targets_mut() {
                if target.block == header {
                    entry = std::mem::replace(target, to(test, &[]));
                }
            }
            *func.terminator_mut(before) = terminator;
            insert_behind(func, before, [test]);
            (test, entry)
        }
    };
    // No edge may lead from a block of two successors to one of two predecessors.
    let mut originals = blocks.to_vec();
    for &block in blocks {
        let mut terminator = func.terminator(block).clone();
        for call in terminator.targets_mut() {
            if !blocks.contains(&call.block) {
                // Values leave loops as parameters.
                let out = func.add_detached_block();
                let types: Vec<Type> = call.args.iter().map(|&arg| func.ty(arg)).collect();
                let params: Vec<Value> = types.into_iter().map(|ty| func.add_param(out, ty)).collect();
                let target = to(call.block, &params);
                func.append(out, InstData::Jump { target }, Flags::empty());
                call.block = out;
                originals.push(out);
            }
        }
        *func.terminator_mut(block) = terminator;
    }
    let copies = copy_blocks(func, &originals);
    let [fast, slow] = [(); 2].map(|()| func.add_detached_block());
    let target = to(copies[0], &entry.args);
    func.append(fast, InstData::Jump { target }, Flags::empty());
    func.append(slow, InstData::Jump { target: entry }, Flags::empty());
    insert_behind(func, test, [fast].into_iter().chain(copies.iter().copied()).chain([slow]));
    func.layout.extend(&originals[blocks.len()..]);
    Twice {
        originals,
        copies,
        test,
        fast: to(fast, &[]),
        slow: to(slow, &[]),
    }
}

fn branch_side(func: &mut Function, block: Block, side: usize, blocks: &[Block]) -> Twice {
    let parted = func.add_detached_block();
    let branch = func.block_mut(block).insts.pop().expect("a block has a terminator");
    func.block_mut(parted).insts.push(branch);
    let copies = copy_blocks(func, blocks);
    let args = func.terminator(parted).targets()[side].args.clone();
    insert_behind(func, block, copies.iter().copied().chain([parted]));
    Twice {
        originals: blocks.to_vec(),
        test: block,
        fast: BlockCall { block: copies[0], args },
        slow: to(parted, &[]),
        copies,
    }
}

fn insert_behind(func: &mut Function, block: Block, new: impl IntoIterator<Item = Block>) {
    let at = func.layout.iter().position(|&other| other == block);
    let at = at.map_or(func.layout.len(), |at| at + 1);
    func.layout.splice(at..at, new);
}
