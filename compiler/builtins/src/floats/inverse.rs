//! Inverse sine, cosine and tangent, in radians and in half turns.
//!
//! Each is a whole number of times pi/4, more or less a small angle that a polynomial gives; only the sum of the two depends on the unit.

use super::super::expression::Expr;
use super::angle_table::{self, is_tabled};
use super::parts::{Precise, QUARTER_PI, Table};
use std::f64::consts::{FRAC_1_PI, FRAC_PI_2, PI, SQRT_2};

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
/// asin(x) / (pi x) on [0, 1/2], in x^2, of floats; 2^-24.6.
const ASIN_PI: [f64; 6] = [0.31830987, 0.053054422, 0.023777092, 0.015396681, 0.0034219627, 0.020336123];
/// acos(x) / sqrt(1 - x) on [0, 1] for floats; 2^-25.1. Of 0 it is the float that is nearest to pi/2.
const ACOS: [f64; 8] = [
    1.5707964,
    -0.21460323,
    0.08903829,
    -0.050491665,
    0.03172777,
    -0.018241137,
    0.0074692527,
    -0.0014821265,
];
/// The same as a part of pi; 2^-25.9.
const ACOS_PI: [f64; 8] = [
    0.5,
    -0.06830919,
    0.028325778,
    -0.015984556,
    0.009865891,
    -0.005481481,
    0.0021508592,
    -0.0004091524,
];
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

/// What the inverse sine of a magnitude is made of.
struct AsinParts<'a> {
    /// Whether it is more than 1/2: then twice the angle is left to pi/2.
    large: Expr<'a>,
    /// The sine of an angle up to pi/6.
    sine: Expr<'a>,
    square: Expr<'a>,
}

impl<'a> AsinParts<'a> {
    fn new(size: Expr<'a>) -> AsinParts<'a> {
        let large = size.gt(0.5);
        let square = large.select(size.fma(-0.5, 0.5), size * size);
        let sine = large.select(square.sqrt(), size);
        AsinParts { large, sine, square }
    }

    /// The angle in radians.
    fn angle(&self) -> Expr<'a> {
        (self.square * self.sine).fma(ASIN.at(self.square), self.sine)
    }
}

/// The inverse sine.
pub fn asin<'a>(x: Expr<'a>, unit: Unit) -> Expr<'a> {
    let parts = AsinParts::new(x.abs());
    let large = parts.large;
    if !x.is_double() {
        let (small, quarter_turn) = match unit {
            Unit::Radians => (parts.angle(), FRAC_PI_2),
            Unit::HalfTurns => (parts.sine * parts.square.polynomial(&ASIN_PI), 0.5),
        };
        return large.select(small.fma(-2.0, x.number(quarter_turn)), small).signed_as(x);
    }
    let small = parts.angle();
    let quarters = large.select(x.number(2.0), 0.0);
    angle(unit, quarters, large.select(small * -2.0, small)).signed_as(x)
}

/// The inverse cosine.
pub fn acos<'a>(x: Expr<'a>, unit: Unit) -> Expr<'a> {
    let size = x.abs();
    let negative = x.lt(0.0);
    if !x.is_double() {
        // A root has the slope at 1.
        let root = (1.0 - size).sqrt();
        let (table, half_turn) = match unit {
            Unit::Radians => (&ACOS, PI),
            Unit::HalfTurns => (&ACOS_PI, 1.0),
        };
        let slow = size.polynomial(table);
        return negative.select((-root).fma(slow, x.number(half_turn)), root * slow);
    }
    let parts = AsinParts::new(size);
    let (large, small) = (parts.large, parts.angle());
    // pi/2 - asin(x), or twice the angle from 0 or from pi.
    let quarters = large.select(negative.select(x.number(4.0), 0.0), 2.0);
    let down = large.select(small * 2.0, -small);
    angle(unit, quarters, negative.select(-down, down))
}

/// The inverse tangent.
pub fn atan<'a>(x: Expr<'a>, unit: Unit) -> Expr<'a> {
    let size = x.abs();
    let steep = size.gt(1.0);
    if !x.is_double() {
        // From the other axis on, the other way round.
        let small = small_angle(steep.select(x.number(-1.0) / size, size));
        return angle(unit, steep.select(x.number(2.0), 0.0), small).signed_as(x);
    }
    let (less, more) = (steep.select(x.number(1.0), size), size.at_least(1.0));
    if is_tabled(x) {
        // What is greater has the same angle, in doubles.
        let small = angle_table::angle(less, more.at_most(f64::exp2(60.0)));
        let value = match unit {
            Unit::Radians => steep.select(FRAC_PI_2 - small, small),
            Unit::HalfTurns => angle(unit, steep.select(x.number(2.0), 0.0), steep.select(-small, small)),
        };
        return value.signed_as(x);
    }
    let (tangent, quarters) = from_axis_or_diagonal(less, more);
    let small = small_angle(tangent);
    let quarters = steep.select(2.0 - quarters, quarters);
    angle(unit, quarters, steep.select(-small, small)).signed_as(x)
}

/// The angle of the point (x, y), with the special cases of C's atan2.
pub fn atan2<'a>(y: Expr<'a>, x: Expr<'a>, unit: Unit) -> Expr<'a> {
    let (above, right) = (y.abs(), x.abs());
    let steep = above.gt(right);
    // A NaN comes into one of the two.
    let (less, more) = (above.at_most(right), right.at_least(above));
    // The angle from the nearer axis, but for so many quarters.
    let (small, quarters) = if x.is_double() {
        // Where their sum may overflow, or a comparison with a product be inexact.
        let unusual = !(more.gt(f64::exp2(-900.0)) & more.lt(f64::exp2(1000.0)));
        let [less, more] = unusual.slowly(|| moderate(less, more), [less, more]);
        if is_tabled(x) {
            (angle_table::angle(less, more), None)
        } else {
            let (tangent, quarters) = from_axis_or_diagonal(less, more);
            (small_angle(tangent), Some(quarters))
        }
    } else {
        let tangent = less / more;
        let [tangent] = tangent
            .unordered(tangent)
            .slowly(|| [tangent_of_equals(less, more, tangent)], [tangent]);
        (small_angle(tangent), None)
    };
    // From the y axis on, and on the left, angles go the other way.
    let turned = steep.select(x.number(-0.0), 0.0).bits() ^ (x.bits() & x.sign_bit());
    let flip = |angle: Expr<'a>| (angle.bits() ^ turned).float();
    let left = !x.bits().lacks(x.sign_bit());
    let axis = steep.number_or(2.0, left.number_or(4.0, x.number(0.0)));
    angle(unit, quarters.map_or(axis, |quarters| axis + flip(quarters)), flip(small)).signed_as(y)
}

/// The angle with such a tangent.
fn small_angle<'a>(tangent: Expr<'a>) -> Expr<'a> {
    let square = tangent * tangent;
    (square * tangent).fma(ATAN.at(square), tangent)
}

/// Instead of a quotient that is none: both infinite count as both 1, and both 0 as next to the x axis.
fn tangent_of_equals<'a>(less: Expr<'a>, more: Expr<'a>, quotient: Expr<'a>) -> Expr<'a> {
    let sum = less + more;
    let quotient = sum.equals(f64::INFINITY).number_or(1.0, quotient);
    sum.equals(0.0).number_or(0.0, quotient)
}

/// Finite numbers with the same quotient that are not as large or small; with those exceptions.
fn moderate<'a>(less: Expr<'a>, more: Expr<'a>) -> [Expr<'a>; 2] {
    let infinite = more.equals(f64::INFINITY);
    let both = infinite & less.equals(f64::INFINITY);
    let less = (infinite & less.lt(f64::INFINITY)).number_or(0.0, both.number_or(1.0, less));
    let more = (infinite | more.equals(0.0)).number_or(1.0, more);
    let factor = more.gt(1.0).number_or(0.5, more.number(f64::exp2(60.0)));
    [less * factor, more * factor]
}

/// less / more, or from tan(pi/8) on (less - more) / (less + more), the tangent of the angle from the diagonal; and how often pi/4 is to be added.
fn from_axis_or_diagonal<'a>(less: Expr<'a>, more: Expr<'a>) -> (Expr<'a>, Expr<'a>) {
    let middle = less.gt(more * (SQRT_2 - 1.0));
    let above = less - middle.select(more, 0.0);
    let right = more + middle.select(less, 0.0);
    (above / right, middle.number_or(1.0, less.number(0.0)))
}
