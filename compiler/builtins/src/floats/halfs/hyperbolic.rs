//! Hyperbolic functions of halfs and their inverses. Near 0 the latter are polynomials, where the sum with 1 of which they are logarithms loses what counts.

use super::exponential::Reduced;
use crate::expression::Expr;
use crate::floats::parts::{NORMAL, bias, fraction_bits};
use std::f64::consts::{LN_2, LOG2_E};

/// cosh(x ln(2)) on [0, 0.5], in x^2; 2^-23.
const COSH: [f64; 3] = [1.0000001, 0.24021909, 0.009685906];
/// sinh(x ln(2)) / x on [0, 0.5], in x^2; 2^-16.
const SINH: [f64; 2] = [0.6931368, 0.05583763];
/// tanh(x) on [0, 4.65] as x P(x^2) / Q(x^2); 2^-14.8.
const TANH: [[f64; 3]; 2] = [[76.042076, 7.8688617, 0.05358377], [76.04468, 33.20015, 1.0]];
/// asinh(x) / x on [0, 0.5], in x^2; 2^-15.9.
const ASINH: [f64; 3] = [0.9999837, -0.16544577, 0.061071955];
/// atanh(x) / x on [0, 0.5], in x^2; 2^-17.4.
const ATANH: [f64; 4] = [0.9999943, 0.33403927, 0.18662886, 0.22000659];
/// ln(x) on [1, 2]; 2^-16.8, absolutely.
const LOG: [f64; 6] = [-1.9410644, 3.5293045, -2.4612212, 1.1306255, -0.2887397, 0.031103987];
/// ln(1 + x) on [0.5, 1]; 2^-16.2, absolutely.
const LOG1P: [f64; 4] = [0.011560471, 0.9257511, -0.30750957, 0.063358516];
/// ln(1 + x) / x on [0, 1]; 2^-16.9.
const LOG1P_OVER: [f64; 6] = [0.9999916, -0.49936128, 0.32520604, -0.21004698, 0.10122037, -0.023868393];

/// The hyperbolic functions of k ln(2), and of a rest in times ln(2).
struct Sum<'a> {
    /// cosh and sinh of the rest.
    rest: [Expr<'a>; 2],
    /// The same of the magnitude's other part.
    whole: [Expr<'a>; 2],
}

impl<'a> Sum<'a> {
    fn new(x: Expr<'a>) -> Sum<'a> {
        // At this limit the functions are infinite. The power of two is half of that in the exponential.
        let Reduced { rest, power } = Reduced::new(x.abs().at_most(20.0), LOG2_E, -1);
        let square = rest * rest;
        let quarter = power.bits().zero().plus((2 * bias(x) - 2) << fraction_bits(x));
        let inverse = (quarter - power.bits()).float();
        Sum {
            rest: [square.polynomial(&COSH), rest * square.polynomial(&SINH)],
            whole: [power + inverse, power - inverse],
        }
    }
}

/// The hyperbolic cosine, by its addition theorem.
pub fn cosh<'a>(x: Expr<'a>) -> Expr<'a> {
    let Sum { rest, whole } = Sum::new(x);
    whole[0].fma(rest[0], whole[1] * rest[1])
}

/// The hyperbolic sine.
pub fn sinh<'a>(x: Expr<'a>) -> Expr<'a> {
    let Sum { rest, whole } = Sum::new(x);
    whole[0].fma(rest[1], whole[1] * rest[0]).signed_as(x)
}

/// The hyperbolic tangent.
pub fn tanh<'a>(x: Expr<'a>) -> Expr<'a> {
    // From here on it is 1.
    let x = x.at_least(-4.65).at_most(4.65);
    let square = x * x;
    let [above, below] = TANH.map(|table| square.polynomial(&table));
    (x * above).short_over(below)
}

/// The inverse hyperbolic sine.
pub fn asinh<'a>(x: Expr<'a>) -> Expr<'a> {
    let size = x.abs();
    let square = x * x;
    let small = size * square.polynomial(&ASINH);
    let [exponent, fraction] = parts(size + (square + 1.0).short_sqrt());
    let large = exponent.fma(LN_2, fraction.polynomial(&LOG));
    size.lt(0.5).select(small, large).signed_as(x)
}

/// The inverse hyperbolic cosine.
pub fn acosh<'a>(x: Expr<'a>) -> Expr<'a> {
    let [exponent, fraction] = parts(x + x.fma(x, x.number(-1.0)).short_sqrt());
    let rest = fraction - 1.0;
    let value = exponent.fma(LN_2, rest * rest.polynomial(&LOG1P_OVER));
    x.lt(1.0).number_or(f64::NAN, value)
}

/// The inverse hyperbolic tangent.
pub fn atanh<'a>(x: Expr<'a>) -> Expr<'a> {
    let size = x.abs();
    let small = size * (x * x).polynomial(&ATANH);
    // Half of ln(1 + x) - ln(1 - x).
    let [exponent, fraction] = parts(1.0 - size);
    let below = fraction.polynomial(&LOG.map(|factor| factor * -0.5));
    let large = size.polynomial(&LOG1P.map(|factor| factor * 0.5)) + exponent.fma(-0.5 * LN_2, below);
    size.lt(0.5).select(small, large).with_sign_of(x)
}

/// A number's exponent, and its fraction from 1 to 2. Of negative numbers they are NaNs.
fn parts<'a>(x: Expr<'a>) -> [Expr<'a>; 2] {
    [x.exponent(2.0, NORMAL), x.fraction(2.0, NORMAL)]
}
