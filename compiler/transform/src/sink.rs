//! What only some ways need is computed on these ways.
//!
//! A pure instruction moves down to the nearest block that dominates all its uses, if it isn't executed each time that the instruction
//! is now, and no oftener (in the same loop, or behind one). So what stands before a branch that gangs seldom take, such as the masks of the
//! gang over the edge of an image, costs the others nothing, and which lanes go on behind a loop that all go through is not asked in each
//! iteration. What each iteration but the last needs stays in front of the test that ends the loop: so that a loop which tests at its bottom is one block.
//! Constants stay: back ends make them where they are used.

use analysis::Analyses;
use ir::cfg::{Cfg, Loops, PostDominators};
use ir::*;
use target::costs::effort::BLOCKS_TRIED;

/// Moves. True if something moved.
pub fn run(func: &mut Function, analyses: &mut Analyses) -> bool {
    let flow = analyses.flow(func);
    let cfg = &flow.cfg;
    func.layout.retain(|&block| cfg.is_reachable(block));
    if cfg.order.iter().all(|&block| cfg.succs[block].len() < 2) {
        return false;
    }
    let (loops, post) = (flow.loops(), flow.post());
    let meets = flow.tree().meets(cfg);
    // The nearest block that dominates all uses seen so far. From the end upwards, uses come before definitions.
    let mut needed = func.per_value(None);
    let mut moved = func.per_block(Vec::new());
    let mut changed = false;
    for &block in cfg.order.iter().rev() {
        let insts = std::mem::take(&mut func.block_mut(block).insts);
        let mut stay = Vec::with_capacity(insts.len());
        for &inst in insts.iter().rev() {
            let node = func.inst(inst);
            let target = match node.results.as_slice() {
                &[result] if node.data.is_pure() && !matches!(node.data, InstData::Const { .. }) => needed[result],
                _ => None,
            };
            let target = target
                .and_then(|target| place(cfg, loops, (flow.tree(), post), block, target))
                .unwrap_or(block);
            node.data.for_each_operand(|&value| {
                needed[value] = Some(needed[value].map_or(target, |other| meets.of(other, target)));
            });
            if target == block {
                stay.push(inst);
            } else {
                moved[target].push(inst);
                changed = true;
            }
        }
        stay.reverse();
        func.block_mut(block).insts = stay;
    }
    for &block in &cfg.order {
        let mut insts = std::mem::take(&mut moved[block]);
        if insts.is_empty() {
            continue;
        }
        insts.reverse();
        insts.append(&mut func.block_mut(block).insts);
        func.block_mut(block).insts = insts;
    }
    changed
}

/// From `target` up towards `from`: a block behind a loop that `from` is in, or one of the same loop that not every way from `from` leads to.
fn place(cfg: &Cfg, loops: &Loops, (tree, post): (&DominatorTree, &PostDominators), from: Block, mut target: Block) -> Option<Block> {
    let no_oftener = |target: Block| loops.innermost(target).is_none_or(|index| loops.contains(index, from));
    let mut steps = 0;
    while target != from && !no_oftener(target) {
        target = loops.above(cfg, target, from)?;
        steps += 1;
        if steps > BLOCKS_TRIED {
            return None;
        }
    }
    let behind = loops.innermost[target] != loops.innermost[from];
    let seldom = || !post.post_dominates(target, from) && !is_in_each_iteration(loops, tree, target);
    (target != from && (behind || seldom())).then_some(target)
}

/// Each iteration of the block's loop comes through it, but for one that leaves the loop before.
fn is_in_each_iteration(loops: &Loops, tree: &DominatorTree, block: Block) -> bool {
    loops
        .innermost(block)
        .is_some_and(|index| loops.loops[index].latches.iter().all(|&latch| tree.dominates(block, latch)))
}
