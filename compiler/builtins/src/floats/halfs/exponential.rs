//! Exponential functions of halfs, and the error function.

use crate::expression::Expr;
use crate::floats::exponential::exp2_by_fraction;
use crate::floats::parts::{bias, fraction_bits, ones};
use std::f64::consts::{LOG2_10, LOG2_E};

/// 2^x on [-0.5, 0.5]; 2^-18.6.
const EXP2: [f64; 5] = [0.9999993, 0.6931219, 0.24024725, 0.0559174, 0.009570474];
/// 2^x on [0, 1]; 2^-18.6.
const EXP2_OF_FRACTION: [f64; 5] = [1.0000026, 0.69300365, 0.2414429, 0.052011825, 0.013533757];
/// (2^x - 1) / x on [-0.5, 0.5]; 2^-16.
const EXP2M1: [f64; 4] = [0.6931369, 0.24023253, 0.055837218, 0.009618077];
/// erf(x) / x on [0, 2.63], in x^2; 2^-15.2.
const ERF: [f64; 8] = [
    1.1283499,
    -0.37563086,
    0.11137131,
    -0.025127003,
    0.0041528945,
    -0.00046685964,
    3.1293017e-05,
    -9.299843e-07,
];

/// log2(b) x, whose power of 2 is b^x, as a whole number and a rest.
pub(super) struct Reduced<'a> {
    /// From -0.5 to 0.5.
    pub rest: Expr<'a>,
    /// 2 to the whole number.
    pub power: Expr<'a>,
}

impl<'a> Reduced<'a> {
    /// Of log2(b), which is `scale`. The power is taken 2^`more` times, and has to be a normal number.
    pub fn new(x: Expr<'a>, scale: f64, more: i64) -> Reduced<'a> {
        let ones = ones(x) + (bias(x) + more) as f64;
        let sum = x.fma(scale, x.number(ones));
        Reduced {
            rest: x.fma(scale, ones - sum),
            power: (sum.bits() << fraction_bits(x)).float(),
        }
    }

    /// b^x
    fn value(&self) -> Expr<'a> {
        self.rest.polynomial(&EXP2) * self.power
    }
}

/// 2^(`scale` x). For what is beyond `limit`, a power of the limit will do.
fn power<'a>(x: Expr<'a>, scale: f64, limit: f64) -> Expr<'a> {
    if x.has_powers() {
        let x = if scale == 1.0 { x } else { x * scale };
        return exp2_by_fraction(x, &EXP2_OF_FRACTION);
    }
    Reduced::new(x.at_least(-limit).at_most(limit), scale, 0).value()
}

/// e^x
pub fn exp<'a>(x: Expr<'a>) -> Expr<'a> {
    power(x, LOG2_E, 20.0)
}

/// 10^x
pub fn exp10<'a>(x: Expr<'a>) -> Expr<'a> {
    power(x, LOG2_10, 10.0)
}

/// 2^x, where x need not be a half.
pub fn exp2<'a>(x: Expr<'a>) -> Expr<'a> {
    power(x, 1.0, 30.0)
}

/// e^x - 1
pub fn expm1<'a>(x: Expr<'a>) -> Expr<'a> {
    let Reduced { rest, power } = Reduced::new(x.at_least(-20.0).at_most(20.0), LOG2_E, 0);
    let value = rest * rest.polynomial(&EXP2M1);
    power.fma(value, power - 1.0).with_sign_of(x)
}

/// 2/sqrt(pi) times the integral of e^(-t^2) from 0 to x.
pub fn erf<'a>(x: Expr<'a>) -> Expr<'a> {
    // From here on it is 1.
    let x = x.at_least(-2.63).at_most(2.63);
    x * (x * x).polynomial(&ERF)
}
