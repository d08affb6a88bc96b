//! What both searches for programs that the compiler fails on have in common.

/// Features of the device that the programs are compiled for.
pub const FEATURES: [&str; 12] = [
    "cl_khr_fp16",
    "cl_khr_fp64",
    "cl_khr_subgroups",
    "__opencl_c_images",
    "__opencl_c_fp64",
    "__opencl_c_generic_address_space",
    "__opencl_c_program_scope_global_variables",
    "__opencl_c_pipes",
    "__opencl_c_atomic_order_seq_cst",
    "__opencl_c_atomic_scope_device",
    "__opencl_c_read_write_images",
    "__opencl_c_device_enqueue",
];
