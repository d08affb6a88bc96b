//! Which gangs are run at once, and where each of them stands.

use super::{Copies, GANGS};
use analysis::GangFacts;
use analysis::Layout;
use ir::*;
use smallvec::SmallVec;

/// How the gangs of a bunch lie: beside each other in a row, and below each other in how many rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bunch {
    /// The dimension of a row.
    pub along: usize,
    /// Gangs of a row that belong to a bunch.
    pub columns: u32,
    /// The dimension in which one row is below the other.
    pub below: usize,
    /// Rows.
    pub rows: u32,
}

/// How bunches of `factor` gangs can lie, as many beside each other as possible first. With `any`, nothing sees which gangs follow one another.
pub(super) fn bunches(facts: &GangFacts, factor: u32, any: bool) -> SmallVec<[Bunch; 4]> {
    let size = facts.local_size.exactly();
    let (Some(in_row), Some(size), Some(one)) = (gangs_in_row(facts), size, Bunch::of(facts)) else {
        return SmallVec::new();
    };
    let in_columns = in_columns(facts);
    let height = size.get(one.below).copied().unwrap_or(1);
    let follow_one_another = |columns: u32| match in_columns {
        true => columns == 1,
        false => any || columns == factor || columns == in_row,
    };
    let columns = (1..=factor).rev().filter(|&columns| {
        let comes_out_even = factor.is_multiple_of(columns) && in_row.is_multiple_of(columns);
        comes_out_even && follow_one_another(columns) && height.is_multiple_of((factor / columns).into())
    });
    columns
        .map(|columns| Bunch {
            columns,
            rows: factor / columns,
            ..one
        })
        .collect()
}

/// Whole gangs in rows of a known number of them.
fn gangs_in_row(facts: &GangFacts) -> Option<u32> {
    let Layout::Rows { dimension } = facts.layout else { return None };
    let row = u32::try_from(facts.local_size.exactly()?[usize::from(dimension)]).ok()?;
    (facts.full_gangs() && row.is_multiple_of(facts.width)).then(|| row / facts.width)
}

/// Gangs below each other are run first, and two of them at once if not more.
pub fn in_columns(facts: &GangFacts) -> bool {
    let height = facts.first_along.and_then(|first| facts.local_size.along(first.into()));
    height.is_some_and(|height| height.is_multiple_of(2)) && gangs_in_row(facts).is_some()
}

impl Bunch {
    /// That of the gangs that are run at once.
    pub fn of(facts: &GangFacts) -> Option<Bunch> {
        let Layout::Rows { dimension } = facts.layout else { return None };
        let along = usize::from(dimension);
        Some(Bunch {
            along,
            columns: facts.gangs_at_once / facts.rows_at_once,
            below: facts.first_along.map_or(along + 1, usize::from),
            rows: facts.rows_at_once,
        })
    }

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
            _ if dimension == self.below => Step::Row,
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
