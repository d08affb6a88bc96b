//! Reading tokens.

use super::{BRACKET_DEPTH, Keyword, NESTING, OPERATORS, Parser};
use crate::intern::Symbol;
use crate::source::Loc;
use crate::token::{OnOff, Pack, Pragma, PragmaId, Punct, Token, TokenKind};

impl Parser<'_> {
    /// The current token.
    pub(crate) fn peek(&self) -> Token {
        self.token
    }

    /// Where the current token is.
    pub(crate) fn loc(&self) -> Loc {
        self.token.loc
    }

    /// The token after the current one.
    pub(super) fn peek_second(&mut self) -> Token {
        if self.ahead.is_empty() {
            let token = self.read();
            self.ahead.push_back(token);
        }
        self.ahead[0]
    }

    /// Goes to the next token, and returns the one before it.
    pub(crate) fn advance(&mut self) -> Token {
        let old = self.token;
        self.previous = old.loc;
        self.token = match self.ahead.pop_front() {
            Some(token) => token,
            None => self.read(),
        };
        old
    }

    /// The next token of the preprocessor's. Pragmas that count from where they stand are obeyed here; those about loops are tokens.
    fn read(&mut self) -> Token {
        loop {
            let token = match self.stopped {
                true => Token {
                    kind: TokenKind::Eof,
                    ..self.token
                },
                false => self.preprocessor.next(),
            };
            match token.kind {
                TokenKind::Pragma(id) if !matches!(self.session.pragma(id), Pragma::Unroll(_)) => self.obey(id),
                TokenKind::Ident(name) => {
                    self.meet(name);
                    return token;
                }
                _ => return token,
            }
        }
    }

    fn obey(&mut self, id: PragmaId) {
        match *self.session.pragma(id) {
            Pragma::FpContract(switch) => {
                self.contract = match switch {
                    OnOff::On => true,
                    OnOff::Off => false,
                    OnOff::Default => self.lang.contract,
                }
            }
            Pragma::Pack(Pack::Set(align)) => *self.pack.last_mut().expect("there is always one") = align,
            Pragma::Pack(Pack::Push(align)) => {
                let align = align.unwrap_or(self.packing());
                self.pack.push(align);
            }
            Pragma::Pack(Pack::Pop(align)) => {
                if self.pack.len() > 1 {
                    self.pack.pop();
                }
                if let (Some(align), Some(last)) = (align, self.pack.last_mut()) {
                    *last = align;
                }
            }
            // Of all extensions that add to the language itself, this is the one that has to be enabled.
            Pragma::Extension { name, enabled } => match self.text(name) {
                "cl_khr_fp16" => self.half_enabled = enabled && self.lang.fp16,
                "all" if !enabled => self.half_enabled = false,
                _ => {}
            },
            Pragma::Unroll(_) | Pragma::Other => {}
        }
    }

    /// What `#pragma pack` says here, in bytes; 0 is nothing.
    pub(super) fn packing(&self) -> u32 {
        self.pack.last().copied().unwrap_or(0)
    }

    pub(crate) fn at(&self, punct: Punct) -> bool {
        self.token.is(punct)
    }

    pub(crate) fn at_end(&self) -> bool {
        self.token.kind == TokenKind::Eof || self.session.diagnostics.gave_up()
    }

    /// Takes an operator or separator if it is there.
    pub(crate) fn accept(&mut self, punct: Punct) -> bool {
        let is = self.at(punct);
        if is {
            self.advance();
        }
        is
    }

    /// The keyword that the current token is.
    pub(crate) fn keyword(&self) -> Option<Keyword> {
        self.keyword_of(self.token)
    }

    pub(super) fn keyword_of(&self, token: Token) -> Option<Keyword> {
        self.keywords.get(&self.session.symbols, token.ident()?)
    }

    pub(super) fn accept_keyword(&mut self, keyword: Keyword) -> bool {
        let is = self.keyword() == Some(keyword);
        if is {
            self.advance();
        }
        is
    }

    /// The current token as a name: an identifier that is no keyword.
    pub(crate) fn at_name(&self) -> Option<Symbol> {
        self.token
            .ident()
            .filter(|&name| self.keywords.get(&self.session.symbols, name).is_none())
    }

    /// Takes what has to be there, or reports that it isn't.
    pub(crate) fn expect(&mut self, punct: Punct, after: &str) -> bool {
        if self.accept(punct) {
            return true;
        }
        let loc = match punct {
            // What is missing at the end of something is missing there.
            Punct::Semicolon => self.previous,
            _ => self.loc(),
        };
        let message = match after {
            "" => format!("expected '{}'", punct.text()),
            _ => format!("expected '{}' {after}", punct.text()),
        };
        self.error(loc, &message);
        false
    }

    /// Skips to the next `;` or `}` of this level, or to the end; takes the `;`.
    pub(crate) fn recover(&mut self) {
        self.skip_to(&[Punct::Semicolon, Punct::RBrace]);
        self.accept(Punct::Semicolon);
    }

    /// Skips to one of some tokens that is not inside brackets opened on the way.
    pub(crate) fn skip_to(&mut self, stops: &[Punct]) {
        let mut depth = 0u32;
        while !self.at_end() {
            if let TokenKind::Punct(punct) = self.token.kind {
                if depth == 0 && stops.contains(&punct) {
                    return;
                }
                match punct {
                    Punct::LParen | Punct::LBracket | Punct::LBrace => depth += 1,
                    Punct::RParen | Punct::RBracket | Punct::RBrace => {
                        if depth == 0 && (punct == Punct::RBrace || stops.contains(&Punct::RParen)) {
                            return;
                        }
                        depth = depth.saturating_sub(1);
                    }
                    _ => {}
                }
            }
            self.advance();
        }
    }

    /// Enters brackets. `false` if that is too deep: an error has been reported, and the rest of the program is not read.
    pub(super) fn enter(&mut self) -> bool {
        self.brackets += 1;
        let (limit, why) = self.session.limit(BRACKET_DEPTH);
        self.brackets <= limit || self.stop(format!("bracket nesting level exceeded maximum of {limit}{why}"))
    }

    pub(super) fn leave(&mut self) {
        self.brackets -= 1;
    }

    /// As [`Parser::enter`], for what nests without brackets.
    pub(super) fn nest(&mut self) -> bool {
        self.nesting += 1;
        let (limit, why) = self.session.limit(NESTING);
        self.nesting <= limit || self.stop(format!("nesting is too deep{why}"))
    }

    pub(super) fn unnest(&mut self) {
        self.nesting -= 1;
    }

    /// Counts an operator of an expression.
    pub(super) fn count_operator(&mut self) -> bool {
        self.operators += 1;
        let (limit, why) = self.session.limit(OPERATORS);
        self.operators <= limit || self.stop(format!("expression has too many operators{why}"))
    }

    /// Begins another expression, as far as the number of its operators goes, unless it is part of one.
    pub(super) fn fresh_operators(&mut self) {
        if !self.in_expression {
            self.operators = 0;
        }
    }

    fn stop(&mut self, message: String) -> bool {
        if !self.stopped {
            let loc = self.loc();
            self.error(loc, &message);
            self.stopped = true;
            self.ahead.clear();
            self.token.kind = TokenKind::Eof;
        }
        false
    }
}
