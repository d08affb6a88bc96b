//! Math functions that are one operation or a few: exact by nature.

use super::StdOp;
use super::common::{approximately, constant, roughly, with_flags};
use ir::*;

/// Writes such a function; none if it is not one of these.
pub fn lower(b: &mut Builder, op: StdOp, args: &[Value]) -> Option<Value> {
    let x = args[0];
    let elem = b.ty(x).elem;
    let y = || args.get(1).copied();
    let z = || args.get(2).copied();
    Some(match op {
        StdOp::ceil => b.unary(UnaryOp::Ceil, x),
        StdOp::floor => b.unary(UnaryOp::Floor, x),
        StdOp::trunc => b.unary(UnaryOp::FTrunc, x),
        StdOp::rint => b.unary(UnaryOp::Nearest, x),
        StdOp::fabs => b.unary(UnaryOp::FAbs, x),
        StdOp::sqrt => b.unary(UnaryOp::Sqrt, x),
        StdOp::native_sqrt | StdOp::half_sqrt => approximately(b, |b| b.unary(UnaryOp::Sqrt, x)),
        StdOp::copysign => b.binary(BinaryOp::CopySign, x, y()?),
        StdOp::fmax => b.binary(BinaryOp::FMaxNum, x, y()?),
        StdOp::fmin => b.binary(BinaryOp::FMinNum, x, y()?),
        StdOp::fma => b.fma(x, y()?, z()?),
        // Few machines fuse halves.
        StdOp::mad if elem == Elem::F16 => contracted(b, x, y()?, z()?),
        StdOp::mad => b.fma(x, y()?, z()?),
        StdOp::rsqrt => super::math::rsqrt(b, x),
        StdOp::native_rsqrt | StdOp::half_rsqrt => roughly(b, |b| super::math::rsqrt(b, x)),
        StdOp::native_divide => {
            let y = y()?;
            approximately(b, |b| b.fdiv(x, y))
        }
        StdOp::native_recip | StdOp::half_recip => {
            let one = constant(b, elem, 1.0);
            roughly(b, |b| b.fdiv(one, x))
        }
        StdOp::fdim => {
            let y = y()?;
            let difference = b.fsub(x, y);
            let not_greater = b.fcmp(FloatCc::Ole, x, y);
            let zero = constant(b, elem, 0.0);
            b.select(not_greater, zero, difference)
        }
        StdOp::maxmag => by_magnitude(b, x, y()?, FloatCc::Ogt, BinaryOp::FMaxNum),
        StdOp::minmag => by_magnitude(b, x, y()?, FloatCc::Olt, BinaryOp::FMinNum),
        StdOp::round => {
            // Away from zero by the greatest number below a half: with a half itself, the number next to it below would become 1.
            let (int, half) = (elem.as_int(), ir::eval::from_f64(elem, 0.5));
            let bits = b.bitcast(int, x);
            let sign = b.binary_imm(BinaryOp::And, bits, 1i64 << (elem.bits() - 1));
            let bits = b.binary_imm(BinaryOp::Or, sign, half as i64 - 1);
            let step = b.bitcast(elem, bits);
            let sum = b.fadd(x, step);
            b.unary(UnaryOp::FTrunc, sum)
        }
        _ => return None,
    })
}

/// Functions of floats whose first operand is an integer.
pub fn of_integers(b: &mut Builder, op: StdOp, args: &[Value]) -> Option<Value> {
    match op {
        // The code goes into the fraction of a quiet NaN.
        StdOp::nan => {
            let float = match b.ty(args[0]).elem {
                Elem::I16 => Elem::F16,
                Elem::I32 => Elem::F32,
                Elem::I64 => Elem::F64,
                _ => return None,
            };
            let infinity = infinity_bits(float);
            let quiet = match float {
                Elem::F16 => 1 << 9,
                Elem::F32 => 1 << 22,
                _ => 1 << 51,
            };
            let fraction = float.bit_mask() >> 1 & !infinity;
            let code = b.binary_imm(BinaryOp::And, args[0], fraction as i64);
            let bits = b.binary_imm(BinaryOp::Or, code, (infinity | quiet) as i64);
            Some(b.bitcast(float, bits))
        }
        _ => None,
    }
}

/// `x * y + z`, rounded once or twice.
fn contracted(b: &mut Builder, x: Value, y: Value, z: Value) -> Value {
    with_flags(b, Flags::CONTRACT, |b| {
        let product = b.fmul(x, y);
        b.fadd(product, z)
    })
}

fn by_magnitude(b: &mut Builder, x: Value, y: Value, first: FloatCc, otherwise: BinaryOp) -> Value {
    let (ax, ay) = (b.unary(UnaryOp::FAbs, x), b.unary(UnaryOp::FAbs, y));
    let take_x = b.fcmp(first, ax, ay);
    let take_y = b.fcmp(first, ay, ax);
    let other = b.binary(otherwise, x, y);
    let other = b.select(take_y, y, other);
    b.select(take_x, x, other)
}
