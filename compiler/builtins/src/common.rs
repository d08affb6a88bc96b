//! Common functions (OpenCL C §6.15.4).

use super::StdOp;
use ir::*;

/// Writes a common function; none if it is not one of these.
pub fn lower(b: &mut Builder, op: StdOp, args: &[Value]) -> Option<Value> {
    let x = args[0];
    let ty = b.ty(x);
    let y = || args.get(1).copied();
    let z = || args.get(2).copied();
    Some(match op {
        StdOp::fclamp => {
            let low = b.binary(BinaryOp::FMaxNum, x, y()?);
            b.binary(BinaryOp::FMinNum, low, z()?)
        }
        StdOp::degrees => {
            let factor = constant(b, ty.elem, 180.0 / std::f64::consts::PI);
            b.fmul(x, factor)
        }
        StdOp::radians => {
            let factor = constant(b, ty.elem, std::f64::consts::PI / 180.0);
            b.fmul(x, factor)
        }
        // fmax_common(x, y) is y where x < y, else x; NaNs are undefined.
        StdOp::fmax_common => b.binary(BinaryOp::FMax, y()?, x),
        StdOp::fmin_common => b.binary(BinaryOp::FMin, y()?, x),
        StdOp::mix => {
            let (y, a) = (y()?, z()?);
            let span = b.fsub(y, x);
            let part = b.fmul(span, a);
            b.fadd(x, part)
        }
        StdOp::step => {
            let (edge, x) = (x, y()?);
            let below = b.fcmp(FloatCc::Olt, x, edge);
            let (zero, one) = (constant(b, ty.elem, 0.0), constant(b, ty.elem, 1.0));
            b.select(below, zero, one)
        }
        StdOp::smoothstep => {
            let (from, to, x) = (x, y()?, z()?);
            let (above, span) = (b.fsub(x, from), b.fsub(to, from));
            let t = b.fdiv(above, span);
            let (zero, one) = (constant(b, ty.elem, 0.0), constant(b, ty.elem, 1.0));
            let t = b.binary(BinaryOp::FMaxNum, t, zero);
            let t = b.binary(BinaryOp::FMinNum, t, one);
            let (two, three) = (constant(b, ty.elem, 2.0), constant(b, ty.elem, 3.0));
            let twice = b.fmul(two, t);
            let rest = b.fsub(three, twice);
            let square = b.fmul(t, t);
            b.fmul(square, rest)
        }
        StdOp::sign => {
            let (zero, one) = (constant(b, ty.elem, 0.0), constant(b, ty.elem, 1.0));
            let signed = b.binary(BinaryOp::CopySign, one, x);
            let is_zero = b.fcmp(FloatCc::Oeq, x, zero);
            let result = b.select(is_zero, x, signed);
            let nan = b.fcmp(FloatCc::Uno, x, x);
            b.select(nan, zero, result)
        }
        _ => return None,
    })
}

/// A float constant of any width, rounded from a double.
pub fn constant(b: &mut Builder, elem: Elem, value: f64) -> Value {
    let bits = ir::eval::from_f64(elem, value);
    b.constant(Type::scalar(elem), bits)
}

/// Appends something whose result may be approximate, within a few units in the last place.
pub fn approximately<T>(b: &mut Builder, f: impl FnOnce(&mut Builder) -> T) -> T {
    with_flags(b, Flags::AFN, f)
}

/// The same for results of which eleven bits are asked for.
pub fn roughly<T>(b: &mut Builder, f: impl FnOnce(&mut Builder) -> T) -> T {
    with_flags(b, Flags::AFN | Flags::ROUGH, f)
}

/// The same for results that may be wrong by 2^-14 of themselves.
pub fn shortly<T>(b: &mut Builder, f: impl FnOnce(&mut Builder) -> T) -> T {
    with_flags(b, Flags::AFN | Flags::SHORT, f)
}

/// The same with any flags.
pub fn with_flags<T>(b: &mut Builder, more: Flags, f: impl FnOnce(&mut Builder) -> T) -> T {
    let flags = b.flags;
    b.flags |= more;
    let result = f(b);
    b.flags = flags;
    result
}
