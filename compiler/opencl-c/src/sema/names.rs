//! Messages, and how they name types.

use super::Entity;
use crate::builtins::names;
use crate::hir::Const;
use crate::intern::Symbol;
use crate::parse::{DeclType, Parser};
use crate::source::Loc;
use crate::spelling::nearest;
use crate::types::{QualType, Quals, TypeId, TypeKind};

impl Parser<'_> {
    pub(crate) fn error(&self, loc: Loc, message: &str) {
        self.session.error(loc, message);
    }

    pub(crate) fn error_with_note(&self, loc: Loc, message: &str, at: Loc, note: &str) {
        self.session.error(loc, message).note(at, note);
    }

    pub(crate) fn warn(&self, flag: &'static str, loc: Loc, message: &str) {
        self.session.warning(crate::diagnostics::Warning(flag), loc, message);
    }

    /// A type as messages name it, without quotes.
    pub(crate) fn name_of(&self, ty: QualType) -> String {
        self.qualified(ty, false, String::new(), 0)
    }

    /// As [`Parser::name_of`], for argument information.
    pub(crate) fn bare_name_of(&self, ty: QualType) -> String {
        self.name_of_id(ty.id)
    }

    pub(crate) fn name_of_id(&self, ty: TypeId) -> String {
        self.declared(ty, String::new(), 0)
    }

    /// A type with its qualifiers, and its address space if that is wanted, around what a declarator would have inside of it.
    fn qualified(&self, ty: QualType, with_space: bool, inner: String, depth: u32) -> String {
        let types = self.types_ref();
        let mut words = Vec::new();
        if with_space && types.as_function(ty.id).is_none() {
            words.push(ty.space.name());
        }
        let named = [
            (Quals::CONST, "const"),
            (Quals::VOLATILE, "volatile"),
            (Quals::RESTRICT, "restrict"),
        ];
        words.extend(named.iter().filter(|(qual, _)| ty.quals.contains(*qual)).map(|(_, name)| *name));
        match types.kind(ty.id) {
            // A pointer's own stand behind its star, a block's behind its caret.
            TypeKind::Pointer(_) | TypeKind::Block(_) if !words.is_empty() => {
                let space = if inner.is_empty() { "" } else { " " };
                self.declared(ty.id, format!("{}{space}{inner}", words.join(" ")), depth)
            }
            _ if words.is_empty() => self.declared(ty.id, inner, depth),
            _ => format!("{} {}", words.join(" "), self.declared(ty.id, inner, depth)),
        }
    }

    /// A type around what a declarator would have inside of it.
    fn declared(&self, ty: TypeId, inner: String, depth: u32) -> String {
        if depth > 16 {
            return "…".to_string();
        }
        let spaced = |base: &str| match inner.is_empty() || inner.starts_with('[') {
            true => format!("{base}{inner}"),
            false => format!("{base} {inner}"),
        };
        let types = self.types_ref();
        match types.kind(ty) {
            TypeKind::Error => spaced("<error>"),
            TypeKind::Void => spaced("void"),
            TypeKind::Scalar(scalar) => spaced(scalar.name()),
            TypeKind::Vector(scalar, lanes) => spaced(&format!("{}{lanes}", scalar.name())),
            &TypeKind::Pointer(pointee) => {
                let inner = match types.kind(pointee.id) {
                    TypeKind::Array(..) | TypeKind::Function(_) => format!("(*{inner})"),
                    _ => format!("*{inner}"),
                };
                self.qualified(pointee, true, inner, depth + 1)
            }
            &TypeKind::Array(element, len) => {
                let len = len.map_or(String::new(), |len| len.to_string());
                self.qualified(element, false, format!("{inner}[{len}]"), depth + 1)
            }
            TypeKind::Function(function) => {
                let mut params: Vec<String> = function.params.iter().map(|&param| self.name_of(param)).collect();
                if function.variadic {
                    params.push("...".to_string());
                }
                if params.is_empty() {
                    params.push("void".to_string());
                }
                let result = function.result.id;
                self.declared(result, format!("{inner}({})", params.join(", ")), depth + 1)
            }
            &TypeKind::Record(id) => {
                let record = types.record(id);
                let word = if record.is_union { "union" } else { "struct" };
                let name = match (record.tag, record.typedef) {
                    (Some(tag), _) => format!("{word} {}", self.text(tag)),
                    (None, Some(name)) => self.text(name).to_string(),
                    (None, None) if id.0 == 0 => "ndrange_t".to_string(),
                    (None, None) => format!("{word} (unnamed)"),
                };
                spaced(&name)
            }
            &TypeKind::Enum(id) => {
                let tag = types.enumeration(id).tag.map_or("(unnamed)", |tag| self.text(tag));
                spaced(&format!("enum {tag}"))
            }
            TypeKind::Image(image) => spaced(&image.name()),
            TypeKind::Sampler => spaced("sampler_t"),
            TypeKind::Event => spaced("event_t"),
            TypeKind::Queue => spaced("queue_t"),
            TypeKind::ClkEvent => spaced("clk_event_t"),
            TypeKind::ReserveId => spaced("reserve_id_t"),
            TypeKind::Pipe(packet, _) => spaced(&format!("pipe {}", self.name_of(*packet))),
            &TypeKind::Atomic(id) => spaced(&format!("_Atomic({})", self.name_of_id(id))),
            &TypeKind::Block(function) => self.declared(function, format!("(^{inner})"), depth + 1),
            &TypeKind::Opaque(name) => spaced(self.text(name)),
        }
    }

    /// Declares, where the language itself does, a name that has been read for the first time.
    pub(crate) fn meet(&mut self, name: Symbol) {
        let index = name.0 as usize;
        if self.met.get(index).copied().unwrap_or(false) {
            return;
        }
        if self.met.len() <= index {
            self.met.resize(index + 64, false);
        }
        self.met[index] = true;
        let text = self.text(name);
        if let Some(value) = names::enumerator(text, &self.builtins.conditions) {
            self.scopes
                .predeclare(name, Entity::Enumerator(Const::Int(i64::from(value) as u64), TypeId::INT));
        } else if let Some(ty) = names::type_name(text, &self.builtins.conditions, &mut self.program.types) {
            let mut ty = DeclType::plain(ty);
            ty.written = Some(name);
            ty.address_sized = matches!(text, "size_t" | "ptrdiff_t" | "intptr_t" | "uintptr_t");
            self.scopes.predeclare(name, Entity::Typedef(ty));
        }
    }

    /// The name most like one that is not known, among those of a kind.
    pub(crate) fn similar(&self, name: Symbol, wanted: impl Fn(&Entity) -> bool) -> Option<String> {
        let text = self.text(name);
        let names = self
            .scopes
            .names()
            .filter(|(_, entity)| wanted(entity))
            .map(|(other, _)| self.text(other));
        nearest(text, text.len() / 3, names.filter(|&other| other != text)).map(str::to_string)
    }

    /// Reports a name that nothing is known of.
    pub(crate) fn unknown_name(&mut self, name: Symbol, loc: Loc) {
        // Nobody will read it.
        if self.session.diagnostics.gave_up() {
            return;
        }
        let text = self.text(name);
        let suggestion = self
            .similar(name, |entity| !matches!(entity, Entity::Wrong | Entity::Typedef(_)))
            .or_else(|| self.builtins.suggestion(text).map(str::to_string));
        let message = match (self.builtins.missing(text), suggestion) {
            (Some(condition), _) => format!(
                "use of undeclared identifier '{text}': it needs {}",
                crate::builtins::describe::condition(condition)
            ),
            (None, Some(other)) => format!("use of undeclared identifier '{text}'; did you mean '{other}'?"),
            (None, None) => format!("use of undeclared identifier '{text}'"),
        };
        self.error(loc, &message);
    }
}
