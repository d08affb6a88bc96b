//! Sine, cosine and tangent of halfs, of angles in radians and in half turns.

use crate::expression::Expr;
use crate::floats::parts::nearest_product;
use crate::floats::trigonometric::{flip, last_bit_as_sign};
use std::f64::consts::{FRAC_1_PI, FRAC_2_PI};

/// pi/2 in two parts. They lack less than 2^-47, which is taken up to 2^16 times, and no half but 0 is closer than 2^-15.1 to a multiple of pi/2 (355 is).
/// As both are positive, what they leave of -0 is -0.
const HALF_PI: [f64; 2] = [1.570796251296997, 7.549789415861596e-08];

/// sin(x) / x on [0, pi/2], in x^2; 2^-20.
const SIN: [f64; 4] = [0.99999905, -0.1666554, 0.0083117485, -0.0001848385];
/// sin(pi x) / x on [0, 1/2], in x^2; 2^-20.
const SIN_PI: [f64; 4] = [3.1415896, -5.1673627, 2.5435448, -0.55822784];
/// sin(x) / x on [0, pi/4], in x^2; 2^-19.3.
const SHORT_SIN: [f64; 3] = [0.9999985, -0.16662382, 0.008149901];
/// cos(x) on [0, pi/4], in x^2; 2^-16.4.
const SHORT_COS: [f64; 3] = [0.99998814, -0.49968413, 0.040359557];
/// tan(x) / x on [0, pi/4] as the quotient of two polynomials in x^2; 2^-17.4.
const TAN: [[f64; 2]; 2] = [[1.0000058, -0.06851334], [1.0, -0.40169537]];

/// What is left of an angle without so many half turns, each of `turns` times pi/2.
fn without<'a>(x: Expr<'a>, turns: f64, count: Expr<'a>) -> Expr<'a> {
    HALF_PI.iter().fold(x, |rest, part| count.fma(-turns * part, rest))
}

/// The sine.
pub fn sin<'a>(x: Expr<'a>) -> Expr<'a> {
    let [count, last] = nearest_product(x, FRAC_1_PI);
    let rest = without(x, 2.0, count);
    flip(rest * (rest * rest).polynomial(&SIN), last_bit_as_sign(last))
}

/// The cosine: the sine of what is left at odd multiples of pi/2.
pub fn cos<'a>(x: Expr<'a>) -> Expr<'a> {
    let [count, last] = nearest_product(x.fma(FRAC_1_PI, x.number(0.5)), 1.0);
    let rest = without(x, 2.0, count - 0.5);
    flip(rest * (rest * rest).polynomial(&SIN), last_bit_as_sign(last))
}

/// The sine and the cosine, each of which is the other one's polynomial in every other quadrant.
pub fn sincos<'a>(x: Expr<'a>) -> [Expr<'a>; 2] {
    let [count, quadrant] = nearest_product(x, FRAC_2_PI);
    let rest = without(x, 1.0, count);
    let square = rest * rest;
    let (sin, cos) = (rest * square.polynomial(&SHORT_SIN), square.polynomial(&SHORT_COS));
    let even = quadrant.lacks(1);
    // The second bit is the sign, of the cosine from the next quadrant on.
    let signs = [quadrant, quadrant.plus(1)].map(|quadrant| (quadrant << 30) & x.sign_bit());
    [flip(even.select(sin, cos), signs[0]), flip(even.select(cos, sin), signs[1])]
}

/// The tangent: a quotient that is the other way round in every other quadrant.
pub fn tan<'a>(x: Expr<'a>) -> Expr<'a> {
    let [count, quadrant] = nearest_product(x, FRAC_2_PI);
    let rest = without(x, 1.0, count);
    let [above, below] = TAN.map(|table| (rest * rest).polynomial(&table));
    let above = rest * above;
    let even = quadrant.lacks(1);
    let value = even.select(above, below).short_over(even.select(below, above));
    flip(value, last_bit_as_sign(quadrant))
}

/// sin(pi x); of whole numbers, a zero with the sign of x.
pub fn sinpi<'a>(x: Expr<'a>) -> Expr<'a> {
    let [count, last] = nearest_product(x, 1.0);
    let rest = flip(x - count, last_bit_as_sign(last));
    // What is added is too small for any half, but for the sign of 0.
    rest.fma((rest * rest).polynomial(&SIN_PI), x * f64::exp2(-60.0))
}

/// cos(pi x); halfway between whole numbers, 0.
pub fn cospi<'a>(x: Expr<'a>) -> Expr<'a> {
    // Halfs and a half are floats.
    let x = x + 0.5;
    let [count, last] = nearest_product(x, 1.0);
    let rest = flip(x - count, last_bit_as_sign(last));
    // The sum with 0 makes 0 of -0.
    rest.fma((rest * rest).polynomial(&SIN_PI), 0.0)
}
