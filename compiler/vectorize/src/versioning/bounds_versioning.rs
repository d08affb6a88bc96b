//! Indices that are held within bounds, which nearly none of them leaves.
//!
//! `a[clamp(x + dx, 0, width - 1)]` reads in order but for gangs at the edges, `a[(x + dx) & 1023]` but for those that wrap around. Whether a
//! gang is one of them the first and the last lane tell, once for all distances; what comes behind is written twice, without the bounds for
//! gangs inside. In loops, where distances change from iteration to iteration, it is the loads alone that are ([`in_loops`]). Loops that
//! begin and end at such bounds are written twice as a whole ([`super::window_versioning`]).

mod in_loops;

use super::{Assumption, Budget, Region, Test, Twice, is_possible, version};
use crate::control_divergence::divergent;
use analysis::access::in_addresses;
use analysis::bits::ranges::Range;
use analysis::uniformity::{Shape, Uniformity};
use analysis::{Analyses, Analysis, GangFacts};
use cranelift_entity::SecondaryMap;
use ir::cfg::{Cfg, Loops};
use ir::*;
use rustc_hash::FxHashSet;

/// Numbers that are further apart from lane to lane than this are gathered in any case.
const APART: i64 = 4;
/// Rings that are no longer than so many gangs stay as they are.
const LAPS: i64 = 8;

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

/// A bound of a number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bound {
    /// It is the upper one.
    upper: bool,
    pub of: Value,
    bound: Value,
    /// The bits of the bound are all that is left of the number: it must not be negative, and the bound one less than a power of two.
    pub is_mask: bool,
}

/// Numbers, all so much more than one, with bounds.
pub(super) struct Numbers {
    /// What grows from lane to lane, of which the lower half counts.
    pub root: Value,
    /// How much larger the last lane's is than the first's.
    span: i64,
    /// Bounds, with the largest number that an upper one is for, or the smallest that a lower one is for: so much more than the root.
    bounds: Vec<(Bound, i64)>,
    /// The least that a number of which bits are taken is more than the root.
    natural: Option<i64>,
    /// The least and the most that a number is more than the root.
    distances: [i64; 2],
    /// The operations that are not needed within the bounds.
    pub covered: FxHashSet<Inst>,
}

/// What is asked of the function.
pub(super) struct Known<'a> {
    pub cfg: &'a Cfg,
    pub loops: &'a Loops,
    tree: &'a DominatorTree,
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
    fn of_addresses(func: &Function, facts: &GangFacts, analyses: &'a mut Analyses) -> Option<Known<'a>> {
        Known::new(func, facts, analyses).filter(|known| {
            func.insts()
                .any(|inst| bound_of(func, inst).is_some() && known.addresses[func.result(inst)])
        })
    }

    /// None if there is nothing to look for, or the loops have no form.
    pub fn new(func: &Function, facts: &GangFacts, analyses: &'a mut Analyses) -> Option<Known<'a>> {
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
        (1..=APART).contains(&stride).then(|| Numbers::new(root, span))
    }

    /// Adds what an instruction holds within a bound that is known at a place; says whether an address is made of it.
    pub fn add(&self, func: &Function, numbers: &mut Numbers, inst: Inst, place: (Block, usize)) -> bool {
        let (Some(bound), Some((of, more))) = (bound_of(func, inst), base(func, self.uniformity, inst)) else {
            return false;
        };
        // Few bits are gone round all the time.
        let few = bound.is_mask && func.signed_constant(bound.bound).is_some_and(|mask| mask < LAPS * numbers.span);
        if few || of != numbers.root || !self.is_there(func, bound.bound, place.0, place.1) {
            return false;
        }
        numbers.add(func, inst, bound, more);
        self.addresses[func.result(inst)]
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

impl Numbers {
    fn new(root: Value, span: i64) -> Numbers {
        Numbers {
            root,
            span,
            bounds: Vec::new(),
            natural: None,
            distances: [0; 2],
            covered: FxHashSet::default(),
        }
    }

    /// The operation holds a number within a bound, which is so much more than the root.
    fn add(&mut self, func: &Function, inst: Inst, bound: Bound, more: i64) {
        self.covered.insert(inst);
        if bound.is_mask {
            self.natural = Some(self.natural.map_or(more, |least| least.min(more)));
        }
        let [least, most] = self.distances;
        self.distances = [least.min(more), most.max(more)];
        let same = |other: &Bound| {
            let alike = other.bound == bound.bound
                || func
                    .constant(other.bound)
                    .is_some_and(|own| func.constant(bound.bound) == Some(own));
            other.upper == bound.upper && other.is_mask == bound.is_mask && alike
        };
        match self.bounds.iter_mut().find(|(other, _)| same(other)) {
            Some((_, most)) => *most = if bound.upper { more.max(*most) } else { more.min(*most) },
            None => self.bounds.push((bound, more)),
        }
    }
}

/// The operation holds a number within a bound.
pub(super) fn bound_of(func: &Function, inst: Inst) -> Option<Bound> {
    match func.inst(inst).data {
        InstData::Binary {
            op: op @ (BinaryOp::SMin | BinaryOp::SMax),
            args: [of, bound],
        } if func.ty(of) == Type::I32 => Some(Bound {
            upper: op == BinaryOp::SMin,
            of,
            bound,
            is_mask: false,
        }),
        InstData::Binary {
            op: BinaryOp::And,
            args: [of, bound],
        } if func.ty(of) == Type::I32 && func.constant(bound).is_none_or(is_ring) => Some(Bound {
            upper: true,
            of,
            bound,
            is_mask: true,
        }),
        _ => None,
    }
}

/// Taking these bits leaves smaller numbers as they are.
fn is_ring(mask: u64) -> bool {
    (mask + 1).is_power_of_two() && mask < 1 << 31
}

/// What an operation holds within a bound that is the same for all lanes: so much more than (the lower half of) something that grows from
/// lane to lane. It may wrap: whether it does is asked with the bounds.
fn base(func: &Function, uniformity: &Uniformity, inst: Inst) -> Option<(Value, i64)> {
    let bound = bound_of(func, inst)?;
    if !uniformity.shape(bound.bound).is_uniform() {
        return None;
    }
    if let Some(inner) = func.def_inst(bound.of)
        && bound_of(func, inner).is_some()
    {
        return base(func, uniformity, inner);
    }
    let (mut root, mut more) = (bound.of, 0i64);
    // Lower halves of sums are sums of lower halves.
    loop {
        match func.def_data(root) {
            Some(&InstData::Binary {
                op: BinaryOp::Add,
                args: [a, b],
            }) if let Some(step) = func.signed_constant(b) => (root, more) = (a, more.checked_add(step)?),
            Some(&InstData::Convert {
                op: ConvertOp::Trunc, arg, ..
            }) if func.ty(arg) == Type::I64 => root = arg,
            _ => break,
        }
    }
    let grows = |value| matches!(uniformity.shape(value), Shape::Linear { stride: 1.., .. });
    (grows(root) && more.unsigned_abs() <= 1 << 20).then_some((root, more))
}

impl Assumption for Numbers {
    /// Whether no lane's number is beyond a bound.
    fn test(&mut self, b: &mut Builder) -> Test {
        let first = b.sub_group(SubGroupOp::BroadcastFirst, &[self.root]);
        let first = b.convert(ConvertOp::Trunc, Elem::I32, first);
        let first = b.convert(ConvertOp::SExt, Elem::I64, first);
        // Sums of 32 bits that wrap are none of these numbers.
        let [least, most] = self.distances;
        let all = Range::of_type(Type::I32);
        let [lowest, highest] = [all.min - least, all.max - most - self.span].map(|limit| b.i64(limit));
        let low = b.icmp(IntCc::Sge, first, lowest);
        let high = b.icmp(IntCc::Sle, first, highest);
        let mut inside = b.and(low, high);
        if let Some(more) = self.natural {
            let number = b.binary_imm(BinaryOp::Add, first, more);
            let natural = b.icmp_imm(IntCc::Sge, number, 0);
            inside = b.and(inside, natural);
        }
        for &(bound, more) in &self.bounds {
            // (A constant may stand behind this.)
            let limit = match b.func.signed_constant(bound.bound) {
                Some(limit) => b.i64(limit),
                None => b.convert(ConvertOp::SExt, Elem::I64, bound.bound),
            };
            let (cc, more) = if bound.upper {
                (IntCc::Sle, more + self.span)
            } else {
                (IntCc::Sge, more)
            };
            let number = b.binary_imm(BinaryOp::Add, first, more);
            let within = b.icmp(cc, number, limit);
            inside = b.and(inside, within);
            if bound.is_mask && b.func.constant(bound.bound).is_none() {
                let next = b.binary_imm(BinaryOp::Add, limit, 1);
                let in_both = b.and(limit, next);
                let is_ring = b.icmp_imm(IntCc::Eq, in_both, 0);
                inside = b.and(inside, is_ring);
            }
        }
        Test::when(inside)
    }

    /// Takes the operations that are not needed within the bounds out of the copies.
    fn simplify(&self, func: &mut Function, twice: &Twice) {
        let mut replaced = ValueMap::default();
        let mut gone: FxHashSet<Inst> = FxHashSet::default();
        for (original, copy) in twice.pairs(func) {
            if self.covered.contains(&original)
                && let Some(bound) = bound_of(func, copy)
            {
                replaced.insert(func.result(copy), bound.of);
                gone.insert(copy);
            }
        }
        for &copy in &twice.copies {
            func.block_mut(copy).insts.retain(|inst| !gone.contains(inst));
        }
        func.substitute(&replaced);
    }
}
