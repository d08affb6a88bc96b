//! SPIR-V of a typed tree.
//!
//! What kernels reach is emitted, and what other modules may call; each function once, variables in memory where their address or more than one value
//! matters, and the rest as values. The driver's own passes do what is left to do.
//!
//! | module | what it has |
//! |---|---|
//! | [`module`] | sections, ids, declarations |
//! | [`types`] | types in values and in memory, layout of records |
//! | [`globals`] | variables of the program, constants |
//! | [`function`] | functions, blocks |
//! | [`statement`], [`expression`], [`place`], [`cast`], [`arithmetic`] | the tree, by kind of node |
//! | [`builtins`] | calls of OpenCL C's functions |

mod arithmetic;
mod builtins;
mod cast;
mod expression;
mod function;
mod globals;
mod intrinsic;
mod kernel;
mod module;
mod place;
mod purity;
mod statement;
mod types;

#[cfg(test)]
mod tests;

use crate::hir::{FunctionId, GlobalId, Linkage, Program};
use crate::session::Session;
use crate::types::RecordId;
use module::{Id, Module};
use rspirv::spirv::{Capability, StorageClass};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use types::RecordType;

/// SPIR-V 1.4: what clang writes too.
const VERSION: u32 = 0x0001_0400;

/// The module of a program. What cannot be said in SPIR-V is reported as an error, and the module is then of no use.
pub fn emit(session: &Session, program: &Program) -> Vec<u32> {
    let mut emitter = Emitter {
        session,
        program,
        module: Module::default(),
        value_types: Vec::new(),
        memory_types: Vec::new(),
        records: FxHashMap::default(),
        open_records: Vec::new(),
        announced: Vec::new(),
        globals: FxHashMap::default(),
        variables: FxHashMap::default(),
        functions: FxHashMap::default(),
        invokes: FxHashMap::default(),
        queue: Vec::new(),
        reached: FxHashMap::default(),
        kernels: Vec::new(),
    };
    emitter.module.capability(Capability::Addresses);
    emitter.module.capability(Capability::Kernel);
    emitter.program();
    let version = match session.options.version {
        310 => 310_000,
        version => version * 1000,
    };
    emitter.module.finish(VERSION, version)
}

/// What a function names, for the interfaces of the kernels that call it.
#[derive(Clone, Debug, Default)]
struct Reached {
    variables: FxHashSet<Id>,
    calls: FxHashSet<FunctionId>,
}

struct Emitter<'a> {
    session: &'a Session,
    program: &'a Program,
    module: Module,
    /// Types by the index of their [`crate::types::TypeId`].
    value_types: Vec<Option<Id>>,
    memory_types: Vec<Option<Id>>,
    records: FxHashMap<RecordId, Rc<RecordType>>,
    open_records: Vec<RecordId>,
    /// Pointers to records that have been announced.
    announced: Vec<(RecordId, StorageClass, Id)>,
    globals: FxHashMap<GlobalId, Id>,
    /// Variables that SPIR-V fills in, by their BuiltIn.
    variables: FxHashMap<u32, Id>,
    /// Functions that have been asked for.
    functions: FxHashMap<FunctionId, Id>,
    /// Functions that enqueued blocks are run by.
    invokes: FxHashMap<FunctionId, Id>,
    /// Functions that are still to be emitted.
    queue: Vec<FunctionId>,
    reached: FxHashMap<FunctionId, Reached>,
    /// Kernels that have been emitted.
    kernels: Vec<(FunctionId, Id, Reached)>,
}

impl Emitter<'_> {
    fn program(&mut self) {
        let program = self.program;
        for (index, function) in program.functions.iter().enumerate() {
            let id = FunctionId(index as u32);
            if function.is_kernel && function.body.is_some() {
                self.kernel(id);
                self.drain();
            }
        }
        if !self.session.options.whole {
            for (index, function) in program.functions.iter().enumerate() {
                let exported = function.linkage != Linkage::Internal && function.body.is_some();
                if exported {
                    self.function(FunctionId(index as u32));
                    self.drain();
                }
            }
            for (index, global) in program.globals.iter().enumerate() {
                if global.linkage != Linkage::Internal && !global.is_extern {
                    self.global(GlobalId(index as u32));
                }
            }
        }
        self.entry_points();
    }

    /// Emits the functions that have been asked for, and those that they ask for.
    fn drain(&mut self) {
        while let Some(id) = self.queue.pop() {
            self.body(id);
        }
    }

    /// A function that is called or exported.
    fn function(&mut self, id: FunctionId) -> Id {
        if let Some(&known) = self.functions.get(&id) {
            return known;
        }
        let result = self.module.id();
        self.functions.insert(id, result);
        match self.program.function(id).body {
            Some(_) => self.queue.push(id),
            None => self.import(id, result),
        }
        result
    }

    /// A place in the program for OpLine: file, line, column.
    fn place_of(&mut self, loc: crate::Loc) -> Option<(Id, u32, u32)> {
        let position = self.session.sources.position(loc)?;
        Some((self.module.text(&position.file), position.line, position.column))
    }
}
