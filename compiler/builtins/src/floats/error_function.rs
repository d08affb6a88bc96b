//! The error function and its complement.

use super::super::expression::Expr;
use super::exponential::{exp_parts, exp2_of_rest};
use super::parts::{Table, power_of_two, scale};
use std::f64::consts::FRAC_2_SQRT_PI;

/// erf(x) / x on [0, 1], in x^2; 2^-24.2, 2^-56.1.
const ERF: Table = Table {
    single: &[FRAC_2_SQRT_PI, -0.37612244, 0.11279488, -0.026690684, 0.0048925173, -0.0005525562],
    double: &[
        FRAC_2_SQRT_PI,
        -0.37612638903183365,
        0.11283791670938494,
        -0.02686617064227355,
        0.005223977599722502,
        -0.0008548325642503594,
        0.00012055285516338099,
        -1.4924566196506942e-05,
        1.6445424311548179e-06,
        -1.6193889437371342e-07,
        1.3659756016488321e-08,
        -7.688072416236038e-10,
    ],
};
/// log2(1 - erf(x)) for x from 1 to 4, and for doubles to 6, in x - 2; 2^-25.8, 2^-54.6 of erf(x).
const LOG_OF_REST: Table = Table {
    single: &[-7.739974, -6.3740244, -1.3325475, -0.023700528, 0.0047172611, -0.0016625546],
    double: &[
        -7.73997415712298,
        -6.37405868465801,
        -1.3326907585165455,
        -0.023754144289207746,
        0.005151512468753135,
        -0.0010566289126137255,
        0.00019521017638018934,
        -2.987322454197718e-05,
        2.816139968090096e-06,
        2.9402284303099746e-07,
        -2.494025798338258e-07,
        8.319319912452105e-08,
        -2.0536665431552037e-08,
        3.784244873529603e-09,
        -2.1974911981484076e-10,
        -1.2239926910387703e-10,
        2.5332492351839996e-11,
    ],
};
/// (1 + 2 x) e^(x^2) erfc(x) for x from 0 to 10.2, and for doubles to 27.4, in (x - k) / (x + k); 2^-26.3, 2^-54.3.
const ERFC: Table = Table {
    single: &[
        1.2769784,
        -0.092763856,
        -0.16603087,
        0.16405264,
        -0.05420861,
        -0.008042989,
        0.008647963,
        0.0012727686,
        -0.0012634468,
        -0.00036634042,
        2.8818224e-05,
    ],
    double: &[
        1.2329951186255526,
        -0.13962111684056308,
        0.015379652102606148,
        0.0680970542547589,
        -0.10103906603557246,
        0.0937328349962729,
        -0.06633036582792305,
        0.03716751556556474,
        -0.016197733882785555,
        0.005031969784171878,
        -0.0007577744333829445,
        -0.00019925598694642795,
        0.00015062634123549134,
        -2.440037386998934e-05,
        -1.123413018846268e-05,
        5.709273472113358e-06,
        3.135557403000438e-07,
        -8.202349731150538e-07,
        5.540271504939725e-08,
        1.0158601332203759e-07,
        -8.101536518927466e-09,
        -8.407440717944408e-09,
    ],
};

/// 2/sqrt(pi) times the integral of e^(-t^2) from 0 to x.
pub fn erf<'a>(x: Expr<'a>) -> Expr<'a> {
    let size = x.abs();
    let small = x * ERF.at(x * x);
    // Beyond this limit the result is 1. The logarithm is rounded where it is large, but there little is missing.
    let log = LOG_OF_REST.at(size.at_most(size.by_format(4.0, 6.0)) - 2.0);
    let whole = log.nearest();
    let value = (-power_of_two(whole))
        .fma(exp2_of_rest(log - whole), log.number(1.0))
        .with_sign_of(x);
    size.lt(1.0).select(small, value)
}

/// 1 - erf(x)
pub fn erfc<'a>(x: Expr<'a>) -> Expr<'a> {
    let value = of_magnitude(x.abs());
    x.lt(0.0).select(2.0 - value, value)
}

/// erfc(x) for x of at least 0: e^(-x^2) times a function that falls slowly.
fn of_magnitude<'a>(size: Expr<'a>) -> Expr<'a> {
    // Beyond this limit the result is 0.
    let x = size.at_most(size.by_format(10.2, 27.4));
    let center = x.by_format(2.0, 4.0);
    let slow = ERFC.at((x - center).over(x + center)).over(x.fma(2.0, x.number(1.0)));
    // e to what the square is more than its rounded value is one less that.
    let square = x * x;
    let lost = x.fma(x, -square);
    let [value, whole] = exp_parts(-square);
    let value = value.fma(-lost, value);
    scale(value * slow, whole)
}
