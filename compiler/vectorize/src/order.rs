//! The order in which group formation visits blocks: each after its predecessors, loops in one piece.
//!
//! Positions are dense. A loop whose lanes leave one by one also gets a *latch* of its own behind its last block, where the lanes that
//! iterate again come together.

use cranelift_entity::SecondaryMap;
use ir::cfg::{Cfg, Loops};
use ir::{Block, Function, InstData};

/// What stands at a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Node {
    /// A block of the work-item function.
    Block(Block),
    /// The latch of a loop.
    Latch(usize),
}

/// Blocks and latches in order.
#[derive(Clone, Debug)]
pub struct Order {
    /// What stands at each position.
    pub nodes: Vec<Node>,
    /// Position of each reachable block.
    pub position: SecondaryMap<Block, u32>,
    /// Position of each loop's latch, where it has one.
    pub latch: Vec<Option<u32>>,
    /// By loop: the last position that belongs to it (its latch's, if it has one).
    pub last: Vec<u32>,
}

impl Order {
    /// Computes it; `parted(loop)` tells which loops get a latch. Loops must be reducible.
    pub fn new(func: &Function, cfg: &Cfg, loops: &Loops, parted: impl Fn(usize) -> bool) -> Order {
        let mut order = Order {
            nodes: Vec::new(),
            position: func.per_block(u32::MAX),
            latch: vec![None; loops.loops.len()],
            last: vec![0; loops.loops.len()],
        };
        // Kahn's algorithm without back edges, with a stack of ready blocks a loop, so that a loop is finished before what follows it.
        let mut waiting = func.per_block(0);
        for &block in &cfg.order {
            waiting[block] = cfg.preds[block]
                .iter()
                .filter(|&&pred| cfg.position[pred] < cfg.position[block])
                .count() as u32;
        }
        // Lanes that return wait for the others, so the return comes last.
        let mut returns: Vec<Block> = Vec::new();
        let mut stack: Vec<(Option<usize>, Vec<Block>)> = vec![(None, Vec::new())];
        if let Some(&entry) = cfg.order.first() {
            stack[0].1.push(entry);
        }
        while let Some((current, ready)) = stack.last_mut() {
            let current = *current;
            let Some(block) = ready.pop() else {
                stack.pop();
                if let Some(index) = current {
                    if parted(index) {
                        order.latch[index] = Some(order.nodes.len() as u32);
                        order.nodes.push(Node::Latch(index));
                    }
                    order.last[index] = order.nodes.len() as u32 - 1;
                }
                continue;
            };
            let own = loops.innermost(block);
            if own != current {
                // The header of a loop in this one (or the entry block of the function, if that is a header).
                stack.push((own, Vec::new()));
            }
            order.position[block] = order.nodes.len() as u32;
            order.nodes.push(Node::Block(block));
            let mut succs = cfg.succs[block].to_vec();
            succs.reverse();
            // Lanes that only go on do so first: what the others bring is put beside what those have left, and where there are no others,
            // nothing is.
            succs.sort_by_key(|&succ| matches!(func.terminator(succ), InstData::Jump { .. }) && func.block(succ).insts.len() == 1);
            for succ in succs {
                if cfg.position[succ] <= cfg.position[block] {
                    continue;
                }
                waiting[succ] -= 1;
                if waiting[succ] == 0 && matches!(func.terminator(succ), InstData::Return { .. }) {
                    returns.push(succ);
                } else if waiting[succ] == 0 {
                    let home = match loops.innermost(succ) {
                        Some(index) if loops.loops[index].header == succ => loops.loops[index].parent,
                        other => other,
                    };
                    let level = stack
                        .iter_mut()
                        .rev()
                        .find(|(index, _)| *index == home)
                        .expect("a block becomes ready inside its own loop");
                    level.1.push(succ);
                }
            }
        }
        for block in returns {
            order.position[block] = order.nodes.len() as u32;
            order.nodes.push(Node::Block(block));
        }
        order
    }
}
