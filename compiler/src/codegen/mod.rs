//! Machine code from the work-group level of the IR.
//!
//! This is what the rest of the compiler sees of code generation: [`compile`], and what the back end that is used says of itself
//! ([`has_fma`], [`has_half_arithmetic`], [`vector_registers`], [`preferred_gang_width`]). Nothing above may assume a width, or that a form exists: every operation on
//! every type is done somehow, and a kernel that one back end refuses goes to Cranelift.

mod code;
mod cranelift;
mod elf;
mod image;
mod library;
mod program;
mod symbols;
#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
mod x64;

use crate::debug;
use crate::ir::{self, FuncRef, Global};
use device::abi::KernelEntry;
use once_cell::race::OnceBox;

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
    /// Spend time on better code (not with `-cl-opt-disable`): Cranelift only, our own generator takes little anyway.
    pub optimize: bool,
}

/// A code generator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BackEnd {
    /// Cranelift's: vectors of 128 bits, on many machines.
    Cranelift,
    /// Our own for x86-64 with AVX2 and nothing that came later.
    Avx2Base,
    /// The same with what else the machine has.
    Avx2,
    /// Our own for x86-64 with AVX-512 (F, BW, DQ, VL, CD) and nothing that came later.
    Avx512Base,
    /// The same with what else the machine has.
    Avx512,
}

impl BackEnd {
    /// Their names in `BROLGA_TARGET`.
    const NAMES: [(&str, BackEnd); 5] = [
        ("cranelift", BackEnd::Cranelift),
        ("avx2-base", BackEnd::Avx2Base),
        ("avx2", BackEnd::Avx2),
        ("avx512-base", BackEnd::Avx512Base),
        ("avx512", BackEnd::Avx512),
    ];

    /// Those that can make code for this machine, the best one last.
    pub fn available() -> Vec<BackEnd> {
        #[cfg(target_arch = "x86_64")]
        if x64::is_available() {
            let mut all = vec![BackEnd::Cranelift, BackEnd::Avx2Base, BackEnd::Avx2];
            if x64::has_avx512() {
                all.extend([BackEnd::Avx512Base, BackEnd::Avx512]);
            }
            return all;
        }
        vec![BackEnd::Cranelift]
    }

    /// The one that is used: what `BROLGA_TARGET` names if the machine has what it needs, else the best that there is.
    pub fn chosen() -> BackEnd {
        // A racing cell: a child of fork() may find a blocking one in the hands of a thread that it does not have.
        static CHOSEN: OnceBox<BackEnd> = OnceBox::new();
        *CHOSEN.get_or_init(|| {
            let available = BackEnd::available();
            let best = available.last().copied().unwrap_or(BackEnd::Cranelift);
            let variable = std::env::var("BROLGA_TARGET").unwrap_or_default();
            let named = match BackEnd::NAMES.iter().find(|(name, _)| *name == variable) {
                Some(&(_, back_end)) => back_end,
                None => {
                    if !matches!(variable.as_str(), "" | "auto") {
                        let names = BackEnd::NAMES.map(|(name, _)| name).join(", ");
                        debug::complain(format_args!(
                            "BROLGA_TARGET is auto or one of {names}, not {variable:?}: auto is taken"
                        ));
                    }
                    best
                }
            };
            Box::new(if available.contains(&named) { named } else { best })
        })
    }

    /// What our own generator makes code for, if it is ours.
    #[cfg(target_arch = "x86_64")]
    fn x64_target(self) -> Option<x64::Target> {
        use x64::{Features, Target};
        Some(match self {
            BackEnd::Cranelift => return None,
            BackEnd::Avx2Base => Target::avx2(),
            BackEnd::Avx2 => Target::avx2().with(Features::beside_avx2()),
            BackEnd::Avx512Base => Target::AVX512,
            BackEnd::Avx512 => Target::AVX512.with(Features::beside_avx512()),
        })
    }
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
    if let Some(target) = back_end.x64_target() {
        return x64::compile(target, request);
    }
    debug_assert_eq!(back_end, BackEnd::Cranelift);
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
    /// Before the code goes, debuggers are told.
    _announced: symbols::Announced,
    /// Holds the code.
    _memory: code::CodeMemory,
}

/// A multiplication and an addition with one rounding is one instruction, for floats and doubles. Where it is not, it takes a hundred times
/// as long as the two.
pub fn has_fma() -> bool {
    BackEnd::chosen() != BackEnd::Cranelift || cranelift::has_fma()
}

/// Sums, differences, products, quotients, roots, minima, maxima, comparisons and roundings of halves are one instruction each, and so is a
/// multiplication and an addition with one rounding.
pub fn has_half_arithmetic() -> bool {
    #[cfg(target_arch = "x86_64")]
    if let Some(target) = BackEnd::chosen().x64_target() {
        return target.features.fp16;
    }
    false
}

/// The vector registers of the machine, as a back end uses them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Registers {
    /// How many.
    pub count: u32,
    /// Bytes of each.
    pub bytes: u32,
}

impl Registers {
    /// Operations on the bits of three values are one instruction.
    pub fn have_ternary_logic(&self) -> bool {
        self.bytes == 64
    }
}

/// The vector registers that values live in.
pub fn vector_registers() -> Registers {
    let (count, bytes) = match BackEnd::chosen() {
        BackEnd::Avx512 | BackEnd::Avx512Base => (32, 64),
        BackEnd::Avx2 | BackEnd::Avx2Base => (16, 32),
        BackEnd::Cranelift => (16, 16),
    };
    Registers { count, bytes }
}

/// The gang width that suits the machine where nothing else decides.
pub fn preferred_gang_width() -> u32 {
    #[cfg(target_arch = "x86_64")]
    if let Some(target) = BackEnd::chosen().x64_target() {
        return x64::preferred_gang_width(target);
    }
    cranelift::PREFERRED_GANG_WIDTH
}
