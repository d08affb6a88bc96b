//! Remainders of divisions. They are exact: a quotient that is not too large is wrong by one at most after rounding, and then a fused
//! multiply-add has no rounding error in x - n y. Where quotients are larger, C's mathematics library is asked.

use super::super::expression::Expr;
use crate::ir::{Elem, Runtime};

/// Quotients below this have bits for halves.
fn limit(x: Expr) -> f64 {
    x.by_format(f64::exp2(22.0), f64::exp2(51.0))
}

/// What is left of x without the whole y in it.
pub fn fmod<'a>(x: Expr<'a>, y: Expr<'a>) -> Expr<'a> {
    let (size, divisor) = (x.abs(), y.abs());
    let quotient = size / divisor;
    let rest = (-quotient.trunc()).fma(divisor, size);
    // The quotient has been rounded up to a whole number.
    let rest = rest.lt(0.0).select(rest + divisor, rest);
    let large = !quotient.lt(limit(x)) | divisor.equals(f64::INFINITY);
    let routine = x.by_format(Runtime::FmodF32, Runtime::FmodF64);
    large.slowly(|| [x.call(routine, &[y])], [rest.with_sign_of(x)])[0]
}

/// What x is more or less than the nearest whole number of y, the even one of two.
pub fn remainder<'a>(x: Expr<'a>, y: Expr<'a>) -> Expr<'a> {
    let (size, divisor) = (x.abs(), y.abs());
    let quotient = size / divisor;
    let rest = (-quotient.nearest()).fma(divisor, size);
    // The quotient has been rounded to the middle of two whole numbers, and then to the farther one. (An exact middle is not rounded.)
    let far = (rest.abs() + rest.abs()).gt(divisor);
    let rest = far.select(rest - divisor.with_sign_of(rest), rest);
    let value = (rest.bits() ^ (x.bits() & x.sign_bit())).float();
    let value = rest.equals(0.0).select(rest.with_sign_of(x), value);
    let large = !quotient.lt(limit(x)) | divisor.equals(f64::INFINITY);
    let slow = || [x.to(Elem::F64).call(Runtime::RemainderF64, &[y.to(Elem::F64)]).to(x.elem())];
    large.slowly(slow, [value])[0]
}
