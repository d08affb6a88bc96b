//! What a compilation is asked for.

use std::path::PathBuf;

/// What a compilation is asked for, after the options' text has been parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompileOptions {
    /// OpenCL C's version (`__OPENCL_C_VERSION__`): 100, 110, 120, 200, 300 or 310.
    pub version: u32,
    /// The device's version of OpenCL (`__OPENCL_VERSION__`).
    pub device_version: u32,
    /// Extensions and features of the language that the device has: `cl_khr_fp64`, `__opencl_c_images`, … Each is a macro with the value 1;
    /// feature macros (`__opencl_c_…`) are defined from OpenCL C 3.0 on only.
    pub features: Vec<String>,
    /// `-D`, `-U`, `-I`, `-include` in their order.
    pub preprocessor: Vec<PreprocessorOption>,
    /// `-w`: no warnings.
    pub no_warnings: bool,
    /// `-Werror`: warnings are errors.
    pub warnings_are_errors: bool,
    /// `-Wno-<flag>` as `<flag>`: warnings that are not given.
    pub disabled_warnings: Vec<String>,
    /// Errors after which the compilation gives up; 0 is never.
    pub error_limit: usize,
    /// `-g`: line information and names.
    pub debug_information: bool,
    /// Nothing is evaluated that the program does not ask for: what runs is to be checked.
    pub as_written: bool,
    /// Variables stay in memory, for debuggers.
    pub keep_variables: bool,
    /// `-cl-kernel-arg-info`
    pub kernel_arg_info: bool,
    /// `-cl-single-precision-constant`
    pub single_precision_constant: bool,
    /// `-cl-mad-enable`
    pub mad_enable: bool,
    /// `-cl-no-signed-zeros`
    pub no_signed_zeros: bool,
    /// `-cl-unsafe-math-optimizations`
    pub unsafe_math: bool,
    /// `-cl-finite-math-only`
    pub finite_math_only: bool,
    /// `-cl-fast-relaxed-math`
    pub fast_relaxed_math: bool,
    /// `-cl-fp32-correctly-rounded-divide-sqrt`
    pub correctly_rounded_divide_sqrt: bool,
    /// `-cl-uniform-work-group-size`
    pub uniform_work_group_size: bool,
    /// The machine has a fused multiply-add: `a * b + c` may become one, and `FP_FAST_FMAF` is defined.
    pub fused_multiply_add: bool,
    /// Private variables without an initializer are zero.
    pub initialize_private: bool,
    /// The source is the whole program: functions that are no kernels are not exported.
    pub whole: bool,
}

impl Default for CompileOptions {
    fn default() -> Self {
        CompileOptions {
            version: 120,
            device_version: 310,
            features: Vec::new(),
            preprocessor: Vec::new(),
            no_warnings: false,
            warnings_are_errors: false,
            disabled_warnings: Vec::new(),
            error_limit: 20,
            debug_information: false,
            as_written: false,
            keep_variables: false,
            kernel_arg_info: false,
            single_precision_constant: false,
            mad_enable: false,
            no_signed_zeros: false,
            unsafe_math: false,
            finite_math_only: false,
            fast_relaxed_math: false,
            correctly_rounded_divide_sqrt: false,
            uniform_work_group_size: false,
            fused_multiply_add: true,
            initialize_private: false,
            whole: false,
        }
    }
}

impl CompileOptions {
    /// Has the device this extension or feature?
    pub fn has(&self, feature: &str) -> bool {
        self.features.iter().any(|name| name == feature)
    }
}

/// An option of the preprocessor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PreprocessorOption {
    /// `-D name`, `-D name=value`, `-D name(parameters)=value`: what stands after `-D`.
    Define(String),
    /// `-U name`
    Undefine(String),
    /// `-I directory`
    Directory(PathBuf),
    /// `-include file`
    Include(String),
}
