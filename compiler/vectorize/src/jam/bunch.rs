//! Which gangs are run at once, and where each of them stands.

use super::{Copies, GANGS};
use analysis::GangFacts;
use analysis::Layout;
use ir::*;
use smallvec::SmallVec;

/// How the gangs of a bunch lie: beside each other in a row, and in how many rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bunch {
    /// The dimension of a row.
    pub along: usize,
    /// Gangs of a row that belong to a bunch.
    pub columns: u32,
    /// Rows.
    pub rows: u32,
}

/// The bunches of `factor` gangs, if these come out even.
pub fn bunch(facts: &GangFacts, factor: u32) -> Option<Bunch> {
    let Layout::Rows { dimension } = facts.layout else { return None };
    let along = usize::from(dimension);
    if factor == 1 {
        return Some(Bunch {
            along,
            columns: 1,
            rows: 1,
        });
    }
    let size = facts.local_size.exactly()?;
    let row = u32::try_from(size[along]).ok()?;
    if !facts.full_gangs() || !row.is_multiple_of(facts.width) {
        return None;
    }
    let in_row = row / facts.width;
    if facts.first_along.is_some_and(|first| usize::from(first) == along + 1) {
        let next = size.get(along + 1)?;
        return next.is_multiple_of(u64::from(factor)).then_some(Bunch {
            along,
            columns: 1,
            rows: factor,
        });
    }
    if in_row.is_multiple_of(factor) {
        return Some(Bunch {
            along,
            columns: factor,
            rows: 1,
        });
    }
    let rows = factor / in_row;
    let next = size.get(along + 1)?;
    (factor.is_multiple_of(in_row) && next.is_multiple_of(u64::from(rows))).then_some(Bunch {
        along,
        columns: in_row,
        rows,
    })
}

impl Bunch {
    /// Where each gang of the bunch stands.
    pub(super) fn positions(self, b: &mut Builder, builtin: Builtin, dimension: usize, facts: &GangFacts) -> Copies {
        let first = b.builtin(builtin, dimension as u8);
        let columns = i64::from(self.columns);
        let steps: SmallVec<[i64; GANGS as usize]> = (0..i64::from(facts.gangs_at_once))
            .map(|number| match self.step(builtin, dimension) {
                Step::None => 0,
                Step::Gang => number,
                Step::Column => number % columns * i64::from(facts.width),
                Step::Row => number / columns,
            })
            .collect();
        if steps.iter().all(|&step| step == 0) {
            return Copies::from_slice(&[first]);
        }
        let mut made = Copies::new();
        for (copy, &step) in steps.iter().enumerate() {
            // Gangs of one row, or one column, have the very same value.
            let known = steps[..copy].iter().position(|&other| other == step);
            let value = match (known, step) {
                (Some(known), _) => made[known],
                (None, 0) => first,
                (None, step) => b.binary_imm(BinaryOp::Add, first, step),
            };
            made.push(value);
        }
        made
    }

    /// Where the gang with this number (`i32`) in the bunch stands.
    pub(super) fn position(self, b: &mut Builder, builtin: Builtin, dimension: usize, facts: &GangFacts, number: Value) -> Value {
        let first = b.builtin(builtin, dimension as u8);
        let columns = i64::from(self.columns);
        let step = match self.step(builtin, dimension) {
            Step::None => return first,
            Step::Gang => number,
            Step::Column => {
                let column = b.binary_imm(BinaryOp::URem, number, columns);
                b.binary_imm(BinaryOp::Mul, column, i64::from(facts.width))
            }
            Step::Row => b.binary_imm(BinaryOp::UDiv, number, columns),
        };
        let step = b.convert(ConvertOp::ZExt, b.ty(first).elem, step);
        b.add(first, step)
    }

    fn step(self, builtin: Builtin, dimension: usize) -> Step {
        match builtin {
            Builtin::SubGroupId => Step::Gang,
            _ if dimension == self.along => Step::Column,
            _ if dimension == self.along + 1 => Step::Row,
            _ => Step::None,
        }
    }
}

/// What a built-in counts in a bunch.
enum Step {
    None,
    Gang,
    Column,
    Row,
}
