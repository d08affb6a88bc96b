//! Functions and constants of OpenCL 2.2 and 3.0 that `cl-sys` lacks.

#![allow(missing_docs, non_camel_case_types, non_snake_case)]

use cl_sys::*;

pub type cl_version = cl_uint;

pub const CL_INVALID_SPEC_ID: cl_int = -71;
pub const CL_MAX_SIZE_RESTRICTION_EXCEEDED: cl_int = -72;
pub const CL_PLATFORM_NUMERIC_VERSION: cl_uint = 0x0906;
pub const CL_PLATFORM_ICD_SUFFIX_KHR: cl_uint = 0x0920;
pub const CL_DEVICE_IL_VERSION: cl_uint = 0x105B;
pub const CL_DEVICE_NUMERIC_VERSION: cl_uint = 0x105E;
pub const CL_DEVICE_EXTENSIONS_WITH_VERSION: cl_uint = 0x1060;
pub const CL_DEVICE_OPENCL_C_ALL_VERSIONS: cl_uint = 0x1066;
pub const CL_DEVICE_OPENCL_C_FEATURES: cl_uint = 0x106F;
pub const CL_SAMPLER_PROPERTIES: cl_uint = 0x1158;
pub const CL_PROGRAM_IL: cl_uint = 0x1169;

unsafe extern "C" {
    pub fn clSetProgramSpecializationConstant(
        program: cl_program,
        spec_id: cl_uint,
        spec_size: size_t,
        spec_value: *const c_void,
    ) -> cl_int;
    pub fn clCreateBufferWithProperties(
        context: cl_context,
        properties: *const cl_ulong,
        flags: cl_mem_flags,
        size: size_t,
        host_ptr: *mut c_void,
        errcode_ret: *mut cl_int,
    ) -> cl_mem;
    pub fn clCreateImageWithProperties(
        context: cl_context,
        properties: *const cl_ulong,
        flags: cl_mem_flags,
        image_format: *const cl_image_format,
        image_desc: *const cl_image_desc,
        host_ptr: *mut c_void,
        errcode_ret: *mut cl_int,
    ) -> cl_mem;
    pub fn clSetContextDestructorCallback(
        context: cl_context,
        pfn_notify: Option<extern "C" fn(cl_context, *mut c_void)>,
        user_data: *mut c_void,
    ) -> cl_int;
}
