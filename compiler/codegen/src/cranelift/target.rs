//! The machine as Cranelift sees it.

use cranelift_codegen::isa::OwnedTargetIsa;
use cranelift_codegen::settings::{self, Configurable};
use once_cell::race::OnceBox;

/// How much time to spend on a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Good code.
    Full,
    /// Quick code: not optimized, registers allocated in a single pass. For functions where better code would take seconds, and for
    /// `-cl-opt-disable`.
    Quick,
}

/// The host's instruction set.
pub struct Target {
    /// Cranelift's description of it.
    pub isa: OwnedTargetIsa,
    /// x86-64, so that Cranelift's x86 operations are there.
    pub x64: bool,
    /// Blends by a mask's sign bits (SSE 4.1).
    pub blend: bool,
    /// Byte shuffles (SSSE3).
    pub byte_shuffle: bool,
    /// Fused multiply-add.
    pub fma: bool,
}

/// The host. An error is a machine that Cranelift can't make code for.
pub fn host(effort: Effort) -> Result<&'static Target, String> {
    static FULL: OnceBox<Result<Target, String>> = OnceBox::new();
    static QUICK: OnceBox<Result<Target, String>> = OnceBox::new();
    let cell = match effort {
        Effort::Full => &FULL,
        Effort::Quick => &QUICK,
    };
    cell.get_or_init(|| Box::new(detect(effort))).as_ref().map_err(Clone::clone)
}

fn detect(effort: Effort) -> Result<Target, String> {
    let mut flags = settings::builder();
    let (opt_level, allocator) = match effort {
        Effort::Full => ("speed", "backtracking"),
        Effort::Quick => ("none", "single_pass"),
    };
    for (name, value) in [
        ("opt_level", opt_level),
        ("regalloc_algorithm", allocator),
        // The verifier costs as much as a pass; it earns that in our own tests.
        ("enable_verifier", if cfg!(debug_assertions) { "true" } else { "false" }),
        ("enable_multi_ret_implicit_sret", "true"),
        ("enable_probestack", "false"),
        // perf and gdb walk frames by their pointers.
        ("preserve_frame_pointers", "true"),
        ("unwind_info", "true"),
    ] {
        flags
            .set(name, value)
            .map_err(|error| format!("Cranelift does not know {name}: {error}"))?;
    }
    let builder = cranelift_native::builder().map_err(|error| format!("Cranelift can't make code for this machine: {error}"))?;
    let isa = builder
        .finish(settings::Flags::new(flags))
        .map_err(|error| format!("Cranelift can't make code for this machine: {error}"))?;
    let x64 = isa.triple().architecture == target_lexicon::Architecture::X86_64;
    let has = |name: &str| isa.isa_flags().iter().any(|flag| flag.name == name && flag.as_bool() == Some(true));
    Ok(Target {
        x64,
        blend: has("has_sse41"),
        byte_shuffle: has("has_ssse3"),
        // aarch64 always has it.
        fma: !x64 || has("has_fma"),
        isa,
    })
}
