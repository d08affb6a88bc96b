//! Formats of floats: bits taken apart, and put together under any rounding, in integers alone.

use crate::op::{Rounding, infinity_bits};
use crate::types::Elem;

pub(super) const fn sign_bit(elem: Elem) -> u64 {
    elem.bit_mask() ^ (elem.bit_mask() >> 1)
}

/// Bits of the fraction of a float type.
const fn fraction_bits(elem: Elem) -> u32 {
    match elem {
        Elem::F16 => 10,
        Elem::BF16 => 7,
        Elem::F32 => 23,
        _ => 52,
    }
}

/// The exponent of the smallest normal number: 1 - bias.
const fn least_exponent(elem: Elem) -> i32 {
    2 - (1 << (elem.bits() - fraction_bits(elem) - 2))
}

/// `(mantissa, exponent)` of a finite float: its magnitude is `mantissa * 2^exponent`.
fn decode(elem: Elem, bits: u64) -> (u64, i32) {
    let fraction_bits = fraction_bits(elem);
    let magnitude = bits & !sign_bit(elem);
    let (exponent, fraction) = ((magnitude >> fraction_bits) as i32, magnitude & ((1 << fraction_bits) - 1));
    let unit = least_exponent(elem) - fraction_bits as i32;
    match exponent {
        0 => (fraction, unit),
        _ => (fraction | 1 << fraction_bits, unit + exponent - 1),
    }
}

/// The float nearest to `± mantissa * 2^exponent` under a rounding.
pub(super) fn encode(elem: Elem, negative: bool, mantissa: u64, exponent: i32, rounding: Rounding) -> u64 {
    let sign = if negative { sign_bit(elem) } else { 0 };
    if mantissa == 0 {
        return sign;
    }
    let fraction_bits = fraction_bits(elem);
    let least = least_exponent(elem);
    let top = 63 - mantissa.leading_zeros() as i32 + exponent;
    let (normal, unit) = (top >= least, top.max(least) - fraction_bits as i32);
    let (kept, up) = match unit - exponent {
        shift if shift <= 0 => (mantissa << -shift, false),
        shift => {
            let (kept, dropped, half) = match shift {
                65.. => (0, 1, 2),
                64 => (0, u128::from(mantissa), 1 << 63),
                _ => (mantissa >> shift, u128::from(mantissa & ((1 << shift) - 1)), 1u128 << (shift - 1)),
            };
            (kept, rounds_up(rounding, negative, kept & 1 == 1, dropped, half))
        }
    };
    let rounded = kept + u64::from(up);
    // A carry out of the fraction goes into the exponent, where it belongs.
    let magnitude = if normal {
        (((top - least) as u64) << fraction_bits) + rounded
    } else {
        rounded
    };
    let infinity = infinity_bits(elem);
    let to_infinity = match rounding {
        Rounding::Nearest => true,
        Rounding::Zero => false,
        Rounding::Up => !negative,
        Rounding::Down => negative,
    };
    match magnitude {
        _ if magnitude < infinity => sign | magnitude,
        _ if to_infinity => sign | infinity,
        _ => sign | (infinity - 1),
    }
}

fn rounds_up(rounding: Rounding, negative: bool, odd: bool, dropped: u128, half: u128) -> bool {
    match rounding {
        Rounding::Nearest => dropped > half || (dropped == half && odd),
        Rounding::Zero => false,
        Rounding::Up => !negative && dropped != 0,
        Rounding::Down => negative && dropped != 0,
    }
}

pub(super) fn convert_float(from: Elem, to: Elem, rounding: Rounding, bits: u64) -> u64 {
    let negative = bits & sign_bit(from) != 0;
    let sign = if negative { sign_bit(to) } else { 0 };
    let magnitude = bits & !sign_bit(from);
    let infinity = infinity_bits(from);
    if magnitude < infinity {
        let (mantissa, exponent) = decode(from, bits);
        return encode(to, negative, mantissa, exponent, rounding);
    }
    if magnitude == infinity {
        return sign | infinity_bits(to);
    }
    // A quiet NaN with what fits of the payload.
    let payload = (magnitude ^ infinity) << (63 - fraction_bits(from)) >> (63 - fraction_bits(to));
    sign | infinity_bits(to) | payload | 1 << (fraction_bits(to) - 1)
}

/// The float rounded to an integer; far beyond 64 bits it is some number that is out of range too.
pub(super) fn float_to_int(from: Elem, rounding: Rounding, bits: u64) -> i128 {
    let negative = bits & sign_bit(from) != 0;
    let magnitude = bits & !sign_bit(from);
    if magnitude > infinity_bits(from) {
        return 0;
    }
    let (mantissa, exponent) = decode(from, bits);
    let mantissa = u128::from(mantissa);
    let integer = match exponent {
        70.. => 1 << 100,
        0..70 => mantissa << exponent,
        -100..0 => {
            let shift = -exponent as u32;
            let (kept, dropped) = (mantissa >> shift, mantissa & ((1 << shift) - 1));
            kept + u128::from(rounds_up(rounding, negative, kept & 1 == 1, dropped, 1 << (shift - 1)))
        }
        _ => u128::from(rounds_up(rounding, negative, false, mantissa.min(1), 2)),
    };
    let integer = if magnitude == infinity_bits(from) { 1 << 100 } else { integer };
    if negative { -(integer as i128) } else { integer as i128 }
}
