//! Sine, cosine and tangent: multiples of pi/2 are taken off, and polynomials are for the rest. Where numbers are so large that three floats do
//! not hold pi/2 exactly enough, C's mathematics library is asked.

use super::super::math::{narrow, widen};
use super::{fma_by, polynomial, times};
use crate::ir::*;

/// pi/2 in three parts.
const HALF_PI: [f32; 3] = [std::f32::consts::FRAC_PI_2, -4.371_139e-8, -1.715_124_5e-15];
/// The greatest number that this is good for. (Exact products and differences need not more than this, and it was tested to 2^20.)
const LARGEST: f32 = 131_072.0;

/// (sin(x) - x) / x^3 on [0, pi/4], in x^2; 2^-32.5 of the sine.
const SIN: [f32; 4] = [-0.166_666_67, 0.008_333_379, -0.000_198_530_85, 2.832_930_7e-6];
/// cos(x) on [0, pi/4], in x^2; 2^-33.
const COS: [f32; 5] = [1.0, -0.5, 0.041_666_646, -0.001_388_731_1, 2.443_256_6e-5];

/// The sine; error 1.5, limit 4.
pub fn sin(b: &mut Builder, x: Value) -> [Value; 1] {
    with_large(b, x, [Runtime::SinF64], |b, parts| [parts.sin(b)])
}

/// The cosine; error 1.5, limit 4.
pub fn cos(b: &mut Builder, x: Value) -> [Value; 1] {
    with_large(b, x, [Runtime::CosF64], |b, parts| [parts.cos(b)])
}

/// The sine and the cosine.
pub fn sincos(b: &mut Builder, x: Value) -> [Value; 2] {
    with_large(b, x, [Runtime::SinF64, Runtime::CosF64], |b, parts| [parts.sin(b), parts.cos(b)])
}

/// The tangent; error 3.5, limit 5.
pub fn tan(b: &mut Builder, x: Value) -> [Value; 1] {
    with_large(b, x, [Runtime::TanF64], |b, parts| [parts.tan(b)])
}

/// The functions of numbers of usual size, or what the library has for larger ones.
fn with_large<const N: usize>(
    b: &mut Builder,
    x: Value,
    routines: [Runtime; N],
    usual: impl FnOnce(&mut Builder, &Parts) -> [Value; N],
) -> [Value; N] {
    let size = b.unary(UnaryOp::FAbs, x);
    let parts = Parts::new(b, x, size);
    let values = usual(b, &parts);
    let largest = b.f32(LARGEST);
    let large = b.fcmp(FloatCc::Ogt, size, largest);
    let (other, after) = (b.add_block(&[]), b.add_block(&[Type::F32; N]));
    b.branch(large, to(other, &[]), to(after, &values));
    b.block = other;
    let wide = widen(b, x);
    let values = routines.map(|routine| {
        let value = b.value(InstData::CallRuntime {
            routine,
            args: ValueList::from_slice(&[wide]),
        });
        narrow(b, Elem::F32, value)
    });
    b.jump(after, &values);
    b.block = after;
    std::array::from_fn(|n| b.params(after)[n])
}

/// Sine and cosine of what is left of |x|, and which quadrant that was in.
struct Parts {
    sin: Value,
    cos: Value,
    quadrant: Value,
    /// The sign bit of x. (The reduction would lose that of -0.)
    sign: Value,
}

impl Parts {
    fn new(b: &mut Builder, x: Value, size: Value) -> Parts {
        let bits = b.bitcast(Elem::I32, x);
        let sign = b.binary_imm(BinaryOp::And, bits, 1 << 31);
        let turns = times(b, size, std::f32::consts::FRAC_2_PI);
        let whole = b.unary(UnaryOp::Nearest, turns);
        let rest = HALF_PI.iter().fold(size, |rest, part| fma_by(b, whole, -part, rest));
        let square = b.fmul(rest, rest);
        let cube = b.fmul(square, rest);
        let sin = polynomial(b, square, &SIN);
        let sin = b.fma(cube, sin, rest);
        let cos = polynomial(b, square, &COS);
        let quadrant = b.convert(ConvertOp::FToS, Elem::I32, whole);
        Parts { sin, cos, quadrant, sign }
    }

    fn is_odd(&self, b: &mut Builder) -> Value {
        let odd = b.binary_imm(BinaryOp::And, self.quadrant, 1);
        b.icmp_imm(IntCc::Ne, odd, 0)
    }

    fn sin(&self, b: &mut Builder) -> Value {
        let odd = self.is_odd(b);
        let value = b.select(odd, self.cos, self.sin);
        let back = b.binary_imm(BinaryOp::And, self.quadrant, 2);
        let back = b.binary_imm(BinaryOp::Shl, back, 30);
        let sign = b.xor(back, self.sign);
        flip(b, value, sign)
    }

    fn cos(&self, b: &mut Builder) -> Value {
        let odd = self.is_odd(b);
        let value = b.select(odd, self.sin, self.cos);
        let next = b.binary_imm(BinaryOp::Add, self.quadrant, 1);
        let back = b.binary_imm(BinaryOp::And, next, 2);
        let sign = b.binary_imm(BinaryOp::Shl, back, 30);
        flip(b, value, sign)
    }

    fn tan(&self, b: &mut Builder) -> Value {
        let odd = self.is_odd(b);
        let above = b.select(odd, self.cos, self.sin);
        let below = b.select(odd, self.sin, self.cos);
        let value = b.fdiv(above, below);
        let back = b.binary_imm(BinaryOp::Shl, self.quadrant, 31);
        let sign = b.xor(back, self.sign);
        flip(b, value, sign)
    }
}

/// The value with its sign flipped where the sign bit is set.
fn flip(b: &mut Builder, value: Value, sign: Value) -> Value {
    let bits = b.bitcast(Elem::I32, value);
    let bits = b.xor(bits, sign);
    b.bitcast(Elem::F32, bits)
}
