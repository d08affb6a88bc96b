//! The numbers that values have in a launch: intervals, from its sizes and arguments.

use super::{Counter, NoWrap, Node, Of, ROOTS, Root, RootKind, Step, Test};
use crate::bits::ranges::Range;
use ir::*;

/// The sizes of a launch, as its work-items see them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// `get_global_offset()`
    pub offset: [u64; 3],
    /// `get_global_size()`
    pub global: [u64; 3],
    /// `get_enqueued_local_size()`
    pub local: [u64; 3],
}

impl Sizes {
    fn range(&self, builtin: Builtin, dimension: u8) -> Option<Range> {
        let axis = usize::from(dimension);
        let (offset, global, local) = (self.offset.get(axis)?, self.global.get(axis)?, *self.local.get(axis)?);
        let groups = global.div_ceil(local.max(1));
        let up_to = |end: u64| Some((0, end.saturating_sub(1)));
        let just = |number: u64| Some((number, number));
        let (min, max) = match builtin {
            Builtin::GlobalId => Some((*offset, offset.checked_add(*global)?.saturating_sub(1))),
            Builtin::GlobalSize => just(*global),
            Builtin::GlobalOffset => just(*offset),
            Builtin::LocalId => up_to(local),
            Builtin::EnqueuedLocalSize => just(local),
            Builtin::LocalSize => Some((1, local)),
            Builtin::GroupId => up_to(groups),
            Builtin::NumGroups => just(groups),
            Builtin::GlobalLinearId => up_to(self.global.iter().try_fold(1, |items: u64, &size| items.checked_mul(size))?),
            Builtin::LocalLinearId => up_to(self.local.iter().try_fold(1, |items: u64, &size| items.checked_mul(size))?),
            _ => None,
        }?;
        Some(Range {
            min: i64::try_from(min).ok()?,
            max: i64::try_from(max).ok()?,
        })
    }
}

/// An argument of a type at an offset of the block, with its sign.
pub(super) fn argument(block: &[u8], offset: u32, ty: Type) -> Option<Range> {
    let bytes = block.get(offset as usize..)?;
    let number = match ty {
        Type::I32 => i64::from(i32::from_ne_bytes(*bytes.first_chunk()?)),
        _ => i64::from_ne_bytes(*bytes.first_chunk()?),
    };
    Some(Range { min: number, max: number })
}

/// What is known of a launch.
pub(super) struct Numbers<'a> {
    pub builtin: &'a dyn Fn(Builtin, u8) -> Option<Range>,
    /// By its place in the argument block.
    pub argument: &'a dyn Fn(u32, Type) -> Option<Range>,
}

impl NoWrap {
    /// By number: which roots can't wrap, with these sizes and the arguments of this block.
    pub fn holds(&self, sizes: &Sizes, block: &[u8]) -> u64 {
        let known = self.ranges(&Numbers {
            builtin: &|builtin, dimension| sizes.range(builtin, dimension),
            argument: &|offset, ty| argument(block, offset, ty),
        });
        let asked = self.roots.len().min(ROOTS) as u32;
        let mut holds = u64::MAX.checked_shr(u64::BITS - asked).unwrap_or(0);
        for (number, root) in self.roots.iter().enumerate() {
            if !root.holds(&known) {
                holds &= !(1 << number.min(ROOTS - 1));
            }
        }
        holds
    }

    /// By node, what numbers it has.
    pub(super) fn ranges(&self, numbers: &Numbers) -> Vec<Option<Range>> {
        let mut known: Vec<Option<Range>> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let range = range(node, &known, numbers).filter(|range| Range::of_type(node.ty).contains(*range));
            // (An operation that is said not to wrap can't leave its type.)
            known.push(range.or_else(|| node.is_exact.then(|| Range::of_type(node.ty))));
        }
        self.spread_doubt(&mut known);
        known
    }

    /// A counter's numbers are only known if the next is one of them; what is made of it neither, otherwise.
    fn spread_doubt(&self, known: &mut [Option<Range>]) {
        loop {
            let mut changed = false;
            for at in 0..self.nodes.len() {
                let mut doubted = false;
                if known[at].is_some() {
                    self.nodes[at].of.for_each(|below| doubted |= known[below].is_none());
                }
                if doubted {
                    known[at] = None;
                    changed = true;
                }
            }
            if !changed {
                return;
            }
        }
    }
}

/// `None`: something may wrap.
fn range(node: &Node, known: &[Option<Range>], numbers: &Numbers) -> Option<Range> {
    Some(match node.of {
        Of::Range(range) => range,
        Of::Builtin(builtin, dimension) => (numbers.builtin)(builtin, dimension)?,
        Of::Argument(offset) => (numbers.argument)(offset, node.ty)?,
        Of::Binary(op, [a, b]) => binary(op, known[a]?, known[b]?, node.ty)?,
        Of::ZExt(arg) => known[arg].filter(|range| range.is_natural())?,
        Of::Same(arg) => known[arg]?,
        Of::Union(ref args) => {
            let mut ranges = args.iter().map(|&arg| known[arg]);
            let first = ranges.next()??;
            ranges.try_fold(first, |all, range| Some(all.union(range?)))?
        }
        Of::Counter(ref counter) => count(counter, known)?,
    })
}

impl Root {
    /// It can't wrap, if nodes have these numbers.
    pub(super) fn holds(&self, known: &[Option<Range>]) -> bool {
        let natural = self.kind != RootKind::Index;
        let fits = |&node: &usize| known[node].is_some_and(|range| !natural || range.is_natural());
        self.nodes.iter().all(fits)
    }
}

/// What an operation makes of all numbers of two intervals of a type; `None` where that does not fit 64 bits.
fn binary(op: BinaryOp, x: Range, y: Range, ty: Type) -> Option<Range> {
    match x.over_all_integers(op, y, ty) {
        Some([min, max]) => Some(Range {
            min: min.try_into().ok()?,
            max: max.try_into().ok()?,
        }),
        None => x.of_operation(op, y, ty),
    }
}

/// The numbers of an induction variable in all iterations.
fn count(counter: &Counter, known: &[Option<Range>]) -> Option<Range> {
    let init = known[counter.init]?;
    match counter.test {
        Some(test) => match counter.step {
            Step::Add(step) if known[step]?.max < 0 => count_down(init, known[step]?, test, known[test.bound]?),
            Step::Add(step) => count_up(init, known[step]?, test, known[test.bound]?, |last| {
                last.checked_add(known[step]?.max)
            }),
            Step::Shl(amount) if init.is_natural() => {
                let none = Range { min: 0, max: 0 };
                count_up(init, none, test, known[test.bound]?, |last| last.checked_mul(1 << amount))
            }
            Step::Shl(_) | Step::Less => None,
        },
        None => init.is_natural().then_some(Range { min: 0, max: init.max }),
    }
}

/// `last` is the greatest number that the loop goes on with, and `next` the one behind it.
fn count_up(init: Range, step: Range, test: Test, bound: Range, next: impl Fn(i64) -> Option<i64>) -> Option<Range> {
    let strict = match test.cc {
        IntCc::Slt | IntCc::Sle => i64::from(test.cc == IntCc::Slt),
        IntCc::Ult | IntCc::Ule if init.is_natural() && bound.is_natural() => i64::from(test.cc == IntCc::Ult),
        // It comes to what it is not to be if it goes there by ones.
        IntCc::Ne if step.min == 1 && step.max == 1 && init.max <= bound.min.checked_sub(i64::from(test.is_next))? => 1,
        _ => return None,
    };
    let last = bound.max.checked_sub(strict)?;
    let end = if test.is_next { last } else { next(last)? };
    step.is_natural().then_some(Range {
        min: init.min,
        max: init.max.max(end),
    })
}

/// The same downwards. What is compared without a sign must not go below zero.
fn count_down(init: Range, step: Range, test: Test, bound: Range) -> Option<Range> {
    let strict = match test.cc {
        IntCc::Sgt | IntCc::Sge => i64::from(test.cc == IntCc::Sgt),
        IntCc::Ugt | IntCc::Uge if init.is_natural() && bound.is_natural() => i64::from(test.cc == IntCc::Ugt),
        IntCc::Ne if step.min == -1 && step.max == -1 && bound.max.checked_add(i64::from(test.is_next))? <= init.min => 1,
        _ => return None,
    };
    let last = bound.min.checked_add(strict)?;
    let behind = last.checked_add(step.min)?;
    if test.cc.is_unsigned() && behind < 0 {
        return None;
    }
    Some(Range {
        min: init.min.min(if test.is_next { last } else { behind }),
        max: init.max,
    })
}
