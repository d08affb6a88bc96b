//! Powers and roots: 2 to the y log2|x|. The error of the product counts as often as the result has powers of two, so of floats logarithm and
//! product are doubles, and of doubles they are pairs of doubles.

use super::super::expression::Expr;
use super::exponential::{exp2_of_rest, native_exp2};
use super::logarithm::native_log2;
use super::parts::{LOG2_E, scale, split};
use crate::ir::Elem;

/// log2((1 + s) / (1 - s)) / s for s in [-0.2, 0.2], in s^2; 2^-42.4.
const LOG2: [f64; 6] = [
    2.885_390_081_777_420_5,
    0.961_796_694_831_683_5,
    0.577_077_754_122_192_5,
    0.412_226_291_810_942_7,
    0.319_281_217_021_735_84,
    0.290_873_852_869_197_37,
];
/// artanh(s) / s less 1 + s^2 / 3, divided by s^4, for s in [-0.1716, 0.1716], in s^2; 2^-73.4 of the function.
const ARTANH: [f64; 8] = [
    0.1999999999999999,
    0.14285714285721918,
    0.11111111108896085,
    0.09090909421804594,
    0.07692279228970667,
    0.0666813165828453,
    0.058379023580012644,
    0.05990779744278841,
];
/// 1/3 less its nearest double.
const THIRD_REST: f64 = 1.850371707708594e-17;

/// How exact a power has to be.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// The limits of OpenCL C.
    Full,
    /// Those of halfs, of half-precision functions and of relaxed mathematics: all in floats.
    Relaxed,
}

/// x to the y. Special cases are those of IEEE 754's pow.
pub fn pow<'a>(x: Expr<'a>, y: Expr<'a>, effort: Effort) -> Expr<'a> {
    let size = x.abs();
    let value = of_magnitude(size, Exponent::Number(y), effort);
    let whole = y.trunc().equals(y);
    let half = y * 0.5;
    let odd = whole & half.trunc().differs(half);
    let value = odd.select(value.with_sign_of(x), value);
    // Finite negative numbers have whole powers only.
    let undefined = x.lt(0.0) & size.lt(f64::INFINITY) & !whole;
    let value = undefined.number_or(f64::NAN, value);
    // 1 to any power and any number to the 0 are 1, NaNs too, and -1 to an infinite power.
    let unit = size.equals(1.0) & y.abs().equals(f64::INFINITY);
    let is_one = x.equals(1.0) | y.equals(0.0) | unit;
    is_one.number_or(1.0, value)
}

/// x to the y for x of at least 0, where what pow calls 1 is undefined instead: the product is a NaN there.
pub fn powr<'a>(x: Expr<'a>, y: Expr<'a>, effort: Effort) -> Expr<'a> {
    let value = of_magnitude(x.abs(), Exponent::Number(y), effort);
    let undefined = x.lt(0.0) | x.unordered(y);
    undefined.number_or(f64::NAN, value)
}

/// x to an integer.
pub fn pown<'a>(x: Expr<'a>, n: Expr<'a>) -> Expr<'a> {
    let y = n.int_to(Elem::F64);
    let value = of_magnitude(x.abs(), Exponent::Number(y), Effort::Full);
    let value = n.lacks(1).select(value, value.with_sign_of(x));
    n.lacks(u64::MAX).number_or(1.0, value)
}

/// x to one over an integer, which has to be odd where x is negative, and may not be 0.
pub fn rootn<'a>(x: Expr<'a>, n: Expr<'a>) -> Expr<'a> {
    let value = of_magnitude(x.abs(), Exponent::One(n.int_to(Elem::F64)), Effort::Full);
    let even = n.lacks(1);
    let value = even.select(value, value.with_sign_of(x));
    let undefined = (x.lt(0.0) & even) | n.lacks(u64::MAX);
    undefined.number_or(f64::NAN, value)
}

/// What a logarithm is multiplied with.
enum Exponent<'a> {
    /// This number.
    Number(Expr<'a>),
    /// One over this double.
    One(Expr<'a>),
}

/// A number of at least 0 to a power.
fn of_magnitude<'a>(size: Expr<'a>, exponent: Exponent<'a>, effort: Effort) -> Expr<'a> {
    match (effort, exponent) {
        (_, exponent) if size.is_double() => of_double(size, exponent),
        (Effort::Relaxed, Exponent::Number(y)) => native_exp2(y * native_log2(size)),
        (_, exponent) => of_single(size, exponent),
    }
}

fn of_single<'a>(size: Expr<'a>, exponent: Exponent<'a>) -> Expr<'a> {
    let log = single_log2(size);
    let product = match exponent {
        Exponent::Number(y) => y.to(Elem::F64) * log,
        Exponent::One(n) => log / n,
    };
    // The whole part is taken off while the product is exact; beyond these limits the result is 0 or infinite.
    let product = product.at_least(-151.0).at_most(129.0);
    let whole = product.nearest();
    let rest = (product - whole).to(Elem::F32);
    scale(exp2_of_rest(rest), whole.to(Elem::F32))
}

/// log2 of a float of at least 0, as a double; infinities and NaNs give themselves.
fn single_log2<'a>(x: Expr<'a>) -> Expr<'a> {
    let parts = split(x, 2.0 / 3.0);
    let (exponent, rest) = (parts.exponent.to(Elem::F64), parts.rest.to(Elem::F64));
    let s = rest / (rest + 2.0);
    let log = s.fma((s * s).polynomial(&LOG2), exponent);
    let log = x.lt(f64::INFINITY).select(log, x.to(Elem::F64));
    x.equals(0.0).number_or(f64::NEG_INFINITY, log)
}

fn of_double<'a>(size: Expr<'a>, exponent: Exponent<'a>) -> Expr<'a> {
    let log = precise_log2(size);
    let product = match exponent {
        Exponent::Number(y) => log.times(Pair {
            high: y,
            low: y.number(0.0),
        }),
        Exponent::One(n) => {
            let high = 1.0 / n;
            // What the division lost.
            let low = (-n).fma(high, 1.0) * high;
            log.times(Pair { high, low })
        }
    };
    // Beyond these limits the result is 0 or infinite.
    let inside = product.high.abs().lt(1090.0);
    let high = product.high.at_least(-1090.0).at_most(1090.0);
    let low = inside.select(product.low, 0.0);
    let whole = high.nearest();
    let rest = high - whole + low;
    scale(exp2_of_rest(rest), whole)
}

/// The unrounded sum of two doubles, of which `low` is less than the last bit of `high`.
#[derive(Clone, Copy)]
struct Pair<'a> {
    high: Expr<'a>,
    low: Expr<'a>,
}

impl<'a> Pair<'a> {
    /// The sum of a number and one that is less.
    fn sum(high: Expr<'a>, low: Expr<'a>) -> Pair<'a> {
        let sum = high + low;
        Pair {
            high: sum,
            low: low - (sum - high),
        }
    }

    fn times(self, other: Pair<'a>) -> Pair<'a> {
        let high = self.high * other.high;
        let lost = self.high.fma(other.high, -high);
        Pair {
            high,
            low: self.high.fma(other.low, self.low.fma(other.high, lost)),
        }
    }
}

/// log2 of a double of at least 0, to about 2^-64; infinities and NaNs give themselves.
fn precise_log2<'a>(x: Expr<'a>) -> Pair<'a> {
    let parts = split(x, std::f64::consts::FRAC_1_SQRT_2);
    let (exponent, f) = (parts.exponent, parts.rest);
    // s = f / (2 + f), with what sum and division lose.
    let below = Pair::sum(x.number(2.0), f);
    let inverse = 1.0 / below.high;
    let high = f * inverse;
    let lost = (-high).fma(below.low, (-high).fma(below.high, f));
    let s = Pair { high, low: lost * inverse };
    let square = s.times(s);
    // artanh(s) = s (1 + z (1/3 + z P(z))) for z = s^2; the number 1/3 is the greater one.
    let inner = Pair::sum(x.number(1.0 / 3.0), square.high * square.high.polynomial(&ARTANH));
    let inner = Pair {
        low: inner.low + THIRD_REST,
        ..inner
    };
    let middle = square.times(inner);
    let factor = Pair::sum(x.number(1.0), middle.high);
    let factor = Pair {
        low: factor.low + middle.low,
        ..factor
    };
    let two_log2_e = Pair {
        high: x.number(2.0 * LOG2_E.number),
        low: x.number(2.0 * LOG2_E.rest[1]),
    };
    let log = s.times(factor).times(two_log2_e);
    let sum = Pair::sum(exponent, log.high);
    let sum = Pair::sum(sum.high, sum.low + log.low);
    let high = x.lt(f64::INFINITY).select(sum.high, x);
    let high = x.equals(0.0).number_or(f64::NEG_INFINITY, high);
    let proper = x.lt(f64::INFINITY) & !x.equals(0.0);
    Pair {
        high,
        low: proper.select(sum.low, 0.0),
    }
}
