//! Arithmetic with two or three operands.

use super::{Folder, Step, binary, unary};
use crate::known_numbers::{stays_number, taking_second};
use ir::eval;
use ir::*;

impl Folder<'_> {
    pub(super) fn binary(&mut self, op: BinaryOp, [a, b]: [Value; 2], flags: Flags) -> Step {
        let elem = self.ty(a).elem;
        match (self.bits(a), self.bits(b)) {
            (Some(x), Some(y)) => Step::Bits(eval::binary(op, elem, x, y)),
            // Constants stand on the right.
            (Some(_), None) if op.is_commutative() => Step::Data(InstData::Binary { op, args: [b, a] }, flags),
            (x, y) if op.is_float() => self.float_binary(op, [a, b], [x, y], flags),
            (Some(x), None) => self.constant_on_the_left(op, x, b),
            (None, Some(y)) => match self.select_of_constants(a) {
                Some((mask, c, d)) => {
                    let ty = self.ty(a);
                    self.choose(mask, ty, eval::binary(op, elem, c, y), eval::binary(op, elem, d, y))
                }
                None => self.with_constant(op, a, y, flags),
            },
            (None, None) => self.without_constants(op, a, b),
        }
    }

    fn constant_on_the_left(&mut self, op: BinaryOp, x: u64, b: Value) -> Step {
        match op {
            BinaryOp::Sub if x == 0 => unary(UnaryOp::Neg, b),
            BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr | BinaryOp::USubSat if x == 0 => Step::Bits(0),
            _ => Step::Keep,
        }
    }

    fn without_constants(&mut self, op: BinaryOp, a: Value, b: Value) -> Step {
        use BinaryOp::*;
        if a == b {
            return match op {
                Sub | Xor | USubSat | SSubSat => Step::Bits(0),
                And | Or | UMin | UMax | SMin | SMax => Step::Value(a),
                _ => Step::Keep,
            };
        }
        match (op, self.data(a), self.data(b)) {
            // (x + y) - y, (x + y) - x
            (Sub, Some(&InstData::Binary { op: Add, args: [x, y] }), _) if y == b || x == b => Step::Value(if y == b { x } else { y }),
            // x + (y - x), (y - x) + x
            (Add, _, Some(&InstData::Binary { op: Sub, args: [y, x] })) if x == a => Step::Value(y),
            (Add, Some(&InstData::Binary { op: Sub, args: [y, x] }), _) if x == b => Step::Value(y),
            (Add, _, Some(&InstData::Unary { op: UnaryOp::Neg, arg })) => binary(Sub, a, arg),
            (Add, Some(&InstData::Unary { op: UnaryOp::Neg, arg }), _) => binary(Sub, b, arg),
            (Sub, _, Some(&InstData::Unary { op: UnaryOp::Neg, arg })) => binary(Add, a, arg),
            // Amounts are taken modulo the width anyway.
            (Shl | LShr | AShr | RotL | RotR, ..) if self.amount(b) != b => binary(op, a, self.amount(b)),
            (And | Or, ..) if self.ty(a).elem == Elem::Mask => self.in_range(op, a, b),
            _ => self.rotation(op, a, b),
        }
    }

    /// An integer or mask operation whose right operand has the bits `y`.
    fn with_constant(&mut self, op: BinaryOp, a: Value, y: u64, flags: Flags) -> Step {
        use BinaryOp::*;
        let ty = self.ty(a);
        let (elem, ones, width) = (ty.elem, ty.elem.bit_mask(), u64::from(ty.elem.bits()));
        let sign = ones ^ (ones >> 1);
        let inner = match self.data(a) {
            Some(&InstData::Binary { op, args: [x, c] }) => self.bits(c).map(|c| (op, x, c, self.flags(a))),
            _ => None,
        };
        match op {
            Add | Sub | Or | Xor | Shl | LShr | AShr | RotL | RotR | UAddSat | SAddSat | USubSat | SSubSat | UMax if y == 0 => {
                Step::Value(a)
            }
            Mul | And | UMin | UMulHi | SMulHi if y == 0 => Step::Bits(0),
            And | UMin if y == ones => Step::Value(a),
            Or | UMax if y == ones => Step::Bits(ones),
            Xor if y == ones => unary(UnaryOp::Not, a),
            SMin if y == sign => Step::Bits(sign),
            SMax if y == sign => Step::Value(a),
            SMin if y == ones >> 1 => Step::Value(a),
            SMax if y == ones >> 1 => Step::Bits(y),
            Mul | UDiv | SDiv if y == 1 => Step::Value(a),
            URem | SRem if y == 1 => Step::Bits(0),
            Mul if y == ones => unary(UnaryOp::Neg, a),
            // Subtraction of a constant is addition.
            Sub => {
                let flags = if y == sign { Flags::empty() } else { flags & Flags::NSW };
                let args = [a, self.constant(ty, y.wrapping_neg())];
                Step::Data(InstData::Binary { op: Add, args }, flags)
            }
            Add => match inner {
                Some((Add, x, c, inner_flags)) => {
                    let args = [x, self.constant(ty, y.wrapping_add(c))];
                    let flags = flags & inner_flags & both_added(elem, c, y);
                    Step::Data(InstData::Binary { op: Add, args }, flags)
                }
                _ => Step::Keep,
            },
            Mul if y.is_power_of_two() => {
                let shift = y.trailing_zeros();
                let flags = if y == sign {
                    flags & Flags::NUW
                } else {
                    flags & (Flags::NUW | Flags::NSW)
                };
                let args = [a, self.constant(ty, u64::from(shift))];
                Step::Data(InstData::Binary { op: Shl, args }, flags)
            }
            Mul => match inner {
                Some((Mul, x, c, _)) => {
                    let c = self.constant(ty, y.wrapping_mul(c));
                    binary(Mul, x, c)
                }
                _ => Step::Keep,
            },
            UDiv if y.is_power_of_two() => {
                let shift = self.constant(ty, u64::from(y.trailing_zeros()));
                binary(LShr, a, shift)
            }
            URem if y.is_power_of_two() => {
                let mask = self.constant(ty, y - 1);
                binary(And, a, mask)
            }
            SDiv if y.is_power_of_two() && y != sign => {
                let rounded = self.rounded_for_division(a, y.trailing_zeros());
                let shift = self.constant(ty, u64::from(y.trailing_zeros()));
                binary(AShr, rounded, shift)
            }
            SRem if y.is_power_of_two() && y != sign => {
                let rounded = self.rounded_for_division(a, y.trailing_zeros());
                let mask = self.constant(ty, y.wrapping_neg());
                let multiple = self.emit(InstData::Binary {
                    op: And,
                    args: [rounded, mask],
                });
                binary(Sub, a, multiple)
            }
            And | Or | Xor => match inner {
                Some((same, x, c, _)) if same == op => {
                    let c = self.constant(ty, eval::binary(op, elem, c, y));
                    binary(op, x, c)
                }
                _ => Step::Keep,
            },
            Shl | LShr | AShr | RotL | RotR if y >= width => {
                let amount = self.constant(ty, y % width);
                binary(op, a, amount)
            }
            Shl | LShr | AShr => match inner {
                Some((same, x, c, _)) if same == op && c < width => match (op, c + y) {
                    (_, sum) if sum < width => {
                        let amount = self.constant(ty, sum);
                        binary(op, x, amount)
                    }
                    (AShr, _) => {
                        let amount = self.constant(ty, width - 1);
                        binary(op, x, amount)
                    }
                    _ => Step::Bits(0),
                },
                // The bits that are shifted out and in again are cleared.
                Some((Shl, x, c, _)) if op == LShr && c == y => {
                    let mask = self.constant(ty, ones >> y);
                    binary(And, x, mask)
                }
                // The bits that come in again are what those that go out were.
                Some((Shl, x, c, _)) if op == AShr && c == y && self.has_signed_bits(x, width - y) => Step::Value(x),
                Some((LShr, x, c, _)) if op == Shl && c == y => {
                    let mask = self.constant(ty, ones << y);
                    binary(And, x, mask)
                }
                _ => Step::Keep,
            },
            _ => Step::Keep,
        }
    }

    /// The number is one of so many bits with a sign, by what it is made by.
    fn has_signed_bits(&self, value: Value, bits: u64) -> bool {
        match self.data(value) {
            Some(&InstData::Binary {
                op: BinaryOp::And,
                args: [_, kept],
            }) => self.bits(kept).is_some_and(|kept| kept >> (bits - 1) == 0),
            Some(&InstData::Convert { op, arg, .. }) => {
                let from = u64::from(self.ty(arg).elem.bits());
                op == ConvertOp::SExt && from <= bits || op == ConvertOp::ZExt && from < bits
            }
            _ => false,
        }
    }

    /// `a`, plus 2^shift - 1 where it is negative: then a shift to the right rounds toward zero.
    fn rounded_for_division(&mut self, a: Value, shift: u32) -> Value {
        let ty = self.ty(a);
        let width = ty.elem.bits();
        let mut with = |op, a, amount: u32| {
            let amount = self.constant(ty, u64::from(amount));
            self.emit(InstData::Binary { op, args: [a, amount] })
        };
        let sign = with(BinaryOp::AShr, a, width - 1);
        let bias = with(BinaryOp::LShr, sign, width - shift);
        self.emit(InstData::Binary {
            op: BinaryOp::Add,
            args: [a, bias],
        })
    }

    fn float_binary(&mut self, op: BinaryOp, [a, b]: [Value; 2], [x, y]: [Option<u64>; 2], flags: Flags) -> Step {
        use BinaryOp::*;
        let ty = self.ty(a);
        let elem = ty.elem;
        let (one, sign) = (one_bits(elem), elem.bit_mask() ^ (elem.bit_mask() >> 1));
        let keeping = |op, a, b| Step::Data(InstData::Binary { op, args: [a, b] }, flags);
        let no_signed_zeros = flags.contains(Flags::NSZ);
        let negated = |value: Value| match self.data(value) {
            Some(&InstData::Unary { op: UnaryOp::FNeg, arg }) => Some(arg),
            _ => None,
        };
        // Only a NaN makes the two kinds of minima and maxima differ, if it is the second operand.
        if let Some(op) = taking_second(op)
            && (flags.contains(Flags::NNAN) || self.is_number(b))
        {
            return keeping(op, a, b);
        }
        match (op, y) {
            // x + -0.0 is x for each x; x + 0.0 is not if x is -0.0.
            (FAdd, Some(y)) if y == sign || (y == 0 && no_signed_zeros) => return Step::Value(a),
            (FSub, Some(y)) if y == 0 || (y == sign && no_signed_zeros) => return Step::Value(a),
            (FMul | FDiv, Some(y)) if y == one => return Step::Value(a),
            (FMul | FDiv, Some(y)) if y == one | sign => return unary(UnaryOp::FNeg, a),
            (FMul, Some(y)) if y & !sign == 0 && flags.contains(Flags::NNAN | Flags::NSZ) => return Step::Bits(0),
            (FDiv, Some(y)) if flags.contains(Flags::ARCP) || has_exact_reciprocal(elem, y) => {
                let reciprocal = eval::binary(FDiv, elem, one, y);
                let by = self.constant(ty, reciprocal);
                return keeping(FMul, a, by);
            }
            _ => {}
        }
        match (op, x) {
            (FSub, Some(x)) if x == sign || (x == 0 && no_signed_zeros) => return unary(UnaryOp::FNeg, b),
            _ => {}
        }
        match (op, negated(a), negated(b)) {
            (FAdd, _, Some(b)) => keeping(FSub, a, b),
            (FAdd, Some(a), _) => keeping(FSub, b, a),
            (FSub, _, Some(b)) => keeping(FAdd, a, b),
            (FMul | FDiv, Some(a), Some(b)) => keeping(op, a, b),
            _ if op == FSub && a == b && flags.contains(Flags::NNAN | Flags::NINF) => Step::Bits(0),
            _ => Step::Keep,
        }
    }

    /// A float that cannot be a NaN.
    fn is_number(&self, value: Value) -> bool {
        let is_constant = |value| {
            let number = |bits| !eval::to_f64(self.ty(value).elem, bits).is_nan();
            self.bits(value).is_some_and(number)
        };
        is_constant(value) || self.data(value).is_some_and(|data| stays_number(self.func, data, is_constant))
    }

    pub(super) fn fma(&mut self, [a, b, c]: [Value; 3], flags: Flags) -> Step {
        let elem = self.ty(a).elem;
        let sign = elem.bit_mask() ^ (elem.bit_mask() >> 1);
        match (self.bits(a), self.bits(b), self.bits(c)) {
            (Some(x), Some(y), Some(z)) => Step::Bits(eval::fma(elem, x, y, z)),
            (Some(_), None, _) => Step::Data(InstData::Fma { args: [b, a, c] }, flags),
            (_, Some(y), _) if y == one_bits(elem) => {
                let args = [a, c];
                Step::Data(InstData::Binary { op: BinaryOp::FAdd, args }, flags)
            }
            (_, _, Some(z)) if z == sign || (z == 0 && flags.contains(Flags::NSZ)) => {
                let args = [a, b];
                Step::Data(InstData::Binary { op: BinaryOp::FMul, args }, flags)
            }
            _ => Step::Keep,
        }
    }
}

/// What `(x + c) + y` keeps of its flags as `x + (c + y)`.
fn both_added(elem: Elem, c: u64, y: u64) -> Flags {
    let mut flags = Flags::empty();
    let limit = (elem.bit_mask() >> 1) as i64;
    let (signed_c, signed_y) = (eval::signed(elem, c), eval::signed(elem, y));
    let fits = signed_c
        .checked_add(signed_y)
        .is_some_and(|sum| (-limit - 1..=limit).contains(&sum));
    if fits && (signed_c < 0) == (signed_y < 0) {
        flags |= Flags::NSW;
    }
    if c.checked_add(y).is_some_and(|sum| sum <= elem.bit_mask()) {
        flags |= Flags::NUW;
    }
    flags
}

/// A power of two whose reciprocal is a normal number, too: dividing and multiplying round the same way.
fn has_exact_reciprocal(elem: Elem, bits: u64) -> bool {
    let value = eval::to_f64(elem, bits);
    let reciprocal = eval::binary(BinaryOp::FDiv, elem, one_bits(elem), bits);
    let fraction = |bits: u64| f64::to_bits(eval::to_f64(elem, bits)) << 12;
    let least_normal = infinity_bits(elem) & !(infinity_bits(elem) << 1);
    let magnitude = reciprocal & (elem.bit_mask() >> 1);
    value != 0.0
        && value.is_finite()
        && fraction(bits) == 0
        && fraction(reciprocal) == 0
        && (least_normal..infinity_bits(elem)).contains(&magnitude)
}
