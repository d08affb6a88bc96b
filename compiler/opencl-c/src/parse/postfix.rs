//! Postfix expressions: calls, indices, members, `++` and `--`.

use super::Parser;
use crate::sema::Operand;
use crate::token::{Punct, TokenKind};

impl Parser<'_> {
    pub(super) fn postfix_expression(&mut self) -> Operand {
        let operand = self.primary_expression();
        self.postfix_operators(operand)
    }

    pub(super) fn postfix_operators(&mut self, mut operand: Operand) -> Operand {
        loop {
            let TokenKind::Punct(punct) = self.peek().kind else {
                return operand;
            };
            let loc = self.loc();
            if matches!(
                punct,
                Punct::LBracket | Punct::LParen | Punct::Dot | Punct::Arrow | Punct::PlusPlus | Punct::MinusMinus
            ) && !self.count_operator()
            {
                return self.wrong(loc);
            }
            operand = match punct {
                Punct::LBracket => {
                    self.advance();
                    let index = match self.enter() {
                        true => self.expression(),
                        false => self.wrong(loc),
                    };
                    self.leave();
                    if !self.expect(Punct::RBracket, "") {
                        self.skip_to(&[Punct::RBracket, Punct::Semicolon]);
                        self.accept(Punct::RBracket);
                    }
                    self.subscript(operand, index, loc)
                }
                Punct::LParen => {
                    self.advance();
                    let arguments = self.arguments();
                    self.call(operand, arguments, loc)
                }
                Punct::Dot | Punct::Arrow => {
                    self.advance();
                    let loc = self.loc();
                    match self.peek().kind {
                        TokenKind::Ident(name) => {
                            self.advance();
                            self.member(operand, name, punct == Punct::Arrow, loc)
                        }
                        _ => {
                            self.error(loc, "expected identifier");
                            self.wrong(loc)
                        }
                    }
                }
                Punct::PlusPlus | Punct::MinusMinus => {
                    self.advance();
                    self.increment(operand, punct == Punct::PlusPlus, true, loc)
                }
                _ => return operand,
            };
        }
    }

    /// The arguments of a call, and the `)`.
    pub(super) fn arguments(&mut self) -> Vec<Operand> {
        let mut arguments = Vec::new();
        if self.accept(Punct::RParen) {
            return arguments;
        }
        if self.enter() {
            loop {
                let argument = self.assignment_expression();
                arguments.push(argument);
                if !self.accept(Punct::Comma) {
                    break;
                }
            }
            if !self.expect(Punct::RParen, "") {
                self.skip_to(&[Punct::RParen, Punct::Semicolon]);
                self.accept(Punct::RParen);
            }
        }
        self.leave();
        arguments
    }
}
