//! Math functions (OpenCL C §6.15.2) of `float` as vector code: polynomials in f32 with fused multiply-add, without branches on the common
//! path. `half` goes through them too. What is not here, [`super::math`] has.
//!
//! Polynomials are minimax approximations, fitted by iteratively reweighted least squares in 200 bits at Chebyshev nodes; coefficients are
//! rounded to f32 from the lowest on, and the rest is fitted again after each. Comments give the bound of the approximation (relative to
//! the function unless said otherwise) and, as "error", the greatest one found over samples of all floats, in units in the last place.
//! The limits are those of OpenCL C §7.4.

mod exponential;
mod logarithm;
mod power;
#[cfg(test)]
mod tests;
mod trigonometric;

use super::{Library, StdOp};
use crate::ir::*;

/// Writes a math function of `float` or `half`, none if it is not one of these. Those with two results give both.
pub fn lower(b: &mut Builder, library: &mut Library, op: StdOp, args: &[Value]) -> Option<ValueList> {
    let (name, write) = function(op)?;
    let elem = b.ty(args[0]).elem;
    if !matches!(elem, Elem::F32 | Elem::F16) {
        return None;
    }
    let singles: ValueList = args.iter().map(|&arg| as_single(b, arg)).collect();
    let count = if op == StdOp::sincos { 2 } else { 1 };
    let results = library.call(b, name, &singles, &[Type::F32; 2][..count], |b, _, args| write(b, args));
    Some(results.iter().map(|&value| as_was(b, elem, value)).collect())
}

/// Writes a function's code at the builder.
type Write = fn(&mut Builder, &[Value]) -> ValueList;

fn function(op: StdOp) -> Option<(&'static str, Write)> {
    macro_rules! functions {
        ($($($op:ident)|+ => $write:path;)+) => {
            match op {
                StdOp::pow => Some(("power::pow", |b, args| ValueList::from_iter(power::pow(b, args[0], args[1])))),
                StdOp::pown => Some(("power::pown", |b, args| ValueList::from_iter(power::pown(b, args[0], args[1])))),
                StdOp::powr | StdOp::half_powr | StdOp::native_powr => {
                    Some(("power::powr", |b, args| ValueList::from_iter(power::powr(b, args[0], args[1]))))
                }
                $($(StdOp::$op)|+ => Some((stringify!($write), |b, args| ValueList::from_iter($write(b, args[0]))))),+,
                _ => None,
            }
        };
    }
    functions! {
        exp | half_exp => exponential::exp;
        exp2 | half_exp2 => exponential::exp2;
        exp10 | half_exp10 => exponential::exp10;
        native_exp => exponential::native_exp;
        native_exp2 => exponential::native_exp2;
        native_exp10 => exponential::native_exp10;
        log | half_log => logarithm::log;
        log2 | half_log2 => logarithm::log2;
        log10 | half_log10 => logarithm::log10;
        native_log => logarithm::native_log;
        native_log2 => logarithm::native_log2;
        native_log10 => logarithm::native_log10;
        sin | half_sin | native_sin => trigonometric::sin;
        cos | half_cos | native_cos => trigonometric::cos;
        tan | half_tan | native_tan => trigonometric::tan;
        sincos => trigonometric::sincos;
    }
}

fn as_single(b: &mut Builder, x: Value) -> Value {
    match b.ty(x).elem {
        Elem::F16 => b.convert(ConvertOp::FPromote, Elem::F32, x),
        _ => x,
    }
}

fn as_was(b: &mut Builder, elem: Elem, x: Value) -> Value {
    match elem {
        Elem::F16 => b.convert(ConvertOp::FDemote, elem, x),
        _ => x,
    }
}

/// The polynomial of `x` with these coefficients, the lowest first, by Horner's rule.
fn polynomial(b: &mut Builder, x: Value, coefficients: &[f32]) -> Value {
    let mut terms = coefficients.iter().rev();
    let mut sum = b.f32(terms.next().copied().unwrap_or(0.0));
    for &term in terms {
        let term = b.f32(term);
        sum = b.fma(sum, x, term);
    }
    sum
}

/// x * factor + addend
fn fma_by(b: &mut Builder, x: Value, factor: f32, addend: Value) -> Value {
    let factor = b.f32(factor);
    b.fma(x, factor, addend)
}

/// x * factor
fn times(b: &mut Builder, x: Value, factor: f32) -> Value {
    let factor = b.f32(factor);
    b.fmul(x, factor)
}

/// x at least `low` and at most `high`; a NaN stays one.
fn clamp(b: &mut Builder, x: Value, low: f32, high: f32) -> Value {
    let (low, high) = (b.f32(low), b.f32(high));
    let x = b.binary(BinaryOp::FMax, low, x);
    b.binary(BinaryOp::FMin, high, x)
}

/// 2^n for an integer n from -126 to 127.
fn power_of_two(b: &mut Builder, n: Value) -> Value {
    let biased = b.binary_imm(BinaryOp::Add, n, 127);
    let bits = b.binary_imm(BinaryOp::Shl, biased, 23);
    b.bitcast(Elem::F32, bits)
}
