//! Types and values of the interface, as the specification gives them: what this driver uses. A test compares sizes, places and values with the header's.

#![allow(missing_docs, reason = "the specification says what they are")]

use crate::pointer::{In, Out, Structure};
use core::ffi::{c_char, c_void};

pub type ze_result_t = u32;
pub type ze_structure_type_t = u32;
pub type ze_bool_t = u8;

/// Declares values of one type.
macro_rules! values {
    ($type:ty: $($name:ident = $value:expr;)*) => {
        $(pub const $name: $type = $value;)*
        /// All of them, for the test.
        #[cfg(test)]
        pub const VALUES: &[(&str, u64)] = &[$((stringify!($name), $value as u64)),*];
    };
}

/// What functions answer with.
pub mod result {
    values! { u32:
        ZE_RESULT_SUCCESS = 0;
        ZE_RESULT_NOT_READY = 1;
        ZE_RESULT_ERROR_DEVICE_LOST = 0x7000_0001;
        ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY = 0x7000_0002;
        ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY = 0x7000_0003;
        ZE_RESULT_ERROR_MODULE_BUILD_FAILURE = 0x7000_0004;
        ZE_RESULT_ERROR_MODULE_LINK_FAILURE = 0x7000_0005;
        ZE_RESULT_ERROR_UNINITIALIZED = 0x7800_0001;
        ZE_RESULT_ERROR_UNSUPPORTED_VERSION = 0x7800_0002;
        ZE_RESULT_ERROR_UNSUPPORTED_FEATURE = 0x7800_0003;
        ZE_RESULT_ERROR_INVALID_ARGUMENT = 0x7800_0004;
        ZE_RESULT_ERROR_INVALID_NULL_HANDLE = 0x7800_0005;
        ZE_RESULT_ERROR_INVALID_NULL_POINTER = 0x7800_0007;
        ZE_RESULT_ERROR_INVALID_SIZE = 0x7800_0008;
        ZE_RESULT_ERROR_UNSUPPORTED_SIZE = 0x7800_0009;
        ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT = 0x7800_000a;
        ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT = 0x7800_000b;
        ZE_RESULT_ERROR_INVALID_ENUMERATION = 0x7800_000c;
        ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT = 0x7800_000e;
        ZE_RESULT_ERROR_INVALID_NATIVE_BINARY = 0x7800_000f;
        ZE_RESULT_ERROR_INVALID_GLOBAL_NAME = 0x7800_0010;
        ZE_RESULT_ERROR_INVALID_KERNEL_NAME = 0x7800_0011;
        ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION = 0x7800_0013;
        ZE_RESULT_ERROR_INVALID_GLOBAL_WIDTH_DIMENSION = 0x7800_0014;
        ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX = 0x7800_0015;
        ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE = 0x7800_0016;
        ZE_RESULT_ERROR_INVALID_MODULE_UNLINKED = 0x7800_0018;
        ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE = 0x7800_0019;
        ZE_RESULT_ERROR_OVERLAPPING_REGIONS = 0x7800_001a;
        ZE_RESULT_ERROR_UNKNOWN = 0x7fff_fffe;
    }
}
pub use result::*;

/// Flags, and members of enumerations.
pub mod flags {
    values! { u32:
        ZE_INIT_FLAG_GPU_ONLY = 1;
        ZE_INIT_FLAG_VPU_ONLY = 2;
        ZE_DEVICE_TYPE_CPU = 2;
        ZE_DEVICE_PROPERTY_FLAG_INTEGRATED = 1;
        ZE_DEVICE_MODULE_FLAG_FP16 = 1;
        ZE_DEVICE_MODULE_FLAG_FP64 = 1 << 1;
        ZE_DEVICE_MODULE_FLAG_INT64_ATOMICS = 1 << 2;
        ZE_DEVICE_FP_FLAG_DENORM = 1;
        ZE_DEVICE_FP_FLAG_INF_NAN = 1 << 1;
        ZE_DEVICE_FP_FLAG_ROUND_TO_NEAREST = 1 << 2;
        ZE_DEVICE_FP_FLAG_ROUND_TO_ZERO = 1 << 3;
        ZE_DEVICE_FP_FLAG_ROUND_TO_INF = 1 << 4;
        ZE_DEVICE_FP_FLAG_FMA = 1 << 5;
        ZE_DEVICE_FP_FLAG_ROUNDED_DIVIDE_SQRT = 1 << 6;
        ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE = 1;
        ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY = 1 << 1;
        ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COOPERATIVE_KERNELS = 1 << 2;
        ZE_MEMORY_ACCESS_CAP_FLAG_RW = 1;
        ZE_MEMORY_ACCESS_CAP_FLAG_ATOMIC = 1 << 1;
        ZE_MEMORY_ACCESS_CAP_FLAG_CONCURRENT = 1 << 2;
        ZE_MEMORY_ACCESS_CAP_FLAG_CONCURRENT_ATOMIC = 1 << 3;
        ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS = 1;
        ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS = 2;
        ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_HIGH = 2;
        ZE_EVENT_POOL_FLAG_IPC = 1 << 1;
        ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP = 1 << 2;
        ZE_EVENT_POOL_FLAG_KERNEL_MAPPED_TIMESTAMP = 1 << 3;
        ZE_EVENT_QUERY_KERNEL_TIMESTAMPS_EXT_FLAG_KERNEL = 1;
        ZE_EVENT_QUERY_KERNEL_TIMESTAMPS_EXT_FLAG_SYNCHRONIZED = 1 << 1;
        ZE_FENCE_FLAG_SIGNALED = 1;
        ZE_MEMORY_TYPE_UNKNOWN = 0;
        ZE_MEMORY_TYPE_HOST = 1;
        ZE_MEMORY_TYPE_DEVICE = 2;
        ZE_MEMORY_TYPE_SHARED = 3;
        ZE_RELAXED_ALLOCATION_LIMITS_EXP_FLAG_MAX_SIZE = 1;
        ZE_MEMORY_ATOMIC_ATTR_EXP_FLAG_NO_ATOMICS = 1;
        ZE_MEMORY_ATOMIC_ATTR_EXP_FLAG_NO_HOST_ATOMICS = 1 << 1;
        ZE_MEMORY_ATOMIC_ATTR_EXP_FLAG_HOST_ATOMICS = 1 << 2;
        ZE_MEMORY_ATOMIC_ATTR_EXP_FLAG_NO_DEVICE_ATOMICS = 1 << 3;
        ZE_MEMORY_ATOMIC_ATTR_EXP_FLAG_DEVICE_ATOMICS = 1 << 4;
        ZE_MEMORY_ATOMIC_ATTR_EXP_FLAG_NO_SYSTEM_ATOMICS = 1 << 5;
        ZE_MEMORY_ATOMIC_ATTR_EXP_FLAG_SYSTEM_ATOMICS = 1 << 6;
        ZE_MODULE_FORMAT_NATIVE = 1;
        ZE_MODULE_PROPERTY_FLAG_IMPORTS = 1;
        ZE_KERNEL_INDIRECT_ACCESS_FLAG_HOST = 1;
        ZE_KERNEL_INDIRECT_ACCESS_FLAG_DEVICE = 1 << 1;
        ZE_KERNEL_INDIRECT_ACCESS_FLAG_SHARED = 1 << 2;
        ZE_MEMORY_ADVICE_BIAS_UNCACHED = 7;
        ZE_CACHE_CONFIG_FLAG_LARGE_SLM = 1;
        ZE_CACHE_CONFIG_FLAG_LARGE_DATA = 1 << 1;
        ZE_MEMORY_ACCESS_ATTRIBUTE_NONE = 0;
        ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE = 1;
        ZE_MEMORY_ACCESS_ATTRIBUTE_READONLY = 2;
        ZE_PHYSICAL_MEM_FLAG_ALLOCATE_ON_HOST = 1 << 1;
        ZE_DEVICE_READONLY_MEMORY_CAPABILITY_ENFORCED = 2;
        ZES_MEM_TYPE_DDR = 1;
        ZES_MEM_LOC_SYSTEM = 0;
        ZES_MEM_HEALTH_UNKNOWN = 0;
        ZE_IMAGE_TYPE_1D = 0;
        ZE_IMAGE_TYPE_1DARRAY = 1;
        ZE_IMAGE_TYPE_2D = 2;
        ZE_IMAGE_TYPE_2DARRAY = 3;
        ZE_IMAGE_TYPE_3D = 4;
        ZE_IMAGE_TYPE_BUFFER = 5;
        ZE_IMAGE_FORMAT_LAYOUT_8 = 0;
        ZE_IMAGE_FORMAT_LAYOUT_16 = 1;
        ZE_IMAGE_FORMAT_LAYOUT_32 = 2;
        ZE_IMAGE_FORMAT_LAYOUT_8_8 = 3;
        ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8 = 4;
        ZE_IMAGE_FORMAT_LAYOUT_16_16 = 5;
        ZE_IMAGE_FORMAT_LAYOUT_16_16_16_16 = 6;
        ZE_IMAGE_FORMAT_LAYOUT_32_32 = 7;
        ZE_IMAGE_FORMAT_LAYOUT_32_32_32_32 = 8;
        ZE_IMAGE_FORMAT_TYPE_UINT = 0;
        ZE_IMAGE_FORMAT_TYPE_SINT = 1;
        ZE_IMAGE_FORMAT_TYPE_UNORM = 2;
        ZE_IMAGE_FORMAT_TYPE_SNORM = 3;
        ZE_IMAGE_FORMAT_TYPE_FLOAT = 4;
        ZE_IMAGE_FORMAT_SWIZZLE_R = 0;
        ZE_IMAGE_FORMAT_SWIZZLE_G = 1;
        ZE_IMAGE_FORMAT_SWIZZLE_B = 2;
        ZE_IMAGE_FORMAT_SWIZZLE_A = 3;
        ZE_IMAGE_FORMAT_SWIZZLE_0 = 4;
        ZE_IMAGE_FORMAT_SWIZZLE_1 = 5;
        ZE_IMAGE_FORMAT_SWIZZLE_X = 6;
        ZE_IMAGE_SAMPLER_FILTER_FLAG_POINT = 1;
        ZE_IMAGE_SAMPLER_FILTER_FLAG_LINEAR = 1 << 1;
        ZE_SAMPLER_ADDRESS_MODE_NONE = 0;
        ZE_SAMPLER_ADDRESS_MODE_REPEAT = 1;
        ZE_SAMPLER_ADDRESS_MODE_CLAMP = 2;
        ZE_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER = 3;
        ZE_SAMPLER_ADDRESS_MODE_MIRROR = 4;
        ZE_SAMPLER_FILTER_MODE_LINEAR = 1;
    }
}
pub use flags::*;

/// Declares the structures, with their types where they have one, and what the test needs to know of them.
macro_rules! structures {
    ($list:ident: $($(#[$meta:meta])* struct $name:ident $(= $stype:literal)? { $($field:ident: $type:ty,)* })*) => {
        $(
            $(#[$meta])*
            #[repr(C)]
            #[derive(Clone, Copy)]
            pub struct $name {
                $(pub $field: $type,)*
            }
            $(impl Structure for $name {
                const TYPE: ze_structure_type_t = $stype;
            })?
        )*

        /// Name, size, type, and each field with its offset.
        #[cfg(test)]
        pub const $list: &[(&str, usize, Option<u32>, &[(&str, usize)])] = &[$((
            stringify!($name),
            size_of::<$name>(),
            [None $(, Some($stype))?][[None::<u32> $(, Some($stype))?].len() - 1],
            &[$((stringify!($field), core::mem::offset_of!($name, $field))),*],
        )),*];
    };
}

structures! { CORE:
    struct ze_init_driver_type_desc_t = 0x2_0021 { stype: ze_structure_type_t, pNext: *const c_void, flags: u32, }
    struct ze_driver_properties_t = 0x1 { stype: ze_structure_type_t, pNext: *mut c_void, uuid: [u8; 16], driverVersion: u32, }
    struct ze_driver_ipc_properties_t = 0x2 { stype: ze_structure_type_t, pNext: *mut c_void, flags: u32, }
    struct ze_driver_extension_properties_t { name: [u8; 256], version: u32, }
    struct ze_device_properties_t = 0x3 {
        stype: ze_structure_type_t, pNext: *mut c_void,
        type_: u32, vendorId: u32, deviceId: u32, flags: u32, subdeviceId: u32,
        coreClockRate: u32, maxMemAllocSize: u64, maxHardwareContexts: u32, maxCommandQueuePriority: u32,
        numThreadsPerEU: u32, physicalEUSimdWidth: u32, numEUsPerSubslice: u32, numSubslicesPerSlice: u32, numSlices: u32,
        timerResolution: u64, timestampValidBits: u32, kernelTimestampValidBits: u32,
        uuid: [u8; 16], name: [u8; 256],
    }
    struct ze_eu_count_ext_t = 0x1_0005 { stype: ze_structure_type_t, pNext: *const c_void, numTotalEUs: u32, }
    struct ze_device_compute_properties_t = 0x4 {
        stype: ze_structure_type_t, pNext: *mut c_void,
        maxTotalGroupSize: u32, maxGroupSizeX: u32, maxGroupSizeY: u32, maxGroupSizeZ: u32,
        maxGroupCountX: u32, maxGroupCountY: u32, maxGroupCountZ: u32,
        maxSharedLocalMemory: u32, numSubGroupSizes: u32, subGroupSizes: [u32; 8],
    }
    struct ze_device_module_properties_t = 0x5 {
        stype: ze_structure_type_t, pNext: *mut c_void,
        spirvVersionSupported: u32, flags: u32, fp16flags: u32, fp32flags: u32, fp64flags: u32,
        maxArgumentsSize: u32, printfBufferSize: u32, nativeKernelSupported: [u8; 16],
    }
    struct ze_float_atomic_ext_properties_t = 0x1_0003 {
        stype: ze_structure_type_t, pNext: *mut c_void, fp16Flags: u32, fp32Flags: u32, fp64Flags: u32,
    }
    struct ze_command_queue_group_properties_t = 0x6 {
        stype: ze_structure_type_t, pNext: *mut c_void, flags: u32, maxMemoryFillPatternSize: usize, numQueues: u32,
    }
    struct ze_device_memory_properties_t = 0x7 {
        stype: ze_structure_type_t, pNext: *mut c_void, flags: u32, maxClockRate: u32, maxBusWidth: u32, totalSize: u64, name: [u8; 256],
    }
    struct ze_device_memory_access_properties_t = 0x8 {
        stype: ze_structure_type_t, pNext: *mut c_void,
        hostAllocCapabilities: u32, deviceAllocCapabilities: u32, sharedSingleDeviceAllocCapabilities: u32,
        sharedCrossDeviceAllocCapabilities: u32, sharedSystemAllocCapabilities: u32,
    }
    struct ze_device_cache_properties_t = 0x9 { stype: ze_structure_type_t, pNext: *mut c_void, flags: u32, cacheSize: usize, }
    struct ze_device_image_properties_t = 0xa {
        stype: ze_structure_type_t, pNext: *mut c_void,
        maxImageDims1D: u32, maxImageDims2D: u32, maxImageDims3D: u32, maxImageBufferSize: u64,
        maxImageArraySlices: u32, maxSamplers: u32, maxReadImageArgs: u32, maxWriteImageArgs: u32,
    }
    struct ze_device_external_memory_properties_t = 0xc {
        stype: ze_structure_type_t, pNext: *mut c_void,
        memoryAllocationImportTypes: u32, memoryAllocationExportTypes: u32, imageImportTypes: u32, imageExportTypes: u32,
    }
    struct ze_device_p2p_properties_t = 0xb { stype: ze_structure_type_t, pNext: *mut c_void, flags: u32, }
    struct ze_context_desc_t = 0xd { stype: ze_structure_type_t, pNext: *const c_void, flags: u32, }
    struct ze_command_queue_desc_t = 0xe {
        stype: ze_structure_type_t, pNext: *const c_void, ordinal: u32, index: u32, flags: u32, mode: u32, priority: u32,
    }
    struct ze_command_list_desc_t = 0xf { stype: ze_structure_type_t, pNext: *const c_void, commandQueueGroupOrdinal: u32, flags: u32, }
    struct ze_copy_region_t { originX: u32, originY: u32, originZ: u32, width: u32, height: u32, depth: u32, }
    struct ze_event_pool_desc_t = 0x10 { stype: ze_structure_type_t, pNext: *const c_void, flags: u32, count: u32, }
    struct ze_event_desc_t = 0x11 { stype: ze_structure_type_t, pNext: *const c_void, index: u32, signal: u32, wait: u32, }
    struct ze_kernel_timestamp_data_t { kernelStart: u64, kernelEnd: u64, }
    struct ze_kernel_timestamp_result_t { global: ze_kernel_timestamp_data_t, context: ze_kernel_timestamp_data_t, }
    struct ze_event_query_kernel_timestamps_ext_properties_t = 0x1_0011 { stype: ze_structure_type_t, pNext: *mut c_void, flags: u32, }
    struct ze_event_query_kernel_timestamps_results_ext_properties_t = 0x1_0012 {
        stype: ze_structure_type_t, pNext: *mut c_void,
        pKernelTimestampsBuffer: Out<ze_kernel_timestamp_result_t>, pSynchronizedTimestampsBuffer: Out<ze_kernel_timestamp_result_t>,
    }
    struct ze_fence_desc_t = 0x12 { stype: ze_structure_type_t, pNext: *const c_void, flags: u32, }
    struct ze_device_mem_alloc_desc_t = 0x15 { stype: ze_structure_type_t, pNext: *const c_void, flags: u32, ordinal: u32, }
    struct ze_host_mem_alloc_desc_t = 0x16 { stype: ze_structure_type_t, pNext: *const c_void, flags: u32, }
    struct ze_relaxed_allocation_limits_exp_desc_t = 0x2_0001 { stype: ze_structure_type_t, pNext: *const c_void, flags: u32, }
    struct ze_memory_allocation_properties_t = 0x17 {
        stype: ze_structure_type_t, pNext: *mut c_void, type_: u32, id: u64, pageSize: u64,
    }
    struct ze_module_constants_t { numConstants: u32, pConstantIds: In<u32>, pConstantValues: In<In<u8>>, }
    struct ze_module_desc_t = 0x1b {
        stype: ze_structure_type_t, pNext: *const c_void,
        format: u32, inputSize: usize, pInputModule: In<u8>, pBuildFlags: In<c_char>, pConstants: In<ze_module_constants_t>,
    }
    struct ze_module_program_exp_desc_t = 0x2_0002 {
        stype: ze_structure_type_t, pNext: *const c_void,
        count: u32, inputSizes: In<usize>, pInputModules: In<In<u8>>, pBuildFlags: In<In<c_char>>, pConstants: In<In<ze_module_constants_t>>,
    }
    struct ze_module_properties_t = 0x1c { stype: ze_structure_type_t, pNext: *mut c_void, flags: u32, }
    struct ze_kernel_desc_t = 0x1d { stype: ze_structure_type_t, pNext: *const c_void, flags: u32, pKernelName: In<c_char>, }
    struct ze_kernel_uuid_t { kid: [u8; 16], mid: [u8; 16], }
    struct ze_kernel_properties_t = 0x1e {
        stype: ze_structure_type_t, pNext: *mut c_void,
        numKernelArgs: u32, requiredGroupSizeX: u32, requiredGroupSizeY: u32, requiredGroupSizeZ: u32,
        requiredNumSubGroups: u32, requiredSubgroupSize: u32, maxSubgroupSize: u32, maxNumSubgroups: u32,
        localMemSize: u32, privateMemSize: u32, spillMemSize: u32, uuid: ze_kernel_uuid_t,
    }
    struct ze_kernel_preferred_group_size_properties_t = 0x21 { stype: ze_structure_type_t, pNext: *mut c_void, preferredMultiple: u32, }
    struct ze_physical_mem_desc_t = 0x20 { stype: ze_structure_type_t, pNext: *const c_void, flags: u32, size: usize, }
    struct ze_device_readonly_memory_ext_properties_t = 0x1_0015 { stype: ze_structure_type_t, pNext: *mut c_void, readonlyCapability: u32, }
    struct ze_image_format_t { layout: u32, type_: u32, x: u32, y: u32, z: u32, w: u32, }
    struct ze_image_desc_t = 0x13 {
        stype: ze_structure_type_t, pNext: *const c_void,
        flags: u32, type_: u32, format: ze_image_format_t, width: u64, height: u32, depth: u32, arraylevels: u32, miplevels: u32,
    }
    struct ze_image_properties_t = 0x14 { stype: ze_structure_type_t, pNext: *mut c_void, samplerFilterFlags: u32, }
    struct ze_image_region_t { originX: u32, originY: u32, originZ: u32, width: u32, height: u32, depth: u32, }
    struct ze_image_view_planar_ext_desc_t = 0x1_0010 { stype: ze_structure_type_t, pNext: *const c_void, planeIndex: u32, }
    struct ze_image_allocation_ext_properties_t = 0x1_000c { stype: ze_structure_type_t, pNext: *mut c_void, id: u64, }
    struct ze_image_memory_properties_exp_t = 0x2_0007 { stype: ze_structure_type_t, pNext: *const c_void, size: u64, rowPitch: u64, slicePitch: u64, }
    struct ze_sampler_desc_t = 0x1f {
        stype: ze_structure_type_t, pNext: *const c_void, addressMode: u32, filterMode: u32, isNormalized: ze_bool_t,
    }
    struct ze_kernel_max_group_size_properties_ext_t = 0x1_0013 { stype: ze_structure_type_t, pNext: *mut c_void, maxGroupSize: u32, }
    struct ze_group_count_t { groupCountX: u32, groupCountY: u32, groupCountZ: u32, }
}

structures! { MANAGEMENT:
    struct zes_device_properties_t = 0x1 {
        stype: ze_structure_type_t, pNext: *mut c_void, core: ze_device_properties_t, numSubdevices: u32,
        serialNumber: [u8; 64], boardNumber: [u8; 64], brandName: [u8; 64], modelName: [u8; 64], vendorName: [u8; 64], driverVersion: [u8; 64],
    }
    struct zes_device_state_t = 0x15 { stype: ze_structure_type_t, pNext: *const c_void, reset: u32, repaired: u32, }
    struct zes_mem_properties_t = 0xb {
        stype: ze_structure_type_t, pNext: *mut c_void,
        type_: u32, onSubdevice: ze_bool_t, subdeviceId: u32, location: u32, physicalSize: u64, busWidth: i32, numChannels: i32,
    }
    struct zes_mem_state_t = 0x1e { stype: ze_structure_type_t, pNext: *const c_void, health: u32, free: u64, size: u64, }
}

/// Events of a wait list, queues' lists: handles one behind the other.
pub type Handles<T> = In<crate::handle::Handle<T>>;

/// The `type_` of structures whose field is named `type`.
#[cfg(test)]
pub fn field_name(name: &str) -> &str {
    name.trim_end_matches('_')
}

/// A pattern to fill memory with may have so many bytes.
pub const MAX_PATTERN: usize = 128;

/// ZE_MAKE_VERSION
pub const fn version(major: u32, minor: u32) -> u32 {
    major << 16 | minor
}

/// A text in a field of a fixed size, a NUL behind it.
pub fn fixed<const N: usize>(text: &str) -> [u8; N] {
    let mut field = [0; N];
    let length = text.len().min(N - 1);
    field[..length].copy_from_slice(&text.as_bytes()[..length]);
    field
}
