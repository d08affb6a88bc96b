//! The machine as Cranelift sees it.

use cranelift_codegen::isa::{Builder, OwnedTargetIsa};
use cranelift_codegen::settings::{self, Configurable};
use once_cell::race::OnceBox;
use target_lexicon::Architecture;

/// What is done to a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Cranelift's passes. No code is made, so that its registers can be allocated by what comes out.
    Optimize,
    /// Good registers.
    Full,
    /// Registers in a single pass. For functions where better code would take seconds, and for `-cl-opt-disable`.
    Quick,
}

/// An instruction set: the host's, or one that code is only checked for.
pub struct Target {
    /// Cranelift's description of it.
    pub isa: OwnedTargetIsa,
    /// x86-64, so that Cranelift's x86 operations are there.
    pub x64: bool,
    /// What Cranelift has for it beyond what it has everywhere.
    pub vectors: Vectors,
    /// Blends by a mask's sign bits (SSE 4.1).
    pub blend: bool,
    /// Byte shuffles (SSSE3).
    pub byte_shuffle: bool,
    /// Fused multiply-add.
    pub fma: bool,
    /// Sums of neighbouring lanes of two vectors (SSSE3; aarch64 always has them).
    pub pairwise_sums: bool,
}

/// Operations on vectors of 128 bits that Cranelift lacks on some machines: for what is `false` the emitter writes something else.
#[derive(Clone, Copy, Debug)]
pub struct Vectors {
    /// Floats are compared for "unordered, or less" and its like.
    pub unordered_compare: bool,
    /// Bytes are multiplied.
    pub byte_products: bool,
    /// Lanes of 32 and 64 bits are added and subtracted with saturation.
    pub long_saturation: bool,
    /// Doubles are converted to integers of 64 bits.
    pub double_to_long: bool,
    /// `swizzle` is one instruction.
    pub swizzle: bool,
    /// Conversions between floats and unsigned integers, and products of 64 bits of lanes of 32, are one instruction each.
    pub cheap_unsigned: bool,
    /// The sum of four lanes of 32 bits is one instruction.
    pub sum_of_words: bool,
}

impl Vectors {
    const NONE: Vectors = Vectors {
        unordered_compare: false,
        byte_products: false,
        long_saturation: false,
        double_to_long: false,
        swizzle: false,
        cheap_unsigned: false,
        sum_of_words: false,
    };

    fn of(architecture: Architecture) -> Vectors {
        match architecture {
            Architecture::X86_64 => Vectors {
                unordered_compare: true,
                ..Vectors::NONE
            },
            Architecture::Aarch64(_) => Vectors {
                unordered_compare: false,
                byte_products: true,
                long_saturation: true,
                double_to_long: true,
                swizzle: true,
                cheap_unsigned: true,
                sum_of_words: true,
            },
            _ => Vectors::NONE,
        }
    }
}

/// The host. An error is a machine that Cranelift can't make code for.
pub fn host(effort: Effort) -> Result<&'static Target, String> {
    static ALL: [OnceBox<Result<Target, String>>; 3] = [const { OnceBox::new() }; 3];
    let cell = &ALL[effort as usize];
    cell.get_or_init(|| Box::new(detect(effort))).as_ref().map_err(Clone::clone)
}

/// An aarch64 that is not here: of the first generation, or with what `later` ones have (atomic instructions, dot products, arithmetic of halves).
#[cfg(any(feature = "arm64", all(test, target_arch = "aarch64")))]
pub fn arm64(effort: Effort, later: bool) -> Result<&'static Target, String> {
    static ALL: [OnceBox<Result<Target, String>>; 6] = [const { OnceBox::new() }; 6];
    let make = || {
        let mut builder =
            cranelift_codegen::isa::lookup(target_lexicon::triple!("aarch64-unknown-linux-gnu")).map_err(|error| error.to_string())?;
        for name in ["has_lse", "has_dotprod", "has_i8mm", "has_fp16"] {
            if later {
                builder.enable(name).map_err(|error| error.to_string())?;
            }
        }
        finish(builder, effort)
    };
    let cell = &ALL[effort as usize + 3 * usize::from(later)];
    cell.get_or_init(|| Box::new(make())).as_ref().map_err(Clone::clone)
}

fn detect(effort: Effort) -> Result<Target, String> {
    let builder = cranelift_native::builder().map_err(|error| format!("Cranelift can't make code for this machine: {error}"))?;
    finish(builder, effort)
}

fn finish(builder: Builder, effort: Effort) -> Result<Target, String> {
    let mut flags = settings::builder();
    let (opt_level, allocator) = match effort {
        Effort::Optimize => ("speed", "backtracking"),
        Effort::Full => ("none", "backtracking"),
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
    let isa = builder
        .finish(settings::Flags::new(flags))
        .map_err(|error| format!("Cranelift can't make code for this machine: {error}"))?;
    let architecture = isa.triple().architecture;
    let x64 = architecture == Architecture::X86_64;
    let has = |name: &str| isa.isa_flags().iter().any(|flag| flag.name == name && flag.as_bool() == Some(true));
    Ok(Target {
        x64,
        vectors: Vectors::of(architecture),
        blend: has("has_sse41"),
        byte_shuffle: has("has_ssse3"),
        // aarch64 always has it.
        fma: !x64 || has("has_fma"),
        pairwise_sums: !x64 || has("has_ssse3"),
        isa,
    })
}
