//! What clGetDeviceInfo says: table 5 of §4.2.

use crate::cl::*;
use crate::device::Device;
use crate::environment::{self, name_version, names, names_and_versions, version, version_text};
use crate::error::Result;
use crate::handle::Object;
use crate::info::Info;
use crate::machine;
use crate::platform::Platform;
use core::ptr::null_mut;

/// Work-items in a group, in all and in each dimension.
pub const MAX_WORK_GROUP_SIZE: usize = 4096;
/// Bytes of a kernel's arguments.
pub const MAX_PARAMETER_SIZE: usize = 4096;
/// Alignment of buffers and sub-buffers: the size of the largest type, long16.
pub const MEMORY_ALIGNMENT: usize = 128;

const FP_CONFIG: cl_device_fp_config = CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST | CL_FP_FMA;
const QUEUE_PROPERTIES: cl_command_queue_properties = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;
/// Device and host share one memory, whatever allocated it.
pub const SVM_CAPABILITIES: cl_device_svm_capabilities =
    CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_SYSTEM | CL_DEVICE_SVM_ATOMICS;
const ATOMIC_ORDERS: cl_bitfield = CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_ORDER_ACQ_REL | CL_DEVICE_ATOMIC_ORDER_SEQ_CST;
const ATOMIC_SCOPES: cl_bitfield = CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP | CL_DEVICE_ATOMIC_SCOPE_DEVICE | CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES;

/// CL_DEVICE_PARTITION_AFFINITY_DOMAIN
pub fn affinity_domains() -> cl_device_affinity_domain {
    0
}

/// The answer to a query.
pub fn query(device: &Device, param_name: cl_device_info) -> Result<Info> {
    Ok(match param_name {
        // What it is.
        CL_DEVICE_TYPE => Info::of(CL_DEVICE_TYPE_CPU),
        CL_DEVICE_VENDOR_ID => Info::of(machine::vendor_id()),
        CL_DEVICE_NAME => Info::text(machine::name()),
        CL_DEVICE_VENDOR => Info::text(environment::VENDOR),
        CL_DRIVER_VERSION => Info::text(environment::DRIVER_VERSION),
        CL_DEVICE_PROFILE => Info::text("FULL_PROFILE"),
        CL_DEVICE_VERSION => Info::text(&version_text("OpenCL ")),
        CL_DEVICE_NUMERIC_VERSION => Info::of(environment::VERSION),
        CL_DEVICE_PLATFORM => Info::of(Platform::the()?.id()),
        CL_DEVICE_UUID => Info::of(uuid(&format!("{} {:?}", machine::name(), device.units))),
        CL_DRIVER_UUID => Info::of(uuid(&version_text("Brolga "))),
        CL_DEVICE_LUID_VALID => Info::boolean(false),
        CL_DEVICE_LUID => Info::of([0_u8; CL_LUID_SIZE]),
        CL_DEVICE_NODE_MASK => Info::of::<cl_uint>(0),
        CL_DEVICE_AVAILABLE => Info::boolean(true),
        CL_DEVICE_ENDIAN_LITTLE => Info::boolean(cfg!(target_endian = "little")),
        CL_DEVICE_ADDRESS_BITS => Info::of::<cl_uint>(usize::BITS),
        // No conformance has been granted.
        CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED => Info::text(""),

        // Extensions, features and languages.
        CL_DEVICE_EXTENSIONS => Info::text(&names(&environment::extensions())),
        CL_DEVICE_EXTENSIONS_WITH_VERSION => Info::list(&names_and_versions(&environment::extensions())),
        CL_DEVICE_IL_VERSION => Info::text(&il_versions()),
        CL_DEVICE_ILS_WITH_VERSION => Info::list(&names_and_versions(&environment::intermediate_languages())),
        CL_DEVICE_OPENCL_C_VERSION => Info::text(&format!("OpenCL C 1.2 Brolga {}", environment::DRIVER_VERSION)),
        CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR => Info::of(version(1, 2, 0)),
        CL_DEVICE_OPENCL_C_ALL_VERSIONS => {
            Info::list(&[(3, 0), (1, 2), (1, 1), (1, 0)].map(|(major, minor)| name_version("OpenCL C", version(major, minor, 0))))
        }
        CL_DEVICE_OPENCL_C_FEATURES => Info::list(&names_and_versions(&environment::features())),
        CL_DEVICE_COMPILER_AVAILABLE => Info::boolean(true),
        CL_DEVICE_LINKER_AVAILABLE => Info::boolean(true),
        CL_DEVICE_BUILT_IN_KERNELS => Info::text(""),
        CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION => Info::nothing(),

        // Work-items, work-groups and sub-groups.
        CL_DEVICE_MAX_COMPUTE_UNITS => Info::of::<cl_uint>(device.compute_units()),
        CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS => Info::of::<cl_uint>(3),
        CL_DEVICE_MAX_WORK_GROUP_SIZE => Info::of(MAX_WORK_GROUP_SIZE),
        CL_DEVICE_MAX_WORK_ITEM_SIZES => Info::of([MAX_WORK_GROUP_SIZE; 3]),
        CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE => Info::of::<usize>(machine::gang_width() as usize),
        CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT => Info::boolean(true),
        CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT => Info::boolean(false),
        CL_DEVICE_MAX_NUM_SUB_GROUPS => Info::of::<cl_uint>(if environment::has("cl_khr_subgroups") { MAX_WORK_GROUP_SIZE as cl_uint } else { 0 }),
        CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS => Info::boolean(false),

        // Vectors and numbers.
        CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR
        | CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT
        | CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT
        | CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG
        | CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT
        | CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE
            // Work-items are what fills the machine's vectors.
            => Info::of::<cl_uint>(1),
        CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF => Info::of::<cl_uint>(environment::has("cl_khr_fp16").into()),
        CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR => Info::of::<cl_uint>(machine::vector_bytes()),
        CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT => Info::of::<cl_uint>(machine::vector_bytes() / 2),
        CL_DEVICE_NATIVE_VECTOR_WIDTH_INT | CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT => Info::of::<cl_uint>(machine::vector_bytes() / 4),
        CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG | CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE => Info::of::<cl_uint>(machine::vector_bytes() / 8),
        CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF => {
            Info::of::<cl_uint>(if environment::has("cl_khr_fp16") { machine::vector_bytes() / 2 } else { 0 })
        }
        CL_DEVICE_SINGLE_FP_CONFIG => Info::of(FP_CONFIG | CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT),
        CL_DEVICE_DOUBLE_FP_CONFIG => Info::of(if environment::has("cl_khr_fp64") { FP_CONFIG | CL_FP_ROUND_TO_ZERO | CL_FP_ROUND_TO_INF } else { 0 }),
        CL_DEVICE_HALF_FP_CONFIG => Info::of(if environment::has("cl_khr_fp16") { FP_CONFIG } else { 0 }),

        // Memory.
        CL_DEVICE_GLOBAL_MEM_SIZE => Info::of::<cl_ulong>(machine::memory_bytes()),
        CL_DEVICE_MAX_MEM_ALLOC_SIZE => Info::of::<cl_ulong>(machine::max_allocation_bytes()),
        CL_DEVICE_GLOBAL_MEM_CACHE_TYPE => Info::of(CL_READ_WRITE_CACHE),
        CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE => Info::of::<cl_uint>(machine::cache_line_bytes()),
        CL_DEVICE_GLOBAL_MEM_CACHE_SIZE => Info::of::<cl_ulong>(machine::cache_bytes()),
        CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE => Info::of::<cl_ulong>(machine::max_allocation_bytes()),
        CL_DEVICE_MAX_CONSTANT_ARGS => Info::of::<cl_uint>(255),
        CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE | CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE => Info::of(max_global_variable_size()),
        CL_DEVICE_LOCAL_MEM_TYPE => Info::of(CL_GLOBAL),
        CL_DEVICE_LOCAL_MEM_SIZE => Info::of::<cl_ulong>(machine::local_memory_bytes()),
        CL_DEVICE_ERROR_CORRECTION_SUPPORT => Info::boolean(false),
        CL_DEVICE_HOST_UNIFIED_MEMORY => Info::boolean(true),
        CL_DEVICE_MAX_PARAMETER_SIZE => Info::of(MAX_PARAMETER_SIZE),
        CL_DEVICE_MEM_BASE_ADDR_ALIGN => Info::of::<cl_uint>(MEMORY_ALIGNMENT as cl_uint * 8),
        CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE => Info::of::<cl_uint>(MEMORY_ALIGNMENT as cl_uint),
        CL_DEVICE_SVM_CAPABILITIES => Info::of(SVM_CAPABILITIES),
        CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT => Info::boolean(has_feature("__opencl_c_generic_address_space")),
        CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES => Info::of(ATOMIC_ORDERS | ATOMIC_SCOPES),
        CL_DEVICE_ATOMIC_FENCE_CAPABILITIES => Info::of(ATOMIC_ORDERS | ATOMIC_SCOPES | CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM),
        // 0: the natural alignment of the type.
        CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT | CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT | CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT => {
            Info::of::<cl_uint>(0)
        }

        // Images, samplers and pipes: none.
        CL_DEVICE_IMAGE_SUPPORT => Info::boolean(false),
        CL_DEVICE_MAX_READ_IMAGE_ARGS
        | CL_DEVICE_MAX_WRITE_IMAGE_ARGS
        | CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS
        | CL_DEVICE_MAX_SAMPLERS
        | CL_DEVICE_IMAGE_PITCH_ALIGNMENT
        | CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT => Info::of::<cl_uint>(0),
        CL_DEVICE_IMAGE2D_MAX_WIDTH
        | CL_DEVICE_IMAGE2D_MAX_HEIGHT
        | CL_DEVICE_IMAGE3D_MAX_WIDTH
        | CL_DEVICE_IMAGE3D_MAX_HEIGHT
        | CL_DEVICE_IMAGE3D_MAX_DEPTH
        | CL_DEVICE_IMAGE_MAX_BUFFER_SIZE
        | CL_DEVICE_IMAGE_MAX_ARRAY_SIZE => Info::of::<usize>(0),
        CL_DEVICE_PIPE_SUPPORT => Info::boolean(false),
        CL_DEVICE_MAX_PIPE_ARGS | CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS | CL_DEVICE_PIPE_MAX_PACKET_SIZE => Info::of::<cl_uint>(0),

        // Queues.
        CL_DEVICE_EXECUTION_CAPABILITIES => Info::of(CL_EXEC_KERNEL | CL_EXEC_NATIVE_KERNEL),
        CL_DEVICE_QUEUE_ON_HOST_PROPERTIES => Info::of(QUEUE_PROPERTIES),
        CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES | CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES => Info::of::<cl_bitfield>(0),
        CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE
        | CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE
        | CL_DEVICE_MAX_ON_DEVICE_QUEUES
        | CL_DEVICE_MAX_ON_DEVICE_EVENTS => Info::of::<cl_uint>(0),
        CL_DEVICE_MAX_CLOCK_FREQUENCY => Info::of::<cl_uint>(machine::clock_megahertz()),
        CL_DEVICE_PROFILING_TIMER_RESOLUTION => Info::of::<usize>(machine::timer_resolution() as usize),
        CL_DEVICE_PRINTF_BUFFER_SIZE => Info::of::<usize>(machine::printf_bytes()),
        CL_DEVICE_PREFERRED_INTEROP_USER_SYNC => Info::boolean(true),

        // Sub-devices.
        CL_DEVICE_PARENT_DEVICE => Info::of(device.parent.as_ref().map_or(null_mut(), |parent| parent.id())),
        CL_DEVICE_PARTITION_MAX_SUB_DEVICES => Info::of::<cl_uint>(device.compute_units()),
        CL_DEVICE_PARTITION_PROPERTIES => Info::list(partition_properties(device)),
        CL_DEVICE_PARTITION_AFFINITY_DOMAIN => Info::of(affinity_domains()),
        CL_DEVICE_PARTITION_TYPE => Info::list(&device.partition),
        CL_DEVICE_REFERENCE_COUNT => Info::of(device.handle().references()),

        // Extensions.
        _ => return extension_query(param_name),
    })
}

/// Queries that belong to an extension.
fn extension_query(param_name: cl_device_info) -> Result<Info> {
    let (extension, info) = match param_name {
        CL_DEVICE_TERMINATE_CAPABILITY_KHR => ("cl_khr_terminate_context", Info::of(CL_DEVICE_TERMINATE_CAPABILITY_CONTEXT_KHR)),
        CL_DEVICE_SUB_GROUP_SIZES_INTEL => ("cl_intel_required_subgroup_size", Info::list(&machine::gang_widths())),
        // CL_INVALID_VALUE if param_name is not one of the supported values.
        _ => return Err(CL_INVALID_VALUE),
    };
    if environment::has(extension) {
        Ok(info)
    } else {
        Err(CL_INVALID_VALUE)
    }
}

fn il_versions() -> String {
    let list = environment::intermediate_languages();
    list.iter()
        .map(|(name, v)| format!("{name}_{}.{}", v >> 22, v >> 12 & 0x3ff))
        .collect::<Vec<_>>()
        .join(" ")
}

fn has_feature(feature: &str) -> bool {
    environment::features().iter().any(|(name, _)| *name == feature)
}

fn max_global_variable_size() -> usize {
    if has_feature("__opencl_c_program_scope_global_variables") {
        64 << 20
    } else {
        0
    }
}

fn partition_properties(device: &Device) -> &'static [cl_device_partition_property] {
    const SUPPORTED: [cl_device_partition_property; 2] = [CL_DEVICE_PARTITION_EQUALLY as isize, CL_DEVICE_PARTITION_BY_COUNTS as isize];
    if device.compute_units() > 1 { &SUPPORTED } else { &[0] }
}

/// A name-based UUID of 16 bytes (version 8, as RFC 9562 has it for schemes of one's own).
fn uuid(name: &str) -> [u8; CL_UUID_SIZE] {
    // FNV-1a, twice.
    let hash = |seed: u64| {
        name.bytes()
            .fold(seed, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
    };
    let mut bytes = [0; CL_UUID_SIZE];
    bytes[..8].copy_from_slice(&hash(0xcbf2_9ce4_8422_2325).to_be_bytes());
    bytes[8..].copy_from_slice(&hash(0x9ae1_6a3b_2f90_404f).to_be_bytes());
    bytes[6] = bytes[6] & 0x0f | 0x80;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    bytes
}
