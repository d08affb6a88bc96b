//! What math functions (OpenCL C §6.15.2) have in common: double precision on the way, the gamma function's sign, inverse roots.

use super::common::{approximately, constant};
use ir::*;

/// As a double.
pub fn widen(b: &mut Builder, x: Value) -> Value {
    match b.ty(x).elem {
        Elem::F64 => x,
        Elem::F32 => b.convert(ConvertOp::FPromote, Elem::F64, x),
        _ => {
            let single = b.convert(ConvertOp::FPromote, Elem::F32, x);
            b.convert(ConvertOp::FPromote, Elem::F64, single)
        }
    }
}

/// Back from a double.
pub fn narrow(b: &mut Builder, elem: Elem, x: Value) -> Value {
    match elem {
        Elem::F64 => x,
        Elem::F32 => b.convert(ConvertOp::FDemote, elem, x),
        _ => {
            let single = b.convert(ConvertOp::FDemote, Elem::F32, x);
            b.convert(ConvertOp::FDemote, elem, single)
        }
    }
}

/// The sign of the gamma function, as an `i32`: it is negative between -1 and 0, -3 and -2, and so on.
pub fn gamma_sign(b: &mut Builder, x: Value) -> Value {
    let x = widen(b, x);
    let below = b.unary(UnaryOp::Floor, x);
    let half = b.f64(0.5);
    let halved = b.fmul(below, half);
    let even = b.unary(UnaryOp::Floor, halved);
    let odd = b.fcmp(FloatCc::One, even, halved);
    let zero = b.f64(0.0);
    let negative = b.fcmp(FloatCc::Olt, x, zero);
    let minus = b.and(odd, negative);
    let (plus_one, minus_one) = (b.i32(1), b.i32(-1));
    b.select(minus, minus_one, plus_one)
}

/// 1 / sqrt(x), or what is within two units of it. That of halfs is rounded once, as its limit asks.
pub fn rsqrt(b: &mut Builder, x: Value) -> Value {
    let elem = b.ty(x).elem;
    if elem == Elem::F16 {
        let single = b.convert(ConvertOp::FPromote, Elem::F32, x);
        let value = rsqrt(b, single);
        return b.convert(ConvertOp::FDemote, elem, value);
    }
    let one = constant(b, elem, 1.0);
    let root = b.unary(UnaryOp::Sqrt, x);
    approximately(b, |b| b.fdiv(one, root))
}
