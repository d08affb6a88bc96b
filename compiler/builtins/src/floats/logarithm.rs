//! Logarithms: x is 2^e times a number about 1, whose distance from 1 a polynomial is for.

use super::super::expression::Expr;
use super::log_tables::{self, is_tabled};
use super::parts::{ALL, LN_2, LOG2_E, LOG10_2, LOG10_E, NORMAL, POSITIVE, Precise, Split, normal_parts, split, split_mostly};

/// (ln(1 + x) - x) / x^2 on [-1/3, 1/3]; 2^-27.6 of the logarithm.
const LOG: [f64; 9] = [
    -0.5,
    0.333_332_12,
    -0.249_998_11,
    0.200_105_83,
    -0.166_799_35,
    0.140_033_95,
    -0.121_915_17,
    0.139_952_18,
    -0.128_614_56,
];
/// The same; 2^-25.2.
const SHORT_LOG: [f64; 8] = [
    -0.499_999_37,
    0.333_332,
    -0.250_077_5,
    0.200_110_73,
    -0.164_170_3,
    0.139_971_35,
    -0.153_835_98,
    0.140_205_82,
];
/// (log2(1 + x) - x log2(e)) / x^2 on [-1/3, 1/3]; 2^-25.1 of the logarithm.
const LOG2: [f64; 8] = [
    -0.721_346_56,
    0.480_896_56,
    -0.360_788_8,
    0.288_692_36,
    -0.236_797_91,
    0.202_027_62,
    -0.222_169_25,
    0.201_866_87,
];
/// (log10(1 + x) - x log10(e)) / x^2 on [-1/3, 1/3]; 2^-25.2 of the logarithm.
const LOG10: [f64; 8] = [
    -0.217_146_96,
    0.144_764_26,
    -0.108_607_605,
    0.086_906_5,
    -0.071_293_21,
    0.060_796_037,
    -0.066_833_18,
    0.060_857_01,
];
/// log2(1 + x) / x on [-1/3, 1/3]; 2^-11.5. Next to 4/3, where an exponent is added, errors are up to 6753 units of the 8192 that OpenCL C allows.
const HALF_LOG2: [f64; 4] = [1.4422021, -0.720425, 0.51553762, -0.3957697];
/// The same on [-1/4, 1/2]; 2^-19.7.
const POWR_LOG2: [f64; 7] = [1.4426963, -0.72132796, 0.4806254, -0.36156616, 0.2982812, -0.24252295, 0.11965832];
/// ln((1 + s) / (1 - s)) / s^3 - 2 / s^2 for s in [-0.1716, 0.1716], in s^2; 2^-59.5 of the logarithm.
const LOG_OF_RATIO: [f64; 7] = [
    0.6666666666666734,
    0.39999999999416125,
    0.285714287421886,
    0.2222219858562945,
    0.18183563991090637,
    0.15314052502807743,
    0.14795988381396977,
];

/// The least fraction: to 4/3 for floats, and to the square root of 2 for doubles, or as tables want it.
fn least(x: Expr) -> f64 {
    let double = if x.has_tables() {
        log_tables::LEAST
    } else {
        std::f64::consts::FRAC_1_SQRT_2
    };
    x.by_format(2.0 / 3.0, double)
}

/// log10(2) for floats and for doubles, by the next number below: the rest has the same sign, so that the sum of both times an infinite number is infinite.
const LOG10_2_FROM_BELOW: [Precise; 2] = [
    Precise {
        number: 0.3010299801826477,
        rest: [1.5481333490135613e-8, 0.0],
    },
    Precise {
        number: 0.30102999566398114,
        rest: [0.0, 5.270742310347266e-17],
    },
];

/// ln(x)
pub fn log<'a>(x: Expr<'a>) -> Expr<'a> {
    let split = split_mostly(x, least(x), ALL);
    if is_tabled(x) {
        return log_tables::LOG.of(split, None);
    }
    let (exponent, rest) = (split.exponent, split.rest());
    if x.is_double() {
        return LN_2.fma(exponent, ln_of_1_plus(rest));
    }
    // What the float next to ln(2) lacks is less than a tenth of a unit of the result.
    exponent.fma(LN_2.number, (rest * rest).fma(rest.polynomial(&SHORT_LOG), rest))
}

/// log2(x), exact for powers of two.
pub fn log2<'a>(x: Expr<'a>) -> Expr<'a> {
    let split = split_mostly(x, least(x), ALL);
    if is_tabled(x) {
        return log_tables::LOG2.of(split, None);
    }
    split.exponent + scaled_ln_of_1_plus(split.rest(), &LOG2, LOG2_E)
}

/// log10(x)
pub fn log10<'a>(x: Expr<'a>) -> Expr<'a> {
    let split = split_mostly(x, least(x), ALL);
    if is_tabled(x) {
        return log_tables::LOG10.of(split, None);
    }
    let [single, double] = LOG10_2_FROM_BELOW;
    x.by_format(single, double)
        .fma(split.exponent, scaled_ln_of_1_plus(split.rest(), &LOG10, LOG10_E))
}

/// ln(1 + x)
pub fn log1p<'a>(x: Expr<'a>) -> Expr<'a> {
    with_limits(x + 1.0, log1p_of_usual(x)).with_sign_of(x)
}

/// The same above -1 and not near infinity.
pub fn log1p_of_usual<'a>(x: Expr<'a>) -> Expr<'a> {
    let sum = x + 1.0;
    // Exactly what it lacks: 1 is a multiple of the sum's last bit, or else neither that nor this counts.
    ln_of_sum(sum, x - (sum - 1.0), None)
}

/// ln(2x) for a finite x that is more than 1.
pub fn log_of_double<'a>(x: Expr<'a>) -> Expr<'a> {
    ln_of_sum(x, x.number(0.0), Some(1.0))
}

/// ln((high + low) 2^powers), if there are powers, for a positive normal number `high`, and `low` less than its last bit.
fn ln_of_sum<'a>(high: Expr<'a>, low: Expr<'a>, powers: Option<f64>) -> Expr<'a> {
    let with_powers = |exponent: Expr<'a>| powers.map_or(exponent, |powers| exponent + powers);
    if is_tabled(high) {
        let split = split(high, least(high), POSITIVE | NORMAL);
        let low = low.scaled(-split.exponent);
        let exponent = with_powers(split.exponent);
        return log_tables::LOG.of(Split { exponent, ..split }, Some(low));
    }
    let parts = normal_parts(high, least(high));
    let split = Split::of(&parts);
    // Beyond the exponents that have one, the inverse comes out as -infinity; `low` does not count there.
    let inverse = parts.inverse_power();
    let rest = low.fma(inverse.at_least(0.0), split.rest());
    LN_2.fma(with_powers(split.exponent), ln_of_1_plus(rest))
}

/// log2 of a positive finite float; what is subnormal may count as 0.
pub fn relaxed_log2<'a>(x: Expr<'a>) -> Expr<'a> {
    let split = split(x, least(x), POSITIVE | NORMAL);
    ln_of_1_plus(split.rest()).fma(LOG2_E.number, split.exponent)
}

/// log2(x) of a float, for powers of which OpenCL C asks for half the bits. What is subnormal may count as 0.
pub fn powr_log2<'a>(x: Expr<'a>) -> Expr<'a> {
    let split = split(x, 0.75, NORMAL);
    let rest = split.rest();
    rest.fma(rest.polynomial(&POWR_LOG2), split.exponent)
}

/// ln(x) of a float, to 2^-11.5, where OpenCL C asks for 2^-11, or does not say. What is subnormal may count as 0.
pub fn half_log<'a>(x: Expr<'a>) -> Expr<'a> {
    half_log2(x) * LN_2.number
}

/// log2(x) of such floats.
pub fn half_log2<'a>(x: Expr<'a>) -> Expr<'a> {
    let split = split_mostly(x, least(x), NORMAL);
    let rest = split.rest();
    rest.fma(rest.polynomial(&HALF_LOG2), split.exponent)
}

/// log10(x) of such floats.
pub fn half_log10<'a>(x: Expr<'a>) -> Expr<'a> {
    half_log2(x) * LOG10_2.number
}

/// ln(1 + x) for x from `least` - 1 to about as much above 0.
pub fn ln_of_1_plus<'a>(x: Expr<'a>) -> Expr<'a> {
    if x.is_double() {
        let half_square = x * x * 0.5;
        x - (half_square - ratio_part(x, half_square))
    } else {
        (x * x).fma(x.polynomial(&LOG), x)
    }
}

/// ln(1 + x) - x + x^2 / 2 of a double. With s = x / (2 + x) that is s (x^2 / 2 + s^2 P(s^2)), after Sun's fdlibm (`e_log.c`).
fn ratio_part<'a>(x: Expr<'a>, half_square: Expr<'a>) -> Expr<'a> {
    let s = x / (x + 2.0);
    let square = s * s;
    s * (half_square + square * square.polynomial(&LOG_OF_RATIO))
}

/// ln(1 + x) times a constant: by a polynomial of its own for floats, and for doubles by what ln(1 + x) lacks after rounding.
fn scaled_ln_of_1_plus<'a>(x: Expr<'a>, rest: &[f64], factor: Precise) -> Expr<'a> {
    if !x.is_double() {
        return factor.fma(x, x * x * x.polynomial(rest));
    }
    let half_square = x * x * 0.5;
    let high = x - half_square;
    let low = (x - high - half_square) + ratio_part(x, half_square);
    high.fma(factor.number, high.fma(factor.rest(x), low * factor.number))
}

/// Infinity and NaNs give themselves, 0 gives -infinity, and what is below is no number.
fn with_limits<'a>(x: Expr<'a>, value: Expr<'a>) -> Expr<'a> {
    let value = x.lt(f64::INFINITY).select(value, x);
    let value = x.lt(0.0).number_or(f64::NAN, value);
    x.equals(0.0).number_or(f64::NEG_INFINITY, value)
}
