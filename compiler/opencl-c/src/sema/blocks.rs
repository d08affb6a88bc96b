//! Blocks: what they capture, variables of them, calls.
//!
//! OpenCL C lets a block be kept in a variable that is never changed, and be called; it cannot be passed, returned, or chosen by `?:`. So it is always known
//! which literal a call calls, and what is captured can be passed to its function.

use super::{FunctionState, Operand, OperandKind};
use crate::hir::{Body, Callee, Const, ExprId, ExprKind, FunctionId, GlobalId, Local, LocalId, PlaceKind, StmtId, StmtKind};
use crate::intern::Symbol;
use crate::parse::{DeclType, Parser};
use crate::source::Loc;
use crate::types::{AddressSpace, QualType, Quals, TypeId, TypeKind};
use rustc_hash::FxHashMap;

/// What is put aside while a block literal is read.
#[derive(Debug)]
pub(crate) struct BlockState {
    /// The body that the literal is in.
    pub body: Body,
    pub function: Option<FunctionState>,
    pub known_locals: FxHashMap<LocalId, Const>,
    pub known_blocks: FxHashMap<LocalId, KnownBlock>,
    /// The scope that the literal is in.
    pub level: u32,
    /// Variables of the body that the literal is in, each with the one of the block that has its value.
    pub captures: Vec<(LocalId, LocalId)>,
}

/// The block that a variable holds.
#[derive(Clone, Debug)]
pub(crate) struct KnownBlock {
    function: FunctionId,
    /// Variables with the captured values.
    captured: Vec<LocalId>,
}

impl Parser<'_> {
    /// Reports a block where the language has none.
    pub(crate) fn check_blocks(&self, loc: Loc) {
        if !self.lang.blocks {
            self.error(loc, "blocks need OpenCL C 2.0, or OpenCL C 3.0 with __opencl_c_device_enqueue");
        }
    }

    pub(crate) fn is_block(&self, ty: TypeId) -> bool {
        matches!(self.types_ref().kind(ty), TypeKind::Block(_))
    }

    /// A variable of the current body as a place.
    pub(crate) fn local_place(&mut self, local: LocalId, loc: Loc) -> Operand {
        let variable = self.body.local(local);
        let (ty, align) = (variable.ty, variable.align);
        self.place(PlaceKind::Local(local), ty, align, loc)
    }

    /// A variable that a name stands for, declared at a level, as one of the current body: in a block, one of a function around it is captured.
    pub(crate) fn local_here(&mut self, mut local: LocalId, level: u32) -> LocalId {
        let owner = self.blocks.iter().take_while(|block| block.level < level).count();
        for depth in owner..self.blocks.len() {
            local = self.capture(depth, local);
        }
        local
    }

    /// The body around the block at a depth, and what is known of its variables.
    fn around(&mut self, depth: usize) -> (&mut Body, &mut FxHashMap<LocalId, Const>) {
        match self.blocks.get_mut(depth) {
            Some(block) => (&mut block.body, &mut block.known_locals),
            None => (&mut self.body, &mut self.known_locals),
        }
    }

    /// The variable of the block at a depth that has the value of one of the body around it.
    fn capture(&mut self, depth: usize, outside: LocalId) -> LocalId {
        if let Some(&(_, inside)) = self.blocks[depth].captures.iter().find(|entry| entry.0 == outside) {
            return inside;
        }
        let (body, locals) = self.around(depth);
        let variable = body.local(outside).clone();
        let known = locals.get(&outside).cloned();
        let message = match self.types_ref().kind(variable.ty.id) {
            TypeKind::Array(..) => "cannot refer to declaration with an array type inside block",
            TypeKind::Block(_) => "cannot refer to a block inside block",
            _ => "",
        };
        if !message.is_empty() {
            self.error(self.previous, message);
        }
        let (body, locals) = self.around(depth + 1);
        let inside = body.add_local(Local {
            ty: variable.ty.with(Quals::CONST),
            ..variable
        });
        if let Some(known) = known {
            locals.insert(inside, known);
        }
        self.blocks[depth].captures.push((outside, inside));
        inside
    }

    /// The block that is at a place.
    pub(crate) fn block_at(&mut self, operand: Operand, kind: &PlaceKind) -> Operand {
        let loc = operand.loc;
        let known = match *kind {
            PlaceKind::Local(local) => self.known_blocks.get(&local).cloned(),
            PlaceKind::Global(global) => self.global_blocks.get(&global).map(|&function| KnownBlock {
                function,
                captured: Vec::new(),
            }),
            _ => None,
        };
        let Some(known) = known else {
            // What is wrong with the variable has been reported.
            if !self.session.diagnostics.has_errors() {
                self.error(loc, "a block is used before it is initialized");
            }
            return self.wrong(loc);
        };
        let mut values = Vec::with_capacity(known.captured.len());
        for local in known.captured {
            let place = self.local_place(local, loc);
            let value = self.rvalue(place);
            values.push(self.id(value));
        }
        let list = self.body.add_list(&values);
        self.value(ExprKind::Block(known.function, list), operand.ty.id, loc)
    }

    /// A variable of a function that holds a block.
    pub(crate) fn block_variable(&mut self, name: Symbol, declared: DeclType, initial: Option<Operand>, loc: Loc, list: &mut Vec<StmtId>) {
        let block = self.initial_block(declared.ty.id, initial, loc);
        let ty = QualType {
            space: AddressSpace::Private,
            ..declared.ty
        };
        let local = self.body.add_local(Local {
            name: Some(name),
            ty,
            align: 8,
            loc,
        });
        self.declare(name, super::Entity::Local(local), loc);
        let Some((function, values)) = block else { return };
        let mut captured = Vec::with_capacity(values.len());
        for value in values {
            let ty = QualType::plain(self.body.expr(value).ty);
            let align = self.types().align_of(ty.id).unwrap_or(1);
            let copy = self.body.add_local(Local {
                name: None,
                ty,
                align,
                loc,
            });
            let place = self.local_place(copy, loc);
            let OperandKind::Place(place) = place.kind else { continue };
            list.push(self.statement_node(StmtKind::Declare(copy), loc));
            let kind = StmtKind::Initialize {
                local: copy,
                base: None,
                stores: vec![(place, value)],
            };
            list.push(self.statement_node(kind, loc));
            captured.push(copy);
        }
        self.known_blocks.insert(local, KnownBlock { function, captured });
    }

    /// A variable of the program that holds a block, which captures nothing.
    pub(crate) fn global_block(&mut self, global: GlobalId, initial: Option<Operand>) {
        let variable = &mut self.program.globals[global.0 as usize];
        variable.linkage = crate::hir::Linkage::Internal;
        let (ty, loc) = (variable.ty.id, variable.loc);
        if variable.is_extern {
            self.error(
                loc,
                "invalid block variable declaration - using 'extern' storage class is disallowed",
            );
            return;
        }
        if let Some((function, _)) = self.initial_block(ty, initial, loc) {
            self.global_blocks.insert(global, function);
        }
    }

    /// The block that initializes a variable: its function, and what it captures.
    fn initial_block(&mut self, ty: TypeId, initial: Option<Operand>, loc: Loc) -> Option<(FunctionId, Vec<ExprId>)> {
        let Some(initial) = initial else {
            self.error(loc, "invalid block variable declaration - must be initialized");
            return None;
        };
        let initial = self.rvalue(initial);
        if initial.is_error() {
            return None;
        }
        if let OperandKind::Value(id) = initial.kind
            && let ExprKind::Block(function, list) = self.body.expr(id).kind
            && initial.ty.id == ty
        {
            return Some((function, self.body.list(list).to_vec()));
        }
        let message = format!(
            "incompatible block pointer types initializing '{}' with an expression of type '{}'",
            self.name_of_id(ty),
            self.name_of(initial.ty)
        );
        self.error(loc, &message);
        None
    }

    /// A call of a block; `None` if what is called is none.
    pub(super) fn call_block(&mut self, callee: Operand, arguments: &[Operand], loc: Loc) -> Option<Operand> {
        let &TypeKind::Block(ty) = self.types_ref().kind(callee.ty.id) else {
            return None;
        };
        let function = self.types().as_function(ty)?.clone();
        let OperandKind::Value(id) = callee.kind else {
            return Some(self.wrong(loc));
        };
        let ExprKind::Block(id, captured) = self.body.expr(id).kind else {
            return Some(self.wrong(loc));
        };
        let params: Vec<TypeId> = function.params.iter().map(|param| param.id).collect();
        if !self.check_count(arguments.len(), params.len(), false, None, loc) {
            return Some(self.wrong(loc));
        }
        let Some(mut list) = self.passed(arguments, &params) else {
            return Some(self.wrong(loc));
        };
        list.extend(self.body.list(captured).to_vec());
        self.note_call(id, loc);
        let list = self.body.add_list(&list);
        Some(self.value(ExprKind::Call(Callee::Function(id), list), function.result.id, loc))
    }

    /// Is an operand a block, or the result of one? Neither can be chosen by `?:` (OpenCL C 2.0, 6.12.1).
    pub(super) fn is_of_block(&self, operand: Operand) -> bool {
        if self.is_block(operand.ty.id) {
            return true;
        }
        let OperandKind::Value(id) = operand.kind else { return false };
        match self.body.expr(id).kind {
            ExprKind::Call(Callee::Function(function), _) => self.program.function(function).captures.is_some(),
            _ => false,
        }
    }
}
