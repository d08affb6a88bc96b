//! The places of a kernel that are checked, as reports tell of them.

use super::objects::Root;
use interface::KernelInfo;
use ir::*;
use std::sync::Arc;

/// A place in a kernel where a check can fail. Its number is its position among the kernel's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// What is checked.
    pub what: What,
    /// Where: the innermost place, then the calls that it was inlined by. Empty where the module does not tell.
    pub trace: Vec<SourcePlace>,
    /// The function that stays a call where the trace ends; none where it goes on to the kernel.
    pub callee: Option<FuncRef>,
}

/// What is checked at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// An access stays within its object.
    Access {
        /// What is done there.
        access: AccessKind,
        /// With what.
        object: Object,
    },
    /// An access has the alignment of its type.
    Alignment {
        /// What is done there.
        access: AccessKind,
        /// With what.
        object: Object,
        /// In bytes.
        align: u32,
    },
    /// An integer division has a result.
    Division,
    /// What the program promises, or a rule asks for, holds.
    Held(Held),
    /// A private variable is written before it is read.
    Uninitialized {
        /// The variable.
        object: Object,
    },
    /// Local memory, or that of a buffer, is written before it is read.
    Unwritten {
        /// It is global memory.
        global: bool,
        /// What it is part of.
        object: Object,
    },
    /// No other work-item accesses the same memory at the same time, one of the two writing.
    Race {
        /// It is global memory.
        global: bool,
        /// What is done there.
        access: AccessKind,
        /// With what.
        object: Object,
    },
    /// An access stays inside its image.
    Image {
        /// What is done.
        op: ImageOp,
        /// The argument that the image is, by its number, where that is known.
        argument: Option<u32>,
    },
    /// All work-items of the group reach a barrier.
    Barrier,
}

impl What {
    /// The name of the check.
    pub fn check(&self) -> &'static str {
        match self {
            What::Access { .. } => "bounds",
            What::Alignment { .. } => "align",
            What::Division => "arith",
            What::Held(Held::Assumption) => "assume",
            What::Held(Held::Event) => "events",
            What::Held(Held::SubGroup) => "barriers",
            What::Held(Held::Finite) => "nan",
            What::Held(Held::Fits { .. }) => "conversions",
            What::Uninitialized { .. } | What::Unwritten { global: false, .. } => "uninit",
            What::Unwritten { global: true, .. } => "global-uninit",
            What::Race { global: false, .. } => "races",
            What::Race { global: true, .. } => "global-races",
            What::Image { .. } => "images",
            What::Barrier => "barriers",
        }
    }
}

impl Site {
    /// The same, where a finding tells the object that was handed on to there.
    pub fn with_handed_on(&self, handed_on: &Object) -> Site {
        let mut site = self.clone();
        match &mut site.what {
            What::Access { object, .. }
            | What::Alignment { object, .. }
            | What::Uninitialized { object }
            | What::Unwritten { object, .. }
            | What::Race { object, .. }
                if *object == Object::HandedOn =>
            {
                *object = handed_on.clone();
            }
            _ => {}
        }
        site
    }
}

/// What is done to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccessKind {
    /// A load.
    Read,
    /// A store.
    Write,
    /// An atomic operation that may write.
    Atomic,
    /// What a copy reads.
    CopyFrom,
    /// What a copy writes.
    CopyTo,
}

impl AccessKind {
    /// It needs memory that may be written.
    pub fn writes(self) -> bool {
        matches!(self, AccessKind::Write | AccessKind::Atomic | AccessKind::CopyTo)
    }
}

/// The object that an access must stay in.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Object {
    /// What an argument points to, by the argument's number: the launch knows its size.
    Argument(u32),
    /// A variable of a name and a size.
    Variable {
        /// Where it is.
        space: Space,
        /// Its name; empty where the module does not tell.
        name: Arc<str>,
        /// Its size.
        bytes: u64,
        /// It is only read.
        constant: bool,
    },
    /// What a function's parameter points to: the finding tells its number among those that are handed on.
    HandedOn,
    /// One that is not known: what is checked is that there can be one at all.
    Unknown,
}

impl Object {
    pub(super) fn of(root: Root, func: &Function, module: &Module, info: &KernelInfo) -> Object {
        match root {
            Root::Argument(number) => Object::Argument(number),
            Root::Parameter(_) => Object::HandedOn,
            Root::Unknown => Object::Unknown,
            Root::Local(position) => {
                let variable = &info.local_variables[position as usize];
                Object::Variable {
                    space: Space::Local,
                    name: variable.name.as_str().into(),
                    bytes: variable.bytes,
                    constant: false,
                }
            }
            Root::Slot(slot) => {
                let name = func.origins.as_ref().and_then(|origins| origins.variables[slot].as_ref());
                Object::Variable {
                    space: Space::Private,
                    name: name.map_or_else(Arc::default, |variable| variable.name.clone()),
                    bytes: func.slots[slot].size.into(),
                    constant: false,
                }
            }
            Root::Global(global) => {
                let data = &module.globals[global];
                Object::Variable {
                    space: if data.constant { Space::Constant } else { Space::Global },
                    name: data.name.as_str().into(),
                    bytes: data.bytes.len() as u64,
                    constant: data.constant,
                }
            }
        }
    }
}
