//! Block literals (OpenCL C 2.0, 6.12).

use super::{ParamDecl, Parser};
use crate::hir::{Attributes, Body, ExprKind, Function, FunctionId, Linkage, Local, Param};
use crate::sema::{BlockState, Entity, FunctionState, Operand};
use crate::source::Loc;
use crate::token::Punct;
use crate::types::{FunctionType, QualType, TypeId, TypeKind};

impl Parser<'_> {
    /// `^`, a result's type and parameters as far as they are written, and a body: a function of its own, which gets the variables around it that it names
    /// as further parameters. They have the values that they have where the literal is evaluated.
    pub(super) fn block_literal(&mut self) -> Operand {
        let loc = self.advance().loc;
        self.check_blocks(loc);
        let (result, params, variadic) = self.block_signature();
        if variadic {
            self.error(loc, "invalid block prototype, variadic arguments are not allowed in OpenCL");
        }
        if !self.at(Punct::LBrace) || !self.nest() {
            self.expect(Punct::LBrace, "at the body of a block literal");
            return self.wrong(loc);
        }
        let id = self.block_function(&params, result, loc);
        let state = self.open_block();
        self.blocks.push(state);
        self.block_body(id, &params, result);
        self.unnest();
        self.close_block(id, loc)
    }

    /// What stands between `^` and `{`. Without a type, the result's is that of what the body returns.
    fn block_signature(&mut self) -> (Option<QualType>, Vec<ParamDecl>, bool) {
        if self.at(Punct::LBrace) {
            return (None, Vec::new(), false);
        }
        if self.at(Punct::LParen) {
            let (params, variadic) = self.parameters();
            return (None, params, variadic);
        }
        let specifiers = self.specifiers();
        let mut declarator = self.declarator();
        let declared = self.declared_type(&specifiers, &declarator);
        match self.types().as_function(declared.ty.id).cloned() {
            Some(function) => {
                let (params, variadic) = declarator.take_params().unwrap_or_default();
                (Some(function.result), params, variadic)
            }
            None => (Some(declared.ty), Vec::new(), false),
        }
    }

    /// The function that a literal makes, still without a body.
    fn block_function(&mut self, params: &[ParamDecl], result: Option<QualType>, loc: Loc) -> FunctionId {
        let around = self.function.as_ref().map_or("", |function| self.session.name(function.name));
        let name = self.session.intern(&format!("{around}_block_invoke"));
        let id = FunctionId(self.program.functions.len() as u32);
        self.program.functions.push(Function {
            name,
            link_name: name,
            ty: TypeId::ERROR,
            result: result.unwrap_or(QualType::plain(TypeId::VOID)),
            params: params.iter().map(ParamDecl::to_param).collect(),
            captures: Some(Vec::new()),
            variadic: false,
            is_kernel: false,
            linkage: Linkage::Internal,
            attributes: Attributes::default(),
            body: None,
            loc,
        });
        id
    }

    /// Puts aside what is around a literal.
    fn open_block(&mut self) -> BlockState {
        BlockState {
            body: std::mem::take(&mut self.body),
            function: self.function.take(),
            known_locals: std::mem::take(&mut self.known_locals),
            known_blocks: std::mem::take(&mut self.known_blocks),
            level: self.scopes.level(),
            captures: Vec::new(),
        }
    }

    fn block_body(&mut self, id: FunctionId, params: &[ParamDecl], result: Option<QualType>) {
        self.scopes.push();
        for param in params {
            let align = self.types().align_of(param.ty.id).unwrap_or(1);
            let local = self.body.add_local(Local {
                name: param.name,
                ty: param.ty,
                align,
                loc: param.loc,
            });
            if let Some(name) = param.name {
                self.declare(name, Entity::Local(local), param.loc);
            }
        }
        let name = self.program.function(id).name;
        let declared = result.unwrap_or(QualType::plain(TypeId::VOID));
        let mut state = FunctionState::new(name, id, declared, false, self.scopes.depth());
        state.result_is_open = result.is_none();
        self.function = Some(state);
        let outer = std::mem::replace(&mut self.in_expression, true);
        let root = self.block_in_scope();
        self.in_expression = outer;
        self.check_labels();
        self.body.root = Some(root);
        self.scopes.pop();
    }

    /// Goes back to what is around a literal; gives the block.
    fn close_block(&mut self, id: FunctionId, loc: Loc) -> Operand {
        let Some(state) = self.blocks.pop() else { return self.wrong(loc) };
        let result = self
            .function
            .as_ref()
            .map_or(QualType::plain(TypeId::VOID), |function| function.result);
        let body: Body = std::mem::replace(&mut self.body, state.body);
        self.function = state.function;
        self.known_locals = state.known_locals;
        self.known_blocks = state.known_blocks;
        let params: Vec<QualType> = self
            .program
            .function(id)
            .params
            .iter()
            .map(|param| QualType::plain(param.ty.id))
            .collect();
        let ty = self.types().function(FunctionType {
            result,
            params,
            variadic: false,
        });
        let index = id.0 as usize;
        let mut inner = Vec::new();
        let mut values = Vec::new();
        for &(outside, inside) in &state.captures {
            let local = body.local(inside);
            inner.push(inside);
            self.program.functions[index].params.push(Param {
                name: local.name,
                ty: local.ty,
                type_name: String::new(),
                info_quals: crate::types::Quals::empty(),
                loc: local.loc,
            });
            let place = self.local_place(outside, loc);
            let value = self.rvalue(place);
            values.push(self.id(value));
        }
        let function = &mut self.program.functions[index];
        function.captures = Some(inner);
        function.result = result;
        function.ty = ty;
        function.body = Some(body);
        let block = self.types().intern(TypeKind::Block(ty));
        let list = self.body.add_list(&values);
        self.value(ExprKind::Block(id, list), block, loc)
    }
}
