//! Characters to preprocessing tokens: C99's translation phases 2 and 3.

use crate::diagnostics::Warning;
use crate::session::Session;
use crate::source::{FileId, Loc};
use crate::token::{Flags, Punct, Token, TokenKind};
use std::borrow::Cow;
use std::rc::Rc;

/// Reads the tokens of one text.
#[derive(Clone, Debug)]
pub struct Lexer {
    text: Rc<str>,
    base: u32,
    at: usize,
    line_start: bool,
    /// Within a directive, the end of the line is a token, given again and again until this is false.
    pub in_directive: bool,
    /// Nothing is reported, as when looking ahead.
    pub quiet: bool,
}

/// `-Winvalid-pp-token`
const INVALID_TOKEN: Warning = Warning("invalid-pp-token");

impl Lexer {
    /// At the start of a text.
    pub fn new(session: &Session, file: FileId) -> Lexer {
        let file = session.sources.file(file);
        Lexer {
            text: file.text.clone(),
            base: file.start,
            at: if file.text.starts_with('\u{feff}') { 3 } else { 0 },
            line_start: true,
            in_directive: false,
            quiet: false,
        }
    }

    /// Goes on at an offset of the text, in the middle of a line.
    pub fn skip_to(&mut self, at: usize) {
        self.at = at;
        self.line_start = false;
    }

    /// What a text is, if it is one token from its start to its end.
    pub fn single(session: &Session, text: &str) -> Option<TokenKind> {
        let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        if text.as_bytes().iter().all(is_name) && !text.is_empty() {
            let symbol = session.intern(text);
            return Some(match text.as_bytes()[0].is_ascii_digit() {
                true => TokenKind::Number(symbol),
                false => TokenKind::Ident(symbol),
            });
        }
        let mut lexer = Lexer {
            text: text.into(),
            base: 0,
            at: 0,
            line_start: false,
            in_directive: false,
            quiet: true,
        };
        let token = lexer.next(session);
        let whole = lexer.at == text.len() && token.loc == Loc::NONE;
        (whole && !matches!(token.kind, TokenKind::Eof | TokenKind::Unknown(_))).then_some(token.kind)
    }

    /// Does a parenthesis come right here?
    pub fn at_parenthesis(&self) -> bool {
        self.get(self.at).0 == b'('
    }

    /// Where the next character is.
    pub fn loc(&self) -> Loc {
        self.place(self.at)
    }

    fn place(&self, at: usize) -> Loc {
        Loc(self.base + at as u32)
    }

    fn bytes(&self) -> &[u8] {
        self.text.as_bytes()
    }

    /// The length of a backslash and the line's end behind it, which count for nothing.
    fn splice(&self, at: usize) -> Option<usize> {
        let bytes = self.bytes();
        let mut end = at + 1;
        while matches!(bytes.get(end), Some(b' ' | b'\t' | 0x0b | 0x0c)) {
            end += 1;
        }
        match (bytes.get(end), bytes.get(end + 1)) {
            (Some(b'\r'), Some(b'\n')) => Some(end + 2 - at),
            (Some(b'\n' | b'\r'), _) => Some(end + 1 - at),
            _ => None,
        }
    }

    /// The byte at `at` or after line continuations there, and where the next one is; 0 at the end of the text.
    fn get(&self, mut at: usize) -> (u8, usize) {
        loop {
            match self.bytes().get(at) {
                Some(b'\\') => match self.splice(at) {
                    Some(length) => at += length,
                    None => return (b'\\', at + 1),
                },
                Some(&byte) => return (byte, at + 1),
                None => return (0, at),
            }
        }
    }

    /// The text from `start` to `end` without line continuations.
    fn spelling(&self, start: usize, end: usize) -> Cow<'_, str> {
        let text = &self.text[start..end];
        if !text.contains('\\') {
            return Cow::Borrowed(text);
        }
        let mut clean = String::new();
        let (mut from, mut at) = (start, start);
        while at < end {
            match self.bytes()[at] {
                b'\\' => match self.splice(at) {
                    Some(length) => {
                        clean.push_str(&self.text[from..at]);
                        at += length;
                        from = at;
                    }
                    None => at += 1,
                },
                _ => at += 1,
            }
        }
        clean.push_str(self.text.get(from..end).unwrap_or_default());
        Cow::Owned(clean)
    }

    /// Skips a comment, if one is here.
    fn skip_comment(&mut self, session: &Session) -> bool {
        let (second, mut at) = self.get(self.at + 1);
        match second {
            b'/' => {
                loop {
                    match self.bytes().get(at) {
                        None | Some(b'\n' | b'\r') => break,
                        Some(b'\\') => at += self.splice(at).unwrap_or(1),
                        Some(_) => at += 1,
                    }
                }
                self.at = at;
                true
            }
            b'*' => {
                let start = self.at;
                let length = self.bytes().len();
                loop {
                    let Some(star) = self.bytes()[at..].iter().position(|&byte| byte == b'*') else {
                        if !self.quiet {
                            session.error(self.place(start), "unterminated /* comment");
                        }
                        self.at = length;
                        return true;
                    };
                    let (next, end) = self.get(at + star + 1);
                    match next {
                        b'/' => {
                            self.at = end;
                            return true;
                        }
                        _ => at += star + 1,
                    }
                }
            }
            _ => false,
        }
    }

    /// The next token.
    pub fn next(&mut self, session: &Session) -> Token {
        let mut flags = Flags::default();
        loop {
            match self.bytes().get(self.at).copied() {
                None => {
                    let kind = match self.in_directive {
                        true => TokenKind::LineEnd,
                        false => TokenKind::Eof,
                    };
                    return Token {
                        kind,
                        loc: self.loc(),
                        flags: flags.with(Flags::LINE_START, self.line_start),
                    };
                }
                Some(b' ' | b'\t' | 0x0b | 0x0c | 0) => {
                    self.at += 1;
                    flags = flags.with(Flags::SPACE, true);
                }
                Some(b'\n' | b'\r') => {
                    if self.in_directive {
                        return Token {
                            kind: TokenKind::LineEnd,
                            loc: self.loc(),
                            flags,
                        };
                    }
                    self.at += 1;
                    self.line_start = true;
                    flags = Flags::default();
                }
                Some(b'/') if self.skip_comment(session) => flags = flags.with(Flags::SPACE, true),
                Some(b'\\') => match self.splice(self.at) {
                    Some(length) => self.at += length,
                    None => break,
                },
                Some(_) => break,
            }
        }
        let flags = flags.with(Flags::LINE_START, std::mem::take(&mut self.line_start));
        let start = self.at;
        let kind = self.token(session, start);
        Token {
            kind,
            loc: self.place(start),
            flags,
        }
    }

    fn token(&mut self, session: &Session, start: usize) -> TokenKind {
        let first = self.bytes()[start];
        match first {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' => self.identifier(session, start),
            b'0'..=b'9' => self.number(session, start),
            b'.' if self.get(start + 1).0.is_ascii_digit() => self.number(session, start),
            b'"' | b'\'' => self.quoted(session, start, first),
            0x80.. => match self.text[start..].chars().next() {
                Some(c) if is_word(c) => self.identifier(session, start),
                c => {
                    self.at += c.map_or(1, char::len_utf8);
                    TokenKind::Unknown(session.intern(&self.text[start..self.at]))
                }
            },
            _ => match self.punctuator(start, first) {
                Some((punct, end)) => {
                    self.at = end;
                    TokenKind::Punct(punct)
                }
                None => {
                    self.at = start + 1;
                    TokenKind::Unknown(session.intern(&self.text[start..self.at]))
                }
            },
        }
    }

    fn identifier(&mut self, session: &Session, start: usize) -> TokenKind {
        let mut at = start;
        loop {
            match self.bytes().get(at) {
                Some(b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' | b'0'..=b'9') => at += 1,
                Some(b'\\') => match self.splice(at) {
                    Some(length) => at += length,
                    None => break,
                },
                Some(0x80..) => match self.text[at..].chars().next() {
                    Some(c) if is_word(c) => at += c.len_utf8(),
                    _ => break,
                },
                _ => break,
            }
        }
        self.at = at;
        TokenKind::Ident(session.intern(&self.spelling(start, at)))
    }

    fn number(&mut self, session: &Session, start: usize) -> TokenKind {
        let (mut last, mut at) = self.get(start);
        loop {
            let (byte, next) = self.get(at);
            let exponent = matches!(last, b'e' | b'E' | b'p' | b'P');
            match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'0'..=b'9' | b'.' => {}
                b'+' | b'-' if exponent => {}
                _ => break,
            }
            (last, at) = (byte, next);
        }
        self.at = at;
        TokenKind::Number(session.intern(&self.spelling(start, at)))
    }

    fn quoted(&mut self, session: &Session, start: usize, quote: u8) -> TokenKind {
        let mut at = start + 1;
        loop {
            match self.bytes().get(at) {
                None | Some(b'\n' | b'\r') => break,
                Some(b'\\') => match self.splice(at) {
                    Some(length) => at += length,
                    // What is escaped may be a quote, which does not end the literal. It may itself stand behind a line continuation.
                    None => {
                        at += 1;
                        while let Some(length) = (self.bytes().get(at) == Some(&b'\\')).then(|| self.splice(at)).flatten() {
                            at += length;
                        }
                        if let Some(c) = self
                            .text
                            .get(at..)
                            .and_then(|rest| rest.chars().next())
                            .filter(|&c| c != '\n' && c != '\r')
                        {
                            at += c.len_utf8();
                        }
                    }
                },
                Some(&byte) if byte == quote => {
                    self.at = at + 1;
                    let symbol = session.intern(&self.spelling(start, self.at));
                    return match quote {
                        b'"' => TokenKind::Str(symbol),
                        _ => TokenKind::Char(symbol),
                    };
                }
                Some(_) => at += 1,
            }
        }
        if !self.quiet {
            let message = format!("missing terminating {} character", if quote == b'"' { "'\"'" } else { "\"'\"" });
            session.warning(INVALID_TOKEN, self.place(start), message);
        }
        // The rest of the line is one token that nobody wants.
        self.at = at;
        TokenKind::Unknown(session.intern(&self.spelling(start, at)))
    }

    /// The longest operator or separator, and its end.
    fn punctuator(&self, start: usize, first: u8) -> Option<(Punct, usize)> {
        let one = start + 1;
        let (b, two) = self.get(one);
        let third = || self.get(two);
        Some(match (first, b) {
            (b'(', _) => (Punct::LParen, one),
            (b')', _) => (Punct::RParen, one),
            (b'[', _) => (Punct::LBracket, one),
            (b']', _) => (Punct::RBracket, one),
            (b'{', _) => (Punct::LBrace, one),
            (b'}', _) => (Punct::RBrace, one),
            (b';', _) => (Punct::Semicolon, one),
            (b',', _) => (Punct::Comma, one),
            (b'?', _) => (Punct::Question, one),
            (b'~', _) => (Punct::Tilde, one),
            (b'.', b'.') if third().0 == b'.' => (Punct::Ellipsis, third().1),
            (b'.', _) => (Punct::Dot, one),
            (b'-', b'>') => (Punct::Arrow, two),
            (b'-', b'-') => (Punct::MinusMinus, two),
            (b'-', b'=') => (Punct::MinusEq, two),
            (b'-', _) => (Punct::Minus, one),
            (b'+', b'+') => (Punct::PlusPlus, two),
            (b'+', b'=') => (Punct::PlusEq, two),
            (b'+', _) => (Punct::Plus, one),
            (b'*', b'=') => (Punct::StarEq, two),
            (b'*', _) => (Punct::Star, one),
            (b'/', b'=') => (Punct::SlashEq, two),
            (b'/', _) => (Punct::Slash, one),
            (b'%', b'=') => (Punct::PercentEq, two),
            (b'%', b'>') => (Punct::RBrace, two),
            (b'%', b':') => match third() {
                (b'%', three) if self.get(three).0 == b':' => (Punct::HashHash, self.get(three).1),
                _ => (Punct::Hash, two),
            },
            (b'%', _) => (Punct::Percent, one),
            (b'&', b'&') => (Punct::AndAnd, two),
            (b'&', b'=') => (Punct::AmpEq, two),
            (b'&', _) => (Punct::Amp, one),
            (b'|', b'|') => (Punct::OrOr, two),
            (b'|', b'=') => (Punct::PipeEq, two),
            (b'|', _) => (Punct::Pipe, one),
            (b'^', b'=') => (Punct::CaretEq, two),
            (b'^', _) => (Punct::Caret, one),
            (b'!', b'=') => (Punct::NotEq, two),
            (b'!', _) => (Punct::Not, one),
            (b'=', b'=') => (Punct::EqEq, two),
            (b'=', _) => (Punct::Eq, one),
            (b'<', b'<') => match third() {
                (b'=', three) => (Punct::ShlEq, three),
                _ => (Punct::Shl, two),
            },
            (b'<', b'=') => (Punct::LtEq, two),
            (b'<', b':') => (Punct::LBracket, two),
            (b'<', b'%') => (Punct::LBrace, two),
            (b'<', _) => (Punct::Lt, one),
            (b'>', b'>') => match third() {
                (b'=', three) => (Punct::ShrEq, three),
                _ => (Punct::Shr, two),
            },
            (b'>', b'=') => (Punct::GtEq, two),
            (b'>', _) => (Punct::Gt, one),
            (b':', b'>') => (Punct::RBracket, two),
            (b':', _) => (Punct::Colon, one),
            (b'#', b'#') => (Punct::HashHash, two),
            (b'#', _) => (Punct::Hash, one),
            _ => return None,
        })
    }

    /// A header's name in angle brackets, if one comes next on this line.
    pub fn angled_name(&mut self, session: &Session) -> Option<String> {
        let mut ahead = self.clone();
        ahead.quiet = true;
        let token = ahead.next(session);
        if !matches!(
            token.kind,
            TokenKind::Punct(Punct::Lt | Punct::LtEq | Punct::Shl | Punct::ShlEq | Punct::LBracket | Punct::LBrace)
        ) {
            return None;
        }
        let start = (token.loc.0 - self.base) as usize + 1;
        let rest = &self.text[start..];
        let line = &rest[..rest.find(['\n', '\r']).unwrap_or(rest.len())];
        let name = line[..line.find('>')?].to_owned();
        self.at = start + name.len() + 1;
        Some(name)
    }

    /// The rest of the line as it is written, without comments' contents being looked at; for `#error`.
    pub fn rest_of_line(&mut self) -> String {
        let start = self.at;
        let mut at = start;
        loop {
            match self.bytes().get(at) {
                None | Some(b'\n' | b'\r') => break,
                Some(b'\\') => at += self.splice(at).unwrap_or(1),
                Some(_) => at += 1,
            }
        }
        self.at = at;
        self.spelling(start, at).trim().to_owned()
    }

    /// Skips lines up to the next one that begins with `#`, and that sign. False at the end of the text.
    pub fn skip_to_directive(&mut self, session: &Session) -> bool {
        loop {
            match self.bytes().get(self.at).copied() {
                None => return false,
                Some(b'\n' | b'\r') => {
                    self.at += 1;
                    self.line_start = true;
                }
                Some(b' ' | b'\t' | 0x0b | 0x0c | 0) => self.at += 1,
                Some(b'/') if self.skip_comment(session) => {}
                Some(b'\\') => {
                    match self.splice(self.at) {
                        Some(length) => self.at += length,
                        None => {
                            self.at += 1;
                            self.line_start = false;
                        }
                    };
                }
                Some(b'#') if self.line_start => {
                    self.at += 1;
                    self.line_start = false;
                    return true;
                }
                Some(b'%') if self.line_start && self.get(self.at + 1).0 == b':' => {
                    self.at = self.get(self.at + 1).1;
                    self.line_start = false;
                    return true;
                }
                Some(quote @ (b'"' | b'\'')) => {
                    self.line_start = false;
                    self.skip_quoted(quote);
                }
                Some(_) => {
                    self.line_start = false;
                    self.at += 1;
                }
            }
        }
    }

    fn skip_quoted(&mut self, quote: u8) {
        self.at += 1;
        loop {
            match self.bytes().get(self.at).copied() {
                None | Some(b'\n' | b'\r') => return,
                Some(b'\\') => self.at += self.splice(self.at).unwrap_or(2),
                Some(byte) => {
                    self.at += 1;
                    if byte == quote {
                        return;
                    }
                }
            }
        }
    }

    /// Does an opening parenthesis come next, on this line or a later one?
    pub fn parenthesis_follows(&self, session: &Session) -> bool {
        if let Some(b'(') = self.bytes().get(self.at) {
            return true;
        }
        let mut ahead = self.clone();
        ahead.quiet = true;
        ahead.next(session).is(Punct::LParen)
    }
}

/// May a character beyond ASCII be part of an identifier?
fn is_word(c: char) -> bool {
    c.is_alphanumeric()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CompileOptions;

    fn spelled(text: &str) -> Vec<String> {
        let session = Session::new(CompileOptions::default());
        let file = session.sources.add("a.cl", text.into(), Loc::NONE, false).unwrap();
        let mut lexer = Lexer::new(&session, file);
        std::iter::from_fn(|| {
            let token = lexer.next(&session);
            (token.kind != TokenKind::Eof).then(|| session.spelling(&token).into_owned())
        })
        .collect()
    }

    #[test]
    fn tokens_are_as_long_as_they_can_be() {
        assert_eq!(
            spelled("a+++b>>=c...d->e"),
            ["a", "++", "+", "b", ">>=", "c", "...", "d", "->", "e"]
        );
        assert_eq!(
            spelled("1.5e+3f .5 0x1p-3 1..2 x.y"),
            ["1.5e+3f", ".5", "0x1p-3", "1..2", "x", ".", "y"]
        );
        assert_eq!(spelled("<: :> <% %> %: %:%:"), ["[", "]", "{", "}", "#", "##"]);
        assert_eq!(spelled(r#"'\'' "a\"b" é@"#), [r"'\''", r#""a\"b""#, "é", "@"]);
    }

    #[test]
    fn line_continuations_and_comments_count_for_nothing() {
        assert_eq!(spelled("ab\\\ncd +\\\r\n= \"x\\\ny\" 1\\\n2"), ["abcd", "+=", "\"xy\"", "12"]);
        assert_eq!(spelled("a/**/b//c\\\nd\ne/\\\n*x*\\\n/f"), ["a", "b", "e", "f"]);
    }
}
