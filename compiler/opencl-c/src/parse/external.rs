//! What stands at program scope: functions and variables.

use super::{Attrs, DeclType, Declarator, Keyword, ParamDecl, Parser, Specifiers, Storage};
use crate::hir::{Attributes, Body, Function, FunctionId, Global, Inline, Linkage, Local};
use crate::sema::{Entity, FunctionState};
use crate::source::Loc;
use crate::token::{Punct, TokenKind};
use crate::types::{AddressSpace, FunctionType, QualType, Quals, TypeId, TypeKind};

impl Parser<'_> {
    pub(super) fn translation_unit(&mut self) {
        while !self.at_end() {
            self.external_declaration();
        }
    }

    fn external_declaration(&mut self) {
        self.operators = 0;
        let loc = self.loc();
        if self.accept(Punct::Semicolon) {
            return;
        }
        if let TokenKind::Pragma(_) = self.peek().kind {
            self.error(loc, "expected a for, while, or do-while loop to follow '#pragma unroll'");
            self.advance();
            return;
        }
        if self.at(Punct::RBrace) {
            self.error(loc, "extraneous closing brace ('}')");
            self.advance();
            return;
        }
        match self.keyword() {
            Some(Keyword::StaticAssert) => {
                self.advance();
                return self.static_assert();
            }
            Some(Keyword::Asm) => {
                self.error(loc, "inline assembly is not supported in OpenCL C");
                self.advance();
                return self.recover();
            }
            _ => {}
        }
        let mut attrs = Attrs::default();
        self.attributes(&mut attrs);
        if let Some(name) = self.at_name()
            && !self.at_type()
            && !self.peek_second().is(Punct::LParen)
        {
            self.unknown_type(name, loc);
            return self.skip_declaration();
        }
        if !self.at_type() && self.at_name().is_none() && !self.at(Punct::Star) && self.keyword() != Some(Keyword::Extension) {
            if !self.accept(Punct::Semicolon) {
                self.error(loc, "expected identifier or '('");
                self.advance();
                self.skip_declaration();
            }
            return;
        }
        let mut specifiers = self.specifiers();
        specifiers.attrs.merge(&attrs);
        if self.accept(Punct::Semicolon) {
            if !specifiers.declares_tag {
                self.warn("missing-declarations", specifiers.loc, "declaration does not declare anything");
            }
            return;
        }
        let mut first = true;
        loop {
            let mut declarator = self.declarator();
            let Some(name) = declarator.name else {
                let here = self.loc();
                self.error(here, "expected identifier or '('");
                return self.skip_declaration();
            };
            let mut attrs = specifiers.attrs.clone();
            attrs.merge(&declarator.attrs);
            let declared = self.declared_type(&specifiers, &declarator);
            if specifiers.storage == Some(Storage::Typedef) {
                if specifiers.is_kernel {
                    self.error(declarator.loc, "'kernel' attribute only applies to functions");
                }
                self.declare_typedef(name, declared, declarator.loc);
            } else if declarator.is_function() || self.types().as_function(declared.ty.id).is_some() {
                let function = self.declare_function(&specifiers, &mut declarator, &attrs, declared);
                if first && self.at(Punct::LBrace) {
                    match function {
                        Some((id, params)) => self.function_definition(id, params),
                        None => self.skip_body(),
                    }
                    return;
                }
            } else {
                self.program_variable(name, declared, &specifiers, &declarator, &attrs);
            }
            first = false;
            if !self.accept(Punct::Comma) {
                break;
            }
        }
        if !self.expect(Punct::Semicolon, "after top level declarator") {
            self.skip_declaration();
        }
    }

    /// Skips to after a `;`, or after a `}` that ends a function.
    fn skip_declaration(&mut self) {
        self.skip_to(&[Punct::Semicolon, Punct::LBrace]);
        match self.at(Punct::LBrace) {
            true => self.skip_body(),
            false => {
                self.accept(Punct::Semicolon);
            }
        }
    }

    /// A variable at program scope.
    fn program_variable(
        &mut self,
        name: crate::Symbol,
        declared: DeclType,
        specifiers: &Specifiers,
        declarator: &Declarator,
        attrs: &Attrs,
    ) {
        let loc = declarator.loc;
        let storage = specifiers.storage;
        if specifiers.is_kernel {
            self.error(loc, "'kernel' attribute only applies to functions");
        }
        let mut ty = declared.ty;
        let is_sampler = ty.id == TypeId::SAMPLER;
        if is_sampler && !ty.is_const() && declared.space != Some(AddressSpace::Constant) {
            self.error(loc, "global sampler requires a const or constant address space qualifier");
        }
        if ty.id == TypeId::EVENT {
            self.error(loc, "the 'event_t' type cannot be used to declare a program scope variable");
        }
        if let TypeKind::Image(_) | TypeKind::Pipe(..) = self.types_ref().kind(ty.id) {
            self.check_variable_type(ty.id, loc);
            ty.id = TypeId::ERROR;
        }
        ty.space = match declared.space {
            Some(space @ AddressSpace::Constant) => space,
            // As constants they are in no memory.
            None | Some(AddressSpace::Private) if is_sampler => AddressSpace::Constant,
            None if self.lang.program_scope_globals => AddressSpace::Global,
            Some(space @ AddressSpace::Global) if self.lang.program_scope_globals => space,
            other => {
                if ty.id != TypeId::ERROR {
                    let message = match (self.lang.program_scope_globals, storage == Some(Storage::Extern)) {
                        (true, _) => "program scope variable must reside in global or constant address space",
                        (false, false) => "program scope variable must reside in constant address space",
                        (false, true) => "extern variable must reside in constant address space",
                    };
                    self.error(loc, message);
                }
                other.unwrap_or(AddressSpace::Global)
            }
        };
        let is_extern = storage == Some(Storage::Extern);
        let linkage = match storage {
            Some(Storage::Static) => Linkage::Internal,
            _ if is_sampler => Linkage::Internal,
            _ if attrs.weak => Linkage::Weak,
            _ => Linkage::External,
        };
        if let Some(&Entity::Global(old)) = self.scopes.find_here(name) {
            // Declared before: with an initializer here, this is the definition.
            let index = old.0 as usize;
            let known = self.program.globals[index].ty;
            let same = known.id == ty.id || self.compatible_arrays(known.id, ty.id);
            if !same && ty.id != TypeId::ERROR {
                let message = format!(
                    "redefinition of '{}' with a different type: '{}' vs '{}'",
                    self.text(name),
                    self.name_of(ty),
                    self.name_of(known)
                );
                let previous = self.program.globals[index].loc;
                self.error_with_note(loc, &message, previous, "previous definition is here");
            } else if self.at(Punct::Eq) && self.program.globals[index].init.is_some() {
                let message = format!("redefinition of '{}'", self.text(name));
                let previous = self.program.globals[index].loc;
                self.error_with_note(loc, &message, previous, "previous definition is here");
            }
            if !is_extern {
                self.program.globals[index].is_extern = false;
                self.program.globals[index].ty = ty;
            }
            if self.at(Punct::Eq) || !is_extern {
                self.global_initializer(old, attrs);
            }
            return;
        }
        let global = self.new_global(
            Global {
                name,
                ty,
                align: 1,
                linkage,
                is_extern,
                init: None,
                function: None,
                used: false,
                loc,
            },
            attrs,
        );
        self.declare(name, Entity::Global(global), loc);
        self.global_initializer(global, attrs);
        // Nothing of an initializer is needed once its value is known.
        self.body = Body::default();
    }

    fn compatible_arrays(&mut self, a: TypeId, b: TypeId) -> bool {
        match (self.types().as_array(a), self.types().as_array(b)) {
            (Some((a, x)), Some((b, y))) => a == b && (x.is_none() || y.is_none()),
            _ => false,
        }
    }

    /// Declares a function. `None` if that is wrong in a way that leaves nothing to define.
    pub(super) fn declare_function(
        &mut self,
        specifiers: &Specifiers,
        declarator: &mut Declarator,
        attrs: &Attrs,
        declared: DeclType,
    ) -> Option<(FunctionId, Vec<ParamDecl>)> {
        let loc = declarator.loc;
        let name = declarator.name?;
        let ty = declared.ty.id;
        let function = self.types().as_function(ty)?.clone();
        let result = function.result;
        // The type may be a `typedef`'s.
        let (params, variadic) = match declarator.take_params() {
            Some(params) => params,
            None => (self.params_of(&function, loc), function.variadic),
        };
        if variadic && !self.lang.variadic {
            self.error(loc, "invalid prototype, variadic arguments are not allowed in OpenCL");
        }
        let is_kernel = specifiers.is_kernel || attrs.kernel;
        let is_static = specifiers.storage == Some(Storage::Static);
        let function = Function {
            name,
            link_name: name,
            ty,
            result,
            params: params.iter().map(ParamDecl::to_param).collect(),
            captures: None,
            variadic,
            is_kernel,
            linkage: match () {
                () if is_static => Linkage::Internal,
                () if attrs.weak => Linkage::Weak,
                () => Linkage::External,
            },
            attributes: Attributes {
                reqd_work_group_size: attrs.reqd_work_group_size,
                work_group_size_hint: attrs.work_group_size_hint,
                vec_type_hint: attrs.vec_type_hint,
                reqd_sub_group_size: attrs.reqd_sub_group_size,
                inline: match attrs.inline {
                    Inline::Default if specifiers.is_inline => Inline::Hint,
                    inline => inline,
                },
                is_const: attrs.is_const,
                is_pure: attrs.is_pure,
                noreturn: attrs.noreturn,
                convergent: attrs.convergent,
                overloadable: attrs.overloadable,
            },
            body: None,
            loc,
        };
        self.check_kernel(&function, &params, specifiers);
        let id = self.add_function(function)?;
        Some((id, params))
    }

    /// The parameters, without names, of a function whose type is a `typedef`'s.
    fn params_of(&self, function: &FunctionType, loc: Loc) -> Vec<ParamDecl> {
        let param = |&ty: &QualType| ParamDecl {
            name: None,
            ty,
            type_name: self.bare_name_of(ty),
            info_quals: Quals::empty(),
            address_sized: false,
            loc,
        };
        function.params.iter().map(param).collect()
    }

    /// The body of a function, at its `{`.
    fn function_definition(&mut self, id: FunctionId, params: Vec<ParamDecl>) {
        let function = self.program.function(id);
        let (name, result, is_kernel, loc) = (function.name, function.result, function.is_kernel, function.loc);
        if function.body.is_some() {
            let message = format!("redefinition of '{}'", self.text(name));
            self.error_with_note(self.previous, &message, loc, "previous definition is here");
        }
        if result.id != TypeId::VOID && result.id != TypeId::ERROR && !self.types().is_complete(result.id) {
            let message = format!("incomplete result type '{}' in function definition", self.name_of(result));
            self.error(loc, &message);
        }
        self.body = Body::default();
        self.known_locals.clear();
        self.known_blocks.clear();
        self.scopes.push();
        for param in &params {
            let ty = param.ty;
            if ty.id != TypeId::ERROR && !self.types().is_complete(ty.id) {
                let message = format!("variable has incomplete type '{}'", self.name_of(ty));
                self.error(param.loc, &message);
            }
            let align = self.types().align_of(ty.id).unwrap_or(1);
            let local = self.body.add_local(Local {
                name: param.name,
                ty,
                align,
                loc: param.loc,
            });
            if let Some(name) = param.name {
                let entity = match ty.id {
                    TypeId::ERROR => Entity::Wrong,
                    _ => Entity::Local(local),
                };
                self.declare(name, entity, param.loc);
            } else {
                self.warn(
                    "c23-extensions",
                    param.loc,
                    "omitting the parameter name in a function definition is a C23 extension",
                );
            }
        }
        self.function = Some(FunctionState::new(name, id, result, is_kernel, self.scopes.depth()));
        // So that a second definition is seen as one, and uses of the function inside of it are calls of a definition.
        self.program.functions[id.0 as usize].body = Some(Body::default());
        let root = self.block_in_scope();
        self.check_labels();
        self.body.root = Some(root);
        self.check_end(root, result, name);
        self.function = None;
        self.scopes.pop();
        self.program.functions[id.0 as usize].body = Some(std::mem::take(&mut self.body));
    }

    /// Warns of a function whose end can be reached without a result.
    fn check_end(&mut self, root: crate::hir::StmtId, result: crate::types::QualType, name: crate::Symbol) {
        let noreturn = self
            .functions
            .get(&name)
            .and_then(|all| all.first())
            .is_some_and(|&id| self.program.function(id).attributes.noreturn);
        if result.id == TypeId::VOID || noreturn || self.body.labels.len() + self.body.stmts.len() == 0 {
            return;
        }
        let end: Loc = self.previous;
        match self.ends(root) {
            crate::sema::End::Reached => self.warn("return-type", end, "non-void function does not return a value"),
            crate::sema::End::Perhaps => self.warn("return-type", end, "non-void function does not return a value in all control paths"),
            crate::sema::End::Never => {}
        }
    }
}
