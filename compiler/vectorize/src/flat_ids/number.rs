//! Numbers that are known once a launch's arguments are: `w`, `w - 2`, `w * h`.

use ir::*;

/// So many operations deep.
const DEPTH: u32 = 4;

/// A number that arguments and constants give.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Number {
    Constant(i64),
    /// Where it is in the argument block, and its bytes.
    Argument {
        offset: u32,
        bytes: u32,
    },
    Sum(Box<[Number; 2]>),
    Difference(Box<[Number; 2]>),
    Product(Box<[Number; 2]>),
}

impl Number {
    /// What an integer of 32 or 64 bits is.
    pub fn of(func: &Function, value: Value) -> Option<Number> {
        Number::within(func, value, DEPTH)
    }

    fn within(func: &Function, value: Value, depth: u32) -> Option<Number> {
        if let Some(constant) = func.signed_constant(value) {
            return Some(Number::Constant(constant));
        }
        let depth = depth.checked_sub(1)?;
        let ty = func.ty(value);
        if let Some(offset) = func.argument(value) {
            let offset = u32::try_from(offset).ok()?;
            let bytes = ty.elem.bytes();
            return (ty.elem.is_int() && ty.lanes == 1).then_some(Number::Argument { offset, bytes });
        }
        if !matches!(ty, Type::I32 | Type::I64) {
            return None;
        }
        match *func.def_data(value)? {
            InstData::Convert {
                op: ConvertOp::SExt | ConvertOp::ZExt | ConvertOp::Trunc,
                arg,
                ..
            } => Number::within(func, arg, depth).filter(|number| !matches!(number, Number::Constant(_))),
            InstData::Binary { op, args: [a, b] } => {
                let both = || Some(Box::new([Number::within(func, a, depth)?, Number::within(func, b, depth)?]));
                match op {
                    BinaryOp::Add => both().map(Number::Sum),
                    BinaryOp::Sub => both().map(Number::Difference),
                    BinaryOp::Mul => both().map(Number::Product),
                    BinaryOp::Shl => {
                        let by = func.constant(b).filter(|&by| by < 31)?;
                        let factor = Number::Constant(1 << by);
                        Some(Number::Product(Box::new([Number::within(func, a, depth)?, factor])))
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// What it is with the arguments in a block. All that it is computed of must fit 31 bits: then it is the same in 32 and 64 bits, with and without signs.
    pub fn in_block(&self, block: &[u8]) -> Option<u64> {
        u64::try_from(self.evaluate(block)?).ok().filter(|&number| number >> 31 == 0)
    }

    fn evaluate(&self, block: &[u8]) -> Option<i64> {
        let natural = |number: i64| (0..1 << 31).contains(&number).then_some(number);
        let both = |numbers: &[Number; 2]| Some((numbers[0].evaluate(block)?, numbers[1].evaluate(block)?));
        match self {
            // (What is added may be negative.)
            Number::Constant(constant) => i32::try_from(*constant).ok().map(i64::from),
            &Number::Argument { offset, bytes } => {
                let (offset, bytes) = (offset as usize, bytes as usize);
                let mut word = [0; 8];
                word.get_mut(..bytes)?.copy_from_slice(block.get(offset..offset + bytes)?);
                let unused = u64::BITS - 8 * bytes as u32;
                natural((u64::from_le_bytes(word) << unused) as i64 >> unused)
            }
            Number::Sum(numbers) => both(numbers).and_then(|(a, b)| natural(a + b)),
            Number::Difference(numbers) => both(numbers).and_then(|(a, b)| natural(a - b)),
            Number::Product(numbers) => both(numbers).and_then(|(a, b)| natural(a.checked_mul(b)?)),
        }
    }

    /// What it is times another number.
    pub fn per(&self, other: &Number) -> Option<Number> {
        match (self, other) {
            (Number::Constant(all), Number::Constant(one)) if *one > 0 && all % one == 0 => Some(Number::Constant(all / one)),
            (Number::Product(factors), _) if factors[0] == *other => Some(factors[1].clone()),
            (Number::Product(factors), _) if factors[1] == *other => Some(factors[0].clone()),
            _ => None,
        }
    }
}
