//! What passes on the way to gangs ask of a work-item's function: found when the first of them asks, and kept until one changes something.

use super::facts::GangFacts;
use super::uniformity::Uniformity;
use ir::cfg::{Cfg, Loops, PostDominators};
use ir::{DominatorTree, Function};

/// What is known of a function with reducible loops.
#[derive(Debug)]
pub struct Analysis {
    /// Its flow graph.
    pub cfg: Cfg,
    /// Its loops.
    pub loops: Loops,
    /// Where ways meet again.
    pub post: PostDominators,
    /// What comes before what.
    pub tree: DominatorTree,
    /// What lanes share.
    pub uniformity: Uniformity,
    /// The function's size, to tell whether it is still the same.
    size: (usize, (usize, usize, usize)),
}

/// At most one [`Analysis`]: that of the function that passes are run over.
#[derive(Debug, Default)]
pub struct Analyses(Option<Analysis>);

impl Analyses {
    /// Of this function; none where loops have several entries. How many lanes a gang has does not matter, but whether it is more than one.
    pub fn of(&mut self, func: &Function, facts: &GangFacts) -> Option<&Analysis> {
        let size = (func.inst_count(), func.counts());
        if let Some(known) = &self.0 {
            debug_assert_eq!(known.size, size, "the function is not what it was");
            debug_assert_eq!(known.cfg.order, ir::cfg::reverse_postorder(func));
        } else {
            let cfg = Cfg::new(func);
            let loops = Loops::new(&cfg);
            if loops.irreducible {
                return None;
            }
            let post = PostDominators::new(&cfg);
            let uniformity = Uniformity::new(func, &cfg, &post, &loops, facts);
            self.0 = Some(Analysis {
                tree: DominatorTree::new(&cfg),
                cfg,
                loops,
                post,
                uniformity,
                size,
            });
        }
        self.0.as_ref()
    }

    /// The function has changed, or the facts have.
    pub fn forget(&mut self) {
        self.0 = None;
    }
}
