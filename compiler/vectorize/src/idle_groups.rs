//! Conditions under which whole work-groups do nothing.
//!
//! `if (get_global_id(0) >= n) return;` at a kernel's start lets all groups behind some group be idle. Where a condition is monotone in the ids, a group is
//! idle if the work-item for which the condition holds last leaves, and the idle groups of a row are its beginning or its end. Group formation
//! (`group/idle_groups.rs`) finds by bisection where they begin.

use analysis::bits::ranges::Ranges;
use analysis::guards::{Guard, Trend};
use analysis::{Analyses, GangFacts};
use ir::*;
use rustc_hash::{FxHashMap, FxHashSet};
use target::costs::effort::BLOCKS_WALKED;

/// A condition that takes more instructions to compute is none.
const MOST_INSTS: usize = 24;

/// More conditions are not looked for.
const MOST_GUARDS: usize = 6;

/// Along the groups of each dimension, and along the work-items of a group.
type Trends = [Trend; 6];

const SAME: Trends = [Trend::Same; 6];

/// The conditions under which a work-item does nothing.
pub fn guards(func: &Function, facts: &GangFacts, known: &mut Analyses) -> Vec<Guard> {
    let steps = walk(func);
    if steps.conditions.is_empty() {
        return Vec::new();
    }
    let Some(known) = known.of(func, facts) else { return Vec::new() };
    let mut finder = Finder {
        func,
        ranges: known.uniformity.ranges(),
        always: steps.always,
        known: FxHashMap::default(),
        guards: Vec::new(),
    };
    for (condition, leaves) in steps.conditions {
        finder.collect(condition, leaves);
    }
    finder.guards
}

/// What is on a kernel's way before it does something.
struct Steps {
    /// The blocks that all work-items come to.
    always: FxHashSet<Block>,
    /// Conditions, and what they are for the work-items that leave.
    conditions: Vec<(Value, bool)>,
}

fn walk(func: &Function) -> Steps {
    let mut steps = Steps {
        always: FxHashSet::default(),
        conditions: Vec::new(),
    };
    let mut seen = FxHashSet::default();
    let mut block = func.entry();
    while seen.len() < BLOCKS_WALKED as usize && seen.insert(block) && does_nothing(func, block) {
        if steps.conditions.is_empty() {
            steps.always.insert(block);
        }
        block = match func.terminator(block) {
            InstData::Jump { target } => target.block,
            InstData::Branch { condition, targets } => {
                let Some(side) = (0..2).find(|&side| is_end(func, targets[side].block)) else {
                    break;
                };
                steps.conditions.push((*condition, side == 0));
                targets[1 - side].block
            }
            _ => break,
        };
    }
    steps
}

fn does_nothing(func: &Function, block: Block) -> bool {
    func.all_before_end(block, |data| !data.has_side_effects())
}

/// Nothing comes of a work-item that gets there.
fn is_end(func: &Function, mut block: Block) -> bool {
    for _ in 0..BLOCKS_WALKED {
        block = match func.terminator(block) {
            _ if !does_nothing(func, block) => return false,
            InstData::Return { .. } => return true,
            InstData::Jump { target } => target.block,
            _ => return false,
        };
    }
    false
}

struct Finder<'f> {
    func: &'f Function,
    ranges: &'f Ranges,
    /// The blocks that all work-items come to.
    always: FxHashSet<Block>,
    /// The trends of values that were asked for.
    known: FxHashMap<Value, Option<Trends>>,
    guards: Vec<Guard>,
}

impl Finder<'_> {
    /// Work-items leave where `condition` is `leaves`.
    fn collect(&mut self, condition: Value, leaves: bool) {
        match self.func.def_data(condition) {
            Some(&InstData::Unary { op: UnaryOp::Not, arg }) => return self.collect(arg, !leaves),
            // Each of the two is enough.
            Some(&InstData::Binary { op, args }) if op == if leaves { BinaryOp::Or } else { BinaryOp::And } => {
                return args.into_iter().for_each(|arg| self.collect(arg, leaves));
            }
            _ => {}
        }
        let Some(mut trends) = self.trends(condition).filter(|_| self.guards.len() < MOST_GUARDS) else {
            return;
        };
        if !leaves {
            trends = trends.map(Trend::reversed);
        }
        let [a, b, c, d, e, f] = trends;
        if let Some(condition) = self.slice(condition, leaves) {
            self.guards.push(Guard {
                condition,
                groups: [a, b, c],
                items: [d, e, f],
            });
        }
    }

    /// How a value changes with the ids. `None` where it is not monotone, as far as it shows.
    fn trends(&mut self, value: Value) -> Option<Trends> {
        if let Some(&known) = self.known.get(&value) {
            return known;
        }
        let trends = self.new_trends(value);
        self.known.insert(value, trends);
        trends
    }

    fn new_trends(&mut self, value: Value) -> Option<Trends> {
        let func = self.func;
        let ty = func.ty(value);
        let inst = func.def_inst(value)?;
        let data = &func.inst(inst).data;
        match data {
            InstData::Builtin { builtin, dimension } => return self.of_builtin(*builtin, usize::from(*dimension)),
            InstData::Load { mem, .. } => {
                let safe = mem.flags.contains(MemFlags::DEREFERENCEABLE) || self.is_always_done(inst);
                let stays = mem.flags.contains(MemFlags::INVARIANT) || mem.space == Space::Constant;
                let plain = !mem.flags.contains(MemFlags::VOLATILE);
                return (safe && stays && plain && self.operands_stay(data)).then_some(SAME);
            }
            InstData::Const { .. } => return Some(SAME),
            InstData::Unary { .. }
            | InstData::Binary { .. }
            | InstData::Fma { .. }
            | InstData::Select { .. }
            | InstData::IntCompare { .. }
            | InstData::FloatCompare { .. }
            | InstData::Convert { .. } => {}
            _ => return None,
        }
        if self.operands_stay(data) {
            return Some(SAME);
        }
        if ty.is_vector() || !(ty.elem.is_int() || ty == Type::MASK) {
            return None;
        }
        match *data {
            InstData::Unary { op: UnaryOp::Not, arg } if ty == Type::MASK => Some(self.trends(arg)?.map(Trend::reversed)),
            InstData::Unary { op: UnaryOp::Neg, arg } if self.ranges.is_exact(value) => Some(self.trends(arg)?.map(Trend::reversed)),
            InstData::Convert {
                op: ConvertOp::ZExt | ConvertOp::SExt | ConvertOp::Trunc,
                arg,
                ..
            } if func.ty(arg).elem.is_int() && self.ranges.is_exact(value) => self.trends(arg),
            InstData::IntCompare { cc, args: [a, b] } => {
                let [x, y] = [self.trends(a)?, self.trends(b)?];
                // What changes must be no number that another sign would put elsewhere.
                let signed = cc.is_signed();
                if !signed
                    && [(a, x), (b, y)]
                        .iter()
                        .any(|&(arg, trends)| trends != SAME && !self.is_natural(arg))
                {
                    return None;
                }
                match cc {
                    IntCc::Ult | IntCc::Ule | IntCc::Slt | IntCc::Sle => both(x.map(Trend::reversed), y),
                    IntCc::Ugt | IntCc::Uge | IntCc::Sgt | IntCc::Sge => both(x, y.map(Trend::reversed)),
                    IntCc::Eq | IntCc::Ne => None,
                }
            }
            InstData::Binary { op, args: [a, b] } => self.of_binary(op, value, a, b),
            _ => None,
        }
    }

    fn of_binary(&mut self, op: BinaryOp, value: Value, a: Value, b: Value) -> Option<Trends> {
        let exact = self.ranges.is_exact(value);
        let [x, y] = [self.trends(a)?, self.trends(b)?];
        let (func, ranges) = (self.func, self.ranges);
        let scaled = |trends: Trends, by: Value| {
            let by = ranges.of(func, by);
            match (by.min >= 0, by.max <= 0) {
                (true, _) => Some(trends),
                (_, true) => Some(trends.map(Trend::reversed)),
                _ => None,
            }
        };
        match op {
            BinaryOp::And | BinaryOp::Or if self.func.ty(value) == Type::MASK => both(x, y),
            BinaryOp::Add if exact => both(x, y),
            BinaryOp::Sub if exact => both(x, y.map(Trend::reversed)),
            BinaryOp::Mul if exact && y == SAME => scaled(x, b),
            BinaryOp::Mul if exact && x == SAME => scaled(y, a),
            BinaryOp::Shl if exact && y == SAME => Some(x),
            BinaryOp::AShr if y == SAME => Some(x),
            BinaryOp::LShr if y == SAME && self.is_natural(a) => Some(x),
            BinaryOp::UDiv if y == SAME && self.is_natural(a) && self.is_positive(b) => Some(x),
            BinaryOp::SDiv if y == SAME && self.is_positive(b) => Some(x),
            BinaryOp::SMin | BinaryOp::SMax => both(x, y),
            BinaryOp::UMin | BinaryOp::UMax if self.is_natural(a) && self.is_natural(b) => both(x, y),
            _ => None,
        }
    }

    fn of_builtin(&self, builtin: Builtin, dimension: usize) -> Option<Trends> {
        let mut trends = SAME;
        match builtin {
            Builtin::GlobalId => (trends[dimension], trends[3 + dimension]) = (Trend::Rises, Trend::Rises),
            Builtin::GroupId => trends[dimension] = Trend::Rises,
            Builtin::LocalId => trends[3 + dimension] = Trend::Rises,
            // (Groups that are cut off have another local size.)
            Builtin::GlobalSize | Builtin::EnqueuedLocalSize | Builtin::NumGroups | Builtin::GlobalOffset | Builtin::Arguments => {}
            _ => return None,
        }
        Some(trends)
    }

    fn operands_stay(&mut self, data: &InstData) -> bool {
        let mut stay = true;
        data.for_each_operand(|&operand| stay = stay && self.trends(operand) == Some(SAME));
        stay
    }

    fn is_natural(&self, value: Value) -> bool {
        self.ranges.of(self.func, value).is_natural()
    }

    fn is_positive(&self, value: Value) -> bool {
        self.ranges.of(self.func, value).min > 0
    }

    fn is_always_done(&self, inst: Inst) -> bool {
        self.always.iter().any(|&block| self.func.block(block).insts.contains(&inst))
    }

    /// A function that computes the condition, or its contrary. `None` where that takes too much.
    fn slice(&self, condition: Value, leaves: bool) -> Option<Function> {
        let mut slice = Function::new("guard", Level::WorkItem, &[Type::MASK]);
        let block = slice.add_block();
        let mut copies = FxHashMap::default();
        let mut result = self.copy(condition, &mut slice, block, &mut copies)?;
        let mut b = Builder::new(&mut slice, block);
        if !leaves {
            result = b.not(result);
        }
        b.ret(&[result]);
        Some(slice)
    }

    fn copy(&self, value: Value, slice: &mut Function, block: Block, copies: &mut FxHashMap<Value, Value>) -> Option<Value> {
        if let Some(&copy) = copies.get(&value) {
            return Some(copy);
        }
        let node = self.func.inst(self.func.def_inst(value)?);
        let mut data = node.data.clone();
        let mut complete = true;
        data.for_each_operand_mut(|operand| match self.copy(*operand, slice, block, copies) {
            Some(copy) => *operand = copy,
            None => complete = false,
        });
        if !complete || copies.len() >= MOST_INSTS {
            return None;
        }
        let inst = slice.append(block, data, node.flags);
        let copy = slice.inst(inst).results[0];
        copies.insert(value, copy);
        Some(copy)
    }
}

/// The trends of something that goes with both.
fn both(a: Trends, b: Trends) -> Option<Trends> {
    let mut trends = a;
    for (trend, other) in trends.iter_mut().zip(b) {
        *trend = trend.and(other)?;
    }
    Some(trends)
}
