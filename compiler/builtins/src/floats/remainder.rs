//! Remainders of divisions. They are exact: a quotient that is not too large is wrong by one at most after rounding, and then a fused
//! multiply-add has no rounding error in x - n y. Where quotients are larger, C's mathematics library is asked.

use super::super::expression::Expr;
use ir::{Elem, Runtime};

/// What quotients are made greater by, by more than one that may be approximate is too small.
const GREATER: f64 = 1.0 + f64::EPSILON * 8.0;
/// Such quotients below this are less than one more than they ought to be.
const FEW: f64 = 140_737_488_355_328.0;

/// Quotients below this have bits for halves.
fn limit(x: Expr) -> f64 {
    x.by_format(f64::exp2(22.0), f64::exp2(51.0))
}

/// What is left of x without the whole y in it.
pub fn fmod<'a>(x: Expr<'a>, y: Expr<'a>) -> Expr<'a> {
    let (size, divisor) = (x.abs(), y.abs());
    // Under AVX-512 a unit is busy with quotients of doubles for longer than others are with approximate ones and all else.
    let (quotient, most) = match x.is_double() && x.has_powers() {
        true => ((size * GREATER).rough_over(divisor), FEW),
        false => (size / divisor, limit(x)),
    };
    let rest = (-quotient.trunc()).fma(divisor, size);
    // The quotient has been rounded up to a whole number, or made greater than one.
    let rest = rest.lt(0.0).select(rest + divisor, rest);
    // The inverse of a great divisor is not a normal number.
    let large = !(quotient.lt(most) & divisor.lt(x.by_format(f64::exp2(125.0), f64::exp2(1020.0))));
    let routine = x.by_format(Runtime::FmodF32, Runtime::FmodF64);
    large.slowly(|| [x.call(routine, &[y])], [rest.signed_as(x)])[0]
}

/// What x is more or less than the nearest whole number of y, the even one of two.
pub fn remainder<'a>(x: Expr<'a>, y: Expr<'a>) -> Expr<'a> {
    let Nearest { rest, large, .. } = Nearest::new(x, y);
    let slow = || [x.to(Elem::F64).call(Runtime::RemainderF64, &[y.to(Elem::F64)]).to(x.elem())];
    large.slowly(slow, [rest])[0]
}

/// The remainder, and the last seven bits of that whole number with its sign, as an `i32`.
pub fn remquo<'a>(x: Expr<'a>, y: Expr<'a>) -> [Expr<'a>; 2] {
    let (elem, Nearest { rest, quotient, large }) = (x.elem(), Nearest::new(x, y));
    let slow = || {
        let (x, y) = (x.to(Elem::F64), y.to(Elem::F64));
        let rest = x.call(Runtime::RemainderF64, &[y]);
        // |x| modulo 128 |y| has the same last bits of the quotient; both are made smaller first where 128 |y| would overflow.
        let scale = y.abs().ge(f64::exp2(996.0)).number_or(f64::exp2(-64.0), y.number(1.0));
        let (size, divisor) = (x.abs() * scale, y.abs() * scale);
        let period = size.call(Runtime::FmodF64, &[divisor * 128.0]);
        let near = size.call(Runtime::RemainderF64, &[divisor]);
        // Where the remainder is a NaN the quotient is unspecified; 0 is what people expect.
        let quotient = rest.unordered(rest).number_or(0.0, ((period - near) / divisor).nearest());
        [rest.to(elem), last_seven(quotient, x, y)]
    };
    large.slowly(slow, [rest, last_seven(quotient, x, y)])
}

/// A whole number's last seven bits, with the sign of a quotient.
fn last_seven<'a>(whole: Expr<'a>, x: Expr<'a>, y: Expr<'a>) -> Expr<'a> {
    let seven = (whole * (1.0 / 128.0)).floor().fma(-128.0, whole);
    let negative = ((x.bits() ^ y.bits()) & x.sign_bit()).float();
    seven.with_sign_of(negative).small_int()
}

/// A quotient that is no larger than [`limit`], and what is left.
struct Nearest<'a> {
    /// x less the whole number of y.
    rest: Expr<'a>,
    /// The magnitude of that whole number.
    quotient: Expr<'a>,
    /// It is larger: nothing of this is right.
    large: Expr<'a>,
}

impl<'a> Nearest<'a> {
    fn new(x: Expr<'a>, y: Expr<'a>) -> Nearest<'a> {
        let (size, divisor) = (x.abs(), y.abs());
        let quotient = size / divisor;
        let large = !quotient.lt(limit(x)) | divisor.equals(f64::INFINITY);
        let whole = quotient.nearest();
        let rest = (-whole).fma(divisor, size);
        // The quotient has been rounded to the middle of two whole numbers, and then to the farther one. (An exact middle is not rounded.)
        let far = (rest.abs() + rest.abs()).gt(divisor);
        let whole = far.select(whole + x.number(1.0).with_sign_of(rest), whole);
        let rest = far.select(rest - divisor.with_sign_of(rest), rest);
        let value = (rest.bits() ^ (x.bits() & x.sign_bit())).float();
        Nearest {
            rest: rest.equals(0.0).select(rest.with_sign_of(x), value),
            quotient: whole,
            large,
        }
    }
}
