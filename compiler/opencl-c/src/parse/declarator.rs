//! Declarators, and the types that they make.

use super::{Attrs, DeclType, Keyword, Parser, Specifiers};
use crate::builtins::{describe, names};
use crate::hir::Param;
use crate::intern::Symbol;
use crate::sema::Entity;
use crate::source::Loc;
use crate::token::{Punct, TokenKind};
use crate::types::{AddressSpace, FunctionType, QualType, Quals, TypeId, TypeKind};
use rustc_hash::FxHashSet;

/// A part of a declarator.
#[derive(Clone, Debug)]
enum Chunk {
    Pointer(Quals, Option<AddressSpace>),
    /// With its length; `Err` is one that was wrong.
    Array(Result<Option<u64>, ()>),
    Function(Vec<ParamDecl>, bool),
    Block(Quals),
}

/// A parameter of a declarator.
#[derive(Clone, Debug)]
pub(crate) struct ParamDecl {
    pub name: Option<Symbol>,
    pub ty: QualType,
    pub type_name: String,
    pub info_quals: Quals,
    /// As [`DeclType::address_sized`].
    pub address_sized: bool,
    pub loc: Loc,
}

impl ParamDecl {
    /// The parameter of a function that is declared so.
    pub fn to_param(&self) -> Param {
        Param {
            name: self.name,
            ty: self.ty,
            type_name: self.type_name.clone(),
            info_quals: self.info_quals,
            loc: self.loc,
        }
    }
}

/// A declarator: a name, and what it says of the type.
#[derive(Clone, Debug)]
pub(crate) struct Declarator {
    pub name: Option<Symbol>,
    pub loc: Loc,
    /// From the name outward.
    chunks: Vec<Chunk>,
    pub attrs: Attrs,
}

impl Declarator {
    /// The parameters, if what is declared is a function.
    pub(crate) fn take_params(&mut self) -> Option<(Vec<ParamDecl>, bool)> {
        match self.chunks.first_mut() {
            Some(Chunk::Function(params, variadic)) => Some((std::mem::take(params), *variadic)),
            _ => None,
        }
    }

    pub(crate) fn is_function(&self) -> bool {
        matches!(self.chunks.first(), Some(Chunk::Function(..)))
    }
}

impl Parser<'_> {
    /// A type's name: in casts, `sizeof` and the like.
    pub(crate) fn type_name(&mut self) -> DeclType {
        let specifiers = self.specifiers();
        if specifiers.storage.is_some() {
            self.error(specifiers.loc, "type name does not allow storage class to be specified");
        }
        let declarator = self.declarator();
        if let Some(name) = declarator.name {
            let message = format!("type name has the name '{}' in it", self.text(name));
            self.error(declarator.loc, &message);
        }
        self.declared_type(&specifiers, &declarator)
    }

    /// Reads a declarator; with or without a name, as it comes.
    pub(crate) fn declarator(&mut self) -> Declarator {
        let mut declarator = Declarator {
            name: None,
            loc: self.loc(),
            chunks: Vec::new(),
            attrs: Attrs::default(),
        };
        if !self.nest() {
            return declarator;
        }
        self.declarator_into(&mut declarator);
        self.unnest();
        declarator
    }

    fn declarator_into(&mut self, out: &mut Declarator) {
        let mut attrs = std::mem::take(&mut out.attrs);
        let mut pointers = Vec::new();
        loop {
            if self.keyword() == Some(Keyword::Attribute) {
                self.attributes(&mut attrs);
            } else if self.accept(Punct::Star) {
                let (quals, space) = self.pointer_qualifiers(&mut attrs);
                pointers.push(Chunk::Pointer(quals, space));
            } else if self.at(Punct::Caret) {
                self.advance();
                let (quals, _) = self.pointer_qualifiers(&mut attrs);
                pointers.push(Chunk::Block(quals));
            } else {
                break;
            }
        }
        if let Some(name) = self.at_name() {
            out.name = Some(name);
            out.loc = self.advance().loc;
        } else if self.at(Punct::LParen) && self.is_nested_declarator() {
            self.advance();
            if self.enter() {
                out.attrs = attrs;
                self.declarator_into(out);
                attrs = std::mem::take(&mut out.attrs);
                self.expect(Punct::RParen, "");
            }
            self.leave();
        }
        loop {
            if self.at(Punct::LBracket) {
                let chunk = self.array_suffix();
                out.chunks.push(chunk);
            } else if self.at(Punct::LParen) {
                let chunk = self.parameter_list();
                out.chunks.push(chunk);
            } else {
                break;
            }
        }
        while self.keyword() == Some(Keyword::Attribute) {
            self.attributes(&mut attrs);
        }
        out.chunks.extend(pointers.into_iter().rev());
        out.attrs = attrs;
    }

    /// At a `(`: does a declarator follow in brackets, and not a list of parameters?
    fn is_nested_declarator(&mut self) -> bool {
        let next = self.peek_second();
        match next.kind {
            TokenKind::Punct(Punct::Star | Punct::LParen | Punct::LBracket | Punct::Caret) => true,
            TokenKind::Ident(_) => !self.begins_type(next),
            _ => false,
        }
    }

    fn array_suffix(&mut self) -> Chunk {
        let loc = self.advance().loc;
        while matches!(
            self.keyword(),
            Some(Keyword::Static | Keyword::Const | Keyword::Volatile | Keyword::Restrict)
        ) {
            self.advance();
        }
        if self.accept(Punct::RBracket) {
            return Chunk::Array(Ok(None));
        }
        let mut len = Err(());
        if self.enter() {
            let operand = self.assignment_expression();
            len = self.array_length(operand, loc);
            if !self.expect(Punct::RBracket, "") {
                self.skip_to(&[Punct::RBracket, Punct::Semicolon]);
                self.accept(Punct::RBracket);
            }
        }
        self.leave();
        Chunk::Array(len.map(Some))
    }

    /// The length of an array that an expression says.
    fn array_length(&mut self, operand: crate::sema::Operand, loc: Loc) -> Result<u64, ()> {
        let operand = self.rvalue(operand);
        if operand.is_error() {
            return Err(());
        }
        if !self.is_integer(operand.ty.id) {
            let message = format!("size of array has non-integer type '{}'", self.name_of(operand.ty));
            self.error(operand.loc, &message);
            return Err(());
        }
        let Some(len) = self.as_int(operand) else {
            self.error(operand.loc, "variable length arrays are not supported in OpenCL");
            return Err(());
        };
        let signed = self.scalar_of(operand.ty.id).is_some_and(|scalar| scalar.is_signed());
        if signed && (len as i64) < 0 {
            self.error(loc, "array with a negative size");
            return Err(());
        }
        Ok(len)
    }

    fn parameter_list(&mut self) -> Chunk {
        let (params, variadic) = self.parameters();
        Chunk::Function(params, variadic)
    }

    /// `( parameters )`, and whether more arguments may follow.
    pub(super) fn parameters(&mut self) -> (Vec<ParamDecl>, bool) {
        self.advance();
        let mut params = Vec::new();
        let mut names = FxHashSet::default();
        let mut variadic = false;
        if self.accept(Punct::RParen) {
            return (params, variadic);
        }
        if self.keyword() == Some(Keyword::Void) && self.peek_second().is(Punct::RParen) {
            self.advance();
            self.advance();
            return (params, variadic);
        }
        if !self.enter() {
            self.leave();
            return (params, variadic);
        }
        loop {
            if self.accept(Punct::Ellipsis) {
                variadic = true;
                break;
            }
            if let Some(name) = self.at_name()
                && !self.at_type()
            {
                let loc = self.loc();
                self.unknown_type(name, loc);
                self.skip_to(&[Punct::Comma, Punct::RParen, Punct::Semicolon]);
            } else if let Some(param) = self.parameter() {
                if let Some(name) = param.name
                    && !names.insert(name)
                {
                    let message = format!("redefinition of parameter '{}'", self.text(name));
                    self.error(param.loc, &message);
                }
                params.push(param);
            }
            if !self.accept(Punct::Comma) {
                break;
            }
        }
        if !self.expect(Punct::RParen, "") {
            self.skip_to(&[Punct::RParen, Punct::Semicolon, Punct::LBrace]);
            self.accept(Punct::RParen);
        }
        self.leave();
        (params, variadic)
    }

    fn parameter(&mut self) -> Option<ParamDecl> {
        let specifiers = self.specifiers();
        if let Some(storage) = specifiers.storage {
            let _ = storage;
            self.error(specifiers.loc, "invalid storage class specifier in function declarator");
        }
        let declarator = self.declarator();
        let ty = self.declared_type(&specifiers, &declarator);
        let type_name = self.written_name(&specifiers, &declarator);
        let loc = declarator.loc;
        let mut quals = ty.ty.quals;
        let mut id = ty.ty.id;
        match *self.types_ref().kind(id) {
            TypeKind::Array(element, _) => {
                let space = ty.space.unwrap_or(self.lang.default_space());
                id = self.types().pointer(QualType {
                    space,
                    ..element.with(quals)
                });
                quals = Quals::empty();
            }
            TypeKind::Function(_) => {
                if !self.lang.function_pointers {
                    self.error(loc, "pointers to functions are not allowed");
                }
                id = self.types().pointer(QualType::plain(id));
            }
            TypeKind::Block(_) => {
                let message = format!("declaring function parameter of type '{}' is not allowed", self.name_of_id(id));
                self.error(loc, &message);
                id = TypeId::ERROR;
            }
            TypeKind::Void => {
                self.error(loc, "argument may not have 'void' type");
                id = TypeId::ERROR;
            }
            _ => {
                if let Some(space) = ty.space
                    && space != AddressSpace::Private
                    && id != TypeId::ERROR
                {
                    self.error(loc, "parameter may not be qualified with an address space");
                }
            }
        }
        if !self.half_enabled && id == TypeId::HALF {
            self.error(
                loc,
                "declaring function parameter of type 'half' is not allowed; did you forget * ?",
            );
        }
        let mut info_quals = Quals::empty();
        if let Some(pointee) = self.types().pointee(id) {
            info_quals = pointee.quals.difference(Quals::RESTRICT) | (quals & Quals::RESTRICT);
        }
        Some(ParamDecl {
            name: declarator.name,
            ty: QualType {
                id,
                quals,
                space: AddressSpace::Private,
            },
            type_name,
            info_quals,
            address_sized: ty.address_sized,
            loc,
        })
    }

    /// The type that specifiers and a declarator make.
    pub(crate) fn declared_type(&mut self, specifiers: &Specifiers, declarator: &Declarator) -> DeclType {
        let mut ty = specifiers.base;
        if let Some(lanes) = declarator.attrs.ext_vector {
            ty = self.ext_vector(ty, lanes, declarator.loc);
        }
        let loc = declarator.loc;
        for chunk in declarator.chunks.iter().rev() {
            ty = match chunk {
                Chunk::Pointer(quals, space) => self.pointer_type(ty, *quals, *space, loc),
                Chunk::Block(quals) => self.block_type(ty, *quals, loc),
                Chunk::Array(len) => self.array_type(ty, *len, loc),
                Chunk::Function(params, variadic) => self.function_type(ty, params, *variadic, loc),
            };
        }
        ty
    }

    /// A block's type. Its variables are never changed.
    fn block_type(&mut self, of: DeclType, quals: Quals, loc: Loc) -> DeclType {
        self.check_blocks(loc);
        match self.types_ref().as_function(of.ty.id) {
            Some(function) if function.variadic => {
                self.error(loc, "invalid block prototype, variadic arguments are not allowed in OpenCL");
            }
            Some(_) => {}
            None if of.ty.id == TypeId::ERROR => return of,
            None => {
                self.error(loc, "block pointer to non-function type is invalid");
                return DeclType::plain(TypeId::ERROR);
            }
        }
        let mut block = DeclType::plain(self.types().intern(TypeKind::Block(of.ty.id)));
        block.ty.quals = quals | Quals::CONST;
        block
    }

    fn pointer_type(&mut self, to: DeclType, quals: Quals, space: Option<AddressSpace>, loc: Loc) -> DeclType {
        let pointee = to.ty;
        match *self.types_ref().kind(pointee.id) {
            TypeKind::Function(_) if !self.lang.function_pointers => {
                self.error(loc, "pointers to functions are not allowed");
            }
            TypeKind::Image(_) | TypeKind::Sampler | TypeKind::Pipe(..) | TypeKind::Block(_) => {
                let message = format!("pointer to type '{}' is invalid in OpenCL", self.name_of(pointee));
                self.error(loc, &message);
            }
            TypeKind::Error => return to,
            _ => {}
        }
        let is_function = self.types().as_function(pointee.id).is_some();
        let default = match is_function {
            true => AddressSpace::Private,
            false => self.lang.default_space(),
        };
        let pointee = QualType {
            space: to.space.unwrap_or(default),
            ..pointee
        };
        let id = self.types().pointer(pointee);
        let mut ty = DeclType::plain(id);
        ty.ty.quals = quals;
        ty.space = space;
        ty
    }

    fn array_type(&mut self, of: DeclType, len: Result<Option<u64>, ()>, loc: Loc) -> DeclType {
        let element = of.ty;
        let wrong = match *self.types_ref().kind(element.id) {
            TypeKind::Error => true,
            TypeKind::Void | TypeKind::Function(_) => {
                let message = format!("array has elements of type '{}'", self.name_of(element));
                self.error(loc, &message);
                true
            }
            TypeKind::Image(_) | TypeKind::Sampler | TypeKind::Pipe(..) | TypeKind::Block(_) => {
                let message = format!("array of '{}' type is invalid in OpenCL", self.name_of(element));
                self.error(loc, &message);
                true
            }
            _ if !self.types_ref().is_complete(element.id) => {
                let message = format!("array has incomplete element type '{}'", self.name_of(element));
                self.error(loc, &message);
                true
            }
            _ => false,
        };
        let Ok(len) = len else {
            return DeclType::plain(TypeId::ERROR);
        };
        if wrong {
            return DeclType::plain(TypeId::ERROR);
        }
        let size = self.types().size_of(element.id).unwrap_or(0);
        if len.is_some_and(|len| len.checked_mul(size).is_none_or(|bytes| bytes > 1 << 60)) {
            self.error(loc, "array is too large");
            return DeclType::plain(TypeId::ERROR);
        }
        let element = QualType {
            space: AddressSpace::Private,
            ..element
        };
        DeclType {
            ty: QualType::plain(self.types().array(element, len)),
            space: of.space,
            written: None,
            address_sized: of.address_sized,
        }
    }

    fn function_type(&mut self, result: DeclType, params: &[ParamDecl], variadic: bool, loc: Loc) -> DeclType {
        if result.space.is_some_and(|space| space != AddressSpace::Private) {
            self.error(loc, "return type cannot be qualified with address space");
        }
        match *self.types_ref().kind(result.ty.id) {
            TypeKind::Function(_) | TypeKind::Array(..) => {
                let message = format!("function cannot return type '{}'", self.name_of(result.ty));
                self.error(loc, &message);
                return DeclType::plain(TypeId::ERROR);
            }
            TypeKind::Scalar(crate::types::Scalar::Half) if !self.half_enabled => {
                self.error(
                    loc,
                    "declaring function return value of type 'half' is not allowed ; did you forget * ?",
                );
            }
            TypeKind::Image(_) | TypeKind::Sampler | TypeKind::Pipe(..) | TypeKind::Block(_) => {
                let message = format!(
                    "declaring function return value of type '{}' is not allowed",
                    self.name_of(result.ty)
                );
                self.error(loc, &message);
            }
            _ => {}
        }
        let params = params.iter().map(|param| QualType::plain(param.ty.id)).collect();
        let result = QualType::plain(result.ty.id);
        let id = self.types().function(FunctionType { result, params, variadic });
        DeclType::plain(id)
    }

    /// How a program writes a parameter's type, without qualifiers, for argument information.
    fn written_name(&mut self, specifiers: &Specifiers, declarator: &Declarator) -> String {
        let base = specifiers.base;
        let mut name = match base.written {
            Some(name) if !matches!(self.types().kind(base.ty.id), TypeKind::Image(_)) => self.text(name).to_string(),
            _ => {
                let plain = QualType::plain(base.ty.id);
                self.bare_name_of(plain)
            }
        };
        for chunk in declarator.chunks.iter().rev() {
            if matches!(chunk, Chunk::Pointer(..) | Chunk::Array(_)) {
                name.push('*');
            }
        }
        name
    }

    /// Reports a name that stands where a type should.
    pub(crate) fn unknown_type(&mut self, name: Symbol, loc: Loc) {
        let message = match self.scopes.tag(name) {
            Some(_) => format!("must use 'struct' tag to refer to type '{}'", self.text(name)),
            None if !self.builtins.conditions.hold(names::type_condition(self.text(name))) => format!(
                "unknown type name '{}': it needs {}",
                self.text(name),
                describe::condition(names::type_condition(self.text(name)))
            ),
            None => {
                let suggestion = self.similar(name, |entity| matches!(entity, Entity::Typedef(_)));
                match suggestion.or_else(|| names::similar_type(self.text(name))) {
                    Some(other) => format!("unknown type name '{}'; did you mean '{}'?", self.text(name), other),
                    None => format!("unknown type name '{}'", self.text(name)),
                }
            }
        };
        self.error(loc, &message);
    }
}
