//! Calls.

use super::{Operand, OperandKind, Purpose, is_intrinsic};
use crate::builtins::Candidate;
use crate::builtins::row::Emit;
use crate::hir::{Callee, ExprKind, FunctionId};
use crate::intern::Symbol;
use crate::parse::Parser;
use crate::source::Loc;
use crate::types::{Scalar, TypeId, TypeKind};

impl Parser<'_> {
    /// `callee(arguments)`
    pub(crate) fn call(&mut self, callee: Operand, arguments: Vec<Operand>, loc: Loc) -> Operand {
        let loc = match callee.loc.is_none() {
            true => loc,
            false => callee.loc,
        };
        match callee.kind {
            OperandKind::Function(id) => self.call_function(id, &arguments, loc),
            OperandKind::Overloaded(name) => self.call_name(name, arguments, loc),
            _ => self.call_pointer(callee, &arguments, loc),
        }
    }

    /// A call of one of the program's functions, which has no other of its name.
    fn call_function(&mut self, id: FunctionId, arguments: &[Operand], loc: Loc) -> Operand {
        let function = self.program.function(id);
        let params: Vec<TypeId> = function.params.iter().map(|param| param.ty.id).collect();
        let (variadic, declared, result, name) = (function.variadic, function.loc, function.result.id, function.name);
        if !self.check_count(arguments.len(), params.len(), variadic, Some((name, declared)), loc) {
            return self.wrong(loc);
        }
        let Some(list) = self.passed(arguments, &params) else {
            return self.wrong(loc);
        };
        self.note_call(id, loc);
        let list = self.body.add_list(&list);
        self.value(ExprKind::Call(Callee::Function(id), list), result, loc)
    }

    pub(super) fn note_call(&mut self, callee: FunctionId, loc: Loc) {
        if self.unevaluated > 0 {
            return;
        }
        if let Some(function) = &self.function {
            self.calls.push((function.id, callee, loc));
        }
    }

    /// Reports a number of arguments that no function of a name takes.
    pub(super) fn check_count(&mut self, given: usize, wanted: usize, variadic: bool, declared: Option<(Symbol, Loc)>, loc: Loc) -> bool {
        if given == wanted || (variadic && given > wanted) {
            return true;
        }
        let few = if given < wanted { "few" } else { "many" };
        let least = if variadic { "at least " } else { "" };
        let message = format!("too {few} arguments to function call, expected {least}{wanted}, have {given}");
        match declared {
            Some((name, at)) => {
                let note = format!("'{}' declared here", self.text(name));
                self.error_with_note(loc, &message, at, &note);
            }
            None => self.error(loc, &message),
        }
        false
    }

    /// Arguments as the types of parameters; those beyond are promoted. `None` if one is wrong.
    pub(super) fn passed(&mut self, arguments: &[Operand], params: &[TypeId]) -> Option<Vec<crate::hir::ExprId>> {
        let mut list = Vec::with_capacity(arguments.len());
        let mut wrong = false;
        for (index, &argument) in arguments.iter().enumerate() {
            let argument = match params.get(index) {
                Some(&param) => self.convert_for(argument, param, Purpose::Passing),
                None => self.promoted_argument(argument),
            };
            wrong |= argument.is_error();
            let id = self.id(argument);
            list.push(id);
        }
        (!wrong).then_some(list)
    }

    /// An argument of `printf` and the like.
    fn promoted_argument(&mut self, argument: Operand) -> Operand {
        let argument = self.promote(argument);
        match self.scalar_of(argument.ty.id) {
            // Where there are no doubles, floats stay what they are.
            Some(Scalar::Float) if self.lang.fp64 => self.convert_arithmetic(argument, TypeId::DOUBLE),
            Some(Scalar::Half) => {
                let to = if self.lang.fp64 { TypeId::DOUBLE } else { TypeId::FLOAT };
                self.convert_arithmetic(argument, to)
            }
            _ => argument,
        }
    }

    fn call_pointer(&mut self, callee: Operand, arguments: &[Operand], loc: Loc) -> Operand {
        let pointer = self.rvalue(callee);
        if pointer.is_error() {
            return pointer;
        }
        if let Some(result) = self.call_block(pointer, arguments, loc) {
            return result;
        }
        let function = self
            .types()
            .pointee(pointer.ty.id)
            .and_then(|pointee| self.types().as_function(pointee.id).cloned());
        let Some(function) = function else {
            let message = format!(
                "called object type '{}' is not a function or function pointer",
                self.name_of(callee.ty)
            );
            self.error(loc, &message);
            return self.wrong(loc);
        };
        let params: Vec<TypeId> = function.params.iter().map(|param| param.id).collect();
        if !self.check_count(arguments.len(), params.len(), function.variadic, None, loc) {
            return self.wrong(loc);
        }
        let Some(list) = self.passed(arguments, &params) else {
            return self.wrong(loc);
        };
        let list = self.body.add_list(&list);
        let id = self.id(pointer);
        self.value(ExprKind::Call(Callee::Indirect(id), list), function.result.id, loc)
    }

    /// A call by a name that several functions have, or one that is built in.
    pub(super) fn call_name(&mut self, name: Symbol, arguments: Vec<Operand>, loc: Loc) -> Operand {
        let users = self.functions.get(&name).cloned().unwrap_or_default();
        if users.is_empty() && is_intrinsic(self.text(name)) {
            return self.call_intrinsic(name, &arguments, loc);
        }
        let arguments: Vec<Operand> = arguments.into_iter().map(|argument| self.rvalue(argument)).collect();
        if arguments.iter().any(Operand::is_error) {
            return self.wrong(loc);
        }
        if !users.is_empty() {
            let candidates: Vec<Overload> = users.iter().map(|&id| self.user_overload(id)).collect();
            let Some(index) = self.choose(name, &candidates, &arguments, loc) else {
                return self.wrong(loc);
            };
            let Some(list) = self.passed(&arguments, &candidates[index].params) else {
                return self.wrong(loc);
            };
            self.note_call(users[index], loc);
            let list = self.body.add_list(&list);
            let result = candidates[index].result;
            return self.value(ExprKind::Call(Callee::Function(users[index]), list), result, loc);
        }
        let text = self.text(name);
        let found = self.builtins.lookup(text, &mut self.program.types);
        // One function without others is called as any function is, and its arguments are converted with warnings.
        if let [only] = &found[..] {
            return self.call_builtin(only, &arguments, loc);
        }
        // Programs call the same overloads again and again.
        let key = (
            name,
            arguments
                .iter()
                .map(|argument| (argument.ty.id, argument.is_null, argument.is_literal))
                .collect(),
        );
        if let Some(&index) = self.chosen.get(&key) {
            return self.call_builtin(&found[index], &arguments, loc);
        }
        let candidates: Vec<Overload> = found
            .iter()
            .map(|candidate| Overload {
                params: candidate.params.clone(),
                result: candidate.result,
                variadic: candidate.variadic,
                loc: None,
            })
            .collect();
        match self.choose(name, &candidates, &arguments, loc) {
            Some(index) => {
                self.chosen.insert(key, index);
                self.call_builtin(&found[index], &arguments, loc)
            }
            None => self.wrong(loc),
        }
    }

    fn user_overload(&self, id: FunctionId) -> Overload {
        let function = self.program.function(id);
        Overload {
            params: function.params.iter().map(|param| param.ty.id).collect(),
            result: function.result.id,
            variadic: function.variadic,
            loc: Some(function.loc),
        }
    }

    fn call_builtin(&mut self, candidate: &Candidate, arguments: &[Operand], loc: Loc) -> Operand {
        if !self.check_count(arguments.len(), candidate.params.len(), candidate.variadic, None, loc) {
            return self.wrong(loc);
        }
        match candidate.id.emit() {
            Emit::Printf => self.check_format(arguments, loc),
            Emit::Enqueue(_) => {
                let Some(list) = self.block_arguments(candidate, arguments, loc) else {
                    return self.wrong(loc);
                };
                let list = self.body.add_list(&list);
                return self.value(ExprKind::Call(Callee::Builtin(candidate.id), list), candidate.result, loc);
            }
            _ => {}
        }
        // What takes any pipe takes pointers to its packets.
        let pipe = arguments.first().and_then(|first| match *self.types_ref().kind(first.ty.id) {
            TypeKind::Pipe(packet, access) => Some((packet, access, first.ty.id)),
            _ => None,
        });
        let mut params = candidate.params.clone();
        if let Some((packet, access, ty)) = pipe {
            for (index, param) in params.iter_mut().enumerate() {
                match *self.types_ref().kind(*param) {
                    TypeKind::Pipe(any, wanted) if any.id == TypeId::VOID && access == wanted => *param = ty,
                    TypeKind::Pointer(any) if any.id == TypeId::VOID => {
                        *param = self.types().pointer(crate::types::QualType { id: packet.id, ..any });
                        // Packets are bytes to the device: nothing would be converted.
                        let given = arguments[index].ty;
                        if let TypeKind::Pointer(pointee) = *self.types_ref().kind(given.id)
                            && pointee.id != packet.id
                            && !matches!(pointee.id, TypeId::VOID | TypeId::ERROR)
                        {
                            let (packet, given) = (self.name_of(packet), self.name_of(given));
                            let message = format!("a packet of this pipe is '{packet}': it can't be passed by '{given}'");
                            self.error(arguments[index].loc, &message);
                            return self.wrong(loc);
                        }
                    }
                    _ => {}
                }
            }
        }
        let Some(list) = self.passed(arguments, &params) else {
            return self.wrong(loc);
        };
        let list = self.body.add_list(&list);
        self.value(ExprKind::Call(Callee::Builtin(candidate.id), list), candidate.result, loc)
    }
}

/// A call of a name, as far as its overload depends on it: of each argument the type, and whether it is a null pointer constant and a literal.
pub(crate) type CallShape = (Symbol, Vec<(TypeId, bool, bool)>);

/// One of several functions of a name.
#[derive(Clone, Debug)]
pub(super) struct Overload {
    pub params: Vec<TypeId>,
    pub result: TypeId,
    pub variadic: bool,
    /// Where the program declares it.
    pub loc: Option<Loc>,
}
