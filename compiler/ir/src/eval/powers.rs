//! Numbers as fractions and powers of two.

/// [`super::BinaryOp::Scale`] of doubles.
pub fn scale(x: f64, exponent: f64) -> f64 {
    let (fraction, own) = take_apart(x, 2.0);
    let exponent = exponent.floor();
    if exponent.is_infinite() {
        let size = if exponent > 0.0 { exponent } else { 0.0 };
        return if x.is_nan() { size } else { size.copysign(x) };
    }
    if !own.is_finite() {
        return x;
    }
    // A normal number, and what brings it to its place: only this may round.
    let whole = (own + exponent).clamp(-1100.0, 1100.0);
    let first = whole.clamp(-1022.0, 1023.0);
    (fraction * power_of_two(first) * power_of_two(whole - first)).copysign(x)
}

/// [`super::BinaryOp::Fraction`] of doubles.
pub fn fraction(x: f64, limit: f64) -> f64 {
    if x < 0.0 { f64::NAN } else { take_apart(x, limit).0 }
}

/// [`super::BinaryOp::Exponent`] of doubles.
pub fn exponent(x: f64, limit: f64) -> f64 {
    take_apart(x, limit).1
}

/// The fraction and the exponent of a magnitude.
fn take_apart(x: f64, limit: f64) -> (f64, f64) {
    let size = x.abs();
    let (fraction, exponent) = match size {
        _ if size.is_nan() => return (size, size),
        0.0 => (1.0, f64::NEG_INFINITY),
        f64::INFINITY => (1.0, f64::INFINITY),
        _ => {
            let lift = if size < f64::MIN_POSITIVE { 52.0 } else { 0.0 };
            let bits = (size * power_of_two(lift)).to_bits();
            let exponent = (bits >> 52) as f64 - 1023.0;
            (f64::from_bits(bits & ((1 << 52) - 1) | 1.0_f64.to_bits()), exponent - lift)
        }
    };
    match fraction >= limit {
        true => (fraction * 0.5, exponent + 1.0),
        false => (fraction, exponent),
    }
}

/// 2 to a whole number from -1022 to 1023.
fn power_of_two(whole: f64) -> f64 {
    f64::from_bits(((whole + 1023.0) as u64) << 52)
}
