//! Declarations in functions.

use super::{Attrs, DeclType, Declarator, Parser, Specifiers, Storage};
use crate::hir::{Const, Global, GlobalId, Linkage, Local, LocalId, PlaceKind, StmtId, StmtKind};
use crate::sema::{Entity, Initial};
use crate::source::Loc;
use crate::token::Punct;
use crate::types::{AddressSpace, QualType, Quals, TypeId, TypeKind};

impl Parser<'_> {
    /// A declaration in a function, after attributes. Adds the statements that it means.
    pub(super) fn local_declaration(&mut self, attrs: Attrs, list: &mut Vec<StmtId>) {
        let mut specifiers = self.specifiers();
        specifiers.attrs.merge(&attrs);
        if self.accept(Punct::Semicolon) {
            if !specifiers.declares_tag {
                self.warn("missing-declarations", specifiers.loc, "declaration does not declare anything");
            }
            return;
        }
        loop {
            let mut declarator = self.declarator();
            if !self.local_declarator(&specifiers, &mut declarator, list) {
                return;
            }
            if !self.accept(Punct::Comma) {
                break;
            }
        }
        if !self.expect(Punct::Semicolon, "at end of declaration") {
            self.recover();
        }
    }

    /// One declarator with its initializer. `false` if there is nothing to go on with.
    fn local_declarator(&mut self, specifiers: &Specifiers, declarator: &mut Declarator, list: &mut Vec<StmtId>) -> bool {
        let loc = declarator.loc;
        let Some(name) = declarator.name else {
            self.error(loc, "expected identifier or '('");
            self.recover();
            return false;
        };
        if self.keyword() == Some(super::Keyword::Asm) {
            self.error(loc, "inline assembly is not supported in OpenCL C");
            self.recover();
            return false;
        }
        let mut attrs = specifiers.attrs.clone();
        attrs.merge(&declarator.attrs);
        let declared = self.declared_type(specifiers, declarator);
        if specifiers.storage == Some(Storage::Typedef) {
            if specifiers.is_kernel {
                self.error(loc, "'kernel' attribute only applies to functions");
            }
            self.declare_typedef(name, declared, loc);
            return true;
        }
        if declarator.is_function() || self.types().as_function(declared.ty.id).is_some() {
            self.declare_function(specifiers, declarator, &attrs, declared);
            if self.at(Punct::LBrace) {
                let here = self.loc();
                self.error(here, "function definition is not allowed here");
                self.skip_body();
                return false;
            }
            return true;
        }
        let space = self.local_space(specifiers, declared, loc);
        match space {
            AddressSpace::Private if self.is_block(declared.ty.id) => {
                let initial = self.accept(Punct::Eq).then(|| self.assignment_expression());
                self.block_variable(name, declared, initial, loc, list);
            }
            AddressSpace::Private => self.private_variable(name, declared, &attrs, loc, list),
            _ => self.static_variable(name, declared, space, specifiers, &attrs, loc),
        }
        true
    }

    /// The address space of a variable of a function.
    fn local_space(&mut self, specifiers: &Specifiers, declared: DeclType, loc: Loc) -> AddressSpace {
        let is_static = matches!(specifiers.storage, Some(Storage::Static | Storage::Extern));
        if specifiers.storage == Some(Storage::Static) && !self.lang.program_scope_globals {
            self.error(loc, "variables in function scope cannot be declared static");
        }
        let (is_kernel, outermost) = match &self.function {
            Some(function) => (function.is_kernel, self.scopes.depth() == function.depth),
            None => (false, false),
        };
        match declared.space {
            Some(AddressSpace::Local) => {
                if is_static {
                    self.error(loc, "static local variable must reside in global or constant address space");
                } else if !is_kernel {
                    self.error(loc, "non-kernel function variable cannot be declared in local address space");
                } else if !outermost {
                    self.error(
                        loc,
                        "variables in the local address space can only be declared in the outermost scope of a kernel function",
                    );
                }
                AddressSpace::Local
            }
            Some(AddressSpace::Constant) => {
                if !is_kernel && !is_static {
                    self.error(loc, "non-kernel function variable cannot be declared in constant address space");
                } else if !outermost && !is_static {
                    self.error(
                        loc,
                        "variables in the constant address space can only be declared in the outermost scope of a kernel function",
                    );
                }
                AddressSpace::Constant
            }
            Some(AddressSpace::Global) if is_static => AddressSpace::Global,
            Some(AddressSpace::Global) => {
                self.error(loc, "function scope variable cannot be declared in global address space");
                AddressSpace::Private
            }
            Some(AddressSpace::Generic) => {
                self.error(loc, "variable cannot be declared in generic address space");
                AddressSpace::Private
            }
            Some(AddressSpace::Private) | None if is_static => {
                if specifiers.storage == Some(Storage::Extern) && !self.lang.program_scope_globals {
                    self.error(loc, "extern variable must reside in constant address space");
                }
                AddressSpace::Global
            }
            // A sampler is the same wherever it is.
            _ => AddressSpace::Private,
        }
    }

    /// Reports types that no variable has. `false` if it is wrong.
    pub(super) fn check_variable_type(&mut self, ty: TypeId, loc: Loc) -> bool {
        let mut element = ty;
        while let Some((inner, _)) = self.types_ref().as_array(element) {
            element = inner.id;
        }
        let message = match self.types_ref().kind(ty) {
            TypeKind::Error => return false,
            _ if element == TypeId::HALF && !self.half_enabled => {
                format!("declaring variable of type '{}' is not allowed", self.name_of_id(ty))
            }
            TypeKind::Image(_) | TypeKind::Pipe(..) => {
                format!("type '{}' can only be used as a function parameter in OpenCL", self.name_of_id(ty))
            }
            TypeKind::Void => "variable has incomplete type 'void'".to_string(),
            TypeKind::Array(_, None) => "definition of variable with array type needs an explicit size or an initializer".to_string(),
            _ if !self.types_ref().is_complete(ty) => format!("variable has incomplete type '{}'", self.name_of_id(ty)),
            _ => return true,
        };
        self.error(loc, &message);
        false
    }

    fn private_variable(&mut self, name: crate::Symbol, declared: DeclType, attrs: &Attrs, loc: Loc, list: &mut Vec<StmtId>) {
        let mut ty = QualType {
            space: AddressSpace::Private,
            ..declared.ty
        };
        // The name is known in its own initializer.
        let local = self.body.add_local(Local {
            name: Some(name),
            ty,
            align: 1,
            loc,
        });
        self.set_local_type(local, ty, attrs);
        self.declare(name, Entity::Local(local), loc);
        let declaration = self.statement_node(StmtKind::Declare(local), loc);
        list.push(declaration);
        let init = self.accept(Punct::Eq).then(|| self.initializer());
        if init.is_some() && matches!(self.types().kind(ty.id), TypeKind::Atomic(_)) {
            self.error(loc, "atomic variable can be initialized to a variable only in global address space");
        }
        let initial = init.map(|init| {
            let (complete, initial) = self.analyse_initializer(ty, init, loc);
            if complete.id != ty.id {
                ty.id = complete.id;
                self.set_local_type(local, ty, attrs);
            }
            initial
        });
        if !self.check_variable_type(ty.id, loc) {
            self.scopes.add(name, Entity::Wrong);
            return;
        }
        if let Some(initial) = initial {
            if let Initial::Value(operand) = initial
                && ty.is_const()
                && !ty.is_volatile()
                && self.is_arithmetic(ty.id)
                && let Some(value) = self.as_const(operand)
            {
                self.known_locals.insert(local, value.clone());
            }
            let stmt = self.initialize_local(local, initial, loc);
            list.push(stmt);
        }
    }

    fn set_local_type(&mut self, local: LocalId, ty: QualType, attrs: &Attrs) {
        let align = self.alignment(ty.id, &[attrs]);
        let variable = &mut self.body.locals[local.0 as usize];
        variable.ty = ty;
        variable.align = align;
    }

    /// The statement that initializes a variable.
    pub(crate) fn initialize_local(&mut self, local: LocalId, initial: Initial, loc: Loc) -> StmtId {
        let variable = self.body.local(local);
        let (ty, align) = (variable.ty, variable.align);
        let place = self.place(
            PlaceKind::Local(local),
            QualType {
                quals: ty.quals.difference(Quals::CONST),
                ..ty
            },
            align,
            loc,
        );
        let (base, stores) = self.stores_of(initial, place);
        self.statement_node(StmtKind::Initialize { local, base, stores }, loc)
    }

    /// A variable of a function that is not private.
    fn static_variable(
        &mut self,
        name: crate::Symbol,
        declared: DeclType,
        space: AddressSpace,
        specifiers: &Specifiers,
        attrs: &Attrs,
        loc: Loc,
    ) {
        let is_extern = specifiers.storage == Some(Storage::Extern);
        let function = self.function.as_ref().map(|function| function.id);
        let ty = QualType { space, ..declared.ty };
        let global = self.new_global(
            Global {
                name,
                ty,
                align: 1,
                linkage: if is_extern { Linkage::External } else { Linkage::Internal },
                is_extern,
                init: None,
                function,
                used: false,
                loc,
            },
            attrs,
        );
        self.declare(name, Entity::Global(global), loc);
        if space == AddressSpace::Local {
            self.check_variable_type(ty.id, loc);
            if self.at(Punct::Eq) {
                self.error(loc, "'__local' variable cannot have an initializer");
                self.advance();
                self.initializer();
            }
            return;
        }
        self.global_initializer(global, attrs);
    }

    pub(crate) fn new_global(&mut self, global: Global, attrs: &Attrs) -> GlobalId {
        let align = self.alignment(global.ty.id, &[attrs]);
        self.program.globals.push(Global { align, ..global });
        GlobalId(self.program.globals.len() as u32 - 1)
    }

    /// The initializer of a variable that is one of the program's, if there is one.
    pub(super) fn global_initializer(&mut self, global: GlobalId, attrs: &Attrs) {
        let index = global.0 as usize;
        if self.is_block(self.program.globals[index].ty.id) {
            let initial = self.accept(Punct::Eq).then(|| self.assignment_expression());
            self.global_block(global, initial);
            return;
        }
        let Global {
            mut ty, loc, is_extern, ..
        } = self.program.globals[index];
        let init = self.accept(Punct::Eq).then(|| self.initializer());
        if init.is_some() && ty.space != AddressSpace::Global && matches!(self.types().kind(ty.id), TypeKind::Atomic(_)) {
            self.error(loc, "atomic variable can be initialized to a variable only in global address space");
        }
        let initial = init.map(|init| {
            let (complete, initial) = self.analyse_initializer(ty, init, loc);
            if complete.id != ty.id {
                ty.id = complete.id;
                self.program.globals[index].ty = ty;
                self.program.globals[index].align = self.alignment(ty.id, &[attrs]);
            }
            initial
        });
        let unsized_array = matches!(self.types().as_array(ty.id), Some((_, None)));
        let size_is_elsewhere = unsized_array || self.types().as_record(ty.id).is_some();
        let is_elsewhere = is_extern && initial.is_none();
        if !(is_elsewhere && size_is_elsewhere || self.check_variable_type(ty.id, loc)) {
            return;
        }
        match initial {
            Some(initial) => {
                let value = self.constant_of(initial);
                let global = &mut self.program.globals[index];
                global.init = Some(value.unwrap_or(Const::Zero));
                global.is_extern = false;
            }
            None if ty.space == AddressSpace::Constant && !is_extern => {
                self.error(loc, "variable in constant address space must be initialized");
            }
            None => {}
        }
    }

    /// Declares a `typedef`.
    pub(super) fn declare_typedef(&mut self, name: crate::Symbol, ty: DeclType, loc: Loc) {
        if let Some(record) = self.types().as_record(ty.ty.id) {
            self.types().name_record(record, name);
        }
        if let Some(Entity::Typedef(old)) = self.scopes.find_declared_here(name) {
            if old.ty.id != ty.ty.id && ty.ty.id != TypeId::ERROR && old.ty.id != TypeId::ERROR {
                let message = format!(
                    "typedef redefinition with different types ('{}' vs '{}')",
                    self.name_of(ty.ty),
                    self.name_of(old.ty)
                );
                self.error(loc, &message);
            }
            return;
        }
        self.declare(name, Entity::Typedef(ty), loc);
    }

    /// Skips a function's body.
    pub(super) fn skip_body(&mut self) {
        if self.accept(Punct::LBrace) {
            self.skip_to(&[Punct::RBrace]);
            self.accept(Punct::RBrace);
        }
    }

    /// Stores and the constant that an analysed initializer of a variable is.
    fn stores_of(
        &mut self,
        initial: Initial,
        place: crate::sema::Operand,
    ) -> (Option<Const>, Vec<(crate::hir::PlaceId, crate::hir::ExprId)>) {
        let crate::sema::OperandKind::Place(place) = place.kind else {
            return (None, Vec::new());
        };
        let mut stores = Vec::new();
        let base = self.split_initial(initial, place, &mut stores);
        (base, stores)
    }
}
