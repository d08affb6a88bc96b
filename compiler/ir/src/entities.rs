//! The things that an IR function and module are made of, each an index into a table.

use core::fmt;
use core::num::NonZeroU32;
use cranelift_entity::{EntityRef, entity_impl};

/// A value: a block parameter or a result of an instruction.
///
/// Kept as its number and one more, so that an operand that may be missing takes no more room than one that may not.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Value(NonZeroU32);

impl Value {
    /// The value with this number.
    pub const fn from_u32(number: u32) -> Value {
        debug_assert!(number < u32::MAX);
        Value(NonZeroU32::MIN.saturating_add(number))
    }

    /// Its number.
    pub const fn as_u32(self) -> u32 {
        self.0.get() - 1
    }
}

impl EntityRef for Value {
    fn new(index: usize) -> Value {
        debug_assert!(index < u32::MAX as usize);
        Value::from_u32(index as u32)
    }

    fn index(self) -> usize {
        self.as_u32() as usize
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "v{}", self.as_u32())
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// An instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Inst(u32);
entity_impl!(Inst, "inst");

/// A basic block.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Block(u32);
entity_impl!(Block, "block");

/// A piece of a work-item's private memory with a fixed size.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Slot(u32);
entity_impl!(Slot, "slot");

/// A function of a module.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FuncRef(u32);
entity_impl!(FuncRef, "fn");

/// A program-scope variable or constant of a module.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Global(u32);
entity_impl!(Global, "global");
