//! Machine code from the work-group level of the IR.
//!
//! This is what the rest of the compiler sees of code generation: [`compile`], and what a back end says of itself ([`legal`],
//! [`preferred_gang_width`]). A back end knows alone how many machine registers a value takes; nothing above may assume a width.

mod code;
mod cranelift;
mod library;

use crate::ir::{self, FuncRef, Global};
use device::abi::KernelEntry;

/// What to compile.
pub struct CodeRequest<'a> {
    /// The kernel's name, for profilers and people.
    pub name: &'a str,
    /// The kernel at the work-group level. Its parameters are those of [`KernelEntry`], its result is an `i32`.
    pub entry: &'a ir::Function,
    /// The functions that it calls, at the work-group level.
    ///
    /// They are compiled with it as far as they are reached. Each is handed the worker's record behind the scenes, so a trap inside is
    /// recorded; it then returns zeros.
    pub callees: &'a dyn Fn(FuncRef) -> Option<&'a ir::Function>,
    /// Where program-scope variables are.
    pub global_address: &'a dyn Fn(Global) -> u64,
    /// Spend time on better code (not with `-cl-opt-disable`).
    pub optimize: bool,
}

/// Compiles a kernel with all that it calls.
pub fn compile(request: &CodeRequest) -> Result<CompiledCode, String> {
    cranelift::compile(request)
}

/// Machine code, callable while this value lives.
#[derive(Debug)]
pub struct CompiledCode {
    /// Where it starts.
    pub entry: KernelEntry,
    /// Upper bound of the stack that it needs, in bytes.
    pub stack_bytes: u64,
    /// Size of the code and its constants in bytes.
    pub code_bytes: usize,
    /// Holds the code.
    _memory: code::CodeMemory,
}

/// How an operation is done on a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Legality {
    /// By one or a few instructions on whole registers.
    Native,
    /// Lane by lane.
    Scalarized,
    /// By a call for each lane.
    Library,
}

/// An operation that [`legal`] can be asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// [`ir::InstData::Unary`].
    Unary(ir::UnaryOp),
    /// [`ir::InstData::Binary`].
    Binary(ir::BinaryOp),
    /// [`ir::InstData::Fma`].
    Fma,
    /// A load or store of consecutive memory.
    Contiguous,
    /// A load or store with an address a lane.
    Scattered,
}

/// How `operation` is done on values of type `ty`. All are done somehow; this is for choosing between two ways to say a thing.
pub fn legal(operation: Operation, ty: ir::Type) -> Legality {
    cranelift::legal(operation, ty)
}

/// The gang width that suits the machine where nothing else decides.
pub fn preferred_gang_width() -> u32 {
    cranelift::PREFERRED_GANG_WIDTH
}
