//! Numbers that grow from lane to lane, with bounds: what holds them within these, how it is asked whether no lane is beyond one, and what
//! is left of the operations then.
//!
//! An upper or a lower bound is not needed within it. A ring (`x & 1023`) takes the same from all lanes of a gang that lie in one round of it,
//! whichever that is: `((x + n - 1) & (n - 1))` is in the second but at the edge.

use super::super::{Assumption, Test, Twice};
use analysis::uniformity::{Shape, Uniformity};
use ir::*;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

/// What holds a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hold {
    /// It is not less than the bound; if `strict` neither equal.
    Above { signed: bool, strict: bool },
    /// It is not more; if `strict` neither equal.
    Below { signed: bool, strict: bool },
    /// The bits of the bound are all that is left of it.
    Ring,
}

/// Where a number's bound is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Limit {
    Value(Value),
    Constant(i64),
}

impl Limit {
    fn of(func: &Function, value: Value) -> Limit {
        func.signed_constant(value).map_or(Limit::Value(value), Limit::Constant)
    }
}

/// A bound of a number.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Bound {
    hold: Hold,
    pub of: Value,
    limit: Limit,
}

impl Bound {
    /// Bits are taken of the number.
    pub fn is_ring(&self) -> bool {
        self.hold == Hold::Ring
    }

    /// Where the bound is, unless it is constant.
    pub fn value(&self) -> Option<Value> {
        match self.limit {
            Limit::Value(value) => Some(value),
            Limit::Constant(_) => None,
        }
    }

    /// Where the bound is, if it is constant.
    pub fn constant(&self) -> Option<i64> {
        match self.limit {
            Limit::Value(_) => None,
            Limit::Constant(bound) => Some(bound),
        }
    }

    /// How numbers are compared, where they are.
    pub fn signed(&self) -> Option<bool> {
        match self.hold {
            Hold::Above { signed, .. } | Hold::Below { signed, .. } => Some(signed),
            Hold::Ring => None,
        }
    }
}

/// Numbers, all so much more than one, with bounds.
pub(in super::super) struct Numbers {
    /// What grows from lane to lane, of which the lower half counts if the numbers are shorter.
    pub root: Value,
    /// Of the numbers: integers of 32 or 64 bits.
    elem: Elem,
    /// How they are compared, as soon as one of them is.
    signed: Option<bool>,
    /// How much larger the last lane's is than the first's.
    pub span: i64,
    /// Bounds, with the largest number that an upper one is for, or the smallest that a lower one is for: so much more than the root.
    bounds: Vec<(Bound, i64)>,
    /// What rings leave, with the least and the most that a number is more than the root.
    rings: Vec<(Limit, [i64; 2])>,
    /// The least and the most that a number that is compared is more than the root.
    distances: [i64; 2],
    /// The operations that are not needed within the bounds.
    pub covered: FxHashSet<Inst>,
}

/// Numbers of 64 bits are not asked about beyond this, so that nothing that is added to them wraps.
const FAR: i64 = 1 << 62;

impl Numbers {
    /// Those that are as long as what the instruction holds; nothing is known of them yet.
    pub fn new(func: &Function, root: Value, span: i64, inst: Inst) -> Numbers {
        Numbers {
            root,
            elem: func.ty(func.result(inst)).elem,
            signed: None,
            span,
            bounds: Vec::new(),
            rings: Vec::new(),
            distances: [0; 2],
            covered: FxHashSet::default(),
        }
    }

    /// The operation holds a number within bounds, which is so much more than the root. False if one is of another kind than those before.
    pub fn add(&mut self, func: &Function, inst: Inst, bounds: &[Bound], more: i64) -> bool {
        let alike = |bound: &Bound| {
            func.ty(bound.of).elem == self.elem && bound.signed().is_none_or(|signed| self.signed.unwrap_or(signed) == signed)
        };
        let kinds = || bounds.iter().filter_map(Bound::signed);
        if !bounds.iter().all(alike) || kinds().any(|signed| kinds().next() != Some(signed)) {
            return false;
        }
        self.covered.insert(inst);
        for &bound in bounds {
            self.add_bound(bound, more);
        }
        true
    }

    /// Whether the number itself counts, not what another bound makes of it. Of bits, lanes have the same upper ones behind the greater or the lesser of two
    /// numbers, too; what is chosen may be anything.
    pub fn is_as_it_is(&self, func: &Function, bound: Bound) -> bool {
        let Some((inner, behind)) = held(func, bound) else { return true };
        let keeps_order = bound.is_ring() && matches!(func.inst(inner).data, InstData::Binary { .. });
        self.covered.contains(&inner)
            || keeps_order
                && self.is_as_it_is(
                    func,
                    Bound {
                        hold: Hold::Ring,
                        ..behind
                    },
                )
    }

    fn add_bound(&mut self, bound: Bound, more: i64) {
        if bound.is_ring() {
            match self.rings.iter_mut().find(|(mask, _)| *mask == bound.limit) {
                Some((_, [least, most])) => (*least, *most) = (more.min(*least), more.max(*most)),
                None => self.rings.push((bound.limit, [more; 2])),
            }
            return;
        }
        self.signed = self.signed.or(bound.signed());
        self.reach(more);
        let upper = matches!(bound.hold, Hold::Below { .. });
        let same = |other: &Bound| other.hold == bound.hold && other.limit == bound.limit;
        match self.bounds.iter_mut().find(|(other, _)| same(other)) {
            Some((_, most)) => *most = if upper { more.max(*most) } else { more.min(*most) },
            None => self.bounds.push((bound, more)),
        }
    }

    /// Whether they may be compared in this way.
    pub fn compared(&mut self, signed: bool) -> bool {
        *self.signed.get_or_insert(signed) == signed
    }

    /// What is so much more than the root is compared: no lane's may wrap.
    pub fn reach(&mut self, more: i64) {
        let [least, most] = self.distances;
        self.distances = [least.min(more), most.max(more)];
    }

    /// They are so long.
    pub fn are(&self, elem: Elem) -> bool {
        self.elem == elem
    }

    /// Numbers of this kind as those of 64 bits.
    fn extend(&self, b: &mut Builder, value: Value) -> Value {
        let op = match self.signed {
            Some(false) => ConvertOp::ZExt,
            _ => ConvertOp::SExt,
        };
        match self.elem {
            Elem::I64 => value,
            _ => b.convert(op, Elem::I64, value),
        }
    }

    /// A bound as a number of 64 bits. (A constant may stand behind this.)
    fn limit(&self, b: &mut Builder, limit: Limit) -> Value {
        match limit {
            Limit::Value(value) => self.extend(b, value),
            Limit::Constant(bound) if self.signed == Some(false) && self.elem == Elem::I32 => b.i64(i64::from(bound as u32)),
            Limit::Constant(bound) => b.i64(bound),
        }
    }

    /// The least and the greatest first lane's root for which nothing wraps that is compared.
    fn limits(&self) -> [i64; 2] {
        let [least, most] = self.distances;
        let (min, max) = match (self.elem, self.signed) {
            (Elem::I32, Some(false)) => (0, i64::from(u32::MAX)),
            (Elem::I32, _) => (i64::from(i32::MIN), i64::from(i32::MAX)),
            (_, Some(false)) => (0, FAR),
            _ => (-FAR, FAR),
        };
        [min - least, max - most - self.span]
    }
}

impl Assumption for Numbers {
    /// Whether no lane's number is beyond a bound, or in another round of a ring than the first's.
    fn test(&mut self, b: &mut Builder) -> Test {
        let mut first = b.sub_group(SubGroupOp::BroadcastFirst, &[self.root]);
        if self.elem == Elem::I32 {
            first = b.convert(ConvertOp::Trunc, Elem::I32, first);
        }
        let first = self.extend(b, first);
        let mut inside: Option<Value> = None;
        let mut ask = |b: &mut Builder, mask: Value| inside = Some(inside.map_or(mask, |before| b.and(before, mask)));
        if self.signed.is_some() {
            let [lowest, highest] = self.limits().map(|limit| b.i64(limit));
            let low = b.icmp(IntCc::Sge, first, lowest);
            ask(b, low);
            let high = b.icmp(IntCc::Sle, first, highest);
            ask(b, high);
        }
        for &(bound, more) in &self.bounds {
            let limit = self.limit(b, bound.limit);
            let (cc, more) = match bound.hold {
                Hold::Above { strict: false, .. } => (IntCc::Sge, more),
                Hold::Above { strict: true, .. } => (IntCc::Sgt, more),
                Hold::Below { strict: true, .. } => (IntCc::Slt, more + self.span),
                _ => (IntCc::Sle, more + self.span),
            };
            // (Bounds of 64 bits may have the highest one; numbers do not.)
            let cc = if self.signed == Some(false) { cc.without_sign() } else { cc };
            let number = b.binary_imm(BinaryOp::Add, first, more);
            let within = b.icmp(cc, number, limit);
            ask(b, within);
        }
        for &(mask, [least, most]) in &self.rings {
            let bits = self.limit(b, mask);
            let number = b.binary_imm(BinaryOp::Add, first, least);
            let number = b.and(number, bits);
            let last = b.binary_imm(BinaryOp::Add, bits, -(most - least + self.span));
            let within = b.icmp(IntCc::Sle, number, last);
            ask(b, within);
            if matches!(mask, Limit::Value(_)) {
                let next = b.binary_imm(BinaryOp::Add, bits, 1);
                let in_both = b.and(bits, next);
                let is_ring = b.icmp_imm(IntCc::Eq, in_both, 0);
                ask(b, is_ring);
            }
        }
        Test::when(inside.expect("some number is held within bounds"))
    }

    /// Takes the operations that are not needed within the bounds out of the copies. Those of rings subtract what is the same for all lanes.
    fn simplify(&self, func: &mut Function, twice: &Twice) {
        let covered: FxHashSet<Inst> = twice
            .pairs(func)
            .into_iter()
            .filter(|(original, _)| self.covered.contains(original))
            .map(|(_, copy)| copy)
            .collect();
        func.expand_in(&twice.copies, |func, block, inst| {
            let bound = bound_of(func, inst).filter(|_| covered.contains(&inst))?;
            Some(match bound.is_ring() {
                true => in_round(&mut Builder::new(func, block), bound),
                false => bound.of,
            })
        });
    }
}

/// What a ring leaves of a number if all lanes are in one round. What it takes away are the number's upper bits, so nothing wraps.
fn in_round(b: &mut Builder, Bound { of, limit, .. }: Bound) -> Value {
    let first = b.sub_group(SubGroupOp::BroadcastFirst, &[of]);
    let others = match limit {
        Limit::Value(bits) => {
            let all = b.constant(b.ty(bits), u64::MAX);
            b.xor(bits, all)
        }
        Limit::Constant(bits) => b.constant(b.ty(of), !bits as u64),
    };
    let rounds = b.and(first, others);
    b.flags = Flags::NSW | Flags::NUW;
    let left = b.sub(of, rounds);
    b.flags = Flags::empty();
    left
}

/// What holds a number within a bound, or the first of two.
pub(in super::super) fn bound_of(func: &Function, inst: Inst) -> Option<Bound> {
    bounds_of(func, inst).first().copied()
}

/// The operation holds a number within bounds: it takes the greater or the lesser of two, or bits, or another number where this one is beyond.
pub(super) fn bounds_of(func: &Function, inst: Inst) -> SmallVec<[Bound; 2]> {
    let mut bounds = SmallVec::new();
    let strict = false;
    match func.inst(inst).data {
        InstData::Binary { op, args: [of, bound] } => {
            let hold = match op {
                BinaryOp::SMax => Hold::Above { signed: true, strict },
                BinaryOp::UMax => Hold::Above { signed: false, strict },
                BinaryOp::SMin => Hold::Below { signed: true, strict },
                BinaryOp::UMin => Hold::Below { signed: false, strict },
                BinaryOp::And if func.constant(bound).is_none_or(is_ring) => Hold::Ring,
                _ => return bounds,
            };
            let limit = Limit::of(func, bound);
            bounds.push(Bound { hold, of, limit });
        }
        // The same number where it is not less than 0.
        InstData::Unary { op: UnaryOp::Abs, arg } => bounds.push(Bound {
            hold: Hold::Above { signed: true, strict },
            of: arg,
            limit: Limit::Constant(0),
        }),
        InstData::Select { mask, args: [yes, no] } => match func.def_data(mask) {
            Some(&InstData::Binary {
                op: op @ (BinaryOp::And | BinaryOp::Or),
                args: masks,
            }) => {
                let opposite = op == BinaryOp::Or;
                let kept = if opposite { no } else { yes };
                for mask in masks {
                    match choice(func, mask, kept, opposite) {
                        Some(bound) => bounds.push(bound),
                        None => return SmallVec::new(),
                    }
                }
            }
            _ => bounds.extend(choice(func, mask, yes, false).or_else(|| choice(func, mask, no, true))),
        },
        _ => {}
    }
    if !bounds.iter().all(|bound| matches!(func.ty(bound.of), Type::I32 | Type::I64)) {
        bounds.clear();
    }
    bounds
}

/// `x < n ? x : …`, or what is the same: where borders are reflected, or read as their neighbours. The number is what is chosen where the condition
/// holds, or if it is `opposite` where it does not. A constant may be compared with a sum that has another constant.
fn choice(func: &Function, mask: Value, of: Value, opposite: bool) -> Option<Bound> {
    let Some(&InstData::IntCompare { cc, args: [left, right] }) = func.def_data(mask) else {
        return None;
    };
    let (cc, limit) = if of == left {
        (cc, Limit::of(func, right))
    } else if of == right {
        (cc.swapped(), Limit::of(func, left))
    } else {
        let bound = func.signed_constant(right)?;
        let more = [of, left].map(|value| sum_of(func, value));
        let same = more[0].0 == more[1].0 && cc.is_signed();
        (
            cc,
            Limit::Constant(bound.checked_add(more[0].1)?.checked_sub(more[1].1).filter(|_| same)?),
        )
    };
    let cc = if opposite { cc.inverted() } else { cc };
    let strict = matches!(cc, IntCc::Slt | IntCc::Ult | IntCc::Sgt | IntCc::Ugt);
    let signed = cc.is_signed();
    let hold = match cc {
        IntCc::Slt | IntCc::Sle | IntCc::Ult | IntCc::Ule => Hold::Below { signed, strict },
        IntCc::Sgt | IntCc::Sge | IntCc::Ugt | IntCc::Uge => Hold::Above { signed, strict },
        IntCc::Eq | IntCc::Ne => return None,
    };
    Some(Bound { hold, of, limit })
}

/// What a value is a sum of, and the constant in it, if that does not wrap.
fn sum_of(func: &Function, value: Value) -> (Value, i64) {
    let sum = func.def_inst(value).and_then(|inst| match func.inst(inst).data {
        InstData::Binary {
            op: BinaryOp::Add,
            args: [a, b],
        } if func.inst(inst).flags.contains(Flags::NSW) => Some((a, func.signed_constant(b)?)),
        _ => None,
    });
    sum.unwrap_or((value, 0))
}

/// What is held within a bound already, and how.
fn held(func: &Function, bound: Bound) -> Option<(Inst, Bound)> {
    let inner = func.def_inst(bound.of)?;
    Some((inner, bound_of(func, inner)?))
}

/// Taking these bits leaves smaller numbers as they are.
fn is_ring(mask: u64) -> bool {
    (mask + 1).is_power_of_two() && mask < 1 << 31
}

/// What an operation holds within a bound that is the same for all lanes: so much more than (the lower half of) something that grows from
/// lane to lane. It may wrap: whether it does is asked with the bounds.
pub(super) fn base(func: &Function, uniformity: &Uniformity, inst: Inst) -> Option<(Value, i64)> {
    let bounds = bounds_of(func, inst);
    let bound = *bounds.first()?;
    let limits = bounds.iter().filter_map(Bound::value);
    if !limits.into_iter().all(|limit| uniformity.shape(limit).is_uniform()) {
        return None;
    }
    if let Some((inner, held)) = held(func, bound) {
        // What a ring leaves is not so much more than the root.
        return if bound.is_ring() || !held.is_ring() {
            base(func, uniformity, inner)
        } else {
            None
        };
    }
    through(func, uniformity, bound.of, |_| false)
}

/// What a value is so much more than, through bounds of which `passes` says so.
pub(in super::super) fn through(
    func: &Function,
    uniformity: &Uniformity,
    value: Value,
    passes: impl Fn(Inst) -> bool,
) -> Option<(Value, i64)> {
    let (mut root, mut more) = (value, 0i64);
    // Lower halves of sums are sums of lower halves.
    while let Some(inst) = func.def_inst(root) {
        match func.inst(inst).data {
            InstData::Binary {
                op: BinaryOp::Add,
                args: [a, b],
            } if let Some(step) = func.signed_constant(b) => (root, more) = (a, more.checked_add(step)?),
            InstData::Convert {
                op: ConvertOp::Trunc, arg, ..
            } if func.ty(arg) == Type::I64 => root = arg,
            InstData::Binary { args: [of, _], .. } if passes(inst) => root = of,
            _ => break,
        }
    }
    let grows = |value| matches!(uniformity.shape(value), Shape::Linear { stride: 1.., .. });
    (grows(root) && more.unsigned_abs() <= 1 << 20).then_some((root, more))
}
