//! What clGetDeviceInfo says: table 5 of §4.2.

use crate::cl::*;
use crate::command_buffer;
use crate::device::{Device, affinity_domains};
use crate::device_queue;
use crate::environment::{self, Features, has_feature, names, names_and_versions, registry, version, version_text};
use crate::error::Result;
use crate::handle::{Object, lookup};
use crate::image;
use crate::info::{Info, Plain};
use crate::machine;
use crate::pipe;
use crate::platform::Platform;
use crate::raw::Out;
use crate::unified_svm;
use ::device::uuid::uuid;
use core::ffi::c_void;
use core::ptr::null_mut;
use once_cell::race::OnceBox;
use std::ffi::CString;
use vendors::limits;

/// Bytes of a kernel's arguments.
pub const MAX_PARAMETER_SIZE: usize = 4096;
/// Bytes of a buffer that is a constant argument: a round number, as constant memory is memory like any other.
const MAX_CONSTANT_BUFFER_SIZE: u64 = 64 << 20;

const FP_CONFIG: cl_device_fp_config =
    CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST | CL_FP_ROUND_TO_ZERO | CL_FP_ROUND_TO_INF | CL_FP_FMA;
const QUEUE_PROPERTIES: cl_command_queue_properties = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;

/// clGetDeviceInfo
pub fn get_device_info(
    device: cl_device_id,
    param_name: cl_device_info,
    param_value_size: usize,
    param_value: Out<c_void>,
    param_value_size_ret: Out<usize>,
) -> Result<()> {
    // CL_INVALID_DEVICE if device is not a valid device.
    let device = lookup::<Device>(device)?;
    // CL_INVALID_VALUE if param_name is not one of the supported values.
    let info = query(&device, param_name)?;
    info.answer(param_value_size, param_value, param_value_size_ret)
}

/// The answer to a query.
fn query(device: &Device, param_name: cl_device_info) -> Result<Info> {
    Ok(match param_name {
        // What it is.
        CL_DEVICE_TYPE => Info::of(CL_DEVICE_TYPE_CPU),
        CL_DEVICE_VENDOR_ID => Info::of(machine::vendor_id()),
        CL_DEVICE_NAME => Info::text(machine::name()),
        CL_DEVICE_VENDOR => Info::text(environment::VENDOR),
        CL_DRIVER_VERSION => Info::text(environment::DRIVER_VERSION),
        CL_DEVICE_PROFILE => Info::text("FULL_PROFILE"),
        CL_DEVICE_VERSION => Info::text(&version_text("OpenCL ")),
        CL_DEVICE_NUMERIC_VERSION => Info::of(environment::opencl_version()),
        CL_DEVICE_PLATFORM => Info::of(Platform::the()?.id()),
        CL_DEVICE_UUID => Info::of(uuid(&format!("{} {:?}", machine::name(), device.units))),
        CL_DRIVER_UUID => Info::of(uuid(&version_text("Brolga "))),
        CL_DEVICE_LUID_VALID => Info::boolean(false),
        CL_DEVICE_LUID => Info::of([0_u8; CL_LUID_SIZE]),
        CL_DEVICE_NODE_MASK => Info::of::<cl_uint>(0),
        CL_DEVICE_AVAILABLE => Info::boolean(true),
        CL_DEVICE_ENDIAN_LITTLE => Info::boolean(cfg!(target_endian = "little")),
        CL_DEVICE_ADDRESS_BITS => Info::of::<cl_uint>(usize::BITS),
        // No conformance has been granted: what has the form vYYYY-MM-DD-XX, and is the name of no version.
        CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED => Info::text("v0000-01-01-00"),

        // Extensions, features and languages.
        CL_DEVICE_EXTENSIONS => Info::text(&names(environment::extensions())),
        CL_DEVICE_EXTENSIONS_WITH_VERSION => Info::list(&names_and_versions(environment::extensions())),
        CL_DEVICE_IL_VERSION => Info::text(&il_versions()),
        CL_DEVICE_ILS_WITH_VERSION => Info::list(&names_and_versions(&registry().intermediate_languages())),
        CL_DEVICE_OPENCL_C_VERSION => Info::text(&format!("OpenCL C 1.2 Brolga {}", environment::DRIVER_VERSION)),
        CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR => Info::of(version(1, 2, 0)),
        CL_DEVICE_OPENCL_C_ALL_VERSIONS => Info::list(&names_and_versions(&environment::registry().language_versions())),
        CL_DEVICE_OPENCL_C_FEATURES => Info::list(&names_and_versions(environment::language_features())),
        CL_DEVICE_COMPILER_AVAILABLE => Info::boolean(compiler::source::available()),
        CL_DEVICE_LINKER_AVAILABLE => Info::boolean(true),
        CL_DEVICE_BUILT_IN_KERNELS => Info::text(""),
        CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION => Info::nothing(),

        // Work-items, work-groups and sub-groups.
        CL_DEVICE_MAX_COMPUTE_UNITS => Info::of::<cl_uint>(device.compute_units()),
        CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS => Info::of::<cl_uint>(3),
        CL_DEVICE_MAX_WORK_GROUP_SIZE => Info::of(limits::WORK_GROUP_SIZE),
        CL_DEVICE_MAX_WORK_ITEM_SIZES => Info::of([limits::WORK_GROUP_SIZE; 3]),
        CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE => Info::of::<usize>(machine::gang_width() as usize),
        CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT => Info::boolean(has_feature(Features::NON_UNIFORM_WORK_GROUPS)),
        CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT => Info::boolean(has_feature(Features::WORK_GROUP_COLLECTIVES)),
        CL_DEVICE_MAX_NUM_SUB_GROUPS => Info::of::<cl_uint>(if has_feature(Features::SUB_GROUPS) { limits::WORK_GROUP_SIZE as cl_uint } else { 0 }),
        CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS => Info::boolean(has_feature(Features::INDEPENDENT_FORWARD_PROGRESS)),

        // Vectors and numbers.
        CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR
        | CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT
        | CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT
        | CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG
        | CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT
        | CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR
        | CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT
        | CL_DEVICE_NATIVE_VECTOR_WIDTH_INT
        | CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG
        | CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT
            // Work-items are what fills the machine's vectors: each has one element of them. Programs that write vectors because they are told
            // of wider ones (hashcat, for one) are slower for it; docs/features.md has what was measured.
            => Info::of::<cl_uint>(1),
        CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE | CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE => Info::of::<cl_uint>(has_feature(Features::FP64).into()),
        CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF | CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF => Info::of::<cl_uint>(has_feature(Features::FP16).into()),
        CL_DEVICE_SINGLE_FP_CONFIG => Info::of(FP_CONFIG | CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT),
        CL_DEVICE_DOUBLE_FP_CONFIG => Info::of(if has_feature(Features::FP64) { FP_CONFIG } else { 0 }),
        CL_DEVICE_HALF_FP_CONFIG => Info::of(if has_feature(Features::FP16) { FP_CONFIG } else { 0 }),

        // Memory.
        CL_DEVICE_GLOBAL_MEM_SIZE => Info::of::<cl_ulong>(machine::memory_bytes()),
        CL_DEVICE_MAX_MEM_ALLOC_SIZE => Info::of::<cl_ulong>(machine::max_allocation_bytes()),
        CL_DEVICE_GLOBAL_MEM_CACHE_TYPE => Info::of(CL_READ_WRITE_CACHE),
        CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE => Info::of::<cl_uint>(machine::cache_line_bytes()),
        CL_DEVICE_GLOBAL_MEM_CACHE_SIZE => Info::of::<cl_ulong>(machine::cache_bytes()),
        CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE => Info::of::<cl_ulong>(MAX_CONSTANT_BUFFER_SIZE.min(machine::max_allocation_bytes())),
        CL_DEVICE_MAX_CONSTANT_ARGS => Info::of::<cl_uint>(255),
        CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE | CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE => Info::of(max_global_variable_size()),
        CL_DEVICE_LOCAL_MEM_TYPE => Info::of(CL_GLOBAL),
        CL_DEVICE_LOCAL_MEM_SIZE => Info::of::<cl_ulong>(limits::LOCAL_MEMORY),
        CL_DEVICE_ERROR_CORRECTION_SUPPORT => Info::boolean(false),
        CL_DEVICE_HOST_UNIFIED_MEMORY => Info::boolean(true),
        CL_DEVICE_MAX_PARAMETER_SIZE => Info::of(MAX_PARAMETER_SIZE),
        CL_DEVICE_MEM_BASE_ADDR_ALIGN => Info::of::<cl_uint>(machine::MEMORY_ALIGNMENT as cl_uint * 8),
        CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE => Info::of::<cl_uint>(machine::MEMORY_ALIGNMENT as cl_uint),
        CL_DEVICE_SVM_CAPABILITIES => Info::of::<cl_bitfield>(registry().svm().bits()),
        CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT => Info::boolean(has_feature(Features::GENERIC_ADDRESS_SPACE)),
        CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES => Info::of::<cl_bitfield>(registry().atomic_memory().bits()),
        CL_DEVICE_ATOMIC_FENCE_CAPABILITIES => Info::of::<cl_bitfield>(registry().atomic_fence().bits()),
        // 0: the natural alignment of the type.
        CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT | CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT | CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT => {
            Info::of::<cl_uint>(0)
        }

        // Images, samplers and pipes.
        CL_DEVICE_IMAGE_SUPPORT => Info::boolean(has_feature(Features::IMAGES)),
        CL_DEVICE_MAX_READ_IMAGE_ARGS | CL_DEVICE_MAX_WRITE_IMAGE_ARGS => of_feature(Features::IMAGES, image::limits::MAX_ARGUMENTS),
        CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS => of_feature(Features::READ_WRITE_IMAGES, image::limits::MAX_ARGUMENTS),
        CL_DEVICE_MAX_SAMPLERS => of_feature(Features::IMAGES, image::limits::MAX_SAMPLERS),
        CL_DEVICE_IMAGE_PITCH_ALIGNMENT | CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT => {
            let from_buffer = environment::has("cl_khr_image2d_from_buffer");
            Info::of::<cl_uint>(if from_buffer { image::ALIGNMENT as cl_uint } else { 0 })
        }
        CL_DEVICE_IMAGE2D_MAX_WIDTH | CL_DEVICE_IMAGE2D_MAX_HEIGHT => of_feature(Features::IMAGES, image::limits::MAX_2D),
        CL_DEVICE_IMAGE3D_MAX_WIDTH | CL_DEVICE_IMAGE3D_MAX_HEIGHT | CL_DEVICE_IMAGE3D_MAX_DEPTH => {
            of_feature(Features::IMAGES, image::limits::MAX_3D)
        }
        CL_DEVICE_IMAGE_MAX_BUFFER_SIZE => of_feature(Features::IMAGES, image::limits::MAX_BUFFER),
        CL_DEVICE_IMAGE_MAX_ARRAY_SIZE => of_feature(Features::IMAGES, image::limits::MAX_ARRAY),
        CL_DEVICE_PIPE_SUPPORT => Info::boolean(has_feature(Features::PIPES)),
        CL_DEVICE_MAX_PIPE_ARGS => of_feature(Features::PIPES, pipe::MAX_ARGUMENTS),
        CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS => of_feature(Features::PIPES, pipe::MAX_ACTIVE_RESERVATIONS),
        CL_DEVICE_PIPE_MAX_PACKET_SIZE => of_feature(Features::PIPES, pipe::MAX_PACKET_SIZE),

        // Queues.
        CL_DEVICE_EXECUTION_CAPABILITIES => Info::of(CL_EXEC_KERNEL | CL_EXEC_NATIVE_KERNEL),
        CL_DEVICE_QUEUE_ON_HOST_PROPERTIES => Info::of(QUEUE_PROPERTIES),
        CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES => of_feature(Features::DEVICE_ENQUEUE, device_queue::PROPERTIES),
        CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES => {
            let all = CL_DEVICE_QUEUE_SUPPORTED | CL_DEVICE_QUEUE_REPLACEABLE_DEFAULT;
            of_feature::<cl_bitfield>(Features::DEVICE_ENQUEUE, all)
        }
        CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE => of_feature(Features::DEVICE_ENQUEUE, device_queue::PREFERRED_SIZE),
        CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE => of_feature(Features::DEVICE_ENQUEUE, device_queue::MAX_SIZE),
        CL_DEVICE_MAX_ON_DEVICE_QUEUES => of_feature(Features::DEVICE_ENQUEUE, device_queue::MAX_QUEUES),
        CL_DEVICE_MAX_ON_DEVICE_EVENTS => of_feature(Features::DEVICE_ENQUEUE, device_queue::MAX_EVENTS),
        CL_DEVICE_MAX_CLOCK_FREQUENCY => Info::of::<cl_uint>(machine::clock_megahertz()),
        CL_DEVICE_PROFILING_TIMER_RESOLUTION => Info::of::<usize>(machine::timer_resolution() as usize),
        CL_DEVICE_PRINTF_BUFFER_SIZE => Info::of::<usize>(limits::PRINTF_BUFFER),
        CL_DEVICE_PREFERRED_INTEROP_USER_SYNC => Info::boolean(true),

        // Sub-devices.
        CL_DEVICE_PARENT_DEVICE => Info::of(device.parent.as_ref().map_or(null_mut(), |parent| parent.id())),
        CL_DEVICE_PARTITION_MAX_SUB_DEVICES => Info::of::<cl_uint>(device.compute_units()),
        CL_DEVICE_PARTITION_PROPERTIES => Info::list(&partition_properties(device)),
        CL_DEVICE_PARTITION_AFFINITY_DOMAIN => Info::of(affinity_domains(device)),
        CL_DEVICE_PARTITION_TYPE => Info::list(&device.partition),
        CL_DEVICE_REFERENCE_COUNT => Info::of(device.handle().references()),

        // Extensions.
        _ => return extension_query(device, param_name),
    })
}

/// A limit, or 0 where the device lacks what it limits.
fn of_feature<T: Plain + Default>(feature: Features, limit: T) -> Info {
    Info::of(if has_feature(feature) { limit } else { T::default() })
}

/// Queries that belong to an extension.
#[allow(non_upper_case_globals, reason = "the names are the headers'")]
fn extension_query(device: &Device, param_name: cl_device_info) -> Result<Info> {
    let dot_product = |feature: Features, bit: cl_bitfield| if has_feature(feature) { bit } else { 0 };
    let accelerations = cl_device_integer_dot_product_acceleration_properties::default();
    let (extension, info) = match param_name {
        CL_DEVICE_TERMINATE_CAPABILITY_KHR | CL_DEVICE_TERMINATE_CAPABILITY_KHR_1X => {
            ("cl_khr_terminate_context", Info::of(CL_DEVICE_TERMINATE_CAPABILITY_CONTEXT_KHR))
        }
        CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR => ("cl_khr_command_buffer", Info::of(command_buffer::CAPABILITIES)),
        CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR => ("cl_khr_command_buffer", Info::of(command_buffer::QUEUE_PROPERTIES)),
        CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR => ("cl_khr_command_buffer", Info::of::<cl_command_queue_properties>(0)),
        CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR => (
            "cl_khr_command_buffer_mutable_dispatch",
            Info::of(command_buffer::mutable::CAPABILITIES),
        ),
        CL_DEVICE_SEMAPHORE_TYPES_KHR => ("cl_khr_semaphore", Info::of(CL_SEMAPHORE_TYPE_BINARY_KHR as cl_uint)),
        // What -cl-std=CLC++ means.
        CL_DEVICE_CXX_FOR_OPENCL_NUMERIC_VERSION_EXT => ("cl_ext_cxx_for_opencl", Info::of(version(1, 0, 0))),
        CL_DEVICE_SUB_GROUP_SIZES_INTEL => ("cl_intel_required_subgroup_size", Info::list(&machine::gang_widths())),
        CL_DEVICE_IP_VERSION_INTEL => {
            let (family, model, stepping) = machine::family_model_stepping();
            ("cl_intel_device_attribute_query", Info::of(version(family, model, stepping)))
        }
        CL_DEVICE_ID_INTEL => ("cl_intel_device_attribute_query", Info::of::<cl_uint>(machine::signature())),
        // Slices are NUMA nodes, sub-slices what shares a cache of level 3, execution units compute units: each runs one thread.
        CL_DEVICE_NUM_SLICES_INTEL => ("cl_intel_device_attribute_query", Info::of(spans(device, machine::Domain::Numa))),
        CL_DEVICE_NUM_SUB_SLICES_PER_SLICE_INTEL => ("cl_intel_device_attribute_query", Info::of(machine::caches_of_a_node())),
        CL_DEVICE_NUM_EUS_PER_SUB_SLICE_INTEL => {
            let most = machine::partition(machine::Domain::Cache(3)).into_iter().max().unwrap_or(1);
            ("cl_intel_device_attribute_query", Info::of::<cl_uint>(most))
        }
        CL_DEVICE_NUM_THREADS_PER_EU_INTEL => ("cl_intel_device_attribute_query", Info::of::<cl_uint>(1)),
        // Neither DP4A nor DPAS: the code generators have no instruction for a product of four bytes.
        CL_DEVICE_FEATURE_CAPABILITIES_INTEL => ("cl_intel_device_attribute_query", Info::of::<cl_bitfield>(0)),
        CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS => ("cl_khr_spirv_queries", c_strings(&spirv_names().instruction_sets)),
        CL_DEVICE_SPIRV_EXTENSIONS => ("cl_khr_spirv_queries", c_strings(&spirv_names().extensions)),
        CL_DEVICE_SPIRV_CAPABILITIES => {
            let capabilities: Vec<cl_uint> = registry()
                .capabilities()
                .into_iter()
                .map(|capability| capability as cl_uint)
                .chain(registry().newer_capabilities())
                .collect();
            ("cl_khr_spirv_queries", Info::list(&capabilities))
        }
        CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL
        | CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL
        | CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL
        | CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL
        | CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL => {
            ("cl_intel_unified_shared_memory", Info::of(CL_UNIFIED_SHARED_MEMORY_ALL_INTEL))
        }
        CL_DEVICE_SVM_TYPE_CAPABILITIES_KHR => (unified_svm::NAME, Info::list(&unified_svm::TYPES)),
        CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT => {
            ("cl_ext_float_atomics", Info::of::<cl_bitfield>(registry().float_atomics(32).bits()))
        }
        CL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT => {
            ("cl_ext_float_atomics", Info::of::<cl_bitfield>(registry().float_atomics(64).bits()))
        }
        CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT => ("cl_ext_float_atomics", Info::of::<cl_bitfield>(registry().float_atomics(16).bits())),
        CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES => (
            "cl_khr_integer_dot_product",
            Info::of(
                dot_product(Features::DOT_PRODUCT_PACKED, CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_PACKED)
                    | dot_product(Features::DOT_PRODUCT_4X8, CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT),
            ),
        ),
        CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT
        | CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4x8BIT_PACKED => ("cl_khr_integer_dot_product", Info::of(accelerations)),
        // All scopes: device, work-group and sub-group.
        CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR => ("cl_khr_kernel_clock", Info::of::<cl_bitfield>(7)),
        // An element's size is enough.
        CL_DEVICE_COOPERATIVE_MATRIX_POINTER_ALIGNMENT_KHR | CL_DEVICE_COOPERATIVE_MATRIX_STRIDE_MULTIPLE_KHR => {
            ("cl_khr_cooperative_matrix", Info::of::<cl_uint>(1))
        }
        // CL_INVALID_VALUE if param_name is not one of the supported values.
        _ => return Err(CL_INVALID_VALUE),
    };
    if environment::has(extension) {
        Ok(info)
    } else {
        Err(CL_INVALID_VALUE)
    }
}

/// In how many parts of a domain the device has compute units.
fn spans(device: &Device, domain: machine::Domain) -> cl_uint {
    let mut first = 0;
    let parts = machine::partition(domain).into_iter().filter(|count| {
        let part = first..first + count;
        first = part.end;
        part.start < device.units.end && device.units.start < part.end
    });
    parts.count() as cl_uint
}

/// Names as C strings that live for ever.
struct SpirvNames {
    instruction_sets: Vec<CString>,
    extensions: Vec<CString>,
}

fn spirv_names() -> &'static SpirvNames {
    static NAMES: OnceBox<SpirvNames> = OnceBox::new();
    NAMES.get_or_init(|| {
        let owned = |names: Vec<&str>| names.into_iter().filter_map(|name| CString::new(name).ok()).collect();
        Box::new(SpirvNames {
            instruction_sets: owned(registry().instruction_sets()),
            extensions: owned(registry().spirv_extensions()),
        })
    })
}

fn c_strings(names: &[CString]) -> Info {
    Info::list(&names.iter().map(|name| name.as_ptr().cast::<c_void>()).collect::<Vec<_>>())
}

fn il_versions() -> String {
    let list = registry().intermediate_languages();
    list.iter()
        .map(|(name, v)| format!("{name}_{}.{}", v >> 22, v >> 12 & 0x3ff))
        .collect::<Vec<_>>()
        .join(" ")
}

fn max_global_variable_size() -> usize {
    if has_feature(Features::PROGRAM_SCOPE_VARIABLES) {
        64 << 20
    } else {
        0
    }
}

fn partition_properties(device: &Device) -> Vec<cl_device_partition_property> {
    let mut supported = Vec::new();
    if device.compute_units() > 1 {
        supported.extend([CL_DEVICE_PARTITION_EQUALLY, CL_DEVICE_PARTITION_BY_COUNTS]);
    }
    if affinity_domains(device) != 0 {
        supported.push(CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN);
    }
    // "If the device does not support any partition types, a value of 0 will be returned."
    if supported.is_empty() {
        supported.push(0);
    }
    supported
        .into_iter()
        .map(|property| property as cl_device_partition_property)
        .collect()
}
