//! Each rule of the language has a program that breaks it and sees the error that names it, and one that keeps it.

mod blocks;
mod expressions;
mod initializers;
mod names;
mod syntax;
mod types;

use opencl_c::preprocessor::Preprocessor;
use opencl_c::{CompileOptions, Input, Session, parse};

/// The features that programs here may count on.
const FEATURES: &[&str] = &[
    "cl_khr_fp64",
    "cl_khr_fp16",
    "__opencl_c_fp64",
    "__opencl_c_images",
    "__opencl_c_read_write_images",
    "__opencl_c_generic_address_space",
    "__opencl_c_program_scope_global_variables",
    "__opencl_c_pipes",
    "__opencl_c_int64",
    "__opencl_c_device_enqueue",
    "__opencl_c_atomic_order_acq_rel",
    "__opencl_c_atomic_order_seq_cst",
    "__opencl_c_atomic_scope_device",
];

/// The errors and warnings of a program in a version of OpenCL C.
fn check(version: u32, features: &[&str], source: &str) -> (usize, String) {
    let options = CompileOptions {
        version,
        features: features.iter().map(|name| name.to_string()).collect(),
        error_limit: 0,
        ..CompileOptions::default()
    };
    let source = source.to_string();
    // As much stack as a build has.
    let run = move || {
        let session = Session::new(options.clone());
        let input = Input {
            name: "test.cl",
            source: source.as_bytes(),
            headers: &[],
            options: &options,
        };
        parse::parse(&session, Preprocessor::new(&session, &input));
        (session.diagnostics.errors(), session.render())
    };
    let thread = std::thread::Builder::new().stack_size(64 << 20).spawn(run).unwrap();
    thread.join().unwrap()
}

#[track_caller]
fn refused_in(version: u32, source: &str, message: &str) {
    let (errors, log) = check(version, FEATURES, source);
    assert!(errors > 0, "accepted: {source}");
    assert!(log.contains(message), "{source}\n{log}");
}

#[track_caller]
fn accepted_in(version: u32, source: &str) {
    let (errors, log) = check(version, FEATURES, source);
    assert_eq!(errors, 0, "{source}\n{log}");
}

/// A rule: a program that breaks it, what is said of it, and one that keeps it.
type Rule = (&'static str, &'static str, &'static str);

#[track_caller]
fn all(version: u32, rules: &[Rule]) {
    for &(wrong, message, right) in rules {
        refused_in(version, wrong, message);
        accepted_in(version, right);
    }
}

/// The same for statements of a function with some variables.
#[track_caller]
fn all_statements(version: u32, rules: &[Rule]) {
    let around = |statements: &str| {
        format!(
            "struct S {{ int a; float4 v; }};\nvoid f(global int *gp, local int *lp, constant int *cp, float4 v, int4 w, uint4 u, char4 c4, int i, uint n, \
             float x, struct S s, struct S *sp, size_t z, image2d_t im, sampler_t sm) {{ int *p; const int k = 3; {statements} }}"
        )
    };
    for &(wrong, message, right) in rules {
        refused_in(version, &around(wrong), message);
        accepted_in(version, &around(right));
    }
}
