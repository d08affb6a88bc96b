//! Blocks to which the lanes of a gang may come apart: some of them, or in different iterations.

use analysis::uniformity::Uniformity;
use cranelift_entity::SecondaryMap;
use ir::cfg::{Cfg, Loops, PostDominators};
use ir::control_dependence::{dependent, within_iterations};
use ir::*;

/// Blocks to which, in the end, some lanes may come without the others.
pub fn divergent(func: &Function, cfg: &Cfg, post: &PostDominators, uniformity: &Uniformity) -> SecondaryMap<Block, bool> {
    let varies = |value: Value| !uniformity.shape(value).is_uniform();
    let parts = |block: &Block| func.terminator(*block).decider().is_some_and(varies);
    dependent(cfg.order.iter().copied().filter(parts), post, &cfg.succs)
}

/// Which they are, and what was asked to know it.
pub struct Apart {
    in_the_end: SecondaryMap<Block, bool>,
    in_iteration: SecondaryMap<Block, bool>,
    /// Post-dominators within iterations of the loops around.
    pub post_in_iteration: PostDominators,
}

impl Apart {
    /// Finds them: some branch at which lanes part decides about the block, or about the iteration in which lanes come to it.
    pub fn new(func: &Function, cfg: &Cfg, post: &PostDominators, loops: &Loops, uniformity: &Uniformity) -> Apart {
        // Where some way ends without a return, lanes may retire together while others wait.
        let parts = |block: Block| {
            let decider = func.terminator(block).decider();
            decider.is_some_and(|value| !uniformity.shape(value).is_uniform() || post.immediate(block).is_none())
        };
        let parting = || cfg.order.iter().copied().filter(|&block| parts(block));
        let follow = within_iterations(cfg, loops);
        let post_in_iteration = PostDominators::over(cfg, &follow);
        Apart {
            in_the_end: dependent(parting(), post, &cfg.succs),
            in_iteration: dependent(parting(), &post_in_iteration, &follow),
            post_in_iteration,
        }
    }

    /// Lanes may come to the block without the others.
    pub fn at(&self, block: Block) -> bool {
        self.in_the_end[block] || self.in_iteration[block]
    }
}
