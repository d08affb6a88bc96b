//! What the registry says beside SPIR-V: extensions, functions, features of OpenCL C and the macros that tell programs of them. This process reads
//! the same registry as the driver in it, with the same rows off.

use brolga_tests::cl_sys::*;
use brolga_tests::{Context, Device, cl};
use std::collections::BTreeSet;
use std::ffi::CString;
use std::fmt::Write;

const OPENCL_C_FEATURES: u32 = 0x106F;

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
        &features(device),
        &names(registry.language_features()),
        &mut all,
    );
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

/// Names of cl_name_version: a version and 64 bytes of name.
fn features(device: &Device) -> BTreeSet<String> {
    let answer = device.info(OPENCL_C_FEATURES).map_or(Vec::new(), |info| info.0);
    let name = |record: &[u8; 68]| String::from_utf8_lossy(&record[4..]).trim_end_matches('\0').to_owned();
    answer.as_chunks::<68>().0.iter().map(name).collect()
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
