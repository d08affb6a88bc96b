//! Small loops whose number of iterations is known become their iterations, one after the other.
//!
//! SPIR-V that no optimizer has seen (SYCL's sub-group loads and stores, matrices of a work-item's own) fills and reads arrays in such
//! loops. With the counter a constant in each iteration, the places in the array are known, and the array becomes values
//! ([`super::mem2reg`]); in a loop it would stay in memory, and be gathered from there lane by lane.
//!
//! The loop itself becomes the last iteration, so that what is used behind it needs no other name; the iterations before are copies. Where
//! other ways lead out (a search that ends early), what is used behind the loop is handed on to there first. Loops
//! around others come after these, or before them where it is their counter that says how often the others iterate (the stages of a
//! transform).

mod worth;

use super::lcssa;
use analysis::Analyses;
use analysis::access::objects::Places;
use analysis::counted::{Known, LoopTest};
use ir::cfg::{Cfg, Loops, keep_reachable};
use ir::copy::copy_blocks;
use ir::*;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use target::costs::code_size::UNROLLED_ITERATIONS;

/// Unrolls the innermost loops that are worth it. True if there were some.
pub fn run(func: &mut Function, analyses: &mut Analyses) -> bool {
    run_closed(func, analyses, false)
}

/// The same; what is used behind loops that may end early is handed on to there if they are `closed`.
fn run_closed(func: &mut Function, analyses: &mut Analyses, closed: bool) -> bool {
    let flow = analyses.flow(func);
    let (cfg, loops) = (&flow.cfg, flow.loops());
    if loops.loops.is_empty() {
        return false;
    }
    let mut size = func.inst_count();
    let mut within = vec![Vec::new(); loops.loops.len()];
    for (index, natural) in loops.loops.iter().enumerate() {
        natural.parent.into_iter().for_each(|parent| within[parent].push(index));
    }
    let search = Search {
        func,
        cfg,
        tree: flow.tree(),
        loops,
        within,
        places: Places::in_slots(func, &cfg.order),
    };
    let found: Vec<(usize, Counted)> = (0..loops.loops.len())
        .filter_map(|index| Some((index, search.worth_it(index)?)))
        .collect();
    let mut found: Vec<(usize, Counted)> = found
        .into_iter()
        .filter(|(index, counted)| search.pays(*index, counted, &mut size))
        .collect();
    let is_open = |(index, counted): &(usize, Counted)| counted.ends_early && is_used_outside(func, &loops.loops[*index].blocks);
    if !closed && found.iter().any(is_open) {
        lcssa::run(func, analyses);
        analyses.forget();
        run_closed(func, analyses, true);
        return true;
    }
    found.retain(|found| !is_open(found));
    for (index, counted) in &found {
        unroll(func, counted, &loops.loops[*index].blocks);
    }
    if !found.is_empty() {
        keep_reachable(func);
    }
    !found.is_empty()
}

/// Something that the blocks compute is used outside of them.
fn is_used_outside(func: &Function, blocks: &[Block]) -> bool {
    let own: FxHashSet<Value> = blocks.iter().flat_map(|&block| func.values_of(block)).collect();
    let outside = func.layout.iter().filter(|block| !blocks.contains(block));
    func.insts_of(outside)
        .any(|inst| func.inst(inst).data.any_operand(|value| own.contains(value)))
}

/// A loop with one way in, one way back, and one way out that is taken in a known iteration, at the latest.
struct Counted {
    test: LoopTest,
    before: Block,
    /// How often the test is reached: once at least.
    iterations: usize,
    /// The header's parameters that are known in each iteration.
    counters: SmallVec<[Value; 4]>,
    /// Other ways lead out, too, of which it is not known when they are taken.
    ends_early: bool,
}

/// What loops are looked for in.
struct Search<'f> {
    func: &'f Function,
    cfg: &'f Cfg,
    tree: &'f DominatorTree,
    loops: &'f Loops,
    /// By loop: those right within it.
    within: Vec<Vec<usize>>,
    /// Places in private memory.
    places: Places,
}

impl Search<'_> {
    /// A loop that is counted, if it has no others in it, or some that wait for its counter to be known.
    fn worth_it(&self, index: usize) -> Option<Counted> {
        let counted = self.counted(index, &Known::default())?;
        let (func, before, header) = (self.func, counted.before, counted.test.header);
        let first = |position: usize| func.constant(func.handed(before, header, position)?);
        let params = func.block(header).params.iter().enumerate();
        let around: Known = params.map(|(position, &param)| (param, first(position))).collect();
        if counted.ends_early && !(self.within[index].is_empty() && self.only_computes_and_stores(index)) {
            return None;
        }
        let waits = |&index: &usize| self.counted(index, &Known::default()).is_none() && self.counted(index, &around).is_some();
        let mut inner = self.within[index].clone();
        while let Some(next) = inner.pop() {
            if !waits(&next) {
                return None;
            }
            inner.extend(&self.within[next]);
        }
        Some(counted)
    }

    /// Nothing in the loop is seen by others but what it stores.
    fn only_computes_and_stores(&self, index: usize) -> bool {
        self.func.insts_of(&self.loops.loops[index].blocks).all(|inst| {
            let data = &self.func.inst(inst).data;
            data.is_pure() || data.is_terminator() || matches!(data, InstData::Load { .. } | InstData::Store { .. })
        })
    }

    /// The loop, where some values around it are known.
    fn counted(&self, index: usize, around: &Known) -> Option<Counted> {
        let &Search {
            func, cfg, tree, loops, ..
        } = self;
        let before = loops.only_entry(cfg, index)?;
        let tests: SmallVec<[LoopTest; 2]> = LoopTest::all(func, cfg, loops, index).collect();
        let ends_early = loops.exiting(cfg, index).count() > 1;
        tests.into_iter().find_map(|test| {
            let is_inner = loops.innermost[test.exiting] != Some(index as u32);
            if !test.is_always_made(tree) || ends_early && is_inner {
                return None;
            }
            let (iterations, counters) = test.constant_trips(func, before, around, UNROLLED_ITERATIONS)?;
            Some(Counted {
                test,
                before,
                iterations,
                counters,
                ends_early,
            })
        })
    }
}

fn unroll(func: &mut Function, counted: &Counted, blocks: &[Block]) {
    let mut into = counted.before;
    for _ in 1..counted.iterations {
        let iteration = copy(func, counted, blocks);
        func.retarget(into, counted.test.header, iteration.header);
        into = iteration.latch;
    }
    // The loop itself is the last iteration. What stands behind its test can't be reached any more.
    decide(func, counted.test.exiting, 1 - counted.test.side);
}

/// Makes a test go one of its ways.
fn decide(func: &mut Function, test: Block, way: usize) {
    if let InstData::Branch { targets, .. } = func.terminator(test) {
        let target = targets[way].clone();
        *func.terminator_mut(test) = InstData::Jump { target };
    }
}

/// A copy of an iteration that goes on: its way back leads to the loop.
struct Iteration {
    header: Block,
    latch: Block,
}

fn copy(func: &mut Function, counted: &Counted, blocks: &[Block]) -> Iteration {
    let copies = copy_blocks(func, blocks);
    func.layout.extend_from_slice(&copies);
    let copy_of = |block: Block| {
        blocks
            .iter()
            .zip(&copies)
            .find(|&(&original, _)| original == block)
            .map(|(_, &copy)| copy)
    };
    let LoopTest {
        header,
        latch,
        exiting,
        side,
    } = counted.test;
    let [first, latch, exiting] = [header, latch, exiting].map(|block| copy_of(block).unwrap_or(block));
    func.retarget(latch, first, header);
    decide(func, exiting, side);
    Iteration { header: first, latch }
}
