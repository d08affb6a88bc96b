//! The inverse hyperbolic tangent of doubles by tables, where the machine looks up sixteen of them in registers: half of the logarithm of the ratio
//! (1 + x) / (1 - x).
//!
//! With a number c of five bits that is near the ratio, it is half of ln(c), which is looked up, and the inverse tangent of ((1 + x) - c (1 - x)) / ((1 + x) + c
//! (1 - x)), which takes a short polynomial. Around 0, c is 1, and nothing cancels.

use super::super::expression::Expr;
use super::parts::{NORMAL, POSITIVE, fraction_bits};

/// (atanh(x) - x) / x^3 on [0, 0.0162], in x^2; 2^-57.5 of the whole.
const ATANH: [f64; 3] = [0.333333333333702, 0.19999999147524186, 0.14291317262878553];
/// Half of ln(2), with 40 bits behind the point, and the rest.
const HALF_LN_2: [f64; 2] = [0.34657359028005885, -8.619722262807417e-14];
/// Half of ln(1 + k / 16), with 40 bits behind the point.
const HIGH: [f64; 16] = [
    0.0,
    0.03031231090790243,
    0.058891517827760254,
    0.08592512846371392,
    0.11157177565746679,
    0.13596685774155048,
    0.1592268655595035,
    0.1814527468450251,
    0.20273255405390955,
    0.22314355131402408,
    0.2427539078908012,
    0.2616240718825793,
    0.2798078939676998,
    0.29735355387310847,
    0.31430432971137634,
    0.33069924112260196,
];
/// What that lacks.
const LOW: [f64; 16] = [
    0.0,
    3.1499240996916557e-13,
    4.314737021484719e-13,
    -3.8430671120090843e-13,
    -3.6190949608748405e-13,
    2.7039520930727575e-13,
    -2.3618639109931837e-13,
    -3.4087697031626636e-13,
    1.7263823976019885e-13,
    1.856757095979601e-13,
    4.9202326391163135e-14,
    -3.053827598642575e-13,
    1.1559746919002689e-14,
    2.379276700221532e-13,
    -1.892712563272852e-13,
    8.054287876966229e-14,
];

/// Of x from 0 to [`LARGEST`].
pub fn atanh<'a>(x: Expr<'a>) -> Expr<'a> {
    let (above, below) = (x + 1.0, 1.0 - x);
    // The nearest number with four bits behind the first.
    let by = fraction_bits(x) - 4;
    let bits = above.short_over(below).bits().plus(1 << (by - 1)) & (u64::MAX << by);
    let c = bits.float();
    // Both are exact, so that this is rounded once.
    let difference = x.fma(c + 1.0, 1.0 - c);
    let s = difference / c.fma(below, above);
    let exponent = c.exponent(2.0, POSITIVE | NORMAL);
    let number = bits >> by;
    let high = exponent.fma(HALF_LN_2[0], number.entry(&HIGH));
    let low = exponent.fma(HALF_LN_2[1], number.entry(&LOW));
    let square = s * s;
    high + (s + (square * s).fma(square.polynomial(&ATANH), low))
}

/// Beyond, c and 1 have a sum that is no double.
pub const LARGEST: f64 = 1.0 - f64::EPSILON * 4.0;
