//! OpenCL's types and constants: those of the `cl-sys` crate, and those of OpenCL 2.2 to 3.1 and of extensions, which it does not have.
//!
//! The names are the headers'. Nothing here is a function: the driver never calls a loader.

pub use cl_sys::*;
pub use core::ffi::{c_char, c_void};

// ---- types ----

pub type cl_properties = cl_ulong;
pub type cl_version = cl_uint;
pub type cl_semaphore_khr = *mut c_void;
pub type cl_command_buffer_khr = *mut c_void;
pub type cl_mutable_command_khr = *mut c_void;
pub type cl_sync_point_khr = cl_uint;

/// `cl_image_format`
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct cl_image_format {
    pub image_channel_order: cl_channel_order,
    pub image_channel_data_type: cl_channel_type,
}

/// `cl_image_desc`
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_image_desc {
    pub image_type: cl_mem_object_type,
    pub image_width: usize,
    pub image_height: usize,
    pub image_depth: usize,
    pub image_array_size: usize,
    pub image_row_pitch: usize,
    pub image_slice_pitch: usize,
    pub num_mip_levels: cl_uint,
    pub num_samples: cl_uint,
    pub mem_object: cl_mem,
}

/// A name and a version, as `CL_DEVICE_EXTENSIONS_WITH_VERSION` lists them.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cl_name_version {
    pub version: cl_version,
    pub name: [u8; CL_NAME_VERSION_MAX_NAME_SIZE],
}

/// `cl_device_integer_dot_product_acceleration_properties`
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct cl_device_integer_dot_product_acceleration_properties {
    pub signed_accelerated: cl_bool,
    pub unsigned_accelerated: cl_bool,
    pub mixed_signedness_accelerated: cl_bool,
    pub accumulating_saturating_signed_accelerated: cl_bool,
    pub accumulating_saturating_unsigned_accelerated: cl_bool,
    pub accumulating_saturating_mixed_signedness_accelerated: cl_bool,
}

/// `cl_device_pci_bus_info_khr`
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct cl_device_pci_bus_info_khr {
    pub pci_domain: cl_uint,
    pub pci_bus: cl_uint,
    pub pci_device: cl_uint,
    pub pci_function: cl_uint,
}

/// `cl_mutable_dispatch_arg_khr`
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_mutable_dispatch_arg_khr {
    pub arg_index: cl_uint,
    pub arg_size: usize,
    pub arg_value: *const c_void,
}

/// `cl_mutable_dispatch_exec_info_khr`
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_mutable_dispatch_exec_info_khr {
    pub param_name: cl_uint,
    pub param_value_size: usize,
    pub param_value: *const c_void,
}

/// `cl_mutable_dispatch_config_khr`
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_mutable_dispatch_config_khr {
    pub command: cl_mutable_command_khr,
    pub num_args: cl_uint,
    pub num_svm_args: cl_uint,
    pub num_exec_infos: cl_uint,
    pub work_dim: cl_uint,
    pub arg_list: *const cl_mutable_dispatch_arg_khr,
    pub arg_svm_list: *const cl_mutable_dispatch_arg_khr,
    pub exec_info_list: *const cl_mutable_dispatch_exec_info_khr,
    pub global_work_offset: *const usize,
    pub global_work_size: *const usize,
    pub local_work_size: *const usize,
}

/// `pfn_notify` of clCreateContext.
pub type ContextNotify =
    Option<unsafe extern "C" fn(errinfo: *const c_char, private_info: *const c_void, cb: usize, user_data: *mut c_void)>;
/// `pfn_notify` of clSetContextDestructorCallback, clSetMemObjectDestructorCallback, clBuildProgram and their like.
pub type ObjectNotify = Option<unsafe extern "C" fn(object: *mut c_void, user_data: *mut c_void)>;
/// `pfn_notify` of clSetEventCallback.
pub type EventNotify = Option<unsafe extern "C" fn(event: cl_event, event_command_status: cl_int, user_data: *mut c_void)>;
/// `user_func` of clEnqueueNativeKernel.
pub type NativeKernel = Option<unsafe extern "C" fn(args: *mut c_void)>;
/// `pfn_free_func` of clEnqueueSVMFree.
pub type SvmFreeNotify = Option<
    unsafe extern "C" fn(queue: cl_command_queue, num_svm_pointers: cl_uint, svm_pointers: *mut *mut c_void, user_data: *mut c_void),
>;

// ---- OpenCL 2.2, 3.0 and 3.1 ----

pub const CL_NAME_VERSION_MAX_NAME_SIZE: usize = 64;
pub const CL_UUID_SIZE: usize = 16;
pub const CL_LUID_SIZE: usize = 8;

pub const CL_INVALID_SPEC_ID: cl_int = -71;
pub const CL_MAX_SIZE_RESTRICTION_EXCEEDED: cl_int = -72;

pub const CL_PLATFORM_NUMERIC_VERSION: cl_uint = 0x0906;
pub const CL_PLATFORM_EXTENSIONS_WITH_VERSION: cl_uint = 0x0907;

pub const CL_DEVICE_NUMERIC_VERSION: cl_uint = 0x105E;
pub const CL_DEVICE_EXTENSIONS_WITH_VERSION: cl_uint = 0x1060;
pub const CL_DEVICE_ILS_WITH_VERSION: cl_uint = 0x1061;
pub const CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION: cl_uint = 0x1062;
pub const CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES: cl_uint = 0x1063;
pub const CL_DEVICE_ATOMIC_FENCE_CAPABILITIES: cl_uint = 0x1064;
pub const CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT: cl_uint = 0x1065;
pub const CL_DEVICE_OPENCL_C_ALL_VERSIONS: cl_uint = 0x1066;
pub const CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE: cl_uint = 0x1067;
pub const CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT: cl_uint = 0x1068;
pub const CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT: cl_uint = 0x1069;
pub const CL_DEVICE_UUID: cl_uint = 0x106A;
pub const CL_DRIVER_UUID: cl_uint = 0x106B;
pub const CL_DEVICE_LUID_VALID: cl_uint = 0x106C;
pub const CL_DEVICE_LUID: cl_uint = 0x106D;
pub const CL_DEVICE_NODE_MASK: cl_uint = 0x106E;
pub const CL_DEVICE_OPENCL_C_FEATURES: cl_uint = 0x106F;
pub const CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES: cl_uint = 0x1070;
pub const CL_DEVICE_QUEUE_SUPPORTED: cl_bitfield = 1 << 0;
pub const CL_DEVICE_QUEUE_REPLACEABLE_DEFAULT: cl_bitfield = 1 << 1;
pub const CL_DEVICE_PIPE_SUPPORT: cl_uint = 0x1071;
pub const CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED: cl_uint = 0x1072;
pub const CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES: cl_uint = 0x1073;
pub const CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT: cl_uint = 0x1074;
pub const CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4x8BIT_PACKED: cl_uint = 0x1075;
pub const CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS: cl_uint = 0x12B9;
pub const CL_DEVICE_SPIRV_EXTENSIONS: cl_uint = 0x12BA;
pub const CL_DEVICE_SPIRV_CAPABILITIES: cl_uint = 0x12BB;

pub const CL_QUEUE_PROPERTIES_ARRAY: cl_uint = 0x1098;
pub const CL_MEM_PROPERTIES: cl_uint = 0x110A;
pub const CL_PIPE_PROPERTIES: cl_uint = 0x1122;
pub const CL_SAMPLER_MIP_FILTER_MODE: cl_uint = 0x1155;
pub const CL_SAMPLER_LOD_MIN: cl_uint = 0x1156;
pub const CL_SAMPLER_LOD_MAX: cl_uint = 0x1157;
pub const CL_SAMPLER_PROPERTIES: cl_uint = 0x1158;
pub const CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT: cl_uint = 0x116A;
pub const CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT: cl_uint = 0x116B;
pub const CL_COMMAND_SVM_MIGRATE_MEM: cl_uint = 0x120E;

pub const CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_PACKED: cl_bitfield = 1 << 0;
pub const CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT: cl_bitfield = 1 << 1;

// ---- cl_khr_icd ----

pub const CL_PLATFORM_ICD_SUFFIX_KHR: cl_uint = 0x0920;
/// What a version 2 dispatch table has in the slots of clGetPlatformIDs and clUnloadCompiler.
pub const CL_ICD2_TAG_KHR: usize = 0x4F50_454E_434C_3331;

// ---- cl_khr_subgroups, cl_khr_priority_hints, cl_khr_throttle_hints, cl_khr_terminate_context, cl_khr_pci_bus_info ----

pub const CL_QUEUE_PRIORITY_KHR: cl_uint = 0x1096;
pub const CL_QUEUE_PRIORITY_HIGH_KHR: cl_uint = 1 << 0;
pub const CL_QUEUE_PRIORITY_MED_KHR: cl_uint = 1 << 1;
pub const CL_QUEUE_PRIORITY_LOW_KHR: cl_uint = 1 << 2;
pub const CL_QUEUE_THROTTLE_KHR: cl_uint = 0x1097;
pub const CL_QUEUE_THROTTLE_HIGH_KHR: cl_uint = 1 << 0;
pub const CL_QUEUE_THROTTLE_MED_KHR: cl_uint = 1 << 1;
pub const CL_QUEUE_THROTTLE_LOW_KHR: cl_uint = 1 << 2;
pub const CL_DEVICE_TERMINATE_CAPABILITY_KHR: cl_uint = 0x2031;
/// Its number in the headers of OpenCL 1.2, which clinfo asks for too.
pub const CL_DEVICE_TERMINATE_CAPABILITY_KHR_1X: cl_uint = 0x200F;
/// CL_CONTEXT_TERMINATE_KHR in the headers of OpenCL 1.2.
pub const CL_CONTEXT_TERMINATE_KHR_1X: cl_context_properties = 0x2010;
pub const CL_DEVICE_TERMINATE_CAPABILITY_CONTEXT_KHR: cl_bitfield = 1 << 0;
pub const CL_CONTEXT_TERMINATE_KHR: cl_context_properties = 0x2032;
pub const CL_CONTEXT_TERMINATED_KHR: cl_int = -1121;
/// Of our own: what a launch's event ends with when a check of checked mode has failed in it.
pub const CL_CHECK_FAILED_BROLGA: cl_int = -9701;
pub const CL_CONTEXT_MEMORY_INITIALIZE_KHR: cl_context_properties = 0x2030;
pub const CL_CONTEXT_MEMORY_INITIALIZE_LOCAL_KHR: cl_context_properties = 1 << 0;
pub const CL_CONTEXT_MEMORY_INITIALIZE_PRIVATE_KHR: cl_context_properties = 1 << 1;
pub const CL_DEVICE_PCI_BUS_INFO_KHR: cl_uint = 0x410F;
pub const CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR: cl_uint = 0x105F;
pub const CL_DEVICE_SPIR_VERSIONS: cl_uint = 0x40E0;

// ---- cl_intel_required_subgroup_size ----

pub const CL_DEVICE_CXX_FOR_OPENCL_NUMERIC_VERSION_EXT: cl_uint = 0x4230;
pub const CL_DEVICE_SUB_GROUP_SIZES_INTEL: cl_uint = 0x4108;
pub const CL_KERNEL_SPILL_MEM_SIZE_INTEL: cl_uint = 0x4109;
pub const CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL: cl_uint = 0x410A;

// ---- cl_intel_device_attribute_query ----

pub const CL_DEVICE_IP_VERSION_INTEL: cl_uint = 0x4250;
pub const CL_DEVICE_ID_INTEL: cl_uint = 0x4251;
pub const CL_DEVICE_NUM_SLICES_INTEL: cl_uint = 0x4252;
pub const CL_DEVICE_NUM_SUB_SLICES_PER_SLICE_INTEL: cl_uint = 0x4253;
pub const CL_DEVICE_NUM_EUS_PER_SUB_SLICE_INTEL: cl_uint = 0x4254;
pub const CL_DEVICE_NUM_THREADS_PER_EU_INTEL: cl_uint = 0x4255;
pub const CL_DEVICE_FEATURE_CAPABILITIES_INTEL: cl_uint = 0x4256;

// ---- cl_khr_cooperative_matrix (draft) ----

pub const CL_DEVICE_COOPERATIVE_MATRIX_DEFAULT_SUB_GROUP_VARIANTS_KHR: cl_uint = 0x1078;
pub const CL_DEVICE_COOPERATIVE_MATRIX_SUB_GROUP_VARIANTS_KHR: cl_uint = 0x1079;
pub const CL_DEVICE_COOPERATIVE_MATRIX_POINTER_ALIGNMENT_KHR: cl_uint = 0x107A;
pub const CL_DEVICE_COOPERATIVE_MATRIX_STRIDE_MULTIPLE_KHR: cl_uint = 0x107B;

// ---- cl_khr_kernel_clock, cl_ext_float_atomics ----

pub const CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR: cl_uint = 0x1076;
pub const CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT: cl_uint = 0x4231;
pub const CL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT: cl_uint = 0x4232;
pub const CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT: cl_uint = 0x4233;

// ---- cl_ext_buffer_device_address ----

pub const CL_MEM_IMMUTABLE_EXT: cl_mem_flags = 1 << 6;
pub const CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT: cl_properties = 0x5000;
pub const CL_MEM_DEVICE_ADDRESS_EXT: cl_uint = 0x5001;
pub const CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT: cl_uint = 0x5002;

// ---- cl_khr_unified_svm ----

pub const CL_PLATFORM_SVM_TYPE_CAPABILITIES_KHR: cl_uint = 0x0909;
pub const CL_DEVICE_SVM_TYPE_CAPABILITIES_KHR: cl_uint = 0x1077;
pub const CL_SVM_CAPABILITY_SINGLE_ADDRESS_SPACE_KHR: cl_bitfield = 1 << 0;
pub const CL_SVM_CAPABILITY_SYSTEM_ALLOCATED_KHR: cl_bitfield = 1 << 1;
pub const CL_SVM_CAPABILITY_DEVICE_OWNED_KHR: cl_bitfield = 1 << 2;
pub const CL_SVM_CAPABILITY_DEVICE_UNASSOCIATED_KHR: cl_bitfield = 1 << 3;
pub const CL_SVM_CAPABILITY_CONTEXT_ACCESS_KHR: cl_bitfield = 1 << 4;
pub const CL_SVM_CAPABILITY_HOST_OWNED_KHR: cl_bitfield = 1 << 5;
pub const CL_SVM_CAPABILITY_HOST_READ_KHR: cl_bitfield = 1 << 6;
pub const CL_SVM_CAPABILITY_HOST_WRITE_KHR: cl_bitfield = 1 << 7;
pub const CL_SVM_CAPABILITY_HOST_MAP_KHR: cl_bitfield = 1 << 8;
pub const CL_SVM_CAPABILITY_DEVICE_READ_KHR: cl_bitfield = 1 << 9;
pub const CL_SVM_CAPABILITY_DEVICE_WRITE_KHR: cl_bitfield = 1 << 10;
pub const CL_SVM_CAPABILITY_DEVICE_ATOMIC_ACCESS_KHR: cl_bitfield = 1 << 11;
pub const CL_SVM_CAPABILITY_CONCURRENT_ACCESS_KHR: cl_bitfield = 1 << 12;
pub const CL_SVM_CAPABILITY_CONCURRENT_ATOMIC_ACCESS_KHR: cl_bitfield = 1 << 13;
pub const CL_SVM_CAPABILITY_INDIRECT_ACCESS_KHR: cl_bitfield = 1 << 14;
pub const CL_SVM_ALLOC_ASSOCIATED_DEVICE_HANDLE_KHR: cl_properties = 0x2078;
pub const CL_SVM_ALLOC_ACCESS_FLAGS_KHR: cl_properties = 0x2079;
pub const CL_SVM_ALLOC_ALIGNMENT_KHR: cl_properties = 0x207A;
pub const CL_SVM_ALLOC_ACCESS_ALL_KHR: cl_properties = 0x303;
pub const CL_SVM_INFO_TYPE_INDEX_KHR: cl_uint = 0x2088;
pub const CL_SVM_INFO_CAPABILITIES_KHR: cl_uint = 0x2089;
pub const CL_SVM_INFO_PROPERTIES_KHR: cl_uint = 0x208A;
pub const CL_SVM_INFO_ACCESS_FLAGS_KHR: cl_uint = 0x208B;
pub const CL_SVM_INFO_BASE_PTR_KHR: cl_uint = 0x419B;
pub const CL_SVM_INFO_SIZE_KHR: cl_uint = 0x419C;
pub const CL_SVM_INFO_ASSOCIATED_DEVICE_HANDLE_KHR: cl_uint = 0x419D;
pub const CL_KERNEL_EXEC_INFO_SVM_INDIRECT_ACCESS_KHR: cl_uint = 0x11BB;

// ---- cl_intel_unified_shared_memory ----

pub const CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL: cl_uint = 0x4190;
pub const CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL: cl_uint = 0x4191;
pub const CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL: cl_uint = 0x4192;
pub const CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL: cl_uint = 0x4193;
pub const CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL: cl_uint = 0x4194;
pub const CL_UNIFIED_SHARED_MEMORY_ALL_INTEL: cl_bitfield = 0xf;
pub const CL_MEM_ALLOC_FLAGS_INTEL: cl_uint = 0x4195;
pub const CL_MEM_ALLOC_FLAGS_ALL_INTEL: cl_bitfield = 0x7;
pub const CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL: cl_bitfield = 1 << 1;
pub const CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL: cl_bitfield = 1 << 2;
pub const CL_MEM_TYPE_UNKNOWN_INTEL: cl_uint = 0x4196;
pub const CL_MEM_TYPE_HOST_INTEL: cl_uint = 0x4197;
pub const CL_MEM_TYPE_DEVICE_INTEL: cl_uint = 0x4198;
pub const CL_MEM_TYPE_SHARED_INTEL: cl_uint = 0x4199;
pub const CL_MEM_ALLOC_TYPE_INTEL: cl_uint = 0x419A;
pub const CL_MEM_ALLOC_BASE_PTR_INTEL: cl_uint = 0x419B;
pub const CL_MEM_ALLOC_SIZE_INTEL: cl_uint = 0x419C;
pub const CL_MEM_ALLOC_DEVICE_INTEL: cl_uint = 0x419D;
pub const CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL: cl_uint = 0x4200;
pub const CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL: cl_uint = 0x4201;
pub const CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL: cl_uint = 0x4202;
pub const CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL: cl_uint = 0x4203;
pub const CL_COMMAND_MEMFILL_INTEL: cl_uint = 0x4204;
pub const CL_COMMAND_MEMCPY_INTEL: cl_uint = 0x4205;
pub const CL_COMMAND_MIGRATEMEM_INTEL: cl_uint = 0x4206;
pub const CL_COMMAND_MEMADVISE_INTEL: cl_uint = 0x4207;

// ---- cl_khr_semaphore ----

pub const CL_PLATFORM_SEMAPHORE_TYPES_KHR: cl_uint = 0x2036;
pub const CL_SEMAPHORE_CONTEXT_KHR: cl_uint = 0x2039;
pub const CL_SEMAPHORE_REFERENCE_COUNT_KHR: cl_uint = 0x203A;
pub const CL_SEMAPHORE_PROPERTIES_KHR: cl_uint = 0x203B;
pub const CL_SEMAPHORE_PAYLOAD_KHR: cl_uint = 0x203C;
pub const CL_SEMAPHORE_TYPE_KHR: cl_uint = 0x203D;
pub const CL_SEMAPHORE_TYPE_BINARY_KHR: cl_properties = 1;
pub const CL_COMMAND_SEMAPHORE_WAIT_KHR: cl_uint = 0x2042;
pub const CL_COMMAND_SEMAPHORE_SIGNAL_KHR: cl_uint = 0x2043;
pub const CL_DEVICE_SEMAPHORE_TYPES_KHR: cl_uint = 0x204C;
pub const CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR: cl_uint = 0x2053;
pub const CL_INVALID_SEMAPHORE_KHR: cl_int = -1142;

// ---- cl_khr_command_buffer ----

pub const CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR: cl_uint = 0x129A;
pub const CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR: cl_uint = 0x12A9;
pub const CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR: cl_uint = 0x12AA;
pub const CL_COMMAND_BUFFER_CAPABILITY_KERNEL_PRINTF_KHR: cl_bitfield = 1 << 0;
pub const CL_COMMAND_BUFFER_FLAGS_KHR: cl_properties = 0x1293;
pub const CL_COMMAND_BUFFER_QUEUES_KHR: cl_uint = 0x1294;
pub const CL_COMMAND_BUFFER_NUM_QUEUES_KHR: cl_uint = 0x1295;
pub const CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR: cl_uint = 0x1296;
pub const CL_COMMAND_BUFFER_STATE_KHR: cl_uint = 0x1297;
pub const CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR: cl_uint = 0x1298;
pub const CL_COMMAND_BUFFER_CONTEXT_KHR: cl_uint = 0x1299;
pub const CL_COMMAND_BUFFER_STATE_RECORDING_KHR: cl_uint = 0;
pub const CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR: cl_uint = 1;
pub const CL_COMMAND_COMMAND_BUFFER_KHR: cl_uint = 0x12A8;
pub const CL_INVALID_COMMAND_BUFFER_KHR: cl_int = -1138;
pub const CL_INVALID_SYNC_POINT_WAIT_LIST_KHR: cl_int = -1139;
pub const CL_INCOMPATIBLE_COMMAND_QUEUE_KHR: cl_int = -1140;

// ---- cl_khr_command_buffer_mutable_dispatch ----

pub const CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR: cl_uint = 0x12B0;
pub const CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR: cl_bitfield = 1 << 2;
pub const CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR: cl_properties = 1 << 0;
pub const CL_COMMAND_BUFFER_MUTABLE_KHR: cl_properties = 1 << 1;
pub const CL_COMMAND_BUFFER_STATE_FINALIZED_KHR: cl_uint = 2;
pub const CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR: cl_properties = 0x12B7;
pub const CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR: cl_properties = 0x12B1;
pub const CL_MUTABLE_DISPATCH_ASSERTS_KHR: cl_properties = 0x12B8;
pub const CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR: cl_properties = 1 << 0;
pub const CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR: cl_properties = 1 << 0;
pub const CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR: cl_properties = 1 << 1;
pub const CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR: cl_properties = 1 << 2;
pub const CL_MUTABLE_DISPATCH_ARGUMENTS_KHR: cl_properties = 1 << 3;
pub const CL_MUTABLE_DISPATCH_EXEC_INFO_KHR: cl_properties = 1 << 4;
pub const CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR: cl_uint = 0x12A0;
pub const CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR: cl_uint = 0x12A1;
pub const CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR: cl_uint = 0x12A2;
pub const CL_MUTABLE_DISPATCH_KERNEL_KHR: cl_uint = 0x12A3;
pub const CL_MUTABLE_DISPATCH_DIMENSIONS_KHR: cl_uint = 0x12A4;
pub const CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR: cl_uint = 0x12A5;
pub const CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR: cl_uint = 0x12A6;
pub const CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR: cl_uint = 0x12A7;
pub const CL_MUTABLE_COMMAND_COMMAND_TYPE_KHR: cl_uint = 0x12AD;
pub const CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR: cl_uint = 0;
pub const CL_INVALID_MUTABLE_COMMAND_KHR: cl_int = -1141;
