//! `_Generic` (C11, 6.5.1.1): one of several expressions, by the type of another.

use super::{Keyword, Parser};
use crate::sema::Operand;
use crate::token::Punct;
use crate::types::TypeId;

impl Parser<'_> {
    /// `_Generic(controlling, type: expression, …, default: expression)`. Only the expression that is chosen is evaluated; the others must be right, too.
    pub(super) fn generic_selection(&mut self) -> Operand {
        let loc = self.advance().loc;
        if !self.expect(Punct::LParen, "after '_Generic'") {
            return self.wrong(loc);
        }
        let controlling = self.assignment_expression();
        let controlling = self.rvalue(controlling);
        let mut chosen = None;
        let mut default = None;
        let mut types: Vec<TypeId> = Vec::new();
        while self.accept(Punct::Comma) {
            let here = self.loc();
            let ty = match self.keyword() {
                Some(Keyword::Default) => {
                    self.advance();
                    None
                }
                _ => Some(self.type_name().ty),
            };
            if !self.expect(Punct::Colon, "") {
                break;
            }
            let operand = self.assignment_expression();
            match ty {
                None if default.is_some() => self.error(here, "duplicate default generic association"),
                None => default = Some(operand),
                Some(ty) if types.contains(&ty.id) && ty.id != TypeId::ERROR => {
                    let message = format!("type '{}' in generic association is there before", self.name_of(ty));
                    self.error(here, &message);
                }
                Some(ty) => {
                    types.push(ty.id);
                    if ty.id == controlling.ty.id {
                        chosen = Some(operand);
                    }
                }
            }
        }
        if !self.expect(Punct::RParen, "") {
            return self.wrong(loc);
        }
        match chosen.or(default) {
            Some(operand) => operand,
            None => {
                if !controlling.is_error() {
                    let message = format!(
                        "controlling expression type '{}' not compatible with any generic association type",
                        self.name_of(controlling.ty)
                    );
                    self.error(controlling.loc, &message);
                }
                self.wrong(loc)
            }
        }
    }
}
