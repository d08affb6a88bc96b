//! Powers and roots of halfs. Logarithms need no more bits than floats have: a power that is a half is 2 to at most 24.

use super::exponential::exp2;
use super::logarithm::log2;
use crate::expression::Expr;
use crate::floats::power::{signed_root, special_pow};

/// What a third of a number's bits is taken from for the bits of its inverse cube root, which is wrong by less than 2^-4.8.
const INVERSE_CUBE_ROOT: f64 = 1_419_902_976.0;
/// (1 - h)^(-2/3) for |h| up to 0.1029; 2^-17.2.
const CORRECTION: [f64; 4] = [0.9999936, 0.6666556, 0.5603832, 0.49897733];

/// The cube root.
pub fn cbrt<'a>(x: Expr<'a>) -> Expr<'a> {
    let size = x.abs();
    let bits = size.bits().int_to(x.elem());
    let guess = bits.fma(-1.0 / 3.0, x.number(INVERSE_CUBE_ROOT)).small_int().float();
    // With h = 1 - |x| guess^3, the root is |x| guess^2 (1 - h)^(-2/3). Of infinity that is infinite.
    let rough = guess * guess * size;
    let h = (-rough).fma(guess, 1.0);
    (rough * h.polynomial(&CORRECTION)).with_sign_of(x)
}

/// x to the y. Special cases are those of IEEE 754's pow.
pub fn pow<'a>(x: Expr<'a>, y: Expr<'a>) -> Expr<'a> {
    let product = y * log2(x.abs());
    let value = exp2(product);
    // The product is no number where one of the two is none, or where the power is 1 all the same.
    let unusual = !x.gt(0.0) | product.unordered(product);
    let [value] = unusual.slowly(|| [special_pow(x, y, value)], [value]);
    value
}

/// x to the y for x of at least 0. Where the power is undefined, so is the product.
pub fn powr<'a>(x: Expr<'a>, y: Expr<'a>) -> Expr<'a> {
    exp2(y * log2(x))
}

/// x to one over an integer, which has to be odd where x is negative, and may not be 0.
pub fn rootn<'a>(x: Expr<'a>, n: Expr<'a>) -> Expr<'a> {
    let inverse = x.number(1.0).rough_over(n.int_to(x.elem()));
    let value = exp2(inverse * log2(x.abs()));
    signed_root(x, n, value)
}
