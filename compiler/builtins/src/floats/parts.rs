//! Numbers as powers of two and fractions, for floats and doubles alike.

use super::super::expression::{Expr, polynomials};
use super::super::powers::Parts;
use ir::Flags;

/// Bits of the fraction that are stored.
pub fn fraction_bits(x: Expr) -> u64 {
    x.by_format(23, 52)
}

/// What is added to stored exponents.
pub fn bias(x: Expr) -> i64 {
    x.by_format(127, 1023)
}

/// Added to a whole number, which may be negative, this has the integer at the end of its bits.
pub fn ones(x: Expr) -> f64 {
    1.5 * x.by_format(8_388_608.0, 4_503_599_627_370_496.0)
}

/// A float with a whole number, as an integer: right in its lowest 22 or 51 bits, which is enough for exponents and quadrants.
pub fn last_bits<'a>(whole: Expr<'a>) -> Expr<'a> {
    (whole + ones(whole)).bits()
}

/// The whole number nearest to x times a factor, for products of less than 22 or 51 bits; and that as an integer, as [`last_bits`].
pub fn nearest_product<'a>(x: Expr<'a>, factor: f64) -> [Expr<'a>; 2] {
    let ones = ones(x);
    let sum = x.fma(factor, x.number(ones));
    [sum - ones, sum.bits()]
}

/// The same to the nearest sixteenth, and the number of sixteenths in the last bits.
pub fn nearest_sixteenth<'a>(x: Expr<'a>, factor: f64) -> [Expr<'a>; 2] {
    // The last bit of the sum is a sixteenth.
    let ones = ones(x) / 16.0;
    let sum = x.fma(factor, x.number(ones));
    [sum - ones, sum.bits()]
}

/// 2 to a whole number, from -126 to 127, or for doubles from -1022 to 1023; one less gives 0, and one more infinity.
pub fn power_of_two<'a>(whole: Expr<'a>) -> Expr<'a> {
    let exponent = (whole + (ones(whole) + bias(whole) as f64)).bits();
    (exponent << fraction_bits(whole)).float()
}

/// A number times 2 to what the last bits of an integer are, where no exponent leaves its range.
pub fn times_power<'a>(value: Expr<'a>, power: Expr<'a>) -> Expr<'a> {
    (value.bits() + (power << fraction_bits(value))).float()
}

/// value * 2^whole, rounded once.
pub fn scale<'a>(value: Expr<'a>, whole: Expr<'a>) -> Expr<'a> {
    value.scaled(whole)
}

/// A number as 2^exponent times a fraction between `least` and twice that.
pub struct Split<'a> {
    /// The exponent, a whole number.
    pub exponent: Expr<'a>,
    /// The fraction.
    pub fraction: Expr<'a>,
}

impl<'a> Split<'a> {
    /// Of a number taken apart by its bits.
    pub fn of(parts: &Parts<'a>) -> Split<'a> {
        Split {
            exponent: parts.exponent(),
            fraction: parts.fraction(),
        }
    }

    /// What the fraction is more than 1, exactly.
    pub fn rest(&self) -> Expr<'a> {
        self.fraction - 1.0
    }
}

/// For [`split`]: of 0 and infinity the exponents are infinite, and of numbers below the fractions are NaNs.
pub const ALL: Flags = Flags::empty();
/// The same, but what is subnormal may count as 0.
pub const NORMAL: Flags = Flags::AFN;
/// Only positive finite numbers are asked for, or those of which the result is not used.
pub const POSITIVE: Flags = Flags::NINF;

/// Takes a number apart: the fraction is at least `least`, which is from 0.5 to 1, and less than twice that.
pub fn split<'a>(x: Expr<'a>, least: f64, numbers: Flags) -> Split<'a> {
    let limit = limit(x, least);
    Split {
        exponent: x.exponent(limit, numbers),
        fraction: x.fraction(limit, numbers),
    }
}

/// The same by a few operations where the number is a positive normal one, as nearly all are; what others need is jumped around.
pub fn split_mostly<'a>(x: Expr<'a>, least: f64, numbers: Flags) -> Split<'a> {
    let taken_apart = |numbers| {
        let Split { exponent, fraction } = split(x, least, numbers);
        [exponent, fraction]
    };
    let [exponent, fraction] = is_unusual(x).slowly(|| taken_apart(numbers), taken_apart(POSITIVE | NORMAL));
    Split { exponent, fraction }
}

/// Whether a number is none of those that are positive, finite and not subnormal.
pub fn is_unusual<'a>(x: Expr<'a>) -> Expr<'a> {
    is_outside(x, [x.by_format(f32::MIN_POSITIVE.into(), f64::MIN_POSITIVE), f64::INFINITY])
}

/// Whether a number is below a positive one, or not below another: NaNs are outside of such a range.
pub fn is_outside<'a>(x: Expr<'a>, range: [f64; 2]) -> Expr<'a> {
    let [least, end] = range.map(|limit| x.by_format(i64::from((limit as f32).to_bits()), limit.to_bits() as i64));
    // Moved to begin with the least integer, those inside are in order.
    let first = x.by_format(i64::from(i32::MIN), i64::MIN);
    let bits = x.bits().plus(first.wrapping_sub(least));
    bits.exceeds(first + (end - least - 1))
}

/// A positive number that is no subnormal one, to be taken apart in the same way.
pub fn normal_parts<'a>(x: Expr<'a>, least: f64) -> Parts<'a> {
    let limit = limit(x, least);
    Parts::of_normal(x, x.by_format((limit as f32).to_bits().into(), limit.to_bits()))
}

/// What a fraction is less than: twice the least one, as a number of this format.
pub fn limit(x: Expr, least: f64) -> f64 {
    2.0 * x.by_format(f64::from(least as f32), least)
}

/// A constant in two parts: its nearest number, and what that lacks, for floats and for doubles.
#[derive(Clone, Copy)]
pub struct Precise {
    /// The constant.
    pub number: f64,
    /// The constant less its nearest float, and less its nearest double.
    pub rest: [f64; 2],
}

impl Precise {
    /// What the number lacks in x's format.
    pub fn rest(self, x: Expr) -> f64 {
        x.by_format(self.rest[0], self.rest[1])
    }

    /// x times this, plus `addend`.
    pub fn fma<'a>(self, x: Expr<'a>, addend: Expr<'a>) -> Expr<'a> {
        x.fma(self.number, x.fma(self.rest(x), addend))
    }
}

/// ln(2)
pub const LN_2: Precise = Precise {
    number: std::f64::consts::LN_2,
    rest: [-1.904654299957768e-9, 2.3190468138462996e-17],
};
/// log10(2)
pub const LOG10_2: Precise = Precise {
    number: std::f64::consts::LOG10_2,
    rest: [-1.4320988897559699e-8, -2.8037281277851704e-18],
};
/// log2(e)
pub const LOG2_E: Precise = Precise {
    number: std::f64::consts::LOG2_E,
    rest: [1.9259629911266175e-8, 2.0355273740931033e-17],
};
/// log10(e)
pub const LOG10_E: Precise = Precise {
    number: std::f64::consts::LOG10_E,
    rest: [-1.0103050052231683e-8, 1.098319650216765e-17],
};
/// pi/4
pub const QUARTER_PI: Precise = Precise {
    number: std::f64::consts::FRAC_PI_4,
    rest: [-2.1855695000931213e-8, 3.061616997868383e-17],
};

/// The coefficients of a polynomial for floats and of the one for doubles.
#[derive(Clone, Copy)]
pub struct Table {
    /// For floats.
    pub single: &'static [f64],
    /// For doubles.
    pub double: &'static [f64],
}

impl Table {
    /// This polynomial of x.
    pub fn at<'a>(self, x: Expr<'a>) -> Expr<'a> {
        x.polynomial(self.of(x))
    }

    /// This polynomial of x and another one of y, interleaved.
    pub fn at_both<'a>(self, x: Expr<'a>, other: Table, y: Expr<'a>) -> [Expr<'a>; 2] {
        polynomials([(x, self.of(x)), (y, other.of(y))])
    }

    fn of(self, x: Expr) -> &'static [f64] {
        x.by_format(self.single, self.double)
    }
}
