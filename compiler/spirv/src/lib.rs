//! SPIR-V as data: the words of a module, its instructions, and the typed module that lowering reads.
//!
//! [`Binary`] is what [`parse`] makes of bytes: a header and instructions whose shape follows the grammar of the SPIR-V specification (unified1).
//! [`Module`] is what [`environment::validate`] makes of a binary: types, constants, functions and decorations, indexed once. There is no
//! other way to come by a `Module`, so whoever holds one may rely on every rule that validation checks.

mod assemble;
mod binary;
mod constant;
mod disassemble;
pub mod fold;
pub mod grammar;
mod idioms;
mod joint;
mod module;
pub mod newer;
mod operands;
mod types;

pub use assemble::assemble;
pub use binary::{Binary, Header, Instruction, ParseError, Place, parse, string};
pub use constant::{Constant, ConstantRef, ConstantValue, initializer, is_constant, is_variable};
pub use disassemble::{LISTING_HEADER, disassemble, id_text, listing};
pub use joint::{Interpretation, Joint, MatrixLayout, cooperative_layout};
pub use module::{Block, Decoration, EntryPoint, ExecutionMode, ExtendedSet, Function, GlobalVariable, Module, SpecConstant};
pub use module::{DecorationRecord, IdRecord, What};
pub use operands::{ImageOperands, MemoryOperands, SwitchTargets};
pub use types::container_bits;
pub use types::{FloatEncoding, ImageType, Layout, MatrixType, StructType, Type};

/// A SPIR-V id. 0 is never an id; it stands for "none".
pub type Id = u32;
