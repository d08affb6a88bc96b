//! The kernel IR: SSA with block arguments, over entities.
//!
//! It has two levels, and one on the way ([`Level`]). At the work-item level a function is what one work-item does: scalars (a vector of the source is its
//! components), memory slots, built-in variables, convergent operations. Group formation (`vectorize`) makes of it a function at the
//! work-group level: loops over gangs, vectors with a lane a work-item, masks, plain addresses. On the way a function is a gang's: it has vectors already,
//! and still the barriers and built-ins. Back ends see the last level only; the interpreter (`interpret`) runs the first.
//!
//! All arithmetic is total (see [`op`]); memory is bytes at `i64` addresses; a kernel takes no parameters but reads its arguments from
//! the argument block ([`Builtin::Arguments`]).

pub mod builder;
pub mod cfg;
pub mod cold;
mod compare;
pub mod components;
pub mod control_dependence;
pub mod copy;
pub mod dominance;
pub mod dot;
pub mod edges;
pub mod entities;
pub mod eval;
pub mod function;
pub mod image;
pub mod inst;
pub mod list;
pub mod local;
mod loops;
pub mod memory;
pub mod module;
mod named;
pub mod op;
mod op_names;
pub mod origin;
pub mod parse;
pub mod print;
mod result_types;
pub mod runtime;
pub mod significant;
pub mod ssa;
pub mod types;
pub mod value_map;
pub mod variable;
pub mod verify;
mod walk;

pub use builder::Builder;
pub use dominance::DominatorTree;
pub use dot::DotOp;
pub use entities::{Block, FuncRef, Global, Inst, Slot, Value};
pub use function::{BlockData, Function, InstNode, Level, SlotData, ValueDef, to};
pub use image::{ImageAccess, ImageDim, ImageOp};
pub use inst::{BlockCall, Flags, InstData, TypeList, ValueList};
pub use list::List;
pub use local::Local;
pub use memory::{Access, Address, AliasSet, Align, MemFlags, MemInfo, Order, Scope, Space, UNPROMISED, VARIABLE_SETS};
pub use module::{GlobalData, Module, READABLE_BEHIND};
pub use op::*;
pub use origin::{Origins, Place, SourcePlace};
pub use runtime::{Held, Runtime};
pub use types::{Elem, Type};
pub use value_map::ValueMap;
pub use variable::{FrameVariable, Variable, VariableType};
