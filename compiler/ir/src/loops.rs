//! Natural loops.

use super::cfg::Cfg;
use super::dominance::Forest;
use super::entities::Block;
use super::function::Function;
use cranelift_entity::SecondaryMap;

/// A natural loop.
#[derive(Clone, Debug, PartialEq)]
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

/// The outermost loop around one that has been found; what is on the way there is found at once from now on.
fn outermost(around: &mut [u32], index: u32) -> u32 {
    let mut at = index;
    while around[at as usize] != at {
        let on = around[around[at as usize] as usize];
        around[at as usize] = on;
        at = on;
    }
    at
}

/// The natural loops of a function.
#[derive(Clone, Debug, PartialEq)]
pub struct Loops {
    /// Outer loops before the loops in them.
    pub loops: Vec<Loop>,
    /// The innermost loop of each block.
    pub innermost: SecondaryMap<Block, Option<u32>>,
    /// By loop: its number in an order in which the loops in it follow it at once, and the number of the last of these.
    spans: Vec<(u32, u32)>,
    /// Some cycle has more than one entry: such a cycle is not in [`Loops::loops`].
    pub irreducible: bool,
}

impl Loops {
    /// A step up in the dominator tree from `at`, or, at once, out of a loop that `seen_from` is not in.
    pub fn above(&self, cfg: &Cfg, at: Block, seen_from: Block) -> Option<Block> {
        let outside = self.innermost[at].filter(|&index| !self.contains(index as usize, seen_from));
        cfg.immediate_dominator(outside.map_or(at, |index| self.loops[index as usize].header))
    }

    /// Finds them.
    pub fn new(cfg: &Cfg) -> Loops {
        let forest = Forest::new(&cfg.order, cfg.succs.len(), |block| cfg.immediate_dominator(block));
        let mut irreducible = false;
        let mut headers: Vec<(Block, Vec<Block>)> = Vec::new();
        for &block in &cfg.order {
            let mut latches: Vec<Block> = Vec::new();
            for &pred in &cfg.preds[block] {
                if cfg.position[pred] >= cfg.position[block] {
                    if forest.is_above(block, pred) {
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
        let mut loops: Vec<Loop> = headers
            .into_iter()
            .map(|(header, latches)| Loop {
                header,
                blocks: Vec::new(),
                latches,
                parent: None,
                depth: 1,
            })
            .collect();
        let mut innermost: SecondaryMap<Block, Option<u32>> = SecondaryMap::new();
        innermost.resize(cfg.succs.len());
        // Towards the outermost loop around each that has been found.
        let mut around: Vec<u32> = (0..loops.len() as u32).collect();
        let mut work: Vec<Block> = Vec::new();
        // Headers come in reverse postorder, an outer loop's before those of the loops in it: backwards, what is in a loop already belongs to one
        // that is in this one, and is passed over at once.
        for index in (0..loops.len() as u32).rev() {
            let natural = &loops[index as usize];
            innermost[natural.header] = Some(index);
            work.extend_from_slice(&natural.latches);
            while let Some(block) = work.pop() {
                let Some(inner) = innermost[block] else {
                    innermost[block] = Some(index);
                    work.extend_from_slice(&cfg.preds[block]);
                    continue;
                };
                let outermost = outermost(&mut around, inner);
                if outermost != index {
                    around[outermost as usize] = index;
                    loops[outermost as usize].parent = Some(index as usize);
                    work.extend_from_slice(&cfg.preds[loops[outermost as usize].header]);
                }
            }
        }
        let mut sizes = vec![0; loops.len()];
        for &block in &cfg.order {
            if let Some(index) = innermost[block] {
                sizes[index as usize] += 1;
            }
        }
        for index in (0..loops.len()).rev() {
            if let Some(parent) = loops[index].parent {
                sizes[parent] += sizes[index];
            }
            loops[index].blocks.reserve_exact(sizes[index]);
        }
        for index in 0..loops.len() {
            loops[index].depth = loops[index].parent.map_or(1, |parent| loops[parent].depth + 1);
        }
        for &block in &cfg.order {
            let mut at = innermost[block].map(|index| index as usize);
            while let Some(index) = at {
                loops[index].blocks.push(block);
                at = loops[index].parent;
            }
        }
        Loops {
            spans: spans(&loops),
            loops,
            innermost,
            irreducible,
        }
    }

    /// The innermost loop of a block.
    pub fn innermost(&self, block: Block) -> Option<usize> {
        self.innermost[block].map(|index| index as usize)
    }

    /// The loops that a block is in, the innermost first.
    pub fn around(&self, block: Block) -> impl Iterator<Item = usize> {
        std::iter::successors(self.innermost(block), |&index| self.loops[index].parent)
    }

    /// The blocks outside that jump to a loop's header, an entry an edge.
    pub fn entries(&self, cfg: &Cfg, index: usize) -> impl Iterator<Item = Block> {
        let preds = cfg.preds[self.loops[index].header].iter().copied();
        preds.filter(move |&pred| !self.contains(index, pred))
    }

    /// The only block outside that jumps to a loop's header.
    pub fn only_entry(&self, cfg: &Cfg, index: usize) -> Option<Block> {
        let mut entries = self.entries(cfg, index);
        entries.next().filter(|_| entries.next().is_none())
    }

    /// How many loops a block is in.
    pub fn depth(&self, block: Block) -> u32 {
        self.innermost[block].map_or(0, |index| self.loops[index as usize].depth)
    }

    /// The loops that there are no others in.
    pub fn without_inner(&self) -> impl Iterator<Item = usize> + '_ {
        let is_inner = |index: usize| {
            self.loops[index]
                .blocks
                .iter()
                .all(|&block| self.innermost[block] == Some(index as u32))
        };
        (0..self.loops.len()).filter(move |&index| is_inner(index))
    }

    /// The blocks that a loop is left from.
    pub fn exiting<'l>(&'l self, cfg: &'l Cfg, index: usize) -> impl Iterator<Item = Block> + 'l {
        let leaves = move |block: &Block| cfg.succs[*block].iter().any(|&succ| !self.contains(index, succ));
        self.loops[index].blocks.iter().copied().filter(leaves)
    }

    /// The only block that a loop is left from, if that ends in a branch, and which of its targets stays inside.
    pub fn only_exit(&self, func: &Function, cfg: &Cfg, index: usize) -> Option<(Block, usize)> {
        let inside = |block: Block| self.contains(index, block);
        let mut exits = self.exiting(cfg, index);
        let (exiting, None) = (exits.next()?, exits.next()) else {
            return None;
        };
        let (_, targets) = func.branch(exiting)?;
        let side = targets.iter().position(|target| inside(target.block))?;
        Some((exiting, side))
    }

    /// The block is in the loop (or in one inside it).
    pub fn contains(&self, index: usize, block: Block) -> bool {
        let (first, last) = self.spans[index];
        let at = |innermost: u32| self.spans[innermost as usize].0;
        self.innermost[block].is_some_and(|innermost| (first..=last).contains(&at(innermost)))
    }
}

/// [`Loops::spans`], from the loops' parents.
fn spans(loops: &[Loop]) -> Vec<(u32, u32)> {
    let mut sizes = vec![1; loops.len()];
    for (index, natural) in loops.iter().enumerate().rev() {
        if let Some(parent) = natural.parent {
            sizes[parent] += sizes[index];
        }
    }
    // The next number for a loop right within each, and for one that is in no other.
    let mut next = vec![0; loops.len()];
    let mut outermost = 0;
    let mut spans = Vec::with_capacity(loops.len());
    for (natural, &size) in loops.iter().zip(&sizes) {
        let free = natural.parent.map_or(&mut outermost, |parent| &mut next[parent]);
        let first = *free;
        *free += size;
        next[spans.len()] = first + 1;
        spans.push((first, first + size - 1));
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Builder, Level, Type, Value, to};

    /// Loops in each other from `at` on, `width` of them at each of `depth` levels. Gives the block behind them.
    fn nest(func: &mut Function, condition: Value, at: Block, depth: usize, width: usize) -> Block {
        let mut at = at;
        for _ in 0..if depth == 0 { 0 } else { width } {
            let [header, body, exit] = [(); 3].map(|()| func.add_block());
            Builder::new(func, at).jump(header, &[]);
            Builder::new(func, header).branch(condition, to(body, &[]), to(exit, &[]));
            let latch = nest(func, condition, body, depth - 1, width);
            Builder::new(func, latch).jump(header, &[]);
            at = exit;
        }
        at
    }

    #[test]
    fn loops_contain_what_is_in_the_loops_within() {
        let mut func = Function::new("f", Level::WorkItem, &[]);
        let entry = func.add_block();
        let condition = func.add_param(entry, Type::MASK);
        let last = nest(&mut func, condition, entry, 3, 2);
        Builder::new(&mut func, last).ret(&[]);
        let cfg = Cfg::new(&func);
        let loops = Loops::new(&cfg);
        assert_eq!(loops.loops.len(), 2 + 4 + 8);
        for (index, natural) in loops.loops.iter().enumerate() {
            for &block in &func.layout {
                assert_eq!(loops.contains(index, block), natural.blocks.contains(&block), "{index} {block}");
            }
        }
    }
}
