//! Character and string literals.

use crate::diagnostics::Warning;
use crate::session::Session;
use crate::source::encode;
use crate::token::{Token, TokenKind};
use std::iter::Peekable;
use std::str::Chars;

/// A character literal's value, which is an `int`. What is wrong with it is reported, and `None` returned.
pub fn character(session: &Session, token: &Token) -> Option<i32> {
    let TokenKind::Char(symbol) = token.kind else { return None };
    let text = session.name(symbol);
    let inner = text.strip_prefix('\'')?.strip_suffix('\'')?;
    let mut bytes = Vec::new();
    unescape(session, token, inner, &mut bytes);
    match bytes.as_slice() {
        [] => {
            session.error(token.loc, "empty character constant");
            None
        }
        // A `char` is signed.
        &[byte] => Some(byte as i8 as i32),
        bytes => {
            if bytes.len() > 4 {
                session.warning(
                    Warning("four-char-constants"),
                    token.loc,
                    "character constant too long for its type",
                );
            } else {
                session.warning(Warning("multichar"), token.loc, "multi-character character constant");
            }
            Some(bytes.iter().fold(0, |value, &byte| value << 8 | byte as i32))
        }
    }
}

/// A string literal's bytes, without a zero at the end.
pub fn string(session: &Session, token: &Token) -> Vec<u8> {
    let TokenKind::Str(symbol) = token.kind else { return Vec::new() };
    let text = session.name(symbol);
    let inner = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or_default();
    let mut bytes = Vec::with_capacity(inner.len());
    unescape(session, token, inner, &mut bytes);
    bytes
}

fn unescape(session: &Session, token: &Token, text: &str, into: &mut Vec<u8>) {
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\\' => escape(session, token, &mut rest, into),
            c => encode(c, into),
        }
    }
}

/// What follows a backslash.
fn escape(session: &Session, token: &Token, rest: &mut Peekable<Chars>, into: &mut Vec<u8>) {
    let Some(c) = rest.next() else { return };
    let byte = match c {
        'n' => b'\n',
        't' => b'\t',
        'r' => b'\r',
        'a' => 7,
        'b' => 8,
        'f' => 12,
        'v' => 11,
        'e' | 'E' => 27,
        '\\' | '\'' | '"' | '?' => c as u8,
        '0'..='7' => {
            let mut value = c.to_digit(8).unwrap_or(0);
            for _ in 0..2 {
                let Some(digit) = rest.next_if(|c| c.is_digit(8)).and_then(|c| c.to_digit(8)) else {
                    break;
                };
                value = value * 8 + digit;
            }
            if value > 255 {
                session.error(token.loc, "octal escape sequence out of range");
            }
            value as u8
        }
        'x' => {
            let (mut value, mut any) = (0_u32, false);
            while let Some(digit) = rest.next_if(|c| c.is_ascii_hexdigit()).and_then(|c| c.to_digit(16)) {
                value = value.saturating_mul(16).saturating_add(digit);
                any = true;
            }
            if !any {
                session.error(token.loc, "\\x used with no following hex digits");
            } else if value > 255 {
                session.error(token.loc, "hex escape sequence out of range");
            }
            value as u8
        }
        'u' | 'U' => {
            let length = if c == 'u' { 4 } else { 8 };
            let digits: String = std::iter::from_fn(|| rest.next_if(|c| c.is_ascii_hexdigit()))
                .take(length)
                .collect();
            match u32::from_str_radix(&digits, 16)
                .ok()
                .filter(|_| digits.len() == length)
                .and_then(char::from_u32)
            {
                Some(c) => encode(c, into),
                None => _ = session.error(token.loc, "incomplete universal character name"),
            }
            return;
        }
        c => {
            session.warning(
                Warning("unknown-escape-sequence"),
                token.loc,
                format!("unknown escape sequence '\\{c}'"),
            );
            encode(c, into);
            return;
        }
    };
    into.push(byte);
}
