//! Ids that kernels take apart: `x = i % w, y = i / w`.
//!
//! A launch along one dimension that knows `w` can be run along two, where `i % w` is the place along the first and `i / w` that along the second. What
//! lanes have in common and where they stand in memory is seen then, and no lane divides. The launch must end where a row does, or have its work-items
//! leave that are behind the last row.

mod guards;
mod number;
mod parts;
mod work;
mod write;

#[cfg(test)]
mod tests;

use crate::idle_groups::conditions;
use crate::in_order::reads_id;
use guards::Guards;
use ir::*;
use number::Number;
use parts::Ids;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
pub use work::Work;
use write::Write;

/// A kernel of which one dimension has become two.
#[derive(Debug)]
pub struct Unfolded {
    /// The kernel for launches whose sizes [`Sizes::of`] has given.
    pub func: Function,
    /// What these are.
    pub sizes: Sizes,
    /// The second dimension has become the third.
    pub is_moved: bool,
    /// What work-items did before.
    pub work: Work,
}

/// The sizes of a launch along two dimensions instead of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// A row has so many work-items.
    row: Number,
    /// What else ids are divided by: multiples of it.
    multiples: SmallVec<[Number; 1]>,
    /// Work-items leave whose id is not below each of these, …
    ids: SmallVec<[Number; 1]>,
    /// … and those in rows that are not below each of these.
    rows: SmallVec<[Number; 1]>,
}

impl Sizes {
    /// For so many ids, with the arguments in a block. None if they don't fill rows.
    pub fn of(&self, ids: u64, block: &[u8]) -> Option<[u64; 2]> {
        let least = |all: u64, numbers: &[Number]| {
            let mut numbers = numbers.iter().map(|number| number.in_block(block));
            numbers.try_fold(all, |least, number| Some(least.min(number?)))
        };
        let length = |number: &Number| number.in_block(block).filter(|&length| length > 0);
        let row = length(&self.row)?;
        if !self.multiples.iter().all(|number| length(number).is_some()) {
            return None;
        }
        let ids = least(ids, &self.ids)?;
        // Those of the last row are all there, or do nothing.
        let rows = least(ids.div_ceil(row), &self.rows)?;
        (rows > 0 && rows * row <= ids).then_some([row, rows])
    }
}

/// Takes a dimension of a kernel apart whose global ids are below [`interface::SMALL_IDS`] and begin at zero. None if it does not take them apart itself, sees more of
/// the launch, or has a place in the next dimension, too, that can't be moved by one.
pub fn unfold(func: &Function, dimension: u8) -> Option<Unfolded> {
    // (It is rare, and this is asked of all kernels.)
    let divides = |inst| {
        use BinaryOp::*;
        matches!(
            func.inst(inst).data,
            InstData::Binary {
                op: UDiv | SDiv | URem | SRem | LShr | AShr,
                ..
            }
        )
    };
    let is_moved = dimension == 0 && reads_id(func, 1);
    let is_full = reads_id(func, if is_moved { 2 } else { dimension + 1 });
    if is_full || !func.insts().any(divides) || !func.insts().all(|inst| knows_ids(&func.inst(inst).data)) {
        return None;
    }
    let ids = Ids::new(func, dimension);
    let row = ids.row()?;
    let mut guards = Guards {
        ids: &ids,
        row: &row,
        sizes: Sizes {
            row: row.number.clone(),
            multiples: ids
                .divisors
                .iter()
                .map(|divisor| &divisor.number)
                .filter(|&number| *number != row.number)
                .cloned()
                .collect(),
            ids: SmallVec::new(),
            rows: SmallVec::new(),
        },
        known: FxHashMap::default(),
    };
    for (condition, leaves) in conditions(func) {
        guards.collect(condition, leaves);
    }
    let Guards { sizes, known, .. } = guards;
    let mut unfolded = func.clone();
    let (parts, divisors) = (&ids.parts, &ids.divisors);
    unfolded.expand(|func, block, inst| {
        let value = *func.inst(inst).results.first()?;
        let ty = func.ty(value);
        if is_moved && is_id(&func.inst(inst).data, 1) {
            return Some(Builder::new(func, block).builtin(Builtin::GlobalId, 2));
        }
        if let Some(&known) = known.get(&value) {
            return Some(Builder::new(func, block).mask(ty, known));
        }
        let is_extended = matches!(
            func.inst(inst).data,
            InstData::Convert {
                op: ConvertOp::SExt | ConvertOp::ZExt,
                ..
            }
        );
        let part = parts[value].filter(|_| !is_extended)?;
        let mut write = Write {
            b: Builder::new(func, block),
            ty,
            dimension,
            row: &row,
        };
        write.part(part, divisors)
    });
    Some(Unfolded {
        func: unfolded,
        sizes,
        is_moved,
        work: ids.work(),
    })
}

/// A function that is called is told nothing of where in the launch a work-item is.
pub fn knows_no_ids(func: &Function) -> bool {
    func.insts().all(|inst| {
        let data = &func.inst(inst).data;
        knows_ids(data) && !(0..3).any(|dimension| is_id(data, dimension))
    })
}

/// What is seen of the launch are global ids.
fn knows_ids(data: &InstData) -> bool {
    match *data {
        InstData::Builtin { builtin, .. } => {
            matches!(builtin, Builtin::GlobalId | Builtin::Arguments | Builtin::Launch | Builtin::Worker)
        }
        // The host is told in which work-item.
        InstData::Trap { .. } => false,
        _ => true,
    }
}

fn is_id(data: &InstData, dimension: u8) -> bool {
    matches!(*data, InstData::Builtin { builtin: Builtin::GlobalId, dimension: own } if own == dimension)
}
