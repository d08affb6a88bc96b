//! Powers of doubles by a table, where the machine looks up sixteen of them in registers: x is a number of sixteenths of a power of two and a rest, which
//! takes a short polynomial.

use super::super::expression::Expr;
use super::parts::fraction_bits;
use std::f64::consts::SQRT_2;

/// (2^x - 1) / x on [-1/32, 1/32]; 2^-57.0 of 2^x.
pub const EXP2: [f64; 6] = [
    0.6931471805599468,
    0.2402265069591011,
    0.05550410865215416,
    0.009618129105695442,
    0.0013333818490451233,
    0.00015403815637602525,
];
/// (e^x - 1) / x on [-ln(2)/32, ln(2)/32]; 2^-57.0 of e^x.
pub const EXP: [f64; 6] = [
    1.0000000000000022,
    0.5000000000000008,
    0.1666666666285536,
    0.04166666665859312,
    0.008333496158341796,
    0.0013889141948471905,
];
/// (10^x - 1) / x on [-log10(2)/32, log10(2)/32]; 2^-57.0 of 10^x.
pub const EXP10: [f64; 6] = [
    2.302585092994051,
    2.650949055239203,
    2.0346785918285626,
    1.1712551486826777,
    0.5393934652416215,
    0.20699963949710276,
];

/// 2^(i / 16)
const POWERS: [f64; 16] = [
    1.0,
    1.0442737824274138,
    1.0905077326652577,
    1.1387886347566916,
    1.189207115002721,
    1.241857812073484,
    1.2968395546510096,
    1.3542555469368927,
    SQRT_2,
    1.4768261459394993,
    1.5422108254079407,
    1.6104903319492543,
    1.681792830507429,
    1.7562521603732995,
    1.8340080864093424,
    1.9152065613971474,
];

/// 2 to the power of that number's last four bits, in sixteenths, times the power of such a rest.
pub fn fraction<'a>(sixteenths: Expr<'a>, rest: Expr<'a>, polynomial: &[f64]) -> Expr<'a> {
    let fraction = sixteenths.entry(&POWERS);
    fraction.fma(rest * rest.polynomial(polynomial), fraction)
}

/// 2 to the power of so many sixteenths, by the last bits of an integer, times the power of a rest that a polynomial is for: a normal number.
pub fn power<'a>(sixteenths: Expr<'a>, rest: Expr<'a>, polynomial: &[f64]) -> Expr<'a> {
    let by = fraction_bits(rest) - 4;
    // The last four bits of the number come into the fraction with the others, which come to the exponent; so they are taken off before.
    let table = std::array::from_fn(|i| f64::from_bits(POWERS[i].to_bits() - ((i as u64) << by)));
    let whole = (sixteenths.entry(&table).bits() + (sixteenths << by)).float();
    whole.fma(rest * rest.polynomial(polynomial), whole)
}
