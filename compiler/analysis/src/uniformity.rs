//! Uniformity: for how many work-items a value is the same, and how it changes from lane to lane where it is not.
//!
//! Computed from a work-item function, the shape of its gangs and what the launch has fixed; stale as soon as the function changes.
//! The lattice is walked upwards from "the same for the whole launch" until nothing changes. Control flow counts: where lanes (gangs,
//! groups) may have come by different ways, block parameters are no more uniform than the branch that parted them
//! (cf. Karrenberg & Hack, Whole-Function Vectorization, CGO 2011; Rosemann, Moll & Hack, An Abstract Interpretation for SPMD Divergence
//! on Reducible Control Flow Graphs, POPL 2021).

use super::bits::ranges::{Range, Ranges};
use super::facts::GangFacts;
use super::first_lane::lane_bits;
use super::rounds::Rounds;
use super::shape::Layout;
use cranelift_entity::SecondaryMap;
use ir::cfg::{Cfg, Loops, PostDominators};
use ir::*;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::collections::BTreeSet;
use std::collections::hash_map::Entry;

/// How many work-items share a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Extent {
    /// All of the launch (as far as one worker sees it).
    #[default]
    Launch,
    /// All of a work-group.
    Group,
    /// All of a gang.
    Gang,
    /// Nobody: each lane has its own.
    Lane,
}

/// What is known of a value across the lanes of a gang.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// The same in all lanes; also in other gangs and groups, as the extent says (never `Lane`).
    Uniform(Extent),
    /// An integer that grows by `stride` from lane to lane, modulo its width.
    Linear {
        /// From lane to lane.
        stride: i64,
        /// Seen as signed numbers the lanes do not wrap.
        no_signed_wrap: bool,
        /// Seen as unsigned numbers the lanes do not wrap.
        no_unsigned_wrap: bool,
    },
    /// Anything.
    Varying,
}

impl Shape {
    /// A linear shape; stride 0 is uniform in the gang.
    fn linear(stride: i64, no_signed_wrap: bool, no_unsigned_wrap: bool) -> Shape {
        if stride == 0 {
            Shape::Uniform(Extent::Gang)
        } else {
            Shape::Linear {
                stride,
                no_signed_wrap,
                no_unsigned_wrap,
            }
        }
    }

    /// The extent; `Lane` for all that is not uniform.
    pub fn extent(self) -> Extent {
        match self {
            Shape::Uniform(extent) => extent,
            _ => Extent::Lane,
        }
    }

    /// The same in all lanes of a gang.
    pub fn is_uniform(self) -> bool {
        matches!(self, Shape::Uniform(_))
    }

    fn join(self, other: Shape) -> Shape {
        match (self, other) {
            (Shape::Uniform(a), Shape::Uniform(b)) => Shape::Uniform(a.max(b)),
            (
                Shape::Linear {
                    stride: a,
                    no_signed_wrap: sa,
                    no_unsigned_wrap: ua,
                },
                Shape::Linear {
                    stride: b,
                    no_signed_wrap: sb,
                    no_unsigned_wrap: ub,
                },
            ) if a == b => Shape::Linear {
                stride: a,
                no_signed_wrap: sa && sb,
                no_unsigned_wrap: ua && ub,
            },
            _ => Shape::Varying,
        }
    }

    fn at_least(self, extent: Extent) -> Shape {
        match (self, extent) {
            (Shape::Uniform(own), Extent::Launch | Extent::Group | Extent::Gang) => Shape::Uniform(own.max(extent)),
            (shape, Extent::Launch | Extent::Group | Extent::Gang) => shape,
            (_, Extent::Lane) => Shape::Varying,
        }
    }
}

/// The result.
#[derive(Clone, Debug, PartialEq)]
pub struct Uniformity {
    shapes: SecondaryMap<Value, Option<Shape>>,
    ranges: Ranges,
    /// How far apart the ways are by which work-items come to a block's parameters.
    joined: SecondaryMap<Block, Extent>,
    /// By loop: how many work-items leave it together.
    leaves: Vec<Extent>,
    /// Gangs of one lane.
    alone: bool,
}

impl Uniformity {
    /// Computes it. Loops must be reducible and loop-closed.
    pub fn new(func: &Function, cfg: &Cfg, post: &PostDominators, loops: &Loops, facts: &GangFacts) -> Uniformity {
        let mut this = Uniformity {
            shapes: func.per_value(None),
            ranges: Ranges::new(func, cfg, facts),
            joined: func.per_block(Extent::Launch),
            leaves: vec![Extent::Launch; loops.loops.len()],
            alone: facts.width == 1,
        };
        if facts.parameters_vary {
            for &param in func.params() {
                this.raise(param, Shape::Varying);
            }
        }
        let mut branches = func.per_block(Extent::Launch);
        let mut rounds = Rounds::new(cfg.order.len());
        while rounds.begin_round() {
            for (position, &block) in cfg.order.iter().enumerate() {
                if !rounds.takes(position) {
                    continue;
                }
                for &inst in &func.block(block).insts {
                    rounds.changed |= this.visit(func, inst, facts);
                }
                this.pass_arguments(func, cfg, block, &mut rounds);
                let decider = func.terminator(block).decider();
                let extent = decider.map_or(Extent::Launch, |value| this.extent(value));
                if extent > branches[block] {
                    branches[block] = extent;
                    this.part_ways(cfg, post, loops, block, extent, &mut rounds);
                }
            }
        }
        this
    }

    /// For a function that is asked nothing else; none where loops have several entries.
    pub fn of(func: &Function, facts: &GangFacts) -> Option<Uniformity> {
        let cfg = Cfg::new(func);
        let loops = Loops::new(&cfg);
        (!loops.irreducible).then(|| Uniformity::new(func, &cfg, &PostDominators::new(&cfg), &loops, facts))
    }

    /// The shape of a value; what can't be reached counts as varying.
    pub fn shape(&self, value: Value) -> Shape {
        self.shapes[value].unwrap_or(Shape::Varying)
    }

    /// The numbers that all integers may be.
    pub fn ranges(&self) -> &Ranges {
        &self.ranges
    }

    /// The numbers that an integer may be.
    pub fn range(&self, func: &Function, value: Value) -> Range {
        self.ranges.of(func, value)
    }

    fn extent(&self, value: Value) -> Extent {
        self.shapes[value].map_or(Extent::Launch, Shape::extent)
    }

    /// How many work-items leave a loop together; `Lane` for a loop whose lanes leave one by one.
    pub fn leaves(&self, index: usize) -> Extent {
        self.leaves[index]
    }

    /// Work-items may come to this block by different ways, and which one varies this much.
    pub fn joined(&self, block: Block) -> Extent {
        self.joined[block]
    }

    fn raise(&mut self, value: Value, shape: Shape) -> bool {
        // A lane alone in its gang is its gang.
        let shape = if self.alone && !shape.is_uniform() {
            Shape::Uniform(Extent::Gang)
        } else {
            shape
        };
        let new = match self.shapes[value] {
            None => shape,
            Some(old) => old.join(shape),
        };
        let changed = self.shapes[value] != Some(new);
        self.shapes[value] = Some(new);
        changed
    }

    /// Hands on what a block jumps to others with.
    fn pass_arguments(&mut self, func: &Function, cfg: &Cfg, block: Block, rounds: &mut Rounds) {
        func.terminator(block).for_each_target(|call| {
            let joined = self.joined[call.block];
            let mut changed = false;
            for (&arg, &param) in call.args.iter().zip(&func.block(call.block).params) {
                if let Some(shape) = self.shapes[arg] {
                    changed |= self.raise(param, shape.at_least(joined));
                }
            }
            match cfg.position[call.block] {
                to if to > cfg.position[block] => rounds.changed |= changed,
                header if changed => rounds.next_from = rounds.next_from.min(header as usize),
                _ => {}
            }
        });
    }

    /// Ways that part this much come to a block: what jumps there hands on what is no more uniform than that.
    fn join(&mut self, cfg: &Cfg, block: Block, extent: Extent, rounds: &mut Rounds) {
        let joined = &mut self.joined[block];
        if *joined < extent {
            *joined = extent;
            cfg.preds[block].iter().for_each(|&pred| rounds.again(cfg.position[pred]));
        }
    }

    /// Work-items part at the end of `block`: marks the blocks where they may meet again and the loops that they may leave apart.
    fn part_ways(&mut self, cfg: &Cfg, post: &PostDominators, loops: &Loops, block: Block, extent: Extent, rounds: &mut Rounds) {
        let meet = post.immediate(block);
        let round = gone_round(cfg, loops, block, meet);
        for index in loops.around(block) {
            let apart = meet.is_none_or(|meet| !loops.contains(index, meet)) || round.contains(&index);
            // What leaves apart already has told its exits so.
            if self.leaves[index] < extent && apart {
                self.leaves[index] = extent;
                for &inside in &loops.loops[index].blocks {
                    for &succ in &cfg.succs[inside] {
                        if !loops.contains(index, succ) {
                            self.join(cfg, succ, extent, rounds);
                        }
                    }
                }
            }
        }
        // They may meet before that if they come there in different iterations.
        let meet = meet.filter(|_| round.is_empty());
        // Each way out carries its own label; where two labels meet, ways meet.
        let start = cfg.position[block];
        let mut labels: FxHashMap<Block, Block> = FxHashMap::default();
        let mut pending: BTreeSet<u32> = BTreeSet::new();
        // Where ways end: labels that later ones may meet.
        let mut ended: Vec<Block> = Vec::new();
        let mut spread =
            |labels: &mut FxHashMap<Block, Block>, pending: &mut BTreeSet<u32>, ended: &mut Vec<Block>, to: Block, label: Block| {
                match labels.entry(to) {
                    Entry::Vacant(vacant) => {
                        vacant.insert(label);
                        // Blocks before this one are headers of loops around: the ways meet there, and that is the end.
                        if cfg.position[to] > start && Some(to) != meet {
                            pending.insert(cfg.position[to]);
                        } else {
                            ended.push(label);
                        }
                    }
                    Entry::Occupied(mut known) => {
                        if *known.get() != label && *known.get() != to {
                            known.insert(to);
                            self.join(cfg, to, extent, rounds);
                        }
                    }
                }
            };
        for &succ in &cfg.succs[block] {
            spread(&mut labels, &mut pending, &mut ended, succ, succ);
        }
        // In reverse postorder a block's ways in are all known before it is passed on.
        while let Some(position) = pending.pop_first() {
            let current = cfg.order[position as usize];
            let label = labels[&current];
            // The only way that is left meets no other.
            if pending.is_empty() && ended.iter().all(|&other| other == label) {
                break;
            }
            for &succ in &cfg.succs[current] {
                spread(&mut labels, &mut pending, &mut ended, succ, label);
            }
        }
    }

    /// True if that changed what is known of a result.
    fn visit(&mut self, func: &Function, inst: Inst, facts: &GangFacts) -> bool {
        let node = func.inst(inst);
        if node.results.is_empty() || !node.data.all_operands(|&value| self.shapes[value].is_some()) {
            return false;
        }
        let shape = self.transfer(func, node, facts);
        node.results
            .iter()
            .fold(false, |changed, &result| changed | self.raise(result, shape))
    }

    fn transfer(&self, func: &Function, node: &InstNode, facts: &GangFacts) -> Shape {
        let mut extent = Extent::Launch;
        node.data.for_each_operand(|&value| extent = extent.max(self.extent(value)));
        let same = if extent == Extent::Lane {
            Shape::Varying
        } else {
            Shape::Uniform(extent)
        };
        match &node.data {
            InstData::Builtin { builtin, dimension } => self.builtin(*builtin, *dimension, facts),
            InstData::SlotAddress { slot } => Shape::linear(i64::from(facts.lane_stride(func, *slot)), true, true),
            InstData::Load { mem, .. } => {
                if mem.flags.contains(MemFlags::ONCE) {
                    return same.at_least(Extent::Gang);
                }
                if mem.flags.contains(MemFlags::VOLATILE) {
                    return Shape::Varying;
                }
                // One access serves all lanes. That other gangs read the same holds for programs without data races.
                match (same, mem.space) {
                    (Shape::Uniform(extent), Space::Constant) => Shape::Uniform(extent),
                    (Shape::Uniform(extent), _) if mem.flags.contains(MemFlags::INVARIANT) => Shape::Uniform(extent),
                    (Shape::Uniform(extent), Space::Private) => Shape::Uniform(extent.max(Extent::Gang)),
                    (Shape::Uniform(extent), _) => Shape::Uniform(extent.max(Extent::Group)),
                    (shape, _) => shape,
                }
            }
            InstData::AtomicLoad { .. } => same.at_least(Extent::Gang),
            InstData::AtomicCas { mem, .. } if mem.flags.contains(MemFlags::ONCE) => same.at_least(Extent::Gang),
            InstData::AtomicRmw { .. } | InstData::AtomicCas { .. } | InstData::Call { .. } => Shape::Varying,
            InstData::CallRuntime { routine, .. } => {
                if routine.is_pure() {
                    same
                } else {
                    Shape::Varying
                }
            }
            InstData::SubGroup { op, .. } => match op {
                SubGroupOp::All
                | SubGroupOp::Any
                | SubGroupOp::AllEqual
                | SubGroupOp::Ballot
                | SubGroupOp::Broadcast
                | SubGroupOp::BroadcastFirst
                | SubGroupOp::Reduce(_) => Shape::Uniform(Extent::Gang),
                SubGroupOp::Elect
                | SubGroupOp::Shuffle
                | SubGroupOp::InclusiveScan(_)
                | SubGroupOp::ExclusiveScan(_)
                | SubGroupOp::ClusteredReduce(..) => Shape::Varying,
            },
            InstData::WorkGroup { .. } => Shape::Varying,
            _ if extent == Extent::Lane => self.linear_transfer(func, node, facts).unwrap_or(Shape::Varying),
            _ => same,
        }
    }

    fn builtin(&self, builtin: Builtin, dimension: u8, facts: &GangFacts) -> Shape {
        let by_group = if facts.full_groups { Extent::Launch } else { Extent::Group };
        let lane = |stride| Shape::linear(stride, true, true);
        match builtin {
            Builtin::LocalId | Builtin::GlobalId => match facts.layout {
                Layout::Rows { dimension: along } if along == dimension => lane(1),
                Layout::Rows { .. } => Shape::Uniform(Extent::Gang),
                Layout::Linear => Shape::Varying,
            },
            Builtin::LocalLinearId | Builtin::SubGroupLocalId => lane(1),
            // Linear only along a row of the whole NDRange, which a gang in rows never leaves.
            Builtin::GlobalLinearId => match facts.layout {
                Layout::Rows { dimension: 0 } => lane(1),
                _ => Shape::Varying,
            },
            Builtin::GroupId => Shape::Uniform(Extent::Group),
            Builtin::LocalSize | Builtin::NumSubGroups => Shape::Uniform(by_group),
            Builtin::SubGroupSize | Builtin::SubGroupId => Shape::Uniform(Extent::Gang),
            _ => Shape::Uniform(Extent::Launch),
        }
    }

    /// Operations that keep a linear value linear.
    fn linear_transfer(&self, func: &Function, node: &InstNode, facts: &GangFacts) -> Option<Shape> {
        let shape = |value: Value| self.shapes[value].unwrap_or(Shape::Varying);
        // Stride and wrap of an operand; a uniform one has stride 0 and never wraps.
        let linear = |value: Value| match shape(value) {
            Shape::Uniform(_) => Some((0, true, true)),
            Shape::Linear {
                stride,
                no_signed_wrap,
                no_unsigned_wrap,
            } => Some((stride, no_signed_wrap, no_unsigned_wrap)),
            Shape::Varying => None,
        };
        let &[result] = node.results.as_slice() else { return None };
        let exact = self.ranges.is_exact(result);
        let natural = self.ranges.of(func, result).is_natural();
        let made = |stride, signed: bool, unsigned: bool| {
            let signed = signed && (exact || node.flags.contains(Flags::NSW));
            let unsigned = unsigned && node.flags.contains(Flags::NUW) || signed && natural;
            Some(Shape::linear(stride, signed, unsigned))
        };
        match node.data {
            InstData::Binary {
                op: op @ (BinaryOp::Add | BinaryOp::Sub),
                args: [a, b],
            } => {
                let ((x, signed_a, unsigned_a), (y, signed_b, unsigned_b)) = (linear(a)?, linear(b)?);
                let stride = if op == BinaryOp::Add {
                    x.checked_add(y)?
                } else {
                    x.checked_sub(y)?
                };
                // Flags speak of the lanes that compute the result. The least of them may be off: `if (i >= n) a[i - n]`, where a
                // natural number is taken from others, goes below 0 in those that don't.
                let below = op == BinaryOp::Sub && stride > 0;
                made(stride, signed_a && signed_b, unsigned_a && unsigned_b && !below)
            }
            InstData::Binary {
                op: BinaryOp::Mul,
                args: [a, b],
            } => {
                let (arg, factor) = match (func.signed_constant(a), func.signed_constant(b)) {
                    (_, Some(factor)) => (a, factor),
                    (Some(factor), _) => (b, factor),
                    _ => return None,
                };
                let (stride, signed, unsigned) = linear(arg)?;
                made(stride.checked_mul(factor)?, signed, unsigned && factor >= 0)
            }
            InstData::Binary {
                op: BinaryOp::Shl,
                args: [a, b],
            } => {
                let amount = func.constant(b)? % u64::from(func.ty(a).elem.bits());
                let (stride, signed, unsigned) = linear(a)?;
                made(stride.checked_mul(1i64.checked_shl(amount as u32)?)?, signed, unsigned)
            }
            // Bits that differ from lane to lane come to other places together, or go.
            InstData::Binary {
                op: op @ (BinaryOp::And | BinaryOp::LShr | BinaryOp::AShr),
                args: [a, b],
            } => {
                let (a, constant) = match func.constant(b) {
                    Some(constant) => (a, constant),
                    None => (b, func.constant(a).filter(|_| op == BinaryOp::And)?),
                };
                let (stride, ..) = linear(a)?;
                let (first, end) = lane_bits(func, a, stride, facts)?;
                let amount = (constant % u64::from(func.ty(a).elem.bits())) as u32;
                let stride = match op {
                    BinaryOp::And => match constant >> first & ((1 << (end - first)) - 1) {
                        0 => 0,
                        kept if kept.count_ones() == end - first => stride,
                        _ => return None,
                    },
                    _ if amount >= end => 0,
                    _ if amount <= first => stride >> amount,
                    _ => return None,
                };
                Some(Shape::linear(stride, true, true))
            }
            InstData::Convert {
                op: ConvertOp::SExt, arg, ..
            } => match shape(arg) {
                Shape::Linear {
                    stride,
                    no_signed_wrap: true,
                    ..
                } => Some(Shape::linear(stride, true, natural)),
                _ => None,
            },
            InstData::Convert {
                op: ConvertOp::ZExt, arg, ..
            } => match shape(arg) {
                Shape::Linear {
                    stride,
                    no_unsigned_wrap: true,
                    ..
                } => Some(Shape::linear(stride, true, true)),
                _ => None,
            },
            InstData::Convert {
                op: ConvertOp::Trunc, arg, ..
            } => {
                let (stride, signed, _) = linear(arg)?;
                Some(Shape::linear(stride, signed && exact, signed && exact && natural))
            }
            InstData::Select { mask, args: [a, b] } if shape(mask).is_uniform() => {
                let joined = shape(a).join(shape(b));
                (joined != Shape::Varying).then_some(joined)
            }
            // They keep their distance.
            InstData::IntCompare { cc, args: [a, b] } => {
                let ((x, signed_a, unsigned_a), (y, signed_b, unsigned_b)) = (linear(a)?, linear(b)?);
                let ordered = match cc {
                    IntCc::Eq | IntCc::Ne => true,
                    IntCc::Slt | IntCc::Sle | IntCc::Sgt | IntCc::Sge => signed_a && signed_b,
                    IntCc::Ult | IntCc::Ule | IntCc::Ugt | IntCc::Uge => unsigned_a && unsigned_b,
                };
                (x == y && ordered).then_some(Shape::Uniform(Extent::Gang))
            }
            _ => None,
        }
    }
}

/// Loops around a block that some way from it leads around once more before it comes to `meet`: who goes there at once is an iteration ahead.
fn gone_round(cfg: &Cfg, loops: &Loops, block: Block, meet: Option<Block>) -> SmallVec<[usize; 2]> {
    let mut found = SmallVec::new();
    let inside = |meet: &Block| loops.around(block).any(|index| loops.contains(index, *meet));
    let Some(meet) = meet.filter(inside) else {
        return found;
    };
    let mut seen: FxHashSet<Block> = FxHashSet::from_iter([meet]);
    let mut work: SmallVec<[Block; 8]> = SmallVec::from_slice(&[block]);
    while let Some(at) = work.pop() {
        for &succ in &cfg.succs[at] {
            match loops.around(block).find(|&index| loops.loops[index].header == succ) {
                Some(index) if !found.contains(&index) && succ != meet => found.push(index),
                Some(_) => {}
                None if seen.insert(succ) => work.push(succ),
                None => {}
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gang_shape;
    use interface::LaunchFacts;
    use ir::parse::parse_function;

    /// `for (i = 0;; i++) { if (i == id) continue; if (i > 6) break; sum += i; }`: who has the id skips the test, and what is summed up.
    #[test]
    fn ways_that_meet_an_iteration_later() {
        let func = parse_function(
            "function workitem @k {
block0:
  v0 = builtin global_id 0
  v1 = const.i64 0
  v2 = const.i64 6
  v3 = const.i64 1
  jump block1(v1, v1)
block1(v4: i64, v5: i64):
  v6 = icmp.eq v4, v0
  branch v6, block2, block3
block2:
  jump block6(v5)
block3:
  v7 = icmp.sgt v4, v2
  branch v7, block4, block5
block4:
  return
block5:
  v8 = add v5, v4
  jump block6(v8)
block6(v9: i64):
  v10 = add v4, v3
  jump block1(v10, v9)
}",
        )
        .expect("the test's text is IR");
        let launch = LaunchFacts::usual([64, 1, 1]);
        let facts = GangFacts::new(gang_shape(None, 8, [64, 1, 1]), &launch);
        let uniformity = Uniformity::of(&func, &facts).expect("its loop has one entry");
        let of = |name: &str| {
            let mut values = func.layout.iter().flat_map(|&block| func.values_of(block));
            uniformity.shape(values.find(|value| value.to_string() == name).expect("the value"))
        };
        assert_eq!((of("v5"), of("v9")), (Shape::Varying, Shape::Varying));
        assert!(of("v4").is_uniform(), "all that are still there count alike");
        assert_eq!(uniformity.leaves(0), Extent::Lane);
    }
}
