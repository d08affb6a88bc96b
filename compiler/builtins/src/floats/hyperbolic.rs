//! Hyperbolic functions and their inverses, from exponential functions and logarithms.

use super::super::expression::Expr;
use super::exponential::{exp_parts, moderate_expm1};
use super::logarithm::{log1p, log1p_or_doubled};
use super::parts::{Table, scale};

/// (sinh(x) - x) / x^3 on [0, 1], in x^2; 2^-31.6, 2^-61.8 of the function.
const SINH: Table = Table {
    single: &[0.16666667, 0.0083333105, 0.00019842894, 2.782237e-06],
    double: &[
        0.16666666666666669,
        0.008333333333332912,
        0.00019841269841593508,
        2.755731910666269e-06,
        2.5052131027452838e-08,
        1.605665564977083e-10,
        7.776750097161132e-13,
    ],
};

/// e^|x| / 2 and e^-|x| / 2.
fn halves<'a>(size: Expr<'a>) -> [Expr<'a>; 2] {
    let [value, whole] = exp_parts(size);
    // Halved before it is scaled, for e^x overflows first.
    let rising = scale(value, whole - 1.0);
    [rising, 0.25 / rising]
}

/// The hyperbolic sine.
pub fn sinh<'a>(x: Expr<'a>) -> Expr<'a> {
    let size = x.abs();
    let square = x * x;
    let small = (square * size).fma(SINH.at(square), size);
    let [rising, falling] = halves(size);
    size.lt(1.0).select(small, rising - falling).with_sign_of(x)
}

/// The hyperbolic cosine.
pub fn cosh<'a>(x: Expr<'a>) -> Expr<'a> {
    let [rising, falling] = halves(x.abs());
    rising + falling
}

/// The hyperbolic tangent.
pub fn tanh<'a>(x: Expr<'a>) -> Expr<'a> {
    // From here on it is 1.
    let size = x.abs().at_most(x.by_format(10.0, 20.0));
    let value = moderate_expm1(size + size);
    (value / (value + 2.0)).with_sign_of(x)
}

/// Numbers whose squares do not count beside 1, and do not overflow.
fn great(x: Expr) -> f64 {
    x.by_format(1e8, 1e16)
}

/// A square root that something is added to. Units that take roots of doubles are busy for longer than the rest of these functions takes.
fn root_in_sum<'a>(x: Expr<'a>) -> Expr<'a> {
    if x.is_double() { x.rough_sqrt() } else { x.sqrt() }
}

/// The inverse hyperbolic sine.
pub fn asinh<'a>(x: Expr<'a>) -> Expr<'a> {
    let size = x.abs();
    let is_great = size.gt(great(x));
    let square = x * x;
    let small = size + square.over(root_in_sum(square + 1.0) + 1.0);
    logarithm(size, is_great, small).with_sign_of(x)
}

/// The inverse hyperbolic cosine.
pub fn acosh<'a>(x: Expr<'a>) -> Expr<'a> {
    let is_great = x.gt(great(x));
    let above = x - 1.0;
    let small = above + root_in_sum(above.fma(above, above + above));
    let value = logarithm(x, is_great, small);
    x.lt(1.0).number_or(f64::NAN, value)
}

/// ln(2 size) where that is great, else ln(1 + small).
fn logarithm<'a>(size: Expr<'a>, is_great: Expr<'a>, small: Expr<'a>) -> Expr<'a> {
    let value = log1p_or_doubled(small, is_great, size);
    // Infinities and NaNs give themselves.
    size.lt(f64::INFINITY).select(value, size)
}

/// The inverse hyperbolic tangent.
pub fn atanh<'a>(x: Expr<'a>) -> Expr<'a> {
    let size = x.abs();
    (log1p((size + size).over(1.0 - size)) * 0.5).with_sign_of(x)
}
