//! Conditions under which work-items leave that have an id, or a row, that is not below a number.

use super::Sizes;
use super::number::Number;
use super::parts::{Ids, Part, Row};
use ir::*;
use rustc_hash::FxHashMap;

/// Conditions under which work-items do nothing.
pub(super) struct Guards<'f> {
    pub ids: &'f Ids<'f>,
    pub row: &'f Row,
    pub sizes: Sizes,
    /// What comparisons come to for the work-items that are left.
    pub known: FxHashMap<Value, bool>,
}

impl Guards<'_> {
    /// Work-items leave where `condition` is `leaves`.
    pub fn collect(&mut self, condition: Value, leaves: bool) {
        match self.ids.func.def_data(condition) {
            Some(&InstData::Unary { op: UnaryOp::Not, arg }) => self.collect(arg, !leaves),
            // Each of the two is enough.
            Some(&InstData::Binary { op, args }) if op == if leaves { BinaryOp::Or } else { BinaryOp::And } => {
                args.into_iter().for_each(|arg| self.collect(arg, leaves));
            }
            Some(&InstData::IntCompare { cc, args: [a, b] }) => {
                let is_bound = match if leaves { cc } else { cc.inverted() } {
                    IntCc::Sge | IntCc::Uge => self.bound(a, b),
                    IntCc::Sle | IntCc::Ule => self.bound(b, a),
                    _ => None,
                };
                if is_bound.is_some() {
                    self.known.insert(condition, !leaves);
                }
            }
            _ => {}
        }
    }

    /// That of a part of an id by a number.
    fn bound(&mut self, id: Value, by: Value) -> Option<()> {
        let part = self.ids.parts[id]?;
        let number = Number::of(self.ids.func, by)?;
        match part {
            Part::Whole => self.sizes.ids.push(number),
            Part::Quotient(by) if self.row.multiples[by].is_none() => self.sizes.rows.push(number),
            // All columns are below.
            Part::Remainder(by) if self.row.multiples[by].is_none() && number == self.row.number => {}
            _ => return None,
        }
        Some(())
    }
}
