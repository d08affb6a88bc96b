//! Places in memory as they depend on a loop's induction variable.

use crate::linear::{Extension, Linear, View};
use ir::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// Where the accesses of a loop's iterations are.
pub struct Iterations<'a> {
    /// The function.
    pub func: &'a Function,
    /// What the loop's blocks define.
    pub inside: &'a FxHashSet<Value>,
    /// The induction variable: another number in each iteration.
    pub number: Value,
}

impl Iterations<'_> {
    /// None of these accesses goes where one to the same alias set goes in another iteration.
    pub fn are_independent(&self, accesses: impl Iterator<Item = Access>) -> bool {
        // By alias set: the grid, and the first and last bytes beside it. Places with the same grid don't meet in different iterations as long as their
        // constants are within one step.
        let mut grids: FxHashMap<AliasSet, (Linear, i64, i64)> = FxHashMap::default();
        for access in accesses {
            let Some(place) = self.place(&access.address) else { return false };
            let first = place.constant;
            let Some(end) = first.checked_add(i64::from(access.ty.bytes())) else {
                return false;
            };
            let grid = place.grid();
            match grids.get_mut(&access.mem.alias) {
                None => {
                    grids.insert(access.mem.alias, (grid, first, end));
                }
                Some((own, lowest, highest)) if *own == grid => (*lowest, *highest) = ((*lowest).min(first), (*highest).max(end)),
                Some(_) => return false,
            }
        }
        grids.values().all(|(grid, first, end)| {
            // Bytes from an iteration's place to that of the next number, which is one.
            let mut strides = grid.terms.iter().filter(|((value, _), _)| self.varies(*value));
            let stride = strides.next().map_or(0, |(_, factor)| factor.unsigned_abs());
            strides.next().is_none() && end.checked_sub(*first).is_some_and(|bytes| bytes.unsigned_abs() <= stride)
        })
    }

    /// An address, modulo 2^64.
    fn place(&self, address: &Address) -> Option<Linear> {
        let of = |value: Value, extension| Linear::of(self.func, value, extension, self);
        let index = match address.index {
            Some(index) => {
                let extension = (self.func.ty(index) == Type::I32).then_some(ConvertOp::SExt);
                of(index, extension)?.times(i64::from(address.scale))?
            }
            None => Linear::default(),
        };
        of(address.base, None)?.plus(index)?.plus(Linear::constant(address.offset.into()))
    }

    /// It may be another in each iteration.
    fn varies(&self, value: Value) -> bool {
        value == self.number || self.inside.contains(&value)
    }
}

/// What is the same in all iterations is a term, and so is what is another number in each.
impl View for Iterations<'_> {
    fn is_term(&self, value: Value, extension: Extension) -> bool {
        // Modulo 2^32 the number and something are another one in each iteration all the same.
        let is_shifted = || {
            let other = match self.func.binary(BinaryOp::Add, value) {
                Some([a, b]) if a == self.number => b,
                Some([a, b]) if b == self.number => a,
                _ => return false,
            };
            !self.never_wraps(value, extension) && (!self.inside.contains(&other) || self.func.constant(other).is_some())
        };
        value == self.number || !self.inside.contains(&value) || is_shifted()
    }

    // Extended, a sum is the sum of what is extended only where it does not wrap.
    fn is_exact(&self, value: Value, extension: Extension, _: &Linear) -> bool {
        self.never_wraps(value, extension)
    }

    fn through(&self, op: ConvertOp, arg: Value, outer: Extension) -> Option<Extension> {
        let widens = matches!(op, ConvertOp::SExt | ConvertOp::ZExt) && self.func.ty(arg) == Type::I32;
        (widens && outer.is_none()).then_some(Some(op))
    }
}

impl Iterations<'_> {
    fn never_wraps(&self, value: Value, extension: Extension) -> bool {
        let flags = self.func.def_inst(value).map_or(Flags::empty(), |inst| self.func.inst(inst).flags);
        self.func.ty(value) == Type::I64
            || match extension {
                Some(ConvertOp::SExt) => flags.contains(Flags::NSW),
                Some(ConvertOp::ZExt) => flags.contains(Flags::NUW),
                _ => false,
            }
    }
}
