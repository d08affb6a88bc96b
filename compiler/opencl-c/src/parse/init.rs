//! Initializer lists as they are written.

use super::Parser;
use crate::intern::Symbol;
use crate::sema::Operand;
use crate::source::Loc;
use crate::token::{Punct, TokenKind};

/// An initializer.
#[derive(Clone, Debug)]
pub(crate) enum Initializer {
    Value(Operand),
    List(Vec<InitItem>, Loc),
}

/// A part of a list: an initializer, and what it is for, if that is said.
#[derive(Clone, Debug)]
pub(crate) struct InitItem {
    pub designators: Vec<Designator>,
    pub init: Initializer,
    pub loc: Loc,
}

/// Says which part of an object an initializer is for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Designator {
    /// `.name`
    Member(Symbol, Loc),
    /// `[first ... last]`, or one element.
    Index(u64, u64, Loc),
    /// A member by its index, through which another is reached.
    Position(u32),
}

impl Parser<'_> {
    /// `{ … }`
    pub(super) fn initializer_list(&mut self) -> Initializer {
        let loc = self.advance().loc;
        let mut items = Vec::new();
        if self.enter() {
            while !self.at(Punct::RBrace) && !self.at_end() {
                let here = self.loc();
                let designators = self.designators();
                let init = self.initializer();
                items.push(InitItem {
                    designators,
                    init,
                    loc: here,
                });
                if !self.accept(Punct::Comma) {
                    break;
                }
            }
            if !self.expect(Punct::RBrace, "") {
                self.skip_to(&[Punct::RBrace, Punct::Semicolon]);
                self.accept(Punct::RBrace);
            }
        }
        self.leave();
        Initializer::List(items, loc)
    }

    fn designators(&mut self) -> Vec<Designator> {
        let mut designators = Vec::new();
        // GNU: `name: value`.
        if let Some(name) = self.at_name()
            && self.peek_second().is(Punct::Colon)
        {
            let loc = self.advance().loc;
            self.advance();
            designators.push(Designator::Member(name, loc));
            return designators;
        }
        loop {
            let loc = self.loc();
            if self.accept(Punct::Dot) {
                match self.peek().kind {
                    TokenKind::Ident(name) => {
                        let here = self.advance().loc;
                        designators.push(Designator::Member(name, here));
                    }
                    _ => self.error(loc, "expected a field designator, such as '.field = 4'"),
                }
            } else if self.accept(Punct::LBracket) {
                let first = self.designator_index();
                let mut last = first;
                if self.accept(Punct::Ellipsis) {
                    last = self.designator_index();
                }
                self.expect(Punct::RBracket, "");
                if last < first {
                    self.error(loc, "array designator range is empty");
                }
                designators.push(Designator::Index(first, last.max(first), loc));
            } else {
                break;
            }
        }
        if !designators.is_empty() {
            self.expect(Punct::Eq, "or another designator");
        }
        designators
    }

    fn designator_index(&mut self) -> u64 {
        let operand = self.conditional_expression();
        let operand = self.rvalue(operand);
        match self.as_int(operand) {
            Some(index) if (index as i64) < 0 => {
                self.error(operand.loc, "array designator value is negative");
                0
            }
            Some(index) => index,
            None => {
                if !operand.is_error() {
                    self.error(operand.loc, "expression is not an integer constant expression");
                }
                0
            }
        }
    }
}
