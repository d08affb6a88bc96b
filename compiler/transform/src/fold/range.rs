//! Whether the lanes of a vector lie between two constants: one comparison for two.
//!
//! ```c
//! c >= 'a' && c <= 'z'    // (uchar)(c - 'a') <= 25
//! c < 'a' || c > 'z'      // (uchar)(c - 'a') > 25
//! ```
//!
//! (H. S. Warren, Hacker's Delight, 2nd edition, 4-1.) Scalars are left as they are, since passes over work-items know bounds by their comparisons.

use super::{Folder, Step};
use ir::*;

/// The numbers from `first` to `first + span`, modulo two to the width of their type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Range {
    first: u64,
    span: u64,
}

impl Range {
    /// Those of which a comparison with a constant holds, unless it holds of all or of none.
    fn of(cc: IntCc, elem: Elem, constant: u64) -> Option<Range> {
        use IntCc::*;
        let ones = elem.bit_mask();
        let (smallest, largest) = match cc {
            Slt | Sle | Sgt | Sge => (ones ^ (ones >> 1), ones >> 1),
            _ => (0, ones),
        };
        let before = constant.wrapping_sub(1) & ones;
        let behind = constant.wrapping_add(1) & ones;
        let (first, last) = match cc {
            Slt | Ult => (smallest, before),
            Sle | Ule => (smallest, constant),
            Sgt | Ugt => (behind, largest),
            Sge | Uge => (constant, largest),
            Eq => (constant, constant),
            Ne => (behind, before),
        };
        let is_some = match cc {
            Slt | Ult => constant != smallest,
            Sgt | Ugt => constant != largest,
            _ => true,
        };
        let span = last.wrapping_sub(first) & ones;
        (is_some && span != ones).then_some(Range { first, span })
    }

    /// The numbers that both have, if they follow one another.
    fn and(self, other: Range, elem: Elem) -> Option<Range> {
        let ones = elem.bit_mask();
        // Counted from the first one's first.
        let from = other.first.wrapping_sub(self.first) & ones;
        let end = from.wrapping_add(other.span) & ones;
        let (first, last) = match from <= end {
            true if from <= self.span => (from, end.min(self.span)),
            // The other one wraps.
            false if from > self.span => (0, end.min(self.span)),
            _ => return None,
        };
        Some(Range {
            first: self.first.wrapping_add(first) & ones,
            span: last - first,
        })
    }

    /// The comparison with a constant that holds of them; with `true`, of what they are behind the first.
    fn comparison(self, elem: Elem) -> (bool, IntCc, u64) {
        let ones = elem.bit_mask();
        let (largest, smallest) = (ones >> 1, ones ^ (ones >> 1));
        let last = self.first.wrapping_add(self.span) & ones;
        match (self.first, last) {
            (first, last) if first == last => (false, IntCc::Eq, first),
            (0, last) => (false, IntCc::Ule, last),
            (first, _) if first == smallest => (false, IntCc::Sle, last),
            (first, last) if last == ones => (false, IntCc::Uge, first),
            (first, last) if last == largest => (false, IntCc::Sge, first),
            _ => (true, IntCc::Ule, self.span),
        }
    }
}

impl Folder<'_> {
    /// Two comparisons of one vector with constants, both or one of which must hold.
    pub(super) fn in_range(&mut self, op: BinaryOp, a: Value, b: Value) -> Step {
        let compared = |value: Value| match self.data(value) {
            Some(&InstData::IntCompare { cc, args: [x, y] }) => Some((cc, x, self.bits(y)?)),
            _ => None,
        };
        let (Some((first, x, c)), Some((second, y, d))) = (compared(a), compared(b)) else {
            return Step::Keep;
        };
        let ty = self.ty(x);
        if x != y || !ty.is_vector() {
            return Step::Keep;
        }
        // One holds where not both opposites do.
        let is_or = op == BinaryOp::Or;
        let [first, second] = [first, second].map(|cc| if is_or { cc.inverted() } else { cc });
        let ranges = Range::of(first, ty.elem, c).zip(Range::of(second, ty.elem, d));
        let Some(range) = ranges.and_then(|(first, second)| first.and(second, ty.elem)) else {
            return Step::Keep;
        };
        let (moved, cc, constant) = range.comparison(ty.elem);
        let mut from_first = x;
        if moved {
            let args = [x, self.constant(ty, range.first.wrapping_neg())];
            from_first = self.emit(InstData::Binary { op: BinaryOp::Add, args });
        }
        let args = [from_first, self.constant(ty, constant)];
        let cc = if is_or { cc.inverted() } else { cc };
        Step::Data(InstData::IntCompare { cc, args }, Flags::empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_hold_what_comparisons_do() {
        let elem = Elem::I8;
        let constants = [0u64, 1, 5, 126, 127, 128, 129, 200, 254, 255];
        use IntCc::*;
        let ccs = [Eq, Ne, Slt, Sle, Sgt, Sge, Ult, Ule, Ugt, Uge];
        let holds = |cc: IntCc, x: u64, c: u64| eval::int_compare(cc, elem, x, c);
        for (&first, c) in ccs.iter().flat_map(|cc| constants.map(|c| (cc, c))) {
            for (&second, d) in ccs.iter().flat_map(|cc| constants.map(|d| (cc, d))) {
                let ranges = Range::of(first, elem, c).zip(Range::of(second, elem, d));
                let Some(range) = ranges.and_then(|(a, b)| a.and(b, elem)) else {
                    continue;
                };
                for x in 0..256u64 {
                    let (moved, cc, constant) = range.comparison(elem);
                    let is_in = holds(cc, if moved { x.wrapping_sub(range.first) & 255 } else { x }, constant);
                    assert_eq!(
                        is_in,
                        holds(first, x, c) && holds(second, x, d),
                        "{x} {first:?} {c}, {second:?} {d}"
                    );
                }
            }
        }
    }
}
