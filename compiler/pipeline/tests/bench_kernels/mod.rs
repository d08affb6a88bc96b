//! The benchmarks' kernels (`tests/bench/kernels`), compiled from source.

use compiler::Module;
use compiler::source::{self, Features, Options, SourceRequest, Step};
use std::path::PathBuf;
use std::sync::Arc;

/// Where they are.
pub fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/bench/kernels"))
}

/// A file, without its ending, as a module. There must be a clang.
pub fn module(file: &str, options: &str) -> Arc<Module> {
    let text = std::fs::read(folder().join(file).with_extension("cl")).expect("the benchmark's source");
    let options = Options::parse(options, Step::Build).expect("options");
    let request = SourceRequest {
        source: &text,
        headers: &[],
        options: &options,
        features: Features {
            opencl: &["cl_khr_fp64", "__opencl_c_fp64"],
            spirv: &["SPV_KHR_no_integer_wrap_decoration"],
            ..Features::default()
        },
    };
    let compiled = source::compile(&request).unwrap_or_else(|error| panic!("{file}: {}", error.log));
    Module::from_il(&compiled.il, &[]).unwrap_or_else(|error| panic!("{file}: {}", error.log))
}
