//! Functions of halfs, computed in floats. An error of 2^-15 of a result is a sixteenth of a unit at most, and one of 2^-14, as estimates of quotients and
//! roots have, an eighth. No half is a subnormal float, or has a square that overflows. Rounding to a half makes results exact that ought to be, and
//! those 0 or infinite that are too small or too great.

mod exponential;
mod hyperbolic;
mod inverse;
mod logarithm;
mod power;
#[cfg(test)]
mod tests;
mod trigonometric;

use super::inverse::Unit::{HalfTurns, Radians};
use super::{Function, function};
use crate::StdOp;
use smallvec::{SmallVec, smallvec};

/// A function that is good for all halfs, if it has such a version.
pub(super) fn of(op: StdOp) -> Option<Function> {
    Some(match op {
        StdOp::acos => function!("acos_of_half", |x| inverse::acos(x, Radians)),
        StdOp::acosh => function!("acosh_of_half", |x| hyperbolic::acosh(x)),
        StdOp::acospi => function!("acospi_of_half", |x| inverse::acos(x, HalfTurns)),
        StdOp::asin => function!("asin_of_half", |x| inverse::asin(x, Radians)),
        StdOp::asinh => function!("asinh_of_half", |x| hyperbolic::asinh(x)),
        StdOp::asinpi => function!("asinpi_of_half", |x| inverse::asin(x, HalfTurns)),
        StdOp::atan => function!("atan_of_half", |x| inverse::atan(x, Radians)),
        StdOp::atan2 => function!("atan2_of_half", |y, x| inverse::atan2(y, x, Radians)),
        StdOp::atan2pi => function!("atan2pi_of_half", |y, x| inverse::atan2(y, x, HalfTurns)),
        StdOp::atanh => function!("atanh_of_half", |x| hyperbolic::atanh(x)),
        StdOp::atanpi => function!("atanpi_of_half", |x| inverse::atan(x, HalfTurns)),
        StdOp::cbrt => function!("cbrt_of_half", |x| power::cbrt(x)),
        StdOp::cos => function!("cos_of_half", |x| trigonometric::cos(x)),
        StdOp::cospi => function!("cospi_of_half", |x| trigonometric::cospi(x)),
        StdOp::cosh => function!("cosh_of_half", |x| hyperbolic::cosh(x)),
        StdOp::erf => function!("erf_of_half", |x| exponential::erf(x)),
        StdOp::exp => function!("exp_of_half", |x| exponential::exp(x)),
        StdOp::exp10 => function!("exp10_of_half", |x| exponential::exp10(x)),
        StdOp::exp2 => function!("exp2_of_half", |x| exponential::exp2(x)),
        StdOp::expm1 => function!("expm1_of_half", |x| exponential::expm1(x)),
        StdOp::log => function!("log_of_half", |x| logarithm::log(x)),
        StdOp::log10 => function!("log10_of_half", |x| logarithm::log10(x)),
        StdOp::log1p => function!("log1p_of_half", |x| logarithm::log1p(x)),
        StdOp::log2 => function!("log2_of_half", |x| logarithm::log2(x)),
        StdOp::pow => function!("pow_of_half", |x, y| power::pow(x, y)),
        StdOp::powr => function!("powr_of_half", |x, y| power::powr(x, y)),
        StdOp::rootn => function!("rootn_of_half", |x, n| power::rootn(x, n)),
        StdOp::sin => function!("sin_of_half", |x| trigonometric::sin(x)),
        StdOp::sincos => Function {
            name: "sincos_of_half",
            write: |args| SmallVec::from_iter(trigonometric::sincos(args[0])),
        },
        StdOp::sinh => function!("sinh_of_half", |x| hyperbolic::sinh(x)),
        StdOp::sinpi => function!("sinpi_of_half", |x| trigonometric::sinpi(x)),
        StdOp::tan => function!("tan_of_half", |x| trigonometric::tan(x)),
        StdOp::tanh => function!("tanh_of_half", |x| hyperbolic::tanh(x)),
        _ => return None,
    })
}
