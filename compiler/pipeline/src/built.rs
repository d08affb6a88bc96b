//! Programs of OpenCL C for tests.

use crate::source::{Features, Making, Options, SourceRequest, Step, compile_file};
use crate::{BuildOptions, Module, Program};
use opencl_c::Product;
use std::sync::Arc;

/// What a source becomes.
pub(crate) fn built(source: &str) -> Arc<Program> {
    let options = Options::parse("-cl-std=CL3.0", Step::Build).expect("options");
    let request = SourceRequest {
        source: source.as_bytes(),
        headers: &[],
        options: &options,
        features: Features::default(),
    };
    let Some(Product::Spirv(words)) = compile_file(&request, "k.cl", Making::Module).product else {
        panic!("a module");
    };
    let il: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let module = Module::from_il(&il, &[]).expect("it is valid");
    crate::link(&[module], &BuildOptions::default()).expect("a program")
}
