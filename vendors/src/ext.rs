//! Extensions of several vendors.

use crate::row::{FloatAtomics, Row, version};
use rspirv::spirv::Capability;

pub(crate) static ROWS: &[&Row] = &[
    &FLOAT_ATOMICS_HALF,
    &FLOAT_ATOMICS_SINGLE,
    &FLOAT_ATOMICS_DOUBLE,
    &CXX_FOR_OPENCL,
    &BUFFER_DEVICE_ADDRESS,
    &IMMUTABLE_MEMORY_OBJECTS,
    &ARITHMETIC_FENCE,
    &OPTNONE,
    &RELAXED_PRINTF,
];

/// cl_ext_float_atomics is three rows, one a width: the capabilities that modules declare and the queries agree bit by bit.
static FLOAT_ATOMICS_SINGLE: Row = Row {
    opencl: &[("cl_ext_float_atomics", version(1, 0, 0))],
    level_zero: &["ZE_extension_float_atomics"],
    spirv_extensions: &["SPV_EXT_shader_atomic_float_add", "SPV_EXT_shader_atomic_float_min_max"],
    capabilities: &[Capability::AtomicFloat32AddEXT, Capability::AtomicFloat32MinMaxEXT],
    macros: &[
        ("__opencl_c_ext_fp32_global_atomic_add", version(3, 0, 0)),
        ("__opencl_c_ext_fp32_local_atomic_add", version(3, 0, 0)),
        ("__opencl_c_ext_fp32_global_atomic_min_max", version(3, 0, 0)),
        ("__opencl_c_ext_fp32_local_atomic_min_max", version(3, 0, 0)),
    ],
    float_atomics: [FloatAtomics::empty(), FloatAtomics::all(), FloatAtomics::empty()],
    ..Row::on("cl_ext_float_atomics:single")
};

static FLOAT_ATOMICS_DOUBLE: Row = Row {
    opencl: &[("cl_ext_float_atomics", version(1, 0, 0))],
    level_zero: &["ZE_extension_float_atomics"],
    spirv_extensions: &["SPV_EXT_shader_atomic_float_add", "SPV_EXT_shader_atomic_float_min_max"],
    capabilities: &[Capability::AtomicFloat64AddEXT, Capability::AtomicFloat64MinMaxEXT],
    macros: &[
        ("__opencl_c_ext_fp64_global_atomic_add", version(3, 0, 0)),
        ("__opencl_c_ext_fp64_local_atomic_add", version(3, 0, 0)),
        ("__opencl_c_ext_fp64_global_atomic_min_max", version(3, 0, 0)),
        ("__opencl_c_ext_fp64_local_atomic_min_max", version(3, 0, 0)),
    ],
    float_atomics: [FloatAtomics::empty(), FloatAtomics::empty(), FloatAtomics::all()],
    needs: &["cl_khr_fp64", "cl_ext_float_atomics:single"],
    ..Row::on("cl_ext_float_atomics:double")
};

static FLOAT_ATOMICS_HALF: Row = Row {
    opencl: &[("cl_ext_float_atomics", version(1, 0, 0))],
    level_zero: &["ZE_extension_float_atomics"],
    spirv_extensions: &["SPV_EXT_shader_atomic_float16_add", "SPV_EXT_shader_atomic_float_min_max"],
    capabilities: &[Capability::AtomicFloat16AddEXT, Capability::AtomicFloat16MinMaxEXT],
    macros: &[
        ("__opencl_c_ext_fp16_global_atomic_load_store", version(3, 0, 0)),
        ("__opencl_c_ext_fp16_local_atomic_load_store", version(3, 0, 0)),
        ("__opencl_c_ext_fp16_global_atomic_add", version(3, 0, 0)),
        ("__opencl_c_ext_fp16_local_atomic_add", version(3, 0, 0)),
        ("__opencl_c_ext_fp16_global_atomic_min_max", version(3, 0, 0)),
        ("__opencl_c_ext_fp16_local_atomic_min_max", version(3, 0, 0)),
    ],
    float_atomics: [FloatAtomics::all(), FloatAtomics::empty(), FloatAtomics::empty()],
    needs: &["cl_khr_fp16", "cl_ext_float_atomics:single"],
    ..Row::on("cl_ext_float_atomics:half")
};

static CXX_FOR_OPENCL: Row = Row {
    opencl: &[("cl_ext_cxx_for_opencl", version(1, 0, 0))],
    ..Row::on("cl_ext_cxx_for_opencl")
};

static BUFFER_DEVICE_ADDRESS: Row = Row {
    opencl: &[("cl_ext_buffer_device_address", version(1, 0, 2))],
    functions: &["clSetKernelArgDevicePointerEXT"],
    ..Row::on("cl_ext_buffer_device_address")
};

static IMMUTABLE_MEMORY_OBJECTS: Row = Row {
    opencl: &[("cl_ext_immutable_memory_objects", version(1, 0, 0))],
    ..Row::on("cl_ext_immutable_memory_objects")
};

static ARITHMETIC_FENCE: Row = Row {
    spirv_extensions: &["SPV_EXT_arithmetic_fence"],
    capabilities: &[Capability::ArithmeticFenceEXT],
    ..Row::on("SPV_EXT_arithmetic_fence")
};

/// A function control that forbids optimization; and Intel's older name for it.
static OPTNONE: Row = Row {
    spirv_extensions: &["SPV_EXT_optnone", "SPV_INTEL_optnone"],
    capabilities: &[Capability::OptNoneEXT],
    ..Row::on("SPV_EXT_optnone")
};

/// printf's format string may be in other address spaces than UniformConstant.
static RELAXED_PRINTF: Row = Row {
    spirv_extensions: &["SPV_EXT_relaxed_printf_string_address_space"],
    ..Row::on("SPV_EXT_relaxed_printf_string_address_space")
};
