//! `#pragma` and `_Pragma`.

use super::Preprocessor;
use crate::diagnostics::Warning;
use crate::intern::sym;
use crate::lexer::Lexer;
use crate::source::Loc;
use crate::token::{Flags, OnOff, Pack, Pragma, Punct, Token, TokenKind, Unroll};

const IGNORED: Warning = Warning("ignored-pragmas");
const UNKNOWN: Warning = Warning("unknown-pragmas");

impl Preprocessor<'_> {
    /// `#pragma`: acts upon what is for the preprocessor, and makes a token of what is for the parser.
    pub(super) fn pragma(&mut self, hash: Token) -> Option<Token> {
        let tokens = self.rest(false);
        self.pragma_of(hash, tokens)
    }

    fn pragma_of(&mut self, hash: Token, tokens: Vec<Token>) -> Option<Token> {
        let text = self.joined(&tokens);
        let (first, rest) = tokens.split_first()?;
        let words: Vec<_> = tokens.iter().map(|token| token.ident().unwrap_or(sym::EMPTY)).collect();
        let pragma = match words.as_slice() {
            [sym::ONCE, ..] => {
                if self.include_depth == 0 {
                    self.session
                        .warning(Warning("pragma-once-outside-header"), first.loc, "#pragma once in main file");
                }
                self.include_once();
                return None;
            }
            [sym::PUSH_MACRO | sym::POP_MACRO, ..] => {
                self.push_or_pop_macro(words[0] == sym::PUSH_MACRO, first.loc, rest);
                return None;
            }
            [sym::MESSAGE, ..] => {
                let strings = rest.iter().filter(|token| matches!(token.kind, TokenKind::Str(_)));
                let message: String = strings.map(|token| self.text_of(token)).collect();
                self.session.warning(Warning("#pragma-messages"), first.loc, message);
                return None;
            }
            [sym::POISON, names @ ..] | [sym::GCC | sym::CLANG, sym::POISON, names @ ..] => {
                for &name in names {
                    self.poisoned.insert(name);
                }
                return None;
            }
            [sym::GCC | sym::CLANG, sym::SYSTEM_HEADER, ..] => return None,
            [sym::OPENCL, sym::EXTENSION, ..] => self.extension(first.loc, &tokens[2..])?,
            [sym::OPENCL | sym::STDC, sym::FP_CONTRACT, ..] => match words.get(2).copied() {
                Some(sym::ON) => Pragma::FpContract(OnOff::On),
                Some(sym::OFF) => Pragma::FpContract(OnOff::Off),
                Some(sym::DEFAULT_CAPITAL) => Pragma::FpContract(OnOff::Default),
                _ => {
                    self.session.warning(
                        Warning("unknown-pragmas"),
                        first.loc,
                        "expected 'ON' or 'OFF' or 'DEFAULT' in pragma",
                    );
                    return None;
                }
            },
            [sym::UNROLL, ..] | [sym::GCC, sym::UNROLL, ..] => {
                let from = if words[0] == sym::GCC { 2 } else { 1 };
                Pragma::Unroll(self.unroll(&tokens[from..]))
            }
            [sym::NOUNROLL, ..] => Pragma::Unroll(Unroll::Disable),
            [sym::CLANG, ..] => self.clang_loop(&tokens),
            [sym::PACK, ..] => match self.pack(rest) {
                Some(pack) => Pragma::Pack(pack),
                None => {
                    self.session.warning(IGNORED, first.loc, "malformed '#pragma pack' - ignored");
                    return None;
                }
            },
            [sym::GCC | sym::STDC | sym::OPENCL, ..] => Pragma::Other,
            _ => {
                self.session.warning(UNKNOWN, first.loc, "unknown pragma ignored");
                Pragma::Other
            }
        };
        Some(Token {
            kind: TokenKind::Pragma(self.session.add_pragma(pragma, text)),
            loc: hash.loc,
            flags: Flags::LINE_START,
        })
    }

    /// `name : behavior`
    fn extension(&self, loc: Loc, tokens: &[Token]) -> Option<Pragma> {
        let [name, colon, behavior, ..] = tokens else {
            self.session.warning(IGNORED, loc, "expected extension name - ignoring");
            return None;
        };
        let Some(name) = name.ident() else {
            self.session
                .warning(IGNORED, name.loc, "expected identifier in '#pragma OPENCL EXTENSION' - ignored");
            return None;
        };
        if !colon.is(Punct::Colon) {
            self.session
                .warning(IGNORED, colon.loc, "missing ':' after extension name - ignoring");
            return None;
        }
        let enabled = match behavior.ident().map(|symbol| self.session.name(symbol)) {
            Some("enable" | "begin" | "require" | "warn") => true,
            Some("disable" | "end") => false,
            _ => {
                let message = "expected 'enable', 'disable', 'begin' or 'end' - ignoring";
                self.session.warning(IGNORED, behavior.loc, message);
                return None;
            }
        };
        let text = self.session.name(name);
        let is_known = text == "all" || self.session.options.features.iter().any(|feature| feature == text);
        if enabled && !is_known {
            let message = format!("unknown or unsupported OpenCL extension '{text}' - ignoring");
            self.session.warning(IGNORED, tokens[0].loc, message);
        }
        Some(Pragma::Extension { name, enabled })
    }

    /// A factor with its macros expanded, with parentheses or without.
    fn unroll(&mut self, tokens: &[Token]) -> Unroll {
        if tokens.is_empty() {
            return Unroll::Enable;
        }
        let tokens = self.expand_tokens(tokens);
        match self.constant(&tokens).map(|value| value.bits) {
            Some(0 | 1) => Unroll::Disable,
            Some(count) => Unroll::Count(u32::try_from(count).unwrap_or(u32::MAX)),
            // A constant of the language, that only the parser knows: it says that the loop is to be unrolled, at least.
            None => Unroll::Enable,
        }
    }

    /// `#pragma clang loop unroll(…) unroll_count(…)`
    fn clang_loop(&mut self, tokens: &[Token]) -> Pragma {
        let mut pragma = Pragma::Other;
        if tokens.get(1).and_then(Token::ident).map(|symbol| self.session.name(symbol)) != Some("loop") {
            return pragma;
        }
        for (index, token) in tokens.iter().enumerate().skip(2) {
            let Some(name) = token.ident().map(|symbol| self.session.name(symbol)) else {
                continue;
            };
            let value = match tokens.get(index + 1..) {
                Some([open, rest @ ..]) if open.is(Punct::LParen) => {
                    &rest[..rest.iter().position(|token| token.is(Punct::RParen)).unwrap_or(rest.len())]
                }
                _ => continue,
            };
            match name {
                "unroll_count" => pragma = Pragma::Unroll(self.unroll(value)),
                "unroll" => {
                    let word = value.first().and_then(Token::ident).map(|symbol| self.session.name(symbol));
                    pragma = Pragma::Unroll(match word {
                        Some("disable") => Unroll::Disable,
                        _ => Unroll::Enable,
                    });
                }
                _ => {}
            }
        }
        pragma
    }

    /// `(n)`, `()`, `(push)`, `(push, n)`, `(pop)`, `(pop, n)`, with names among them that nobody uses
    fn pack(&mut self, tokens: &[Token]) -> Option<Pack> {
        let tokens = self.expand_tokens(tokens);
        let [open, inner @ .., close] = tokens.as_slice() else {
            return None;
        };
        if !open.is(Punct::LParen) || !close.is(Punct::RParen) {
            return None;
        }
        let mut action = None;
        let mut amount = None;
        for token in inner {
            match token.kind {
                TokenKind::Ident(symbol) if action.is_none() => action = Some(self.session.name(symbol)),
                TokenKind::Ident(_) | TokenKind::Punct(Punct::Comma) => {}
                TokenKind::Number(_) => {
                    let value = self.constant(std::slice::from_ref(token))?.bits;
                    if !matches!(value, 1 | 2 | 4 | 8 | 16) {
                        return None;
                    }
                    amount = Some(value as u32);
                }
                _ => return None,
            }
        }
        match action {
            None => Some(Pack::Set(amount.unwrap_or(0))),
            Some("push") => Some(Pack::Push(amount)),
            Some("pop") => Some(Pack::Pop(amount)),
            Some(_) => None,
        }
    }

    /// `("name")`
    fn push_or_pop_macro(&mut self, push: bool, loc: Loc, tokens: &[Token]) {
        let [open, name, close, ..] = tokens else {
            self.session.error(loc, "a macro's name in quotes and parentheses must follow");
            return;
        };
        if !open.is(Punct::LParen) || !close.is(Punct::RParen) || !matches!(name.kind, TokenKind::Str(_)) {
            self.session.error(loc, "a macro's name in quotes and parentheses must follow");
            return;
        }
        let symbol = self.session.intern(&self.text_of(name));
        if push {
            let definition = self.definition(symbol);
            self.pushed.entry(symbol).or_default().push(definition);
        } else if let Some(definition) = self.pushed.get_mut(&symbol).and_then(Vec::pop) {
            self.set_macro(symbol, definition);
        } else {
            self.session
                .warning(IGNORED, loc, "pragma pop_macro could not pop, no matching push_macro");
        }
    }

    /// `_Pragma("…")`: a pragma among a line's tokens.
    pub(super) fn pragma_operator(&mut self, name: Token) -> Option<Token> {
        let open = self.next();
        let string = self.next();
        let close = self.next();
        if !open.is(Punct::LParen) || !matches!(string.kind, TokenKind::Str(_)) || !close.is(Punct::RParen) {
            self.session.error(name.loc, "_Pragma takes a parenthesized string literal");
            return None;
        }
        let spelling = self.session.spelling(&string).into_owned();
        let inner = spelling.trim_start_matches('"');
        let inner = inner.strip_suffix('"').unwrap_or(inner);
        let text = inner.replace("\\\"", "\"").replace("\\\\", "\\");
        if !self.count_expanded(text.len(), name.loc) {
            return None;
        }
        let file = self.session.sources.add("<scratch space>", text, Loc::NONE, false)?;
        let mut lexer = Lexer::new(self.session, file);
        let mut tokens = Vec::new();
        loop {
            let token = lexer.next(self.session);
            if token.kind == TokenKind::Eof {
                break;
            }
            tokens.push(Token {
                loc: string.loc,
                flags: token.flags.with(Flags::LINE_START, false),
                ..token
            });
        }
        let outer = std::mem::replace(&mut self.in_directive, true);
        let made = self.pragma_of(name, tokens);
        self.in_directive = outer;
        made
    }

    /// Tokens with their macros expanded.
    fn expand_tokens(&mut self, tokens: &[Token]) -> Vec<Token> {
        let loc = tokens.first().map_or(Loc::NONE, |token| token.loc);
        self.expand_argument(tokens, loc)
    }
}
