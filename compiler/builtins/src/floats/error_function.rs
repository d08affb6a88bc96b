//! The error function and its complement.

use super::super::expression::Expr;
use super::exponential::exp_parts_beside;
use super::parts::{Table, scale};
use std::f64::consts::FRAC_2_SQRT_PI;

/// erf(x) / x from 0 to [`MIDDLE`], in x^2; 2^-24.2, 2^-54.6.
const ERF: Table = Table {
    single: &[FRAC_2_SQRT_PI, -0.37612247, 0.11279576, -0.026694546, 0.0048983623, -0.0005554363],
    double: &[
        FRAC_2_SQRT_PI,
        -0.3761263890318307,
        0.11283791670928606,
        -0.02686617064130041,
        0.0052239775971213605,
        -0.0008548325783148543,
        0.00012055298133268871,
        -1.4924993014143491e-05,
        1.6453592117187808e-06,
        -1.6289427216857084e-07,
        1.4338333684924775e-08,
        -1.0384209724468027e-09,
        4.607004771477833e-11,
    ],
};
/// The sixteenth root of 1 - erf(x) from [`MIDDLE`] to [`LARGEST`], in what x is more than the former; 2^-25.6, 2^-55.6 of erf(x).
const ROOT_OF_REST: Table = Table {
    single: &[0.8908312, -0.14692916, -0.034830354, 0.0047820983, 0.0015415606, -0.00027825657],
    double: &[
        0.852002469340429,
        -0.1633567733473103,
        -0.030710354236827962,
        0.006149336038707168,
        0.0012061769632941324,
        -0.00029169545412331053,
        -2.000155787930278e-06,
        4.7566424060588715e-06,
        -8.021179805928923e-07,
        2.8841795660022373e-07,
        -9.172303253116371e-08,
        1.8442423185475823e-08,
        -2.4651547330004464e-09,
        2.0918423675541224e-10,
        -8.58585042879317e-12,
    ],
};
/// Where erf(x) goes over from one to the other.
const MIDDLE: [f64; 2] = [1.0, 1.25];
/// From here on it is 1.
const LARGEST: [f64; 2] = [4.0, 6.0];
/// (x + k) e^(x^2) erfc(x) for x from 0 to 10.2, and for doubles to 27.4, in (x - k) / (x + k), where k is [`CENTER`]; 2^-27, 2^-53.3.
const ERFC: Table = Table {
    single: &[
        1.0740069,
        -0.8833945,
        0.59022784,
        -0.31046617,
        0.11953361,
        -0.026837787,
        -0.0012410796,
        0.003071272,
        -0.00046858663,
        -0.00031411275,
    ],
    double: &[
        1.08705558926226,
        -0.9377997245671119,
        0.6941136466346722,
        -0.43525602671690844,
        0.2257386216461144,
        -0.09231870663781667,
        0.026518619905148904,
        -0.0031770503508706193,
        -0.0013053549088435598,
        0.0007145317275369211,
        -4.206100453478169e-05,
        -7.477713919866563e-05,
        1.8643381125277457e-05,
        7.243774448281408e-06,
        -3.3842123399716773e-06,
        -7.945100442400835e-07,
        5.407497121444803e-07,
        1.1256052926131515e-07,
        -7.667585463290222e-08,
        -1.8484547489966113e-08,
        6.995502767736668e-09,
        2.1169460340033227e-09,
    ],
};
/// k, by which errors are least.
const CENTER: [f64; 2] = [3.0, 3.5];

/// 2/sqrt(pi) times the integral of e^(-t^2) from 0 to x.
pub fn erf<'a>(x: Expr<'a>) -> Expr<'a> {
    let size = x.abs();
    let middle = x.by_format(MIDDLE[0], MIDDLE[1]);
    let above = size.at_most(x.by_format(LARGEST[0], LARGEST[1])) - middle;
    let [small, root] = ERF.at_both(x * x, ROOT_OF_REST, above);
    // Squared three times, it is the root of what is missing.
    let root = (0..3).fold(root, |root, _| root * root);
    let large = (-root).fma(root, x.number(1.0)).signed_as(x);
    size.lt(middle).select(x * small, large)
}

/// 1 - erf(x)
pub fn erfc<'a>(x: Expr<'a>) -> Expr<'a> {
    let value = of_magnitude(x.abs());
    x.lt(0.0).select(2.0 - value, value)
}

/// erfc(x) for x of at least 0: e^(-x^2) times a function that falls slowly.
fn of_magnitude<'a>(size: Expr<'a>) -> Expr<'a> {
    // Beyond this limit the result is 0.
    let x = size.at_most(size.by_format(10.2, 27.4));
    let center = x.by_format(CENTER[0], CENTER[1]);
    let inverse = 1.0 / (x + center);
    // e to what the square is more than its rounded value is one less that.
    let square = x * x;
    let lost = x.fma(x, -square);
    let [value, whole, slow] = exp_parts_beside(-square, ERFC, (x - center) * inverse);
    let value = value.fma(-lost, value);
    scale(value * (slow * inverse), whole)
}
