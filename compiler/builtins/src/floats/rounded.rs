//! Arithmetic that rounds otherwise than to the nearest number (SPV_KHR_float_controls, SPV_INTEL_float_controls2).
//!
//! The machine's rounding mode stays as it is: what is nearest is computed, then what it lacks, whose sign says whether the next number is meant.
//! So each operation has its own mode, and all that is known of arithmetic elsewhere stays true.

use super::super::expression::{Expr, write};
use super::parts::{POSITIVE, scale, split};
use ir::{BinaryOp, Builder, Flags, Rounding, Value};

/// `x op y` of floats or doubles, rounded in a direction; `op` is an addition, subtraction, multiplication or division.
pub fn rounded(b: &mut Builder, op: BinaryOp, rounding: Rounding, x: Value, y: Value) -> Value {
    let flags = std::mem::replace(&mut b.flags, Flags::empty());
    let value = write(b, &[x, y], |args| {
        let (x, y) = (args[0], args[1]);
        let result = match op {
            BinaryOp::FAdd => sum(rounding, x, y),
            BinaryOp::FSub => sum(rounding, x, -y),
            BinaryOp::FMul => {
                let near = x * y;
                step(rounding, near, product_excess(near, x, y), (x, y))
            }
            _ => {
                let near = x / y;
                step(rounding, near, quotient_excess(near, x, y), (x, y))
            }
        };
        [result].into_iter().collect()
    })[0];
    b.flags = flags;
    value
}

fn sum<'a>(rounding: Rounding, x: Expr<'a>, y: Expr<'a>) -> Expr<'a> {
    let near = x + y;
    // After Dekker: what the smaller number loses is a number itself.
    let greater = x.abs().gt(y.abs());
    let (most, least) = (greater.select(x, y), greater.select(y, x));
    let lost = least - (near - most);
    let sign = near.sign_bit();
    let excess = (lost.bits() ^ (near.bits() & sign)).float();
    let value = step(rounding, near, excess, (x, y));
    if rounding != Rounding::Down {
        return value;
    }
    // Numbers that cancel leave a negative zero.
    let zero = ((x.bits() | y.bits()) & sign).float();
    near.equals(0.0).select(zero, value)
}

/// A magnitude's mantissa, from 1 to 2, and its exponent.
fn mantissa<'a>(x: Expr<'a>) -> (Expr<'a>, Expr<'a>) {
    let parts = split(x.abs(), 1.0, POSITIVE);
    (parts.fraction, parts.exponent)
}

/// |near| / 2^exponent, which is exact where it matters.
fn unscaled<'a>(near: Expr<'a>, exponent: Expr<'a>) -> Expr<'a> {
    let most = near.by_format(200.0, 1600.0);
    scale(near.abs(), (-exponent).at_least(-most).at_most(most))
}

/// How much |x * y| is more than |near|, but for a power of two.
fn product_excess<'a>(near: Expr<'a>, x: Expr<'a>, y: Expr<'a>) -> Expr<'a> {
    let ((x, x_exponent), (y, y_exponent)) = (mantissa(x), mantissa(y));
    let product = x * y;
    let lost = x.fma(y, -product);
    (product - unscaled(near, x_exponent + y_exponent)) + lost
}

/// How much |x / y| is more than |near|, but for a positive factor.
fn quotient_excess<'a>(near: Expr<'a>, x: Expr<'a>, y: Expr<'a>) -> Expr<'a> {
    let ((x, x_exponent), (y, y_exponent)) = (mantissa(x), mantissa(y));
    let quotient = x / y;
    let rest = (-quotient).fma(y, x);
    (quotient - unscaled(near, x_exponent - y_exponent)).fma(y, rest)
}

/// The nearest number to a result whose magnitude has some `excess` over it, or the one beside it that `rounding` means.
fn step<'a>(rounding: Rounding, near: Expr<'a>, excess: Expr<'a>, (x, y): (Expr<'a>, Expr<'a>)) -> Expr<'a> {
    let (infinity, zero) = (f64::INFINITY, near.number(0.0));
    // Zeros, infinities and NaNs give exact results; an infinity of finite numbers is one too many.
    let ordinary = |x: Expr<'a>| x.abs().lt(infinity) & x.abs().gt(0.0);
    let overflow = near.abs().equals(infinity);
    let excess = overflow.number_or(-1.0, excess);
    let excess = (ordinary(x) & ordinary(y)).select(excess, zero);
    let bits = near.bits();
    let more = excess.gt(0.0).select(bits.plus(1).float(), near);
    let less = excess.lt(0.0).select(bits.plus(-1).float(), near);
    let positive = bits.lacks(near.sign_bit());
    match rounding {
        Rounding::Nearest => near,
        Rounding::Zero => less,
        Rounding::Up => positive.select(more, less),
        Rounding::Down => positive.select(less, more),
    }
}
