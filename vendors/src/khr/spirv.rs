//! What SPIR-V modules may say, and what a host learns of it.

use crate::row::{Features, Row, version};
use rspirv::spirv::Capability;

pub(super) static ROWS: &[&Row] = &[
    &SPIRV_NO_INTEGER_WRAP,
    &SPIRV_LINKONCE_ODR,
    &SPIRV_EXTENDED_DEBUG_INFO,
    &SPIRV_FLOAT_CONTROLS2,
    &UNTYPED_POINTERS,
    &SPIRV_COOPERATIVE_MATRIX,
    &SPIRV_BFLOAT16,
    &SPIRV_FLOAT8,
    &COOPERATIVE_MATRIX,
    &SPIRV_QUERIES,
];

static SPIRV_NO_INTEGER_WRAP: Row = Row {
    opencl: &[("cl_khr_spirv_no_integer_wrap_decoration", version(1, 0, 0))],
    spirv_extensions: &["SPV_KHR_no_integer_wrap_decoration"],
    ..Row::on("cl_khr_spirv_no_integer_wrap_decoration")
};

static SPIRV_LINKONCE_ODR: Row = Row {
    opencl: &[("cl_khr_spirv_linkonce_odr", version(1, 0, 0))],
    level_zero: &["ZE_extension_linkonce_odr"],
    spirv_extensions: &["SPV_KHR_linkonce_odr"],
    features: Features::LINK_ONCE,
    ..Row::on("cl_khr_spirv_linkonce_odr")
};

/// Reported by `CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS_KHR` alone: the conformance tests (compiler_defines_for_extensions) refuse a device whose
/// extensions have its name among them.
static SPIRV_EXTENDED_DEBUG_INFO: Row = Row {
    // The others are its older names, which LLVM's translator still writes.
    instruction_sets: &["OpenCL.DebugInfo.100", "DebugInfo", "SPIRV.debug"],
    ..Row::on("cl_khr_spirv_extended_debug_info")
};

/// Fast-math modes a type and a kernel.
static SPIRV_FLOAT_CONTROLS2: Row = Row {
    spirv_extensions: &["SPV_KHR_float_controls2"],
    not_from_clang: &["SPV_KHR_float_controls2"],
    capabilities: &[Capability::FloatControls2],
    needs: &["core:float_controls"],
    ..Row::on("SPV_KHR_float_controls2")
};

/// Pointers that don't say what they point to. (clang 22 makes none.)
static UNTYPED_POINTERS: Row = Row {
    spirv_extensions: &["SPV_KHR_untyped_pointers"],
    not_from_clang: &["SPV_KHR_untyped_pointers"],
    capabilities: &[Capability::UntypedPointersKHR],
    ..Row::on("SPV_KHR_untyped_pointers")
};

/// The extension of SPIR-V is final; how a host asks which matrices there are (cl_khr_cooperative_matrix) is a draft.
static SPIRV_COOPERATIVE_MATRIX: Row = Row {
    spirv_extensions: &["SPV_KHR_cooperative_matrix"],
    not_from_clang: &["SPV_KHR_cooperative_matrix"],
    capabilities: &[Capability::CooperativeMatrixKHR],
    needs: &["core:sub_groups"],
    ..Row::on("SPV_KHR_cooperative_matrix")
};

/// Numbers with the exponents of floats in 16 bits: conversions, dot products and matrices of them.
static SPIRV_BFLOAT16: Row = Row {
    spirv_extensions: &["SPV_KHR_bfloat16"],
    not_from_clang: &["SPV_KHR_bfloat16"],
    capabilities: &[
        Capability::BFloat16TypeKHR,
        Capability::BFloat16DotProductKHR,
        Capability::BFloat16CooperativeMatrixKHR,
    ],
    needs: &["SPV_KHR_cooperative_matrix"],
    ..Row::on("SPV_KHR_bfloat16")
};

/// Floats of 8 bits: conversions and matrices of them.
static SPIRV_FLOAT8: Row = Row {
    spirv_extensions: &["SPV_EXT_float8"],
    not_from_clang: &["SPV_EXT_float8"],
    capabilities: &[Capability::Float8EXT, Capability::Float8CooperativeMatrixEXT],
    needs: &["SPV_KHR_cooperative_matrix"],
    ..Row::on("SPV_EXT_float8")
};

/// Which matrices there are, for a host to ask.
static COOPERATIVE_MATRIX: Row = Row {
    opencl: &[("cl_khr_cooperative_matrix", version(1, 0, 0))],
    functions: &["clGetDeviceCooperativeMatrixInfoKHR"],
    needs: &["SPV_KHR_cooperative_matrix"],
    ..Row::provisional("cl_khr_cooperative_matrix")
};

static SPIRV_QUERIES: Row = Row {
    opencl: &[("cl_khr_spirv_queries", version(1, 0, 0))],
    ..Row::on("cl_khr_spirv_queries")
};
