//! What is known of the nodes before anything is written: which have the lanes of another, and where they begin without any.

use super::Vectorizer;
use crate::control_divergence::Apart;
use crate::order::Node;
use ir::*;

impl Vectorizer<'_> {
    /// A node has the lanes of its dominator where it post-dominates that, in the same iteration of the same loop; and those of the entry
    /// if no branch at which lanes part decides about it, or about the iteration in which lanes come to it.
    pub(super) fn find_aliases(&mut self) {
        let apart = Apart::new(self.src, self.cfg, self.post, self.loops, self.uniformity);
        for (node, &kind) in self.order.nodes.iter().enumerate() {
            let Node::Block(block) = kind else { continue };
            if !apart.at(block) && node != 0 {
                self.alias[node] = Some(0);
                continue;
            }
            // Behind a loop the nearest dominator is in it; the one before it counts.
            let mut up = self.cfg.immediate_dominator(block);
            while let Some(at) = up.filter(|&at| self.loops.depth(at) > self.loops.depth(block)) {
                up = self.loops.above(self.cfg, at, block);
            }
            let Some(up) = up else { continue };
            let same_loop = self.loops.innermost[block] == self.loops.innermost[up];
            if same_loop && self.post.post_dominates(block, up) && apart.post_in_iteration.post_dominates(block, up) {
                let up = self.position(up);
                self.alias[node] = Some(self.alias[up].unwrap_or(up));
            }
        }
    }

    /// A node begins without lanes at its nearest dominator in no loop that it is outside of: without this, who asks for the lanes that
    /// have come to it would walk to the start of the function, and leave parameters at every join on the way.
    pub(super) fn find_beginnings(&mut self) {
        for (node, &kind) in self.order.nodes.iter().enumerate().skip(1) {
            let Node::Block(block) = kind else { continue };
            let outside = |at: Block| self.loops.innermost[at].is_some_and(|index| !self.loops.contains(index as usize, block));
            let mut up = self.cfg.immediate_dominator(block);
            while let Some(at) = up.filter(|&at| outside(at)) {
                up = self.loops.above(self.cfg, at, block);
            }
            if let Some(up) = up {
                self.begins[self.order.position[up] as usize].push(node);
            }
        }
    }
}
