//! Intel's extensions.

use crate::row::{Features, Row, version};
use rspirv::spirv::Capability;

pub(crate) static ROWS: &[&Row] = &[
    &SUBGROUPS,
    &SUBGROUPS_SHORT,
    &SUBGROUPS_CHAR,
    &SUBGROUPS_LONG,
    &SPV_SUBGROUPS,
    &SPIRV_SUBGROUPS,
    &SUBGROUP_LOCAL_BLOCK_IO,
    &BLOCK_IO_2D,
    &REQUIRED_SUBGROUP_SIZE,
    &BFLOAT16_CONVERSIONS,
    &TENSOR_FLOAT32_CONVERSION,
    &JOINT_MATRIX,
    &SUBGROUP_MATRIX_MULTIPLY_ACCUMULATE,
    &SUBGROUP_MATRIX_MULTIPLY_ACCUMULATE_TF32,
    &SUBGROUP_SPLIT_MATRIX_MULTIPLY_ACCUMULATE,
    &SPLIT_WORK_GROUP_BARRIER,
    &UNIFIED_SHARED_MEMORY,
    &CREATE_BUFFER_WITH_PROPERTIES,
    &DEVICE_ATTRIBUTE_QUERY,
    &DEVICE_PARTITION_BY_NAMES,
    &MEMORY_ACCESS_ALIASING,
    &FP_FAST_MATH_MODE,
    &FLOAT_CONTROLS2,
    &FUNCTION_FLOAT_CONTROLS,
    &KERNEL_ATTRIBUTES,
    &LONG_COMPOSITES,
    &ARITHMETIC_FENCE,
    &CACHE_CONTROLS,
    &GLOBAL_VARIABLE_DECORATIONS,
    &MASKED_GATHER_SCATTER,
    &FUNCTION_POINTERS,
    &VARIABLE_LENGTH_ARRAY,
    &UNSTRUCTURED_LOOP_CONTROLS,
    &INLINE_ASSEMBLY,
    &ARBITRARY_PRECISION_INTEGERS,
    &ARBITRARY_PRECISION_FIXED_POINT,
    &ARBITRARY_PRECISION_FLOATING_POINT,
];

static SUBGROUPS: Row = Row {
    opencl: &[("cl_intel_subgroups", version(1, 0, 0))],
    needs: &["core:sub_groups", "SPV_INTEL_subgroups"],
    ..Row::on("cl_intel_subgroups")
};

static SUBGROUPS_SHORT: Row = Row {
    opencl: &[("cl_intel_subgroups_short", version(1, 1, 0))],
    needs: &["cl_intel_subgroups", "cl_khr_subgroup_extended_types"],
    ..Row::on("cl_intel_subgroups_short")
};

static SUBGROUPS_CHAR: Row = Row {
    opencl: &[("cl_intel_subgroups_char", version(1, 0, 0))],
    needs: &["cl_intel_subgroups", "cl_khr_subgroup_extended_types"],
    ..Row::on("cl_intel_subgroups_char")
};

static SUBGROUPS_LONG: Row = Row {
    opencl: &[("cl_intel_subgroups_long", version(1, 0, 0))],
    needs: &["cl_intel_subgroups"],
    ..Row::on("cl_intel_subgroups_long")
};

/// Shuffles, and block reads and writes of buffers.
static SPV_SUBGROUPS: Row = Row {
    spirv_extensions: &["SPV_INTEL_subgroups"],
    capabilities: &[Capability::SubgroupShuffleINTEL, Capability::SubgroupBufferBlockIOINTEL],
    needs: &["core:sub_groups"],
    ..Row::on("SPV_INTEL_subgroups")
};

/// The same for images too, which makes it whole.
static SPIRV_SUBGROUPS: Row = Row {
    opencl: &[("cl_intel_spirv_subgroups", version(1, 0, 0))],
    spirv_extensions: &["SPV_INTEL_subgroups"],
    capabilities: &[Capability::SubgroupImageBlockIOINTEL],
    needs: &["SPV_INTEL_subgroups", "core:images"],
    ..Row::on("cl_intel_spirv_subgroups")
};

/// Block reads and writes of local memory, by the instructions that there are for global memory.
static SUBGROUP_LOCAL_BLOCK_IO: Row = Row {
    opencl: &[("cl_intel_subgroup_local_block_io", version(1, 0, 1))],
    needs: &["cl_intel_subgroups", "cl_intel_spirv_subgroups"],
    ..Row::on("cl_intel_subgroup_local_block_io")
};

/// Blocks of memory with rows. OpenCL C has no functions for it here.
static BLOCK_IO_2D: Row = Row {
    spirv_extensions: &["SPV_INTEL_2d_block_io"],
    not_from_clang: &["SPV_INTEL_2d_block_io"],
    capabilities: &[
        Capability::Subgroup2DBlockIOINTEL,
        Capability::Subgroup2DBlockTransformINTEL,
        Capability::Subgroup2DBlockTransposeINTEL,
    ],
    needs: &["core:sub_groups"],
    ..Row::on("SPV_INTEL_2d_block_io")
};

static REQUIRED_SUBGROUP_SIZE: Row = Row {
    opencl: &[("cl_intel_required_subgroup_size", version(1, 0, 0))],
    features: Features::REQUIRED_SUB_GROUP_SIZE,
    needs: &["core:sub_groups"],
    ..Row::on("cl_intel_required_subgroup_size")
};

static BFLOAT16_CONVERSIONS: Row = Row {
    opencl: &[("cl_intel_bfloat16_conversions", version(1, 0, 0))],
    level_zero: &["ZE_extension_bfloat16_conversions"],
    // The Level Zero specification spells the extension without its f.
    spirv_extensions: &["SPV_INTEL_bfloat16_conversion", "SPV_INTEL_bloat16_conversion"],
    not_from_clang: &["SPV_INTEL_bloat16_conversion"],
    capabilities: &[Capability::BFloat16ConversionINTEL],
    ..Row::on("cl_intel_bfloat16_conversions")
};

/// Rounds floats to the numbers of 10 bits of fraction that matrix units take.
static TENSOR_FLOAT32_CONVERSION: Row = Row {
    spirv_extensions: &["SPV_INTEL_tensor_float32_conversion"],
    capabilities: &[Capability::TensorFloat32RoundingINTEL],
    ..Row::on("SPV_INTEL_tensor_float32_conversion")
};

/// A working draft: of cooperative matrices, packed layouts, TF32 and bfloat16 in floats and integers, checked loads and stores, coordinates; and the
/// joint matrices that it had before.
static JOINT_MATRIX: Row = Row {
    spirv_extensions: &["SPV_INTEL_joint_matrix"],
    not_from_clang: &["SPV_INTEL_joint_matrix"],
    newer_capabilities: &[6118, 6192, 6411, 6434, 6435, 6436, 6437],
    needs: &["SPV_KHR_cooperative_matrix"],
    ..Row::provisional("SPV_INTEL_joint_matrix")
};

/// Products of matrices whose columns are a sub-group's work-items.
static SUBGROUP_MATRIX_MULTIPLY_ACCUMULATE: Row = Row {
    opencl: &[("cl_intel_subgroup_matrix_multiply_accumulate", version(1, 1, 0))],
    spirv_extensions: &["SPV_INTEL_subgroup_matrix_multiply_accumulate"],
    not_from_clang: &["SPV_INTEL_subgroup_matrix_multiply_accumulate"],
    capabilities: &[Capability::SubgroupMatrixMultiplyAccumulateINTEL],
    needs: &["cl_intel_required_subgroup_size"],
    ..Row::on("cl_intel_subgroup_matrix_multiply_accumulate")
};

static SUBGROUP_MATRIX_MULTIPLY_ACCUMULATE_TF32: Row = Row {
    opencl: &[("cl_intel_subgroup_matrix_multiply_accumulate_tf32", version(1, 0, 0))],
    needs: &[
        "cl_intel_subgroup_matrix_multiply_accumulate",
        "SPV_INTEL_tensor_float32_conversion",
    ],
    ..Row::on("cl_intel_subgroup_matrix_multiply_accumulate_tf32")
};

/// The same by two sub-groups, each of which has half of the first matrix.
static SUBGROUP_SPLIT_MATRIX_MULTIPLY_ACCUMULATE: Row = Row {
    opencl: &[("cl_intel_subgroup_split_matrix_multiply_accumulate", version(1, 0, 0))],
    needs: &["cl_intel_subgroup_matrix_multiply_accumulate", "cl_khr_subgroup_rotate"],
    ..Row::on("cl_intel_subgroup_split_matrix_multiply_accumulate")
};

static SPLIT_WORK_GROUP_BARRIER: Row = Row {
    opencl: &[("cl_intel_split_work_group_barrier", version(1, 0, 0))],
    spirv_extensions: &["SPV_INTEL_split_barrier"],
    capabilities: &[Capability::SplitBarrierINTEL],
    ..Row::on("cl_intel_split_work_group_barrier")
};

static UNIFIED_SHARED_MEMORY: Row = Row {
    opencl: &[("cl_intel_unified_shared_memory", version(1, 1, 0))],
    functions: &[
        "clHostMemAllocINTEL",
        "clDeviceMemAllocINTEL",
        "clSharedMemAllocINTEL",
        "clMemFreeINTEL",
        "clMemBlockingFreeINTEL",
        "clGetMemAllocInfoINTEL",
        "clSetKernelArgMemPointerINTEL",
        "clEnqueueMemFillINTEL",
        "clEnqueueMemcpyINTEL",
        "clEnqueueMigrateMemINTEL",
        "clEnqueueMemAdviseINTEL",
        "clEnqueueMemsetINTEL",
    ],
    needs: &["core:svm"],
    ..Row::on("cl_intel_unified_shared_memory")
};

static CREATE_BUFFER_WITH_PROPERTIES: Row = Row {
    opencl: &[("cl_intel_create_buffer_with_properties", version(1, 0, 0))],
    functions: &["clCreateBufferWithPropertiesINTEL"],
    ..Row::on("cl_intel_create_buffer_with_properties")
};

/// What the processor is, and how its compute units lie among its caches and nodes.
static DEVICE_ATTRIBUTE_QUERY: Row = Row {
    opencl: &[("cl_intel_device_attribute_query", version(1, 0, 0))],
    ..Row::on("cl_intel_device_attribute_query")
};

static DEVICE_PARTITION_BY_NAMES: Row = Row {
    opencl: &[("cl_intel_device_partition_by_names", version(1, 0, 0))],
    ..Row::off(
        "cl_intel_device_partition_by_names",
        "compute units are not bound to processors, so that a name would stand for none",
    )
};

/// Says which accesses don't overlap.
static MEMORY_ACCESS_ALIASING: Row = Row {
    spirv_extensions: &["SPV_INTEL_memory_access_aliasing"],
    capabilities: &[Capability::MemoryAccessAliasingINTEL],
    ..Row::on("SPV_INTEL_memory_access_aliasing")
};

/// AllowContract and AllowReassoc among the fast-math modes.
static FP_FAST_MATH_MODE: Row = Row {
    spirv_extensions: &["SPV_INTEL_fp_fast_math_mode"],
    not_from_clang: &["SPV_INTEL_fp_fast_math_mode"],
    capabilities: &[Capability::FPFastMathModeINTEL],
    ..Row::on("SPV_INTEL_fp_fast_math_mode")
};

/// Rounding up and down.
static FLOAT_CONTROLS2: Row = Row {
    spirv_extensions: &["SPV_INTEL_float_controls2"],
    capabilities: &[Capability::RoundToInfinityINTEL],
    needs: &["core:float_controls"],
    ..Row::on("SPV_INTEL_float_controls2")
};

/// Modes that a function has, and the arithmetic of Intel's GPUs that knows no NaN.
static FUNCTION_FLOAT_CONTROLS: Row = Row {
    spirv_extensions: &["SPV_INTEL_float_controls2"],
    capabilities: &[Capability::FloatingPointModeINTEL, Capability::FunctionFloatControlINTEL],
    needs: &["SPV_INTEL_float_controls2"],
    ..Row::off(
        "SPV_INTEL_float_controls2:functions",
        "floating-point modes are those of kernels here, not of single functions",
    )
};

/// Execution modes that limit launches or tune FPGAs.
static KERNEL_ATTRIBUTES: Row = Row {
    spirv_extensions: &["SPV_INTEL_kernel_attributes"],
    capabilities: &[Capability::KernelAttributesINTEL],
    ..Row::on("SPV_INTEL_kernel_attributes")
};

/// Composites and structs of more than 65,535 parts.
static LONG_COMPOSITES: Row = Row {
    spirv_extensions: &["SPV_INTEL_long_composites"],
    capabilities: &[Capability::LongCompositesINTEL],
    ..Row::on("SPV_INTEL_long_composites")
};

static ARITHMETIC_FENCE: Row = Row {
    spirv_extensions: &["SPV_INTEL_arithmetic_fence"],
    not_from_clang: &["SPV_INTEL_arithmetic_fence"],
    needs: &["SPV_EXT_arithmetic_fence"],
    ..Row::on("SPV_INTEL_arithmetic_fence")
};

/// Hints about caches.
static CACHE_CONTROLS: Row = Row {
    spirv_extensions: &["SPV_INTEL_cache_controls"],
    capabilities: &[Capability::CacheControlsINTEL],
    ..Row::on("SPV_INTEL_cache_controls")
};

/// How the host may access a variable, and how an FPGA initializes it.
static GLOBAL_VARIABLE_DECORATIONS: Row = Row {
    spirv_extensions: &["SPV_INTEL_global_variable_decorations", "SPV_INTEL_global_variable_host_access"],
    not_from_clang: &["SPV_INTEL_global_variable_decorations"],
    capabilities: &[Capability::GlobalVariableHostAccessINTEL],
    ..Row::on("SPV_INTEL_global_variable_decorations")
};

static MASKED_GATHER_SCATTER: Row = Row {
    spirv_extensions: &["SPV_INTEL_masked_gather_scatter"],
    not_from_clang: &["SPV_INTEL_masked_gather_scatter"],
    capabilities: &[Capability::MaskedGatherScatterINTEL],
    ..Row::on("SPV_INTEL_masked_gather_scatter")
};

/// Compilers list it in every module.
static FUNCTION_POINTERS: Row = Row {
    spirv_extensions: &["SPV_INTEL_function_pointers"],
    not_from_clang: &["SPV_INTEL_function_pointers"],
    capabilities: &[Capability::FunctionPointersINTEL, Capability::IndirectReferencesINTEL],
    ..Row::on("SPV_INTEL_function_pointers")
};

static VARIABLE_LENGTH_ARRAY: Row = Row {
    spirv_extensions: &["SPV_INTEL_variable_length_array"],
    capabilities: &[Capability::VariableLengthArrayINTEL],
    ..Row::on("SPV_INTEL_variable_length_array")
};

static UNSTRUCTURED_LOOP_CONTROLS: Row = Row {
    spirv_extensions: &["SPV_INTEL_unstructured_loop_controls"],
    not_from_clang: &["SPV_INTEL_unstructured_loop_controls"],
    capabilities: &[Capability::UnstructuredLoopControlsINTEL],
    ..Row::on("SPV_INTEL_unstructured_loop_controls")
};

static INLINE_ASSEMBLY: Row = Row {
    spirv_extensions: &["SPV_INTEL_inline_assembly"],
    not_from_clang: &["SPV_INTEL_inline_assembly"],
    capabilities: &[Capability::AsmINTEL],
    ..Row::off(
        "SPV_INTEL_inline_assembly",
        "assembly is one processor's, and of one work-item; kernels are compiled for whatever processor runs them, many work-items at a time",
    )
};

/// Integers of 1 to 64 bits. clang is told of it in any case; what comes of that is compiled again without optimization.
static ARBITRARY_PRECISION_INTEGERS: Row = Row {
    spirv_extensions: &["SPV_INTEL_arbitrary_precision_integers", "SPV_ALTERA_arbitrary_precision_integers"],
    not_from_clang: &["SPV_INTEL_arbitrary_precision_integers", "SPV_ALTERA_arbitrary_precision_integers"],
    capabilities: &[Capability::ArbitraryPrecisionIntegersINTEL],
    ..Row::on("SPV_INTEL_arbitrary_precision_integers")
};

const FPGA: &str = "numbers of arbitrary width with a point are for FPGAs, and this device has none";

static ARBITRARY_PRECISION_FIXED_POINT: Row = Row {
    spirv_extensions: &["SPV_INTEL_arbitrary_precision_fixed_point"],
    capabilities: &[Capability::ArbitraryPrecisionFixedPointINTEL],
    needs: &["SPV_INTEL_arbitrary_precision_integers"],
    ..Row::off("SPV_INTEL_arbitrary_precision_fixed_point", FPGA)
};

static ARBITRARY_PRECISION_FLOATING_POINT: Row = Row {
    spirv_extensions: &["SPV_INTEL_arbitrary_precision_floating_point"],
    capabilities: &[Capability::ArbitraryPrecisionFloatingPointINTEL],
    needs: &["SPV_INTEL_arbitrary_precision_integers"],
    ..Row::off("SPV_INTEL_arbitrary_precision_floating_point", FPGA)
};
