//! The gamma function and its logarithm, both in double precision whatever the operand is.

use super::super::expression::Expr;
use super::exponential::exp;
use super::logarithm::log;
use super::power::{Effort, pow};
use super::trigonometric::sinpi;
use ir::Elem;
use std::f64::consts::PI;

/// ln(gamma(x)) / ((x - 1) (x - 2)) of x - 1.375 for x in [0.75, 2]; 2^-52.7.
const LN_GAMMA: [f64; 27] = [
    0.5024224884952695,
    -0.16329915582013635,
    0.07643313760044865,
    -0.04142369437387481,
    0.024222189281269894,
    -0.014816927002892907,
    0.009333106106359223,
    -0.005999888780208684,
    0.0039151905800395926,
    -0.002584259345178933,
    0.0017213273117377774,
    -0.0011550575289924782,
    0.0007798876180179288,
    -0.000529463647165769,
    0.0003610065553571339,
    -0.00024632994464256604,
    0.0001691955849416368,
    -0.00012033067747229686,
    8.319231977273649e-05,
    -4.529172885751804e-05,
    3.133011749451123e-05,
    -4.946028525769094e-05,
    3.465195032446114e-05,
    1.6106072781706197e-05,
    -1.1422904385435988e-05,
    -2.638428957128093e-05,
    1.856753246496788e-05,
];
/// B(2k) / (2k (2k - 1)), of Stirling's series.
const STIRLING: [f64; 7] = [
    1.0 / 12.0,
    -1.0 / 360.0,
    1.0 / 1260.0,
    -1.0 / 1680.0,
    1.0 / 1188.0,
    -691.0 / 360_360.0,
    1.0 / 156.0,
];
/// exp(x) - 1 over x, for what is left of Stirling's series.
const EXP: [f64; 6] = [1.0, 1.0 / 2.0, 1.0 / 6.0, 1.0 / 24.0, 1.0 / 120.0, 1.0 / 720.0];
/// (ln(2 pi) - 1) / 2
const HALF_LN_2PI_LESS_HALF: f64 = 0.418_938_533_204_672_7;
/// The square root of 2 pi.
const ROOT_2PI: f64 = 2.506_628_274_631_000_7;

/// A positive number, at most 2 + `steps`, brought near 1.
struct Near<'a> {
    /// It is below 0.75, and 1 has been added to it.
    small: Expr<'a>,
    /// The product of the numbers that were passed on the way down.
    product: Expr<'a>,
    /// ln(gamma) there.
    ln_gamma: Expr<'a>,
}

impl<'a> Near<'a> {
    fn new(x: Expr<'a>, steps: u32) -> Near<'a> {
        let (mut y, mut product) = (x, x.number(1.0));
        for _ in 0..steps {
            let (above, less) = (y.gt(2.0), y - 1.0);
            product = above.select(product * less, product);
            y = above.select(less, y);
        }
        let small = x.lt(0.75);
        let from_1 = small.select(x, y - 1.0);
        let ln_gamma = (from_1 - 0.375).polynomial(&LN_GAMMA) * (from_1 * (from_1 - 1.0));
        Near { small, product, ln_gamma }
    }
}

/// What ln(gamma(x)) has besides powers of x.
fn stirling<'a>(x: Expr<'a>) -> Expr<'a> {
    let inverse = 1.0 / x;
    (inverse * inverse).polynomial(&STIRLING) * inverse
}

/// ln(|gamma(x)|).
pub fn lgamma<'a>(x: Expr<'a>) -> Expr<'a> {
    let (elem, x) = (x.elem(), x.to(Elem::F64));
    let size = x.abs();
    let near = Near::new(size, 6);
    let large = size.ge(8.0);
    let ln = log((large | near.small).select(size, near.product));
    let far = (size - 0.5).fma(ln - 1.0, stirling(size) + HALF_LN_2PI_LESS_HALF);
    let value = large.select(far, near.ln_gamma + near.small.select(-ln, ln));
    // gamma(x) gamma(-x) = -pi / (x sin(pi x)); around 0 both are as large.
    let sine = sinpi(size).abs();
    let reflected = log(PI / (size * sine)) - value;
    let reflected = sine.equals(0.0).number_or(f64::INFINITY, reflected);
    let value = (x.lt(0.0) & size.gt(1e-17)).select(reflected, value);
    size.equals(f64::INFINITY).select(size, value).to(elem)
}

/// The gamma function.
pub fn tgamma<'a>(x: Expr<'a>) -> Expr<'a> {
    let (elem, x) = (x.elem(), x.to(Elem::F64));
    let size = x.abs();
    let near = Near::new(size, 10);
    // Beyond this all is infinite, or 0.
    let far = size.at_most(200.0);
    let large = size.ge(12.0);
    let power = exp(large.select(-far, near.ln_gamma));
    // x^(x - 1/2) in two halves, neither of which overflows.
    let half = pow(far, far.fma(0.5, -0.25), Effort::Full);
    let rest = stirling(far);
    let rest = rest.fma(rest.polynomial(&EXP), 1.0);
    let one = x.number(1.0);
    let first = large.select((half * power) * (rest * ROOT_2PI), power * near.product);
    let second = large.select(half, one);
    // Below 0.75 that is gamma(1 + |x|) = |x| gamma(|x|).
    let positive = near.small.select(first / x, first * second);
    let sine = sinpi(size);
    let negative = -PI / (sine * near.small.select(one, size)) / first / second;
    let pole = sine.equals(0.0) | size.equals(f64::INFINITY);
    let negative = pole.number_or(f64::NAN, negative);
    x.lt(0.0).select(negative, positive).to(elem)
}
