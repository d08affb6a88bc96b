//! What the platform and its device say of versions, extensions and features. Each answer is a function, derived from the registry.

use crate::cl::*;

/// OpenCL 3.0.0, packed as `CL_MAKE_VERSION` does.
pub const VERSION: cl_version = version(3, 0, 0);
/// CL_PLATFORM_VENDOR, CL_DEVICE_VENDOR
pub const VENDOR: &str = "The Brolga developers";
/// CL_DRIVER_VERSION
pub const DRIVER_VERSION: &str = env!("CARGO_PKG_VERSION");

/// `CL_MAKE_VERSION`
pub const fn version(major: u32, minor: u32, patch: u32) -> cl_version {
    major << 22 | minor << 12 | patch
}

/// A version string: `prefix`, major and minor, and our name and version.
pub fn version_text(prefix: &str) -> String {
    format!("{prefix}{}.{} Brolga {DRIVER_VERSION}", VERSION >> 22, VERSION >> 12 & 0x3ff)
}

/// A name with a version.
pub type Named = (&'static str, cl_version);

/// CL_DEVICE_EXTENSIONS and CL_PLATFORM_EXTENSIONS
pub fn extensions() -> Vec<Named> {
    vec![("cl_khr_icd", version(2, 0, 0)), ("cl_khr_il_program", version(1, 0, 0))]
}

/// CL_DEVICE_OPENCL_C_FEATURES
pub fn features() -> Vec<Named> {
    vec![("__opencl_c_int64", version(3, 0, 0))]
}

/// CL_DEVICE_ILS_WITH_VERSION
pub fn intermediate_languages() -> Vec<Named> {
    (0..=6).rev().map(|minor| ("SPIR-V", version(1, minor, 0))).collect()
}

/// Is an extension among [`extensions`]?
pub fn has(extension: &str) -> bool {
    extensions().iter().any(|(name, _)| *name == extension)
}

/// Names, separated by spaces.
pub fn names(list: &[Named]) -> String {
    list.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(" ")
}

/// Names and versions as records.
pub fn names_and_versions(list: &[Named]) -> Vec<cl_name_version> {
    list.iter().map(|(name, version)| name_version(name, *version)).collect()
}

/// One record of a name and a version.
pub fn name_version(text: &str, version: cl_version) -> cl_name_version {
    let mut name = [0; CL_NAME_VERSION_MAX_NAME_SIZE];
    let length = text.len().min(CL_NAME_VERSION_MAX_NAME_SIZE - 1);
    name[..length].copy_from_slice(&text.as_bytes()[..length]);
    cl_name_version { version, name }
}

/// What OpenCL C may use.
pub fn language() -> compiler::source::Features<'static> {
    compiler::source::Features {
        opencl: &["__opencl_c_int64"],
        spirv: &[],
        fused_multiply_add: true,
    }
}
