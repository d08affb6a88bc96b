//! Comparisons.

use super::{Folder, Step, binary, unary};
use ir::eval;
use ir::*;

impl Folder<'_> {
    pub(super) fn int_compare(&mut self, cc: IntCc, [a, b]: [Value; 2]) -> Step {
        let ty = self.ty(a);
        let elem = ty.elem;
        if a == b {
            return Step::Bits(u64::from(eval::int_compare(cc, elem, 0, 0)));
        }
        let compare = |cc, a, b| Step::Data(InstData::IntCompare { cc, args: [a, b] }, Flags::empty());
        match (self.bits(a), self.bits(b)) {
            (Some(x), Some(y)) => Step::Bits(u64::from(eval::int_compare(cc, elem, x, y))),
            (Some(_), None) => compare(cc.swapped(), b, a),
            (None, Some(y)) => self.compare_with(cc, a, y),
            (None, None) if ty.elem != Elem::Mask && self.are_choices(a, b) => self.compare_choices(cc, a, b),
            (None, None) => match (self.extended(a), self.extended(b)) {
                (Some((op, x)), Some((other, y))) if op == other && self.ty(x).elem == self.ty(y).elem => {
                    let cc = if op == ConvertOp::ZExt { cc.without_sign() } else { cc };
                    let [x, y] = [x, y].map(|value| self.in_lanes(value, ty.lanes));
                    compare(cc, x, y)
                }
                _ => Step::Keep,
            },
        }
    }

    /// What an integer is extended from; one that is the same in all lanes may be a scalar.
    fn extended(&self, value: Value) -> Option<(ConvertOp, Value)> {
        match *self.data(value)? {
            InstData::Convert {
                op: op @ (ConvertOp::SExt | ConvertOp::ZExt),
                arg,
                ..
            } => Some((op, arg)),
            InstData::Lane {
                op: LaneOp::Splat,
                ref args,
                ..
            } => self.extended(args[0]),
            _ => None,
        }
    }

    fn in_lanes(&mut self, value: Value, lanes: u16) -> Value {
        let ty = self.ty(value);
        if ty.lanes == lanes {
            return value;
        }
        self.emit(InstData::Lane {
            op: LaneOp::Splat,
            ty: ty.with_lanes(lanes),
            args: ValueList::from_slice(&[value]),
        })
    }

    fn are_choices(&self, a: Value, b: Value) -> bool {
        self.select_of_constants(a).is_some() && self.select_of_constants(b).is_some()
    }

    /// `(m ? p : q) cc (n ? r : s)` with constants: a function of `m` and `n`, as C's comparison of two truth values.
    fn compare_choices(&mut self, cc: IntCc, a: Value, b: Value) -> Step {
        let elem = self.ty(a).elem;
        let (Some((m, p, q)), Some((n, r, s))) = (self.select_of_constants(a), self.select_of_constants(b)) else {
            return Step::Keep;
        };
        let compare = |x, y| eval::int_compare(cc, elem, x, y);
        let masks = |cc| Step::Data(InstData::IntCompare { cc, args: [m, n] }, Flags::empty());
        match [compare(p, r), compare(p, s), compare(q, r), compare(q, s)] {
            [x, y, z, w] if x == y && y == z && z == w => Step::Bits(u64::from(x)),
            [x, y, z, w] if x == y && z == w => self.choose(m, self.ty(m), u64::from(x), u64::from(z)),
            [x, y, z, w] if x == z && y == w => self.choose(n, self.ty(n), u64::from(x), u64::from(y)),
            [true, false, false, true] => masks(IntCc::Eq),
            [false, true, true, false] => masks(IntCc::Ne),
            [true, false, false, false] => binary(BinaryOp::And, m, n),
            [true, true, true, false] => binary(BinaryOp::Or, m, n),
            [false, true, false, false] => {
                let not = self.not(n);
                binary(BinaryOp::And, m, not)
            }
            [false, false, true, false] => {
                let not = self.not(m);
                binary(BinaryOp::And, not, n)
            }
            [true, true, false, true] => {
                let not = self.not(n);
                binary(BinaryOp::Or, m, not)
            }
            [true, false, true, true] => {
                let not = self.not(m);
                binary(BinaryOp::Or, not, n)
            }
            [false, false, false, true] => self.not_of(BinaryOp::Or, m, n),
            [false, true, true, true] => self.not_of(BinaryOp::And, m, n),
            _ => Step::Keep,
        }
    }

    fn not_of(&mut self, op: BinaryOp, m: Value, n: Value) -> Step {
        let both = self.emit(InstData::Binary { op, args: [m, n] });
        unary(UnaryOp::Not, both)
    }

    /// `a cc y` with a constant.
    fn compare_with(&mut self, cc: IntCc, a: Value, y: u64) -> Step {
        use IntCc::*;
        let ty = self.ty(a);
        let (elem, ones) = (ty.elem, ty.elem.bit_mask());
        if elem == Elem::Mask {
            return match (cc == Eq) == (y != 0) {
                true => Step::Value(a),
                false => unary(UnaryOp::Not, a),
            };
        }
        match (cc, y) {
            (Ult, 0) => return Step::Bits(0),
            (Uge, 0) => return Step::Bits(1),
            (Ugt, _) if y == ones => return Step::Bits(0),
            (Ule, _) if y == ones => return Step::Bits(1),
            (Ult, 1) | (Ule, 0) => return self.compare_to(Eq, a, 0),
            (Uge, 1) | (Ugt, 0) => return self.compare_to(Ne, a, 0),
            _ => {}
        }
        if let Some((mask, p, q)) = self.select_of_constants(a) {
            let (p, q) = (eval::int_compare(cc, elem, p, y), eval::int_compare(cc, elem, q, y));
            return self.choose(mask, ty.as_mask(), u64::from(p), u64::from(q));
        }
        match self.data(a) {
            Some(&InstData::Convert {
                op: ConvertOp::MaskToInt,
                arg,
                ..
            }) => {
                let (p, q) = (eval::int_compare(cc, elem, ones, y), eval::int_compare(cc, elem, 0, y));
                self.choose(arg, ty.as_mask(), u64::from(p), u64::from(q))
            }
            Some(&InstData::Convert {
                op: op @ (ConvertOp::ZExt | ConvertOp::SExt),
                arg,
                ..
            }) => {
                // A constant that the narrow type has, too.
                let narrow = self.ty(arg).elem;
                let bits = y & narrow.bit_mask();
                if eval::convert(op, narrow, elem, Rounding::Nearest, bits) != y {
                    return Step::Keep;
                }
                self.compare_to(if op == ConvertOp::ZExt { cc.without_sign() } else { cc }, arg, bits)
            }
            Some(&InstData::Binary {
                op: BinaryOp::Add,
                args: [x, c],
            }) => {
                let Some(c) = self.bits(c) else { return Step::Keep };
                let (signed_y, signed_c) = (eval::signed(elem, y), eval::signed(elem, c));
                let limit = (ones >> 1) as i64;
                let difference = signed_y.checked_sub(signed_c).filter(|d| (-limit - 1..=limit).contains(d));
                match (cc, difference) {
                    (Eq | Ne, _) => self.compare_to(cc, x, y.wrapping_sub(c)),
                    (Slt | Sle | Sgt | Sge, Some(difference)) if self.flags(a).contains(Flags::NSW) => {
                        self.compare_to(cc, x, difference as u64)
                    }
                    _ => Step::Keep,
                }
            }
            _ => Step::Keep,
        }
    }

    fn compare_to(&mut self, cc: IntCc, a: Value, bits: u64) -> Step {
        let ty = self.ty(a);
        let args = [a, self.constant(ty, bits)];
        Step::Data(InstData::IntCompare { cc, args }, Flags::empty())
    }

    pub(super) fn float_compare(&mut self, cc: FloatCc, [a, b]: [Value; 2]) -> Step {
        match (self.bits(a), self.bits(b)) {
            (Some(x), Some(y)) => Step::Bits(u64::from(eval::float_compare(cc, self.ty(a).elem, x, y))),
            (None, Some(y)) => self.compare_bound(cc, a, y),
            (Some(x), None) => self.compare_bound(cc.swapped(), b, x),
            (None, None) => Step::Keep,
        }
    }
}
