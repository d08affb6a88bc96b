//! Features of OpenCL's core: what every device has, and what OpenCL 3.0 leaves to the device (API specification, appendix "OpenCL 3.0 Backwards
//! Compatibility"; OpenCL SPIR-V Environment, section 3).

use crate::row::{AtomicCapabilities, Features, Row, Svm, version};
use rspirv::spirv::Capability;

pub(crate) static ROWS: &[&Row] = &[
    &KERNEL,
    &INT64,
    &INT64_EMBEDDED,
    &INTERMEDIATE_LANGUAGE,
    &GENERIC_ADDRESS_SPACE,
    &PROGRAM_SCOPE_VARIABLES,
    &WORK_GROUP_COLLECTIVES,
    &SUB_GROUPS,
    &NON_UNIFORM_WORK_GROUPS,
    &ATOMIC_ORDER_ACQ_REL,
    &ATOMIC_ORDER_SEQ_CST,
    &ATOMIC_SCOPE_DEVICE,
    &ATOMIC_SCOPE_ALL_DEVICES,
    &SVM,
    &IMAGES,
    &READ_WRITE_IMAGES,
    &PIPES,
    &PIPE_STORAGE,
    &DEVICE_ENQUEUE,
    &DEBUG_INFORMATION,
    &FLOAT_CONTROLS,
    &UNIFORM_DECORATION,
];

/// What every environment accepts.
static KERNEL: Row = Row {
    capabilities: &[
        Capability::Addresses,
        Capability::Float16Buffer,
        Capability::Int16,
        Capability::Int8,
        Capability::Kernel,
        Capability::Linkage,
        Capability::Vector16,
    ],
    instruction_sets: &["OpenCL.std"],
    atomic_memory: AtomicCapabilities::ORDER_RELAXED.union(AtomicCapabilities::SCOPE_WORK_GROUP),
    atomic_fence: AtomicCapabilities::ORDER_RELAXED
        .union(AtomicCapabilities::ORDER_ACQ_REL)
        .union(AtomicCapabilities::SCOPE_WORK_ITEM)
        .union(AtomicCapabilities::SCOPE_WORK_GROUP),
    ..Row::on("core:kernel")
};

/// 64-bit integers: required of the full profile.
static INT64: Row = Row {
    capabilities: &[Capability::Int64],
    macros: &[("__opencl_c_int64", version(3, 0, 0))],
    ..Row::on("core:int64")
};

/// 64-bit integers in the embedded profile.
static INT64_EMBEDDED: Row = Row {
    opencl: &[("cles_khr_int64", version(1, 0, 0))],
    capabilities: &[Capability::Int64],
    ..Row::off("cles_khr_int64", "a device of the full profile has 64-bit integers without it")
};

static INTERMEDIATE_LANGUAGE: Row = Row {
    features: Features::INTERMEDIATE_LANGUAGE,
    ..Row::on("core:intermediate_language")
};

static GENERIC_ADDRESS_SPACE: Row = Row {
    capabilities: &[Capability::GenericPointer],
    macros: &[("__opencl_c_generic_address_space", version(3, 0, 0))],
    features: Features::GENERIC_ADDRESS_SPACE,
    ..Row::on("core:generic_address_space")
};

static PROGRAM_SCOPE_VARIABLES: Row = Row {
    macros: &[("__opencl_c_program_scope_global_variables", version(3, 0, 0))],
    features: Features::PROGRAM_SCOPE_VARIABLES,
    ..Row::on("core:program_scope_global_variables")
};

static WORK_GROUP_COLLECTIVES: Row = Row {
    capabilities: &[Capability::Groups],
    macros: &[("__opencl_c_work_group_collective_functions", version(3, 0, 0))],
    features: Features::WORK_GROUP_COLLECTIVES,
    ..Row::on("core:work_group_collective_functions")
};

static SUB_GROUPS: Row = Row {
    // Of cl_khr_subgroups; programs that use sub-groups look it up.
    functions: &["clGetKernelSubGroupInfoKHR"],
    macros: &[("__opencl_c_subgroups", version(3, 0, 0))],
    // SubgroupDispatch is enabled with sub-groups (environment 3.2), although SPIR-V lets it imply DeviceEnqueue.
    capabilities: &[Capability::Groups, Capability::SubgroupDispatch],
    features: Features::SUB_GROUPS,
    ..Row::on("core:sub_groups")
};

static NON_UNIFORM_WORK_GROUPS: Row = Row {
    features: Features::NON_UNIFORM_WORK_GROUPS,
    ..Row::on("core:non_uniform_work_groups")
};

static ATOMIC_ORDER_ACQ_REL: Row = Row {
    macros: &[("__opencl_c_atomic_order_acq_rel", version(3, 0, 0))],
    atomic_memory: AtomicCapabilities::ORDER_ACQ_REL,
    atomic_fence: AtomicCapabilities::ORDER_ACQ_REL,
    ..Row::on("core:atomic_order_acq_rel")
};

static ATOMIC_ORDER_SEQ_CST: Row = Row {
    macros: &[("__opencl_c_atomic_order_seq_cst", version(3, 0, 0))],
    atomic_memory: AtomicCapabilities::ORDER_SEQ_CST,
    atomic_fence: AtomicCapabilities::ORDER_SEQ_CST,
    needs: &["core:atomic_order_acq_rel"],
    ..Row::on("core:atomic_order_seq_cst")
};

static ATOMIC_SCOPE_DEVICE: Row = Row {
    macros: &[("__opencl_c_atomic_scope_device", version(3, 0, 0))],
    atomic_memory: AtomicCapabilities::SCOPE_DEVICE,
    atomic_fence: AtomicCapabilities::SCOPE_DEVICE,
    ..Row::on("core:atomic_scope_device")
};

static ATOMIC_SCOPE_ALL_DEVICES: Row = Row {
    macros: &[("__opencl_c_atomic_scope_all_devices", version(3, 0, 0))],
    atomic_memory: AtomicCapabilities::SCOPE_ALL_DEVICES,
    atomic_fence: AtomicCapabilities::SCOPE_ALL_DEVICES,
    needs: &["core:atomic_scope_device"],
    ..Row::on("core:atomic_scope_all_devices")
};

/// Buffers are host memory, and kernels run on the host's cores: shared virtual memory is there for nothing.
static SVM: Row = Row {
    svm: Svm::all(),
    ..Row::on("core:svm")
};

static IMAGES: Row = Row {
    capabilities: &[
        Capability::ImageBasic,
        Capability::LiteralSampler,
        Capability::Sampled1D,
        Capability::Image1D,
        Capability::SampledBuffer,
        Capability::ImageBuffer,
    ],
    macros: &[("__opencl_c_images", version(3, 0, 0))],
    features: Features::IMAGES,
    ..Row::on("core:images")
};

static READ_WRITE_IMAGES: Row = Row {
    capabilities: &[Capability::ImageReadWrite],
    macros: &[("__opencl_c_read_write_images", version(3, 0, 0))],
    features: Features::READ_WRITE_IMAGES,
    needs: &["core:images"],
    ..Row::on("core:read_write_images")
};

static PIPES: Row = Row {
    capabilities: &[Capability::Pipes],
    macros: &[("__opencl_c_pipes", version(3, 0, 0))],
    features: Features::PIPES,
    needs: &["core:program_scope_global_variables", "core:generic_address_space"],
    ..Row::on("core:pipes")
};

/// Pipes that a program declares itself; a matter of the OpenCL 2.2 profile.
static PIPE_STORAGE: Row = Row {
    capabilities: &[Capability::PipeStorage],
    needs: &["core:pipes"],
    ..Row::off(
        "core:pipe_storage",
        "programs are given pipes by the host, and make none of their own (OpConstantPipeStorage)",
    )
};

static DEVICE_ENQUEUE: Row = Row {
    capabilities: &[Capability::DeviceEnqueue],
    macros: &[("__opencl_c_device_enqueue", version(3, 0, 0))],
    features: Features::DEVICE_ENQUEUE,
    needs: &["core:program_scope_global_variables", "core:generic_address_space"],
    ..Row::on("core:device_enqueue")
};

/// Instructions that say nothing of execution.
static DEBUG_INFORMATION: Row = Row {
    spirv_extensions: &["SPV_KHR_non_semantic_info"],
    instruction_sets: &["NonSemantic.*"],
    ..Row::on("core:non_semantic_info")
};

/// SPV_KHR_float_controls is in SPIR-V's core since 1.4.
static FLOAT_CONTROLS: Row = Row {
    spirv_extensions: &["SPV_KHR_float_controls"],
    capabilities: &[
        Capability::DenormPreserve,
        Capability::DenormFlushToZero,
        Capability::SignedZeroInfNanPreserve,
        Capability::RoundingModeRTE,
        Capability::RoundingModeRTZ,
    ],
    ..Row::on("core:float_controls")
};

/// Uniform and UniformId, which tell that a value is the same for all.
static UNIFORM_DECORATION: Row = Row {
    capabilities: &[Capability::UniformDecoration],
    ..Row::on("core:uniform_decoration")
};
