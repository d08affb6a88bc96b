//! Directives, and which parts of a file count.

use super::{Condition, Preprocessor};
use crate::diagnostics::Warning;
use crate::intern::sym;
use crate::source::Loc;
use crate::token::{Flags, Punct, Token, TokenKind};

const EXTRA_TOKENS: Warning = Warning("extra-tokens");

impl Preprocessor<'_> {
    /// Acts upon the directive after `#`. A pragma may be a token for the parser.
    pub(super) fn directive(&mut self, hash: Token) -> Option<Token> {
        let outer = std::mem::replace(&mut self.in_directive, true);
        self.set_in_directive(true);
        let token = self.raw();
        let mut made = None;
        match token.kind {
            TokenKind::LineEnd => {}
            TokenKind::Ident(name) => match name {
                sym::IF => self.begin_if(token.loc),
                sym::IFDEF | sym::IFNDEF => self.begin_ifdef(token.loc, name == sym::IFDEF),
                sym::ELIF | sym::ELIFDEF | sym::ELIFNDEF => self.after_taken_group(token.loc, false),
                sym::ELSE => self.after_taken_group(token.loc, true),
                sym::ENDIF => self.end_if(token.loc),
                sym::INCLUDE | sym::IMPORT | sym::INCLUDE_NEXT => self.include(token, name == sym::IMPORT),
                sym::DEFINE => self.define(),
                sym::UNDEF => self.undefine(),
                sym::LINE => self.line(),
                sym::ERROR | sym::WARNING => self.message(token.loc, name == sym::ERROR),
                sym::PRAGMA => made = self.pragma(hash),
                sym::IDENT | sym::SCCS => {}
                _ => {
                    self.session.error(token.loc, "invalid preprocessing directive");
                }
            },
            // GNU: `# 12 "file"`
            TokenKind::Number(_) => self.line_of(token),
            _ => {
                self.session.error(token.loc, "invalid preprocessing directive");
            }
        }
        self.in_directive = outer;
        self.finish_line();
        made
    }

    /// Until this is false, the end of the line is a token that is given again and again.
    pub(super) fn set_in_directive(&mut self, value: bool) {
        if let Some(file) = self.file_mut() {
            file.lexer.in_directive = value;
        }
    }

    /// Leaves what is left of a directive's line, unless the directive has entered another file.
    fn finish_line(&mut self) {
        if self.file().is_some_and(|file| file.lexer.in_directive) {
            while !matches!(self.raw().kind, TokenKind::LineEnd | TokenKind::Eof) {}
            self.set_in_directive(false);
        }
    }

    /// Says so where more stands on a directive's line than belongs there.
    pub(super) fn end_of_directive(&mut self, name: &str) {
        let token = self.raw();
        if token.kind != TokenKind::LineEnd {
            self.session
                .warning(EXTRA_TOKENS, token.loc, format!("extra tokens at end of #{name} directive"));
        }
    }

    fn begin_if(&mut self, loc: Loc) {
        let holds = self.condition();
        self.begin_group(loc, holds);
    }

    fn begin_ifdef(&mut self, loc: Loc, wanted: bool) {
        let name = self.macro_name();
        let holds = match name {
            Some((_, symbol)) => {
                self.end_of_directive(if wanted { "ifdef" } else { "ifndef" });
                self.definition(symbol).is_some() == wanted
            }
            None => false,
        };
        self.begin_group(loc, holds);
    }

    fn begin_group(&mut self, loc: Loc, holds: bool) {
        if let Some(file) = self.file_mut() {
            file.conditions.push(Condition {
                loc,
                taken: holds,
                in_else: false,
            });
        }
        if !holds {
            self.skip();
        }
    }

    fn end_if(&mut self, loc: Loc) {
        self.end_of_directive("endif");
        if self.file_mut().is_some_and(|file| file.conditions.pop().is_none()) {
            self.session.error(loc, "#endif without #if");
        }
    }

    /// `#elif` or `#else` after a group that was read: the rest, up to `#endif`, is not.
    fn after_taken_group(&mut self, loc: Loc, is_else: bool) {
        let name = if is_else { "else" } else { "elif" };
        let Some(condition) = self.file_mut().and_then(|file| file.conditions.last_mut()) else {
            self.session.error(loc, format!("#{name} without #if"));
            return;
        };
        let again = condition.in_else;
        condition.in_else |= is_else;
        condition.taken = true;
        if again {
            self.session.error(loc, format!("#{name} after #else"));
        }
        self.skip();
    }

    /// Skips groups up to one that counts, or to the end of the innermost conditional.
    fn skip(&mut self) {
        let mut depth = 0_usize;
        loop {
            let session = self.session;
            let Some(file) = self.file_mut() else { return };
            // What is left of this line.
            file.lexer.in_directive = false;
            if !file.lexer.skip_to_directive(session) {
                return;
            }
            file.lexer.in_directive = true;
            let token = file.lexer.next(session);
            let TokenKind::Ident(name) = token.kind else { continue };
            match name {
                sym::IF | sym::IFDEF | sym::IFNDEF => depth += 1,
                sym::ENDIF if depth > 0 => depth -= 1,
                _ if depth > 0 => {}
                sym::ENDIF => {
                    self.end_if(token.loc);
                    return;
                }
                sym::ELSE => {
                    let Some(condition) = self.file_mut().and_then(|file| file.conditions.last_mut()) else {
                        return;
                    };
                    let again = std::mem::replace(&mut condition.in_else, true);
                    let taken = std::mem::replace(&mut condition.taken, true);
                    if again {
                        self.session.error(token.loc, "#else after #else");
                    }
                    if !taken {
                        self.end_of_directive("else");
                        return;
                    }
                }
                sym::ELIF | sym::ELIFDEF | sym::ELIFNDEF => {
                    let Some(condition) = self.file().and_then(|file| file.conditions.last()) else {
                        return;
                    };
                    let (taken, in_else) = (condition.taken, condition.in_else);
                    if in_else {
                        self.session.error(token.loc, "#elif after #else");
                    }
                    let holds = !taken
                        && match name {
                            sym::ELIF => self.condition(),
                            _ => self
                                .macro_name()
                                .is_some_and(|(_, symbol)| self.definition(symbol).is_some() == (name == sym::ELIFDEF)),
                        };
                    if holds {
                        if let Some(condition) = self.file_mut().and_then(|file| file.conditions.last_mut()) {
                            condition.taken = true;
                        }
                        return;
                    }
                }
                _ => {}
            }
        }
    }

    /// `#error`, `#warning`
    fn message(&mut self, loc: Loc, is_error: bool) {
        let Some(file) = self.file_mut() else { return };
        let text = file.lexer.rest_of_line();
        match is_error {
            true => self.session.error(loc, text),
            false => self.session.warning(Warning("#warnings"), loc, text),
        };
    }

    /// `#line`
    fn line(&mut self) {
        let token = self.next();
        self.line_of(token);
    }

    /// A line's number, and perhaps a file's name.
    fn line_of(&mut self, token: Token) {
        let number = match token.kind {
            TokenKind::Number(symbol) => self.session.name(symbol).parse::<u32>().ok(),
            _ => None,
        };
        let Some(number) = number else {
            self.session
                .error(token.loc, "#line directive requires a positive integer argument");
            return;
        };
        let next = self.next();
        let name = match next.kind {
            TokenKind::LineEnd => None,
            TokenKind::Str(_) => Some(String::from_utf8_lossy(&crate::literal::string(self.session, &next)).into_owned()),
            _ => {
                self.session.error(next.loc, "invalid filename for #line directive");
                return;
            }
        };
        if let Some(file) = self.file() {
            let text = self.session.sources.file(file.file);
            let line = text.line_of(file.lexer.loc().0 - text.start);
            self.session.sources.set_line(file.file, line, number, name.as_deref());
        }
    }

    /// Tokens up to the end of the line, with macros expanded or not.
    pub(super) fn rest(&mut self, expand: bool) -> Vec<Token> {
        let mut tokens = Vec::new();
        loop {
            let token = if expand { self.next() } else { self.raw() };
            if matches!(token.kind, TokenKind::LineEnd | TokenKind::Eof) {
                return tokens;
            }
            tokens.push(token);
        }
    }

    /// Tokens as text.
    pub(super) fn joined(&self, tokens: &[Token]) -> String {
        let mut text = String::new();
        for (index, token) in tokens.iter().enumerate() {
            if index > 0 && token.flags.has(Flags::SPACE) {
                text.push(' ');
            }
            text.push_str(&self.session.spelling(token));
        }
        text
    }

    /// Is the next token of a list this one? Then it is taken.
    pub(super) fn take(tokens: &mut &[Token], punct: Punct) -> bool {
        match tokens.split_first() {
            Some((first, rest)) if first.is(punct) => {
                *tokens = rest;
                true
            }
            _ => false,
        }
    }
}
