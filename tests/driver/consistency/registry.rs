//! What the registry says beside SPIR-V: extensions, functions, features of OpenCL C and the macros that tell programs of them. This process reads
//! the same registry as the driver in it, with the same rows off.

use brolga_tests::cl_sys::*;
use brolga_tests::version3::{CL_DEVICE_OPENCL_C_ALL_VERSIONS, CL_DEVICE_OPENCL_C_FEATURES};
use brolga_tests::{Context, Device, cl};
use std::collections::BTreeSet;
use std::ffi::CString;
use std::fmt::Write;

/// clang says it of every target.
const MACRO_ALWAYS: &str = "__opencl_c_int64";

/// The loader answers for it, whatever the driver has.
const FUNCTION_ALWAYS: &str = "clGetKernelSubGroupInfoKHR";

/// Queries of clGetDeviceInfo that extensions bring.
const QUERIES: &[(&str, u32)] = &[
    ("cl_khr_command_buffer", 0x12A9),
    ("cl_khr_command_buffer_mutable_dispatch", 0x12B0),
    ("cl_khr_semaphore", 0x204C),
    ("cl_khr_kernel_clock", 0x1076),
    ("cl_khr_unified_svm", 0x1077),
    ("cl_khr_cooperative_matrix", 0x107A),
    ("cl_khr_cooperative_matrix", 0x107B),
    ("cl_khr_integer_dot_product", 0x1073),
    ("cl_ext_float_atomics", 0x4231),
    ("cl_ext_cxx_for_opencl", 0x4230),
    ("cl_intel_required_subgroup_size", 0x4108),
    ("cl_intel_unified_shared_memory", 0x4190),
    ("cl_intel_device_attribute_query", 0x4250),
    ("cl_intel_device_attribute_query", 0x4256),
];

/// Where the device differs from the registry.
pub fn differences(context: &Context) -> Vec<String> {
    let device = &context.device;
    let registry = vendors::supported();
    let mut all = Vec::new();
    let names = |list: Vec<(&'static str, u32)>| -> BTreeSet<String> { list.into_iter().map(|(name, _)| name.to_owned()).collect() };
    let extensions: BTreeSet<String> = device.text(CL_DEVICE_EXTENSIONS).split_whitespace().map(String::from).collect();
    compare("CL_DEVICE_EXTENSIONS", &extensions, &names(registry.extensions()), &mut all);
    compare(
        "CL_DEVICE_OPENCL_C_FEATURES",
        &records(device, CL_DEVICE_OPENCL_C_FEATURES).map(|(_, name)| name).collect(),
        &names(registry.language_features()),
        &mut all,
    );
    let versions: BTreeSet<String> = records(device, CL_DEVICE_OPENCL_C_ALL_VERSIONS)
        .map(|(version, _)| shown(version))
        .collect();
    let known = registry
        .language_versions()
        .into_iter()
        .map(|(_, version)| shown(version))
        .collect();
    compare("CL_DEVICE_OPENCL_C_ALL_VERSIONS", &versions, &known, &mut all);
    let functions = registry.functions();
    for name in vendors::rows()
        .flat_map(|row| row.functions)
        .filter(|&&name| name != FUNCTION_ALWAYS)
    {
        let symbol = CString::new(*name).expect("no zero in it");
        let found = !cl!(clGetExtensionFunctionAddressForPlatform(device.platform, symbol.as_ptr())).is_null();
        if found != functions.contains(name) {
            all.push(format!("the function {name}: found: {found}, but the registry says otherwise"));
        }
    }
    for &(extension, query) in QUERIES {
        if device.info(query).is_ok() != extensions.contains(extension) {
            all.push(format!(
                "the query {query:#x} of {extension}: its answer says otherwise than the list of extensions"
            ));
        }
    }
    // Without kernels there is nothing that source could become.
    if device.number(CL_DEVICE_COMPILER_AVAILABLE) != 0 && registry.has("core:kernel") {
        all.extend(macros(context));
        all.extend(versions.iter().filter_map(|version| built(context, version)));
    }
    all
}

fn compare(what: &str, reported: &BTreeSet<String>, known: &BTreeSet<String>, all: &mut Vec<String>) {
    all.extend(
        reported
            .difference(known)
            .map(|name| format!("{what}: {name} is reported, but is no row's")),
    );
    all.extend(known.difference(reported).map(|name| format!("{what}: {name} is not reported")));
}

/// An answer that is a list of cl_name_version: a version and 64 bytes of name.
fn records(device: &Device, query: u32) -> impl Iterator<Item = (u32, String)> {
    let answer = device.info(query).map_or(Vec::new(), |info| info.0);
    let record = |record: &[u8; 68]| {
        let (version, name) = record.split_first_chunk().expect("four bytes");
        let name = String::from_utf8_lossy(name).trim_end_matches('\0').to_owned();
        (u32::from_ne_bytes(*version), name)
    };
    answer.as_chunks::<68>().0.iter().map(record).collect::<Vec<_>>().into_iter()
}

/// A version without its patch, as options say it.
fn shown(version: u32) -> String {
    format!("{}.{}", version >> 22, version >> 12 & 0x3ff)
}

/// A version of OpenCL C that is reported has a program that needs it, and is told of it. What 2.0 promises is all used.
fn built(context: &Context, version: &str) -> Option<String> {
    let body = match version {
        "2.0" => {
            "global int *global table;
            kernel void k(global int *out, queue_t queue, read_only pipe int from, read_write image2d_t plane, write_only image3d_t volume) {
                local int shared;
                int *generic_pointer = out;
                if (get_local_id(0) & 1) generic_pointer = &shared;
                int taken = 0;
                read_pipe(from, &taken);
                *generic_pointer = work_group_reduce_add(taken);
                write_imagei(plane, (int2)(0), read_imagei(plane, (int2)(1)));
                write_imagei(volume, (int4)(0), (int4)(1));
                atomic_fetch_add_explicit((global atomic_int *)out, 1, memory_order_acq_rel, memory_scope_all_svm_devices);
                atomic_store((global atomic_int *)out, 2);
                enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ out[1] = 1; });
            }"
        }
        _ => "kernel void k(global int *out) { out[0] = __OPENCL_C_VERSION__; }",
    };
    let number = version.replace('.', "") + "0";
    let source = format!("#if __OPENCL_C_VERSION__ != {number}\n#error __OPENCL_C_VERSION__\n#endif\n{body}\n");
    let built = brolga_tests::Program::from_source(context, &source).build(&format!("-cl-std=CL{version}"));
    built
        .err()
        .map(|log| format!("OpenCL C {version} is reported, but refused:\n{log}"))
}

/// A program is told of just what is there.
fn macros(context: &Context) -> Option<String> {
    let registry = vendors::supported();
    let there: BTreeSet<&str> = registry
        .extensions()
        .into_iter()
        .chain(registry.language_features())
        .map(|(name, _)| name)
        .collect();
    let mut source = String::new();
    let names = vendors::rows()
        .flat_map(|row| row.opencl.iter().chain(row.macros))
        .map(|(name, _)| name);
    for name in names.filter(|&&name| name != MACRO_ALWAYS) {
        let test = if there.contains(name) { "ifndef" } else { "ifdef" };
        let _ = writeln!(source, "#{test} {name}\n#error {name}\n#endif");
    }
    source += "kernel void k() {}\n";
    let built = brolga_tests::Program::from_source(context, &source).build("-cl-std=CL3.0");
    built
        .err()
        .map(|log| format!("macros that are there and should not be, or the other way round:\n{log}"))
}
