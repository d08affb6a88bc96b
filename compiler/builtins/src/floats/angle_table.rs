//! Angles by their tangents, for doubles, by a table, where the machine looks up sixteen of them in registers.

use super::super::expression::Expr;
use super::parts::nearest_sixteenth;

/// atan(k / 16)
const ANGLES: [f64; 16] = [
    0.0,
    0.06241880999595735,
    0.12435499454676144,
    0.18534794999569476,
    0.24497866312686414,
    0.3028848683749714,
    0.35877067027057225,
    0.4124104415973873,
    0.4636476090008061,
    0.5123894603107377,
    0.5585993153435624,
    0.6022873461349642,
    0.6435011087932844,
    0.6823165548747481,
    0.7188299996216245,
    0.7531512809621944,
];
/// (atan(x) - x) / x^3 on [0, 0.0324], in x^2; 2^-61.8 of the angle.
const ATAN: [f64; 4] = [-0.33333333333332565, 0.19999999992888307, -0.14285693815919273, 0.1108788752424736];

/// Angles of this format are looked up.
pub fn is_tabled(x: Expr) -> bool {
    x.is_double() && x.has_tables()
}

/// The angle up to pi/4 whose tangent is less / more, where the greater number is not infinite: that of a number of sixteenths near it, and the angle from
/// there to it.
pub fn angle<'a>(less: Expr<'a>, more: Expr<'a>) -> Expr<'a> {
    // From the last one to 1 is twice as far as half of the way to another, but so far up angles come closer.
    let rough = less.short_over(more).at_most(15.0 / 16.0);
    let [near, last] = nearest_sixteenth(rough, 1.0);
    let tangent = (-near).fma(more, less) / near.fma(less, more);
    let square = tangent * tangent;
    last.entry(&ANGLES) + (square * tangent).fma(square.polynomial(&ATAN), tangent)
}
