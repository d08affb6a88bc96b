//! What a SPIR-V id stands for while a function is lowered.

use ir::{Address, AliasSet, Align, MemFlags, MemInfo, Space, Value};
use rspirv::spirv::BuiltIn;
use smallvec::SmallVec;
use spirv::Id;

/// Scalars of a value.
pub type Scalars = SmallVec<[Value; 4]>;

/// What an id stands for.
#[derive(Clone, Debug)]
pub enum Val {
    /// Its scalars, in the order of its type.
    Scalars(Scalars),
    /// A large aggregate: where it lies. Nobody writes there while the value lives.
    Memory(Pointer),
    /// A pointer that is not computed yet.
    Pointer(Pointer),
    /// A pointer to a built-in variable or to a component of one.
    BuiltIn(BuiltInPointer),
}

/// `base + index * scale + offset`, with what is known of the memory there.
#[derive(Clone, Copy, Debug)]
pub struct Pointer {
    /// Where it starts from.
    pub base: Value,
    /// An `i32` or `i64`, and by how much it is multiplied.
    pub index: Option<(Value, u32)>,
    /// What is added.
    pub offset: i32,
    /// The memory.
    pub space: Space,
    /// What else may touch the same bytes.
    pub alias: AliasSet,
    /// Promises that hold of all memory that is reached through it.
    pub flags: MemFlags,
}

impl Pointer {
    /// An address of which only the space is known.
    pub fn new(base: Value, space: Space) -> Pointer {
        let flags = match space {
            Space::Constant => MemFlags::INVARIANT,
            _ => MemFlags::empty(),
        };
        Pointer {
            base,
            index: None,
            offset: 0,
            space,
            alias: 0,
            flags,
        }
    }

    /// The memory there, for an access of this alignment and with these promises.
    pub fn mem(&self, align: u32, flags: MemFlags) -> MemInfo {
        MemInfo {
            space: self.space,
            align: Align::of(align),
            flags,
            alias: self.alias,
        }
    }

    /// The same, as operand of a load or store, `more` bytes further on; `None` where the offset gets too large.
    pub fn address(&self, more: u64) -> Option<Address> {
        let offset = i32::try_from(i64::from(self.offset).checked_add_unsigned(more)?).ok()?;
        Some(Address {
            base: self.base,
            index: self.index.map(|(index, _)| index),
            scale: self.index.map_or(1, |(_, scale)| scale),
            offset,
        })
    }
}

/// A pointer to a built-in variable.
#[derive(Clone, Copy, Debug)]
pub struct BuiltInPointer {
    /// Which.
    pub built_in: BuiltIn,
    /// The variable's type.
    pub type_id: Id,
    /// The component that is meant, if not all.
    pub component: Option<Component>,
}

/// A component of a built-in variable.
#[derive(Clone, Copy, Debug)]
pub enum Component {
    /// Known now.
    Constant(u32),
    /// Known later.
    Dynamic(Value),
}
