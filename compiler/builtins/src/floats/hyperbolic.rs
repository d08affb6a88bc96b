//! Hyperbolic functions and their inverses, from exponential functions and logarithms.

use super::super::expression::Expr;
use super::exponential::{moderate_expm1, powers_of_e};
use super::log_tables::is_tabled;
use super::logarithm::{log_of_double, log1p, log1p_of_usual};
use super::parts::{Table, bias, fraction_bits, ones, times_power};
use super::ratio_table;
use std::f64::consts::{LN_2, LOG2_E};

/// (2 cosh(x) - 2) / x^2 on [0, ln(2)/2], in x^2; 2^-33.2, 2^-56.2 of 2 cosh(x).
const TWICE_COSH: Table = Table {
    single: &[1.0, 0.08333292, 0.0027870906],
    double: &[
        1.0000000000000027,
        0.0833333333330202,
        0.00277777778970778,
        4.960297647216747e-05,
        5.526377961139032e-07,
    ],
};
/// 2 sinh(x) / x on [0, ln(2)/2], in x^2; 2^-26.1, 2^-61.6.
const TWICE_SINH: Table = Table {
    single: &[2.0, 0.33333087, 0.016733104],
    double: &[
        2.0,
        0.33333333333333354,
        0.01666666666664275,
        0.0003968253977373436,
        5.51144867526175e-06,
        5.0218710208825506e-08,
    ],
};

/// (e^(2x) - 1 - 2x) / x^2 of floats on [-ln(2)/4, ln(2)/4]; 2^-25.8 of e^(2x) - 1.
const EXPM1_OF_TWICE: [f64; 5] = [1.9999999, 1.3333218, 0.6666817, 0.2678161, 0.08867873];

/// A magnitude x as the sum of k ln(2) and a rest r.
struct Sum<'a> {
    /// 2 cosh(r) - 2 and 2 sinh(r).
    rest: [Expr<'a>; 2],
    /// Half of cosh(k ln(2)) and of sinh(k ln(2)).
    whole: [Expr<'a>; 2],
}

impl<'a> Sum<'a> {
    fn new(size: Expr<'a>) -> Sum<'a> {
        // There the functions are infinite, and a quarter of the power of two is not.
        let x = size.at_most(size.by_format(89.7, 710.7));
        let [rest, last] = powers_of_e(x);
        let square = rest * rest;
        let power = times_power(x.number(0.25), last);
        let inverse = (power.bits().zero().plus((2 * bias(x)) << fraction_bits(x)) - power.bits()).float();
        Sum {
            rest: [square * TWICE_COSH.at(square), rest * TWICE_SINH.at(square)],
            whole: [1.0 / 16.0, -1.0 / 16.0].map(|part| inverse.fma(part, power)),
        }
    }
}

/// The hyperbolic sine, by its addition theorem.
pub fn sinh<'a>(x: Expr<'a>) -> Expr<'a> {
    let Sum {
        rest: [cosh, sinh],
        whole: [whole_cosh, whole_sinh],
    } = Sum::new(x.abs());
    whole_sinh.fma(2.0, whole_sinh.fma(cosh, whole_cosh * sinh)).signed_as(x)
}

/// The hyperbolic cosine.
pub fn cosh<'a>(x: Expr<'a>) -> Expr<'a> {
    let Sum {
        rest: [cosh, sinh],
        whole: [whole_cosh, whole_sinh],
    } = Sum::new(x.abs());
    whole_cosh.fma(2.0, whole_cosh.fma(cosh, whole_sinh * sinh))
}

/// The hyperbolic tangent.
pub fn tanh<'a>(x: Expr<'a>) -> Expr<'a> {
    if !x.is_double() {
        return tanh_of_float(x);
    }
    // From here on it is 1.
    let size = x.abs().at_most(20.0);
    let value = moderate_expm1(size + size);
    (value / (value + 2.0)).signed_as(x)
}

/// The same of a float, for which less is enough.
fn tanh_of_float<'a>(x: Expr<'a>) -> Expr<'a> {
    let size = x.abs().at_most(10.0);
    // What the float next to ln(2) lacks counts only beside powers of two that are great, and these do not count.
    let ones = ones(x) + bias(x) as f64;
    let sum = size.fma(2.0 * LOG2_E, x.number(ones));
    let rest = (sum - ones).fma(-0.5 * LN_2, size);
    let power = (sum.bits() << fraction_bits(x)).float();
    let value = (rest * rest).fma(rest.polynomial(&EXPM1_OF_TWICE), rest + rest);
    let value = power.fma(value, power - 1.0);
    (value / (value + 2.0)).signed_as(x)
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
    let square = x * x;
    let usual = log1p_of_usual(size + square.over(root_in_sum(square + 1.0) + 1.0));
    let is_great = !size.lt(great(x));
    let [value] = is_great.slowly(|| [log_of_great(size)], [usual]);
    value.signed_as(x)
}

/// The inverse hyperbolic cosine.
pub fn acosh<'a>(x: Expr<'a>) -> Expr<'a> {
    let above = x - 1.0;
    let usual = log1p_of_usual(above + root_in_sum(above.fma(above, above + above)));
    let is_usual = x.ge(1.0) & x.lt(great(x));
    let [value] = (!is_usual).slowly(
        || {
            let value = x.lt(great(x)).select(usual, log_of_great(x));
            [x.lt(1.0).number_or(f64::NAN, value)]
        },
        [usual],
    );
    value
}

/// ln(2 size) for a great number. Infinities and NaNs give themselves.
fn log_of_great<'a>(size: Expr<'a>) -> Expr<'a> {
    size.lt(f64::INFINITY).select(log_of_double(size), size)
}

/// The inverse hyperbolic tangent.
pub fn atanh<'a>(x: Expr<'a>) -> Expr<'a> {
    let size = x.abs();
    if !is_tabled(x) {
        return atanh_of_any(size).with_sign_of(x);
    }
    let is_great = !size.lt(ratio_table::LARGEST);
    let [value] = is_great.slowly(|| [atanh_of_any(size)], [ratio_table::atanh(size)]);
    value.with_sign_of(x)
}

/// Of a magnitude.
fn atanh_of_any<'a>(size: Expr<'a>) -> Expr<'a> {
    log1p((size + size) / (1.0 - size)) * 0.5
}
