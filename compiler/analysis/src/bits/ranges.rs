//! Which numbers integers may be: an interval of signed numbers for each, over all work-items of a launch.
//!
//! Seeded by what the launch has fixed (ids, sizes) and by constants. One walk in reverse postorder: a parameter of a loop's header is
//! bounded below where each iteration adds something that does not wrap, or shifts it to the left, bounded by what it is at first where each makes it less,
//! and anything otherwise. Stale when the function changes.

use crate::facts::GangFacts;
use cranelift_entity::SecondaryMap;
use ir::cfg::Cfg;
use ir::*;
use smallvec::SmallVec;

/// From the first to the second, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// The least.
    pub min: i64,
    /// The greatest.
    pub max: i64,
}

impl Range {
    /// All numbers of a type (of a mask: 0 and 1, of which nothing is said).
    pub fn of_type(ty: Type) -> Range {
        match ty.elem.bits() {
            64 => Range {
                min: i64::MIN,
                max: i64::MAX,
            },
            bits => Range {
                min: -(1 << (bits - 1)),
                max: (1 << (bits - 1)) - 1,
            },
        }
    }

    /// All numbers of a type of at most 32 bits, seen without a sign.
    pub fn without_sign(ty: Type) -> Range {
        Range::up_to(ty.elem.bit_mask())
    }

    /// None is negative.
    pub fn is_natural(self) -> bool {
        self.min >= 0
    }

    fn up_to(max: u64) -> Range {
        Range {
            min: 0,
            max: i64::try_from(max).unwrap_or(i64::MAX),
        }
    }

    fn just(number: u64) -> Range {
        let only = Range::up_to(number).max;
        Range { min: only, max: only }
    }

    /// All numbers between those of both.
    pub fn union(self, other: Range) -> Range {
        Range {
            min: self.min.min(other.min),
            max: self.max.max(other.max),
        }
    }

    fn within(self, other: Range) -> Range {
        Range {
            min: self.min.max(other.min),
            max: self.max.min(other.max),
        }
    }

    /// All numbers of the other are among them.
    pub fn contains(self, other: Range) -> bool {
        self.min <= other.min && other.max <= self.max
    }

    /// The least and the greatest of what a sum, difference or product, or a shift to the left by a constant, of all numbers of two ranges of a type would be if
    /// nothing wrapped.
    pub fn over_all_integers(self, op: BinaryOp, other: Range, ty: Type) -> Option<[i128; 2]> {
        let [a, b] = [self.min, self.max].map(i128::from);
        let [c, d] = [other.min, other.max].map(i128::from);
        match op {
            BinaryOp::Add => Some([a + c, b + d]),
            BinaryOp::Sub => Some([a - d, b - c]),
            BinaryOp::Mul => {
                let ends = [a * c, a * d, b * c, b * d];
                Some([ends.into_iter().min()?, ends.into_iter().max()?])
            }
            BinaryOp::Shl if c == d && (0..ty.elem.bits().min(63).into()).contains(&c) => Some([a << c, b << c]),
            _ => None,
        }
    }

    /// What another operation makes of all numbers of two ranges of a type. A divisor of zero counts as 1, and so may anything.
    pub fn of_operation(self, op: BinaryOp, other: Range, ty: Type) -> Option<Range> {
        let (x, y, bits) = (self, other, i64::from(ty.elem.bits()));
        let both = x.is_natural() && y.is_natural();
        let natural = [x, y].into_iter().find(|range| range.is_natural());
        let between = |min, max| Some(Range { min, max });
        match op {
            BinaryOp::And if both => between(0, x.max.min(y.max)),
            BinaryOp::And | BinaryOp::UMin if !both => between(0, natural?.max),
            BinaryOp::Or if both => between(x.min.max(y.min), i64::MAX >> ((x.max | y.max).leading_zeros() - 1)),
            // (Amounts are taken modulo the width.)
            BinaryOp::LShr | BinaryOp::AShr if x.is_natural() => match y.is_natural() && y.max < bits {
                true => between(x.min >> y.max, x.max >> y.min),
                false => between(0, x.max),
            },
            BinaryOp::LShr if y.min == y.max && (1..bits).contains(&y.min) => between(0, (ty.elem.bit_mask() >> y.min) as i64),
            BinaryOp::UDiv | BinaryOp::SDiv if both => between(x.min / y.max.max(1), x.max / y.min.max(1)),
            BinaryOp::UDiv if x.is_natural() => between(0, x.max),
            BinaryOp::SDiv if y.is_natural() => between(x.min.min(0) / y.min.max(1), x.max.max(0) / y.min.max(1)),
            BinaryOp::URem if both => between(0, x.max.min(y.max.max(1) - 1)),
            // Whatever is divided.
            BinaryOp::URem if y.min > 0 => between(0, y.max - 1),
            BinaryOp::URem if x.is_natural() => between(0, x.max),
            BinaryOp::SRem if y.is_natural() => {
                let most = y.max.max(1) - 1;
                between(x.min.min(0).max(-most), x.max.max(0).min(most))
            }
            BinaryOp::SMin => between(x.min.min(y.min), x.max.min(y.max)),
            BinaryOp::SMax => between(x.min.max(y.min), x.max.max(y.max)),
            BinaryOp::UMin => between(x.min.min(y.min), x.max.min(y.max)),
            BinaryOp::UMax if both => between(x.min.max(y.min), x.max.max(y.max)),
            _ => None,
        }
    }

    /// What a comparison gives for all numbers of two ranges, where that is the same.
    pub fn compares(self, cc: IntCc, other: Range) -> Option<bool> {
        let same_sign = self.is_natural() && other.is_natural() || self.max < 0 && other.max < 0;
        let less = |a: Range, b: Range| match (a.max < b.min, a.min >= b.max) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        };
        let equal = match self.max < other.min || other.max < self.min {
            true => Some(false),
            false => (self.min == self.max && self == other).then_some(true),
        };
        match cc {
            IntCc::Eq => equal,
            IntCc::Ne => equal.map(|equal| !equal),
            cc if cc.is_unsigned() && !same_sign => None,
            IntCc::Slt | IntCc::Ult => less(self, other),
            IntCc::Sgt | IntCc::Ugt => less(other, self),
            IntCc::Sle | IntCc::Ule => less(other, self).map(|greater| !greater),
            IntCc::Sge | IntCc::Uge => less(self, other).map(|less| !less),
        }
    }
}

/// Where a loop takes a number.
#[derive(Clone, Copy)]
enum Trend {
    /// It does not become less.
    Up,
    /// Nor nearer to zero, on whichever side it is.
    Away,
    /// Nor farther from it.
    Towards,
}

/// No launch has so many work-items in a dimension that ids come near the end of 64 bits.
const MOST_WORK_ITEMS: u64 = 1 << 48;

/// The intervals.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranges {
    known: SecondaryMap<Value, Option<Range>>,
    /// The operation's result is what it is over all integers.
    exact: SecondaryMap<Value, bool>,
}

impl Ranges {
    /// Computes them.
    pub fn new(func: &Function, cfg: &Cfg, facts: &GangFacts) -> Ranges {
        let mut this = Ranges {
            known: func.per_value(None),
            exact: func.per_value(false),
        };
        for &block in &cfg.order {
            for index in 0..func.block(block).params.len() {
                let range = this.param(func, cfg, block, index);
                this.known[func.block(block).params[index]] = range;
            }
            for &inst in &func.block(block).insts {
                let node = func.inst(inst);
                if let &[result] = node.results.as_slice()
                    && func.ty(result).elem.is_int()
                {
                    let (range, exact) = this.transfer(func, facts, node);
                    let all = Range::of_type(func.ty(result));
                    this.known[result] = Some(range.map_or(all, |range| range.within(all)));
                    this.exact[result] = exact;
                }
            }
        }
        this
    }

    /// A value's interval.
    pub fn of(&self, func: &Function, value: Value) -> Range {
        self.known[value].unwrap_or_else(|| Range::of_type(func.ty(value)))
    }

    /// What the operation gives is what it would over all integers, from the operands seen as signed numbers: nothing wraps.
    pub fn is_exact(&self, value: Value) -> bool {
        self.exact[value]
    }

    fn param(&self, func: &Function, cfg: &Cfg, block: Block, index: usize) -> Option<Range> {
        let param = func.block(block).params[index];
        if !func.ty(param).elem.is_int() || cfg.preds[block].is_empty() {
            return None;
        }
        let mut range: Option<Range> = None;
        let mut steps: SmallVec<[Trend; 2]> = SmallVec::new();
        for &pred in &cfg.preds[block] {
            for call in func.terminator(pred).targets() {
                if call.block != block {
                    continue;
                }
                let arg = call.args[index];
                if arg == param {
                    continue;
                }
                if cfg.position[pred] >= cfg.position[block] {
                    steps.push(self.trend(func, param, arg)?);
                    continue;
                }
                let own = self.of(func, arg);
                range = Some(range.map_or(own, |range| range.union(own)));
            }
        }
        let Range { mut min, mut max } = range?;
        let natural = min >= 0;
        for step in steps {
            match step {
                Trend::Up => max = Range::of_type(func.ty(param)).max,
                Trend::Away if natural => max = Range::of_type(func.ty(param)).max,
                Trend::Towards if natural => min = 0,
                _ => return None,
            }
        }
        Some(Range { min, max })
    }

    /// How a number comes from `param`, without wrapping.
    fn trend(&self, func: &Function, param: Value, next: Value) -> Option<Trend> {
        let inst = func.inst(func.def_inst(next)?);
        let InstData::Binary { op, args: [a, b] } = inst.data else {
            return None;
        };
        let constant = func.signed_constant(b).filter(|&constant| a == param && constant >= 0)?;
        let exact = inst.flags.contains(Flags::NSW);
        match op {
            BinaryOp::Add if exact => Some(Trend::Up),
            BinaryOp::Shl if exact => Some(Trend::Away),
            BinaryOp::LShr | BinaryOp::AShr => Some(Trend::Towards),
            BinaryOp::UDiv | BinaryOp::SDiv if constant > 0 => Some(Trend::Towards),
            _ => None,
        }
    }

    fn builtin(builtin: Builtin, dimension: u8, facts: &GangFacts) -> Option<Range> {
        let size = facts.local_size.most()[usize::from(dimension)];
        let exact = facts.local_size.along(usize::from(dimension)).map(Range::just);
        let items = facts.local_size.most_items();
        let global = if facts.small_ids {
            Some(Range::up_to(interface::SMALL_IDS))
        } else {
            facts.zero_offset.then(|| Range::up_to(MOST_WORK_ITEMS))
        };
        match builtin {
            Builtin::LocalId => Some(Range::up_to(size - 1)),
            Builtin::EnqueuedLocalSize => exact.or(Some(Range::up_to(size))),
            Builtin::LocalSize if facts.full_groups => exact.or(Some(Range::up_to(size))),
            Builtin::LocalSize => Some(Range::up_to(size)),
            Builtin::LocalLinearId => Some(Range::up_to(items - 1)),
            // Counts within a group's gangs, and of dimensions.
            _ if builtin.ty() == Type::I32 => Some(Range::up_to(items.max(64))),
            Builtin::GlobalId | Builtin::GroupId | Builtin::GlobalSize | Builtin::NumGroups | Builtin::GlobalOffset => global,
            _ => None,
        }
    }

    fn transfer(&self, func: &Function, facts: &GangFacts, node: &InstNode) -> (Option<Range>, bool) {
        let of = |value: Value| self.of(func, value);
        let inexact = |range: Range| (Some(range), false);
        match node.data {
            InstData::Const { .. } => {
                let bits = func.signed_constant(node.results[0]);
                (bits.map(|bits| Range { min: bits, max: bits }), true)
            }
            InstData::Builtin { builtin, dimension } => (Self::builtin(builtin, dimension, facts), true),
            InstData::Convert { op, ty, arg, .. } => {
                let from = func.ty(arg);
                if !from.elem.is_int() || !ty.elem.is_int() {
                    return (None, false);
                }
                let range = of(arg);
                match op {
                    ConvertOp::SExt => (Some(range), true),
                    ConvertOp::ZExt if range.is_natural() => (Some(range), true),
                    ConvertOp::ZExt => inexact(Range::up_to(from.elem.bit_mask())),
                    ConvertOp::Trunc if Range::of_type(ty).contains(range) => (Some(range), true),
                    _ => (None, false),
                }
            }
            InstData::Binary { op, args: [a, b] } => {
                let (x, y) = (of(a), of(b));
                let all = Range::of_type(func.ty(a));
                let flagged = node.flags.contains(Flags::NSW);
                // Over all integers, as far as 128 bits hold them.
                let bounded = |ends: &[i128]| {
                    let (min, max) = (ends.iter().min(), ends.iter().max());
                    let (min, max) = (*min.unwrap_or(&0), *max.unwrap_or(&0));
                    let fits = i128::from(all.min) <= min && max <= i128::from(all.max);
                    if !fits && !flagged {
                        return (None, false);
                    }
                    let clamp = |end: i128| end.clamp(i128::from(all.min), i128::from(all.max)) as i64;
                    let range = Range {
                        min: clamp(min),
                        max: clamp(max),
                    };
                    (Some(range), true)
                };
                match op {
                    // A square is natural.
                    BinaryOp::Mul if a == b => {
                        let [least, most] = [x.min, x.max].map(|end| i128::from(end).pow(2));
                        let crosses = x.min <= 0 && x.max >= 0;
                        bounded(&[if crosses { 0 } else { least.min(most) }, least.max(most)])
                    }
                    BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Shl => match x.over_all_integers(op, y, func.ty(a)) {
                        Some(ends) => bounded(&ends),
                        None => (None, false),
                    },
                    _ => (x.of_operation(op, y, func.ty(a)), false),
                }
            }
            // (Of the least there is no negative; what is below it is none of these.)
            InstData::Unary { op: UnaryOp::Neg, arg } if of(arg).min > Range::of_type(func.ty(arg)).min => {
                let range = of(arg);
                let negative = Range {
                    min: -range.max,
                    max: -range.min,
                };
                (Some(negative), true)
            }
            InstData::Unary { op: UnaryOp::Abs, arg } => {
                let range = of(arg);
                let all = Range::of_type(func.ty(arg));
                let most = range.max.max(range.min.saturating_neg());
                // There is nothing above zero for the least.
                if range.min == all.min {
                    (None, false)
                } else {
                    inexact(Range { min: 0, max: most })
                }
            }
            InstData::Select { args: [a, b], .. } => (Some(of(a).union(of(b))), false),
            _ => (None, false),
        }
    }
}
