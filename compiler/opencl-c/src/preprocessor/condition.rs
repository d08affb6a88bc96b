//! The expressions of `#if` and `#elif`, in 64 bits.

use super::Preprocessor;
use crate::intern::sym;
use crate::literal::{self, Number};
use crate::source::Loc;
use crate::token::{Punct, Token, TokenKind};

/// A value: `intmax_t` or `uintmax_t`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Value {
    pub bits: u64,
    pub unsigned: bool,
}

impl Value {
    fn signed(value: i64) -> Value {
        Value {
            bits: value as u64,
            unsigned: false,
        }
    }

    fn truth(value: bool) -> Value {
        Value::signed(value as i64)
    }
}

/// How deep expressions may be nested.
const DEEPEST: usize = 200;

/// An expression being evaluated.
struct Evaluator<'p, 'a> {
    preprocessor: &'p Preprocessor<'a>,
    tokens: &'p [Token],
    end: Loc,
    depth: usize,
    /// How many operands that do not count we are in, as the right one of `0 && …`.
    unevaluated: usize,
    /// Identifiers that are no macros are errors instead of 0.
    strict: bool,
}

impl Preprocessor<'_> {
    /// Does the condition on the rest of this line hold? One with errors does not.
    pub(super) fn condition(&mut self) -> bool {
        let tokens = self.condition_tokens();
        let end = tokens
            .last()
            .map_or(self.file().map_or(Loc::NONE, |file| file.lexer.loc()), |last| last.loc);
        if tokens.is_empty() {
            self.session.error(end, "expected value in expression");
            return false;
        }
        self.evaluate(&tokens, end, false).is_some_and(|value| value.bits != 0)
    }

    /// The value of an expression in a pragma, or nothing where it is none of constants alone.
    pub(super) fn constant(&self, tokens: &[Token]) -> Option<Value> {
        let evaluate = || self.evaluate(tokens, Loc::NONE, true);
        self.session.diagnostics.suppress(evaluate).0
    }

    fn evaluate(&self, tokens: &[Token], end: Loc, strict: bool) -> Option<Value> {
        let mut evaluator = Evaluator {
            preprocessor: self,
            tokens,
            end,
            depth: 0,
            unevaluated: 0,
            strict,
        };
        let value = evaluator.conditional()?;
        match evaluator.tokens.first() {
            None => Some(value),
            Some(token) if token.is(Punct::RParen) => evaluator.fail(token.loc, "missing '(' in expression"),
            Some(token) => evaluator.fail(token.loc, "token is not a valid binary operator in a preprocessor subexpression"),
        }
    }

    /// The rest of the line with macros expanded, but for operands of `defined`, which become numbers.
    fn condition_tokens(&mut self) -> Vec<Token> {
        let mut tokens = Vec::new();
        let number = |session: &crate::Session, value: bool| TokenKind::Number(session.intern(if value { "1" } else { "0" }));
        loop {
            let token = self.next();
            match token.kind {
                TokenKind::LineEnd | TokenKind::Eof => return tokens,
                TokenKind::Ident(sym::DEFINED) => {
                    let mut next = self.raw();
                    let parenthesis = next.is(Punct::LParen);
                    if parenthesis {
                        next = self.raw();
                    }
                    let TokenKind::Ident(symbol) = next.kind else {
                        self.session.error(next.loc, "macro name must be an identifier");
                        self.rest(false);
                        return vec![Token {
                            kind: number(self.session, false),
                            ..token
                        }];
                    };
                    tokens.push(Token {
                        kind: number(self.session, self.definition(symbol).is_some()),
                        ..token
                    });
                    if parenthesis {
                        let close = self.raw();
                        if !close.is(Punct::RParen) {
                            self.session
                                .error(close.loc, "missing ')' after 'defined'")
                                .note(token.loc, "to match this '('");
                            self.rest(false);
                            return vec![Token {
                                kind: number(self.session, false),
                                ..token
                            }];
                        }
                    }
                }
                _ => tokens.push(token),
            }
        }
    }
}

impl Evaluator<'_, '_> {
    fn fail<T>(&self, loc: Loc, message: &str) -> Option<T> {
        self.preprocessor.session.error(loc, message);
        None
    }

    fn take(&mut self, punct: Punct) -> bool {
        Preprocessor::take(&mut self.tokens, punct)
    }

    fn loc(&self) -> Loc {
        self.tokens.first().map_or(self.end, |token| token.loc)
    }

    /// `a ? b : c`, and the comma operator, which C99 forbids only where it counts.
    fn conditional(&mut self) -> Option<Value> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return self.fail(self.loc(), "expression is nested too deeply");
        }
        let condition = self.binary(1)?;
        let value = match self.take(Punct::Question) {
            false => condition,
            true => {
                let taken = condition.bits != 0;
                self.unevaluated += !taken as usize;
                let first = self.conditional()?;
                self.unevaluated -= !taken as usize;
                if !self.take(Punct::Colon) {
                    return self.fail(self.loc(), "expected ':'");
                }
                self.unevaluated += taken as usize;
                let second = self.conditional()?;
                self.unevaluated -= taken as usize;
                Value {
                    bits: if taken { first.bits } else { second.bits },
                    unsigned: first.unsigned || second.unsigned,
                }
            }
        };
        self.depth -= 1;
        Some(value)
    }

    /// Operators that bind at least as strongly as `weakest`.
    fn binary(&mut self, weakest: u8) -> Option<Value> {
        let mut left = self.unary()?;
        while let Some(&token) = self.tokens.first() {
            let TokenKind::Punct(punct) = token.kind else { break };
            let Some(strength) = strength(punct).filter(|&strength| strength >= weakest) else {
                break;
            };
            self.tokens = &self.tokens[1..];
            let decided = match punct {
                Punct::AndAnd => left.bits == 0,
                Punct::OrOr => left.bits != 0,
                _ => false,
            };
            self.unevaluated += decided as usize;
            let right = self.binary(strength + 1)?;
            self.unevaluated -= decided as usize;
            left = self.apply(token, punct, left, right)?;
        }
        Some(left)
    }

    fn apply(&self, token: Token, punct: Punct, left: Value, right: Value) -> Option<Value> {
        let unsigned = left.unsigned || right.unsigned;
        let (a, b) = (left.bits, right.bits);
        let (x, y) = (a as i64, b as i64);
        let less = if unsigned { a < b } else { x < y };
        let bits = match punct {
            Punct::AndAnd => return Some(Value::truth(a != 0 && b != 0)),
            Punct::OrOr => return Some(Value::truth(a != 0 || b != 0)),
            Punct::EqEq => return Some(Value::truth(a == b)),
            Punct::NotEq => return Some(Value::truth(a != b)),
            Punct::Lt => return Some(Value::truth(less)),
            Punct::GtEq => return Some(Value::truth(!less)),
            Punct::Gt => return Some(Value::truth(!less && a != b)),
            Punct::LtEq => return Some(Value::truth(less || a == b)),
            // A shift's type is its left operand's.
            Punct::Shl | Punct::Shr => {
                let right_shift = (punct == Punct::Shr) != (!right.unsigned && y < 0);
                let amount = if !right.unsigned && y < 0 { y.unsigned_abs() } else { b };
                let bits = match (right_shift, left.unsigned) {
                    (false, _) => a.checked_shl(amount.min(64) as u32).unwrap_or(0),
                    (true, true) => a.checked_shr(amount.min(64) as u32).unwrap_or(0),
                    (true, false) => (x >> amount.min(63)) as u64,
                };
                return Some(Value {
                    bits,
                    unsigned: left.unsigned,
                });
            }
            Punct::Plus => a.wrapping_add(b),
            Punct::Minus => a.wrapping_sub(b),
            Punct::Star => a.wrapping_mul(b),
            Punct::Amp => a & b,
            Punct::Pipe => a | b,
            Punct::Caret => a ^ b,
            Punct::Slash | Punct::Percent if b == 0 => {
                if self.unevaluated == 0 {
                    let what = if punct == Punct::Slash { "division" } else { "remainder" };
                    return self.fail(token.loc, &format!("{what} by zero in preprocessor expression"));
                }
                0
            }
            Punct::Slash if unsigned => a / b,
            Punct::Slash => x.wrapping_div(y) as u64,
            Punct::Percent if unsigned => a % b,
            Punct::Percent => x.wrapping_rem(y) as u64,
            _ => b,
        };
        Some(Value { bits, unsigned })
    }

    fn unary(&mut self) -> Option<Value> {
        let Some((&token, rest)) = self.tokens.split_first() else {
            return self.fail(self.end, "expected value in expression");
        };
        self.tokens = rest;
        let session = self.preprocessor.session;
        match token.kind {
            TokenKind::Punct(punct @ (Punct::Not | Punct::Tilde | Punct::Minus | Punct::Plus)) => {
                self.depth += 1;
                if self.depth > DEEPEST {
                    return self.fail(token.loc, "expression is nested too deeply");
                }
                let value = self.unary()?;
                self.depth -= 1;
                Some(match punct {
                    Punct::Not => Value::truth(value.bits == 0),
                    Punct::Tilde => Value {
                        bits: !value.bits,
                        ..value
                    },
                    Punct::Minus => Value {
                        bits: value.bits.wrapping_neg(),
                        ..value
                    },
                    _ => value,
                })
            }
            TokenKind::Punct(Punct::LParen) => {
                let value = self.conditional()?;
                match self.take(Punct::RParen) {
                    true => Some(value),
                    false => {
                        session
                            .error(self.loc(), "expected ')' in preprocessor expression")
                            .note(token.loc, "to match this '('");
                        None
                    }
                }
            }
            TokenKind::Number(_) => match literal::number(session, &token)? {
                Number::Int { value, unsigned, .. } => Some(Value {
                    bits: value,
                    unsigned: unsigned || value > i64::MAX as u64,
                }),
                Number::Float { .. } => self.fail(token.loc, "floating point literal in preprocessor expression"),
            },
            TokenKind::Char(_) => Some(Value::signed(literal::character(session, &token)? as i64)),
            TokenKind::Ident(symbol) if !self.strict => {
                let name = session.name(symbol);
                if self.tokens.first().is_some_and(|next| next.is(Punct::LParen)) {
                    return self.fail(token.loc, &format!("function-like macro '{name}' is not defined"));
                }
                Some(Value::signed(0))
            }
            _ => self.fail(token.loc, "invalid token at start of a preprocessor expression"),
        }
    }
}

/// How strongly a binary operator binds.
fn strength(punct: Punct) -> Option<u8> {
    Some(match punct {
        Punct::OrOr => 1,
        Punct::AndAnd => 2,
        Punct::Pipe => 3,
        Punct::Caret => 4,
        Punct::Amp => 5,
        Punct::EqEq | Punct::NotEq => 6,
        Punct::Lt | Punct::Gt | Punct::LtEq | Punct::GtEq => 7,
        Punct::Shl | Punct::Shr => 8,
        Punct::Plus | Punct::Minus => 9,
        Punct::Star | Punct::Slash | Punct::Percent => 10,
        _ => return None,
    })
}
