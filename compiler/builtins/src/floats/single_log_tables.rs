//! Logarithms of floats by tables, for powers, where the machine looks up sixteen of them in registers and takes numbers apart.
//!
//! The first four bits of a fraction m from 1 to 2 choose a number c with few bits that is near 1 / m. Then z = m c - 1 is exact and less than 1/16, so that a
//! short polynomial in floats is right to a few bits more than these have. Next to 1, from either side, nothing cancels.

use super::super::expression::Expr;
use super::parts::{LOG2_E, fraction_bits, split};
use super::power::Pair;
use ir::Flags;

/// c
const INVERSE: [f64; 16] = [
    1.0, 0.90625, 0.875, 0.8125, 0.78125, 0.75, 0.71875, 0.6875, 0.65625, 0.625, 0.609375, 0.578125, 0.5625, 0.546875, 0.53125, 0.5,
];
/// -log2(c), with 14 bits behind the point.
const HIGH: [f64; 16] = [
    0.0,
    0.14202880859375,
    0.192626953125,
    0.299560546875,
    0.35614013671875,
    0.4150390625,
    0.4764404296875,
    0.54058837890625,
    0.607666015625,
    0.6781005859375,
    0.714599609375,
    0.79052734375,
    0.830078125,
    0.8707275390625,
    0.91253662109375,
    1.0,
];
/// What that lacks.
const LOW: [f64; 16] = [
    0.0,
    -9.8037217e-06,
    1.81248179e-05,
    -2.65016098e-07,
    3.67350663e-06,
    -1.56322119e-06,
    -2.38574444e-06,
    -1.99975439e-05,
    1.65615966e-05,
    -2.86808245e-05,
    -1.82823726e-06,
    1.92906209e-05,
    -3.12644238e-06,
    -1.05560075e-05,
    5.37655922e-07,
    0.0,
];
/// (log2(1 + z) - z log2(e)) / z^2; 2^-28 of the logarithm.
const BEYOND: [f64; 4] = [-0.7213474, 0.48091534, -0.36102906, 0.2754477];

/// Logarithms of this format are looked up so.
pub fn is_tabled(x: Expr) -> bool {
    !x.is_double() && x.has_tables() && x.has_powers()
}

/// log2, to about 2^-27 of it.
pub fn precise_log2<'a>(x: Expr<'a>, numbers: Flags) -> Pair<'a> {
    let parts = split(x, 1.0, numbers);
    let first_bits = parts.fraction.bits() >> (fraction_bits(x) - 4);
    let [inverse, high, low] = [&INVERSE, &HIGH, &LOW].map(|table| first_bits.entry(table));
    let z = parts.fraction.fma(inverse, x.number(-1.0));
    // Exactly, for there are no more than eight bits before the point.
    let whole = parts.exponent + high;
    let linear = z * LOG2_E.number;
    let linear_rest = z.fma(LOG2_E.number, -linear);
    let low = (z * z).fma(z.polynomial(&BEYOND), z.fma(LOG2_E.rest(z), low));
    let sum = Pair::sum(whole, linear);
    // Beside the linear term the other ones are more than its last bit; but far less than 1. Infinite logarithms stay so.
    let low = (low + linear_rest + sum.low).number_at_most(1.0);
    Pair::sum(sum.high, low)
}
