//! What numbers are at least: enough to see that logarithms, roots and powers of sums of squares have no special cases below 0.

use super::{Folder, Step};
use ir::*;
use target::costs::effort::SOME_OPERATIONS;

impl Folder<'_> {
    /// A number from 0 on that a float is not less than. It may be a NaN, but is not -0.
    pub(super) fn lower_bound(&self, value: Value) -> Option<f64> {
        self.bound(value, SOME_OPERATIONS)
    }

    fn bound(&self, value: Value, depth: u32) -> Option<f64> {
        if let Some(bits) = self.bits(value) {
            let number = eval::to_f64(self.ty(value).elem, bits);
            return (number >= 0.0 && number.is_sign_positive()).then_some(number);
        }
        let depth = depth.checked_sub(1)?;
        let of = |value: Value| self.bound(value, depth);
        let both = |a: Value, b: Value| of(a).zip(of(b));
        match *self.data(value)? {
            InstData::Unary { op: UnaryOp::FAbs, .. } => Some(0.0),
            InstData::Unary { op: UnaryOp::Sqrt, arg } => of(arg).map(|_| 0.0),
            InstData::Binary { op, args: [a, b] } => match op {
                BinaryOp::FMul if a == b => Some(0.0),
                BinaryOp::FMul | BinaryOp::FDiv => both(a, b).map(|_| 0.0),
                // However it is rounded: the greater one is a number of the format.
                BinaryOp::FAdd => both(a, b).map(|(a, b)| a.max(b)),
                // Of zeros and NaNs it may be either one.
                BinaryOp::FMax | BinaryOp::FMaxNum => [a, b].into_iter().filter_map(of).filter(|&bound| bound > 0.0).reduce(f64::max),
                _ => None,
            },
            InstData::Fma { args: [a, b, c] } => (a == b || both(a, b).is_some()).then(|| of(c)).flatten(),
            InstData::Select { args: [a, b], .. } => both(a, b).map(|(a, b)| a.min(b)),
            InstData::Convert {
                op: ConvertOp::FPromote,
                arg,
                ..
            } => of(arg),
            InstData::Convert {
                op: ConvertOp::FDemote,
                arg,
                ..
            } => of(arg).map(|_| 0.0),
            InstData::Convert { op: ConvertOp::UToF, .. } => Some(0.0),
            _ => None,
        }
    }

    /// A comparison with a constant that the value's bound decides.
    pub(super) fn compare_bound(&self, cc: FloatCc, value: Value, constant: u64) -> Step {
        let number = eval::to_f64(self.ty(value).elem, constant);
        let Some(bound) = self.lower_bound(value) else { return Step::Keep };
        match cc {
            FloatCc::Olt if bound >= number => Step::Bits(0),
            FloatCc::Ole | FloatCc::Oeq if bound > number => Step::Bits(0),
            FloatCc::Uge if bound >= number => Step::Bits(1),
            FloatCc::Ugt | FloatCc::Une if bound > number => Step::Bits(1),
            _ => Step::Keep,
        }
    }
}
