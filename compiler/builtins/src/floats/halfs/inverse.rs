//! Inverse sine, cosine and tangent of halfs, in radians and in half turns.

use crate::expression::Expr;
use crate::floats::inverse::Unit;
use std::f64::consts::{FRAC_1_PI, FRAC_PI_2, PI};

/// atan(x) / x on [0, 1], in x^2; 2^-15.
const ATAN: [f64; 5] = [0.99997, -0.33170038, 0.18521337, -0.09192287, 0.023861526];
/// asin(x) / x on [0, 1/2], in x^2; 2^-15.
const ASIN: [f64; 3] = [1.0000311, 0.16453795, 0.09598992];
/// acos(x) / sqrt(1 - x) on [0, 1]; 2^-17.4.
const ACOS: [f64; 5] = [1.5707874, -0.21411055, 0.08459526, -0.03564124, 0.008590632];

impl Unit {
    /// An angle in radians, in this unit.
    fn of(self, radians: f64) -> f64 {
        match self {
            Unit::Radians => radians,
            Unit::HalfTurns => radians * FRAC_1_PI,
        }
    }

    /// The angle that a polynomial gives in radians.
    fn polynomial<'a, const N: usize>(self, x: Expr<'a>, table: [f64; N]) -> Expr<'a> {
        x.polynomial(&table.map(|factor| self.of(factor)))
    }
}

/// The inverse sine.
pub fn asin<'a>(x: Expr<'a>, unit: Unit) -> Expr<'a> {
    let size = x.abs();
    // pi/2 less twice that of a number up to 1/2.
    let large = size.gt(0.5);
    let square = large.select(size.fma(-0.5, 0.5), x * x);
    let small = large.select(square.short_sqrt(), size) * unit.polynomial(square, ASIN);
    let value = large.select(small.fma(-2.0, small.number(unit.of(FRAC_PI_2))), small);
    value.signed_as(x)
}

/// The inverse cosine.
pub fn acos<'a>(x: Expr<'a>, unit: Unit) -> Expr<'a> {
    let size = x.abs();
    let value = (1.0 - size).short_sqrt() * unit.polynomial(size, ACOS);
    x.lt(0.0).select(unit.of(PI) - value, value)
}

/// The inverse tangent.
pub fn atan<'a>(x: Expr<'a>, unit: Unit) -> Expr<'a> {
    let size = x.abs();
    let steep = size.gt(1.0);
    let inverse = size.number(1.0).short_over(size);
    from_axis(steep, steep.select(inverse, size), unit).signed_as(x)
}

/// The angle of the point (x, y), with the special cases of C's atan2.
pub fn atan2<'a>(y: Expr<'a>, x: Expr<'a>, unit: Unit) -> Expr<'a> {
    // What is infinite is beyond this, and quotients of numbers below it come out as 0. One of 0 and 0 is to be that, too.
    let infinity = f64::exp2(60.0);
    let (above, right) = (y.abs().at_most(infinity), x.abs().at_most(infinity));
    let steep = above.gt(right);
    let (less, more) = (steep.select(right, above), steep.select(above, right));
    let value = from_axis(steep, less.short_over(more.at_least(1.0 / infinity)), unit);
    let left = !x.bits().lacks(x.sign_bit());
    left.select(unit.of(PI) - value, value).signed_as(y)
}

/// The angle with this tangent, from the x axis or, where the point is steep above it, from the y axis.
fn from_axis<'a>(steep: Expr<'a>, tangent: Expr<'a>, unit: Unit) -> Expr<'a> {
    let small = tangent * unit.polynomial(tangent * tangent, ATAN);
    steep.select(unit.of(FRAC_PI_2) - small, small)
}
