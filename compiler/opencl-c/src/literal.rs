//! What literals mean.

use crate::session::Session;
use crate::token::Token;

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
        /// `l` (`ll` is an error in OpenCL C, and reported as one)
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
    _ = (session, token);
    todo!("written next")
}

/// A character literal's value, which is an `int`.
pub fn character(session: &Session, token: &Token) -> Option<i32> {
    _ = (session, token);
    todo!("written next")
}

/// A string literal's bytes, without a zero at the end.
pub fn string(session: &Session, token: &Token) -> Vec<u8> {
    _ = (session, token);
    todo!("written next")
}
