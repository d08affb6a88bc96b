//! Products with constants as shifts and sums: by the constant's non-adjacent form, which has the fewest digits that are not zero.
//!
//! ```c
//! x * 10   // (x << 3) + (x << 1)
//! x * 31   // (x << 5) - x
//! ```
//!
//! (G. W. Reitwiesner: Binary Arithmetic, 1960; R. Bernstein: Multiplication by Integer Constants, 1986.)

use ir::{BinaryOp, Elem, Function, InstData, Type, Value};
use smallvec::SmallVec;
use target::Costs;
use target::costs::Latencies;
use target::costs::short_lanes::{BYTE_PRODUCT, BYTE_SHIFT, PRODUCT};

/// A product of a vector of integers and a constant that is no power of two, as shifts and sums.
#[derive(Clone, Debug)]
pub struct Digits {
    /// The factor that is no constant.
    pub value: Value,
    /// Its type.
    pub ty: Type,
    /// How far the factor is shifted to be added.
    pub added: SmallVec<[u32; 4]>,
    /// How far it is shifted to be subtracted.
    pub subtracted: SmallVec<[u32; 4]>,
}

impl Digits {
    /// Those of a product, if it is not one of 16 bits, which is hardly slower than a sum.
    pub fn of(func: &Function, data: &InstData) -> Option<Digits> {
        let &InstData::Binary {
            op: BinaryOp::Mul,
            args: [value, factor],
        } = data
        else {
            return None;
        };
        let ty = func.ty(value);
        if !ty.is_vector() || !matches!(ty.elem, Elem::I8 | Elem::I32 | Elem::I64) {
            return None;
        }
        Digits::of_factor(value, ty, func.signed_constant(factor)?)
    }

    fn of_factor(value: Value, ty: Type, factor: i64) -> Option<Digits> {
        let mut left = i128::from(factor);
        let (mut added, mut subtracted) = (SmallVec::new(), SmallVec::new());
        for shift in 0..ty.elem.bits() {
            if left & 1 == 1 {
                let digit = 2 - (left & 3);
                let digits = if digit > 0 { &mut added } else { &mut subtracted };
                digits.push(shift);
                left -= digit;
            }
            left >>= 1;
        }
        // (A difference needs something to begin with.)
        (!added.is_empty() && added.len() + subtracted.len() > 1).then_some(Digits {
            value,
            ty,
            added,
            subtracted,
        })
    }

    fn count(&self) -> u32 {
        (self.added.len() + self.subtracted.len()) as u32
    }

    /// Instructions a register of a product of lanes of so many bits, with a constant or not: as shifts and sums where these are fewer.
    pub fn instructions(func: &Function, args: [Value; 2], elem: Elem) -> u32 {
        let product = match elem {
            Elem::I8 => BYTE_PRODUCT,
            Elem::I16 => return 1,
            _ => PRODUCT,
        };
        let factor = func.signed_constant(args[1]);
        let digits = factor.and_then(|factor| Digits::of_factor(args[0], Type::scalar(elem), factor));
        digits.map_or(product, |digits| digits.operations().min(product))
    }

    /// Shifts and sums, in instructions.
    fn operations(&self) -> u32 {
        let shifts = self.added.iter().chain(&self.subtracted).filter(|shift| **shift > 0).count();
        let shift = if self.ty.elem == Elem::I8 { BYTE_SHIFT } else { 1 };
        shifts as u32 * shift + self.count() - 1
    }

    /// Cycles that they keep the machine busy, less those that the product does, a register.
    pub fn surplus(&self, costs: &Costs) -> f32 {
        let product = match self.ty.elem {
            Elem::I64 => costs.vector_long_multiplication,
            Elem::I32 => costs.vector_multiplication,
            _ => BYTE_PRODUCT as f32 * costs.integer_vector,
        };
        self.operations() as f32 * costs.integer_vector - product
    }

    /// Cycles until the result is there, by way of a tree.
    pub fn latency(&self, latencies: &Latencies) -> u32 {
        let levels = |count: usize| count.next_power_of_two().trailing_zeros();
        let differences = u32::from(!self.subtracted.is_empty());
        let sums = levels(self.added.len()).max(levels(self.subtracted.len()));
        latencies.simple * (1 + sums + differences)
    }
}
