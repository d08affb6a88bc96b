//! Sine, cosine and tangent, of angles in radians and in half turns: multiples of pi/2 are taken off, and polynomials are for the rest. Where
//! numbers are so large that three parts do not hold pi/2 exactly enough, C's mathematics library is asked.

use super::super::expression::Expr;
use super::parts::{Precise, Table, nearest_product};
use ir::{Elem, Runtime};
use std::f64::consts::{FRAC_1_PI, FRAC_2_PI, FRAC_PI_2, PI};

/// pi/2 in three parts, for floats and for doubles.
const HALF_PI: [[f64; 3]; 2] = [
    [FRAC_PI_2, -4.371_139e-8, -1.715_124_5e-15],
    [FRAC_PI_2, 6.123233995736766e-17, -1.4973849048591698e-33],
];
/// The greatest numbers that these are good for. (The first difference is exact while it is less than 1; three parts of floats were tested
/// to 2^20. No double that is so small is closer than 2^-62 to a multiple of pi/2.)
const LARGEST: [f64; 2] = [131_072.0, 1_073_741_824.0];

/// (sin(x) - x) / x^3 on [0, pi/4], in x^2; 2^-32.5, 2^-63.2 of the sine.
const SIN: Table = Table {
    single: &[-0.166_666_67, 0.008_333_379, -0.000_198_530_85, 2.832_930_7e-6],
    double: &[
        -0.16666666666666666,
        0.008333333333333042,
        -0.00019841269840962283,
        2.7557319073761465e-06,
        -2.50520708331824e-08,
        1.6054296339296146e-10,
        -7.388533880356672e-13,
    ],
};
/// cos(x) on [0, pi/4], in x^2; 2^-33, 2^-63.9.
const COS: Table = Table {
    single: &[1.0, -0.5, 0.041_666_646, -0.001_388_731_1, 2.443_256_6e-5],
    double: &[
        1.0,
        -0.5,
        0.041666666666666595,
        -0.0013888888888873333,
        2.4801587288992057e-05,
        -2.755731421290282e-07,
        2.0875704673367686e-09,
        -1.135870391499912e-11,
    ],
};

/// tan(x) / x on [0, pi/4] as the quotient of two polynomials in x^2 that begin with 1, which these are the rest of; 2^-25.8, 2^-55.4.
const TAN_ABOVE: Table = Table {
    single: &[-0.09578013],
    double: &[-0.12828247238598404, 0.0028058070298187042, -7.482557059496828e-6],
};
const TAN_BELOW: Table = Table {
    single: &[-0.42911396, 0.009709077],
    double: &[-0.4616158057193154, 0.023344408936198534, -0.0002084320742256127],
};

/// (sin(x) - x) / x^3 on [0, pi/2], in x^2; 2^-27.2, 2^-61.3 of the sine.
const SIN_TO_HALF_PI: Table = Table {
    single: &[-0.166_666_6, 0.008_333_068, -0.000_198_096_65, 2.605_777e-6],
    double: &[
        -0.16666666666666666,
        0.008333333333333207,
        -0.00019841269841212528,
        2.7557319211585673e-06,
        -2.5052106906537405e-08,
        1.605894113685484e-10,
        -7.643023531713145e-13,
        2.721469601269761e-15,
    ],
};

/// (sin(pi x) / x - pi) on [0, 1/2], in x^2, after what the nearest number lacks of pi; 2^-26.5, 2^-60 of the sine. The last coefficients are a little
/// less than the best ones, so that no sine is greater than 1 after rounding.
const SIN_PI: Table = Table {
    single: &[-8.742278e-8, -5.1677108, 2.5500865, -0.598334, 0.07772],
    double: &[
        1.2246467991473532e-16,
        -5.167712780049969,
        2.5501640398772736,
        -0.5992645293180432,
        0.08214588655896612,
        -0.007370430387157443,
        0.0004662992654942133,
        -2.1902167672029203e-05,
        7.68475e-07,
    ],
};

/// sin(pi x) / (x (1 - x^2)) for x from 0 to 1, in 1 - x^2; 2^-23.9, 2^-53.8.
const SIN_PI_OVER_ZEROS: Table = Table {
    single: &[1.5707964, 1.1780951, 0.33579925, 0.05153924, 0.005008396, 0.0003543866],
    double: &[
        FRAC_PI_2,
        1.178097245096184,
        0.3357836067402135,
        0.05157411933724597,
        0.004991065339572007,
        0.00033334203696899355,
        1.631831970306316e-05,
        6.114793078550167e-07,
        1.7955971006509563e-08,
        4.897304977641333e-10,
    ],
};
/// tan(pi x) (1 - 4 x^2) / x for x from 0 to 1/2, in 1 - 4 x^2; 2^-24.1, 2^-53.8.
const TAN_PI_TIMES_POLES: Table = Table {
    single: &[2.5464792, 0.636613, -0.046080887, 0.0050420575, -0.00046059326],
    double: &[
        2.5464790894703255,
        0.6366197723675452,
        -0.046133946321246934,
        0.005188276010936044,
        -0.0006299331677682609,
        7.804241310341393e-05,
        -9.72576717581567e-06,
        1.2115828493941275e-06,
        -1.4808078989150653e-07,
        1.6238186904419756e-08,
        -1.1561721997484283e-09,
    ],
};

/// pi
const WHOLE_PI: Precise = Precise {
    number: PI,
    rest: [-8.742278000372485e-08, 1.2246467991473532e-16],
};

/// How large numbers may be.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Range {
    /// Any floats.
    All,
    /// Up to 2^16.
    Small,
}

/// The sine.
pub fn sin<'a>(x: Expr<'a>, range: Range) -> Expr<'a> {
    with_large(x, range, [Runtime::SinF64], [usual_sin(x)])[0]
}

/// The cosine.
pub fn cos<'a>(x: Expr<'a>, range: Range) -> Expr<'a> {
    with_large(x, range, [Runtime::CosF64], [usual_cos(x)])[0]
}

/// The sine and the cosine.
pub fn sincos<'a>(x: Expr<'a>, range: Range) -> [Expr<'a>; 2] {
    let parts = Parts::of_radians(x);
    with_large(x, range, [Runtime::SinF64, Runtime::CosF64], [parts.sin(), parts.cos()])
}

/// The tangent.
pub fn tan<'a>(x: Expr<'a>, range: Range) -> Expr<'a> {
    with_large(x, range, [Runtime::TanF64], [usual_tan(x)])[0]
}

/// sin(pi x); of whole numbers, a zero with the sign of x.
pub fn sinpi<'a>(x: Expr<'a>) -> Expr<'a> {
    let rest = half_turns(x.abs());
    // The zeros at -1, 0 and 1 are taken out. The sum with 0 makes 0 of -0.
    let beside_one = (-rest).fma(rest, rest.number(1.0));
    let value = (rest * beside_one).fma(SIN_PI_OVER_ZEROS.at(beside_one), rest.number(0.0));
    flip(value, x.bits() & x.sign_bit())
}

/// cos(pi x); halfway between whole numbers, 0.
pub fn cospi<'a>(x: Expr<'a>) -> Expr<'a> {
    let rest = half_turns(x);
    sin_of_half_turns(0.5 - rest.abs())
}

/// The half turns that are left without full turns, from -1 to 1, exactly.
fn half_turns<'a>(x: Expr<'a>) -> Expr<'a> {
    (x * 0.5).nearest().fma(-2.0, x)
}

/// sin(pi x) for x from -1/2 to 1/2.
fn sin_of_half_turns<'a>(x: Expr<'a>) -> Expr<'a> {
    x.fma(WHOLE_PI.number, x * SIN_PI.at(x * x))
}

/// tan(pi x); of whole numbers, a zero with the sign of x where they are even, else the other; halfway above the even ones infinity, and above
/// the odd ones -infinity.
pub fn tanpi<'a>(x: Expr<'a>) -> Expr<'a> {
    let half_turns = half_turns(x);
    let odd = half_turns.nearest();
    let rest = half_turns - odd;
    // Divided by what is 0 at the poles.
    let beside_pole = (rest * -4.0).fma(rest, rest.number(1.0));
    let value = rest * TAN_PI_TIMES_POLES.at(beside_pole) / beside_pole;
    // The last bits of 1's exponent are the sign.
    let zero = (((odd.bits() << 2) ^ x.bits()) & x.sign_bit()).float();
    rest.equals(0.0).select(zero, value)
}

/// The functions of numbers of usual size, or what the library has for larger ones.
fn with_large<'a, const N: usize>(x: Expr<'a>, range: Range, routines: [Runtime; N], values: [Expr<'a>; N]) -> [Expr<'a>; N] {
    if range == Range::Small {
        return values;
    }
    let large = x.abs().gt(x.by_format(LARGEST[0], LARGEST[1]));
    large.slowly(|| routines.map(|routine| x.to(Elem::F64).call(routine, &[]).to(x.elem())), values)
}

/// The sine: that of what a multiple of pi leaves, one polynomial for all of it.
fn usual_sin<'a>(x: Expr<'a>) -> Expr<'a> {
    let size = x.abs();
    let [whole, last] = nearest_product(size, FRAC_1_PI);
    let value = sin_beside(size, whole);
    flip(value, last_bit_as_sign(last) ^ (x.bits() & x.sign_bit()))
}

/// The cosine: the sine of what is left at odd multiples of pi/2.
fn usual_cos<'a>(x: Expr<'a>) -> Expr<'a> {
    let size = x.abs();
    let above = size.fma(FRAC_1_PI, size.number(0.5));
    let [whole, last] = nearest_product(above, 1.0);
    let value = sin_beside(size, whole - 0.5);
    flip(value, last_bit_as_sign(last))
}

/// The sine of `size` less `turns` pi, which is at most pi/2.
fn sin_beside<'a>(size: Expr<'a>, turns: Expr<'a>) -> Expr<'a> {
    let half_pi = size.by_format(HALF_PI[0], HALF_PI[1]);
    let rest = half_pi.iter().fold(size, |rest, part| turns.fma(-2.0 * part, rest));
    let square = rest * rest;
    let value = (square * rest).fma(SIN_TO_HALF_PI.at(square), rest);
    // Near pi/2, rounding would bring some over 1, which arcus functions and roots don't forgive.
    value.at_least(-1.0).at_most(1.0)
}

/// The tangent: a quotient that is the other way round in every other quadrant.
fn usual_tan<'a>(x: Expr<'a>) -> Expr<'a> {
    let [rest, quadrant] = beside_quarters(x);
    let square = rest * rest;
    let [above, below] = TAN_ABOVE.at_both(square, TAN_BELOW, square);
    let (above, below) = ((square * rest).fma(above, rest), square.fma(below, rest.number(1.0)));
    let even = quadrant.lacks(1);
    let value = even.select(above, below) / even.select(below, above);
    flip(value, last_bit_as_sign(quadrant) ^ (x.bits() & x.sign_bit()))
}

/// What multiples of pi/2 leave of a magnitude, and how many they are, as an integer of which the last two bits count.
fn beside_quarters<'a>(x: Expr<'a>) -> [Expr<'a>; 2] {
    // The reduction would lose the sign of -0.
    let size = x.abs();
    let [whole, quadrant] = nearest_product(size, FRAC_2_PI);
    let half_pi = x.by_format(HALF_PI[0], HALF_PI[1]);
    [half_pi.iter().fold(size, |rest, part| whole.fma(-part, rest)), quadrant]
}

/// Sine and cosine of what is left of an angle, and which quadrant that was in.
struct Parts<'a> {
    sin: Expr<'a>,
    cos: Expr<'a>,
    /// An integer, of which the last two bits count.
    quadrant: Expr<'a>,
    /// The sign bit where the sine is negative in quadrant 0.
    sign: Expr<'a>,
}

impl<'a> Parts<'a> {
    fn of_radians(x: Expr<'a>) -> Parts<'a> {
        let [rest, quadrant] = beside_quarters(x);
        let square = rest * rest;
        let [sin, cos] = SIN.at_both(square, COS, square);
        Parts {
            sin: (square * rest).fma(sin, rest),
            cos,
            quadrant,
            sign: x.bits() & x.sign_bit(),
        }
    }

    fn sin(&self) -> Expr<'a> {
        let value = self.quadrant.lacks(1).select(self.sin, self.cos);
        flip(value, self.second_bit_as_sign(self.quadrant) ^ self.sign)
    }

    fn cos(&self) -> Expr<'a> {
        let value = self.quadrant.lacks(1).select(self.cos, self.sin);
        flip(value, self.second_bit_as_sign(self.quadrant.plus(1)))
    }

    /// The sign bit on where the second bit of an integer is.
    fn second_bit_as_sign(&self, integer: Expr<'a>) -> Expr<'a> {
        (integer & 2) << (u64::from(self.sin.elem().bits()) - 2)
    }
}

/// The sign bit on where the last bit of an integer is.
pub fn last_bit_as_sign<'a>(integer: Expr<'a>) -> Expr<'a> {
    integer << (u64::from(integer.elem().bits()) - 1)
}

/// The value with its sign flipped where the sign bit is set.
pub fn flip<'a>(value: Expr<'a>, sign: Expr<'a>) -> Expr<'a> {
    (value.bits() ^ sign).float()
}
