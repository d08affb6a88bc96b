//! Khronos's extensions.

use crate::row::{Features, Row, version};
use rspirv::spirv::Capability;

pub(crate) static ROWS: &[&Row] = &[
    &FP16,
    &FP64,
    &INT64_ATOMICS,
    &INT32_ATOMICS,
    &BYTE_ADDRESSABLE_STORE,
    &SUBGROUPS,
    &SUBGROUP_EXTENDED_TYPES,
    &SUBGROUP_NON_UNIFORM_VOTE,
    &SUBGROUP_BALLOT,
    &SUBGROUP_NON_UNIFORM_ARITHMETIC,
    &SUBGROUP_SHUFFLE,
    &SUBGROUP_SHUFFLE_RELATIVE,
    &SUBGROUP_CLUSTERED_REDUCE,
    &SUBGROUP_ROTATE,
    &SUBGROUP_NAMED_BARRIER,
    &SHADER_BALLOT,
    &SHADER_VOTE,
    &WORK_GROUP_UNIFORM_ARITHMETIC,
    &EXTENDED_BIT_OPS,
    &INTEGER_DOT_PRODUCT,
    &EXPECT_ASSUME,
    &KERNEL_CLOCK,
    &ABORT,
    &ASYNC_COPY_FENCE,
    &EXTENDED_ASYNC_COPIES,
    &DEPTH_IMAGES,
    &IMAGE_3D_WRITES,
    &IMAGE2D_FROM_BUFFER,
    &MIPMAP_IMAGE,
    &MIPMAP_IMAGE_WRITES,
    &GL_DEPTH_IMAGES,
    &GL_MSAA_SHARING,
    &DEVICE_ENQUEUE_LOCAL_ARG_TYPES,
    &SRGB_IMAGE_WRITES,
    &SPIRV_NO_INTEGER_WRAP,
    &SPIRV_LINKONCE_ODR,
    &SPIRV_EXTENDED_DEBUG_INFO,
    &SPIRV_FLOAT_CONTROLS2,
    &SPIRV_QUERIES,
    &IL_PROGRAM,
    &ICD,
    &EXTENDED_VERSIONING,
    &CREATE_COMMAND_QUEUE,
    &DEVICE_UUID,
    &PCI_BUS_INFO,
    &SUGGESTED_LOCAL_WORK_SIZE,
    &INITIALIZE_MEMORY,
    &TERMINATE_CONTEXT,
    &PRIORITY_HINTS,
    &THROTTLE_HINTS,
    &SEMAPHORE,
    &COMMAND_BUFFER,
    &COMMAND_BUFFER_MUTABLE_DISPATCH,
    &UNIFIED_SVM,
];

static FP16: Row = Row {
    opencl: &[("cl_khr_fp16", version(1, 0, 0))],
    capabilities: &[Capability::Float16],
    features: Features::FP16,
    ..Row::on("cl_khr_fp16")
};

static FP64: Row = Row {
    opencl: &[("cl_khr_fp64", version(1, 0, 0))],
    capabilities: &[Capability::Float64],
    macros: &[("__opencl_c_fp64", version(3, 0, 0))],
    features: Features::FP64,
    ..Row::on("cl_khr_fp64")
};

/// Both or neither, says the environment specification.
static INT64_ATOMICS: Row = Row {
    opencl: &[
        ("cl_khr_int64_base_atomics", version(1, 0, 0)),
        ("cl_khr_int64_extended_atomics", version(1, 0, 0)),
    ],
    capabilities: &[Capability::Int64Atomics],
    features: Features::INT64_ATOMICS,
    needs: &["core:int64"],
    ..Row::on("cl_khr_int64_atomics")
};

/// Core since OpenCL 1.1; the names stay.
static INT32_ATOMICS: Row = Row {
    opencl: &[
        ("cl_khr_global_int32_base_atomics", version(1, 0, 0)),
        ("cl_khr_global_int32_extended_atomics", version(1, 0, 0)),
        ("cl_khr_local_int32_base_atomics", version(1, 0, 0)),
        ("cl_khr_local_int32_extended_atomics", version(1, 0, 0)),
    ],
    ..Row::on("cl_khr_int32_atomics")
};

static BYTE_ADDRESSABLE_STORE: Row = Row {
    opencl: &[("cl_khr_byte_addressable_store", version(1, 0, 0))],
    ..Row::on("cl_khr_byte_addressable_store")
};

/// Core sub-groups, and besides that independent forward progress.
static SUBGROUPS: Row = Row {
    opencl: &[("cl_khr_subgroups", version(1, 0, 0))],
    features: Features::INDEPENDENT_FORWARD_PROGRESS,
    needs: &["core:sub_groups"],
    ..Row::off(
        "cl_khr_subgroups",
        "sub-groups of a work-group run one after another between barriers: they can't wait for each other",
    )
};

static SUBGROUP_EXTENDED_TYPES: Row = Row {
    opencl: &[("cl_khr_subgroup_extended_types", version(1, 0, 0))],
    level_zero: &["ZE_extension_subgroups"],
    features: Features::SUB_GROUP_EXTENDED_TYPES,
    needs: &["core:sub_groups"],
    ..Row::on("cl_khr_subgroup_extended_types")
};

const NOT_COMPILED: &str = "its instructions are not compiled yet";

static SUBGROUP_NON_UNIFORM_VOTE: Row = Row {
    opencl: &[("cl_khr_subgroup_non_uniform_vote", version(1, 0, 0))],
    level_zero: &["ZE_extension_subgroups"],
    capabilities: &[Capability::GroupNonUniform, Capability::GroupNonUniformVote],
    needs: &["core:sub_groups"],
    ..Row::on("cl_khr_subgroup_non_uniform_vote")
};

static SUBGROUP_BALLOT: Row = Row {
    opencl: &[("cl_khr_subgroup_ballot", version(1, 0, 0))],
    level_zero: &["ZE_extension_subgroups"],
    capabilities: &[Capability::GroupNonUniform, Capability::GroupNonUniformBallot],
    needs: &["core:sub_groups"],
    ..Row::on("cl_khr_subgroup_ballot")
};

static SUBGROUP_NON_UNIFORM_ARITHMETIC: Row = Row {
    opencl: &[("cl_khr_subgroup_non_uniform_arithmetic", version(1, 0, 0))],
    level_zero: &["ZE_extension_subgroups"],
    capabilities: &[Capability::GroupNonUniform, Capability::GroupNonUniformArithmetic],
    needs: &["core:sub_groups"],
    ..Row::on("cl_khr_subgroup_non_uniform_arithmetic")
};

static SUBGROUP_SHUFFLE: Row = Row {
    opencl: &[("cl_khr_subgroup_shuffle", version(1, 0, 0))],
    level_zero: &["ZE_extension_subgroups"],
    capabilities: &[Capability::GroupNonUniform, Capability::GroupNonUniformShuffle],
    needs: &["core:sub_groups"],
    ..Row::on("cl_khr_subgroup_shuffle")
};

static SUBGROUP_SHUFFLE_RELATIVE: Row = Row {
    opencl: &[("cl_khr_subgroup_shuffle_relative", version(1, 0, 0))],
    level_zero: &["ZE_extension_subgroups"],
    capabilities: &[Capability::GroupNonUniform, Capability::GroupNonUniformShuffleRelative],
    needs: &["core:sub_groups"],
    ..Row::on("cl_khr_subgroup_shuffle_relative")
};

static SUBGROUP_CLUSTERED_REDUCE: Row = Row {
    opencl: &[("cl_khr_subgroup_clustered_reduce", version(1, 0, 0))],
    level_zero: &["ZE_extension_subgroups"],
    capabilities: &[Capability::GroupNonUniform, Capability::GroupNonUniformClustered],
    features: Features::SUB_GROUP_CLUSTERED,
    needs: &["core:sub_groups", "cl_khr_subgroup_non_uniform_arithmetic"],
    ..Row::on("cl_khr_subgroup_clustered_reduce")
};

static SUBGROUP_ROTATE: Row = Row {
    opencl: &[("cl_khr_subgroup_rotate", version(1, 0, 0))],
    spirv_extensions: &["SPV_KHR_subgroup_rotate"],
    capabilities: &[Capability::GroupNonUniform, Capability::GroupNonUniformRotateKHR],
    needs: &["core:sub_groups"],
    ..Row::on("cl_khr_subgroup_rotate")
};

static SUBGROUP_NAMED_BARRIER: Row = Row {
    opencl: &[("cl_khr_subgroup_named_barrier", version(1, 0, 0))],
    capabilities: &[Capability::NamedBarrier],
    needs: &["core:sub_groups"],
    ..Row::off("cl_khr_subgroup_named_barrier", NOT_COMPILED)
};

/// OpSubgroupBallotKHR, OpSubgroupFirstInvocationKHR, OpSubgroupReadInvocationKHR.
static SHADER_BALLOT: Row = Row {
    spirv_extensions: &["SPV_KHR_shader_ballot"],
    not_from_clang: &["SPV_KHR_shader_ballot"],
    capabilities: &[Capability::SubgroupBallotKHR],
    needs: &["core:sub_groups"],
    ..Row::on("SPV_KHR_shader_ballot")
};

/// OpSubgroupAllKHR and its kin.
static SHADER_VOTE: Row = Row {
    spirv_extensions: &["SPV_KHR_subgroup_vote"],
    not_from_clang: &["SPV_KHR_subgroup_vote"],
    capabilities: &[Capability::SubgroupVoteKHR],
    needs: &["core:sub_groups"],
    ..Row::on("SPV_KHR_subgroup_vote")
};

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

const NO_OPENGL: &str = "this device shares nothing with OpenGL";

static DEPTH_IMAGES: Row = Row {
    opencl: &[("cl_khr_depth_images", version(1, 0, 0))],
    features: Features::DEPTH_IMAGES,
    needs: &["core:images"],
    ..Row::on("cl_khr_depth_images")
};

static IMAGE_3D_WRITES: Row = Row {
    opencl: &[("cl_khr_3d_image_writes", version(1, 0, 0))],
    macros: &[("__opencl_c_3d_image_writes", version(3, 0, 0))],
    features: Features::IMAGE_3D_WRITES,
    needs: &["core:images"],
    ..Row::on("cl_khr_3d_image_writes")
};

static IMAGE2D_FROM_BUFFER: Row = Row {
    opencl: &[("cl_khr_image2d_from_buffer", version(1, 0, 0))],
    needs: &["core:images"],
    ..Row::on("cl_khr_image2d_from_buffer")
};

static MIPMAP_IMAGE: Row = Row {
    opencl: &[("cl_khr_mipmap_image", version(1, 0, 0))],
    features: Features::MIPMAPS,
    needs: &["core:images"],
    ..Row::on("cl_khr_mipmap_image")
};

static MIPMAP_IMAGE_WRITES: Row = Row {
    opencl: &[("cl_khr_mipmap_image_writes", version(1, 0, 0))],
    capabilities: &[Capability::ImageMipmap],
    features: Features::MIPMAP_WRITES,
    needs: &["cl_khr_mipmap_image"],
    ..Row::on("cl_khr_mipmap_image_writes")
};

static GL_DEPTH_IMAGES: Row = Row {
    opencl: &[("cl_khr_gl_depth_images", version(1, 0, 0))],
    needs: &["cl_khr_depth_images"],
    ..Row::off("cl_khr_gl_depth_images", NO_OPENGL)
};

static GL_MSAA_SHARING: Row = Row {
    opencl: &[("cl_khr_gl_msaa_sharing", version(1, 0, 0))],
    features: Features::MULTISAMPLED_IMAGES,
    needs: &["cl_khr_gl_depth_images"],
    ..Row::off("cl_khr_gl_msaa_sharing", NO_OPENGL)
};

/// OpEnqueueKernel may be given local memory of any type, not of bytes alone.
static DEVICE_ENQUEUE_LOCAL_ARG_TYPES: Row = Row {
    opencl: &[("cl_khr_device_enqueue_local_arg_types", version(1, 0, 0))],
    needs: &["core:device_enqueue"],
    ..Row::off(
        "cl_khr_device_enqueue_local_arg_types",
        "kernels can't enqueue kernels on this device",
    )
};

static SRGB_IMAGE_WRITES: Row = Row {
    opencl: &[("cl_khr_srgb_image_writes", version(1, 0, 0))],
    features: Features::SRGB_WRITES,
    needs: &["core:images"],
    ..Row::on("cl_khr_srgb_image_writes")
};

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

static SPIRV_QUERIES: Row = Row {
    opencl: &[("cl_khr_spirv_queries", version(1, 0, 0))],
    ..Row::on("cl_khr_spirv_queries")
};

static IL_PROGRAM: Row = Row {
    opencl: &[("cl_khr_il_program", version(1, 0, 0))],
    functions: &["clCreateProgramWithILKHR"],
    needs: &["core:intermediate_language"],
    ..Row::on("cl_khr_il_program")
};

static ICD: Row = Row {
    opencl: &[("cl_khr_icd", version(2, 0, 0))],
    functions: &[
        "clIcdGetPlatformIDsKHR",
        "clIcdGetFunctionAddressForPlatformKHR",
        "clIcdSetPlatformDispatchDataKHR",
    ],
    ..Row::on("cl_khr_icd")
};

static EXTENDED_VERSIONING: Row = Row {
    opencl: &[("cl_khr_extended_versioning", version(1, 0, 0))],
    ..Row::on("cl_khr_extended_versioning")
};

static CREATE_COMMAND_QUEUE: Row = Row {
    opencl: &[("cl_khr_create_command_queue", version(1, 0, 0))],
    functions: &["clCreateCommandQueueWithPropertiesKHR"],
    ..Row::on("cl_khr_create_command_queue")
};

static DEVICE_UUID: Row = Row {
    opencl: &[("cl_khr_device_uuid", version(1, 0, 0))],
    ..Row::on("cl_khr_device_uuid")
};

static PCI_BUS_INFO: Row = Row {
    opencl: &[("cl_khr_pci_bus_info", version(1, 0, 0))],
    ..Row::off("cl_khr_pci_bus_info", "a processor is on no PCI bus")
};

static SUGGESTED_LOCAL_WORK_SIZE: Row = Row {
    opencl: &[("cl_khr_suggested_local_work_size", version(1, 0, 0))],
    functions: &["clGetKernelSuggestedLocalWorkSizeKHR"],
    ..Row::on("cl_khr_suggested_local_work_size")
};

static INITIALIZE_MEMORY: Row = Row {
    opencl: &[("cl_khr_initialize_memory", version(1, 0, 0))],
    ..Row::on("cl_khr_initialize_memory")
};

static TERMINATE_CONTEXT: Row = Row {
    opencl: &[("cl_khr_terminate_context", version(1, 0, 0))],
    functions: &["clTerminateContextKHR"],
    ..Row::on("cl_khr_terminate_context")
};

static PRIORITY_HINTS: Row = Row {
    opencl: &[("cl_khr_priority_hints", version(1, 0, 0))],
    ..Row::on("cl_khr_priority_hints")
};

static THROTTLE_HINTS: Row = Row {
    opencl: &[("cl_khr_throttle_hints", version(1, 0, 0))],
    ..Row::on("cl_khr_throttle_hints")
};

static SEMAPHORE: Row = Row {
    opencl: &[("cl_khr_semaphore", version(1, 0, 1))],
    functions: &[
        "clCreateSemaphoreWithPropertiesKHR",
        "clEnqueueWaitSemaphoresKHR",
        "clEnqueueSignalSemaphoresKHR",
        "clGetSemaphoreInfoKHR",
        "clReleaseSemaphoreKHR",
        "clRetainSemaphoreKHR",
        // Of cl_khr_external_semaphore; programs that use semaphores look it up with the others.
        "clGetSemaphoreHandleForTypeKHR",
    ],
    ..Row::on("cl_khr_semaphore")
};

static COMMAND_BUFFER: Row = Row {
    opencl: &[("cl_khr_command_buffer", version(0, 9, 8))],
    functions: &[
        "clCreateCommandBufferKHR",
        "clRetainCommandBufferKHR",
        "clReleaseCommandBufferKHR",
        "clFinalizeCommandBufferKHR",
        "clEnqueueCommandBufferKHR",
        "clCommandBarrierWithWaitListKHR",
        "clCommandCopyBufferKHR",
        "clCommandCopyBufferRectKHR",
        "clCommandCopyBufferToImageKHR",
        "clCommandCopyImageKHR",
        "clCommandCopyImageToBufferKHR",
        "clCommandFillBufferKHR",
        "clCommandFillImageKHR",
        "clCommandNDRangeKernelKHR",
        "clCommandSVMMemcpyKHR",
        "clCommandSVMMemFillKHR",
        "clGetCommandBufferInfoKHR",
    ],
    ..Row::on("cl_khr_command_buffer")
};

static COMMAND_BUFFER_MUTABLE_DISPATCH: Row = Row {
    opencl: &[("cl_khr_command_buffer_mutable_dispatch", version(0, 9, 5))],
    functions: &["clUpdateMutableCommandsKHR", "clGetMutableCommandInfoKHR"],
    needs: &["cl_khr_command_buffer"],
    ..Row::on("cl_khr_command_buffer_mutable_dispatch")
};

static UNIFIED_SVM: Row = Row {
    opencl: &[("cl_khr_unified_svm", version(0, 9, 0))],
    functions: &[
        "clSVMAllocWithPropertiesKHR",
        "clSVMFreeWithPropertiesKHR",
        "clGetSVMPointerInfoKHR",
        "clGetSVMSuggestedTypeIndexKHR",
    ],
    needs: &["core:svm"],
    ..Row::off("cl_khr_unified_svm", "its specification does not say yet what its functions do")
};
