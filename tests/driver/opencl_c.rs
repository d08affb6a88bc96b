//! Our own front end: programs as files (`opencl_c/*.cl`), with what is expected of them in comments as in `cases`, and one that calls every overload of
//! every built-in function. A line `// standard: CL2.0` names the version of OpenCL C; without one it is 3.0. A line `// options: …` has options for the driver.

use crate::cases::check;
use brolga_tests::{Context, Program};
use opencl_c::{CompileOptions, Input, Product, compile};
use std::path::{Path, PathBuf};

fn options(version: u32) -> CompileOptions {
    CompileOptions {
        version,
        features: vendors::supported().clang_opencl().into_iter().map(String::from).collect(),
        ..CompileOptions::default()
    }
}

/// A program's SPIR-V.
fn module(name: &str, source: &str, options: &CompileOptions) -> Result<Vec<u8>, String> {
    let output = compile(&Input {
        name,
        source: source.as_bytes(),
        headers: &[],
        options,
    });
    match output.product {
        Some(Product::Spirv(words)) => Ok(words.iter().flat_map(|word| word.to_le_bytes()).collect()),
        _ => Err(output.log),
    }
}

fn build(context: &Context, il: &[u8]) -> Result<Program, String> {
    Program::from_il(context, il)
        .map_err(|status| format!("clCreateProgramWithIL: {status}"))?
        .build("")
}

#[test]
fn every_program() {
    let context = Context::new();
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("opencl_c");
    let mut files: Vec<PathBuf> = std::fs::read_dir(directory).unwrap().flatten().map(|entry| entry.path()).collect();
    files.sort();
    let mut failures = String::new();
    for file in &files {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let source = std::fs::read_to_string(file).unwrap();
        let notes: Vec<(&str, &str)> = source
            .lines()
            .filter_map(|line| line.strip_prefix("// ")?.split_once(": "))
            .collect();
        let standard = notes.iter().find(|(key, _)| *key == "standard").map_or("CL3.0", |(_, value)| value);
        let version = match standard {
            "CL1.2" => 120,
            "CL2.0" => 200,
            _ => 300,
        };
        let il = module(&name, &source, &options(version));
        if let Err(message) = check(&context, &notes, il.and_then(|il| build(&context, &il))) {
            failures += &format!("{name}: {message}\n");
        }
        // What the driver itself makes of the source does the same.
        let options = notes.iter().find(|(key, _)| *key == "options").map_or("", |(_, value)| value);
        let built = Program::from_source(&context, &source).build(&format!("-cl-std={standard} {options}"));
        if let Err(message) = check(&context, &notes, built) {
            failures += &format!("{name}, from its source: {message}\n");
        }
    }
    println!("{} programs", files.len());
    assert!(failures.is_empty(), "\n{failures}");
}

#[test]
fn every_overload_of_every_function_is_called() {
    let context = Context::new();
    for version in [120, 200, 300] {
        let options = options(version);
        let pragma = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n";
        let calls = opencl_c::builtins::calls::program(&options, |_| true);
        let count = calls.lines().filter(|line| line.contains(" { ") && line.ends_with(" }")).count();
        let il = module("calls.cl", &(pragma.to_owned() + &calls), &options).unwrap_or_else(|log| panic!("OpenCL C {version}: {log}"));
        println!("OpenCL C {version}: {count} overloads");
        assert!(count > 8000, "OpenCL C {version}: {count} overloads");
        if let Err(log) = build(&context, &il) {
            panic!("OpenCL C {version}: {log}");
        }
    }
}

#[test]
fn a_module_is_the_same_each_time() {
    let source = include_str!("../opencl_c/structs.cl");
    let first = module("structs.cl", source, &options(300)).unwrap();
    assert_eq!(first, module("structs.cl", source, &options(300)).unwrap());
}
