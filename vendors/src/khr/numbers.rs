//! Types of numbers, and atomics of them.

use crate::row::{Features, Row, version};
use rspirv::spirv::Capability;

pub(super) static ROWS: &[&Row] = &[&FP16, &FP64, &INT64_ATOMICS, &INT32_ATOMICS, &BYTE_ADDRESSABLE_STORE];

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
