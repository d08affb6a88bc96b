//! Machine code from the work-group level of the IR.
//!
//! [`compile`] is what the rest of the compiler sees of code generation. What back ends there are and what each offers is the crate `target`. Nothing
//! above may assume a width, or that a form exists: every operation on every type is done somehow, and a kernel that one back end refuses goes to
//! Cranelift.

mod code;
mod cranelift;
mod dwarf;
mod elf;
mod image;
mod jitdump;
mod library;
mod program;
mod symbols;
#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
mod x64;

use device::abi::KernelEntry;
use ir::{FuncRef, Global};
use std::sync::atomic::AtomicBool;
use target::BackEnd;

/// Debug builds have regalloc2's checker look at what our own generator's allocator does. What it notes grows with blocks times values that
/// live through them, so who counts what a compilation takes switches it off.
pub static CHECKS_ALLOCATION: AtomicBool = AtomicBool::new(true);

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
    /// What the functions' [origins](ir::Origins) stand for, for debuggers; empty where that is not known.
    pub places: &'a [ir::SourcePlace],
    /// The kernel's arguments, for debuggers.
    pub arguments: &'a [interface::ArgumentInfo],
    /// Spend time on better code (not with `-cl-opt-disable`): Cranelift only, our own generator takes little anyway.
    pub optimize: bool,
}

/// What our own generator makes code for, if a back end is ours.
#[cfg(target_arch = "x86_64")]
fn x64_target(back_end: BackEnd) -> Option<x64::Target> {
    use x64::Target;
    let features = back_end.features();
    let target = match back_end {
        BackEnd::Cranelift => return None,
        BackEnd::Avx2Base => Target::avx2(),
        BackEnd::Avx2 => Target::avx2().with(features),
        BackEnd::Avx512Base | BackEnd::Avx512 => Target::AVX512.with(features),
    };
    Some(target.with_estimates(!target::reproducible()))
}

/// Compiles a kernel with all that it calls.
pub fn compile(request: &CodeRequest) -> Result<CompiledCode, String> {
    let chosen = BackEnd::chosen();
    match compile_with(chosen, request) {
        Err(error) if chosen != BackEnd::Cranelift => {
            debug::show("timing", format_args!("kernel {} goes to Cranelift", request.name), || error);
            compile_with(BackEnd::Cranelift, request)
        }
        result => result,
    }
}

/// Compiles it with a certain code generator.
pub fn compile_with(back_end: BackEnd, request: &CodeRequest) -> Result<CompiledCode, String> {
    #[cfg(target_arch = "x86_64")]
    if let Some(target) = x64_target(back_end) {
        return x64::compile(target, request);
    }
    debug_assert_eq!(back_end, BackEnd::Cranelift);
    cranelift::compile(request)
}

/// Whether Cranelift makes code of a kernel for an aarch64, of the first generation or a `later` one: seen on any machine, and dropped.
#[cfg(feature = "arm64")]
pub fn check_arm64(request: &CodeRequest, later: bool) -> Result<(), String> {
    cranelift::check_arm64(request, later)
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
    /// Before the code goes, debuggers are told.
    _announced: symbols::Announced,
    /// Holds the code.
    _memory: code::CodeMemory,
}
