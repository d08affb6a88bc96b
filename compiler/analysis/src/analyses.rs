//! What passes ask of a function: computed when the first of them asks, kept until one changes something that it depends on.

use super::access::{Accesses, Strides};
use super::bits::Demanded;
use super::facts::GangFacts;
use super::trends::Trends;
use super::uniformity::Uniformity;
use ir::cfg::{Cfg, Loops, PostDominators};
use ir::{DominatorTree, Function};
use std::cell::OnceCell;
use std::sync::OnceLock;

bitflags::bitflags! {
    /// Some analyses.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct AnalysisSet: u8 {
        /// The flow graph, dominators, post-dominators and loops: what terminators alone say.
        const FLOW = 1;
        /// What lanes share, and the ranges of values. (Follows from the flow, too.)
        const UNIFORMITY = 2;
        /// Where loads and stores go. (Follows from uniformity.)
        const ACCESSES = 4;
        /// How many bits of integers anybody looks at.
        const DEMANDED_BITS = 8;
        /// Whether values rise or fall with the ids. (Follows from uniformity.)
        const TRENDS = 16;
    }
}

impl AnalysisSet {
    /// For people.
    pub fn names(self) -> String {
        let names = [
            (AnalysisSet::FLOW, "flow"),
            (AnalysisSet::UNIFORMITY, "uniformity"),
            (AnalysisSet::ACCESSES, "accesses"),
            (AnalysisSet::DEMANDED_BITS, "demanded bits"),
            (AnalysisSet::TRENDS, "trends"),
        ];
        let names: Vec<_> = names
            .into_iter()
            .filter(|(set, _)| self.contains(*set))
            .map(|(_, name)| name)
            .collect();
        names.join(", ")
    }
}

/// The flow graph of a function and what follows from it, which is computed when it is asked for.
#[derive(Clone, Debug)]
pub struct Flow {
    /// The graph.
    pub cfg: Cfg,
    loops: OnceLock<Loops>,
    post: OnceLock<PostDominators>,
    tree: OnceLock<DominatorTree>,
}

impl Flow {
    /// Of a function as it is now.
    pub fn new(func: &Function) -> Flow {
        Flow {
            cfg: Cfg::new(func),
            loops: OnceLock::new(),
            post: OnceLock::new(),
            tree: OnceLock::new(),
        }
    }

    /// The loops.
    pub fn loops(&self) -> &Loops {
        self.loops.get_or_init(|| Loops::new(&self.cfg))
    }

    /// Where paths meet again.
    pub fn post(&self) -> &PostDominators {
        self.post.get_or_init(|| PostDominators::new(&self.cfg))
    }

    /// What comes before what.
    pub fn tree(&self) -> &DominatorTree {
        self.tree.get_or_init(|| DominatorTree::new(&self.cfg))
    }
}

/// What is known of a function with reducible loops under a launch.
#[derive(Clone, Copy, Debug)]
pub struct Analysis<'a> {
    /// Its flow graph.
    pub cfg: &'a Cfg,
    /// Its loops.
    pub loops: &'a Loops,
    /// Where paths meet again.
    pub post: &'a PostDominators,
    /// What comes before what.
    pub tree: &'a DominatorTree,
    /// What lanes share.
    pub uniformity: &'a Uniformity,
    strides: &'a OnceCell<Strides>,
    demanded: &'a OnceCell<Demanded>,
    trends: &'a OnceCell<Trends>,
    facts: &'a GangFacts,
    allowed: AnalysisSet,
}

impl<'a> Analysis<'a> {
    /// Where loads and stores go.
    pub fn accesses<'b>(&self, func: &'b Function) -> Accesses<'b>
    where
        'a: 'b,
    {
        debug_assert!(
            self.allowed.contains(AnalysisSet::ACCESSES),
            "the pass's row does not say that it uses accesses"
        );
        let strides = self.strides.get_or_init(|| Strides::new(func, self.cfg, self.uniformity));
        Accesses::new(func, self.uniformity, strides, self.facts)
    }

    /// How many bits of integers anybody looks at.
    pub fn demanded(&self, func: &Function) -> &'a Demanded {
        demanded(self.allowed, self.demanded, func, self.cfg)
    }

    /// Whether values rise or fall with the ids.
    pub fn trends(&self, func: &Function) -> &'a Trends {
        debug_assert!(
            self.allowed.contains(AnalysisSet::TRENDS),
            "the pass's row does not say that it uses trends"
        );
        self.trends.get_or_init(|| Trends::new(func, self.cfg, self.uniformity.ranges()))
    }
}

fn demanded<'a>(allowed: AnalysisSet, cell: &'a OnceCell<Demanded>, func: &Function, cfg: &Cfg) -> &'a Demanded {
    debug_assert!(
        allowed.contains(AnalysisSet::DEMANDED_BITS),
        "the pass's row does not say that it uses demanded bits"
    );
    cell.get_or_init(|| Demanded::new(func, &cfg.order))
}

/// Analyses of the function that passes are run over.
#[derive(Debug)]
pub struct Analyses {
    flow: Option<Flow>,
    /// Something has changed the function that does not keep the flow: whether it did change the flow is looked at when a pass asks.
    is_flow_old: bool,
    uniformity: Option<Uniformity>,
    strides: OnceCell<Strides>,
    demanded: OnceCell<Demanded>,
    trends: OnceCell<Trends>,
    /// The function's size when its uniformity was computed, to tell whether it is still the same.
    size: (usize, (usize, usize, usize)),
    /// What the pass that runs may ask.
    allowed: AnalysisSet,
}

impl Default for Analyses {
    fn default() -> Analyses {
        Analyses {
            flow: None,
            is_flow_old: false,
            uniformity: None,
            strides: OnceCell::new(),
            demanded: OnceCell::new(),
            trends: OnceCell::new(),
            size: Default::default(),
            allowed: AnalysisSet::all(),
        }
    }
}

impl Analyses {
    /// Of a function whose flow is known.
    pub fn with_flow(flow: Flow) -> Analyses {
        Analyses {
            flow: Some(flow),
            ..Analyses::default()
        }
    }

    /// The function's flow.
    pub fn flow(&mut self, func: &Function) -> &Flow {
        debug_assert!(
            self.allowed.contains(AnalysisSet::FLOW),
            "the pass's row does not say that it uses the flow"
        );
        if std::mem::take(&mut self.is_flow_old) && self.flow.as_ref().is_some_and(|flow| !flow.cfg.is_of(func)) {
            self.flow = None;
        }
        let flow = self.flow.get_or_insert_with(|| Flow::new(func));
        debug_assert_eq!(flow.cfg.order, ir::cfg::reverse_postorder(func), "the function is not what it was");
        flow
    }

    /// All of this function; none where loops have several entries. How many lanes a gang has does not matter, but whether it is more than one.
    pub fn of<'a>(&'a mut self, func: &Function, facts: &'a GangFacts) -> Option<Analysis<'a>> {
        debug_assert!(
            self.allowed.contains(AnalysisSet::UNIFORMITY),
            "the pass's row does not say that it uses uniformity"
        );
        let size = (func.inst_count(), func.counts());
        if self.flow(func).loops().irreducible {
            return None;
        }
        let flow = self.flow.as_ref()?;
        let (loops, post) = (flow.loops(), flow.post());
        if self.uniformity.is_none() {
            self.size = size;
        }
        debug_assert_eq!(self.size, size, "the function is not what it was");
        let uniformity = self
            .uniformity
            .get_or_insert_with(|| Uniformity::new(func, &flow.cfg, post, loops, facts));
        Some(Analysis {
            cfg: &flow.cfg,
            loops,
            post,
            tree: flow.tree(),
            uniformity,
            strides: &self.strides,
            demanded: &self.demanded,
            trends: &self.trends,
            facts,
            allowed: self.allowed,
        })
    }

    /// The function's flow, and how many bits of integers anybody looks at.
    pub fn demanded(&mut self, func: &Function) -> (&Flow, &Demanded) {
        self.flow(func);
        let flow = self.flow.as_ref().expect("it was asked for");
        (flow, demanded(self.allowed, &self.demanded, func, &flow.cfg))
    }

    /// Says what the pass that runs next may ask.
    pub fn allow(&mut self, allowed: AnalysisSet) {
        self.allowed = allowed;
    }

    /// The function has changed, or the facts have: nothing is known any more.
    pub fn forget(&mut self) {
        self.keep(AnalysisSet::empty());
    }

    /// The function has changed, but these analyses would give the same, and what they follow from.
    pub fn keep(&mut self, kept: AnalysisSet) {
        self.is_flow_old |= !kept.contains(AnalysisSet::FLOW);
        if !kept.contains(AnalysisSet::FLOW | AnalysisSet::UNIFORMITY) {
            self.uniformity = None;
        }
        if !kept.contains(AnalysisSet::FLOW | AnalysisSet::UNIFORMITY | AnalysisSet::ACCESSES) {
            self.strides.take();
        }
        if !kept.contains(AnalysisSet::FLOW | AnalysisSet::UNIFORMITY | AnalysisSet::TRENDS) {
            self.trends.take();
        }
        if !kept.contains(AnalysisSet::DEMANDED_BITS) {
            self.demanded.take();
        }
    }

    /// Panics in debug builds where what is kept is not what would be computed now. `after` says which pass should not have kept it.
    pub fn debug_check(&self, func: &Function, facts: Option<&GangFacts>, after: &str) {
        if !cfg!(debug_assertions) {
            return;
        }
        let Some(flow) = self.flow.as_ref().filter(|_| !self.is_flow_old) else {
            return;
        };
        let new = Flow::new(func);
        let is_kept = |holds: bool, what: &str| assert!(holds, "{after} says that it keeps the {what}, and changes it:\n{func}");
        is_kept(flow.cfg == new.cfg, "flow graph");
        is_kept(flow.loops.get().is_none_or(|loops| loops == new.loops()), "loops");
        is_kept(flow.post.get().is_none_or(|post| post == new.post()), "post-dominators");
        is_kept(flow.tree.get().is_none_or(|tree| tree == new.tree()), "dominator tree");
        let is_same = |demanded: &Demanded| *demanded == Demanded::new(func, &new.cfg.order);
        is_kept(self.demanded.get().is_none_or(is_same), "demanded bits");
        if let (Some(kept), Some(facts)) = (&self.uniformity, facts) {
            let uniformity = Uniformity::new(func, &new.cfg, new.post(), new.loops(), facts);
            is_kept(*kept == uniformity, "uniformity");
            let is_same = |strides: &Strides| *strides == Strides::new(func, &new.cfg, &uniformity);
            is_kept(self.strides.get().is_none_or(is_same), "strides");
            let is_same = |trends: &Trends| *trends == Trends::new(func, &new.cfg, uniformity.ranges());
            is_kept(self.trends.get().is_none_or(is_same), "trends");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::parse::parse_function;
    use std::panic::AssertUnwindSafe;

    const BRANCH: &str = "function workitem @f {\nblock0:\n  v0 = const.mask true\n  branch v0, block1, block2\nblock1:\n  jump block2\nblock2:\n  return\n}";

    #[test]
    fn what_is_kept_is_compared() {
        let mut func = parse_function(BRANCH).expect("the test's text is IR");
        let mut analyses = Analyses::default();
        assert_eq!(analyses.flow(&func).tree().children(func.entry()).len(), 2);
        analyses.keep(AnalysisSet::FLOW);
        analyses.debug_check(&func, None, "nothing");
        let last = *func.block(func.entry()).insts.last().expect("the branch");
        func.replace(
            last,
            ir::InstData::Jump {
                target: ir::to(ir::Block::from_u32(2), &[]),
            },
        );
        let check = std::panic::catch_unwind(AssertUnwindSafe(|| analyses.debug_check(&func, None, "a pass")));
        let message = *check.expect_err("the flow has changed").downcast::<String>().expect("a text");
        assert!(message.starts_with("a pass says that it keeps the flow graph"), "{message}");
    }

    /// Whatever has changed, the flow is found anew where blocks go elsewhere, and stays where they don't.
    #[test]
    fn flow_that_need_not_be_kept_stays_where_it_is_the_same() {
        let mut func = parse_function(BRANCH).expect("the test's text is IR");
        let mut analyses = Analyses::default();
        let loops: *const Loops = analyses.flow(&func).loops();
        let entry = func.entry();
        func.append(
            entry,
            ir::InstData::Const {
                ty: ir::Type::I32,
                bits: 1,
            },
            ir::Flags::empty(),
        );
        let insts = &mut func.block_mut(entry).insts;
        let last = insts.len() - 1;
        insts.swap(last - 1, last);
        analyses.forget();
        analyses.debug_check(&func, None, "nothing is kept");
        let same: *const Loops = analyses.flow(&func).loops();
        assert_eq!(loops, same);
        let last = *func.block(entry).insts.last().expect("the branch");
        let target = ir::to(ir::Block::from_u32(2), &[]);
        func.replace(last, ir::InstData::Jump { target });
        analyses.forget();
        assert_eq!(analyses.flow(&func).cfg.order.len(), 2);
        assert_eq!(analyses.flow(&func).tree().children(entry).len(), 1);
    }

    #[test]
    #[should_panic(expected = "does not say that it uses the flow")]
    fn what_a_row_does_not_name_is_not_given() {
        let func = parse_function(BRANCH).expect("the test's text is IR");
        let mut analyses = Analyses::default();
        analyses.allow(AnalysisSet::empty());
        analyses.flow(&func);
    }
}
