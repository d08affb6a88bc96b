//! Our own front end: the options and features of a build as `opencl_c` takes them.

use super::{Compiled, Features, Frontend, Options, SourceRequest, Standard, diagnostics, source_error};
use interface::BuildError;
use opencl_c::{CompileOptions, Input, Output, Product};

/// Compiles a program.
pub(super) fn compile(request: &SourceRequest) -> Result<Compiled, BuildError> {
    let output = debug::timed("OpenCL C to SPIR-V, by our own front end", || {
        run(request, diagnostics::SOURCE_NAME, opencl_c::compile)
    });
    match output.product {
        Some(Product::Spirv(words)) => Ok(Compiled {
            il: words.iter().flat_map(|word| word.to_le_bytes()).collect(),
            log: output.log,
            by: Frontend::Own,
        }),
        _ => Err(source_error(output.log)),
    }
}

/// What is made of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Making {
    /// SPIR-V.
    Module,
    /// Preprocessed text.
    Text,
    /// Diagnostics.
    Nothing,
}

/// Compiles a file by our own front end alone; `name` is its name in diagnostics, and its includes are looked for beside it.
pub fn compile_file(request: &SourceRequest, name: &str, making: Making) -> Output {
    let work = match making {
        Making::Module => opencl_c::compile,
        Making::Text => opencl_c::preprocess,
        Making::Nothing => opencl_c::check,
    };
    run(request, name, work)
}

fn run(request: &SourceRequest, name: &str, work: fn(&Input) -> Output) -> Output {
    work(&Input {
        name,
        source: request.source,
        headers: request.headers,
        options: &options(request.options, &request.features),
    })
}

fn options(options: &Options, features: &Features) -> CompileOptions {
    let (major, minor) = features.version;
    let code = &options.code;
    CompileOptions {
        version: match options.standard {
            Standard::C10 => 100,
            Standard::C11 => 110,
            Standard::C12 => 120,
            Standard::C20 => 200,
            Standard::C30 => 300,
            Standard::C31 => 310,
            Standard::Cpp10 | Standard::Cpp2021 => 0,
        },
        device_version: major as u32 * 100 + minor as u32 * 10,
        features: features.opencl.iter().map(|name| name.to_string()).collect(),
        preprocessor: options.preprocessor.clone(),
        no_warnings: options.no_warnings,
        warnings_are_errors: options.warnings_are_errors,
        disabled_warnings: options
            .warning_flags
            .iter()
            .filter_map(|flag| flag.strip_prefix("-Wno-").map(String::from))
            .collect(),
        debug_information: options.debug_information,
        as_written: !code.checks.is_empty(),
        keep_variables: code.optimizations_disabled && options.debug_information,
        // Debuggers ask for arguments by their types.
        kernel_arg_info: code.kernel_arg_info || options.debug_information,
        single_precision_constant: options.single_precision_constant,
        mad_enable: code.mad_enable,
        no_signed_zeros: code.no_signed_zeros,
        unsafe_math: code.unsafe_math,
        finite_math_only: code.finite_math_only,
        fast_relaxed_math: code.fast_relaxed_math,
        correctly_rounded_divide_sqrt: code.correctly_rounded_divide_sqrt,
        uniform_work_group_size: code.uniform_work_group_size,
        fused_multiply_add: features.fused_multiply_add,
        initialize_private: code.initialize_private,
        whole: options.whole,
        ..CompileOptions::default()
    }
}
