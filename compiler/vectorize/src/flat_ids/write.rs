//! Writes parts of an id as places along two dimensions.

use super::number::Number;
use super::parts::{Divisor, Part, Row};
use ir::*;

/// Writes parts of ids.
pub(super) struct Write<'w, 'f> {
    pub b: Builder<'f>,
    pub ty: Type,
    pub dimension: u8,
    pub row: &'w Row,
}

impl Write<'_, '_> {
    /// None of what stays as it is.
    pub fn part(&mut self, part: Part, divisors: &[Divisor]) -> Option<Value> {
        let multiple = |by: usize| self.row.multiples[by].clone();
        Some(match part {
            Part::Towards(..) => return None,
            Part::Zero => self.b.constant(self.ty, 0),
            Part::Whole => {
                let row = self.id(1);
                self.of_row(row, true)
            }
            Part::Quotient(by) => match multiple(by) {
                None => self.id(1),
                Some(rows) => self.of_rows(BinaryOp::UDiv, &rows),
            },
            Part::Remainder(by) => match multiple(by) {
                None => self.id(0),
                Some(rows) => {
                    let row = self.of_rows(BinaryOp::URem, &rows);
                    self.of_row(row, true)
                }
            },
            Part::Multiple(by) => match multiple(by) {
                None => {
                    let row = self.id(1);
                    self.of_row(row, false)
                }
                Some(rows) => {
                    let quotient = self.of_rows(BinaryOp::UDiv, &rows);
                    let by = self.number(&divisors[by]);
                    self.fits(BinaryOp::Mul, quotient, by)
                }
            },
            Part::Within(of, by) => self.within(multiple(of), multiple(by)),
            Part::MultipleWithin(of, by) => {
                let quotient = self.within(multiple(of), multiple(by));
                let by = self.number(&divisors[by]);
                self.fits(BinaryOp::Mul, quotient, by)
            }
        })
    }

    /// Of so many rows, in how manieth so many.
    fn within(&mut self, of: Option<Divisor>, by: Option<Divisor>) -> Value {
        let row = match of {
            Some(rows) => self.of_rows(BinaryOp::URem, &rows),
            None => return self.b.constant(self.ty, 0),
        };
        match by {
            Some(rows) => {
                let rows = self.number(&rows);
                self.b.binary(BinaryOp::UDiv, row, rows)
            }
            None => row,
        }
    }

    /// The place along the dimension or the one behind.
    fn id(&mut self, next: u8) -> Value {
        let id = self.b.builtin(Builtin::GlobalId, self.dimension + next);
        self.fitting(id)
    }

    /// The first id of a row, or the one in the work-item's column.
    fn of_row(&mut self, row: Value, in_column: bool) -> Value {
        let length = Divisor {
            number: self.row.number.clone(),
            value: self.row.value,
        };
        let length = self.number(&length);
        let first = self.fits(BinaryOp::Mul, row, length);
        match in_column {
            true => {
                let column = self.id(0);
                self.fits(BinaryOp::Add, first, column)
            }
            false => first,
        }
    }

    /// A result that is an id, and fits.
    fn fits(&mut self, op: BinaryOp, a: Value, b: Value) -> Value {
        self.b.flags = Flags::NSW | Flags::NUW;
        let result = self.b.binary(op, a, b);
        self.b.flags = Flags::empty();
        result
    }

    fn of_rows(&mut self, op: BinaryOp, by: &Divisor) -> Value {
        let (row, by) = (self.id(1), self.number(by));
        self.b.binary(op, row, by)
    }

    fn number(&mut self, of: &Divisor) -> Value {
        match (&of.number, of.value) {
            (Number::Constant(constant), _) => self.b.constant(self.ty, *constant as u64),
            (_, Some(value)) => {
                let copy = self.copy(value);
                self.fitting(copy)
            }
            (_, None) => unreachable!("what is no constant is computed somewhere"),
        }
    }

    /// A natural number in the bits that are wanted.
    fn fitting(&mut self, value: Value) -> Value {
        match (self.b.ty(value), self.ty) {
            (have, want) if have == want => value,
            (_, Type::I32) => self.b.convert(ConvertOp::Trunc, Elem::I32, value),
            (_, want) => self.b.convert(ConvertOp::SExt, want.elem, value),
        }
    }

    /// What is computed of arguments once more, here.
    fn copy(&mut self, value: Value) -> Value {
        let inst = self.b.func.def_inst(value).expect("numbers are computed of arguments");
        let node = self.b.func.inst(inst).clone();
        let mut data = node.data;
        data.for_each_operand_mut(|operand| *operand = self.copy(*operand));
        let inst = self.b.func.append(self.b.block, data, node.flags);
        self.b.func.result(inst)
    }
}
