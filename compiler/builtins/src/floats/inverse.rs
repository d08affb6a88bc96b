//! Inverse sine, cosine and tangent, in radians and in half turns.
//!
//! Each is a whole number of times pi/4, more or less a small angle that a polynomial gives; only the sum of the two depends on the unit.

use super::super::expression::Expr;
use super::parts::{Precise, QUARTER_PI, Table};
use std::f64::consts::{FRAC_1_PI, SQRT_2};

/// (atan(x) - x) / x^3 in x^2, for floats on [0, 1], and for doubles on [0, tan(pi/8)]; 2^-24.3, 2^-63.9 of the angle. Of 1 it is
/// the float that is nearest to pi/4: multiples of pi/4 as parts of pi are exact.
const ATAN: Table = Table {
    single: &[
        -0.33333153,
        0.19993763,
        -0.1421097,
        0.10665659,
        -0.07551478,
        0.043203168,
        -0.016362583,
        0.0029193977,
    ],
    double: &[
        -0.33333333333333326,
        0.19999999999997112,
        -0.14285714285320456,
        0.11111111084103649,
        -0.09090908002038862,
        0.07692279630240192,
        -0.0666618182419423,
        0.058765931351883786,
        -0.052157118887805165,
        0.04492850807403701,
        -0.03323072999530594,
        0.014952631047801486,
    ],
};
/// (asin(x) - x) / x^3 on [0, 1/2], in x^2; 2^-31.7, 2^-63.8 of the angle.
const ASIN: Table = Table {
    single: &[0.1666666, 0.07500519, 0.044514425, 0.031827282, 0.014368522, 0.037611213],
    double: &[
        0.1666666666666666,
        0.07500000000002384,
        0.04464285713982811,
        0.030381944637658188,
        0.02237215181662673,
        0.017352940966893105,
        0.013961933737611508,
        0.011585390586261787,
        0.009485987124177154,
        0.010000180776415615,
        0.0007129368400391096,
        0.024761686352234864,
        -0.026069228059612506,
        0.0335992691378767,
    ],
};
/// 1/pi
const OVER_PI: Precise = Precise {
    number: FRAC_1_PI,
    rest: [1.284127663345183e-08, -1.9678676675182486e-17],
};

/// What angles are counted in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Radians.
    Radians,
    /// Multiples of pi.
    HalfTurns,
}

/// An angle of `quarters` times pi/4 and a small one in radians.
fn angle<'a>(unit: Unit, quarters: Expr<'a>, small: Expr<'a>) -> Expr<'a> {
    match unit {
        Unit::Radians if quarters.is_double() => QUARTER_PI.fma(quarters, small),
        // What the number lacks is less than a unit of these.
        Unit::Radians => quarters.fma(QUARTER_PI.number, small),
        Unit::HalfTurns => quarters.fma(0.25, small.fma(OVER_PI.number, small * OVER_PI.rest(small))),
    }
}

/// The inverse sine of a magnitude: (whether it is of more than 1/2, the angle from 0 or twice the angle from pi/2).
fn asin_parts<'a>(size: Expr<'a>) -> (Expr<'a>, Expr<'a>) {
    let large = size.gt(0.5);
    let square = large.select(size.fma(-0.5, 0.5), size * size);
    let x = large.select(square.sqrt(), size);
    let small = (square * x).fma(ASIN.at(square), x);
    (large, small)
}

/// The inverse sine.
pub fn asin<'a>(x: Expr<'a>, unit: Unit) -> Expr<'a> {
    let (large, small) = asin_parts(x.abs());
    let quarters = large.select(x.number(2.0), 0.0);
    angle(unit, quarters, large.select(small * -2.0, small)).signed_as(x)
}

/// The inverse cosine.
pub fn acos<'a>(x: Expr<'a>, unit: Unit) -> Expr<'a> {
    let (large, small) = asin_parts(x.abs());
    let negative = x.lt(0.0);
    // pi/2 - asin(x), or twice the angle from 0 or from pi.
    let quarters = large.select(negative.select(x.number(4.0), 0.0), 2.0);
    let down = large.select(small * 2.0, -small);
    angle(unit, quarters, negative.select(-down, down))
}

/// The inverse tangent.
pub fn atan<'a>(x: Expr<'a>, unit: Unit) -> Expr<'a> {
    let (quarters, small) = atan_parts(x.abs(), x.number(1.0), false);
    angle(unit, quarters, small).signed_as(x)
}

/// The angle of the point (x, y), with the special cases of C's atan2.
pub fn atan2<'a>(y: Expr<'a>, x: Expr<'a>, unit: Unit) -> Expr<'a> {
    let (above, right) = (y.abs(), x.abs());
    // Both infinite count as both 1, and both 0 as next to the x axis.
    let infinite = above.equals(f64::INFINITY) & right.equals(f64::INFINITY);
    let (above, right) = (infinite.number_or(1.0, above), infinite.number_or(1.0, right));
    let none = above.equals(0.0);
    let (quarters, small) = atan_parts(above, none.number_or(1.0, right), true);
    let left = !x.bits().lacks(x.sign_bit());
    let quarters = left.select(4.0 - quarters, quarters);
    let small = left.select(-small, small);
    let value = angle(unit, quarters, small).signed_as(y);
    x.unordered(y).number_or(f64::NAN, value)
}

/// The angle of a point with positive coordinates, as times pi/4 and a rest. Where they may be any, sums of them overflow; else the second one is 1.
fn atan_parts<'a>(above: Expr<'a>, right: Expr<'a>, any: bool) -> (Expr<'a>, Expr<'a>) {
    let steep = above.gt(right);
    let small = |x: Expr<'a>| {
        let square = x * x;
        (square * x).fma(ATAN.at(square), x)
    };
    if !above.is_double() {
        // From the other axis on, the other way round, which of 1 takes only one choice.
        let x = match any {
            true => steep.select(-right, above) / steep.select(above, right),
            false => steep.select(-right / above, above),
        };
        return (steep.select(x.number(2.0), 0.0), small(x));
    }
    let (less, more) = (steep.select(right, above), steep.select(above, right));
    let (x, quarters) = from_axis_or_diagonal(less, more, any);
    let small = small(x);
    (steep.select(2.0 - quarters, quarters), steep.select(-small, small))
}

/// less / more, or from tan(pi/8) on (less - more) / (less + more), the tangent of the angle from the diagonal; and how often pi/4 is to be added.
fn from_axis_or_diagonal<'a>(mut less: Expr<'a>, mut more: Expr<'a>, any: bool) -> (Expr<'a>, Expr<'a>) {
    if any {
        // Large numbers are halved, for their sum may overflow, and small ones raised, for the comparison would be inexact in subnormal numbers.
        let factor = more.gt(1.0).number_or(0.5, more.number(f64::exp2(60.0)));
        (less, more) = (less * factor, more * factor);
    }
    let middle = less.gt(more * (SQRT_2 - 1.0));
    let above = middle.select(less - more, less);
    let right = middle.select(less + more, more);
    (above / right, middle.number_or(1.0, less.number(0.0)))
}
