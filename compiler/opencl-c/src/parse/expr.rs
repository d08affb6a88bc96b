//! Expressions down to unary ones.

use super::{Initializer, Keyword, Parser};
use crate::hir::{ArithmeticOp, CompareOp, ExprKind};
use crate::sema::Operand;
use crate::token::{Punct, TokenKind};
use crate::types::TypeId;

/// An operator between two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BinaryOp {
    Arithmetic(ArithmeticOp),
    Compare(CompareOp),
    And,
    Or,
}

/// A binary operator and how tightly it binds.
fn binary_operator(punct: Punct) -> Option<(BinaryOp, u8)> {
    use ArithmeticOp::*;
    use BinaryOp::{Arithmetic, Compare};
    use CompareOp::*;
    Some(match punct {
        Punct::OrOr => (BinaryOp::Or, 1),
        Punct::AndAnd => (BinaryOp::And, 2),
        Punct::Pipe => (Arithmetic(Or), 3),
        Punct::Caret => (Arithmetic(Xor), 4),
        Punct::Amp => (Arithmetic(And), 5),
        Punct::EqEq => (Compare(Equal), 6),
        Punct::NotEq => (Compare(NotEqual), 6),
        Punct::Lt => (Compare(Less), 7),
        Punct::LtEq => (Compare(LessEqual), 7),
        Punct::Gt => (Compare(Greater), 7),
        Punct::GtEq => (Compare(GreaterEqual), 7),
        Punct::Shl => (Arithmetic(ShiftLeft), 8),
        Punct::Shr => (Arithmetic(ShiftRight), 8),
        Punct::Plus => (Arithmetic(Add), 9),
        Punct::Minus => (Arithmetic(Subtract), 9),
        Punct::Star => (Arithmetic(Multiply), 10),
        Punct::Slash => (Arithmetic(Divide), 10),
        Punct::Percent => (Arithmetic(Remainder), 10),
        _ => return None,
    })
}

/// The operator of a compound assignment.
fn assignment_operator(punct: Punct) -> Option<Option<ArithmeticOp>> {
    use ArithmeticOp::*;
    Some(match punct {
        Punct::Eq => None,
        Punct::PlusEq => Some(Add),
        Punct::MinusEq => Some(Subtract),
        Punct::StarEq => Some(Multiply),
        Punct::SlashEq => Some(Divide),
        Punct::PercentEq => Some(Remainder),
        Punct::AmpEq => Some(And),
        Punct::PipeEq => Some(Or),
        Punct::CaretEq => Some(Xor),
        Punct::ShlEq => Some(ShiftLeft),
        Punct::ShrEq => Some(ShiftRight),
        _ => return None,
    })
}

impl Parser<'_> {
    /// An expression, with commas.
    pub(crate) fn expression(&mut self) -> Operand {
        let mut left = self.assignment_expression();
        while self.at(Punct::Comma) {
            let loc = self.advance().loc;
            if !self.count_operator() {
                return self.wrong(loc);
            }
            let right = self.assignment_expression();
            left = self.comma(left, right, loc);
        }
        left
    }

    /// A whole expression of a statement.
    pub(super) fn full_expression(&mut self) -> Operand {
        self.fresh_operators();
        self.expression()
    }

    fn comma(&mut self, left: Operand, right: Operand, loc: crate::Loc) -> Operand {
        if left.is_error() || right.is_error() {
            return self.wrong(loc);
        }
        let first = self.discard(left);
        let right = self.rvalue(right);
        let second = self.id(right);
        self.value(ExprKind::Comma(first, second), right.ty.id, loc)
    }

    /// An expression without commas.
    pub(crate) fn assignment_expression(&mut self) -> Operand {
        if !self.nest() {
            let loc = self.loc();
            self.unnest();
            return self.wrong(loc);
        }
        let result = self.assignment_expression_nested();
        self.unnest();
        result
    }

    fn assignment_expression_nested(&mut self) -> Operand {
        let left = self.conditional_expression();
        let TokenKind::Punct(punct) = self.peek().kind else { return left };
        let Some(op) = assignment_operator(punct) else { return left };
        let loc = self.advance().loc;
        self.count_operator();
        let right = self.assignment_expression();
        match op {
            None => self.assign(left, right, loc),
            Some(op) => self.compound_assign(op, left, right, loc),
        }
    }

    /// `?:` and what binds tighter.
    pub(crate) fn conditional_expression(&mut self) -> Operand {
        let condition = self.binary_expression(0);
        if !self.at(Punct::Question) {
            return condition;
        }
        let loc = self.advance().loc;
        if !self.count_operator() || !self.nest() {
            return self.wrong(loc);
        }
        if self.at(Punct::Colon) {
            // GNU: `a ?: b` is `a ? a : b`, with `a` evaluated once.
            self.advance();
            let otherwise = self.conditional_expression();
            self.unnest();
            return self.elvis(condition, otherwise, loc);
        }
        let then = self.expression();
        self.expect(Punct::Colon, "");
        let otherwise = self.conditional_expression();
        self.unnest();
        self.conditional(condition, then, otherwise, loc)
    }

    /// Binary operators that bind at least as tightly.
    fn binary_expression(&mut self, least: u8) -> Operand {
        let mut left = self.cast_expression();
        loop {
            let TokenKind::Punct(punct) = self.peek().kind else { return left };
            let Some((op, binding)) = binary_operator(punct).filter(|&(_, binding)| binding >= least) else {
                return left;
            };
            let loc = self.advance().loc;
            if !self.count_operator() {
                return self.wrong(loc);
            }
            let right = self.binary_expression(binding + 1);
            left = self.binary(op, left, right, loc);
        }
    }

    /// A cast, or a unary expression.
    pub(super) fn cast_expression(&mut self) -> Operand {
        if self.at(Punct::LParen) {
            let next = self.peek_second();
            if self.begins_type(next) {
                return self.cast_or_literal();
            }
        }
        self.unary_expression()
    }

    /// `(type) operand`, `(vector type)(parts, …)` or `(type){…}`.
    fn cast_or_literal(&mut self) -> Operand {
        let loc = self.advance().loc;
        let ty = self.type_name();
        if !self.expect(Punct::RParen, "") {
            return self.wrong(loc);
        }
        if self.at(Punct::LBrace) {
            let literal = self.compound_literal(ty, loc);
            return self.postfix_operators(literal);
        }
        if !self.nest() {
            self.unnest();
            return self.wrong(loc);
        }
        // `(float4)(int4)v` is a cast of a cast.
        let is_list = self.at(Punct::LParen) && self.is_vector(ty.ty.id) && {
            let next = self.peek_second();
            !self.begins_type(next)
        };
        let result = match is_list {
            true => {
                self.advance();
                let mut parts = Vec::new();
                if self.enter() {
                    self.vector_parts(&mut parts);
                }
                self.leave();
                let literal = self.vector_literal(ty.ty.id, &parts, loc);
                self.postfix_operators(literal)
            }
            false => {
                self.count_operator();
                let operand = self.cast_expression();
                self.cast(ty, operand, loc)
            }
        };
        self.unnest();
        result
    }

    /// The parts of a vector literal, and the `)`.
    fn vector_parts(&mut self, parts: &mut Vec<Operand>) {
        loop {
            let part = self.assignment_expression();
            parts.push(part);
            if !self.accept(Punct::Comma) {
                break;
            }
        }
        if !self.expect(Punct::RParen, "") {
            self.skip_to(&[Punct::RParen, Punct::Semicolon]);
            self.accept(Punct::RParen);
        }
    }

    fn compound_literal(&mut self, ty: super::DeclType, loc: crate::Loc) -> Operand {
        let outer = std::mem::replace(&mut self.in_expression, true);
        let init = self.initializer();
        self.in_expression = outer;
        self.literal_place(ty, init, loc)
    }

    /// Prefix operators and what they stand before.
    pub(super) fn unary_expression(&mut self) -> Operand {
        let loc = self.loc();
        if let TokenKind::Punct(punct) = self.peek().kind {
            match punct {
                Punct::Plus | Punct::Minus | Punct::Tilde | Punct::Not | Punct::Star | Punct::Amp | Punct::PlusPlus | Punct::MinusMinus => {
                    self.advance();
                    self.count_operator();
                    if !self.nest() {
                        self.unnest();
                        return self.wrong(loc);
                    }
                    let operand = match punct {
                        Punct::PlusPlus | Punct::MinusMinus => self.unary_expression(),
                        _ => self.cast_expression(),
                    };
                    self.unnest();
                    return self.unary(punct, operand, loc);
                }
                Punct::AndAnd => {
                    self.error(loc, "the address of a label is not supported in OpenCL C");
                    self.advance();
                    self.advance();
                    return self.wrong(loc);
                }
                _ => {}
            }
        }
        match self.keyword() {
            Some(keyword @ (Keyword::Sizeof | Keyword::Alignof | Keyword::VecStep)) => self.size_expression(keyword),
            Some(Keyword::Extension) => {
                self.advance();
                self.cast_expression()
            }
            _ => self.postfix_expression(),
        }
    }

    /// `sizeof`, `__alignof__` and `vec_step`, of a type or of an expression that is not evaluated.
    fn size_expression(&mut self, keyword: Keyword) -> Operand {
        let loc = self.advance().loc;
        let is_type = self.at(Punct::LParen) && {
            let next = self.peek_second();
            self.begins_type(next)
        };
        let mut align = None;
        let ty = if is_type {
            self.advance();
            let ty = self.type_name();
            self.expect(Punct::RParen, "");
            if self.at(Punct::LBrace) {
                self.unevaluated += 1;
                let literal = self.compound_literal(ty, loc);
                let literal = self.postfix_operators(literal);
                self.unevaluated -= 1;
                literal.ty
            } else {
                ty.ty
            }
        } else {
            self.unevaluated += 1;
            if !self.nest() {
                self.unevaluated -= 1;
                self.unnest();
                return self.wrong(loc);
            }
            let operand = self.unary_expression();
            self.unnest();
            self.unevaluated -= 1;
            if let crate::sema::OperandKind::Place(place) = operand.kind {
                let place = self.body.place(place);
                align = Some(place.align).filter(|&align| align > 0);
                if matches!(place.kind, crate::hir::PlaceKind::Member(..)) && place.align == 0 && keyword == Keyword::Sizeof {
                    self.error(loc, "invalid application of 'sizeof' to bit-field");
                }
            }
            operand.ty
        };
        if ty.id == TypeId::ERROR {
            return self.wrong(loc);
        }
        match keyword {
            Keyword::VecStep => {
                if self.types().element(ty.id).is_none() {
                    let message = format!("'vec_step' requires built-in scalar or vector type, '{}' invalid", self.name_of(ty));
                    self.error(loc, &message);
                    return self.wrong(loc);
                }
                let lanes = match self.types().lanes(ty.id) {
                    3 => 4,
                    lanes => lanes,
                };
                self.int(u64::from(lanes), TypeId::INT, loc)
            }
            _ => {
                let size = match keyword {
                    Keyword::Sizeof => self.types().size_of(ty.id),
                    _ => align.or(self.types().align_of(ty.id)),
                };
                let name = if keyword == Keyword::Sizeof { "sizeof" } else { "alignof" };
                let Some(size) = size else {
                    let message = match ty.id {
                        TypeId::VOID => format!("invalid application of '{name}' to a void type"),
                        _ if self.types().as_function(ty.id).is_some() => format!("invalid application of '{name}' to a function type"),
                        _ => format!("invalid application of '{name}' to an incomplete type '{}'", self.name_of(ty)),
                    };
                    self.error(loc, &message);
                    return self.wrong(loc);
                };
                self.int(size, TypeId::SIZE_T, loc)
            }
        }
    }

    /// An initializer: an expression, or a list in braces.
    pub(crate) fn initializer(&mut self) -> Initializer {
        if self.at(Punct::LBrace) {
            return self.initializer_list();
        }
        self.fresh_operators();
        Initializer::Value(self.assignment_expression())
    }
}
