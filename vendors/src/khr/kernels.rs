//! What else kernels may do: arithmetic, hints, clocks, copies, enqueuing.

use crate::row::{Features, Row, version};
use rspirv::spirv::Capability;

pub(super) static ROWS: &[&Row] = &[
    &WORK_GROUP_UNIFORM_ARITHMETIC,
    &EXTENDED_BIT_OPS,
    &INTEGER_DOT_PRODUCT,
    &EXPECT_ASSUME,
    &KERNEL_CLOCK,
    &ABORT,
    &ASYNC_COPY_FENCE,
    &EXTENDED_ASYNC_COPIES,
    &DEVICE_ENQUEUE_LOCAL_ARG_TYPES,
];

static WORK_GROUP_UNIFORM_ARITHMETIC: Row = Row {
    opencl: &[("cl_khr_work_group_uniform_arithmetic", version(1, 0, 0))],
    spirv_extensions: &["SPV_KHR_uniform_group_instructions"],
    capabilities: &[Capability::GroupUniformArithmeticKHR],
    needs: &["core:work_group_collective_functions"],
    ..Row::on("cl_khr_work_group_uniform_arithmetic")
};

static EXTENDED_BIT_OPS: Row = Row {
    opencl: &[("cl_khr_extended_bit_ops", version(1, 0, 0))],
    spirv_extensions: &["SPV_KHR_bit_instructions"],
    capabilities: &[Capability::BitInstructions],
    ..Row::on("cl_khr_extended_bit_ops")
};

static INTEGER_DOT_PRODUCT: Row = Row {
    opencl: &[("cl_khr_integer_dot_product", version(2, 0, 0))],
    spirv_extensions: &["SPV_KHR_integer_dot_product"],
    // DotProductInputAll is SPIR-V's, and no query of OpenCL's tells of it; it costs nothing.
    capabilities: &[
        Capability::DotProduct,
        Capability::DotProductInput4x8Bit,
        Capability::DotProductInput4x8BitPacked,
        Capability::DotProductInputAll,
    ],
    macros: &[
        ("__opencl_c_integer_dot_product_input_4x8bit", version(3, 0, 0)),
        ("__opencl_c_integer_dot_product_input_4x8bit_packed", version(3, 0, 0)),
    ],
    features: Features::DOT_PRODUCT_4X8.union(Features::DOT_PRODUCT_PACKED),
    ..Row::on("cl_khr_integer_dot_product")
};

static EXPECT_ASSUME: Row = Row {
    opencl: &[("cl_khr_expect_assume", version(1, 0, 0))],
    spirv_extensions: &["SPV_KHR_expect_assume"],
    capabilities: &[Capability::ExpectAssumeKHR],
    ..Row::on("cl_khr_expect_assume")
};

static KERNEL_CLOCK: Row = Row {
    opencl: &[("cl_khr_kernel_clock", version(1, 0, 0))],
    spirv_extensions: &["SPV_KHR_shader_clock"],
    capabilities: &[Capability::ShaderClockKHR],
    macros: &[
        ("__opencl_c_kernel_clock_scope_device", version(3, 0, 0)),
        ("__opencl_c_kernel_clock_scope_work_group", version(3, 0, 0)),
        ("__opencl_c_kernel_clock_scope_sub_group", version(3, 0, 0)),
    ],
    features: Features::KERNEL_CLOCK,
    needs: &["core:sub_groups"],
    ..Row::on("cl_khr_kernel_clock")
};

/// A kernel that aborts: assertions of OpenCL C are calls of `__assert_fail`, which end the launch with an error.
static ABORT: Row = Row {
    spirv_extensions: &["SPV_KHR_abort"],
    ..Row::off(
        "SPV_KHR_abort",
        "no OpenCL environment has it; it needs SPV_KHR_constant_data, and OpenCL has no query that would tell of its messages",
    )
};

static ASYNC_COPY_FENCE: Row = Row {
    opencl: &[("cl_khr_async_work_group_copy_fence", version(1, 0, 0))],
    ..Row::on("cl_khr_async_work_group_copy_fence")
};

static EXTENDED_ASYNC_COPIES: Row = Row {
    opencl: &[("cl_khr_extended_async_copies", version(1, 0, 0))],
    ..Row::on("cl_khr_extended_async_copies")
};

/// OpEnqueueKernel may be given local memory of any type, not of bytes alone.
static DEVICE_ENQUEUE_LOCAL_ARG_TYPES: Row = Row {
    opencl: &[("cl_khr_device_enqueue_local_arg_types", version(1, 0, 0))],
    needs: &["core:device_enqueue"],
    ..Row::on("cl_khr_device_enqueue_local_arg_types")
};
