//! Floating-point numbers.

use super::{FloatSuffix, Number};

/// A decimal number: `lower` is `text` in lower case.
pub(super) fn decimal(text: &str, lower: &str) -> Result<Number, String> {
    let digits = |from: usize| from + lower[from..].find(|c: char| !c.is_ascii_digit()).unwrap_or(lower.len() - from);
    let mut end = digits(0);
    if lower[end..].starts_with('.') {
        end = digits(end + 1);
    }
    if lower[end..].starts_with('e') {
        end = exponent(lower, end)?;
    }
    let suffix = suffix(text, &lower[end..])?;
    let number = &lower[..end];
    let bad = |_| format!("invalid floating-point constant '{text}'");
    let value = match suffix {
        FloatSuffix::None => number.parse().map_err(bad)?,
        FloatSuffix::Float => number.parse::<f32>().map_err(bad)? as f64,
        FloatSuffix::Half => to_half(number.parse().map_err(bad)?),
    };
    Ok(Number::Float { value, suffix })
}

/// The end of an exponent that begins at `at`.
fn exponent(lower: &str, at: usize) -> Result<usize, String> {
    let mut end = at + 1;
    if lower[end..].starts_with(['+', '-']) {
        end += 1;
    }
    let digits = lower[end..].find(|c: char| !c.is_ascii_digit()).unwrap_or(lower.len() - end);
    match digits {
        0 => Err("exponent has no digits".to_owned()),
        _ => Ok(end + digits),
    }
}

fn suffix(text: &str, lower: &str) -> Result<FloatSuffix, String> {
    match lower {
        "" => Ok(FloatSuffix::None),
        "f" => Ok(FloatSuffix::Float),
        "h" | "f16" => Ok(FloatSuffix::Half),
        // `long double` is no type of OpenCL C; clang takes the suffix and means `double`.
        "l" => Ok(FloatSuffix::None),
        _ => Err(format!(
            "invalid suffix '{}' on floating constant",
            &text[text.len() - lower.len()..]
        )),
    }
}

/// Rounds to the nearest value of `half`.
fn to_half(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let bits = value.to_bits();
    let mantissa = bits & ((1 << 52) - 1) | 1 << 52;
    let exponent = (bits >> 52 & 0x7ff) as i32 - 1075;
    rounded(mantissa, exponent, false, 11, -14, 15)
}

/// A hexadecimal number: `digits` is what follows `0x`, in lower case.
pub(super) fn hexadecimal(text: &str, digits: &str) -> Result<Number, String> {
    let end = digits.find('p').ok_or("hexadecimal floating constant requires an exponent")?;
    let (mut mantissa, mut scale, mut sticky, mut point, mut any) = (0_u64, 0_i32, false, false, false);
    for c in digits[..end].chars() {
        match c.to_digit(16) {
            Some(digit) => {
                any = true;
                if mantissa >> 58 == 0 {
                    mantissa = mantissa << 4 | digit as u64;
                    scale = scale.saturating_sub(if point { 4 } else { 0 });
                } else {
                    sticky |= digit != 0;
                    scale = scale.saturating_add(if point { 0 } else { 4 });
                }
            }
            None if c == '.' && !point => point = true,
            None => return Err(format!("invalid suffix '{c}' on floating constant")),
        }
    }
    if !any {
        return Err("hexadecimal floating constant requires a significand".to_owned());
    }
    let after = self::exponent(digits, end)?;
    let exponent: i32 = digits[end + 1..after]
        .parse()
        .unwrap_or(if digits[end + 1..].starts_with('-') { -100_000 } else { 100_000 });
    let exponent = exponent.clamp(-100_000, 100_000).saturating_add(scale);
    let suffix = suffix(text, &digits[after..])?;
    let (precision, least, most) = match suffix {
        FloatSuffix::None => (53, -1022, 1023),
        FloatSuffix::Float => (24, -126, 127),
        FloatSuffix::Half => (11, -14, 15),
    };
    let value = rounded(mantissa, exponent, sticky, precision, least, most);
    Ok(Number::Float { value, suffix })
}

/// `mantissa` times 2 to the power of `exponent`, and a little more where `sticky`, rounded to the nearest value with `precision` bits and exponents
/// from `least` to `most`.
fn rounded(mantissa: u64, exponent: i32, sticky: bool, precision: i32, least: i32, most: i32) -> f64 {
    if mantissa == 0 {
        return 0.0;
    }
    let shift = mantissa.leading_zeros() as i32;
    let mantissa = mantissa << shift;
    // The value is `mantissa / 2^63 * 2^top`.
    let top = exponent.saturating_sub(shift).saturating_add(63);
    let kept = precision - (least - top).max(0);
    if kept < 0 {
        return 0.0;
    }
    let dropped = 64 - kept as u32;
    let (whole, rest) = match dropped {
        64 => (0, mantissa),
        _ => (mantissa >> dropped, mantissa << (64 - dropped)),
    };
    let half = 1_u64 << 63;
    let up = rest > half || rest == half && (sticky || whole & 1 == 1);
    let value = whole + up as u64;
    // Exact: at most 53 bits, and an exponent that a double has.
    let scale = top - 63 + dropped as i32;
    let value = scaled(value as f64, scale);
    let limit = scaled(1.0, most + 1);
    if top > most || value >= limit { f64::INFINITY } else { value }
}

/// `value * 2^power`, exactly where the result is a double.
fn scaled(value: f64, power: i32) -> f64 {
    let two = |power: i32| f64::from_bits(((power + 1023) as u64) << 52);
    let mut value = value;
    let mut power = power.clamp(-4000, 4000);
    while power > 1023 {
        value *= two(1023);
        power -= 1023;
    }
    while power < -1022 {
        value *= two(-1022);
        power += 1022;
    }
    value * two(power)
}
