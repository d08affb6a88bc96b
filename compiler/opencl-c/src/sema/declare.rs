//! Declaring names and functions.

use super::Entity;
use crate::hir::{Const, Function, FunctionId, Global, GlobalId, Linkage};
use crate::intern::Symbol;
use crate::parse::Parser;
use crate::source::Loc;
use crate::types::{QualType, Quals, TypeId, TypeKind};
use rustc_hash::FxHashMap;

impl Parser<'_> {
    /// Declares a name in the innermost scope, where it must be new.
    pub(crate) fn declare(&mut self, name: Symbol, entity: Entity, loc: Loc) {
        let previous = match self.scopes.find_here(name) {
            None | Some(Entity::Wrong) => None,
            Some(Entity::Local(local)) => Some(("redefinition of", Some(self.body.local(*local).loc))),
            Some(Entity::Global(global)) => Some(("redefinition of", Some(self.program.global(*global).loc))),
            Some(Entity::Function) => {
                let first = self.functions.get(&name).and_then(|all| all.first());
                Some(("redefinition of", first.map(|&id| self.program.function(id).loc)))
            }
            Some(Entity::Typedef(_) | Entity::Enumerator(..)) => Some(("redefinition of", None)),
        };
        if let Some((what, at)) = previous {
            let message = format!("{what} '{}'", self.text(name));
            match at {
                Some(at) => self.error_with_note(loc, &message, at, "previous definition is here"),
                None => self.error(loc, &message),
            }
            return;
        }
        self.scopes.add(name, entity);
    }

    /// Adds a function, or what a declaration says of one that is known already. `None` if it contradicts.
    pub(crate) fn add_function(&mut self, mut function: Function) -> Option<FunctionId> {
        let name = function.name;
        let loc = function.loc;
        let here = self.scopes.depth() == 0;
        match self.scopes.find_here(name) {
            None | Some(Entity::Function) => {}
            Some(_) => {
                let message = format!("redefinition of '{}' as different kind of symbol", self.text(name));
                self.error(loc, &message);
                return None;
            }
        }
        let known = self.functions.get(&name).cloned().unwrap_or_default();
        for &id in &known {
            let old = self.program.function(id);
            if old.ty == function.ty {
                self.merge_function(id, function);
                if !here {
                    self.scopes.add(name, Entity::Function);
                }
                return Some(id);
            }
        }
        if let Some(&first) = known.first() {
            let old = self.program.function(first);
            if !old.attributes.overloadable && !function.attributes.overloadable {
                let previous = old.loc;
                let message = format!("conflicting types for '{}'", self.text(name));
                self.error_with_note(loc, &message, previous, "previous declaration is here");
                return None;
            }
            let params = |ty: TypeId| self.types_ref().as_function(ty).map(|it| (it.params.clone(), it.variadic));
            for &id in &known {
                let other = self.program.function(id);
                if params(other.ty) == params(function.ty) {
                    let previous = other.loc;
                    let message = format!(
                        "functions that differ only in their return type cannot be overloaded: '{}'",
                        self.text(name)
                    );
                    self.error_with_note(loc, &message, previous, "previous declaration is here");
                    return None;
                }
            }
        }
        if function.attributes.overloadable && !function.is_kernel {
            let mangled = self.mangle(name, function.ty);
            function.link_name = self.session.intern(&mangled);
        }
        let id = FunctionId(self.program.functions.len() as u32);
        self.program.functions.push(function);
        self.functions.entry(name).or_default().push(id);
        match here {
            true => self.scopes.add(name, Entity::Function),
            false => {
                self.scopes.add_global(name, Entity::Function);
                self.scopes.add(name, Entity::Function);
            }
        }
        Some(id)
    }

    /// Another declaration of a function.
    fn merge_function(&mut self, id: FunctionId, new: Function) {
        let old = &mut self.program.functions[id.0 as usize];
        let attributes = &mut old.attributes;
        let more = new.attributes;
        attributes.reqd_work_group_size = attributes.reqd_work_group_size.or(more.reqd_work_group_size);
        attributes.work_group_size_hint = attributes.work_group_size_hint.or(more.work_group_size_hint);
        attributes.vec_type_hint = attributes.vec_type_hint.or(more.vec_type_hint);
        attributes.reqd_sub_group_size = attributes.reqd_sub_group_size.or(more.reqd_sub_group_size);
        if attributes.inline == crate::hir::Inline::Default {
            attributes.inline = more.inline;
        }
        attributes.is_const |= more.is_const;
        attributes.is_pure |= more.is_pure;
        attributes.noreturn |= more.noreturn;
        attributes.convergent |= more.convergent;
        old.is_kernel |= new.is_kernel;
        if new.linkage == Linkage::Internal && old.linkage != Linkage::Internal && old.body.is_some() {
            // Defined as another's before.
        } else if new.linkage != Linkage::External {
            old.linkage = new.linkage;
        }
        if old.body.is_none() {
            old.params = new.params;
            old.loc = new.loc;
        }
    }

    /// The name in the module of one of several functions of a name.
    fn mangle(&self, name: Symbol, ty: TypeId) -> String {
        let text = self.text(name);
        let mut out = format!("_Z{}{text}", text.len());
        let params = self.types_ref().as_function(ty).map(|it| it.params.as_slice()).unwrap_or_default();
        let mut known = Vec::new();
        for param in params {
            self.mangle_type(param.id, &mut out, &mut known);
        }
        if params.is_empty() {
            out.push('v');
        }
        out
    }

    /// As the C++ ABI for Itanium does, with substitutions.
    fn mangle_type(&self, ty: TypeId, out: &mut String, known: &mut Vec<(TypeId, Option<QualType>)>) {
        use crate::types::Scalar;
        let types = self.types_ref();
        let letter = |scalar: Scalar| match scalar {
            Scalar::Bool => "b",
            Scalar::Char => "c",
            Scalar::UChar => "h",
            Scalar::Short => "s",
            Scalar::UShort => "t",
            Scalar::Int => "i",
            Scalar::UInt => "j",
            Scalar::Long => "l",
            Scalar::ULong => "m",
            Scalar::Half => "Dh",
            Scalar::Float => "f",
            Scalar::Double => "d",
        };
        match types.kind(ty) {
            TypeKind::Void => return out.push('v'),
            TypeKind::Scalar(scalar) => return out.push_str(letter(*scalar)),
            _ => {}
        }
        if let Some(index) = known.iter().position(|&entry| entry == (ty, None)) {
            return out.push_str(&substitution(index));
        }
        match types.kind(ty) {
            TypeKind::Vector(scalar, lanes) => out.push_str(&format!("Dv{lanes}_{}", letter(*scalar))),
            &TypeKind::Pointer(pointee) => {
                out.push('P');
                self.mangle_qualified(pointee, out, known);
            }
            &TypeKind::Record(id) => {
                let record = types.record(id);
                let name = record.tag.or(record.typedef).map_or("ndrange_t", |name| self.text(name));
                out.push_str(&format!("{}{name}", name.len()));
            }
            &TypeKind::Atomic(id) => {
                out.push_str("U7_Atomic");
                self.mangle_type(id, out, known);
            }
            _ => {
                let name = self.name_of_id(ty).replace(|c: char| !c.is_ascii_alphanumeric() && c != '_', "");
                out.push_str(&format!("{}{name}", name.len()));
            }
        }
        known.push((ty, None));
    }

    fn mangle_qualified(&self, ty: QualType, out: &mut String, known: &mut Vec<(TypeId, Option<QualType>)>) {
        let space = match ty.space {
            crate::types::AddressSpace::Private => 0,
            crate::types::AddressSpace::Global => 1,
            crate::types::AddressSpace::Constant => 2,
            crate::types::AddressSpace::Local => 3,
            crate::types::AddressSpace::Generic => 4,
        };
        let qualified = space != 0 || !ty.quals.is_empty();
        if qualified {
            if let Some(index) = known.iter().position(|&entry| entry == (ty.id, Some(ty))) {
                return out.push_str(&substitution(index));
            }
            if space != 0 {
                out.push_str(&format!("U3AS{space}"));
            }
            if ty.quals.contains(Quals::RESTRICT) {
                out.push('r');
            }
            if ty.is_volatile() {
                out.push('V');
            }
            if ty.is_const() {
                out.push('K');
            }
        }
        self.mangle_type(ty.id, out, known);
        if qualified {
            known.push((ty.id, Some(ty)));
        }
    }

    /// The variable that holds a string literal.
    pub(crate) fn string_global(&mut self, mut bytes: Vec<u8>, loc: Loc) -> GlobalId {
        if let Some(&known) = self.strings.get(&bytes) {
            return known;
        }
        let ty = self.string_type(bytes.len() as u64 + 1);
        let id = GlobalId(self.program.globals.len() as u32);
        self.strings.insert(bytes.clone(), id);
        bytes.push(0);
        self.program.globals.push(Global {
            name: self.session.intern(".str"),
            ty,
            align: 1,
            linkage: Linkage::Internal,
            is_extern: false,
            init: Some(Const::Bytes(bytes)),
            function: None,
            used: true,
            loc,
        });
        id
    }

    /// Reports functions that call themselves, through others or not, where kernels or other modules reach them: OpenCL C has no recursion (6.11). What
    /// nothing reaches is not emitted, and may be anything.
    pub(crate) fn check_recursion(&mut self) {
        let mut callees: FxHashMap<FunctionId, Vec<(FunctionId, Loc)>> = FxHashMap::default();
        for &(caller, callee, loc) in &self.calls {
            callees.entry(caller).or_default().push((callee, loc));
        }
        let is_root = |function: &Function| function.is_kernel || !self.session.options.whole && function.linkage != Linkage::Internal;
        // 1 is on the path, 2 is done.
        let mut state = vec![0u8; self.program.functions.len()];
        for (start, function) in self.program.functions.iter().enumerate() {
            if state[start] != 0 || function.body.is_none() || !is_root(function) {
                continue;
            }
            state[start] = 1;
            let mut path = vec![(FunctionId(start as u32), 0usize)];
            while let Some(top) = path.last_mut() {
                let (function, next) = *top;
                top.1 += 1;
                match callees.get(&function).and_then(|list| list.get(next)) {
                    None => {
                        state[function.0 as usize] = 2;
                        path.pop();
                    }
                    Some(&(callee, loc)) => match state[callee.0 as usize] {
                        0 => {
                            state[callee.0 as usize] = 1;
                            path.push((callee, 0));
                        }
                        1 => {
                            let name = self.text(self.program.function(callee).name);
                            let message = format!("recursion is not supported in OpenCL C: '{name}' calls itself");
                            self.error(loc, &message);
                        }
                        _ => {}
                    },
                }
            }
        }
    }
}

/// The n-th thing that a mangled name has already named.
fn substitution(index: usize) -> String {
    match index {
        0 => "S_".to_string(),
        _ => {
            let mut digits = Vec::new();
            let mut rest = index - 1;
            loop {
                digits.push(b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[rest % 36] as char);
                rest /= 36;
                if rest == 0 {
                    break;
                }
            }
            format!("S{}_", digits.iter().rev().collect::<String>())
        }
    }
}
