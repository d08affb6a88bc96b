//! Indices of 32 bits of which a launch tells that they do not wrap.
//!
//! ```c
//! uint i = get_global_id(0);
//! for (uint j = 0; j < n; j++)
//!     sum += x[i * n + j];
//! ```
//!
//! A sum of numbers without a sign may wrap by right, and then neighbours' places are not next to each other. So may what has been computed in 64 bits and cut,
//! as `i += get_global_size(0)` is of an `int`. But a launch knows how many work-items it has, and what `n` is: that bounds ids, the induction variables of
//! loops, and what is computed from them. [`NoWrap::find`] writes down how, and [`NoWrap::holds`] works it out for a launch: which of the [`Root`]s can't wrap
//! ([`interface::ArgumentFacts::set_no_wrap`]). `transform::no_wrap` tells code that is made for such launches.

mod find;
mod intervals;
#[cfg(test)]
mod tests;

pub use intervals::Sizes;

use crate::bits::ranges::Range;
use ir::*;
use smallvec::SmallVec;

/// What may wrap in a kernel, and how a launch tells that it doesn't.
#[derive(Clone, Debug, Default)]
pub struct NoWrap {
    /// Operands before operations, but for [`Of::Counter`]'s next number.
    nodes: Vec<Node>,
    roots: Vec<Root>,
    /// Arguments that bound something: where they are in the argument block, and their bytes.
    arguments: Vec<(u32, u32)>,
}

/// A whole number of 32 or 64 bits: what bounds it.
#[derive(Clone, Debug)]
struct Node {
    of: Of,
    ty: Type,
    /// The operation that makes it, if it is one that may wrap.
    inst: Option<Inst>,
    /// It is said not to.
    is_exact: bool,
}

/// What bounds a number.
#[derive(Clone, Debug)]
enum Of {
    /// Whatever the launch is.
    Range(Range),
    Builtin(Builtin, u8),
    /// Where it is in the argument block.
    Argument(u32),
    Binary(BinaryOp, [usize; 2]),
    /// Without a sign: the number must not be negative.
    ZExt(usize),
    /// The same number in other bits.
    Same(usize),
    /// One of them.
    Union(SmallVec<[usize; 2]>),
    Counter(Counter),
}

/// The induction variable of a loop.
#[derive(Clone, Debug)]
struct Counter {
    init: usize,
    step: Step,
    /// What it is in the next iteration: that must not wrap.
    next: usize,
    /// The loop goes on only while this is so; none if the numbers shrink towards 0.
    test: Option<Test>,
}

/// From iteration to iteration.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// So much is added.
    Add(usize),
    /// It is multiplied by two to this power.
    Shl(u32),
    /// It becomes less, and not negative: a quotient.
    Less,
}

/// `variable cc bound`.
#[derive(Clone, Copy, Debug)]
struct Test {
    cc: IntCc,
    bound: usize,
    /// It is the number of the next iteration that is compared.
    is_next: bool,
}

/// An operation that knows more where what it is given has not wrapped.
#[derive(Clone, Debug)]
pub struct Root {
    /// It.
    pub kind: RootKind,
    nodes: SmallVec<[usize; 2]>,
}

/// What an operation makes of numbers that don't wrap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RootKind {
    /// An address, or the same in 64 bits.
    Index,
    /// An extension without a sign, of a number that is not negative: it can as well be one with a sign.
    Extension(Inst),
    /// A comparison without a sign, of numbers that are not negative.
    Comparison(Inst),
}

/// As many roots are asked one by one; all others together, as the last.
const ROOTS: usize = 64;

impl NoWrap {
    /// There is nothing to ask.
    pub fn is_empty(&self) -> bool {
        self.roots.is_empty()
    }

    /// The bytes of all arguments in a block that bound something.
    pub fn arguments<'b>(&'b self, block: &'b [u8]) -> impl Iterator<Item = &'b [u8]> {
        let bytes = |&(offset, bytes): &(u32, u32)| block.get(offset as usize..(offset + bytes) as usize).unwrap_or_default();
        self.arguments.iter().map(bytes)
    }

    /// The roots that are named by `holds`, and the operations that do not wrap for it.
    pub fn known(&self, holds: u64) -> impl Iterator<Item = (&Root, Vec<Inst>)> {
        let named = move |number: usize| holds >> number.min(ROOTS - 1) & 1 != 0;
        let roots = self.roots.iter().enumerate().filter(move |(number, _)| named(*number));
        roots.map(|(_, root)| {
            let mut insts = Vec::new();
            self.each_below(root, |node| insts.extend(self.nodes[node].inst));
            (root, insts)
        })
    }

    /// Launches don't work out what no root is made of.
    fn forget_others(&mut self) {
        let mut wanted = vec![false; self.nodes.len()];
        for root in &self.roots {
            self.each_below(root, |node| wanted[node] = true);
        }
        for (node, _) in self.nodes.iter_mut().zip(wanted).filter(|(_, wanted)| !wanted) {
            node.of = Of::Range(Range::of_type(node.ty));
        }
    }

    /// Visits all that a root is made of.
    fn each_below(&self, root: &Root, mut visit: impl FnMut(usize)) {
        let mut seen = vec![false; self.nodes.len()];
        let mut work = root.nodes.to_vec();
        while let Some(node) = work.pop() {
            if std::mem::replace(&mut seen[node], true) {
                continue;
            }
            visit(node);
            self.nodes[node].of.for_each(|below| work.push(below));
        }
    }
}

impl Of {
    fn for_each(&self, mut visit: impl FnMut(usize)) {
        match self {
            Of::Range(_) | Of::Builtin(..) | Of::Argument(_) => {}
            Of::Binary(_, args) => args.iter().for_each(|&arg| visit(arg)),
            Of::ZExt(arg) | Of::Same(arg) => visit(*arg),
            Of::Union(args) => args.iter().for_each(|&arg| visit(arg)),
            Of::Counter(counter) => {
                visit(counter.init);
                visit(counter.next);
                if let Step::Add(step) = counter.step {
                    visit(step);
                }
                if let Some(test) = counter.test {
                    visit(test.bound);
                }
            }
        }
    }
}
