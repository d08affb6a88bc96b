//! Quotients of floats to half their bits.

use super::super::expression::Expr;
use super::parts::ALL;

/// x / y: an estimate of the inverse of y's fraction, and its exponent. Neither that of a number's inverse nor that of a quotient leaves its range, as those of
/// an estimate of 1 / y would.
pub fn half_divide<'a>(x: Expr<'a>, y: Expr<'a>) -> Expr<'a> {
    if !x.has_powers() {
        return x / y;
    }
    let size = y.abs();
    // From 1 to 2, so that no product is greater than the quotient on the way.
    let inverse = size.fraction(1.0, ALL).rough_inverse();
    let scaled = x.scaled(-1.0 - size.exponent(2.0, ALL));
    // Where y is 0 or infinite, products with its power lose NaNs.
    x.differs(x).select(x, scaled * inverse.signed_as(y))
}
