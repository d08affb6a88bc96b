//! Math functions (OpenCL C §6.15.2) that nobody would miss as vector code: through C's mathematics library, a lane at a time, in double
//! precision. Narrower types are widened, and rounded once at the end.

use super::StdOp;
use super::common::constant;
use crate::ir::*;

/// Writes a math function; none if it is not one of these.
pub fn lower(b: &mut Builder, op: StdOp, args: &[Value]) -> Option<Value> {
    let elem = b.ty(args[0]).elem;
    let wide: ValueList = args.iter().map(|&arg| widen(b, arg)).collect();
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
    let routine = match op {
        StdOp::lgamma => Runtime::LgammaF64,
        StdOp::tgamma => Runtime::TgammaF64,
        _ => return None,
    };
    Some(call(b, routine, args))
}

/// Functions with a second result: (value, what goes through the pointer).
pub fn with_second_result(b: &mut Builder, op: StdOp, args: &[Value]) -> Option<[Value; 2]> {
    let x = args[0];
    let elem = b.ty(x).elem;
    match op {
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

/// 1 / sqrt(x). That of halfs is rounded once, as its limit asks.
pub fn rsqrt(b: &mut Builder, x: Value) -> Value {
    let elem = b.ty(x).elem;
    if elem == Elem::F16 {
        let single = b.convert(ConvertOp::FPromote, Elem::F32, x);
        let value = rsqrt(b, single);
        return b.convert(ConvertOp::FDemote, elem, value);
    }
    let one = constant(b, elem, 1.0);
    let root = b.unary(UnaryOp::Sqrt, x);
    b.fdiv(one, root)
}
