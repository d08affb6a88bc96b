//! Indices that are held within bounds, which nearly none of them leaves.
//!
//! `a[clamp(x + dx, 0, width - 1)]` reads in order but for gangs at the edges, and so does what is read from elsewhere beyond them
//! (`a[x < width ? x : 2 * width - 2 - x]`); `a[(x + dx) & 1023]` but for those that wrap around. Whether a gang is one of them the first and the
//! last lane tell, once for all distances; what comes behind is written twice, without the bounds for gangs inside ([`numbers`]). In loops, where
//! distances change from iteration to iteration, it is the loads alone that are ([`in_loops`]). Loops that begin and end at such bounds are written twice
//! as a whole ([`super::window_versioning`]).

mod in_loops;
mod numbers;

pub(super) use numbers::{Numbers, bound_of, through};

use super::{Budget, Region, is_possible, version};
use crate::control_divergence::divergent;
use analysis::access::in_addresses;
use analysis::uniformity::{Shape, Uniformity};
use analysis::{Analyses, Analysis, GangFacts};
use cranelift_entity::SecondaryMap;
use ir::cfg::{Cfg, Loops};
use ir::*;
use numbers::{Bound, base, bounds_of};
use target::costs::{ELEMENTS_APART, GANGS_IN_RING};

/// Copies. True if something changed. The function must be in the form that group formation takes, and stays in it.
pub fn run(func: &mut Function, facts: &GangFacts, analyses: &mut Analyses, mut budget: Budget) -> bool {
    if !is_possible(facts) || !func.results.is_empty() {
        return false;
    }
    let Some(known) = Known::of_addresses(func, facts, analyses) else {
        return false;
    };
    let found = find(func, facts, &known, &mut budget);
    let changed = found.is_some();
    if let Some((region, mut numbers)) = found {
        version(func, &region, &mut numbers);
        analyses.forget();
    }
    in_loops::run(func, facts, analyses, &mut budget) || changed
}

/// What is asked of the function.
pub(super) struct Known<'a> {
    pub cfg: &'a Cfg,
    pub loops: &'a Loops,
    pub tree: &'a DominatorTree,
    pub uniformity: &'a Uniformity,
    /// All lanes come to the block together.
    together: SecondaryMap<Block, bool>,
    /// Addresses of memory are made of the value.
    addresses: SecondaryMap<Value, bool>,
    /// Where instructions stand.
    places: SecondaryMap<Inst, Option<(Block, u32)>>,
}

impl<'a> Known<'a> {
    /// None if no address is held within bounds, or the loops have no form.
    fn of_addresses(func: &Function, facts: &'a GangFacts, analyses: &'a mut Analyses) -> Option<Known<'a>> {
        Known::new(func, facts, analyses).filter(|known| {
            func.insts()
                .any(|inst| bound_of(func, inst).is_some() && known.addresses[func.result(inst)])
        })
    }

    /// None if there is nothing to look for, or the loops have no form.
    pub fn new(func: &Function, facts: &'a GangFacts, analyses: &'a mut Analyses) -> Option<Known<'a>> {
        if !func.insts().any(|inst| bound_of(func, inst).is_some()) {
            return None;
        }
        let Analysis {
            cfg,
            loops,
            post,
            tree,
            uniformity,
            ..
        } = analyses.of(func, facts)?;
        // The first lane counts, whoever comes along: all lanes must.
        let depends = divergent(func, cfg, post, uniformity);
        let (mut together, mut places) = (func.per_block(false), func.per_inst(None));
        for &block in &cfg.order {
            together[block] = !depends[block];
            for (at, &inst) in func.block(block).insts.iter().enumerate() {
                places[inst] = Some((block, at as u32));
            }
        }
        Some(Known {
            tree,
            addresses: in_addresses(func),
            cfg,
            loops,
            uniformity,
            together,
            places,
        })
    }

    /// The value is there at a place.
    pub fn is_there(&self, func: &Function, value: Value, block: Block, position: usize) -> bool {
        match func.def(value) {
            ValueDef::Param(home, _) => home == block || self.tree.dominates(home, block),
            ValueDef::Result(inst, _) => {
                let before = |(home, at): (Block, u32)| match home == block {
                    true => (at as usize) < position,
                    false => self.tree.dominates(home, block),
                };
                func.constant(value).is_some() || self.places[inst].is_some_and(before)
            }
        }
    }

    /// Numbers that are held within bounds at an instruction, of which nothing more is known yet.
    pub fn numbers(&self, func: &Function, facts: &GangFacts, inst: Inst) -> Option<Numbers> {
        let (root, _) = base(func, self.uniformity, inst)?;
        let Shape::Linear { stride, .. } = self.uniformity.shape(root) else {
            return None;
        };
        let span = stride.checked_mul(i64::from(facts.width) - 1)?;
        (1..=ELEMENTS_APART).contains(&stride).then(|| Numbers::new(func, root, span, inst))
    }

    /// Adds what an instruction holds within a bound that is known at a place; says whether an address is made of it.
    pub fn add(&self, func: &Function, numbers: &mut Numbers, inst: Inst, place: (Block, usize)) -> bool {
        let bounds = bounds_of(func, inst);
        let (Some(&bound), Some((of, more))) = (bounds.first(), base(func, self.uniformity, inst)) else {
            return false;
        };
        // Few bits are gone round all the time.
        let few = bound.is_ring() && bound.constant().is_some_and(|mask| mask < GANGS_IN_RING * numbers.span);
        let as_it_is = numbers.is_as_it_is(func, bound);
        let mut limits = bounds.iter().filter_map(Bound::value);
        let are_there = limits.all(|limit| self.is_there(func, limit, place.0, place.1));
        if few || !as_it_is || of != numbers.root || !are_there {
            return false;
        }
        numbers.add(func, inst, &bounds, more) && self.addresses[func.result(inst)]
    }
}

/// Numbers whose bounds all that comes behind a place can do without.
fn find(func: &Function, facts: &GangFacts, known: &Known, budget: &mut Budget) -> Option<(Region, Numbers)> {
    let outside = |block: &&Block| known.loops.depth(**block) == 0 && known.together[**block];
    for &block in known.cfg.order.iter().filter(outside) {
        for (position, &inst) in func.block(block).insts.iter().enumerate() {
            let Some(mut numbers) = known.numbers(func, facts, inst) else {
                continue;
            };
            if !known.is_there(func, numbers.root, block, position) {
                continue;
            }
            let Some((region, size)) = Region::rest(func, known.tree, block, position) else {
                continue;
            };
            let mut wanted = false;
            for &home in known.cfg.order.iter().filter(|&&home| known.tree.dominates(block, home)) {
                for &inst in &func.block(home).insts {
                    wanted |= known.add(func, &mut numbers, inst, (block, position));
                }
            }
            if wanted && budget.pay(block, size) {
                return Some((region, numbers));
            }
        }
    }
    None
}
