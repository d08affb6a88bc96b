//! Exponential functions: x is a whole number of powers of two and a rest, which a polynomial is for.

use super::super::expression::Expr;
use super::exp_tables;
use super::log_tables::is_tabled;
use super::parts::{self, Precise, Table, nearest_product, nearest_sixteenth, power_of_two, scale, times_power};
use std::f64::consts::{LN_2, LN_10, LOG2_10, LOG2_E};

/// 2^x on [-0.5, 0.5]; 2^-28.3, 2^-57.7.
const EXP2: Table = Table {
    single: &[
        1.0,
        LN_2,
        0.240_226_48,
        0.055_503_596,
        0.009_618_5,
        0.001_339_097_4,
        0.000_153_289_35,
    ],
    double: &[
        1.0,
        LN_2,
        0.2402265069591011,
        0.05550410866482176,
        0.009618129107600655,
        0.0013333558146534595,
        0.00015403530450086822,
        1.5252733646921255e-05,
        1.3215438366657723e-06,
        1.01781542645823e-07,
        7.073306396328084e-09,
        4.4397664501021314e-10,
    ],
};
/// 2^x on [0, 1]; 2^-23.5.
const EXP2_OF_FRACTION: [f64; 6] = [1.0, 0.69315135, 0.24016409, 0.055800915, 0.009015918, 0.0018675622];
/// The same; 2^-28.8.
const PRECISE_EXP2_OF_FRACTION: [f64; 7] = [1.0, 0.69314706, 0.24022909, 0.055486184, 0.009673775, 0.0012482291, 0.00021565956];
/// The same; 2^-13.7, where OpenCL C asks for 2^-11.
const HALF_EXP2_OF_FRACTION: [f64; 4] = [0.9999252, 0.6958342, 0.22606526, 0.07802583];
/// e^x on [-ln(2)/2, ln(2)/2]; 2^-28.2, 2^-57.9.
const EXP: Table = Table {
    single: &[1.0, 1.0, 0.499_999_94, 0.166_665_21, 0.041_668_262, 0.008_368_67, 0.001_382_102_1],
    double: &[
        1.0,
        1.0,
        0.5000000000000011,
        0.16666666666666452,
        0.041666666666527116,
        0.008333333333471513,
        0.0013888888944283964,
        0.00019841269552910403,
        2.4801492521297155e-05,
        2.7557547149632503e-06,
        2.7630428842690174e-07,
        2.5011957058893227e-08,
    ],
};
/// 10^x on [-log10(2)/2, log10(2)/2]; 2^-28.5, 2^-57.7.
const EXP10: Table = Table {
    single: &[1.0, LN_10, 2.650_948_8, 2.034_656, 1.171_294_7, 0.541_825_53, 0.206_187_64],
    double: &[
        1.0,
        LN_10,
        2.650949055239202,
        2.034678592293344,
        1.1712551489094067,
        0.5393829292225025,
        0.2069958493975405,
        0.06808936261807164,
        0.019597625742442944,
        0.005014025170497885,
        0.0011574607235577221,
        0.00024050007538876082,
    ],
};
/// (e^x - 1 - x) / x^2 on [-ln(2)/2, ln(2)/2]; 2^-31.1, 2^-65.0 of e^x - 1.
const EXPM1: Table = Table {
    single: &[0.5, 0.16666666, 0.041666493, 0.008333544, 0.0013932345, 0.00019763302],
    double: &[
        0.5,
        0.16666666666666666,
        0.041666666666666664,
        0.008333333333334329,
        0.0013888888888888536,
        0.00019841269837768757,
        2.480158731273555e-05,
        2.75573246354414e-06,
        2.7557286934024795e-07,
        2.5048278553014536e-08,
        2.090998489357167e-09,
        1.7084786594202328e-10,
    ],
};

/// What makes an exponential function.
struct Base {
    /// The number of powers of two in 1.
    scale: f64,
    /// The logarithm of 2.
    log_of_2: Precise,
    polynomial: Table,
    /// That of `exp_tables`.
    short: [f64; 6],
    /// Where the result is 0 and infinite, for floats and doubles.
    limits: [[f64; 2]; 2],
    /// Numbers of a lesser magnitude have normal results.
    usual: [f64; 2],
}

const BASE_E: Base = Base {
    scale: LOG2_E,
    log_of_2: parts::LN_2,
    polynomial: EXP,
    short: exp_tables::EXP,
    // Half of e^x, which others want, overflows later than e^x.
    limits: [[-104.5, 90.0], [-746.0, 711.0]],
    usual: [87.0, 708.0],
};

const BASE_2: Base = Base {
    scale: 1.0,
    log_of_2: Precise {
        number: 1.0,
        rest: [0.0; 2],
    },
    polynomial: EXP2,
    short: exp_tables::EXP2,
    limits: [[-151.0, 129.0], [-1076.0, 1025.0]],
    usual: [125.5, 1021.5],
};

const BASE_10: Base = Base {
    scale: LOG2_10,
    log_of_2: parts::LOG10_2,
    polynomial: EXP10,
    short: exp_tables::EXP10,
    limits: [[-45.5, 39.0], [-324.5, 309.0]],
    usual: [37.8, 307.5],
};

impl Base {
    /// b^x as a number about 1 and the whole number of powers of two that it is to be multiplied with.
    fn parts<'a>(&self, x: Expr<'a>) -> [Expr<'a>; 2] {
        let [low, high] = x.by_format(self.limits[0], self.limits[1]);
        let [whole, _, rest] = self.reduce(x.at_least(low).at_most(high));
        [self.polynomial.at(rest), whole]
    }

    /// The powers of two in b^x, the same as an integer (in its last bits), and what is left of x.
    fn reduce<'a>(&self, x: Expr<'a>) -> [Expr<'a>; 3] {
        let [whole, last] = nearest_product(x, self.scale);
        [whole, last, self.rest(x, whole)]
    }

    /// What powers of two leave of x.
    fn rest<'a>(&self, x: Expr<'a>, powers: Expr<'a>) -> Expr<'a> {
        if self.scale == 1.0 {
            return x - powers;
        }
        // The larger part first, which is exact.
        let rest = powers.fma(-self.log_of_2.number, x);
        powers.fma(-self.log_of_2.rest(x), rest)
    }

    /// b^x where that is a normal number: the powers of two go into the exponent as it is stored.
    fn of_usual<'a>(&self, x: Expr<'a>) -> Expr<'a> {
        if is_tabled(x) {
            let [powers, sixteenths] = nearest_sixteenth(x, self.scale);
            return exp_tables::power(sixteenths, self.rest(x, powers), &self.short);
        }
        let [_, last, rest] = self.reduce(x);
        times_power(self.polynomial.at(rest), last)
    }

    /// b^x
    fn of<'a>(&self, x: Expr<'a>) -> Expr<'a> {
        let usual = self.of_usual(x);
        let is_usual = x.abs().lt(x.by_format(self.usual[0], self.usual[1]));
        let [value] = (!is_usual).slowly(
            || {
                // What is masked is e^-infinity: 0 at once, since machines take long for products that are subnormal on the way.
                let vanishes = x.lt(x.by_format(self.limits[0], self.limits[1])[0]);
                let [value, whole] = self.parts(vanishes.number_or(0.0, x));
                [vanishes.number_or(0.0, scale(value, whole))]
            },
            [usual],
        );
        value
    }
}

/// e^x
pub fn exp<'a>(x: Expr<'a>) -> Expr<'a> {
    BASE_E.of(x)
}

/// 2^x
pub fn exp2<'a>(x: Expr<'a>) -> Expr<'a> {
    match is_by_powers(x) {
        true => exp2_of_sum(x, None),
        false => BASE_2.of(x),
    }
}

/// 10^x
pub fn exp10<'a>(x: Expr<'a>) -> Expr<'a> {
    BASE_10.of(x)
}

/// What the powers of two in e^x leave of x, and how many these are, as an integer (in its last bits).
pub fn powers_of_e<'a>(x: Expr<'a>) -> [Expr<'a>; 2] {
    let [_, last, rest] = BASE_E.reduce(x);
    [rest, last]
}

/// e^x of a number between the limits, as a number about 1 and the whole number of powers of two that it is to be multiplied with, and a polynomial of
/// another number, interleaved.
pub fn exp_parts_beside<'a>(x: Expr<'a>, table: Table, y: Expr<'a>) -> [Expr<'a>; 3] {
    if is_tabled(x) {
        let [powers, sixteenths] = nearest_sixteenth(x, BASE_E.scale);
        let value = exp_tables::fraction(sixteenths, BASE_E.rest(x, powers), &BASE_E.short);
        // Products with powers are of the whole number below.
        let whole = if x.has_powers() { powers } else { powers.floor() };
        return [value, whole, table.at(y)];
    }
    let [whole, _, rest] = BASE_E.reduce(x);
    let [value, other] = BASE_E.polynomial.at_both(rest, table, y);
    [value, whole, other]
}

/// 2^rest for a rest from -0.5 to 0.5.
pub fn exp2_of_rest<'a>(rest: Expr<'a>) -> Expr<'a> {
    EXP2.at(rest)
}

/// Powers of 2 are those of fractions, times what the machine makes of the number. (Doubles are better off with tables.)
pub fn is_by_powers(x: Expr) -> bool {
    x.has_powers() && !x.is_double()
}

/// 2 to a float, or to the sum with one that is small beside 1, where the machine has such products.
pub fn exp2_of_sum<'a>(x: Expr<'a>, low: Option<Expr<'a>>) -> Expr<'a> {
    let fraction = x.above_floor();
    let rest = low.map_or(fraction, |low| fraction + low);
    rest.polynomial(&PRECISE_EXP2_OF_FRACTION).scaled(x)
}

/// The same by another polynomial for fractions. Infinite numbers have no fractions, but powers that are 0 or infinite whatever they are multiplied with.
pub fn exp2_by_fraction<'a>(x: Expr<'a>, of_fraction: &[f64]) -> Expr<'a> {
    x.above_floor().polynomial(of_fraction).scaled(x)
}

/// e^x - 1
pub fn expm1<'a>(x: Expr<'a>) -> Expr<'a> {
    // Below, the result is -1.
    let [low, high] = x.by_format([-20.0, 89.0], [-40.0, 710.0]);
    let (whole, value) = expm1_parts(x.at_least(low).at_most(high));
    // Half of the power of two is within range where the power is not.
    let half = power_of_two(whole - 1.0);
    let scaled = half.fma(value, half - 0.5) * 2.0;
    whole.equals(0.0).select(value, scaled).with_sign_of(x)
}

/// e^x - 1 for numbers of which neither that nor its inverse leaves the range.
pub fn moderate_expm1<'a>(x: Expr<'a>) -> Expr<'a> {
    let (whole, value) = expm1_parts(x);
    let power = power_of_two(whole);
    power.fma(value, power - 1.0)
}

/// The powers of two in e^x, and what is left of x, e to that less 1.
fn expm1_parts<'a>(x: Expr<'a>) -> (Expr<'a>, Expr<'a>) {
    let [whole, _, rest] = BASE_E.reduce(x);
    (whole, (rest * rest).fma(EXPM1.at(rest), rest))
}

/// e^x of a float, without subnormal results.
pub fn native_exp<'a>(x: Expr<'a>) -> Expr<'a> {
    native_exp2(x * LOG2_E)
}

/// 10^x of a float, without subnormal results.
pub fn native_exp10<'a>(x: Expr<'a>) -> Expr<'a> {
    native_exp2(x * LOG2_10)
}

/// 2^x of a float, without subnormal results.
pub fn native_exp2<'a>(x: Expr<'a>) -> Expr<'a> {
    rough_exp2(x, &EXP2_OF_FRACTION)
}

/// e^x of a float, to half its bits and without subnormal results.
pub fn half_exp<'a>(x: Expr<'a>) -> Expr<'a> {
    half_exp2(x * LOG2_E)
}

/// 10^x of such floats.
pub fn half_exp10<'a>(x: Expr<'a>) -> Expr<'a> {
    half_exp2(x * LOG2_10)
}

/// 2^x of such floats.
pub fn half_exp2<'a>(x: Expr<'a>) -> Expr<'a> {
    rough_exp2(x, &HALF_EXP2_OF_FRACTION)
}

/// 2^x by a polynomial for fractions: below -126 the power of two is 0, at 128 it is infinite.
fn rough_exp2<'a>(x: Expr<'a>, of_fraction: &[f64]) -> Expr<'a> {
    if x.has_powers() {
        return exp2_by_fraction(x, of_fraction);
    }
    let x = x.at_least(-127.0).at_most(128.0);
    let whole = x.floor();
    (x - whole).polynomial(of_fraction) * power_of_two(whole)
}
