//! Primary expressions: names, literals, brackets, and functions that take types.

use super::{Keyword, Parser};
use crate::hir::{Const, ExprKind, PlaceKind};
use crate::literal::{self, FloatSuffix, Number};
use crate::sema::{Entity, Operand, OperandKind, is_intrinsic};
use crate::source::Loc;
use crate::token::{Punct, TokenKind};
use crate::types::{QualType, Scalar, TypeId};

/// A program's string literals have so many bytes at most: macros make many of a short one.
const MOST_CHARACTERS: usize = 1 << 25;

impl Parser<'_> {
    pub(super) fn primary_expression(&mut self) -> Operand {
        let token = self.peek();
        let loc = token.loc;
        match token.kind {
            TokenKind::Number(_) => {
                self.advance();
                self.number(&token)
            }
            TokenKind::Char(_) => {
                self.advance();
                match literal::character(self.session, &token) {
                    Some(value) => self.literal_int(i64::from(value) as u64, TypeId::INT, loc),
                    None => self.wrong(loc),
                }
            }
            TokenKind::Str(_) => self.string_literal(),
            TokenKind::Punct(Punct::LParen) => self.brackets(),
            TokenKind::Punct(Punct::Caret) => self.block_literal(),
            TokenKind::Ident(name) => match self.keyword() {
                None => {
                    self.advance();
                    self.name(name, loc)
                }
                Some(keyword) => self.keyword_expression(keyword),
            },
            _ => {
                self.error(loc, "expected expression");
                self.wrong(loc)
            }
        }
    }

    /// An integer constant that a program writes.
    fn literal_int(&mut self, value: u64, ty: TypeId, loc: Loc) -> Operand {
        let mut operand = self.int(value, ty, loc);
        operand.is_literal = true;
        operand
    }

    fn number(&mut self, token: &crate::token::Token) -> Operand {
        let loc = token.loc;
        match literal::number(self.session, token) {
            None => self.wrong(loc),
            Some(Number::Int {
                value,
                decimal,
                unsigned,
                long,
            }) => {
                let int = i32::try_from(value).is_ok() && !unsigned && !long;
                let uint = u32::try_from(value).is_ok() && (unsigned || !decimal) && !long;
                let ty = match () {
                    () if int => TypeId::INT,
                    () if uint => TypeId::UINT,
                    () if i64::try_from(value).is_ok() && !unsigned => TypeId::LONG,
                    () => TypeId::ULONG,
                };
                self.literal_int(value, ty, loc)
            }
            Some(Number::Float { value, suffix }) => {
                let (ty, scalar) = match suffix {
                    FloatSuffix::Half => {
                        if !self.half_enabled {
                            self.error(loc, "half precision constant requires cl_khr_fp16");
                        }
                        (TypeId::HALF, Scalar::Half)
                    }
                    FloatSuffix::Float => (TypeId::FLOAT, Scalar::Float),
                    FloatSuffix::None if self.lang.single_precision || !self.lang.fp64 => (TypeId::FLOAT, Scalar::Float),
                    FloatSuffix::None => (TypeId::DOUBLE, Scalar::Double),
                };
                self.constant(Const::Float(crate::sema::fold::round(value, scalar)), ty, loc)
            }
        }
    }

    /// String literals one after another: an array of `char` in the constant address space.
    fn string_literal(&mut self) -> Operand {
        let loc = self.loc();
        let bytes = self.string_bytes();
        let global = self.string_global(bytes, loc);
        let ty = self.program.global(global).ty;
        self.place(PlaceKind::Global(global), ty, 1, loc)
    }

    /// The bytes of string literals one after another, without the zero.
    pub(super) fn string_bytes(&mut self) -> Vec<u8> {
        let mut bytes = Vec::new();
        while let TokenKind::Str(text) = self.peek().kind {
            let token = self.advance();
            let kept = self.kept_characters.saturating_add(self.text(text).len());
            if kept > MOST_CHARACTERS {
                // That is said once.
                if std::mem::replace(&mut self.kept_characters, usize::MAX) != usize::MAX {
                    self.error(token.loc, "string literals of this program are too long");
                }
                continue;
            }
            self.kept_characters = kept;
            bytes.extend(literal::string(self.session, &token));
        }
        bytes
    }

    /// `( expression )` or `({ statements })`.
    fn brackets(&mut self) -> Operand {
        let loc = self.advance().loc;
        let result = match self.enter() {
            false => self.wrong(loc),
            true if self.at(Punct::LBrace) => self.statement_expression(loc),
            true => self.expression(),
        };
        self.leave();
        if !self.expect(Punct::RParen, "") {
            self.skip_to(&[Punct::RParen, Punct::Semicolon]);
            self.accept(Punct::RParen);
        }
        result
    }

    fn statement_expression(&mut self, loc: Loc) -> Operand {
        if self.function.is_none() {
            self.error(loc, "statement expression not allowed at file scope");
            self.skip_to(&[Punct::RParen]);
            return self.wrong(loc);
        }
        let outer = std::mem::replace(&mut self.in_expression, true);
        let (block, last) = self.block_with_value();
        self.in_expression = outer;
        match last {
            Some(operand) => {
                let id = self.id(operand);
                self.value(ExprKind::Statements(block, Some(id)), operand.ty.id, loc)
            }
            None => self.value(ExprKind::Statements(block, None), TypeId::VOID, loc),
        }
    }

    /// What a name stands for.
    fn name(&mut self, name: crate::Symbol, loc: Loc) -> Operand {
        match self.scopes.find(name).cloned() {
            Some(Entity::Local(local)) => {
                let level = self.scopes.level_of(name);
                let local = self.local_here(local, level);
                self.local_place(local, loc)
            }
            Some(Entity::Global(global)) => {
                let index = global.0 as usize;
                if self.unevaluated == 0 {
                    self.program.globals[index].used = true;
                }
                let variable = &self.program.globals[index];
                let (ty, align) = (variable.ty, variable.align);
                self.place(PlaceKind::Global(global), ty, align, loc)
            }
            Some(Entity::Enumerator(value, ty)) => {
                let mut operand = self.constant(value, ty, loc);
                operand.is_literal = true;
                operand
            }
            Some(Entity::Function) => self.function_name(name, loc),
            Some(Entity::Typedef(_)) => {
                let message = format!("unexpected type name '{}': expected expression", self.text(name));
                self.error(loc, &message);
                self.wrong(loc)
            }
            Some(Entity::Wrong) => self.wrong(loc),
            None => {
                if self.is_builtin(name) || is_intrinsic(self.text(name)) {
                    return self.overloaded(name, loc);
                }
                self.unknown_name(name, loc);
                // Once is enough.
                if self.function.is_some() && !self.at(Punct::LParen) {
                    self.scopes.add(name, Entity::Wrong);
                }
                self.wrong(loc)
            }
        }
    }

    /// A function's name.
    fn function_name(&mut self, name: crate::Symbol, loc: Loc) -> Operand {
        let all = self.functions.get(&name).map_or(&[][..], |all| all);
        match all {
            &[only] => {
                let ty = QualType::plain(self.program.function(only).ty);
                Operand {
                    kind: OperandKind::Function(only),
                    ty,
                    loc,
                    is_null: false,
                    is_literal: false,
                }
            }
            _ => self.overloaded(name, loc),
        }
    }

    fn overloaded(&mut self, name: crate::Symbol, loc: Loc) -> Operand {
        Operand {
            kind: OperandKind::Overloaded(name),
            ty: QualType::plain(TypeId::VOID),
            loc,
            is_null: false,
            is_literal: false,
        }
    }

    /// Keywords that begin an expression.
    fn keyword_expression(&mut self, keyword: Keyword) -> Operand {
        let loc = self.loc();
        match keyword {
            Keyword::FuncName => {
                self.advance();
                let name = self.function.as_ref().map_or("", |function| self.session.name(function.name));
                let global = self.string_global(name.as_bytes().to_vec(), loc);
                let ty = self.program.global(global).ty;
                self.place(PlaceKind::Global(global), ty, 1, loc)
            }
            Keyword::AsType => self.as_type_call(),
            Keyword::Astype | Keyword::Convertvector => {
                self.advance();
                if !self.expect(Punct::LParen, "") {
                    return self.wrong(loc);
                }
                let operand = self.assignment_expression();
                self.expect(Punct::Comma, "");
                let ty = self.type_name();
                self.expect(Punct::RParen, "");
                match keyword {
                    Keyword::Astype => self.reinterpret(operand, ty.ty.id, loc),
                    _ => self.convert_vector(operand, ty.ty.id, loc),
                }
            }
            Keyword::Shufflevector => {
                self.advance();
                if !self.expect(Punct::LParen, "") {
                    return self.wrong(loc);
                }
                let arguments = self.arguments();
                self.shuffle_vector(&arguments, loc)
            }
            Keyword::Offsetof => self.offset_of(),
            Keyword::TypesCompatible => {
                self.advance();
                self.expect(Punct::LParen, "");
                let left = self.type_name();
                self.expect(Punct::Comma, "");
                let right = self.type_name();
                self.expect(Punct::RParen, "");
                self.literal_int(u64::from(left.ty.id == right.ty.id), TypeId::INT, loc)
            }
            Keyword::Generic => self.generic_selection(),
            Keyword::ChooseExpr => {
                self.advance();
                self.expect(Punct::LParen, "");
                let arguments = self.arguments();
                match arguments[..] {
                    [condition, then, otherwise] => match self.as_int(condition) {
                        Some(0) => otherwise,
                        Some(_) => then,
                        None => {
                            self.error(loc, "'__builtin_choose_expr' requires a constant expression");
                            self.wrong(loc)
                        }
                    },
                    _ => {
                        self.error(loc, "'__builtin_choose_expr' requires exactly 3 arguments");
                        self.wrong(loc)
                    }
                }
            }
            Keyword::Asm => {
                self.error(loc, "inline assembly is not supported in OpenCL C");
                self.advance();
                self.wrong(loc)
            }
            _ => {
                self.error(loc, "expected expression");
                self.wrong(loc)
            }
        }
    }

    /// `as_type(x)`
    fn as_type_call(&mut self) -> Operand {
        let token = self.advance();
        let loc = token.loc;
        if !self.at(Punct::LParen) {
            let name = token.ident().map_or("", |name| self.text(name));
            let message = format!("use of undeclared identifier '{name}'");
            self.error(loc, &message);
            return self.wrong(loc);
        }
        self.advance();
        let arguments = self.arguments();
        let &[operand] = &arguments[..] else {
            self.error(loc, "'as_type' functions take one argument");
            return self.wrong(loc);
        };
        let name = token.ident().map_or("", |name| self.text(name));
        let Some(ty) = crate::builtins::as_type(name, &self.builtins.conditions) else {
            let message = format!("use of undeclared identifier '{name}'");
            self.error(loc, &message);
            return self.wrong(loc);
        };
        self.check_type_feature(ty, loc);
        self.reinterpret(operand, ty, loc)
    }

    /// `__builtin_offsetof(type, member)`
    fn offset_of(&mut self) -> Operand {
        let loc = self.advance().loc;
        if !self.expect(Punct::LParen, "") {
            return self.wrong(loc);
        }
        let mut ty = self.type_name().ty.id;
        self.expect(Punct::Comma, "");
        let mut offset = 0u64;
        let mut first = true;
        loop {
            let here = self.loc();
            if first || self.accept(Punct::Dot) {
                first = false;
                let Some(name) = self.peek().ident() else {
                    self.error(here, "expected identifier");
                    break;
                };
                self.advance();
                let Some(path) = self.types().as_record(ty).and_then(|record| self.find_member(record, name)) else {
                    let message = format!("no member named '{}' in '{}'", self.text(name), self.name_of_id(ty));
                    self.error(here, &message);
                    ty = TypeId::ERROR;
                    break;
                };
                for index in path {
                    let Some(record) = self.types().as_record(ty) else { break };
                    let field = self.types().record(record).fields[index as usize];
                    offset = offset.wrapping_add(field.offset);
                    ty = field.ty.id;
                }
            } else if self.accept(Punct::LBracket) {
                let index = self.expression();
                self.expect(Punct::RBracket, "");
                let index = self.rvalue(index);
                let (Some((element, _)), Some(index)) = (self.types().as_array(ty), self.as_int(index)) else {
                    self.error(here, "'__builtin_offsetof' needs a constant index of an array");
                    ty = TypeId::ERROR;
                    break;
                };
                let size = self.types().size_of(element.id).unwrap_or(0);
                offset = offset.wrapping_add(index.wrapping_mul(size));
                ty = element.id;
            } else {
                break;
            }
        }
        if !self.expect(Punct::RParen, "") {
            self.skip_to(&[Punct::RParen, Punct::Semicolon]);
            self.accept(Punct::RParen);
        }
        match ty {
            TypeId::ERROR => self.wrong(loc),
            _ => self.literal_int(offset, TypeId::SIZE_T, loc),
        }
    }

    /// The type of string literals of a length, with the zero.
    pub(crate) fn string_type(&mut self, len: u64) -> QualType {
        let element = QualType::plain(TypeId::CHAR);
        QualType::in_space(self.types().array(element, Some(len)), crate::types::AddressSpace::Constant)
    }
}
