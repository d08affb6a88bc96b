//! What the platform and its device say of versions, extensions and features: each answer is derived from the registry (`vendors`).

use crate::cl::*;
use once_cell::race::OnceBox;
pub use vendors::{Features, Version, version};
use vendors::{Registry, Svm, supported};

/// The version of OpenCL, packed as `CL_MAKE_VERSION` does.
pub fn opencl_version() -> Version {
    let (major, minor) = supported().opencl_version();
    version(major.into(), minor.into(), 0)
}

/// CL_PLATFORM_VENDOR, CL_DEVICE_VENDOR
pub const VENDOR: &str = "The Brolga developers";
/// CL_DRIVER_VERSION
pub const DRIVER_VERSION: &str = env!("CARGO_PKG_VERSION");

/// A version string: `prefix`, major and minor, and our name and version.
pub fn version_text(prefix: &str) -> String {
    let (major, minor) = supported().opencl_version();
    format!("{prefix}{major}.{minor} Brolga {DRIVER_VERSION}")
}

/// A name with a version.
pub type Named = (&'static str, Version);

/// The registry's answers that are asked for often.
struct Derived {
    extensions: Vec<Named>,
    features: Vec<Named>,
    functions: Vec<&'static str>,
    clang_opencl: Vec<&'static str>,
    clang_spirv: Vec<&'static str>,
    svm: bool,
}

fn derived() -> &'static Derived {
    static DERIVED: OnceBox<Derived> = OnceBox::new();
    DERIVED.get_or_init(|| Box::new(Derived::of(supported())))
}

impl Derived {
    fn of(registry: &Registry) -> Derived {
        Derived {
            extensions: registry.extensions(),
            features: registry.language_features(),
            functions: registry.functions(),
            clang_opencl: registry.clang_opencl(),
            clang_spirv: registry.clang_spirv(),
            svm: registry.svm() != Svm::empty(),
        }
    }
}

/// The registry, for what is asked rarely.
pub fn registry() -> &'static Registry {
    supported()
}

/// CL_DEVICE_EXTENSIONS and CL_PLATFORM_EXTENSIONS
pub fn extensions() -> &'static [Named] {
    &derived().extensions
}

/// CL_DEVICE_OPENCL_C_FEATURES
pub fn language_features() -> &'static [Named] {
    &derived().features
}

/// Is there an extension of this name?
pub fn has(extension: &str) -> bool {
    extensions().iter().any(|(name, _)| *name == extension)
}

/// Does the device have a feature?
pub fn has_feature(feature: Features) -> bool {
    registry().features().contains(feature)
}

/// Is there shared virtual memory? All kinds of it, or none.
pub fn has_svm() -> bool {
    derived().svm
}

/// Does clGetExtensionFunctionAddress find an extension's entry point?
pub fn has_function(name: &str) -> bool {
    derived().functions.contains(&name)
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
fn name_version(text: &str, version: Version) -> cl_name_version {
    let mut name = [0; CL_NAME_VERSION_MAX_NAME_SIZE];
    let length = text.len().min(CL_NAME_VERSION_MAX_NAME_SIZE - 1);
    name[..length].copy_from_slice(&text.as_bytes()[..length]);
    cl_name_version { version, name }
}

/// What OpenCL C may use.
pub fn language() -> compiler::source::Features<'static> {
    compiler::source::Features {
        opencl: &derived().clang_opencl,
        spirv: &derived().clang_spirv,
        fused_multiply_add: !compiler::reproducible(),
        version: supported().opencl_version(),
    }
}
