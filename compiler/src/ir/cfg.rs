//! The control-flow graph of a function: predecessors, reverse postorder, dominators, post-dominators and loops.
//!
//! Computed from the terminators; stale as soon as one changes.

use super::entities::Block;
use super::function::Function;
use cranelift_entity::SecondaryMap;
use cranelift_entity::packed_option::ReservedValue;
use smallvec::SmallVec;

/// Blocks that can be reached, in reverse postorder, with their predecessors.
#[derive(Clone, Debug)]
pub struct Cfg {
    /// Blocks that can be reached from the entry, each after all its predecessors but those of back edges.
    pub order: Vec<Block>,
    /// Position in [`Cfg::order`]; `u32::MAX` for blocks that can't be reached.
    pub position: SecondaryMap<Block, u32>,
    /// Reachable predecessors, one entry an edge (a block that jumps here twice stands twice).
    pub preds: SecondaryMap<Block, Vec<Block>>,
    /// Immediate dominators; the entry's is the entry.
    pub idom: SecondaryMap<Block, Option<Block>>,
}

impl Cfg {
    /// Computes it.
    pub fn new(func: &Function) -> Cfg {
        let order = reverse_postorder(func);
        let mut position = SecondaryMap::with_default(u32::MAX);
        for (index, &block) in order.iter().enumerate() {
            position[block] = index as u32;
        }
        let mut preds: SecondaryMap<Block, Vec<Block>> = SecondaryMap::new();
        for &block in &order {
            for succ in func.successors(block) {
                preds[succ].push(block);
            }
        }
        let idom = dominators(&order, &position, |block| &preds[block]);
        Cfg {
            order,
            position,
            preds,
            idom,
        }
    }

    /// The block can be reached.
    pub fn is_reachable(&self, block: Block) -> bool {
        self.position[block] != u32::MAX
    }

    /// Each path from the entry to `b` goes through `a`.
    pub fn dominates(&self, a: Block, mut b: Block) -> bool {
        while self.position[b] > self.position[a] {
            match self.idom[b] {
                Some(up) if up != b => b = up,
                _ => return false,
            }
        }
        a == b
    }
}

fn reverse_postorder(func: &Function) -> Vec<Block> {
    let mut order = Vec::new();
    if func.layout.is_empty() {
        return order;
    }
    let mut seen: SecondaryMap<Block, bool> = SecondaryMap::new();
    let entry = func.entry();
    seen[entry] = true;
    // Successors are visited last to first, so that the first ends up right behind its block.
    let mut stack = vec![(entry, func.successors(entry))];
    while let Some((block, successors)) = stack.last_mut() {
        match successors.pop() {
            Some(next) if !seen[next] => {
                seen[next] = true;
                stack.push((next, func.successors(next)));
            }
            Some(_) => {}
            None => {
                order.push(*block);
                stack.pop();
            }
        }
    }
    order.reverse();
    order
}

/// Immediate dominators over a graph given by an order (reverse postorder of that graph), positions in it and predecessors.
/// Cooper, Harvey, Kennedy: A Simple, Fast Dominance Algorithm, 2001.
fn dominators<'a>(
    order: &[Block],
    position: &SecondaryMap<Block, u32>,
    preds: impl Fn(Block) -> &'a [Block],
) -> SecondaryMap<Block, Option<Block>> {
    let mut idom: SecondaryMap<Block, Option<Block>> = SecondaryMap::new();
    let Some(&entry) = order.first() else { return idom };
    idom[entry] = Some(entry);
    let mut changed = true;
    while changed {
        changed = false;
        for &block in &order[1..] {
            let mut new = None;
            for &pred in preds(block) {
                if idom[pred].is_none() {
                    continue;
                }
                new = Some(match new {
                    None => pred,
                    Some(other) => meet(&idom, position, pred, other),
                });
            }
            if new.is_some() && idom[block] != new {
                idom[block] = new;
                changed = true;
            }
        }
    }
    idom
}

fn meet(idom: &SecondaryMap<Block, Option<Block>>, position: &SecondaryMap<Block, u32>, mut a: Block, mut b: Block) -> Block {
    while a != b {
        while position[a] > position[b] {
            a = idom[a].expect("blocks on the way up have a dominator");
        }
        while position[b] > position[a] {
            b = idom[b].expect("blocks on the way up have a dominator");
        }
    }
    a
}

/// Post-dominators, with one virtual exit behind all blocks without successors (and behind loops that never end).
#[derive(Clone, Debug)]
pub struct PostDominators {
    ipdom: SecondaryMap<Block, Option<Block>>,
    position: SecondaryMap<Block, u32>,
}

impl PostDominators {
    /// Computes them.
    pub fn new(func: &Function, cfg: &Cfg) -> PostDominators {
        PostDominators::over(cfg, |block| func.successors(block))
    }

    /// Computes them as if blocks had other successors.
    pub fn over(cfg: &Cfg, successors: impl Fn(Block) -> SmallVec<[Block; 2]>) -> PostDominators {
        let exit = Block::reserved_value();
        let mut preds: SecondaryMap<Block, SmallVec<[Block; 4]>> = SecondaryMap::new();
        for &block in &cfg.order {
            for succ in successors(block) {
                preds[succ].push(block);
            }
        }
        // Edges of the reversed graph, with the virtual exit as its entry. The virtual exit is kept out of the tables
        // (its index is too large for them) and treated apart.
        let mut reached: SecondaryMap<Block, bool> = SecondaryMap::new();
        let mut exits: SecondaryMap<Block, bool> = SecondaryMap::new();
        let mut postorder: Vec<Block> = Vec::new();
        let mut walk = |root: Block, exits: &mut SecondaryMap<Block, bool>, postorder: &mut Vec<Block>| {
            if reached[root] {
                return;
            }
            exits[root] = true;
            reached[root] = true;
            let mut stack = vec![(root, 0)];
            while let Some((block, next)) = stack.last_mut() {
                if let Some(&pred) = preds[*block].get(*next) {
                    *next += 1;
                    if !reached[pred] {
                        reached[pred] = true;
                        stack.push((pred, 0));
                    }
                } else {
                    postorder.push(*block);
                    stack.pop();
                }
            }
        };
        for &block in &cfg.order {
            if successors(block).is_empty() {
                walk(block, &mut exits, &mut postorder);
            }
        }
        // Loops without an exit: their last block in order counts as one.
        for &block in cfg.order.iter().rev() {
            walk(block, &mut exits, &mut postorder);
        }
        let order: Vec<Block> = postorder.into_iter().rev().collect();
        let mut position = SecondaryMap::with_default(u32::MAX);
        for (index, &block) in order.iter().enumerate() {
            position[block] = index as u32 + 1;
        }
        let mut ipdom: SecondaryMap<Block, Option<Block>> = SecondaryMap::new();
        let up = |ipdom: &SecondaryMap<Block, Option<Block>>, block: Block| ipdom[block].expect("processed");
        let at = |block: Block| if block == exit { 0 } else { position[block] };
        let mut changed = true;
        while changed {
            changed = false;
            for &block in &order {
                let mut new = exits[block].then_some(exit);
                for succ in successors(block) {
                    if ipdom[succ].is_none() {
                        continue;
                    }
                    new = Some(match new {
                        None => succ,
                        Some(other) => {
                            let (mut a, mut b) = (succ, other);
                            while a != b {
                                while at(a) > at(b) {
                                    a = up(&ipdom, a);
                                }
                                while at(b) > at(a) {
                                    b = up(&ipdom, b);
                                }
                            }
                            a
                        }
                    });
                }
                if new.is_some() && ipdom[block] != new {
                    ipdom[block] = new;
                    changed = true;
                }
            }
        }
        PostDominators { ipdom, position }
    }

    /// The nearest block that each path from `block` to the end goes through; none where that is the end itself.
    pub fn immediate(&self, block: Block) -> Option<Block> {
        self.ipdom[block].filter(|&up| up != Block::reserved_value())
    }

    /// Of two blocks that each path from one block to the end goes through, `a` comes first (the end itself being last).
    pub fn is_before(&self, a: Block, b: Option<Block>) -> bool {
        b.is_none_or(|b| self.position[a] > self.position[b])
    }

    /// Each path from `b` to the end goes through `a`.
    pub fn post_dominates(&self, a: Block, mut b: Block) -> bool {
        while self.position[b] > self.position[a] {
            match self.immediate(b) {
                Some(up) => b = up,
                None => return false,
            }
        }
        a == b
    }
}

/// A natural loop.
#[derive(Clone, Debug)]
pub struct Loop {
    /// Its only entry.
    pub header: Block,
    /// Its blocks, those of inner loops too, in reverse postorder.
    pub blocks: Vec<Block>,
    /// Blocks that jump back to the header.
    pub latches: Vec<Block>,
    /// The loop around it.
    pub parent: Option<usize>,
    /// 1 for an outermost loop.
    pub depth: u32,
}

/// The natural loops of a function.
#[derive(Clone, Debug)]
pub struct Loops {
    /// Outer loops before the loops in them.
    pub loops: Vec<Loop>,
    /// The innermost loop of each block.
    pub innermost: SecondaryMap<Block, Option<u32>>,
    /// Some cycle has more than one entry: such a cycle is not in [`Loops::loops`].
    pub irreducible: bool,
}

impl Loops {
    /// Finds them.
    pub fn new(func: &Function, cfg: &Cfg) -> Loops {
        let mut irreducible = false;
        let mut headers: Vec<(Block, Vec<Block>)> = Vec::new();
        for &block in &cfg.order {
            let mut latches: Vec<Block> = Vec::new();
            for &pred in &cfg.preds[block] {
                if cfg.position[pred] >= cfg.position[block] {
                    if cfg.dominates(block, pred) {
                        if !latches.contains(&pred) {
                            latches.push(pred);
                        }
                    } else {
                        irreducible = true;
                    }
                }
            }
            if !latches.is_empty() {
                headers.push((block, latches));
            }
        }
        let mut loops: Vec<Loop> = Vec::with_capacity(headers.len());
        let mut innermost: SecondaryMap<Block, Option<u32>> = SecondaryMap::new();
        // The last loop that a block was found in, counted from 1.
        let mut inside: SecondaryMap<Block, u32> = SecondaryMap::new();
        // Headers come in reverse postorder: an outer loop's before those of the loops in it.
        for (header, latches) in headers {
            let index = loops.len() as u32;
            inside[header] = index + 1;
            let mut blocks = vec![header];
            let mut work: Vec<Block> = latches.clone();
            while let Some(block) = work.pop() {
                if inside[block] != index + 1 {
                    inside[block] = index + 1;
                    blocks.push(block);
                    work.extend(cfg.preds[block].iter().copied());
                }
            }
            blocks.sort_by_key(|&block| cfg.position[block]);
            let parent = innermost[header].map(|index| index as usize);
            let depth = parent.map_or(1, |parent| loops[parent].depth + 1);
            for &block in &blocks {
                innermost[block] = Some(index);
            }
            loops.push(Loop {
                header,
                blocks,
                latches,
                parent,
                depth,
            });
        }
        let _ = func;
        Loops {
            loops,
            innermost,
            irreducible,
        }
    }

    /// How many loops a block is in.
    pub fn depth(&self, block: Block) -> u32 {
        self.innermost[block].map_or(0, |index| self.loops[index as usize].depth)
    }

    /// The block is in the loop (or in one inside it).
    pub fn contains(&self, index: usize, block: Block) -> bool {
        let mut at = self.innermost[block].map(|index| index as usize);
        while let Some(current) = at {
            if current == index {
                return true;
            }
            at = self.loops[current].parent;
        }
        false
    }
}
