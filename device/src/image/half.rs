//! Half precision (IEEE 754 binary16) in software, for single pixels.

/// Exactly.
pub fn to_float(half: u16) -> f32 {
    let sign = u32::from(half & 0x8000) << 16;
    let (exponent, fraction) = (u32::from(half >> 10 & 31), u32::from(half & 0x3ff));
    let magnitude = match exponent {
        31 => 0x7f80_0000 | fraction << 13,
        // A subnormal is a multiple of 2^-24.
        0 => (fraction as f32 * f32::from_bits((127 - 24) << 23)).to_bits(),
        _ => (exponent + 127 - 15) << 23 | fraction << 13,
    };
    f32::from_bits(sign | magnitude)
}

/// To the nearest, ties to even.
pub fn from_float(value: f32) -> u16 {
    let bits = value.to_bits();
    let sign = (bits >> 16) as u16 & 0x8000;
    let magnitude = bits & 0x7fff_ffff;
    let half = if magnitude > 0x7f80_0000 {
        0x7e00 | (magnitude >> 13) as u16 & 0x3ff
    } else if magnitude >= (127 + 16) << 23 {
        0x7c00
    } else if magnitude >= (127 - 14) << 23 {
        let rebased = magnitude - ((127 - 15) << 23);
        // A carry out of the fraction goes to the exponent, from the largest number to infinity.
        ((rebased + 0xfff + (rebased >> 13 & 1)) >> 13) as u16
    } else {
        // As a multiple of 2^-24, rounded: the largest becomes the smallest normal number by itself.
        (f32::from_bits(magnitude) * f32::from_bits((127 + 24) << 23)).round_ties_even() as u16
    };
    sign | half
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_half_comes_back() {
        for half in 0..=u16::MAX {
            let float = to_float(half);
            if float.is_nan() {
                assert!(to_float(from_float(float)).is_nan());
            } else {
                assert_eq!(from_float(float), half, "{float}");
            }
        }
    }

    #[test]
    fn halfway_goes_to_even() {
        let ulp = f32::from_bits((127 - 11) << 23);
        assert_eq!(from_float(1.0 + ulp), 0x3c00);
        assert_eq!(from_float(1.0 + 3.0 * ulp), 0x3c02);
        assert_eq!(from_float(1.0 + 1.001 * ulp), 0x3c01);
        assert_eq!(from_float(65519.0), 0x7bff);
        assert_eq!(from_float(65520.0), 0x7c00);
        assert_eq!(from_float(f32::INFINITY), 0x7c00);
        assert_eq!(from_float(-f32::from_bits((127 - 25) << 23)), 0x8000);
        assert_eq!(from_float(f32::from_bits(((127 - 25) << 23) + 1)), 1);
    }
}
