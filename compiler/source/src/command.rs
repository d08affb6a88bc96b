//! clang's command line.

use super::{Features, Options, PreprocessorOption, Standard};
use rspirv::spirv::Op;
use std::ffi::OsString;

/// What a run of clang is to produce.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Product {
    /// SPIR-V of the program as clang's optimizer leaves it, for the driver's own compiler to go on from.
    Optimized,
    /// SPIR-V with as little done to the program as possible.
    AsWritten,
    /// LLVM's textual form, for the metadata that it has of kernels' arguments.
    Llvm,
    /// LLVM's textual form as [`optimized`] takes it.
    Unoptimized,
    /// The preprocessed source.
    Preprocessed,
}

impl Product {
    /// SPIR-V as the options ask for it.
    pub fn asked_for(options: &Options) -> Product {
        match is_as_written(options) {
            true => Product::AsWritten,
            false => Product::Optimized,
        }
    }

    /// SPIR-V made in the other way.
    pub fn otherwise(options: &Options) -> Product {
        match is_as_written(options) {
            true => Product::Optimized,
            false => Product::AsWritten,
        }
    }
}

/// Nothing is optimized: as the application asks, or since optimization takes for granted what checked mode checks.
fn is_as_written(options: &Options) -> bool {
    options.code.optimizations_disabled || !options.code.checks.is_empty()
}

/// Optimization before SPIR-V. Scalar clean-up and full unrolling help; what makes vectors or rewrites induction variables for a machine
/// with few registers only hides from us what work-items have in common. Work-items become vectors later, in `gangs`.
const OPTIMIZED: [&str; 5] = ["-O2", "-fno-vectorize", "-fno-slp-vectorize", "-mllvm", "-disable-lsr"];

/// What C compilers warned of when most programs were written, and clang has since made errors: clFFT, for one, takes a pointer to `float2` for one to
/// `float4`.
const WARNINGS: [&str; 4] = ["incompatible-pointer-types", "int-conversion", "implicit-int", "return-mismatch"];

/// The arguments that make `product` of a source given by stdin.
pub fn arguments(options: &Options, features: &Features, product: Product, headers: &[String]) -> Vec<OsString> {
    let mut words: Vec<String> = Vec::new();
    let mut add = |list: &[&str]| words.extend(list.iter().map(|word| word.to_string()));
    add(&["--no-default-config", "--target=spirv64", "-x", "cl", "-fno-color-diagnostics"]);
    add(&[&format!("-cl-std={}", options.standard.name())]);
    // An inline function has a definition. By C99, whose rules OpenCL C has, it has none where it is not inlined, unless one is declared
    // without inline; programs (OpenCV's conversions of colours, for one) do not know.
    if !options.standard.is_cpp() {
        add(&["-fgnu89-inline"]);
    }
    if !options.warnings_are_errors {
        add(&WARNINGS.map(|name| format!("-Wno-error={name}")).each_ref().map(String::as_str));
    }
    match product {
        Product::Optimized => add(&OPTIMIZED),
        Product::AsWritten => add(&["-O0"]),
        Product::Llvm => add(&["-O0", "-S", "-emit-llvm", "-cl-kernel-arg-info", "-w"]),
        Product::Unoptimized => {
            add(&OPTIMIZED);
            add(&["-S", "-emit-llvm", "-Xclang", "-disable-llvm-passes"]);
        }
        Product::Preprocessed => add(&["-E", "-w"]),
    }
    if matches!(product, Product::Optimized | Product::AsWritten | Product::Unoptimized) && options.code.kernel_arg_info {
        // Parameters keep their names.
        add(&["-fno-discard-value-names"]);
    }
    if matches!(product, Product::Optimized | Product::AsWritten) {
        add(&["-c"]);
        words.extend(extensions(features));
    }
    let mut add = |list: &[&str]| words.extend(list.iter().map(|word| word.to_string()));
    add(&[
        "-Xclang",
        &format!(
            "-cl-ext=-all{}{}",
            if features.opencl.is_empty() { "" } else { "," },
            joined(features.opencl)
        ),
    ]);
    for name in features.opencl {
        // Macros of what clang knows, defined again alike, and of what it does not know. Feature macros came with OpenCL C 3.0.
        if name.starts_with("cl_") || options.standard >= Standard::C30 {
            add(&[&format!("-D{name}=1")]);
        }
    }
    // The device's version of OpenCL, and the newest of OpenCL C, which clang does not know.
    let (major, minor) = features.version;
    add(&[&format!("-D__OPENCL_VERSION__={major}{minor}0")]);
    if features.version >= (3, 1) {
        add(&["-DCL_VERSION_3_1=310"]);
    }
    if options.standard == Standard::C31 {
        add(&["-U__OPENCL_C_VERSION__", "-D__OPENCL_C_VERSION__=310"]);
    }
    if features.fused_multiply_add {
        add(&["-DFP_FAST_FMAF=1"]);
        if features.opencl.contains(&"cl_khr_fp64") {
            add(&["-DFP_FAST_FMA=1"]);
        }
    }
    let code = &options.code;
    let switches = [
        (code.correctly_rounded_divide_sqrt, "-cl-fp32-correctly-rounded-divide-sqrt"),
        (code.mad_enable, "-cl-mad-enable"),
        (code.no_signed_zeros, "-cl-no-signed-zeros"),
        (code.unsafe_math, "-cl-unsafe-math-optimizations"),
        (code.finite_math_only, "-cl-finite-math-only"),
        (code.fast_relaxed_math, "-cl-fast-relaxed-math"),
        (code.uniform_work_group_size, "-cl-uniform-work-group-size"),
        // Before clang makes something else of what nobody has set.
        (code.initialize_private, "-ftrivial-auto-var-init=zero"),
        (options.single_precision_constant, "-cl-single-precision-constant"),
        (options.no_warnings, "-w"),
        (options.warnings_are_errors, "-Werror"),
        // Without a machine instruction for it, a fused multiply-add would be a call.
        (!features.fused_multiply_add, "-ffp-contract=off"),
    ];
    for (_, switch) in switches.iter().filter(|(given, _)| *given) {
        add(&[switch]);
    }
    words.extend(options.warning_flags.iter().cloned());
    words.extend(headers.iter().cloned());
    words.extend(options.preprocessor.iter().flat_map(word));
    words.extend(["-".to_string(), "-o".to_string(), "-".to_string()]);
    words.into_iter().map(OsString::from).collect()
}

/// An option of the preprocessor as clang takes it.
fn word(option: &PreprocessorOption) -> Vec<String> {
    match option {
        PreprocessorOption::Define(text) => vec![format!("-D{text}")],
        PreprocessorOption::Undefine(name) => vec![format!("-U{name}")],
        PreprocessorOption::Directory(path) => vec![format!("-I{}", path.display())],
        PreprocessorOption::Include(name) => vec!["-include".to_string(), name.clone()],
    }
}

/// The arguments that optimize LLVM's textual form, given by stdin, and make SPIR-V of it.
pub fn optimized(features: &Features) -> Vec<OsString> {
    let before = [
        "--no-default-config",
        "--target=spirv64",
        "-x",
        "ir",
        "-fno-color-diagnostics",
        "-c",
    ];
    let words = before.iter().chain(&OPTIMIZED).map(OsString::from);
    let words = words.chain(extensions(features).into_iter().map(OsString::from));
    words.chain(["-", "-o", "-"].map(OsString::from)).collect()
}

/// With it, integers whose widths OpenCL C has no types for are written as they are. Without it, the back end makes bytes of integers of 3 bits, say, which
/// the optimizer likes to count by, and forgets that they end at 8.
const ODD_WIDTHS: &str = "SPV_ALTERA_arbitrary_precision_integers";

/// ArbitraryPrecisionIntegersALTERA, which a module declares that has such integers.
const ODD_WIDTHS_CAPABILITY: u32 = 5844;

/// Does a module have integers of widths that OpenCL C has no types for?
pub fn has_odd_widths(il: &[u8]) -> bool {
    let mut words = il.as_chunks().0.iter().skip(5).map(|&word| u32::from_le_bytes(word));
    let declares = (2 << 16) | Op::Capability as u32;
    std::iter::from_fn(|| (words.next()? == declares).then(|| words.next())?).any(|capability| capability == ODD_WIDTHS_CAPABILITY)
}

/// Which SPIR-V extensions the back end may use.
fn extensions(features: &Features) -> Vec<String> {
    let names = [&[ODD_WIDTHS], features.spirv].concat();
    vec!["-mllvm".to_string(), format!("-spirv-ext={}", joined(&names))]
}

fn joined(names: &[&str]) -> String {
    names.iter().map(|name| format!("+{name}")).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Step;

    fn line(options: &str, product: Product) -> String {
        let options = Options::parse(options, Step::Build).unwrap();
        let features = Features {
            opencl: &["cl_khr_fp64", "__opencl_c_fp64"],
            spirv: &["SPV_KHR_no_integer_wrap_decoration"],
            ..Features::default()
        };
        let words = arguments(&options, &features, product, &[]);
        words.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn features_become_flags() {
        let c12 = line("", Product::Optimized);
        assert!(c12.contains("-cl-ext=-all,+cl_khr_fp64,+__opencl_c_fp64"), "{c12}");
        assert!(c12.contains(",+SPV_KHR_no_integer_wrap_decoration"));
        assert!(c12.contains("-Dcl_khr_fp64=1") && !c12.contains("-D__opencl_c_fp64"));
        assert!(line("-cl-std=CL3.0", Product::Optimized).contains("-D__opencl_c_fp64=1"));
    }

    #[test]
    fn options_become_flags() {
        let line = line("-cl-opt-disable -D A=\"b c\" -cl-fast-relaxed-math", Product::AsWritten);
        assert!(
            line.contains(" -O0 ") && line.contains(" -DA=b c ") && line.contains(" -cl-fast-relaxed-math "),
            "{line}"
        );
        assert!(line.ends_with(" - -o -"));
    }
}
