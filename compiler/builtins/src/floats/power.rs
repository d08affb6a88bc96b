//! Powers and roots: 2 to the y log2|x|. The error of the product counts as often as the result has powers of two, so logarithm and product are
//! pairs of numbers.

use super::super::expression::Expr;
use super::exp_tables;
use super::exponential::{exp2_of_rest, exp2_of_sum, half_exp2, is_by_powers, native_exp2};
use super::log_tables::{self, is_tabled};
use super::logarithm::{powr_log2, relaxed_log2};
use super::parts::{ALL, LOG2_E, POSITIVE, Split, nearest_product, nearest_sixteenth, scale, split, times_power};
use super::single_log_tables;
use ir::Flags;

/// (log2((1 + s) / (1 - s)) / s - 2 log2(e)) / s^2 for s in [-0.1716, 0.1716], in s^2; 2^-35.8 of the function.
const LOG2: [f64; 4] = [0.961_796_7, 0.577_079_8, 0.411_900_64, 0.336_601_85];
/// The same for doubles, without its first term's nearest number; 2^-66.2.
const LOG2_REST: [f64; 8] = [
    5.0577616648125907e-17,
    0.577078016355618,
    0.41219858309193913,
    0.3205989022738672,
    0.2623077010859336,
    0.22198400015666056,
    0.19125509538569851,
    0.1903860700326164,
];
/// A third of 2 log2(e).
const TWO_THIRDS_LOG2_E: f64 = 0.9617966939259756;

/// How exact a power has to be.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// The limits of OpenCL C.
    Full,
    /// Those of half-precision functions and of relaxed mathematics: all in floats.
    Relaxed,
}

/// x to the y. Special cases are those of IEEE 754's pow.
pub fn pow<'a>(x: Expr<'a>, y: Expr<'a>, effort: Effort) -> Expr<'a> {
    with_special(x, y, effort, |value| special_pow(x, y, value))
}

/// x to the y where x is positive and all is finite, and elsewhere what `special` makes of the power of the magnitude.
fn with_special<'a>(x: Expr<'a>, y: Expr<'a>, effort: Effort, special: impl FnOnce(Expr<'a>) -> Expr<'a>) -> Expr<'a> {
    let size = x.abs();
    let finite = x.lt(f64::INFINITY);
    let [value] = if effort == Effort::Relaxed && !x.is_double() {
        let value = native_exp2(y * relaxed_log2(size));
        // What is subnormal counts as 0.
        let normal = x.ge(f64::from(f32::MIN_POSITIVE));
        let usual = normal & finite & y.abs().lt(f64::INFINITY);
        let of_zero = || y.lt(0.0).number_or(f64::INFINITY, y.gt(0.0).number_or(0.0, value));
        let tiny = || size.lt(f64::from(f32::MIN_POSITIVE));
        (!usual).slowly(|| [special(tiny().select(of_zero(), value))], [value])
    } else {
        let (product, usual) = match is_by_powers(x) {
            true => {
                let product = log2(size, ALL).times_number(y);
                (product, x.gt(0.0) & has_power(product))
            }
            false => {
                let product = log2(size, POSITIVE).times_number(y);
                (product, x.gt(0.0) & finite & product.high.abs().lt(x.by_format(125.0, 1021.0)))
            }
        };
        (!usual).slowly(|| [special(exp2(product))], [normal_exp2(product)])
    };
    value
}

/// Where the machine has instructions for it, logarithms of 0 and infinity are infinite at no cost, and of all other products there is a power of 2 at once.
fn has_power<'a>(product: Pair<'a>) -> Expr<'a> {
    product.high.abs().lt(1e6)
}

/// The power of a magnitude that is 0 or infinite, or `value` of others.
fn with_ends<'a>(size: Expr<'a>, y: Expr<'a>, value: Expr<'a>) -> Expr<'a> {
    let (zero, infinite) = (size.equals(0.0), size.equals(f64::INFINITY));
    let large = (zero & y.lt(0.0)) | (infinite & y.gt(0.0));
    (zero | infinite).select(large.number_or(f64::INFINITY, size.number(0.0)), value)
}

/// x to the y where one of them is not finite or x is not positive, by what the power of the magnitude is where that is positive and finite.
pub fn special_pow<'a>(x: Expr<'a>, y: Expr<'a>, value: Expr<'a>) -> Expr<'a> {
    let size = x.abs();
    let value = x.unordered(y).number_or(f64::NAN, with_ends(size, y, value));
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
    let special = |value| {
        let size = x.abs();
        let end = size.equals(0.0) | size.equals(f64::INFINITY);
        let undefined = x.lt(0.0) | x.unordered(y) | (end & y.equals(0.0));
        undefined.number_or(f64::NAN, with_ends(size, y, value))
    };
    if effort == Effort::Relaxed || !is_by_powers(x) {
        return with_special(x, y, effort, special);
    }
    // The logarithms of negative numbers are none.
    let product = log2(x, ALL).times_number(y);
    let [value] = (!has_power(product)).slowly(|| [special(exp2(product))], [normal_exp2(product)]);
    value
}

/// The same of floats to half their bits, without subnormal numbers.
pub fn half_powr<'a>(x: Expr<'a>, y: Expr<'a>) -> Expr<'a> {
    match x.has_powers() {
        // Where the power is undefined, so is the product.
        true => half_exp2(y * powr_log2(x)),
        false => powr(x, y, Effort::Relaxed),
    }
}

/// x to an integer. Small ones are products, whose error is less than a unit for two factors and about three for seven.
pub fn pown<'a>(x: Expr<'a>, n: Expr<'a>) -> Expr<'a> {
    let sign = n.signed_shift(31);
    let size = (n ^ sign) - sign;
    let power = small_pown(x, size);
    let below = !n.lacks(1 << 31);
    let [value] = below.sometimes(|| [1.0 / power], [power]);
    // Of what overflows, or loses bits, there is an inverse all the same.
    let range = power.abs();
    let inside = range.lt(f64::INFINITY) & range.ge(x.by_format(f32::MIN_POSITIVE.into(), f64::MIN_POSITIVE));
    let large = !size.lacks(!7) | (below & !inside);
    let [value] = large.slowly(|| [large_pown(x, n)], [value]);
    value
}

/// x to an integer from 0 to 7.
fn small_pown<'a>(x: Expr<'a>, n: Expr<'a>) -> Expr<'a> {
    let square = x * x;
    let odd = n.lacks(1).select(x.number(1.0), x);
    let rest = n.lacks(2).select(odd, odd * square);
    n.lacks(4).select(rest, rest * (square * square))
}

/// x to any integer.
fn large_pown<'a>(x: Expr<'a>, n: Expr<'a>) -> Expr<'a> {
    let value = of_magnitude(x.abs(), Exponent::of_integer(n, x));
    let value = n.lacks(1).select(value, value.with_sign_of(x));
    n.lacks(u64::MAX).number_or(1.0, value)
}

/// x to one over an integer, which has to be odd where x is negative, and may not be 0.
pub fn rootn<'a>(x: Expr<'a>, n: Expr<'a>) -> Expr<'a> {
    signed_root(x, n, of_magnitude(x.abs(), Exponent::of_integer(n, x).inverse()))
}

/// The root that [`rootn`] gives, by that of the magnitude.
pub fn signed_root<'a>(x: Expr<'a>, n: Expr<'a>, value: Expr<'a>) -> Expr<'a> {
    let even = n.lacks(1);
    let value = even.select(value, value.with_sign_of(x));
    let undefined = (x.lt(0.0) & even) | n.lacks(u64::MAX);
    undefined.number_or(f64::NAN, value)
}

/// x to a constant power that a few operations give; none for other powers.
pub fn of_constant<'a>(x: Expr<'a>, y: f64) -> Option<Expr<'a>> {
    // Roots of -0 are 0, and of negative infinity infinite.
    let root = || x.equals(f64::NEG_INFINITY).number_or(f64::INFINITY, x.sqrt() + 0.0);
    let square = || x * x;
    Some(match y {
        -2.0 => {
            let inverse = 1.0 / x;
            inverse * inverse
        }
        -1.0 => 1.0 / x,
        0.5 => root(),
        1.0 => x,
        1.5 => x.abs() * root(),
        2.0 => square(),
        3.0 => square() * x,
        4.0 => square() * square(),
        _ => return None,
    })
}

/// What a logarithm is multiplied with.
enum Exponent<'a> {
    Number(Expr<'a>),
    Sum(Pair<'a>),
}

impl<'a> Exponent<'a> {
    /// A 32-bit integer, exactly, for numbers like x.
    fn of_integer(n: Expr<'a>, x: Expr<'a>) -> Exponent<'a> {
        let high = n.int_to(x.elem());
        if x.is_double() {
            return Exponent::Number(high);
        }
        // Floats have 24 bits.
        let rounded = (n & !0xff).int_to(x.elem()) - high;
        Exponent::Sum(Pair {
            high,
            low: rounded + (n & 0xff).int_to(x.elem()),
        })
    }

    fn inverse(self) -> Exponent<'a> {
        let (number, rest) = match self {
            Exponent::Number(number) => (number, None),
            Exponent::Sum(Pair { high, low }) => (high, Some(low)),
        };
        let high = 1.0 / number;
        // What the division lost, and the part of the number that it left out.
        let lost = (-number).fma(high, 1.0);
        let lost = rest.map_or(lost, |rest| (-rest).fma(high, lost));
        Exponent::Sum(Pair { high, low: lost * high })
    }

    fn times(self, log: Pair<'a>) -> Pair<'a> {
        match self {
            Exponent::Number(number) => log.times_number(number),
            Exponent::Sum(sum) => log.times(sum),
        }
    }
}

/// A number of at least 0 to a power.
fn of_magnitude<'a>(size: Expr<'a>, exponent: Exponent<'a>) -> Expr<'a> {
    exp2(exponent.times(log2(size, ALL)))
}

/// log2 of such numbers, the larger part of which is that of 0 and of infinity, too.
fn log2<'a>(size: Expr<'a>, numbers: Flags) -> Pair<'a> {
    if single_log_tables::is_tabled(size) {
        return single_log_tables::precise_log2(size, numbers);
    }
    if is_tabled(size) {
        return log_tables::precise_log2(split(size, log_tables::LEAST, numbers));
    }
    let parts = split(size, std::f64::consts::FRAC_1_SQRT_2, numbers);
    if size.is_double() {
        precise_log2(parts)
    } else {
        single_log2(parts)
    }
}

/// 2 to a sum.
fn exp2<'a>(sum: Pair<'a>) -> Expr<'a> {
    // Beyond these limits the result is 0 or infinite. There, and of logarithms that are, the low parts are no numbers.
    let limit = sum.high.by_format(152.0, 1090.0);
    let inside = sum.high.abs().lt(limit);
    let high = sum.high.at_least(-limit).at_most(limit);
    let low = inside.select(sum.low, 0.0);
    let whole = Pair { high, low }.rounded().nearest();
    let rest = high - whole + low;
    scale(exp2_of_rest(rest), whole)
}

/// 2 to a sum, where that is a normal number, and no power of two next to those that are none: the power goes into the exponent as it is stored. Where the
/// machine has products with powers, any finite number whose low part is small beside 1.
fn normal_exp2<'a>(sum: Pair<'a>) -> Expr<'a> {
    if is_tabled(sum.high) {
        let [powers, sixteenths] = nearest_sixteenth(sum.rounded(), 1.0);
        return exp_tables::power(sixteenths, sum.high - powers + sum.low, &exp_tables::EXP2);
    }
    if is_by_powers(sum.high) {
        return exp2_of_sum(sum.high, Some(sum.low));
    }
    let [whole, last] = nearest_product(sum.rounded(), 1.0);
    times_power(exp2_of_rest(sum.high - whole + sum.low), last)
}

/// The unrounded sum of two numbers, of which `low` is much less than `high`: than its last bit, but for logarithms of doubles and their products.
#[derive(Clone, Copy)]
pub struct Pair<'a> {
    /// The larger number.
    pub high: Expr<'a>,
    /// The other one.
    pub low: Expr<'a>,
}

impl<'a> Pair<'a> {
    /// The sum of a number and one that is less, or of 0 and any.
    pub fn sum(high: Expr<'a>, low: Expr<'a>) -> Pair<'a> {
        let sum = high + low;
        Pair {
            high: sum,
            low: low - (sum - high),
        }
    }

    /// What it is without the bits that one number has no place for. Of floats that is the larger part.
    fn rounded(self) -> Expr<'a> {
        if self.high.is_double() { self.high + self.low } else { self.high }
    }

    /// The sum with a whole number, which is 0 or more than this.
    fn plus_whole(self, whole: Expr<'a>) -> Pair<'a> {
        let sum = Pair::sum(whole, self.high);
        Pair {
            low: sum.low + self.low,
            ..sum
        }
    }

    fn times_number(self, other: Expr<'a>) -> Pair<'a> {
        let high = self.high * other;
        let lost = self.high.fma(other, -high);
        Pair {
            high,
            low: self.low.fma(other, lost),
        }
    }

    fn times(self, other: Pair<'a>) -> Pair<'a> {
        let Pair { high, low } = self.times_number(other.high);
        Pair {
            high,
            low: self.high.fma(other.low, low),
        }
    }
}

/// log2 of a float, to about 2^-29 of it.
fn single_log2<'a>(parts: Split<'a>) -> Pair<'a> {
    let s = ratio(parts.rest());
    let constant = two_log2_e(parts.rest());
    // s (c + t), where t is at most a hundredth of c.
    let square = s.high * s.high;
    let t = square * square.polynomial(&LOG2);
    let factor = Pair::sum(constant.high, t);
    let product = s.high * factor.high;
    let lost = s.high.fma(factor.high, -product);
    let low = s.high.fma(factor.low + constant.low, lost);
    // The square lacks what s lacks, too.
    let low = s.low.fma(t.fma(2.0, factor.high), low);
    Pair { high: product, low }.plus_whole(parts.exponent)
}

/// log2 of a double, to about 2^-63: s (c + z (c / 3 + z Q(z))) for z = s^2 and c = 2 log2(e). The sum in brackets is a pair, and so is the first
/// product in it; what comes after that is less than a thousandth, and goes into the lower part.
fn precise_log2<'a>(parts: Split<'a>) -> Pair<'a> {
    let x = parts.rest();
    let s = ratio(x);
    let constant = two_log2_e(x);
    let square = s.high * s.high;
    let square_rest = (s.high * 2.0).fma(s.low, s.high.fma(s.high, -square));
    let product = square * TWO_THIRDS_LOG2_E;
    let lost = square.fma(TWO_THIRDS_LOG2_E, -product);
    let low = square.fma(square.polynomial(&LOG2_REST), constant.low);
    let low = square_rest.fma(TWO_THIRDS_LOG2_E, low) + lost;
    let factor = Pair::sum(constant.high, product);
    let factor = Pair {
        low: factor.low + low,
        ..factor
    };
    s.times(factor).plus_whole(parts.exponent)
}

/// f / (2 + f): s, where 1 + f = (1 + s) / (1 - s).
fn ratio<'a>(f: Expr<'a>) -> Pair<'a> {
    let inverse = 1.0 / (f + 2.0);
    let high = f * inverse;
    // What sum and division lose: f - 2 s is exact, for one is less than twice the other.
    let lost = (-high).fma(f, (-high).fma(2.0, f));
    Pair { high, low: lost * inverse }
}

fn two_log2_e<'a>(x: Expr<'a>) -> Pair<'a> {
    Pair {
        high: x.number(2.0 * LOG2_E.number),
        low: x.number(2.0 * LOG2_E.rest(x)),
    }
}
