//! Names and what they stand for.

use crate::hir::{Const, GlobalId, LocalId};
use crate::intern::Symbol;
use crate::parse::DeclType;
use crate::types::TypeId;
use rustc_hash::FxHashMap;

/// What a name stands for.
#[derive(Clone, Debug)]
pub(crate) enum Entity {
    Typedef(DeclType),
    Local(LocalId),
    Global(GlobalId),
    Enumerator(Const, TypeId),
    /// One function or several.
    Function,
    /// Something that was wrong: no more is said of it.
    Wrong,
}

/// The scopes that are open. Level 0 has what is predeclared, level 1 is the program's.
#[derive(Debug, Default)]
pub(crate) struct Scopes {
    names: FxHashMap<Symbol, Vec<(u32, Entity)>>,
    tags: FxHashMap<Symbol, Vec<(u32, TypeId)>>,
    predeclared: FxHashMap<Symbol, Entity>,
    /// What each scope inside of the program's has declared.
    open: Vec<(Vec<Symbol>, Vec<Symbol>)>,
}

impl Scopes {
    /// How many scopes are open inside of the program's.
    pub(crate) fn depth(&self) -> usize {
        self.open.len()
    }

    pub(crate) fn level(&self) -> u32 {
        self.open.len() as u32 + 1
    }

    pub(crate) fn push(&mut self) {
        self.open.push(Default::default());
    }

    pub(crate) fn pop(&mut self) {
        let Some((names, tags)) = self.open.pop() else { return };
        for name in names {
            if let Some(entries) = self.names.get_mut(&name) {
                entries.pop();
            }
        }
        for tag in tags {
            if let Some(entries) = self.tags.get_mut(&tag) {
                entries.pop();
            }
        }
    }

    /// What a name stands for here.
    pub(crate) fn find(&self, name: Symbol) -> Option<&Entity> {
        match self.names.get(&name).and_then(|entries| entries.last()) {
            Some((_, entity)) => Some(entity),
            None => self.predeclared.get(&name),
        }
    }

    /// The level of the scope that declares a name; 0 where the language does.
    pub(crate) fn level_of(&self, name: Symbol) -> u32 {
        self.names.get(&name).and_then(|entries| entries.last()).map_or(0, |entry| entry.0)
    }

    /// What the innermost scope itself has declared.
    pub(crate) fn find_here(&self, name: Symbol) -> Option<&Entity> {
        let level = self.level();
        let entries = self.names.get(&name)?;
        entries.last().filter(|entry| entry.0 == level).map(|(_, entity)| entity)
    }

    /// The same, where the program's scope has what the language declares.
    pub(crate) fn find_declared_here(&self, name: Symbol) -> Option<&Entity> {
        self.find_here(name)
            .or_else(|| self.predeclared.get(&name).filter(|_| self.open.is_empty()))
    }

    pub(crate) fn predeclare(&mut self, name: Symbol, entity: Entity) {
        self.predeclared.insert(name, entity);
    }

    /// Declares a name in the innermost scope, or changes what it stands for there.
    pub(crate) fn add(&mut self, name: Symbol, entity: Entity) {
        let level = self.level();
        let entries = self.names.entry(name).or_default();
        match entries.last_mut() {
            Some(entry) if entry.0 == level => entry.1 = entity,
            _ => {
                entries.push((level, entity));
                if let Some((names, _)) = self.open.last_mut() {
                    names.push(name);
                }
            }
        }
    }

    /// Declares a name at program scope from wherever.
    pub(crate) fn add_global(&mut self, name: Symbol, entity: Entity) {
        let entries = self.names.entry(name).or_default();
        match entries.first_mut() {
            Some(entry) if entry.0 == 1 => entry.1 = entity,
            _ => entries.insert(0, (1, entity)),
        }
    }

    /// The struct, union or enumeration of a tag.
    pub(crate) fn tag(&self, tag: Symbol) -> Option<TypeId> {
        self.tags.get(&tag)?.last().map(|entry| entry.1)
    }

    /// As [`Scopes::tag`], of the innermost scope alone.
    pub(crate) fn tag_here(&self, tag: Symbol) -> Option<TypeId> {
        let level = self.level();
        self.tags.get(&tag)?.last().filter(|entry| entry.0 == level).map(|entry| entry.1)
    }

    pub(crate) fn add_tag(&mut self, tag: Symbol, ty: TypeId) {
        let level = self.level();
        self.tags.entry(tag).or_default().push((level, ty));
        if let Some((_, tags)) = self.open.last_mut() {
            tags.push(tag);
        }
    }

    /// All names that stand for something.
    pub(crate) fn names(&self) -> impl Iterator<Item = (Symbol, &Entity)> {
        self.names.iter().filter_map(|(&name, entries)| Some((name, &entries.last()?.1)))
    }
}
