//! Logarithms of doubles by tables, where the machine looks up sixteen of them in registers.
//!
//! A fraction m from 3/4 to 3/2 has an inverse near k / 16 for a whole number k from 11 to 21, by the machine's estimate. Then z = m k / 16 - 1 is exact and less
//! than 1/20, so that its logarithm takes a short polynomial and no quotient, and log(16 / k) is in the table. Around 1 that is 0, and nothing cancels.

use super::super::expression::Expr;
use super::parts::{LOG2_E, LOG10_E, Precise, Split, nearest_sixteenth};
use super::power::Pair;

/// The least fraction.
pub const LEAST: f64 = 0.75;

/// Logarithms of this format are looked up.
pub fn is_tabled(x: Expr) -> bool {
    x.is_double() && x.has_tables()
}

/// A logarithm to some base.
pub struct Tabled {
    /// That of e.
    of_e: Precise,
    /// That of 2: 40 bits behind the point, and the rest.
    power: [f64; 2],
    /// (log(1 + z) - z log(e)) / z^2.
    polynomial: [f64; 10],
    /// log(16 / k), with 40 bits behind the point, by the last four bits of k.
    high: [f64; 16],
    /// What that lacks.
    low: [f64; 16],
}

/// The second coefficient of log2(1 + z).
const LOG2_OF_SQUARE: Precise = Precise {
    number: -0.7213475204444817,
    rest: [0.0, -1.0177636870465517e-17],
};
/// (log2(1 + z) - z log2(e) + z^2 log2(e) / 2) / z^3; 2^-64.7 of the logarithm.
const LOG2_BEYOND: [f64; 10] = [
    0.48089834696298783,
    -0.3606737602223245,
    0.28853900817746536,
    -0.24044917328878573,
    0.2060992925741045,
    -0.18033706244037817,
    0.16029821688279614,
    -0.14419321247499767,
    0.13177792042523917,
    -0.13217573404242083,
];

/// The natural logarithm; the polynomial is right to 2^-61.374 of the logarithm.
pub const LOG: Tabled = Tabled {
    of_e: Precise {
        number: 1.0,
        rest: [0.0; 2],
    },
    power: [0.6931471805592082, 7.371002565167799e-13],
    polynomial: [
        -0.5,
        0.3333333333333335,
        -0.2499999999997538,
        0.19999999999907048,
        -0.1666666675412957,
        0.14285714464256702,
        -0.12499897011297471,
        0.11110963491993094,
        -0.10049436637447426,
        0.0914617734854806,
    ],
    high: [
        0.0,
        -0.06062462181671435,
        -0.11778303565643,
        -0.17185025692651834,
        -0.22314355131402408,
        -0.27193371548401046,
        -0.3184537311180975,
        -0.3629054936891407,
        0.6931471805601177,
        0.5753641449036877,
        0.4700036292460936,
        0.3746934494411107,
        0.2876820724513891,
        0.2076393647785153,
        0.13353139262471814,
        0.06453852113736502,
    ],
    low: [
        0.0,
        2.795098818345971e-13,
        4.654729747598445e-14,
        -1.4088127937111135e-13,
        -1.856757095979601e-13,
        3.687042831583768e-13,
        -4.3712191957429144e-13,
        -2.2774076114039556e-13,
        -1.7239444525614835e-13,
        -1.258471477801639e-13,
        -3.5807015485410843e-13,
        2.9997833694248845e-13,
        3.918237769963822e-13,
        -2.707990980384746e-13,
        -1.9551393909415374e-13,
        2.0614806739842207e-13,
    ],
};

/// That to base 2; the polynomial is right to 2^-61.469 of the logarithm.
pub const LOG2: Tabled = Tabled {
    of_e: LOG2_E,
    power: [1.0, 0.0],
    polynomial: [
        -0.7213475204444818,
        0.4808983469629877,
        -0.3606737602214099,
        0.2885390081783513,
        -0.24044917542027927,
        0.20609929097478688,
        -0.18033502024916942,
        0.16029924619836658,
        -0.1450532882323205,
        0.1315621288111277,
    ],
    high: [
        0.0,
        -0.0874628412502716,
        -0.16992500144260703,
        -0.24792751344375574,
        -0.32192809488697094,
        -0.39231742277843296,
        -0.45943161863760906,
        -0.5235619560571649,
        1.0,
        0.830074998557393,
        0.6780719051130291,
        0.5405683813623909,
        0.4150374992786965,
        0.29956028185915784,
        0.19264507794196106,
        0.09310940439172555,
    ],
    low: [
        0.0,
        -6.781363655020842e-14,
        2.9466363971563933e-13,
        1.7024883460791358e-13,
        -3.914087556296025e-13,
        -3.273329303085191e-13,
        3.1180651700181383e-13,
        1.520621696507556e-13,
        0.0,
        2.9466363971563933e-13,
        -3.914087556296025e-13,
        3.1180651700181383e-13,
        1.4733181985781966e-13,
        -2.500001867992647e-13,
        4.348299516065895e-13,
        -2.4407693577178287e-13,
    ],
};

/// That to base 10; the polynomial is right to 2^-61.801 of the logarithm.
pub const LOG10: Tabled = Tabled {
    of_e: LOG10_E,
    power: [0.301029995663157, 8.241712586023572e-13],
    polynomial: [
        -0.21714724095162594,
        0.14476482730108403,
        -0.10857362047560833,
        0.08685889638017315,
        -0.07238241416177975,
        0.06204206969202407,
        -0.054286293811990086,
        0.048254271368862144,
        -0.04365664950972553,
        0.03972567468667924,
    ],
    high: [
        0.0,
        -0.026328938722144812,
        -0.051152522447409865,
        -0.07463361829650239,
        -0.09691001300780044,
        -0.11809931207790214,
        -0.13830269816662621,
        -0.15760785336169647,
        0.3010299956640665,
        0.24987747321665665,
        0.20411998265626607,
        0.1627272974974403,
        0.12493873660787358,
        0.09017663034865109,
        0.0579919469773813,
        0.028028723600073135,
    ],
    low: [
        0.0,
        -2.043353397095547e-13,
        2.857603188831182e-14,
        -4.017898049655052e-13,
        -2.5597032951171317e-13,
        -9.234612513604464e-14,
        3.447594064345272e-13,
        2.8372516019485323e-14,
        -8.532344317057107e-14,
        -5.6747411282259244e-14,
        -3.4129377268228426e-13,
        2.594359632639561e-13,
        4.263736452453345e-13,
        4.3692380556874144e-13,
        3.0545148822097805e-13,
        1.704033157336213e-13,
    ],
};

/// A fraction near the inverse of a whole number of sixteenths.
struct Near<'a> {
    /// That number's last bits.
    last: Expr<'a>,
    /// It, in sixteenths.
    inverse: Expr<'a>,
    /// What the product of both is more than 1, exactly.
    z: Expr<'a>,
}

impl<'a> Near<'a> {
    fn of(fraction: Expr<'a>) -> Near<'a> {
        let inverse = fraction.number(1.0).short_over(fraction);
        let [inverse, last] = nearest_sixteenth(inverse, 1.0);
        let z = fraction.fma(inverse, fraction.number(-1.0));
        Near { last, inverse, z }
    }
}

/// log2, to about 2^-63 of it.
pub fn precise_log2<'a>(number: Split<'a>) -> Pair<'a> {
    let Split { exponent, fraction } = number;
    let Near { last, z, .. } = Near::of(fraction);
    let whole = exponent + last.entry(&LOG2.high);
    // z log2(e) and the term of z^2 are sums of two numbers; the others are small.
    let linear = z * LOG2_E.number;
    let linear_rest = z.fma(LOG2_E.rest(z), z.fma(LOG2_E.number, -linear));
    let square = z * z;
    let square_rest = z.fma(z, -square);
    let term = square * LOG2_OF_SQUARE.number;
    let term_rest = square_rest.fma(LOG2_OF_SQUARE.number, square.fma(LOG2_OF_SQUARE.number, -term));
    let beyond = z.fma(z.polynomial(&LOG2_BEYOND), z.number(LOG2_OF_SQUARE.rest(z)));
    let sum = Pair::sum(whole, linear);
    let low = square.fma(beyond, last.entry(&LOG2.low) + term_rest + linear_rest) + sum.low;
    let sum = Pair::sum(sum.high, term);
    Pair { low: low + sum.low, ..sum }
}

impl Tabled {
    /// The logarithm of a number that was taken apart, with fractions from 3/4 on, and of what was left out of the fraction.
    pub fn of<'a>(&self, number: Split<'a>, left_out: Option<Expr<'a>>) -> Expr<'a> {
        let Split { exponent, fraction } = number;
        let Near { last, inverse, z } = Near::of(fraction);
        let z = left_out.map_or(z, |rest| rest.fma(inverse, z));
        // Sums of the high parts are exact.
        let high = exponent.fma(self.power[0], last.entry(&self.high));
        let low = match self.power[1] {
            0.0 => last.entry(&self.low),
            rest => exponent.fma(rest, last.entry(&self.low)),
        };
        let low = match self.of_e.rest(z) {
            0.0 => low,
            rest => z.fma(rest, low),
        };
        let beyond = (z * z).fma(z.polynomial(&self.polynomial), low);
        high + z.fma(self.of_e.number, beyond)
    }
}
