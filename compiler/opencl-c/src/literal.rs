//! What literals mean.

mod floats;
mod strings;

pub use strings::{character, string};

use crate::session::Session;
use crate::token::{Token, TokenKind};

/// A number as it is written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// An integer.
    Int {
        /// Its value.
        value: u64,
        /// Written in decimal: the types that it may have are other ones than for hexadecimal, octal and binary.
        decimal: bool,
        /// `u`
        unsigned: bool,
        /// `l` (or `ll`, which is the same in OpenCL C)
        long: bool,
    },
    /// A floating-point number.
    Float {
        /// Its value, rounded once to the suffix's type (exactly that type's value).
        value: f64,
        /// Its suffix.
        suffix: FloatSuffix,
    },
}

/// What a floating-point number's suffix says of its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FloatSuffix {
    /// None: `double`, or `float` with `-cl-single-precision-constant` or without doubles. The value is a double's.
    None,
    /// `h`
    Half,
    /// `f`
    Float,
}

/// A number token's value. What is wrong with it is reported, and `None` returned.
pub fn number(session: &Session, token: &Token) -> Option<Number> {
    let TokenKind::Number(symbol) = token.kind else { return None };
    let text = session.name(symbol);
    match parse(text) {
        Ok(number) => Some(number),
        Err(message) => {
            session.error(token.loc, message);
            None
        }
    }
}

/// A number's value, or what is wrong with it.
pub fn parse(text: &str) -> Result<Number, String> {
    let lower = text.to_ascii_lowercase();
    let (radix, digits) = match lower.as_bytes() {
        [b'0', b'x', ..] => (16, &lower[2..]),
        [b'0', b'b', ..] => (2, &lower[2..]),
        [b'0', b'0'..=b'9', ..] => (8, &lower[1..]),
        _ => (10, lower.as_str()),
    };
    let is_digit = |c: char| if radix == 16 { c.is_ascii_hexdigit() } else { c.is_ascii_digit() };
    let end = digits.find(|c| !is_digit(c)).unwrap_or(digits.len());
    let exponent = if radix == 16 { 'p' } else { 'e' };
    let is_float = radix != 2 && digits[end..].starts_with(['.', exponent]);
    // `010.5` is a decimal number.
    match (is_float, radix) {
        (true, 16) => floats::hexadecimal(text, digits),
        (true, _) => floats::decimal(text, &lower),
        (false, _) => integer(text, radix, digits, end),
    }
}

fn integer(text: &str, radix: u32, digits: &str, end: usize) -> Result<Number, String> {
    let (digits, suffix) = digits.split_at(end);
    if digits.is_empty() && radix != 10 && radix != 8 {
        return Err(format!("invalid suffix '{}' on integer constant", &text[1..]));
    }
    if let Some(bad) = digits.chars().find(|c| !c.is_digit(radix)) {
        let what = if radix == 8 { "octal" } else { "binary" };
        return Err(format!("invalid digit '{bad}' in {what} constant"));
    }
    let (unsigned, long) = match suffix {
        "" => (false, false),
        "u" => (true, false),
        "l" | "ll" => (false, true),
        "ul" | "lu" | "ull" | "llu" => (true, true),
        _ => {
            let suffix = &text[text.len() - suffix.len()..];
            return Err(format!("invalid suffix '{suffix}' on integer constant"));
        }
    };
    let value = match digits {
        "" => 0,
        _ => u64::from_str_radix(digits, radix)
            .map_err(|_| "integer literal is too large to be represented in any integer type".to_owned())?,
    };
    Ok(Number::Int {
        value,
        decimal: radix == 10,
        unsigned,
        long,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(text: &str) -> Option<(u64, bool, bool, bool)> {
        match parse(text) {
            Ok(Number::Int {
                value,
                decimal,
                unsigned,
                long,
            }) => Some((value, decimal, unsigned, long)),
            _ => None,
        }
    }

    fn float(text: &str) -> Option<(f64, FloatSuffix)> {
        match parse(text) {
            Ok(Number::Float { value, suffix }) => Some((value, suffix)),
            _ => None,
        }
    }

    #[test]
    fn integers_in_every_radix() {
        assert_eq!(int("0"), Some((0, true, false, false)));
        assert_eq!(int("42u"), Some((42, true, true, false)));
        assert_eq!(int("0xFFul"), Some((255, false, true, true)));
        assert_eq!(int("0b101"), Some((5, false, false, false)));
        assert_eq!(int("017L"), Some((15, false, false, true)));
        assert_eq!(int("18446744073709551615UL"), Some((u64::MAX, true, true, true)));
        for bad in ["08", "1x", "0x", "18446744073709551616", "1lul", "0b2", "1_0"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn floats_are_rounded_once() {
        assert_eq!(float("1.5"), Some((1.5, FloatSuffix::None)));
        assert_eq!(float(".5e1f"), Some((5.0, FloatSuffix::Float)));
        assert_eq!(float("0.1f"), Some((0.1_f32 as f64, FloatSuffix::Float)));
        assert_eq!(float("1.h"), Some((1.0, FloatSuffix::Half)));
        assert_eq!(
            float("0.1h"),
            Some((0.099975586, FloatSuffix::Half)).map(|(_, s)| (0.0999755859375, s))
        );
        assert_eq!(float("65504.0h"), Some((65504.0, FloatSuffix::Half)));
        assert_eq!(float("0x1.8p3"), Some((12.0, FloatSuffix::None)));
        assert_eq!(float("0x1.ffcp15h"), Some((65504.0, FloatSuffix::Half)));
        assert_eq!(float("0x1.fffffep127f"), Some((f32::MAX as f64, FloatSuffix::Float)));
        assert_eq!(float("0x1p-149f"), Some((f32::from_bits(1) as f64, FloatSuffix::Float)));
        assert_eq!(float("0x1p-1074"), Some((f64::from_bits(1), FloatSuffix::None)));
        // Exactly between two floats: to the even one; a little more: up.
        assert_eq!(float("0x1.000001p0f"), Some((1.0, FloatSuffix::Float)));
        assert_eq!(
            float("0x1.00000100000000000001p0f"),
            Some((f32::from_bits(0x3f80_0001) as f64, FloatSuffix::Float))
        );
        assert_eq!(float("010.5"), Some((10.5, FloatSuffix::None)));
        assert_eq!(float("1e400").map(|(value, _)| value), Some(f64::INFINITY));
        for bad in ["1.5x", "1e", "0x1.8", "1.0.0", "1.5e+", "1.0hf"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
