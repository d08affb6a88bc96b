//! Cube roots, and lengths of the sides of triangles.

use super::super::expression::Expr;
use super::parts::{POSITIVE, power_of_two, split};

/// x^(-1/3) on [1/3, 8/3]; 2^-8.4.
const INVERSE_CUBE_ROOT: [f64; 6] = [2.0555124, -2.58346, 2.6479142, -1.5045673, 0.4319295, -0.04885195];

/// The cube root.
pub fn cbrt<'a>(x: Expr<'a>) -> Expr<'a> {
    let size = x.abs();
    let parts = split(size, 2.0 / 3.0, POSITIVE);
    // |x| = 8^third * m, with m from 1/3 to 8/3.
    let third = (parts.exponent * (1.0 / 3.0)).nearest();
    let m = (parts.rest + 1.0) * power_of_two(third.fma(-3.0, parts.exponent));
    let guess = m.polynomial(&INVERSE_CUBE_ROOT);
    // (1 - h)^(-1/3) = 1 + h/3 + 2 h^2/9 + 14 h^3/81 ... corrects the guess.
    let error = (-m * guess).fma(guess * guess, 1.0);
    let series = error.fma(14.0 / 81.0, 2.0 / 9.0).fma(error, 1.0 / 3.0) * error;
    let inverse = guess.fma(series, guess);
    // A step of Newton's method; what the square loses counts.
    let square = inverse * inverse;
    let root = m * square;
    let root_square = root * root;
    let lost = root.fma(root, -root_square);
    let excess = root.fma(lost, root.fma(root_square, -m));
    let root = (excess * square).fma(-1.0 / 3.0, root);
    let value = root * power_of_two(third);
    // 0, infinities and NaNs give themselves.
    let proper = size.gt(0.0) & size.lt(f64::INFINITY);
    proper.select(value.with_sign_of(x), x)
}

/// The square root of the sum of squares: infinite where a side is, even if the other one is a NaN.
pub fn hypot<'a>(x: Expr<'a>, y: Expr<'a>) -> Expr<'a> {
    let sum = x.fma(x, y * y);
    // Where squares overflow, or lose bits that count; zeros do not.
    let [low, high] = x.by_format([-100.0, 126.0], [-960.0, 1020.0]);
    let small = sum.lt(f64::exp2(low)) & (x.bits() | y.bits()).float().abs().gt(0.0);
    let [value] = (small | !sum.lt(f64::exp2(high))).slowly(|| [hypot_of_any(x.abs(), y.abs())], [sum.rough_sqrt()]);
    value
}

/// The same of magnitudes whose squares may be out of range.
fn hypot_of_any<'a>(a: Expr<'a>, b: Expr<'a>) -> Expr<'a> {
    let greater = a.gt(b);
    let (most, least) = (greater.select(a, b), greater.select(b, a));
    // Squares of both neither overflow nor vanish where they count.
    let [limit, up] = a.by_format([60.0, 100.0], [500.0, 600.0]).map(f64::exp2);
    let (great, tiny) = (most.gt(limit), most.lt(1.0 / limit));
    let by = |up: f64, down: f64| great.number_or(down, tiny.number_or(up, a.number(1.0)));
    let (factor, back) = (by(up, 1.0 / up), by(1.0 / up, up));
    let (most, least) = (most * factor, least * factor);
    let value = most.fma(most, least * least).sqrt() * back;
    let infinite = a.equals(f64::INFINITY) | b.equals(f64::INFINITY);
    infinite.number_or(f64::INFINITY, value)
}
