//! Logarithms of halfs.

use crate::expression::Expr;
use crate::floats::parts::NORMAL;
use std::f64::consts::{LN_2, LOG10_2};

/// log2(1 + x) / x on [-1/4, 1/2]; 2^-17.
const LOG2: [f64; 6] = [1.4426913, -0.72117126, 0.48125017, -0.3695196, 0.29511082, -0.15220943];

/// log2(x)
pub fn log2<'a>(x: Expr<'a>) -> Expr<'a> {
    let [exponent, fraction] = parts(x);
    log2_of_parts(exponent, fraction - 1.0)
}

/// ln(x)
pub fn log<'a>(x: Expr<'a>) -> Expr<'a> {
    log2(x) * LN_2
}

/// log10(x)
pub fn log10<'a>(x: Expr<'a>) -> Expr<'a> {
    log2(x) * LOG10_2
}

/// ln(1 + x)
pub fn log1p<'a>(x: Expr<'a>) -> Expr<'a> {
    let [exponent, fraction] = parts(x + 1.0);
    // Where the exponent is 0, the sum may have lost what counts.
    let rest = x.abs().lt(0.25).select(x, fraction - 1.0);
    // The sign is that of zeros, too.
    (log2_of_parts(exponent, rest) * LN_2).with_sign_of(x)
}

/// A number's exponent, and its fraction from 3/4 to 3/2, which the machine may have without a comparison. Of negative numbers the latter is a NaN.
fn parts<'a>(x: Expr<'a>) -> [Expr<'a>; 2] {
    // From 3/2 on, this product is at least 2. It does not overflow.
    let exponent = (x * (4.0 / 3.0)).exponent(2.0, NORMAL);
    [exponent, x.fraction(1.5, NORMAL)]
}

fn log2_of_parts<'a>(exponent: Expr<'a>, rest: Expr<'a>) -> Expr<'a> {
    rest.fma(rest.polynomial(&LOG2), exponent)
}
