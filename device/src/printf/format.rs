//! Formatting one `printf` call (OpenCL C §6.15.14.1, and what it takes from C99 §7.19.6.1).

use super::float;
use super::string;

/// Widths and precisions beyond this are cut: C asks for 4095 characters a conversion.
const MOST: usize = 1 << 16;

/// The format is wrong, or asks for more arguments than there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BadFormat;

/// A conversion specification, up to its conversion letter.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spec {
    /// `-`
    pub(super) left: bool,
    /// `+`
    pub(super) plus: bool,
    /// ` `
    pub(super) space: bool,
    /// `#`
    pub(super) alternative: bool,
    /// `0`
    pub(super) zero: bool,
    pub(super) width: usize,
    pub(super) precision: Option<usize>,
    /// Components: 1 without a vector specifier.
    components: usize,
    /// Bits of an integer argument that count.
    bits: u32,
}

/// Appends the text of one call to `out`. What comes before an error is appended all the same.
pub(super) fn format(out: &mut Vec<u8>, format: &[u8], slots: &[u64]) -> Result<(), BadFormat> {
    let mut slots = slots.iter().copied();
    let mut rest = format;
    while let Some(percent) = rest.iter().position(|&byte| byte == b'%') {
        out.extend_from_slice(&rest[..percent]);
        let (spec, conversion, after) = parse(&rest[percent + 1..]).ok_or(BadFormat)?;
        rest = after;
        if conversion == b'%' {
            out.push(b'%');
            continue;
        }
        for component in 0..spec.components {
            if component > 0 {
                out.push(b',');
            }
            spec.convert(out, conversion, slots.next().ok_or(BadFormat)?)?;
        }
    }
    out.extend_from_slice(rest);
    Ok(())
}

/// A conversion that takes an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conversion {
    /// The letter that ends it.
    pub letter: u8,
    /// Components of the vector that it prints; 1 for a scalar.
    pub components: usize,
}

/// The conversions of a format, in order; `None` where it has one that is none of printf's.
pub fn conversions(format: &[u8]) -> Option<Vec<Conversion>> {
    let mut found = Vec::new();
    let mut rest = format;
    while let Some(percent) = rest.iter().position(|&byte| byte == b'%') {
        let (spec, letter, after) = parse(&rest[percent + 1..])?;
        rest = after;
        match letter {
            b'%' => {}
            letter if b"diouxXcspaAeEfFgG".contains(&letter) => found.push(Conversion {
                letter,
                components: spec.components,
            }),
            _ => return None,
        }
    }
    Some(found)
}

/// Reads what follows a `%`: the specification, the conversion letter, and the rest.
fn parse(mut text: &[u8]) -> Option<(Spec, u8, &[u8])> {
    let mut spec = Spec {
        components: 1,
        bits: 32,
        ..Spec::default()
    };
    loop {
        match text.first()? {
            b'-' => spec.left = true,
            b'+' => spec.plus = true,
            b' ' => spec.space = true,
            b'#' => spec.alternative = true,
            b'0' => spec.zero = true,
            _ => break,
        }
        text = &text[1..];
    }
    (spec.width, text) = number(text);
    if let Some(after) = text.strip_prefix(b".") {
        let (precision, after) = number(after);
        (spec.precision, text) = (Some(precision), after);
    }
    if let Some(after) = text.strip_prefix(b"v") {
        (spec.components, text) = number(after);
        if !matches!(spec.components, 2 | 3 | 4 | 8 | 16) {
            return None;
        }
    }
    for (modifier, bits) in [
        (&b"hh"[..], 8),
        (b"hl", 32),
        (b"h", 16),
        (b"ll", 64),
        (b"l", 64),
        (b"z", 64),
        (b"t", 64),
    ] {
        if let Some(after) = text.strip_prefix(modifier) {
            (spec.bits, text) = (bits, after);
            break;
        }
    }
    let (&conversion, after) = text.split_first()?;
    Some((spec, conversion, after))
}

/// Reads digits; 0 where there are none.
fn number(text: &[u8]) -> (usize, &[u8]) {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let value = text[..digits]
        .iter()
        .fold(0, |value: usize, digit| (value * 10 + usize::from(digit - b'0')).min(MOST));
    (value, &text[digits..])
}

impl Spec {
    fn convert(&self, out: &mut Vec<u8>, conversion: u8, slot: u64) -> Result<(), BadFormat> {
        match conversion {
            b'd' | b'i' => {
                let unused = 64 - self.bits;
                let value = (slot << unused) as i64 >> unused;
                self.integer(out, self.sign(value < 0), &value.unsigned_abs().to_string());
            }
            b'u' => self.integer(out, "", &self.unsigned(slot).to_string()),
            b'o' => {
                let mut digits = format!("{:o}", self.unsigned(slot));
                if self.alternative && !digits.starts_with('0') && self.precision.is_none_or(|precision| precision <= digits.len()) {
                    digits.insert(0, '0');
                } else if self.alternative && digits == "0" && self.precision == Some(0) {
                    self.pad(out, "", b"0", false);
                    return Ok(());
                }
                self.integer(out, "", &digits);
            }
            b'x' | b'X' => {
                let value = self.unsigned(slot);
                let (digits, prefix) = if conversion == b'x' {
                    (format!("{value:x}"), "0x")
                } else {
                    (format!("{value:X}"), "0X")
                };
                self.integer(out, if self.alternative && value != 0 { prefix } else { "" }, &digits);
            }
            b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => float::convert(self, out, conversion, f64::from_bits(slot)),
            b'c' => self.pad(out, "", &[slot as u8], false),
            b's' => {
                // §6.15.14: the argument is a literal string. A program that gives something else sees that, and lives.
                let text = match slot {
                    0 => b"(null)".to_vec(),
                    _ => string::read(slot, self.precision).unwrap_or_else(|| b"(no string)".to_vec()),
                };
                let shown = self.precision.map_or(text.len(), |precision| precision.min(text.len()));
                self.pad(out, "", &text[..shown], false);
            }
            b'p' if slot == 0 => self.pad(out, "", b"(nil)", false),
            b'p' => self.integer(out, "0x", &format!("{slot:x}")),
            _ => return Err(BadFormat),
        }
        Ok(())
    }

    fn unsigned(&self, slot: u64) -> u64 {
        slot & (u64::MAX >> (64 - self.bits))
    }

    /// What stands before a signed number.
    pub(super) fn sign(&self, negative: bool) -> &'static str {
        match () {
            () if negative => "-",
            () if self.plus => "+",
            () if self.space => " ",
            () => "",
        }
    }

    fn integer(&self, out: &mut Vec<u8>, prefix: &str, digits: &str) {
        let digits = if self.precision == Some(0) && digits == "0" { "" } else { digits };
        let zeros = self.precision.unwrap_or(0).saturating_sub(digits.len());
        let body = [vec![b'0'; zeros].as_slice(), digits.as_bytes()].concat();
        self.pad(out, prefix, &body, self.zero && self.precision.is_none());
    }

    /// Appends prefix and body in a field of the width; `zeros` go between them where the flag asks for it.
    pub(super) fn pad(&self, out: &mut Vec<u8>, prefix: &str, body: &[u8], zeros: bool) {
        let padding = self.width.saturating_sub(prefix.len() + body.len());
        let fill = |out: &mut Vec<u8>, byte| out.resize(out.len() + padding, byte);
        if !self.left && !zeros {
            fill(out, b' ');
        }
        out.extend_from_slice(prefix.as_bytes());
        if !self.left && zeros {
            fill(out, b'0');
        }
        out.extend_from_slice(body);
        if self.left {
            fill(out, b' ');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CString;

    fn ours(text: &str, slots: &[u64]) -> String {
        let mut out = Vec::new();
        format(&mut out, text.as_bytes(), slots).expect("a good format");
        String::from_utf8(out).expect("ASCII")
    }

    enum Argument {
        Integer(i64),
        Float(f64),
    }

    fn theirs(text: &str, argument: &Argument) -> String {
        let text = CString::new(text).expect("no zero");
        let mut buffer = vec![0u8; 20_000];
        let (to, size, text) = (buffer.as_mut_ptr().cast(), buffer.len(), text.as_ptr());
        // SAFETY: the buffer has that size, and the tests give each conversion an argument of its type.
        let length = unsafe {
            match *argument {
                Argument::Integer(value) => libc::snprintf(to, size, text, value),
                Argument::Float(value) => libc::snprintf(to, size, text, value),
            }
        };
        String::from_utf8(buffer[..length as usize].to_vec()).expect("ASCII")
    }

    fn specs() -> impl Iterator<Item = String> {
        let flags = (0..32).map(|set: u32| {
            ["-", "+", " ", "#", "0"]
                .iter()
                .enumerate()
                .filter(|(bit, _)| set >> bit & 1 != 0)
                .map(|(_, flag)| *flag)
                .collect::<String>()
        });
        flags.flat_map(|flags| {
            ["", "1", "9", "30"].into_iter().flat_map(move |width| {
                let flags = flags.clone();
                ["", ".", ".0", ".1", ".3", ".11", ".25"]
                    .into_iter()
                    .map(move |precision| format!("%{flags}{width}{precision}"))
            })
        })
    }

    #[test]
    fn integers_agree_with_c() {
        let values = [
            0i64,
            1,
            -1,
            7,
            8,
            255,
            -128,
            4095,
            i64::from(i32::MIN),
            i64::from(i32::MAX),
            i64::MIN,
            i64::MAX,
            1 << 32,
        ];
        let mut count = 0;
        for spec in specs() {
            for letter in ["d", "i", "u", "o", "x", "X"] {
                for modifier in ["hh", "h", "", "l", "z", "t"] {
                    let text = format!("<{spec}{modifier}{letter}>");
                    for value in values {
                        assert_eq!(
                            ours(&text, &[value as u64]),
                            theirs(&text, &Argument::Integer(value)),
                            "{text} {value}"
                        );
                        count += 1;
                    }
                }
            }
        }
        assert!(count > 100_000);
    }

    #[test]
    fn floats_agree_with_c() {
        let mut values = vec![
            0.0,
            -0.0,
            1.0,
            -1.0,
            0.5,
            0.1,
            1.5,
            2.5,
            9.5,
            9.995,
            99.95,
            123456.0,
            1234567.0,
            0.0001,
            0.00001,
            1e10,
            1e15,
            1e16,
            1e17,
            1e22,
            1e23,
            1e100,
            1e-100,
            123.456,
            -9.999999,
            999999.5,
            f64::MAX,
            f64::MIN_POSITIVE,
            5e-324,
            1.1e-310,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
            -f64::NAN,
            core::f64::consts::PI,
            1.0 + f64::EPSILON,
            1.96875,
            0.9999999999999999,
            f64::from(1.1f32),
            f64::from(f32::MIN_POSITIVE / 8.0),
        ];
        let mut state = 1u64;
        for _ in 0..20 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            values.push(f64::from_bits(state));
        }
        for spec in specs() {
            for letter in ["f", "F", "e", "E", "g", "G", "a", "A"] {
                let text = format!("<{spec}{letter}>");
                // glibc loses the zeros of `%#g` where rounding makes a power of ten (C99 wants them kept).
                let rounds_to_power =
                    |value: f64| text.contains('#') && letter.eq_ignore_ascii_case("g") && format!("{value}").contains("99");
                for &value in values.iter().filter(|&&value| !rounds_to_power(value)) {
                    assert_eq!(
                        ours(&text, &[value.to_bits()]),
                        theirs(&text, &Argument::Float(value)),
                        "{text} {value:e}"
                    );
                }
            }
        }
        assert_eq!(ours("%#g %#.3g", &[999_999.5f64, 9.996].map(f64::to_bits)), "1.00000e+06 10.0");
        for text in ["%.400f", "%.1200f", "%.1100e", "%.800g", "%.60a", "%#.3000f"] {
            for value in [0.1, 5e-324, f64::MAX, 1e-5] {
                assert_eq!(
                    ours(text, &[f64::to_bits(value)]),
                    theirs(text, &Argument::Float(value)),
                    "{text} {value:e}"
                );
            }
        }
    }

    #[test]
    fn strings_and_characters() {
        let text = c"hello".as_ptr() as u64;
        assert_eq!(ours("<%s|%8s|%-8s|%.2s>", &[text; 4]), "<hello|   hello|hello   |he>");
        assert_eq!(
            ours("%s %c%3c%-3c.", &[0, u64::from(b'a'), u64::from(b'b'), u64::from(b'c')]),
            "(null) a  bc  ."
        );
        assert_eq!(
            ours("%p %p %20p|%-12p|", &[0, 0xabc, 0xabc, 0xabc]),
            "(nil) 0xabc                0xabc|0xabc       |"
        );
        assert_eq!(ours("100%% and %d%%", &[5]), "100% and 5%");
    }

    #[test]
    fn vectors() {
        let floats: Vec<u64> = [1.0, 2.0, 3.5, -4.25].map(f64::to_bits).to_vec();
        assert_eq!(ours("f4 = %2.2v4hlf", &floats), "f4 = 1.00,2.00,3.50,-4.25");
        assert_eq!(ours("%v4hf|", &floats), "1.000000,2.000000,3.500000,-4.250000|");
        assert_eq!(ours("%v4hhd", &[0xfa, 0x7f, 0xfff0, 1]), "-6,127,-16,1");
        assert_eq!(ours("uc = %#v4hhx", &[0xfa, 0xfb, 0xfc, 0xfd]), "uc = 0xfa,0xfb,0xfc,0xfd");
        assert_eq!(ours("%v2ld %v3hu", &[u64::MAX, 1, 70_000, 2, 3]), "-1,1 4464,2,3");
        assert_eq!(ours("%+05v2hld", &[1, u64::MAX]), "+0001,-0001");
        assert_eq!(ours("%v16hlx", &(0..16).collect::<Vec<u64>>()), "0,1,2,3,4,5,6,7,8,9,a,b,c,d,e,f");
    }

    #[test]
    fn wrong_formats_are_refused_and_harm_nothing() {
        for (text, slots) in [
            ("ab%", &[][..]),
            ("ab%y", &[1]),
            ("ab%d", &[]),
            ("ab%v5hld", &[1; 5]),
            ("ab%v2hld", &[1]),
            ("ab%n", &[1]),
            ("ab%*d", &[1, 2]),
        ] {
            let mut out = Vec::new();
            assert_eq!(format(&mut out, text.as_bytes(), slots), Err(BadFormat), "{text}");
            assert!(out.starts_with(b"ab"));
        }
        let mut out = Vec::new();
        assert_eq!(format(&mut out, b"%99999999999999999999999d", &[1]), Ok(()));
        assert_eq!(out.len(), MOST);
        out.clear();
        assert_eq!(format(&mut out, b"%.99999999999999999999999f", &[1.0f64.to_bits()]), Ok(()));
        assert_eq!(out.len(), MOST + 2);
    }
}
