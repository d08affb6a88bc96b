//! Statements.

use super::{Attrs, Keyword, Parser};
use crate::hir::{Arm, Case, LoopHint, Stmt, StmtId, StmtKind};
use crate::sema::{Operand, SwitchState};
use crate::source::Loc;
use crate::token::{Pragma, Punct, TokenKind, Unroll};
use crate::types::{Scalar, TypeId};

impl Parser<'_> {
    pub(crate) fn statement_node(&mut self, kind: StmtKind, loc: Loc) -> StmtId {
        self.body.add_stmt(Stmt { kind, loc })
    }

    /// A block in braces, with a scope of its own.
    pub(super) fn block(&mut self) -> StmtId {
        self.scopes.push();
        let block = self.block_in_scope();
        self.scopes.pop();
        block
    }

    /// A block whose scope has been entered already: a function's, with its parameters.
    pub(super) fn block_in_scope(&mut self) -> StmtId {
        let loc = self.loc();
        let mut list = Vec::new();
        if self.expect(Punct::LBrace, "") && self.enter() {
            while !self.at(Punct::RBrace) && !self.at_end() {
                self.block_item(&mut list);
            }
            self.expect(Punct::RBrace, "");
            self.leave();
        }
        self.statement_node(StmtKind::Block(list), loc)
    }

    /// A block whose last expression is a value: a statement expression's.
    pub(super) fn block_with_value(&mut self) -> (StmtId, Option<Operand>) {
        let loc = self.loc();
        self.scopes.push();
        let mut list = Vec::new();
        let mut last = None;
        self.advance();
        if self.enter() {
            while !self.at(Punct::RBrace) && !self.at_end() {
                if self.begins_expression_statement() {
                    let operand = self.full_expression();
                    let operand = self.rvalue(operand);
                    if !self.expect(Punct::Semicolon, "after expression") {
                        self.recover();
                    }
                    if self.at(Punct::RBrace) {
                        last = Some(operand);
                    } else {
                        let loc = operand.loc;
                        let id = self.discard(operand);
                        let stmt = self.statement_node(StmtKind::Expr(id), loc);
                        list.push(stmt);
                    }
                } else {
                    self.block_item(&mut list);
                }
            }
            self.expect(Punct::RBrace, "");
        }
        self.leave();
        self.scopes.pop();
        let block = self.statement_node(StmtKind::Block(list), loc);
        (block, last.filter(|operand| operand.ty.id != TypeId::VOID))
    }

    fn begins_expression_statement(&mut self) -> bool {
        let token = self.peek();
        match token.kind {
            TokenKind::Punct(Punct::Semicolon | Punct::LBrace) | TokenKind::Pragma(_) => false,
            TokenKind::Ident(_) => match self.keyword() {
                Some(Keyword::Sizeof | Keyword::Alignof | Keyword::VecStep | Keyword::AsType | Keyword::Astype) => true,
                Some(Keyword::Convertvector | Keyword::Shufflevector | Keyword::Offsetof | Keyword::FuncName) => true,
                Some(_) => false,
                None => !self.at_type() && !self.peek_second().is(Punct::Colon),
            },
            _ => true,
        }
    }

    /// A declaration or a statement of a block.
    fn block_item(&mut self, list: &mut Vec<StmtId>) {
        match self.keyword() {
            Some(Keyword::StaticAssert) => {
                self.advance();
                self.static_assert();
            }
            // Attributes may begin a declaration as well as a statement.
            Some(Keyword::Attribute) => {
                let mut attrs = Attrs::default();
                self.attributes(&mut attrs);
                match self.at_declaration() {
                    true => self.local_declaration(attrs, list),
                    false => {
                        let stmt = self.statement_after(&attrs);
                        list.push(stmt);
                    }
                }
            }
            _ if self.at_declaration() => self.local_declaration(Attrs::default(), list),
            _ => {
                let stmt = self.statement();
                list.push(stmt);
            }
        }
    }

    /// Does a declaration begin here? A label may have the name of a type.
    fn at_declaration(&mut self) -> bool {
        if self.keyword() == Some(Keyword::Extension) {
            let next = self.peek_second();
            return self.begins_type(next);
        }
        self.at_type() && !(self.at_name().is_some() && self.peek_second().is(Punct::Colon))
    }

    pub(super) fn statement(&mut self) -> StmtId {
        let mut attrs = Attrs::default();
        self.attributes(&mut attrs);
        self.statement_after(&attrs)
    }

    /// A statement, after attributes and pragmas about it.
    fn statement_after(&mut self, attrs: &Attrs) -> StmtId {
        let loc = self.loc();
        if !self.nest() {
            self.unnest();
            return self.statement_node(StmtKind::Empty, loc);
        }
        let stmt = self.statement_nested(attrs);
        self.unnest();
        stmt
    }

    fn statement_nested(&mut self, attrs: &Attrs) -> StmtId {
        let token = self.peek();
        let loc = token.loc;
        self.fresh_operators();
        match token.kind {
            TokenKind::Punct(Punct::LBrace) => return self.block(),
            TokenKind::Punct(Punct::Semicolon) => {
                self.advance();
                return self.statement_node(StmtKind::Empty, loc);
            }
            TokenKind::Pragma(id) => {
                self.advance();
                let mut attrs = attrs.clone();
                if let Pragma::Unroll(unroll) = *self.session.pragma(id) {
                    attrs.unroll = Some(match unroll {
                        Unroll::Disable | Unroll::Count(1) => LoopHint::NoUnroll,
                        Unroll::Enable | Unroll::Count(0) => LoopHint::Unroll,
                        Unroll::Count(count) => LoopHint::UnrollBy(count),
                    });
                }
                if self.at(Punct::RBrace) || self.at_end() {
                    return self.statement_node(StmtKind::Empty, loc);
                }
                self.attributes(&mut attrs);
                if !self.at_loop() && matches!(self.session.pragma(id), Pragma::Unroll(_)) {
                    let here = self.loc();
                    self.error(here, "expected a for, while, or do-while loop to follow '#pragma unroll'");
                }
                if self.at_declaration() {
                    let mut list = Vec::new();
                    self.local_declaration(Attrs::default(), &mut list);
                    return self.statement_node(StmtKind::Block(list), loc);
                }
                return self.statement_after(&attrs);
            }
            TokenKind::Ident(name) if self.keyword().is_none() && self.peek_second().is(Punct::Colon) => {
                self.advance();
                self.advance();
                return self.label(name, loc);
            }
            _ => {}
        }
        if attrs.unroll.is_some() && !self.at_loop() {
            self.error(
                loc,
                "'opencl_unroll_hint' attribute only applies to 'for', 'while', and 'do' statements",
            );
        }
        match self.keyword() {
            Some(Keyword::If) => self.if_statement(),
            Some(Keyword::While) => self.while_statement(attrs),
            Some(Keyword::Do) => self.do_statement(attrs),
            Some(Keyword::For) => self.for_statement(attrs),
            Some(Keyword::Switch) => self.switch_statement(),
            Some(Keyword::Case) => self.case_statement(),
            Some(Keyword::Default) => self.default_statement(),
            Some(Keyword::Break) => {
                self.advance();
                if self.function.as_ref().is_none_or(|function| function.breakable == 0) {
                    self.error(loc, "'break' statement not in loop or switch statement");
                }
                self.end_of_statement("break");
                self.statement_node(StmtKind::Break, loc)
            }
            Some(Keyword::Continue) => {
                self.advance();
                if self.function.as_ref().is_none_or(|function| function.loops == 0) {
                    self.error(loc, "'continue' statement not in loop statement");
                }
                self.end_of_statement("continue");
                self.statement_node(StmtKind::Continue, loc)
            }
            Some(Keyword::Goto) => self.goto_statement(),
            Some(Keyword::Return) => self.return_statement(),
            Some(Keyword::Asm) => {
                self.error(loc, "inline assembly is not supported in OpenCL C");
                self.recover();
                self.statement_node(StmtKind::Empty, loc)
            }
            Some(Keyword::Else) => {
                self.error(loc, "expected expression");
                self.advance();
                self.statement_node(StmtKind::Empty, loc)
            }
            _ if self.at_declaration() => {
                self.error(loc, "expected statement: a declaration stands here");
                let mut list = Vec::new();
                self.local_declaration(Attrs::default(), &mut list);
                self.statement_node(StmtKind::Block(list), loc)
            }
            _ => self.expression_statement(),
        }
    }

    fn at_loop(&self) -> bool {
        matches!(self.keyword(), Some(Keyword::For | Keyword::While | Keyword::Do))
    }

    fn end_of_statement(&mut self, what: &str) {
        let after = format!("after {what} statement");
        if !self.expect(Punct::Semicolon, &after) {
            self.recover();
        }
    }

    fn expression_statement(&mut self) -> StmtId {
        let loc = self.loc();
        if let Some(name) = self.at_name()
            && self.scopes.find(name).is_none()
            && matches!(self.peek_second().kind, TokenKind::Ident(_))
        {
            self.unknown_type(name, loc);
            self.recover();
            return self.statement_node(StmtKind::Empty, loc);
        }
        let operand = self.expression();
        let id = self.discard(operand);
        if !self.expect(Punct::Semicolon, "after expression") {
            self.recover();
        }
        self.statement_node(StmtKind::Expr(id), loc)
    }

    /// A condition in brackets, as a `bool`.
    fn bracketed_condition(&mut self, what: &str) -> crate::hir::ExprId {
        let after = format!("after '{what}'");
        self.expect(Punct::LParen, &after);
        let condition = match self.enter() {
            true => self.full_expression(),
            false => {
                let loc = self.loc();
                self.wrong(loc)
            }
        };
        self.leave();
        let condition = self.condition(condition);
        if !self.expect(Punct::RParen, "") {
            self.skip_to(&[Punct::RParen, Punct::LBrace, Punct::Semicolon]);
            self.accept(Punct::RParen);
        }
        self.id(condition)
    }

    /// A statement that is a part of another, with a scope of its own.
    fn substatement(&mut self) -> StmtId {
        self.scopes.push();
        let stmt = self.statement();
        self.scopes.pop();
        stmt
    }

    /// A chain of `else if` is one statement: it may be longer than statements may be nested.
    fn if_statement(&mut self) -> StmtId {
        let loc = self.loc();
        let mut arms = vec![self.if_arm()];
        let mut otherwise = None;
        while otherwise.is_none() && self.accept_keyword(Keyword::Else) {
            if self.keyword() == Some(Keyword::If) {
                // As the statement after `else`, it has a scope, which lasts to the end of the chain.
                self.scopes.push();
                self.fresh_operators();
                arms.push(self.if_arm());
            } else {
                otherwise = Some(self.substatement());
            }
        }
        for _ in 1..arms.len() {
            self.scopes.pop();
        }
        self.statement_node(StmtKind::If { arms, otherwise }, loc)
    }

    fn if_arm(&mut self) -> Arm {
        let loc = self.advance().loc;
        let condition = self.bracketed_condition("if");
        let then = self.substatement();
        Arm { condition, then, loc }
    }

    fn loop_body(&mut self) -> StmtId {
        self.enter_loop(1);
        let body = self.substatement();
        self.enter_loop(-1);
        body
    }

    fn enter_loop(&mut self, by: i32) {
        if let Some(function) = &mut self.function {
            function.loops = function.loops.wrapping_add_signed(by);
            function.breakable = function.breakable.wrapping_add_signed(by);
        }
    }

    fn while_statement(&mut self, attrs: &Attrs) -> StmtId {
        let loc = self.advance().loc;
        let hint = self.loop_hint(attrs);
        let condition = self.bracketed_condition("while");
        let body = self.loop_body();
        self.statement_node(StmtKind::While { condition, body, hint }, loc)
    }

    fn do_statement(&mut self, attrs: &Attrs) -> StmtId {
        let loc = self.advance().loc;
        let hint = self.loop_hint(attrs);
        let body = self.loop_body();
        if !self.accept_keyword(Keyword::While) {
            let here = self.loc();
            self.error(here, "expected 'while' in do/while loop");
            self.recover();
            return body;
        }
        let condition = self.bracketed_condition("while");
        self.end_of_statement("do/while");
        self.statement_node(StmtKind::DoWhile { body, condition, hint }, loc)
    }

    fn for_statement(&mut self, attrs: &Attrs) -> StmtId {
        let loc = self.advance().loc;
        let hint = self.loop_hint(attrs);
        self.expect(Punct::LParen, "after 'for'");
        self.scopes.push();
        let mut init = None;
        let mut condition = None;
        let mut step = None;
        if self.enter() {
            if self.at_declaration() {
                let here = self.loc();
                let mut list = Vec::new();
                self.local_declaration(Attrs::default(), &mut list);
                init = Some(self.statement_node(StmtKind::Block(list), here));
            } else if !self.accept(Punct::Semicolon) {
                let here = self.loc();
                let operand = self.full_expression();
                let id = self.discard(operand);
                init = Some(self.statement_node(StmtKind::Expr(id), here));
                self.expect(Punct::Semicolon, "in 'for' statement specifier");
            }
            if !self.at(Punct::Semicolon) {
                let operand = self.full_expression();
                let operand = self.condition(operand);
                condition = Some(self.id(operand));
            }
            self.expect(Punct::Semicolon, "in 'for' statement specifier");
            if !self.at(Punct::RParen) {
                let operand = self.full_expression();
                step = Some(self.discard(operand));
            }
        }
        self.leave();
        if !self.expect(Punct::RParen, "") {
            self.skip_to(&[Punct::RParen, Punct::LBrace]);
            self.accept(Punct::RParen);
        }
        let body = self.loop_body();
        self.scopes.pop();
        self.statement_node(
            StmtKind::For {
                init,
                condition,
                step,
                body,
                hint,
            },
            loc,
        )
    }

    fn switch_statement(&mut self) -> StmtId {
        let loc = self.advance().loc;
        self.expect(Punct::LParen, "after 'switch'");
        let mut operand = match self.enter() {
            true => self.full_expression(),
            false => self.wrong(loc),
        };
        self.leave();
        self.expect(Punct::RParen, "");
        operand = self.rvalue(operand);
        let mut scalar = Scalar::Int;
        if self.is_integer(operand.ty.id) {
            operand = self.promote(operand);
            scalar = self.scalar_of(operand.ty.id).unwrap_or(Scalar::Int);
        } else if !operand.is_error() {
            let message = format!(
                "statement requires expression of integer type ('{}' invalid)",
                self.name_of(operand.ty)
            );
            self.error(operand.loc, &message);
        }
        let value = self.id(operand);
        if let Some(function) = &mut self.function {
            function.breakable += 1;
            function.switches.push(SwitchState::new(scalar));
        }
        let body = self.substatement();
        let mut state = SwitchState::new(scalar);
        if let Some(function) = &mut self.function {
            function.breakable -= 1;
            state = function.switches.pop().unwrap_or(state);
        }
        let has_default = state.default.is_some();
        let cases = self.check_cases(state);
        self.statement_node(
            StmtKind::Switch {
                value,
                cases,
                has_default,
                body,
            },
            loc,
        )
    }

    /// The cases of a `switch`, of which no two may have a value in common.
    fn check_cases(&mut self, state: SwitchState) -> Vec<Case> {
        let signed = state.scalar.is_signed();
        // In the order of the values.
        let key = |value: u64| if signed { value ^ (1 << 63) } else { value };
        let mut order: Vec<usize> = (0..state.cases.len()).collect();
        order.sort_by_key(|&index| key(state.cases[index].0.first));
        let mut before: Option<usize> = None;
        for &index in &order {
            let (case, loc) = state.cases[index];
            if let Some(other) = before {
                let (previous, previous_loc) = state.cases[other];
                if key(case.first) <= key(previous.last) {
                    let shown = if signed {
                        (case.first as i64).to_string()
                    } else {
                        case.first.to_string()
                    };
                    let message = format!("duplicate case value '{shown}'");
                    self.error_with_note(loc, &message, previous_loc, "previous case defined here");
                }
                if key(case.last) <= key(previous.last) {
                    continue;
                }
            }
            before = Some(index);
        }
        state.cases.into_iter().map(|(case, _)| case).collect()
    }

    /// A constant of a `case`, in the type of the `switch`'s value.
    fn case_value(&mut self, scalar: Scalar) -> Option<u64> {
        let operand = self.conditional_expression();
        let operand = self.rvalue(operand);
        if operand.is_error() {
            return None;
        }
        match self.as_int(operand) {
            Some(value) => Some(crate::sema::fold::wrap(value, scalar)),
            None => {
                self.error(operand.loc, "expression is not an integer constant expression");
                None
            }
        }
    }

    /// Cases of one statement, of which there may be more than statements may be nested.
    fn case_statement(&mut self) -> StmtId {
        let loc = self.loc();
        let mut indices: Option<(u32, u32)> = None;
        while self.keyword() == Some(Keyword::Case) {
            self.fresh_operators();
            if let Some(index) = self.case_label() {
                // They are counted as they come.
                indices = Some((indices.map_or(index, |(first, _)| first), index));
            }
        }
        let body = self.labelled();
        match indices {
            Some((first, last)) => self.statement_node(StmtKind::Cases(first, last, body), loc),
            None => body,
        }
    }

    /// `case …:`, and its number among the cases of its `switch`.
    fn case_label(&mut self) -> Option<u32> {
        let loc = self.advance().loc;
        let scalar = self
            .function
            .as_ref()
            .and_then(|function| function.switches.last())
            .map(|state| state.scalar);
        if scalar.is_none() {
            self.error(loc, "'case' statement not in switch statement");
        }
        let first = self.case_value(scalar.unwrap_or(Scalar::Int));
        let mut last = first;
        if self.accept(Punct::Ellipsis) {
            last = self.case_value(scalar.unwrap_or(Scalar::Int));
        }
        if !self.expect(Punct::Colon, "after 'case'") {
            self.skip_to(&[Punct::Colon, Punct::Semicolon]);
            self.accept(Punct::Colon);
        }
        if let (Some(first), Some(last), Some(scalar)) = (first, last, scalar) {
            let empty = match scalar.is_signed() {
                true => (first as i64) > last as i64,
                false => first > last,
            };
            if empty {
                self.warn("empty-case-range", loc, "empty case range specified");
            } else if let Some(state) = self.function.as_mut().and_then(|function| function.switches.last_mut()) {
                state.cases.push((Case { first, last }, loc));
                return Some(state.cases.len() as u32 - 1);
            }
        }
        None
    }

    fn default_statement(&mut self) -> StmtId {
        let loc = self.advance().loc;
        self.expect(Punct::Colon, "after 'default'");
        let state = self.function.as_mut().and_then(|function| function.switches.last_mut());
        match state.map(|state| state.default.replace(loc)) {
            None => self.error(loc, "'default' statement not in switch statement"),
            Some(Some(previous)) => {
                self.error_with_note(loc, "multiple default labels in one switch", previous, "previous case defined here");
                return self.labelled();
            }
            Some(None) => {}
        }
        let body = self.labelled();
        self.statement_node(StmtKind::Default(body), loc)
    }

    /// What a label stands before. At the end of a block that is nothing.
    fn labelled(&mut self) -> StmtId {
        let loc = self.loc();
        if self.at(Punct::RBrace) {
            return self.statement_node(StmtKind::Empty, loc);
        }
        if self.at_declaration() {
            // As of C23, and of compilers before it.
            let mut list = Vec::new();
            self.local_declaration(Attrs::default(), &mut list);
            return self.statement_node(StmtKind::Block(list), loc);
        }
        self.statement()
    }

    fn label(&mut self, name: crate::Symbol, loc: Loc) -> StmtId {
        let (label, previous) = self.define_label(name, loc);
        if let Some(previous) = previous {
            let message = format!("redefinition of label '{}'", self.text(name));
            self.error_with_note(loc, &message, previous, "previous definition is here");
        }
        let mut attrs = Attrs::default();
        self.attributes(&mut attrs);
        let body = self.labelled();
        self.statement_node(StmtKind::Label(label, body), loc)
    }

    fn goto_statement(&mut self) -> StmtId {
        let loc = self.advance().loc;
        let Some(name) = self.at_name() else {
            self.error(loc, "expected identifier");
            self.recover();
            return self.statement_node(StmtKind::Empty, loc);
        };
        let here = self.advance().loc;
        let label = self.use_label(name, here);
        self.end_of_statement("goto");
        self.statement_node(StmtKind::Goto(label), loc)
    }

    fn return_statement(&mut self) -> StmtId {
        let loc = self.advance().loc;
        let result = self.function.as_ref().map_or(TypeId::VOID, |function| function.result.id);
        if self.accept(Punct::Semicolon) {
            if let Some(function) = &mut self.function {
                function.result_is_open = false;
            }
            if result != TypeId::VOID && result != TypeId::ERROR {
                let name = self.function.as_ref().map_or("", |function| self.session.name(function.name));
                let message = format!("non-void function '{name}' should return a value");
                self.warn("return-mismatch", loc, &message);
            }
            return self.statement_node(StmtKind::Return(None), loc);
        }
        let mut operand = self.full_expression();
        let result = match self.deduced_result(&mut operand) {
            Some(deduced) => deduced,
            None => result,
        };
        let stmt = if operand.is_error() {
            self.statement_node(StmtKind::Return(None), loc)
        } else if result == TypeId::VOID {
            let operand = self.rvalue(operand);
            if operand.ty.id != TypeId::VOID {
                let name = self.function.as_ref().map_or("", |function| self.session.name(function.name));
                let message = format!("void function '{name}' should not return a value");
                self.warn("return-mismatch", loc, &message);
            }
            let id = self.discard(operand);
            let first = self.statement_node(StmtKind::Expr(id), loc);
            let second = self.statement_node(StmtKind::Return(None), loc);
            self.statement_node(StmtKind::Block(vec![first, second]), loc)
        } else {
            let operand = self.convert_for(operand, result, crate::sema::Purpose::Returning);
            let id = self.id(operand);
            self.statement_node(StmtKind::Return(Some(id)), loc)
        };
        self.end_of_statement("return");
        stmt
    }

    /// What a block literal without a type for its result has as that, after one of its `return`s.
    fn deduced_result(&mut self, operand: &mut Operand) -> Option<TypeId> {
        let function = self.function.as_ref()?;
        let (open, deduced, result) = (function.result_is_open, function.result_is_deduced, function.result);
        if !open && !deduced {
            return None;
        }
        *operand = self.rvalue(*operand);
        if operand.is_error() {
            return None;
        }
        if deduced && operand.ty.id != result.id {
            let message = format!(
                "return type '{}' must match previous return type '{}' when block literal has unspecified explicit return type",
                self.name_of(operand.ty),
                self.name_of(result)
            );
            self.error(operand.loc, &message);
            *operand = self.wrong(operand.loc);
        }
        let given = operand.ty.id;
        if let Some(function) = self.function.as_mut().filter(|_| open) {
            function.result = crate::types::QualType::plain(given);
            function.result_is_open = false;
            function.result_is_deduced = true;
        }
        Some(given)
    }

    /// After `_Static_assert`.
    pub(super) fn static_assert(&mut self) {
        let loc = self.loc();
        self.expect(Punct::LParen, "after '_Static_assert'");
        let operand = self.conditional_expression();
        let operand = self.rvalue(operand);
        let mut text = String::new();
        if self.accept(Punct::Comma) {
            text = String::from_utf8_lossy(&self.string_bytes()).into_owned();
        }
        self.expect(Punct::RParen, "");
        if !self.expect(Punct::Semicolon, "after '_Static_assert'") {
            self.recover();
        }
        match self.as_int(operand) {
            Some(0) => {
                let message = match text.as_str() {
                    "" => "static assertion failed".to_string(),
                    text => format!("static assertion failed: {text}"),
                };
                self.error(loc, &message);
            }
            Some(_) => {}
            None if operand.is_error() => {}
            None => self.error(operand.loc, "static assertion expression is not an integral constant expression"),
        }
    }
}
