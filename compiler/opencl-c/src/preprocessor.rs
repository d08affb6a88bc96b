//! C99's preprocessor.

use crate::Input;
use crate::session::Session;
use crate::source::Loc;
use crate::token::{Flags, Token, TokenKind};

/// Turns a program into tokens for the parser, one at a time.
pub struct Preprocessor<'a> {
    session: &'a Session,
}

impl<'a> Preprocessor<'a> {
    /// Starts with the program and the macros that the options define.
    pub fn new(session: &'a Session, _input: &Input<'a>) -> Preprocessor<'a> {
        Preprocessor { session }
    }

    /// What all phases share.
    pub fn session(&self) -> &'a Session {
        self.session
    }

    /// The next token; at the end [`TokenKind::Eof`], again and again.
    #[allow(clippy::should_implement_trait, reason = "a stream of tokens never ends with None")]
    pub fn next(&mut self) -> Token {
        Token {
            kind: TokenKind::Eof,
            loc: Loc::NONE,
            flags: Flags::default(),
        }
    }

    /// The whole program as text.
    pub fn into_text(mut self) -> String {
        while self.next().kind != TokenKind::Eof {}
        String::new()
    }
}
