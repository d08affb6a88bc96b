//! Cube roots, and lengths of the sides of triangles.

use super::super::expression::Expr;
use super::parts::{POSITIVE, Table, is_outside, is_unusual, last_bits, limit, nearest_product, times_power};

/// x^(-1/3) on [1/3, 8/3]; 2^-8.4.
const INVERSE_CUBE_ROOT: [f64; 6] = [2.0555124, -2.58346, 2.6479142, -1.5045673, 0.4319295, -0.04885195];
/// ((1 - h)^(-2/3) - 1) / h for |h| up to 2^-6.8, by its Taylor series; 2^-28, 2^-56.
const CORRECTION: Table = Table {
    single: &[2.0 / 3.0, 5.0 / 9.0, 40.0 / 81.0],
    double: &[
        2.0 / 3.0,
        5.0 / 9.0,
        40.0 / 81.0,
        110.0 / 243.0,
        308.0 / 729.0,
        2618.0 / 6561.0,
        52360.0 / 137_781.0,
    ],
};

/// What half of a double's bits is taken from for the bits of its inverse root, which is wrong by less than 0.035.
const INVERSE_ROOT: i64 = 0x5fe6_eb50_c7b5_37a9;

/// 1 / sqrt(x) of a double, for machines that are long about roots.
pub fn rsqrt<'a>(x: Expr<'a>) -> Expr<'a> {
    let guess = (x.bits().zero().plus(INVERSE_ROOT) - (x.bits() >> 1)).float();
    // y (1 + e/2 + 3/8 e^2 + 5/16 e^3) for e = 1 - x y^2: 17 bits, then all.
    let refined = |y: Expr<'a>| {
        let error = (-(x * y)).fma(y, 1.0);
        let series = error.fma(5.0 / 16.0, x.number(3.0 / 8.0)).fma(error, 0.5);
        (y * error).fma(series, y)
    };
    let [value] = is_unusual(x).slowly(|| [1.0 / x.sqrt()], [refined(refined(guess))]);
    value
}

/// The cube root.
pub fn cbrt<'a>(x: Expr<'a>) -> Expr<'a> {
    let size = x.abs();
    let limit = limit(x, 2.0 / 3.0);
    let exponent = size.exponent(limit, POSITIVE);
    // |x| = 8^third * m, with m from 1/3 to 8/3.
    let [third, third_last] = nearest_product(exponent, 1.0 / 3.0);
    let m = times_power(size.fraction(limit, POSITIVE), last_bits(third.fma(-3.0, exponent)));
    let guess = m.polynomial(&INVERSE_CUBE_ROOT);
    // With h = 1 - m guess^3, the root is m guess^2 (1 - h)^(-2/3). A third is left of what is lost in m guess^2, since h has it, too.
    let rough = guess * guess * m;
    let h = (-rough).fma(guess, 1.0);
    let root = (rough * h).fma(CORRECTION.at(h), rough);
    let value = times_power(root, third_last);
    // 0, infinities and NaNs give themselves.
    let proper = size.gt(0.0) & size.lt(f64::INFINITY);
    proper.select(value.with_sign_of(x), x)
}

/// The square root of the sum of squares: infinite where a side is, even if the other one is a NaN.
pub fn hypot<'a>(x: Expr<'a>, y: Expr<'a>) -> Expr<'a> {
    let sum = x.fma(x, y * y);
    // Where squares overflow, or lose bits that count; zeros do not.
    let [low, high] = x.by_format([-100.0, 126.0], [-960.0, 1020.0]);
    let some = !(x.bits() | y.bits()).lacks(x.sign_bit() - 1);
    let [value] = (some & is_outside(sum, [low, high].map(f64::exp2))).slowly(|| [hypot_of_any(x.abs(), y.abs())], [sum.rough_sqrt()]);
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
