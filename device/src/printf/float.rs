//! The floating-point conversions of `printf`: `%f %e %g %a` (C99 §7.19.6.1), exact to any precision.

use super::format::Spec;

/// No double has more digits than this after the point: what is beyond are zeros.
const DIGITS: usize = 1100;

/// Appends a double as the conversion asks.
pub(super) fn convert(spec: &Spec, out: &mut Vec<u8>, conversion: u8, value: f64) {
    let upper = conversion.is_ascii_uppercase();
    let sign = spec.sign(value.is_sign_negative());
    let magnitude = value.abs();
    if !magnitude.is_finite() {
        let name = if magnitude.is_nan() { "nan" } else { "inf" };
        let name = if upper { name.to_ascii_uppercase() } else { name.into() };
        return spec.pad(out, sign, name.as_bytes(), false);
    }
    let precision = spec.precision.unwrap_or(6);
    let mut text = match conversion.to_ascii_lowercase() {
        b'f' => fixed(magnitude, precision, spec.alternative),
        b'e' => exponential(magnitude, precision, spec.alternative),
        b'g' => general(magnitude, precision.max(1), spec.alternative),
        _ => hexadecimal(magnitude, spec.precision, spec.alternative),
    };
    let mut prefix = sign.to_owned();
    if let Some(digits) = text.strip_prefix("0x") {
        prefix.push_str("0x");
        text = digits.to_owned();
    }
    if upper {
        text.make_ascii_uppercase();
        prefix.make_ascii_uppercase();
    }
    spec.pad(out, &prefix, text.as_bytes(), spec.zero);
}

fn zeros(count: usize) -> String {
    "0".repeat(count)
}

/// `%f`: decimal notation.
fn fixed(value: f64, precision: usize, point: bool) -> String {
    let shown = precision.min(DIGITS);
    let mut text = format!("{value:.shown$}");
    text.push_str(&zeros(precision - shown));
    if precision == 0 && point {
        text.push('.');
    }
    text
}

/// `%e`: one digit, the point, `precision` digits, an exponent of two digits at least.
fn exponential(value: f64, precision: usize, point: bool) -> String {
    let (mut mantissa, exponent) = scientific(value, precision);
    if precision == 0 && point {
        mantissa.push('.');
    }
    mantissa + &exponent_text(exponent)
}

fn exponent_text(exponent: i32) -> String {
    format!("e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.unsigned_abs())
}

/// Digits with a point after the first, and the exponent.
fn scientific(value: f64, precision: usize) -> (String, i32) {
    let shown = precision.min(DIGITS);
    let text = format!("{value:.shown$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    (mantissa.to_owned() + &zeros(precision - shown), exponent.parse().unwrap_or(0))
}

/// `%g`: `precision` significant digits in the shorter notation, trailing zeros only if `keep_zeros`.
fn general(value: f64, precision: usize, keep_zeros: bool) -> String {
    let (mantissa, exponent) = scientific(value, precision - 1);
    if exponent < -4 || exponent >= precision as i32 {
        let mantissa = if keep_zeros {
            exponential(value, precision - 1, true)
        } else {
            return trimmed(mantissa) + &exponent_text(exponent);
        };
        return mantissa;
    }
    let text = fixed(value, (precision as i32 - 1 - exponent) as usize, keep_zeros);
    if keep_zeros { text } else { trimmed(text) }
}

/// Without trailing zeros after the point, and without the point if nothing follows it.
fn trimmed(text: String) -> String {
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// `%a`: 0x1.8p+1; as many digits as are needed, or `precision` of them, rounded to even.
fn hexadecimal(value: f64, precision: Option<usize>, point: bool) -> String {
    const FRACTION_BITS: usize = 52;
    let bits = value.to_bits();
    let biased = (bits >> FRACTION_BITS) as i32;
    let fraction = bits & ((1 << FRACTION_BITS) - 1);
    let (mut leading, exponent) = match (biased, fraction) {
        (0, 0) => (0, 0),
        (0, _) => (0, -1022),
        _ => (1u64, biased - 1023),
    };
    let mut digits = format!("{fraction:013x}");
    match precision {
        None => digits.truncate(digits.trim_end_matches('0').len()),
        Some(precision) if precision < digits.len() => {
            let dropped = 4 * (digits.len() - precision);
            let whole = (leading << FRACTION_BITS) | fraction;
            let (mut kept, rest, half) = (whole >> dropped, whole & ((1 << dropped) - 1), 1u64 << (dropped - 1));
            if rest > half || (rest == half && kept & 1 == 1) {
                kept += 1;
            }
            leading = kept >> (4 * precision);
            digits = if precision == 0 {
                String::new()
            } else {
                format!("{:0precision$x}", kept & ((1 << (4 * precision)) - 1))
            };
        }
        Some(precision) => digits.push_str(&zeros(precision - digits.len())),
    }
    let dot = if point || !digits.is_empty() { "." } else { "" };
    format!("0x{leading}{dot}{digits}p{exponent:+}")
}
