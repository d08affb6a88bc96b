//! Math functions (OpenCL C §6.15.2) of `float` and `double` as vector code: polynomials with fused multiply-add, without branches on the
//! common path. Those of halfs are computed in floats. What is not here, [`super::math`] has.
//!
//! Polynomials are minimax approximations, fitted by iteratively reweighted least squares in 300 bits at Chebyshev nodes; coefficients are
//! rounded from the lowest on, and the rest is fitted again after each. Comments give the bound of the approximation, relative to
//! the function unless said otherwise, for floats and doubles. The errors found over samples of all numbers stand in the tests,
//! with the limits of OpenCL C §7.4.

mod angle_table;
mod error_function;
mod exp_tables;
mod exponential;
mod gamma;
mod halfs;
mod hyperbolic;
mod inverse;
mod log_tables;
mod logarithm;
pub mod parts;
mod power;
mod quotient;
mod ratio_table;
mod remainder;
mod root;
mod rounded;
mod single_log_tables;
#[cfg(test)]
pub mod tests;
mod trigonometric;

use super::expression::{Expr, ExprList, Offer, write, write_with};
use super::{Library, Precision, StdOp};
use inverse::Unit;
use ir::*;
use power::Effort;
pub use rounded::rounded;
use smallvec::{SmallVec, smallvec};
use trigonometric::Range;

/// Writes a math function of floats, none if it is not one of these. Those with two results give both.
pub fn lower(b: &mut Builder, library: &mut Library, op: StdOp, args: &[Value]) -> Option<ValueList> {
    let elem = b.ty(args[0]).elem;
    if !matches!(elem, Elem::F16 | Elem::F32 | Elem::F64) {
        return None;
    }
    let reduced = elem == Elem::F16;
    let function = match op {
        StdOp::rsqrt if elem == Elem::F64 && library.precision.has_slow_roots => function!(root::rsqrt),
        _ => Function::of(op, elem, library.precision.relaxed)?,
    };
    let wide: ValueList = args.iter().map(|&arg| if reduced { as_single(b, arg) } else { arg }).collect();
    let ty = if reduced { Type::F32 } else { Type::scalar(elem) };
    if op == StdOp::pow
        && let Some(y) = b.func.constant(wide[1])
        && let Some(result) = constant_power(b, wide[0], eval::to_f64(ty.elem, y))
    {
        return Some(ValueList::from_slice(&[as_was(b, elem, result)]));
    }
    let types: &[Type] = match op {
        StdOp::sincos => &[ty; 2],
        StdOp::remquo => &[ty, Type::I32],
        _ => &[ty],
    };
    let results = library.call(b, function.name, &wide, types, |b, library, args| {
        let Precision {
            has_tables, has_powers, ..
        } = library.precision;
        let offer = Offer {
            tables: has_tables.then_some(&mut *library.module),
            has_powers,
        };
        write_with(b, offer, args, function.write)
    });
    Some(results.iter().map(|&value| as_was(b, elem, value)).collect())
}

/// A function of the library: what it is called there, and what writes it.
struct Function {
    name: &'static str,
    write: for<'a> fn(&[Expr<'a>]) -> ExprList<'a>,
}

/// A function by its path, or by a name and what it gives.
macro_rules! function {
    ($path:path) => {
        function!(stringify!($path), |x| $path(x))
    };
    ($name:expr, |$($arg:ident),+| $($value:expr),+) => {
        Function {
            name: $name,
            write: |args| match *args {
                [$($arg),+] => smallvec![$($value),+],
                _ => smallvec![],
            },
        }
    };
}
use function;

impl Function {
    fn of(op: StdOp, elem: Elem, relaxed: bool) -> Option<Function> {
        let half = elem == Elem::F16;
        let single = elem != Elem::F64;
        if half && let Some(function) = halfs::of(op) {
            return Some(function);
        }
        if relaxed
            && single
            && let Some(function) = Function::relaxed(op)
        {
            return Some(function);
        }
        Function::exact(op).or_else(|| if single { Function::named_so(op) } else { None })
    }

    /// Within the limits of OpenCL C §7.4 for floats and doubles.
    fn exact(op: StdOp) -> Option<Function> {
        use Unit::{HalfTurns, Radians};
        Some(match op {
            StdOp::acos => function!("acos", |x| inverse::acos(x, Radians)),
            StdOp::acosh => function!(hyperbolic::acosh),
            StdOp::acospi => function!("acospi", |x| inverse::acos(x, HalfTurns)),
            StdOp::asin => function!("asin", |x| inverse::asin(x, Radians)),
            StdOp::asinh => function!(hyperbolic::asinh),
            StdOp::asinpi => function!("asinpi", |x| inverse::asin(x, HalfTurns)),
            StdOp::atan => function!("atan", |x| inverse::atan(x, Radians)),
            StdOp::atan2 => function!("atan2", |y, x| inverse::atan2(y, x, Radians)),
            StdOp::atan2pi => function!("atan2pi", |y, x| inverse::atan2(y, x, HalfTurns)),
            StdOp::atanh => function!(hyperbolic::atanh),
            StdOp::atanpi => function!("atanpi", |x| inverse::atan(x, HalfTurns)),
            StdOp::cbrt => function!(root::cbrt),
            StdOp::cos => function!("cos", |x| trigonometric::cos(x, Range::All)),
            StdOp::cosh => function!(hyperbolic::cosh),
            StdOp::cospi => function!(trigonometric::cospi),
            StdOp::erf => function!(error_function::erf),
            StdOp::erfc => function!(error_function::erfc),
            StdOp::exp => function!(exponential::exp),
            StdOp::exp10 => function!(exponential::exp10),
            StdOp::exp2 => function!(exponential::exp2),
            StdOp::expm1 => function!(exponential::expm1),
            StdOp::fmod => function!("fmod", |x, y| remainder::fmod(x, y)),
            StdOp::hypot => function!("hypot", |x, y| root::hypot(x, y)),
            StdOp::lgamma => function!(gamma::lgamma),
            StdOp::log => function!(logarithm::log),
            StdOp::log10 => function!(logarithm::log10),
            StdOp::log1p => function!(logarithm::log1p),
            StdOp::log2 => function!(logarithm::log2),
            StdOp::pow => function!("pow", |x, y| power::pow(x, y, Effort::Full)),
            StdOp::pown => function!("pown", |x, n| power::pown(x, n)),
            StdOp::powr => function!("powr", |x, y| power::powr(x, y, Effort::Full)),
            StdOp::remainder => function!("remainder", |x, y| remainder::remainder(x, y)),
            StdOp::remquo => Function {
                name: "remquo",
                write: |args| SmallVec::from_iter(remainder::remquo(args[0], args[1])),
            },
            StdOp::rootn => function!("rootn", |x, n| power::rootn(x, n)),
            StdOp::sin => function!("sin", |x| trigonometric::sin(x, Range::All)),
            StdOp::sincos => Function {
                name: "sincos",
                write: |args| SmallVec::from_iter(trigonometric::sincos(args[0], Range::All)),
            },
            StdOp::sinh => function!(hyperbolic::sinh),
            StdOp::sinpi => function!(trigonometric::sinpi),
            StdOp::tan => function!("tan", |x| trigonometric::tan(x, Range::All)),
            StdOp::tanh => function!(hyperbolic::tanh),
            StdOp::tanpi => function!(trigonometric::tanpi),
            StdOp::tgamma => function!(gamma::tgamma),
            _ => return None,
        })
    }

    /// Functions of floats that are less exact by their names.
    fn named_so(op: StdOp) -> Option<Function> {
        Some(match op {
            StdOp::native_cos => return Function::exact(StdOp::cos),
            StdOp::native_sin => return Function::exact(StdOp::sin),
            // (Beyond the angles that are asked for, what is left of one has no tangent.)
            StdOp::native_tan | StdOp::half_tan => return Function::exact(StdOp::tan),
            // Angles to 2^16.
            StdOp::half_cos => function!("half_cos", |x| trigonometric::cos(x, Range::Small)),
            StdOp::half_sin => function!("half_sin", |x| trigonometric::sin(x, Range::Small)),
            StdOp::native_exp => return Function::relaxed(StdOp::exp),
            StdOp::native_exp10 => return Function::relaxed(StdOp::exp10),
            StdOp::native_exp2 => return Function::relaxed(StdOp::exp2),
            StdOp::half_exp => function!(exponential::half_exp),
            StdOp::half_exp10 => function!(exponential::half_exp10),
            StdOp::half_exp2 => function!(exponential::half_exp2),
            StdOp::half_divide => function!("half_divide", |x, y| quotient::half_divide(x, y)),
            StdOp::native_powr | StdOp::half_powr => function!("half_powr", |x, y| power::half_powr(x, y)),
            StdOp::native_log | StdOp::half_log => function!(logarithm::half_log),
            StdOp::native_log10 | StdOp::half_log10 => function!(logarithm::half_log10),
            StdOp::native_log2 | StdOp::half_log2 => function!(logarithm::half_log2),
            _ => return None,
        })
    }

    /// Within the limits for floats under `-cl-unsafe-math-optimizations`.
    fn relaxed(op: StdOp) -> Option<Function> {
        Some(match op {
            StdOp::exp => function!(exponential::native_exp),
            StdOp::exp10 => function!(exponential::native_exp10),
            StdOp::exp2 => function!(exponential::native_exp2),
            StdOp::pow => function!("relaxed_pow", |x, y| power::pow(x, y, Effort::Relaxed)),
            StdOp::powr => function!("relaxed_powr", |x, y| power::powr(x, y, Effort::Relaxed)),
            _ => return None,
        })
    }
}

fn constant_power(b: &mut Builder, x: Value, y: f64) -> Option<Value> {
    let results = write(b, &[x], |args| power::of_constant(args[0], y).into_iter().collect());
    results.first().copied()
}

/// Halfs as floats.
pub fn as_single(b: &mut Builder, x: Value) -> Value {
    match b.ty(x).elem {
        Elem::F16 => b.convert(ConvertOp::FPromote, Elem::F32, x),
        _ => x,
    }
}

/// Floats of what was a half as such.
pub fn as_was(b: &mut Builder, elem: Elem, x: Value) -> Value {
    match elem {
        Elem::F16 if b.ty(x).elem == Elem::F32 => b.convert(ConvertOp::FDemote, elem, x),
        _ => x,
    }
}
