//! Math functions (OpenCL C §6.15.2) through C's mathematics library, a lane at a time, in double precision: narrower types are widened,
//! and rounded once at the end. Edge cases are those of OpenCL C §7.5.1 where C differs.

use super::StdOp;
use super::common::constant;
use crate::ir::*;
use std::f64::consts::PI;

/// Writes a math function; none if it is not one of these.
pub fn lower(b: &mut Builder, op: StdOp, args: &[Value]) -> Option<Value> {
    let x = args[0];
    let elem = b.ty(x).elem;
    let mut wide = ValueList::new();
    for &arg in args {
        if !b.ty(arg).elem.is_float() {
            return of_float_and_int(b, op, x, arg);
        }
        wide.push(widen(b, arg));
    }
    let result = in_double(b, op, &wide)?;
    Some(narrow(b, elem, result))
}

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

fn call(b: &mut Builder, routine: Runtime, args: &[Value]) -> Value {
    b.value(InstData::CallRuntime {
        routine,
        args: ValueList::from_slice(args),
    })
}

fn in_double(b: &mut Builder, op: StdOp, args: &[Value]) -> Option<Value> {
    let x = args[0];
    let y = || args.get(1).copied();
    let plain = match op {
        StdOp::acos | StdOp::acospi => Runtime::AcosF64,
        StdOp::acosh => Runtime::AcoshF64,
        StdOp::asin | StdOp::asinpi => Runtime::AsinF64,
        StdOp::asinh => Runtime::AsinhF64,
        StdOp::atan | StdOp::atanpi => Runtime::AtanF64,
        StdOp::atan2 | StdOp::atan2pi => Runtime::Atan2F64,
        StdOp::atanh => Runtime::AtanhF64,
        StdOp::cbrt => Runtime::CbrtF64,
        StdOp::cos | StdOp::half_cos | StdOp::native_cos => Runtime::CosF64,
        StdOp::cosh => Runtime::CoshF64,
        StdOp::erf => Runtime::ErfF64,
        StdOp::erfc => Runtime::ErfcF64,
        StdOp::exp | StdOp::half_exp | StdOp::native_exp => Runtime::ExpF64,
        StdOp::exp10 | StdOp::half_exp10 | StdOp::native_exp10 => Runtime::Exp10F64,
        StdOp::exp2 | StdOp::half_exp2 | StdOp::native_exp2 => Runtime::Exp2F64,
        StdOp::expm1 => Runtime::Expm1F64,
        StdOp::hypot => Runtime::HypotF64,
        StdOp::lgamma => Runtime::LgammaF64,
        StdOp::log | StdOp::half_log | StdOp::native_log => Runtime::LogF64,
        StdOp::log10 | StdOp::half_log10 | StdOp::native_log10 => Runtime::Log10F64,
        StdOp::log1p => Runtime::Log1pF64,
        StdOp::log2 | StdOp::half_log2 | StdOp::native_log2 => Runtime::Log2F64,
        StdOp::pow => Runtime::PowF64,
        StdOp::remainder => Runtime::RemainderF64,
        StdOp::sin | StdOp::half_sin | StdOp::native_sin => Runtime::SinF64,
        StdOp::sinh => Runtime::SinhF64,
        StdOp::tan | StdOp::half_tan | StdOp::native_tan => Runtime::TanF64,
        StdOp::tanh => Runtime::TanhF64,
        StdOp::tgamma => Runtime::TgammaF64,
        StdOp::sinpi => return Some(sinpi(b, x)),
        StdOp::cospi => return Some(cospi(b, x)),
        StdOp::tanpi => return Some(tanpi(b, x)),
        StdOp::powr | StdOp::half_powr | StdOp::native_powr => return Some(powr(b, x, y()?)),
        _ => return None,
    };
    let value = call(b, plain, args);
    Some(match op {
        StdOp::acospi | StdOp::asinpi | StdOp::atanpi | StdOp::atan2pi => {
            let pi = b.f64(PI);
            b.fdiv(value, pi)
        }
        _ => value,
    })
}

/// x less the nearest even number: in -1 to 1, exactly.
fn less_even(b: &mut Builder, x: Value) -> Value {
    let half = b.f64(0.5);
    let turns = b.fmul(x, half);
    let turns = b.unary(UnaryOp::Nearest, turns);
    let minus_two = b.f64(-2.0);
    b.fma(turns, minus_two, x)
}

fn sin_of_pi_times(b: &mut Builder, x: Value) -> Value {
    let pi = b.f64(PI);
    let angle = b.fmul(x, pi);
    call(b, Runtime::SinF64, &[angle])
}

fn sinpi(b: &mut Builder, x: Value) -> Value {
    let t = less_even(b, x);
    let (one, half) = (b.f64(1.0), b.f64(0.5));
    let end = b.binary(BinaryOp::CopySign, one, t);
    let mirrored = b.fsub(end, t);
    let size = b.unary(UnaryOp::FAbs, t);
    let outer = b.fcmp(FloatCc::Ogt, size, half);
    let t = b.select(outer, mirrored, t);
    let value = sin_of_pi_times(b, t);
    // Integers give a zero with the sign of x.
    let zero = b.f64(0.0);
    let is_zero = b.fcmp(FloatCc::Oeq, value, zero);
    let signed = b.binary(BinaryOp::CopySign, zero, x);
    b.select(is_zero, signed, value)
}

fn cospi(b: &mut Builder, x: Value) -> Value {
    let t = less_even(b, x);
    let size = b.unary(UnaryOp::FAbs, t);
    let half = b.f64(0.5);
    let from_zero_crossing = b.fsub(half, size);
    sin_of_pi_times(b, from_zero_crossing)
}

fn tanpi(b: &mut Builder, x: Value) -> Value {
    let n = b.unary(UnaryOp::Nearest, x);
    let t = b.fsub(x, n);
    let pi = b.f64(PI);
    let angle = b.fmul(t, pi);
    let value = call(b, Runtime::TanF64, &[angle]);
    let (half, zero, infinity) = (b.f64(0.5), b.f64(0.0), b.f64(f64::INFINITY));
    let size = b.unary(UnaryOp::FAbs, t);
    let pole = b.fcmp(FloatCc::Oeq, size, half);
    let at_pole = b.binary(BinaryOp::CopySign, infinity, t);
    let value = b.select(pole, at_pole, value);
    // Integers give a zero with the sign of x, or the other one where they are odd.
    let whole = b.fcmp(FloatCc::Oeq, t, zero);
    let halved = b.fmul(n, half);
    let floor = b.unary(UnaryOp::Floor, halved);
    let odd = b.fcmp(FloatCc::One, floor, halved);
    let even_zero = b.binary(BinaryOp::CopySign, zero, x);
    let odd_zero = b.unary(UnaryOp::FNeg, even_zero);
    let signed = b.select(odd, odd_zero, even_zero);
    b.select(whole, signed, value)
}

/// pow for x >= 0, where what pow calls 1 is undefined instead.
fn powr(b: &mut Builder, x: Value, y: Value) -> Value {
    let size = b.unary(UnaryOp::FAbs, x);
    let value = call(b, Runtime::PowF64, &[size, y]);
    let (zero, one, infinity) = (b.f64(0.0), b.f64(1.0), b.f64(f64::INFINITY));
    let negative = b.fcmp(FloatCc::Olt, x, zero);
    let unordered = b.fcmp(FloatCc::Uno, x, y);
    let y_zero = b.fcmp(FloatCc::Oeq, y, zero);
    let x_zero = b.fcmp(FloatCc::Oeq, x, zero);
    let x_infinite = b.fcmp(FloatCc::Oeq, x, infinity);
    let x_end = b.or(x_zero, x_infinite);
    let first = b.and(y_zero, x_end);
    let y_size = b.unary(UnaryOp::FAbs, y);
    let y_infinite = b.fcmp(FloatCc::Oeq, y_size, infinity);
    let x_one = b.fcmp(FloatCc::Oeq, x, one);
    let second = b.and(y_infinite, x_one);
    let undefined = [negative, unordered, first, second]
        .into_iter()
        .reduce(|all, next| b.or(all, next))
        .unwrap_or(negative);
    let nan = b.f64(f64::NAN);
    b.select(undefined, nan, value)
}

fn of_float_and_int(b: &mut Builder, op: StdOp, x: Value, n: Value) -> Option<Value> {
    let elem = b.ty(x).elem;
    match op {
        StdOp::pown => {
            let x = widen(b, x);
            let y = b.convert(ConvertOp::SToF, Elem::F64, n);
            let value = call(b, Runtime::PowF64, &[x, y]);
            Some(narrow(b, elem, value))
        }
        StdOp::rootn => {
            let x = widen(b, x);
            let value = rootn(b, x, n);
            Some(narrow(b, elem, value))
        }
        _ => None,
    }
}

/// |x| to the 1/n, with the rounding error of 1/n made up for; then the sign and what is undefined.
fn rootn(b: &mut Builder, x: Value, n: Value) -> Value {
    let (zero, one, infinity) = (b.f64(0.0), b.f64(1.0), b.f64(f64::INFINITY));
    let count = b.convert(ConvertOp::SToF, Elem::F64, n);
    let high = b.fdiv(one, count);
    let minus = b.unary(UnaryOp::FNeg, count);
    let rest = b.fma(minus, high, one);
    let low = b.fdiv(rest, count);
    let size = b.unary(UnaryOp::FAbs, x);
    let root = call(b, Runtime::PowF64, &[size, high]);
    let log = call(b, Runtime::LogF64, &[size]);
    let correction = b.fmul(low, log);
    let better = b.fma(root, correction, root);
    let proper = b.fcmp(FloatCc::Ogt, size, zero);
    let finite = b.fcmp(FloatCc::Olt, size, infinity);
    let proper = b.and(proper, finite);
    let root = b.select(proper, better, root);
    let odd = b.binary_imm(BinaryOp::And, n, 1);
    let odd = b.icmp_imm(IntCc::Ne, odd, 0);
    let signed = b.binary(BinaryOp::CopySign, root, x);
    let value = b.select(odd, signed, root);
    let negative = b.fcmp(FloatCc::Olt, x, zero);
    let even = b.not(odd);
    let undefined = b.and(negative, even);
    let none = b.icmp_imm(IntCc::Eq, n, 0);
    let undefined = b.or(undefined, none);
    let nan = b.f64(f64::NAN);
    b.select(undefined, nan, value)
}

/// Functions with a second result: (value, what goes through the pointer).
pub fn with_second_result(b: &mut Builder, op: StdOp, args: &[Value]) -> Option<[Value; 2]> {
    let x = args[0];
    let elem = b.ty(x).elem;
    match op {
        StdOp::sincos => {
            let wide = widen(b, x);
            let (sin, cos) = (call(b, Runtime::SinF64, &[wide]), call(b, Runtime::CosF64, &[wide]));
            Some([narrow(b, elem, sin), narrow(b, elem, cos)])
        }
        StdOp::lgamma_r => {
            let wide = widen(b, x);
            let value = call(b, Runtime::LgammaF64, &[wide]);
            let value = narrow(b, elem, value);
            // The gamma function is negative between -1 and 0, -3 and -2, and so on.
            let below = b.unary(UnaryOp::Floor, wide);
            let half = b.f64(0.5);
            let halved = b.fmul(below, half);
            let even = b.unary(UnaryOp::Floor, halved);
            let odd = b.fcmp(FloatCc::One, even, halved);
            let zero = b.f64(0.0);
            let negative = b.fcmp(FloatCc::Olt, wide, zero);
            let minus = b.and(odd, negative);
            let (plus_one, minus_one) = (b.i32(1), b.i32(-1));
            Some([value, b.select(minus, minus_one, plus_one)])
        }
        StdOp::remquo => {
            let y = *args.get(1)?;
            let [value, quotient] = remquo(b, x, y);
            Some([value, quotient])
        }
        _ => None,
    }
}

/// The remainder, and the last seven bits of the quotient with its sign.
fn remquo(b: &mut Builder, x: Value, y: Value) -> [Value; 2] {
    let elem = b.ty(x).elem;
    let (wide_x, wide_y) = (widen(b, x), widen(b, y));
    let remainder = call(b, Runtime::RemainderF64, &[wide_x, wide_y]);
    // |x| modulo 128 |y| has the same last bits of the quotient; both are made smaller first where 128 |y| would overflow.
    let (ax, ay) = (b.unary(UnaryOp::FAbs, wide_x), b.unary(UnaryOp::FAbs, wide_y));
    let huge = b.f64(f64::from_bits(0x7e30_0000_0000_0000));
    let is_huge = b.fcmp(FloatCc::Oge, ay, huge);
    let (one, small) = (b.f64(1.0), b.f64(f64::from_bits(0x3bf0_0000_0000_0000)));
    let scale = b.select(is_huge, small, one);
    let (ax, ay) = (b.fmul(ax, scale), b.fmul(ay, scale));
    let many = b.f64(128.0);
    let period = b.fmul(ay, many);
    let rest = b.binary(BinaryOp::FRem, ax, period);
    let near = call(b, Runtime::RemainderF64, &[ax, ay]);
    let difference = b.fsub(rest, near);
    let quotient = b.fdiv(difference, ay);
    let quotient = b.unary(UnaryOp::Nearest, quotient);
    let number = b.value(InstData::Convert {
        op: ConvertOp::FToS,
        ty: Type::I32,
        arg: quotient,
        rounding: Rounding::Zero,
        saturate: true,
    });
    let number = b.binary_imm(BinaryOp::And, number, 127);
    let signs = [wide_x, wide_y].map(|value| {
        let bits = b.bitcast(Elem::I64, value);
        b.icmp_imm(IntCc::Slt, bits, 0)
    });
    let differ = b.xor(signs[0], signs[1]);
    let zero = b.i32(0);
    let minus = b.sub(zero, number);
    let signed = b.select(differ, minus, number);
    // Where the remainder is a NaN the quotient is unspecified; 0 is what people expect.
    let nan = b.fcmp(FloatCc::Uno, remainder, remainder);
    let signed = b.select(nan, zero, signed);
    [narrow(b, elem, remainder), signed]
}

/// 1 / sqrt(x).
pub fn rsqrt(b: &mut Builder, x: Value) -> Value {
    let elem = b.ty(x).elem;
    let one = constant(b, elem, 1.0);
    let root = b.unary(UnaryOp::Sqrt, x);
    b.fdiv(one, root)
}
