//! Places in memory as they depend on a loop's induction variable.

use ir::*;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::{SmallVec, smallvec};

/// How far back a value is followed.
const DEPTH: u32 = 12;

/// How a value of 32 bits becomes one of 64; `None` for one that has them.
type Extension = Option<ConvertOp>;

/// A value that is the same in all iterations, or that is another in each: with how it is extended.
type Term = (Value, Extension);

/// `shared terms * factors + number * factor + constant`, modulo 2^64.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Place {
    shared: SmallVec<[(Term, i64); 4]>,
    /// What is another number in each iteration, and its factor.
    number: Option<(Term, i64)>,
    constant: i64,
}

impl Place {
    fn constant(constant: i64) -> Place {
        Place {
            constant,
            ..Place::default()
        }
    }

    fn times(mut self, factor: i64) -> Option<Place> {
        for (_, own) in self.shared.iter_mut().chain(self.number.as_mut()) {
            *own = own.checked_mul(factor)?;
        }
        self.constant = self.constant.checked_mul(factor)?;
        Some(self)
    }

    fn plus(mut self, other: Place) -> Option<Place> {
        for (term, factor) in other.shared {
            match self.shared.iter_mut().find(|(own, _)| *own == term) {
                Some((_, own)) => *own = own.checked_add(factor)?,
                None => self.shared.push((term, factor)),
            }
        }
        self.number = match (self.number, other.number) {
            (Some((a, x)), Some((b, y))) if a == b => Some((a, x.checked_add(y)?)),
            (Some(_), Some(_)) => return None,
            (one, another) => one.or(another),
        };
        self.constant = self.constant.checked_add(other.constant)?;
        Some(self)
    }

    /// But for the constant. Places with the same grid don't meet in different iterations as long as their constants are within one step.
    fn grid(mut self) -> Place {
        self.constant = 0;
        self.shared.retain(|(_, factor)| *factor != 0);
        self.shared.sort_unstable_by_key(|&((value, _), _)| value);
        self
    }

    /// Bytes from an iteration's place to that of the next number.
    fn stride(&self) -> i64 {
        self.number.map_or(0, |(_, factor)| factor)
    }
}

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
        // By alias set: the grid, and the first and last bytes beside it.
        let mut grids: FxHashMap<AliasSet, (Place, i64, i64)> = FxHashMap::default();
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
            let step = grid.stride().unsigned_abs();
            end.checked_sub(*first).is_some_and(|bytes| bytes.unsigned_abs() <= step)
        })
    }

    /// An address, if it is such a place.
    fn place(&self, address: &Address) -> Option<Place> {
        let base = self.value(address.base, None, DEPTH)?;
        let index = match address.index {
            Some(index) => {
                let extension = (self.func.ty(index) == Type::I32).then_some(ConvertOp::SExt);
                self.value(index, extension, DEPTH)?.times(i64::from(address.scale))?
            }
            None => Place::default(),
        };
        base.plus(index)?.plus(Place::constant(address.offset.into()))
    }

    /// What a value is, extended if need be.
    fn value(&self, value: Value, extension: Extension, depth: u32) -> Option<Place> {
        let depth = depth.checked_sub(1)?;
        if value == self.number {
            return Some(Place {
                number: Some(((value, extension), 1)),
                ..Place::default()
            });
        }
        if let Some(signed) = self.func.signed_constant(value) {
            let unsigned = extension == Some(ConvertOp::ZExt);
            return Some(Place::constant(if unsigned { i64::from(signed as u32) } else { signed }));
        }
        if !self.inside.contains(&value) {
            return Some(Place {
                shared: smallvec![((value, extension), 1)],
                ..Place::default()
            });
        }
        let inst = self.func.def_inst(value)?;
        let node = self.func.inst(inst);
        match node.data {
            InstData::Convert {
                op: op @ (ConvertOp::SExt | ConvertOp::ZExt),
                arg,
                ..
            } if extension.is_none() && self.func.ty(arg) == Type::I32 => self.value(arg, Some(op), depth),
            // Extended, a sum is the sum of what is extended only where it does not wrap.
            InstData::Binary { op, args } if self.func.ty(value) == Type::I64 || never_wraps(node.flags, extension) => {
                let [a, b] = args;
                let operand = |value| self.value(value, extension, depth);
                let factor = |value: Value| self.func.signed_constant(value);
                match op {
                    BinaryOp::Add => operand(a)?.plus(operand(b)?),
                    BinaryOp::Sub => operand(a)?.plus(operand(b)?.times(-1)?),
                    BinaryOp::Mul => match (factor(a), factor(b)) {
                        (_, Some(by)) => operand(a)?.times(by),
                        (Some(by), _) => operand(b)?.times(by),
                        _ => None,
                    },
                    BinaryOp::Shl => operand(a)?.times(1i64.checked_shl(u32::try_from(factor(b)?).ok()?)?),
                    _ => None,
                }
            }
            // Modulo 2^32 it is another number in each iteration all the same.
            InstData::Binary { op: BinaryOp::Add, args } if args.contains(&self.number) => {
                let other = if args[0] == self.number { args[1] } else { args[0] };
                (!self.inside.contains(&other) || self.func.constant(other).is_some()).then(|| Place {
                    number: Some(((value, extension), 1)),
                    ..Place::default()
                })
            }
            _ => None,
        }
    }
}

fn never_wraps(flags: Flags, extension: Extension) -> bool {
    match extension {
        Some(ConvertOp::SExt) => flags.contains(Flags::NSW),
        Some(ConvertOp::ZExt) => flags.contains(Flags::NUW),
        _ => false,
    }
}
